"""What the local index holds: the documentation of the installed Python, or the text files of a folder.

Python's own documentation is read from the docstrings of its sources by parsing them. Only the modules of
``COMPILED``, which have no Python source, are imported.
"""

import ast
import importlib
import inspect
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Document(NamedTuple):
    """One entry: ``title`` and ``text`` are searched and shown, ``keywords`` is only searched."""

    title: str
    url: str
    text: str
    keywords: str = ""


# Modules in C, under the name that their documentation has.
COMPILED = {
    "_bisect": "bisect",
    "_collections": "collections",
    "_csv": "csv",
    "_datetime": "datetime",
    "_decimal": "decimal",
    "_functools": "functools",
    "_heapq": "heapq",
    "_io": "io",
    "_operator": "operator",
    "_random": "random",
    "_socket": "socket",
    "_sqlite3": "sqlite3",
    "_struct": "struct",
    "array": "array",
    "binascii": "binascii",
    "builtins": "builtins",
    "cmath": "cmath",
    "gc": "gc",
    "itertools": "itertools",
    "math": "math",
    "posix": "os",
    "select": "select",
    "sys": "sys",
    "time": "time",
    "unicodedata": "unicodedata",
    "zlib": "zlib",
}
NOT_DOCUMENTATION = {
    "antigravity", "distutils", "encodings", "ensurepip", "genericpath", "idlelib", "lib2to3", "ntpath", "nturl2path",
    "pydoc_data", "sre_compile", "sre_constants", "sre_parse", "test", "this", "tkinter", "turtledemo",
}  # fmt: skip
DOCUMENTED_AS = {"posixpath": "os.path"}
# Packages whose modules have a page each; elsewhere all of a package stands on one page.
PAGE_PER_MODULE = {"email", "html", "http", "importlib", "logging", "unittest.mock", "urllib", "xml", "xmlrpc"}
LIBRARY_URL = "https://docs.python.org/3/library/"
FOLDER_SUFFIXES = {".md", ".rst", ".txt"}
MAX_FILE_BYTES = 4 * 1024 * 1024
SUMMARY_CHARS = 64

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def library_documents() -> Iterator[Document]:
    """Modules, classes, functions and methods of the standard library, the built-in ones, and the language topics."""
    library = Path(sysconfig.get_path("stdlib"))
    seen = set()
    for document in (*_source_documents(library), *_compiled_documents(), *_topics(library)):
        if document.url not in seen:
            seen.add(document.url)
            yield document


def folder_documents(folder: Path) -> Iterator[Document]:
    """Text files below ``folder``: Markdown by section, others whole. Hidden and huge files are passed over."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or path.suffix.lower() not in FOLDER_SUFFIXES:
            continue
        try:
            if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        name, url = path.relative_to(folder).as_posix(), path.resolve().as_uri()
        if path.suffix.lower() == ".md":
            yield from _markdown_sections(name, url, text)
        elif text.strip():
            yield Document(name, url, text)


def _markdown_sections(name: str, url: str, text: str) -> Iterator[Document]:
    heading, lines, fenced = "", list[str](), False
    for line in [*text.splitlines(), "# "]:
        fenced ^= line.lstrip().startswith("```")
        if line.startswith("#") and not fenced:
            body = "\n".join(lines).strip()
            if body:
                anchor = re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))
                yield Document(f"{name} — {heading}" if heading else name, f"{url}#{anchor}" if anchor else url, body)
            heading, lines = line.lstrip("#").strip(), []
        else:
            lines.append(line)


# ---- the library's sources


def _source_documents(library: Path) -> Iterator[Document]:
    for name in sorted(sys.stdlib_module_names):
        if name.startswith("_") or name in NOT_DOCUMENTATION:
            continue
        package, module = library / name, library / f"{name}.py"
        if (package / "__init__.py").exists():
            yield from _package_documents(package, name, {})
        elif module.exists():
            yield from _module_documents(_parsed(module), DOCUMENTED_AS.get(name, name), {})


def _package_documents(folder: Path, name: str, exported: dict[str, set[str]]) -> Iterator[Document]:
    tree = _parsed(folder / "__init__.py")
    yield from _module_documents(tree, name, exported)
    exported = _exports(tree, name)
    for path in sorted(folder.iterdir()):
        # A private file matters for what the package exports from it.
        private = path.stem.startswith("_")
        if path.suffix == ".py" and path.stem != "__init__" and (not private or path.stem in exported):
            documents = _module_documents(_parsed(path), f"{name}.{path.stem}", exported, name)
            yield from (item for item in documents if not private or item.title.split()[0].count("._") == 0)
        elif (path / "__init__.py").exists() and not private and path.name not in {"test", "tests"}:
            yield from _package_documents(path, f"{name}.{path.name}", {})


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def _exports(tree: ast.Module, package: str) -> dict[str, set[str]]:
    """Which names a package takes over from each of its modules: {"decoder": {"JSONDecoder"}}; "*" stands for all."""
    exports: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            source = node.module.removeprefix(f"{package}.") if node.level == 0 else node.module
            if node.level == 1 or source != node.module:
                exports.setdefault(source, set()).update(alias.name for alias in node.names)
    return exports


def _declared(tree: ast.Module) -> set[str]:
    """The strings that the module puts into its ``__all__``, however it does."""
    names: set[str] = set()
    for node in tree.body:
        text = ast.unparse(node) if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr) else ""
        if text.startswith("__all__"):
            names.update(
                item.value
                for item in ast.walk(node)
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )
    return names


def _module_documents(
    tree: ast.Module, name: str, exported: dict[str, set[str]], package: str = ""
) -> Iterator[Document]:
    own_page = not package or name.partition(".")[0] in PAGE_PER_MODULE or name in PAGE_PER_MODULE
    if doc := ast.get_docstring(tree):
        yield _document(name, "", doc, f"{_page(name if own_page else package)}#module-{name}")
    declared = _declared(tree)
    taken = exported.get(name.rpartition(".")[2], set()) if package else set()
    for node in tree.body:
        if not isinstance(node, _Definition):
            continue
        if node.name.startswith("_") or (declared and node.name not in declared):
            continue
        owner = package if node.name in taken or "*" in taken else name
        yield from _definition(node, f"{owner}.{node.name}", _page(owner if own_page else package))


def _page(module: str) -> str:
    return f"{LIBRARY_URL}{module.lower()}.html"


def _definition(node: _Definition, name: str, page: str) -> Iterator[Document]:
    members = node.body if isinstance(node, ast.ClassDef) else []
    arguments = "" if isinstance(node, ast.ClassDef) else f"({ast.unparse(node.args)})"
    doc = ast.get_docstring(node)
    for member in members:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            doc = doc or ast.get_docstring(member)
    if doc:
        yield _document(name, arguments, doc, f"{page}#{name}")
    for member in members:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
            yield from _definition(member, f"{name}.{member.name}", page)


def _document(name: str, arguments: str, doc: str, url: str) -> Document:
    doc = re.sub(r":(?:\w+:)+`~?([^`]*)`", r"\1", doc.replace("``", "")).strip()  # :mod:`json` is json
    first, _, rest = doc.partition("\n")
    plain = name.rpartition(".")[2]
    if first.startswith(f"{plain}(") and rest.strip():  # in C the signature often is the first line
        arguments, doc = first.removeprefix(plain), rest.strip()
    summary = " ".join(doc.split("\n\n", 1)[0].split())
    sentence = re.split(r"(?<=[.!?])\s", summary, maxsplit=1)[0]
    if len(sentence) > SUMMARY_CHARS:
        sentence = sentence[:SUMMARY_CHARS].rpartition(" ")[0] + " …"
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[._]", " ", name)
    if arguments:
        opening, _, rest = doc.partition("\n\n")
        doc = f"{opening}\n\n{name}{arguments}\n\n{rest}"
    return Document(f"{name} — {sentence}", url, doc, words)


# ---- what has no Python source


def _compiled_documents() -> Iterator[Document]:
    for source, name in COMPILED.items():
        try:
            module = importlib.import_module(source)
        except ImportError:  # this Python was built without it
            continue
        if source == name and (doc := inspect.getdoc(module)):
            yield _document(name, "", doc, f"{_compiled_page(name, None)}#module-{name}")
        for attribute, value in sorted(vars(module).items()):
            if not attribute.startswith("_") and callable(value):
                yield from _compiled_definition(name, attribute, value)


def _compiled_definition(module: str, attribute: str, value: object) -> Iterator[Document]:
    page = _compiled_page(module, value)
    name = attribute if module == "builtins" else f"{module}.{attribute}"
    doc = _own_doc(value)
    if not doc:
        return
    yield _document(name, _signature(value), doc, f"{page}#{name}")
    if isinstance(value, type) and not issubclass(value, BaseException):
        for member, method in sorted(vars(value).items()):
            if not member.startswith("_") and (doc := _own_doc(method)):
                yield _document(f"{name}.{member}", _signature(method), doc, f"{page}#{name}.{member}")


def _compiled_page(module: str, value: object) -> str:
    if module != "builtins":
        return _page(module)
    if isinstance(value, type):
        return _page("exceptions" if issubclass(value, BaseException) else "stdtypes")
    return _page("functions")


def _own_doc(value: object) -> str:
    doc = getattr(value, "__doc__", None)
    return inspect.cleandoc(doc) if isinstance(doc, str) else ""


def _signature(value: object) -> str:
    signature = getattr(value, "__text_signature__", None) or ""
    return re.sub(r"\(\$\w+(, )?(/(, )?)?", "(", signature)


def _topics(library: Path) -> Iterator[Document]:
    """The chapters of the language reference that ``help()`` shows; the title is the first line of each."""
    for node in _parsed(library / "pydoc_data/topics.py").body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            for label, text in ast.literal_eval(node.value).items():
                heading, _, body = text.strip().partition("\n")
                body = re.sub(r"^\*+\n+", "", body)
                url = f"https://docs.python.org/3/search.html?q={label}"
                yield Document(f"Python language — {heading}", url, body, label.replace("-", " "))
