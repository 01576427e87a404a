"""Holds the source to the layers of the design: by includes, by the core's symbols, by file list and size.

Run it from anywhere: python tests/check_layers.py. It prints what is wrong and exits with 1.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CSRC = ROOT / "csrc"

MAX_LINES = 500
MAY_BE_LONGER: set[str] = set()

VOCAB, API = "bwt_vocab.h", "bwt.h"
API_SYSTEM = {"stdbool.h", "stddef.h", "stdint.h"}
CORE_SYSTEM = API_SYSTEM | {"limits.h", "stdatomic.h", "string.h"}
CORE_SYSTEM_IN = [  # header, the only core files that may include it
    (r"utf8proc\.h", r"core/utf8\.c"),
    (r"stdlib\.h", r"core/mem\.c"),
    (r"emmintrin\.h|immintrin\.h|arm_neon\.h", r"core/redact_scan\w*\.c"),
]
NET_FORBIDDEN = r"Python\.h"
SIMDJSON_FILE = "net/json_simdjson.cpp"
PY_FORBIDDEN = r"curl/.*|pthread\.h|threads\.h|libxml/.*|simdjson.*|utf8proc\.h"

# What a core object may leave to the linker besides the core itself: functions of string.h that know no locale (also in
# their fortified form) and what compilers add on their own.
CORE_LIBC = (
    r"_{0,2}(mem(chr|cmp|cpy|move|set)|strn?(cat|cmp|cpy|len)|str(chr|cspn|pbrk|rchr|spn|str))(_chk)?"
    r"|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__\w+[sdt]i\d"
)
CORE_LIBC_IN = [(r"(malloc|calloc|realloc|free)", "mem.o"), (r"utf8proc_\w+", "utf8.o")]

# Split, so that this file does not name them itself.
REGISTRIES = [
    "pypi" ".org", "pythonhosted" ".org", "deb.debian" ".org", "npmjs" ".", "crates" ".io", "proxy.golang" ".org",
]  # fmt: skip
FORBIDDEN_TEXT = re.compile(r"(?<![\w.~-])/wo" r"rk/|" + "|".join(map(re.escape, REGISTRIES)))
TEXT_SUFFIXES_SKIPPED = {".bin", ".br", ".gz", ".ico", ".png", ".so", ".zst"}


def main() -> int:
    problems = [*includes(), *file_list(), *sizes(), *forbidden_text(), *symbols()]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "layers ok")
    return 1 if problems else 0


# ---- includes


def included(path):
    """(line number, header) of every include; a computed include counts as the header '?'."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r"\s*#\s*include\b\s*(?:[<\"]([^>\"]+)[>\"])?", line)
        if match:
            yield number, match[1] or "?"


def own(path, header):
    """The header's path below csrc/ if it is one of ours, else None."""
    for folder in (path.parent, CSRC):
        candidate = folder / header
        if candidate.is_file() and candidate.resolve().is_relative_to(CSRC):
            return candidate.resolve().relative_to(CSRC).as_posix()
    return header if header.startswith(("core/", "net/", "py/")) else None


def objection(name, header, local):
    """Why the file `name` must not include `header`, or None. `local` is the header's path if it is ours."""
    layer = name.split("/")[0]
    if layer == VOCAB:
        return "bwt_vocab.h includes nothing"
    if layer == API:
        return None if local == VOCAB or header in API_SYSTEM else "bwt.h includes only bwt_vocab.h, stddef, stdint, stdbool"
    if local in (VOCAB, API):
        return None
    allowed = {"core": ("core/",), "net": ("core/", "net/"), "py": ("py/",)}[layer]
    if local:
        return None if local.startswith(allowed) else f"{layer}/ must not see {local}"
    if layer == "core":
        for pattern, where in CORE_SYSTEM_IN:
            if re.fullmatch(pattern, header):
                return None if re.fullmatch(where, name) else f"{header} is for {where} alone"
        return None if header in CORE_SYSTEM else f"core/ must not see {header}"
    if layer == "net":
        if header.startswith("simdjson"):
            return None if name == SIMDJSON_FILE else f"simdjson is for {SIMDJSON_FILE} alone"
        return f"net/ must not see {header}" if re.fullmatch(NET_FORBIDDEN, header) else None
    return f"py/ must not see {header}" if re.fullmatch(PY_FORBIDDEN, header) else None


def starts_with_python(path):
    """Whether the first include is Python.h, directly or through a header of py/ of which that is true."""
    _, header = next(included(path), (0, ""))
    if header == "Python.h":
        return True
    local = own(path, header)
    return bool(local and local.startswith("py/") and (CSRC / local).is_file() and starts_with_python(CSRC / local))


def includes():
    for path in sources(".c", ".cpp", ".h"):
        name = path.relative_to(CSRC).as_posix()
        if "/" not in name and name not in (VOCAB, API):
            yield f"csrc/{name}: belongs to no layer"
            continue
        for number, header in included(path):
            reason = "computed include" if header == "?" else objection(name, header, own(path, header))
            if reason:
                yield f"csrc/{name}:{number}: {reason}"
        if name.startswith("py/") and (path.suffix == ".c" or any(included(path))) and not starts_with_python(path):
            yield f"csrc/{name}: Python.h must come first"


# ---- symbols


def nm(path, *options):
    done = subprocess.run(["nm", *options, path], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines() if line.strip()}


def symbols():
    """The core may only need itself and a few functions of string.h."""
    try:
        build = ["make", "--no-print-directory", "-f", "tests/c/Makefile", "core-objects"]
        done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            yield f"the core does not compile on its own:\n{done.stderr.strip()}"
            return
        listed = {Path(name).stem for name in listed_files()["CORE"]}
        objects = [path for path in sorted((ROOT / "build/plain/core").glob("*.o")) if path.stem in listed]
        core = set().union(*(nm(path, "--defined-only", "--extern-only") for path in objects))
        for path in objects:
            for symbol in sorted(nm(path, "--undefined-only") - core):
                here = any(re.fullmatch(pattern, symbol) and path.name == name for pattern, name in CORE_LIBC_IN)
                if not here and not re.fullmatch(CORE_LIBC, symbol):
                    yield f"core/{path.name}: must not need {symbol}"
    except OSError as error:
        yield f"the core's symbols cannot be read: {error}"


# ---- files


def sources(*suffixes):
    return [path for path in sorted(CSRC.rglob("*")) if path.is_file() and path.suffix in suffixes]


def listed_files():
    text = (CSRC / "sources.mk").read_text(encoding="utf-8").replace("\\\n", " ")
    return {name: words.split() for name, words in re.findall(r"^(\w+)\s*:=([^#\n]*)", text, re.MULTILINE)}


def file_list():
    listed = listed_files()
    present = {path.relative_to(CSRC).as_posix() for path in sources(".c", ".cpp")}
    for layer in ("CORE", "NET", "PY"):
        names = listed.pop(layer, [])
        for name in names:
            if name not in present:
                yield f"csrc/sources.mk: {name} does not exist"
            if not name.startswith(f"{layer.lower()}/"):
                yield f"csrc/sources.mk: {name} does not belong to {layer}"
            if name.endswith(".cpp") and name != SIMDJSON_FILE:
                yield f"csrc/{name}: the only C++ file is {SIMDJSON_FILE}"
            if names.count(name) > 1:
                yield f"csrc/sources.mk: {name} is listed twice"
        present -= set(names)
    yield from (f"csrc/{name}: not listed in csrc/sources.mk" for name in sorted(present))
    yield from (f"csrc/sources.mk: unknown list {name}" for name in listed)
    for path in sorted(CSRC.rglob("*")):
        if path.is_file() and path.suffix not in (".c", ".cpp", ".h", ".mk"):
            yield f"csrc/{path.relative_to(CSRC)}: not a kind of file that belongs here"


def repository_files():
    """Everything that is or could be committed; without git, everything but what the build makes."""
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True)
        names = [name for name in done.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        made = re.compile(r"\.venv|\.git/|build/|dist/|.*\.egg-info/|\..*_cache/|\.hypothesis/|.*__pycache__/")
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")]
        names = [name for name in names if not made.match(name)]
    return sorted(path for path in {ROOT / name for name in names} if path.is_file())


def sizes():
    for path in repository_files():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in (".c", ".cpp", ".h", ".py", ".pyi") and "/data/" not in name and name not in MAY_BE_LONGER:
            lines = len(path.read_bytes().splitlines())
            if lines > MAX_LINES:
                yield f"{name}: {lines} lines; over {MAX_LINES} it has two jobs"


def forbidden_text():
    for path in repository_files():
        if path.suffix in TEXT_SUFFIXES_SKIPPED:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        for match in FORBIDDEN_TEXT.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: must not mention {match[0]}"


if __name__ == "__main__":
    sys.exit(main())
