"""What a transport, a clock and a validator must offer. Imported at first use: ``typing`` is not cheap."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from bounded_web_tool._core import CancellationToken, TransportRequest, TransportResponse, Verdict
from bounded_web_tool.transport_error import TransportError

__all__ = ["Clock", "HostToken", "Transport", "TransportError", "UsefulnessValidator"]


class Transport(Protocol):
    """One way to a search provider."""

    @property
    def name(self) -> str:
        """How receipts call it (redacted there)."""

    def target_for(self, query: str, /) -> str:
        """The address that ``query`` is fetched from, for the receipt."""

    def fetch(
        self, request: TransportRequest, slice_ms: int, cancellation_token: CancellationToken, /
    ) -> TransportResponse | Awaitable[TransportResponse]:
        """One attempt, abandoned after ``slice_ms``; called positionally.

        A coroutine function runs on the caller's event loop, any other function on a worker thread. Raise
        ``TransportError`` to say why there is no payload. ``cancellation_token`` is cancelled when nobody waits for
        the answer any more.
        """


class Clock(Protocol):
    """Monotonic time in seconds. Where there is a ``now_ns()`` too, it is read instead."""

    def __call__(self) -> float: ...


class UsefulnessValidator(Protocol):
    """Judges whether a response is evidence for the query; its time counts against the budget."""

    def validate(self, query: str, response: TransportResponse, /) -> Verdict: ...


class HostToken(Protocol):
    """A cancellation token of ours or of a host such as AutoGen. Where there is ``remove_callback``, it is used."""

    def is_cancelled(self) -> bool: ...

    def add_callback(self, callback: Callable[[], None], /) -> object: ...
