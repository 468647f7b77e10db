"""`planbook show`: plans as JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from planbook.cli import parameters, project, terminal
from planbook.model import PlanUri
from planbook.plan.parse import parse_bytes
from planbook.views.progress import plan_to_json


@click.command()
@parameters.PATHS
@parameters.ROOT
@click.option("--format", type=click.Choice(["json"]), default="json", expose_value=False, help="Output format.")
def show(paths: tuple[Path, ...], root: Path | None) -> None:
    """Print plans as JSON, as Planbook reads them.

    PATHS are plans and folders of plans; by default all of the project's plans. `planbook status` shows them to people.
    """
    settings = project.project_settings(root, paths)
    named = project.named_files(settings, paths, only_plans=True)
    # Problems of a plan depend on which pages exist, not on their contents.
    tree = replace(named.tree, pages=dict.fromkeys(named.tree.pages, b""))
    library = project.project_library(settings, tree)
    linked = {plan.uri: plan for plan in library.plans}  # without templates
    uris = [PlanUri(uri) for uri in tree.plans if named.uris is None or uri in named.uris]
    plans = [linked.get(uri) or parse_bytes(tree.plans[uri], uri)[0] for uri in uris]
    terminal.print_json([plan_to_json(plan, library.problems_by_uri.get(plan.uri, ())) for plan in plans])
