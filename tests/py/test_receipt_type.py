"""Receipts and attempt records once made: their views, copies and types, and what they never show."""

import collections
import copy
import gc
import json
import pickle
import sys
import types

import pytest
from receipts import ATTEMPT_FIELDS, BLOCKED, FALLBACK, NAMES_OF_BODIES, PRIMARY, RECEIPT_FIELDS, USEFUL, failed, made_from

from bounded_web_tool import _core
from bounded_web_tool._core import (
    AttemptRecord,
    AttemptRole,
    AttemptStatus,
    Hit,
    NextAction,
    NotUsefulReason,
    Outcome,
    Receipt,
)


# ---- redaction


def test_texts_are_redacted():
    given = {"transport": "by https://u:pw@h.example/", "target": "https://h.example/?api_key=abcd1234"}
    record = AttemptRecord(**failed("transport_error", **given))
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
