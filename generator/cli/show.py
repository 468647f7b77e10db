"""`planbook show`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.console import escaped, make_console, print_json, show_bar, show_problems, show_rows, state_label
from generator.cli.project import JSON, NO_PLAN, PATHS, ROOT, named_plans, project_library, project_settings
from generator.model import Plan, PlanUri, Problem
from generator.plan.parse import parse_bytes
from generator.views.progress_json import plan_to_json

if TYPE_CHECKING:
    from rich.console import Console


@click.command()
@PATHS
@ROOT
@JSON
def show(paths: tuple[Path, ...], root: Path | None, as_json: bool) -> None:
    """Show plans as Planbook reads them.

    PATHS are plans and folders of plans; by default all of the project's plans.
    """
    settings = project_settings(root, paths)
    named = named_plans(settings, paths)
    # Problems of a plan depend on which pages exist, not on their contents.
    tree = replace(named.tree, pages=dict.fromkeys(named.tree.pages, b""))
    library = project_library(settings, tree, datetime.now(UTC))
    linked = {plan.uri: plan for plan in library.plans}  # without templates
    shown = [
        (
            replace(linked.get(PlanUri(uri)) or parse_bytes(tree.plans[uri], uri)[0], uri=PlanUri(path)),
            [problem for problem in library.problems if problem.uri == uri],
        )
        for path, uri in named.plans.items()
    ]
    if as_json:
        print_json([plan_to_json(plan, problems) for plan, problems in shown])
        return
    console = make_console()
    for plan, problems in shown:
        _show_plan(console, plan, problems)
    if not shown:
        console.print(NO_PLAN)


def _show_plan(console: Console, plan: Plan, problems: Sequence[Problem]) -> None:
    console.print(f"[bold]{escaped(plan.title)}[/]  [dim]{escaped(plan.uri)}[/]")
    for key, value in plan.meta:
        console.print(f"  [dim]{escaped(key)}:[/] {escaped(value)}")
    rows = [
        (
            str(part.number),
            state_label(part.state),
            escaped(", ".join(part.targets) or part.title),
            str(part.lines_budget or "–"),
            str(len(part.queries)),
            str(len(part.sections)),
            escaped(part.completed or ""),
        )
        for part in plan.parts
    ]
    show_rows(console, ("PART ", "state", " page", "lines ", "queries ", "sections ", " completed"), rows)
    show_bar(console, Counter(part.state for part in plan.parts))
    show_problems(console, problems)
    console.print()
