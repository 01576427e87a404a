"""Cancelling a lookup by token and by task, and many lookups at once."""

import asyncio
import contextvars
import threading

import pytest

import bounded_web_tool as bwt
from worlds import (
    EMPTY_RESPONSE,
    LATE_MS,
    POLICY,
    QUERY,
    USEFUL_RESPONSE,
    Custom,
    LockedToken,
    Stopwatch,
    Validator,
    eventually,
    look_up_as_autogen_does,
    look_up_async,
    never_returning,
    raising,
    returning,
    scripted,
    statuses,
    useful_fallback,
)

pytestmark = pytest.mark.usefixtures("nothing_complains")


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
            receipt = await look_up_as_autogen_does(QUERY, transport, token, ask)
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
        task = asyncio.create_task(look_up_as_autogen_does(QUERY, transport, token, token.is_cancelled))
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
