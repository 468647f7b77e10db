"""`planbook show`: plans as JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from planbook.cli import parameters, project, targets, terminal
from planbook.model import PlanUri
from planbook.plan.as_json import plan_to_json
from planbook.plan.parse import parse_bytes


@click.command()
@parameters.PATHS
@parameters.ROOT
@click.option(
    "--format",
    type=click.Choice(["json"]),
    default="json",
    expose_value=False,
    help="Output format.",
)
def show(paths: tuple[Path, ...], root: Path | None) -> None:
    """Print plans as JSON, as Planbook reads them.

    PATHS are plans, by path or slug, and folders of plans; by default all of the project's plans.
    `planbook status` shows them to people.
    """
    settings = project.project_settings(root, paths)
    selection = targets.named_files(settings, paths, only_plans=True)
    # Problems of a plan depend on which pages exist, not on their contents.
    tree = replace(selection.tree, pages=dict.fromkeys(selection.tree.pages, b""))
    library = project.project_library(settings, tree)
    linked = {plan.uri: plan for plan in library.plans}
    rows = []
    for uri in map(PlanUri, tree.plans):
        if selection.uris is not None and uri not in selection.uris:
            continue
        plan = linked.get(uri)
        if plan is None:  # a template: no base has its pages
            plan, _ = parse_bytes(tree.plans[uri], uri)
        rows.append(plan_to_json(plan, library.problems_by_uri.get(plan.uri, ())))
    terminal.print_json(rows)
