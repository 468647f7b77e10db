"""Submissions that were refused.

They are kept for good, so that each drop of the page tells them as they were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from planbook.markdown.plain_text import count
from planbook.model import Problem
from planbook.problems import is_blocking, requirement
from planbook.research.drafts import Brief
from planbook.store.files import read_own_json, write_atomic

_IF_DAMAGED = "delete it; the page's drop will then list only later attempts"


class Refusal(msgspec.Struct, frozen=True):
    """A refused submission of a page."""

    time: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    runner: str = msgspec.field(name="author")
    failures: tuple[str, ...]
    """The findings that blocked it, each with its requirement."""

    @property
    def summary(self) -> str:
        """The refusal in one sentence, for the drop."""
        first = self.failures[0] if self.failures else "no reason was kept"
        moment = f"{self.time[:10]} {self.time[11:16]} UTC"
        failures = count(len(self.failures), "failure")
        return f"{moment}, {self.runner}: {failures}; the first: {first}"


class RefusalLog:
    """The refused submissions of each page, in the folder that all worktrees share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "attempts"

    def read(self, brief: Brief) -> tuple[Refusal, ...]:
        """Return all at the page, oldest first."""
        return self.read_of(brief.plan.slug, brief.part.number, str(brief.page))

    def read_of(self, plan: str, part: int, page: str) -> tuple[Refusal, ...]:
        """Return those at the page of a PART; `plan` is a slug.

        Raises RefusedError if their file cannot be read.
        """
        path = self._path_of(plan, part, page)
        return read_own_json(path, tuple[Refusal, ...], _IF_DAMAGED) or ()

    def add(self, brief: Brief, moment: str, runner: str, findings: Sequence[Problem]) -> None:
        """Keep a refused submission. Raises RefusedError and UnwritableError."""
        failures = tuple(
            f"{requirement(problem)}: {problem.message} (line {problem.line})"
            for problem in findings
            if is_blocking(problem)
        )
        refusals = (*self.read(brief), Refusal(moment, runner, failures))
        write_atomic(self._path(brief), msgspec.json.encode(refusals) + b"\n")

    def _path(self, brief: Brief) -> Path:
        return self._path_of(brief.plan.slug, brief.part.number, str(brief.page))

    def _path_of(self, plan: str, part: int, page: str) -> Path:
        key = f"{plan}\0{part}\0{page}"
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
