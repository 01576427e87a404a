"""A full-text index (SQLite FTS5) over local documents, and the small loopback server that answers searches of it."""

import json
import os
import platform
import re
import socket
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from bounded_web_tool._local_documents import Document, folder_documents, library_documents

SCHEMA = 1  # raise it when the table or the documents change: it is part of the cache file's name
MAX_COUNT = 50
DEFAULT_COUNT = 10
MAX_TERMS = 32
SNIPPET_CHARS = 480
# Words that say how something is asked, not what about.
FUNCTION_WORDS = frozenset(
    """
    a an and any are as at be best by can could did do does explain find for from get give has have how i if in into
    is it its make me mean means my need of on one or please python should show so some tell than that the their
    then there these they this those to use used using was way we were what when where which who why will with work
    works would you your
    """.split()
)


class LocalIndex:
    """A searchable set of documents. Thread-safe: one connection behind a lock."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Self:
        """An index in memory."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        _fill(connection, documents)
        return cls(connection)

    @classmethod
    def of_folder(cls, folder: str | os.PathLike[str]) -> Self:
        """The .txt, .rst and .md files below ``folder``, in memory."""
        return cls.of(folder_documents(Path(folder)))

    @classmethod
    def of_library(cls, cache: Path | None = None, on_build: Callable[[], object] | None = None) -> Self:
        """The documentation of this Python, from a file in ``cache`` (default: the user's cache folder). It is built
        when it is not there yet, which takes seconds; ``on_build`` is called before. A cache that cannot be written
        costs the building again next time, nothing else."""
        path = (cache or cache_folder()) / f"python-{platform.python_version()}-index-{SCHEMA}.sqlite3"
        connection = _opened(path)
        if connection is None:
            if on_build is not None:
                on_build()
            documents = list(library_documents())
            connection = _stored(path, documents)
            if connection is None:
                return cls.of(documents)
        return cls(connection)

    def __len__(self) -> int:
        with self._lock:
            return int(self._connection.execute("SELECT count(*) FROM documents").fetchone()[0])

    def search(self, query: str, count: int = DEFAULT_COUNT) -> list[dict[str, str]]:
        """At most ``count`` rows of title, url and snippet, best first: all terms before some terms."""
        terms = search_terms(query)
        if not terms or count < 1:
            return []
        quoted = [f'"{term}"' for term in terms]
        rows: dict[str, dict[str, str]] = {}
        with self._lock:
            for operator in (" AND ", " OR "):
                found = self._connection.execute(_SEARCH, (operator.join(quoted), count))
                for title, url, text in found:
                    rows.setdefault(url, {"title": title, "url": url, "snippet": snippet(text, terms)})
                if len(rows) >= count:
                    break
        return list(rows.values())[:count]

    def close(self) -> None:
        with self._lock:
            self._connection.close()


# The name counts most, then the title. A short name (a module, a function) goes before a method deep inside, and the
# thing itself before its errors, whose short texts would otherwise win.
_SEARCH = """
SELECT title, url, text FROM documents WHERE documents MATCH ?
ORDER BY bm25(documents, 4.0, 0, 1.0, 8.0)
    * (1.0 + 1.0 / (1 + length(keywords) - length(replace(keywords, ' ', ''))))
    * (1.0 - 0.2 * (title GLOB '*Error — *'))
LIMIT ?
"""
_CREATE = """
CREATE VIRTUAL TABLE documents USING fts5(
    title, url UNINDEXED, text, keywords, tokenize = 'porter unicode61 remove_diacritics 2')
"""


def search_terms(query: str) -> list[str]:
    """The distinct words of a query, without function words as long as others remain."""
    words = list(dict.fromkeys(re.findall(r"[^\W_]+", query.casefold())))
    return [word for word in words if word not in FUNCTION_WORDS][:MAX_TERMS] or words[:MAX_TERMS]


def snippet(text: str, terms: list[str]) -> str:
    """The beginning of ``text``, or where it first has a term if the beginning has none, on word boundaries."""
    text = " ".join(text.split())
    if len(text) <= SNIPPET_CHARS:
        return text
    found = re.search("|".join(rf"\b{re.escape(term)}" for term in terms), text, re.IGNORECASE)
    start = max(found.start() - SNIPPET_CHARS // 4, 0) if found and found.end() > SNIPPET_CHARS else 0
    start = text.find(" ", start) + 1 if start else 0
    piece = text[start : start + SNIPPET_CHARS]
    if start + SNIPPET_CHARS < len(text):
        piece = piece.rpartition(" ")[0] + " …"
    return ("… " if start else "") + piece


def cache_folder() -> Path:
    """Where the XDG base directory specification puts what can be made again."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path("~/.cache").expanduser()
    return base / "bounded_web_tool"


def _fill(connection: sqlite3.Connection, documents: Iterable[Document]) -> None:
    with connection:
        connection.execute(_CREATE)
        connection.executemany(
            "INSERT INTO documents (title, url, text, keywords) VALUES (?, ?, ?, ?)",
            ((item.title, item.url, item.text, item.keywords or item.title) for item in documents),
        )
        connection.execute("INSERT INTO documents (documents) VALUES ('optimize')")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _opened(path: Path) -> sqlite3.Connection | None:
    """A finished index file, read-only; None when there is none or it is damaged."""
    connection = None
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA:
            connection.execute("SELECT count(*) FROM documents").fetchone()
            return connection
    except sqlite3.Error:
        pass
    if connection is not None:
        connection.close()
    return None


def _stored(path: Path, documents: Iterable[Document]) -> sqlite3.Connection | None:
    """Writes the index beside ``path`` and renames it into place, so that others see a whole file or none."""
    temporary = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
        os.close(handle)
        with closing(sqlite3.connect(temporary)) as connection:
            _fill(connection, documents)
        os.replace(temporary, path)
        return _opened(path)
    except (OSError, sqlite3.Error):
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        return None


# ---- the server


class LocalIndexServer:
    """Answers ``GET /search?q=…&count=…`` on 127.0.0.1 with ``{"results": [{"title", "url", "snippet"}, …]}``, from
    threads of its own, until ``close()``; a context manager. The index stays the caller's."""

    def __init__(self, index: LocalIndex, port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.index = index
        # The poll interval bounds how long close() waits.
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="local-index", daemon=True
        )
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stops accepting and cuts the connections that are open. Bounded; a second call does nothing."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self._server.cut_connections()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingTCPServer):
    index: LocalIndex
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *arguments: Any) -> None:
        self._connections = set[socket.socket]()
        self._connections_lock = threading.Lock()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._connections_lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._connections_lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        with self._connections_lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _BadRequest(Exception):
    """Its text is ours and goes to the client."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "bounded-web-index"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together
    timeout = 60  # seconds that a connection may lie idle
    server: _Server

    def do_GET(self) -> None:
        try:
            # A web page whose host name has been pointed at 127.0.0.1 must not read local documents.
            if urlsplit(f"//{self.headers.get('Host', '')}").hostname not in {"127.0.0.1", "localhost"}:
                return self._answer(403, {"error": "this server answers to 127.0.0.1 and localhost only"})
            address = urlsplit(self.path)
            if address.path != "/search":
                return self._answer(404, {"error": "the only path is /search"})
            query, count = _search_parameters(address.query)
        except (ValueError, _BadRequest) as error:
            message = str(error) if isinstance(error, _BadRequest) else "malformed address"
            return self._answer(400, {"error": message})
        return self._answer(200, {"results": self.server.index.search(query, count)})

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Quiet."""


def _search_parameters(query_string: str) -> tuple[str, int]:
    given = parse_qs(query_string, keep_blank_values=True, errors="strict", max_num_fields=20)
    if len(given.get("q", ())) != 1:
        raise _BadRequest("exactly one q is needed")
    count = given.get("count", [str(DEFAULT_COUNT)])[-1]
    if not re.fullmatch("[0-9]{1,9}", count) or int(count) < 1:
        raise _BadRequest("count must be a whole number from 1")
    return given["q"][0], min(int(count), MAX_COUNT)
