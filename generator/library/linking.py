"""Links plans, pages and drops into one :class:`Library`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from generator.library.claims import problems_of
from generator.library.drops import DropIndex
from generator.library.entries import RESERVED, Entry, Library
from generator.library.targets import casing_of, entry_title, page_uri
from generator.memory import Remember, ask
from generator.model import Drop, Page, Plan, Problem, Tree
from generator.page.drop import parse_drop
from generator.page.links import written_links
from generator.page.parse import parse_page
from generator.page.references import read_references
from generator.plan.parse import parse_bytes
from generator.problems import not_ignored


def link_tree(tree: Tree) -> Library:
    """The Library of a project's files: parsed, linked, with the works that each page cites."""
    return cite(link_files(tree), tree.pages)


def cite(library: Library, pages: Mapping[str, bytes], remember: Remember = ask) -> Library:
    """`library` with each page's references and links, and the Problems of its citations (K010 to K013).

    `pages` holds the pages' files, by uri; one that is not among them stays as it is.
    """
    problems = list(library.problems)
    cited: dict[str, Page] = {}
    for page in library.pages:
        if page.uri in RESERVED or page.uri not in pages:  # the site shows a page of its own in a reserved place
            cited[page.uri] = page
            continue
        text = pages[page.uri].decode("utf-8", errors="replace")
        references, found = remember(page.uri, read_references, text, page.uri)
        links = remember(page.uri, written_links, text)
        cited[page.uri] = replace(page, references=references, links=links) if references or links else page
        problems += found
    entries = tuple(replace(e, page=cited[e.page.uri]) if e.page else e for e in library.entries)
    told = not_ignored(problems, _comments(pages))
    return replace(library, pages=tuple(cited.values()), entries=entries, problems=_in_order(told))


def link_files(tree: Tree, remember: Remember = ask) -> Library:
    """The Library of a project's files, parsed and linked, without the works that its pages cite."""
    problems: list[Problem] = []
    plans = []
    for uri, raw in tree.plans.items():
        plan, found = remember(uri, parse_bytes, raw, uri)
        if not plan.is_template:
            plans.append(replace(plan, folder=tree.plans_dir))
            problems += found
    pages = []
    for uri, raw in tree.pages.items():
        page, found = remember(uri, parse_page, _text(raw, uri, problems), uri)
        pages.append(page)
        problems += found
    drops = [remember(uri, parse_drop, _text(raw, uri, problems), uri) for uri, raw in tree.drops.items()]
    library = link(plans, pages, drops, problems)
    return replace(
        library, problems=tuple(not_ignored(library.problems, _comments(tree.plans) | _comments(tree.drops)))
    )


def _comments(files: Mapping[str, bytes]) -> dict[str, str]:
    """The texts of those files that take a Problem back."""
    return {uri: raw.decode("utf-8", errors="replace") for uri, raw in files.items() if b"planbook-ignore" in raw}


def _text(raw: bytes, uri: str, problems: list[Problem]) -> str:
    """The text of a page or drop; one that is not UTF-8 adds K002 to `problems`."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8; save the file in this encoding"
        problems.append(Problem(uri, line, "K002", what))
        return raw.decode("utf-8", errors="replace")


def link(
    plans: Iterable[Plan], pages: Iterable[Page], drops: Iterable[Drop], problems: Iterable[Problem] = ()
) -> Library:
    """`plans`, `pages` and `drops` as one Library, with the Problems of each and of all together (P020 to P034)."""
    plans, pages, drops = tuple(plans), tuple(pages), tuple(drops)
    found = list(problems)
    by_uri = {page.uri: page for page in pages}
    drop_of = DropIndex(drops)
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
                    what = f"the generator makes {uri} itself; give PART {part.number}'s page another name"
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
