"""`planbook show`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.console import COLOURS, escaped, make_console, show_bar, show_problems, show_rows
from generator.cli.project import JSON, NO_PLAN, PATHS, ROOT, named_plans, project_library, project_settings
from generator.model import Grep, Part, Plan, PlanUri, Problem
from generator.plan.parse import parse_bytes
from generator.views.labels import LABELS, count
from generator.views.progress_json import plan_to_json

if TYPE_CHECKING:
    from rich.console import Console


@click.command()
@PATHS
@ROOT
@click.option("--part", "number", type=int, help="Show only the PARTs with this number, whole.")
@JSON
def show(paths: tuple[Path, ...], root: Path | None, number: int | None, as_json: bool) -> None:
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
        plans = [plan_to_json(plan, problems) for plan, problems in shown]
        if number is not None:
            plans = [{**plan, "parts": [p for p in plan["parts"] if p["number"] == number]} for plan in plans]
        click.echo(json.dumps(plans, ensure_ascii=False, indent=1))
        return
    console = make_console()
    for plan, problems in shown:
        _show_plan(console, plan, problems, number)
    if not shown:
        console.print(NO_PLAN)


def _show_plan(console: Console, plan: Plan, problems: Sequence[Problem], number: int | None) -> None:
    console.print(f"[bold]{escaped(plan.title)}[/]  [dim]{escaped(plan.uri)}[/]")
    for key, value in plan.meta:
        console.print(f"  [dim]{escaped(key)}:[/] {escaped(value)}", soft_wrap=True)
    if number is not None:
        chosen = [part for part in plan.parts if part.number == number]
        for part in chosen:
            _show_part(console, part)
        if not chosen:
            console.print(f"  no PART {number} in this plan")
        return
    rows = [
        (
            str(part.number),
            f"[{COLOURS[part.state]}]{LABELS[part.state]}[/]",
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


def _show_part(console: Console, part: Part) -> None:
    console.print(f"\n[bold]PART {part.number}: {escaped(part.title)}[/]")
    console.print(
        f"  [{COLOURS[part.state]}]{LABELS[part.state]}[/] {escaped(part.completed or '')} "
        f"{escaped(', '.join(part.targets))}",
        soft_wrap=True,
    )
    console.print(f"  {part.lines_budget or 'no'} lines; drop {escaped(part.drop or '–')}", soft_wrap=True)
    for title, texts in (
        ("Reads", [read.path for read in part.reads]),
        ("Looks for", [_grep(grep) for grep in part.greps]),
        ("Queries", [f"{query.engine}: {query.text}" for query in part.queries]),
        ("Points", part.points),
        ("Sources wanted", part.sources),
        (
            "Sections",
            [f"{s.title} ({s.lines_budget or 'no'} lines, {count(len(s.points), 'point')})" for s in part.sections],
        ),
    ):
        if texts:
            console.print(f"  [dim]{title}[/]")
        for text in texts:
            console.print(f"    - {escaped(text)}", soft_wrap=True)


def _grep(grep: Grep) -> str:
    terms = f" {grep.operator} ".join(grep.terms) if grep.operator else ", ".join(grep.terms)
    return f"{terms} in {', '.join(grep.folders) or 'the base'}"
