"""The origins of a page: what it was made from, as its drop records them.

A partial PART is open work: it is filled again if its plan, the documents, the repositories, its
sources, the writer or the options of the search are others than when its page was made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from planbook.library import Entry, Library
from planbook.library.drops import age_of_drop
from planbook.model import Drop, Part

PLAN = "plan"
DOCUMENTS = "documents"
REPOSITORIES = "repositories"
SOURCES = "sources"
WRITER = "writer"
SEARCH = "search"
"""The keys of `made_from` in a drop."""
_CHANGES = {
    PLAN: "its plan has changed",
    DOCUMENTS: "the documents have changed",
    REPOSITORIES: "a repository has changed",
    SOURCES: "`planbook verify` found that its sources have changed",
    SEARCH: "the options of the search have changed",
}


def short_digest(*values: object) -> str:
    """Return a short hash of values, for a drop."""
    return hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def part_digest(part: Part) -> str:
    """Return the hash of all of a PART that a page is made from.

    Its marks and notes are not, nor is where it is.
    """
    page = (part.title, part.page_title, part.goal, part.targets, part.lines_budget)
    steps = [(step.title, [task.text for task in step.tasks]) for step in part.steps]
    reads = [(read.path, read.remark) for read in part.reads]
    greps = tuple(grep.text for grep in part.greps)
    asked = (part.queries, part.points, part.sections, part.sources, greps, part.gaps)
    return short_digest(*page, steps, reads, asked)


def drop_of(library: Library, entry: Entry) -> Drop | None:
    """Return the newest drop of the page of an entry that says what the page was made from."""
    key = entry.plan.slug, entry.part.number, str(entry.uri)
    made = [drop for drop in library.drops if drop.page_sha256]
    of_page = [drop for drop in made if (drop.plan, drop.part, drop.page) == key]
    return max(of_page, key=age_of_drop, default=None)


def describe_changes(earlier: Iterable[tuple[str, str]], now: Mapping[str, str]) -> str:
    """Return what has changed since a page was made, in words.

    The result is empty if nothing has, as far as it is known.
    """
    changes = []
    for key, old in {SOURCES: "", **dict(earlier)}.items():
        new = now.get(key, old)
        is_unknown = key == SOURCES and not new
        if new == old or is_unknown:
            continue
        if key == WRITER:
            changes.append(f"the writer was {old}, and is {new}")
        elif key in _CHANGES:
            changes.append(_CHANGES[key])
    return "; ".join(changes)
