"""The Library: plans, pages and drops, and the links between them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from generator.library.pages import Edge, resolved, title_from_path
from generator.markdown.plain_text import plain_text
from generator.model import Drop, Page, PageUri, Part, Plan, Problem, State

COUNTED = (State.DONE, State.PARTIAL, State.OPEN, State.UNMARKED, State.SKIPPED)
"""The states that count in totals; disabled PARTs do not."""

RESERVED = (PageUri("INDEX.md"), PageUri("progress.md"), PageUri("graph.md"), PageUri("sources.md"))
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
    def is_amiss(self) -> bool:
        """True if plan and disk differ: marked done but no page, or open although the page exists."""
        claimed = self.state is State.DONE
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
    def folded_titles(self) -> tuple[tuple[Page, str], ...]:
        """Every page with its title and the titles of its sections, case-folded."""
        return tuple((page, " ".join((page.title, *page.sections)).casefold()) for page in self.pages)

    @cached_property
    def counts(self) -> Counter[State]:
        """The number of PARTs in each state."""
        return Counter(part.state for plan in self.plans for part in plan.parts)

    @cached_property
    def by_part(self) -> Mapping[tuple[str, int], tuple[Entry, ...]]:
        """Each PART's entries, by plan uri and heading line."""
        found: dict[tuple[str, int], list[Entry]] = defaultdict(list)
        for entry in self.entries:
            found[entry.plan.uri, entry.part.line].append(entry)
        return {key: tuple(entries) for key, entries in found.items()}

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
        found: dict[str, list[Problem]] = defaultdict(list)
        for problem in self.problems:
            found[problem.uri].append(problem)
        return {uri: tuple(problems) for uri, problems in found.items()}

    @cached_property
    def plan_problems(self) -> tuple[Problem, ...]:
        """The Problems of plans and drops."""
        files = {*(str(plan.uri) for plan in self.plans), *(str(drop.uri) for drop in self.drops)}
        return tuple(problem for problem in self.problems if problem.uri in files)

    def narrowed(self, uris: Container[str]) -> Library:
        """Return a library reduced to the plans and drops `uris`, linked as parts of the whole base."""
        return replace(
            self,
            plans=tuple(plan for plan in self.plans if plan.uri in uris),
            drops=tuple(drop for drop in self.drops if drop.uri in uris),
            entries=tuple(entry for entry in self.entries if entry.plan.uri in uris),
            problems=tuple(problem for problem in self.problems if problem.uri in uris),
        )

    @cached_property
    def counted_parts(self) -> tuple[tuple[Entry, ...], ...]:
        """The entries of each PART that counts in a total."""
        parts = ((plan, part) for plan in self.plans for part in plan.parts if part.state in COUNTED)
        return tuple(self.of(plan, part) for plan, part in parts)

    @cached_property
    def written_parts(self) -> int:
        """The number of these that have all their pages; a PART whose page belongs to another PART has none."""
        owned = ([e.is_there and self.by_uri[e.uri] is e for e in entries] for entries in self.counted_parts)
        return sum(bool(pages) and all(pages) for pages in owned)

    @cached_property
    def planned_pages(self) -> tuple[Entry, ...]:
        """The pages that the plans ask for, without those of disabled PARTs: what every count of pages means."""
        return tuple(entry for entry in self.by_uri.values() if entry.state in COUNTED)

    def missing(self, plans: Iterable[Plan]) -> int:
        """Return the number of PARTs of `plans` that are marked done although none of their pages exists."""
        done = [(plan, part) for plan in plans for part in plan.parts if part.state is State.DONE]
        return sum(not any(entry.page for entry in self.of(plan, part)) for plan, part in done)

    def of(self, plan: Plan, part: Part) -> tuple[Entry, ...]:
        """The entries of one PART."""
        return self.by_part.get((plan.uri, part.line), ())


def natural_order(uri: str) -> tuple[tuple[object, ...], ...]:
    """Return a sort key that orders numbers by value, and pages with one number by the rest of their names."""
    return tuple(
        tuple(
            (0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in re.split(r"(\d+)", name) if piece
        )
        for name in uri.split("/")
    )


def _grouped(edges: Iterable[Edge], key: Callable[[Edge], tuple[str, str]]) -> Mapping[str, tuple[Edge, ...]]:
    """Return the edges by the first page that `key` returns, one for each second one; links come first."""
    found: dict[str, dict[str, Edge]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda e: e.kind != "link"):
        page, other = key(edge)
        found[page].setdefault(other, edge)
    return {page: tuple(others.values()) for page, others in found.items()}


def _links(library: Library) -> Iterator[Edge]:
    known = frozenset({*library.page_by_uri, *library.by_uri})
    for page in library.pages:
        for address in page.links:
            target = resolved(address, page.uri, known)
            if target in known and target != page.uri:
                yield Edge(page.uri, target, "link")


def _pages_to_read(library: Library) -> Iterator[Edge]:
    """Yield the pages that each PART builds on, if the base has or plans them; a bare name counts if it is unique."""
    known = frozenset({*library.page_by_uri, *library.by_uri})
    by_name: dict[str, list[str]] = defaultdict(list)
    for uri in sorted(known):
        by_name[PurePosixPath(uri).name].append(uri)
    for entry in library.entries:
        for read in entry.part.reads if entry.state is not State.DISABLED else ():
            path = below_base(entry.plan, read.path)
            targets = [path] if path in known else by_name.get(read.path, [])
            if len(targets) == 1 and targets[0] not in {entry.uri, *RESERVED}:
                yield Edge(entry.uri, targets[0], "plan")


# --- target pages ----------------------------------------------------------------------------------------------------


MAX_NAME_BYTES = 240
"""Maximum length of a file name, leaving room for the suffixes that the site adds."""

_SAFE = re.compile(r"^[^\x00-\x1f\\:*?\"<>|]{1,200}$")


def page_uri(plan: Plan, target: str) -> PageUri | None:
    """Return a target's path in the documentation folder; ``None`` if the path is outside the base.

    A bare file name belongs in the plan's Target Folder if the header names exactly one.
    """
    path = target.removeprefix("./").removeprefix("docs/")
    if "/" not in path:
        folders = re.findall(r"[\w.-]+(?:/[\w.-]+)*/", plan.meta_value("Target Folder") or "")
        path = f"{folders[0]}{path}" if len(folders) == 1 else path
    path = below_base(plan, path)
    pieces = PurePosixPath(path).parts
    is_page = path.endswith(".md") and not any(piece.endswith(".md") for piece in pieces[:-1])
    if not is_page or not _SAFE.match(path) or path.startswith(("/", "~")):
        return None
    if any(piece.startswith(".") or len(piece.encode(errors="replace")) > MAX_NAME_BYTES for piece in pieces):
        return None
    return PageUri("/".join(pieces))


def below_base(plan: Plan, path: str) -> str:
    """Return a path that a plan names, relative to the documentation folder."""
    return path if not plan.base or f"{path}/".startswith((f"{plan.base}/", "/")) else f"{plan.base}/{path}"


def base_of(uri: str, plans_dir: str, bases: Mapping[str, str]) -> str:
    """Return the base of the plan `uri`: that of the innermost folder of `bases` that holds it; empty for none."""
    path = uri.removeprefix(f"{plans_dir}/").removeprefix("completed/")
    by_folder = {folder.strip("./"): base.strip("/") for folder, base in bases.items()}
    holding = [folder for folder in by_folder if not folder or path.startswith(f"{folder}/")]
    return by_folder[max(holding, key=len)] if holding else ""


def entry_title(part: Part, uri: str, casing: Mapping[str, str]) -> str:
    """Return the PART's own title, or one derived from its path in the plan's spelling."""
    if part.page_title:
        return plain_text(part.page_title)
    if part.title and ".md" not in part.title:
        return plain_text(part.title)
    words = title_from_path(uri).split(" ")
    spelled = [casing.get(word.lower(), word) for word in words]
    return spelled[0][:1].upper() + " ".join(spelled)[1:]


def casing_of(plan: Plan) -> Mapping[str, str]:
    """Return the plan's spelling of words with capitals of their own (``PyTorch``, ``CUDA``), by lower case."""
    text = [plan.title, *(value for _, value in plan.meta), plan.overview]
    for part in plan.parts:
        text += [*part.points, *(s.title for s in part.sections), *(p for s in part.sections for p in s.points)]
    counts: Counter[str] = Counter(re.findall(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]+(?![\w/])", " ".join(text)))
    spelled: dict[str, str] = {}
    for word, _ in counts.most_common():
        if word[1:].lower() != word[1:]:
            spelled.setdefault(word.lower(), word)
    for word, count in counts.items():  # a name is always capitalized, not just once at the start of a sentence
        if word.istitle() and count > 2 and word.lower() not in counts:
            spelled.setdefault(word.lower(), word)
    return spelled
