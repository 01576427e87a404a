"""Web lookups for agents that always end on time and always answer with a receipt."""

from __future__ import annotations

from bounded_web_tool._core import (
    DEFAULT_POLICY,
    DEFAULT_VALIDATOR,
    SCHEMA_VERSION,
    USEFUL,
    AttemptRecord,
    AttemptRole,
    AttemptStatus,
    Budget,
    CancellationToken,
    Engine,
    EvidenceValidator,
    FailureDetail,
    FallbackPolicy,
    Hit,
    NextAction,
    NotUsefulReason,
    Outcome,
    PolicyReason,
    Receipt,
    TransportRequest,
    TransportResponse,
    Verdict,
    decide_next_action,
    hits,
    redact_text,
    redact_url,
)
from bounded_web_tool._core import VERSION as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bounded_web_tool.http import HttpTransport
    from bounded_web_tool.lookup import bounded_web_lookup, bounded_web_lookup_sync
    from bounded_web_tool.prompt import receipt_json_schema, system_prompt_fragment
    from bounded_web_tool.scripted import ManualClock, ScriptedStep, ScriptedTransport
    from bounded_web_tool.transport_error import TransportError
    from bounded_web_tool.transports import Clock, Transport, UsefulnessValidator

__all__ = [
    "DEFAULT_POLICY",
    "DEFAULT_VALIDATOR",
    "SCHEMA_VERSION",
    "USEFUL",
    "AttemptRecord",
    "AttemptRole",
    "AttemptStatus",
    "Budget",
    "CancellationToken",
    "Clock",
    "Engine",
    "EvidenceValidator",
    "FailureDetail",
    "FallbackPolicy",
    "Hit",
    "HttpTransport",
    "ManualClock",
    "NextAction",
    "NotUsefulReason",
    "Outcome",
    "PolicyReason",
    "Receipt",
    "ScriptedStep",
    "ScriptedTransport",
    "Transport",
    "TransportError",
    "TransportRequest",
    "TransportResponse",
    "UsefulnessValidator",
    "Verdict",
    "__version__",
    "bounded_web_lookup",
    "bounded_web_lookup_sync",
    "decide_next_action",
    "hits",
    "receipt_json_schema",
    "redact_text",
    "redact_url",
    "system_prompt_fragment",
]


# What is written in Python is imported when it is first asked for: the import of the package stays cheap.
_MODULES = {
    "Clock": "transports",
    "HttpTransport": "http",
    "ManualClock": "scripted",
    "ScriptedStep": "scripted",
    "ScriptedTransport": "scripted",
    "Transport": "transports",
    "TransportError": "transport_error",
    "UsefulnessValidator": "transports",
    "bounded_web_lookup": "lookup",
    "bounded_web_lookup_sync": "lookup",
    "receipt_json_schema": "prompt",
    "system_prompt_fragment": "prompt",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
