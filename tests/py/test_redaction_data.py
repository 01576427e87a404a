"""Redaction over the data of tests/data/redaction: recall by tier, nothing benign changed, exact addresses."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from bounded_web_tool import redact_text, redact_url

DATA = Path(__file__).parent.parent / "data" / "redaction"
LEAST_MASKED = {"prefix": 0.995, "struct": 0.99, "keyed": 0.98, "blob": 0.95, "hard": 0.5}


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def longest_shared_run(secret: str, output: str) -> int:
    longest = 0
    for start in range(len(secret)):
        while start + longest < len(secret) and secret[start : start + longest + 1] in output:
            longest += 1
    return longest


def is_masked(secret: str, output: str) -> bool:
    return secret not in output and longest_shared_run(secret, output) < max(6, len(secret) / 4)


def test_secrets_are_masked_by_tier():
    seen: Counter[str] = Counter()
    masked: Counter[str] = Counter()
    for case in lines("secrets.jsonl"):
        seen[case["tier"]] += 1
        masked[case["tier"]] += is_masked(case["secret"], redact_text(case["text"]))
    assert set(seen) == set(LEAST_MASKED)
    assert {tier for tier, least in LEAST_MASKED.items() if masked[tier] < least * seen[tier]} == set()


def test_benign_text_stays():
    must_stay = [case["text"] for case in lines("benign.jsonl") if not case["ok_to_mask"]]
    assert len(must_stay) > 300
    assert [text for text in must_stay if redact_text(text) != text] == []


def test_addresses_are_exact():
    for case in lines("urls.jsonl"):
        if case.get("debatable"):
            continue
        accepted = [case["expected"], *case.get("accept", [])]
        if case.get("enc") == "latin1":
            assert redact_url(case["url"].encode("latin1")) in [text.encode("latin1") for text in accepted]
        else:
            assert redact_url(case["url"]) in accepted


def test_redacting_an_address_twice_changes_nothing():
    urls = [case["url"] for case in lines("urls.jsonl")]
    assert [url for url in urls if redact_url(redact_url(url)) != redact_url(url)] == []


def test_redacting_a_text_twice_changes_nothing():
    texts = [case["text"] for name in ("secrets.jsonl", "benign.jsonl") for case in lines(name)]
    assert [text for text in texts if redact_text(redact_text(text)) != redact_text(text)] == []
