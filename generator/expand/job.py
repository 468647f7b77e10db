"""What goes to a runner and what comes back. Values only, so that a runner may be a thread or another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from generator.drafts import Brief, Draft, Finding, Source
from generator.expand.artifacts import Artifact
from generator.expand.stop import Usage
from generator.search.model import Searched

ATTEMPTS = 2
"""A PART that fails is tried once more."""


class Stage(StrEnum):
    """The stages of a runner, in order."""

    SEARCH = "search"
    FETCH = "fetch"
    EXTRACT = "extract"
    COMPOSE = "compose"
    GATES = "gates"


class End(StrEnum):
    """How an attempt ended."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """The run is to stop: the PART stays as it is, and what was found is kept."""
    UNREACHED = "unreached"
    """No host could be reached at all. That says nothing of the PART, which stays as it is."""


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at one page."""

    part: int
    """Its id in the ledger."""
    brief: Brief
    attempt: int
    """From 1."""
    started: str
    """When, in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    kept: Mapping[str, Artifact] = field(default_factory=dict)
    """What stages gave that were done before, by a run that was cut off."""
    spent: Usage = field(default_factory=Usage)
    """What they cost."""
    earlier: Mapping[str, Artifact] = field(default_factory=dict)
    """What the stages of the attempt before this one gave: what was found then is not asked for again."""
    failure: str | None = None
    """Why this attempt ended, where it did so before: it is not made again, only told."""
    findings: tuple[Finding, ...] = ()
    """What held back the draft of the attempt before this one."""

    @property
    def name(self) -> str:
        """What a person calls it."""
        return f"{self.brief.plan.slug} PART {self.brief.part.number}"


@dataclass(frozen=True, slots=True)
class Done:
    """A stage that is done."""

    stage: Stage
    artifact: Artifact
    usage: Usage


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an attempt."""

    job: Job
    end: End
    reason: str = ""
    """Why there is no page; empty where there is one."""
    trace: str = ""
    """Of an error of ours, for the log."""
    searched: tuple[Searched, ...] = ()
    sources: tuple[Source, ...] = ()
    """Everything that was asked for; what could not be read, or was a copy, has no id."""
    draft: Draft | None = None
    """The page, also one that was held back."""
    findings: tuple[Finding, ...] = ()
    usage: Usage = field(default_factory=Usage)
    """Of this attempt, with what it cost before it was cut off."""
    finished: str = ""
    untold: tuple[Done, ...] = ()
    """What its stages gave, where they could not tell it as they ended: the runner was on another machine."""
