"""`planbook show`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from generator.cli.console import print_json
from generator.cli.project import PATHS, ROOT, named_plans, project_library, project_settings
from generator.model import PlanUri
from generator.plan.parse import parse_bytes
from generator.views.progress import plan_to_json


@click.command()
@PATHS
@ROOT
@click.option("--json", is_flag=True, expose_value=False, hidden=True)
def show(paths: tuple[Path, ...], root: Path | None) -> None:
    """Print plans as JSON, as Planbook reads them.

    PATHS are plans and folders of plans; by default all of the project's plans. `planbook status` shows them to people.
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
    print_json([plan_to_json(plan, problems) for plan, problems in shown])
