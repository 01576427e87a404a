"""The native engine and the Python driver give the same receipt for the same events, apart from times.

Every behaviour of the scripted server as primary is combined with every behaviour as fallback, and each pair goes
through five doors: the engine alone (async and sync), the Python driver over the engine's single fetches (async and
sync), and the Python driver over a user's own wrapper transport. The expected receipt comes from the table below, not
from any of them.
"""

import asyncio
import time
from typing import Any

import pytest

from bounded_web_tool import (
    CancellationToken,
    Engine,
    FallbackPolicy,
    HttpTransport,
    Receipt,
    Transport,
    TransportRequest,
    TransportResponse,
    bounded_web_lookup,
    bounded_web_lookup_sync,
)
from tests.server.scripted_server import RETRY_AFTER_S, STALLS, ScriptedServer

QUERY = "teapot ceramics"
POLICY = FallbackPolicy(budget_ms=400, per_attempt_ms=150, min_attempt_ms=20)

# behaviour: (status, http_status, not_useful_reason, failure_detail, hit_count)
EXPECTED: dict[str, tuple[str, int | None, str | None, str | None, int | None]] = {
    "useful": ("ok_useful", 200, None, None, 3),
    "empty": ("ok_not_useful", 200, "empty_result_set", None, 0),
    "short": ("ok_not_useful", 200, "content_too_short", None, 1),
    "offtopic": ("ok_not_useful", 200, "no_query_terms_matched", None, 3),
    "walls": ("ok_not_useful", 200, "login_wall", None, 1),
    "not-json": ("ok_not_useful", 200, "unparseable_payload", None, 0),
    "unauthorized": ("auth_failed", 401, None, None, None),
    "no-credit": ("quota_exhausted", 402, None, None, None),
    "slow-down": ("rate_limited", 429, None, None, None),
    "broken": ("transport_error", 500, None, "provider_error", None),
    "moved": ("transport_error", 302, None, "redirect", None),
    "not-http": ("transport_error", None, None, "protocol", None),
    "hangs-up": ("transport_error", None, None, "protocol", None),
    "half-body": ("transport_error", None, None, "read", None),
    STALLS: ("transport_timeout", None, None, None, None),
}


class Wrapper:
    """What a user writes around a transport of ours: an ordinary custom transport."""

    def __init__(self, inner: HttpTransport) -> None:
        self.inner = inner
        self.name = inner.name

    def target_for(self, query: str) -> str:
        return self.inner.target_for(query)

    async def fetch(
        self, request: TransportRequest, slice_ms: int, cancellation_token: CancellationToken
    ) -> TransportResponse:
        return await self.inner.fetch(request, slice_ms, cancellation_token)


def own_clock() -> float:
    """Not time.monotonic itself, so the Python driver has to step the plan."""
    return time.monotonic()


def without_times(receipt: Receipt) -> dict[str, Any]:
    data = receipt.to_dict()
    del data["elapsed_ms"]
    for attempt in data["attempts"]:
        del attempt["elapsed_ms"]
    return data


def expected_receipt(base_urls: list[str], behaviours: list[str]) -> dict[str, Any]:
    """The receipt minus times and results, from the two tables of the contract."""
    attempts: list[dict[str, Any]] = []
    for index, behaviour in enumerate(behaviours):
        status, http_status, reason, detail, hit_count = EXPECTED[behaviour]
        attempts.append(
            {
                "index": index,
                "role": ("primary", "fallback")[index],
                "status": status,
                "transport": f"t{index}",
                "target": f"{base_urls[index]}/search?q=teapot+ceramics&format=json",
                "http_status": http_status,
                "not_useful_reason": reason,
                "failure_detail": detail,
                "hit_count": hit_count,
            }
        )
        if status == "ok_useful":
            break
    statuses = {attempt["status"] for attempt in attempts}
    if "ok_useful" in statuses:
        outcome, action = "useful_result", "use_result"
    elif "ok_not_useful" in statuses:
        outcome, action = "no_useful_result", "ask_user_to_narrow"
    elif statuses & {"auth_failed", "quota_exhausted"}:
        outcome, action = "transport_failed", "stop"
    else:
        outcome, action = "transport_failed", "retry_later"
    named_a_wait = action == "retry_later" and "rate_limited" in statuses
    return {
        "outcome": outcome,
        "next_action": action,
        "fallback_used": len(attempts) == 2,
        "attempts_used": len(attempts),
        "budget_ms": POLICY.budget_ms,
        "attempts_allowed": len(behaviours),
        "retry_after_ms": RETRY_AFTER_S * 1000 if named_a_wait else None,
        "policy_reason": None,
        "results_truncated": False,
        "attempts": attempts,
        "kind": "lookup",
        "schema_version": "1",
    }


@pytest.fixture(scope="module")
def server():
    with ScriptedServer() as server:
        yield server


@pytest.fixture(scope="module")
def engine():
    with Engine(rest=False) as engine:  # every pair is to meet its behaviours anew
        yield engine


PAIRS = [(first, second) for first in EXPECTED for second in (*EXPECTED, None)]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[f"{a}+{b}" for a, b in PAIRS])
def test_all_doors_give_the_expected_receipt(server, engine, first, second):
    behaviours = [first] if second is None else [first, second]
    base_urls = [server.base_url(behaviour) for behaviour in behaviours]
    native = [
        HttpTransport("searxng", base_url=url, name=f"t{i}", engine=engine) for i, url in enumerate(base_urls)
    ]
    wrapped: list[Transport] = [Wrapper(transport) for transport in native]

    async def all_at_once() -> list[Receipt]:
        return await asyncio.gather(
            bounded_web_lookup(QUERY, *native, policy=POLICY),
            bounded_web_lookup(QUERY, *native, policy=POLICY, clock=own_clock),
            bounded_web_lookup(QUERY, *wrapped, policy=POLICY),
            asyncio.to_thread(bounded_web_lookup_sync, QUERY, *native, policy=POLICY),
            asyncio.to_thread(bounded_web_lookup_sync, QUERY, *native, policy=POLICY, clock=own_clock),
        )

    receipts = asyncio.run(all_at_once())
    expected = expected_receipt(base_urls, behaviours)
    for receipt in receipts:
        actual = without_times(receipt)
        results = actual.pop("results")
        assert actual == expected
        assert len(results) == (3 if expected["outcome"] == "useful_result" else 0)
        assert receipt.elapsed_ms <= POLICY.budget_ms + 5
    assert len({str(without_times(receipt)) for receipt in receipts}) == 1


@pytest.mark.parametrize("second", ["useful", STALLS])
def test_no_runway_for_the_fallback(server, engine, second):
    policy = FallbackPolicy(budget_ms=200, per_attempt_ms=190, min_attempt_ms=100)
    native = [
        HttpTransport("searxng", base_url=server.base_url(behaviour), name=behaviour, engine=engine)
        for behaviour in (STALLS, second)
    ]
    before = server.requests[second]
    receipts = [
        bounded_web_lookup_sync(QUERY, *native, policy=policy),
        bounded_web_lookup_sync(QUERY, *native, policy=policy, clock=own_clock),
        asyncio.run(bounded_web_lookup(QUERY, *[Wrapper(t) for t in native], policy=policy)),
    ]
    for receipt in receipts:
        assert [attempt.status.value for attempt in receipt.attempts] == ["transport_timeout", "skipped_no_budget"]
        assert receipt.outcome == "budget_exhausted"
        assert receipt.next_action == "answer_from_prior_knowledge"
        assert (receipt.attempts_used, receipt.fallback_used) == (1, False)
        assert receipt.attempts[0].elapsed_ms == 190
    assert server.requests[second] == before + (3 if second == STALLS else 0)
