"""Shared fixtures, and the rule that a skip must be expected: tests/expected_skips.txt says which are."""

import os
import re
from pathlib import Path

import pytest

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

ROOT = Path(__file__).resolve().parent.parent
SHARED_ABSENT = "shared corpus absent"

try:
    from hypothesis import settings
except ImportError:  # the plugin is optional for a partial run
    pass
else:
    settings.register_profile("repository", deadline=None)  # a busy machine is no failure
    settings.register_profile("repository-ci", deadline=None, derandomize=True, print_blob=True)
    settings.load_profile("repository-ci" if os.environ.get("CI") else "repository")


def find_shared() -> Path | None:
    shared = Path(os.environ.get("BWT_SHARED") or ROOT.parent / "shared")
    return shared if (shared / "corpus").is_dir() else None


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder with the recorded corpus, beside the repository; the test is skipped where there is none."""
    shared = find_shared()
    if shared is None:
        pytest.skip(SHARED_ABSENT)
    return shared


def wildcard(pattern):
    """Only * is special: test ids are full of brackets."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def expected_skips():
    lines = (ROOT / "tests/expected_skips.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.strip() and not line.startswith("#"):
            test, reason = line.split(maxsplit=1)
            yield wildcard(test), wildcard(reason.strip())


def skips(config):
    """(test id, reason, whether it was expected) of every test or module that was skipped."""
    expected = list(expected_skips())
    for report in config.pluginmanager.get_plugin("terminalreporter").stats.get("skipped", []):
        longrepr = report.longrepr
        reason = (longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)).removeprefix("Skipped: ")
        fine = any(test.fullmatch(report.nodeid) and why.fullmatch(reason) for test, why in expected)
        yield report.nodeid, reason, fine


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.OK and not all(fine for _, _, fine in skips(session.config)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    skipped = list(skips(config))
    if skipped:
        terminalreporter.section("skipped")
        for test, reason, fine in skipped:
            terminalreporter.line(f"{test}: {reason}" + ("" if fine else "  [not in tests/expected_skips.txt]"))
        unexpected = sum(not fine for _, _, fine in skipped)
        if unexpected:
            terminalreporter.line(f"{unexpected} unexpected skips fail this run", red=True, bold=True)
    if find_shared() is None:
        terminalreporter.section(SHARED_ABSENT.upper(), red=True, bold=True)
        terminalreporter.line(
            "Nothing was tested against the recorded corpus: there is no ../shared/corpus, and BWT_SHARED names none."
        )
