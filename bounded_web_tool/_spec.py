"""Finds a provider spec and the key it asks for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).parent / "providers"


def load_spec(spec: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """The document of a spec given by name, by path or as a mapping."""
    if isinstance(spec, Mapping):
        return dict(spec)
    if not isinstance(spec, (str, os.PathLike)):
        raise TypeError(f"spec must be a str, a path or a mapping, not {type(spec).__name__}")
    path = _path(spec)
    import tomllib

    with path.open("rb") as file:
        try:
            return tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"spec: {path.name} is not valid TOML: {error}") from None


def _path(spec: str | os.PathLike[str]) -> Path:
    if not isinstance(spec, str) or os.sep in spec or spec.endswith(".toml"):
        return Path(spec)
    shipped = {path.stem: path for path in SHIPPED.glob("*.toml")}
    if spec not in shipped:
        raise ValueError(f"spec: no shipped spec has this name; there are {', '.join(sorted(shipped))}")
    return shipped[spec]


def resolve_key(document: Mapping[str, Any], api_key: str | None) -> str | None:
    """The key given, else the one in the environment variable that the spec names, else None."""
    key = document.get("key")
    variable = key.get("env") if isinstance(key, Mapping) else None
    if api_key is not None or not isinstance(variable, str):
        return api_key
    return os.environ.get(variable)
