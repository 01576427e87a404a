"""The lookup, awaited or blocking. The plan in C decides; this file obeys it.

A lookup whose parts are all native runs as a whole on the engine's thread. Any other is stepped here.
"""

from __future__ import annotations

import time
from functools import partial

from bounded_web_tool._arguments import Request
from bounded_web_tool._core import DEFAULT_POLICY, DEFAULT_VALIDATOR, CancellationToken, EngineClosed
from bounded_web_tool.http import HttpTransport

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from bounded_web_tool._core import EvidenceValidator, FallbackPolicy, Outbox, Receipt
    from bounded_web_tool._outbox import LoopOutbox
    from bounded_web_tool.transports import Clock, HostToken, Transport, UsefulnessValidator


async def bounded_web_lookup(
    query: str,
    primary: Transport,
    fallback: Transport | None = None,
    *,
    policy: FallbackPolicy = DEFAULT_POLICY,
    validator: UsefulnessValidator = DEFAULT_VALIDATOR,
    clock: Clock = time.monotonic,
    cancellation_token: HostToken | None = None,
) -> Receipt:
    """Ask ``primary``, then if need be ``fallback`` once, within one budget; always answers with a receipt.

    ``cancellation_token`` is ours or a host's: anything with ``is_cancelled()`` and ``add_callback(callback)``.
    Cancelling it ends the lookup with a receipt; cancelling the calling task raises ``CancelledError`` as usual.
    """
    return await _lookup_async(Request(query, primary, fallback, policy, validator, clock, cancellation_token))


def bounded_web_lookup_sync(
    query: str,
    primary: Transport,
    fallback: Transport | None = None,
    *,
    policy: FallbackPolicy = DEFAULT_POLICY,
    validator: UsefulnessValidator = DEFAULT_VALIDATOR,
    clock: Clock = time.monotonic,
    cancellation_token: HostToken | None = None,
) -> Receipt:
    """As ``bounded_web_lookup``, blocking the calling thread with the GIL released. Ctrl-C works."""
    request = Request(query, primary, fallback, policy, validator, clock, cancellation_token)
    with HostLink(request.token) as token:
        native = _native_lookup(request, token)
        if native is not None:
            from bounded_web_tool._outbox import wait_for_result

            try:
                receipt: Receipt = wait_for_result(native.engine, native.submit, token)
                return receipt
            except EngineClosed:
                pass
        return _step_blocking(request, token)


async def _lookup_async(request: Request, receipt_on_cancel: Callable[[], bool] | None = None) -> Receipt:
    """``bounded_web_lookup``, also for hosts where cancelling the token cancels the task and a raise does harm.

    ``receipt_on_cancel`` is asked when a ``CancelledError`` arrives: when it says True the lookup ends as cancelled,
    the task is uncancelled once and the receipt is returned.
    """
    from asyncio import get_running_loop

    loop = get_running_loop()
    with HostLink(request.token) as token:
        native = _native_lookup(request, token)
        if native is not None:
            try:
                return await _await_native(native, loop, token, receipt_on_cancel)
            except EngineClosed:
                pass
        return await _step_on_loop(request, loop, token, receipt_on_cancel)


class HostLink:
    """A token of ours, cancelled by the host's for as long as the lookup runs.

    A host may hold the lock of its token while it runs callbacks (AutoGen does): ours never touch that token.
    """

    __slots__ = ("_host", "_token")

    def __init__(self, host: Any) -> None:
        self._host = host
        self._token = CancellationToken()

    def __enter__(self) -> CancellationToken:
        if self._host is not None:
            self._host.add_callback(self._token.cancel)
            if self._host.is_cancelled():
                self._token.cancel()
        return self._token

    def __exit__(self, *exception: object) -> None:
        remove = getattr(self._host, "remove_callback", None)
        if callable(remove):
            remove(self._token.cancel)


def _said_yes(receipt_on_cancel: Callable[[], bool] | None) -> bool:
    """Whether a ``CancelledError`` that has just arrived is to end in a receipt."""
    from asyncio import current_task

    if receipt_on_cancel is None or not receipt_on_cancel():
        return False
    task = current_task()
    assert task is not None
    task.uncancel()
    return True


# ---- wholly native: one submission to the engine


class NativeLookup:
    """A lookup that the engine's thread runs from start to end."""

    __slots__ = ("_arguments", "_http", "engine")

    def __init__(self, request: Request, evidence: EvidenceValidator, http: list[HttpTransport]) -> None:
        fallback = http[1]._provider if len(http) > 1 else None
        self._http = http[0]
        self._arguments = (request.query, request.policy, http[0]._provider, fallback, evidence)
        self.engine = http[0].engine

    def submit(self, outbox: Outbox) -> int:
        return self.engine._submit_lookup(*self._arguments, outbox)

    def outbox(self, loop: asyncio.AbstractEventLoop) -> LoopOutbox:
        return self._http._room().for_loop(loop)


def _native_lookup(request: Request, token: CancellationToken) -> NativeLookup | None:
    """None when anything needs Python. A lookup cancelled beforehand is not submitted: nothing may be dialled."""
    http = [slot.http for slot in request.slots if slot.http is not None]
    if (
        len(http) < len(request.slots)
        or http[0].engine is not http[-1].engine
        or request.clock is not time.monotonic
        or request.evidence is None
        or token.is_cancelled()
    ):
        return None
    return NativeLookup(request, request.evidence, http)


async def _await_native(
    native: NativeLookup,
    loop: asyncio.AbstractEventLoop,
    token: CancellationToken,
    receipt_on_cancel: Callable[[], bool] | None,
) -> Receipt:
    from asyncio import CancelledError, wait

    outbox = native.outbox(loop)
    ticket, future = outbox.submit(native.submit, loop)
    stop = partial(native.engine._cancel, ticket)
    token.add_callback(stop)
    try:
        if receipt_on_cancel is not None:
            await wait((future,))  # unlike a plain await, leaves the future alone when the task is cancelled
        receipt: Receipt = await future
        return receipt
    except CancelledError:
        stop()
        if not _said_yes(receipt_on_cancel):
            raise
        receipt = await future
        return receipt
    finally:
        token.remove_callback(stop)
        outbox.forget(ticket)


# ---- stepped: the plan says what to do, each door does it in its own way


async def _step_on_loop(
    request: Request,
    loop: asyncio.AbstractEventLoop,
    token: CancellationToken,
    receipt_on_cancel: Callable[[], bool] | None,
) -> Receipt:
    from asyncio import CancelledError

    from bounded_web_tool._bounded_call import Ended, run_on_loop, settle_from_any_thread
    from bounded_web_tool._steps import steps_of

    stop: asyncio.Future[None] = loop.create_future()
    wake = partial(settle_from_any_thread, loop, stop)
    token.add_callback(wake)
    steps = steps_of(request, token)
    try:
        call = next(steps)
        while True:
            try:
                result = await run_on_loop(call, loop, stop)
            except CancelledError:
                if not _said_yes(receipt_on_cancel):
                    raise
                token.cancel()
                result = Ended(overrun=True)
            call = steps.send(result)
    except StopIteration as end:
        receipt: Receipt = end.value
        return receipt
    finally:
        steps.close()
        token.remove_callback(wake)


def _step_blocking(request: Request, token: CancellationToken) -> Receipt:
    from bounded_web_tool._bounded_call import ended, run_in_thread
    from bounded_web_tool._steps import steps_of

    steps = steps_of(request, token)
    try:
        call = next(steps)
        while True:
            result = run_in_thread(call, token) if call.blocking is None else ended(call.blocking)
            call = steps.send(result)
    except StopIteration as end:
        receipt: Receipt = end.value
        return receipt
    finally:
        steps.close()
