"""Everything that the README says and a machine can check: its code runs, its commands and its tables are right."""

import contextlib
import io
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient
from typer.testing import CliRunner

import bounded_web_tool as b
from bounded_web_tool._commands import EXIT_CODES, INTERRUPTED, USAGE_ERROR, app
from worlds import answering

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SEARXNG = "http://127.0.0.1:8080"
HIT = {
    "title": "json in Python",
    "url": "https://example.org/json",
    "content": "How to parse JSON in Python: the json module reads it with json.loads and json.load.",
}


def blocks(language):
    return [code for kind, code in BLOCKS if kind == language]


def section(heading):
    return README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def rows(text):
    """The cells of every table row below the rule of its table."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.sub(r"^\|.*\n\| ---.*\n", "", text, flags=re.MULTILINE).splitlines()
        if line.startswith("|")
    ]


@pytest.fixture(scope="module")
def searxng():
    """A provider on loopback that answers as SearXNG does."""

    with answering({"results": [HIT], "unresponsive_engines": []}) as base_url:
        yield base_url


@pytest.fixture(scope="module")
def printed(searxng, tmp_path_factory):
    """What each Python block prints; one program from top to bottom, as a reader would run it."""
    call = FunctionCall(id="1", name="bounded_web_search", arguments='{"query": "how do I parse json"}')
    usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
    info = ModelInfo(
        vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False
    )
    reply = CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)
    program = {"model_client": ReplayChatCompletionClient([reply], model_info=info)}
    outputs = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        for code in blocks("python"):
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code.replace(SEARXNG, searxng), "README.md", "exec"), program)
            outputs.append(output.getvalue())
    return outputs


# ---- code


def test_every_block_is_of_a_kind_that_is_checked():
    assert {kind for kind, _ in BLOCKS} == {"python", "sh", "text"}
    assert len(blocks("python")) == 5


def test_the_first_receipt(printed):
    first, *found = printed[0].splitlines()
    (example,) = blocks("text")
    assert re.sub(r"elapsed_ms=\d+", "", first) == re.sub(r"elapsed_ms=\d+", "", example.strip())
    assert any("https://docs.python.org/3/library/json.html#json.loads" in line for line in found)


def test_the_lookup_with_a_fallback(printed):
    assert printed[1].split() == ["use_result", "[<AttemptStatus.OK_USEFUL:", "'ok_useful'>]"]


def test_the_autogen_agent(printed):
    receipt = b.Receipt.from_json(printed[2])
    assert (receipt.outcome, receipt.results[0].url) == ("useful_result", HIT["url"])


def test_the_haystack_pipeline(printed):
    assert printed[3] == f"useful_result - {HIT['content']}\n\n"


def test_the_haystack_retries(printed):
    assert printed[4] == "[{'title': 'json', 'url': 'https://docs.python.org/3/library/json.html'}] 2\n"


def test_ten_lines_are_enough():
    counts = [
        sum(bool(line.strip()) and not line.startswith("#") for line in code.splitlines())
        for code in blocks("python")
    ]
    assert max(counts) <= 10, counts


# ---- commands


def commands():
    for code in blocks("sh"):
        for line in code.splitlines():
            yield shlex.split(line, comments=True)


def test_every_make_target_exists():
    targets = [words[1] for words in commands() if words[0] == "make"]
    assert targets == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_bounded_web_command_is_understood(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    used = [words[1:] for words in commands() if words[0] == "bounded-web"]
    assert [words[0] for words in used] == ["lookup", "lookup", "serve-index"]
    for words in used:
        if words[0] == "lookup":
            assert CliRunner().invoke(app, words).exit_code == 0
        else:
            assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
    assert {words[0] for words in commands()} == {"make", "bounded-web"}


def test_every_option_and_address_named_is_there():
    text = section("Command line")
    options = {option for option in re.findall(r"`(--[a-z-]+)`", text)}
    assert options == {"--provider", "--fallback", "--base-url", "--fallback-base-url"}
    helped = CliRunner().invoke(app, ["lookup", "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    assert all(option in helped for option in options)
    spec = tomllib.loads((ROOT / "bounded_web_tool/providers/embedded.toml").read_text(encoding="utf-8"))
    assert "127.0.0.1:8765" in text
    assert spec["request"]["base_url"] == "http://127.0.0.1:8765"


def test_every_link_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


# ---- tables


def test_the_exit_codes_are_those_of_the_command():
    codes = {int(code): when.strip("`") for code, when in rows(section("Command line"))}
    expected = {code: str(outcome) for outcome, code in EXIT_CODES.items()}
    assert codes == expected | {USAGE_ERROR: "the call itself was wrong", INTERRUPTED: "interrupted"}


@pytest.mark.parametrize(
    "vocabulary",
    [
        b.Outcome,
        b.NextAction,
        b.AttemptRole,
        b.AttemptStatus,
        b.NotUsefulReason,
        b.FailureDetail,
        b.PolicyReason,
    ],
    ids=lambda vocabulary: vocabulary.__name__,
)
def test_the_vocabulary_is_the_one_of_the_core(vocabulary):
    text = section("Vocabulary").split(f"**{vocabulary.__name__}** – ", 1)[1].split("\n**", 1)[0]
    assert text.startswith(vocabulary.__doc__ + "\n")
    assert rows(text) == [[f"`{member}`", member.__doc__] for member in vocabulary]


def test_the_schema_version_is_named():
    assert f"(schema version {b.SCHEMA_VERSION})" in section("Vocabulary")


def test_the_dependencies_are_those_of_the_build():
    names = " ".join(row[0] for row in rows(section("What it stands on")))
    libraries = re.findall(
        r'^    \("([\w.-]+)", "([\d.]+)", .*"(\w+)"\),', (ROOT / "setup.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(libraries) == 4
    for pkg_config_name, lowest, homebrew_name in libraries:
        shown = {pkg_config_name, homebrew_name}
        assert any(f"{name} {lowest} or newer" in names for name in shown), shown
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == []
    for extra in ("cli", "autogen", "haystack", "test"):
        assert f"`{extra}`" in section("What it stands on")
        for requirement in project["optional-dependencies"][extra]:
            assert re.match(r"[\w-]+", requirement)[0].lower() in names.lower()


def test_it_promises_no_command_that_is_not_there():
    commands = {command.name or command.callback.__name__.replace("_", "-") for command in app.registered_commands}
    assert commands == {"lookup", "serve-index"}
    assert set(re.findall(r"bounded-web ([a-z][a-z-]*)", README)) == commands
