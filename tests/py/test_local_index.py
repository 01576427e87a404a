"""The embedded index: what it finds, how it is kept, and the loopback server in front of it."""

import http.client
import json
import os
import platform
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from bounded_web_tool import local_index
from bounded_web_tool._local_documents import Document, folder_documents
from bounded_web_tool.local_index import LocalIndex, LocalIndexServer, search_terms, snippet


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def library(cache):
    index = LocalIndex.of_library(cache)
    yield index
    index.close()


@pytest.fixture
def server(library):
    with LocalIndexServer(library) as server:
        yield server


def names(rows):
    return [row["title"].split(" — ")[0] for row in rows]


def get(server, path, **headers):
    address = urlsplit(server.base_url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=5)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


# ---- the documentation of Python


def test_how_do_i_parse_json_begins_with_the_json_module_and_its_two_readers(library):
    rows = library.search("how do I parse json", 5)
    assert set(names(rows)[:3]) == {"json", "json.loads", "json.load"}
    loads = next(row for row in rows if row["title"].startswith("json.loads "))
    assert loads["title"] == "json.loads — Deserialize s (a str, bytes or bytearray instance containing a …"
    assert loads["url"] == "https://docs.python.org/3/library/json.html#json.loads"
    assert loads["snippet"].startswith(
        "Deserialize s (a str, bytes or bytearray instance containing a JSON document) to a"
    )
    assert "json.loads(s, *, cls=None" in loads["snippet"]
    assert len(loads["snippet"]) > 200
    module = next(row for row in rows if row["title"].startswith("json — "))
    assert "json exposes an API familiar to users of the standard library marshal and pickle" in module["snippet"]


@pytest.mark.parametrize(
    ("query", "wanted", "page"),
    [
        ("sleep asynchronously", "asyncio.sleep", "library/asyncio.html#asyncio.sleep"),
        ("ThreadPoolExecutor", "concurrent.futures.ThreadPoolExecutor", "library/concurrent.futures.html#"),
        ("os.path.join", "os.path.join", "library/os.path.html#os.path.join"),
        ("sort a list in ascending order", "sorted", "library/functions.html#sorted"),
        ("connect to a sqlite database", "sqlite3.connect", "library/sqlite3.html#sqlite3.connect"),
        ("split a string", "str.split", "library/stdtypes.html#str.split"),
        ("decimal", "decimal.Decimal", "library/decimal.html#decimal.Decimal"),
        ("parse command line", "argparse", "library/argparse.html#module-argparse"),
        ("http server", "http.server", "library/http.server.html#module-http.server"),
    ],
)
def test_a_question_finds_the_function_it_is_about(library, query, wanted, page):
    rows = library.search(query, 5)
    row = next((row for row in rows if row["title"].startswith(f"{wanted} — ")), None)
    assert row is not None, names(rows)
    assert page in row["url"]


def test_the_language_itself_is_documented(library):
    assert library.search("what does lambda mean", 1) == [
        {
            "title": "Python language — Lambdas",
            "url": "https://docs.python.org/3/search.html?q=lambda",
            "snippet": library.search("lambdas", 1)[0]["snippet"],
        }
    ]


def test_every_entry_has_a_title_an_address_and_a_text(library):
    with library._lock:
        rows = library._connection.execute("SELECT title, url, text FROM documents").fetchall()
    assert len(rows) > 3000
    assert all(title and url.startswith("https://docs.python.org/3/") and text.strip() for title, url, text in rows)
    assert len({url for _, url, _ in rows}) == len(rows)


def test_nothing_is_imported_to_read_the_library(tmp_path):
    code = (
        "import sys\nfrom bounded_web_tool import _local_documents as d\nbefore = set(sys.modules)\n"
        "count = sum(1 for _ in d.library_documents())\nassert count > 3000, count\n"
        "new = set(sys.modules) - before - set(d.COMPILED)\n"
        "print([name for name in new if not name.startswith('_sysconfigdata')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("[]", "['numbers']")  # _decimal imports numbers


# ---- searching


def test_words_in_other_forms_are_found_and_all_words_go_before_some():
    index = LocalIndex.of(
        [
            Document("one", "u:1", "Parsing is reading."),
            Document("two", "u:2", "It parses JSON texts, and a lot more besides."),
            Document("three", "u:3", "Nothing of the kind."),
        ]
    )
    assert names(index.search("parsed json")) == ["two", "one"]


@pytest.mark.parametrize("query", ["", "   ", '"', "NEAR(", "***", "() AND", "-:^", "\x00", "🙂"])
def test_a_query_without_words_finds_nothing(library, query):
    assert library.search(query) == ([] if not search_terms(query) else library.search(query))


@pytest.mark.parametrize(
    "query", ['json" OR "', "NEAR(json, 5)", "title:json", "json*", "json AND", "NOT json", "{json}"]
)
def test_the_query_language_of_the_index_is_not_reachable(library, query):
    assert "json" in names(library.search(query, 10))[0]


def test_function_words_are_dropped_only_while_others_remain():
    assert search_terms("How do I parse the JSON?") == ["parse", "json"]
    assert search_terms("how do I") == ["how", "do", "i"]
    assert search_terms("json JSON Json") == ["json"]
    assert len(search_terms(" ".join(f"word{n}" for n in range(1000)))) == local_index.MAX_TERMS


def test_count_bounds_the_rows(library):
    assert len(library.search("file", 3)) == 3
    assert library.search("file", 0) == []


def test_a_long_text_is_shown_where_it_has_the_words():
    text = "begin " * 300 + "the needle is here " + "end " * 300
    shown = snippet(text, ["needle"])
    assert "needle" in shown
    assert shown.startswith("… ") and shown.endswith(" …")
    assert len(shown) <= local_index.SNIPPET_CHARS + 4
    assert snippet("short text", ["needle"]) == "short text"
    assert snippet("begin " * 300, ["begin"]).startswith("begin begin")


# ---- the cache


def test_the_index_is_built_once(tmp_path):
    built = []
    for _ in range(2):
        index = LocalIndex.of_library(tmp_path, lambda: built.append(1))
        assert names(index.search("json", 1)) == ["json"]
        index.close()
    assert built == [1]
    (file,) = tmp_path.iterdir()
    assert file.name == f"python-{platform.python_version()}-index-{local_index.SCHEMA}.sqlite3"


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 100, None])
def test_a_damaged_cache_file_is_replaced(library, cache, tmp_path, damage, monkeypatch):
    monkeypatch.setattr(local_index, "library_documents", lambda: [Document("new", "u:new", "text")])
    (whole,) = cache.glob("*.sqlite3")
    data = whole.read_bytes()
    file = tmp_path / whole.name
    file.write_bytes(data[: len(data) // 2] if damage is None else damage)
    index = LocalIndex.of_library(tmp_path)
    assert names(index.search("new")) == ["new"]
    index.close()
    assert [path.name for path in tmp_path.iterdir()] == [whole.name]


def test_without_a_writable_cache_the_index_is_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(local_index, "library_documents", lambda: [Document("new", "u:new", "text")])
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    index = LocalIndex.of_library(blocked / "below")
    assert names(index.search("new")) == ["new"]
    index.close()


def test_the_cache_may_be_a_relative_path_with_any_characters(tmp_path, monkeypatch):
    monkeypatch.setattr(local_index, "library_documents", lambda: [Document("new", "u:new", "text")])
    monkeypatch.chdir(tmp_path)
    built = []
    for _ in range(2):
        LocalIndex.of_library(Path("a ?#%20 folder"), lambda: built.append(1)).close()
    assert built == [1]


def test_the_cache_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert local_index.cache_folder() == tmp_path / "bounded_web_tool"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert local_index.cache_folder() == tmp_path / "home/.cache/bounded_web_tool"


# ---- a folder


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "notes.txt").write_text("The boiler valve is behind the shelf.", encoding="utf-8")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/guide.md").write_text(
        "Preface words.\n# Boiler\nTurn the valve.\n```sh\n# not a heading\n```\n## Big Window\nClean it.\n",
        encoding="utf-8",
    )
    (tmp_path / "picture.png").write_bytes(b"boiler")
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "latin.rst").write_bytes(b"caf\xe9 boiler")
    (tmp_path / "folder.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")  # reading it would wait for ever
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden/secret.txt").write_text("boiler")
    return tmp_path


def test_a_folder_is_read_by_file_and_by_section(folder):
    found = {document.title: document for document in folder_documents(folder)}
    assert list(found) == [
        "deep/guide.md",
        "deep/guide.md — Boiler",
        "deep/guide.md — Big Window",
        "latin.rst",
        "notes.txt",
    ]
    assert found["deep/guide.md — Boiler"].text == "Turn the valve.\n```sh\n# not a heading\n```"
    assert found["deep/guide.md — Big Window"].url == (folder / "deep/guide.md").as_uri() + "#big-window"
    assert found["latin.rst"].text == "caf\ufffd boiler"


def test_a_folder_can_be_searched(folder):
    index = LocalIndex.of_folder(folder)
    assert set(names(index.search("boiler valve"))) == {"notes.txt", "deep/guide.md", "latin.rst"}
    index.close()


# ---- the server


def test_a_search_over_http_is_the_search_of_the_index(server, library):
    status, answer = get(server, f"/search?q={quote('how do I parse json')}&count=4")
    assert status == 200
    assert answer == {"results": library.search("how do I parse json", 4)}
    assert list(answer["results"][0]) == ["title", "url", "snippet"]
    assert len(get(server, "/search?q=file")[1]["results"]) == local_index.DEFAULT_COUNT
    assert len(get(server, "/search?q=file&count=999999999")[1]["results"]) == local_index.MAX_COUNT
    assert get(server, "/search?q=") == (200, {"results": []})


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 404),
        ("/search/", 404),
        ("/search", 400),
        ("/search?count=5", 400),
        ("/search?q=a&q=b", 400),
        ("/search?q=json&count=0", 400),
        ("/search?q=json&count=-1", 400),
        ("/search?q=json&count=many", 400),
        ("/search?q=json&count=1e3", 400),
        ("/search?q=json&count=" + "9" * 5000, 400),
        ("/search?q=%ff%fe", 400),
        ("/search?" + "&".join(["a=1"] * 50), 400),
    ],
)
def test_bad_requests_are_refused(server, path, status):
    given, answer = get(server, path)
    assert (given, list(answer)) == (status, ["error"])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403),
        ("evil.example:80", 403),
        ("127.0.0.1.evil.example", 403),
        ("", 403),
        ("[bad", 400),
        ("localhost", 200),
        ("127.0.0.1:1", 200),
    ],
)
def test_a_foreign_host_name_is_refused(server, host, status):
    assert get(server, "/search?q=json", Host=host)[0] == status


def test_connections_are_kept_alive_and_answers_leave_at_once(server):
    address = urlsplit(server.base_url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=5)
    connection.connect()
    first = connection.sock
    started = time.perf_counter()
    for _ in range(20):
        connection.request("GET", "/search?q=json&count=1")
        response = connection.getresponse()
        assert json.loads(response.read())["results"]
    assert connection.sock is first
    assert time.perf_counter() - started < 0.5  # 40 ms each if a delayed acknowledgement were waited for
    connection.close()


def test_close_is_bounded_and_cuts_what_is_open(library):
    server = LocalIndexServer(library)
    address = urlsplit(server.base_url)
    idle = socket.create_connection((address.hostname, address.port), timeout=5)
    idle.sendall(b"GET /search?q=json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert idle.recv(12) == b"HTTP/1.1 200"
    started = time.perf_counter()
    server.close()
    server.close()
    assert time.perf_counter() - started < 1
    while idle.recv(65536):
        pass  # ends: the server has closed its side
    idle.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address.hostname, address.port), timeout=5)


def test_threads_and_descriptors_return_to_the_start():
    """In a process of its own, where nothing else opens or ends anything."""
    code = """if True:
        import os, threading, time, urllib.request
        from bounded_web_tool.local_index import LocalIndex, LocalIndexServer
        from bounded_web_tool._local_documents import Document
        def used():
            return threading.active_count(), len(os.listdir("/proc/self/fd"))
        index = LocalIndex.of([Document("one", "u:1", "text")])
        before = used()
        for _ in range(5):
            with LocalIndexServer(index) as server:
                urllib.request.urlopen(server.base_url + "/search?q=text", timeout=5).read()
        until = time.monotonic() + 5
        while used() != before and time.monotonic() < until:
            time.sleep(0.01)
        assert used() == before, (before, used())
    """
    if not os.path.isdir("/proc/self/fd"):
        code = code.replace('len(os.listdir("/proc/self/fd"))', "0")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_many_clients_at_once(server):
    failures = []

    def client():
        for query in ("json", "file", "thread"):
            status, answer = get(server, f"/search?q={query}")
            if status != 200 or not answer["results"]:
                failures.append((status, answer))

    threads = [threading.Thread(target=client) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_sqlite_has_full_text_search():
    assert sqlite3.connect(":memory:").execute("SELECT sqlite_compileoption_used('ENABLE_FTS5')").fetchone() == (1,)
