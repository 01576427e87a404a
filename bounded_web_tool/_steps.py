"""The lookup step by step, when a part of it is Python: a generator between the plan and the two doors.

It yields the calls that a door has to make, is sent how they ended, and returns the receipt.
"""

from __future__ import annotations

from functools import partial

from bounded_web_tool._bounded_call import Call, ended, is_coroutine_function
from bounded_web_tool._core import (
    AttemptStatus,
    CancellationToken,
    FailureDetail,
    NotUsefulReason,
    Plan,
    TransportRequest,
    TransportResponse,
    Verdict,
    monotonic_ns,
    read_clock_ns,
)
from bounded_web_tool.transport_error import TransportError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from bounded_web_tool._arguments import Request, Slot
    from bounded_web_tool._bounded_call import Ended
    from bounded_web_tool._core import _Failure, Receipt

NS_PER_MS = 1_000_000
# The engine ends its attempts by itself: the limit on waiting for it is a second net.
ENGINE_GRACE_NS = 100 * NS_PER_MS
NO_VERDICT = Verdict(False, NotUsefulReason.UNPARSEABLE_PAYLOAD)
TRANSPORT_RAISED = (AttemptStatus.TRANSPORT_ERROR, FailureDetail.TRANSPORT_RAISED)


def steps_of(request: Request, token: CancellationToken) -> Generator[Call, Ended, Receipt]:
    """The clock is read once a decision; real time limits each call as well, and all of them together."""
    now_ns = read_clock_ns(request.clock)
    end_ns = monotonic_ns() + request.policy.budget_ms * NS_PER_MS
    plan = _new_plan(request, now_ns)
    while True:
        if token.is_cancelled():
            plan.cancel(now_ns)
        dial = plan.next(now_ns)
        if dial is None:
            return plan.seal(now_ns)
        index, slice_ms, least_ms = dial
        limit_ns = min(slice_ms * NS_PER_MS, end_ns - monotonic_ns())
        if limit_ns <= 0:
            plan.report_failure(now_ns, AttemptStatus.SKIPPED_NO_BUDGET)
            continue
        attempt = Attempt(request, plan, index, slice_ms, least_ms)
        result = yield from attempt.run(limit_ns, token)
        now_ns = read_clock_ns(request.clock)
        plan.set_target(attempt.target)
        if token.is_cancelled() or not _report(plan, now_ns, result, attempt.slot):
            continue
        verdict, now_ns = yield from _judge(request, plan, result.value, now_ns, end_ns)
        if verdict.useful or not token.is_cancelled():  # what has been judged useful wins over a cancel
            plan.report_verdict(verdict)


def _new_plan(request: Request, now_ns: int) -> Plan:
    primary, *rest = (slot.name for slot in request.slots)
    return Plan(request.query, request.policy, request.evidence, primary, rest[0] if rest else None, now_ns)


class Attempt:
    """One fetch of one transport."""

    __slots__ = ("_least_ms", "_max_results", "_query", "_slice_ms", "_token", "slot", "target")

    def __init__(self, request: Request, plan: Plan, index: int, slice_ms: int, least_ms: int) -> None:
        assert plan.query is not None
        self.slot = request.slots[index]
        self.target: str | None = None
        self._query = plan.query
        self._max_results = request.policy.max_results
        self._slice_ms = slice_ms
        self._least_ms = least_ms
        self._token = CancellationToken()

    def run(self, limit_ns: int, token: CancellationToken) -> Generator[Call, Ended, Ended]:
        """Its own token is cancelled with the lookup's, and when nobody waits for the fetch any more."""
        result: Ended | None = None
        token.add_callback(self._token.cancel)
        try:
            result = ended(self._play) if self.slot.scripted is not None else (yield self._call(limit_ns))
        finally:
            token.remove_callback(self._token.cancel)
            if result is None or result.overrun:
                self._token.cancel()
        _raise_if_fatal(result)
        return result

    def _call(self, limit_ns: int) -> Call:
        if self.slot.http is not None:
            limit_ns += ENGINE_GRACE_NS
            return Call(self._fetch_http, limit_ns, on_loop=True, blocking=self._fetch_http_blocking)
        return Call(self._fetch, limit_ns, on_loop=is_coroutine_function(self.slot.fetch))

    def _fetch(self) -> Any:
        """The target is asked for here because that, too, is code of the transport and takes from its slice."""
        self._ask_target()
        request = TransportRequest(self._query, self.target, self._max_results)
        return self.slot.fetch(request, self._slice_ms, self._token)

    def _play(self) -> TransportResponse:
        assert self.slot.scripted is not None
        self._ask_target()
        return self.slot.scripted.play(self._slice_ms)

    def _ask_target(self) -> None:
        try:
            target = self.slot.target_for(self._query)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            return
        if isinstance(target, str):
            self.target = target

    async def _fetch_http(self) -> TransportResponse | _Failure:
        http = self.slot.http
        assert http is not None
        self.target = http._provider.target_for(self._query, self._max_results)
        return await http._fetch_answer(self._query, self._max_results, self._slice_ms, self._least_ms, self._token)

    def _fetch_http_blocking(self) -> TransportResponse | _Failure:
        http = self.slot.http
        assert http is not None
        self.target = http._provider.target_for(self._query, self._max_results)
        return http._fetch_answer_blocking(
            self._query, self._max_results, self._slice_ms, self._least_ms, self._token
        )


def _raise_if_fatal(result: Ended) -> None:
    if isinstance(result.error, (KeyboardInterrupt, SystemExit)):
        raise result.error


def _report(plan: Plan, now_ns: int, result: Ended, slot: Slot) -> bool:
    """Tells the plan what the attempt brought. True: the response waits for a verdict."""
    error, value = result.error, result.value
    if result.overrun or isinstance(error, TimeoutError):
        plan.report_failure(now_ns, AttemptStatus.TRANSPORT_TIMEOUT)
    elif isinstance(error, TransportError):
        _report_transport_error(plan, now_ns, error)
    elif error is not None and slot.http is not None and isinstance(error, (RuntimeError, MemoryError)):
        raise error  # the engine cannot run here at all, and the message says what to do
    elif isinstance(value, TransportResponse):
        return plan.report_response(now_ns, value)
    elif slot.http is not None and error is None:
        plan.report_failure(now_ns, *value)
    else:
        plan.report_failure(now_ns, *TRANSPORT_RAISED)
    return False


def _report_transport_error(plan: Plan, now_ns: int, error: TransportError) -> None:
    """A subclass may have left out or overwritten what ``TransportError`` has checked."""
    try:
        checked = TransportError(error.status, error.detail, error.http_status, error.retry_after_ms)
    except Exception:
        plan.report_failure(now_ns, *TRANSPORT_RAISED)
    else:
        plan.report_failure(now_ns, checked.status, checked.detail, checked.http_status, checked.retry_after_ms)


def _judge(
    request: Request, plan: Plan, response: TransportResponse, now_ns: int, end_ns: int
) -> Generator[Call, Ended, tuple[Verdict, int]]:
    """The verdict of a custom validator, which must come within the budget, and the time it came."""
    left_ns = plan.remaining_ms(now_ns) * NS_PER_MS
    limit_ns = max(end_ns - monotonic_ns(), 0)
    result = yield Call(partial(request.validate, plan.query, response), limit_ns)
    _raise_if_fatal(result)
    then_ns = read_clock_ns(request.clock)
    in_time = not result.overrun and then_ns - now_ns <= left_ns
    verdict = result.value if in_time and isinstance(result.value, Verdict) else NO_VERDICT
    return verdict, then_ns
