"""`planbook finish`: check a page that somebody wrote, and record it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook.cli import parameters, project, terminal
from planbook.cli.live import show_events
from planbook.cli.terminal import escaped
from planbook.library.pages import read_page
from planbook.markdown.plain_text import count
from planbook.problems import is_blocking, requirement

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.model import Problem
    from planbook.research.expand.config import RunConfig
    from planbook.research.expand.events import Result
    from planbook.research.expand.submit import Change, SubmitResult
    from planbook.store import Settings


@click.command()
@parameters.PLAN
@parameters.PART
@parameters.source_options
@parameters.NO_COMMIT
@click.option("--runner", default="by hand", show_default=True, help="The submitter's name, for the drop.")
@click.option("--note", "notes", multiple=True, metavar="TEXT", help="A line for the drop, twice at most.")
@click.option("--failed", metavar="REASON", help="Give the PART up: leave a drop that says why, and end the claim.")
@click.option("--check", "is_check", is_flag=True, help="Check the page only: nothing is written, marked or kept.")
@click.option("--no-wait", is_flag=True, help="Fail while another run records its results, instead of waiting.")
@parameters.ROOT
@parameters.JSON
@project.needs_extra("research")
def finish(
    *,
    plan: str,
    part: int,
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

    PLAN is a plan's path, slug or file name; PART is a number. The page must be at the path that `planbook brief`
    prints. References to works of the brief are completed, and the page is checked against its sources. If it passes,
    its drop is written, the PART is marked, docs/INDEX.md and SKILL.md are updated, and everything is committed; an
    unchanged page is left as it is. Exits with 1 if a check fails: then it lists what to change, and nothing is
    written. With --check, nothing is written in either case.
    """
    from planbook.research.expand.context import open_judge
    from planbook.research.expand.submit import submit

    if len(notes) > _MOST_NOTES:
        raise click.UsageError("--note may be given twice: what a reader of the drop should know, and what is missing")
    if is_check and failed is not None:
        raise click.UsageError("--check and --failed exclude each other")
    config, _ = project.run_config(root, "planbook finish", "Finish", no_commit=no_commit)
    config = replace(config, watch=show_events(), waits=not no_wait)
    if failed is not None:
        _give_up(config, plan, part, runner, failed)
        return
    read = partial(project.source_reader(config.settings, sources).read_claimed, may_be_old=True)
    with open_judge(config.settings, os.environ, is_offline=sources["offline"]) as judge:
        result = submit(config, plan, part, read, author=runner, judge=judge, notes=notes, is_check=is_check)
    if as_json:
        terminal.print_json(submission_to_json(result, config.docs))
    else:
        _show_findings(terminal.make_console(), result, config.docs)
    sys.exit(project.OK if result.is_accepted and not result.summary.troubles else project.FOUND)


_MOST_NOTES = 2
"""Lines of a runner in a drop."""


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
    from planbook.research.expand.claimed import give_up
    from planbook.research.expand.context import open_judge
    from planbook.research.expand.submit import submit

    config, _ = project.run_config(settings.root, "planbook finish", "Finish", no_commit=not is_committed)
    config = replace(config, waits=True)
    if failed:
        records = give_up(config, plan, part, author=name, reason=failed).records
        given_up = [{"part": record.number, "drop": record.drop} for record in records]
        return {"is_accepted": False, "given_up": given_up}
    answers = partial(project.source_reader(settings, {}).read_claimed, may_be_old=True)
    with open_judge(settings, os.environ, is_offline=False) as judge:
        result = submit(config, plan, part, answers, author=name, judge=judge, notes=tuple(notes), is_check=is_check)
    return submission_to_json(result, config.docs)


def _give_up(config: RunConfig, plan: str, part: int, runner: str, reason: str) -> None:
    """Leave a drop for a PART that its runner gives up, and say where it is."""
    from planbook.research.expand.claimed import give_up

    for record in give_up(config, plan, part, author=runner, reason=reason).records:
        click.echo(f"{record.name} is given up; its drop is {record.drop}")


_PASSAGE_CHARS = 300
"""Characters of a passage that are shown beside what to change."""


def _show_findings(console: Console, result: SubmitResult, docs: str) -> None:
    """Print a line for each finding, with the nearest passage, and the files that were written."""
    warned = [change.problem for change in result.warnings]
    for page in result.pages:
        for finding in (one for one in page.findings if not is_blocking(one) and one not in warned):
            console.print(_finding_line(finding, "[blue]note[/]", docs))
    kinds = {"[yellow]warning[/]": result.warnings, "[red]failure[/]": result.changes}
    shown: set[str] = set()
    for kind, changes in kinds.items():  # failures last, where the reader looks
        for change in changes:
            console.print(_finding_line(change.problem, kind, docs))
            near = _nearest_line(change)
            is_again = near in shown
            if change.passage and not is_again:
                shown.add(near)
                console.print(escaped(f"    {near}"))
            elif change.passage:
                console.print(escaped(f"    nearest passage, {change.passage[0]}: as above"))
    ungrounded = sum(problem.code == "D051" for problem in warned)
    if ungrounded:
        places = count(ungrounded, "place")
        console.print(f"{places} without a ground: a number, option or name that no citation or mark supports.")
    for trouble in result.summary.troubles:
        console.print(f"[red]{escaped(trouble)}[/]")
    if not result.is_accepted:
        needed = f"{count(len(result.changes), 'failure')} to correct"
        warnings = f"; {count(len(warned), 'warning')} may stay if you have looked at them" if warned else ""
        console.print(f"Not finished: {needed}{warnings}. Then run the same command again.")
        console.print("Nothing was written.")
    for page in result.pages if result.is_check and result.is_accepted else ():
        place = escaped(f"{docs}/{page.job.brief.page}")
        console.print(f"{place} would be accepted; nothing was written (--check).")
    for page in result.pages if result.is_unchanged else ():
        place = escaped(f"{docs}/{page.job.brief.page}")
        console.print(f"{place} is unchanged since it was accepted; nothing was written.")
    for record in result.summary.records:
        console.print(f"{docs}/{escaped(record.page)} is accepted; its drop is {escaped(record.drop)}")


def _finding_line(finding: Problem, kind: str, docs: str) -> str:
    place = escaped(f"{docs}/{finding.uri}:{finding.line}")
    rule = f"[dim]{finding.code} {requirement(finding)}[/]"
    return f"{place}: {kind} {escaped(finding.message)} {rule}"


def _nearest_line(change: Change) -> str:
    """Return the nearest passage of a finding in one line, around what the sentence lacks; empty without one."""
    from planbook.research.drafts import SentenceProblem
    from planbook.research.evidence.reading import part_around

    if change.passage is None:
        return ""
    name, text = change.passage
    missing = change.problem.missing if isinstance(change.problem, SentenceProblem) else ()
    return f"nearest passage, {name}: {part_around(' '.join(text.split()), missing, _PASSAGE_CHARS)}"


def submission_to_json(result: SubmitResult, docs: str) -> dict[str, Any]:
    """Return the result of a submission as JSON data: whether it is accepted, and what to change."""
    warned = [change.problem for change in result.warnings]
    others = [one for page in result.pages for one in page.findings if not is_blocking(one) and one not in warned]
    return {
        "version": 1,
        "is_accepted": result.is_accepted,
        "is_check": result.is_check,
        "is_unchanged": result.is_unchanged,
        "changes": [_change_to_json(change, docs) for change in result.changes],
        "warnings": [_change_to_json(change, docs) for change in result.warnings],
        "notes": [_finding_to_json(note, docs) for note in others],
        "grounds": {f"{docs}/{page.job.brief.page}": _grounds_of(page) for page in result.pages},
        "pages": [{"page": f"{docs}/{one.page}", "drop": one.drop} for one in result.summary.records],
        "commit": result.summary.commit,
        "troubles": list(result.summary.troubles),
    }


def _grounds_of(page: Result) -> dict[str, int]:
    """Return the number of sentences of a page by ground, if it marks any."""
    text = page.draft.text if page.draft else ""
    return dict(read_page(text.encode(), page.job.brief.page, is_replaced=False)[0].grounds)


def _change_to_json(change: Change, docs: str) -> dict[str, Any]:
    passage = {"id": change.passage[0], "text": change.passage[1]} if change.passage else None
    return {**_finding_to_json(change.problem, docs), "passage": passage}


def _finding_to_json(finding: Problem, docs: str) -> dict[str, Any]:
    from planbook.research.drafts import SentenceProblem

    known = finding if isinstance(finding, SentenceProblem) else None
    return {
        "path": f"{docs}/{finding.uri}",
        "line": finding.line,
        "code": finding.code,
        "requirement": requirement(finding),
        "message": finding.message,
        "sentence": known.sentence if known else "",
        "missing": list(known.missing) if known else [],
    }
