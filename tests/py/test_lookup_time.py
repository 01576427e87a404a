"""The lookup's time: slices, validators and clocks that misbehave."""

import asyncio
import threading

import pytest

import bounded_web_tool as bwt
from worlds import (
    EMPTY_RESPONSE,
    LATE_MS,
    POLICY,
    QUERY,
    QUICK,
    USEFUL_RESPONSE,
    Custom,
    Stopwatch,
    Validator,
    eventually,
    never_returning,
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


# ---- time


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
