"""`planbook status --watch`: who works on what, since when, how often a page was refused, and what is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import store
from planbook.cli import project, terminal
from planbook.cli.terminal import STATE_COLOURS, escaped
from planbook.library import link_tree

if TYPE_CHECKING:
    from rich.table import Table

    from planbook.research.expand.activity import PartActivity


def watch_parts(settings: store.Settings, paths: Sequence[Path], pause_s: float) -> None:
    """Show the PARTs until none is left, or the user stops; `pause_s` are the seconds between two looks."""
    try:
        if sys.stdout.isatty():
            _show_block(settings, paths, pause_s)
        else:
            _print_events(settings, paths, pause_s)
    except KeyboardInterrupt:
        click.echo("Stopped watching. The runners go on.", err=True)


def _read(settings: store.Settings, paths: Sequence[Path]) -> tuple[PartActivity, ...]:
    """Return the PARTs of the named plans as they are now."""
    from planbook.research.expand.activity import read_activity

    named = project.named_files(settings, paths, only_plans=True)
    library = project.project_library(settings, named.tree)
    library = library if named.uris is None else library.narrowed(named.uris)
    return read_activity(settings, library, datetime.now(UTC))


def plan_activity(settings: store.Settings, plan: str) -> dict[str, Any]:
    """Return the PARTs of one plan as JSON data: their states, who works on them, and a line on all of them."""
    from planbook.research.evidence.selection import find_plan
    from planbook.research.expand.activity import activity_line, activity_to_json, read_activity

    library = link_tree(store.read_tree(settings), project.cached_calls(settings))
    narrowed = library.narrowed(frozenset({find_plan(library, plan).uri}))
    parts = read_activity(settings, narrowed, datetime.now(UTC))
    return {"summary": activity_line(parts), "parts": [activity_to_json(part) for part in parts]}


def _print_events(settings: store.Settings, paths: Sequence[Path], pause_s: float) -> None:
    """Print what is the case, then a line for each event."""
    from planbook.research.expand.activity import activity_changes, activity_line

    parts = _read(settings, paths)
    for part in parts:
        if part.lease is not None:
            _print_line(f"{part.name}: claimed by {part.lease.name} since {part.lease.since}")
    _print_line(activity_line(parts))
    while any(part.is_left for part in parts):
        time.sleep(pause_s)
        before, parts = parts, _read(settings, paths)
        events = [*activity_changes(before, parts)]
        for event in [*events, activity_line(parts)] if events else ():
            _print_line(event)


def _print_line(line: str) -> None:
    """Print a line with the time, at once."""
    click.echo(f"{datetime.now(UTC):%H:%M:%S} {line}")
    sys.stdout.flush()


def _show_block(settings: store.Settings, paths: Sequence[Path], pause_s: float) -> None:
    """Show a block in a terminal that is drawn again in its place."""
    from rich.live import Live

    parts = _read(settings, paths)
    with Live(_block(parts), console=terminal.make_console(), auto_refresh=False) as live:
        while any(part.is_left for part in parts):
            time.sleep(pause_s)
            parts = _read(settings, paths)
            live.update(_block(parts), refresh=True)


def _block(parts: Sequence[PartActivity]) -> Table:
    """Return the PARTs as a table, with what is left below."""
    from rich.table import Table

    from planbook.research.expand.activity import activity_line

    table = Table(box=None, caption=escaped(activity_line(parts)), caption_justify="left", pad_edge=False)
    for title in ("PART", "state", "runner", "since (UTC)", "tries", "page"):
        table.add_column(title, justify="right" if title == "tries" else "left", overflow="fold")
    for part in parts:
        state = f"[{STATE_COLOURS[part.state]}]{part.state}[/]"
        if part.outcome == "failed" and not part.lease:
            state = "[red]given up[/]"
        runner, since = (part.lease.name, part.lease.since[11:16]) if part.lease else ("", "")
        tries = str(part.tries) if part.tries else ""
        table.add_row(escaped(part.name), state, escaped(runner), since, tries, escaped(", ".join(part.pages)))
    return table
