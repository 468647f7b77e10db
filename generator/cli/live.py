"""A run as it goes: on a terminal a bar a runner, elsewhere a line an event."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

from generator.cli.console import escaped
from generator.expand.events import Asking, Begun, Ended, Event, Recorded, Spent, StageBegun, StageDone, Told
from generator.expand.job import End, Job, Stage
from generator.views.labels import count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

WORDS = {
    End.DONE: "done",
    End.FAILED: "failed",
    End.STOPPED: "stopped",
    End.UNREACHED: "no host reached",
}
"""What a person calls each end."""


class Live(AbstractContextManager["Live"]):
    """Shows events on standard error. Used by the one thread that the coordinator runs in."""

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
        """Shows one event."""
        if self._quiet:
            return
        if self._bars:
            self._bars.heed(event)
        line = told(event, is_terminal=self._bars is not None)
        if line:
            self._console.print(line, soft_wrap=True)


def told(event: Event, *, is_terminal: bool) -> str:
    """The line that an event is worth, as markup; empty for what only moves a bar, or is of no interest."""
    match event:
        case Told(message):
            return escaped(message)
        case Recorded(name, page, is_written, reason):
            return f"{escaped(name)}: {escaped(f'{page} is written' if is_written else reason)}"
        case Ended(result) if result.end is not End.DONE:
            attempt = f" (attempt {result.job.attempt})" if result.end is End.FAILED else ""
            return f"{escaped(result.job.name)}: {WORDS[result.end]}{attempt}: {escaped(result.reason)}"
        case Begun(job) if not is_terminal:
            again = f", attempt {job.attempt}" if job.attempt > 1 else ""
            return f"{escaped(job.name)}: {escaped(job.brief.page)}{again}"
        case StageDone(job, stage, _, usage) if not is_terminal:
            spent = [count(usage.requests, "request")] if usage.requests else []
            spent += [count(usage.tokens, "token")] if usage.tokens else []
            return f"{escaped(job.name)}: {stage}" + (f", {', '.join(spent)}" if spent else "")
    return ""


class _Bars:
    """A bar a runner: PART, stage, host, requests, attempt."""

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

    def heed(self, event: Event) -> None:
        """Moves the bars."""
        match event:
            case Begun(job):
                self._requests[job.part] = 0
                self._tasks[job.part] = self.progress.add_task(
                    escaped(job.name), total=len(Stage), stage="", requests=0, host="", again=_again(job)
                )
            case StageBegun(job, stage):
                self.progress.update(self._tasks[job.part], stage=str(stage), host="", completed=_done_before(stage))
            case Asking(job, host):
                self.progress.update(self._tasks[job.part], host=escaped(host))
            case Spent(job, usage):
                self._requests[job.part] += usage.requests
                self.progress.update(self._tasks[job.part], requests=self._requests[job.part])
            case Ended(result):
                self.progress.remove_task(self._tasks.pop(result.job.part))


def _again(job: Job) -> str:
    return f"attempt {job.attempt}" if job.attempt > 1 else ""


def _done_before(stage: Stage) -> int:
    return list(Stage).index(stage)
