"""The value types between a lookup, its transports and its validator, frozen and final."""

import copy
import gc
import json
import pickle
import sys
from collections import UserList

import pytest

from bounded_web_tool import _core
from bounded_web_tool._core import (
    DEFAULT_POLICY,
    DEFAULT_VALIDATOR,
    USEFUL,
    AttemptStatus,
    EvidenceValidator,
    Hit,
    NotUsefulReason,
    Plan,
    Provider,
    TransportRequest,
    TransportResponse,
    Verdict,
    hits,
)

HIT = Hit("Reading JSON", "https://docs.example/json", "How the json module reads a document into objects.")
REQUEST = TransportRequest("parse json", "https://api.example/?q=parse+json", 10)
RESPONSE = TransportResponse(200, [HIT], True)
NOT_USEFUL = Verdict(False, "empty_result_set")
VALIDATOR = EvidenceValidator(2, 5, ["please sign in"], False)
VALUES = {
    Hit: ("title", "url", "snippet"),
    TransportRequest: ("query", "target", "max_results"),
    TransportResponse: ("http_status", "hits", "parse_ok"),
    Verdict: ("useful", "reason"),
    EvidenceValidator: ("min_hits", "min_snippet_chars", "login_wall_markers", "require_term_overlap"),
}
EXAMPLES = [HIT, REQUEST, RESPONSE, NOT_USEFUL, VALIDATOR]
EACH_EXAMPLE = pytest.mark.parametrize("value", EXAMPLES, ids=lambda value: type(value).__name__)


class Text(str):
    """A str that remembers more than its text."""


def fields(value):
    return {name: getattr(value, name) for name in VALUES[type(value)]}


# ---- what all of them share


@EACH_EXAMPLE
def test_rebuilt_by_position_and_by_keyword(value):
    assert type(value)(*fields(value).values()) == value
    assert type(value)(**fields(value)) == value
    assert type(value).__match_args__ == VALUES[type(value)]


@EACH_EXAMPLE
def test_equality_and_hash_follow_the_fields(value):
    twin = type(value)(**fields(value))
    assert twin is not value and twin == value and hash(twin) == hash(value)
    assert value != tuple(fields(value).values()) and value != object()
    with pytest.raises(TypeError):
        value < twin


@EACH_EXAMPLE
def test_copies_are_the_object_and_pickles_are_equal(value):
    assert copy.copy(value) is value and copy.deepcopy(value) is value
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value


@EACH_EXAMPLE
def test_frozen_final_and_public(value):
    cls = type(value)
    for name in VALUES[cls]:
        with pytest.raises(AttributeError):
            setattr(value, name, getattr(value, name))
        with pytest.raises(AttributeError):
            delattr(value, name)
    with pytest.raises(AttributeError):
        value.more = 1
    with pytest.raises(TypeError):
        cls.more = 1
    with pytest.raises(TypeError):
        type("Wider", (cls,), {})
    assert cls.__module__ == "bounded_web_tool"


@EACH_EXAMPLE
def test_unknown_twofold_and_missing_arguments_are_named(value):
    cls, given = type(value), fields(value)
    with pytest.raises(TypeError, match="'surplus'"):
        cls(**given, surplus=1)
    first = next(iter(given))
    with pytest.raises(TypeError, match=first):
        cls(given[first], **given)
    with pytest.raises(TypeError, match="positional"):
        cls(*given.values(), None)
    if cls is not EvidenceValidator:
        with pytest.raises(TypeError, match=first):
            cls()


@EACH_EXAMPLE
def test_instances_are_released(value):
    cls, given = type(value), fields(value)
    texts = [field for field in given.values() if isinstance(field, (str, tuple))]  # small integers are everybody's

    def counts():
        gc.collect()
        return _core.native_bytes(), [sys.getrefcount(shared) for shared in [cls, *texts]]

    before, objects = counts(), len(gc.get_objects())
    for _ in range(1000):
        hash(cls(**given)), repr(value), value == cls(**given), value.__replace__(), value.__reduce__()
        for wrong in given:
            with pytest.raises(TypeError):
                cls(**{**given, wrong: object})
    assert counts() == before
    assert len(gc.get_objects()) < objects + 100


def test_replace_gives_a_new_object():
    assert HIT.__replace__(title="Other") == Hit("Other", HIT.url, HIT.snippet)
    assert RESPONSE.__replace__(http_status=None).http_status is None
    assert VALIDATOR.__replace__(min_hits=3).min_hits == 3
    with pytest.raises(ValueError, match="reason"):
        NOT_USEFUL.__replace__(useful=True)


# ---- Hit and hits()


def test_hit_fields_repr_and_dict():
    assert fields(HIT) == HIT.to_dict()
    assert list(HIT.to_dict()) == ["title", "url", "snippet"]
    assert repr(Hit("a", "b", "c")) == "Hit(title='a', url='b', snippet='c')"


def test_hit_takes_str_only():
    for position, name in enumerate(["title", "url", "snippet"]):
        for wrong in [None, b"x", 1, ["x"]]:
            given = ["a", "b", "c"]
            given[position] = wrong
            with pytest.raises(TypeError, match=f"^{name} must be a str, not {type(wrong).__name__}"):
                Hit(*given)


def test_hit_keeps_text_and_replaces_lone_surrogates():
    hit = Hit("a\ud800b", "\udfff", "\U0001f600 é 漢\x00")
    assert fields(hit) == {"title": "a\ufffdb", "url": "\ufffd", "snippet": "\U0001f600 é 漢\x00"}
    assert Hit("\udce9\udce9", "", "").title == "\ufffd\ufffd"


def test_hit_turns_subclasses_of_str_into_str():
    hit = Hit(Text("a"), Text("b\ud800"), AttemptStatus.CANCELLED)
    assert [type(value) for value in fields(hit).values()] == [str, str, str]
    assert fields(hit) == {"title": "a", "url": "b\ufffd", "snippet": "cancelled"}


def test_hits_takes_hits_and_sequences_of_three():
    made = hits(HIT, ("a", "b", "c"), ["d", "e", "f"], UserList(["g", "h", "i"]))
    assert made == (HIT, Hit("a", "b", "c"), Hit("d", "e", "f"), Hit("g", "h", "i"))
    assert made[0] is HIT
    assert hits() == ()


@pytest.mark.parametrize(
    "item",
    ["abc", Text("abc"), b"abc", None, 3, ("a", "b"), ("a", "b", "c", "d"), ("a", "b", 1), {"title": "a"}, {"a"}],
    ids=repr,
)
def test_hits_refuses_everything_else(item):
    with pytest.raises(TypeError, match="item 1 must be a Hit or a sequence of three str"):
        hits(HIT, item)


# ---- TransportRequest and TransportResponse


def test_request_fields():
    assert fields(TransportRequest(query="q", target=None, max_results=1)) == {
        "query": "q",
        "target": None,
        "max_results": 1,
    }
    for wrong in [{"query": None}, {"target": 5}, {"max_results": True}, {"max_results": "3"}]:
        with pytest.raises(TypeError, match=next(iter(wrong))):
            REQUEST.__replace__(**wrong)
    for count in [0, -1, 2**80]:
        with pytest.raises(ValueError, match="^max_results: "):
            REQUEST.__replace__(max_results=count)


def test_request_repr_shows_no_key():
    request = TransportRequest("json", "https://api.example/?q=json&api_key=abcd1234", 10)
    assert request.target.endswith("abcd1234")
    assert repr(request) == (
        "TransportRequest(query='json', target='https://api.example/?q=json&api_key=[REDACTED]', max_results=10)"
    )


def test_response_defaults_and_iterables():
    assert fields(TransportResponse(None)) == {"http_status": None, "hits": (), "parse_ok": True}
    assert TransportResponse(200, (item for item in [HIT, ("a", "b", "c")])).hits == (HIT, Hit("a", "b", "c"))
    assert TransportResponse(http_status=204, hits=[], parse_ok=False).parse_ok is False
    found = (HIT,)
    assert TransportResponse(200, found).hits == found


@pytest.mark.parametrize("status", [99, 1000, 0, -1, 2**70])
def test_response_refuses_impossible_statuses(status):
    with pytest.raises(ValueError, match="^http_status: "):
        TransportResponse(status)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("http_status", {"http_status": "200"}),
        ("http_status", {"http_status": True}),
        ("http_status", {"http_status": 200.0}),
        ("hits", {"hits": None}),
        ("hits", {"hits": 5}),
        ("hits", {"hits": "abc"}),
        ("hits", {"hits": [HIT, None]}),
        ("parse_ok", {"parse_ok": 1}),
        ("parse_ok", {"parse_ok": None}),
    ],
)
def test_response_refuses_wrong_types(name, given):
    with pytest.raises(TypeError, match=name):
        TransportResponse(**{"http_status": 200, **given})


def test_an_iterable_that_raises_passes_its_exception_on():
    def broken():
        yield HIT
        raise KeyError("broken")

    with pytest.raises(KeyError):
        TransportResponse(200, broken())


def test_a_providers_word_on_a_status_survives_the_way_through_python():
    """A 400 is a failure, unless the spec says that it means no hits."""
    spec = {
        "name": "no-hits-is-400",
        "request": {"base_url": "http://127.0.0.1:9", "path": "/search", "params": {"q": "{query}"}},
        "answer": {"hits": "results", "title": "title", "url": "url", "snippet": "snippet"},
        "rules": [{"status": 400, "then": "empty_result_set"}],
    }
    settled = Provider(json.dumps(spec)).read(400, b"{}", "application/json")
    plain = TransportResponse(400, [], True)
    assert settled == plain and copy.copy(settled) is settled

    def status_of(response):
        plan = Plan("json", DEFAULT_POLICY, DEFAULT_VALIDATOR, "primary", None, 0)
        plan.next(0)
        plan.report_response(1, response)
        plan.next(1)
        return plan.seal(1).attempts[0].status

    assert status_of(plain) is AttemptStatus.TRANSPORT_ERROR
    assert status_of(settled) is AttemptStatus.OK_NOT_USEFUL


# ---- Verdict


def test_verdicts():
    assert USEFUL == Verdict(True) == Verdict(True, None) == Verdict(useful=True, reason=None)
    assert NOT_USEFUL.reason is NotUsefulReason.EMPTY_RESULT_SET
    assert Verdict(False, NotUsefulReason.PAYWALL).reason is NotUsefulReason.PAYWALL
    assert repr(USEFUL) == "Verdict(useful=True, reason=None)"


@pytest.mark.parametrize(
    "given",
    [(True, "login_wall"), (False,), (False, None), (False, "boring"), (False, ""), (False, "\ud800")],
    ids=ascii,
)
def test_contradictions_are_value_errors(given):
    with pytest.raises(ValueError, match="^reason: "):
        Verdict(*given)


@pytest.mark.parametrize("given", [(1,), (None,), ("yes", None), (False, 3), (False, b"login_wall")], ids=repr)
def test_verdict_refuses_wrong_types(given):
    with pytest.raises(TypeError, match="useful|reason"):
        Verdict(*given)


def test_refusals_list_the_members_and_never_the_value():
    with pytest.raises(ValueError) as caught:
        Verdict(False, "s3cr3t-value")
    assert str(caught.value) == "reason: must be one of " + ", ".join(NotUsefulReason)


# ---- EvidenceValidator


def test_validator_defaults():
    assert EvidenceValidator() == DEFAULT_VALIDATOR
    assert fields(DEFAULT_VALIDATOR) | {"login_wall_markers": ()} == {
        "min_hits": 1,
        "min_snippet_chars": 40,
        "login_wall_markers": (),
        "require_term_overlap": True,
    }
    markers = DEFAULT_VALIDATOR.login_wall_markers
    assert type(markers) is tuple and len(markers) > 5 and all(type(marker) is str for marker in markers)
    assert EvidenceValidator(login_wall_markers=None) == DEFAULT_VALIDATOR
    assert EvidenceValidator(login_wall_markers=()).login_wall_markers == ()


def test_validator_judges():
    assert DEFAULT_VALIDATOR.validate("json module", RESPONSE) is USEFUL
    assert DEFAULT_VALIDATOR.validate("json", TransportResponse(200)) == Verdict(False, "empty_result_set")
    assert DEFAULT_VALIDATOR.validate(query="json", response=TransportResponse(200, [HIT], False)) == Verdict(
        False, "unparseable_payload"
    )
    assert DEFAULT_VALIDATOR.validate("gardening", RESPONSE) == Verdict(False, "no_query_terms_matched")
    short = TransportResponse(200, [("json", "https://docs.example/", "json")])
    assert DEFAULT_VALIDATOR.validate("json", short) == Verdict(False, "content_too_short")
    assert VALIDATOR.validate("json", RESPONSE) == Verdict(False, "empty_result_set")


def test_validator_uses_its_own_markers():
    snippet = "Zutritt nur mit Passierschein, also for json files"
    wall = TransportResponse(200, [("Json", "https://docs.example/", snippet)])
    assert DEFAULT_VALIDATOR.validate("json", wall) is USEFUL
    strict = EvidenceValidator(login_wall_markers=(marker for marker in ["passierschein"]))
    assert strict.login_wall_markers == ("passierschein",)
    assert strict.validate("json", wall) == Verdict(False, "login_wall")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("min_hits", {"min_hits": 1.0}),
        ("min_hits", {"min_hits": True}),
        ("min_snippet_chars", {"min_snippet_chars": "40"}),
        ("login_wall_markers", {"login_wall_markers": "log in"}),
        ("login_wall_markers", {"login_wall_markers": 5}),
        ("login_wall_markers", {"login_wall_markers": ["log in", None]}),
        ("require_term_overlap", {"require_term_overlap": None}),
    ],
)
def test_validator_refuses_wrong_types(name, wrong):
    with pytest.raises(TypeError, match=name):
        EvidenceValidator(**wrong)


@pytest.mark.parametrize("wrong", [{"min_hits": 0}, {"min_hits": 2**70}, {"min_snippet_chars": -1}], ids=repr)
def test_validator_refuses_wrong_values(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: "):
        EvidenceValidator(**wrong)


def test_validate_refuses_wrong_types():
    with pytest.raises(TypeError, match="^query must be a str"):
        DEFAULT_VALIDATOR.validate(None, RESPONSE)
    with pytest.raises(TypeError, match="^response must be a TransportResponse, not tuple"):
        DEFAULT_VALIDATOR.validate("json", (200, [HIT]))


def test_validate_takes_any_str():
    lone = "\ud800 json"
    assert DEFAULT_VALIDATOR.validate(lone, RESPONSE).useful in (True, False)
