"""Inconsistencies across the whole base (K003, P021 to P033)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from generator.library.entries import RESERVED, Entry, Library, below_base
from generator.model import PageUri, Problem, State

_PREFIX = re.compile(r"^(\d+)[a-z]?[-_.]")


def problems_of(library: Library) -> Iterator[Problem]:
    """Return all inconsistencies of a library, as Problems."""
    for uri in RESERVED:
        # An author's INDEX.md is replaced without a Problem: the generated one has the same content.
        if uri in library.page_by_uri and uri != "INDEX.md":
            yield Problem(uri, 1, "K003", "a generated page replaces this page; rename it")
    yield from _of_base(library)
    moved = moved_pages(library)
    yield from _of_claims(library, moved)
    yield from _of_reads(library, moved)


def _of_base(library: Library) -> Iterator[Problem]:
    claims: dict[str, Entry] = {}
    prefixes: dict[tuple[str, str], str] = {}
    live = [e for e in library.entries if e.state is not State.DISABLED]
    for entry in live:
        other = claims.setdefault(entry.uri, entry)
        if other is not entry:
            what = f"{entry.uri} is the page of PART {other.part.number} in {other.plan.uri} already; name another page"
            yield Problem(entry.plan.uri, entry.part.line, "P021", what)
    for entry in sorted(live, key=lambda e: e.uri):
        path = PurePosixPath(entry.uri)
        prefix = _PREFIX.match(path.name)
        if not prefix:
            continue
        first = prefixes.setdefault((str(path.parent), prefix[1]), entry.uri)
        if first != entry.uri:
            both = f"{entry.uri} has the number {prefix[1]} that {first} has too"
            yield Problem(entry.plan.uri, entry.part.line, "P022", f"{both}; both are shown, but are easy to confuse")


def moved_pages(library: Library) -> dict[tuple[str, str], PageUri]:
    """Return the page meant by each broken path, by plan and path: the only one whose path ends in it.

    The pages of other PARTs are not candidates for a PART's own page.
    """
    by_end: dict[str, list[PageUri]] = defaultdict(list)
    for page in library.pages:
        for slash in re.finditer("/", page.uri):
            by_end[page.uri[slash.end() :]].append(page.uri)
    lost = [(e.plan, str(e.uri), library.by_uri) for e in library.entries if e.state is State.DONE and not e.is_there]
    reads = ((plan, read) for plan in library.plans for part in plan.parts for read in part.reads)
    missing = [*lost, *((plan, below_base(plan, read.path), {}) for plan, read in reads)]
    return {
        (plan.uri, path): by_end[path][0]
        for plan, path, others in missing
        if "/" in path and path not in library.page_by_uri and len(by_end.get(path, ())) == 1
        if by_end[path][0] not in others
    }


def _of_claims(library: Library, moved: Mapping[tuple[str, str], PageUri]) -> Iterator[Problem]:
    for entry in library.entries:
        part, line = entry.part, entry.part.status_line or entry.part.line
        if part.state is State.DONE and not entry.is_there:
            page = moved.get((entry.plan.uri, entry.uri))
            how = f"write {page} (`--fix` does)" if page else "write the page or open the PART"
            what = f"PART {part.number} is marked done, but {entry.uri} does not exist; {how}"
            yield Problem(entry.plan.uri, line, "P030", what)
        elif part.state in {State.OPEN, State.UNMARKED} and entry.is_there:
            what = f"PART {part.number} is marked open, but {entry.uri} exists; mark it `[✓]` if the page is complete"
            yield Problem(entry.plan.uri, line, "P031", what)
        elif part.state is State.DONE and part.drop and entry.drop is None:
            what = f"PART {part.number} is marked done, but its drop {part.drop} does not exist"
            yield Problem(entry.plan.uri, line, "P032", what)


def _of_reads(library: Library, moved: Mapping[tuple[str, str], PageUri]) -> Iterator[Problem]:
    known = {*library.page_by_uri, *(e.uri for e in library.entries)}
    names = {PurePosixPath(uri).name for uri in known}
    parts = ((plan, part) for plan in library.plans for part in plan.parts if part.state is not State.DISABLED)
    for plan, part in parts:
        for read in part.reads:
            path, name = below_base(plan, read.path), PurePosixPath(read.path).name
            is_list = read.path.endswith("/") or name.upper() in {"INDEX.MD", "SKILL.MD"}
            if not is_list and path not in known and read.path not in names:
                page = moved.get((plan.uri, path))
                how = f"; write {page} (`--fix` does)" if page else ""
                what = f"PART {part.number} builds on {read.path}, which is not in the base{how}"
                yield Problem(plan.uri, read.line, "P033", what)
