"""HttpTransport: a provider spec on the network engine."""

from __future__ import annotations

from functools import partial

from bounded_web_tool._core import (
    AttemptStatus,
    CancellationToken,
    Engine,
    EngineClosed,
    Provider,
    TransportRequest,
    TransportResponse,
    redact_text,
)
from bounded_web_tool.transport_error import RAISABLE, TransportError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn, Self

    from bounded_web_tool._core import _Failure, Outbox
    from bounded_web_tool._outbox import Mailroom

# What an attempt may end as that a TransportError has no word for, and the nearest word that it has.
NEAREST_STATUS = {
    AttemptStatus.SKIPPED_NO_BUDGET: AttemptStatus.TRANSPORT_TIMEOUT,
    AttemptStatus.SKIPPED_RESTING: AttemptStatus.RATE_LIMITED,
}


# As an answer: what was in flight when its engine closed ends the same way.
ENDED_WITH_ENGINE = (AttemptStatus.CANCELLED, None, None, None)


class HttpTransport:
    """A search provider over HTTP. All network work happens on the engine's thread.

    ``spec`` is the name of a shipped spec, a path to a TOML file, or a mapping of the same shape. ``base_url``
    replaces everything before the spec's own path. Without ``api_key``, the environment variable that the spec names
    is read now.
    """

    def __init__(
        self,
        spec: str | os.PathLike[str] | Mapping[str, Any],
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        name: str | None = None,
        engine: Engine | None = None,
    ) -> None:
        import json

        from bounded_web_tool._spec import load_spec, resolve_key

        if engine is not None and not isinstance(engine, Engine):
            raise TypeError(f"engine must be an Engine or None, not {type(engine).__name__}")
        document = load_spec(spec)
        try:
            text = json.dumps(document, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise ValueError("spec: must hold only text, numbers, booleans, lists and tables") from None
        self._provider = Provider(text, name=name, base_url=base_url, api_key=resolve_key(document, api_key))
        self._engine = Engine.default() if engine is None else engine
        self._mailroom: Mailroom | None = None
        self._recipe = {"spec": spec if isinstance(spec, str) else document, "base_url": base_url, "name": name}

    @property
    def recipe(self) -> dict[str, Any]:
        """The arguments that it was made of, without key and engine: what a saved component keeps."""
        return dict(self._recipe)

    @property
    def name(self) -> str:
        return self._provider.name

    @property
    def engine(self) -> Engine:
        return self._engine

    def target_for(self, query: str) -> str:
        """The address that ``query`` is fetched from, redacted."""
        return self._provider.target_for(query)

    async def fetch(
        self, request: TransportRequest, slice_ms: int, cancellation_token: CancellationToken
    ) -> TransportResponse:
        """One attempt by itself. Raises ``TransportError``, as the vocabulary allows it, when no payload arrives."""
        answer = await self._fetch_answer(request.query, request.max_results, slice_ms, 1, cancellation_token)
        if isinstance(answer, TransportResponse):
            return answer
        status, detail, http_status, retry_after_ms = answer
        if status not in RAISABLE:
            status = NEAREST_STATUS.get(AttemptStatus(status), AttemptStatus.TRANSPORT_ERROR)
        raise TransportError(status, detail, http_status, retry_after_ms)

    async def _fetch_answer(
        self, query: str, max_results: int, slice_ms: int, least_ms: int, token: CancellationToken
    ) -> TransportResponse | _Failure:
        """As ``fetch``, but a failure is a value: what the plan is told. With less than ``least_ms`` of the slice left
        after waiting for the provider's interval, nothing is dialled."""
        from asyncio import get_running_loop

        loop = get_running_loop()
        outbox = self._room().for_loop(loop)
        try:
            ticket, future = outbox.submit(self._submission(query, max_results, slice_ms, least_ms), loop)
        except EngineClosed:
            return ENDED_WITH_ENGINE
        stop = partial(self._engine._cancel, ticket)
        token.add_callback(stop)
        try:
            answer: TransportResponse | _Failure = await future
            return answer
        except BaseException:
            stop()
            raise
        finally:
            token.remove_callback(stop)
            outbox.forget(ticket)

    def _fetch_answer_blocking(
        self, query: str, max_results: int, slice_ms: int, least_ms: int, token: CancellationToken
    ) -> TransportResponse | _Failure:
        """As ``_fetch_answer``, in the calling thread."""
        from bounded_web_tool._outbox import wait_for_result

        try:
            answer: TransportResponse | _Failure = wait_for_result(
                self._engine, self._submission(query, max_results, slice_ms, least_ms), token
            )
            return answer
        except EngineClosed:
            return ENDED_WITH_ENGINE

    def _submission(self, query: str, max_results: int, slice_ms: int, least_ms: int) -> Callable[[Outbox], int]:
        return partial(self._engine._submit_fetch, self._provider, query, max_results, slice_ms, least_ms)

    def _room(self) -> Mailroom:
        from bounded_web_tool._outbox import mailroom

        if self._mailroom is None:
            self._mailroom = mailroom(self._engine)
        return self._mailroom

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("an HttpTransport cannot be pickled: it may hold a key and it holds a network engine")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {redact_text(self.name)!r}>"
