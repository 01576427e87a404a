"""A provider's minimum interval and its rest after a refusal, as receipts show them."""

import asyncio
import time

import pytest

import bounded_web_tool as bwt
from tests.server.scripted_server import RETRY_AFTER_S, ScriptedServer
from worlds import DOORS, statuses

QUERY = "teapot ceramics"
INTERVAL_MS = 150
POLICY = bwt.FallbackPolicy(budget_ms=2000, per_attempt_ms=1900, min_attempt_ms=50)
SPEC = {
    "name": "paced",
    "request": {"base_url": "https://api.example", "path": "/search", "params": {"q": "{query}"}},
    "answer": {"hits": "results", "title": "title", "url": "url", "snippet": "content"},
}
PACED = {**SPEC, "limits": {"min_interval_ms": INTERVAL_MS}}


@pytest.fixture
def server():
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def engine():
    with bwt.Engine() as engine:
        yield engine


@pytest.fixture(params=["native", "stepped"])
def clock(request):
    """The default clock leaves the lookup to the engine's thread; any other makes Python step the plan."""
    return time.monotonic if request.param == "native" else lambda: time.monotonic()


@pytest.fixture
def transport(server, engine):
    def make(behaviour, spec=SPEC, engine=engine, **options):
        return bwt.HttpTransport(spec, base_url=server.base_url(behaviour), engine=engine, **options)

    return make


def look_up(clock, *transports, policy=POLICY):
    return bwt.bounded_web_lookup_sync(QUERY, *transports, policy=policy, clock=clock)


# ---- pacing


def test_requests_keep_the_interval(transport, server, engine, clock):
    paced = transport("useful", PACED)

    async def four():
        lookups = (bwt.bounded_web_lookup(QUERY, paced, policy=POLICY, clock=clock) for _ in range(4))
        return await asyncio.gather(*lookups)

    receipts = asyncio.run(four())
    assert [receipt.outcome for receipt in receipts] == ["useful_result"] * 4
    waits = sorted(receipt.elapsed_ms for receipt in receipts)
    for nth, waited_ms in enumerate(waits):
        assert waited_ms >= nth * INTERVAL_MS
    assert engine.stats()["paced"] == 3
    assert engine.stats()["queued"] == 0


def test_a_wait_that_does_not_fit_is_skipped(transport, server, engine, clock):
    paced = transport("useful", PACED)
    tight = bwt.FallbackPolicy(budget_ms=INTERVAL_MS - 20, min_attempt_ms=1)
    assert look_up(clock, paced, policy=tight).outcome == "useful_result"
    receipt = look_up(clock, paced, policy=tight)
    assert " attempts=0/1 " in receipt.explain()
    assert receipt.explain().endswith(" trail=[primary:skipped_no_budget]")
    assert (receipt.outcome, receipt.next_action) == ("budget_exhausted", "answer_from_prior_knowledge")
    assert receipt.attempts[0].elapsed_ms == 0
    assert receipt.elapsed_ms < INTERVAL_MS - 20
    assert server.requests["useful"] == 1


def test_what_is_left_after_the_wait_must_be_worth_an_attempt(transport, server, clock):
    paced = transport("useful", PACED)
    policy = bwt.FallbackPolicy(budget_ms=2 * INTERVAL_MS, min_attempt_ms=INTERVAL_MS + 50)
    assert statuses(look_up(clock, paced, policy=policy)) == ["ok_useful"]
    assert statuses(look_up(clock, paced, policy=policy)) == ["skipped_no_budget"]
    assert server.requests["useful"] == 1


def test_the_fallback_goes_on_when_the_primary_has_no_turn(transport, server, clock):
    paced, other = transport("useful", PACED), transport("empty", SPEC, name="other")
    tight = bwt.FallbackPolicy(budget_ms=INTERVAL_MS - 20, min_attempt_ms=1)
    look_up(clock, paced, policy=tight)
    receipt = look_up(clock, paced, other, policy=tight)
    assert statuses(receipt) == ["skipped_no_budget", "ok_not_useful"]
    assert receipt.outcome == "budget_exhausted"  # the plan never finished: the query is not to blame
    assert (receipt.attempts_used, receipt.fallback_used) == (1, True)


def test_waiting_ends_when_it_is_cancelled(transport, server, engine, clock):
    hourly = transport("useful", {**SPEC, "limits": {"min_interval_ms": 3_600_000}})
    token = bwt.CancellationToken()
    patient = bwt.FallbackPolicy(budget_ms=8_000_000, per_attempt_ms=8_000_000)

    async def cancelled_while_waiting():
        await bwt.bounded_web_lookup(QUERY, hourly, policy=patient, clock=clock)
        waiting = asyncio.create_task(
            bwt.bounded_web_lookup(QUERY, hourly, policy=patient, clock=clock, cancellation_token=token)
        )
        while engine.stats()["queued"] == 0:
            await asyncio.sleep(0.001)
        token.cancel()
        return await waiting

    receipt = asyncio.run(cancelled_while_waiting())
    assert (receipt.outcome, statuses(receipt)) == ("transport_failed", ["cancelled"])
    assert server.requests["useful"] == 1
    assert engine.stats()["queued"] == 0


def test_intervals_belong_to_an_engine_and_a_name(transport, server, clock):
    with bwt.Engine() as other_engine:
        tight = bwt.FallbackPolicy(budget_ms=INTERVAL_MS - 20, min_attempt_ms=1)
        for paced in (
            transport("useful", PACED),
            transport("useful", PACED, engine=other_engine),
            transport("useful", PACED, name="another"),
        ):
            assert look_up(clock, paced, policy=tight).outcome == "useful_result"
    assert server.requests["useful"] == 3


# ---- rest


@pytest.mark.parametrize("look_up_by", DOORS)
@pytest.mark.parametrize(
    "refusal, longest_s", [("slow-down", RETRY_AFTER_S), ("unauthorized", 60), ("no-credit", 60)]
)
def test_a_refused_provider_rests(look_up_by, transport, server, clock, refusal, longest_s):
    refusing = transport(refusal)
    first = DOORS[look_up_by](QUERY, refusing, policy=POLICY, clock=clock)
    assert len(first.attempts) == first.attempts_used == 1
    receipt = DOORS[look_up_by](QUERY, refusing, policy=POLICY, clock=clock)
    assert statuses(receipt) == ["skipped_resting"]
    assert (receipt.outcome, receipt.next_action) == ("transport_failed", "retry_later")
    assert (receipt.attempts_used, receipt.attempts[0].elapsed_ms, receipt.attempts[0].http_status) == (0, 0, None)
    assert 0 < receipt.retry_after_ms <= longest_s * 1000
    assert receipt.retry_after_ms > longest_s * 1000 - 5000
    assert server.requests[refusal] == 1


def test_the_fallback_answers_while_the_primary_rests(transport, server, clock):
    resting, healthy = transport("unauthorized", name="resting"), transport("useful", name="healthy")
    assert statuses(look_up(clock, resting, healthy)) == ["auth_failed", "ok_useful"]
    receipt = look_up(clock, resting, healthy)
    assert statuses(receipt) == ["skipped_resting", "ok_useful"]
    assert (receipt.outcome, receipt.attempts_used, receipt.fallback_used) == ("useful_result", 1, True)
    assert server.requests["unauthorized"] == 1


def test_a_useless_fallback_does_not_hide_that_the_primary_rests(transport, clock):
    resting, empty = transport("slow-down", name="resting"), transport("empty", name="empty")
    look_up(clock, resting)
    receipt = look_up(clock, resting, empty)
    assert statuses(receipt) == ["skipped_resting", "ok_not_useful"]
    assert (receipt.outcome, receipt.next_action) == ("transport_failed", "retry_later")
    assert 0 < receipt.retry_after_ms <= RETRY_AFTER_S * 1000


def test_rest_can_be_turned_off(transport, server, clock):
    with bwt.Engine(rest=False) as restless:
        refusing = transport("unauthorized", engine=restless)
        for _ in range(3):
            assert statuses(look_up(clock, refusing)) == ["auth_failed"]
    assert server.requests["unauthorized"] == 3


def test_rest_belongs_to_an_engine_a_name_and_an_origin(transport, clock):
    assert statuses(look_up(clock, transport("unauthorized"))) == ["auth_failed"]
    with ScriptedServer() as elsewhere, bwt.Engine() as other_engine:
        unmet = [
            transport("unauthorized", name="another"),
            transport("unauthorized", engine=other_engine),
            bwt.HttpTransport(SPEC, base_url=elsewhere.base_url("unauthorized"), engine=transport("useful").engine),
        ]
        assert [statuses(look_up(clock, one)) for one in unmet] == [["auth_failed"]] * 3
    assert statuses(look_up(clock, transport("useful"))) == ["skipped_resting"]


@pytest.mark.parametrize("failure", ["broken", "hangs-up", "not-json", "empty"])
def test_other_failures_do_not_rest(transport, server, clock, failure):
    failing = transport(failure)
    for _ in range(2):
        assert look_up(clock, failing).attempts_used == 1
    assert server.requests[failure] == 2


def test_by_itself_a_resting_transport_raises_what_a_transport_may(transport):
    refusing = transport("slow-down")
    request = bwt.TransportRequest(QUERY, None, 5)

    async def twice():
        for _ in range(2):
            with pytest.raises(bwt.TransportError) as caught:
                await refusing.fetch(request, 500, bwt.CancellationToken())
            yield caught.value

    async def collect():
        return [error async for error in twice()]

    refused, rested = asyncio.run(collect())
    assert (refused.status, refused.http_status) == ("rate_limited", 429)
    assert (rested.status, rested.http_status) == ("rate_limited", None)
    assert 0 < rested.retry_after_ms <= RETRY_AFTER_S * 1000


def test_rest_must_be_a_bool():
    with pytest.raises(TypeError, match="^rest must be a bool"):
        bwt.Engine(rest=1)
