"""Fields of receipts and attempt records that tests build on."""

from bounded_web_tool._core import Receipt

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
    "results": [
        {"title": "Lesen", "url": "https://docs.example/é", "snippet": 'Wie man "json" liest \u2028\U0001f600'},
    ],
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
