"""TransportError: how a transport says that it brought no payload."""

from __future__ import annotations

from bounded_web_tool._core import MAX_RETRY_AFTER_MS, AttemptStatus, FailureDetail

RAISABLE = frozenset(
    {
        AttemptStatus.TRANSPORT_ERROR,
        AttemptStatus.TRANSPORT_TIMEOUT,
        AttemptStatus.RATE_LIMITED,
        AttemptStatus.AUTH_FAILED,
        AttemptStatus.QUOTA_EXHAUSTED,
    }
)


class TransportError(Exception):
    """Raised by a transport's ``fetch``: the status of the attempt and what is known of the failure.

    It holds words and numbers of the vocabulary only. ``retry_after_ms`` is the wait that the provider named, clamped
    to 0 ... 24 hours.
    """

    def __init__(
        self,
        status: AttemptStatus | str,
        detail: FailureDetail | str | None = None,
        http_status: int | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        self.status = _status(status)
        self.detail = _detail(detail)
        self.http_status = _http_status(http_status)
        self.retry_after_ms = _retry_after_ms(retry_after_ms)
        super().__init__(self.status, self.detail, self.http_status, self.retry_after_ms)

    def __str__(self) -> str:
        return str(self.status) if self.detail is None else f"{self.status}/{self.detail}"


def _status(value: AttemptStatus | str) -> AttemptStatus:
    if isinstance(value, str):
        for status in RAISABLE:
            if value == status:
                return status
    raise ValueError("status: must be one of " + ", ".join(sorted(RAISABLE)))


def _detail(value: FailureDetail | str | None) -> FailureDetail | None:
    if value is None:
        return None
    for detail in FailureDetail:
        if value == detail is not FailureDetail.TRANSPORT_RAISED:
            return detail
    allowed = [detail for detail in FailureDetail if detail is not FailureDetail.TRANSPORT_RAISED]
    raise ValueError("detail: must be None or one of " + ", ".join(allowed))


def _http_status(value: int | None) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"http_status must be an int or None, not {type(value).__name__}")
    if not 100 <= value <= 999:
        raise ValueError("http_status: must be between 100 and 999")
    return int(value)


def _retry_after_ms(value: int | None) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"retry_after_ms must be an int or None, not {type(value).__name__}")
    return min(max(int(value), 0), MAX_RETRY_AFTER_MS)
