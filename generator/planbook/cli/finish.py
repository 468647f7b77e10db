"""`planbook finish`: check a page that somebody wrote, and record it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook.cli import parameters, project, submission_json, submission_report, terminal
from planbook.cli.chosen_parts import chosen_part
from planbook.cli.live import show_events
from planbook.cli.run_report import show_untracked
from planbook.cli.terminal import escape_output
from planbook.library import link_tree
from planbook.library.acceptances import accepted_texts, find_changed
from planbook.markdown.plain_text import count
from planbook.store import read_tree

if TYPE_CHECKING:
    from planbook.research.proof.sentences import Judge
    from planbook.research.recording.config import RecordingConfig
    from planbook.research.recording.recorder import RunSummary
    from planbook.research.submission.page_check import ReadCited
    from planbook.research.submission.submit_result import SubmitResult
    from planbook.store import Settings


_MAX_NOTES = 2
"""Lines of a runner in a drop."""


@click.command()
@click.argument(
    "plan", required=False, type=parameters.PLAN_NAME, shell_complete=parameters.complete_plans
)
@click.argument(
    "part",
    required=False,
    type=parameters.PART_NUMBER,
    shell_complete=parameters.complete_parts,
)
@parameters.source_options
@parameters.NO_COMMIT
@click.option(
    "--runner", default="by hand", show_default=True, help="The submitter's name, for the drop."
)
@click.option(
    "--note", "notes", multiple=True, metavar="TEXT", help="A line for the drop, twice at most."
)
@click.option(
    "--failed",
    metavar="REASON",
    help="Give the PART up: leave a drop that says why, and end the claim.",
)
@click.option(
    "--check",
    "is_check",
    is_flag=True,
    help="Check only, and write nothing; without PLAN and PART, all accepted pages.",
)
@click.option(
    "--no-wait",
    is_flag=True,
    help="Fail while another run records its results, instead of waiting.",
)
@parameters.ROOT
@parameters.JSON
@project.needs_extra("research")
def finish(
    *,
    plan: str | None,
    part: int | None,
    no_commit: bool,
    runner: str,
    notes: tuple[str, ...],
    failed: str | None,
    is_check: bool,
    no_wait: bool,
    root: Path | None,
    as_json: bool,
    **sources: Any,
) -> None:
    """Submit a page that a person or another program wrote.

    PLAN is a plan's path, slug or file name; PART is a number. The path of the PART's page may
    stand for both. The page must be at the path that `planbook brief` prints. References to works
    of the brief are completed, and the page is checked against its sources. If it passes, its drop
    is written, the PART is marked, docs/INDEX.md and SKILL.md are updated, and everything is
    committed; an unchanged page is left as it is. Exits with 1 if a check fails: then it lists what
    to change, and nothing is written.

    With --check, nothing is written in either case. `planbook finish --check` checks all pages that
    were accepted before, as they are now: it finds sentences that no longer agree with their
    quotes.
    """
    if len(notes) > _MAX_NOTES:
        lack = "what a reader of the drop should know, and what is missing"
        raise click.UsageError(f"--note may be given twice: {lack}")
    if is_check and failed is not None:
        raise click.UsageError("--check and --failed exclude each other")
    config, _ = project.run_config(root, "planbook finish", "Finish", no_commit=no_commit)
    config = replace(config, watch=show_events(), waits=not no_wait)
    if plan is None and is_check:
        sys.exit(_check_accepted_pages(config, sources, as_json=as_json))
    plan, part = chosen_part(config.settings, plan, part)
    if failed is not None:
        sys.exit(_show_given_up(_give_up(config, plan, part, runner, failed)))
    result = _submit_page(config, plan, part, runner, sources, notes=notes, is_check=is_check)
    if as_json:
        terminal.print_json(submission_json.submission_to_json(result, config.docs))
    else:
        submission_report.show_submission(terminal.make_console(), result, config.docs)
    if result.summary.commit:
        show_untracked(config)
    is_recorded = result.is_accepted and not result.summary.troubles
    sys.exit(project.EXIT_OK if is_recorded else project.EXIT_ATTENTION)


def finish_part(
    settings: Settings,
    plan: str,
    part: int,
    name: str,
    *,
    notes: Sequence[str],
    failed: str,
    is_committed: bool,
    is_check: bool,
) -> dict[str, Any]:
    """Submit the page of a PART, or give it up if it `failed`, and return the result as JSON data.

    Args:
        settings: the project.
        plan: path, slug or file name of the plan.
        part: number of the PART.
        name: the submitter's name.
        notes: lines for the drop.
        failed: why the PART is given up; empty to submit its page.
        is_committed: false if `planbook commit` commits the page later.
        is_check: true to check the page, and write nothing.
    """
    config, _ = project.run_config(
        settings.root, "planbook finish", "Finish", no_commit=not is_committed
    )
    config = replace(config, waits=True)
    if failed:
        summary = _give_up(config, plan, part, name, failed)
        given_up = [{"part": record.number, "drop": record.drop} for record in summary.records]
        troubles = list(summary.troubles)
        return {"is_accepted": False, "given_up": given_up, "troubles": troubles}
    result = _submit_page(config, plan, part, name, {}, notes=notes, is_check=is_check)
    return submission_json.submission_to_json(result, config.docs)


def _submit_page(
    config: RecordingConfig,
    plan: str,
    part: int,
    runner: str,
    source_options: Mapping[str, Any],
    *,
    notes: Sequence[str],
    is_check: bool,
) -> SubmitResult:
    """Check the page of a PART, and record it if it is accepted.

    `source_options` are values of the options for reading sources; the others have their defaults.
    """
    from planbook.research.submission.submit import submit

    with _open_checkers(config, source_options) as (read, judge):
        return submit(
            config,
            plan,
            part,
            read,
            runner=runner,
            judge=judge,
            notes=tuple(notes),
            is_check=is_check,
        )


@contextmanager
def _open_checkers(
    config: RecordingConfig, source_options: Mapping[str, Any]
) -> Iterator[tuple[ReadCited, Judge | None]]:
    """Yield what reads the cited works, and the judge of sentences, if one is configured."""
    from planbook.research.expand.context import open_judge

    reader = project.source_reader(config.settings, source_options)
    is_offline = source_options.get("offline", False)
    with open_judge(config.settings, os.environ, is_offline=is_offline) as judge:
        yield partial(reader.read_cited, may_be_old=True), judge


def _check_accepted_pages(
    config: RecordingConfig, source_options: Mapping[str, Any], *, as_json: bool
) -> int:
    """Check the pages that were accepted before, and print what is to be changed.

    Returns the exit status.
    """
    from planbook.research.submission.submit import check_accepted

    with _open_checkers(config, source_options) as (read, judge):
        results = tuple(check_accepted(config, read, judge=judge))
    pages = sum(len(result.pages) for result in results)
    tree = read_tree(config.settings)
    library = link_tree(tree, config.cache)
    accepted = accepted_texts(library)
    changed = {uri for uri, _ in find_changed(library, tree.pages)}
    gone = [uri for uri in accepted if uri not in tree.pages]
    # What cannot be read proves nothing, here where nobody has just read it.
    good = sum(len(result.pages) for result in results if result.is_accepted and not result.unread)
    if as_json:
        parts = [submission_json.checked_part_to_json(result, config.docs) for result in results]
        terminal.print_json(
            {"version": 1, "is_accepted": good == pages and not gone, "parts": parts}
        )
    else:
        console = terminal.make_console()
        for result in results:
            # Whoever wrote a page has seen its warnings; whoever changed it since has not.
            new = [change for change in result.warnings if change.problem.uri in changed]
            submission_report.show_warnings(console, new, config.docs)
            submission_report.show_failures(console, result.changes, config.docs)
            for uri, work in result.unread:
                page_path = escape_output(f"{config.docs}/{uri}")
                defect = escape_output(f"[@{work}] could not be read; its quotes were not compared")
                console.print(f"{page_path}: {defect}")
        for uri in gone:
            page_path = escape_output(f"{config.docs}/{uri}")
            console.print(f"{page_path}: the page was accepted, and is not there")
        total = f"{good} of {count(pages, 'accepted page')} would be accepted again."
        console.print(total if pages or gone else "No page of a finished PART has a drop.")
    return project.EXIT_OK if good == pages and not gone else project.EXIT_ATTENTION


def _give_up(config: RecordingConfig, plan: str, part: int, runner: str, reason: str) -> RunSummary:
    """Leave a drop for each page of a PART that is given up, and return what was recorded."""
    from planbook.research.submission.giving_up import give_up

    return give_up(config, plan, part, runner=runner, reason=reason)


def _show_given_up(summary: RunSummary) -> int:
    """Print the drops of a PART that was given up, and what went wrong; return the exit status."""
    for record in summary.records:
        click.echo(f"{record.name} is given up; its report is {record.drop}")
    for trouble in summary.troubles:
        click.echo(trouble, err=True)
    return project.EXIT_ATTENTION if summary.troubles else project.EXIT_OK
