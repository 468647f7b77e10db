"""`planbook new`: a plan to fill in."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from importlib.resources import files as resources
from pathlib import Path

import click

from planbook.cli import parameters, project
from planbook.cli.starter_files import place_in_project, title_of
from planbook.store import (
    write_atomic,
)

_FRAMES = {"people": "new.md", "runners": "runners.md"}
"""The starter file for each author of a plan."""
_FILL_IN = {
    "people": "replace the words in <angle brackets>, then run `planbook check`",
    "runners": "let your coding agent fill it in as its first lines say, then work through it",
}
"""The next step after a plan's frame is written."""


@click.command()
@click.argument("subject")
@click.option(
    "--for",
    "author",
    type=click.Choice(["people", "runners"]),
    default="people",
    help="Who fills the plan in.",
)
@parameters.ROOT
def new(subject: str, author: str, root: Path | None) -> None:
    """Write a plan to fill in: title, pages, searches, outlines and budgets.

    SUBJECT is a few words such as `rye bread`. The plan is plans/rye-bread.md, and its pages are in
    rye-bread/. With --for runners, it begins with instructions for the coding agent that fills it
    in.
    """
    settings = project.project_settings(root)
    slug = re.sub(r"[\W_]+", "-", subject).strip("-").lower()
    plan_path = place_in_project(settings, f"plans/{slug}.md")
    path = settings.root / plan_path
    if not slug:
        raise click.UsageError(f"{subject!r} has no letter or digit; name the subject")
    if os.path.lexists(path):
        raise click.ClickException(f"{plan_path} exists; choose another name")
    frame = resources("planbook.cli") / "starter" / _FRAMES[author]
    text = frame.read_text(encoding="utf-8")
    text = text.replace("SLUG", slug)
    text = text.replace("TITLE", title_of(subject))
    text = text.replace("DAY", f"{datetime.now(UTC).date()}")
    write_atomic(path, text.encode("utf-8"))
    click.echo(f"{plan_path}: written; {_FILL_IN[author]}")
