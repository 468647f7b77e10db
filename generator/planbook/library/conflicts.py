"""Problems across files (P021 to P033, K003): plans against each other, and against the disk."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from planbook.library.linked import Entry, Library
from planbook.library.names import place_in_target_folder
from planbook.library.top_pages import RESERVED_URIS
from planbook.model import WAITING_STATES, PageUri, Problem, State


def find_conflicts(library: Library) -> Iterator[Problem]:
    """Return all inconsistencies of a library, as Problems."""
    for uri in RESERVED_URIS:
        # An author's INDEX.md is replaced without a Problem: the generated one has the same
        # content.
        if uri in library.page_by_uri and uri != "INDEX.md":
            yield Problem(uri, 1, "K003", "a generated page replaces this page; rename it")
    moved = _pages_by_end(library)
    yield from _find_repeated_pages(library)
    yield from _compare_with_disk(library, moved)
    yield from _find_missing_reads(library, moved)


def _pages_by_end(library: Library) -> dict[str, PageUri]:
    """Return the page that a broken path may mean: the only one whose path ends in it."""
    by_end: dict[str, list[PageUri]] = defaultdict(list)
    for page in library.pages:
        for slash in re.finditer("/", page.uri):
            by_end[page.uri[slash.end() :]].append(page.uri)
    return {end: uris[0] for end, uris in by_end.items() if len(uris) == 1}


def _find_repeated_pages(library: Library) -> Iterator[Problem]:
    claims: dict[str, Entry] = {}
    for entry in library.entries:
        if entry.state is State.DISABLED or entry.part.is_group:
            continue
        other = claims.setdefault(entry.uri, entry)
        if other is not entry:
            defect = (
                f"{entry.uri} is the page of PART {other.part.number} in {other.plan.uri} already; "
                "name another page"
            )
            yield Problem(entry.plan.uri, entry.part.line, "P021", defect)


def _compare_with_disk(library: Library, moved: Mapping[str, PageUri]) -> Iterator[Problem]:
    """Yield P030, P031 and P032: what a PART claims, and what is there."""
    for entry in library.entries:
        part, line = entry.part, entry.part.status_line or entry.part.line
        name = f"PART {part.number} is marked"
        if part.state is State.DONE and not entry.is_written:
            yield _missing_page(library, entry, line, moved)
        elif part.state in WAITING_STATES and entry.is_written and not part.is_group:
            defect = f"{name} open, but {entry.uri} exists; mark it `[✓]` if the page is complete"
            yield Problem(entry.plan.uri, line, "P031", defect)
        elif part.state is State.DONE and part.drop and entry.drop is None:
            defect = f"{name} done, but its drop {part.drop} does not exist"
            yield Problem(entry.plan.uri, line, "P032", defect)


def _missing_page(
    library: Library, entry: Entry, line: int, moved: Mapping[str, PageUri]
) -> Problem:
    """Return P030, with a fix if the page lies elsewhere and no PART plans it there."""
    page = None if entry.plan.target_folder else moved.get(entry.uri)
    fix, advice = None, "write the page or open the PART"
    if page and page not in library.by_uri:
        fix, advice = (str(entry.uri), page), f"write {page} (`--fix` does)"
    defect = f"PART {entry.part.number} is marked done, but {entry.uri} does not exist; {advice}"
    return Problem(entry.plan.uri, line, "P030", defect, fix=fix)


def _find_missing_reads(library: Library, moved: Mapping[str, PageUri]) -> Iterator[Problem]:
    """Yield P033 for pages to read that are neither there nor planned."""
    known_uris = {*library.page_by_uri, *(entry.uri for entry in library.entries)}
    names = {uri.rpartition("/")[2] for uri in known_uris}
    for plan in library.plans:
        for part in plan.parts:
            if part.state is State.DISABLED:
                continue
            for read in part.reads:
                path = place_in_target_folder(plan, read.path)
                if _is_list(read.path) or path in known_uris or read.path in names:
                    continue
                page = None if plan.target_folder else moved.get(path)
                advice = f"; write {page} (`--fix` does)" if page else ""
                defect = (
                    f"PART {part.number} builds on {read.path}, which is not in the base{advice}"
                )
                fix = (read.path, page) if page else None
                yield Problem(plan.uri, read.line, "P033", defect, fix=fix)


def _is_list(path: str) -> bool:
    """Return True for a folder, and for a page that lists others."""
    return path.endswith("/") or PurePosixPath(path).name.upper() in {"INDEX.MD", "SKILL.MD"}
