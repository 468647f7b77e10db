"""Plans, pages and drops linked into one :class:`Library`, and inconsistencies across it. Pure functions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from generator.cache import UNCACHED, FunctionCache
from generator.citations.references import read_references
from generator.citations.source_lists import lists_sources
from generator.library.entries import RESERVED, Entry, Library, base_of, below_base, casing_of, entry_title, page_uri
from generator.library.pages import parse_page, read_drop, section_titles, written_links
from generator.markdown.document import decoded
from generator.model import Drop, Page, PageUri, Part, Plan, Problem, State, Tree
from generator.plan.parse import parse_bytes
from generator.problems import not_ignored


def link_tree(tree: Tree, calls: FunctionCache = UNCACHED) -> Library:
    """Return the Library of a project's files: parsed, linked, with the works that each page cites.

    `calls` caches the results for unchanged files.
    """
    plans = calls.map(parse_bytes, [(raw, uri) for uri, raw in tree.plans.items()])
    plans = [
        (replace(plan, folder=tree.plans_dir, base=base_of(plan.uri, tree.plans_dir, tree.bases)), found)
        for plan, found in plans
        if not plan.is_template
    ]
    pages = calls.map(read_page, [(raw, uri, uri in RESERVED) for uri, raw in tree.pages.items()])
    drops = calls.map(read_drop, [(raw, uri) for uri, raw in tree.drops.items()])
    problems = [problem for read in (plans, pages, drops) for _, found in read for problem in found]
    library = link([plan for plan, _ in plans], [page for page, _ in pages], [drop for drop, _ in drops], problems)
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
                uri, line, name = page_uri(plan, target), part.status_line or part.line, f"PART {part.number}'s page"
                if uri is None:
                    what = f"{name} {target!r} leaves the base; write a path such as `cuda/10-name.md`"
                    found.append(Problem(plan.uri, line, "P020", what))
                elif uri in RESERVED:
                    found.append(Problem(plan.uri, line, "K003", f"{uri} is generated; give {name} another name"))
                else:
                    page = by_uri.get(uri)
                    title = page.title if page else entry_title(part, uri, casing)
                    entries.append(Entry(plan, part, uri, title, page, drop_of.find(plan, part, uri)))
    library = Library(plans, pages, drops, tuple(entries), ())
    found += [*problems_of(library), *drop_of.unclaimed()]
    return replace(library, problems=tuple(sorted(found, key=lambda p: (p.uri, p.line, p.code))))


# --- one page --------------------------------------------------------------------------------------------------------


def read_page(raw: bytes, uri: str, is_replaced: bool) -> tuple[Page, tuple[Problem, ...]]:
    """Return the page in a file's bytes, with its references and links, and its Problems (K001 to K013).

    A page that the generator replaces has neither references nor links.
    """
    text, problems = decoded(raw, uri, "K002")
    page, found = parse_page(text, uri)
    if is_replaced:
        return page, (*problems, *found)
    references, of_references = read_references(text, uri)
    sections = tuple(title for title in section_titles(text) if not lists_sources(title))
    page = replace(page, references=references, links=written_links(text), sections=sections)
    return page, (*problems, *found, *of_references)


# --- drops -----------------------------------------------------------------------------------------------------------


DATE_AND_TIME = re.compile(
    r"(?:-(?:\d{4}-\d{2}-\d{2}|\d{4}|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|date|time|yyyy-mm-dd|hhmm))+$", re.IGNORECASE
)
"""The date and time at the end of a drop's name, or the placeholder for them."""


class DropIndex:
    """Finds the drop of a PART by its front matter, by the page it names, or by the file name in the plan.

    Otherwise a drop that names the PART's number belongs to it if the plan is the only one in the drop's folder.
    """

    def __init__(self, drops: Sequence[Drop], plans: Sequence[Plan] = ()) -> None:
        plans_in = Counter(_folder(plan) for plan in plans)
        self._alone = {_folder(plan): plan for plan in plans if plans_in[_folder(plan)] == 1}
        self._beside: dict[tuple[str, int | None], list[Drop]] = defaultdict(list)
        self._by_page: dict[str, list[Drop]] = defaultdict(list)
        self._by_name: dict[str, list[Drop]] = defaultdict(list)
        self._by_part: dict[tuple[str, int | None], list[Drop]] = defaultdict(list)
        for drop in drops:
            if drop.plan:
                self._by_part[drop.plan, drop.part].append(drop)
            if drop.page:
                self._by_page[drop.page.removeprefix("./").removeprefix("docs/")].append(drop)
            if not drop.plan:
                self._beside[drop.folder, drop.part].append(drop)
            self._by_name[_name_key(drop.name)].append(drop)
        self._drops, self._taken = drops, set[str]()

    def find(self, plan: Plan, part: Part, uri: PageUri) -> Drop | None:
        """Return the newest drop of `part`."""
        found = self._by_part.get((plan.slug, part.number), [])
        if not found and part.state is not State.DISABLED:
            found = self._without_plan(plan, part, uri)
        self._taken |= {drop.uri for drop in found}
        return max(found, key=lambda d: (d.timestamp or "", d.uri), default=None)

    def _without_plan(self, plan: Plan, part: Part, uri: PageUri) -> list[Drop]:
        """Return the drops of a PART by its page, by their name, or by their folder and its number."""
        found = [d for d in self._by_page.get(uri, []) if not d.plan or d.plan == plan.slug]
        if not found and part.drop:
            named = self._by_name.get(_name_key(part.drop), [])
            found = [d for d in named if not d.page or page_uri(plan, d.page) == uri]
        if not found and self._alone.get(_folder(plan)) is plan:
            beside = self._beside.get((_folder(plan), part.number), [])
            targets = (target for other in plan.parts if other is not part for target in other.targets)
            others = {page_uri(plan, target) for target in targets} if any(drop.page for drop in beside) else set()
            found = [d for d in beside if not d.page or page_uri(plan, d.page) not in others]
        return found

    def unclaimed(self) -> list[Problem]:
        """Return a Problem for each drop that belongs to no PART."""
        what = "no PART asks for this drop; name its plan and part in its front matter"
        beside = {(folder, part.number) for folder, plan in self._alone.items() for part in plan.parts}
        left = [d for d in self._drops if d.uri not in self._taken and (d.plan or (d.folder, d.part) not in beside)]
        return [Problem(drop.uri, 1, "P034", what) for drop in left]


def _folder(plan: Plan) -> str:
    return plan.uri.rpartition("/")[0]


def _name_key(name: str) -> str:
    """Return a drop's name without date, time and their placeholders."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".md").lower()
    return DATE_AND_TIME.sub("", stem)


# --- inconsistencies --------------------------------------------------------------------------------------------------


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
