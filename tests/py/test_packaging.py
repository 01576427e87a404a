"""The package can be built from its own source archive, installs alone, and is cheap to import."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_SOURCE = shutil.ignore_patterns(
    ".git", ".venv*", "build", "dist", "*.egg-info", "*.so", "__pycache__", ".*_cache", ".hypothesis", "tests"
)
IMPORT_BUDGET_MS = 30
NOT_AT_IMPORT = {
    "agents", "asyncio", "autogen_core", "dataclasses", "haystack", "http.client", "httpx", "inspect", "langchain_core",
    "pydantic", "requests", "rich", "sqlite3", "ssl", "tomllib", "typer", "urllib.request",
}  # fmt: skip


def run(*arguments, **keywords):
    done = subprocess.run([*map(str, arguments)], capture_output=True, text=True, **keywords)
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def written_version():
    return re.search(r'#define BWT_VERSION "([^"]+)"', (ROOT / "csrc/bwt.h").read_text())[1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=NOT_SOURCE)
    code = f"from setuptools.build_meta import build_sdist; build_sdist({str(folder)!r})"
    run(sys.executable, "-c", code, cwd=source)
    (archive,) = folder.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, sdist)
    (archive,) = folder.glob("*.whl")
    return archive


def test_the_source_archive_is_complete(sdist):
    with tarfile.open(sdist) as archive:
        packed = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    tree = {path.relative_to(ROOT).as_posix() for path in (ROOT / "csrc").rglob("*") if path.is_file()}
    assert tree <= packed
    assert {"LICENSE", "README.md", "pyproject.toml", "setup.py", "bounded_web_tool/py.typed"} <= packed
    assert not [name for name in packed if name.endswith(".so")]


def test_the_wheel_holds_the_whole_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = {
        path.relative_to(ROOT).as_posix()
        for folder in ("bounded_web_tool", "haystack_integrations")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".so" and "__pycache__" not in path.parts
    }
    binary = {name for name in packed if name.endswith(".so")}
    assert len(binary) == 1
    assert packed - binary == expected


def test_the_wheel_installs_and_imports_alone(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv/bin/python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    code = "import bounded_web_tool as b; print(b.__version__, b.__file__)"
    version, file = run(python, "-I", "-c", code, cwd=tmp_path).split(maxsplit=1)
    assert version == written_version()
    assert Path(file.strip()).is_relative_to(tmp_path)


def test_no_namespace_package_is_closed_by_an_init_file():
    folder = ROOT / "haystack_integrations"
    for _ in ("haystack_integrations", "components", "websearch"):
        assert not (folder / "__init__.py").exists(), folder
        folder = next(path for path in folder.iterdir() if path.is_dir() and path.name != "__pycache__")


def import_once():
    """(milliseconds that the import took, modules it added) in a new interpreter."""
    code = (
        "import sys, time; before = set(sys.modules); start = time.perf_counter(); import bounded_web_tool;"
        "took = time.perf_counter() - start; import json; print(json.dumps([took * 1e3, sorted(set(sys.modules) - before)]))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return json.loads(run(sys.executable, "-c", code, cwd=ROOT, env=environment))


def test_import_is_cheap():
    import_once()  # writes the byte code
    assert min(import_once()[0] for _ in range(10)) < IMPORT_BUDGET_MS


def test_import_pulls_in_nothing_heavy():
    _, modules = import_once()
    assert not NOT_AT_IMPORT & set(modules)


def test_the_version_is_written_once():
    import bounded_web_tool

    assert bounded_web_tool.__version__ == written_version()
