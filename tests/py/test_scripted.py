"""The scripted world: the clock, the steps and the transport that plays them."""

import asyncio
import pickle

import pytest

import bounded_web_tool as bwt
from worlds import EMPTY_RESPONSE, USEFUL_RESPONSE, scripted


def play(transport, slice_ms=1000):
    request = bwt.TransportRequest("query", None, 10)
    return asyncio.run(transport.fetch(request, slice_ms, bwt.CancellationToken()))


# ---- ManualClock


def test_the_clock_moves_only_when_told_to():
    clock = bwt.ManualClock(start_ms=1500)
    assert (clock(), clock.now_ns()) == (1.5, 1_500_000_000)
    clock.advance_ms(0)
    clock.advance_ms(250)
    assert (clock(), clock.now_ns()) == (1.75, 1_750_000_000)


def test_the_clock_is_exact_where_a_float_is_not():
    clock = bwt.ManualClock(start_ms=9 * 10**12 + 1)
    assert clock.now_ns() == (9 * 10**12 + 1) * 10**6
    budget = bwt.Budget(100, clock)
    for _ in range(3):
        clock.advance_ms(1)
    assert (budget.elapsed_ms(), budget.remaining_ms()) == (3, 97)


@pytest.mark.parametrize(("value", "error"), [(-1, ValueError), (1.0, TypeError), (True, TypeError), ("", TypeError)])
def test_the_clock_takes_whole_milliseconds(value, error):
    with pytest.raises(error, match="start_ms"):
        bwt.ManualClock(value)
    with pytest.raises(error, match="milliseconds"):
        bwt.ManualClock().advance_ms(value)


# ---- ScriptedStep


def test_a_step_has_exactly_one_of_response_and_error():
    for arguments in [(), (USEFUL_RESPONSE, KeyError())]:
        with pytest.raises(ValueError, match="exactly one"):
            bwt.ScriptedStep(1, *arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "name"),
    [
        ((-1, USEFUL_RESPONSE), ValueError, "latency_ms"),
        ((1.5, USEFUL_RESPONSE), TypeError, "latency_ms"),
        ((1, "text"), TypeError, "response"),
        ((1, None, "text"), TypeError, "error"),
    ],
)
def test_a_step_refuses_what_it_cannot_play(arguments, error, name):
    with pytest.raises(error, match=name):
        bwt.ScriptedStep(*arguments)


def test_a_step_is_frozen_and_can_be_pickled():
    step = bwt.ScriptedStep(latency_ms=3, response=USEFUL_RESPONSE)
    with pytest.raises(AttributeError):
        step.latency_ms = 4
    with pytest.raises(AttributeError):
        del step.response
    again = pickle.loads(pickle.dumps(step))
    assert (again.latency_ms, again.response, again.error) == (3, USEFUL_RESPONSE, None)


# ---- ScriptedTransport


def test_the_steps_are_played_in_order():
    clock = bwt.ManualClock()
    transport = scripted(clock, (10, USEFUL_RESPONSE), (20, KeyError("k")), (30, EMPTY_RESPONSE))
    assert play(transport) is USEFUL_RESPONSE
    with pytest.raises(KeyError):
        play(transport)
    assert play(transport) is EMPTY_RESPONSE
    assert (transport.calls, clock.now_ns()) == (3, 60_000_000)


def test_latency_and_slice():
    clock = bwt.ManualClock()
    transport = scripted(clock, (100, USEFUL_RESPONSE), (101, USEFUL_RESPONSE))
    assert play(transport, 100) is USEFUL_RESPONSE
    assert clock.now_ns() == 100_000_000
    with pytest.raises(bwt.TransportError) as caught:
        play(transport, 100)
    assert caught.value.status is bwt.AttemptStatus.TRANSPORT_TIMEOUT
    assert clock.now_ns() == 200_000_000


def test_past_the_end_of_the_script():
    clock = bwt.ManualClock()
    transport = scripted(clock)
    with pytest.raises(bwt.TransportError) as caught:
        play(transport)
    assert caught.value.status is bwt.AttemptStatus.TRANSPORT_ERROR
    assert (transport.calls, clock.now_ns()) == (1, 0)


@pytest.mark.parametrize(
    ("base_url", "target"),
    [
        ("https://scripted.invalid/search", "https://scripted.invalid/search?q=a+%C3%A9%26b"),
        ("https://x.example/?lang=en", "https://x.example/?lang=en&q=a+%C3%A9%26b"),
    ],
)
def test_the_target_is_form_encoded(base_url, target):
    transport = bwt.ScriptedTransport("name", [], bwt.ManualClock(), base_url=base_url)
    assert transport.target_for("a é&b") == target


def test_the_default_target():
    assert scripted(bwt.ManualClock()).target_for("kettle") == "https://scripted.invalid/search?q=kettle"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((7, [], bwt.ManualClock()), "name"),
        (("n", [USEFUL_RESPONSE], bwt.ManualClock()), "steps"),
        (("n", [], lambda: 0.0), "clock"),
        (("n", [], bwt.ManualClock(), None), "base_url"),
    ],
)
def test_a_scripted_transport_refuses_wrong_types(arguments, name):
    with pytest.raises(TypeError, match=name):
        bwt.ScriptedTransport(*arguments)


def test_a_subclass_may_wrap_fetch():
    class Counting(bwt.ScriptedTransport):
        wrapped = 0

        async def fetch(self, request, slice_ms, cancellation_token):
            self.wrapped += 1
            return await super().fetch(request, slice_ms, cancellation_token)

    clock = bwt.ManualClock()
    transport = Counting("counting", [bwt.ScriptedStep(5, USEFUL_RESPONSE)], clock)
    receipt = bwt.bounded_web_lookup_sync("copper kettle", transport, clock=clock)
    assert (receipt.outcome, transport.wrapped, transport.calls) == ("useful_result", 1, 1)


# ---- TransportError


def test_a_transport_error_holds_members_and_numbers():
    error = bwt.TransportError("rate_limited", detail=None, http_status=429, retry_after_ms=1500)
    assert (error.status, error.detail, error.http_status, error.retry_after_ms) == (
        bwt.AttemptStatus.RATE_LIMITED, None, 429, 1500,
    )  # fmt: skip
    error = bwt.TransportError(status=bwt.AttemptStatus.TRANSPORT_ERROR, detail="dns")
    assert error.status is bwt.AttemptStatus.TRANSPORT_ERROR
    assert error.detail is bwt.FailureDetail.DNS
    assert str(error) == "transport_error/dns"


@pytest.mark.parametrize("status", ["ok_useful", "cancelled", "skipped_no_budget", "refused_by_policy", "", None, 7])
def test_only_five_statuses_can_be_raised(status):
    with pytest.raises(ValueError, match="status"):
        bwt.TransportError(status)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"detail": "transport_raised"}, ValueError),
        ({"detail": bwt.FailureDetail.TRANSPORT_RAISED}, ValueError),
        ({"detail": "gremlins"}, ValueError),
        ({"http_status": 99}, ValueError),
        ({"http_status": "429"}, TypeError),
        ({"http_status": True}, TypeError),
        ({"retry_after_ms": 1.5}, TypeError),
        ({"retry_after_ms": False}, TypeError),
    ],
)
def test_a_transport_error_refuses_the_rest(fields, error):
    with pytest.raises(error, match=next(iter(fields))):
        bwt.TransportError("transport_error", **fields)


@pytest.mark.parametrize(("given", "kept"), [(-5, 0), (0, 0), (86_400_000, 86_400_000), (10**30, 86_400_000)])
def test_a_named_wait_is_clamped(given, kept):
    assert bwt.TransportError("rate_limited", retry_after_ms=given).retry_after_ms == kept


def test_a_transport_error_can_be_pickled():
    error = bwt.TransportError("rate_limited", "provider_error", 429, 10)
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, again.detail, again.http_status, again.retry_after_ms) == (
        "rate_limited", "provider_error", 429, 10,
    )  # fmt: skip
