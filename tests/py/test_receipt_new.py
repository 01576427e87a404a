"""Making receipts and attempt records: what is derived, what is refused, and how a refusal is worded."""

import collections
import types

import pytest
from receipts import ATTEMPT_FIELDS, BLOCKED, FALLBACK, NAMES_OF_BODIES, PRIMARY, RECEIPT_FIELDS, USEFUL, failed, made_from

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
    assert (receipt.results, receipt.results_truncated) == ((), False)
    assert (receipt.kind, receipt.schema_version) == ("lookup", "1")
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
