"""Receipt and AttemptRecord: construction, consistency, views, and what they never show."""

import collections
import copy
import gc
import json
import pickle
import sys
import types

import pytest

from bounded_web_tool import _core
from bounded_web_tool._core import (
    AttemptRecord,
    AttemptRole,
    AttemptStatus,
    FailureDetail,
    Hit,
    NextAction,
    NotUsefulReason,
    Outcome,
    PolicyReason,
    Receipt,
)

RECEIPT_FIELDS = [
    "outcome",
    "next_action",
    "fallback_used",
    "attempts_used",
    "elapsed_ms",
    "budget_ms",
    "attempts_allowed",
    "retry_after_ms",
    "policy_reason",
    "results",
    "results_truncated",
    "attempts",
    "kind",
    "schema_version",
]
ATTEMPT_FIELDS = [
    "index",
    "role",
    "transport",
    "status",
    "elapsed_ms",
    "target",
    "http_status",
    "not_useful_reason",
    "failure_detail",
    "hit_count",
]
PRIMARY = {
    "index": 0,
    "role": "primary",
    "transport": "first",
    "status": "ok_not_useful",
    "elapsed_ms": 300,
    "target": "https://first.example/?q=json",
    "http_status": 200,
    "not_useful_reason": "empty_result_set",
    "failure_detail": None,
    "hit_count": 0,
}
FALLBACK = {
    "index": 1,
    "role": "fallback",
    "transport": "second",
    "status": "ok_useful",
    "elapsed_ms": 400,
    "target": None,
    "http_status": None,
    "not_useful_reason": None,
    "failure_detail": None,
    "hit_count": 2,
}
USEFUL = {
    "outcome": "useful_result",
    "next_action": "use_result",
    "fallback_used": True,
    "attempts_used": 2,
    "elapsed_ms": 700,
    "budget_ms": 2000,
    "attempts_allowed": 2,
    "retry_after_ms": None,
    "policy_reason": None,
    "results": [{"title": "Lesen", "url": "https://docs.example/é", "snippet": 'Wie man "json" liest \u2028\U0001f600'}],
    "results_truncated": True,
    "attempts": [PRIMARY, FALLBACK],
    "kind": "lookup",
    "schema_version": "1",
}
BLOCKED = {
    "outcome": "blocked_by_policy",
    "next_action": "stop",
    "elapsed_ms": 0,
    "budget_ms": 2000,
    "attempts_allowed": 1,
    "policy_reason": "empty_query",
}
NAMES_OF_BODIES = {"text", "body", "raw", "payload", "html", "headers", "response", "content"}


def failed(status, **changes):
    """A record of a failed primary."""
    return {**PRIMARY, "status": status, "not_useful_reason": None, "hit_count": None, "http_status": None, **changes}


def made_from(**changes):
    return Receipt(**{**USEFUL, **changes})


# ---- construction


def test_round_trip_through_keywords():
    receipt = Receipt(**USEFUL)
    assert receipt.to_dict() == USEFUL
    assert Receipt(**receipt.to_dict()) == receipt
    assert list(receipt.to_dict()) == RECEIPT_FIELDS
    assert [list(attempt) for attempt in receipt.to_dict()["attempts"]] == [ATTEMPT_FIELDS] * 2


def test_attributes_are_members_and_tuples():
    receipt = Receipt(**USEFUL)
    assert receipt.outcome is Outcome.USEFUL_RESULT
    assert receipt.next_action is NextAction.USE_RESULT
    assert (receipt.fallback_used, receipt.attempts_used, receipt.attempts_allowed) == (True, 2, 2)
    assert (receipt.elapsed_ms, receipt.budget_ms, receipt.retry_after_ms) == (700, 2000, None)
    assert receipt.results == (Hit(**USEFUL["results"][0]),)
    assert receipt.results_truncated is True
    assert receipt.attempts == (AttemptRecord(**PRIMARY), AttemptRecord(**FALLBACK))
    assert (receipt.policy_reason, receipt.kind, receipt.schema_version) == (None, "lookup", "1")
    assert receipt.attempts[0].not_useful_reason is NotUsefulReason.EMPTY_RESULT_SET
    assert Receipt(**BLOCKED).policy_reason is PolicyReason.EMPTY_QUERY


def test_tuples_are_made_once():
    receipt = Receipt(**USEFUL)
    assert receipt.results is receipt.results
    assert receipt.attempts is receipt.attempts
    assert receipt.to_json() is receipt.to_json()


def test_members_objects_iterators_and_mappings_are_accepted():
    receipt = made_from(
        outcome=Outcome.USEFUL_RESULT,
        next_action=NextAction.USE_RESULT,
        results=(Hit(**hit) for hit in USEFUL["results"]),
        attempts=iter([AttemptRecord(**PRIMARY), types.MappingProxyType(FALLBACK)]),
    )
    assert receipt == Receipt(**USEFUL)
    assert made_from(results=[collections.UserDict(USEFUL["results"][0])]) == receipt


def test_derived_fields():
    given = {name: USEFUL[name] for name in ["outcome", "next_action", "elapsed_ms", "budget_ms", "attempts_allowed"]}
    receipt = Receipt(**given, attempts=[PRIMARY, FALLBACK])
    assert (receipt.attempts_used, receipt.fallback_used) == (2, True)
    assert (receipt.results, receipt.results_truncated, receipt.kind, receipt.schema_version) == ((), False, "lookup", "1")
    assert made_from(attempts_used=None, fallback_used=None) == Receipt(**USEFUL)
    refused = Receipt(**BLOCKED)
    assert (refused.attempts_used, refused.fallback_used, refused.attempts) == (0, False, ())


@pytest.mark.parametrize(
    ("statuses", "used", "fallback_used"),
    [
        (["skipped_no_budget"], 0, False),
        (["transport_timeout", "skipped_no_budget"], 1, False),
        (["skipped_resting", "transport_error"], 1, True),
        (["auth_failed", "auth_failed"], 2, True),
    ],
)
def test_skips_are_not_counted(statuses, used, fallback_used):
    attempts = [failed(statuses[0])]
    if len(statuses) == 2:
        attempts.append(failed(statuses[1], index=1, role="fallback"))
    outcome = "budget_exhausted" if "skipped_no_budget" in statuses else "transport_failed"
    action = _core.decide_next_action(outcome, [types.SimpleNamespace(status=status) for status in statuses])
    receipt = Receipt(
        outcome=outcome, next_action=action, elapsed_ms=1, budget_ms=2, attempts_allowed=2, attempts=attempts
    )
    assert (receipt.attempts_used, receipt.fallback_used) == (used, fallback_used)


@pytest.mark.parametrize(("elapsed_ms", "used"), [(0, 0), (5, 1)])
def test_a_cancelled_attempt_counts_when_it_took_time(elapsed_ms, used):
    given = {
        "outcome": "transport_failed",
        "next_action": "stop",
        "elapsed_ms": elapsed_ms,
        "budget_ms": 10,
        "attempts_allowed": 1,
        "attempts": [failed("cancelled", elapsed_ms=elapsed_ms)],
    }
    assert Receipt(**given).attempts_used == used
    assert [Receipt(**given, attempts_used=count).attempts_used for count in (0, 1)] == [0, 1]


# ---- refusals


@pytest.mark.parametrize("name", ["outcome", "next_action", "elapsed_ms", "budget_ms", "attempts_allowed"])
def test_required_fields(name):
    given = {key: value for key, value in USEFUL.items() if key != name}
    with pytest.raises(TypeError, match=f"missing the argument {name}"):
        Receipt(**given)


@pytest.mark.parametrize("name", ["index", "role", "transport", "status", "elapsed_ms"])
def test_required_fields_of_an_attempt(name):
    given = {key: value for key, value in PRIMARY.items() if key != name}
    with pytest.raises(TypeError, match=f"missing the argument {name}"):
        AttemptRecord(**given)


@pytest.mark.parametrize("name", sorted(NAMES_OF_BODIES | {"extra"}))
def test_unknown_fields(name):
    with pytest.raises(TypeError, match=f"'{name}'"):
        made_from(**{name: "x"})
    with pytest.raises(TypeError, match=f"'{name}'"):
        AttemptRecord(**PRIMARY, **{name: "x"})
    with pytest.raises(TypeError, match=f"'{name}'"):
        made_from(attempts=[PRIMARY, {**FALLBACK, name: "x"}])
    with pytest.raises(TypeError, match=f"'{name}'"):
        made_from(results=[{**USEFUL["results"][0], name: "x"}])


def test_nothing_is_taken_by_position():
    with pytest.raises(TypeError, match="positional"):
        Receipt("useful_result", "use_result", 1, 1, 1)
    with pytest.raises(TypeError, match="positional"):
        AttemptRecord(0, "primary", "t", "ok_useful", 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("outcome", None),
        ("outcome", 1),
        ("next_action", b"use_result"),
        ("fallback_used", 1),
        ("attempts_used", True),
        ("attempts_used", 2.0),
        ("elapsed_ms", None),
        ("elapsed_ms", "700"),
        ("elapsed_ms", False),
        ("budget_ms", 2000.0),
        ("attempts_allowed", None),
        ("retry_after_ms", "1"),
        ("policy_reason", 7),
        ("results", None),
        ("results", "abc"),
        ("results", {}),
        ("results", [("t", "u", "s")]),
        ("results", [None]),
        ("results_truncated", None),
        ("results_truncated", 0),
        ("attempts", None),
        ("attempts", PRIMARY),
        ("attempts", [PRIMARY, 5]),
        ("attempts", [list(PRIMARY)]),
        ("kind", None),
        ("schema_version", 1),
    ],
)
def test_wrong_types_name_the_field(name, value):
    with pytest.raises(TypeError, match=rf"\b{name}\b"):
        made_from(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("index", True),
        ("index", None),
        ("role", 0),
        ("transport", None),
        ("transport", b"first"),
        ("status", None),
        ("elapsed_ms", 1.5),
        ("target", 5),
        ("http_status", "200"),
        ("http_status", True),
        ("not_useful_reason", 1),
        ("failure_detail", []),
        ("hit_count", "0"),
    ],
)
def test_wrong_types_name_the_field_of_an_attempt(name, value):
    with pytest.raises(TypeError, match=rf"\b{name}\b"):
        AttemptRecord(**{**PRIMARY, name: value})
    with pytest.raises(TypeError, match=rf"\b{name}\b"):
        made_from(attempts=[{**PRIMARY, name: value}, FALLBACK])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("outcome", "useful"),
        ("outcome", "no_useful_result"),
        ("next_action", "stop"),
        ("fallback_used", False),
        ("attempts_used", 1),
        ("attempts_used", -1),
        ("attempts_used", 3),
        ("elapsed_ms", -1),
        ("elapsed_ms", 2**63),
        ("budget_ms", 0),
        ("attempts_allowed", 0),
        ("attempts_allowed", 3),
        ("retry_after_ms", 1),
        ("retry_after_ms", -1),
        ("policy_reason", "empty_query"),
        ("attempts", []),
        ("attempts", [FALLBACK]),
        ("attempts", [PRIMARY, PRIMARY]),
        ("attempts", [PRIMARY, FALLBACK, FALLBACK]),
        ("kind", "image"),
        ("schema_version", "2"),
        ("schema_version", ""),
        ("schema_version", "\ud800"),
    ],
)
def test_contradictions_are_value_errors(name, value):
    with pytest.raises(ValueError, match=r"^[a-z_\[\].0-9]+: "):
        made_from(**{name: value})


def test_fewer_attempts_allowed_than_made():
    with pytest.raises(ValueError, match="^attempts: "):
        made_from(attempts_allowed=1)


def test_results_only_with_a_useful_result():
    with pytest.raises(ValueError, match="^results: "):
        Receipt(**BLOCKED, results=USEFUL["results"])
    with pytest.raises(ValueError, match="^policy_reason: "):
        Receipt(**{**BLOCKED, "policy_reason": None})


def test_retry_after_belongs_to_retry_later():
    limited = {
        "outcome": "transport_failed",
        "next_action": "retry_later",
        "elapsed_ms": 5,
        "budget_ms": 10,
        "attempts_allowed": 1,
        "attempts": [failed("rate_limited", http_status=429)],
    }
    assert Receipt(**limited, retry_after_ms=30_000).retry_after_ms == 30_000
    assert Receipt(**limited, retry_after_ms=0).to_dict()["retry_after_ms"] == 0
    assert Receipt(**limited).retry_after_ms is None
    with pytest.raises(ValueError, match="^retry_after_ms: "):
        Receipt(**limited, retry_after_ms=_core.MAX_RETRY_AFTER_MS + 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("index", 1),
        ("index", 2),
        ("role", "fallback"),
        ("role", "third"),
        ("status", "ok"),
        ("status", "ok_useful"),
        ("elapsed_ms", -1),
        ("http_status", 99),
        ("http_status", 1000),
        ("not_useful_reason", None),
        ("not_useful_reason", "boring"),
        ("failure_detail", "dns"),
        ("hit_count", None),
        ("hit_count", -1),
        ("hit_count", 2**70),
    ],
)
def test_contradictions_in_an_attempt_are_value_errors(name, value):
    with pytest.raises(ValueError, match=r"^[a-z_]+: "):
        AttemptRecord(**{**PRIMARY, name: value})


def test_failure_detail_stands_on_failures():
    record = AttemptRecord(**failed("transport_error", failure_detail="tls"))
    assert record.failure_detail is FailureDetail.TLS
    assert (record.status, record.role) == (AttemptStatus.TRANSPORT_ERROR, AttemptRole.PRIMARY)
    with pytest.raises(ValueError, match="^failure_detail: "):
        AttemptRecord(**failed("skipped_no_budget", failure_detail="tls"))


def test_messages_never_hold_the_value():
    secret = "sk-0123456789abcdefghijklmnop"
    refused = []
    for changes in [
        {"outcome": secret},
        {"kind": secret},
        {"schema_version": secret},
        {"results": [secret]},
        {"attempts": [{**PRIMARY, "status": secret}]},
        {"attempts": [{**PRIMARY, "target": [secret]}]},
        {secret: 1},
        {"attempts": [{**PRIMARY, secret: 1}]},
    ]:
        with pytest.raises((TypeError, ValueError)) as caught:
            made_from(**changes)
        refused.append(str(caught.value))
    assert len(refused) == 8 and not [message for message in refused if secret in message]


# ---- redaction


def test_texts_are_redacted():
    record = AttemptRecord(
        **failed("transport_error", transport="by https://u:pw@h.example/", target="https://h.example/?api_key=abcd1234")
    )
    assert record.target == "https://h.example/?api_key=[REDACTED]"
    assert "pw@" not in record.transport
    receipt = made_from(
        results=[{"title": "t", "url": "https://h.example/?token=abcd1234", "snippet": "s"}],
        attempts=[{**PRIMARY, "target": "https://h.example/?api_key=abcd1234"}, FALLBACK],
    )
    for shown in [str(receipt), receipt.for_model(), repr(receipt.results), repr(receipt.attempts), receipt.explain()]:
        assert "abcd1234" not in shown
    assert Receipt(**receipt.to_dict()) == receipt


def test_lone_surrogates_become_replacement_characters():
    receipt = made_from(
        results=[{"title": "a\ud800", "url": "\udfffb", "snippet": "c"}],
        attempts=[{**PRIMARY, "transport": "first\ud800"}, FALLBACK],
    )
    assert receipt.results == (Hit("a\ufffd", "\ufffdb", "c"),)
    assert receipt.attempts[0].transport == "first\ufffd"
    receipt.to_json().encode()


# ---- views


def test_json_is_canonical():
    text = Receipt(**USEFUL).to_json()
    assert text == json.dumps(USEFUL, ensure_ascii=False)
    assert Receipt.from_json(text) == Receipt.from_json(text.encode()) == Receipt(**USEFUL)


def test_str_format_and_short_repr():
    receipt = Receipt(**USEFUL)
    assert str(receipt) == format(receipt) == f"{receipt}" == "%s" % receipt == receipt.to_json()
    assert repr(receipt) == (
        "<Receipt outcome=useful_result next_action=use_result attempts=2/2 elapsed_ms=700/2000>"
    )


def test_explain():
    assert Receipt(**USEFUL).explain() == (
        "outcome=useful_result next_action=use_result attempts=2/2 elapsed_ms=700/2000 "
        "trail=[primary:ok_not_useful -> fallback:ok_useful]"
    )
    assert Receipt(**BLOCKED).explain() == (
        "outcome=blocked_by_policy next_action=stop attempts=0/1 elapsed_ms=0/2000 trail=[none]"
    )


def test_for_model():
    receipt = Receipt(**USEFUL)
    assert json.loads(receipt.for_model()) == {
        "outcome": "useful_result",
        "next_action": "use_result",
        "retryable": False,
        "retry_after_ms": None,
        "results": USEFUL["results"],
    }
    assert list(json.loads(receipt.for_model())) == ["outcome", "next_action", "retryable", "retry_after_ms", "results"]


def plain_types(value):
    if isinstance(value, dict):
        return {type(value)}.union(*map(plain_types, [*value.keys(), *value.values()]))
    if isinstance(value, list):
        return {type(value)}.union(*map(plain_types, value))
    return {type(value)}


@pytest.mark.parametrize("fields", [USEFUL, BLOCKED], ids=["useful", "blocked"])
def test_to_dict_is_plain_and_fresh(fields):
    receipt = Receipt(**fields)
    assert plain_types(receipt.to_dict()) <= {str, int, bool, type(None), list, dict}
    receipt.to_dict()["attempts"].append(None)
    receipt.to_dict()["outcome"] = None
    assert receipt.to_dict() == Receipt(**fields).to_dict()


def test_attempt_views():
    record = AttemptRecord(**PRIMARY)
    assert record.to_dict() == PRIMARY
    assert list(record.to_dict()) == ATTEMPT_FIELDS
    assert plain_types(record.to_dict()) <= {str, int, type(None), dict}
    assert record.to_json() == json.dumps(PRIMARY)
    assert AttemptRecord.from_json(record.to_json()) == AttemptRecord.from_dict(PRIMARY) == record
    assert repr(record).startswith("AttemptRecord(index=0, role=<AttemptRole.PRIMARY: 'primary'>, transport='first', ")
    assert Receipt(**USEFUL).attempts[0].to_json() in Receipt(**USEFUL).to_json()


# ---- reading


@pytest.mark.parametrize("cls", [Receipt, AttemptRecord])
def test_from_dict_takes_mappings_only(cls):
    fields = USEFUL if cls is Receipt else PRIMARY
    assert cls.from_dict(types.MappingProxyType(fields)) == cls(**fields)
    assert cls.from_dict(collections.ChainMap({}, fields)) == cls(**fields)
    for wrong in [None, 5, "x", list(fields.items()), cls(**fields)]:
        with pytest.raises(TypeError, match="^data must be a mapping"):
            cls.from_dict(wrong)
    with pytest.raises(TypeError, match="field names must be str"):
        cls.from_dict({**fields, 1: 2})


def test_the_given_dict_is_left_alone():
    given = copy.deepcopy(USEFUL)
    Receipt.from_dict(given)
    assert given == USEFUL


# ---- names known from pydantic


@pytest.mark.parametrize(("cls", "names"), [(Receipt, RECEIPT_FIELDS), (AttemptRecord, ATTEMPT_FIELDS)])
def test_model_fields(cls, names):
    assert list(cls.model_fields) == names
    assert all(set(about) == {"required", "description"} for about in cls.model_fields.values())
    required = {name for name, about in cls.model_fields.items() if about["required"]}
    if cls is Receipt:
        assert required == {"outcome", "next_action", "elapsed_ms", "budget_ms", "attempts_allowed"}
    else:
        assert required == {"index", "role", "transport", "status", "elapsed_ms"}


@pytest.mark.parametrize(("cls", "fields"), [(Receipt, USEFUL), (AttemptRecord, PRIMARY)])
def test_model_methods(cls, fields):
    value = cls(**fields)
    assert value.model_dump() == value.model_dump(mode="json", exclude_none=True) == value.to_dict()
    assert value.model_dump_json() == value.model_dump_json(indent=2) == value.to_json()
    assert cls.model_validate(value) is value
    assert cls.model_validate(fields) == cls.model_validate(value.to_json(), strict=True) == value
    assert list(cls.model_json_schema()["properties"]) == list(fields)
    assert cls.model_json_schema(mode="validation") == cls.model_json_schema()


def test_pydantic_takes_and_gives_receipts():
    import pydantic

    adapter = pydantic.TypeAdapter(Receipt)
    receipt = Receipt(**USEFUL)
    assert adapter.validate_python(receipt) is receipt
    assert adapter.validate_python(USEFUL) == adapter.validate_json(receipt.to_json()) == receipt
    assert adapter.dump_python(receipt) == USEFUL
    assert json.loads(adapter.dump_json(receipt)) == USEFUL
    assert list(adapter.json_schema()["properties"]) == RECEIPT_FIELDS
    with pytest.raises(pydantic.ValidationError):
        adapter.validate_python({**USEFUL, "outcome": "blocked_by_policy"})


def test_html_names_the_decision():
    html = Receipt(**USEFUL)._repr_html_()
    assert "useful_result" in html and "use_result" in html


# ---- the types


def test_no_field_could_hold_a_body():
    for cls in [Receipt, AttemptRecord]:
        assert not NAMES_OF_BODIES & set(dir(cls))
        assert not NAMES_OF_BODIES & set(cls.model_fields)
    with pytest.raises(AttributeError):
        Receipt(**USEFUL).text


@pytest.mark.parametrize(("cls", "fields"), [(Receipt, USEFUL), (AttemptRecord, PRIMARY)])
def test_frozen_and_final(cls, fields):
    value = cls(**fields)
    for name in fields:
        with pytest.raises(AttributeError):
            setattr(value, name, None)
        with pytest.raises(AttributeError):
            delattr(value, name)
    with pytest.raises(AttributeError):
        value.more = 1
    with pytest.raises(TypeError):
        cls.more = 1
    with pytest.raises(TypeError):
        cls.model_fields = {}
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Wider", (cls,), {})
    assert cls.__module__ == "bounded_web_tool"
    assert value.to_dict() == fields


@pytest.mark.parametrize(("cls", "fields"), [(Receipt, USEFUL), (Receipt, BLOCKED), (AttemptRecord, PRIMARY)])
def test_value_semantics(cls, fields):
    value, twin = cls(**fields), cls(**fields)
    assert value is not twin and value == twin and hash(value) == hash(twin)
    other = cls(**{**fields, "elapsed_ms": 1})
    assert value != other and len({value, twin, other}) == 2
    assert value != value.to_dict() and value != value.to_json()
    with pytest.raises(TypeError):
        value < twin
    assert copy.copy(value) is value and copy.deepcopy(value) is value
    assert copy.deepcopy([value, {"r": value}]) == [value, {"r": value}]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value


def test_receipts_and_refusals_leave_nothing_behind():
    def use():
        receipt = Receipt(**USEFUL)
        receipt.results, receipt.attempts, receipt.to_dict(), receipt.explain(), receipt.for_model()
        hash(receipt), repr(receipt), str(receipt)
        Receipt.from_json(receipt.to_json())
        pickle.loads(pickle.dumps(receipt))
        for name in RECEIPT_FIELDS:
            with pytest.raises(TypeError):
                made_from(**{name: object()})
        with pytest.raises(ValueError):
            made_from(next_action="stop")
        with pytest.raises(ValueError):
            made_from(attempts=[{**PRIMARY, "hit_count": None}])

    def counts():
        gc.collect()
        shared = [Receipt, AttemptRecord, Hit, *Outcome, *NextAction, *AttemptStatus, *AttemptRole, *NotUsefulReason]
        return _core.native_bytes(), [sys.getrefcount(value) for value in shared]

    use()
    before, objects = counts(), len(gc.get_objects())
    for _ in range(300):
        use()
    assert counts() == before
    assert len(gc.get_objects()) < objects + 100
    native = _core.native_bytes()
    kept = [Receipt(**USEFUL) for _ in range(10)]
    assert _core.native_bytes() > native
    del kept
    assert _core.native_bytes() == native
