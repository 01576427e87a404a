"""The AutoGen door: what the model sees, cancellation in a real AssistantAgent, and the component that is saved."""

import asyncio
import json
import logging
import socket
import threading
import time

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ToolCallExecutionEvent
from autogen_core import CancellationToken, ComponentModel, FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_core.tools import BaseTool, FunctionTool
from autogen_ext.models.replay import ReplayChatCompletionClient

import bounded_web_tool as b
from bounded_web_tool._local_documents import Document
from bounded_web_tool.autogen import (
    DEFAULT_TOOL_NAME,
    TOOL_DESCRIPTION,
    BoundedWebTool,
    make_bounded_web_search_tool,
)
from bounded_web_tool.local_index import LocalIndex, LocalIndexServer

QUERY = "bounded web lookups"
USEFUL = b.TransportResponse(
    200, b.hits(("Bounded lookups", "https://example.org/b", "Web lookups that are bounded always end on time."))
)
EMPTY = b.TransportResponse(200, ())
POLICY = b.FallbackPolicy(budget_ms=2000, per_attempt_ms=1200)


def scripted_pair():
    """The transports of the demo's second scenario and their clock: an empty primary, a useful fallback."""
    clock = b.ManualClock()
    primary = b.ScriptedTransport("primary-search", [b.ScriptedStep(300, EMPTY)] * 3, clock)
    fallback = b.ScriptedTransport("fallback-search", [b.ScriptedStep(400, USEFUL)] * 3, clock)
    return primary, fallback, clock


def scripted_receipt():
    primary, fallback, clock = scripted_pair()
    return b.bounded_web_lookup_sync(QUERY, primary, fallback, policy=POLICY, clock=clock)


def scripted_tool(make=make_bounded_web_search_tool, **options):
    primary, fallback, clock = scripted_pair()
    return make(primary, fallback, policy=POLICY, clock=clock, **options)


def agent_with(tool, *queries):
    """An agent whose model calls the tool once with each query, all in one turn."""
    calls = [
        FunctionCall(id=f"call-{number}", name=tool.name, arguments=json.dumps({"query": query}))
        for number, query in enumerate(queries)
    ]
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    info = ModelInfo(
        vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False
    )
    model = ReplayChatCompletionClient(
        [CreateResult(finish_reason="function_calls", content=calls, usage=usage, cached=False)], model_info=info
    )
    return AssistantAgent("researcher", model, tools=[tool])


def tool_results(run):
    return [item for event in run.messages if isinstance(event, ToolCallExecutionEvent) for item in event.content]


class Waiting:
    """A transport that never answers; says when it has been asked and when it has been left."""

    name = "waiting"

    def __init__(self):
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    def target_for(self, query):
        return "https://waiting.invalid/"

    async def fetch(self, request, slice_ms, cancellation_token):
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.left.set()


@pytest.fixture
def silent_server():
    """(base URL, event that is set when a request has come, event that is set when the client has hung up)."""
    listener = socket.create_server(("127.0.0.1", 0))
    asked, hung_up = threading.Event(), threading.Event()

    def serve():
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(10)
            while connection.recv(65536):
                asked.set()
        hung_up.set()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked, hung_up
    listener.close()
    thread.join(5)


# ---- what the model sees


@pytest.mark.parametrize("make", [make_bounded_web_search_tool, BoundedWebTool])
def test_the_schema_has_exactly_the_query(make):
    tool = scripted_tool(make)
    assert tool.name == DEFAULT_TOOL_NAME == "bounded_web_search"
    assert tool.description == TOOL_DESCRIPTION
    schema = tool.schema
    assert (schema["name"], schema["description"]) == (DEFAULT_TOOL_NAME, TOOL_DESCRIPTION)
    parameters = schema["parameters"]
    assert parameters["type"] == "object"
    assert parameters["required"] == ["query"]
    assert list(parameters["properties"]) == ["query"]
    assert parameters["properties"]["query"]["type"] == "string"
    assert parameters["properties"]["query"]["description"]


def test_it_is_a_function_tool_with_a_name_of_choice():
    tool = scripted_tool(name="look_up", description="Looks things up.")
    assert isinstance(tool, FunctionTool)
    assert (tool.name, tool.description) == ("look_up", "Looks things up.")


def test_the_description_names_every_next_action():
    assert all(action in TOOL_DESCRIPTION for action in b.NextAction)


@pytest.mark.parametrize("make", [make_bounded_web_search_tool, BoundedWebTool])
def test_the_model_receives_the_receipt_as_json(make):
    run = asyncio.run(agent_with(scripted_tool(make), QUERY).run(task="Look it up."))
    (result,) = tool_results(run)
    assert result.content == str(scripted_receipt())
    assert (result.name, result.call_id, result.is_error) == (DEFAULT_TOOL_NAME, "call-0", False)
    received = json.loads(result.content)
    expected = {
        "outcome": "useful_result",
        "next_action": "use_result",
        "fallback_used": True,
        "attempts_used": 2,
        "elapsed_ms": 700,
        "budget_ms": 2000,
    }
    assert list(received.items())[:6] == list(expected.items())


def test_the_short_view_is_for_the_model_only():
    run = asyncio.run(agent_with(scripted_tool(view="model"), QUERY).run(task="Look it up."))
    (result,) = tool_results(run)
    assert result.content == scripted_receipt().for_model()
    with pytest.raises(ValueError, match="view"):
        scripted_tool(view="short")


def test_text_in_any_script_arrives_as_it_is():
    clock = b.ManualClock()
    snippet = "日本語の検索結果はそのままの文字でモデルに届きます。 — naïve 🙂"
    response = b.TransportResponse(200, b.hits(("日本語の検索", "https://example.org/ja", snippet)))
    primary = b.ScriptedTransport("ja", [b.ScriptedStep(5, response)], clock)
    tool = make_bounded_web_search_tool(primary, clock=clock)
    (result,) = tool_results(asyncio.run(agent_with(tool, "日本語の検索").run(task="調べて。")))
    assert snippet in result.content


def test_several_calls_of_one_turn_each_get_a_receipt():
    run = asyncio.run(agent_with(scripted_tool(), QUERY, "", "sk-" + "a1B2" * 12).run(task="Look it up."))
    outcomes = [json.loads(result.content)["outcome"] for result in tool_results(run)]
    assert outcomes == ["useful_result", "blocked_by_policy", "blocked_by_policy"]


def test_a_transport_that_raises_tells_the_model_nothing_of_its_text():
    class Raising:
        name = "raising"

        def target_for(self, query):
            raise RuntimeError("https://user:password@example.org/")

        async def fetch(self, request, slice_ms, cancellation_token):
            raise RuntimeError("https://user:password@example.org/")

    (result,) = tool_results(asyncio.run(agent_with(make_bounded_web_search_tool(Raising()), QUERY).run(task="?")))
    receipt = b.Receipt.from_json(result.content)
    assert receipt.outcome is b.Outcome.TRANSPORT_FAILED
    assert receipt.attempts[0].failure_detail is b.FailureDetail.TRANSPORT_RAISED
    assert "password" not in result.content


def test_wrong_arguments_are_refused_when_the_tool_is_made():
    primary, _, _ = scripted_pair()
    with pytest.raises(TypeError, match="primary"):
        make_bounded_web_search_tool(None)
    with pytest.raises(TypeError, match="policy"):
        make_bounded_web_search_tool(primary, policy={"budget_ms": 1})
    with pytest.raises(TypeError, match="fallback"):
        BoundedWebTool(primary, 3)


def test_the_receipt_object_is_what_a_direct_call_gets():
    tool = scripted_tool()
    receipt = asyncio.run(tool.run_json({"query": QUERY}, CancellationToken()))
    assert receipt == scripted_receipt()
    assert tool.return_value_as_string(receipt) == receipt.to_json()


def test_a_silent_provider_ends_at_the_budget_inside_an_agent(silent_server):
    base_url, _, hung_up = silent_server
    transport = b.HttpTransport("embedded", base_url=base_url)
    tool = make_bounded_web_search_tool(transport, policy=b.FallbackPolicy(budget_ms=300))
    (result,) = tool_results(asyncio.run(agent_with(tool, QUERY).run(task="?")))
    receipt = b.Receipt.from_json(result.content)
    assert (receipt.outcome, receipt.next_action) == (b.Outcome.TRANSPORT_FAILED, b.NextAction.RETRY_LATER)
    assert [attempt.status for attempt in receipt.attempts] == [b.AttemptStatus.TRANSPORT_TIMEOUT]
    assert 300 <= receipt.elapsed_ms <= 305
    assert hung_up.wait(5)


# ---- cancellation


@pytest.mark.parametrize("make", [make_bounded_web_search_tool, BoundedWebTool])
def test_a_token_cancelled_during_the_call_ends_the_agent_s_run(make):
    async def scenario():
        waiting, token = Waiting(), CancellationToken()
        run = asyncio.create_task(agent_with(make(waiting), QUERY).run(task="?", cancellation_token=token))
        await asyncio.wait_for(waiting.asked.wait(), 5)
        token.cancel()
        result = await asyncio.wait_for(run, 5)
        await asyncio.wait_for(waiting.left.wait(), 5)
        return result

    (result,) = tool_results(asyncio.run(scenario()))
    receipt = b.Receipt.from_json(result.content)
    assert (receipt.outcome, receipt.next_action) == (b.Outcome.TRANSPORT_FAILED, b.NextAction.STOP)
    assert [attempt.status for attempt in receipt.attempts] == [b.AttemptStatus.CANCELLED]


def test_a_token_cancelled_from_another_thread_reaches_the_socket(silent_server):
    base_url, asked, hung_up = silent_server

    async def scenario():
        token = CancellationToken()
        tool = make_bounded_web_search_tool(b.HttpTransport("embedded", base_url=base_url))
        run = asyncio.create_task(agent_with(tool, QUERY).run(task="?", cancellation_token=token))
        assert await asyncio.to_thread(asked.wait, 5)
        threading.Thread(target=token.cancel).start()
        return await asyncio.wait_for(run, 5)

    started = time.monotonic()
    (result,) = tool_results(asyncio.run(scenario()))
    assert hung_up.wait(5)
    assert time.monotonic() - started < 4
    assert [attempt.status for attempt in b.Receipt.from_json(result.content).attempts] == [b.AttemptStatus.CANCELLED]


def test_a_token_cancelled_before_the_call_ends_it_without_dialling():
    async def scenario():
        waiting, token = Waiting(), CancellationToken()
        token.cancel()
        receipt = await make_bounded_web_search_tool(waiting).run_json({"query": QUERY}, token)
        assert not waiting.asked.is_set()
        return receipt

    receipt = asyncio.run(scenario())
    assert [(attempt.status, attempt.elapsed_ms) for attempt in receipt.attempts] == [(b.AttemptStatus.CANCELLED, 0)]


@pytest.mark.parametrize("native", [False, True])
def test_cancelling_the_awaiting_task_raises(native, silent_server):
    base_url, asked, hung_up = silent_server

    async def scenario():
        waiting = Waiting()
        transport = b.HttpTransport("embedded", base_url=base_url) if native else waiting
        tool = make_bounded_web_search_tool(transport)
        task = asyncio.create_task(tool.run_json({"query": QUERY}, CancellationToken()))
        if native:
            assert await asyncio.to_thread(asked.wait, 5)
        else:
            await asyncio.wait_for(waiting.asked.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        if native:
            assert await asyncio.to_thread(hung_up.wait, 5)
        else:
            await asyncio.wait_for(waiting.left.wait(), 5)

    asyncio.run(scenario())


# ---- the component


@pytest.fixture(scope="module")
def index_url():
    index = LocalIndex.of(
        [Document("Bounded web", "https://example.org/web", "Bounded web lookups always end on time.")]
    )
    with LocalIndexServer(index) as server:
        yield server.base_url
    index.close()


KEYED = {
    "name": "keyed",
    "key": {"env": "BWT_TEST_DOOR_KEY", "in": "header", "name": "X-Key"},
    "request": {"base_url": "http://127.0.0.1:9", "path": "/search", "params": {"q": "{query}"}},
    "answer": {"hits": "results", "title": "title", "url": "url", "snippet": "snippet"},
}


def test_it_is_dumped_and_loaded_and_works_again(index_url):
    tool = BoundedWebTool(
        b.HttpTransport("embedded", base_url=index_url, name="docs"),
        b.HttpTransport("searxng"),
        policy=b.FallbackPolicy(budget_ms=3000, refuse_secrets_in_query=False),
        validator=b.EvidenceValidator(min_snippet_chars=10),
        name="look_up",
        view="model",
    )
    model = tool.dump_component()
    assert model.provider == "bounded_web_tool.autogen.BoundedWebTool"
    assert model.component_type == "tool"
    saved = model.model_dump_json()
    loaded = BoundedWebTool.load_component(ComponentModel.model_validate_json(saved))
    assert isinstance(loaded, BoundedWebTool)
    assert isinstance(loaded, BaseTool)
    assert loaded.dump_component() == model
    assert loaded.schema == tool.schema
    answer = json.loads(asyncio.run(loaded.run_json({"query": QUERY}, CancellationToken())))
    assert (answer["outcome"], answer["results"][0]["url"]) == ("useful_result", "https://example.org/web")


def test_defaults_are_written_short(index_url):
    config = BoundedWebTool(b.HttpTransport("embedded", base_url=index_url)).dump_component().config
    assert config["primary"] == {"spec": "embedded", "base_url": index_url}
    assert "fallback" not in config
    assert "validator" not in config


@pytest.mark.parametrize("given", [True, False])
def test_no_key_is_written(monkeypatch, given):
    key = "very-secret-key-0123456789"
    monkeypatch.setenv("BWT_TEST_DOOR_KEY", key)
    tool = BoundedWebTool(b.HttpTransport(KEYED, api_key=key if given else None))
    model = tool.dump_component()
    assert key not in model.model_dump_json()
    assert "BWT_TEST_DOOR_KEY" in model.model_dump_json()
    assert BoundedWebTool.load_component(model).dump_component() == model
    monkeypatch.delenv("BWT_TEST_DOOR_KEY")
    with pytest.raises(ValueError, match="BWT_TEST_DOOR_KEY"):
        BoundedWebTool.load_component(model)


def test_what_cannot_be_saved_says_so(index_url):
    primary, fallback, clock = scripted_pair()
    native = b.HttpTransport("embedded", base_url=index_url)
    with b.Engine() as engine:
        refused = {
            "primary": BoundedWebTool(primary),
            "fallback": BoundedWebTool(native, fallback),
            "clock": BoundedWebTool(native, clock=clock),
            "validator": BoundedWebTool(native, validator=Accepting()),
            "engine": BoundedWebTool(b.HttpTransport("embedded", base_url=index_url, engine=engine)),
            "BoundedWebTool": make_bounded_web_search_tool(native),
        }
        for word, tool in refused.items():
            with pytest.raises(TypeError, match=word):
                tool.dump_component()


class Accepting:
    def validate(self, query, response):
        return b.USEFUL


def test_nothing_but_the_call_is_logged(caplog):
    with caplog.at_level(logging.DEBUG, logger="bounded_web_tool"):
        asyncio.run(scripted_tool().run_json({"query": QUERY}, CancellationToken()))
    assert [record for record in caplog.records if record.name.startswith("bounded_web_tool")] == []
