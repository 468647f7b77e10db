"""Every provider against an API on loopback that speaks as the real one does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from planbook.model import Query
from planbook.research.search.api_answers import Searched
from planbook.research.web.model import Ask, Outcome
from tests.research.search import apis
from tests.research.search.apis import KEY, Api, Searxng, as_json
from tests.research.search.asked_web import web
from tests.research.search.conftest import KINDS, Kind, OpenApi, Place, make
from tests.research.web.server import Reply, gzipped, typed

every = pytest.mark.parametrize("kind", KINDS, ids=str)
keyed = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.is_keyed], ids=str)


NAMELESS = [{"url": 1, "link": {}, "html_url": [], "key": 4}]
"""Results with what is no address."""


def at(api: Api) -> Place:
    """The API, as one that the user named."""
    return api.url, True


@pytest.fixture
def search(open_api: OpenApi, ask: Ask) -> Callable[..., tuple[Searched, Api]]:
    """Asks one kind of provider; `first` is what its API answers before it answers as it should."""

    def search(kind: Kind, *first: Reply, query: Query | None = None, limit: int = 5) -> tuple[Searched, Api]:
        api = open_api(kind.service)
        api.first[:] = first
        return kind.make(ask, at(api)).search(query or web(kind.query), limit), api

    return search


Search = Callable[..., tuple[Searched, Api]]


# --- what all have in common --------------------------------------------------------------------------------------


@every
def test_hits(kind: Kind, search: Search) -> None:
    """Results become hits, best first, with who found them by which query; one request is made."""
    searched, api = search(kind)
    assert (searched.outcome, searched.reason) == (Outcome.OK, "")
    hit = searched.hits[0]
    assert hit.url == (kind.url if kind.url.startswith("https") else f"{api.url}{kind.url}")
    assert (hit.title, searched.query.text) == (kind.title, kind.query)
    assert searched.provider == kind.name
    assert searched.requests == len(api.asked) == 1


@every
@pytest.mark.parametrize("answer", [apis.CHALLENGE, apis.CHALLENGE_200], ids=["403", "200"])
def test_a_challenge_is_blocked(kind: Kind, answer: Reply, search: Search) -> None:
    """A test for people in the place of results is no answer."""
    searched, _ = search(kind, answer)
    assert (searched.outcome, searched.hits) == (Outcome.BLOCKED, ())
    assert "bot check" in searched.reason


@every
def test_too_many_requests_is_rate_limited(kind: Kind, search: Search) -> None:
    """429 with a long wait is left alone, and told apart from a refusal."""
    searched, api = search(kind, as_json({"message": "slow down"}, 429, ("Retry-After", "3600")))
    assert (searched.outcome, searched.hits) == (Outcome.RATE_LIMITED, ())
    assert "too many requests" in searched.reason
    assert "slow down" in searched.reason
    assert len(api.asked) == 1


@every
@pytest.mark.parametrize(
    "answer",
    [
        typed(b"", "application/json", status=200),
        typed(b"not json {", "application/json"),
        typed(b"\xff\xfe\x00", "application/json"),
        typed(b"[" * 200_000, "application/json"),
        as_json([]),
        as_json(None),
        as_json("results"),
        as_json({"error": "try later"}, 500),
        as_json({"detail": "gone"}, 410),
        as_json({"results": {}, "pages": {}, "items": 3, "web": [], "organic": "x"}),
        as_json({"results": [1], "pages": [None], "items": ["x"], "web": {"results": [[]]}, "organic": [True]}),
        as_json({**dict.fromkeys(("results", "pages", "items", "organic"), NAMELESS), "web": {"results": NAMELESS}}),
        typed(b"<feed xmlns='http://www.w3.org/2005/Atom'><entry>", "application/atom+xml"),
        Reply(302, b"", (("Location", "https://elsewhere.example/search"),)),
        gzipped(b" " * 30_000_000, "application/json"),
    ],
    ids=[
        *("empty", "no json", "no text", "deep", "list", "null", "text", "500", "410", "wrong types", "wrong entries"),
        *("no addresses", "cut off", "elsewhere", "huge"),
    ],
)  # fmt: skip
def test_what_is_no_answer_fails(kind: Kind, answer: Reply, search: Search) -> None:
    """Whatever an API sends in place of an answer is a failure with a reason, never an exception or no results."""
    searched, _ = search(kind, answer, answer, answer)
    assert (searched.outcome, searched.hits) == (Outcome.FAILED, ())
    assert searched.reason
    assert "\n" not in searched.reason
    assert len(searched.reason) < 400


@every
def test_only_what_the_user_named_may_be_on_this_machine(kind: Kind, open_api: OpenApi, ask: Ask) -> None:
    """An API whose address is ours, and that is found on loopback, is not asked: somebody lies about the name."""
    api = open_api(kind.service)
    searched = kind.make(ask, (api.url, False)).search(web(kind.query), 5)
    assert searched.outcome is Outcome.FAILED
    assert api.asked == []


@every
def test_a_very_long_query(kind: Kind, search: Search) -> None:
    """What is longer than the API takes is cut between words, and still asked."""
    searched, api = search(kind, query=web(f"{kind.query} " + "and " * 400))
    assert searched.outcome is Outcome.OK
    assert len(api.asked) == 1


# --- keys ---------------------------------------------------------------------------------------------------------


@keyed
def test_a_refused_key_is_told(kind: Kind, open_api: OpenApi, ask: Ask) -> None:
    """A wrong key is told with the name of its variable, and not with its value."""
    api = open_api(kind.service)
    makers: dict[str, Any] = {
        "brave": lambda key: make("brave", ask, at(api), key),
        "tavily": lambda key: make("tavily", ask, at(api), key),
    }
    searched = makers[kind.name]("wrong-key-0001").search(web(kind.query), 5)
    assert searched.outcome in {Outcome.BLOCKED, Outcome.FAILED}
    assert "wrong-key-0001" not in repr(searched)
    names = {"brave": "token is invalid"}
    assert names.get(kind.name, f"{kind.name.upper()}_API_KEY") in searched.reason


@keyed
def test_a_planted_key_comes_back_nowhere(kind: Kind, open_api: OpenApi, ask: Ask) -> None:
    """An API that sends the key back, in errors, headers or results, does not get it into what we keep or show."""
    echo = f"your key is {KEY}"
    hit = dict.fromkeys(("url", "link", "html_url"), f"https://evil.example/?k={KEY}")
    entry = {
        **hit,
        "title": echo,
        "content": echo,
        "description": echo,
        "path": echo,
        "repository": {"full_name": "a/b"},
    }
    results = {"results": [entry], "organic": [entry], "items": [entry], "web": {"results": [entry]}}
    answers = [
        *(as_json({"message": echo, "error": echo, "detail": echo}, status) for status in (400, 401, 403, 422)),
        as_json({}, 429, ("Retry-After", f"{KEY}"), ("x-brd-err-msg", echo)),
        as_json(results),
    ]
    for answer in answers:
        api = open_api(kind.service)
        api.first[:] = [answer] * 3
        provider = kind.make(ask, at(api))
        searched = provider.search(web(kind.query), 5)
        assert KEY in json.dumps(dict(api.asked[0].headers))  # it is sent where it belongs
        assert KEY not in repr(searched)
        assert KEY not in repr(provider)


@keyed
def test_keys_are_sent_in_headers_alone(kind: Kind, search: Search) -> None:
    """Addresses and bodies, which logs keep, hold no key."""
    _, api = search(kind)
    asked = api.asked[0]
    assert KEY not in asked.path + repr(asked.params) + asked.body.decode()


# --- SearXNG ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "text", "categories"),
    [
        ("web", "green tea", "general"),
        ("github", "green tea site:github.com", "general"),
        ("wikipedia", "green tea site:wikipedia.org", "general"),
        ("arxiv", "green tea", "science"),
        ("scholar", "green tea", "science"),
    ],
)
def test_searxng_asks_for_the_engine(engine: str, text: str, categories: str, open_api: OpenApi, ask: Ask) -> None:
    """A query for one place is restricted to it, or to a category that has it."""
    api = open_api(Searxng())
    make("searxng", ask, at(api)).search(Query(engine, "green tea"), 5)
    assert api.asked[0].params == {"q": text, "format": "json", "categories": categories}


@pytest.mark.parametrize("instance", [Searxng(formats=("html",))], ids=["403"])
def test_searxng_without_json_says_what_to_change(instance: Searxng, open_api: OpenApi, ask: Ask) -> None:
    """A fresh instance answers 403 to `format=json`: the reason names the setting."""
    searched = make("searxng", ask, at(open_api(instance))).search(web("tea"), 5)
    assert searched.outcome is Outcome.BLOCKED
    assert "`json`" in searched.reason
    assert "formats" in searched.reason


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ((("google", "Suspended: CAPTCHA"), ("bing", "timeout")), Outcome.FAILED),
        ((("google", "timeout"), ("bing", "HTTP error")), Outcome.FAILED),
        ((), Outcome.OK),
    ],
)
def test_searxng_whose_engines_do_not_answer(
    said: tuple[tuple[str, str], ...], outcome: Outcome, open_api: OpenApi, ask: Ask
) -> None:
    """Without results it matters whether its engines had none, or did not answer; the reason names them."""
    searched = make("searxng", ask, at(open_api(Searxng(unresponsive=said)))).search(web("zzyzx"), 5)
    assert searched.outcome is outcome
    assert all(f'"{engine}", "{trouble}"' in searched.reason for engine, trouble in said)


def test_searxng_with_results_and_a_silent_engine(open_api: OpenApi, ask: Ask) -> None:
    """One engine that is refused takes nothing from what the others found."""
    instance = Searxng(unresponsive=(("google", "CAPTCHA"),))
    assert make("searxng", ask, at(open_api(instance))).search(web("tea"), 5).outcome is Outcome.OK


# --- the others ---------------------------------------------------------------------------------------------------


def test_html_becomes_words(open_api: OpenApi, ask: Ask) -> None:
    """Brave and Wikipedia mark words with HTML: hits hold the words, and a title's own angle brackets stay."""
    hit = make("brave", ask, at(open_api(apis.brave)), KEY).search(web("kettle thermostat"), 5).hits[0]
    assert hit.title == "Kettles <i>compared</i>"
    hit = make("wikipedia", ask, at(open_api(apis.wikipedia))).search(web("water"), 5).hits[0]
    assert hit.title == "Water for tea"
    assert hit.url.endswith("/wiki/Water_for_tea")


def test_search_pages_are_no_hits(open_api: OpenApi, ask: Ask) -> None:
    """A result that is itself a page of results is left out; if there is no other, there are none."""
    urls = ["https://www.google.com/search?q=tea", "https://duckduckgo.com/?q=tea", "https://tea.example/a"]
    api = open_api(lambda asked: as_json({"results": [{"url": url, "title": "x"} for url in urls]}))
    assert [hit.url for hit in make("tavily", ask, at(api), KEY).search(web("tea"), 5).hits] == urls[2:]
    urls.pop()
    assert make("tavily", ask, at(api), KEY).search(web("tea"), 5).outcome is Outcome.OK


@pytest.mark.parametrize("answer", [apis.GITHUB_LIMITED, apis.GITHUB_SECONDARY], ids=["primary", "secondary"])
def test_github_says_403_where_it_limits_the_rate(answer: Reply, search: Search) -> None:
    """403 with GitHub's own headers, or words, is a limit, not a refusal."""
    kind = next(kind for kind in KINDS if kind.name == "github")
    searched, _ = search(kind, answer)
    assert searched.outcome is Outcome.RATE_LIMITED
    assert "rate limit" in searched.reason


def test_github_takes_a_token(open_api: OpenApi, ask: Ask) -> None:
    """Repositories are found by anybody; a token is sent where there is one."""
    api = open_api(apis.github)
    assert make("github", ask, at(api), "").search(web("steeped"), 5).outcome is Outcome.OK
    assert make("github", ask, at(api), KEY).search(web("steeped"), 5).outcome is Outcome.OK
    tokens = [asked.headers.get("authorization") for asked in api.asked]
    assert tokens == [None, f"Bearer {KEY}"]
    assert {asked.headers["x-github-api-version"] for asked in api.asked} == {"2022-11-28"}


def test_github_is_asked_in_its_own_words(open_api: OpenApi, ask: Ask) -> None:
    """`site:` goes; READMEs are searched; qualifiers of its own stay."""
    api = open_api(apis.github)
    make("github", ask, at(api)).search(Query("github", "steeped org:tea site:github.com"), 5)
    assert api.asked[0].params == {"q": "steeped org:tea in:name,description,readme", "per_page": "5"}


def test_arxiv_wants_all_terms(open_api: OpenApi, ask: Ask) -> None:
    """Common words and operators go, phrases stay together, and the best papers come first."""
    api = open_api(apis.arxiv)
    make("arxiv", ask, at(api), spacing_s=0.0).search(
        Query("arxiv", 'the "exact infusion" of tea AND site:arxiv.org'), 5
    )
    assert api.asked[0].params == {
        "search_query": 'all:"exact infusion" AND all:"tea"',
        "start": "0",
        "max_results": "5",
        "sortBy": "relevance",
        "sortOrder": "descending",
    }


def test_arxiv_tells_its_errors_in_a_feed(search: Search) -> None:
    """A feed with one entry that is an error is a failure, not a paper."""
    kind = next(kind for kind in KINDS if kind.name == "arxiv")
    answer = apis.arxiv(apis.Asked("GET", "/api/query", {"max_results": "x"}, {}, b"", 0.0))
    searched, _ = search(kind, answer)
    assert searched.outcome is Outcome.FAILED
    assert "max_results must be an integer" in searched.reason


def test_arxiv_entities_are_not_unfolded(search: Search) -> None:
    """A feed that would grow to gigabytes, or asks for a file of this machine, gives neither."""
    kind = next(kind for kind in KINDS if kind.name == "arxiv")
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    entry = "<entry><id>http://arxiv.org/abs/2205.14135</id><title>{}</title></entry></feed>"
    for names, title in ((f'<!ENTITY l0 "lol">{laughs}', "&l9;"), ('<!ENTITY f SYSTEM "file:///etc/passwd">', "&f;")):
        body = f'<?xml version="1.0"?><!DOCTYPE feed [{names}]><feed xmlns="http://www.w3.org/2005/Atom">{entry.format(title)}'
        searched, _ = search(kind, typed(body.encode(), "application/atom+xml"))
        assert "lol" not in repr(searched.hits)
        assert "root:" not in repr(searched.hits)


def test_sites_go_into_a_field_of_their_own(open_api: OpenApi, ask: Ask) -> None:
    """Tavily takes sites apart from the words; a query for the whole web names none."""
    api = open_api(apis.tavily)
    provider = make("tavily", ask, at(api), KEY)
    for query in (web("tea"), web("tea site:tea.example"), Query("github", "tea")):
        provider.search(query, 7)
    assert [asked.sent.get("include_domains") for asked in api.asked] == [None, ["tea.example"], ["github.com"]]
    assert {asked.sent["query"] for asked in api.asked} == {"tea"}


def test_no_contents_are_bought(open_api: OpenApi, ask: Ask) -> None:
    """What pages say is read from the pages: the API that sells it is asked for the cheapest search."""
    api = open_api(apis.tavily)
    make("tavily", ask, at(api), KEY).search(web("tea"), 30)
    assert api.asked[0].sent == {"query": "tea", "max_results": 20, "search_depth": "basic"}
