"""Jobs, their results, and the events of a run as values that can be sent to another machine; its log and its end."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import asdict, astuple, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from generator import drafts, problems
from generator.model import Problem, format_time
from generator.search.answers import Searched
from generator.store.files import WORK_DIR, append_work
from generator.web.model import Fetched

ATTEMPTS = 2
"""A page that fails is attempted once more."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The system's clock, or a fixed time: two runs at the same fixed time write the same bytes."""

    fixed: datetime | None = None

    def time(self) -> datetime:
        """Return the time in UTC."""
        return self.fixed or datetime.now(UTC)

    def now(self) -> str:
        """Return the time in UTC as ``YYYY-MM-DDTHH:MM:SSZ``."""
        return format_time(self.time())


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of some work."""

    requests: int = 0
    tokens: int = 0
    retries: int = 0
    """Requests that repeat a failed one; `requests` includes them."""
    tokens_out: int = 0
    """Tokens of answers; `tokens` includes them."""
    cost: float = 0.0
    """In the currency of the configured prices."""

    def __add__(self, other: Usage) -> Usage:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(one + two for one, two in pairs))


# --- jobs and results ----------------------------------------------------------------------------------------------


class JobStage(StrEnum):
    """The stages of a job, in order. The values are part of the log and the output."""

    SEARCH = "search"
    FETCH = "fetch"
    EXTRACT = "extract"
    COMPOSE = "compose"
    RULES = "rules"


class JobOutcome(StrEnum):
    """The outcome of a job."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """The run was cancelled: the PART keeps its mark, and what was answered is kept."""
    UNREACHED = "unreached"
    """No host answered, which is not the PART's fault: it keeps its mark."""


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at one page."""

    part: int
    """The place of the page in the run."""
    brief: drafts.Brief
    attempt: int
    """1-based."""
    started: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    previous: Result | None = None
    """The result of the previous attempt: what it found and read is not requested again."""

    @property
    def name(self) -> str:
        """The PART's name for users."""
        return f"{self.brief.plan.slug} PART {self.brief.part.number}"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a job."""

    job: Job
    outcome: JobOutcome
    reason: str = ""
    """Why there is no page; empty if there is one."""
    trace: str = ""
    """The traceback of an error in Planbook, for the log."""
    searched: tuple[Searched, ...] = ()
    sources: tuple[drafts.Source, ...] = ()
    """Everything that was fetched; unreadable documents and duplicates have no id."""
    draft: drafts.Draft | None = None
    """The page, even if it broke a rule."""
    findings: tuple[Problem, ...] = ()
    usage: Usage = field(default_factory=Usage)
    """The cost of this attempt."""
    finished: str = ""


# --- events --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PartStarted:
    """A job starts."""

    job: Job


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A stage starts."""

    job: Job
    stage: JobStage


@dataclass(frozen=True, slots=True)
class HostRequest:
    """A request to a host is about to be made, or a local copy was read."""

    job: Job
    host: str
    """The host, or the place of the copy: ``mirror of OWNER/REPO``, ``local``."""


@dataclass(frozen=True, slots=True)
class UsageAdded:
    """Requests were made, or tokens used."""

    job: Job
    usage: Usage


@dataclass(frozen=True, slots=True)
class StageFinished:
    """A stage is finished."""

    job: Job
    stage: JobStage
    usage: Usage


@dataclass(frozen=True, slots=True)
class PartFinished:
    """A job is finished, whatever its outcome."""

    result: Result


@dataclass(frozen=True, slots=True)
class PageRecorded:
    """A page, or the report of its failure, is on disk."""

    name: str
    page: str
    is_written: bool
    reason: str = ""
    """Why there is no page, or what went wrong while writing it."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to the user: work that is continued, a plan that moved, a commit."""

    message: str


@dataclass(frozen=True, slots=True)
class Output:
    """Output of the program that writes pages, for the log."""

    text: str


Event = (
    PartStarted
    | StageStarted
    | HostRequest
    | UsageAdded
    | StageFinished
    | PartFinished
    | PageRecorded
    | Message
    | Output
)
EventHandler = Callable[[Event], None]
"""A subscriber to the events of a run."""


# --- the log ---------------------------------------------------------------------------------------------------------


class EventLog:
    """The log of a run in the working folder, as JSON lines. The first event creates the file."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root, self._clock = root, clock
        self._name = f"logs/{clock.now().replace(':', '')}.jsonl"

    @property
    def name(self) -> str:
        """The path from the project's folder."""
        return f"{WORK_DIR}/{self._name}"

    def watch(self, event: Event) -> None:
        """Append one event."""
        line = {"time": self._clock.now(), **to_json(event)}
        append_work(self._root, self._name, json.dumps(line, ensure_ascii=False))


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON data, without the texts of documents and without secrets."""
    plain: dict[str, Any] = {"event": type(event).__name__}
    match event:
        case PartFinished(result):
            plain |= _job(result.job)
            plain |= {"end": result.outcome.value, "reason": result.reason, "trace": result.trace or None}
            plain |= {"searches": [_search(search) for search in result.searched]}
            plain |= {"sources": [_source(source.fetched) for source in result.sources]}
            plain |= {"findings": [_finding(problem) for problem in result.findings], "usage": asdict(result.usage)}
        case PageRecorded() | Message() | Output():
            plain |= asdict(event)
        case _:
            plain |= _job(event.job)
            more = [key for key in ("stage", "host", "usage") if hasattr(event, key)]
            plain |= {key: msgspec.to_builtins(getattr(event, key)) for key in more}
    return plain


def _finding(problem: Problem) -> dict[str, object]:
    return {
        "gate": problems.requirement(problem),
        "is_failure": problems.is_blocking(problem),
        "message": problem.message,
        "line": problem.line,
        "code": problem.code,
    }


def _job(job: Job) -> dict[str, Any]:
    return {"part": job.name, "page": job.brief.page, "attempt": job.attempt}


def _search(search: Searched) -> dict[str, str]:
    outcome = str(search.outcome)
    return {"provider": search.provider, "query": search.query.text, "outcome": outcome, "reason": search.reason}


def _source(fetched: Fetched) -> dict[str, str | None]:
    outcome = fetched.outcome.value
    return {"url": fetched.url, "outcome": outcome, "reason": fetched.reason, "sha256": fetched.sha256}


# --- cancellation ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run; ``None`` means no limit."""

    requests: int | None = None
    tokens: int | None = None
    minutes: float | None = None

    def spent(self, usage: Usage, seconds: float) -> str | None:
        """Return a message about the budget that is spent; ``None`` while there is some left of each."""
        limits = (
            (self.requests, usage.requests, "{:,} requests"),
            (self.tokens, usage.tokens, "{:,} tokens"),
            (self.minutes, seconds / 60, "{:g} minutes"),
        )
        spent = (text.format(limit) for limit, used, text in limits if limit is not None and used >= limit)
        return next((f"the budget of {text} is spent" for text in spent), None)


class StoppedError(Exception):
    """The run has been cancelled; the message gives the reason."""


class CancelToken:
    """Cancels a run. Shared by its threads and the signal handler."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._began = time.monotonic()
        self._usage = Usage()
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._cancelled = threading.Event()

    @property
    def reason(self) -> str | None:
        """Why the run is cancelled; ``None`` while it goes on."""
        if self._reason is None:
            self._reason = self._budget.spent(self._usage, time.monotonic() - self._began)
        return self._reason

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        return self._usage

    def cancel(self, reason: str) -> None:
        """Stop the run at its next step. Safe to call from a signal handler."""
        if self._reason is None:
            self._reason = reason
        self._cancelled.set()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Run `callback` in its own thread when `cancel` is called, but not when a budget is spent."""

        def wait() -> None:
            """Wait for `cancel`."""
            self._cancelled.wait()
            callback()

        threading.Thread(target=wait, daemon=True, name="cancellation").start()

    def spend(self, usage: Usage) -> None:
        """Add to the cost so far."""
        with self._lock:
            self._usage = self._usage + usage

    def check(self) -> None:
        """Raise :class:`StoppedError` if the run is cancelled."""
        if self.reason is not None:
            raise StoppedError(self.reason)


# --- workers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunInputs:
    """The facts of the base that a run needs once it has begun."""

    files: frozenset[str] = frozenset()
    """The paths of the base's files in the documentation folder, valid targets of links."""
    planned: frozenset[str] = frozenset()
    """The uris of pages that plans name and that are not written yet: the site has a placeholder for each."""
    since: str = ""
    """The start of the run that is continued, or of this one: answers since then are used whatever their age."""


Submit = Callable[[Job], "Future[Result]"]
"""Gives a job to a worker."""
Workers = Callable[[RunInputs, int, CancelToken, EventHandler], AbstractContextManager[Submit]]
"""Starts so many workers, which report events, until the end of the block: threads of this process, or a cluster."""
