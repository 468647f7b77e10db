"""Terminal output: colours, width, and removal of control characters from text."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from generator.model import Problem, State
from generator.problems import Severity, severity
from generator.views.template import LABELS

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {
    State.DONE: ("█", "green"),
    State.PARTIAL: ("▒", "yellow"),
    State.OPEN: ("·", "cyan"),
    State.UNMARKED: ("?", "magenta"),
    State.SKIPPED: ("-", "blue"),
    State.DISABLED: ("x", "bright_black"),
}
"""The sign of each state in a bar, which tells the states apart without colours, and its colour."""
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
    return Console(stderr=stderr, highlight=False, emoji=False, width=width, soft_wrap=True)


def print_json(value: object) -> None:
    """Print a value as JSON, for programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))


def state_label(state: State) -> str:
    """Return the name of a state in its colour, as markup."""
    return f"[{_STYLES[state][1]}]{LABELS[state]}[/]"


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a command's progress on standard error, if that is a terminal."""
    is_terminal, next_s = sys.stderr.isatty(), 0.0

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
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for title in titles:
        grid.add_column(title.strip(), justify="right" if title.endswith(" ") else "left", no_wrap=True)
    for row in rows:
        grid.add_row(*row)
    if grid.__rich_measure__(console, console.options.update(max_width=PIPE_WIDTH)).maximum <= console.width:
        console.print(grid)
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


def show_bar(console: Console, counts: Counter[State]) -> None:
    """Print a bar of PARTs by state, with a legend."""
    from rich.text import Text

    total = sum(counts.values())
    if not total:
        return
    bar, legend, width = Text("  "), Text("  "), min(60, max(10, console.width - 20))
    for state, (sign, colour) in _STYLES.items():
        if counts[state]:
            bar.append(sign * max(1, round(width * counts[state] / total)), style=colour)
            legend.append(f"{sign} ", style=colour).append(f"{counts[state]} {LABELS[state]}   ")
    console.print(bar, legend, sep="\n", soft_wrap=False)


def show_problems(console: Console, problems: Sequence[Problem]) -> None:
    """A line each."""
    for problem in problems:
        colour = SEVERITY_COLOURS[severity(problem.code)]
        line = f"  [{colour}]{problem.code}[/] line {problem.line}: {escaped(problem.message)}"
        console.print(line, soft_wrap=False)
