"""The progress of `planbook expand`: one block in a terminal, which is drawn again in its place, or a line per event.

``RunProgress`` is what the events of a run say so far, and has no clock of its own; ``show_run``
prints it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from planbook.cli import terminal
from planbook.cli.terminal import escaped
from planbook.markdown.plain_text import count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from planbook.research.expand.events import Event, EventHandler

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
        waits_for = f", waiting for {self.host}" if self.host else ""
        return f"{name}: {self.stage or 'starting'} {elapsed(now_s - self.stage_started_s)}{waits_for}"


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
        if event.name == "RunStarted":
            self.total = event.details["pages"]
        elif event.name == "PartStarted":
            self.in_work[event.part] = PartProgress(now_s, stage_started_s=now_s)
        elif event.name == "PageRecorded":
            self.ended += 1
            self.in_work.pop(event.part, None)
        part = self.in_work.get(event.part)
        if part is not None and event.name == "StageStarted":
            part.stage, part.stage_started_s, part.host = event.details["stage"], now_s, ""
        elif part is not None and event.name == "HostRequest":
            part.host = event.details["host"]

    @property
    def place(self) -> str:
        """Number of pages that have ended, and of all: ``3 of 9``."""
        return f"{self.ended} of {self.total}"

    def lines(self, now_s: float) -> list[str]:
        """Return the block: the totals, and a line for each PART in work."""
        left = max(self.total - self.ended - len(self.in_work), 0)
        pages = count(self.total, "page")
        totals = (
            f"{self.ended} of {pages}, {len(self.in_work)} in work, {left} waiting; {elapsed(now_s - self.began_s)}"
        )
        return [totals, *(f"  {part.line(name, now_s)}" for name, part in self.in_work.items())]


def elapsed(seconds: float) -> str:
    """Return a time as a person says it: ``8 s``, ``2 min 5 s``."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def show_events() -> EventHandler:
    """Return a function that shows events on standard error, a line each. For one thread."""
    console = terminal.make_console(stderr=True)

    def show(event: Event) -> None:
        """Show one event, if it has a message."""
        if event.message:
            console.print(escaped(f"{event.part}: {event.message}" if event.part else event.message))

    return show


@contextmanager
def show_run(clock: Callable[[], float] = time.monotonic) -> Iterator[EventHandler]:
    """Yield a function that shows a run's events on standard error, until the end of the block.

    A terminal also has the progress below them, drawn again in its place. The function is for one thread at a time.

    Args:
        clock: returns seconds that never go back.
    """
    console = terminal.make_console(stderr=True)
    progress, lock = RunProgress(clock()), Lock()

    def show(event: Event) -> None:
        """Show one event, if it has a message; a recorded page says how many there are."""
        with lock:
            progress.take(event, clock())
            place = f" ({progress.place})" if event.name == "PageRecorded" and progress.total else ""
        if event.message:
            about = f"{event.part}: {event.message}" if event.part else event.message
            console.print(escaped(about + place))

    def block() -> RenderableType:
        from rich.text import Text

        with lock:
            return Text("\n".join(progress.lines(clock())) if progress.total else "")

    if not console.is_terminal:
        yield show
        return
    from rich.live import Live

    def show_now(event: Event) -> None:
        """Show one event, and the block again if it changed the totals: a short PART is seen, too."""
        show(event)
        if event.name in {"PartStarted", "PageRecorded"}:
            live.refresh()

    live = Live(
        console=console,
        get_renderable=block,
        refresh_per_second=_REFRESHES_PER_S,
        transient=True,
        redirect_stdout=False,
    )
    with live:
        yield show_now
