"""Trust in a base: how many of its works were checked, and how many of its pages reviewed."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from planbook.citations.report import SourceStatus
from planbook.library import Library
from planbook.markdown.plain_text import count, number
from planbook.views.bibliography.works import NO_SITE, OWN_DOCUMENTS, CitedWork, works
from planbook.views.checks import LOST_STATUSES, NAMES, PageCheck, count_checked, count_statuses
from planbook.views.statements import is_reviewed
from planbook.views.template import reader_day


def trust(
    library: Library, base_uris: Container[str], checks: Mapping[str, PageCheck] | None = None
) -> str:
    """Return in Markdown how many works the base cites and how many were checked.

    The number of pages that a person has reviewed follows. Without works, the text is empty.
    """
    cited = works(library, base_uris, checks)
    if not cited:
        return ""
    _, summary = describe_works(cited)
    of_works = _embolden_share(summary) or f"{count(len(cited), 'work')}, none of them checked yet"
    sentences = [of_works]
    if summary:
        sentences += filter(None, [_describe_quotes(cited)])
    sentences.append(_reviews(library, base_uris))
    return f"{'. '.join(sentences)}. [All sources](sources.md)\n"


def _describe_quotes(cited: Sequence[CitedWork]) -> str:
    """Return how many quotes were found, and why others were compared with nothing.

    A reader would take these for quotes that are not there.
    """
    are_found = [is_found for work in cited for is_found in work.quotes]
    if not are_found:
        return ""
    unread = sum(work.unread_quotes for work in cited)
    waiting = sum(work.unchecked_quotes for work in cited) - unread
    compared = len(are_found) - unread - waiting
    found_count = number(sum(are_found))
    if not unread and not waiting:
        return f"**{found_count} of {count(compared, 'quote')}** found word for word"
    reasons = []
    if unread:
        are = "is" if unread == 1 else "are"
        reasons.append(f"{number(unread)} {are} in works that could not be read offline")
    if waiting:
        wait = "waits" if waiting == 1 else "wait"
        reasons.append(f"{number(waiting)} {wait} for the next check")
    of_compared = f"**{found_count} of {count(compared, 'compared quote')}** found word for word"
    return f"{of_compared if compared else 'No quote was compared'}; {', '.join(reasons)}"


def _embolden_share(summary: str) -> str:
    """Return the summary with its first share in bold: ``**2 of 3 works** checked``."""
    share, checked, rest = summary.partition(" checked")
    return f"**{share}**{checked}{rest}" if checked else summary


def _reviews(library: Library, base_uris: Container[str]) -> str:
    """Return how many of the pages that cite works a person has reviewed."""
    pages = [page for page in library.pages if page.uri in base_uris and page.references]
    reviewed = sum(map(is_reviewed, pages))
    if not reviewed:
        return "No page has been reviewed by a person yet"
    have = "has" if reviewed == 1 else "have"
    return f"{number(reviewed)} of {count(len(pages), 'page')} {have} been reviewed by a person"


def describe_works(works: Sequence[CitedWork]) -> tuple[str, str]:
    """Return how many works are cited, and how many were checked and when; empty if none was."""
    sites = {work.site for work in works} - {NO_SITE, OWN_DOCUMENTS}
    pages = {page.uri for work in works for page in work.pages}
    where = ""
    if sites:
        where = f" at {count(len(sites), 'site or repository', 'sites and repositories')}"
    citation_summary = f"{count(len(works), 'work')}{where}, cited by {count(len(pages), 'page')}"
    checked = _describe_checks(works)
    pinned = sum(bool(work.check and work.check.committed) for work in works)
    if pinned:
        checked += f", {number(pinned)} at a commit that cannot change"
    return citation_summary, checked


def _describe_checks(works: Sequence[CitedWork]) -> str:
    """Return how many works were read, when, and how many have no text any more or never had."""
    known = (work.check for work in works if work.check)
    checks = [check for check in known if check.day or check.status in LOST_STATUSES]
    if not checks:
        return ""
    statuses = [work.status for work in works]
    other_counts = count_statuses(
        status for status in statuses if status in LOST_STATUSES | {SourceStatus.OFFWEB}
    )
    days = sorted(check.day for check in checks if check.day)
    when = f" {_describe_days(days)}" if days else ""
    read_count, total = count_checked(statuses)
    summary = f"{number(read_count)} of {count(total, 'work')} checked{when}"
    return ", ".join([summary, *(f"{number(n)} {NAMES[status]}" for status, n in other_counts)])


def _describe_days(days: Sequence[str]) -> str:
    """Return the first and the last of sorted days for readers."""
    first, last = reader_day(days[0]), reader_day(days[-1])
    return f"on {first}" if first == last else f"from {first} to {last}"
