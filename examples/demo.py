"""Eight lookups in a scripted world: no network, no waiting, the same bytes on every run.

    python examples/demo.py
"""

import asyncio

from bounded_web_tool import (
    FallbackPolicy,
    ManualClock,
    Receipt,
    ScriptedStep,
    ScriptedTransport,
    TransportError,
    TransportResponse,
    bounded_web_lookup,
    hits,
)

QUERY = "python asyncio timeout"
POLICY = FallbackPolicy(budget_ms=2000, per_attempt_ms=1200)

USEFUL = TransportResponse(
    200,
    hits(
        (
            "asyncio.timeout",
            "https://docs.example/asyncio/timeout",
            "An asynchronous context manager that limits how long Python may wait; asyncio then raises TimeoutError.",
        )
    ),
)
EMPTY = TransportResponse(200)
TOO_SHORT = TransportResponse(200, hits(("asyncio timeout", "https://forum.example/4711", "same problem here")))
REJECTED_KEY = TransportError("auth_failed", http_status=401)


class World:
    """A primary and perhaps a fallback, each with one scripted answer, on one clock."""

    def __init__(self, primary: ScriptedStep, fallback: ScriptedStep | None = None) -> None:
        self.clock = ManualClock()
        self.primary = ScriptedTransport("primary-search", [primary], self.clock)
        self.fallback = None if fallback is None else ScriptedTransport("backup-search", [fallback], self.clock)

    async def look_up(self, query: str = QUERY, policy: FallbackPolicy = POLICY) -> Receipt:
        return await bounded_web_lookup(query, self.primary, self.fallback, policy=policy, clock=self.clock)


async def primary_succeeds() -> list[str]:
    world = World(ScriptedStep(300, USEFUL), ScriptedStep(400, USEFUL))
    receipt = await world.look_up()
    return [receipt.explain(), f"fallback fetch() calls: {world.fallback.calls}"]


def world_of_scenario_2() -> World:
    return World(ScriptedStep(300, EMPTY), ScriptedStep(400, USEFUL))


async def empty_so_fall_back() -> list[str]:
    receipt = await world_of_scenario_2().look_up()
    return [receipt.explain()]


async def neither_usable() -> list[str]:
    receipt = await World(ScriptedStep(300, EMPTY), ScriptedStep(300, TOO_SHORT)).look_up()
    return [receipt.explain()]


async def two_slow_providers() -> list[str]:
    receipt = await World(ScriptedStep(5000, USEFUL), ScriptedStep(5000, USEFUL)).look_up()
    return [receipt.explain()]


async def no_runway_for_the_fallback() -> list[str]:
    world = World(ScriptedStep(1150, EMPTY), ScriptedStep(100, USEFUL))
    receipt = await world.look_up(policy=FallbackPolicy(budget_ms=1300, per_attempt_ms=1200))
    return [receipt.explain(), f"fallback fetch() calls: {world.fallback.calls}"]


async def rejected_credentials() -> list[str]:
    receipt = await World(ScriptedStep(80, error=REJECTED_KEY), ScriptedStep(80, error=REJECTED_KEY)).look_up()
    return [receipt.explain()]


async def refused_locally() -> list[str]:
    world = World(ScriptedStep(300, USEFUL))
    receipt = await world.look_up(query=" \t ")
    return [receipt.explain(), f"primary fetch() calls: {world.primary.calls}"]


async def inside_an_autogen_agent() -> list[str]:
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.messages import ToolCallExecutionEvent
    from autogen_core import FunctionCall
    from autogen_core.models import CreateResult, ModelFamily, ModelInfo, RequestUsage
    from autogen_ext.models.replay import ReplayChatCompletionClient

    from bounded_web_tool import system_prompt_fragment
    from bounded_web_tool.autogen import make_bounded_web_search_tool

    world = world_of_scenario_2()
    tool = make_bounded_web_search_tool(world.primary, world.fallback, policy=POLICY, clock=world.clock)
    call = FunctionCall(id="call-1", name=tool.name, arguments=f'{{"query": "{QUERY}"}}')
    model = ReplayChatCompletionClient(
        [
            CreateResult(
                finish_reason="function_calls",
                content=[call],
                usage=RequestUsage(prompt_tokens=0, completion_tokens=0),
                cached=False,
            )
        ],
        model_info=ModelInfo(
            vision=False,
            function_calling=True,
            json_output=False,
            family=ModelFamily.UNKNOWN,
            structured_output=False,
        ),
    )
    agent = AssistantAgent(
        "researcher", model_client=model, tools=[tool], system_message=system_prompt_fragment()
    )
    answer = await agent.run(task=f"How do I limit the time of an await? Search for {QUERY!r}.")
    (executed,) = [message for message in answer.messages if isinstance(message, ToolCallExecutionEvent)]
    (result,) = executed.content
    return [f"the model calls {call.name}({call.arguments}) and receives:", result.content]


SCENARIOS = [
    ("primary succeeds", primary_succeeds),
    ("200 with an empty result set, so fall back", empty_so_fall_back),
    ("both answered, neither usable", neither_usable),
    ("two 5 s providers, 2 s budget, 1.2 s cap", two_slow_providers),
    ("fallback skipped without runway", no_runway_for_the_fallback),
    ("rejected credentials", rejected_credentials),
    ("local refusal", refused_locally),
    ("the tool inside a real AutoGen AssistantAgent", inside_an_autogen_agent),
]


def main() -> None:
    for number, (title, scenario) in enumerate(SCENARIOS, 1):
        print(f"{number}. {title}")
        try:
            lines = asyncio.run(scenario())
        except ModuleNotFoundError as error:
            raise SystemExit(f"   needs {error.name}: pip install 'bounded-web-tool[autogen]'") from None
        for line in lines:
            print(f"   {line}")


if __name__ == "__main__":
    main()
