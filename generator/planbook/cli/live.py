"""The progress of `planbook expand`: a block in a terminal, or a line per event.

The block is drawn again in its place. ``RunProgress`` is what the events of a run say so far, and
has no clock of its own; ``show_run`` prints it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from planbook.cli import terminal
from planbook.cli.terminal import escape_output
from planbook.markdown.plain_text import count

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from planbook.research.recording.events import Event, EventHandler

_REFRESHES_PER_S = 4


@dataclass(slots=True)
class PartProgress:
    """A PART in work."""

    started_s: float
    stage: str = ""
    """The step that goes on, such as ``fetch``."""
    stage_started_s: float = 0.0
    host: str = ""
    """The host that was asked last in this step."""

    def line(self, name: str, now_s: float) -> str:
        """Return what the PART does, for how long, and what it waits for."""
        stage = self.stage or "starting"
        waits_for = f", waiting for {self.host}" if self.host else ""
        return f"{name}: {stage} {format_elapsed(now_s - self.stage_started_s)}{waits_for}"


@dataclass(slots=True)
class RunProgress:
    """The progress of a run, as its events say."""

    began_s: float
    total: int = 0
    """Number of pages of the run; 0 before it is known."""
    ended: int = 0
    in_work: dict[str, PartProgress] = field(default_factory=dict)
    """By the PART's name, in the order in which they began."""

    def take(self, event: Event, now_s: float) -> None:
        """Take the next event of the run, which came at `now_s`."""
        match event.name:
            case "RunStarted":
                self.total = event.details["pages"]
            case "PartStarted":
                self.in_work[event.part] = PartProgress(now_s, stage_started_s=now_s)
            case "PageRecorded":
                self.ended += 1
                self.in_work.pop(event.part, None)
            case "StageStarted" if event.part in self.in_work:
                part = self.in_work[event.part]
                part.stage = event.details["stage"]
                part.stage_started_s = now_s
                part.host = ""
            case "HostRequest" if event.part in self.in_work:
                self.in_work[event.part].host = event.details["host"]

    @property
    def position(self) -> str:
        """Number of pages that have ended, and of all: ``3 of 9``."""
        return f"{self.ended} of {self.total}"

    def lines(self, now_s: float) -> list[str]:
        """Return the block: the totals, and a line for each PART in work."""
        waiting = max(self.total - self.ended - len(self.in_work), 0)
        pages = count(self.total, "page")
        numbers = f"{self.ended} of {pages}, {len(self.in_work)} in work, {waiting} waiting"
        totals = f"{numbers}; {format_elapsed(now_s - self.began_s)}"
        return [totals, *(f"  {part.line(name, now_s)}" for name, part in self.in_work.items())]


def format_elapsed(seconds: float) -> str:
    """Return a time as a person says it: ``8 s``, ``2 min 5 s``."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def ignore_event(event: Event) -> None:
    """Show nothing: standard output is for programs, and standard error for what went wrong."""


def show_events() -> EventHandler:
    """Return a function that shows events on standard error, a line each. For one thread."""
    console = terminal.make_console(stderr=True)

    def show(event: Event) -> None:
        """Show one event, if it has a message."""
        if event.message:
            console.print(escape_output(_event_line(event)))

    return show


def _event_line(event: Event) -> str:
    """Return the message of an event, with the PART that it is about."""
    return f"{event.part}: {event.message}" if event.part else event.message


@contextmanager
def show_run(clock: Callable[[], float] = time.monotonic) -> Iterator[EventHandler]:
    """Yield a function that shows a run's events on standard error, until the end of the block.

    A terminal also has the progress below them, drawn again in its place. The function is for one
    thread at a time.

    Args:
        clock: returns seconds that never go back.
    """
    display = _RunDisplay(terminal.make_console(stderr=True), clock)
    if not display.console.is_terminal:
        yield display.show
        return
    from rich.live import Live

    live = Live(
        console=display.console,
        get_renderable=display.block,
        refresh_per_second=_REFRESHES_PER_S,
        transient=True,
        redirect_stdout=False,
    )

    def show_now(event: Event) -> None:
        """Show one event, and the block again if it changed the totals."""
        display.show(event)
        # At once: a PART that ends before the next refresh is seen, too.
        if event.name in {"PartStarted", "PageRecorded"}:
            live.refresh()

    with live:
        yield show_now


class _RunDisplay:
    """The events of a run and its progress, which two threads may show."""

    def __init__(self, console: Console, clock: Callable[[], float]) -> None:
        self.console = console
        self._clock = clock
        self._progress = RunProgress(clock())
        self._lock = Lock()

    def show(self, event: Event) -> None:
        """Show one event, if it has a message; a recorded page says how many there are."""
        host = ""
        with self._lock:
            self._progress.take(event, self._clock())
            if event.name == "PageRecorded" and self._progress.total:
                host = f" ({self._progress.position})"
        if event.message:
            self.console.print(escape_output(f"{_event_line(event)}{host}"))

    def block(self) -> RenderableType:
        """Return the progress; nothing before the number of pages is known."""
        from rich.text import Text

        with self._lock:
            lines = self._progress.lines(self._clock()) if self._progress.total else []
        return Text("\n".join(lines))
