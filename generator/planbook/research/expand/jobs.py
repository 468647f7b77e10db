"""Jobs, their results, and the workers that do them.

Jobs and results are values that can be sent to another machine.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from planbook.research import drafts
from planbook.research.expand.cancellation import CancelToken
from planbook.research.recording.events import Event, EventHandler
from planbook.research.recording.page_attempt import PageAttempt

# --- jobs and results -----------------------------------------------------------------------------


class JobOutcome(StrEnum):
    """The outcome of a job."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """The run was cancelled: the PART keeps its mark, and what was answered is kept."""
    UNREACHED = "unreached"
    """No host answered, which is not the PART's fault: it keeps its mark."""
    CLAIMED = "claimed"
    """Somebody has claimed the PART since the run began: it is theirs, and keeps its mark."""


@dataclass(frozen=True, slots=True)
class Job:
    """One page for a run to write."""

    index: int
    """The place of the page among those of the run."""
    brief: drafts.Brief
    started: str = ""
    """The time at which a worker got it, in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    before: str | None = None
    """The SHA-256 of the page when the run began."""
    made_from: tuple[tuple[str, str], ...] = ()
    """The origins of the page, for its drop."""
    is_edited: bool = False
    """True if a person has changed the page since it was made: it is kept."""

    @property
    def heading(self) -> tuple[str, int]:
        """The path of the plan, and the line of the PART in it."""
        return str(self.brief.plan.uri), self.brief.part.line

    @property
    def name(self) -> str:
        """The PART's name for users."""
        return f"{self.brief.plan.slug} PART {self.brief.part.number}"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a job of a run."""

    job: Job
    outcome: JobOutcome
    page: PageAttempt
    trace: str = ""
    """The traceback of an error in Planbook, for the log."""

    @classmethod
    def without_page(cls, job: Job, outcome: JobOutcome, reason: str) -> Result:
        """Return the result of a job that made no page."""
        return cls(job, outcome, PageAttempt(job.brief, job.started, reason=reason))


def job_event(job: Job, name: str, message: str = "", **details: Any) -> Event:
    """Return an event of a job."""
    return Event(name, message, job.name, job.brief.page, details)


def describe_end(result: Result) -> Event:
    """Return the event of a job that has ended."""
    page = result.page
    is_done = result.outcome is JobOutcome.DONE
    message = "" if is_done else f"{result.outcome}: {page.reason}"
    sources = [
        {
            "url": source.fetched.url,
            "outcome": source.fetched.outcome,
            "reason": source.fetched.reason,
            "sha256": source.fetched.sha256,
        }
        for source in page.sources
    ]
    return job_event(
        result.job,
        "PartFinished",
        message,
        end=result.outcome,
        reason=page.reason,
        trace=result.trace or None,
        searches=[replace(search, hits=()) for search in page.searched],
        sources=sources,
        findings=page.findings,
        usage=page.usage,
    )


# --- workers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BaseAtStart:
    """The base as a run finds it when it begins."""

    files: frozenset[str] = frozenset()
    """The paths of the base's files in the documentation folder, valid targets of links."""
    planned: frozenset[str] = frozenset()
    """The uris of pages that plans name and that are not written yet: the site has a placeholder
    for each."""
    since: str = ""
    """The start of the run that is continued, or of this one: answers since then are used whatever
    their age."""


StartJob = Callable[[Job], "Future[Result]"]
"""Gives a job to a worker."""
Workers = Callable[[BaseAtStart, int, CancelToken, EventHandler], AbstractContextManager[StartJob]]
"""Starts so many workers, which report events, until the end of the block: threads of this process,
or a cluster."""
