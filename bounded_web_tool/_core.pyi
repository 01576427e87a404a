"""The compiled core: types and machines of ``bounded_web_tool`` over its C library.

Names without an underscore that ``bounded_web_tool`` re-exports are public; ``Plan``, ``RetryPlan``, ``Provider`` and
``Outbox`` are the machinery that the package's own Python files drive.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, Literal, Self, TypeAlias, final, overload

VERSION: Final[str]
SCHEMA_VERSION: Final[str]
MAX_RETRY_AFTER_MS: Final[int]
DEFAULT_POLICY: Final[FallbackPolicy]
DEFAULT_VALIDATOR: Final[EvidenceValidator]
USEFUL: Final[Verdict]

class Outcome(StrEnum):
    USEFUL_RESULT = "useful_result"
    NO_USEFUL_RESULT = "no_useful_result"
    TRANSPORT_FAILED = "transport_failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    BLOCKED_BY_POLICY = "blocked_by_policy"

class NextAction(StrEnum):
    USE_RESULT = "use_result"
    ANSWER_FROM_PRIOR_KNOWLEDGE = "answer_from_prior_knowledge"
    ASK_USER_TO_NARROW = "ask_user_to_narrow"
    RETRY_LATER = "retry_later"
    STOP = "stop"

class AttemptRole(StrEnum):
    PRIMARY = "primary"
    FALLBACK = "fallback"

class AttemptStatus(StrEnum):
    OK_USEFUL = "ok_useful"
    OK_NOT_USEFUL = "ok_not_useful"
    TRANSPORT_ERROR = "transport_error"
    TRANSPORT_TIMEOUT = "transport_timeout"
    RATE_LIMITED = "rate_limited"
    AUTH_FAILED = "auth_failed"
    QUOTA_EXHAUSTED = "quota_exhausted"
    CANCELLED = "cancelled"
    REFUSED_BY_POLICY = "refused_by_policy"
    SKIPPED_NO_BUDGET = "skipped_no_budget"
    SKIPPED_RESTING = "skipped_resting"

class NotUsefulReason(StrEnum):
    UNPARSEABLE_PAYLOAD = "unparseable_payload"
    EMPTY_RESULT_SET = "empty_result_set"
    LOGIN_WALL = "login_wall"
    CONTENT_TOO_SHORT = "content_too_short"
    NO_QUERY_TERMS_MATCHED = "no_query_terms_matched"
    CONSENT_WALL = "consent_wall"
    CHALLENGE_PAGE = "challenge_page"
    SCRIPT_REQUIRED = "script_required"
    PAYWALL = "paywall"
    NOT_FOUND_PAGE = "not_found_page"
    BINARY_CONTENT = "binary_content"
    UNDECODABLE_TEXT = "undecodable_text"

class FailureDetail(StrEnum):
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    PROXY = "proxy"
    REDIRECT = "redirect"
    PROTOCOL = "protocol"
    CONTENT_ENCODING = "content_encoding"
    TOO_LARGE = "too_large"
    READ = "read"
    PROVIDER_ERROR = "provider_error"
    TRANSPORT_RAISED = "transport_raised"

class PolicyReason(StrEnum):
    EMPTY_QUERY = "empty_query"
    QUERY_TOO_LONG = "query_too_long"
    MALFORMED_QUERY = "malformed_query"
    SECRET_IN_QUERY = "secret_in_query"
    MALFORMED_URL = "malformed_url"
    SCHEME_NOT_ALLOWED = "scheme_not_allowed"
    PORT_NOT_ALLOWED = "port_not_allowed"
    DOMAIN_NOT_ALLOWED = "domain_not_allowed"
    PRIVATE_ADDRESS = "private_address"
    CALL_LIMIT_REACHED = "call_limit_reached"
    REPEATED_CALL = "repeated_call"

class _Frozen:
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...

@final
class Hit(_Frozen):
    """One search hit. Lone surrogates become U+FFFD. Frozen, hashable, picklable; positional or keyword."""
    __match_args__: Final[tuple[Literal["title"], Literal["url"], Literal["snippet"]]]
    def __new__(cls, title: str, url: str, snippet: str) -> Self: ...
    @property
    def title(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def snippet(self) -> str: ...
    def to_dict(self) -> dict[str, str]: ...
    def __replace__(self, **changes: Any) -> Self: ...

def hits(*items: Hit | Sequence[str]) -> tuple[Hit, ...]:
    """Each item a Hit or a sequence of three str that is not itself a str; anything else is a TypeError."""

@final
class TransportRequest(_Frozen):
    """What a transport is asked: frozen. ``target`` is the address, or None."""
    __match_args__: Final[tuple[Literal["query"], Literal["target"], Literal["max_results"]]]
    def __new__(cls, query: str, target: str | None, max_results: int) -> Self: ...
    @property
    def query(self) -> str: ...
    @property
    def target(self) -> str | None: ...
    @property
    def max_results(self) -> int: ...
    def __replace__(self, **changes: Any) -> Self: ...

@final
class TransportResponse(_Frozen):
    """What a transport brought. ``http_status`` 100..999 or None; ``hits`` any iterable that ``hits()`` would take."""
    __match_args__: Final[tuple[Literal["http_status"], Literal["hits"], Literal["parse_ok"]]]
    def __new__(
        cls, http_status: int | None, hits: Iterable[Hit | Sequence[str]] = ..., parse_ok: bool = True
    ) -> Self: ...
    @property
    def http_status(self) -> int | None: ...
    @property
    def hits(self) -> tuple[Hit, ...]: ...
    @property
    def parse_ok(self) -> bool: ...
    def __replace__(self, **changes: Any) -> Self: ...

@final
class Verdict(_Frozen):
    """(True, None) or (False, reason); ``reason`` a NotUsefulReason or its wire value, else ValueError."""
    __match_args__: Final[tuple[Literal["useful"], Literal["reason"]]]
    def __new__(cls, useful: bool, reason: NotUsefulReason | str | None = None) -> Self: ...
    @property
    def useful(self) -> bool: ...
    @property
    def reason(self) -> NotUsefulReason | None: ...
    def __replace__(self, **changes: Any) -> Self: ...

@final
class FallbackPolicy(_Frozen):
    """The limits of one lookup: frozen, keyword-only; ValueError or TypeError naming the field."""
    def __new__(
        cls,
        *,
        budget_ms: int = 8000,
        per_attempt_ms: int = 5000,
        min_attempt_ms: int = 250,
        max_fallbacks: int = 1,
        max_query_chars: int = 400,
        max_results: int = 10,
        max_snippet_chars: int = 500,
        max_extract_chars: int = 4000,
        refuse_secrets_in_query: bool = True,
    ) -> Self: ...
    @property
    def budget_ms(self) -> int: ...
    @property
    def per_attempt_ms(self) -> int: ...
    @property
    def min_attempt_ms(self) -> int: ...
    @property
    def max_fallbacks(self) -> int: ...
    @property
    def max_query_chars(self) -> int: ...
    @property
    def max_results(self) -> int: ...
    @property
    def max_snippet_chars(self) -> int: ...
    @property
    def max_extract_chars(self) -> int: ...
    @property
    def refuse_secrets_in_query(self) -> bool: ...
    def __replace__(self, **changes: Any) -> Self: ...
    def to_dict(self) -> dict[str, int | bool]: ...

@final
class EvidenceValidator(_Frozen):
    """Judges whether hits are evidence, in C. ``login_wall_markers`` None = the built-in table."""
    __match_args__: Final[tuple[str, str, str, str]]
    def __new__(
        cls,
        min_hits: int = 1,
        min_snippet_chars: int = 40,
        login_wall_markers: Iterable[str] | None = None,
        require_term_overlap: bool = True,
    ) -> Self: ...
    @property
    def min_hits(self) -> int: ...
    @property
    def min_snippet_chars(self) -> int: ...
    @property
    def login_wall_markers(self) -> tuple[str, ...]: ...
    @property
    def require_term_overlap(self) -> bool: ...
    def validate(self, query: str, response: TransportResponse) -> Verdict: ...
    def __replace__(self, **changes: Any) -> Self: ...

@final
class Budget:
    """One deadline on an injected clock (seconds as float, or an object with ``now_ns()``). Integer milliseconds."""

    def __new__(cls, budget_ms: int, clock: Callable[[], float]) -> Self: ...
    @property
    def budget_ms(self) -> int: ...
    def elapsed_ms(self) -> int: ...
    def remaining_ms(self) -> int: ...
    def slice_ms(self, cap_ms: int) -> int: ...

def read_clock_ns(clock: Callable[[], float]) -> int:
    """One reading in ns: ``now_ns()`` where there is one, else the float rounded to the nearest microsecond. A clock that
    raises passes its exception on; a non-number is a TypeError, a non-finite one a ValueError."""

def monotonic_ns() -> int: ...

@final
class CancellationToken:
    """Cancels lookups from any thread. Callbacks run once, in the cancelling thread, with no lock held; an exception in
    one is reported through sys.unraisablehook and does not stop the others. A callback added to a cancelled token runs at
    once. remove_callback of an unknown callback does nothing."""

    def __new__(cls) -> Self: ...
    def cancel(self) -> None: ...
    def is_cancelled(self) -> bool: ...
    def add_callback(self, callback: Callable[[], object], /) -> None: ...
    def remove_callback(self, callback: Callable[[], object], /) -> None: ...

@final
class AttemptRecord(_Frozen):
    """One attempt of a receipt: frozen, keyword-constructed, texts redacted, unknown fields refused."""
    def __new__(
        cls,
        *,
        index: int,
        role: AttemptRole | str,
        status: AttemptStatus | str,
        transport: str,
        elapsed_ms: int,
        target: str | None = None,
        http_status: int | None = None,
        not_useful_reason: NotUsefulReason | str | None = None,
        failure_detail: FailureDetail | str | None = None,
        hit_count: int | None = None,
    ) -> Self: ...
    @property
    def index(self) -> int: ...
    @property
    def role(self) -> AttemptRole: ...
    @property
    def status(self) -> AttemptStatus: ...
    @property
    def transport(self) -> str: ...
    @property
    def elapsed_ms(self) -> int: ...
    @property
    def target(self) -> str | None: ...
    @property
    def http_status(self) -> int | None: ...
    @property
    def not_useful_reason(self) -> NotUsefulReason | None: ...
    @property
    def failure_detail(self) -> FailureDetail | None: ...
    @property
    def hit_count(self) -> int | None: ...
    def to_dict(self) -> dict[str, Any]: ...
    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> Self: ...
    def to_json(self) -> str: ...
    @classmethod
    def from_json(cls, text: str | bytes, /) -> Self: ...
    model_fields: Final[dict[str, Any]]
    def model_dump(self, **options: Any) -> dict[str, Any]: ...
    def model_dump_json(self, **options: Any) -> str: ...
    @classmethod
    def model_validate(cls, value: Any, /, **options: Any) -> Self: ...
    @classmethod
    def model_json_schema(cls, **options: Any) -> dict[str, Any]: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any, /) -> Any: ...
    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any, /) -> dict[str, Any]: ...
    def __replace__(self, **changes: Any) -> Self: ...

@final
class Receipt(_Frozen):
    """The sealed account of one lookup: frozen, redacted, consistent by construction; ``str()`` is its JSON."""
    def __new__(
        cls,
        *,
        outcome: Outcome | str,
        next_action: NextAction | str,
        elapsed_ms: int,
        budget_ms: int,
        attempts_allowed: int,
        fallback_used: bool | None = None,
        attempts_used: int | None = None,
        retry_after_ms: int | None = None,
        policy_reason: PolicyReason | str | None = None,
        results: Iterable[Hit | Mapping[str, str]] = (),
        results_truncated: bool = False,
        attempts: Iterable[AttemptRecord | Mapping[str, Any]] = (),
        kind: Literal["lookup", "page"] = "lookup",
        schema_version: str = "1",
    ) -> Self: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def next_action(self) -> NextAction: ...
    @property
    def fallback_used(self) -> bool: ...
    @property
    def attempts_used(self) -> int: ...
    @property
    def elapsed_ms(self) -> int: ...
    @property
    def budget_ms(self) -> int: ...
    @property
    def attempts_allowed(self) -> int: ...
    @property
    def retry_after_ms(self) -> int | None: ...
    @property
    def policy_reason(self) -> PolicyReason | None: ...
    @property
    def results(self) -> tuple[Hit, ...]: ...
    @property
    def results_truncated(self) -> bool: ...
    @property
    def attempts(self) -> tuple[AttemptRecord, ...]: ...
    @property
    def kind(self) -> Literal["lookup", "page"]: ...
    @property
    def schema_version(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> Self: ...
    def to_json(self) -> str: ...
    @classmethod
    def from_json(cls, text: str | bytes, /) -> Self: ...
    def explain(self) -> str: ...
    def for_model(self) -> str: ...
    model_fields: Final[dict[str, Any]]
    def model_dump(self, **options: Any) -> dict[str, Any]: ...
    def model_dump_json(self, **options: Any) -> str: ...
    @classmethod
    def model_validate(cls, value: Any, /, **options: Any) -> Self: ...
    @classmethod
    def model_json_schema(cls, **options: Any) -> dict[str, Any]: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any, /) -> Any: ...
    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any, /) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

def decide_next_action(
    outcome: Outcome | str, attempts: Iterable[Any], kind: Literal["lookup", "page"] = "lookup"
) -> NextAction:
    """The table of next actions. ``attempts``: objects with a ``status`` (member or wire value)."""

@overload
def redact_text(text: str, /) -> str: ...
@overload
def redact_text(text: bytes, /) -> bytes: ...
@overload
def redact_url(url: str, /) -> str: ...
@overload
def redact_url(url: bytes, /) -> bytes: ...

_Failure: TypeAlias = tuple[str, str | None, int | None, int | None]
"""(status, detail, http_status, retry_after_ms): why an attempt brought no payload."""

@final
class Plan:
    """The lookup's machine (``bwt_plan``): primary and at most one fallback. Times are ns on the caller's clock.

    next -> set_target? -> report_response [-> report_verdict] | report_failure, until next gives None; then seal."""

    def __new__(
        cls,
        query: str,
        policy: FallbackPolicy,
        validator: EvidenceValidator | None,
        primary_name: str,
        fallback_name: str | None,
        now_ns: int,
    ) -> Self: ...
    @property
    def query(self) -> str | None: ...
    def next(self, now_ns: int, /) -> tuple[int, int, int] | None:
        """(0 primary | 1 fallback, slice_ms, least_ms) of the attempt to dial now, or None."""
    def set_target(self, target: str | None, /) -> None: ...
    def report_response(self, now_ns: int, response: TransportResponse, /) -> bool:
        """True: the caller must judge the response and call report_verdict."""
    def report_verdict(self, verdict: Verdict, /) -> None: ...
    def report_failure(
        self,
        now_ns: int,
        status: AttemptStatus | str,
        detail: FailureDetail | str | None = None,
        http_status: int | None = None,
        retry_after_ms: int | None = None,
        /,
    ) -> None: ...
    def remaining_ms(self, now_ns: int, /) -> int: ...
    def cancel(self, now_ns: int, /) -> None: ...
    def seal(self, now_ns: int, /) -> Receipt: ...

@final
class RetryPlan:
    """Ordered providers, several tries each (``bwt_retry_plan``)."""

    def __new__(cls, provider_count: int, tries_per_provider: int, deadline_ns: int | None = None) -> Self: ...
    def next(self, now_ns: int, /) -> int | None: ...
    def report(self, outcome: str, now_ns: int, /) -> None:
        """``outcome``: ok, empty_results, malformed_payload or transport_error."""
    def seal(self) -> dict[str, Any]:
        """outcome, task_success, transport_success, provider_used (``provider_<n>`` or None), fallback_used,
        attempts_total, in this order."""

@final
class Provider:
    """A provider spec compiled from its JSON text; ValueError names the key and what was expected there."""

    def __new__(
        cls, spec: str, /, *, name: str | None = None, base_url: str | None = None, api_key: str | None = None
    ) -> Self: ...
    @property
    def name(self) -> str: ...
    def target_for(self, query: str, max_results: int = 10, /) -> str:
        """The address, redacted."""
    def read(self, http_status: int, body: bytes, content_type: str | None = None, /) -> TransportResponse | _Failure:
        """Reads a recorded answer as the engine would."""

class EngineClosed(RuntimeError):
    """Nothing can be submitted to this engine any more."""

@final
class Engine:
    """The one network thread and its pool: started at first use, restarted in a forked child."""

    def __new__(
        cls,
        *,
        max_in_flight: int = 10_000,
        max_per_host: int = 128,
        resolver_threads: int = 8,
        proxy: str | None = None,
        ca_bundle: str | None = None,
        client_cert: str | None = None,
        http_version: Literal["1.1", "2"] = "1.1",
        interface: str | None = None,
        trust_env: bool = False,
        rest: bool = True,
    ) -> Self: ...
    @classmethod
    def default(cls) -> Engine: ...
    def close(self) -> None: ...
    def stats(self) -> dict[str, Any]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: object) -> None: ...
    def _submit_lookup(
        self,
        query: str,
        policy: FallbackPolicy,
        primary: Provider,
        fallback: Provider | None,
        validator: EvidenceValidator,
        outbox: Outbox,
        /,
    ) -> int: ...
    def _submit_fetch(
        self, provider: Provider, query: str, max_results: int, slice_ms: int, least_ms: int, outbox: Outbox, /
    ) -> int: ...
    def _cancel(self, ticket: int, /) -> None: ...

@final
class Outbox:
    """Where the engine leaves results for one event loop (``with_fd``) or one blocked thread."""

    def __new__(cls, with_fd: bool) -> Self: ...
    def fileno(self) -> int: ...
    def take(self) -> list[tuple[int, Receipt | TransportResponse | _Failure | MemoryError]]:
        """All waiting (ticket, result) pairs, oldest first; a MemoryError stands for a result there was no room for."""
    def wait(self, timeout_s: float | None, /) -> bool:
        """Blocks with the GIL released until something waits; signals are handled (Ctrl-C raises)."""
    def close(self) -> None: ...

def native_bytes() -> int:
    """Bytes the C library has allocated and not freed."""

def curl_version() -> str: ...
