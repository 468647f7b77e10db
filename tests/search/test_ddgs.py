"""Search engines without an API, by what the package ddgs knows of them, through our own client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

import pytest

from generator.model import Query
from generator.search import ddgs
from generator.search.ddgs import BACKENDS, Ddgs
from generator.search.model import Found, Searched
from generator.web.model import Ask
from tests.research.web import Reply, typed
from tests.search import apis
from tests.search.apis import Api, Asked, Page, matching
from tests.search.conftest import OpenApi

ANOMALY = typed(
    b'<!DOCTYPE html><html><body><form id="challenge-form"><div class="anomaly-modal__title">Unfortunately, bots use '
    b"DuckDuckGo too.</div></form></body></html>",
    "text/html; charset=UTF-8",
    status=202,
)
"""What DuckDuckGo answers to programs that it does not let in."""


def html(body: str, status: int = 200) -> Reply:
    """A page."""
    text = f"<!DOCTYPE html><html><head><title>results</title></head><body>{body}</body></html>"
    return typed(text.encode(), "text/html; charset=UTF-8", status=status)


def duckduckgo(pages: list[Page]) -> Reply:
    """The page of results of DuckDuckGo without scripts, with an advertisement."""
    form = '<div class="links_main result__body"><h2>{}</h2><a class="result__snippet" href="{}">{}</a></div>'
    advert = '<div class="result body"><h2>Ad</h2><a href="https://duckduckgo.com/y.js?ad=1">Buy</a></div>'
    shown = [form.format(escape(page.title), escape(page.url), escape(page.text)) for page in pages]
    return html(advert + "".join(shown) if shown else '<div class="no-results">No results found for that.</div>')


def mojeek(pages: list[Page]) -> Reply:
    """The page of results of Mojeek."""
    form = '<li><h2><a href="{}">{}</a></h2><p class="s">{}</p></li>'
    shown = [form.format(escape(page.url), escape(page.title), escape(page.text)) for page in pages]
    listed = f'<ul class="results-standard">{"".join(shown)}</ul>'
    return html(listed if shown else "<p>No pages found matching: <b>that</b></p>")


Search = Callable[..., tuple[Searched, Api]]


@dataclass
class Engines:
    """DuckDuckGo and Mojeek on one port, told apart by their paths."""

    robots: str | Reply = ""
    answers: dict[str, Reply] = field(default_factory=dict)

    def __call__(self, asked: Asked) -> Reply:
        """Answers as their pages of results are made."""
        if asked.path == "/robots.txt":
            if isinstance(self.robots, Reply):
                return self.robots
            return typed(self.robots.encode(), "text/plain", status=200 if self.robots else 404)
        if asked.path in self.answers:
            return self.answers[asked.path]
        pages = matching(asked.params.get("q", ""), 10)
        if asked.path == "/html/":
            return duckduckgo(pages)
        if asked.path == "/search":
            return mojeek(pages)
        return html("<h1>Not Found</h1>", 404)


@pytest.fixture
def search(open_api: OpenApi, ask: Ask) -> Search:
    """Searches by DuckDuckGo, then Mojeek."""

    def search(engines: Engines, text: str = "oolong", *, obeys_robots: bool = True) -> tuple[Searched, Api]:
        api = open_api(engines)
        provider = Ddgs(ask, ("duckduckgo", "mojeek"), obeys_robots=obeys_robots, url=api.url)
        return provider.search(Query("web", text, 1), 5), api

    return search


def test_the_package_is_there() -> None:
    """These tests read pages with the real package, and it knows the engines that we name."""
    assert ddgs.missing_package() == ""
    from ddgs.engines import ENGINES  # noqa: PLC0415 - the extra

    assert set(BACKENDS) <= set(ENGINES["text"])


def test_hits(search: Search) -> None:
    """The page of the first engine becomes hits, advertisements left out; one request, and one for robots.txt."""
    searched, api = search(Engines())
    assert (searched.outcome, searched.requests) == (Found.FOUND, 2)
    assert [(hit.url, hit.title, hit.snippet) for hit in searched.hits] == [
        ("https://tea.example/oolong?utm_source=x", "Oolong", "Oolong tea is half oxidised. It bears many infusions.")
    ]
    assert [asked.path for asked in api.asked] == ["/robots.txt", "/html/"]


def test_our_own_client_asks(search: Search) -> None:
    """It says who we are, takes no cookies, and is no browser."""
    _, api = search(Engines())
    for asked in api.asked:
        assert asked.headers["user-agent"].startswith("planbook/")
        assert "cookie" not in asked.headers
        assert asked.method == "GET"


def test_the_next_engine_is_asked(search: Search) -> None:
    """Where the first shows a test for people, the second may answer."""
    searched, api = search(Engines(answers={"/html/": ANOMALY}))
    assert searched.outcome is Found.FOUND
    assert searched.hits[0].title == "Oolong"
    assert [asked.path for asked in api.asked if asked.path != "/robots.txt"] == ["/html/", "/search"]


@pytest.mark.parametrize(
    ("duckduckgo", "mojeek", "outcome", "words"),
    [
        (ANOMALY, html("<h1>403 Forbidden</h1>", 403), Found.BLOCKED, "duckduckgo: it returned a bot check"),
        (ANOMALY, apis.CHALLENGE, Found.BLOCKED, "mojeek: it returned a bot check"),
        (ANOMALY, typed(b"slow", "text/plain", ("Retry-After", "900"), status=429), Found.RATE_LIMITED, "mojeek"),
        (ANOMALY, mojeek([]), Found.EMPTY, "mojeek: no results"),
        (html("Our systems have detected unusual traffic."), html("", 500), Found.BLOCKED, "bot check"),
        (typed(b"", "text/html"), typed(b"", "text/html"), Found.FAILED, "the package finds no results"),
        (html("<p>a new look</p>"), html("<table></table>"), Found.FAILED, "the package finds no results"),
    ],
)
def test_outcomes_are_told_apart(duckduckgo: Reply, mojeek: Reply, outcome: Found, words: str, search: Search) -> None:
    """The package itself calls all of these "No results found.": what each engine did is told."""
    searched, _ = search(Engines(answers={"/html/": duckduckgo, "/search": mojeek}))
    assert (searched.outcome, searched.hits) == (outcome, ())
    assert words in searched.reason


def test_no_results(search: Search) -> None:
    """All engines answered, and have nothing."""
    searched, _ = search(Engines(), "zzyzx")
    assert searched.outcome is Found.EMPTY


def test_robots_txt_is_heeded(search: Search) -> None:
    """An engine that asks programs not to search is not asked; the user may decide otherwise."""
    closed = Engines(robots="User-agent: *\nDisallow: /html\nDisallow: /search\n")
    searched, api = search(closed)
    assert searched.outcome is Found.BLOCKED
    assert "robots.txt" in searched.reason
    assert {asked.path for asked in api.asked} == {"/robots.txt"}
    searched, api = search(closed, obeys_robots=False)
    assert searched.outcome is Found.FOUND
    assert {asked.path for asked in api.asked} == {"/html/"}


def test_robots_txt_speaks_of_parameters_and_pauses(search: Search) -> None:
    """A rule may close addresses with a query only; a pause that is asked for is kept."""
    searched, api = search(Engines(robots="User-agent: *\nDisallow: /*?q=\n"))
    assert searched.outcome is Found.BLOCKED
    assert {asked.path for asked in api.asked} == {"/robots.txt"}
    searched, api = search(Engines(robots="User-agent: *\nCrawl-delay: 0.3\n", answers={"/html/": ANOMALY}))
    pages = [asked.began for asked in api.asked if asked.path != "/robots.txt"]
    assert searched.outcome is Found.FOUND
    assert len(pages) == 2
    assert pages[1] - pages[0] >= 0.3


def test_robots_txt_that_fails_closes(search: Search) -> None:
    """Where it cannot be read because the host fails, nothing is asked."""
    searched, api = search(Engines(robots=html("", 500)))
    assert searched.outcome is Found.FAILED
    assert "robots.txt cannot be read" in searched.reason
    assert {asked.path for asked in api.asked} == {"/robots.txt"}


def test_robots_txt_is_read_once(open_api: OpenApi, ask: Ask) -> None:
    """A run asks for it once a host."""
    api = open_api(Engines())
    provider = Ddgs(ask, ("duckduckgo",), url=api.url)
    for text in ("oolong", "water", "tea"):
        provider.search(Query("web", text, 1), 5)
    assert [asked.path for asked in api.asked].count("/robots.txt") == 1


def test_the_engine_a_query_names(search: Search, open_api: OpenApi, ask: Ask) -> None:
    """A query for GitHub is restricted to it."""
    api = open_api(Engines())
    Ddgs(ask, ("mojeek",), url=api.url).search(Query("github", "oolong", 1), 5)
    assert api.asked[-1].params["q"] == "oolong site:github.com"


def test_an_engine_that_the_package_drops(ask: Ask, open_api: OpenApi) -> None:
    """One that a later version no longer knows fails with the names of those that it knows."""
    searched = Ddgs(ask, ("altavista",), url=open_api(Engines()).url).search(Query("web", "tea", 1), 5)
    assert searched.outcome is Found.FAILED
    assert "duckduckgo" in searched.reason


def test_pages_that_break_the_package(search: Search) -> None:
    """Whatever the engines send, there is an outcome."""
    for body in (
        b"\x00" * 50,
        b"<!--",
        b"<html>" * 3000,
        b"\xff\xfe<\x00",
        b"<div class='body'><h2/><a href='x'/></div>",
    ):
        page = typed(body, "text/html")
        searched, _ = search(Engines(answers={"/html/": page, "/search": page}))
        assert searched.outcome in {Found.FAILED, Found.EMPTY}
        assert searched.reason
