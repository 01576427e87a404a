"""The lookup by either door: what becomes of it when transports, validators, clocks and callers do what they like."""

import asyncio
import functools
import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bounded_web_tool as bwt
from worlds import (
    DOORS,
    EMPTY_RESPONSE,
    HITS,
    LATE_MS,
    POLICY,
    QUERY,
    QUICK,
    USEFUL_RESPONSE,
    Custom,
    LockedToken,
    Stopwatch,
    look_up_async,
    raising,
    returning,
    scripted,
    statuses,
    useful_fallback,
)

pytestmark = pytest.mark.usefixtures("nothing_complains")


def attempt(**fields):
    return {
        "index": 0,
        "role": "primary",
        "transport": "custom",
        "status": "ok_useful",
        "elapsed_ms": 0,
        "target": "https://custom.example/?q=1",
        "http_status": None,
        "not_useful_reason": None,
        "failure_detail": None,
        "hit_count": None,
        **fields,
    }


# ---- the account


def test_a_whole_receipt(look_up):
    clock = bwt.ManualClock()
    primary = scripted(clock, (300, bwt.TransportError("rate_limited", http_status=429, retry_after_ms=7000)))
    fallback = scripted(clock, (400, USEFUL_RESPONSE), name="fallback")
    receipt = look_up(QUERY, primary, fallback, policy=POLICY, clock=clock)
    assert receipt.to_dict() == {
        "outcome": "useful_result",
        "next_action": "use_result",
        "fallback_used": True,
        "attempts_used": 2,
        "elapsed_ms": 700,
        "budget_ms": 2000,
        "attempts_allowed": 2,
        "retry_after_ms": None,
        "policy_reason": None,
        "results": [HITS[0].to_dict()],
        "results_truncated": False,
        "attempts": [
            attempt(
                transport="scripted",
                status="rate_limited",
                elapsed_ms=300,
                target="https://scripted.invalid/search?q=copper+kettle",
                http_status=429,
            ),
            attempt(
                index=1,
                role="fallback",
                transport="fallback",
                elapsed_ms=400,
                target="https://scripted.invalid/search?q=copper+kettle",
                http_status=200,
                hit_count=1,
            ),
        ],
        "kind": "lookup",
        "schema_version": "1",
    }


@pytest.mark.parametrize(
    ("error", "status", "fields", "outcome", "next_action", "retry_after_ms"),
    [
        (bwt.TransportError("transport_error", "dns"), "transport_error", {"failure_detail": "dns"},
         "transport_failed", "retry_later", None),
        (bwt.TransportError("transport_timeout"), "transport_timeout", {}, "transport_failed", "retry_later", None),
        (bwt.TransportError("rate_limited", None, 429, 1500), "rate_limited", {"http_status": 429},
         "transport_failed", "retry_later", 1500),
        (bwt.TransportError("auth_failed", http_status=401), "auth_failed", {"http_status": 401},
         "transport_failed", "stop", None),
        (bwt.TransportError("quota_exhausted"), "quota_exhausted", {}, "transport_failed", "stop", None),
        (TimeoutError("secret"), "transport_timeout", {}, "transport_failed", "retry_later", None),
        (asyncio.CancelledError("secret"), "transport_error", {"failure_detail": "transport_raised"},
         "transport_failed", "retry_later", None),
        (KeyError("secret"), "transport_error", {"failure_detail": "transport_raised"},
         "transport_failed", "retry_later", None),
        (GeneratorExit("secret"), "transport_error", {"failure_detail": "transport_raised"},
         "transport_failed", "retry_later", None),
        (StopIteration("secret"), "transport_error", {"failure_detail": "transport_raised"},
         "transport_failed", "retry_later", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["coroutine", "function"])
def test_what_a_transport_raises(look_up, kind, error, status, fields, outcome, next_action, retry_after_ms):
    def fail(request, slice_ms, cancellation_token):
        raise error

    transport = raising(error) if kind == "coroutine" else Custom(fail)
    receipt = look_up(QUERY, transport, policy=POLICY, clock=bwt.ManualClock())
    assert [record.to_dict() for record in receipt.attempts] == [attempt(status=status, **fields)]
    assert (receipt.outcome, receipt.next_action, receipt.retry_after_ms) == (outcome, next_action, retry_after_ms)
    assert "secret" not in str(receipt)


class OwnTransportError(bwt.TransportError):
    def __init__(self):
        """Leaves out everything."""


def test_a_transport_error_that_was_tampered_with(look_up):
    tampered = bwt.TransportError("rate_limited")
    tampered.status = "all is well"
    for error in (OwnTransportError(), tampered):
        receipt = look_up(QUERY, raising(error), useful_fallback(), policy=POLICY)
        assert statuses(receipt) == ["transport_error", "ok_useful"]
        assert receipt.attempts[0].failure_detail is bwt.FailureDetail.TRANSPORT_RAISED


@pytest.mark.parametrize(
    "garbage", [None, "text", 0, {"http_status": 200}, HITS, ("cancelled", None, None, None), object(), Exception()]
)
@pytest.mark.parametrize("kind", ["coroutine", "function"])
def test_what_is_no_response_is_a_transport_that_raised(look_up, kind, garbage):
    transport = returning(garbage) if kind == "coroutine" else Custom(lambda *_: garbage)
    receipt = look_up(QUERY, transport, useful_fallback(), policy=POLICY)
    assert statuses(receipt) == ["transport_error", "ok_useful"]
    assert receipt.attempts[0].failure_detail is bwt.FailureDetail.TRANSPORT_RAISED


@pytest.mark.parametrize(
    ("http_status", "status", "detail"),
    [
        (200, "ok_useful", None),
        (204, "ok_useful", None),
        (None, "ok_useful", None),
        (302, "transport_error", "redirect"),
        (401, "auth_failed", None),
        (402, "quota_exhausted", None),
        (403, "auth_failed", None),
        (404, "transport_error", "provider_error"),
        (429, "rate_limited", None),
        (503, "transport_error", "provider_error"),
    ],
)
def test_the_status_rows_hold_for_custom_responses(look_up, http_status, status, detail):
    receipt = look_up(QUERY, returning(bwt.TransportResponse(http_status, HITS)), policy=POLICY)
    assert statuses(receipt) == [status]
    assert receipt.attempts[0].failure_detail == detail
    assert receipt.attempts[0].http_status == http_status


@pytest.mark.parametrize("target", [OSError("secret"), asyncio.CancelledError("secret"), None, 7, b"bytes"])
def test_a_target_that_cannot_be_had_is_null_and_the_fetch_runs(look_up, target):
    async def fetch(request, slice_ms, cancellation_token):
        assert request.target is None
        return USEFUL_RESPONSE

    receipt = look_up(QUERY, Custom(fetch, target=target), policy=POLICY)
    assert statuses(receipt) == ["ok_useful"]
    assert receipt.attempts[0].target is None


def test_what_fetch_is_given(look_up):
    seen = []

    def fetch(request, slice_ms, cancellation_token):
        seen.append((request, slice_ms, type(cancellation_token)))
        return USEFUL_RESPONSE

    policy = bwt.FallbackPolicy(budget_ms=2000, per_attempt_ms=1200, max_results=3)
    token = LockedToken()
    look_up("  copper\n\tkettle ", Custom(fetch), policy=policy, clock=bwt.ManualClock(), cancellation_token=token)
    ((request, slice_ms, token_type),) = seen
    assert (request.query, request.target, request.max_results) == (QUERY, "https://custom.example/?q=1", 3)
    assert slice_ms == 1200
    assert token_type is bwt.CancellationToken


def test_one_transport_may_serve_both_roles(look_up):
    clock = bwt.ManualClock()
    transport = scripted(clock, (10, EMPTY_RESPONSE), (20, USEFUL_RESPONSE))
    receipt = look_up(QUERY, transport, transport, policy=POLICY, clock=clock)
    assert receipt.explain() == (
        "outcome=useful_result next_action=use_result attempts=2/2 elapsed_ms=30/2000 "
        "trail=[primary:ok_not_useful -> fallback:ok_useful]"
    )


def test_no_fallback_when_the_policy_allows_none(look_up):
    fallback = useful_fallback()
    policy = bwt.FallbackPolicy(max_fallbacks=0)
    receipt = look_up(QUERY, raising(KeyError()), fallback, policy=policy)
    assert (receipt.attempts_allowed, statuses(receipt), fallback.calls) == (1, ["transport_error"], 0)


# ---- kinds of fetch


class CallableObject:
    async def __call__(self, request, slice_ms, cancellation_token):
        return await on_the_main_thread("object", request, slice_ms, cancellation_token)


async def on_the_main_thread(prefix, request, slice_ms, cancellation_token):
    assert threading.current_thread() is threading.main_thread()
    return USEFUL_RESPONSE


@pytest.mark.parametrize(
    "fetch", [CallableObject(), functools.partial(on_the_main_thread, "partial")], ids=["callable object", "partial"]
)
def test_every_kind_of_coroutine_function_runs_on_the_loop(fetch):
    assert statuses(look_up_async(QUERY, Custom(fetch))) == ["ok_useful"]


def test_a_blocking_fetch_does_not_block_the_loop():
    release = threading.Event()

    def fetch(request, slice_ms, cancellation_token):
        assert threading.current_thread() is not threading.main_thread()
        assert release.wait(5)
        return USEFUL_RESPONSE

    async def run():
        lookup = asyncio.create_task(bwt.bounded_web_lookup(QUERY, Custom(fetch)))
        for _ in range(5):
            await asyncio.sleep(0)
        release.set()  # only a loop that goes on gets here
        return await lookup

    assert statuses(asyncio.run(run())) == ["ok_useful"]


def test_a_function_that_returns_an_awaitable(look_up):
    async def later():
        await asyncio.sleep(0)
        return USEFUL_RESPONSE

    receipt = look_up(QUERY, Custom(lambda *_: later()))
    assert statuses(receipt) == ["ok_useful"]


def test_an_awaitable_that_never_comes_shares_the_slice(look_up):
    with Stopwatch() as watch:
        receipt = look_up(QUERY, Custom(lambda *_: asyncio.sleep(60)), useful_fallback(), policy=QUICK)
    assert statuses(receipt) == ["transport_timeout", "ok_useful"]
    assert watch.ms < QUICK.per_attempt_ms + LATE_MS


# ---- whatever two transports do


ERRORS = st.one_of(
    st.builds(
        bwt.TransportError,
        st.sampled_from(["transport_error", "transport_timeout", "rate_limited", "auth_failed", "quota_exhausted"]),
        st.sampled_from([None, "dns", "tls", "provider_error"]),
        st.sampled_from([None, 401, 429, 500]),
        st.one_of(st.none(), st.integers(-1, 10**9)),
    ),
    st.sampled_from([KeyError("x"), TimeoutError(), asyncio.CancelledError()]),
)
RESPONSES = st.builds(
    bwt.TransportResponse,
    st.sampled_from([None, 200, 204, 302, 401, 402, 404, 429, 500]),
    st.sampled_from([(), HITS, bwt.hits(("t", "https://t.example", "s"))]),
    st.booleans(),
)
STEPS = st.lists(st.tuples(st.integers(0, 3000), st.one_of(ERRORS, RESPONSES)), max_size=2)
POLICIES = st.builds(
    bwt.FallbackPolicy,
    budget_ms=st.integers(1, 4000),
    per_attempt_ms=st.integers(1, 4000),
    min_attempt_ms=st.integers(1, 500),
    max_fallbacks=st.integers(0, 1),
)


def expected_outcome(trail):
    for status, outcome in [
        ("ok_useful", "useful_result"),
        ("cancelled", "transport_failed"),
        ("skipped_no_budget", "budget_exhausted"),
        ("ok_not_useful", "no_useful_result"),
    ]:
        if status in trail:
            return outcome
    return "transport_failed"


def expected_action(outcome, trail):
    hopeless = {"auth_failed", "quota_exhausted", "cancelled"}
    return {
        "useful_result": "use_result",
        "budget_exhausted": "answer_from_prior_knowledge",
        "no_useful_result": "ask_user_to_narrow",
        "transport_failed": "stop" if hopeless & set(trail) else "retry_later",
    }[outcome]


@given(primary=STEPS, fallback=st.one_of(st.none(), STEPS), policy=POLICIES)
def test_scripts_of_any_kind(primary, fallback, policy):
    receipts = []
    for look_up in DOORS.values():
        clock = bwt.ManualClock()
        first = scripted(clock, *primary)
        second = None if fallback is None else scripted(clock, *fallback, name="fallback")
        receipt = look_up(QUERY, first, second, policy=policy, clock=clock)
        receipts.append(receipt)
        assert receipt.elapsed_ms == clock.now_ns() // 10**6 <= policy.budget_ms
        dialled = [status for status in statuses(receipt) if not status.startswith("skipped")]
        assert len(dialled) == receipt.attempts_used == first.calls + (second.calls if second else 0) <= 2
        assert receipt.attempts_allowed == (2 if second and policy.max_fallbacks else 1)
        assert max((record.elapsed_ms for record in receipt.attempts), default=0) <= policy.per_attempt_ms
        assert receipt.outcome == expected_outcome(statuses(receipt))
        assert receipt.next_action == expected_action(receipt.outcome, statuses(receipt))
        assert bwt.Receipt.from_json(receipt.to_json()) == receipt
        assert bwt.Receipt(**json.loads(str(receipt))) == receipt
    assert str(receipts[0]) == str(receipts[1])
