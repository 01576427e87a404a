"""What models and programs are told about receipts is generated and true."""

import inspect

import jsonschema
import pytest

import bounded_web_tool as bwt
from bounded_web_tool import prompt
from worlds import EMPTY_RESPONSE, POLICY, QUERY, USEFUL_RESPONSE, raising, scripted, useful_fallback

SCHEMA = bwt.receipt_json_schema()
VOCABULARIES = {
    "outcome": bwt.Outcome,
    "next_action": bwt.NextAction,
    "policy_reason": bwt.PolicyReason,
    "role": bwt.AttemptRole,
    "status": bwt.AttemptStatus,
    "not_useful_reason": bwt.NotUsefulReason,
    "failure_detail": bwt.FailureDetail,
}


def receipts():
    clock = bwt.ManualClock()
    token = bwt.CancellationToken()
    token.cancel()
    limited = bwt.TransportError("rate_limited", "provider_error", 429, 1000)
    yield bwt.bounded_web_lookup_sync(QUERY, scripted(clock, (1, USEFUL_RESPONSE)), clock=clock)
    yield bwt.bounded_web_lookup_sync(QUERY, scripted(clock, (1, EMPTY_RESPONSE)), clock=clock)
    yield bwt.bounded_web_lookup_sync(QUERY, raising(limited), raising(KeyError()), clock=clock)
    yield bwt.bounded_web_lookup_sync(QUERY, useful_fallback(clock), cancellation_token=token)
    yield bwt.bounded_web_lookup_sync("", useful_fallback(clock), policy=POLICY, clock=clock)
    yield bwt.bounded_web_lookup_sync(
        QUERY, scripted(clock, (1990, EMPTY_RESPONSE)), useful_fallback(clock), clock=clock,
        policy=bwt.FallbackPolicy(budget_ms=2000),
    )  # fmt: skip


def test_the_fragment_says_what_each_word_demands():
    fragment = bwt.system_prompt_fragment()
    for vocabulary in (bwt.NextAction, bwt.Outcome):
        for member in vocabulary:
            assert f"- {member}: {member.__doc__}\n" in fragment
    assert fragment == bwt.system_prompt_fragment()


def test_the_source_of_the_fragment_holds_no_word_of_a_vocabulary():
    source = inspect.getsource(prompt)
    words = {member.value for vocabulary in VOCABULARIES.values() for member in vocabulary if "_" in member.value}
    assert [word for word in words if word in source] == []


def test_the_schema_is_valid_and_names_its_dialect():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA == bwt.Receipt.model_json_schema()


def test_real_receipts_are_valid():
    validator = jsonschema.Draft202012Validator(SCHEMA)
    all_receipts = list(receipts())
    assert {receipt.outcome for receipt in all_receipts} == set(bwt.Outcome)
    for receipt in all_receipts:
        validator.validate(receipt.to_dict())
        for attempt in receipt.attempts:
            jsonschema.validate(attempt.to_dict(), bwt.AttemptRecord.model_json_schema())


def test_the_schema_lists_every_field_in_the_order_of_the_receipt():
    receipt = next(receipts()).to_dict()
    record = SCHEMA["properties"]["attempts"]["items"]
    hit = SCHEMA["properties"]["results"]["items"]
    for schema, document in [(SCHEMA, receipt), (record, receipt["attempts"][0]), (hit, receipt["results"][0])]:
        assert list(schema["properties"]) == schema["required"] == list(document)
        assert schema["additionalProperties"] is False


def test_the_schema_holds_every_vocabulary_in_order():
    properties = {**SCHEMA["properties"], **SCHEMA["properties"]["attempts"]["items"]["properties"]}
    for name, vocabulary in VOCABULARIES.items():
        assert [word for word in properties[name]["enum"] if word is not None] == list(vocabulary)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "x"},
        {"outcome": "fine"},
        {"elapsed_ms": -1},
        {"elapsed_ms": 1.5},
        {"attempts_used": 3},
        {"retry_after_ms": "soon"},
        {"schema_version": "2"},
        {"results": [{"title": "t", "url": "u", "snippet": "s", "html": "h"}]},
        {"attempts": [{}]},
    ],
)
def test_what_is_no_receipt_is_refused(change):
    document = {**next(receipts()).to_dict(), **change}
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def test_a_missing_field_is_refused():
    document = next(receipts()).to_dict()
    for name in document:
        part = {key: value for key, value in document.items() if key != name}
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(part)


def test_nobody_can_change_the_schema_of_others():
    bwt.receipt_json_schema()["properties"].clear()
    assert bwt.receipt_json_schema() == SCHEMA


# ---- pydantic


def test_a_receipt_as_a_field_of_a_pydantic_model():
    pydantic = pytest.importorskip("pydantic")

    class Answer(pydantic.BaseModel):
        receipt: bwt.Receipt

    receipt = next(receipts())
    for given in (receipt, receipt.to_dict(), receipt.to_json()):
        assert Answer(receipt=given).receipt == receipt
    answer = Answer(receipt=receipt)
    assert answer.model_dump() == {"receipt": receipt.to_dict()}
    assert Answer.model_validate_json(answer.model_dump_json()) == answer
    schema = Answer.model_json_schema()
    jsonschema.Draft202012Validator(schema).validate(answer.model_dump())
    for wrong in (7, {}, {**receipt.to_dict(), "text": "x"}, "{"):
        with pytest.raises(pydantic.ValidationError):
            Answer(receipt=wrong)


def test_the_names_known_from_pydantic():
    receipt = next(receipts())
    assert bwt.Receipt.model_validate(receipt) is receipt
    assert bwt.Receipt.model_validate(receipt.model_dump()) == receipt
    assert bwt.Receipt.model_validate(receipt.model_dump_json().encode()) == receipt
    with pytest.raises(TypeError):
        bwt.Receipt.model_validate(7)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"outcome": NaN}', "[" * 100_000, b"\xff\xfe\xfd"])
def test_what_is_no_json_of_a_receipt(text):
    with pytest.raises(ValueError, match="text") as caught:
        bwt.Receipt.from_json(text)
    assert caught.value.__cause__ is None


def test_from_json_takes_text_and_bytes_only():
    with pytest.raises(TypeError, match="text"):
        bwt.Receipt.from_json({})


# ---- notebooks


def test_the_html_of_a_receipt_is_escaped():
    hostile = ("<script>copper</script>", 'javascript:alert("kettle")', "<b>A copper kettle</b> & what it is good for")
    clock = bwt.ManualClock()
    transport = scripted(clock, (1, bwt.TransportResponse(200, bwt.hits(hostile))), name="<i>")
    html = bwt.bounded_web_lookup_sync(QUERY, transport, clock=clock)._repr_html_()
    assert "<script>" not in html and "<i>" not in html and "<b>A" not in html
    assert "href" not in html
    assert "&lt;script&gt;copper&lt;/script&gt;" in html


def test_the_html_links_to_web_pages():
    assert '<a href="https://kettles.example/copper"' in next(receipts())._repr_html_()
