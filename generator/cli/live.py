"""The progress of a run: a bar for each PART on a terminal, elsewhere a line for each event."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

from generator.cli.console import escaped
from generator.expand.events import (
    Event,
    HostRequest,
    Job,
    JobOutcome,
    JobStage,
    Message,
    PageRecorded,
    PartFinished,
    PartStarted,
    StageFinished,
    StageStarted,
    UsageAdded,
)
from generator.views.labels import count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

WORDS = {
    JobOutcome.DONE: "done",
    JobOutcome.FAILED: "failed",
    JobOutcome.STOPPED: "stopped",
    JobOutcome.UNREACHED: "no host reached",
}
"""The outcomes in words."""


class Live(AbstractContextManager["Live"]):
    """Show events on standard error. Used by one thread."""

    def __init__(self, *, quiet: bool = False) -> None:
        from rich.console import Console

        is_terminal = sys.stderr.isatty()
        self._console = Console(stderr=True, highlight=False, emoji=False, width=None if is_terminal else 10_000)
        self._bars = _Bars(self._console) if is_terminal and not quiet else None
        self._quiet = quiet

    def __enter__(self) -> Live:
        if self._bars:
            self._bars.progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bars:
            self._bars.progress.stop()

    def watch(self, event: Event) -> None:
        """Show one event."""
        if self._quiet:
            return
        if self._bars:
            self._bars.update(event)
        line = event_line(event, is_terminal=self._bars is not None)
        if line:
            self._console.print(line, soft_wrap=True)


def event_line(event: Event, *, is_terminal: bool) -> str:
    """Return the line to print for an event, as markup; empty if it only updates a bar."""
    match event:
        case Message(message):
            return escaped(message)
        case PageRecorded(name, page, is_written, reason):
            return f"{escaped(name)}: {escaped(f'{page} is written' if is_written else reason)}"
        case PartFinished(result) if result.outcome is not JobOutcome.DONE:
            attempt = f" (attempt {result.job.attempt})" if result.outcome is JobOutcome.FAILED else ""
            return f"{escaped(result.job.name)}: {WORDS[result.outcome]}{attempt}: {escaped(result.reason)}"
        case PartStarted(job) if not is_terminal:
            again = f", attempt {job.attempt}" if job.attempt > 1 else ""
            return f"{escaped(job.name)}: {escaped(job.brief.page)}{again}"
        case StageFinished(job, stage, _, usage) if not is_terminal:
            spent = [count(usage.requests, "request")] if usage.requests else []
            spent += [count(usage.tokens, "token")] if usage.tokens else []
            return f"{escaped(job.name)}: {stage}" + (f", {', '.join(spent)}" if spent else "")
    return ""


class _Bars:
    """A bar for each PART: stage, host, requests, attempt."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self.progress: Progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("[cyan]{task.fields[stage]}[/]"),
            TextColumn("{task.fields[requests]} requests"),
            TextColumn("[yellow]{task.fields[again]}[/]"),
            TextColumn("[dim]{task.fields[host]}[/]"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._tasks: dict[int, TaskID] = {}
        self._requests: dict[int, int] = {}

    def update(self, event: Event) -> None:
        """Update the bars."""
        match event:
            case PartStarted(job):
                self._requests[job.part] = 0
                self._tasks[job.part] = self.progress.add_task(
                    escaped(job.name), total=len(JobStage), stage="", requests=0, host="", again=_again(job)
                )
            case StageStarted(job, stage):
                self.progress.update(self._tasks[job.part], stage=str(stage), host="", completed=_done_before(stage))
            case HostRequest(job, host):
                self.progress.update(self._tasks[job.part], host=escaped(host))
            case UsageAdded(job, usage):
                self._requests[job.part] += usage.requests
                self.progress.update(self._tasks[job.part], requests=self._requests[job.part])
            case PartFinished(result):
                self.progress.remove_task(self._tasks.pop(result.job.part))


def _again(job: Job) -> str:
    return f"attempt {job.attempt}" if job.attempt > 1 else ""


def _done_before(stage: JobStage) -> int:
    return list(JobStage).index(stage)
