"""Search values: hits, and the result of one query at one provider. Frozen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from generator.model import Query


class Found(StrEnum):
    """The outcome of one search. No results and no answer are different outcomes."""

    FOUND = "found"
    EMPTY = "empty"
    """The provider answered without results."""
    BLOCKED = "blocked"
    """The provider does not answer programs, or not us: a bot check, a missing or rejected key."""
    RATE_LIMITED = "rate_limited"
    FAILED = "failed"
    """Any other failure, described by the reason."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: a document that may answer."""

    url: str
    """``http(s)://``, or ``file:///`` of the local folder of documents."""
    title: str
    provider: str = ""
    """The provider that found it: ``searxng``, ``plan``, ``local``."""
    query: str = ""
    """The query that found it; empty for an address that the plan names."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of one provider for one query."""

    query: Query
    provider: str
    outcome: Found
    hits: tuple[Hit, ...] = ()
    reason: str = ""
    """Why there are no hits; empty if there are any."""
    requests: int = 0
