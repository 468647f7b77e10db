"""The worker of one PART: what its stages give, whom it asks, what replaces what cannot be read, and when it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import pytest

from planbook.library import link_tree
from planbook.model import Query, Tree
from planbook.research.drafts import Usage
from planbook.research.expand.jobs import BaseAtStart, Job, JobOutcome, Result
from planbook.research.expand.worker import (
    WorkerConnections,
    WorkerContext,
    WorkerLimits,
    WorkerReporting,
    run_job,
)
from planbook.research.recording.clock import Clock
from planbook.research.recording.events import Event
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.search.provider import ENGINES
from planbook.research.selection import Choice, select
from planbook.research.web.model import Ask, Call, Fetched, Outcome, Reply
from planbook.research.writers.page import compose_quotes
from tests.research.expand.base import NOW, STAMP
from tests.research.expand.loopback import text_at

PLAN = """# Tea

## PART 1: Create tea/01.md

- [ ] PART 1: Create tea/01.md

**Step 1: Web research**
- [ ] Search: "water"
- [ ] Search: "leaves"
- [ ] https://named.test/a

**Step 2: Write the page**
- [ ] Section 1: Water for tea (~100 lines)
    - Which water keeps the leaves
"""


@dataclass
class Asker:
    """A provider that asks an API for each query, and finds what the web holds for it."""

    web: World
    ask: Ask
    name: str = "searxng"
    engines: frozenset[str] = ENGINES
    fallback_for: frozenset[str] = frozenset()

    def search(self, query: Query, limit: int) -> Searched:
        """See `Provider`."""
        reply = self.ask(Call(f"https://search.test/?q={query.text}"))
        hits = tuple(Hit(url, f"About {url}") for url in self.web.hits.get(query.text, ()))[:limit]
        return Searched(query, self.name, Outcome.OK, hits, "", reply.requests)


@dataclass
class World:
    """What there is to find, and how often each query and address was asked for."""

    hits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Addresses by query."""
    documents: dict[str, Fetched] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    def add(self, query: str, *urls: str) -> None:
        """Let a query find these addresses, each with a text of its own."""
        self.hits[query] = urls
        for url in urls:
            text = text_at(url)
            self.documents.setdefault(
                url, Fetched(url, Outcome.OK, text=text, visible=text, status_code=200, requests=2)
            )

    def ask(self, call: Call) -> Reply:
        """The way to the provider's API."""
        self.asked[call.url.partition("?q=")[2]] += 1
        return Reply(Outcome.OK, status_code=200, requests=1)

    def fetch(self, url: str) -> Fetched:
        """The way to documents."""
        self.asked[url] += 1
        return self.documents.get(url) or Fetched(url, Outcome.GONE, "the server returned 404", 404, requests=1)

    def tools(self, emit: Callable[[Event], None], **given: Any) -> WorkerContext:
        """A context that reaches this world."""
        stages: dict[str, Any] = {
            "providers": lambda ask: (Asker(self, ask),),
            "ask": self.ask,
            "fetch": self.fetch,
            "write": lambda *given: replace(compose_quotes(*given), usage=Usage(tokens_in=7)),
            "base": BaseAtStart(frozenset({"tea/0.md"})),
            "emit": emit,
            "spend": lambda usage: None,
            "raise_if_stopped": lambda: None,
            "clock": Clock(NOW),
            **given,
        }
        groups: dict[str, Any] = {
            name: kind(**{field.name: stages.pop(field.name) for field in fields(kind) if field.name in stages})
            for name, kind in (
                ("connections", WorkerConnections),
                ("reporting", WorkerReporting),
                ("limits", WorkerLimits),
            )
        }
        return WorkerContext(**groups, **stages)


def make_job(text: str = PLAN) -> Job:
    """The job of the plan's PART."""
    library = link_tree(Tree({"plans/tea.md": text.encode()}, {}, {}))
    return Job(1, select(library, Choice(), NOW).briefs[0], STAMP)


def two_queries() -> World:
    """Two queries that find four documents; the plan names a fifth."""
    made = World()
    made.add("water", "https://a.test/1", "https://b.test/1")
    made.add("leaves", "https://a.test/2", "https://b.test/1", "https://c.test/1")
    made.add("nobody asks this", "https://named.test/a")
    return made


def attempt(job: Job, there: World, **given: Any) -> tuple[Result, list[Event]]:
    """What comes of a job, and what it told."""
    events: list[Event] = []
    return run_job(job, there.tools(events.append, **given)), events


def test_a_page_comes_of_it() -> None:
    """Each stage runs once, in order; the named document comes first; everything is counted."""
    there = two_queries()
    spent: list[Usage] = []
    result, events = attempt(make_job(), there, spend=spent.append)
    assert (result.outcome, result.page.reason) == (JobOutcome.DONE, "")
    assert result.page.draft is not None
    assert "https://named.test/a" in result.page.draft.text
    assert [source.fetched.url for source in result.page.sources] == [
        *("https://named.test/a", "https://b.test/1", "https://a.test/1", "https://a.test/2", "https://c.test/1")
    ]
    assert [event.details["stage"] for event in events if event.name == "StageFinished"] == [
        *("search", "fetch", "extract", "compose", "rules")
    ]
    assert result.page.usage == Usage(requests=2 + 5 * 2, tokens_in=7)
    assert sum(spent, Usage()) == result.page.usage
    hosts = [event.details["host"] for event in events if event.name == "HostRequest"]
    assert hosts[:3] == ["search.test", "search.test", "named.test"]
    assert sorted(hosts[3:]) == ["a.test", "a.test", "b.test", "c.test"]
    assert all(source.id for source in result.page.sources)


def test_nobody_to_ask_is_told_apart_too() -> None:
    """A plan without addresses, and no provider that can be used: each is named with what it lacks."""
    plan = PLAN.replace("- [ ] https://named.test/a\n", "")
    why = "nothing was found: the plan names no address, and no search provider can be used"
    result, _ = attempt(make_job(plan), two_queries(), providers=lambda ask: ())
    assert (result.outcome, result.page.reason) == (JobOutcome.UNREACHED, f"{why} (none is configured)")
    lacks = (("local", "there is no folder documents/"), ("brave", "BRAVE_KEY is not set in the environment"))
    result, _ = attempt(make_job(plan), two_queries(), providers=lambda ask: (), unavailable=lacks)
    listed = "local: there is no folder documents/; brave: BRAVE_KEY is not set in the environment"
    assert (result.outcome, result.page.reason) == (JobOutcome.UNREACHED, f"{why} ({listed})")


def test_no_passage_fails() -> None:
    """Sources that say nothing of the outline make no page."""
    there = two_queries()
    for url, found in there.documents.items():
        there.documents[url] = replace(found, text=f"Nothing of the kind stands at {url} today, nor did it ever.\n")
    result, _ = attempt(make_job(), there)
    assert (result.outcome, result.page.reason) == (JobOutcome.FAILED, "no passage of 5 sources matches the outline")


def test_an_error_of_our_own_is_a_failure() -> None:
    """With its trace, for the log; it ends no other page's work."""

    def broken(*_: object) -> tuple[object, ...]:
        raise ZeroDivisionError("a bug")

    result, _ = attempt(make_job(), two_queries(), write=broken)
    assert (result.outcome, result.page.reason) == (JobOutcome.FAILED, "an internal error: ZeroDivisionError: a bug")
    assert "in broken" in result.trace


# --- results that cannot be read -------------------------------------------------------------------------------------

WITHOUT_ADDRESS = PLAN.replace("- [ ] https://named.test/a\n", "").replace('- [ ] Search: "leaves"\n', "")
"""One query, and nothing else to read."""
GOOD = tuple(f"https://good.test/{n}" for n in range(6))


def bad(n: int, outcome: Outcome) -> Fetched:
    """What an address gives that cannot be read; what is refused costs no request."""
    return Fetched(f"https://bad{n}.test/", outcome, "no", requests=int(outcome is not Outcome.REFUSED))


def world(*first: Fetched, good: int = 6) -> World:
    """One query that finds what cannot be read, and good documents behind it."""
    made = World()
    made.add("water", *(one.url for one in first), *GOOD[:good])
    made.documents |= {one.url: one for one in first}
    return made


def read(result: Result) -> list[str]:
    """The documents that were read."""
    return [source.fetched.url for source in result.page.sources if source.id]


@pytest.mark.parametrize("outcome", [one for one in Outcome if one not in {Outcome.OK, Outcome.MOVED}])
def test_good_results_behind_bad_ones_are_read(outcome: Outcome) -> None:
    """As many are read as the limit of a query lets in, whatever came of those before them."""
    result, _ = attempt(make_job(WITHOUT_ADDRESS), world(*(bad(n, outcome) for n in range(6))), min_results=3)
    assert (result.outcome, read(result)) == (JobOutcome.DONE, list(GOOD[:3]))


def test_copies_and_redirects_are_no_further_documents() -> None:
    """A page without a text is none, either: the next result takes the place of each."""
    there = world(bad(1, Outcome.OK), bad(2, Outcome.OK), bad(3, Outcome.OK), bad(4, Outcome.OK))
    one, two, three, four = (f"https://bad{n}.test/" for n in range(1, 5))
    first = there.documents[GOOD[0]]
    there.documents[one] = replace(first, url=one)
    there.documents[two] = replace(first, url=two)
    there.documents[three] = replace(first, url=three, final_url=one, text=f"{first.text}\nMore.")
    there.documents[four] = replace(first, url=four, text=" ")
    result, _ = attempt(make_job(WITHOUT_ADDRESS), there, min_results=3)
    assert read(result) == [one, GOOD[1], GOOD[2]]


def test_the_next_provider_is_asked_for_what_the_first_could_not_give() -> None:
    """It takes part in the account; and nothing is asked where enough could be read."""
    job = make_job(WITHOUT_ADDRESS)
    dead, other = world(*(bad(n, Outcome.GONE) for n in range(6)), good=1), world()

    def providers(ask: object) -> tuple[Asker, ...]:
        return (Asker(dead, dead.ask, "first"), Asker(other, other.ask, "second"))

    dead.documents |= other.documents
    result, _ = attempt(job, dead, providers=providers, min_results=3)
    assert read(result) == [GOOD[0], *GOOD[1:3]]
    assert [search.provider for search in result.page.searched] == ["plan", "first", "second"]
    enough, _ = attempt(job, other, providers=lambda ask: (Asker(other, ask), Asker(dead, ask)), min_results=3)
    assert [search.provider for search in enough.page.searched] == ["plan", "searxng"]


@pytest.mark.parametrize("outcome", [Outcome.GONE, Outcome.REFUSED])
def test_dead_results_have_an_end(outcome: Outcome) -> None:
    """Four addresses are asked for each document that is wanted; those that are refused unasked do not count."""
    made = World()
    for n in range(50):
        made.add(f"q{n}", *(f"https://dead{n}.test/{m}" for m in range(40)))
    made.documents = {url: Fetched(url, outcome, "no", requests=int(outcome is Outcome.GONE)) for url in made.documents}
    queries = "".join(f'- [ ] Search: "q{n}"\n' for n in range(50))
    result, _ = attempt(make_job(WITHOUT_ADDRESS.replace('- [ ] Search: "water"\n', queries)), made, max_documents=5)
    asked = [url for url in made.asked if url.startswith("https://")]
    assert result.outcome is JobOutcome.FAILED
    assert len(asked) == (20 if outcome is Outcome.GONE else 50 * 24)
