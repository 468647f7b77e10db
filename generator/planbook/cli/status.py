"""`planbook status`: what plans claim next to what is on disk."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbook import store
from planbook.cli import parameters, project, terminal
from planbook.cli.terminal import STATE_COLOURS, escaped
from planbook.library import Library
from planbook.markdown import plain_text
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

    PATHS are plans and folders of plans; by default all of the project's plans. With --watch, a terminal shows the
    PARTs that are in work or left, and a pipe gets a line for each event.
    """
    settings = project.project_settings(root, paths)
    if watch:
        from planbook.cli.watch import watch_parts

        watch_parts(settings, paths, PAUSE_S)
        return
    named = project.named_files(settings, paths, only_plans=True)
    library = project.project_library(settings, named.tree)
    for problem in named.tree.unread:
        click.echo(f"{problem.uri}:{problem.line}: {problem.code} {problem.message}", err=True)
    if named.uris is not None:
        library = library.narrowed(named.uris)
    if as_json:
        terminal.print_json(progress_to_json(library, project.valid_checks(settings, named.tree, library.page_by_uri)))
        return
    console = terminal.make_console()
    if not library.plans:
        console.print(project.NO_PLAN)
        return
    _show_status(console, library)
    _show_claims(console, settings, library)
    if library.plan_problems:
        found = plain_text.count(len(library.plan_problems), "problem")
        where = ["--root", str(root)] if root else []
        plans = paths or [Path(os.path.relpath(settings.root / folder)) for folder in settings.plan_folders]
        console.print(f"{found}: {shlex.join(['planbook', 'check', *where, *map(str, plans)])}", style="dim")


def _show_status(console: Console, library: Library) -> None:
    rows = []
    for plan in library.plans:
        for n, part in enumerate(plan.parts):
            for entry in library.of(plan, part) or (None,):
                verdict = " [red]≠ disk[/]" if entry and entry.is_amiss else ""
                page = entry.page if entry else None
                unwritten = "[dim]not written[/]" if entry or not part.is_group else "[dim]no page[/]"
                lines = template.against_budget(page.lines, part.lines_budget) if page else unwritten
                kind = " [yellow]collected[/]" if entry and entry.is_collected else ""
                state = f"[{STATE_COLOURS[part.state]}]{part.state}[/]{kind}{verdict}"
                plan_name = escaped(plan.slug) if n == 0 else ""
                rows.append((plan_name, str(part.number), state, escaped(entry.uri if entry else part.title), lines))
    terminal.show_rows(console, ("plan", "PART ", "state", " page", "lines"), rows)
    total = plain_text.count(len(library.counted_parts), "PART")
    states = [(library.counts[state], state) for state in template.MEANINGS if library.counts[state]]
    marked = ", ".join(f"{number} {state}" for number, state in states) or "none"
    console.print(f"{library.written_parts} of {total} have a page. Marked: {marked}.")
    if library.collected:
        pages = plain_text.count(library.collected, "page")
        consists = "consists" if library.collected == 1 else "consist"
        what = f"{pages} {consists} of collected passages, which nobody has written up"
        console.print(f"{what}: planbook expand --rewrite collected", style="dim")


def _show_claims(console: Console, settings: store.Settings, library: Library) -> None:
    """Print who works on which PART, since when, and how often a page was refused."""
    from planbook.research.claims import LeaseBook

    slugs = {plan.slug for plan in library.plans}
    for lease in LeaseBook(settings.root).current(datetime.now(UTC)).values():
        if lease.plan in slugs:
            console.print(escaped(f"{lease.plan} PART {lease.part}: {lease}, since {lease.since}"))
