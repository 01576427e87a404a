"""tests/check_layers.py passes here, and notices what it is there for."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests/check_layers.py"


@pytest.fixture(scope="module")
def check():
    spec = importlib.util.spec_from_file_location("check_layers", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_repository_keeps_its_layers():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "header", "local"),
    [
        ("bwt_vocab.h", "stdint.h", None),
        ("bwt.h", "string.h", None),
        ("core/plan.c", "time.h", None),
        ("core/plan.c", "stdlib.h", None),
        ("core/text.c", "utf8proc.h", None),
        ("core/text.c", "emmintrin.h", None),
        ("core/plan.c", "net/engine.h", "net/engine.h"),
        ("net/engine.c", "Python.h", None),
        ("net/engine.c", "py/state.h", "py/state.h"),
        ("net/extract.c", "simdjson.h", None),
        ("py/module.c", "core/plan.h", "core/plan.h"),
        ("py/module.c", "net/engine.h", "net/engine.h"),
        ("py/module.c", "curl/curl.h", None),
        ("py/module.c", "pthread.h", None),
    ],
)
def test_an_include_across_layers_is_noticed(check, name, header, local):
    assert check.objection(name, header, local)


@pytest.mark.parametrize(
    ("name", "header", "local"),
    [
        ("bwt.h", "bwt_vocab.h", "bwt_vocab.h"),
        ("core/mem.c", "stdlib.h", None),
        ("core/utf8.c", "utf8proc.h", None),
        ("core/redact_scan.c", "emmintrin.h", None),
        ("net/engine.c", "core/plan.h", "core/plan.h"),
        ("net/engine.c", "curl/curl.h", None),
        ("net/json_simdjson.cpp", "simdjson.h", None),
        ("py/module.c", "bwt.h", "bwt.h"),
    ],
)
def test_an_include_within_its_layer_passes(check, name, header, local):
    assert check.objection(name, header, local) is None


def test_a_local_path_is_noticed(check):
    assert check.FORBIDDEN_TEXT.search("see /" + "work/main")
    assert check.FORBIDDEN_TEXT.search("file:///" + "work/main")
    assert not check.FORBIDDEN_TEXT.search("https://example.com/" + "work/main")
