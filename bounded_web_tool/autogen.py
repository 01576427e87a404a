"""The lookup as an AutoGen tool: a function tool for any transport, and a component that can be saved.

No ``from __future__ import annotations`` here: AutoGen resolves the annotations of a tool at module level.
"""

import time
from typing import Annotated, Any, Literal, Self

from autogen_core import CancellationToken, Component
from autogen_core.tools import BaseTool, FunctionTool
from pydantic import BaseModel, Field

from bounded_web_tool._arguments import Request
from bounded_web_tool._core import (
    DEFAULT_POLICY,
    DEFAULT_VALIDATOR,
    Engine,
    EvidenceValidator,
    FallbackPolicy,
    NextAction,
    Receipt,
    redact_url,
)
from bounded_web_tool.http import HttpTransport
from bounded_web_tool.lookup import _lookup_async
from bounded_web_tool.transports import Clock, Transport, UsefulnessValidator

__all__ = ["DEFAULT_TOOL_NAME", "TOOL_DESCRIPTION", "BoundedWebTool", "make_bounded_web_search_tool"]

View = Literal["full", "model"]

DEFAULT_TOOL_NAME = "bounded_web_search"
TOOL_DESCRIPTION = (
    "Search the web once, within a fixed time budget. The answer is a JSON receipt: "
    f"do exactly what its next_action says ({', '.join(NextAction)}). "
    "results holds the title, url and snippet of each hit, and is empty unless the outcome is useful_result."
)
QUERY_DESCRIPTION = "What to search for, in a few words."


class _Search:
    """A lookup whose arguments have been checked, so that a wrong one fails here and not in front of the model."""

    def __init__(
        self,
        primary: Transport,
        fallback: Transport | None,
        policy: FallbackPolicy,
        validator: UsefulnessValidator,
        clock: Clock,
        view: View,
    ) -> None:
        Request("", primary, fallback, policy, validator, clock, None)
        if view not in ("full", "model"):
            raise ValueError("view must be 'full' or 'model'")
        self.transports = primary, fallback
        self.options: dict[str, Any] = {"policy": policy, "validator": validator, "clock": clock}
        self.view = view

    async def __call__(self, query: str, cancellation_token: CancellationToken) -> Receipt | str:
        # AutoGen cancels the token and the task that runs the tool; an agent whose tool then raises waits for ever.
        request = Request(query, *self.transports, **self.options, token=cancellation_token)
        receipt = await _lookup_async(request, cancellation_token.is_cancelled)
        return receipt.for_model() if self.view == "model" else receipt


class _LookupTool(FunctionTool):
    """A FunctionTool over a closure: AutoGen would save its source without what it closes over."""

    def _to_config(self) -> Any:
        raise TypeError("this tool cannot be saved; make a bounded_web_tool.autogen.BoundedWebTool instead")


def make_bounded_web_search_tool(
    primary: Transport,
    fallback: Transport | None = None,
    *,
    policy: FallbackPolicy = DEFAULT_POLICY,
    validator: UsefulnessValidator = DEFAULT_VALIDATOR,
    clock: Clock = time.monotonic,
    name: str = DEFAULT_TOOL_NAME,
    description: str = TOOL_DESCRIPTION,
    view: View = "full",
) -> FunctionTool:
    """A tool with one argument, ``query``, whose result is the receipt: the model reads its JSON.

    ``view="model"`` gives the model the short form, ``Receipt.for_model()``. Cancelling the token of a run ends the
    lookup with a receipt; cancelling the task that awaits it raises ``CancelledError`` as usual.
    """
    search = _Search(primary, fallback, policy, validator, clock, view)

    async def bounded_web_search(
        query: Annotated[str, QUERY_DESCRIPTION], cancellation_token: CancellationToken
    ) -> Receipt | str:
        return await search(query, cancellation_token)

    return _LookupTool(bounded_web_search, description=description, name=name)


class TransportConfig(BaseModel):
    """An ``HttpTransport`` without its key, which is read from the environment variable that the spec names."""

    spec: str | dict[str, Any]
    base_url: str | None = None
    name: str | None = None


class ValidatorConfig(BaseModel):
    """The arguments of ``EvidenceValidator``."""

    min_hits: int
    min_snippet_chars: int
    login_wall_markers: list[str]
    require_term_overlap: bool


class BoundedWebToolConfig(BaseModel):
    """What is saved of a ``BoundedWebTool``. ``policy`` holds the arguments of ``FallbackPolicy``."""

    primary: TransportConfig
    fallback: TransportConfig | None = None
    policy: dict[str, Any] = Field(default_factory=dict)
    validator: ValidatorConfig | None = None
    name: str = DEFAULT_TOOL_NAME
    description: str = TOOL_DESCRIPTION
    view: View = "full"


class BoundedWebToolArgs(BaseModel):
    query: str = Field(description=QUERY_DESCRIPTION)


class BoundedWebTool(BaseTool[BoundedWebToolArgs, Any], Component[BoundedWebToolConfig]):
    """The same tool as a component. One over ``HttpTransport`` can be dumped and loaded; no key is ever written."""

    component_config_schema = BoundedWebToolConfig
    component_provider_override = "bounded_web_tool.autogen.BoundedWebTool"

    def __init__(
        self,
        primary: Transport,
        fallback: Transport | None = None,
        *,
        policy: FallbackPolicy = DEFAULT_POLICY,
        validator: UsefulnessValidator = DEFAULT_VALIDATOR,
        clock: Clock = time.monotonic,
        name: str = DEFAULT_TOOL_NAME,
        description: str = TOOL_DESCRIPTION,
        view: View = "full",
    ) -> None:
        self._search = _Search(primary, fallback, policy, validator, clock, view)
        super().__init__(BoundedWebToolArgs, object, name, description)

    async def run(self, args: BoundedWebToolArgs, cancellation_token: CancellationToken) -> Any:
        return await self._search(args.query, cancellation_token)

    def _to_config(self) -> BoundedWebToolConfig:
        primary, fallback = self._search.transports
        options = self._search.options
        if options["clock"] is not time.monotonic:
            raise TypeError("a tool with a clock of its own cannot be saved")
        return BoundedWebToolConfig(
            primary=_transport_config(primary, "primary"),
            fallback=None if fallback is None else _transport_config(fallback, "fallback"),
            policy=options["policy"].to_dict(),
            validator=_validator_config(options["validator"]),
            name=self.name,
            description=self.description,
            view=self._search.view,
        )

    @classmethod
    def _from_config(cls, config: BoundedWebToolConfig) -> Self:
        fallback, validator = config.fallback, config.validator
        return cls(
            HttpTransport(**config.primary.model_dump()),
            None if fallback is None else HttpTransport(**fallback.model_dump()),
            policy=FallbackPolicy(**config.policy),
            validator=DEFAULT_VALIDATOR if validator is None else EvidenceValidator(**validator.model_dump()),
            name=config.name,
            description=config.description,
            view=config.view,
        )


def _transport_config(transport: Transport, role: str) -> TransportConfig:
    if type(transport) is not HttpTransport:
        raise TypeError(f"{role}: only an HttpTransport can be saved, not {type(transport).__name__}")
    if transport.engine is not Engine.default():
        raise TypeError(f"{role}: a transport on an engine of its own cannot be saved")
    recipe = transport.recipe
    if recipe["base_url"] is not None and redact_url(recipe["base_url"]) != recipe["base_url"]:
        raise TypeError(f"{role}: a transport whose base_url holds a secret cannot be saved")
    return TransportConfig(**recipe)


def _validator_config(validator: UsefulnessValidator) -> ValidatorConfig | None:
    if validator is DEFAULT_VALIDATOR:
        return None
    if type(validator) is not EvidenceValidator:
        raise TypeError(f"validator: only an EvidenceValidator can be saved, not {type(validator).__name__}")
    return ValidatorConfig(
        min_hits=validator.min_hits,
        min_snippet_chars=validator.min_snippet_chars,
        login_wall_markers=list(validator.login_wall_markers),
        require_term_overlap=validator.require_term_overlap,
    )
