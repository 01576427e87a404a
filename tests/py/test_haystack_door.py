"""BoundedWebSearch: the lookup as a Haystack component, in real pipelines, on Haystack 3 and 2.31."""

import asyncio
import inspect
import json
import socket

import pytest
from haystack import Document, Pipeline, component
from haystack.utils import Secret
from haystack_integrations.components.websearch.bounded_web import BoundedWebSearch

from bounded_web_tool import Receipt
from bounded_web_tool._local_documents import Document as Entry
from bounded_web_tool.local_index import LocalIndex, LocalIndexServer

try:  # Haystack 2 has a class of its own for asynchronous pipelines
    from haystack import AsyncPipeline
except ImportError:
    AsyncPipeline = Pipeline

QUERY = "bounded web search"
ENTRIES = [
    Entry(
        f"Bounded search {number}",
        f"https://example.org/{number}",
        f"Entry {number}: a bounded web search ends on time.",
    )
    for number in range(15)
]
KEYED = {
    "name": "keyed",
    "key": {"env": "BWT_TEST_SPEC_KEY", "in": "header", "name": "X-Key"},
    "request": {"base_url": "http://127.0.0.1:9", "path": "/search", "params": {"q": "{query}", "count": "{count}"}},
    "answer": {"hits": "results", "title": "title", "url": "url", "snippet": "snippet"},
}


@pytest.fixture(scope="module")
def base_url():
    index = LocalIndex.of(ENTRIES)
    with LocalIndexServer(index) as server:
        yield server.base_url
    index.close()


@pytest.fixture
def nobody():
    """The address of a port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return f"http://127.0.0.1:{port}"


def both_ways(search, **inputs):
    """run and run_async must say the same, times apart."""
    outputs = [search.run(**inputs), asyncio.run(search.run_async(**inputs))]
    comparable = []
    for output in outputs:
        receipt = json.loads(json.dumps(output["receipt"]))
        receipt["elapsed_ms"] = 0
        for attempt in receipt["attempts"]:
            attempt["elapsed_ms"] = 0
        comparable.append((output["documents"], output["links"], receipt))
    assert comparable[0] == comparable[1]
    return outputs[0]


# ---- what comes out


def test_hits_become_documents_links_and_a_receipt(base_url):
    output = both_ways(BoundedWebSearch("embedded", base_url=base_url), query=QUERY)
    assert list(output) == ["documents", "links", "receipt"]
    assert len(output["documents"]) == 10
    assert all(isinstance(document, Document) for document in output["documents"])
    by_url = {entry.url: entry for entry in ENTRIES}
    for document, link in zip(output["documents"], output["links"], strict=True):
        entry = by_url[link]
        assert document.content == entry.text
        assert document.meta == {"title": entry.title, "url": link}
    receipt = Receipt.from_dict(output["receipt"])
    assert (receipt.outcome, receipt.attempts_used) == ("useful_result", 1)
    assert [hit.url for hit in receipt.results] == output["links"]
    assert type(output["receipt"]) is dict


def test_the_same_hit_is_the_same_document_in_every_run(base_url):
    search = BoundedWebSearch("embedded", base_url=base_url)
    first, second = search.run(QUERY)["documents"], search.run(QUERY)["documents"]
    assert [document.id for document in first] == [document.id for document in second]


@pytest.mark.parametrize(
    ("made_with", "asked_for", "expected"), [(10, None, 10), (3, None, 3), (3, 12, 12), (12, 2, 2)]
)
def test_top_k_bounds_the_documents_and_a_run_may_replace_it(base_url, made_with, asked_for, expected):
    search = BoundedWebSearch("embedded", base_url=base_url, top_k=made_with)
    assert len(both_ways(search, query=QUERY, top_k=asked_for)["documents"]) == expected


def test_the_policy_may_allow_fewer_results_than_top_k(base_url):
    search = BoundedWebSearch("embedded", base_url=base_url, top_k=8, policy={"max_results": 4})
    assert len(search.run(QUERY)["documents"]) == 4
    assert len(search.run(QUERY, top_k=2)["documents"]) == 2


@pytest.mark.parametrize("wrong", [0, -1, True, 2.0, "3"])
def test_a_wrong_top_k_is_refused(base_url, wrong):
    with pytest.raises(ValueError, match="top_k"):
        BoundedWebSearch("embedded", top_k=wrong)
    with pytest.raises(ValueError, match="top_k"):
        BoundedWebSearch("embedded", base_url=base_url).run(QUERY, top_k=wrong)


# ---- what fails is a receipt


def test_a_provider_out_of_reach_gives_a_receipt_and_no_documents(nobody):
    output = both_ways(BoundedWebSearch("embedded", base_url=nobody), query=QUERY)
    assert (output["documents"], output["links"]) == ([], [])
    receipt = Receipt.from_dict(output["receipt"])
    assert (receipt.outcome, receipt.next_action) == ("transport_failed", "retry_later")
    assert [attempt.failure_detail for attempt in receipt.attempts] == ["connect"]


def test_the_fallback_is_asked(nobody, base_url):
    search = BoundedWebSearch(
        "embedded", base_url=nobody, fallback="embedded", fallback_base_url=base_url, policy={"budget_ms": 5000}
    )
    output = both_ways(search, query=QUERY)
    assert output["receipt"]["fallback_used"] is True
    assert output["receipt"]["budget_ms"] == 5000
    assert len(output["documents"]) == 10


@pytest.mark.parametrize(
    ("query", "outcome"),
    [("", "blocked_by_policy"), ("zzzyxw vuuqp", "no_useful_result"), ("AKIA" + "Q7" * 8, "blocked_by_policy")],
)
def test_a_query_that_cannot_help_gives_a_receipt(base_url, query, outcome):
    output = both_ways(BoundedWebSearch("embedded", base_url=base_url), query=query)
    assert (output["documents"], output["receipt"]["outcome"]) == ([], outcome)


def test_a_silent_provider_ends_at_the_budget():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        search = BoundedWebSearch("embedded", base_url=base_url, policy={"budget_ms": 120})
        output = both_ways(search, query=QUERY)
    assert output["receipt"]["outcome"] == "transport_failed"
    assert output["receipt"]["attempts"][0]["status"] == "transport_timeout"
    assert 120 <= output["receipt"]["elapsed_ms"] <= 125


def test_cancelling_the_task_cuts_the_transfer():
    async def scenario(listener):
        search = BoundedWebSearch("embedded", base_url=f"http://127.0.0.1:{listener.getsockname()[1]}")
        task = asyncio.create_task(search.run_async(QUERY))
        connection, _ = await asyncio.to_thread(listener.accept)
        with connection:
            connection.settimeout(5)
            assert (await asyncio.to_thread(connection.recv, 65536)).startswith(b"GET /search?q=")
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(connection.recv, 65536) == b""

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)
        asyncio.run(scenario(listener))


# ---- the configuration


def test_nothing_is_read_before_warm_up(monkeypatch):
    monkeypatch.delenv("BWT_TEST_SPEC_KEY", raising=False)
    monkeypatch.delenv("BWT_TEST_OTHER_KEY", raising=False)
    with pytest.raises(ValueError, match="BWT_TEST_SPEC_KEY"):
        BoundedWebSearch(KEYED).warm_up()
    with pytest.raises(ValueError, match="BWT_TEST_OTHER_KEY"):
        BoundedWebSearch(KEYED, api_key=Secret.from_env_var("BWT_TEST_OTHER_KEY")).warm_up()
    with pytest.raises(ValueError, match="no shipped spec"):
        BoundedWebSearch("nosuchprovider").warm_up()


def test_a_wrong_policy_is_refused_at_once():
    with pytest.raises(ValueError, match="budget_ms"):
        BoundedWebSearch("embedded", policy={"budget_ms": 0})
    with pytest.raises(TypeError):
        BoundedWebSearch("embedded", policy={"nosuchfield": 1})


def test_warm_up_is_done_once(base_url):
    search = BoundedWebSearch("embedded", base_url=base_url)
    search.warm_up()
    transports = search._transports
    search.warm_up()
    search.run(QUERY)
    assert search._transports is transports


def test_both_runs_have_one_signature():
    assert inspect.signature(BoundedWebSearch.run) == inspect.signature(BoundedWebSearch.run_async)
    assert list(inspect.signature(BoundedWebSearch.run).parameters) == ["self", "query", "top_k"]


# ---- in a pipeline


@component
class Answer:
    """Downstream of the search: what a prompt would hold."""

    @component.output_types(text=str)
    def run(self, documents: list[Document]):
        return {"text": "\n".join(f"{document.content} [{document.meta['url']}]" for document in documents)}


def pipeline_with(search, kind=Pipeline):
    pipeline = kind()
    pipeline.add_component("search", search)
    pipeline.add_component("answer", Answer())
    pipeline.connect("search.documents", "answer.documents")
    return pipeline


def check(output):
    assert output["answer"]["text"].count("\n") == 2
    assert output["answer"]["text"].startswith("Entry ")
    assert len(output["search"]["links"]) == 3
    assert output["search"]["receipt"]["outcome"] == "useful_result"


def test_it_feeds_what_comes_after_it_in_a_pipeline(base_url):
    search = BoundedWebSearch("embedded", base_url=base_url, top_k=3)
    check(pipeline_with(search).run({"search": {"query": QUERY}}))


def test_it_runs_in_an_asynchronous_pipeline(base_url):
    search = BoundedWebSearch("embedded", base_url=base_url, top_k=3)
    pipeline = pipeline_with(search, AsyncPipeline)
    check(asyncio.run(pipeline.run_async({"search": {"query": QUERY}})))


def test_a_failing_search_does_not_stop_the_pipeline(nobody):
    output = pipeline_with(BoundedWebSearch("embedded", base_url=nobody)).run({"search": {"query": QUERY}})
    assert output["answer"]["text"] == ""
    assert output["search"]["receipt"]["outcome"] == "transport_failed"


def test_it_is_dumped_and_loaded_without_any_permission(monkeypatch, base_url):
    monkeypatch.setenv("BWT_TEST_OTHER_KEY", "very-secret-key-0123456789")
    search = BoundedWebSearch(
        KEYED,
        base_url=base_url,
        api_key=Secret.from_env_var("BWT_TEST_OTHER_KEY"),
        fallback="searxng",
        fallback_base_url="http://127.0.0.1:9",
        fallback_api_key=Secret.from_env_var("BWT_TEST_SPEC_KEY", strict=False),
        top_k=3,
        policy={"budget_ms": 4000, "refuse_secrets_in_query": False},
    )
    search.warm_up()
    pipeline = Pipeline()
    pipeline.add_component("search", search)
    text = pipeline.dumps()
    assert "very-secret" not in text
    loaded = Pipeline.loads(text)
    assert loaded.dumps() == text
    assert loaded.get_component("search").to_dict() == search.to_dict()
    output = loaded.run({"search": {"query": QUERY}})
    assert len(output["search"]["documents"]) == 3
    assert output["search"]["receipt"]["budget_ms"] == 4000


def test_its_type_lies_in_the_namespace_that_haystack_trusts():
    data = BoundedWebSearch("searxng").to_dict()
    assert data["type"] == "haystack_integrations.components.websearch.bounded_web.websearch.BoundedWebSearch"
    assert data["init_parameters"] == {
        "provider": "searxng",
        "base_url": None,
        "api_key": None,
        "fallback": None,
        "fallback_base_url": None,
        "fallback_api_key": None,
        "top_k": 10,
        "policy": {},
    }
    assert BoundedWebSearch.from_dict(data).to_dict() == data


def test_a_key_given_as_a_token_is_not_written():
    with pytest.raises(ValueError):
        BoundedWebSearch("searxng", api_key=Secret.from_token("very-secret-key")).to_dict()
