"""A Haystack component over ordered search providers: retries only what did not complete, and says what happened.

The lookup itself as a component, with documents, is ``haystack_integrations.components.websearch.bounded_web``.
"""

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from haystack import component, default_from_dict, default_to_dict
from haystack.core.serialization import import_class_by_name

from bounded_web_tool._core import RetryPlan

__all__ = [
    "BoundedRetryWebSearch",
    "FakeProviderClient",
    "ProviderResponse",
    "SearchProviderClient",
    "SearchReceipt",
    "TransportError",
    "evaluate_payload",
]

MOST_ATTEMPTS = 2**31 - 1  # what the plan counts to
NS_PER_MS = 1_000_000


class TransportError(Exception):
    """The call to a provider did not complete."""


@dataclass(frozen=True)
class ProviderResponse:
    """What a provider answered: its HTTP status and the decoded body."""

    status_code: int
    payload: Any = None


class SearchProviderClient(Protocol):
    """Anything that searches; whatever it raises counts as a call that did not complete."""

    def search(self, query: str) -> ProviderResponse: ...


@dataclass(frozen=True)
class SearchReceipt:
    """What a run of ``BoundedRetryWebSearch`` came to. ``provider_used`` is positional: ``provider_0``."""

    outcome: str
    task_success: bool
    transport_success: bool
    provider_used: str | None
    fallback_used: bool
    attempts_total: int
    result_count: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class FakeProviderClient:
    """Answers from a script, one step a call: returns a response, raises an exception. Counts its ``calls``."""

    def __init__(self, script: Iterable[ProviderResponse | BaseException]) -> None:
        self._script = list(script)
        self.calls = 0

    def search(self, query: str) -> ProviderResponse:
        self.calls += 1
        if self.calls > len(self._script):
            raise TransportError("the script has ended")
        step = self._script[self.calls - 1]
        if isinstance(step, BaseException):
            raise step
        return step


def evaluate_payload(payload: Any) -> tuple[str, bool, list[dict[str, str]]]:
    """``(outcome, task_success, results)`` of a body that is due to be ``{"results": [{"title", "url"}, ...]}``.

    Rows without a str title and a str url are dropped; when there were rows and none is left, it is malformed.
    """
    rows = payload.get("results") if isinstance(payload, dict) else None
    if not isinstance(rows, list):
        return "malformed_payload", False, []
    if not rows:
        return "empty_results", False, []
    results = [
        {"title": row["title"], "url": row["url"]}
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("title"), str) and isinstance(row.get("url"), str)
    ]
    return ("ok", True, results) if results else ("malformed_payload", False, [])


@component
class BoundedRetryWebSearch:
    """Asks ordered providers; tries one again only while its calls do not complete.

    A call completes with a 2xx answer. One that is empty or malformed moves straight to the next provider. With
    ``deadline_ms``, shared by all tries, a call that is still running at the deadline is abandoned on its thread.
    """

    def __init__(
        self,
        providers: Sequence[SearchProviderClient],
        max_attempts_per_provider: int = 2,
        *,
        deadline_ms: int | None = None,
    ) -> None:
        if not _is_count(max_attempts_per_provider):
            raise ValueError("max_attempts_per_provider must be an integer >= 1")
        if deadline_ms is not None and not _is_count(deadline_ms):
            raise ValueError("deadline_ms must be None or an integer >= 1")
        self.providers = list(providers)
        self.max_attempts_per_provider = max_attempts_per_provider
        self.deadline_ms = deadline_ms

    @component.output_types(results=list, receipt=dict)
    def run(self, query: str) -> dict[str, Any]:
        """Results, each ``{"title", "url"}``, and the receipt, whatever the providers do."""
        deadline_ns = None
        if self.deadline_ms is not None:
            deadline_ns = min(time.monotonic_ns() + self.deadline_ms * NS_PER_MS, 2**63 - 2)
        tries = min(self.max_attempts_per_provider, MOST_ATTEMPTS)
        plan = RetryPlan(len(self.providers), tries, deadline_ns)
        results: list[dict[str, str]] = []
        while (position := plan.next(time.monotonic_ns())) is not None:
            outcome, results = _call(self.providers[position].search, query, deadline_ns)
            plan.report(outcome, time.monotonic_ns())
        sealed = plan.seal()
        if not sealed["task_success"]:
            results = []  # of an answer that came after the deadline
        return {"results": results, "receipt": SearchReceipt(**sealed, result_count=len(results)).to_dict()}

    def to_dict(self) -> dict[str, Any]:
        """For ``Pipeline.dumps``; every provider needs a ``to_dict`` in the shape of ``default_to_dict``."""
        for position, provider in enumerate(self.providers):
            if not callable(getattr(provider, "to_dict", None)):
                raise TypeError(f"providers[{position}] ({type(provider).__name__}) has no to_dict")
        return default_to_dict(
            self,
            providers=[provider.to_dict() for provider in self.providers],  # type: ignore[attr-defined]
            max_attempts_per_provider=self.max_attempts_per_provider,
            deadline_ms=self.deadline_ms,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "BoundedRetryWebSearch":
        """The counterpart of ``to_dict``. Haystack 3 must have been told to trust the modules involved."""
        given = dict(data.get("init_parameters", {}))
        given["providers"] = [_revived(item) for item in given.get("providers", [])]
        return default_from_dict(cls, {**data, "init_parameters": given})


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _revived(data: dict[str, Any]) -> Any:
    provider: Any = import_class_by_name(data["type"])
    return provider.from_dict(data) if hasattr(provider, "from_dict") else default_from_dict(provider, data)


def _call(
    search: Callable[[str], ProviderResponse], query: str, deadline_ns: int | None
) -> tuple[str, list[dict[str, str]]]:
    """What one call came to, with its results. Only what is not an Exception (Ctrl-C, exit) gets out."""
    try:
        response = search(query) if deadline_ns is None else _call_until(deadline_ns, search, query)
        status = response.status_code
        if not (isinstance(status, int) and 200 <= status <= 299):
            return "transport_error", []
        outcome, _, results = evaluate_payload(response.payload)
    except Exception:
        return "transport_error", []
    return outcome, results


def _call_until(deadline_ns: int, search: Callable[[str], ProviderResponse], query: str) -> ProviderResponse:
    """Runs ``search`` on a thread of its own, which is left behind when the deadline comes first."""
    answers: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()
    context = contextvars.copy_context()  # a tracer's current span lives there

    def work() -> None:
        try:
            answers.put((True, context.run(search, query)))
        except BaseException as error:
            answers.put((False, error))

    threading.Thread(target=work, name="bounded-retry-web-search", daemon=True).start()
    wait_s = min(max(deadline_ns - time.monotonic_ns(), 0) / 1e9, threading.TIMEOUT_MAX)
    try:
        returned, value = answers.get(timeout=wait_s)
    except queue.Empty:
        raise TransportError("the deadline came first") from None
    if not returned:
        raise value
    response: ProviderResponse = value
    return response
