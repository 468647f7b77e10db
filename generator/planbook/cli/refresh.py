"""`planbook verify --changes`: quotes that their sources no longer contain; `planbook refresh` is its former name."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from planbook.citations.report import SourceStatus
from planbook.cli import parameters, project, terminal
from planbook.cli.cited_claims import cited_claims, report_lost_citations
from planbook.cli.terminal import escaped
from planbook.markdown.plain_text import count
from planbook.model import format_time
from planbook.store import read_tree

if TYPE_CHECKING:
    from planbook.research.proof.refresh import Comparison, StaleQuote

OLDER_THAN = click.option(
    "--older-than", metavar="90d", help="Like --changes, for pages with a source that was last checked so long ago."
)
REOPEN = click.option(
    "--reopen",
    is_flag=True,
    help="Like --changes; also mark the PARTs of stale pages [/], so that `planbook expand` takes them.",
)
_AGE = re.compile(r"(\d{1,5})d")
_LONG, _MOST_DIFFERENCES = 25, 6
"""Number of words from which the differences of a quote are listed, and how many are at most."""


@click.command(hidden=True)
@parameters.PAGES
@OLDER_THAN
@REOPEN
@parameters.ROOT
@parameters.source_options
@project.needs_extra("research")
def refresh(
    *, pages: tuple[Path, ...], older_than: str | None, reopen: bool, root: Path | None, **options: Any
) -> None:
    """Do what `planbook verify --changes` does, under its former name."""
    show_changes(pages, older_than, root, options, is_reopened=reopen)


def show_changes(
    pages: Sequence[Path], older_than: str | None, root: Path | None, options: Mapping[str, Any], *, is_reopened: bool
) -> NoReturn:
    """Show quotes that their sources no longer contain, beside the words that the sources have now, and exit.

    The status is 1 if a quote is stale, or if a source could not be read.
    """
    from planbook.research import git, journal
    from planbook.research.proof.refresh import checked_until, citation_lines, compare, reopen_parts

    age = _AGE.fullmatch(older_than or "0d")
    if age is None:
        raise click.UsageError("--older-than takes a number of days, such as 90d")
    settings, now = project.project_settings(root, needs="docs"), datetime.now(UTC)
    git.check_working_folder(settings.root)
    texts, claims = cited_claims(settings, pages)
    if outside := next((uri for uri in texts if uri not in read_tree(settings).pages), None):
        raise click.UsageError(f"{outside} is not a page of the project")
    lost = report_lost_citations(settings, texts)
    if older_than:
        claims = checked_until(settings, claims, texts, f"{now.date() - timedelta(days=int(age[1]))}")
    answers = project.source_reader(settings, options).read_claimed(chain.from_iterable(claims.values()), newer=True)
    stale: dict[str, list[StaleQuote]] = {}
    comparisons = {
        uri: [compare(settings, texts[uri], claim, answers) for claim in of_page] for uri, of_page in claims.items()
    }
    for uri, of_page in comparisons.items():
        if found := [quote for comparison in of_page for quote in comparison.stale]:
            stale[uri] = found
    console, docs = terminal.make_console(), settings.docs_dir.strip("/")
    for uri, quotes in stale.items():
        for quote in quotes:
            console.print(escaped(_describe(quote, f"{docs}/{uri}")), soft_wrap=True)
    for uri, of_page in comparisons.items():
        for comparison in of_page:
            if comparison.is_unread:
                place = f"{docs}/{uri}:{citation_lines(texts[uri], comparison.id)['']}"
                what = f"{place}: @{comparison.id}: not compared: {comparison.reason}"
                console.print(escaped(what), soft_wrap=True)
    every = list(chain.from_iterable(comparisons.values()))
    fates = Counter(quote.fate for quotes in stale.values() for quote in quotes)
    console.print(_refresh_total(every, fates, len(claims), len(lost)))
    if is_reopened:
        with journal.hold(settings.root, "planbook verify --reopen", format_time(now)):
            for line in reopen_parts(settings, stale, now, project.cached_calls(settings)):
                console.print(escaped(line))
    is_unread = any(comparison.is_unread for comparison in every)
    sys.exit(project.FOUND if fates or is_unread or lost else project.OK)


def _refresh_total(every: Sequence[Comparison], fates: Mapping[SourceStatus, int], pages: int, lost: int) -> str:
    """Return how many of all cited sources of the pages were compared, and what was found."""
    without = f"{count(lost, 'problem')} in citations" if lost else ""
    if not every:
        return f"nothing was compared; {without}" if lost else "nothing to compare: no selected page cites a source"
    checkable = [comparison for comparison in every if not comparison.is_elsewhere]
    unread, elsewhere = sum(one.is_unread for one in checkable), len(every) - len(checkable)
    compared = sum(one.is_compared for one in every)
    said = f"{count(len(checkable), 'source')} of {count(pages, 'page')}"
    said = said if compared == len(checkable) else f"{compared} of {said} compared"
    said += f", {count(elsewhere, 'work')} without an address or a file" if elsewhere else ""
    found = [f"{n} {fate}" for fate, n in fates.items()]
    found += [f"{unread} could not be read"] if unread else []
    result = ", ".join(found) or ("nothing is stale" if compared else "nothing was compared")
    return f"{said}: {result}; {without}" if without else f"{said}: {result}"


def _describe(stale: StaleQuote, place: str) -> str:
    """Return one stale quote as lines of Markdown: the old words, the new ones, and of a long quote the differences."""
    from planbook.research.proof.refresh import find_differences

    key = f", {stale.key}" if stale.key else ""
    lines = [f"{place}:{stale.line}: @{stale.claim.reference.id}{key}: {stale.fate}: {stale.reason}"]
    lines += [f"- was: “{' '.join(stale.quote.split())}”"] if stale.quote else []
    lines += [f"- now: “{stale.closest}”"] if stale.closest else []
    differences = list(find_differences(stale.quote, stale.closest)) if stale.closest else []
    if len(stale.quote.split()) >= _LONG and len(differences) <= _MOST_DIFFERENCES:
        lines.append(f"- differs: {'; '.join(_difference(old, new) for old, new in differences)}")
    return "\n".join(lines)


def _difference(old: str, new: str) -> str:
    if old and new:
        return f"“{old}” is now “{new}”"
    return f"“{old}” is gone" if old else f"“{new}” is new"
