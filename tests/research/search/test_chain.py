"""The chain: who is asked, in which order, until when, and who is asked no more."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from planbook.model import LineBudget, Part, Query, Section, State
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.search.chain import CircuitState, choose_providers, queries_of, rank_works, search_all
from planbook.research.search.provider import Provider
from planbook.research.web.model import Ask, Outcome
from tests.research.search.asked_web import web
from tests.research.search.conftest import make


@dataclass
class Listed:
    """A provider that answers from a list; what it answers is real data, and it counts."""

    name: str
    answers: list[tuple[Outcome, tuple[str, ...]]]
    engines: frozenset[str] = frozenset({"web"})
    fallback_for: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)

    def search(self, query: Query, limit: int) -> Searched:
        """The next answer, the last one again and again."""
        outcome, urls = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(query.text)
        hits = tuple(Hit(url, "") for url in urls[:limit])
        return Searched(query, self.name, outcome, hits, "" if hits else "because")


A, B, C = "https://tea.example/a", "https://tea.example/b", "https://tea.example/c"
FOUND, BLOCKED, LIMITED, FAILED = Outcome.OK, Outcome.BLOCKED, Outcome.RATE_LIMITED, Outcome.FAILED


def test_enough_is_enough() -> None:
    """A provider that finds as much as is wanted ends the chain for the query."""
    first, second = Listed("first", [(FOUND, (A, B))]), Listed("second", [(FOUND, (C,))])
    search_all([first, second], [web("tea")], 2)
    assert (first.asked, second.asked) == (["tea"], [])


def test_too_little_goes_on() -> None:
    """What the next finds is added; two spellings of one work are not two works."""
    first = Listed("first", [(FOUND, (A, "http://www.tea.example/a/"))])
    second = Listed("second", [(FOUND, (B,))])
    third = Listed("third", [(FOUND, (C,))])
    searches = search_all([first, second, third], [web("tea")], 2)
    assert [search.provider for search in searches] == ["first", "second"]
    assert [candidate.url for candidate in rank_works(searches)] == [A, B]


@pytest.mark.parametrize(
    ("answers", "times"),
    [
        ([LIMITED], 1),
        ([BLOCKED], 1),
        ([FAILED], 3),
        ([FOUND], 6),
        ([FOUND, LIMITED], 2),
        ([FOUND, BLOCKED], 2),
        ([FAILED, FAILED, FOUND, FAILED, FAILED, FAILED], 6),
    ],
    ids=str,
)
def test_who_is_asked_no_more(answers: list[Outcome], times: int) -> None:
    """A limit counts for the run, and so does a refusal; failures do, three times in a row."""
    first = Listed("first", [(outcome, ()) for outcome in answers])
    second = Listed("second", [(FOUND, (A, B))])
    circuits = CircuitState()
    queries = [web(f"tea {n}") for n in range(6)]
    search_all([first, second], queries, 2, circuits)
    assert len(first.asked) == times
    assert len(second.asked) == 6
    is_out = times < 6 or answers[-3:] == [FAILED] * 3
    assert circuits.open == ({"first"} if is_out else set())


def test_a_circuit_state_holds_for_all_parts_of_a_run() -> None:
    """The next PART does not ask whom the last one found out of order; another run does."""
    first, circuits = Listed("first", [(LIMITED, ())]), CircuitState()
    for _ in range(3):
        search_all([first], [web("tea")], 2, circuits)
    assert len(first.asked) == 1
    search_all([first], [web("tea")], 2)
    assert len(first.asked) == 2


@pytest.fixture
def keyless(ask: Ask) -> tuple[Provider, ...]:
    """The keyless ones and one of the whole web, in a user's order."""
    names = ("searxng", "brave", "wikipedia", "github", "arxiv")
    return tuple(make(name, ask, ("https://x.example", False)) for name in names)


@pytest.mark.parametrize(
    ("engine", "names"),
    [
        ("web", ["searxng", "brave", "wikipedia", "github", "arxiv"]),
        ("github", ["github", "searxng", "brave"]),
        ("arxiv", ["arxiv", "searxng", "brave"]),
        ("scholar", ["arxiv", "searxng", "brave"]),
        ("wikipedia", ["wikipedia", "searxng", "brave"]),
        ("altavista", ["searxng", "brave", "wikipedia", "github", "arxiv"]),
    ],
)
def test_the_engine_a_query_names_is_asked_first(engine: str, names: list[str], keyless: tuple[Provider, ...]) -> None:
    """Then those that can look there too; without a search engine of the web, what is keyless stands in for it."""
    assert [provider.name for provider in choose_providers(keyless, Query(engine, "tea"))] == names


def part(**fields: object) -> Part:
    """A PART."""
    return Part(1, "Tea", 3, 9, State.OPEN, **fields)  # type: ignore[arg-type]


def test_queries_are_asked_once() -> None:
    """The same words for the same engine, in whatever case, are one query; the first one's line is kept."""
    queries = (web("Green tea"), Query("web", "green  TEA"), Query("github", "green tea"))
    assert queries_of(part(queries=queries)) == (queries[0], queries[2])


def test_a_part_without_queries_is_searched_for_by_its_outline() -> None:
    """Its title, and its title with each section's: as many as a plan would name."""
    sections = tuple(Section(f"Section {n}", LineBudget(1, 2)) for n in range(12))
    made = queries_of(part(page_title="Oolong", sections=sections))
    assert [query.text for query in made[:2]] == ["Oolong", "Oolong Section 0"]
    assert len(made) == 8
    assert {query.engine for query in made} == {"web"}
    assert [query.text for query in queries_of(part(points=("water",)))] == ["Tea", "Tea water"]
