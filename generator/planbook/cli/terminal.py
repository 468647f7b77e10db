"""Output to terminals and pipes: colours, width, tables, and progress."""

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
_PAUSE_S = 0.1
"""Seconds between two updates of a progress line."""
_CLEAR_LINE = "\r\x1b[K"
"""Moves the cursor to the start of its line, and clears that."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters except tab and line feed; some begin sequences that terminals obey."""


def make_console(*, stderr: bool = False) -> Console:
    """Return a console on standard output or standard error."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # Piped output is for programs: never wrap or truncate it.
    width = None if stream.isatty() else PIPE_WIDTH
    make = partial(
        Console, stderr=stderr, highlight=False, emoji=False, width=width, soft_wrap=True
    )
    if os.environ.get("NO_COLOR"):
        return make(color_system=None)  # by itself, rich would still print bold text
    return make()


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))


@contextmanager
def progress_line(pipe_pause_s: float | None = None) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a command's progress on standard error.

    A terminal gets one line, which is replaced.

    Args:
        pipe_pause_s: seconds between two lines on anything else, and before the first one; without
            it, nothing is shown there.
    """
    is_replaced = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    is_shown = is_replaced or pipe_pause_s is not None
    pause_s = _PAUSE_S if is_replaced else pipe_pause_s or 0.0
    next_s = 0.0 if is_replaced else time.monotonic() + pause_s

    def show(text: str) -> None:
        """Print the text, not more often than a reader needs."""
        nonlocal next_s
        if is_shown and time.monotonic() >= next_s:
            next_s = time.monotonic() + pause_s
            start = _CLEAR_LINE if is_replaced else ""
            click.echo(f"{start}{text}", err=True, nl=not is_replaced)

    try:
        yield show
    finally:
        if is_replaced:
            click.echo(_CLEAR_LINE, err=True, nl=False)


def print_aside(text: str) -> None:
    """Print a line on standard error, in place of a line of progress, which follows anew."""
    start = _CLEAR_LINE if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else ""
    plain = _CONTROLS.sub("\ufffd", text)
    click.echo(f"{start}{plain}", err=True)


def escape_output(text: str) -> str:
    """Return `text` escaped for literal output: no markup, no terminal control sequences."""
    from rich.markup import escape

    return escape(_CONTROLS.sub("\ufffd", text))


def show_rows(console: Console, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; on a console that is too narrow, each row as lines.

    Args:
        console: where to print.
        titles: the titles of the columns. Those of numbers end with a space, and are aligned to the
            right; those of long texts start with one.
        rows: the cells, as markup.
    """
    heads = [title.strip() for title in titles]
    widths = [[_columns_of(cell) for cell in row] for row in (heads, *rows)]
    most = [max(column) for column in zip(*widths, strict=True)]
    if sum(most) + 2 * len(most) > console.width:
        for row in rows:
            _show_as_lines(console, titles, row)
        return
    lines = []
    for row, width in zip((heads, *rows), widths, strict=True):
        cells = []
        for title, cell, column_width, wanted in zip(titles, row, width, most, strict=True):
            pad = " " * (wanted - column_width)
            cells.append(f"{pad}{cell}" if title.endswith(" ") else f"{cell}{pad}")
        lines.append("  ".join(cells).rstrip())
    head, *later_lines = lines
    console.print("\n".join([f"[dim]{head}[/]", *later_lines]))


def _columns_of(cell: str) -> int:
    """Return the columns that a cell takes; its markup takes none."""
    from rich.cells import cell_len
    from rich.text import Text

    return cell_len(Text.from_markup(cell).plain if "[" in cell else cell)


def _show_as_lines(console: Console, titles: Sequence[str], row: Sequence[str]) -> None:
    """Print a row as lines: the plan in bold, the short cells, and each long text below them."""
    from rich.text import Text

    cells = [(title, cell) for title, cell in zip(titles, row, strict=True) if cell]
    short = []
    for title, cell in cells:
        if not title.startswith(" "):
            # A number says nothing without its title: "PART 3".
            short.append(f"{title}{cell}" if title.endswith(" ") else cell)
    first_title, _ = cells[0]
    if first_title == "plan":
        console.print(short.pop(0), style="bold")
    console.print("  ".join(["", *short]), soft_wrap=False)
    for title, cell in cells:
        if title.startswith(" "):
            text = Text.from_markup(cell).plain
            lines = wrap(text, max(20, console.width - 4), break_long_words=False)
            console.print(Text("\n".join(f"    {line}" for line in lines)))
