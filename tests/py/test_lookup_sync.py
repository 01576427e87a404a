"""What is particular to the blocking door: other threads, running loops, Ctrl-C."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import bounded_web_tool as bwt
from worlds import (
    DOORS,
    EMPTY_RESPONSE,
    POLICY,
    QUERY,
    USEFUL_RESPONSE,
    Custom,
    Stopwatch,
    eventually,
    returning,
    scripted,
    statuses,
    useful_fallback,
)


@pytest.mark.parametrize(
    "steps",
    [
        [(300, USEFUL_RESPONSE)],
        [(300, EMPTY_RESPONSE), (400, USEFUL_RESPONSE)],
        [(5000, USEFUL_RESPONSE), (5000, USEFUL_RESPONSE)],
        [(100, bwt.TransportError("auth_failed")), (100, KeyError())],
        [],
    ],
)
def test_both_doors_write_the_same_receipt(steps):
    receipts = set()
    for look_up in DOORS.values():
        clock = bwt.ManualClock()
        transport = scripted(clock, *steps)
        receipts.add(str(look_up(QUERY, transport, transport, policy=POLICY, clock=clock)))
    assert len(receipts) == 1


def test_it_works_in_the_thread_of_a_running_loop():
    async def run():
        blocking = Custom(lambda *_: USEFUL_RESPONSE)
        return [
            statuses(bwt.bounded_web_lookup_sync(QUERY, transport))
            for transport in (blocking, useful_fallback(), returning(USEFUL_RESPONSE))
        ]

    assert asyncio.run(run()) == [["ok_useful"]] * 3


def test_a_coroutine_runs_on_a_loop_of_its_own_in_another_thread():
    seen = []

    async def fetch(request, slice_ms, cancellation_token):
        seen.append(threading.current_thread())
        await asyncio.sleep(0)
        return USEFUL_RESPONSE

    assert statuses(bwt.bounded_web_lookup_sync(QUERY, Custom(fetch))) == ["ok_useful"]
    assert seen[0] is not threading.current_thread()


def test_a_result_does_not_wait_for_what_the_coroutine_left_running():
    release = threading.Event()

    async def fetch(request, slice_ms, cancellation_token):
        asyncio.get_running_loop().run_in_executor(None, release.wait, 60)
        return USEFUL_RESPONSE

    with Stopwatch() as watch:
        receipt = bwt.bounded_web_lookup_sync(QUERY, Custom(fetch))
    release.set()
    assert statuses(receipt) == ["ok_useful"]
    assert watch.ms < 1000


def test_the_other_threads_go_on():
    turns = []

    def fetch(request, slice_ms, cancellation_token):
        return USEFUL_RESPONSE if eventually(lambda: len(turns) >= 3) else None

    def take_turns():
        while not done.wait(0.001):
            turns.append(1)

    done = threading.Event()
    other = threading.Thread(target=take_turns)
    other.start()
    receipt = bwt.bounded_web_lookup_sync(QUERY, Custom(fetch))
    done.set()
    other.join()
    assert statuses(receipt) == ["ok_useful"]


@pytest.mark.parametrize("kind", ["coroutine", "function"])
def test_ctrl_c_ends_a_blocked_lookup_at_once(kind):
    told = threading.Event()

    def interrupt(token):
        token.add_callback(told.set)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

    async def wait_on_loop(request, slice_ms, cancellation_token):
        interrupt(cancellation_token)
        await asyncio.Event().wait()

    def wait_in_thread(request, slice_ms, cancellation_token):
        interrupt(cancellation_token)
        told.wait(60)
        return USEFUL_RESPONSE

    fallback = useful_fallback()
    with Stopwatch() as watch, pytest.raises(KeyboardInterrupt):
        bwt.bounded_web_lookup_sync(QUERY, Custom(wait_on_loop if kind == "coroutine" else wait_in_thread), fallback)
    assert watch.ms < 1000
    assert told.is_set()
    assert fallback.calls == 0


STUCK = """
    import asyncio, threading, bounded_web_tool as bwt

    class Stuck:
        name = "stuck"
        def target_for(self, query):
            return "https://stuck.example"
        def fetch(self, *_):
            threading.Event().wait()

    class StuckCoroutine(Stuck):
        async def fetch(self, *_):
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    pass

    policy = bwt.FallbackPolicy(budget_ms=400, per_attempt_ms=100, min_attempt_ms=5)
    def arguments():
        return "query", Stuck(), StuckCoroutine()
"""


@pytest.mark.parametrize(
    "call",
    [
        "bwt.bounded_web_lookup_sync(*arguments(), policy=policy)",
        "asyncio.run(bwt.bounded_web_lookup(*arguments(), policy=policy))",
    ],
)
def test_what_cannot_be_stopped_does_not_hold_up_the_end_of_the_process(call):
    code = f"{textwrap.dedent(STUCK)}\nprint({call}.outcome)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, "transport_failed\n", "")
