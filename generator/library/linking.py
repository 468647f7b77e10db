"""Link plans, pages and drops into one :class:`Library`. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from generator.cache import UNCACHED, FunctionCache
from generator.citations.references import read_references
from generator.library.claims import problems_of
from generator.library.drops import DropIndex
from generator.library.entries import RESERVED, Entry, Library, base_of, casing_of, entry_title, page_uri
from generator.model import Drop, Page, Plan, Problem, Tree
from generator.page.links import written_links
from generator.page.parse import decoded, parse_page, read_drop
from generator.plan.parse import parse_bytes
from generator.problems import not_ignored


def link_tree(tree: Tree, calls: FunctionCache = UNCACHED) -> Library:
    """Return the Library of a project's files: parsed, linked, with the works that each page cites.

    `calls` caches the results for unchanged files.
    """
    problems: list[Problem] = []
    plans = []
    for plan, found in calls.map(parse_bytes, [(raw, uri) for uri, raw in tree.plans.items()]):
        if not plan.is_template:
            base = base_of(plan.uri, tree.plans_dir, tree.bases)
            plans.append(replace(plan, folder=tree.plans_dir, base=base))
            problems += found
    pages = []
    for page, found in calls.map(read_page, [(raw, uri, uri in RESERVED) for uri, raw in tree.pages.items()]):
        pages.append(page)
        problems += found
    drops = []
    for drop, found in calls.map(read_drop, [(raw, uri) for uri, raw in tree.drops.items()]):
        drops.append(drop)
        problems += found
    library = link(plans, pages, drops, problems)
    comments = _comments(tree.plans) | _comments(tree.drops) | _comments(tree.pages)
    return replace(library, problems=tuple(not_ignored(library.problems, comments)))


def _comments(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the texts of files with comments that suppress Problems."""
    return {uri: raw.decode("utf-8", errors="replace") for uri, raw in files.items() if b"planbook-ignore" in raw}


def link(
    plans: Iterable[Plan], pages: Iterable[Page], drops: Iterable[Drop], problems: Iterable[Problem] = ()
) -> Library:
    """Link `plans`, `pages` and `drops` into one Library, with Problems of each and across them (P020 to P034)."""
    plans, pages, drops = tuple(plans), tuple(pages), tuple(drops)
    found = list(problems)
    by_uri = {page.uri: page for page in pages}
    drop_of = DropIndex(drops, plans)
    entries: list[Entry] = []
    for plan in plans:
        casing = casing_of(plan)
        for part in plan.parts:
            for target in part.targets:
                uri = page_uri(plan, target)
                if uri is None:
                    what = (
                        f"PART {part.number}'s page {target!r} leaves the base; write a path such as `cuda/10-name.md`"
                    )
                    found.append(Problem(plan.uri, part.status_line or part.line, "P020", what))
                    continue
                if uri in RESERVED:
                    what = f"{uri} is generated; give PART {part.number}'s page another name"
                    found.append(Problem(plan.uri, part.status_line or part.line, "K003", what))
                    continue
                page = by_uri.get(uri)
                title = page.title if page else entry_title(part, uri, casing)
                entries.append(Entry(plan, part, uri, title, page, drop_of.find(plan, part, uri)))
    library = Library(plans, pages, drops, tuple(entries), ())
    found += [*problems_of(library), *drop_of.unclaimed()]
    return Library(plans, pages, drops, tuple(entries), _in_order(found))


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.uri, p.line, p.code)))


# --- one page --------------------------------------------------------------------------------------------------------


def read_page(raw: bytes, uri: str, is_replaced: bool) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in a file's bytes, with its references and links, and its Problems (K001 to K013).

    A page that the generator replaces has neither references nor links.
    """
    text, problems = decoded(raw, uri)
    page, found = parse_page(text, uri)
    if is_replaced:
        return page, (*problems, *found)
    references, of_references = read_references(text, uri)
    page = replace(page, references=references, links=written_links(text))
    return page, (*problems, *found, *of_references)
