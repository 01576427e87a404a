"""The shipped specs against answers written after real ones, and against the recorded corpus where there is one."""

import csv
import json
import time
from pathlib import Path

import pytest

from bounded_web_tool._core import EvidenceValidator, Provider, TransportResponse
from bounded_web_tool._spec import SHIPPED, load_spec

SPECS = sorted(path.stem for path in SHIPPED.glob("*.toml"))


def provider(name, **overrides):
    return Provider(json.dumps(load_spec(name)), **overrides)


def read(name, status, body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return provider(name).read(status, data)


def triples(answer):
    assert isinstance(answer, TransportResponse) and answer.parse_ok
    return [(hit.title, hit.url, hit.snippet) for hit in answer.hits]


@pytest.mark.parametrize("name", SPECS)
def test_a_shipped_spec_bears_its_files_name(name):
    assert provider(name).name == name


def test_requests():
    assert provider("searxng").target_for("a b&c") == "http://127.0.0.1:8080/search?q=a+b%26c&format=json"
    assert provider("searxng", base_url="http://10.0.0.1/sx/").target_for("é") == (
        "http://10.0.0.1/sx/search?q=%C3%A9&format=json"
    )
    embedded = provider("embedded", base_url="http://127.0.0.1:9")
    assert embedded.target_for("x", 3) == "http://127.0.0.1:9/search?q=x&count=3"
    assert provider("mediawiki").target_for("x", 80) == (
        "https://en.wikipedia.org/w/api.php?action=query&list=search&srsearch=x&srlimit=50&format=json"
    )


def test_searxng_hits():
    answer = {
        "query": "owls",
        "number_of_results": 0,
        "results": [
            {"url": "https://birds.example/owl", "title": "Owls", "content": "Owls hunt at night.", "engine": "one"},
            {"url": "https://birds.example/2", "title": "No text", "content": None},
        ],
        "answers": [],
        "unresponsive_engines": [["two", "Suspended: CAPTCHA"]],
    }
    assert triples(read("searxng", 200, answer)) == [
        ("Owls", "https://birds.example/owl", "Owls hunt at night."),
        ("No text", "https://birds.example/2", ""),
    ]


def test_searxng_empty_or_out_of_engines():
    assert triples(read("searxng", 200, {"results": [], "unresponsive_engines": []})) == []
    assert read("searxng", 200, {"results": [], "unresponsive_engines": [["one", "timeout"]]}) == (
        "rate_limited", None, 200, None,
    )  # fmt: skip
    assert read("searxng", 403, b"<!doctype html><title>403 Forbidden</title>") == ("auth_failed", None, 403, None)
    assert read("searxng", 429, b"Too Many Requests") == ("rate_limited", None, 429, None)


def test_mediawiki():
    answer = {
        "batchcomplete": "",
        "query": {
            "searchinfo": {"totalhits": 1},
            "search": [
                {
                    "ns": 0,
                    "title": "Barn owl",
                    "pageid": 4711,
                    "snippet": 'The <span class="searchmatch">barn</span> <span class="searchmatch">owl</span> &amp;'
                    " its kin (Tyto) hunt at d&uuml;sk",
                }
            ],
        },
    }
    assert triples(read("mediawiki", 200, answer)) == [
        ("Barn owl", "https://en.wikipedia.org/w/index.php?curid=4711", "The barn owl & its kin (Tyto) hunt at düsk")
    ]
    other = provider("mediawiki", base_url="https://wiki.example:8443").read(200, json.dumps(answer).encode())
    assert other.hits[0].url == "https://wiki.example:8443/w/index.php?curid=4711"
    assert triples(read("mediawiki", 200, {"query": {"searchinfo": {"totalhits": 0}, "search": []}})) == []


def test_mediawiki_errors_come_with_200():
    def error(code):
        return {"error": {"code": code, "info": "text that must not matter"}}

    assert read("mediawiki", 200, error("ratelimited")) == ("rate_limited", None, 200, None)
    assert read("mediawiki", 200, error("missingparam")) == ("transport_error", "provider_error", 200, None)


def test_embedded():
    rows = [{"title": "json", "url": "http://127.0.0.1/doc/json", "snippet": "Encode and decode JSON."}]
    assert triples(read("embedded", 200, {"results": rows})) == [
        ("json", "http://127.0.0.1/doc/json", "Encode and decode JSON.")
    ]
    assert triples(read("embedded", 200, {"results": []})) == []


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"<html><body>Hello</body></html>", b"\xff\xfe", b"null"])
def test_what_is_not_the_shape_is_unparseable(name, body):
    answer = read(name, 200, body)
    assert (answer.parse_ok, answer.hits) == (False, ())


def test_mistakes_name_the_key():
    spec = load_spec("mediawiki")
    spec["answer"] = {**spec["answer"], "title": ["title", 5]}
    with pytest.raises(ValueError, match=r"answer\.title\[1\]"):
        Provider(json.dumps(spec))
    spec = load_spec("mediawiki")
    spec["request"] = {**spec["request"], "parms": {}}
    with pytest.raises(ValueError, match=r"request\.parms.*method base_url path params"):
        Provider(json.dumps(spec))


def test_the_spec_in_the_documentation_compiles():
    page = (SHIPPED / "README.md").read_text(encoding="utf-8")
    import tomllib

    document = tomllib.loads(page.split("```toml\n")[1].split("```")[0])
    example = Provider(json.dumps(document), api_key="k")
    assert example.target_for("x") == "https://api.example.org/v1/search?lang=en"
    hit = {"type": "page", "title": "A &amp; B", "id": 7, "text": "one", "highlights": ["<b>two</b>", "three"]}
    answer = example.read(200, json.dumps({"results": [hit, {"type": "ad"}]}).encode())
    assert triples(answer) == [("A & B", "https://api.example.org/item/7", "one two three")]
    assert triples(example.read(422, b'{"error": {"code": "NO_RESULTS"}}')) == []


def test_reading_time_is_linear():
    many = [{"title": "t" * 40, "url": f"https://a.example/{i}", "content": "word " * 40} for i in range(6000)]
    body = json.dumps({"results": many}).encode()
    assert 1_500_000 < len(body) < 2 * 1024 * 1024
    searxng = provider("searxng")
    started = time.perf_counter()
    assert len(searxng.read(200, body).hits) == 1000
    assert time.perf_counter() - started < 0.5  # measured: a few milliseconds


def test_recorded_answers(shared_dir):
    corpus = Path(shared_dir) / "corpus"
    with (corpus / "EXPECT.tsv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["spec"] in SPECS]
    assert len(rows) >= 7
    for row in rows:
        answer = read(row["spec"], int(row["http_status"]), (corpus / row["path"]).read_bytes())
        if not isinstance(answer, TransportResponse):
            assert (answer[0] in row["status"].split("|"), answer[1] or "") == (True, row["detail"]), row["path"]
            continue
        verdict = EvidenceValidator().validate(row["query"], answer)
        assert ("ok_useful" if verdict.useful else "ok_not_useful") in row["status"].split("|"), row["path"]
        if row["reason"]:
            assert verdict.reason in row["reason"].split("|"), row["path"]
        first = answer.hits[0] if answer.hits else None
        assert not row["hit_count"] or len(answer.hits) == int(row["hit_count"]), row["path"]
        assert not row["first_title"] or (first and first.title == row["first_title"]), row["path"]
        assert not row["first_url"] or (first and first.url == row["first_url"]), row["path"]
