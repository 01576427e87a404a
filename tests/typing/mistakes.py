"""Mistakes that mypy --strict must find: an unused ignore is an error, so each of these is one."""

from bounded_web_tool import (
    FallbackPolicy,
    Receipt,
    ScriptedStep,
    ScriptedTransport,
    Transport,
    TransportResponse,
    bounded_web_lookup_sync,
)


class NoTransport:
    name = "no transport"


def mistakes(receipt: Receipt, clock: object, transport: Transport) -> None:
    bounded_web_lookup_sync("query", NoTransport())  # type: ignore[arg-type]
    bounded_web_lookup_sync(b"query", receipt)  # type: ignore[arg-type]
    bounded_web_lookup_sync("query", NoTransport(), budget_ms=1)  # type: ignore[arg-type, call-arg]
    bounded_web_lookup_sync("query", transport, cancellation_token=object())  # type: ignore[arg-type]
    FallbackPolicy(2000)  # type: ignore[call-arg]
    FallbackPolicy(budget_ms="2000")  # type: ignore[arg-type]
    ScriptedTransport("name", [ScriptedStep(1, TransportResponse(200))], clock)  # type: ignore[arg-type]
    receipt.outcome = "useful_result"  # type: ignore[misc, assignment]
    receipt.body  # type: ignore[attr-defined]
