"""Jobs, their results, and the events of a run: values only, so that they can be sent to another machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from generator.drafts import Brief, Draft, Source
from generator.expand.cancellation import Usage
from generator.model import Problem
from generator.problems import is_blocking, requirement
from generator.search.model import Searched
from generator.store.files import WORK_DIR, append_work
from generator.web.model import Fetched

ATTEMPTS = 2
"""A page that fails is attempted once more."""
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Clock:
    """The system's clock, or a fixed time: two runs at the same fixed time write the same bytes."""

    fixed: datetime | None = None

    def time(self) -> datetime:
        """Return the time in UTC."""
        return self.fixed or datetime.now(UTC)

    def now(self) -> str:
        """Return the time in UTC as ``YYYY-MM-DDTHH:MM:SSZ``."""
        return self.time().strftime(TIME_FORMAT)


# --- jobs and results ----------------------------------------------------------------------------------------------


class JobStage(StrEnum):
    """The stages of a job, in order. The values are part of the ledger, the log and the output."""

    SEARCH = "search"
    FETCH = "fetch"
    EXTRACT = "extract"
    COMPOSE = "compose"
    RULES = "gates"


class JobOutcome(StrEnum):
    """The outcome of a job."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """The run was cancelled: the PART keeps its mark, and finished stages are kept."""
    UNREACHED = "unreached"
    """No host answered, which is not the PART's fault: it keeps its mark."""


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at one page."""

    part: int
    """The id of the page's row in the ledger."""
    brief: Brief
    attempt: int
    """1-based."""
    started: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    saved: Mapping[str, Any] = field(default_factory=dict)
    """Results of the stages that an interrupted run finished."""
    spent: Usage = field(default_factory=Usage)
    """The cost of those stages."""
    earlier: Mapping[str, Any] = field(default_factory=dict)
    """Results of the previous attempt's stages: its documents are not requested again."""
    failure: str | None = None
    """Why this attempt failed in an interrupted run; it is reported again, not repeated."""

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
    sources: tuple[Source, ...] = ()
    """Everything that was fetched; unreadable documents and duplicates have no id."""
    draft: Draft | None = None
    """The page, even if it broke a rule."""
    findings: tuple[Problem, ...] = ()
    usage: Usage = field(default_factory=Usage)
    """The cost of this attempt, including the stages that an interrupted run finished."""
    finished: str = ""
    stages: tuple[StageFinished, ...] = ()
    """Results of the stages, where the worker was on another machine and could not report them as events."""


# --- events --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PartStarted:
    """A job starts."""

    job: Job


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A stage starts. Stages that an interrupted run finished are skipped without an event."""

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
    value: Any
    """Its result: tuples, dataclasses and plain values."""
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

_LOG_NAMES: Mapping[type, str] = {
    PartStarted: "begun",
    StageStarted: "stage_begun",
    HostRequest: "asking",
    UsageAdded: "spent",
    StageFinished: "stage_done",
    PartFinished: "ended",
    PageRecorded: "recorded",
    Message: "told",
    Output: "printed",
}
"""The value of `event` in the log. The log's format must not change."""


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
    plain: dict[str, Any] = {"event": _LOG_NAMES[type(event)]}
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
        "gate": requirement(problem),
        "is_failure": is_blocking(problem),
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
