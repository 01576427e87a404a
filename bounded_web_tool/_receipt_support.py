"""What the C receipt types leave to Python: reading JSON, schemas, pydantic's hooks and the notebook's HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bounded_web_tool._core import (
    MAX_RETRY_AFTER_MS,
    SCHEMA_VERSION,
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

JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def from_json(cls: type[Any], text: str | bytes) -> Any:
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ValueError("text: is not valid JSON") from None
    if not isinstance(data, dict):
        raise ValueError("text: must be a JSON object")
    return cls.from_dict(data)


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def validate(cls: type[Any], value: Any) -> Any:
    """An instance as it is; a mapping or JSON text is read."""
    if isinstance(value, cls):
        return value
    if isinstance(value, (str, bytes)):
        return from_json(cls, value)
    if isinstance(value, Mapping):
        return cls.from_dict(value)
    raise TypeError(f"a {cls.__name__}, a mapping or JSON text is expected, not {type(value).__name__}")


# ---- JSON Schema


def _count(lowest: int, highest: int | None = None) -> dict[str, Any]:
    limits = {"minimum": lowest} if highest is None else {"minimum": lowest, "maximum": highest}
    return {"type": "integer", **limits}


def _word(vocabulary: Any) -> dict[str, Any]:
    return {"type": "string", "enum": [member.value for member in vocabulary]}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    widened = {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        widened["enum"] = [*schema["enum"], None]
    return widened


def _record(fields: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


TEXT = {"type": "string"}
FLAG = {"type": "boolean"}
HIT_TYPES = {"title": TEXT, "url": TEXT, "snippet": TEXT}
ATTEMPT_TYPES = {
    "index": _count(0, 1),
    "role": _word(AttemptRole),
    "transport": TEXT,
    "status": _word(AttemptStatus),
    "elapsed_ms": _count(0),
    "target": _nullable(TEXT),
    "http_status": _nullable(_count(100, 999)),
    "not_useful_reason": _nullable(_word(NotUsefulReason)),
    "failure_detail": _nullable(_word(FailureDetail)),
    "hit_count": _nullable(_count(0)),
}


def _described(cls: type[Any], types: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    fields = {name: {**types[name], "description": about["description"]} for name, about in cls.model_fields.items()}
    return {"title": cls.__name__, **_record(fields)}


RECEIPT_TYPES = {
    "outcome": _word(Outcome),
    "next_action": _word(NextAction),
    "fallback_used": FLAG,
    "attempts_used": _count(0, 2),
    "elapsed_ms": _count(0),
    "budget_ms": _count(1),
    "attempts_allowed": _count(1, 2),
    "retry_after_ms": _nullable(_count(0, MAX_RETRY_AFTER_MS)),
    "policy_reason": _nullable(_word(PolicyReason)),
    "results": {"type": "array", "items": _record(HIT_TYPES)},
    "results_truncated": FLAG,
    "attempts": {"type": "array", "maxItems": 2, "items": _described(AttemptRecord, ATTEMPT_TYPES)},
    "kind": {"type": "string", "enum": ["lookup", "page"]},
    "schema_version": {"type": "string", "const": SCHEMA_VERSION},
}


def json_schema(cls: type[Any]) -> dict[str, Any]:
    """The schema of ``to_json()``: self-contained, every key required, no other allowed."""
    schema = _described(cls, RECEIPT_TYPES if cls is Receipt else ATTEMPT_TYPES)
    copy: dict[str, Any] = json.loads(json.dumps({"$schema": JSON_SCHEMA_DIALECT, **schema}))
    return copy


# ---- pydantic


def core_schema(cls: type[Any], source: Any, handler: Any) -> Any:
    from pydantic_core import core_schema as schemas

    def read(value: Any) -> Any:
        try:
            return validate(cls, value)
        except TypeError as error:  # pydantic reports a ValueError and lets a TypeError through
            raise ValueError(str(error)) from None

    def write(value: Any) -> dict[str, Any]:
        fields: dict[str, Any] = value.to_dict()
        return fields

    return schemas.no_info_plain_validator_function(
        read, serialization=schemas.plain_serializer_function_ser_schema(write)
    )


def pydantic_json_schema(cls: type[Any], core_schema: Any, handler: Any) -> dict[str, Any]:
    schema = json_schema(cls)
    del schema["$schema"]  # it becomes a part of a larger one
    return schema


# ---- notebooks

ATTEMPT_COLUMNS = ("role", "transport", "status", "elapsed_ms", "http_status", "hit_count", "target")


def repr_html(receipt: Receipt) -> str:
    heading = f"<b>{receipt.outcome}</b> &rarr; {receipt.next_action}, {receipt.elapsed_ms} of {receipt.budget_ms} ms"
    parts = [f"<div><p>{heading}</p>", _attempt_table(receipt.attempts)]
    if receipt.policy_reason is not None:
        parts.append(f"<p>{receipt.policy_reason}: {_escape(receipt.policy_reason.__doc__)}</p>")
    if receipt.results:
        parts.append(f"<ol>{''.join(_hit_item(hit) for hit in receipt.results)}</ol>")
    return "".join(parts) + "</div>"


def _escape(value: Any) -> str:
    from html import escape

    return "" if value is None else escape(str(value))


def _attempt_table(attempts: tuple[AttemptRecord, ...]) -> str:
    if not attempts:
        return ""
    heads = "".join(f"<th>{column}</th>" for column in ATTEMPT_COLUMNS)
    rows = (
        "".join(f"<td>{_escape(getattr(attempt, column))}</td>" for column in ATTEMPT_COLUMNS) for attempt in attempts
    )
    return f"<table><tr>{heads}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _hit_item(hit: Hit) -> str:
    """Only web addresses become links: the URL is the provider's word."""
    title = _escape(hit.title or hit.url)
    if hit.url.lower().startswith(("http://", "https://")):
        title = f'<a href="{_escape(hit.url)}" rel="noopener noreferrer">{title}</a>'
    return f"<li>{title}<br>{_escape(hit.snippet)}</li>"
