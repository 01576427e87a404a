"""Code of a user, under mypy --strict: custom transports, validators, clocks and tokens fit the signatures."""

import time
from collections.abc import Awaitable, Callable
from typing import assert_type

from bounded_web_tool import (
    DEFAULT_POLICY,
    AttemptRecord,
    AttemptStatus,
    CancellationToken,
    Clock,
    Engine,
    EvidenceValidator,
    FailureDetail,
    FallbackPolicy,
    Hit,
    HttpTransport,
    ManualClock,
    NextAction,
    Outcome,
    Receipt,
    ScriptedStep,
    ScriptedTransport,
    Transport,
    TransportError,
    TransportRequest,
    TransportResponse,
    UsefulnessValidator,
    Verdict,
    bounded_web_lookup,
    bounded_web_lookup_sync,
    decide_next_action,
    hits,
    receipt_json_schema,
    redact_text,
    redact_url,
    system_prompt_fragment,
)


class AsyncTransport:
    name = "async"

    def target_for(self, query: str) -> str:
        return f"https://search.example/?q={query}"

    async def fetch(
        self, request: TransportRequest, slice_ms: int, cancellation_token: CancellationToken
    ) -> TransportResponse:
        if request.max_results < 1:
            raise TransportError(AttemptStatus.RATE_LIMITED, http_status=429, retry_after_ms=slice_ms)
        return TransportResponse(200, hits((request.query, request.target or "", "snippet")))


class BlockingTransport:
    def __init__(self, name: str) -> None:
        self.name = name

    def target_for(self, query: str) -> str:
        return ""

    def fetch(
        self, request: TransportRequest, slice_ms: int, cancellation_token: CancellationToken
    ) -> TransportResponse:
        if cancellation_token.is_cancelled():
            raise TransportError("transport_error", detail=FailureDetail.READ)
        return TransportResponse(None, [Hit("title", "url", "snippet")], parse_ok=True)


class Lenient:
    def validate(self, query: str, response: TransportResponse) -> Verdict:
        return Verdict(True) if response.hits else Verdict(False, "empty_result_set")


class LikeAutoGen:
    def is_cancelled(self) -> bool:
        return False

    def add_callback(self, callback: Callable[[], None]) -> None: ...


async def look_up() -> None:
    clock = ManualClock()
    everything: list[Transport] = [
        AsyncTransport(),
        BlockingTransport("blocking"),
        ScriptedTransport("scripted", [ScriptedStep(10, TransportResponse(200))], clock),
        HttpTransport("searxng", base_url="http://localhost:8888", engine=Engine()),
    ]
    validators: list[UsefulnessValidator] = [Lenient(), EvidenceValidator(min_hits=2)]
    clocks: list[Clock] = [clock, time.monotonic, lambda: 0.0]
    receipt = await bounded_web_lookup(
        "query",
        everything[0],
        everything[1],
        policy=FallbackPolicy(budget_ms=2000),
        validator=validators[0],
        clock=clocks[0],
        cancellation_token=LikeAutoGen(),
    )
    assert_type(receipt, Receipt)
    assert_type(receipt.outcome, Outcome)
    assert_type(receipt.attempts, tuple[AttemptRecord, ...])
    assert_type(receipt.results[0].title, str)
    assert_type(decide_next_action(receipt.outcome, receipt.attempts), NextAction)


def look_up_blocking() -> str:
    token = CancellationToken()
    receipt = bounded_web_lookup_sync("query", AsyncTransport(), policy=DEFAULT_POLICY, cancellation_token=token)
    assert_type(redact_text("text"), str)
    assert_type(redact_url(b"url"), bytes)
    assert_type(Receipt.from_json(receipt.to_json()), Receipt)
    receipt_json_schema()
    return system_prompt_fragment()


def awaitable_or_not(transport: Transport, request: TransportRequest) -> None:
    answer = transport.fetch(request, 100, CancellationToken())
    assert_type(answer, TransportResponse | Awaitable[TransportResponse])
