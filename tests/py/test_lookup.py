"""The lookup by either door: what becomes of it when transports, validators, clocks and callers do what they like."""

import asyncio
import contextvars
import functools
import gc
import json
import logging
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bounded_web_tool as bwt
from bounded_web_tool.lookup import _lookup_async
from worlds import (
    DOORS,
    EMPTY_RESPONSE,
    HITS,
    POLICY,
    QUERY,
    QUICK,
    USEFUL_RESPONSE,
    Custom,
    LockedToken,
    Stopwatch,
    eventually,
    look_up_async,
    raising,
    returning,
    scripted,
    statuses,
    useful_fallback,
)

LATE_MS = 400  # what a busy machine may add


@pytest.fixture(params=DOORS)
def look_up(request):
    return DOORS[request.param]


@pytest.fixture(autouse=True)
def nothing_complains(caplog, recwarn):
    """No "never retrieved", "never awaited" or "was destroyed but it is pending"."""
    yield
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert [str(warning.message) for warning in recwarn] == []


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


# ---- time


def never_returning(kind):
    """(transport, event set when its token is cancelled)."""
    told = threading.Event()

    async def wait_on_loop(request, slice_ms, cancellation_token):
        cancellation_token.add_callback(told.set)
        await asyncio.Event().wait()

    def wait_in_thread(request, slice_ms, cancellation_token):
        cancellation_token.add_callback(told.set)
        told.wait(60)
        raise KeyError("late")

    return Custom(wait_on_loop if kind == "coroutine" else wait_in_thread), told


@pytest.mark.parametrize("kind", ["coroutine", "function"])
def test_a_fetch_that_never_returns_is_abandoned_and_told(look_up, kind):
    transport, told = never_returning(kind)
    threads = threading.active_count()
    with Stopwatch() as watch:
        receipt = look_up(QUERY, transport, useful_fallback(), policy=QUICK)
    assert statuses(receipt) == ["transport_timeout", "ok_useful"]
    assert receipt.attempts[0].elapsed_ms == QUICK.per_attempt_ms
    assert QUICK.per_attempt_ms <= watch.ms < QUICK.per_attempt_ms + LATE_MS
    assert told.is_set()
    assert eventually(lambda: threading.active_count() <= threads)


@pytest.mark.parametrize("kind", ["coroutine", "function"])
def test_two_that_never_return_end_with_the_budget(look_up, kind):
    with Stopwatch() as watch:
        receipt = look_up(QUERY, never_returning(kind)[0], never_returning(kind)[0], policy=QUICK)
    assert statuses(receipt) == ["transport_timeout", "transport_timeout"]
    assert receipt.next_action is bwt.NextAction.RETRY_LATER
    assert watch.ms < QUICK.budget_ms + LATE_MS


def test_a_target_that_never_comes_is_bounded_too(look_up):
    class Transport:
        name = "slow target"

        def target_for(self, query):
            released.wait(60)
            return "https://custom.example"

        def fetch(self, request, slice_ms, cancellation_token):
            return USEFUL_RESPONSE

    released = threading.Event()
    receipt = look_up(QUERY, Transport(), useful_fallback(), policy=QUICK)
    released.set()
    assert statuses(receipt) == ["transport_timeout", "ok_useful"]
    assert receipt.attempts[0].target is None


def test_real_time_is_a_bound_even_when_the_clock_stands_still(look_up):
    policy = bwt.FallbackPolicy(budget_ms=200, per_attempt_ms=200, min_attempt_ms=20)
    primary, fallback = never_returning("function")[0], useful_fallback()
    with Stopwatch() as watch:
        receipt = look_up(QUERY, primary, fallback, policy=policy, clock=bwt.ManualClock())
    assert statuses(receipt) == ["transport_timeout", "skipped_no_budget"]
    assert receipt.outcome is bwt.Outcome.BUDGET_EXHAUSTED
    assert fallback.calls == 0
    assert watch.ms < 200 + LATE_MS


def test_a_response_after_its_slice_on_the_clock_is_a_timeout(look_up):
    clock = bwt.ManualClock()

    async def fetch(request, slice_ms, cancellation_token):
        clock.advance_ms(slice_ms + 1)
        return USEFUL_RESPONSE

    receipt = look_up(QUERY, Custom(fetch), policy=POLICY, clock=clock)
    assert [record.to_dict() for record in receipt.attempts] == [attempt(status="transport_timeout", elapsed_ms=1200)]


def test_a_response_exactly_at_its_slice_is_in_time(look_up):
    clock = bwt.ManualClock()

    def fetch(request, slice_ms, cancellation_token):
        clock.advance_ms(slice_ms)
        return USEFUL_RESPONSE

    receipt = look_up(QUERY, Custom(fetch), policy=POLICY, clock=clock)
    assert (statuses(receipt), receipt.elapsed_ms) == (["ok_useful"], 1200)


def test_a_budget_shorter_than_the_minimum_slice_still_dials(look_up):
    policy = bwt.FallbackPolicy(budget_ms=50)
    receipt = look_up(QUERY, returning(USEFUL_RESPONSE), policy=policy, clock=bwt.ManualClock())
    assert statuses(receipt) == ["ok_useful"]


# ---- validators


class Validator:
    def __init__(self, judge):
        self._judge = judge

    def validate(self, query, response):
        return self._judge(query, response)


def test_a_custom_validator_is_given_the_prepared_query_and_the_response(look_up):
    seen = []

    def judge(query, response):
        seen.append((query, response))
        return bwt.USEFUL

    receipt = look_up(f" {QUERY}\n", returning(EMPTY_RESPONSE), validator=Validator(judge))
    assert seen == [(QUERY, EMPTY_RESPONSE)]
    assert (statuses(receipt), receipt.results) == (["ok_useful"], ())


def test_a_custom_verdict_is_recorded(look_up):
    verdict = bwt.Verdict(False, "paywall")
    receipt = look_up(QUERY, returning(USEFUL_RESPONSE), validator=Validator(lambda *_: verdict))
    assert statuses(receipt) == ["ok_not_useful"]
    assert receipt.attempts[0].not_useful_reason is bwt.NotUsefulReason.PAYWALL
    assert receipt.attempts[0].hit_count == 1


def misbehave(error):
    def judge(query, response):
        raise error

    return judge


@pytest.mark.parametrize(
    "judge",
    [misbehave(KeyError("secret")), misbehave(asyncio.CancelledError()), lambda *_: None, lambda *_: True,
     lambda *_: (True, None)],
)  # fmt: skip
def test_a_validator_that_gives_no_verdict(look_up, judge):
    receipt = look_up(QUERY, returning(USEFUL_RESPONSE), validator=Validator(judge))
    assert statuses(receipt) == ["ok_not_useful"]
    assert receipt.attempts[0].not_useful_reason is bwt.NotUsefulReason.UNPARSEABLE_PAYLOAD
    assert "secret" not in str(receipt)


def test_a_validator_that_never_returns_ends_with_the_budget(look_up):
    released = threading.Event()
    with Stopwatch() as watch:
        receipt = look_up(
            QUERY,
            returning(USEFUL_RESPONSE),
            useful_fallback(),
            policy=QUICK,
            validator=Validator(lambda *_: released.wait(60)),
        )
    released.set()
    assert statuses(receipt) == ["ok_not_useful", "skipped_no_budget"]
    assert receipt.attempts[0].not_useful_reason is bwt.NotUsefulReason.UNPARSEABLE_PAYLOAD
    assert watch.ms < QUICK.budget_ms + LATE_MS


def test_the_time_of_a_validator_counts(look_up):
    clock = bwt.ManualClock()

    def judge(query, response):
        clock.advance_ms(1900)
        return bwt.Verdict(False, "paywall")

    fallback = scripted(clock, (10, USEFUL_RESPONSE))
    receipt = look_up(
        QUERY, returning(USEFUL_RESPONSE), fallback, policy=POLICY, clock=clock, validator=Validator(judge)
    )
    assert receipt.explain() == (
        "outcome=budget_exhausted next_action=answer_from_prior_knowledge attempts=1/2 elapsed_ms=1900/2000 "
        "trail=[primary:ok_not_useful -> fallback:skipped_no_budget]"
    )


def test_a_verdict_after_the_budget_on_the_clock_comes_too_late(look_up):
    clock = bwt.ManualClock()

    def judge(query, response):
        clock.advance_ms(2001)
        return bwt.USEFUL

    receipt = look_up(QUERY, returning(USEFUL_RESPONSE), policy=POLICY, clock=clock, validator=Validator(judge))
    assert receipt.attempts[0].not_useful_reason is bwt.NotUsefulReason.UNPARSEABLE_PAYLOAD


@pytest.mark.parametrize("fatal", [KeyboardInterrupt, SystemExit])
def test_keyboard_interrupt_and_system_exit_pass_through(look_up, fatal):
    fallback = useful_fallback()
    with pytest.raises(fatal):
        look_up(QUERY, scripted(bwt.ManualClock(), (0, fatal())), fallback)
    with pytest.raises(fatal):
        look_up(QUERY, raising(fatal()), fallback)
    with pytest.raises(fatal):
        look_up(QUERY, returning(USEFUL_RESPONSE), fallback, validator=Validator(misbehave(fatal())))
    assert fallback.calls == 0


# ---- clocks


class BrokenClock:
    """Good for some readings, then it raises or gives what is no time."""

    def __init__(self, good, then):
        self.good = good
        self.then = then

    def __call__(self):
        self.good -= 1
        if self.good >= 0:
            return 5.0
        if isinstance(self.then, Exception):
            raise self.then
        return self.then


@pytest.mark.parametrize(
    ("then", "error"),
    [(OSError("broken"), OSError), (float("nan"), ValueError), (float("inf"), ValueError), ("noon", TypeError)],
)
def test_a_broken_clock_is_an_error_of_the_caller(look_up, then, error):
    transport = scripted(bwt.ManualClock(), (0, USEFUL_RESPONSE))
    with pytest.raises(error):
        look_up(QUERY, transport, clock=BrokenClock(0, then))
    assert transport.calls == 0
    with pytest.raises(error):
        look_up(QUERY, transport, clock=BrokenClock(1, then))
    assert transport.calls == 1


def test_a_clock_that_runs_backwards_stands_still(look_up):
    readings = iter([10.0, 9.0, 8.0, 7.0, 6.0])
    receipt = look_up(QUERY, returning(EMPTY_RESPONSE), returning(USEFUL_RESPONSE), clock=lambda: next(readings))
    assert (statuses(receipt), receipt.elapsed_ms) == (["ok_not_useful", "ok_useful"], 0)


# ---- cancellation by token


def test_a_token_cancelled_beforehand_dials_nothing(look_up):
    token = LockedToken()
    token.cancel()
    primary, fallback = scripted(bwt.ManualClock(), (0, USEFUL_RESPONSE)), useful_fallback()
    receipt = look_up(QUERY, primary, fallback, policy=POLICY, cancellation_token=token)
    assert receipt.explain() == (
        "outcome=transport_failed next_action=stop attempts=0/2 elapsed_ms=0/2000 trail=[primary:cancelled]"
    )
    assert (primary.calls, fallback.calls) == (0, 0)


@pytest.mark.parametrize("make_token", [bwt.CancellationToken, LockedToken])
@pytest.mark.parametrize("kind", ["coroutine", "function"])
def test_a_token_cancelled_from_another_thread_ends_the_fetch_in_flight(look_up, kind, make_token):
    started = threading.Event()
    told = threading.Event()

    async def wait_on_loop(request, slice_ms, cancellation_token):
        cancellation_token.add_callback(told.set)
        started.set()
        await asyncio.Event().wait()

    def wait_in_thread(request, slice_ms, cancellation_token):
        cancellation_token.add_callback(told.set)
        started.set()
        told.wait(60)
        return USEFUL_RESPONSE

    token = make_token()
    canceller = threading.Thread(target=lambda: started.wait(5) and token.cancel())
    canceller.start()
    fallback = useful_fallback()
    transport = Custom(wait_on_loop if kind == "coroutine" else wait_in_thread)
    with Stopwatch() as watch:
        receipt = look_up(QUERY, transport, fallback, cancellation_token=token)
    canceller.join()
    assert statuses(receipt) == ["cancelled"]
    assert (receipt.outcome, receipt.next_action) == ("transport_failed", "stop")
    assert told.is_set()
    assert fallback.calls == 0
    assert watch.ms < LATE_MS


def test_a_token_cancelled_between_the_attempts(look_up):
    token = bwt.CancellationToken()

    class CancelsWhenJudging:
        def validate(self, query, response):
            token.cancel()
            return bwt.Verdict(False, "paywall")

    fallback = useful_fallback()
    receipt = look_up(
        QUERY, returning(USEFUL_RESPONSE), fallback, validator=CancelsWhenJudging(), cancellation_token=token
    )
    assert statuses(receipt)[-1] == "cancelled"
    assert fallback.calls == 0


def test_a_response_that_was_not_judged_does_not_win_over_a_cancel(look_up):
    token = bwt.CancellationToken()

    async def fetch(request, slice_ms, cancellation_token):
        token.cancel()
        return USEFUL_RESPONSE

    receipt = look_up(QUERY, Custom(fetch), cancellation_token=token)
    assert statuses(receipt) == ["cancelled"]


def test_the_token_of_a_finished_lookup_lets_go(look_up):
    token = bwt.CancellationToken()
    seen = []

    def fetch(request, slice_ms, cancellation_token):
        cancellation_token.add_callback(lambda: seen.append(1))
        return USEFUL_RESPONSE

    look_up(QUERY, Custom(fetch), cancellation_token=token)
    token.cancel()
    assert seen == []


def test_a_transport_cannot_cancel_the_lookup_by_its_own_token(look_up):
    async def fetch(request, slice_ms, cancellation_token):
        cancellation_token.cancel()
        return EMPTY_RESPONSE

    receipt = look_up(QUERY, Custom(fetch), useful_fallback())
    assert statuses(receipt) == ["ok_not_useful", "ok_useful"]


# ---- cancellation of the task


def test_cancelling_the_task_raises_and_cleans_up():
    ended = []

    async def fetch(request, slice_ms, cancellation_token):
        cancellation_token.add_callback(lambda: ended.append("token"))
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("fetch")

    async def run():
        fallback = useful_fallback()
        task = asyncio.create_task(bwt.bounded_web_lookup(QUERY, Custom(fetch), fallback))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        assert sorted(ended) == ["fetch", "token"]
        assert fallback.calls == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_a_timeout_around_the_lookup_works():
    async def run():
        async with asyncio.timeout(0.05):
            await bwt.bounded_web_lookup(QUERY, never_returning("coroutine")[0])

    with pytest.raises(TimeoutError):
        asyncio.run(run())


def test_a_cancelled_error_of_the_transport_does_not_look_like_ours():
    async def run():
        receipt = await bwt.bounded_web_lookup(QUERY, raising(asyncio.CancelledError()), useful_fallback())
        assert asyncio.current_task().cancelling() == 0
        return receipt

    assert statuses(asyncio.run(run())) == ["transport_error", "ok_useful"]


def cancel_both(receipt_on_cancel):
    """A lookup whose token and task are cancelled at once, as AutoGen does; (receipt, cancel requests left)."""

    async def run():
        token = LockedToken()
        ask = token.is_cancelled if receipt_on_cancel else None

        async def call():
            transport = never_returning("coroutine")[0]
            receipt = await _lookup_async(QUERY, transport, cancellation_token=token, receipt_on_cancel=ask)
            return receipt, asyncio.current_task().cancelling()

        task = asyncio.create_task(call())
        token.add_callback(task.cancel)
        await asyncio.sleep(0.01)
        token.cancel()
        return await task

    return asyncio.run(run())


def test_the_autogen_door_returns_the_receipt_and_takes_the_cancel_back():
    receipt, left = cancel_both(receipt_on_cancel=True)
    assert statuses(receipt) == ["cancelled"]
    assert left == 0


def test_every_other_door_raises():
    with pytest.raises(asyncio.CancelledError):
        cancel_both(receipt_on_cancel=False)


def test_the_autogen_door_raises_when_only_the_task_is_cancelled():
    async def run():
        token = LockedToken()
        transport = never_returning("coroutine")[0]
        task = asyncio.create_task(
            _lookup_async(QUERY, transport, cancellation_token=token, receipt_on_cancel=token.is_cancelled)
        )
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


# ---- many at once, one after the other


def test_two_lookups_at_once_do_not_mix():
    async def fetch(request, slice_ms, cancellation_token):
        await asyncio.sleep(0.01 if request.query == "first kettle" else 0)
        title = request.query
        return bwt.TransportResponse(200, bwt.hits((title, "https://k.example/", f"{title}: " + "long enough " * 4)))

    async def run():
        transport = Custom(fetch)
        return await asyncio.gather(
            bwt.bounded_web_lookup("first kettle", transport), bwt.bounded_web_lookup("second kettle", transport)
        )

    assert [receipt.results[0].title for receipt in asyncio.run(run())] == ["first kettle", "second kettle"]


def test_transports_outlive_a_loop():
    transport = returning(USEFUL_RESPONSE)
    assert [statuses(look_up_async(QUERY, transport)) for _ in range(2)] == [["ok_useful"], ["ok_useful"]]


def test_context_variables_reach_the_code_of_others(look_up):
    variable = contextvars.ContextVar("variable", default="unset")
    seen = []

    async def on_loop(request, slice_ms, cancellation_token):
        seen.append(variable.get())
        return EMPTY_RESPONSE

    def in_thread(request, slice_ms, cancellation_token):
        seen.append(variable.get())
        return EMPTY_RESPONSE

    def judge(query, response):
        seen.append(variable.get())
        return bwt.Verdict(False, "paywall")

    token = variable.set("set")
    try:
        look_up(QUERY, Custom(on_loop), Custom(in_thread), validator=Validator(judge))
    finally:
        variable.reset(token)
    assert seen == ["set"] * 4


def test_many_timeouts_leave_no_thread_behind():
    threads = threading.active_count()
    policy = bwt.FallbackPolicy(budget_ms=5, min_attempt_ms=1)

    async def run():
        lookups = [bwt.bounded_web_lookup(QUERY, never_returning("function")[0], policy=policy) for _ in range(50)]
        return await asyncio.gather(*lookups)

    assert {tuple(statuses(receipt)) for receipt in asyncio.run(run())} == {("transport_timeout",)}
    assert eventually(lambda: threading.active_count() <= threads)


def test_no_thread_to_be_had_ends_in_a_receipt(look_up, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    receipt = look_up(QUERY, Custom(lambda *_: USEFUL_RESPONSE), useful_fallback())
    assert statuses(receipt) == ["transport_error", "ok_useful"]


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
