"""What happens in a run, as values: the coordinator heeds them, the terminal shows them, the log keeps them."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from generator.expand.artifacts import Artifact
from generator.expand.job import Job, Result, Stage
from generator.expand.stop import Usage
from generator.web.model import Fetched


@dataclass(frozen=True, slots=True)
class Begun:
    """An attempt begins."""

    job: Job


@dataclass(frozen=True, slots=True)
class StageBegun:
    """A stage begins; one that was done before is passed over without a word."""

    job: Job
    stage: Stage


@dataclass(frozen=True, slots=True)
class Asking:
    """A host is about to be asked."""

    job: Job
    host: str


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests were made, or tokens used."""

    job: Job
    usage: Usage


@dataclass(frozen=True, slots=True)
class StageDone:
    """A stage is done."""

    job: Job
    stage: Stage
    artifact: Artifact
    usage: Usage
    """What it cost."""


@dataclass(frozen=True, slots=True)
class Ended:
    """An attempt has ended."""

    result: Result


@dataclass(frozen=True, slots=True)
class Recorded:
    """A page, or why there is none, is on the disk."""

    name: str
    page: str
    is_written: bool
    reason: str = ""
    """Why there is no page; or what went wrong in writing it."""


@dataclass(frozen=True, slots=True)
class Told:
    """Something that a person wants to know: what was gone on from, moved, committed."""

    message: str


@dataclass(frozen=True, slots=True)
class Printed:
    """What a program that writes pages has printed; for the log."""

    text: str


Event = Begun | StageBegun | Asking | Spent | StageDone | Ended | Recorded | Told | Printed


def logged(event: Event) -> dict[str, Any]:
    """An event as a line of the log: JSON data without texts, and without anything that could be a secret."""
    plain: dict[str, Any] = {"event": re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()}
    match event:
        case Begun(job) | StageBegun(job) | Asking(job) | Spent(job) | StageDone(job):
            plain |= {"part": job.name, "page": job.brief.page, "attempt": job.attempt}
        case Ended(result):
            plain |= {"part": result.job.name, "page": result.job.brief.page, "attempt": result.job.attempt}
            plain |= {"end": result.end.value, "reason": result.reason, "trace": result.trace or None}
            plain |= {"searches": [_search(s.provider, s.outcome, s.reason, s.query.text) for s in result.searched]}
            plain |= {"sources": [_source(s.fetched) for s in result.sources]}
            plain |= {"findings": [asdict(finding) for finding in result.findings], "usage": asdict(result.usage)}
        case Recorded() | Told() | Printed():
            plain |= asdict(event)
    match event:
        case StageBegun(stage=stage) | StageDone(stage=stage):
            plain["stage"] = stage.value
        case Asking(host=host):
            plain["host"] = host
    match event:
        case Spent(usage=usage) | StageDone(usage=usage):
            plain["usage"] = asdict(usage)
    return plain


def _search(provider: str, outcome: str, reason: str, query: str) -> dict[str, str]:
    return {"provider": provider, "query": query, "outcome": str(outcome), "reason": reason}


def _source(fetched: Fetched) -> dict[str, str | None]:
    outcome = fetched.outcome.value
    return {"url": fetched.url, "outcome": outcome, "reason": fetched.reason, "sha256": fetched.sha256}
