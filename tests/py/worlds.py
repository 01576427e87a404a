"""Transports, tokens, answers and a server that several test files share."""

import asyncio
import contextlib
import http.server
import json
import threading
import time

from bounded_web_tool import (
    DEFAULT_POLICY,
    DEFAULT_VALIDATOR,
    FallbackPolicy,
    ManualClock,
    ScriptedStep,
    ScriptedTransport,
    TransportResponse,
    bounded_web_lookup,
    bounded_web_lookup_sync,
    hits,
)
from bounded_web_tool._arguments import Request
from bounded_web_tool.lookup import _lookup_async

LATE_MS = 400  # what a busy machine may add
QUERY = "copper kettle"
POLICY = FallbackPolicy(budget_ms=2000, per_attempt_ms=1200)
QUICK = FallbackPolicy(budget_ms=600, per_attempt_ms=300, min_attempt_ms=20)
HITS = hits(("Copper kettle", "https://kettles.example/copper", "A copper kettle boils faster than a steel one."))
USEFUL_RESPONSE = TransportResponse(200, HITS)
EMPTY_RESPONSE = TransportResponse(200)


def look_up_async(*arguments, **keywords):
    return asyncio.run(bounded_web_lookup(*arguments, **keywords))


async def look_up_as_autogen_does(
    query, primary, token, receipt_on_cancel, policy=DEFAULT_POLICY, clock=time.monotonic
):
    request = Request(query, primary, None, policy, DEFAULT_VALIDATOR, clock, token)
    return await _lookup_async(request, receipt_on_cancel)


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


class Validator:
    def __init__(self, judge):
        self._judge = judge

    def validate(self, query, response):
        return self._judge(query, response)


def scripted(clock, *steps, name="scripted"):
    """Each step a (latency_ms, response or error)."""
    script = [
        ScriptedStep(latency, error=what) if isinstance(what, BaseException) else ScriptedStep(latency, what)
        for latency, what in steps
    ]
    return ScriptedTransport(name, script, clock)


def useful_fallback(clock=None):
    return scripted(clock or ManualClock(), (0, USEFUL_RESPONSE), name="fallback")


@contextlib.contextmanager
def answering(payload):
    """A loopback provider that answers every request with the same JSON; its base URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps(payload).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


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
