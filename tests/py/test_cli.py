"""The bounded-web command: what it prints, its exit codes, and that pages cannot steer the terminal."""

import io
import json
import os
import platform
import pty
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from rich.console import Console

from bounded_web_tool import Receipt, hits
from bounded_web_tool._terminal import print_receipt, printable
from worlds import answering

COMMAND = [sys.executable, "-m", "bounded_web_tool.cli"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}
    return kept | {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "TERM": "xterm-256color"}


@pytest.fixture(scope="module")
def run(environment):
    def run(*arguments, **extra):
        return subprocess.run(
            [*COMMAND, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            env=environment | extra,
        )

    run("lookup", "json")  # the index is built once
    return run


@pytest.fixture
def silent():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def nobody():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def hostile():
    """A provider whose texts hold escape sequences, a title of another line and a change of direction."""
    row = {
        "title": "json \x1b[31mred\x1b]0;title\x07\nsecond line",
        "url": "https://example.org/\x1b[2J\u202ejson",
        "snippet": "json \x9b31m "
        + "parsing with a text that is long enough to be evidence "
        + "[bold]markup[/bold]",
    }

    with answering({"results": [row]}) as base_url:
        yield base_url


# ---- lookup


def test_a_bare_lookup_searches_the_documentation_of_python(run):
    done = run("lookup", "how do I parse json")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0].startswith("  primary  embedded  ━")
    assert lines[0].rstrip().endswith("ok_useful  5 hits")
    assert lines[1].startswith("  budget             ━─")
    assert lines[1].rstrip().endswith("of 8000 ms")
    assert any(line.startswith(" 1 json — ") for line in lines)
    assert "   https://docs.python.org/3/library/json.html#json.loads" in lines
    assert lines[-1].startswith("outcome=useful_result next_action=use_result attempts=1/1 elapsed_ms=")
    assert lines[-1].endswith("/8000 trail=[primary:ok_useful]")
    assert "\x1b" not in done.stdout


def test_the_index_is_announced_when_it_is_built(environment, tmp_path):
    arguments = {"capture_output": True, "text": True, "env": environment | {"XDG_CACHE_HOME": str(tmp_path)}}
    errors = [subprocess.run([*COMMAND, "lookup", "json"], **arguments).stderr for _ in range(2)]
    assert errors == [f"indexing the documentation of Python {platform.python_version()}, once\n", ""]


def test_json_is_the_receipt_and_nothing_else(run):
    done = run("lookup", "how do I parse json", "--json", "--max-results", "2", "--budget-ms", "4000")
    assert (done.returncode, done.stderr) == (0, "")
    receipt = Receipt.from_json(done.stdout)
    assert done.stdout == receipt.to_json() + "\n"
    assert (receipt.outcome, receipt.budget_ms, len(receipt.results)) == ("useful_result", 4000, 2)


def test_json_can_be_the_view_of_a_model(run):
    done = run("lookup", "how do I parse json", "--json", "--view", "model")
    assert list(json.loads(done.stdout)) == ["outcome", "next_action", "retryable", "retry_after_ms", "results"]


def test_json_is_valid_in_a_poor_encoding(run):
    done = run("lookup", "how do I parse json", "--json", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "—" in Receipt.from_json(done.stdout).results[0].title


def test_a_poor_encoding_does_not_stop_it(run):
    done = run("lookup", "how do I parse json", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.startswith("  primary  embedded  ###")


def test_exit_code_3_nothing_useful(run):
    done = run("lookup", "zzzyxw vuuqp", "--json")
    assert (done.returncode, Receipt.from_json(done.stdout).outcome) == (3, "no_useful_result")


def test_exit_code_4_transport_failed(run, nobody):
    done = run("lookup", "json", "--base-url", nobody)
    assert done.returncode == 4
    assert "transport_error  connect" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("trail=[primary:transport_error]")


def test_exit_code_5_budget_exhausted(run, silent):
    done = run("lookup", "json", "--base-url", silent, "--fallback", "embedded", "--budget-ms", "150", "--json")
    assert (done.returncode, Receipt.from_json(done.stdout).outcome) == (5, "budget_exhausted")


def test_exit_code_6_blocked_by_policy(run):
    done = run("lookup", "")
    assert done.returncode == 6
    assert done.stdout.splitlines()[0].split() == ["refused", "empty_query"]


def test_the_fallback_is_shown_beside_the_primary(run, nobody):
    done = run(
        "lookup", "how do I parse json", "--provider", "searxng", "--base-url", nobody, "--fallback", "embedded"
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0].split()[:2] == ["primary", "searxng"]
    assert lines[1].split()[:2] == ["fallback", "embedded"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lookup", "json", "--provider", "nosuchprovider"], "no shipped spec has this name"),
        (["lookup", "json", "--provider", "nosuch/file.toml"], "nosuch/file.toml: No such file or directory"),
        (["lookup", "json", "--budget-ms", "0"], "budget_ms"),
        (["lookup", "json", "--max-results", "-1"], "max_results"),
        (["lookup", "json", "--base-url", "ftp://example.org"], "base_url"),
        (["lookup", "json", "--view", "short"], "short"),
        (["lookup"], "QUERY"),
        (["nosuchcommand"], "nosuchcommand"),
    ],
)
def test_a_mistake_in_the_call_is_exit_code_2(run, arguments, message):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_help_names_every_exit_code(run):
    done = run("lookup", "--help", COLUMNS="200")
    assert done.returncode == 0
    for code in (
        "0 useful_result",
        "3 no_useful_result",
        "4 transport_failed",
        "5 budget_exhausted",
        "6 blocked_by_policy",
    ):
        assert code in done.stdout


def test_without_its_libraries_it_says_what_to_install():
    for missing in ("typer", "rich"):
        code = f"import sys; sys.modules[{missing!r}] = None; from bounded_web_tool.cli import main; main()"
        done = subprocess.run([sys.executable, "-c", code, "lookup", "json"], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "bounded-web needs Rich and Typer: pip install 'bounded-web-tool[cli]'\n"


def test_the_texts_of_a_page_cannot_steer_the_terminal(run, hostile):
    done = run("lookup", "json parsing", "--base-url", hostile)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stdout)
    assert "[bold]markup[/bold]" in " ".join(done.stdout.split())


def test_an_interrupted_lookup_ends_quietly(environment, silent):
    process = subprocess.Popen(
        [*COMMAND, "lookup", "json", "--base-url", silent, "--budget-ms", "60000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    address = silent.removeprefix("http://").split(":")
    # The request fills the listener's queue: when it is there, the lookup is under way.
    wait_until(lambda: connections_to(int(address[1])) > 0)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=10)
    assert (process.returncode, output) == (130, "")
    assert "Traceback" not in errors


def connections_to(port):
    wanted = f":{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return sum(row[2].endswith(wanted) and row[3] == "01" for row in rows)


def wait_until(condition, seconds=20):
    import time

    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


# ---- on a terminal


def on_a_terminal(environment, *arguments):
    """What the command writes to a terminal of 100 columns."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=other, stdout=other, stderr=other, env=environment | {"COLUMNS": "100"}
    )
    os.close(other)
    output = b""
    try:
        while piece := os.read(main, 65536):
            output += piece
    except OSError:  # how Linux reports the end
        pass
    os.close(main)
    assert process.wait(10) == 0
    return output.decode()


def test_colours_are_for_terminals_and_can_be_turned_off(run, environment):
    assert "\x1b[32m" in on_a_terminal(environment, "lookup", "how do I parse json")
    assert "\x1b" not in on_a_terminal(environment | {"NO_COLOR": "1"}, "lookup", "how do I parse json")


# ---- serve-index


@pytest.mark.parametrize("folder", [False, True])
def test_serve_index_serves_until_it_is_interrupted(run, environment, tmp_path, folder):
    (tmp_path / "boiler.md").write_text("# Valve\nThe boiler valve is behind the shelf in the cellar, on the left.\n")
    extra = ["--docs", str(tmp_path)] if folder else []
    process = subprocess.Popen(
        [*COMMAND, "serve-index", "--port", "0", *extra],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment,
    )  # fmt: skip
    try:
        first, second = process.stdout.readline(), process.stdout.readline()
        base_url = first.split()[-1]
        with urllib.request.urlopen(f"{base_url}/search?q={'valve' if folder else 'json'}", timeout=5) as response:
            rows = json.load(response)["results"]
        done = run("lookup", "boiler valve" if folder else "json", "--base-url", base_url)
    finally:
        process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=10)
    assert (process.returncode, output, errors) == (0, "", "")
    assert second == f"bounded-web lookup --base-url {base_url} QUERY\n"
    assert done.returncode == 0
    if folder:
        assert first.startswith("1 entries at http://127.0.0.1:")
        assert [row["title"] for row in rows] == ["boiler.md — Valve"]
    else:
        assert rows[0]["title"].startswith("json — ")


def test_serve_index_refuses_what_it_cannot_serve(run, silent, tmp_path):
    taken = silent.rpartition(":")[2]
    for arguments in (["--port", taken], ["--docs", str(tmp_path / "nosuchfolder")]):
        done = run("serve-index", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr


# ---- the picture of a receipt


def drawn(receipt, width=80, encoding="utf-8"):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace", write_through=True)
    print_receipt(Console(file=file, width=width, highlight=False), receipt)
    return [line.rstrip() for line in file.buffer.getvalue().decode(encoding).splitlines()]


def attempt(index, status, elapsed_ms, **fields):
    role = ("primary", "fallback")[index]
    return {"index": index, "role": role, "transport": fields.pop("transport", "embedded"), "status": status,
            "elapsed_ms": elapsed_ms, **fields}  # fmt: skip


FELL_BACK = Receipt(
    outcome="useful_result",
    next_action="use_result",
    elapsed_ms=1000,
    budget_ms=2000,
    attempts_allowed=2,
    attempts=[
        attempt(0, "transport_timeout", 750, transport="searxng"),
        attempt(1, "ok_useful", 250, http_status=200, hit_count=1),
    ],
    results=hits(("A title", "https://example.org/" + "x" * 90, "word " * 60)),
)


def test_bars_lie_where_their_attempt_lay_in_time():
    assert drawn(FELL_BACK) == [
        "  primary   searxng   ━━━━━━━━━━━━━━━━━━━━━━           750 ms  transport_timeout",
        "  fallback  embedded                        ━━━━━━━━   250 ms  ok_useful  1 hit",
        "  budget              ━━━━━━━━━━━━━━━───────────────  1000 ms  of 2000 ms",
        "",
        " 1 A title",
        "   https://example.org/" + "x" * 90,
        "   " + " ".join(["word"] * 15),
        "   " + " ".join(["word"] * 14) + " …",
        "",
        "outcome=useful_result next_action=use_result attempts=2/2 elapsed_ms=1000/2000"
        " trail=[primary:transport_timeout -> fallback:ok_useful]",
    ]


def test_a_skipped_attempt_has_no_bar_and_reasons_are_shown():
    receipt = Receipt(
        outcome="budget_exhausted",
        next_action="answer_from_prior_knowledge",
        elapsed_ms=1150,
        budget_ms=1300,
        attempts_allowed=2,
        attempts=[
            attempt(0, "ok_not_useful", 1150, http_status=200, hit_count=0, not_useful_reason="empty_result_set"),
            attempt(1, "skipped_no_budget", 0),
        ],
    )
    lines = drawn(receipt, width=100)
    assert lines[0].endswith("1150 ms  ok_not_useful  empty_result_set")
    assert lines[1].split() == ["fallback", "embedded", "0", "ms", "skipped_no_budget"]


def test_nothing_breaks_on_a_narrow_or_poor_terminal():
    for width in (1, 10, 30, 40):
        assert drawn(FELL_BACK, width=width)[-1] == FELL_BACK.explain()
    assert drawn(FELL_BACK, encoding="ascii")[2].split()[1] == "#" * 15 + "-" * 15


def test_what_is_printable():
    assert printable("naïve 日本語 — 🙂") == "naïve 日本語 — 🙂"
    assert printable("a\x1b[31m\x00\r\n\t\x85\u2028\u202e\u200fb") == "a [31m" + " " * 8 + "b"
