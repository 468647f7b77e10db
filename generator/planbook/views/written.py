"""The number of planned pages that are written, in words."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

from planbook.library import COUNTED_STATES, LibraryOf, ListedLibrary, ListedPage, NamedPage
from planbook.markdown.plain_text import count, is_or_are, number
from planbook.model import PageUri, Plan, State


def summary(library: ListedLibrary) -> str:
    """Return the number of pages, of written ones, and of plans, in words."""
    if library.plans:
        unplanned = len(unplanned_pages(library))
        return describe_pages(library, plans=len(library.plans), unplanned=unplanned)
    return "There are no plans yet."


def describe_pages(
    library: ListedLibrary,
    uris: Iterable[str] | None = None,
    plans: int = 0,
    unplanned: int = 0,
) -> str:
    """Return how many pages there are and how many of them are written.

    Only `uris` are counted, if they are given; else the planned pages, and the number of those
    without a plan.
    """
    counts = _PageCounts.of(library, uris, unplanned)
    sentences = []
    if counts.planned or not counts.unplanned:
        sentences.append(_describe_written(counts, plans))
    if counts.unplanned:
        have = "has" if counts.unplanned == 1 else "have"
        pages = number(counts.unplanned) if sentences else count(counts.unplanned, "page")
        sentences.append(f"{pages} {have} no plan")
    if counts.disabled:
        sentences.append(f"{number(counts.disabled)} more {is_or_are(counts.disabled)} left out")
    return f"{'; '.join(sentences)}."


@dataclass(frozen=True, slots=True)
class _PageCounts:
    """The numbers of pages that a sentence on them has."""

    planned: int
    """Pages of PARTs whose state counts."""
    written: int
    """Those of them that somebody has written."""
    collected: int
    """Those of them with collected passages."""
    unplanned: int
    """Pages in no plan, which are all written."""
    disabled: int

    @classmethod
    def of(cls, library: ListedLibrary, uris: Iterable[str] | None, unplanned: int) -> _PageCounts:
        """Return the numbers of the pages `uris`, or of the planned ones and those `unplanned`."""
        all_uris = library.by_uri if uris is None else dict.fromkeys(uris)
        entries = [library.by_uri[PageUri(uri)] for uri in all_uris if uri in library.by_uri]
        planned = [entry for entry in entries if entry.state in COUNTED_STATES]
        collected = sum(entry.is_collected for entry in planned)
        return cls(
            planned=len(planned),
            written=sum(entry.is_written for entry in planned) - collected,
            collected=collected,
            unplanned=unplanned + len(all_uris) - len(entries),
            disabled=sum(entry.state is State.DISABLED for entry in entries),
        )


def _describe_written(counts: _PageCounts, plans: int) -> str:
    """Return ``2 of 5 planned pages are written, 1 is collected passages, from 2 plans``."""
    total = counts.planned + counts.unplanned
    written = counts.written + counts.unplanned
    pages = count(total, "page" if counts.unplanned else "planned page")
    verb = is_or_are(1 if total == 1 else written)
    sentence = f"{number(written)} of {pages} {verb} written"
    if counts.collected:
        sentence += f", {number(counts.collected)} {is_or_are(counts.collected)} collected passages"
    if plans:
        sentence += f", from {count(plans, 'plan')}"
    return sentence


def count_written_pages(library: LibraryOf[NamedPage], plan: Plan) -> str:
    """Return ``2 of 4 pages, 1 collected``.

    How many of a plan's counted PARTs have a page, and of what kind.
    """
    parts = library.parts_with_pages(plan)
    of_parts = [library.entries_of(plan, part) for part in parts]
    written_count = sum(any(entry.page for entry in entries) for entries in of_parts)
    collected = sum(any(entry.is_collected for entry in entries) for entries in of_parts)
    if plan.parts and not parts:
        return "no pages"
    of_pages = f"{written_count} of {len(parts)} pages"
    return f"{of_pages}, {collected} collected" if collected else of_pages


def unplanned_pages(library: ListedLibrary) -> list[ListedPage]:
    """Return the pages that cite works, have a day, and stand beside planned ones, in no plan."""
    folders = {posixpath.dirname(uri) for uri in library.by_uri}
    return [
        page
        for page in library.pages
        if page.uri not in library.by_uri
        and posixpath.dirname(page.uri) in folders
        and page.created
        and page.number_of_works
    ]
