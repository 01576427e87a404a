"""The functions beside the types: next actions, redaction, constants."""

import re
import sys
import threading
from types import SimpleNamespace

import pytest

from bounded_web_tool import _core
from bounded_web_tool._core import (
    DEFAULT_VALIDATOR,
    AttemptStatus,
    NextAction,
    Outcome,
    TransportResponse,
    decide_next_action,
    redact_text,
    redact_url,
)


class Text(str):
    """A str that remembers more than its text."""


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
