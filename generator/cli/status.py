"""`planbook status`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.console import escaped, make_console, print_json, show_bar, show_rows, state_label
from generator.cli.project import (
    JSON,
    NO_PLAN,
    PATHS,
    ROOT,
    named_plans,
    project_library,
    project_settings,
    valid_checks,
)
from generator.library import Library
from generator.markdown.plain_text import count
from generator.model import State
from generator.store import Settings
from generator.views.progress import progress_to_json
from generator.views.template import against_budget

if TYPE_CHECKING:
    from rich.console import Console


@click.command()
@PATHS
@ROOT
@JSON
def status(paths: tuple[Path, ...], root: Path | None, as_json: bool) -> None:
    """Show progress: what the plans claim next to what is on disk.

    PATHS are plans and folders of plans; by default all of the project's plans.
    """
    settings = project_settings(root, paths)
    named = named_plans(settings, paths)
    library = project_library(settings, named.tree, datetime.now(UTC))
    if named.uris is not None:
        library = library.narrowed(named.uris)
    if as_json:
        print_json(progress_to_json(library, valid_checks(settings, named.tree, library.page_by_uri)))
        return
    console = make_console()
    if not library.plans:
        console.print(NO_PLAN)
        return
    _show_status(console, library)
    if library.plan_problems:
        found = count(len(library.plan_problems), "problem")
        console.print(f"{found}: {_check_line(settings, paths, root)}", style="dim")


def _check_line(settings: Settings, paths: Sequence[Path], root: Path | None) -> str:
    """Return the command that lists the Problems of the plans at `paths`, or of all plans."""
    where = ["--root", str(root)] if root else []
    plans = paths or [Path(os.path.relpath(settings.root / settings.plans_dir))]
    return shlex.join(["planbook", "check", *where, *map(str, plans)])


def _show_status(console: Console, library: Library) -> None:
    rows = []
    for plan in library.plans:
        for n, part in enumerate(plan.parts):
            for entry in library.of(plan, part) or (None,):
                verdict = " [red]≠ disk[/]" if entry and entry.is_amiss else ""
                page = entry.page if entry else None
                lines = against_budget(page.lines, part.lines_budget) if page else "[dim]not written[/]"
                state = f"{state_label(part.state)}{verdict}"
                plan_name = escaped(plan.slug) if n == 0 else ""
                rows.append((plan_name, str(part.number), state, escaped(entry.uri if entry else part.title), lines))
    show_rows(console, ("plan", "PART ", "state", " page", "lines"), rows)
    show_bar(console, library.counts)
    total = count(len(library.counted_parts), "PART")
    console.print(f"{library.written_parts} of {total} have a page; {library.counts[State.DONE]} marked done.")
