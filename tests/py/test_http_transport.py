"""HttpTransport: its construction, its lookups by either door, and what cancelling does to the socket."""

import asyncio
import copy
import gc
import os
import pickle
import signal
import threading
import time

import pytest

import bounded_web_tool as bwt
from tests.server.scripted_server import RETRY_AFTER_S, STALLS, ScriptedServer
from worlds import DOORS, LockedToken, Stopwatch, eventually, look_up_as_autogen_does, look_up_async, returning, statuses

QUERY = "teapot ceramics"
POLICY = bwt.FallbackPolicy(budget_ms=1000, per_attempt_ms=400, min_attempt_ms=20)
LONG = bwt.FallbackPolicy(budget_ms=20_000, per_attempt_ms=20_000)
SPEC = {
    "name": "keyed",
    "request": {"base_url": "https://api.example", "path": "/search", "params": {"q": "{query}"}},
    "key": {"env": "BWT_TEST_KEY", "in": "query", "name": "api_key"},
    "answer": {"hits": "results", "title": "title", "url": "url", "snippet": "content"},
}


@pytest.fixture(scope="module")
def server():
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def engine():
    with bwt.Engine() as engine:
        yield engine


@pytest.fixture
def transport(server, engine):
    """Makes a transport to one behaviour of the server."""

    def make(behaviour, **options):
        return bwt.HttpTransport("searxng", base_url=server.base_url(behaviour), **{"engine": engine, **options})

    return make


@pytest.fixture(params=DOORS)
def look_up(request):
    return DOORS[request.param]


@pytest.fixture(params=["native", "stepped"])
def clock(request):
    """The default clock leaves the lookup to the engine's thread; any other makes Python step the plan."""
    return time.monotonic if request.param == "native" else lambda: time.monotonic()


def open_descriptors():
    return len(os.listdir("/proc/self/fd"))


# ---- construction


def test_a_shipped_spec_by_name():
    transport = bwt.HttpTransport("searxng", base_url="http://localhost:8888")
    assert transport.name == "searxng"
    assert transport.target_for("a b") == "http://localhost:8888/search?q=a+b&format=json"
    assert transport.engine is bwt.Engine.default()


def test_a_name_of_ones_own(engine):
    transport = bwt.HttpTransport("searxng", base_url="http://localhost:8888", name="mine", engine=engine)
    assert (transport.name, transport.engine) == ("mine", engine)
    assert repr(transport) == "<HttpTransport 'mine'>"


def test_a_spec_by_path_and_as_a_mapping(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\n[request]\nbase_url = "https://api.example"\npath = "/find"\nparams = { q = "{query}" }\n'
        '[answer]\nhits = "results"\ntitle = "title"\nurl = "url"\nsnippet = "content"\n'
    )
    document = {**SPEC, "name": "own", "request": {**SPEC["request"], "path": "/find"}}
    del document["key"]
    for spec in (path, str(path), document):
        transport = bwt.HttpTransport(spec)
        assert (transport.name, transport.target_for("x")) == ("own", "https://api.example/find?q=x")


def test_the_key_is_given_or_found_in_the_environment(monkeypatch):
    monkeypatch.delenv("BWT_TEST_KEY", raising=False)
    for missing in ("unset", "empty"):
        with pytest.raises(ValueError, match="BWT_TEST_KEY"):
            bwt.HttpTransport(SPEC)
        monkeypatch.setenv("BWT_TEST_KEY", "")
    monkeypatch.setenv("BWT_TEST_KEY", "from-the-environment-1")
    for transport, key in [
        (bwt.HttpTransport(SPEC), "from-the-environment-1"),
        (bwt.HttpTransport(SPEC, api_key="given-2"), "given-2"),
    ]:
        assert transport.target_for("x") == "https://api.example/search?q=x&api_key=[REDACTED]"
        assert key not in repr(transport) and key not in str(vars(transport))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "complaint"),
    [
        ((7,), {}, TypeError, "spec must be"),
        (("no-such-provider",), {}, ValueError, "searxng"),
        (("no/such/file.toml",), {}, FileNotFoundError, "file.toml"),
        (({},), {}, ValueError, "name"),
        (({**SPEC, "name": float("nan")},), {}, ValueError, "spec"),
        (({**SPEC, "name": object()},), {}, ValueError, "spec"),
        (("searxng",), {"engine": "default"}, TypeError, "engine"),
        (("searxng",), {"base_url": 7}, TypeError, "base_url"),
        (("searxng",), {"name": 7}, TypeError, "name"),
        (("searxng",), {"api_key": 7}, TypeError, "api_key"),
    ],
)
def test_what_cannot_be_constructed(arguments, options, error, complaint):
    with pytest.raises(error, match=complaint):
        bwt.HttpTransport(*arguments, **options)


def test_a_file_that_is_no_toml(tmp_path):
    for content in (b"name = ", b"\xff\xfe"):
        (tmp_path / "broken.toml").write_bytes(content)
        with pytest.raises(ValueError, match=r"spec: broken\.toml is not valid TOML"):
            bwt.HttpTransport(tmp_path / "broken.toml")


def test_copies_share_and_pickling_is_refused():
    transport = bwt.HttpTransport("searxng")
    assert copy.copy(transport) is transport
    assert copy.deepcopy({"transport": transport})["transport"] is transport
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(transport)


# ---- lookups


def test_a_useful_answer(look_up, clock, transport):
    receipt = look_up(QUERY, transport("useful"), policy=POLICY, clock=clock)
    assert statuses(receipt) == ["ok_useful"]
    assert [hit.url for hit in receipt.results] == [f"https://docs.example/{n}" for n in (1, 2, 3)]
    assert receipt.attempts[0].http_status == 200
    assert receipt.attempts[0].hit_count == 3


def test_a_stalled_primary_leaves_the_fallback_its_time(look_up, clock, transport):
    with Stopwatch() as watch:
        receipt = look_up(QUERY, transport(STALLS), transport("useful"), policy=POLICY, clock=clock)
    assert statuses(receipt) == ["transport_timeout", "ok_useful"]
    assert receipt.attempts[0].elapsed_ms == POLICY.per_attempt_ms
    assert watch.ms < POLICY.per_attempt_ms + 200


def test_a_named_wait_is_handed_on(look_up, clock, transport):
    receipt = look_up(QUERY, transport("slow-down"), policy=POLICY, clock=clock)
    assert (receipt.next_action, receipt.retry_after_ms) == ("retry_later", RETRY_AFTER_S * 1000)


def test_native_and_custom_transports_together(look_up, transport):
    hit = (QUERY, "https://x.example/", f"{QUERY}: long enough to be evidence")
    useful = bwt.TransportResponse(200, bwt.hits(hit))
    assert statuses(look_up(QUERY, transport("empty"), returning(useful))) == ["ok_not_useful", "ok_useful"]
    assert statuses(look_up(QUERY, returning(None), transport("useful"))) == ["transport_error", "ok_useful"]


def test_transports_of_two_engines(look_up, transport):
    with bwt.Engine() as other:
        receipt = look_up(QUERY, transport("empty"), transport("useful", engine=other), policy=POLICY)
    assert statuses(receipt) == ["ok_not_useful", "ok_useful"]


def test_two_engines_on_one_loop_do_not_mix_their_results(transport):
    with bwt.Engine() as other:

        async def run():
            first = [bwt.bounded_web_lookup(f"first {n}", transport("useful")) for n in range(10)]
            second = [bwt.bounded_web_lookup(f"second {n}", transport("useful", engine=other)) for n in range(10)]
            return await asyncio.gather(*first, *second)

        receipts = asyncio.run(run())
    expected = [f"{word} {n} explained, part 1" for word in ("first", "second") for n in range(10)]
    assert [receipt.results[0].title for receipt in receipts] == expected


def test_a_custom_validator_judges_what_the_engine_fetched(look_up, transport):
    class Never:
        def validate(self, query, response):
            assert len(response.hits) == 3
            return bwt.Verdict(False, "paywall")

    receipt = look_up(QUERY, transport("useful"), policy=POLICY, validator=Never())
    assert receipt.attempts[0].not_useful_reason is bwt.NotUsefulReason.PAYWALL


def test_a_subclass_with_a_fetch_of_its_own_is_heard(look_up, server, engine):
    class Twice(bwt.HttpTransport):
        async def fetch(self, request, slice_ms, cancellation_token):
            await super().fetch(request, slice_ms // 2, cancellation_token)
            return await super().fetch(request, slice_ms // 2, cancellation_token)

    before = server.requests["useful"]
    receipt = look_up(QUERY, Twice("searxng", base_url=server.base_url("useful"), engine=engine), policy=POLICY)
    assert statuses(receipt) == ["ok_useful"]
    assert server.requests["useful"] == before + 2


def test_a_subclass_with_a_name_of_its_own_is_heard(look_up, server, engine):
    class Named(bwt.HttpTransport):
        name = "my own name"

    receipt = look_up(QUERY, Named("searxng", base_url=server.base_url("useful"), engine=engine), policy=POLICY)
    assert receipt.attempts[0].transport == "my own name"


def test_a_refused_query_is_not_sent(look_up, clock, server, transport):
    before = server.requests["useful"]
    receipt = look_up("", transport("useful"), policy=POLICY, clock=clock)
    assert (receipt.outcome, receipt.attempts) == ("blocked_by_policy", ())
    assert server.requests["useful"] == before


def test_nothing_belongs_to_a_loop(transport):
    kept = transport("useful")
    assert [statuses(look_up_async(QUERY, kept)) for _ in range(3)] == [["ok_useful"]] * 3


def test_loops_in_several_threads_at_once(transport):
    kept = transport("useful")
    receipts = []
    threads = [threading.Thread(target=lambda: receipts.append(look_up_async(QUERY, kept))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [statuses(receipt) for receipt in receipts] == [["ok_useful"]] * 8


def test_the_blocking_door_inside_a_running_loop(transport):
    async def run():
        return bwt.bounded_web_lookup_sync(QUERY, transport("useful"), policy=POLICY)

    assert statuses(asyncio.run(run())) == ["ok_useful"]


def test_descriptors_stay_flat(transport):
    kept = transport("useful")

    async def run():
        await bwt.bounded_web_lookup(QUERY, kept, policy=POLICY)
        await bwt.bounded_web_lookup(QUERY, transport("useful"), policy=POLICY)

    asyncio.run(run())
    gc.collect()
    before = open_descriptors()
    for _ in range(20):
        asyncio.run(run())
    gc.collect()
    assert eventually(lambda: open_descriptors() <= before + 2)


def test_a_loop_outlives_its_transports(server, engine):
    async def run():
        counts = []
        for _ in range(10):
            kept = bwt.HttpTransport("searxng", base_url=server.base_url("useful"), engine=engine)
            receipt = await bwt.bounded_web_lookup(QUERY, kept, policy=POLICY)
            assert statuses(receipt) == ["ok_useful"]
            del kept
            gc.collect()
            await asyncio.sleep(0)
            counts.append(open_descriptors())
        return counts

    counts = asyncio.run(run())
    assert counts[-1] <= counts[1]


# ---- cancellation


def cancel_when_dialled(server, cancel):
    """A thread that cancels once the server has the request."""
    before = server.requests[STALLS]

    def work():
        assert eventually(lambda: server.requests[STALLS] > before)
        cancel()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def socket_was_closed(server):
    return server.closed_by_client.acquire(timeout=0.5)


@pytest.fixture(autouse=True)
def no_closed_sockets_left_over(server):
    while server.closed_by_client.acquire(blocking=False):
        pass


@pytest.mark.parametrize("make_token", [bwt.CancellationToken, LockedToken])
def test_a_token_closes_the_socket(look_up, clock, server, transport, make_token):
    token = make_token()
    before = server.requests["useful"]
    thread = cancel_when_dialled(server, token.cancel)
    with Stopwatch() as watch:
        receipt = look_up(
            QUERY, transport(STALLS), transport("useful"), policy=LONG, clock=clock, cancellation_token=token
        )
    thread.join()
    assert statuses(receipt) == ["cancelled"]
    assert (receipt.next_action, receipt.attempts_used) == ("stop", 1)
    assert socket_was_closed(server)
    assert server.requests["useful"] == before
    assert watch.ms < 1000


def test_a_token_cancelled_beforehand_dials_nothing(look_up, clock, server, transport):
    token = bwt.CancellationToken()
    token.cancel()
    before = server.requests["useful"]
    receipt = look_up(QUERY, transport("useful"), policy=POLICY, clock=clock, cancellation_token=token)
    assert receipt.explain() == (
        "outcome=transport_failed next_action=stop attempts=0/1 elapsed_ms=0/1000 trail=[primary:cancelled]"
    )
    assert server.requests["useful"] == before


def test_cancelling_the_task_closes_the_socket(clock, server, transport):
    async def run():
        task = asyncio.create_task(bwt.bounded_web_lookup(QUERY, transport(STALLS), policy=LONG, clock=clock))
        loop = asyncio.get_running_loop()
        cancel_when_dialled(server, lambda: loop.call_soon_threadsafe(task.cancel))
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert socket_was_closed(server)


def test_token_and_task_cancelled_at_once(clock, server, transport):
    async def run(receipt_on_cancel):
        token = LockedToken()
        ask = token.is_cancelled if receipt_on_cancel else None

        async def call():
            stalled = transport(STALLS)
            receipt = await look_up_as_autogen_does(QUERY, stalled, token, ask, policy=LONG, clock=clock)
            return receipt, asyncio.current_task().cancelling()

        task = asyncio.create_task(call())
        token.add_callback(task.cancel)
        loop = asyncio.get_running_loop()
        cancel_when_dialled(server, lambda: loop.call_soon_threadsafe(token.cancel))
        return await task

    receipt, left = asyncio.run(run(True))
    assert (statuses(receipt), left) == (["cancelled"], 0)
    assert socket_was_closed(server)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run(False))


def test_ctrl_c_closes_the_socket(clock, server, transport):
    thread = cancel_when_dialled(server, lambda: os.kill(os.getpid(), signal.SIGINT))
    with Stopwatch() as watch, pytest.raises(KeyboardInterrupt):
        bwt.bounded_web_lookup_sync(QUERY, transport(STALLS), transport("useful"), policy=LONG, clock=clock)
    thread.join()
    assert socket_was_closed(server)
    assert watch.ms < 1000


# ---- an engine that closes


def test_closing_the_engine_ends_what_is_in_flight(look_up, clock, server, transport, engine):
    thread = cancel_when_dialled(server, engine.close)
    receipt = look_up(QUERY, transport(STALLS), transport("useful"), policy=LONG, clock=clock)
    thread.join()
    assert statuses(receipt) == ["cancelled"]


def test_a_closed_engine_ends_in_the_same_receipt(look_up, clock, transport, engine):
    primary, fallback = transport("useful"), transport("useful")
    engine.close()
    receipt = look_up(QUERY, primary, fallback, policy=POLICY, clock=clock)
    assert (statuses(receipt), receipt.next_action) == (["cancelled"], "stop")


# ---- fetch alone


def fetch(transport, slice_ms=400, token=None, query=QUERY):
    request = bwt.TransportRequest(query, transport.target_for(query), 10)
    return asyncio.run(transport.fetch(request, slice_ms, token or bwt.CancellationToken()))


def test_fetch_returns_the_response(transport):
    response = fetch(transport("useful"))
    assert (response.http_status, response.parse_ok, len(response.hits)) == (200, True, 3)


@pytest.mark.parametrize(
    ("behaviour", "status", "detail", "http_status", "retry_after_ms"),
    [
        ("unauthorized", "auth_failed", None, 401, None),
        ("no-credit", "quota_exhausted", None, 402, None),
        ("slow-down", "rate_limited", None, 429, RETRY_AFTER_S * 1000),
        ("broken", "transport_error", "provider_error", 500, None),
        ("not-http", "transport_error", "protocol", None, None),
    ],
)
def test_fetch_raises_a_transport_error(transport, behaviour, status, detail, http_status, retry_after_ms):
    with pytest.raises(bwt.TransportError) as caught:
        fetch(transport(behaviour))
    error = caught.value
    assert (error.status, error.detail, error.http_status, error.retry_after_ms) == (
        status, detail, http_status, retry_after_ms,
    )  # fmt: skip


def test_fetch_keeps_to_its_slice(transport):
    with Stopwatch() as watch, pytest.raises(bwt.TransportError) as caught:
        fetch(transport(STALLS), slice_ms=60)
    assert caught.value.status is bwt.AttemptStatus.TRANSPORT_TIMEOUT
    assert 60 <= watch.ms < 260


def test_the_token_of_a_fetch_closes_the_socket(server, transport):
    token = bwt.CancellationToken()
    thread = cancel_when_dialled(server, token.cancel)
    with pytest.raises(bwt.TransportError):
        fetch(transport(STALLS), slice_ms=20_000, token=token)
    thread.join()
    assert socket_was_closed(server)


def test_fetch_on_a_closed_engine(transport, engine):
    closed = transport("useful")
    engine.close()
    with pytest.raises(bwt.TransportError) as caught:
        fetch(closed)
    assert caught.value.status is bwt.AttemptStatus.TRANSPORT_ERROR
