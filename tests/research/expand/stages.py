"""Stages that give what a test says: searches, documents, passages, drafts. Everything that is asked is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.model import Query
from generator.research.expand.clock import Clock
from generator.research.expand.events import Event
from generator.research.expand.runner import Tools
from generator.research.model import (
    Ask,
    Brief,
    Call,
    Draft,
    Evidence,
    Fetched,
    Finding,
    Found,
    Hit,
    Outcome,
    Passage,
    Reply,
    Searched,
    Source,
)
from generator.research.search.provider import ENGINES, Provider
from tests.research.expand.base import NOW


@dataclass(frozen=True)
class Asker:
    """A provider that asks an API for each query, and finds what the web holds for it."""

    web: World
    ask: Ask
    name: str = "searxng"
    engines: frozenset[str] = ENGINES
    stands_in: frozenset[str] = frozenset()

    def search(self, query: Query, limit: int) -> Searched:
        """See `Provider`."""
        reply = self.ask(Call(f"https://search.test/?q={query.text}"))
        hits = tuple(
            Hit(url, f"About {url}", provider=self.name, query=query.text) for url in self.web.hits.get(query.text, ())
        )[:limit]
        if reply.outcome is not Outcome.OK:
            return Searched(query, self.name, Found.FAILED, (), reply.reason, reply.requests)
        return Searched(query, self.name, Found.FOUND if hits else Found.EMPTY, hits, "", reply.requests)


@dataclass
class World:
    """What there is to find, and who was asked for it."""

    hits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Addresses by query."""
    documents: dict[str, Fetched] = field(default_factory=dict)
    at_first: dict[str, Fetched] = field(default_factory=dict)
    """What addresses give to the first who asks, where that is something else."""
    is_reachable: bool = True
    is_cut_off: bool = False
    """Whether the process that asks has been killed, so that it asks nothing more."""
    asked: Counter[str] = field(default_factory=Counter)
    """How often each query and each address was asked for."""
    written: int = 0

    def add(self, query: str, *urls: str) -> None:
        """Lets a query find these addresses, each with a text of its own."""
        self.hits[query] = urls
        for url in urls:
            text = f"Words that stand at {url}, and nowhere else."
            self.documents.setdefault(url, Fetched(url, Outcome.OK, text=text, visible=text, status=200, requests=2))

    def ask(self, call: Call) -> Reply:
        """The way to the provider's API."""
        self._live()
        self.asked[call.url.partition("?q=")[2]] += 1
        if not self.is_reachable:
            return Reply(Outcome.FAILED, "no such host", requests=1)
        return Reply(Outcome.OK, status=200, requests=1)

    def fetch(self, url: str) -> Fetched:
        """The way to documents."""
        self._live()
        self.asked[url] += 1
        if url in self.at_first:
            return self.at_first.pop(url)
        if not self.is_reachable:
            return Fetched(url, Outcome.FAILED, "no such host", requests=1)
        return self.documents.get(url) or Fetched(url, Outcome.GONE, "the server answers 404", 404, requests=1)

    def _live(self) -> None:
        if self.is_cut_off:
            raise SystemExit

    def providers(self, ask: Ask) -> Sequence[Provider]:
        """The one provider."""
        return (Asker(self, ask),)

    def tools(
        self,
        tell: Callable[[Event], None] = lambda event: None,
        check: Callable[[], None] = lambda: None,
        **given: Any,
    ) -> Tools:
        """Tools that reach this world."""
        stages: dict[str, Any] = {
            "providers": self.providers,
            "ask": self.ask,
            "fetch": self.fetch,
            "extract": extract,
            "write": self.write,
            "gates": gates,
            "tell": tell,
            "check": check,
            "clock": Clock(NOW),
        }
        return Tools(**{**stages, **given})

    def write(
        self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], findings: Sequence[Finding]
    ) -> Draft:
        """A page that quotes every passage; it tells what held back the one before."""
        self.written += 1
        quotes = "".join(f"> {passage.text} [@{passage.source}]\n\n" for one in evidence for passage in one.passages)
        remarks = "".join(f"<!-- {finding.message} -->\n" for finding in findings)
        known = "".join(f"- {known.page}\n" for known in brief.known)
        return Draft(f"# {brief.title}\n\n{known}{quotes}{remarks}", "extract", tokens=7)


def extract(brief: Brief, sources: Sequence[Source]) -> tuple[Evidence, ...]:
    """Each source's whole text, for the first section."""
    passages = tuple(Passage(f"{s.id}p1", s.id, s.fetched.text, 0) for s in sources)
    return (Evidence(0, "a point", passages),)


def gates(draft: Draft, brief: Brief, sources: Sequence[Source]) -> tuple[Finding, ...]:
    """Everything holds but for the word that no page may have."""
    return (Finding("words", True, "it says forbidden", 3),) if "forbidden" in draft.text else ()
