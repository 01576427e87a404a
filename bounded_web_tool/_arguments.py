"""Checks the arguments of a lookup before anything is dialled."""

from __future__ import annotations

from bounded_web_tool._core import EvidenceValidator, FallbackPolicy
from bounded_web_tool.http import HttpTransport
from bounded_web_tool.scripted import ScriptedTransport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Slot:
    """A transport as it was when the lookup began: its name and methods are read once."""

    __slots__ = ("fetch", "http", "name", "scripted", "target_for")

    def __init__(self, transport: object, role: str) -> None:
        if isinstance(transport, type):
            raise TypeError(f"{role} must be a transport, not the class {transport.__name__}")
        name = _read(transport, "name", role)
        if not isinstance(name, str):
            raise TypeError(f"{role}.name must be a str, not {type(name).__name__}")
        self.name: str = name
        self.fetch = _method(transport, "fetch", role)
        self.target_for = _method(transport, "target_for", role)
        self.http = transport if isinstance(transport, HttpTransport) and self._is_plain(HttpTransport) else None
        self.scripted = (
            transport if isinstance(transport, ScriptedTransport) and self._is_plain(ScriptedTransport) else None
        )
        if self.http is not None and self.http._provider.name != name:
            self.http = None

    def _is_plain(self, kind: type) -> bool:
        """Whether neither a subclass nor the instance has put other methods in the place of those of ``kind``."""
        methods = (self.fetch, self.target_for)
        wanted = (vars(kind)["fetch"], vars(kind)["target_for"])
        return tuple(getattr(method, "__func__", None) for method in methods) == wanted


class Request:
    """The arguments of one lookup, checked. ``slots`` is the primary and, if there is one, the fallback."""

    __slots__ = ("clock", "evidence", "policy", "query", "slots", "token", "validate")

    def __init__(
        self,
        query: object,
        primary: object,
        fallback: object,
        policy: object,
        validator: object,
        clock: object,
        token: object,
    ) -> None:
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, not {type(query).__name__}")
        if not isinstance(policy, FallbackPolicy):
            raise TypeError(f"policy must be a FallbackPolicy, not {type(policy).__name__}")
        if not callable(clock):
            raise TypeError(f"clock must be callable, not {type(clock).__name__}")
        self.query = query
        self.slots = [Slot(primary, "primary")]
        if fallback is not None:
            self.slots.append(Slot(fallback, "fallback"))
        self.policy = policy
        if isinstance(validator, type):
            raise TypeError(f"validator must be a validator, not the class {validator.__name__}")
        self.evidence = validator if isinstance(validator, EvidenceValidator) else None
        self.validate = _method(validator, "validate", "validator")
        self.clock: Callable[[], float] = clock
        if token is not None:
            _method(token, "is_cancelled", "cancellation_token")
            _method(token, "add_callback", "cancellation_token")
        self.token: Any = token


def _read(owner: object, attribute: str, argument: str) -> Any:
    try:
        return getattr(owner, attribute)
    except AttributeError:
        problem = "is missing"
    except Exception:
        problem = "cannot be read"
    raise TypeError(f"{argument}.{attribute} {problem} ({argument} is of type {type(owner).__name__})")


def _method(owner: object, attribute: str, argument: str) -> Callable[..., Any]:
    method: Any = _read(owner, attribute, argument)
    if not callable(method):
        raise TypeError(f"{argument}.{attribute} must be callable, not {type(method).__name__}")
    return method  # type: ignore[no-any-return]
