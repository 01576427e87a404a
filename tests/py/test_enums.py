"""The vocabularies as Python enums: exact members, in order, with their documentation."""

import copy
import enum
import pickle

import pytest

from bounded_web_tool import _core

MEMBERS = {
    "Outcome": ["useful_result", "no_useful_result", "transport_failed", "budget_exhausted", "blocked_by_policy"],
    "NextAction": ["use_result", "answer_from_prior_knowledge", "ask_user_to_narrow", "retry_later", "stop"],
    "AttemptRole": ["primary", "fallback"],
    "AttemptStatus": [
        "ok_useful",
        "ok_not_useful",
        "transport_error",
        "transport_timeout",
        "rate_limited",
        "auth_failed",
        "quota_exhausted",
        "cancelled",
        "refused_by_policy",
        "skipped_no_budget",
        "skipped_resting",
    ],
    "NotUsefulReason": [
        "unparseable_payload",
        "empty_result_set",
        "login_wall",
        "content_too_short",
        "no_query_terms_matched",
        "consent_wall",
        "challenge_page",
        "script_required",
        "paywall",
        "not_found_page",
        "binary_content",
        "undecodable_text",
    ],
    "FailureDetail": [
        "dns",
        "connect",
        "tls",
        "proxy",
        "redirect",
        "protocol",
        "content_encoding",
        "too_large",
        "read",
        "provider_error",
        "transport_raised",
    ],
    "PolicyReason": [
        "empty_query",
        "query_too_long",
        "malformed_query",
        "secret_in_query",
        "malformed_url",
        "scheme_not_allowed",
        "port_not_allowed",
        "domain_not_allowed",
        "private_address",
        "call_limit_reached",
        "repeated_call",
    ],
}
EVERY_MEMBER = [
    pytest.param(member, id=f"{name}.{member.name}") for name in MEMBERS for member in getattr(_core, name)
]


@pytest.mark.parametrize("name", MEMBERS)
def test_members_are_exactly_these_in_this_order(name):
    vocabulary = getattr(_core, name)
    assert [member.value for member in vocabulary] == MEMBERS[name]
    assert [member.name for member in vocabulary] == [wire.upper() for wire in MEMBERS[name]]


def test_schema_version_goes_with_these_members():
    assert _core.SCHEMA_VERSION == "1"


@pytest.mark.parametrize("name", MEMBERS)
def test_class_is_a_documented_strenum_of_the_public_module(name):
    vocabulary = getattr(_core, name)
    assert issubclass(vocabulary, enum.StrEnum)
    assert (vocabulary.__module__, vocabulary.__qualname__, vocabulary.__name__) == ("bounded_web_tool", name, name)
    assert vocabulary.__doc__.endswith(".")
    documents = [member.__doc__ for member in vocabulary]
    assert all(document.endswith(".") and document != vocabulary.__doc__ for document in documents)
    assert len(set(documents)) == len(documents)


@pytest.mark.parametrize("member", EVERY_MEMBER)
def test_text_of_a_member_is_its_wire_value(member):
    wire = member.value
    assert type(wire) is str
    assert [str(member), format(member), f"{member}", "%s" % member] == [wire] * 4
    assert member == wire and hash(member) == hash(wire)
    assert type(member)(wire) is member
    assert repr(member) == f"<{type(member).__name__}.{member.name}: {wire!r}>"


@pytest.mark.parametrize("member", EVERY_MEMBER)
def test_member_survives_copies_and_pickles_as_itself(member):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(member, protocol)) is member
    assert copy.copy(member) is member
    assert copy.deepcopy(member) is member


def test_unknown_word_is_a_value_error():
    with pytest.raises(ValueError):
        _core.Outcome("useful")
