"""The result of `planbook finish` as text for a console."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from planbook.cli.terminal import escape_output
from planbook.markdown.plain_text import count
from planbook.problems import UNGROUNDED, requirement

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.model import Problem
    from planbook.research.submission.submit_result import Change, SubmitResult

_PASSAGE_CHARS = 300
"""Characters of a passage that are shown beside what to change."""
_WEAK_CHARS, _QUOTE_CHARS = 240, 160
"""Characters of a weak statement, and of each of its quotes, that are shown."""
_WARNING_CHARS = 200
"""Characters of a warning in a work that are shown; its id leads to the rest."""


def show_submission(console: Console, result: SubmitResult, docs: str) -> None:
    """Print a line for each finding, below failures the nearest passage, and the files written."""
    for note in result.notes:
        console.print(_finding_line(note, "[blue]note[/]", docs))
    show_warnings(console, result.warnings, docs)
    show_failures(console, result.changes, docs)
    ungrounded = sum(change.problem.code == UNGROUNDED for change in result.warnings)
    if ungrounded:
        missing = "a number, option or name that no citation or mark supports"
        console.print(f"{count(ungrounded, 'place')} without a ground: {missing}.")
    for trouble in result.summary.troubles:
        console.print(f"[red]{escape_output(trouble)}[/]")
    if not result.is_accepted:
        _show_refusal(console, result, len(result.warnings))
    _show_weak(console, result, docs)
    _show_omitted_warnings(console, result)
    places = [escape_output(f"{docs}/{page.brief.page}") for page in result.pages]
    _show_quoted(console, result, places)
    if result.is_check and result.is_accepted:
        for page_name in places:
            console.print(f"{page_name} would be accepted; nothing was written (--check).")
    if result.is_unchanged:
        for page_name in places:
            console.print(f"{page_name} is unchanged since it was accepted; nothing was written.")
    for record in result.summary.records:
        page_name = f"{docs}/{escape_output(record.page)}"
        console.print(f"{page_name} is accepted; its report is {escape_output(record.drop)}")


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


def _show_weak(console: Console, result: SubmitResult, docs: str) -> None:
    """Print the statements whose quotes carry least of them."""
    if not result.weak:
        return
    console.print(
        "Statements whose quotes lack most of their words, the weakest first. Where these say "
        "something else, cite the sentence that has it, say less, or mark it:"
    )
    for weak in result.weak:
        statement = weak.statement
        statement_text = shorten(statement.text, _WEAK_CHARS, placeholder=" …")
        quotes = " / ".join(
            f"“{shorten(quote, _QUOTE_CHARS, placeholder=' …')}”" for quote in statement.quotes
        )
        nearest = f"; `{weak.nearest}` has most of that" if weak.nearest else ""
        lack = f"not in a quote: {', '.join(statement.missing)}{nearest}"
        console.print(escape_output(f"- {docs}/{weak.page}:{weak.line} “{statement_text}” {lack}"))
        console.print(escape_output(f"    {quotes}"))


def _show_omitted_warnings(console: Console, result: SubmitResult) -> None:
    """Print a line for each thing in its works that a page leaves out."""
    lines = [*_lines_of_omitted_warnings(result)]
    if lines:
        console.print("In these works, and not on the page. Add what its reader could need:")
    for line in lines:
        console.print(escape_output(f"- {line}"))


def _lines_of_omitted_warnings(result: SubmitResult) -> Iterator[str]:
    """Yield the warnings, the works or sections, and the rows that the pages leave out."""
    for name, passage in result.omitted_warnings:
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


def show_warnings(console: Console, warnings: Sequence[Change], docs: str) -> None:
    """Print warnings, each with the id of its nearest passage: most are looked at, and stay."""
    for change in warnings:
        line = _finding_line(change.problem, "[yellow]warning[/]", docs)
        nearest = f" (nearest: `{change.passage[0]}`)" if change.passage else ""
        console.print(f"{line}{escape_output(nearest)}")


def show_failures(console: Console, changes: Sequence[Change], docs: str) -> None:
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
        console.print(escape_output(f"    {nearest}"))


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
    location = escape_output(f"{docs}/{finding.uri}:{finding.line}")
    rule = f"[dim]{finding.code} {requirement(finding)}[/]"
    return f"{location}: {kind} {escape_output(finding.message)} {rule}"


def _nearest_line(finding: Problem, name: str, text: str) -> str:
    """Return the passage `name` in one line, around what the sentence of a finding lacks."""
    from planbook.research.drafts import SentenceProblem
    from planbook.research.evidence.printed_works import part_around

    missing = finding.missing if isinstance(finding, SentenceProblem) else ()
    passage = part_around(" ".join(text.split()), missing, _PASSAGE_CHARS)
    return f"nearest passage, {name}: {passage}"
