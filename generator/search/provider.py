"""What a provider is, and the one kind of provider that asks an API over the web."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from generator.citations.identifiers import is_search_page
from generator.model import Query
from generator.search.answers import NoHits
from generator.search.model import Found, Hit, Searched
from generator.web.model import Ask, Call, Reply

ENGINES = frozenset({"web", "github", "arxiv", "scholar", "wikipedia"})
"""What queries of plans name (:attr:`generator.model.Query.engine`)."""


class Provider(Protocol):
    """Finds documents that may answer a query."""

    @property
    def name(self) -> str:
        """What the user calls it: ``searxng``."""

    @property
    def engines(self) -> frozenset[str]:
        """The engines that it is, or stands for: it is asked first for their queries."""

    @property
    def stands_in(self) -> frozenset[str]:
        """Further engines, for whose queries it is asked when the others have found too little."""

    def search(self, query: Query, limit: int) -> Searched:
        """At most `limit` hits, best first, or why there are none. Never raises for what hosts do."""


@dataclass(frozen=True, slots=True)
class Service:
    """Where an API answers."""

    url: str
    """Its base address, without a slash at the end."""
    is_trusted: bool = False
    """Whether the user named it: then it may be on this machine or in a private network."""


@dataclass(frozen=True, slots=True)
class Api:
    """A provider that asks an API. A module a provider says how: `make_call` and `read` are pure."""

    name: str
    engines: frozenset[str]
    stands_in: frozenset[str]
    ask: Ask = field(repr=False)
    make_call: Callable[[Query, int], Call] = field(repr=False)
    """Raises :class:`NoHits` for a query that it cannot ask."""
    read: Callable[[Reply], tuple[Hit, ...]] = field(repr=False)
    """Raises :class:`NoHits`."""
    secret: str = field(default="", repr=False)
    """What must not be told again, whatever the host answers."""

    def search(self, query: Query, limit: int) -> Searched:
        """See :class:`Provider`."""
        requests = 0
        try:
            reply = self.ask(self.make_call(query, limit))
            requests = reply.requests
            found = self.read(reply)
        except NoHits as error:
            return Searched(query, self.name, error.outcome, (), self._told(error.reason), requests)
        kept = [hit for hit in found if not is_search_page(hit.url) and not self._is_told(hit)][:limit]
        hits = tuple(replace(hit, provider=self.name, query=query.text) for hit in kept)
        if hits:
            return Searched(query, self.name, Found.FOUND, hits, "", requests)
        return Searched(query, self.name, Found.EMPTY, (), "it has no results", requests)

    def _told(self, reason: str) -> str:
        return reason.replace(self.secret, "…") if self.secret else reason

    def _is_told(self, hit: Hit) -> bool:
        """Whether the host sends our key back as a result, which would carry it to where that leads."""
        return bool(self.secret) and any(self.secret in text for text in (hit.url, hit.title, hit.snippet))
