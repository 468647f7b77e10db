"""The entries of plans: one for each page that a PART names. Pure.

No text of a page makes a difference here, so that a server does this once until files come, go or
are planned; `linking` adds the pages.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from planbook.library.conflicts import find_conflicts
from planbook.library.drops import DropIndex
from planbook.library.linked import Entry, EntryOf, Library
from planbook.library.links import find_spelling
from planbook.library.names import entry_title, page_uri
from planbook.library.top_pages import RESERVED_URIS
from planbook.model import Drop, Page, PageUri, Part, Plan, Problem


class Posts(NamedTuple):
    """The files of blogs, whose plugin reads each page in their folders as a post.

    A tuple, so that a server sees that it is the same as in the last build.
    """

    folders: tuple[str, ...]
    existing: frozenset[str]

    def has(self, uri: str) -> bool:
        """Return True for a page in one of the folders."""
        return uri.startswith(tuple(f"{folder}/" for folder in self.folders))

    def problems(self, plan: Plan, part: Part, uri: PageUri) -> Iterator[Problem]:
        """Yield P022 for the page of a PART, unless its author has written the post."""
        if uri in self.existing:
            return
        line = part.status_line or part.line
        defect = f"PART {part.number}'s page {uri} is in a folder of a blog and is left out"
        fix = "plan it in another folder, or write the post there yourself"
        yield Problem(plan.uri, line, "P022", f"{defect}; {fix}")


class PlannedEntries(NamedTuple):
    """Entries without their pages, and the Problems across the files that they are from."""

    entries: Sequence[Entry]
    problems: Sequence[Problem]


def plan_entries(
    plans: tuple[Plan, ...],
    drops: tuple[Drop, ...],
    uris: Sequence[PageUri],
    posts: Posts,
    casing_of: Callable[[Plan], Mapping[str, str]],
) -> PlannedEntries:
    """Return the entries of all plans, in their order.

    Args:
        plans: the plans.
        drops: the reports of attempts at their PARTs.
        uris: the pages that exist.
        posts: the pages that another plugin reads.
        casing_of: returns a plan's spelling of names; only called for a page without a title.
    """
    by_uri = {uri: Page(uri, "", 0) for uri in uris}  # only that they exist counts here
    drop_of = DropIndex(drops, plans)
    entries, problems = list[Entry](), list[Problem]()
    for plan in plans:
        casing = functools.cache(partial(casing_of, plan))
        for part, target in _targets_of(plan):
            uri = page_uri(plan, target)
            if uri is None or uri in RESERVED_URIS:
                problems.append(_problem_with_target(plan, part, target, uri))
                continue
            uri = PageUri(find_spelling(uri, by_uri))
            page = by_uri.get(uri)
            if page is None and posts.has(uri):
                problems += posts.problems(plan, part, uri)
                continue
            title = "" if page else entry_title(part, uri, casing)
            entries.append(EntryOf(plan, part, uri, title, page, drop_of.find(plan, part, uri)))
    library = Library(plans, tuple(by_uri.values()), tuple(entries), drops, ())
    problems += find_conflicts(library)
    problems += drop_of.unclaimed()
    return PlannedEntries(entries, problems)


def _targets_of(plan: Plan) -> Iterator[tuple[Part, str]]:
    """Yield each page that a plan names, with its PART."""
    for part in plan.parts:
        for target in part.pages:
            yield part, target


def _problem_with_target(plan: Plan, part: Part, target: str, uri: PageUri | None) -> Problem:
    """Return P020 for a target outside the base, or K003 for a generated page."""
    line, name = part.status_line or part.line, f"PART {part.number}'s page"
    if uri is None:
        defect = f"{name} {target!r} leaves the base; write a path such as `cuda/10-name.md`"
        return Problem(plan.uri, line, "P020", defect)
    return Problem(plan.uri, line, "K003", f"{uri} is generated; give {name} another name")
