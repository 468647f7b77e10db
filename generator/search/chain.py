"""The chain of providers: who is asked for a query, in which order, and who is asked no more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from generator.citations.identifiers import work_key
from generator.model import Part, Query
from generator.search.local import NAME as LOCAL
from generator.search.model import Found, Searched
from generator.search.provider import ENGINES, Provider
from generator.search.repositories import NAME as REPOSITORIES

_MOST_FAILURES = 3
"""In a row; then a provider is taken to be down."""
_MOST_QUERIES = 8
"""Made of a PART that has none."""
_SPARE = 3
"""So many times as many results as are wanted are asked for: some cannot be read."""
_PAGE = 24
"""Results, at least: no provider takes more for them than for one."""


@dataclass(slots=True)
class _Record:
    has_answered: bool = False
    blocked: int = 0
    """Times in a row."""
    failed: int = 0
    reason: str = ""
    """Why it is asked no more."""


class CircuitState:
    """The health of the providers in this run. Used by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: dict[str, _Record] = {}

    def may_ask(self, name: str) -> bool:
        """Return whether the provider may still be asked."""
        with self._lock:
            return not self._records.get(name, _Record()).reason

    def record(self, searched: Searched) -> None:
        """Record the outcome of a search.

        One that is rate limited is left alone for the rest of the run. So is one that is blocked, but with an answer
        before (a search engine of engines may be blocked for one query only) it may be blocked once. Failures may pass.
        """
        with self._lock:
            record = self._records.setdefault(searched.provider, _Record())
            is_good = searched.outcome in {Found.FOUND, Found.EMPTY}
            record.has_answered = record.has_answered or is_good
            record.blocked = record.blocked + 1 if searched.outcome is Found.BLOCKED else 0
            record.failed = record.failed + 1 if searched.outcome is Found.FAILED else 0
            is_out = (
                searched.outcome is Found.RATE_LIMITED
                or record.blocked > record.has_answered
                or record.failed >= _MOST_FAILURES
            )
            if is_out and not record.reason:
                record.reason = f"{searched.outcome.value.replace('_', ' ')}: {searched.reason}"

    @property
    def passed_over(self) -> tuple[tuple[str, str], ...]:
        """Return the providers that are no longer asked, and why, for the report of the run."""
        with self._lock:
            return tuple((name, record.reason) for name, record in self._records.items() if record.reason)


def queries_of(part: Part) -> tuple[Query, ...]:
    """The queries of a PART, each once; of one that has none, its title, and its title with each section's."""
    queries = list(part.queries)
    if not queries:
        subject = part.page_title or part.title
        topics = [section.title for section in part.sections] or list(part.points)
        texts = [subject, *(f"{subject} {topic}" for topic in topics)]
        queries = [Query("web", " ".join(text.split()), part.line) for text in texts if text.strip()][:_MOST_QUERIES]
    unlike = {(query.engine, " ".join(query.text.lower().split())): query for query in reversed(queries)}
    return tuple(query for query in queries if unlike[query.engine, " ".join(query.text.lower().split())] is query)


def in_order(providers: Sequence[Provider], query: Query) -> tuple[Provider, ...]:
    """Return the providers for `query` in order: first those of its engine, then those that stand in for it.

    An engine that nobody knows is the web.
    """
    engine = query.engine if query.engine in ENGINES else "web"
    own = tuple(provider for provider in providers if engine in provider.engines)
    return own + tuple(p for p in providers if engine in p.stands_in and engine not in p.engines)


def search_all(  # noqa: PLR0913 - what was done before, and what may still be done
    providers: Sequence[Provider],
    queries: Sequence[Query],
    limit: int,
    circuits: CircuitState | None = None,
    may_go_on: Callable[[], bool] = lambda: True,
    *,
    before: Sequence[Searched] = (),
    unread: Collection[str] = (),
) -> tuple[Searched, ...]:
    """Return the result of each search that was made, in order.

    A query goes from provider to provider until `limit` different works are found for it; documents of one's own do not
    count, lest a folder full of them keep the web out. Each provider is asked for more, since some may not be read.
    `circuits` holds for a whole run; `may_go_on` is asked before each search, so that a run can end.

    What was found `before` counts, but for works whose keys are `unread`, and no provider is asked again for a query.
    """
    circuits = circuits or CircuitState()
    searches: list[Searched] = []
    for query in queries:
        done = [search for search in before if (search.query.engine, search.query.text) == (query.engine, query.text)]
        asked = {search.provider for search in done}
        works = {key for search in done for key in _works(search)}.difference(unread)
        for provider in in_order(providers, query):
            if len(works) >= limit:
                break
            if provider.name in asked or not circuits.may_ask(provider.name):
                continue
            if not may_go_on():
                return tuple(searches)
            searched = provider.search(query, max(_SPARE * limit, _PAGE))
            circuits.record(searched)
            searches.append(searched)
            works |= _works(searched).difference(unread)
    return tuple(searches)


def _works(searched: Searched) -> set[str]:
    """The keys of the works that count."""
    return set() if searched.provider in {LOCAL, REPOSITORIES} else {work_key(hit.url) for hit in searched.hits}
