"""The commands of ``bounded-web``."""

import io
import json
import os
import platform
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from bounded_web_tool import DEFAULT_POLICY, FallbackPolicy, HttpTransport, Outcome, Receipt, bounded_web_lookup_sync
from bounded_web_tool._terminal import print_receipt
from bounded_web_tool.local_index import LocalIndex, LocalIndexServer

EMBEDDED = "embedded"
DEFAULT_PORT = 8765  # as in providers/embedded.toml
SHOWN_RESULTS = 5
USAGE_ERROR = 2
INTERRUPTED = 130
EXIT_CODES = {
    Outcome.USEFUL_RESULT: 0,
    Outcome.NO_USEFUL_RESULT: 3,
    Outcome.TRANSPORT_FAILED: 4,
    Outcome.BUDGET_EXHAUSTED: 5,
    Outcome.BLOCKED_BY_POLICY: 6,
}
CODES_HELP = "Exit codes: " + ", ".join(f"{code} {outcome}" for outcome, code in EXIT_CODES.items()) + "."

app = typer.Typer(
    name="bounded-web",
    help="Web lookups that always end on time and always answer with a receipt.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class View(StrEnum):
    FULL = "full"
    MODEL = "model"


@app.command(epilog=CODES_HELP)
def lookup(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look up.")],
    provider: Annotated[str, typer.Option(help="A shipped provider spec, or the path of a TOML file.")] = EMBEDDED,
    base_url: Annotated[
        str | None, typer.Option(help="Where the provider is, instead of its spec's address.")
    ] = None,
    fallback: Annotated[str | None, typer.Option(help="Asked once when the provider fails or does not help.")] = None,
    fallback_base_url: Annotated[str | None, typer.Option(help="Where the fallback is.")] = None,
    budget_ms: Annotated[int, typer.Option(help="Milliseconds for everything.")] = DEFAULT_POLICY.budget_ms,
    max_results: Annotated[int, typer.Option(help="The most results to show.")] = SHOWN_RESULTS,
    as_json: Annotated[bool, typer.Option("--json", help="Print the receipt as JSON and nothing else.")] = False,
    view: Annotated[View, typer.Option(help="With --json: the whole receipt, or what a model is given.")] = View.FULL,
) -> None:
    """Look something up and show what happened.

    The provider "embedded" is the documentation of this Python, fetched over loopback.
    """
    with ExitStack() as resources:
        try:
            policy = FallbackPolicy(budget_ms=budget_ms, max_results=max_results)
            primary = resources.enter_context(_transport(provider, base_url))
            second = (
                resources.enter_context(_transport(fallback, fallback_base_url)) if fallback is not None else None
            )
        except (OSError, ValueError) as error:
            _refuse(error)
        receipt = bounded_web_lookup_sync(query, primary, second, policy=policy)
    if as_json:
        _print_json(receipt, view)
    else:
        print_receipt(_console(), receipt)
    raise typer.Exit(EXIT_CODES[receipt.outcome])


@app.command()
def serve_index(
    docs: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="A folder of .md, .rst and .txt files instead."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = DEFAULT_PORT,
) -> None:
    """Serve the embedded index on 127.0.0.1 until Ctrl-C: the documentation of this Python, or a folder."""
    index = LocalIndex.of_folder(docs) if docs is not None else _library_index()
    try:
        server = LocalIndexServer(index, port)
    except OSError as error:
        _refuse(error)
    with server:
        typer.echo(f"{len(index)} entries at {server.base_url}")
        typer.echo(f"bounded-web lookup --base-url {server.base_url} QUERY")
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
    index.close()


@contextmanager
def _transport(spec: str, base_url: str | None) -> Iterator[HttpTransport]:
    """The transport of a spec; the embedded index is started when nobody says where it is."""
    if spec != EMBEDDED or base_url is not None:
        yield HttpTransport(spec, base_url=base_url)
        return
    index = _library_index()
    with LocalIndexServer(index) as server:
        yield HttpTransport(spec, base_url=server.base_url)
    index.close()


def _library_index() -> LocalIndex:
    version = platform.python_version()
    return LocalIndex.of_library(
        on_build=lambda: typer.echo(f"indexing the documentation of Python {version}, once", err=True)
    )


def _console() -> Console:
    """Plain text for pipes, files and those who set NO_COLOR."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a receipt may hold any character, the terminal may not
    return Console(highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")


def _print_json(receipt: Receipt, view: View) -> None:
    text = receipt.for_model() if view is View.MODEL else receipt.to_json()
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text))
    typer.echo(text)


def _refuse(error: Exception) -> NoReturn:
    if isinstance(error, OSError):
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    else:
        message = str(error)
    typer.echo(f"bounded-web: {message}", err=True)
    raise typer.Exit(USAGE_ERROR)
