"""`planbook finish`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from generator.cli.console import escaped, make_console
from generator.cli.project import BRANCH, FOUND, NO_COMMIT, OK, ROOT, needs_extra, run_config
from generator.cli.reading import SourceOptions, read_claimed, source_options
from generator.problems import is_blocking, requirement

if TYPE_CHECKING:
    from rich.console import Console

    from generator.expand.submit import SubmitResult


@click.command()
@click.argument("plan")
@click.argument("part", type=int)
@source_options
@NO_COMMIT
@BRANCH
@click.option("--runner", default="by hand", show_default=True, help="The submitter's name, for the drop.")
@ROOT
@needs_extra("research")
def finish(
    *,
    plan: str,
    part: int,
    no_commit: bool,
    branch: str | None,
    runner: str,
    root: Path | None,
    **sources: Unpack[SourceOptions],
) -> None:
    """Submit a page that a person or another program wrote.

    PLAN is a plan's path, slug or file name; PART is a number. The page must be at the path that `planbook brief`
    prints. It is checked against its sources. If it passes, its drop is written, the PART is marked, and everything is
    committed. Exits with 1 if a check fails; then nothing is written.
    """
    from generator.cli.run_output import Live
    from generator.expand.context import open_judge
    from generator.expand.submit import submit

    config, _ = run_config(root, "planbook finish", "Finish", no_commit=no_commit, branch=branch)
    config = replace(config, watch=Live().watch)
    read = partial(read_claimed, config.settings, options=sources, may_be_old=True)
    with open_judge(config.settings, os.environ, is_offline=sources["offline"]) as judge:
        result = submit(config, plan, part, read, author=runner, judge=judge)
    _show(make_console(), result, config.docs)
    sys.exit(OK if result.is_accepted and not result.summary.troubles else FOUND)


def _show(console: Console, result: SubmitResult, docs: str) -> None:
    """Print a line for each finding, and the files that were written."""
    for page in result.pages:
        for finding in sorted(page.findings, key=is_blocking):  # failures last, where the reader looks
            kind = "[red]failure[/]" if is_blocking(finding) else "[blue]note[/]"
            place = f"{docs}/{page.job.brief.page}:{finding.line}"
            console.print(
                f"{escaped(place)}: {kind} {escaped(finding.message)} [dim]{finding.code} {requirement(finding)}[/]"
            )
    for trouble in result.summary.troubles:
        console.print(f"[red]{escaped(trouble)}[/]")
    if not result.is_accepted:
        console.print("Not finished: fix the failures and run `planbook finish` again. Nothing was written.")
    for record in result.summary.records:
        console.print(f"{docs}/{escaped(record.page)} is accepted; its drop is {escaped(record.drop)}")
