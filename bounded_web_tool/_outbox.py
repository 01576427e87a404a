"""Where results of an engine arrive: one outbox for an event loop, one for each call that blocks."""

from __future__ import annotations

from functools import partial
from weakref import WeakKeyDictionary, WeakValueDictionary

from bounded_web_tool._core import CancellationToken, Engine, Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable
    from typing import Any

    Submit = Callable[[Outbox], int]

INTERRUPT_GRACE_S = 0.2


def wait_for_result(engine: Engine, submit: Submit, token: CancellationToken | None) -> Any:
    """Blocks until the engine has done what ``submit`` hands it, with the GIL released.

    Ctrl-C, or whatever else a signal handler raises, cancels it, gives it a moment to end and propagates.
    """
    outbox = Outbox(False)
    stop = partial(engine._cancel, submit(outbox))
    try:
        if token is not None:
            token.add_callback(stop)
        while not (taken := outbox.take()):
            outbox.wait(None)
    except BaseException:
        stop()
        outbox.wait(INTERRUPT_GRACE_S)
        raise
    finally:
        if token is not None:
            token.remove_callback(stop)
        outbox.close()
    result = taken[0][1]
    if isinstance(result, MemoryError):
        raise result
    return result


class LoopOutbox:
    """The outbox of one engine on one event loop, drained in batches by the loop's reader.

    It must not hold its loop, of which it is the value in a dictionary with weak keys: a future, which does, stays in
    it only until the result or the end of the wait.
    """

    __slots__ = ("__weakref__", "_outbox", "_waiting")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._outbox = Outbox(True)
        self._waiting: dict[int, Future[Any]] = {}
        loop.add_reader(self._outbox.fileno(), self._drain)

    def submit(self, submit: Submit, loop: AbstractEventLoop) -> tuple[int, Future[Any]]:
        ticket = submit(self._outbox)
        return ticket, self.expect(ticket, loop)

    def expect(self, ticket: int, loop: AbstractEventLoop) -> Future[Any]:
        """The future of a result, instead of an earlier one that was cancelled."""
        future = self._waiting[ticket] = loop.create_future()
        return future

    def forget(self, ticket: int) -> None:
        self._waiting.pop(ticket, None)

    def close(self, loop: AbstractEventLoop) -> None:
        """Any thread may ask; the loop itself lets go of the descriptor before that is closed."""
        try:
            loop.call_soon_threadsafe(self._close, loop)
        except RuntimeError:  # the loop is closed
            self._outbox.close()

    def _close(self, loop: AbstractEventLoop) -> None:
        loop.remove_reader(self._outbox.fileno())
        self._outbox.close()

    def _drain(self) -> None:
        for ticket, result in self._outbox.take():
            future = self._waiting.pop(ticket, None)
            if future is None or future.done():
                continue
            if isinstance(result, MemoryError):
                future.set_exception(result)
            else:
                future.set_result(result)


class Mailroom:
    """The loop outboxes of one engine. Tickets are unique within an engine only, so engines share no outbox."""

    __slots__ = ("__weakref__", "_loops", "engine")

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._loops: WeakKeyDictionary[AbstractEventLoop, LoopOutbox] = WeakKeyDictionary()

    def for_loop(self, loop: AbstractEventLoop) -> LoopOutbox:
        outbox = self._loops.get(loop)
        if outbox is None:
            outbox = self._loops[loop] = LoopOutbox(loop)
        return outbox

    def __del__(self) -> None:
        for loop, outbox in self._loops.items():
            outbox.close(loop)


# Keyed by id because an Engine takes no weak reference; a mailroom keeps its engine alive, so no id is used twice.
_mailrooms: WeakValueDictionary[int, Mailroom] = WeakValueDictionary()


def mailroom(engine: Engine) -> Mailroom:
    """The mailroom of ``engine``; it lasts for as long as somebody holds it."""
    room = _mailrooms.get(id(engine))
    return _mailrooms.setdefault(id(engine), Mailroom(engine)) if room is None else room
