"""Results of many searches as one list: a work once, the best first. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

from generator.citations.identifiers import work_key
from generator.search.model import Hit, Searched
from generator.search.named import NAME as PLAN

_RANK_OFFSET = 60
"""Of reciprocal rank fusion: how little the first places stand out (Cormack, Clarke and Büttcher, SIGIR 2009)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One work that may answer, and all that led to it."""

    url: str
    title: str
    snippet: str
    queries: tuple[str, ...]
    """The texts of all queries that led to it, in order; none where only the plan names it."""
    providers: tuple[str, ...]
    """The providers that found it, in order."""
    score: float
    """Its reciprocal ranks, added up over all searches."""

    @property
    def is_named(self) -> bool:
        """Return whether the plan itself names it."""
        return PLAN in self.providers


def ranked(
    searches: Iterable[Searched], limit: int | None = None, unread: Collection[str] = ()
) -> tuple[Candidate, ...]:
    """The works found, each once: those that the plan names, in its order, then the others by their score.

    Two addresses with one `work_key` are one work. The address kept is the plan's, else that of its best place; among
    equals, the first. What a work has of title and snippet is of the first hit that has it.

    With `limit`, a search has so many works at most. Those whose keys are `unread` leave their places to the next ones.
    """
    works: dict[str, list[tuple[int, Hit]]] = {}
    for search in searches:
        most = None if search.provider == PLAN else limit
        seen: set[str] = set()
        for place, hit in enumerate(search.hits):
            key = work_key(hit.url)
            if key in seen or key in unread:
                continue
            if most is not None and len(seen) >= most:
                break
            seen.add(key)
            works.setdefault(key, []).append((place, hit))
    named = {key: place for key, places in works.items() for place, hit in reversed(places) if hit.provider == PLAN}
    in_plan = sorted(named, key=lambda key: named[key])
    others = [_candidate(places) for key, places in works.items() if key not in named]
    by_score = sorted(others, key=lambda candidate: -candidate.score)
    return (*(_candidate(works[key]) for key in in_plan), *by_score)


def _candidate(places: list[tuple[int, Hit]]) -> Candidate:
    score = sum((Fraction(1, _RANK_OFFSET + place + 1) for place, _ in places), Fraction())  # in any order the same
    hits = [hit for _, hit in sorted(places, key=lambda pair: (pair[1].provider != PLAN, pair[0]))]
    return Candidate(
        url=hits[0].url,
        title=next((hit.title for hit in hits if hit.title), ""),
        snippet=next((hit.snippet for hit in hits if hit.snippet), ""),
        queries=tuple(dict.fromkeys(hit.query for _, hit in places if hit.query)),
        providers=tuple(dict.fromkeys(hit.provider for _, hit in places)),
        score=float(score),
    )
