"""Stages that give what a test says: searches, documents, passages, drafts. Everything that is asked is counted."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from generator.drafts import Brief, Draft, Evidence, Source, Usage
from generator.expand.events import Clock, Event, RunInputs
from generator.expand.worker import WorkerContext
from generator.model import Problem, Query
from generator.problems import requirement
from generator.research.compose.page import compose_quotes
from generator.search.answers import Found, Hit, Searched
from generator.search.provider import ENGINES, Provider
from generator.web.model import Ask, Call, Fetched, Outcome, Reply
from tests.expand.base import NOW


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
    asked: Counter[str] = field(default_factory=Counter)
    """How often each query and each address was asked for."""
    written: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    """The PART of each draft, and the gates that held back the one before."""

    def add(self, query: str, *urls: str) -> None:
        """Lets a query find these addresses, each with a text of its own."""
        self.hits[query] = urls
        for url in urls:
            text = text_at(url)
            self.documents.setdefault(url, Fetched(url, Outcome.OK, text=text, visible=text, status=200, requests=2))

    def ask(self, call: Call) -> Reply:
        """The way to the provider's API."""
        self.asked[call.url.partition("?q=")[2]] += 1
        if not self.is_reachable:
            return Reply(Outcome.FAILED, "no such host", requests=1)
        return Reply(Outcome.OK, status=200, requests=1)

    def fetch(self, url: str) -> Fetched:
        """The way to documents."""
        self.asked[url] += 1
        if url in self.at_first:
            return self.at_first.pop(url)
        if not self.is_reachable:
            return Fetched(url, Outcome.FAILED, "no such host", requests=1)
        return self.documents.get(url) or Fetched(url, Outcome.GONE, "the server returned 404", 404, requests=1)

    def providers(self, ask: Ask) -> Sequence[Provider]:
        """The one provider."""
        return (Asker(self, ask),)

    def tools(
        self,
        emit: Callable[[Event], None] = lambda event: None,
        check: Callable[[], None] = lambda: None,
        **given: Any,
    ) -> WorkerContext:
        """A context that reaches this world."""
        stages: dict[str, Any] = {
            "providers": self.providers,
            "ask": self.ask,
            "fetch": self.fetch,
            "write": self.write,
            "inputs": RunInputs(frozenset({"tea/0.md"})),
            "emit": emit,
            "spend": lambda usage: None,
            "check": check,
            "clock": Clock(NOW),
        }
        return WorkerContext(**{**stages, **given})

    def write(
        self,
        brief: Brief,
        sources: Sequence[Source],
        evidence: Sequence[Evidence],
        day: date,
        findings: Sequence[Problem],
    ) -> Draft:
        """The page of quotes; for a PART that is called spoilt, one that no gate lets through."""
        self.written.append((brief.part.number, tuple(requirement(finding) for finding in findings)))
        if "spoilt" in brief.title.lower():
            return Draft("No front matter, and <b>HTML</b>.\n", "extract", usage=Usage(tokens_in=7))
        return replace(compose_quotes(brief, sources, evidence, day), usage=Usage(tokens_in=7))


def text_at(url: str) -> str:
    """What a document says: of water, and of what no other document says."""
    told = random.Random(url).sample(_WORDS, 36)  # noqa: S311 - the same words for the same address
    sentences = (
        f"Water for tea that is drawn from the {told[n]} {told[n + 1]} keeps the {told[n + 2]} of the leaves "
        f"{told[n + 3]}, while the {told[n + 4]} turns {told[n + 5]} within a minute."
        for n in range(0, 36, 6)
    )
    return f"# The water of {told[0]}\n\n" + "\n\n".join(sentences) + "\n"


_WORDS = re.findall(
    r"\w+",
    "amber anchor apple arch arrow autumn basin beacon birch blossom brook canyon cedar cellar chalk cinder cliff "
    "cloud copper coral crystal dawn delta desert dune ember falcon fern field flint forest fountain frost garden "
    "glacier granite grove harbour hazel heather hollow island ivory jasper juniper lantern larch lichen linden "
    "maple marble marsh meadow mill mist moor mountain oak orchard otter pebble pine plain pond quarry quartz "
    "rain raven reed ridge river rose saffron sage sand shore silver slate snow spring spruce stone summit "
    "thistle thunder valley violet well willow winter wren yew ",
)
