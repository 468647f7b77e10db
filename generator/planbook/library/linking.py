"""Make the Library of a project's files: parse, place, link, and compare."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

from planbook.library.drops import decode_drop
from planbook.library.linked import Library, add_page_to_entry
from planbook.library.names import casing_of, find_target_folder
from planbook.library.pages import read_page
from planbook.library.planned_entries import PlannedEntries, Posts, plan_entries
from planbook.library.top_pages import RESERVED_URIS
from planbook.model import Drop, Page, PageUri, Plan, Problem, Tree
from planbook.plan.parse import NAMED_LIKE_PLAN, find_plan_in_page, may_have_part, parse_bytes
from planbook.problems import not_ignored
from planbook_cache.functions import NO_CACHE, CallBatch, FunctionCache


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
        (read_page, [(raw, uri, uri in RESERVED_URIS) for uri, raw in tree.pages.items()]),
        (decode_drop, [(raw, uri) for uri, raw in tree.drops.items()]),
    )


def link_tree(tree: Tree, cache: FunctionCache = NO_CACHE, *other_calls: CallBatch) -> Library:
    """Return the Library of a project's files: parsed, linked, with the works that each page cites.

    `cache` has the results for unchanged files.

    The `other_calls` are called, too, and `cache` has their results from then on: forked processes
    start once for all.
    """
    plans, pages, drops, *_ = cache.from_disk(*_parse_batches(tree), *other_calls)
    return _link_parsed(tree, ParsedTree(plans, pages, drops), cache)


def _link_parsed(tree: Tree, parsed: ParsedTree, cache: FunctionCache) -> Library:
    """Return the Library of a tree whose files are parsed."""
    # The Problems of the others are not reported: nobody works through a form to copy.
    plans = [row for row in parsed.plans if _counts_as_plan(row[0], tree.plans)]
    problems = list(replace(parsed, plans=plans).problems)
    problems += tree.unread
    problems += _plans_among_pages(tree, cache)
    library = _link_base(
        [_place_plan(plan, tree, cache) for plan, _ in plans],
        [page for page, _ in parsed.pages],
        [drop for drop, _ in parsed.drops],
        Posts(tree.post_folders, tree.posts),
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


def _link_base(
    plans: Sequence[Plan],
    pages: Sequence[Page],
    drops: Sequence[Drop],
    posts: Posts,
    cache: FunctionCache,
) -> Library:
    """Link plans, pages and drops into one Library, with the Problems across them."""
    by_uri = {page.uri: page for page in pages}
    # In two steps, because the first does not depend on the texts of pages: after an edit, a server
    # repeats only the second, for one entry.
    planned, of_all = cache.from_last_build_once(
        _plan_entries, tuple(plans), tuple(drops), tuple(by_uri), posts, cache
    )
    pairs = {n: (entry, by_uri.get(entry.uri)) for n, entry in enumerate(planned)}
    entries = cache.from_last_build(add_page_to_entry, pairs)
    return Library(tuple(plans), tuple(pages), tuple(entries), tuple(drops), tuple(of_all))


def _plan_entries(
    plans: tuple[Plan, ...],
    drops: tuple[Drop, ...],
    uris: tuple[PageUri, ...],
    posts: Posts,
    cache: FunctionCache,
) -> PlannedEntries:
    """Return `plan_entries`, with the spelling of unchanged plans from a cache."""
    return plan_entries(plans, drops, uris, posts, partial(_cached_casing, cache))


def _cached_casing(cache: FunctionCache, plan: Plan) -> Mapping[str, str]:
    """Return the spelling of the folders and names of a plan's pages, from a cache if unchanged."""
    [casing] = cache.from_last_build(casing_of, {plan.uri: (plan,)})
    return casing
