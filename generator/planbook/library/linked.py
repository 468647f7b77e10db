"""The Library: plans, pages and drops with the links between them, and named projections of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Generic, Self, TypeAlias, TypeVar

from planbook.library.links import Edge, Names, find_spelling, resolve_link
from planbook.library.names import place_in_target_folder
from planbook.library.projections import (
    CountedPage,
    LinkedPage,
    ListedPage,
    NamedPage,
    page_in_lists,
    page_to_count,
    page_with_links,
)
from planbook.library.top_pages import RESERVED_URIS
from planbook.markdown.plain_text import plain_text
from planbook.model import Drop, Page, PageUri, Part, Plan, Problem, State
from planbook_cache.functions import NO_CACHE, FunctionCache

K = TypeVar("K")
T = TypeVar("T")
P = TypeVar("P", bound=NamedPage)
P_co = TypeVar("P_co", bound=NamedPage, covariant=True)


COUNTED_STATES = (State.DONE, State.PARTIAL, State.OPEN, State.UNMARKED, State.SKIPPED)
"""The states that count in totals; disabled PARTs do not."""


MAX_SECTIONS = 4
"""Maximum number of sections that describe a page that is not written yet."""


@dataclass(frozen=True, slots=True)
class EntryOf(Generic[P_co]):
    """One target page of one PART, with its page and drop on disk.

    The page is of the kind that the library of the entry has.
    """

    plan: Plan
    part: Part
    uri: PageUri
    title: str
    page: P_co | None
    drop: Drop | None

    @property
    def state(self) -> State:
        """The state that the plan claims."""
        return self.part.state

    @property
    def is_written(self) -> bool:
        """True if the finished page exists."""
        return self.page is not None

    @property
    def is_collected(self) -> bool:
        """True if its page consists of collected passages, which nobody has written up."""
        return self.page is not None and self.page.is_collected

    @property
    def differs(self) -> bool:
        """True if plan and disk differ: done without a page, or open although the page exists."""
        is_boxes_with_page = self.part.is_group and self.is_written
        # These states say nothing of the page: it may be there from before, or in part.
        if is_boxes_with_page or self.state in {State.DISABLED, State.SKIPPED, State.PARTIAL}:
            return False
        is_claimed = self.state is State.DONE
        return is_claimed != self.is_written

    @property
    def description(self: ListedEntry) -> str:
        """A one-line description: the page's own, or the plan's."""
        if self.page and self.page.description:
            return self.page.description
        if self.part.goal:
            return plain_text(self.part.goal)
        titles = [plain_text(section.title) for section in self.part.sections]
        and_more = "; …" if len(titles) > MAX_SECTIONS else ""
        return "; ".join(titles[:MAX_SECTIONS]) + and_more


Entry: TypeAlias = EntryOf[Page]
"""An entry with its whole page; for annotations, as `EntryOf` makes all entries."""
ListedEntry: TypeAlias = EntryOf[ListedPage]
"""An entry of a `ListedLibrary`."""
CountedEntry: TypeAlias = EntryOf[CountedPage]
"""An entry of a `CountedLibrary`."""


@dataclass(frozen=True)
class LibraryOf(Generic[P_co]):
    """Plans and the pages of the site, of one kind, linked: what all projections have."""

    plans: tuple[Plan, ...]
    pages: tuple[P_co, ...]
    entries: tuple[EntryOf[P_co], ...]
    """One for each target of each PART, in plan order."""

    @cached_property
    def by_uri(self) -> Mapping[PageUri, EntryOf[P_co]]:
        """The entry that owns each page: if several claim it, the first that is not disabled."""
        owners: dict[PageUri, EntryOf[P_co]] = {}
        # The sort is stable: among the others, the order of the plans decides.
        for entry in sorted(self.entries, key=lambda e: e.state is State.DISABLED):
            owners.setdefault(entry.uri, entry)
        return owners

    @cached_property
    def page_by_uri(self) -> Mapping[str, P_co]:
        """Every page that exists, by uri."""
        return {page.uri: page for page in self.pages}

    @cached_property
    def counts(self) -> Counter[State]:
        """The number of PARTs in each state."""
        return Counter(part.state for plan in self.plans for part in plan.parts)

    @cached_property
    def by_part(self) -> Mapping[tuple[str, int], tuple[EntryOf[P_co], ...]]:
        """Each PART's entries, by plan uri and heading line."""
        return group_by(self.entries, lambda entry: (entry.plan.uri, entry.part.line))

    def names(self: LibraryOf[LinkedPage], files: Iterable[str] = ()) -> Names:
        """Return what wikilinks may name: the written and planned pages, and `files`."""
        titles: dict[str, tuple[str, ...]] = {
            uri: (entry.title,) for uri, entry in self.by_uri.items()
        }
        for page in self.pages:
            titles[page.uri] = (page.title, *page.aliases)
        return Names(titles, files)

    @cached_property
    def counted_parts(self) -> tuple[tuple[EntryOf[P_co], ...], ...]:
        """The entries of each PART that counts in a total of pages."""
        return tuple(
            self.entries_of(plan, part)
            for plan in self.plans
            for part in self.parts_with_pages(plan)
        )

    def parts_with_pages(self, plan: Plan) -> list[Part]:
        """Return the counted PARTs of a plan, without headings with boxes that name no page."""
        parts = [part for part in plan.parts if part.state in COUNTED_STATES]
        return [part for part in parts if not part.is_group or self.entries_of(plan, part)]

    @cached_property
    def written_parts(self) -> int:
        """The number of counted PARTs that have all their pages.

        A PART whose page belongs to another PART has none.
        """
        return sum(self._has_all_pages(entries) for entries in self.counted_parts)

    def _has_all_pages(self, entries: Sequence[EntryOf[NamedPage]]) -> bool:
        owned = [entry.is_written and self.by_uri[entry.uri] is entry for entry in entries]
        return bool(owned) and all(owned)

    @cached_property
    def collected(self) -> int:
        """The number of pages of collected passages that belong to a counted PART."""
        return sum(e.is_collected for e in self.by_uri.values() if e.state in COUNTED_STATES)

    def missing(self, plans: Iterable[Plan]) -> int:
        """Return the number of PARTs of `plans` that are marked done without any of their pages."""
        total = 0
        for plan in plans:
            for part in self.parts_with_pages(plan):
                has_page = any(entry.page for entry in self.entries_of(plan, part))
                if part.state is State.DONE and not has_page:
                    total += 1
        return total

    @cached_property
    def collected_parts(self) -> int:
        """The number of PARTs that are marked done and have a page of collected passages."""
        return sum(
            entries[0].state is State.DONE and any(entry.is_collected for entry in entries)
            for entries in self.counted_parts
            if entries
        )

    def entries_of(self, plan: Plan, part: Part) -> tuple[EntryOf[P_co], ...]:
        """The entries of one PART."""
        return self.by_part.get((plan.uri, part.line), ())


ListedLibrary: TypeAlias = LibraryOf[ListedPage]
"""The projection that lists of pages show; `Library.listed` makes it.

Few edits change it, so that a server rarely renders its lists again.
"""


@dataclass(frozen=True)
class LinkedLibrary(LibraryOf[LinkedPage]):
    """The projection that links between pages need; `Library.linked` makes it."""

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Links between pages: those in their texts, and the pages that PARTs build on."""
        return (*_links(self), *_pages_to_read(self))

    @cached_property
    def backlinks(self) -> Mapping[str, tuple[Edge, ...]]:
        """The incoming edges of each page, one per source.

        A link takes precedence over a plan's reference.
        """
        return _group_edges(self.edges, lambda edge: (edge.target, edge.source))

    @cached_property
    def onward(self) -> Mapping[str, tuple[Edge, ...]]:
        """The outgoing edges of each page, one per target."""
        return _group_edges(self.edges, lambda edge: (edge.source, edge.target))


@dataclass(frozen=True)
class LibraryWithProblems(LibraryOf[P_co]):
    """Plans and pages, with the drops and the Problems of the files."""

    drops: tuple[Drop, ...]
    problems: tuple[Problem, ...]

    @cached_property
    def problems_by_uri(self) -> Mapping[str, tuple[Problem, ...]]:
        """The Problems of each file."""
        return group_by(self.problems, lambda problem: problem.uri)

    @cached_property
    def plan_problems(self) -> tuple[Problem, ...]:
        """The Problems of plans and drops."""
        files = {*(str(plan.uri) for plan in self.plans), *(str(drop.uri) for drop in self.drops)}
        return tuple(problem for problem in self.problems if problem.uri in files)

    @cached_property
    def _by_file(self) -> Mapping[str, tuple[int, Plan | Drop, tuple[EntryOf[P_co], ...]]]:
        """The place of each plan and each drop, the file, and its entries."""
        entries = group_by(self.entries, lambda entry: str(entry.plan.uri))
        files: tuple[Plan | Drop, ...] = (*self.plans, *self.drops)
        return {file.uri: (n, file, entries.get(file.uri, ())) for n, file in enumerate(files)}

    def narrowed(self, uris: Collection[str]) -> Self:
        """Return the plans and drops `uris`, linked as parts of the whole base."""
        chosen = [self._by_file[uri] for uri in uris if uri in self._by_file]
        files = [file for _, file, _ in sorted(chosen, key=lambda numbered: numbered[0])]
        entries = tuple(entry for file in files for entry in self._by_file[file.uri][2])
        problems = [self.problems_by_uri.get(uri, ()) for uri in sorted(uris)]
        return replace(
            self,
            plans=tuple(file for file in files if isinstance(file, Plan)),
            pages=tuple({entry.uri: entry.page for entry in entries if entry.page}.values()),
            drops=tuple(file for file in files if isinstance(file, Drop)),
            entries=entries,
            problems=tuple(chain.from_iterable(problems)),
        )


CountedLibrary: TypeAlias = LibraryWithProblems[CountedPage]
"""The projection that the progress counts: of Problems, those of plans and drops.

`Library.counted` makes it.
"""


@dataclass(frozen=True)
class Library(LibraryWithProblems[Page]):
    """Everything the site shows, linked."""

    def listed(self, cache: FunctionCache = NO_CACHE) -> ListedLibrary:
        """Return the library as lists of pages show it; a server keeps an equal one."""
        pages, entries = self._with_pages_as(page_in_lists, cache)
        projection: ListedLibrary = cache.from_last_build_once(
            LibraryOf, self.plans, pages, entries
        )
        return projection

    def linked(self, cache: FunctionCache = NO_CACHE) -> LinkedLibrary:
        """Return the library as links between pages need it; a server keeps an equal one."""
        pages, entries = self._with_pages_as(page_with_links, cache)
        return cache.from_last_build_once(LinkedLibrary, self.plans, pages, entries)

    def counted(self, cache: FunctionCache = NO_CACHE) -> CountedLibrary:
        """Return the library as the progress counts it; a server keeps an equal one."""
        pages, entries = self._with_pages_as(page_to_count, cache)
        projection: CountedLibrary = cache.from_last_build_once(
            LibraryWithProblems, self.plans, pages, entries, self.drops, self.plan_problems
        )
        return projection

    def _with_pages_as(
        self, project: Callable[[Page], P], cache: FunctionCache
    ) -> tuple[tuple[P, ...], tuple[EntryOf[P], ...]]:
        """Return what `project` makes of the pages, and the entries with such pages."""
        pages = cache.from_last_build(project, {page.uri: (page,) for page in self.pages})
        by_uri = {page.uri: page for page in pages}
        # A key has the projection, as all of them are of one function, `add_page_to_entry`.
        pairs = {
            (project, n): (entry, by_uri.get(entry.uri)) for n, entry in enumerate(self.entries)
        }
        return tuple(pages), tuple(cache.from_last_build(add_page_to_entry, pairs))


def group_by(values: Iterable[T], key: Callable[[T], K]) -> Mapping[K, tuple[T, ...]]:
    """Return the values by their keys."""
    groups: dict[K, list[T]] = defaultdict(list)
    for value in values:
        groups[key(value)].append(value)
    return {key: tuple(group) for key, group in groups.items()}


def _group_edges(
    edges: Iterable[Edge], key: Callable[[Edge], tuple[str, str]]
) -> Mapping[str, tuple[Edge, ...]]:
    """Return the edges by the first page that `key` returns, one for each second one.

    Links come first.
    """
    by_page: dict[str, dict[str, Edge]] = defaultdict(dict)
    # The sort is stable, so that edges of a kind stay in the order of pages and plans.
    for edge in sorted(edges, key=lambda e: e.kind != "link"):
        page, other = key(edge)
        by_page[page].setdefault(other, edge)
    return {page: tuple(of_page.values()) for page, of_page in by_page.items()}


def _links(library: LinkedLibrary) -> Iterator[Edge]:
    """Yield the links in the texts of pages to other pages, written or planned."""
    known_uris = frozenset({*library.page_by_uri, *library.by_uri})
    # Names of all pages are needed for wikilinks alone, and take long to make.
    has_wikilinks = any("[[" in address for page in library.pages for address in page.links)
    names = library.names() if has_wikilinks else None
    for page in library.pages:
        wikilinks = names.read(page.links, page.uri) if names else {}
        for address in page.links:
            wikilink = wikilinks.get(address)
            target: str | None
            if wikilink is None:
                target = resolve_link(address, page.uri, known_uris)
            else:
                target = wikilink.files[0] if wikilink.files else None
            if target in known_uris and target != page.uri:
                yield Edge(page.uri, target, "link")


def _pages_to_read(library: LinkedLibrary) -> Iterator[Edge]:
    """Yield the pages that each PART builds on, if the base has or plans them.

    A bare name counts if it is unique.
    """
    known_uris = frozenset({*library.page_by_uri, *library.by_uri})
    by_name = group_by(known_uris, lambda uri: uri.rpartition("/")[2])
    for entry in library.entries:
        if entry.state is State.DISABLED:
            continue
        for read in entry.part.reads:
            path = find_spelling(place_in_target_folder(entry.plan, read.path), known_uris)
            targets = (path,) if path in known_uris else by_name.get(read.path, ())
            if len(targets) == 1 and targets[0] not in {entry.uri, *RESERVED_URIS}:
                yield Edge(entry.uri, targets[0], "plan")


def add_page_to_entry(entry: EntryOf[Any], page: P | None) -> EntryOf[P]:
    """Return an entry with its written page, whose title counts; as it is without one."""
    return replace(entry, title=page.title, page=page) if page else entry
