"""`planbook status --watch`: who works on what, since when, and what is left.

How often a page was refused is shown, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import store
from planbook.cli import project, targets, terminal
from planbook.cli.terminal import STATE_COLOURS, escape_output
from planbook.library import link_tree

MAX_IDLE_S = 60.0
"""Seconds without a claim after which a pipe gets no more events."""
NOBODY = "nobody is at work (`planbook claim PLAN N --as NAME` begins)"

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

    from planbook.research.submission.activity import PartActivity


def watch_parts(settings: store.Settings, paths: Sequence[Path], pause_s: float) -> None:
    """Show the PARTs until none is left, or the user stops.

    `pause_s` are the seconds between two looks.
    """
    try:
        if sys.stdout.isatty():
            _show_table(settings, paths, pause_s)
        else:
            _print_events(settings, paths, pause_s)
    except KeyboardInterrupt:
        click.echo("Stopped watching. The runners go on.", err=True)


def _read_parts(settings: store.Settings, paths: Sequence[Path]) -> tuple[PartActivity, ...]:
    """Return the PARTs of the named plans as they are now."""
    from planbook.research.submission.activity import read_activity

    selection = targets.named_files(settings, paths, only_plans=True)
    library = project.project_library(settings, selection.tree)
    if selection.uris is not None:
        library = library.narrowed(selection.uris)
    return read_activity(settings, library, datetime.now(UTC))


def plan_activity(settings: store.Settings, plan: str) -> dict[str, Any]:
    """Return the PARTs of one plan as JSON data.

    It has their states, who works on them, and a line on all of them.
    """
    from planbook.research.selection import find_plan
    from planbook.research.submission.activity import (
        activity_to_json,
        describe_activity,
        read_activity,
    )

    library = link_tree(store.read_tree(settings), project.open_cache(settings))
    narrowed = library.narrowed(frozenset({find_plan(library, plan).uri}))
    parts = read_activity(settings, narrowed, datetime.now(UTC))
    return {
        "summary": describe_activity(parts),
        "parts": [activity_to_json(part) for part in parts],
    }


def _print_events(settings: store.Settings, paths: Sequence[Path], pause_s: float) -> None:
    """Print what is the case, then a line for each event, until nobody is at work.

    A program that reads this cannot see that nothing will happen. Between two claims it waits.
    """
    from planbook.research.submission.activity import describe_activity, describe_activity_changes

    parts = _read_parts(settings, paths)
    for part in parts:
        if part.lease is not None:
            _print_line(f"{part.name}: claimed by {part.lease.runner} since {part.lease.since}")
    _print_line(describe_activity(parts))
    idle_since = time.monotonic() - MAX_IDLE_S
    while any(part.is_left for part in parts):
        if any(part.lease for part in parts):
            idle_since = time.monotonic()
        elif time.monotonic() - idle_since >= MAX_IDLE_S:
            _print_line(f"{NOBODY}; run this again when runners have claimed PARTs")
            return
        time.sleep(pause_s)
        last_parts = parts
        parts = _read_parts(settings, paths)
        events = list(describe_activity_changes(last_parts, parts))
        for event in events:
            _print_line(event)
        if events:
            _print_line(describe_activity(parts))


def _print_line(line: str) -> None:
    """Print a line with the time, at once."""
    click.echo(f"{datetime.now(UTC):%H:%M:%S} {line}")
    sys.stdout.flush()


def _show_table(settings: store.Settings, paths: Sequence[Path], pause_s: float) -> None:
    """Show a table in a terminal that is drawn again in its place."""
    from rich.live import Live

    parts = _read_parts(settings, paths)
    with Live(_parts_table(parts), console=terminal.make_console(), auto_refresh=False) as live:
        while any(part.is_left for part in parts):
            time.sleep(pause_s)
            parts = _read_parts(settings, paths)
            live.update(_parts_table(parts), refresh=True)


def _waiting_line(parts: Sequence[PartActivity]) -> str:
    """Return what a watcher in a terminal waits for; empty if nothing is left."""
    if not any(part.is_left for part in parts):
        return ""
    is_idle = not any(part.lease for part in parts)
    waiting = f"{NOBODY}; waiting for claims" if is_idle else "waiting for the runners"
    return f"{waiting}; Ctrl-C ends this, not them"


def _parts_table(parts: Sequence[PartActivity]) -> Table:
    """Return the PARTs as a table, with what is left below."""
    from rich.table import Table

    from planbook.research.submission.activity import describe_activity

    caption = escape_output(f"{describe_activity(parts)}\n{_waiting_line(parts)}".rstrip())
    table = Table(box=None, caption=caption, caption_justify="left", pad_edge=False)
    for title in ("PART", "state", "runner", "since (UTC)", "tries", "page"):
        justify: JustifyMethod = "right" if title == "tries" else "left"
        table.add_column(title, justify=justify, overflow="fold")
    for part in parts:
        state = f"[{STATE_COLOURS[part.state]}]{part.state}[/]"
        if part.outcome == "failed" and not part.lease:
            state = "[red]given up[/]"
        runner = since = ""
        if part.lease:
            runner = part.lease.runner
            since = part.lease.since[11:16]  # the time of 2026-11-20T10:05:00Z
        tries = str(part.tries) if part.tries else ""
        pages = ", ".join(part.pages)
        table.add_row(
            escape_output(part.name),
            state,
            escape_output(runner),
            since,
            tries,
            escape_output(pages),
        )
    return table
