"""`planbook commit`: commit the pages that `planbook finish --no-commit` accepted."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from planbook.cli import project
from planbook.cli.live import show_events


@click.command()
@project.ROOT
@project.needs_extra("research")
def commit(root: Path | None) -> None:
    """Commit all pages that `planbook finish --no-commit` accepted, with their drops, plans, INDEX.md and SKILL.md.

    A page that was changed since it was accepted is left out and named; then it exits with 1.
    """
    from planbook.research.expand.commit import commit_records

    config, _ = project.run_config(root, "planbook commit", "Finish", no_commit=False)
    summary = commit_records(replace(config, commit=True, watch=show_events(), waits=True))
    for trouble in summary.troubles:
        click.echo(trouble, err=True)
    sys.exit(project.FOUND if summary.troubles else project.OK)
