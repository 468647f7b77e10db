"""`planbook status`: what plans claim next to what is on disk."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbook import store
from planbook.cli import parameters, project, targets, terminal
from planbook.cli.terminal import STATE_COLOURS, escape_output
from planbook.library import Entry, Library
from planbook.library.acceptances import describe_changed, find_changed
from planbook.markdown import plain_text
from planbook.model import Part
from planbook.views import template
from planbook.views.progress import progress_to_json

if TYPE_CHECKING:
    from rich.console import Console

PAUSE_S = 1.0
"""Seconds between two looks of `status --watch`."""


@click.command()
@parameters.PATHS
@click.option("--watch", is_flag=True, help="Show who works on what, until no PART is left.")
@parameters.ROOT
@parameters.JSON
def status(paths: tuple[Path, ...], watch: bool, root: Path | None, as_json: bool) -> None:
    """Show progress: what the plans claim next to what is on disk.

    PATHS are plans, by path or slug, and folders of plans; by default all of the project's plans.
    With --watch, a terminal shows the PARTs that are in work or left until Ctrl-C. A pipe gets a
    line for each event, until nobody is at work.
    """
    settings = project.project_settings(root, paths)
    if watch:
        from planbook.cli.watch import watch_parts

        watch_parts(settings, paths, PAUSE_S)
        return
    selection = targets.named_files(settings, paths, only_plans=True)
    library = project.project_library(settings, selection.tree)
    for problem in selection.tree.unread:
        click.echo(f"{problem.uri}:{problem.line}: {problem.code} {problem.message}", err=True)
    if selection.uris is not None:
        library = library.narrowed(selection.uris)
    if as_json:
        checks = project.valid_checks(settings, selection.tree, library)
        terminal.print_json(progress_to_json(library, checks))
        return
    console = terminal.make_console()
    if not library.plans:
        console.print(project.NO_PLAN)
        return
    _show_status(console, library)
    _show_claims(console, settings, library)
    changed = [uri for uri, _ in find_changed(library, selection.tree.pages)]
    if changed:
        console.print(escape_output(describe_changed(changed, settings.docs_dir.strip("/"))))
    if library.plan_problems:
        problem_count = plain_text.count(len(library.plan_problems), "problem")
        console.print(f"{problem_count}: {_check_command(settings, root, paths)}", style="dim")


def _check_command(settings: store.Settings, root: Path | None, paths: Sequence[Path]) -> str:
    """Return the command that reports the problems of the plans."""
    plans = paths
    if not plans:
        plans = [Path(os.path.relpath(settings.root / name)) for name in settings.plan_folders]
    where = ["--root", str(root)] if root else []
    return shlex.join(["planbook", "check", *where, *map(str, plans)])


def _show_status(console: Console, library: Library) -> None:
    """Print a row for each page of each PART, and the totals."""
    rows = []
    for plan in library.plans:
        for n, part in enumerate(plan.parts):
            name = escape_output(plan.slug) if n == 0 else ""
            entries = library.entries_of(plan, part) or (None,)
            rows += [(name, *_status_cells(part, entry)) for entry in entries]
    terminal.show_rows(console, ("plan", "PART ", "state", " page", "lines"), rows)
    total = plain_text.count(len(library.counted_parts), "PART")
    marked = [
        f"{library.counts[state]} {state}" for state in template.MEANINGS if library.counts[state]
    ]
    states = ", ".join(marked) or "none"
    verb = "has" if len(library.counted_parts) == 1 else "have"
    console.print(f"{library.written_parts} of {total} {verb} a page. Marked: {states}.")
    if library.collected:
        pages = plain_text.count(library.collected, "page")
        consists = "consists" if library.collected == 1 else "consist"
        collected = f"{pages} {consists} of collected passages, which nobody has written up"
        console.print(f"{collected}: planbook expand --rewrite collected", style="dim")


def _status_cells(part: Part, entry: Entry | None) -> tuple[str, str, str, str]:
    """Return number, state, page and lines of a PART, or of one of its pages, as markup."""
    state = f"[{STATE_COLOURS[part.state]}]{part.state}[/]"
    if entry is None:
        lines = "[dim]no page[/]" if part.is_group else "[dim]not written[/]"
        return str(part.number), state, escape_output(part.title), lines
    if entry.is_collected:
        state += " [yellow]collected[/]"
    if entry.differs:
        state += " [red]≠ disk[/]"
    lines = "[dim]not written[/]"
    if entry.page:
        lines = template.against_budget(entry.page.lines, part.lines_budget)
    return str(part.number), state, escape_output(entry.uri), lines


def _show_claims(console: Console, settings: store.Settings, library: Library) -> None:
    """Print who works on which PART, since when, and how often a page was refused."""
    from planbook.research.leases import LeaseBook

    slugs = {plan.slug for plan in library.plans}
    for lease in LeaseBook(settings.root).current(datetime.now(UTC)).values():
        if lease.plan in slugs:
            console.print(
                escape_output(f"{lease.plan} PART {lease.part}: {lease}, since {lease.since}")
            )
