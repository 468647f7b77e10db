"""Plans, pages and drops as one :class:`Library`, the links between them, and inconsistencies. Pure functions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from operator import attrgetter
from pathlib import PurePosixPath
from typing import TypeVar

from planbook.library.names import base_of, below_base, casing_of, drop_name, entry_title, page_uri
from planbook.library.pages import Edge, Names, decode_drop, read_page, resolved, spelled
from planbook.markdown.plain_text import plain_text
from planbook.model import Drop, Page, PageUri, Part, Plan, Problem, Reference, State, Tree
from planbook.plan.parse import NAMED_LIKE_PLAN, may_have_part, parse_bytes, plan_in_page
from planbook.problems import not_ignored
from planbook_speed.cache import UNCACHED, Calls, FunctionCache

K = TypeVar("K")
T = TypeVar("T")

COUNTED = (State.DONE, State.PARTIAL, State.OPEN, State.UNMARKED, State.SKIPPED)
"""The states that count in totals; disabled PARTs do not."""


@dataclass(frozen=True, slots=True)
class TopPage:
    """A generated page at the top of the site, of which there is one in a base."""

    uri: PageUri
    is_always_made: bool = True
    """True if every site has it, in place of an author's. Else it is made if there is need, unless an author has."""


INDEX, PROGRESS, SOURCES = PageUri("INDEX.md"), PageUri("progress.md"), PageUri("sources.md")
GRAPH, MESSAGES, TAGS = PageUri("graph.md"), PageUri("messages.md"), PageUri("tags.md")

TOP_PAGES = (
    TopPage(INDEX),
    TopPage(MESSAGES, is_always_made=False),
    TopPage(TAGS, is_always_made=False),
    TopPage(PROGRESS),
    TopPage(SOURCES),
    TopPage(GRAPH),
)
"""All such pages, in the order of the navigation, which is made from this table; so are the reserved names."""
RESERVED = tuple(page.uri for page in TOP_PAGES if page.is_always_made)
"""Pages that are always generated."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One target page of one PART, with its page and drop on disk."""

    plan: Plan
    part: Part
    uri: PageUri
    title: str
    page: Page | None
    drop: Drop | None

    @property
    def state(self) -> State:
        """The state that the plan claims."""
        return self.part.state

    @property
    def is_there(self) -> bool:
        """True if the finished page exists."""
        return self.page is not None

    @property
    def is_collected(self) -> bool:
        """True if its page consists of collected passages, which nobody has written up."""
        return self.page is not None and self.page.is_collected

    @property
    def is_amiss(self) -> bool:
        """True if plan and disk differ: marked done but no page, or open although the page exists."""
        claimed = self.state is State.DONE
        if self.part.is_group and self.is_there:
            return False
        return claimed != self.is_there and self.state not in {State.DISABLED, State.SKIPPED, State.PARTIAL}

    @property
    def description(self) -> str:
        """A one-line description: the page's own, or the plan's."""
        if self.page and self.page.description:
            return self.page.description
        if self.part.goal:
            return plain_text(self.part.goal)
        titles = [plain_text(section.title) for section in self.part.sections]
        return "; ".join(titles[:4]) + ("; …" if len(titles) > 4 else "") if titles else ""


WORDS_A_MINUTE = 230
"""As many words are read in a minute; lists show minutes."""
_UNNAMED = Reference("", "")
"""A reference of which only the number is shown."""


@dataclass(frozen=True)
class Library:
    """Everything the site shows, linked."""

    plans: tuple[Plan, ...]
    pages: tuple[Page, ...]
    drops: tuple[Drop, ...]
    entries: tuple[Entry, ...]
    """One for each target of each PART, in plan order."""
    problems: tuple[Problem, ...]

    @cached_property
    def by_uri(self) -> Mapping[PageUri, Entry]:
        """The entry that owns each page: if several claim it, the first that is not disabled."""
        owners: dict[PageUri, Entry] = {}
        for entry in sorted(self.entries, key=lambda e: e.state is State.DISABLED):
            owners.setdefault(entry.uri, entry)
        return owners

    @cached_property
    def page_by_uri(self) -> Mapping[str, Page]:
        """Every page that exists, by uri."""
        return {page.uri: page for page in self.pages}

    @cached_property
    def counts(self) -> Counter[State]:
        """The number of PARTs in each state."""
        return Counter(part.state for plan in self.plans for part in plan.parts)

    @cached_property
    def by_part(self) -> Mapping[tuple[str, int], tuple[Entry, ...]]:
        """Each PART's entries, by plan uri and heading line."""
        return group_by(self.entries, lambda entry: (entry.plan.uri, entry.part.line))

    def names(self, files: Iterable[str] = ()) -> Names:
        """Return what wikilinks may name: the written and planned pages, and `files`."""
        titles: dict[str, tuple[str, ...]] = {uri: (entry.title,) for uri, entry in self.by_uri.items()}
        for page in self.pages:
            aliases = page.meta_value("aliases")
            others = aliases if isinstance(aliases, list) else [aliases or page.title]
            titles[page.uri] = (page.title, *map(str, others))
        return Names(titles, files)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Links between pages: those in their texts, and the pages that PARTs build on."""
        return (*_links(self), *_pages_to_read(self))

    @cached_property
    def backlinks(self) -> Mapping[str, tuple[Edge, ...]]:
        """The incoming edges of each page, one per source; a link takes precedence over a plan's reference."""
        return _grouped(self.edges, lambda edge: (edge.target, edge.source))

    @cached_property
    def onward(self) -> Mapping[str, tuple[Edge, ...]]:
        """The outgoing edges of each page, one per target."""
        return _grouped(self.edges, lambda edge: (edge.source, edge.target))

    @cached_property
    def problems_by_uri(self) -> Mapping[str, tuple[Problem, ...]]:
        """The Problems of each file."""
        return group_by(self.problems, lambda problem: problem.uri)

    @cached_property
    def plan_problems(self) -> tuple[Problem, ...]:
        """The Problems of plans and drops."""
        files = {*(str(plan.uri) for plan in self.plans), *(str(drop.uri) for drop in self.drops)}
        return tuple(problem for problem in self.problems if problem.uri in files)

    def reduced(self, reduce: Callable[[Page], Page], calls: FunctionCache = UNCACHED) -> Library:
        """Return plans and what `reduce` leaves of pages, as few edits change it; a server keeps an equal library."""
        pages = calls.of_each(reduce, self.pages)
        by_uri = {page.uri: page for page in pages}
        entries = calls.of_each(_written, self.entries, [by_uri.get(entry.uri) for entry in self.entries])
        return calls.equal(reduce.__name__, Library(self.plans, tuple(pages), (), tuple(entries), ()))

    @cached_property
    def _by_file(self) -> Mapping[str, tuple[int, Plan | Drop, tuple[Entry, ...]]]:
        """The place of each plan and each drop, the file, and its entries."""
        entries = group_by(self.entries, lambda entry: str(entry.plan.uri))
        files: tuple[Plan | Drop, ...] = (*self.plans, *self.drops)
        return {file.uri: (n, file, entries.get(file.uri, ())) for n, file in enumerate(files)}

    def narrowed(self, uris: Collection[str]) -> Library:
        """Return a library reduced to the plans and drops `uris`, linked as parts of the whole base."""
        found = sorted((self._by_file[uri] for uri in uris if uri in self._by_file), key=lambda file: file[0])
        entries = tuple(entry for *_, some in found for entry in some)
        return Library(
            plans=tuple(file for _, file, _ in found if isinstance(file, Plan)),
            pages=tuple({e.uri: e.page for e in entries if e.page}.values()),
            drops=tuple(file for _, file, _ in found if isinstance(file, Drop)),
            entries=entries,
            problems=tuple(problem for uri in sorted(uris) for problem in self.problems_by_uri.get(uri, ())),
        )

    @cached_property
    def counted_parts(self) -> tuple[tuple[Entry, ...], ...]:
        """The entries of each PART that counts in a total of pages."""
        return tuple(self.of(plan, part) for plan in self.plans for part in self.parts_with_pages(plan))

    def parts_with_pages(self, plan: Plan) -> list[Part]:
        """Return the counted PARTs of a plan, without headings with boxes that name no page."""
        return [p for p in plan.parts if p.state in COUNTED and (self.of(plan, p) or not p.is_group)]

    @cached_property
    def written_parts(self) -> int:
        """The number of these that have all their pages; a PART whose page belongs to another PART has none."""
        owned = ([e.is_there and self.by_uri[e.uri] is e for e in entries] for entries in self.counted_parts)
        return sum(bool(pages) and all(pages) for pages in owned)

    @cached_property
    def collected(self) -> int:
        """The number of pages of collected passages that belong to a counted PART."""
        return sum(e.is_collected for e in self.by_uri.values() if e.state in COUNTED)

    def missing(self, plans: Iterable[Plan]) -> int:
        """Return the number of PARTs of `plans` that are marked done although none of their pages exists."""
        done = [(plan, p) for plan in plans for p in self.parts_with_pages(plan) if p.state is State.DONE]
        return sum(not any(entry.page for entry in self.of(plan, part)) for plan, part in done)

    def of(self, plan: Plan, part: Part) -> tuple[Entry, ...]:
        """The entries of one PART."""
        return self.by_part.get((plan.uri, part.line), ())


def as_listed(page: Page) -> Page:
    """Return a page as lists show it: without texts, with a round length."""
    words = round(page.words / WORDS_A_MINUTE) * WORDS_A_MINUTE
    own = page.uri, page.title, 0, page.description, tuple(p for p in page.meta if p[0] in {"created", "generated"})
    works = (_UNNAMED,) * len(page.references)
    return Page(*own, works, sections=page.sections, words=words, messages=page.messages)


def as_linked(page: Page) -> Page:
    """Return a page with its names and links alone."""
    return Page(page.uri, page.title, 0, meta=tuple(p for p in page.meta if p[0] == "aliases"), links=page.links)


def as_counted(page: Page) -> Page:
    """Return a page with the number of its lines, and the works that are counted."""
    works = tuple(Reference(work.id, "", work.url) for work in page.references)
    meta = tuple(pair for pair in page.meta if pair[0] == "generated")
    return Page(page.uri, page.title, page.lines, meta=meta, references=works)


def group_by(values: Iterable[T], key: Callable[[T], K]) -> Mapping[K, tuple[T, ...]]:
    """Return the values by their keys."""
    found: dict[K, list[T]] = defaultdict(list)
    for value in values:
        found[key(value)].append(value)
    return {key: tuple(some) for key, some in found.items()}


def _grouped(edges: Iterable[Edge], key: Callable[[Edge], tuple[str, str]]) -> Mapping[str, tuple[Edge, ...]]:
    """Return the edges by the first page that `key` returns, one for each second one; links come first."""
    found: dict[str, dict[str, Edge]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda e: e.kind != "link"):
        page, other = key(edge)
        found[page].setdefault(other, edge)
    return {page: tuple(others.values()) for page, others in found.items()}


def _links(library: Library) -> Iterator[Edge]:
    known = frozenset({*library.page_by_uri, *library.by_uri})
    has_wikilinks = any("[[" in address for page in library.pages for address in page.links)
    names = library.names() if has_wikilinks else None
    for page in library.pages:
        wikilinks = names.read(page.links, page.uri) if names else {}
        for address in page.links:
            link = wikilinks.get(address)
            target = (link.files or ("",))[0] if link else resolved(address, page.uri, known)
            if target in known and target != page.uri:
                yield Edge(page.uri, target, "link")


def _pages_to_read(library: Library) -> Iterator[Edge]:
    """Yield the pages that each PART builds on, if the base has or plans them; a bare name counts if it is unique."""
    known = frozenset({*library.page_by_uri, *library.by_uri})
    by_name = group_by(known, lambda uri: uri.rpartition("/")[2])
    for entry in library.entries:
        for read in entry.part.reads if entry.state is not State.DISABLED else ():
            path = spelled(below_base(entry.plan, read.path), known)
            targets = (path,) if path in known else by_name.get(read.path, ())
            if len(targets) == 1 and targets[0] not in {entry.uri, *RESERVED}:
                yield Edge(entry.uri, targets[0], "plan")


# --- linking ----------------------------------------------------------------------------------------------------------


def link_tree(tree: Tree, calls: FunctionCache = UNCACHED, *further: Calls) -> Library:
    """Return the Library of a project's files: parsed, linked, with the works that each page cites.

    `calls` caches the results for unchanged files, and those of `further` calls, which the same workers make.
    """
    plans, pages, drops, *_ = calls.map_all(
        (parse_bytes, [(raw, uri) for uri, raw in tree.plans.items()]),
        (read_page, [(raw, uri, uri in RESERVED) for uri, raw in tree.pages.items()]),
        (decode_drop, [(raw, uri) for uri, raw in tree.drops.items()]),
        *further,
    )
    plans = [
        (calls.of_same(_placed, plan, tree.plans_dir, base_of(plan.uri, tree.plans_dir, tree.bases)), found)
        for plan, found in plans
        if not plan.is_template
        and (plan.parts or str(plan.uri).removesuffix("/plan.md") + "/tasks.md" not in tree.plans)
    ]
    problems = [problem for read in (plans, pages, drops) for _, found in read for problem in found]
    problems += tree.unread
    have_part = zip(tree.pages.items(), calls.of_each(may_have_part, [*tree.pages.values()]), strict=True)
    alike = [(raw, uri, tree.docs_dir) for (uri, raw), has in have_part if has or NAMED_LIKE_PLAN.search(uri)]
    problems += [problem for found in calls.map(plan_in_page, alike) for problem in found]
    library = _link([p for p, _ in plans], [page for page, _ in pages], [d for d, _ in drops], problems, calls)
    return replace(library, problems=tuple(not_ignored(library.problems, tree.files)))


def _placed(plan: Plan, folder: str, base: str) -> Plan:
    return replace(plan, folder=folder, base=base)


def _link(
    plans: Sequence[Plan], pages: Sequence[Page], drops: Sequence[Drop], found: list[Problem], calls: FunctionCache
) -> Library:
    """Link `plans`, `pages` and `drops` into one Library, with Problems of each and across them (P020 to P034)."""
    by_uri = {page.uri: page for page in pages}
    files: tuple[Plan | Drop, ...] = (*plans, *drops)
    planned, of_all = calls.of_same(_planned, files, tuple(by_uri), calls)
    entries = calls.of_each(_written, planned, [by_uri.get(entry.uri) for entry in planned])
    problems = sorted([*found, *of_all], key=attrgetter("uri", "line", "code"))
    return Library(tuple(plans), tuple(pages), tuple(drops), tuple(entries), tuple(problems))


def _written(entry: Entry, page: Page | None) -> Entry:
    return replace(entry, title=page.title, page=page) if page else entry


def _planned(
    files: tuple[Plan | Drop, ...], uris: tuple[PageUri, ...], calls: FunctionCache
) -> tuple[list[Entry], list[Problem]]:
    """Return the entries of plans and drops, without their pages, and the Problems across files; pages exist at `uris`.

    No text of a page makes a difference, so that a server does this once until files come, go or are planned.
    """
    plans = tuple(file for file in files if isinstance(file, Plan))
    drops = tuple(file for file in files if isinstance(file, Drop))
    by_uri = {uri: Page(uri, "", 0) for uri in uris}
    drop_of = DropIndex(drops, plans)
    entries, found = list[Entry](), list[Problem]()
    for plan in plans:
        casing = cache(partial(calls.of_same, casing_of, plan))
        for part in plan.parts:
            for target in part.pages:
                uri, line, name = page_uri(plan, target), part.status_line or part.line, f"PART {part.number}'s page"
                if uri is None:
                    what = f"{name} {target!r} leaves the base; write a path such as `cuda/10-name.md`"
                    found.append(Problem(plan.uri, line, "P020", what))
                elif uri in RESERVED:
                    found.append(Problem(plan.uri, line, "K003", f"{uri} is generated; give {name} another name"))
                else:
                    uri = PageUri(spelled(uri, by_uri))
                    title = "" if uri in by_uri else entry_title(part, uri, casing)
                    entries.append(Entry(plan, part, uri, title, by_uri.get(uri), drop_of.find(plan, part, uri)))
    library = Library(plans, tuple(by_uri.values()), drops, tuple(entries), ())
    return entries, [*found, *problems_of(library), *drop_of.unclaimed()]


# --- drops -----------------------------------------------------------------------------------------------------------


class DropIndex:
    """Finds the drop of a PART by its front matter, by the page it names, or by the file name in the plan.

    Otherwise a drop that names the PART's number belongs to it if the plan is the only one in the drop's folder.
    """

    def __init__(self, drops: Sequence[Drop], plans: Sequence[Plan] = ()) -> None:
        plans_in = Counter(_folder(plan) for plan in plans)
        self._alone = {_folder(plan): plan for plan in plans if plans_in[_folder(plan)] == 1}
        self._by_part = group_by(drops, lambda drop: (drop.plan or drop.folder, drop.part, bool(drop.plan)))
        self._by_page = group_by(drops, lambda drop: (drop.page or "").removeprefix("./").removeprefix("docs/"))
        self._by_name = group_by(drops, lambda drop: drop_name(drop.name))
        self._drops, self._taken = drops, set[str]()

    def find(self, plan: Plan, part: Part, uri: PageUri) -> Drop | None:
        """Return the newest drop of `part`."""
        found = self._by_part.get((plan.slug, part.number, True), ())
        if not found and part.state is not State.DISABLED:
            found = self._without_plan(plan, part, uri)
        self._taken |= {drop.uri for drop in found}
        return max(found, key=lambda d: (d.timestamp or "", d.uri), default=None)

    def _without_plan(self, plan: Plan, part: Part, uri: PageUri) -> tuple[Drop, ...]:
        """Return the drops of a PART by its page, by their name, or by their folder and its number."""
        found = [d for d in self._by_page.get(uri, ()) if not d.plan or d.plan == plan.slug]
        if not found and part.drop:
            named = self._by_name.get(drop_name(part.drop), ())
            found = [d for d in named if not d.page or page_uri(plan, d.page) == uri]
        if not found and self._alone.get(_folder(plan)) is plan:
            beside = self._by_part.get((_folder(plan), part.number, False), ())
            targets = (target for other in plan.parts if other is not part for target in other.targets)
            others = {page_uri(plan, target) for target in targets} if any(drop.page for drop in beside) else set()
            found = [d for d in beside if not d.page or page_uri(plan, d.page) not in others]
        return tuple(found)

    def unclaimed(self) -> list[Problem]:
        """Return a Problem for each drop that belongs to no PART."""
        what = "no PART asks for this drop; name its plan and part in its front matter"
        beside = {(folder, part.number) for folder, plan in self._alone.items() for part in plan.parts}
        left = [d for d in self._drops if d.uri not in self._taken and (d.plan or (d.folder, d.part) not in beside)]
        return [Problem(drop.uri, 1, "P034", what) for drop in left]


def _folder(plan: Plan) -> str:
    return plan.uri.rpartition("/")[0]


# --- inconsistencies --------------------------------------------------------------------------------------------------


def problems_of(library: Library) -> Iterator[Problem]:
    """Return all inconsistencies of a library, as Problems."""
    for uri in RESERVED:
        # An author's INDEX.md is replaced without a Problem: the generated one has the same content.
        if uri in library.page_by_uri and uri != "INDEX.md":
            yield Problem(uri, 1, "K003", "a generated page replaces this page; rename it")
    yield from _of_base(library)
    ends = ((page.uri[slash.end() :], page.uri) for page in library.pages for slash in re.finditer("/", page.uri))
    # The page meant by each broken path: the only one whose path ends in it.
    moved = {end: found[0][1] for end, found in group_by(ends, lambda pair: pair[0]).items() if len(found) == 1}
    yield from _of_claims(library, moved)
    yield from _of_reads(library, moved)


def _of_base(library: Library) -> Iterator[Problem]:
    claims: dict[str, Entry] = {}
    for entry in library.entries:
        if entry.state is State.DISABLED or entry.part.is_group:
            continue
        other = claims.setdefault(entry.uri, entry)
        if other is not entry:
            what = f"{entry.uri} is the page of PART {other.part.number} in {other.plan.uri} already; name another page"
            yield Problem(entry.plan.uri, entry.part.line, "P021", what)


def _of_claims(library: Library, moved: Mapping[str, PageUri]) -> Iterator[Problem]:
    for entry in library.entries:
        part, line = entry.part, entry.part.status_line or entry.part.line
        if part.state is State.DONE and not entry.is_there:
            page = None if entry.plan.base else moved.get(entry.uri)
            fix = (str(entry.uri), page) if page and page not in library.by_uri else None
            how = f"write {page} (`--fix` does)" if fix else "write the page or open the PART"
            what = f"PART {part.number} is marked done, but {entry.uri} does not exist; {how}"
            yield Problem(entry.plan.uri, line, "P030", what, fix=fix)
        elif part.state in {State.OPEN, State.UNMARKED} and entry.is_there and not part.is_group:
            what = f"PART {part.number} is marked open, but {entry.uri} exists; mark it `[✓]` if the page is complete"
            yield Problem(entry.plan.uri, line, "P031", what)
        elif part.state is State.DONE and part.drop and entry.drop is None:
            what = f"PART {part.number} is marked done, but its drop {part.drop} does not exist"
            yield Problem(entry.plan.uri, line, "P032", what)


def _of_reads(library: Library, moved: Mapping[str, PageUri]) -> Iterator[Problem]:
    known = {*library.page_by_uri, *(e.uri for e in library.entries)}
    names = {uri.rpartition("/")[2] for uri in known}
    parts = ((plan, part) for plan in library.plans for part in plan.parts if part.state is not State.DISABLED)
    for plan, part in parts:
        for read in part.reads:
            path, name = below_base(plan, read.path), PurePosixPath(read.path).name
            is_list = read.path.endswith("/") or name.upper() in {"INDEX.MD", "SKILL.MD"}
            if not is_list and path not in known and read.path not in names:
                page = None if plan.base else moved.get(path)
                how = f"; write {page} (`--fix` does)" if page else ""
                what = f"PART {part.number} builds on {read.path}, which is not in the base{how}"
                yield Problem(plan.uri, read.line, "P033", what, fix=(read.path, page) if page else None)
