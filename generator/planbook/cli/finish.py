"""`planbook finish`: check a page that somebody wrote, and record it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import click

from planbook.cli import parameters, project, terminal
from planbook.cli.chosen_parts import chosen_part
from planbook.cli.live import show_events
from planbook.cli.terminal import escaped
from planbook.library import link_tree
from planbook.library.acceptances import accepted_texts
from planbook.library.pages import read_page
from planbook.markdown.plain_text import count
from planbook.problems import UNGROUNDED, is_blocking, requirement
from planbook.store import read_tree

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.model import PageUri, Problem
    from planbook.research.expand.checked_page import CheckedPage
    from planbook.research.expand.config import RunConfig
    from planbook.research.expand.page_check import ReadCited
    from planbook.research.expand.recorder import RunSummary
    from planbook.research.expand.submit_result import Change, SubmitResult
    from planbook.research.proof.sentences import Judge
    from planbook.store import Settings


_MOST_NOTES = 2
"""Lines of a runner in a drop."""
_PASSAGE_CHARS = 300
"""Characters of a passage that are shown beside what to change."""


@click.command()
@click.argument("plan", required=False, shell_complete=parameters.complete_plans)
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
    if len(notes) > _MOST_NOTES:
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
    from planbook.research.expand.joint_commit import describe_untracked

    result = _submit_page(config, plan, part, runner, sources, notes=notes, is_check=is_check)
    if as_json:
        terminal.print_json(submission_to_json(result, config.docs))
    else:
        _show_submission(terminal.make_console(), result, config.docs)
    if result.summary.commit:
        untracked = describe_untracked(config)
        if untracked:
            click.echo(untracked, err=True)
    is_recorded = result.is_accepted and not result.summary.troubles
    sys.exit(project.OK if is_recorded else project.ATTENTION)


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
    return submission_to_json(result, config.docs)


def _submit_page(
    config: RunConfig,
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
    from planbook.research.expand.submit import submit

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
    config: RunConfig, source_options: Mapping[str, Any]
) -> Iterator[tuple[ReadCited, Judge | None]]:
    """Yield what reads the cited works, and the judge of sentences, if one is configured."""
    from planbook.research.expand.context import open_judge

    reader = project.source_reader(config.settings, source_options)
    is_offline = source_options.get("offline", False)
    with open_judge(config.settings, os.environ, is_offline=is_offline) as judge:
        yield partial(reader.read_cited, may_be_old=True), judge


def _check_accepted_pages(
    config: RunConfig, source_options: Mapping[str, Any], *, as_json: bool
) -> int:
    """Check the pages that were accepted before, and print what is to be changed.

    Returns the exit status.
    """
    from planbook.research.expand.submit import check_accepted

    with _open_checkers(config, source_options) as (read, judge):
        results = tuple(check_accepted(config, read, judge=judge))
    pages = sum(len(result.pages) for result in results)
    tree = read_tree(config.settings)
    accepted = accepted_texts(link_tree(tree, config.cache))
    gone = [uri for uri in accepted if uri not in tree.pages]
    # What cannot be read proves nothing, here where nobody has just read it.
    good = sum(len(result.pages) for result in results if result.is_accepted and not result.unread)
    if as_json:
        parts = [_checked_part_to_json(result, config.docs) for result in results]
        terminal.print_json(
            {"version": 1, "is_accepted": good == pages and not gone, "parts": parts}
        )
    else:
        console = terminal.make_console()
        for result in results:  # warnings were for whoever wrote the page
            _show_failures(console, result.changes, config.docs)
            for uri, work in result.unread:
                page_path = escaped(f"{config.docs}/{uri}")
                defect = escaped(f"[@{work}] could not be read; its quotes were not compared")
                console.print(f"{page_path}: {defect}")
        for uri in gone:
            page_path = escaped(f"{config.docs}/{uri}")
            console.print(f"{page_path}: the page was accepted, and is not there")
        total = f"{good} of {count(pages, 'accepted page')} would be accepted again."
        console.print(total if pages or gone else "No page of a finished PART has a drop.")
    return project.OK if good == pages and not gone else project.ATTENTION


def _checked_part_to_json(result: SubmitResult, docs: str) -> dict[str, Any]:
    """Return what was found on the pages of a PART as JSON data."""
    brief = result.pages[0].brief
    return {
        "plan": str(brief.plan.uri),
        "part": brief.part.number,
        "is_accepted": result.is_accepted and not result.unread,
        "unread": [{"path": f"{docs}/{uri}", "id": work} for uri, work in result.unread],
        "pages": [f"{docs}/{page.brief.page}" for page in result.pages],
        "changes": [_change_to_json(change, docs) for change in result.changes],
        "warnings": [_change_to_json(change, docs) for change in result.warnings],
    }


def _give_up(config: RunConfig, plan: str, part: int, runner: str, reason: str) -> RunSummary:
    """Leave a drop for each page of a PART that is given up, and return what was recorded."""
    from planbook.research.expand.giving_up import give_up

    return give_up(config, plan, part, runner=runner, reason=reason)


def _show_given_up(summary: RunSummary) -> int:
    """Print the drops of a PART that was given up, and what went wrong; return the exit status."""
    for record in summary.records:
        click.echo(f"{record.name} is given up; its drop is {record.drop}")
    for trouble in summary.troubles:
        click.echo(trouble, err=True)
    return project.ATTENTION if summary.troubles else project.OK


def _notes_on(result: SubmitResult) -> Iterator[Problem]:
    """Yield the findings that need no change, and are no warnings either."""
    warned = [change.problem for change in result.warnings]
    for page in result.pages:
        for finding in page.findings:
            if not is_blocking(finding) and finding not in warned:
                yield finding


# --- as text --------------------------------------------------------------------------------------


def _show_submission(console: Console, result: SubmitResult, docs: str) -> None:
    """Print a line for each finding, below failures the nearest passage, and the files written."""
    own_choice = frozenset(page.brief.page for page in result.pages if page.quoted)
    for note in _notes_on(result):
        if not _is_about_chosen(note, own_choice):
            console.print(_finding_line(note, "[blue]note[/]", docs))
    warnings = [
        change for change in result.warnings if not _is_about_chosen(change.problem, own_choice)
    ]
    _show_warnings(console, warnings, docs)
    _show_failures(console, result.changes, docs)
    ungrounded = sum(change.problem.code == UNGROUNDED for change in result.warnings)
    if ungrounded:
        missing = "a number, option or name that no citation or mark supports"
        console.print(f"{count(ungrounded, 'place')} without a ground: {missing}.")
    for trouble in result.summary.troubles:
        console.print(f"[red]{escaped(trouble)}[/]")
    if not result.is_accepted:
        _show_refusal(console, result, len(warnings))
    _show_weak(console, result, docs)
    _show_left_out(console, result)
    places = [escaped(f"{docs}/{page.brief.page}") for page in result.pages]
    _show_quoted(console, result, places)
    if result.is_check and result.is_accepted:
        for page_name in places:
            console.print(f"{page_name} would be accepted; nothing was written (--check).")
    if result.is_unchanged:
        for page_name in places:
            console.print(f"{page_name} is unchanged since it was accepted; nothing was written.")
    for record in result.summary.records:
        page_name = f"{docs}/{escaped(record.page)}"
        console.print(f"{page_name} is accepted; its drop is {escaped(record.drop)}")


_ABOUT_CHOICE = frozenset({"D039", "D041", "D047"})
"""Findings on which quotes stand where: of quotes that `finish` chose, `weak` lists the worst."""


def _is_about_chosen(finding: Problem, pages: frozenset[PageUri]) -> bool:
    """Return whether a finding is about quotes that its writer did not choose.

    Args:
        finding: the finding.
        pages: the pages whose quotes were chosen.
    """
    return finding.code in _ABOUT_CHOICE and finding.uri in pages


def _show_quoted(console: Console, result: SubmitResult, places: Sequence[str]) -> None:
    """Print how many quotes were chosen for the passages that pages cite by their numbers."""
    if not result.is_accepted:
        return
    for page, page_name in zip(result.pages, places, strict=True):
        if page.quoted:
            quotes = count(page.quoted, "quote")
            verb = "would be" if result.is_check else "are"
            console.print(
                f"{page_name}: {quotes} of the passages that it cites {verb} written into it"
            )


_WEAK_CHARS, _QUOTE_CHARS = 240, 160
"""Characters of a weak statement, and of each of its quotes, that are shown."""
_WARNING_CHARS = 200
"""Characters of a warning in a work that are shown; its id leads to the rest."""


def _show_weak(console: Console, result: SubmitResult, docs: str) -> None:
    """Print the statements whose quotes carry least of them."""
    if not result.weak:
        return
    console.print(
        "Statements whose quotes lack most of their words, the weakest first. Where these say "
        "something else, cite the passage that has it, say less, or mark it:"
    )
    for weak in result.weak:
        statement = weak.statement
        statement_text = shorten(statement.text, _WEAK_CHARS, placeholder=" …")
        quotes = " / ".join(
            f"“{shorten(quote, _QUOTE_CHARS, placeholder=' …')}”" for quote in statement.quotes
        )
        nearest = f"; `{weak.nearest}` has most of that" if weak.nearest else ""
        lack = f"not in a quote: {', '.join(statement.missing)}{nearest}"
        console.print(escaped(f"- {docs}/{weak.page}:{weak.line} “{statement_text}” {lack}"))
        console.print(escaped(f"    {quotes}"))


def _show_left_out(console: Console, result: SubmitResult) -> None:
    """Print a line for each thing in its works that a page leaves out."""
    lines = [*_lines_of_left_out(result)]
    if lines:
        console.print("In these works, and not on the page. Add what its reader could need:")
    for line in lines:
        console.print(escaped(f"- {line}"))


def _lines_of_left_out(result: SubmitResult) -> Iterator[str]:
    """Yield the warnings, the works or sections, and the rows that the pages leave out."""
    for name, passage in result.left_out:
        heading = " / ".join(passage.excerpt.headings[-1:])
        below_heading = f" “{heading}”" if heading else ""
        warning = shorten(passage.warning, _WARNING_CHARS, placeholder=" …")
        yield f"`{name}`{below_heading}: {warning}"
    for name, section in result.unused_sections:
        yield f"`{name}` “{shorten(section.heading, _WARNING_CHARS, placeholder=' …')}”: not cited"
    for name, listing in result.partly_listed:
        heading = " / ".join(listing.excerpt.headings[-1:])
        below_heading = f" “{heading}”" if heading else ""
        missing = ", ".join(f"`{word}`" for word in listing.missing)
        shown_count = listing.size - len(listing.missing)
        yield f"`{name}`{below_heading}: {shown_count} of {listing.size} are listed; not {missing}"


def _show_warnings(console: Console, warnings: Sequence[Change], docs: str) -> None:
    """Print warnings, each with the id of its nearest passage: most are looked at, and stay."""
    for change in warnings:
        line = _finding_line(change.problem, "[yellow]warning[/]", docs)
        nearest = f" (nearest: `{change.passage[0]}`)" if change.passage else ""
        console.print(f"{line}{escaped(nearest)}")


def _show_failures(console: Console, changes: Sequence[Change], docs: str) -> None:
    """Print failures; a passage that is nearest to several of them is shown once."""
    printed: set[str] = set()
    for change in changes:
        console.print(_finding_line(change.problem, "[red]failure[/]", docs))
        if change.passage is None:
            continue
        name, _ = change.passage
        nearest = _nearest_line(change.problem, *change.passage)
        if nearest in printed:  # whoever corrects these lines has read it above
            nearest = f"nearest passage, {name}: as above"
        printed.add(nearest)
        console.print(escaped(f"    {nearest}"))


def _show_refusal(console: Console, result: SubmitResult, warned: int) -> None:
    """Print how much there is to change, and how many warnings may stay."""
    if any(_has_code(change.problem) for change in result.changes):
        advice = "An example of your own needs no quote"
        console.print(f"{advice}: mark it `*(example, not run)*` instead of citing one.")
    needed = f"{count(len(result.changes), 'failure')} to correct"
    if warned:
        needed += f"; {count(warned, 'warning')} may stay if you have looked at them"
    console.print(f"Not finished: {needed}. Then run the same command again.")
    console.print("Nothing was written.")


def _has_code(finding: Problem) -> bool:
    """Return whether a failure is about an option or a name in code, which an example may have."""
    from planbook.research.drafts import SentenceProblem
    from planbook.research.proof.sentences import is_identifier

    if not isinstance(finding, SentenceProblem) or finding.code not in {"D048", "D056"}:
        return False
    return any(is_identifier(word) for word in finding.missing)


def _finding_line(finding: Problem, kind: str, docs: str) -> str:
    """Return a finding in one line, as markup for a console."""
    location = escaped(f"{docs}/{finding.uri}:{finding.line}")
    rule = f"[dim]{finding.code} {requirement(finding)}[/]"
    return f"{location}: {kind} {escaped(finding.message)} {rule}"


def _nearest_line(finding: Problem, name: str, text: str) -> str:
    """Return the passage `name` in one line, around what the sentence of a finding lacks."""
    from planbook.research.drafts import SentenceProblem
    from planbook.research.evidence.printed_works import part_around

    missing = finding.missing if isinstance(finding, SentenceProblem) else ()
    passage = part_around(" ".join(text.split()), missing, _PASSAGE_CHARS)
    return f"nearest passage, {name}: {passage}"


# --- as JSON --------------------------------------------------------------------------------------


def submission_to_json(result: SubmitResult, docs: str) -> dict[str, Any]:
    """Return the result of a submission as JSON data.

    It says whether the page is accepted, and what to change.
    """
    records = result.summary.records
    return {
        "version": 1,
        "is_accepted": result.is_accepted,
        "is_check": result.is_check,
        "is_unchanged": result.is_unchanged,
        "changes": [_change_to_json(change, docs) for change in result.changes],
        "warnings": [_change_to_json(change, docs) for change in result.warnings],
        "notes": [_finding_to_json(note, docs) for note in _notes_on(result)],
        "quotes_added": sum(page.quoted for page in result.pages),
        "weak": [
            {
                "path": f"{docs}/{weak.page}",
                "line": weak.line,
                "statement": weak.statement.text,
                "missing": list(weak.statement.missing),
                "quotes": list(weak.statement.quotes),
                "nearest": weak.nearest,
            }
            for weak in result.weak
        ],
        "left_out": [
            {"id": name, "heading": list(passage.excerpt.headings), "text": passage.warning}
            for name, passage in result.left_out
        ],
        "unused_sections": [
            {"id": name, "heading": section.heading} for name, section in result.unused_sections
        ],
        "partly_listed": [
            {"id": name, "size": items.size, "missing": list(items.missing)}
            for name, items in result.partly_listed
        ],
        "grounds": {f"{docs}/{page.brief.page}": _grounds_of(page) for page in result.pages},
        "pages": [{"page": f"{docs}/{record.page}", "drop": record.drop} for record in records],
        "commit": result.summary.commit,
        "troubles": list(result.summary.troubles),
    }


def _grounds_of(page: CheckedPage) -> dict[str, int]:
    """Return the number of sentences of a page by ground, if it marks any."""
    text = page.draft.text if page.draft else ""
    page_on_disk, _ = read_page(text.encode(), page.brief.page, is_replaced=False)
    return dict(page_on_disk.grounds)


def _change_to_json(change: Change, docs: str) -> dict[str, Any]:
    """Return a finding as JSON data, with the passage that may help."""
    passage = None
    if change.passage:
        name, text = change.passage
        passage = {"id": name, "text": text}
    return {**_finding_to_json(change.problem, docs), "passage": passage}


def _finding_to_json(finding: Problem, docs: str) -> dict[str, Any]:
    """Return a finding as JSON data."""
    from planbook.research.drafts import SentenceProblem

    in_sentence = finding if isinstance(finding, SentenceProblem) else None
    return {
        "path": f"{docs}/{finding.uri}",
        "line": finding.line,
        "code": finding.code,
        "requirement": requirement(finding),
        "message": finding.message,
        "sentence": in_sentence.sentence if in_sentence else "",
        "missing": list(in_sentence.missing) if in_sentence else [],
    }
