"""Transports, tokens and answers that the tests of the two doors share."""

import asyncio
import threading
import time

from bounded_web_tool import (
    FallbackPolicy,
    ManualClock,
    ScriptedStep,
    ScriptedTransport,
    TransportResponse,
    bounded_web_lookup,
    bounded_web_lookup_sync,
    hits,
)

QUERY = "copper kettle"
POLICY = FallbackPolicy(budget_ms=2000, per_attempt_ms=1200)
QUICK = FallbackPolicy(budget_ms=600, per_attempt_ms=300, min_attempt_ms=20)
HITS = hits(("Copper kettle", "https://kettles.example/copper", "A copper kettle boils faster than a steel one."))
USEFUL_RESPONSE = TransportResponse(200, HITS)
EMPTY_RESPONSE = TransportResponse(200)


def look_up_async(*arguments, **keywords):
    return asyncio.run(bounded_web_lookup(*arguments, **keywords))


DOORS = {"async": look_up_async, "sync": bounded_web_lookup_sync}


class Custom:
    """A transport around one function; ``fetch`` is that function itself, so that its kind is not hidden."""

    def __init__(self, fetch, name="custom", target="https://custom.example/?q=1"):
        self.name = name
        self.fetch = fetch
        self._target = target
        self.targets_asked = 0

    def target_for(self, query):
        self.targets_asked += 1
        if isinstance(self._target, BaseException):
            raise self._target
        return self._target


def returning(value):
    async def fetch(request, slice_ms, cancellation_token):
        return value

    return Custom(fetch)


def raising(error):
    async def fetch(request, slice_ms, cancellation_token):
        raise error

    return Custom(fetch)


def scripted(clock, *steps, name="scripted"):
    """Each step a (latency_ms, response or error)."""
    script = [
        ScriptedStep(latency, error=what) if isinstance(what, BaseException) else ScriptedStep(latency, what)
        for latency, what in steps
    ]
    return ScriptedTransport(name, script, clock)


def useful_fallback(clock=None):
    return scripted(clock or ManualClock(), (0, USEFUL_RESPONSE), name="fallback")


class LockedToken:
    """Like AutoGen's: runs callbacks under a lock that is not reentrant, in the cancelling thread; forgets none."""

    def __init__(self):
        self._lock = threading.Lock()
        self._cancelled = False
        self._callbacks = []

    def _locked(self):
        if not self._lock.acquire(timeout=5):
            raise AssertionError("a callback touched its own token")
        return self._lock

    def cancel(self):
        lock = self._locked()
        try:
            if not self._cancelled:
                self._cancelled = True
                for callback in self._callbacks:
                    callback()
        finally:
            lock.release()

    def is_cancelled(self):
        lock = self._locked()
        lock.release()
        return self._cancelled

    def add_callback(self, callback):
        lock = self._locked()
        try:
            if self._cancelled:
                callback()
            else:
                self._callbacks.append(callback)
        finally:
            lock.release()


class Stopwatch:
    def __enter__(self):
        self._start = time.monotonic()
        return self

    def __exit__(self, *exception):
        self.ms = (time.monotonic() - self._start) * 1000


def eventually(condition, seconds=5):
    """Whether the condition comes true; looks again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


def statuses(receipt):
    return [str(attempt.status) for attempt in receipt.attempts]
