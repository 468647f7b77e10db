"""One attempt at a page: the page, or why there is none, as the recorder gets it."""

from __future__ import annotations

from dataclasses import dataclass, field

from planbook.model import Problem
from planbook.research.drafts import Brief, Draft, Source, Usage
from planbook.research.search.api_answers import Searched


@dataclass(frozen=True, slots=True)
class PageAttempt:
    """A page with what the rules say of it and what it cost, or why there is none.

    It can be sent to another machine.
    """

    brief: Brief
    started: str = ""
    """The start of the work on it, in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    finished: str = ""
    draft: Draft | None = None
    """The page, even if it broke a rule."""
    reason: str = ""
    """Why there is no page; empty if there is one."""
    searched: tuple[Searched, ...] = ()
    sources: tuple[Source, ...] = ()
    """The works of the page. Of a worker, everything that it fetched; unreadable documents and
    duplicates have no id."""
    findings: tuple[Problem, ...] = ()
    quoted: int = 0
    """Number of quotes that were chosen for the passages that it cites by their numbers."""
    lines_added: int = 0
    """Number of lines that its front matter has and the file, which stays as it is, has not."""
    usage: Usage = field(default_factory=Usage)
    retries: int = 0
    """Number of drafts that were rejected before this one."""
    refusals: tuple[str, ...] = ()
    """Why each of them was rejected, if they were submitted by hand."""
    notes: tuple[str, ...] = ()
    """Lines of its runner for the drop."""

    @property
    def is_made(self) -> bool:
        """True if there is a page, and nothing keeps it from being recorded."""
        return self.draft is not None and not self.reason
