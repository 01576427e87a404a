"""A world for tests: a clock that moves only when told to and transports that follow a script."""

from __future__ import annotations

from bounded_web_tool._core import AttemptStatus, CancellationToken, TransportRequest, TransportResponse
from bounded_web_tool.transport_error import TransportError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

NS_PER_MS = 1_000_000


def _milliseconds(value: int, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name}: must be 0 or more")
    return int(value)


class ManualClock:
    """A clock in whole milliseconds that advances by ``advance_ms`` and by scripted latency only."""

    __slots__ = ("_now_ms",)

    def __init__(self, start_ms: int = 0) -> None:
        self._now_ms = _milliseconds(start_ms, "start_ms")

    def __call__(self) -> float:
        return self._now_ms / 1000

    def now_ns(self) -> int:
        return self._now_ms * NS_PER_MS

    def advance_ms(self, milliseconds: int) -> None:
        self._now_ms += _milliseconds(milliseconds, "milliseconds")

    def __repr__(self) -> str:
        return f"<ManualClock at {self._now_ms} ms>"


class ScriptedStep:
    """What one ``fetch`` does: after ``latency_ms`` it returns ``response`` or raises ``error``. Frozen."""

    __slots__ = ("error", "latency_ms", "response")
    latency_ms: int
    response: TransportResponse | None
    error: BaseException | None

    def __init__(
        self,
        latency_ms: int,
        response: TransportResponse | None = None,
        error: BaseException | None = None,
    ) -> None:
        if (response is None) == (error is None):
            raise ValueError("response, error: exactly one of the two must be given")
        if response is not None and not isinstance(response, TransportResponse):
            raise TypeError(f"response must be a TransportResponse, not {type(response).__name__}")
        if isinstance(error, type) and issubclass(error, BaseException):
            error = error()
        if error is not None and not isinstance(error, BaseException):
            raise TypeError(f"error must be an exception, not {type(error).__name__}")
        object.__setattr__(self, "latency_ms", _milliseconds(latency_ms, "latency_ms"))
        object.__setattr__(self, "response", response)
        object.__setattr__(self, "error", error)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a ScriptedStep is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a ScriptedStep is frozen")

    def __reduce__(self) -> tuple[type[ScriptedStep], tuple[object, ...]]:
        return type(self), (self.latency_ms, self.response, self.error)

    def __repr__(self) -> str:
        what = "response" if self.error is None else type(self.error).__name__
        return f"<ScriptedStep {what} after {self.latency_ms} ms>"


class ScriptedTransport:
    """A transport that plays ``steps`` one by one on a ``ManualClock``; ``calls`` counts its fetches."""

    def __init__(
        self,
        name: str,
        steps: Iterable[ScriptedStep],
        clock: ManualClock,
        base_url: str = "https://scripted.invalid/search",
    ) -> None:
        for value, argument in ((name, "name"), (base_url, "base_url")):
            if not isinstance(value, str):
                raise TypeError(f"{argument} must be a str, not {type(value).__name__}")
        if not callable(getattr(clock, "advance_ms", None)):
            raise TypeError(f"clock must be a ManualClock, not {type(clock).__name__}")
        self.name = name
        self.calls = 0
        self._steps = tuple(steps)
        self._clock = clock
        self._base_url = base_url
        for step in self._steps:
            if not isinstance(step, ScriptedStep):
                raise TypeError(f"steps must hold ScriptedStep, not {type(step).__name__}")

    def target_for(self, query: str) -> str:
        from urllib.parse import urlencode

        return self._base_url + ("&" if "?" in self._base_url else "?") + urlencode({"q": query})

    async def fetch(
        self, request: TransportRequest, slice_ms: int, cancellation_token: CancellationToken
    ) -> TransportResponse:
        return self.play(slice_ms)

    def play(self, slice_ms: int) -> TransportResponse:
        """The next step, at once: scripted latency is time on the clock and nothing else."""
        self.calls += 1
        if self.calls > len(self._steps):
            raise TransportError(AttemptStatus.TRANSPORT_ERROR)
        step = self._steps[self.calls - 1]
        self._clock.advance_ms(min(step.latency_ms, slice_ms))
        if step.latency_ms > slice_ms:
            raise TransportError(AttemptStatus.TRANSPORT_TIMEOUT)
        if step.error is not None:
            raise step.error
        assert step.response is not None
        return step.response

    def __repr__(self) -> str:
        return f"<ScriptedTransport {self.name!r}: {self.calls} of {len(self._steps)} steps played>"
