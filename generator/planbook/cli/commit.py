"""`planbook commit`: commit the pages that `planbook finish --no-commit` accepted."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook.cli import parameters, project
from planbook.cli.live import show_events
from planbook.cli.run_report import show_untracked

if TYPE_CHECKING:
    from planbook.store import Settings


@click.command()
@parameters.ROOT
@project.needs_extra("research")
def commit(root: Path | None) -> None:
    """Commit all pages that `planbook finish --no-commit` accepted, with their drops, plans,
    INDEX.md and SKILL.md.

    A page that was changed since it was accepted is left out and named; then it exits with 1.
    """  # noqa: D205 - click prints the first paragraph, which is longer than a line
    from planbook.research.submission.joint_commit import commit_records

    config, _ = project.run_config(root, "planbook commit", "Finish", no_commit=False)
    summary = commit_records(replace(config, commit=True, watch=show_events(), waits=True))
    for trouble in summary.troubles:
        click.echo(trouble, err=True)
    show_untracked(config)
    sys.exit(project.EXIT_ATTENTION if summary.troubles else project.EXIT_OK)


def commit_accepted(settings: Settings) -> dict[str, Any]:
    """Commit all accepted pages, and return what was committed as JSON data."""
    from planbook.research.submission.joint_commit import commit_records, describe_untracked

    config, _ = project.run_config(settings.root, "planbook commit", "Finish", no_commit=False)
    summary = commit_records(replace(config, commit=True, waits=True))
    written_records = [record for record in summary.records if record.content is not None]
    given_up = [record for record in summary.records if record.content is None]
    return {
        "commit": summary.commit,
        "pages": [f"{config.docs}/{record.page}" for record in written_records],
        "given_up": [{"part": record.number, "drop": record.drop} for record in given_up],
        "troubles": list(summary.troubles),
        "untracked": describe_untracked(config),
    }
