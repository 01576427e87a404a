"""BoundedRetryWebSearch: the retry rules, the receipt word for word, the deadline, and its place in a Pipeline."""

import threading
import time

import pytest
from haystack import Pipeline, component, default_from_dict, default_to_dict

import bounded_web_tool
from bounded_web_tool.haystack import (
    BoundedRetryWebSearch,
    FakeProviderClient,
    ProviderResponse,
    SearchReceipt,
    TransportError,
    evaluate_payload,
)

ROW = {"title": "Bounded retries", "url": "https://example.org/retries"}
FOUND = ProviderResponse(200, {"results": [ROW]})
EMPTY = ProviderResponse(200, {"results": []})
MALFORMED = ProviderResponse(200, {"hits": []})
BUSY = ProviderResponse(503, {"results": [ROW]})
KEYS = [
    "outcome",
    "task_success",
    "transport_success",
    "provider_used",
    "fallback_used",
    "attempts_total",
    "result_count",
]


def receipt(*values):
    return dict(zip(KEYS, values, strict=True))


def run(*scripts, attempts=2, **options):
    """(output, calls of each provider) of one run over scripted providers."""
    providers = [FakeProviderClient(script) for script in scripts]
    output = BoundedRetryWebSearch(providers, attempts, **options).run(query="bounded retries")
    return output, [provider.calls for provider in providers]


@pytest.fixture
def released():
    """An event that lets go whatever a test left blocked."""
    event = threading.Event()
    yield event
    event.set()


class Blocking:
    def __init__(self, released):
        self.released = released
        self.calls = 0

    def search(self, query):
        self.calls += 1
        self.released.wait(30)
        return FOUND


# ---- the plan


def test_the_first_answer_is_taken():
    output, calls = run([FOUND], [FOUND])
    assert output == {"results": [ROW], "receipt": receipt("ok", True, True, "provider_0", False, 1, 1)}
    assert list(output["receipt"]) == KEYS
    assert calls == [1, 0]


@pytest.mark.parametrize(
    "failure",
    [
        TransportError("reset"),
        TransportError(),
        TransportError("any", "arguments", 3),
        bounded_web_tool.TransportError("rate_limited"),
        TimeoutError(),
        KeyError("x"),
        ProviderResponse(500, {}),
        ProviderResponse(429, None),
        ProviderResponse(301, {"results": [ROW]}),
        ProviderResponse(199, {"results": [ROW]}),
        ProviderResponse(300, {"results": [ROW]}),
        ProviderResponse("200", {"results": [ROW]}),
        ProviderResponse(None, {"results": [ROW]}),
    ],
    ids=repr,
)
def test_what_does_not_complete_is_tried_again_and_then_the_next_provider_is_asked(failure):
    output, calls = run([failure, FOUND])
    assert output["receipt"] == receipt("ok", True, True, "provider_0", False, 2, 1)
    assert calls == [2]
    output, calls = run([failure, failure], [FOUND])
    assert output["receipt"] == receipt("ok", True, True, "provider_1", True, 3, 1)
    assert calls == [2, 1]


@pytest.mark.parametrize("status", [200, 201, 206, 299])
def test_every_2xx_is_complete(status):
    output, _ = run([ProviderResponse(status, {"results": [ROW]})])
    assert output["receipt"]["outcome"] == "ok"


@pytest.mark.parametrize(("useless", "outcome"), [(EMPTY, "empty_results"), (MALFORMED, "malformed_payload")])
def test_a_useless_answer_is_not_asked_for_again(useless, outcome):
    output, calls = run([useless, FOUND], [FOUND])
    assert (output["receipt"]["provider_used"], calls) == ("provider_1", [1, 1])
    output, calls = run([useless, FOUND], [useless])
    assert output == {"results": [], "receipt": receipt(outcome, False, True, "provider_1", True, 2, 0)}
    assert calls == [1, 1]


def test_the_last_provider_names_the_outcome():
    assert run([EMPTY], [TransportError()], attempts=1)[0]["receipt"]["outcome"] == "transport_error"
    assert run([TransportError()], [EMPTY], attempts=1)[0]["receipt"]["outcome"] == "empty_results"


def test_nothing_completes():
    output, calls = run([BUSY, BUSY], [BUSY, BUSY])
    assert output == {"results": [], "receipt": receipt("transport_error", False, False, "provider_1", True, 4, 0)}
    assert calls == [2, 2]
    assert run([BUSY], attempts=1)[0]["receipt"] == receipt(
        "transport_error", False, False, "provider_0", False, 1, 0
    )


def test_no_provider():
    assert run()[0] == {"results": [], "receipt": receipt("no_provider", False, False, None, False, 0, 0)}


def test_a_provider_that_returns_something_else_has_not_completed():
    class Odd:
        def search(self, query):
            return None

    output = BoundedRetryWebSearch([Odd()], 3).run(query="q")
    assert output["receipt"] == receipt("transport_error", False, False, "provider_0", False, 3, 0)


@pytest.mark.parametrize("attempts", [1, 3, 10**30])
def test_the_number_of_attempts_is_the_caller_s(attempts):
    script = [TransportError()] * min(attempts - 1, 5) + [FOUND]
    output, calls = run(script, attempts=attempts)
    assert output["receipt"]["outcome"] == "ok"
    assert calls == [len(script)]


@pytest.mark.parametrize("wrong", [0, -1, True, False, 1.0, "2", None])
def test_a_wrong_number_of_attempts_is_refused(wrong):
    with pytest.raises(ValueError, match="max_attempts_per_provider"):
        BoundedRetryWebSearch([], wrong)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("deadline_ms", [None, 5000])
def test_what_stops_a_program_gets_out(stop, deadline_ms):
    with pytest.raises(stop):
        run([stop()], [FOUND], deadline_ms=deadline_ms)


# ---- the payload


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"results": [ROW]}, ("ok", True, [ROW])),
        ({"results": [{**ROW, "score": 1}, ROW]}, ("ok", True, [ROW, ROW])),
        (
            {"results": [{"title": "t"}, {"url": "u"}, {"title": 1, "url": "u"}, None, "row", ROW]},
            ("ok", True, [ROW]),
        ),
        ({"results": [{"title": "", "url": ""}]}, ("ok", True, [{"title": "", "url": ""}])),
        ({"results": []}, ("empty_results", False, [])),
        ({"results": [{"title": "t"}, None]}, ("malformed_payload", False, [])),
        ({"results": None}, ("malformed_payload", False, [])),
        ({"results": {"0": ROW}}, ("malformed_payload", False, [])),
        ({"results": (ROW,)}, ("malformed_payload", False, [])),
        ({}, ("malformed_payload", False, [])),
        ([ROW], ("malformed_payload", False, [])),
        (None, ("malformed_payload", False, [])),
        ("<html>", ("malformed_payload", False, [])),
        (b"{}", ("malformed_payload", False, [])),
    ],
)
def test_a_payload_is_judged(payload, expected):
    assert evaluate_payload(payload) == expected


def test_an_answer_keeps_only_title_and_url():
    output, _ = run([ProviderResponse(200, {"results": [{**ROW, "body": "secret"}, {"title": "no url"}]})])
    assert output["results"] == [ROW]
    assert output["receipt"]["result_count"] == 1


def test_the_fakes_behave():
    fake = FakeProviderClient([FOUND])
    assert fake.search("q") is FOUND
    with pytest.raises(TransportError):
        fake.search("q")
    assert fake.calls == 2
    assert not issubclass(TransportError, bounded_web_tool.TransportError)
    assert SearchReceipt(**receipt("ok", True, True, "provider_0", False, 1, 1)).to_dict() == receipt(
        "ok", True, True, "provider_0", False, 1, 1
    )


# ---- the deadline


def test_a_call_that_never_returns_is_abandoned_at_the_deadline(released):
    blocked, next_one = Blocking(released), FakeProviderClient([FOUND])
    started = time.monotonic()
    output = BoundedRetryWebSearch([blocked, next_one], deadline_ms=80).run(query="q")
    assert 0.08 <= time.monotonic() - started < 1
    assert output == {"results": [], "receipt": receipt("transport_error", False, False, "provider_0", False, 1, 0)}
    assert (blocked.calls, next_one.calls) == (1, 0)


def test_the_deadline_is_shared_by_all_tries(released):
    output = BoundedRetryWebSearch(
        [FakeProviderClient([]), Blocking(released), FakeProviderClient([FOUND])], 2, deadline_ms=80
    ).run(query="q")
    assert output["receipt"] == receipt("transport_error", False, False, "provider_1", True, 3, 0)


def test_within_the_deadline_nothing_changes():
    output, calls = run([BUSY, BUSY], [FOUND], deadline_ms=60_000)
    assert output == {"results": [ROW], "receipt": receipt("ok", True, True, "provider_1", True, 3, 1)}
    assert calls == [2, 1]
    assert run([BUSY], [EMPTY], attempts=1, deadline_ms=10**30)[0]["receipt"]["outcome"] == "empty_results"


def test_without_a_deadline_the_call_stays_on_the_caller_s_thread():
    seen = []

    class Here:
        def search(self, query):
            seen.append((query, threading.current_thread()))
            return FOUND

    BoundedRetryWebSearch([Here()]).run(query="exactly this")
    assert seen == [("exactly this", threading.current_thread())]


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "80"])
def test_a_wrong_deadline_is_refused(wrong):
    with pytest.raises(ValueError, match="deadline_ms"):
        BoundedRetryWebSearch([], deadline_ms=wrong)


def test_the_deadline_is_keyword_only():
    with pytest.raises(TypeError):
        BoundedRetryWebSearch([], 2, 80)


# ---- in a pipeline


@component
class Citations:
    """Downstream of the search: what a prompt would hold."""

    @component.output_types(lines=list)
    def run(self, results: list):
        return {"lines": [f"{row['title']} <{row['url']}>" for row in results]}


class ConfiguredProvider:
    """A provider that can be written into a pipeline file."""

    def __init__(self, title):
        self.title = title

    def search(self, query):
        return ProviderResponse(
            200, {"results": [{"title": f"{self.title}: {query}", "url": "https://example.org/"}]}
        )

    def to_dict(self):
        return default_to_dict(self, title=self.title)

    @classmethod
    def from_dict(cls, data):
        return default_from_dict(cls, data)


def pipeline_over(*providers):
    pipeline = Pipeline()
    pipeline.add_component("search", BoundedRetryWebSearch(list(providers)))
    pipeline.add_component("citations", Citations())
    pipeline.connect("search.results", "citations.results")
    return pipeline


def test_it_runs_in_a_pipeline_and_its_receipt_is_part_of_the_result():
    output = pipeline_over(FakeProviderClient([BUSY, BUSY]), FakeProviderClient([FOUND])).run(
        {"search": {"query": "bounded retries"}}
    )
    assert output == {
        "citations": {"lines": ["Bounded retries <https://example.org/retries>"]},
        "search": {"receipt": receipt("ok", True, True, "provider_1", True, 3, 1)},
    }


def test_a_failed_search_does_not_stop_the_pipeline():
    output = pipeline_over(FakeProviderClient([])).run({"search": {"query": "q"}})
    assert output["citations"] == {"lines": []}
    assert output["search"]["receipt"]["outcome"] == "transport_error"


def trusted(module):
    """Haystack 3 loads classes of modules that it was told to trust only."""
    try:
        from haystack.core.serialization import allow_deserialization_module
    except ImportError:
        return
    allow_deserialization_module(module)


def test_a_pipeline_with_it_is_dumped_and_loaded():
    trusted("bounded_web_tool")
    trusted(__name__)
    text = pipeline_over(ConfiguredProvider("one")).dumps()
    loaded = Pipeline.loads(text)
    assert loaded.dumps() == text
    assert loaded.run({"search": {"query": "q"}})["citations"] == {"lines": ["one: q <https://example.org/>"]}


def test_a_provider_that_cannot_be_written_is_named():
    with pytest.raises(TypeError, match=r"providers\[1\] \(FakeProviderClient\) has no to_dict"):
        BoundedRetryWebSearch([ConfiguredProvider("one"), FakeProviderClient([])]).to_dict()
