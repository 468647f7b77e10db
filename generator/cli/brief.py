"""`planbook brief`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from generator.cli.project import ROOT, project_settings
from generator.library import link_tree
from generator.store import read_tree


@click.command()
@click.argument("plan")
@click.argument("part", type=int)
@ROOT
def brief(plan: str, part: int, root: Path | None) -> None:
    """Print the brief of a PART: what its page must cover, and the rules it must meet.

    PLAN is a plan's path, slug or file name; PART is a number. Once the page is written, submit it with `planbook
    finish`.
    """
    from generator.expand.briefs import briefs_of
    from generator.research.brief import render_brief

    settings = project_settings(root)
    tree = read_tree(settings)
    briefs = briefs_of(link_tree(tree), tree.pages, plan, part, datetime.now(UTC))
    click.echo("\n---\n\n".join(render_brief(one, settings.docs_dir.strip("/")) for one in briefs), nl=False)
