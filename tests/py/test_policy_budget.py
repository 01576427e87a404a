"""FallbackPolicy, Budget and the reading of clocks."""

import copy
import decimal
import fractions
import gc
import math
import pickle
import time
import weakref

import pytest

from bounded_web_tool import _core
from bounded_web_tool._core import DEFAULT_POLICY, Budget, FallbackPolicy, read_clock_ns

DEFAULTS = {
    "budget_ms": 8000,
    "per_attempt_ms": 5000,
    "min_attempt_ms": 250,
    "max_fallbacks": 1,
    "max_query_chars": 400,
    "max_results": 10,
    "max_snippet_chars": 500,
    "max_extract_chars": 4000,
    "refuse_secrets_in_query": True,
}
INTEGERS = [name for name in DEFAULTS if name != "refuse_secrets_in_query"]
POSITIVE = [name for name in INTEGERS if name != "max_fallbacks"]


class HandClock:
    """Seconds as float, set by hand."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def __call__(self):
        return self.seconds


class NsClock:
    """An integer clock; being called as a float clock is a failure of the test."""

    def __init__(self, ns=0):
        self.ns = ns

    def now_ns(self):
        return self.ns

    def __call__(self):
        raise AssertionError("now_ns() is preferred")


# ---- FallbackPolicy


def test_defaults():
    assert FallbackPolicy().to_dict() == DEFAULTS
    assert list(FallbackPolicy().to_dict()) == list(DEFAULTS)
    assert DEFAULT_POLICY == FallbackPolicy()
    assert {name: getattr(DEFAULT_POLICY, name) for name in DEFAULTS} == DEFAULTS
    assert type(DEFAULT_POLICY.refuse_secrets_in_query) is bool


@pytest.mark.parametrize("name", INTEGERS)
def test_each_field_is_set_alone(name):
    assert FallbackPolicy(**{name: 1}).to_dict() == {**DEFAULTS, name: 1}


def test_secret_refusal_can_be_switched_off():
    policy = FallbackPolicy(refuse_secrets_in_query=False)
    assert policy.to_dict() == {**DEFAULTS, "refuse_secrets_in_query": False}


def test_attempt_may_be_longer_than_the_budget():
    policy = FallbackPolicy(budget_ms=50)
    assert (policy.budget_ms, policy.per_attempt_ms) == (50, 5000)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, [1]], ids=repr)
def test_a_value_that_is_no_integer_is_a_type_error_naming_the_field(name, value):
    with pytest.raises(TypeError, match=rf"\b{name}\b"):
        FallbackPolicy(**{name: value})


@pytest.mark.parametrize("value", [0, 1, None, "yes"], ids=repr)
def test_secret_refusal_must_be_a_bool(value):
    with pytest.raises(TypeError, match="refuse_secrets_in_query"):
        FallbackPolicy(refuse_secrets_in_query=value)


@pytest.mark.parametrize("name", POSITIVE)
@pytest.mark.parametrize("value", [0, -1, 10**12 + 1, 2**63, -(2**63) - 1, 10**400], ids=lambda value: str(value)[:24])
def test_a_value_out_of_range_is_a_value_error_naming_the_field(name, value):
    with pytest.raises(ValueError, match=rf"^{name}: ") as caught:
        FallbackPolicy(**{name: value})
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("value", [-1, 2, 2**64])
def test_more_than_one_fallback_is_refused(value):
    with pytest.raises(ValueError, match="^max_fallbacks: "):
        FallbackPolicy(max_fallbacks=value)
    assert FallbackPolicy(max_fallbacks=0).max_fallbacks == 0


def test_keyword_only_and_closed():
    with pytest.raises(TypeError, match="positional"):
        FallbackPolicy(8000)
    with pytest.raises(TypeError, match="max_retries"):
        FallbackPolicy(max_retries=3)


def test_frozen_and_final():
    with pytest.raises(AttributeError):
        DEFAULT_POLICY.budget_ms = 1
    with pytest.raises(AttributeError):
        DEFAULT_POLICY.something_new = 1
    with pytest.raises(AttributeError):
        del DEFAULT_POLICY.budget_ms
    with pytest.raises(TypeError):
        FallbackPolicy.budget_ms = 1
    with pytest.raises(TypeError):
        type("Wider", (FallbackPolicy,), {})
    assert DEFAULT_POLICY.to_dict() == DEFAULTS


def test_value_semantics():
    small, other = FallbackPolicy(budget_ms=50), FallbackPolicy(budget_ms=51)
    assert small == FallbackPolicy(budget_ms=50) and small != other
    assert hash(small) == hash(FallbackPolicy(budget_ms=50))
    assert len({small, other, FallbackPolicy(budget_ms=50)}) == 2
    assert small != small.to_dict()
    with pytest.raises(TypeError):
        small < other
    assert eval(repr(small), {"FallbackPolicy": FallbackPolicy}) == small
    assert copy.copy(small) is small and copy.deepcopy(small) is small
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(small, protocol)) == small


def test_replace():
    small = DEFAULT_POLICY.__replace__(budget_ms=50, refuse_secrets_in_query=False)
    assert small.to_dict() == {**DEFAULTS, "budget_ms": 50, "refuse_secrets_in_query": False}
    assert DEFAULT_POLICY.to_dict() == DEFAULTS
    with pytest.raises(ValueError, match="^budget_ms: "):
        small.__replace__(budget_ms=0)
    with pytest.raises(TypeError, match="budget"):
        small.__replace__(budget=1)
    with pytest.raises(TypeError, match="positional"):
        small.__replace__(50)


# ---- Budget


def test_elapsed_rounds_up_and_remaining_down():
    clock = NsClock(7_000_000_000)
    budget = Budget(10, clock)
    readings = []
    for passed_ns in [0, 1, 999_999, 1_000_000, 1_000_001, 9_999_999, 10_000_000, 10_000_001]:
        clock.ns = 7_000_000_000 + passed_ns
        readings.append((budget.elapsed_ms(), budget.remaining_ms()))
    assert readings == [(0, 10), (1, 9), (1, 9), (1, 9), (2, 8), (10, 0), (10, 0), (11, 0)]
    assert budget.budget_ms == 10


def test_slice_is_the_smaller_of_cap_and_remaining():
    clock = NsClock()
    budget = Budget(100, clock)
    clock.ns = 40_000_000
    assert [budget.slice_ms(cap) for cap in [0, 1, 59, 60, 61, 10**15]] == [0, 1, 59, 60, 60, 60]
    assert budget.slice_ms(cap_ms=5) == 5
    clock.ns = 500_000_000
    assert budget.slice_ms(5) == 0


def test_time_that_runs_backwards_is_no_progress():
    clock = NsClock(5_000_000)
    budget = Budget(10, clock)
    clock.ns = 0
    assert (budget.elapsed_ms(), budget.remaining_ms()) == (0, 10)
    clock.ns = 9_000_000
    assert budget.elapsed_ms() == 4
    clock.ns = 6_000_000
    assert (budget.elapsed_ms(), budget.remaining_ms()) == (4, 6)


def test_float_noise_below_a_microsecond_is_not_a_millisecond():
    clock = HandClock(0.0)
    budget = Budget(2000, clock)
    total = 0.0
    for step in range(1, 8):
        total += 0.1
        clock.seconds = total
        assert budget.elapsed_ms() == step * 100


def test_budget_arguments():
    clock = HandClock()
    assert Budget(budget_ms=0, clock=clock).remaining_ms() == 0
    for wrong in [True, 1.0, "1", None]:
        with pytest.raises(TypeError, match="budget_ms"):
            Budget(wrong, clock)
        with pytest.raises(TypeError, match="cap_ms"):
            Budget(1, clock).slice_ms(wrong)
    for wrong in [-1, 2**63, -(2**70)]:
        with pytest.raises(ValueError, match="^budget_ms: "):
            Budget(wrong, clock)
        with pytest.raises(ValueError, match="^cap_ms: "):
            Budget(1, clock).slice_ms(wrong)
    with pytest.raises(TypeError, match="clock"):
        Budget(1)
    with pytest.raises(TypeError, match="clock"):
        Budget(1, None)
    with pytest.raises(TypeError, match="deadline"):
        Budget(1, clock, deadline=2)


def test_budget_on_the_real_clock():
    budget = Budget(60_000, time.monotonic)
    assert 0 <= budget.elapsed_ms() < 30_000
    assert 30_000 < budget.remaining_ms() <= 60_000


def test_budget_in_a_cycle_is_collected():
    clock = HandClock()
    clock.budget = Budget(1, clock)
    gone = weakref.ref(clock)
    del clock
    gc.collect()
    assert gone() is None


def test_a_clock_that_fails_later_passes_its_exception_on():
    clock = HandClock()
    budget = Budget(10, clock)
    clock.seconds = "late"
    for call in [budget.elapsed_ms, budget.remaining_ms, lambda: budget.slice_ms(1)]:
        with pytest.raises(TypeError, match="clock"):
            call()
    clock.seconds = 0.001
    assert budget.elapsed_ms() == 1


# ---- readings


@pytest.mark.parametrize(
    ("seconds", "ns"),
    [
        (0.0, 0),
        (1, 1_000_000_000),
        (0.1 + 0.2, 300_000_000),
        (1.0000004, 1_000_000_000),
        (1.0000006, 1_000_001_000),
        (-2.5, -2_500_000_000),
        (12345678.901234, 12_345_678_901_234_000),
        (fractions.Fraction(1, 8), 125_000_000),
        (decimal.Decimal("0.25"), 250_000_000),
    ],
)
def test_seconds_are_rounded_to_the_nearest_microsecond(seconds, ns):
    assert read_clock_ns(lambda: seconds) == ns


@pytest.mark.parametrize("seconds", [math.inf, -math.inf, math.nan, 1e300, 10**400, 1e10], ids=repr)
def test_seconds_that_are_no_time_are_a_value_error(seconds):
    with pytest.raises(ValueError, match="clock"):
        read_clock_ns(lambda: seconds)


@pytest.mark.parametrize("seconds", [None, "1.0", [1], 1j], ids=repr)
def test_a_reading_that_is_no_number_is_a_type_error(seconds):
    with pytest.raises(TypeError, match="clock must return"):
        read_clock_ns(lambda: seconds)


@pytest.mark.parametrize("clock", [None, 5, "clock", object()], ids=["None", "int", "str", "object"])
def test_what_is_no_clock_is_a_type_error(clock):
    with pytest.raises(TypeError, match="clock must be callable or have now_ns"):
        read_clock_ns(clock)


def test_nanoseconds_are_preferred_and_exact():
    assert read_clock_ns(NsClock(2**62 + 1)) == 2**62 + 1
    assert read_clock_ns(clock=NsClock(-5)) == -5
    for wrong in [1.5, None, True]:
        with pytest.raises(TypeError, match=r"now_ns"):
            read_clock_ns(NsClock(wrong))
    with pytest.raises(ValueError, match=r"now_ns"):
        read_clock_ns(NsClock(2**63))


def test_a_clock_that_raises_passes_its_exception_on():
    class Broken:
        @property
        def now_ns(self):
            raise KeyError("no clock")

    with pytest.raises(KeyError, match="no clock"):
        read_clock_ns(Broken())
    with pytest.raises(ZeroDivisionError):
        read_clock_ns(lambda: 1 / 0)


def test_monotonic_is_read_by_the_library_itself():
    before = time.monotonic_ns()
    readings = [read_clock_ns(time.monotonic), _core.monotonic_ns()]
    assert before <= readings[0] <= readings[1] <= time.monotonic_ns()
