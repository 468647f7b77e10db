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
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from planbook.citations.report import SourceStatus
from planbook.cli import parameters, project, terminal
from planbook.cli.cited_references import cited_references, report_lost_citations
from planbook.cli.terminal import escape_output
from planbook.markdown.plain_text import count
from planbook.model import format_time
from planbook.store import Settings, read_tree

if TYPE_CHECKING:
    from planbook.research.proof.refresh import Comparison, StaleQuote
    from planbook.research.proof.verify import CitedReference

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
_MIN_COMPARED_WORDS = 25
"""Number of words from which the differences of a quote are listed."""
_MAX_DIFFERENCES = 6
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
    from planbook.research import git

    days = _days_in(older_than) if older_than else None
    settings = project.project_settings(root, needs="docs")
    now = datetime.now(UTC)
    git.check_working_folder(settings.root)
    cited = _read_pages_to_compare(settings, pages, days, now)
    comparisons = _compare_quotes(settings, cited, options)
    stale = _stale_quotes(comparisons)
    fates = Counter(quote.fate for quotes in stale.values() for quote in quotes)
    all_comparisons = list(chain.from_iterable(comparisons.values()))
    docs = settings.docs_dir.strip("/")
    console = terminal.make_console()
    for line in (*_stale_lines(stale, docs), *_unread_lines(comparisons, cited.texts, docs)):
        console.print(escape_output(line), soft_wrap=True)
    console.print(_changes_total(all_comparisons, fates, len(cited.references), len(cited.lost)))
    if is_reopened:
        for line in _reopen_stale(settings, stale, now):
            console.print(escape_output(line))
    is_unread = any(comparison.is_unread for comparison in all_comparisons)
    sys.exit(project.EXIT_ATTENTION if fates or is_unread or cited.lost else project.EXIT_OK)


def _days_in(age: str) -> int:
    """Return the number of days that an option gives: ``90d``."""
    match = _AGE.fullmatch(age)
    if match is None:
        raise click.UsageError("--older-than takes a number of days, such as 90d")
    return int(match[1])


class _CitedPages(NamedTuple):
    """The pages whose quotes are compared."""

    texts: Mapping[str, str]
    references: Mapping[str, Sequence[CitedReference]]
    """The references of each page; if only old results are wanted, of pages that have one."""
    lost: Sequence[object]
    """The Problems of citations that lead to no reference."""


def _read_pages_to_compare(
    settings: Settings, pages: Sequence[Path], days: int | None, now: datetime
) -> _CitedPages:
    """Return pages of the project with what they cite.

    With `days`, only those of which a source was last checked that long ago.
    """
    from planbook.research.proof.refresh import checked_until

    texts, references = cited_references(settings, pages)
    known = read_tree(settings).pages
    outside = next((uri for uri in texts if uri not in known), None)
    if outside:
        raise click.UsageError(f"{outside} is not a page of the project")
    lost = report_lost_citations(settings, texts)
    if days is not None:
        until = now.date() - timedelta(days=days)
        references = checked_until(settings, references, texts, f"{until}")
    return _CitedPages(texts, references, lost)


def _compare_quotes(
    settings: Settings, cited: _CitedPages, options: Mapping[str, Any]
) -> dict[str, list[Comparison]]:
    """Read each source once, and return what became of the quotes of each page."""
    from planbook.research.proof.refresh import compare

    reader = project.source_reader(settings, options)
    answers = reader.read_cited(chain.from_iterable(cited.references.values()), newer=True)
    return {
        uri: [compare(settings, cited.texts[uri], reference, answers) for reference in of_page]
        for uri, of_page in cited.references.items()
    }


def _reopen_stale(
    settings: Settings, stale: Mapping[str, Sequence[StaleQuote]], now: datetime
) -> Iterator[str]:
    """Mark the PARTs of stale pages, and yield a line for each."""
    from planbook.research import journal
    from planbook.research.proof.refresh import reopen_parts

    # A run may be writing the same plans.
    with journal.lock_project(settings.root, "planbook verify --reopen", format_time(now)):
        yield from reopen_parts(settings, stale, now, project.open_cache(settings))


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
    comparisons: Sequence[Comparison], fates: Mapping[SourceStatus, int], pages: int, lost: int
) -> str:
    """Return how many of all cited sources of the pages were compared, and what was found."""
    in_citations = f"{count(lost, 'problem')} in citations"
    if not comparisons and lost:
        return f"nothing was compared; {in_citations}"
    if not comparisons:
        return "nothing to compare: no selected page cites a source"
    checkable = [comparison for comparison in comparisons if not comparison.is_elsewhere]
    compared = sum(comparison.is_compared for comparison in comparisons)
    sources = f"{count(len(checkable), 'source')} of {count(pages, 'page')}"
    if compared != len(checkable):
        sources = f"{compared} of {sources} compared"
    elsewhere = len(comparisons) - len(checkable)
    if elsewhere:
        sources += f", {count(elsewhere, 'work')} without an address or a file"
    facts = [f"{works} {fate}" for fate, works in fates.items()]
    unread = sum(comparison.is_unread for comparison in checkable)
    if unread:
        facts.append(f"{unread} could not be read")
    nothing = "nothing is stale" if compared else "nothing was compared"
    total = f"{sources}: {', '.join(facts) or nothing}"
    return f"{total}; {in_citations}" if lost else total


def _describe_quote(stale: StaleQuote, location: str) -> str:
    """Return one stale quote as lines of Markdown: the old words and the new ones.

    Of a long quote, the differences are listed, too.
    """
    from planbook.research.proof.refresh import find_differences

    key = f", {stale.key}" if stale.key else ""
    reference = stale.cited.reference.id
    lines = [f"{location}:{stale.line}: @{reference}{key}: {stale.fate}: {stale.reason}"]
    words = stale.quote.split()
    if words:
        lines.append(f"- was: “{' '.join(words)}”")
    differences = []
    if stale.closest:
        lines.append(f"- now: “{stale.closest}”")
        differences = list(find_differences(stale.quote, stale.closest))
    if len(words) >= _MIN_COMPARED_WORDS and len(differences) <= _MAX_DIFFERENCES:
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
