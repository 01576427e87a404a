"""A loopback HTTP server whose every path has one fixed behaviour, named after what the client meets there.

``/useful/search`` answers hits about the query, ``/stalls/search`` reads the request and says nothing, and so on: a
provider's base URL chooses the behaviour. Requests are counted by behaviour, keys seen are remembered, and ``close``
ends every connection.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

RETRY_AFTER_S = 7


def _hits(query: str, count: int = 3) -> list[dict[str, str]]:
    return [
        {
            "title": f"{query} explained, part {n}",
            "url": f"https://docs.example/{n}",
            "content": f"All about {query}: a paragraph that is long enough to count as evidence, number {n}.",
        }
        for n in range(1, count + 1)
    ]


def _reply(status: str, body: bytes, content_type: str = "application/json", extra: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


def _json(value: object, status: str = "200 OK", extra: str = "") -> bytes:
    return _reply(status, json.dumps(value).encode(), extra=extra)


def _walls(query: str) -> bytes:
    wall = {"title": "Just a moment...", "url": "https://w.example/", "content": "Verify you are human to continue."}
    return _json({"results": [wall]})


REPLIES: dict[str, Callable[[str], bytes]] = {
    "useful": lambda query: _json({"results": _hits(query)}),
    "empty": lambda query: _json({"results": []}),
    "short": lambda query: _json({"results": [{"title": query, "url": "https://s.example/", "content": "tiny"}]}),
    "offtopic": lambda query: _json({"results": _hits("zebra crossing")}),
    "walls": _walls,
    "not-json": lambda query: _reply("200 OK", b"{ this is not json"),
    "unauthorized": lambda query: _json({"error": "bad key"}, "401 Unauthorized"),
    "no-credit": lambda query: _json({"error": "pay"}, "402 Payment Required"),
    "slow-down": lambda query: _json({}, "429 Too Many Requests", f"Retry-After: {RETRY_AFTER_S}\r\n"),
    "broken": lambda query: _json({"error": "oops"}, "500 Internal Server Error"),
    "moved": lambda query: _reply("302 Found", b"", extra="Location: https://elsewhere.example/\r\n"),
    "not-http": lambda query: b"SSH-2.0-OpenSSH_9.2\r\n",
    "hangs-up": lambda query: b"",
    "half-body": lambda query: b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
}
STALLS = "stalls"
CLOSES_AFTER = {"not-http", "hangs-up", "half-body"}


class ScriptedServer:
    """Context manager; ``base_url(behaviour)`` is what a provider gets as its base URL."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._port = self._listener.getsockname()[1]
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.requests: Counter[str] = Counter()
        self.closed_by_client = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self._thread.join(5)

    def base_url(self, behaviour: str) -> str:
        assert behaviour == STALLS or behaviour in REPLIES
        return f"http://127.0.0.1:{self._port}/{behaviour}"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._connections.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while self._answer_one(connection, stream):
                    pass
        except OSError:
            pass
        finally:
            with self._lock:
                self._connections.discard(connection)

    def _answer_one(self, connection: socket.socket, stream) -> bool:  # type: ignore[no-untyped-def]
        request_line = stream.readline().split()
        if len(request_line) != 3:
            return False
        length = 0
        while (line := stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        stream.read(length)
        target = urlsplit(request_line[1].decode())
        behaviour = target.path.split("/")[1]
        with self._lock:
            self.requests[behaviour] += 1
        if behaviour == STALLS:
            stream.readline()
            self.closed_by_client.release()
            return False
        connection.sendall(REPLIES[behaviour](parse_qs(target.query).get("q", [""])[0]))
        return behaviour not in CLOSES_AFTER
