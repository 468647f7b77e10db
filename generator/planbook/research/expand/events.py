"""Jobs, their results, and the events of a run, with its log and its end.

Jobs and results are values that can be sent to another machine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from planbook.model import format_time
from planbook.research import drafts
from planbook.research.expand.page_attempt import PageAttempt
from planbook.store.files import WORK_DIR, append_work


@dataclass(frozen=True, slots=True)
class Clock:
    """The system's clock, or a fixed time: two runs at the same fixed time write the same bytes."""

    fixed: datetime | None = None

    def now(self) -> datetime:
        """Return the time in UTC."""
        return self.fixed or datetime.now(UTC)

    def stamp(self) -> str:
        """Return the time in UTC as ``YYYY-MM-DDTHH:MM:SSZ``."""
        return format_time(self.now())


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


# --- events and their log -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in a run.

    It is a line of the log and, if it has a message, one for the user.
    """

    name: str
    """Its kind, such as ``PartStarted``."""
    message: str = ""
    part: str = ""
    """The name of the PART that it is about."""
    page: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    """More for the log, as JSON data, without the texts of documents and without secrets."""

    @classmethod
    def of(cls, job: Job, name: str, message: str = "", **details: Any) -> Event:
        """Return an event of a job."""
        return cls(name, message, job.name, job.brief.page, details)


EventHandler = Callable[[Event], None]
"""A subscriber to the events of a run."""


class EventLog:
    """The log of a run in the working folder, as JSON lines. The first event creates the file."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root, self._clock = root, clock
        self._name = f"logs/{clock.stamp().replace(':', '')}.jsonl"

    @property
    def name(self) -> str:
        """The path from the project's folder."""
        return f"{WORK_DIR}/{self._name}"

    def watch(self, event: Event) -> None:
        """Append one event."""
        about = {
            "event": event.name,
            "message": event.message,
            "part": event.part,
            "page": event.page,
        }
        known = {key: value for key, value in about.items() if value}
        line = {"time": self._clock.stamp(), **known, **event.details}
        append_work(self._root, self._name, msgspec.json.encode(line).decode())


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
    return Event.of(
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


# --- cancellation ---------------------------------------------------------------------------------


class StoppedError(Exception):
    """The run has been cancelled; the message gives the reason."""


class CancelToken:
    """Cancels a run, also when its budget of requests or tokens is spent.

    Shared by threads and the signal handler.
    """

    def __init__(self, requests: int | None = None, tokens: int | None = None) -> None:
        self._requests, self._tokens = requests, tokens
        self.usage = drafts.Usage()
        """The cost so far."""
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._cancelled = threading.Event()

    @property
    def reason(self) -> str | None:
        """Why the run is cancelled; ``None`` while it goes on."""
        if self._reason is None:
            if self._requests is not None and self.usage.requests >= self._requests:
                self._reason = f"the budget of {self._requests:,} requests is spent"
            if self._tokens is not None and self.usage.tokens >= self._tokens:
                self._reason = f"the budget of {self._tokens:,} tokens is spent"
        return self._reason

    def cancel(self, reason: str) -> None:
        """Stop the run at its next step. Safe to call from a signal handler."""
        if self._reason is None:
            self._reason = reason
        self._cancelled.set()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Run `callback` in its own thread when `cancel` is called.

        A budget that is spent does not call it.
        """

        # A signal handler may interrupt a line that holds a lock: it only sets the event, and the
        # callback, which may take locks, has a thread of its own.
        def wait() -> None:
            """Wait for `cancel`."""
            self._cancelled.wait()
            callback()

        threading.Thread(target=wait, daemon=True, name="cancellation").start()

    def spend(self, usage: drafts.Usage) -> None:
        """Add to the cost so far."""
        with self._lock:
            self.usage += usage

    def check(self) -> None:
        """Raise :class:`StoppedError` if the run is cancelled."""
        if self.reason is not None:
            raise StoppedError(self.reason)


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
