"""The number of planned pages that are written, in words."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

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
    of = library.by_uri if uris is None else dict.fromkeys(uris)
    entries = [library.by_uri[PageUri(uri)] for uri in of if uri in library.by_uri]
    planned = [entry for entry in entries if entry.state in COUNTED_STATES]
    collected = sum(entry.is_collected for entry in planned)
    written_count = sum(entry.is_written for entry in planned) - collected
    disabled = sum(entry.state is State.DISABLED for entry in entries)
    unplanned += len(of) - len(entries)
    sentences = []
    if planned or not unplanned:
        pages = count(len(planned) + unplanned, "page" if unplanned else "planned page")
        written_count += unplanned
        are = "is" if written_count == 1 or pages.startswith("1 ") else "are"
        written = f"{number(written_count)} of {pages} {are} written"
        if collected:
            written += f", {number(collected)} {is_or_are(collected)} collected passages"
        if plans:
            written += f", from {count(plans, 'plan')}"
        sentences.append(written)
    if unplanned:
        have = "has" if unplanned == 1 else "have"
        pages = number(unplanned) if sentences else count(unplanned, "page")
        sentences.append(f"{pages} {have} no plan")
    if disabled:
        sentences.append(f"{number(disabled)} more {is_or_are(disabled)} left out")
    return f"{'; '.join(sentences)}."


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
