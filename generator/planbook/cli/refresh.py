"""`planbook verify --changes`: quotes that their sources no longer contain.

`planbook refresh` is its former name.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from planbook.citations.report import SourceStatus
from planbook.cli import parameters, project, terminal
from planbook.cli.cited_references import cited_references, report_lost_citations
from planbook.cli.terminal import escaped
from planbook.markdown.plain_text import count
from planbook.model import format_time
from planbook.store import read_tree

if TYPE_CHECKING:
    from planbook.research.proof.refresh import Comparison, StaleQuote

OLDER_THAN = click.option(
    "--older-than",
    metavar="90d",
    help="Like --changes, for pages with a source that was last checked so long ago.",
)
REOPEN = click.option(
    "--reopen",
    is_flag=True,
    help="Like --changes; also mark the PARTs of stale pages [/], so that `planbook expand` takes "
    "them.",
)
_AGE = re.compile(r"(\d{1,5})d")
"""A number of days: ``90d``."""
_LONG = 25
"""Number of words from which the differences of a quote are listed."""
_MOST_DIFFERENCES = 6
"""Number of differences that are listed; a quote with more of them is another text."""


@click.command(hidden=True)
@parameters.PAGES
@OLDER_THAN
@REOPEN
@parameters.ROOT
@parameters.source_options
@project.needs_extra("research")
def refresh(
    *,
    pages: tuple[Path, ...],
    older_than: str | None,
    reopen: bool,
    root: Path | None,
    **options: Any,
) -> None:
    """Do what `planbook verify --changes` does, under its former name."""
    show_changes(pages, older_than, root, options, is_reopened=reopen)


def show_changes(
    pages: Sequence[Path],
    older_than: str | None,
    root: Path | None,
    options: Mapping[str, Any],
    *,
    is_reopened: bool,
) -> NoReturn:
    """Show quotes that their sources no longer contain, beside today's words, and exit.

    The status is 1 if a quote is stale, or if a source could not be read.
    """
    from planbook.research import git, journal
    from planbook.research.proof.refresh import checked_until, compare, reopen_parts

    age = _AGE.fullmatch(older_than or "0d")
    if age is None:
        raise click.UsageError("--older-than takes a number of days, such as 90d")
    settings = project.project_settings(root, needs="docs")
    now = datetime.now(UTC)
    git.check_working_folder(settings.root)
    texts, references = cited_references(settings, pages)
    known = read_tree(settings).pages
    if outside := next((uri for uri in texts if uri not in known), None):
        raise click.UsageError(f"{outside} is not a page of the project")
    lost = report_lost_citations(settings, texts)
    if older_than:
        until = now.date() - timedelta(days=int(age[1]))
        references = checked_until(settings, references, texts, f"{until}")
    reader = project.source_reader(settings, options)
    answers = reader.read_cited(chain.from_iterable(references.values()), newer=True)
    comparisons = {
        uri: [compare(settings, texts[uri], cited, answers) for cited in of_page]
        for uri, of_page in references.items()
    }
    stale = _stale_quotes(comparisons)
    console = terminal.make_console()
    docs = settings.docs_dir.strip("/")
    for line in (*_stale_lines(stale, docs), *_unread_lines(comparisons, texts, docs)):
        console.print(escaped(line), soft_wrap=True)
    every = list(chain.from_iterable(comparisons.values()))
    fates = Counter(quote.fate for quotes in stale.values() for quote in quotes)
    console.print(_changes_total(every, fates, len(references), len(lost)))
    if is_reopened:
        # A run may be writing the same plans.
        with journal.hold(settings.root, "planbook verify --reopen", format_time(now)):
            for line in reopen_parts(settings, stale, now, project.open_cache(settings)):
                console.print(escaped(line))
    is_unread = any(comparison.is_unread for comparison in every)
    sys.exit(project.ATTENTION if fates or is_unread or lost else project.OK)


def _stale_quotes(
    comparisons: Mapping[str, Sequence[Comparison]],
) -> dict[str, list[StaleQuote]]:
    """Return the stale quotes of each page that has some."""
    stale = {}
    for uri, of_page in comparisons.items():
        quotes = [quote for comparison in of_page for quote in comparison.stale]
        if quotes:
            stale[uri] = quotes
    return stale


def _stale_lines(stale: Mapping[str, Sequence[StaleQuote]], docs: str) -> Iterator[str]:
    """Yield the description of each stale quote."""
    for uri, quotes in stale.items():
        for quote in quotes:
            yield _describe_quote(quote, f"{docs}/{uri}")


def _unread_lines(
    comparisons: Mapping[str, Sequence[Comparison]], texts: Mapping[str, str], docs: str
) -> Iterator[str]:
    """Yield a line for each source that could not be compared."""
    from planbook.research.proof.refresh import citation_lines

    for uri, of_page in comparisons.items():
        for comparison in of_page:
            if comparison.is_unread:
                line = citation_lines(texts[uri], comparison.id)[""]
                why = f"not compared: {comparison.reason}"
                yield f"{docs}/{uri}:{line}: @{comparison.id}: {why}"


def _changes_total(
    every: Sequence[Comparison], fates: Mapping[SourceStatus, int], pages: int, lost: int
) -> str:
    """Return how many of all cited sources of the pages were compared, and what was found."""
    in_citations = f"{count(lost, 'problem')} in citations"
    if not every and lost:
        return f"nothing was compared; {in_citations}"
    if not every:
        return "nothing to compare: no selected page cites a source"
    checkable = [comparison for comparison in every if not comparison.is_elsewhere]
    compared = sum(comparison.is_compared for comparison in every)
    sources = f"{count(len(checkable), 'source')} of {count(pages, 'page')}"
    if compared != len(checkable):
        sources = f"{compared} of {sources} compared"
    elsewhere = len(every) - len(checkable)
    if elsewhere:
        sources += f", {count(elsewhere, 'work')} without an address or a file"
    facts = [f"{number} {fate}" for fate, number in fates.items()]
    unread = sum(comparison.is_unread for comparison in checkable)
    if unread:
        facts.append(f"{unread} could not be read")
    nothing = "nothing is stale" if compared else "nothing was compared"
    total = f"{sources}: {', '.join(facts) or nothing}"
    return f"{total}; {in_citations}" if lost else total


def _describe_quote(stale: StaleQuote, place: str) -> str:
    """Return one stale quote as lines of Markdown: the old words and the new ones.

    Of a long quote, the differences are listed, too.
    """
    from planbook.research.proof.refresh import find_differences

    key = f", {stale.key}" if stale.key else ""
    reference = stale.cited.reference.id
    lines = [f"{place}:{stale.line}: @{reference}{key}: {stale.fate}: {stale.reason}"]
    words = stale.quote.split()
    if words:
        lines.append(f"- was: “{' '.join(words)}”")
    differences = []
    if stale.closest:
        lines.append(f"- now: “{stale.closest}”")
        differences = list(find_differences(stale.quote, stale.closest))
    if len(words) >= _LONG and len(differences) <= _MOST_DIFFERENCES:
        described = [_describe_difference(old, new) for old, new in differences]
        lines.append(f"- differs: {'; '.join(described)}")
    return "\n".join(lines)


def _describe_difference(old: str, new: str) -> str:
    """Return one difference in words; one of both may be empty."""
    if not new:
        return f"“{old}” is gone"
    if not old:
        return f"“{new}” is new"
    return f"“{old}” is now “{new}”"
