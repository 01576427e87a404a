"""Wrong arguments raise and name the argument before anything is dialled; wrong queries end in a receipt."""

import pytest

import bounded_web_tool as bwt
from worlds import DOORS, POLICY, QUERY, USEFUL_RESPONSE, Custom, returning, scripted, statuses


@pytest.fixture(params=DOORS)
def look_up(request):
    return DOORS[request.param]


class Watched(Custom):
    """Complains when it is asked for anything."""

    def __init__(self):
        super().__init__(self.fail)

    def fail(self, *arguments):
        raise AssertionError("something was dialled")

    target_for = fail


class WithoutName:
    target_for = fetch = staticmethod(lambda *_: None)


class NameRaises(WithoutName):
    @property
    def name(self):
        raise OSError("secret")


class NameIsNumber(WithoutName):
    name = 7


class WithoutFetch:
    name = "n"
    target_for = staticmethod(lambda query: "")


class FetchIsText(WithoutFetch):
    fetch = "fetch"


class WithoutTarget:
    name = "n"
    fetch = staticmethod(lambda *_: None)


class AskedTooMuch:
    is_cancelled = staticmethod(lambda: False)


@pytest.mark.parametrize("query", [None, b"bytes", 7, ["text"]])
def test_a_query_that_is_no_text(look_up, query):
    with pytest.raises(TypeError, match="query must be a str"):
        look_up(query, Watched(), Watched())


@pytest.mark.parametrize(
    ("transport", "complaint"),
    [
        (None, "is missing"),
        ("searxng", "is missing"),
        (WithoutName(), "name is missing"),
        (NameRaises(), "name cannot be read"),
        (NameIsNumber(), "name must be a str"),
        (WithoutFetch(), "fetch is missing"),
        (FetchIsText(), "fetch must be callable"),
        (WithoutTarget(), "target_for is missing"),
        (Custom, "not the class Custom"),
    ],
)
def test_what_is_no_transport(look_up, transport, complaint):
    with pytest.raises(TypeError, match=f"primary.*{complaint}") as caught:
        look_up(QUERY, transport, Watched())
    assert "secret" not in str(caught.value) and caught.value.__cause__ is None
    if transport is not None:
        with pytest.raises(TypeError, match=f"fallback.*{complaint}"):
            look_up(QUERY, Watched(), transport)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("policy", None),
        ("policy", {"budget_ms": 10}),
        ("validator", None),
        ("validator", lambda query, response: bwt.USEFUL),
        ("validator", bwt.EvidenceValidator),
        ("clock", None),
        ("clock", 7.0),
        ("cancellation_token", object()),
        ("cancellation_token", AskedTooMuch()),
    ],
)
def test_other_wrong_arguments(look_up, name, value):
    with pytest.raises(TypeError, match=name):
        look_up(QUERY, Watched(), Watched(), **{name: value})


def test_an_argument_that_does_not_exist(look_up):
    with pytest.raises(TypeError, match="budget_ms"):
        look_up(QUERY, Watched(), budget_ms=10)


def test_the_options_are_keywords(look_up):
    with pytest.raises(TypeError):
        look_up(QUERY, Watched(), Watched(), POLICY)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"budget_ms": 0}, ValueError),
        ({"budget_ms": -1}, ValueError),
        ({"budget_ms": 1.5}, TypeError),
        ({"budget_ms": True}, TypeError),
        ({"max_fallbacks": 2}, ValueError),
        ({"max_results": 0}, ValueError),
    ],
)
def test_a_policy_that_cannot_be(fields, error):
    with pytest.raises(error, match=next(iter(fields))):
        bwt.FallbackPolicy(**fields)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "empty_query"),
        (" \t\r\n\x85\u2003", "empty_query"),
        ("\u200b\u200d", "empty_query"),
        ("x" * 401, "query_too_long"),
        ("x" * 10_000_000, "query_too_long"),
        ("a\x00b", "malformed_query"),
        ("a\x1bb", "malformed_query"),
        ("a\ud800b", "malformed_query"),
        ("\udfff", "malformed_query"),
    ],
)
def test_queries_that_are_refused_locally(look_up, query, reason):
    receipt = look_up(query, Watched(), Watched(), policy=POLICY, clock=bwt.ManualClock())
    assert receipt.explain() == (
        "outcome=blocked_by_policy next_action=stop attempts=0/2 elapsed_ms=0/2000 trail=[none]"
    )
    assert receipt.policy_reason == reason


def test_a_token_cancelled_beforehand_does_not_change_a_refusal(look_up):
    token = bwt.CancellationToken()
    token.cancel()
    receipt = look_up("", Watched(), cancellation_token=token)
    assert (receipt.outcome, receipt.policy_reason, receipt.attempts) == ("blocked_by_policy", "empty_query", ())


def test_text_of_transports_with_lone_surrogates(look_up):
    hit = ("Copper \ud800 kettle", "https://k.example/\udcff", "Long enough to be evidence of a copper kettle \ud83d")
    transport = returning(bwt.TransportResponse(200, bwt.hits(hit)))
    transport.name = "na\ud800me"
    transport._target = "https://x.example/\udcff"
    receipt = look_up(QUERY, transport)
    assert statuses(receipt) == ["ok_useful"]
    assert receipt.attempts[0].transport == "na\ufffdme"
    assert receipt.attempts[0].target == "https://x.example/\ufffd"
    assert receipt.results[0].title == "Copper \ufffd kettle"
    str(receipt).encode("utf-8")


def test_the_name_is_read_once(look_up):
    class Moody(Custom):
        reads = 0

        @property
        def name(self):
            self.reads += 1
            return f"read {self.reads}"

        @name.setter
        def name(self, value):
            pass

    async def fetch(request, slice_ms, cancellation_token):
        return USEFUL_RESPONSE

    transport = Moody(fetch)
    assert look_up(QUERY, transport).attempts[0].transport == "read 1"
    assert transport.reads == 1


def test_a_closed_vocabulary_even_for_a_name_with_a_secret(look_up):
    clock = bwt.ManualClock()
    transport = scripted(clock, (0, USEFUL_RESPONSE), name="search?api_key=abcd1234")
    receipt = look_up(QUERY, transport, clock=clock)
    assert "abcd1234" not in str(receipt)
