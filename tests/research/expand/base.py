"""A small base in a real repository, and runners that give what a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from planbook.library import Library
from planbook.research.drafts import Draft
from planbook.research.expand.cancellation import CancelToken
from planbook.research.expand.jobs import BaseAtStart, Job, JobOutcome, Result, StartJob, Workers
from planbook.research.expand.run import Run, RunOutcome
from planbook.research.recording.clock import Clock
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.events import Event, EventHandler
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.selection import Choice
from planbook.store import read_settings
from tests.files import git, put

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
STAMP = "2026-11-20T09:05:00Z"


def part(number: int, target: str = "", mark: str = " ") -> str:
    """A PART of a plan."""
    target = target or f"tea/{number:02}.md"
    return f"## PART {number}: Create {target}\n\n- [{mark}] PART {number}: Create {target}\n\n"


def plan(*parts: str, title: str = "Tea") -> str:
    """A plan of these PARTs."""
    return f"# {title}\n\n{''.join(parts)}"


def make_repository(root: Path, files: Mapping[str, str]) -> Path:
    """A repository with these files in its first commit."""
    root.mkdir(parents=True, exist_ok=True)
    put(root, {"mkdocs.yml": "site_name: Tea\nplugins: [planbook]\n", **files})
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "A person")
    git(root, "config", "user.email", "person@tea.test")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Begin")
    return root


def commits(root: Path) -> list[str]:
    """The subjects of all commits but the first, the newest first."""
    return git(root, "log", "--format=%s").splitlines()[:-1]


def files_of(root: Path, commit: str = "HEAD") -> list[str]:
    """The files that a commit changed, as `A path`, moves as `R old new`."""
    shown = git(root, "show", "--format=", "--name-status", "-M", commit).splitlines()
    return [" ".join(line.split("\t")).replace("R100", "R") for line in shown]


def done(job: Job, text: str = "# Page\n\nText.\n") -> Result:
    """A result with a page."""
    page = PageAttempt(job.brief, job.started, STAMP, Draft(text, "extract"))
    return Result(job, JobOutcome.DONE, page)


def failed(job: Job, reason: str = "no source could be read") -> Result:
    """A result without a page."""
    return Result(job, JobOutcome.FAILED, PageAttempt(job.brief, job.started, STAMP, reason=reason))


def no_index(library: Library) -> Mapping[str, str]:
    """No INDEX, no SKILL."""
    return {}


def threads(runner: Callable[[Job], Result]) -> Workers:
    """Workers in threads, whose jobs a test's function does."""

    @contextmanager
    def start(base: BaseAtStart, count: int, token: CancelToken, emit: EventHandler) -> Iterator[StartJob]:
        """See `Workers`."""
        with ThreadPoolExecutor(count) as executor:
            yield lambda job: executor.submit(runner, job)

    return start


@dataclass
class Base:
    """A project and the way to run on it."""

    root: Path
    events: list[Event] = field(default_factory=list)

    def run(self, runner: Callable[[Job], Result], **given: object) -> RunOutcome:
        """A run with this runner.

        Given: `commit`, `workers`, `token`, `index_files`, `min_answered`, a Choice's fields.
        """
        config = RecordingConfig(
            read_settings(self.root),
            given.pop("index_files", no_index),  # type: ignore[arg-type]
            "planbook expand",
            bool(given.pop("commit", True)),
            watch=self.events.append,
            clock=Clock(NOW),
        )
        token: Any = given.pop("token", None) or CancelToken()
        parallel: Any = given.pop("workers", 2)
        least: Any = given.pop("min_answered", 0.0)
        run = Run(
            config,
            open_workers=threads(runner),
            runner="planbook extract",
            min_answered=least,
            token=token,
            parallel=parallel,
        )
        return run.fill(Choice(**given))  # type: ignore[arg-type]

    def text(self, name: str) -> str:
        """A file's text."""
        return (self.root / name).read_text(encoding="utf-8")

    def names(self, folder: str) -> list[str]:
        """The files in a folder."""
        return sorted(path.name for path in (self.root / folder).iterdir())
