"""The value types between a lookup, its transports and its validator, and the functions beside them."""

import copy
import gc
import pickle
import re
import sys
import threading
from collections import UserList
from types import SimpleNamespace

import pytest

from bounded_web_tool import _core
from bounded_web_tool._core import (
    DEFAULT_VALIDATOR,
    USEFUL,
    AttemptStatus,
    EvidenceValidator,
    Hit,
    NextAction,
    NotUsefulReason,
    Outcome,
    TransportRequest,
    TransportResponse,
    Verdict,
    decide_next_action,
    hits,
    redact_text,
    redact_url,
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
    ["abc", Text("abc"), b"abc", None, 3, ("a", "b"), ("a", "b", "c", "d"), ("a", "b", 1), {"title": "a"}, {"a", "b", "c"}],
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


# ---- Verdict


def test_verdicts():
    assert USEFUL == Verdict(True) == Verdict(True, None) == Verdict(useful=True, reason=None)
    assert NOT_USEFUL.reason is NotUsefulReason.EMPTY_RESULT_SET
    assert Verdict(False, NotUsefulReason.PAYWALL).reason is NotUsefulReason.PAYWALL
    assert repr(USEFUL) == "Verdict(useful=True, reason=None)"


@pytest.mark.parametrize(
    "given", [(True, "login_wall"), (False,), (False, None), (False, "boring"), (False, ""), (False, "\ud800")], ids=repr
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
    wall = TransportResponse(200, [("Json", "https://docs.example/", "Zutritt nur mit Passierschein, also for json files")])
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


# ---- decide_next_action


def trail(*statuses):
    return [SimpleNamespace(status=status) for status in statuses]


@pytest.mark.parametrize(
    ("outcome", "attempts", "kind", "expected"),
    [
        ("useful_result", trail("ok_useful"), "lookup", "use_result"),
        (Outcome.BLOCKED_BY_POLICY, [], "lookup", "stop"),
        ("budget_exhausted", trail("skipped_no_budget"), "lookup", "answer_from_prior_knowledge"),
        ("no_useful_result", trail("ok_not_useful"), "lookup", "ask_user_to_narrow"),
        ("no_useful_result", trail("ok_not_useful"), "page", "answer_from_prior_knowledge"),
        ("transport_failed", trail("transport_timeout", "rate_limited"), "lookup", "retry_later"),
        ("transport_failed", trail("transport_timeout", AttemptStatus.AUTH_FAILED), "lookup", "stop"),
        ("transport_failed", trail("quota_exhausted"), "page", "stop"),
        ("transport_failed", iter(trail("cancelled")), "lookup", "stop"),
        ("transport_failed", trail(*["transport_error"] * 100), "lookup", "retry_later"),
    ],
)
def test_next_action_table(outcome, attempts, kind, expected):
    assert decide_next_action(outcome, attempts, kind) is NextAction(expected)


def test_next_action_arguments():
    assert decide_next_action("useful_result", ()) is NextAction.USE_RESULT
    assert decide_next_action(outcome="no_useful_result", attempts=(), kind="page") == "answer_from_prior_knowledge"
    for error, given in [
        (TypeError, (None, [])),
        (ValueError, ("useful", [])),
        (TypeError, ("transport_failed", None)),
        (TypeError, ("transport_failed", [object()])),
        (TypeError, ("transport_failed", trail(None))),
        (ValueError, ("transport_failed", trail("fine"))),
        (ValueError, ("transport_failed", [], "image")),
        (TypeError, ("transport_failed", [], None)),
    ]:
        with pytest.raises(error, match="outcome|attempts|kind"):
            decide_next_action(*given)


# ---- redaction


def test_redaction_gives_the_type_it_was_given():
    masked = "https://api.example/?q=x&api_key=[REDACTED]&page=2"
    assert redact_url("https://api.example/?q=x&api_key=abcd1234&page=2") == masked
    assert redact_url(b"https://api.example/?q=x&api_key=abcd1234&page=2") == masked.encode()
    assert redact_text(Text("nothing here")) == "nothing here"
    assert type(redact_text(Text("nothing here"))) is str


def test_redaction_keeps_what_is_not_sensitive():
    assert redact_text("caf\u00e9 \U0001f600 漢字\x00") == "caf\u00e9 \U0001f600 漢字\x00"
    assert redact_text("lone \ud800 surrogate \udfff") == "lone \ud800 surrogate \udfff"
    assert redact_text(b"\xff\xfe not utf-8 \x80") == b"\xff\xfe not utf-8 \x80"
    assert redact_text("") == "" and redact_url(b"") == b""


@pytest.mark.parametrize("wrong", [None, 5, bytearray(b"x"), ["x"]], ids=repr)
@pytest.mark.parametrize("function", [redact_text, redact_url])
def test_redaction_refuses_other_types(function, wrong):
    with pytest.raises(TypeError, match=f"must be a str or bytes, not {type(wrong).__name__}"):
        function(wrong)


def test_redaction_of_much_text_gives_everything_back():
    much = "plain words and 12 numbers, " * 20_000
    native = _core.native_bytes()
    assert redact_text(much) == much
    assert redact_text(much.encode()) == much.encode()
    assert _core.native_bytes() == native


MUCH_TEXT = "plain words and 12 numbers, " * 100_000
MUCH_HITS = TransportResponse(200, [("t", "u", MUCH_TEXT)])


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda: redact_text(MUCH_TEXT), id="redact_text"),
        pytest.param(lambda: redact_url(MUCH_TEXT.encode()), id="redact_url"),
        pytest.param(lambda: DEFAULT_VALIDATOR.validate("gardening", MUCH_HITS), id="validate"),
    ],
)
def test_much_text_lets_other_threads_run(work):
    """With this switch interval another thread runs only when the GIL is given up."""
    go, ran = threading.Lock(), []
    go.acquire()

    def wait_and_run():
        with go:
            ran.append(True)

    thread = threading.Thread(target=wait_and_run)
    interval = sys.getswitchinterval()
    thread.start()
    try:
        sys.setswitchinterval(1000)
        go.release()
        for _ in range(100):  # a busy machine may need more than one chance to wake the thread
            work()
            if ran:
                break
        assert ran
    finally:
        sys.setswitchinterval(interval)
        thread.join()


# ---- the module


def test_constants():
    assert _core.MAX_RETRY_AFTER_MS == 24 * 60 * 60 * 1000
    assert re.fullmatch(r"\d+\.\d+\.\d+", _core.VERSION)
    assert re.fullmatch(r"\d+\.\d+\.\d+", _core.curl_version())
    assert tuple(map(int, _core.curl_version().split("."))) >= (7, 87, 0)
