"""Output to terminals and pipes: colours, width, tables, progress, and removal of control characters."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from planbook.model import State
from planbook.problems import Severity

if TYPE_CHECKING:
    from rich.console import Console

STATE_COLOURS = {
    State.DONE: "green",
    State.PARTIAL: "yellow",
    State.OPEN: "cyan",
    State.UNMARKED: "magenta",
    State.SKIPPED: "blue",
    State.DISABLED: "bright_black",
}
OFFLINE = "No connection. `documents/`, mirrors and `planbook brief` work offline."
SEVERITY_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
PIPE_WIDTH = 10_000
"""Columns of output that does not go to a terminal."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def make_console(*, stderr: bool = False) -> Console:
    """Return a console on standard output or standard error."""
    from rich.console import Console

    # Piped output is for programs: never wrap or truncate it.
    width = None if (sys.stderr if stderr else sys.stdout).isatty() else PIPE_WIDTH
    console = partial(Console, stderr=stderr, highlight=False, emoji=False, width=width, soft_wrap=True)
    # By itself, rich would still print bold text.
    return console(color_system=None) if os.environ.get("NO_COLOR") else console()


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a command's progress on standard error, if that is a terminal."""
    is_terminal, next_s = sys.stderr.isatty() and not os.environ.get("NO_COLOR"), 0.0

    def show(text: str) -> None:
        """Print the text in place of the last one, not more often than a terminal needs."""
        nonlocal next_s
        if is_terminal and time.monotonic() >= next_s:
            next_s = time.monotonic() + 0.1
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)

    try:
        yield show
    finally:
        if is_terminal:
            click.echo("\r\x1b[K", err=True, nl=False)


def escaped(text: str) -> str:
    """Return `text` escaped for literal output: no markup, no terminal control sequences."""
    from rich.markup import escape

    return escape(_CONTROLS.sub("\ufffd", text))


def show_rows(console: Console, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; on a console that is too narrow, each row as lines: plan, short cells, long texts.

    Args:
        console: where to print.
        titles: the titles of the columns. Those of numbers end with a space, and are aligned to the right; those of
            long texts start with one.
        rows: the cells, as markup.
    """
    from rich.cells import cell_len
    from rich.text import Text

    def width(cell: str) -> int:
        """Return the columns of a cell's text."""
        return cell_len(Text.from_markup(cell).plain if "[" in cell else cell)

    every = [[title.strip() for title in titles], *rows]
    measured = [[width(cell) for cell in row] for row in every]
    most = [max(column) for column in zip(*measured, strict=True)]
    if sum(most) + 2 * len(most) <= console.width:
        shown = []
        for row, taken in zip(every, measured, strict=True):
            pads = [" " * (n - own) for n, own in zip(most, taken, strict=True)]
            padded = zip(titles, row, pads, strict=True)
            cells = [pad + cell if title.endswith(" ") else cell + pad for title, cell, pad in padded]
            shown.append("  ".join(cells).rstrip())
        console.print("\n".join([f"[dim]{shown[0]}[/]", *shown[1:]]))
        return
    for row in rows:
        cells = [(title, cell) for title, cell in zip(titles, row, strict=True) if cell]
        short = [f"{title}{cell}" if title.endswith(" ") else cell for title, cell in cells if title[:1] != " "]
        if cells[0][0] == "plan":
            console.print(short.pop(0), style="bold")
        console.print("  ".join(["", *short]), soft_wrap=False)
        for text in (cell for title, cell in cells if title[:1] == " "):
            lines = wrap(Text.from_markup(text).plain, max(20, console.width - 4), break_long_words=False)
            console.print(Text("\n".join(f"    {line}" for line in lines)))
