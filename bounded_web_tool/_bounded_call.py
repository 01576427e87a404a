"""Runs one call of somebody else's code for at most so long. What takes longer is abandoned: nobody waits for it."""

from __future__ import annotations

import contextvars
import inspect
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from bounded_web_tool._core import CancellationToken


class Ended:
    """How a call ended: with a value or an error, or, with neither, because nobody waits for it any more."""

    __slots__ = ("error", "overrun", "value")

    def __init__(self, value: Any = None, error: BaseException | None = None, overrun: bool = False) -> None:
        self.value = value
        self.error = error
        self.overrun = overrun


def ended(function: Callable[[], Any]) -> Ended:
    """Runs the function here and now."""
    try:
        return Ended(function())
    except BaseException as error:
        return Ended(error=error)


class Call:
    """A call to be made. ``function`` returns a value or an awaitable of it."""

    __slots__ = ("blocking", "function", "limit_ns", "on_loop")

    def __init__(
        self,
        function: Callable[[], Any],
        limit_ns: int,
        on_loop: bool = False,
        blocking: Callable[[], Any] | None = None,
    ) -> None:
        self.function = function
        self.limit_ns = limit_ns  # of real time
        self.on_loop = on_loop  # the function does not block: where there is a loop, it runs there
        self.blocking = blocking  # does the same in a blocked thread, and keeps to the limit by itself


def is_coroutine_function(function: Any) -> bool:
    """Also of partials, bound methods and objects with an ``async def __call__``."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def discard(value: Any) -> None:
    """A coroutine that nobody will await is closed, or it would complain."""
    if inspect.iscoroutine(value):
        value.close()


def start_thread(function: Callable[[], None]) -> None:
    """A daemon thread of its own, in a copy of the caller's context: no pool, whose end somebody might wait for."""
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(function,), name="bounded_web_tool call", daemon=True).start()


# ---- with an event loop


def settle_from_any_thread(loop: asyncio.AbstractEventLoop, future: asyncio.Future[None]) -> None:
    def settle() -> None:
        if not future.done():
            future.set_result(None)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the loop is closed
        pass


async def run_on_loop(call: Call, loop: asyncio.AbstractEventLoop, stop: asyncio.Future[None]) -> Ended:
    """Runs a call until it ends, its limit is over, or ``stop`` is done.

    The call has a task of its own, so a ``CancelledError`` that arrives here is the caller's and passes through.
    """
    from asyncio import FIRST_COMPLETED, wait

    task = loop.create_task(_ended_on_loop(call, loop))
    try:
        await wait((task, stop), timeout=call.limit_ns / 1e9, return_when=FIRST_COMPLETED)
        return task.result() if task.done() and not task.cancelled() else Ended(overrun=True)
    finally:
        if not task.done():
            task.cancel()
            loop.call_soon(_disown_if_running, task)


def _disown_if_running(task: asyncio.Task[Any]) -> None:
    """A task that did not stop when it was cancelled may never stop. ``asyncio.run`` waits for every task that it can
    find, so this one is taken out of its sight; it still runs for as long as the loop does."""
    from asyncio.tasks import _unregister_task  # documented under "Extending asyncio"

    if not task.done():
        _unregister_task(task)
        setattr(task, "_log_destroy_pending", False)  # asyncio.gather silences its tasks by this as well


async def _ended_on_loop(call: Call, loop: asyncio.AbstractEventLoop) -> Ended:
    try:
        value = call.function() if call.on_loop else await _in_thread(call.function, loop)
        if inspect.isawaitable(value):
            value = await value
        return Ended(value)
    except BaseException as error:
        return Ended(error=error)


async def _in_thread(function: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> Any:
    arrival: asyncio.Future[Ended] = loop.create_future()

    def deliver(result: Ended) -> None:
        if arrival.done():
            discard(result.value)
        else:
            arrival.set_result(result)

    def work() -> None:
        result = ended(function)
        try:
            loop.call_soon_threadsafe(deliver, result)
        except RuntimeError:  # the loop is closed
            discard(result.value)

    start_thread(work)
    result = await arrival
    if result.error is not None:
        raise result.error
    return result.value


# ---- in a blocked thread


def run_in_thread(call: Call, token: CancellationToken) -> Ended:
    """Runs a call in a worker thread until it ends, its limit is over, or the token is cancelled."""
    worker = Worker(call.function)
    token.add_callback(worker.wake.set)
    try:
        start_thread(worker.work)
        worker.wake.wait(call.limit_ns / 1e9)
    except RuntimeError as error:  # the system has no thread left
        return Ended(error=error)
    finally:
        token.remove_callback(worker.wake.set)
        result = worker.result  # what comes from here on is how it took being abandoned
        if result is None:
            worker.abandon()
    return result or Ended(overrun=True)


class Worker:
    """A call in a thread of its own, where an awaitable gets an event loop of its own."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.wake = threading.Event()
        self.result: Ended | None = None
        self._function = function
        self._abandoned = False
        self._cancel: Callable[[], object] | None = None

    def work(self) -> None:
        result = ended(self._function)
        if inspect.isawaitable(result.value) and not self._abandoned:
            from asyncio import run

            run(self._await(result.value))
        else:
            discard(result.value)
            self._settle(result)

    def abandon(self) -> None:
        self._abandoned = True
        cancel = self._cancel
        if cancel is not None:
            try:
                cancel()
            except RuntimeError:  # its loop is closed
                pass

    def _settle(self, result: Ended) -> None:
        self.result = result
        self.wake.set()

    async def _await(self, awaitable: Any) -> None:
        """Settles before ``asyncio.run`` tidies up, which can take any time."""
        from asyncio import current_task, get_running_loop
        from functools import partial

        task = current_task()
        assert task is not None
        self._cancel = partial(get_running_loop().call_soon_threadsafe, task.cancel)
        if self._abandoned:
            task.cancel()
        try:
            self._settle(Ended(await awaitable))
        except BaseException as error:
            self._settle(Ended(error=error))
