"""Make the Library of a project's files: parse, place, link, and compare."""

from __future__ import annotations

import functools
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from planbook.library.conflicts import find_conflicts
from planbook.library.drops import DropIndex, decode_drop
from planbook.library.linked import Entry, EntryOf, Library, add_page_to_entry
from planbook.library.links import find_spelling
from planbook.library.names import casing_of, entry_title, find_target_folder, page_uri
from planbook.library.pages import read_page
from planbook.library.top_pages import RESERVED
from planbook.model import Drop, Page, PageUri, Part, Plan, Problem, Tree
from planbook.plan.parse import NAMED_LIKE_PLAN, find_plan_in_page, may_have_part, parse_bytes
from planbook.problems import not_ignored
from planbook_speed.cache import UNCACHED, CallBatch, FunctionCache


class _Posts(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class ParsedTree:
    """Each file of a tree by itself, with its Problems."""

    plans: Sequence[tuple[Plan, list[Problem]]]
    pages: Sequence[tuple[Page, list[Problem]]]
    drops: Sequence[tuple[Drop, list[Problem]]]

    @property
    def problems(self) -> Iterator[Problem]:
        """Yield the Problems of all files."""
        for parsed in (self.plans, self.pages, self.drops):
            for _, problems in parsed:
                yield from problems


def _parse_batches(tree: Tree) -> tuple[CallBatch, CallBatch, CallBatch]:
    """Return the calls whose results are the fields of a `ParsedTree`, in their order."""
    return (
        (parse_bytes, [(raw, uri) for uri, raw in tree.plans.items()]),
        (read_page, [(raw, uri, uri in RESERVED) for uri, raw in tree.pages.items()]),
        (decode_drop, [(raw, uri) for uri, raw in tree.drops.items()]),
    )


def link_tree(tree: Tree, cache: FunctionCache = UNCACHED, *others: CallBatch) -> Library:
    """Return the Library of a project's files: parsed, linked, with the works that each page cites.

    `cache` has the results for unchanged files.

    The `others` are called, too, and `cache` has their results from then on: forked processes start
    once for all.
    """
    plans, pages, drops, *_ = cache.from_disk(*_parse_batches(tree), *others)
    return _link_parsed(tree, ParsedTree(plans, pages, drops), cache)


def _link_parsed(tree: Tree, parsed: ParsedTree, cache: FunctionCache) -> Library:
    """Return the Library of a tree whose files are parsed."""
    # The Problems of the others are not reported: nobody works through a form to copy.
    plans = [row for row in parsed.plans if _counts_as_plan(row[0], tree.plans)]
    problems = list(replace(parsed, plans=plans).problems)
    problems += tree.unread
    problems += _plans_among_pages(tree, cache)
    library = _link(
        [_place_plan(plan, tree, cache) for plan, _ in plans],
        [page for page, _ in parsed.pages],
        [drop for drop, _ in parsed.drops],
        _Posts(tree.post_folders, tree.posts),
        cache,
    )
    problems = sorted([*problems, *library.problems], key=attrgetter("uri", "line", "code"))
    return replace(library, problems=tuple(not_ignored(problems, tree.files)))


def _counts_as_plan(plan: Plan, uris: Container[str]) -> bool:
    """Return False for a form to copy, and for a text without PARTs beside its ``tasks.md``."""
    tasks_beside = str(plan.uri).removesuffix("/plan.md") + "/tasks.md"
    return not plan.is_template and (bool(plan.parts) or tasks_beside not in uris)


def _place_plan(plan: Plan, tree: Tree, cache: FunctionCache) -> Plan:
    target_folder = find_target_folder(plan.uri, tree.plans_dir, tree.target_folders)
    [placed] = cache.from_last_build(
        _placed_plan, {plan.uri: (plan, tree.plans_dir, target_folder)}
    )
    return placed


def _plans_among_pages(tree: Tree, cache: FunctionCache) -> list[Problem]:
    """Return K036 for pages that read like plans, or are named like one."""
    candidates = []
    # A quick test comes first: to parse every page as a plan, too, would take long.
    texts = {uri: (raw,) for uri, raw in tree.pages.items()}
    have_part = cache.from_last_build(may_have_part, texts)
    for (uri, raw), has_part in zip(tree.pages.items(), have_part, strict=True):
        if has_part or NAMED_LIKE_PLAN.search(uri):
            candidates.append((raw, uri, tree.docs_dir))
    [problems_of_pages] = cache.from_disk((find_plan_in_page, candidates))
    return [problem for problems in problems_of_pages for problem in problems]


def _placed_plan(plan: Plan, folder: str, target_folder: str) -> Plan:
    return replace(plan, folder=folder, target_folder=target_folder)


def _link(
    plans: Sequence[Plan],
    pages: Sequence[Page],
    drops: Sequence[Drop],
    posts: _Posts,
    cache: FunctionCache,
) -> Library:
    """Link plans, pages and drops into one Library, with the Problems across them."""
    by_uri = {page.uri: page for page in pages}
    # In two steps, because the first does not depend on the texts of pages: after an edit, a server
    # repeats only the second, for one entry.
    files: tuple[Plan | Drop, ...] = (*plans, *drops)
    planned, of_all = cache.from_last_build_once(_planned, files, tuple(by_uri), posts, cache)
    pairs = {n: (entry, by_uri.get(entry.uri)) for n, entry in enumerate(planned)}
    entries = cache.from_last_build(add_page_to_entry, pairs)
    return Library(tuple(plans), tuple(pages), tuple(entries), tuple(drops), tuple(of_all))


def _planned(
    files: tuple[Plan | Drop, ...], uris: tuple[PageUri, ...], posts: _Posts, cache: FunctionCache
) -> tuple[list[Entry], list[Problem]]:
    """Return the entries of plans and drops, without their pages, and the Problems across files.

    Pages exist at `uris`. No text of a page makes a difference, so that a server does this once
    until files come, go or are planned.
    """
    plans = tuple(file for file in files if isinstance(file, Plan))
    drops = tuple(file for file in files if isinstance(file, Drop))
    by_uri = {uri: Page(uri, "", 0) for uri in uris}  # only that they exist counts here
    drop_of = DropIndex(drops, plans)
    entries, problems = list[Entry](), list[Problem]()
    for plan in plans:
        # Read from the plan for its first page without a title, if there is one.
        casing = functools.cache(partial(_casing_of, plan, cache))
        for part, target in _targets_of(plan):
            uri = page_uri(plan, target)
            if uri is None or uri in RESERVED:
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
    return entries, [*problems, *find_conflicts(library), *drop_of.unclaimed()]


def _casing_of(plan: Plan, cache: FunctionCache) -> Mapping[str, str]:
    [casing] = cache.from_last_build(casing_of, {plan.uri: (plan,)})
    return casing


def _targets_of(plan: Plan) -> Iterator[tuple[Part, str]]:
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
