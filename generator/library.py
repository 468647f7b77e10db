"""Links plans, pages and drops into one :class:`Library`, and finds what does not fit together. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from generator.model import Drop, Page, PageUri, Part, Plan, Problem, State, Tree
from generator.page.drop import parse_drop
from generator.page.links import Edge, resolved, written_links
from generator.page.parse import parse_page, plain, title_from_path
from generator.page.references import read_references
from generator.plan.parse import parse_bytes
from generator.problems import not_ignored

COUNTED = (State.DONE, State.PARTIAL, State.OPEN, State.UNMARKED, State.SKIPPED)
"""The states that count in a total: a disabled PART is nobody's work."""

RESERVED = (PageUri("INDEX.md"), PageUri("progress.md"), PageUri("graph.md"), PageUri("sources.md"))
"""Pages that the generator always makes itself."""

MAX_NAME_BYTES = 240
"""What a file system takes for one name, with room for the endings that the site adds."""

_PREFIX = re.compile(r"^(\d+)[a-z]?[-_.]")
_SAFE = re.compile(r"^[^\x00-\x1f\\:*?\"<>|]{1,200}$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One target page of one PART, with what the disk shows of it."""

    plan: Plan
    part: Part
    uri: PageUri
    title: str
    page: Page | None
    drop: Drop | None

    @property
    def state(self) -> State:
        """What the plan claims."""
        return self.part.state

    @property
    def is_there(self) -> bool:
        """Whether the finished page exists."""
        return self.page is not None

    @property
    def is_amiss(self) -> bool:
        """Whether claim and disk differ: done without its page, or open with it."""
        claimed = self.state is State.DONE
        return claimed != self.is_there and self.state not in {State.DISABLED, State.SKIPPED, State.PARTIAL}

    @property
    def description(self) -> str:
        """One line on the page: its own, or what its plan says of it."""
        if self.page and self.page.description:
            return self.page.description
        if self.part.goal:
            return plain(self.part.goal)
        titles = [plain(section.title) for section in self.part.sections]
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
        """The entry that owns each page: of several claims the first that is not disabled."""
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
        """How many PARTs claim each state."""
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
        """What leads from page to page: the links of their texts, and the pages that PARTs are to read."""
        return (*_links(self), *_pages_to_read(self))

    @cached_property
    def backlinks(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that lead to each page, one from each other page; a link counts before a plan's word."""
        found: dict[str, dict[str, Edge]] = defaultdict(dict)
        for edge in sorted(self.edges, key=lambda e: e.kind != "link"):
            found[edge.target].setdefault(edge.source, edge)
        return {target: tuple(edges.values()) for target, edges in found.items()}

    def missing(self, plans: Iterable[Plan]) -> int:
        """How many PARTs of `plans` are marked done though none of their pages is there."""
        done = [(plan, part) for plan in plans for part in plan.parts if part.state is State.DONE]
        return sum(not any(entry.page for entry in self.of(plan, part)) for plan, part in done)

    def of(self, plan: Plan, part: Part) -> tuple[Entry, ...]:
        """The entries of one PART."""
        return self.by_part.get((plan.uri, part.line), ())


def link_tree(tree: Tree) -> Library:
    """The Library of a project's files: parsed, linked, with the works that each page cites."""
    return cite(link_files(tree), tree.pages)


def cite(library: Library, pages: Mapping[str, bytes]) -> Library:
    """`library` with each page's references and links, and the Problems of its citations (K010 to K013).

    `pages` holds the pages' files, by uri.
    """
    problems = list(library.problems)
    cited: dict[str, Page] = {}
    for page in library.pages:
        if page.uri in RESERVED:  # the site shows a page of its own there
            cited[page.uri] = page
            continue
        text = pages[page.uri].decode("utf-8", errors="replace")
        references, found = read_references(text, page.uri)
        links = written_links(text)
        cited[page.uri] = replace(page, references=references, links=links) if references or links else page
        problems += found
    entries = tuple(replace(e, page=cited[e.page.uri]) if e.page else e for e in library.entries)
    told = not_ignored(problems, _comments(pages))
    return replace(library, pages=tuple(cited.values()), entries=entries, problems=_in_order(told))


def link_files(tree: Tree) -> Library:
    """The Library of a project's files, parsed and linked, without the works that its pages cite."""
    problems: list[Problem] = []
    plans = []
    for uri, raw in tree.plans.items():
        plan, found = parse_bytes(raw, uri)
        if not plan.is_template:
            plans.append(replace(plan, folder=tree.plans_dir))
            problems += found
    pages = []
    for uri, raw in tree.pages.items():
        page, found = parse_page(_text(raw, uri, problems), uri)
        pages.append(page)
        problems += found
    drops = [parse_drop(_text(raw, uri, problems), uri) for uri, raw in tree.drops.items()]
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
    found += _of_reserved(by_uri)
    drop_of = _DropIndex(drops)
    entries: list[Entry] = []
    for plan in plans:
        casing = _casing(plan)
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
                title = page.title if page else _entry_title(part, uri, casing)
                entries.append(Entry(plan, part, uri, title, page, drop_of.find(plan, part, uri)))
    library = Library(plans, pages, drops, tuple(entries), ())
    found += _of_base(library) + _of_claims(library) + _of_reads(library) + drop_of.unclaimed()
    return Library(plans, pages, drops, tuple(entries), _in_order(found))


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.uri, p.line, p.code)))


def page_uri(plan: Plan, target: str) -> PageUri | None:
    """Where a target stands in the documentation folder; ``None`` where its path would leave the base.

    A bare file name stands in the plan's Target Folder, if the header names just one.
    """
    path = target.removeprefix("./").removeprefix("docs/")
    if "/" not in path:
        folders = re.findall(r"[\w.-]+(?:/[\w.-]+)*/", plan.meta_value("Target Folder") or "")
        path = f"{folders[0]}{path}" if len(folders) == 1 else path
    pieces = PurePosixPath(path).parts
    is_page = path.endswith(".md") and not any(piece.endswith(".md") for piece in pieces[:-1])
    if not is_page or not _SAFE.match(path) or path.startswith(("/", "~")):
        return None
    if any(piece.startswith(".") or len(piece.encode(errors="replace")) > MAX_NAME_BYTES for piece in pieces):
        return None
    return PageUri("/".join(pieces))


def natural_order(uri: str) -> tuple[tuple[object, ...], ...]:
    """A sort key: numbers by value, two pages with one number by the rest of their names."""
    return tuple(
        tuple(
            (0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in re.split(r"(\d+)", name) if piece
        )
        for name in uri.split("/")
    )


# --- what leads from page to page --------------------------------------------------------------------------------


def _links(library: Library) -> Iterator[Edge]:
    known = frozenset({*library.page_by_uri, *library.by_uri})
    for page in library.pages:
        for address in page.links:
            target = resolved(address, page.uri, known)
            if target in known and target != page.uri:
                yield Edge(page.uri, target, "link")


def _pages_to_read(library: Library) -> Iterator[Edge]:
    """What each PART reads, where the base holds or plans it; a bare name where it is the only one."""
    known = frozenset({*library.page_by_uri, *library.by_uri})
    by_name: dict[str, list[str]] = defaultdict(list)
    for uri in sorted(known):
        by_name[PurePosixPath(uri).name].append(uri)
    for entry in library.entries:
        for read in entry.part.reads if entry.state is not State.DISABLED else ():
            targets = [read.path] if read.path in known else by_name.get(read.path, [])
            if len(targets) == 1 and targets[0] not in {entry.uri, *RESERVED}:
                yield Edge(entry.uri, targets[0], "plan")


# --- titles ------------------------------------------------------------------------------------------------------


def _entry_title(part: Part, uri: str, casing: Mapping[str, str]) -> str:
    """The PART's own title, or one made of its path, spelled as its plan spells the words."""
    if part.page_title:
        return plain(part.page_title)
    if part.title and ".md" not in part.title:
        return plain(part.title)
    words = title_from_path(uri).split(" ")
    spelled = [casing.get(word.lower(), word) for word in words]
    return spelled[0][:1].upper() + " ".join(spelled)[1:]


def _casing(plan: Plan) -> Mapping[str, str]:
    """How the plan spells words that have a capital of their own (``PyTorch``, ``CUDA``), by lower case."""
    text = [plan.title, *(value for _, value in plan.meta), plan.overview]
    for part in plan.parts:
        text += [*part.points, *(s.title for s in part.sections), *(p for s in part.sections for p in s.points)]
    counts: Counter[str] = Counter(re.findall(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]+(?![\w/])", " ".join(text)))
    spelled: dict[str, str] = {}
    for word, _ in counts.most_common():
        if word[1:].lower() != word[1:]:
            spelled.setdefault(word.lower(), word)
    for word, count in counts.items():  # a name: always with its capital, and not just once at a sentence's start
        if word.istitle() and count > 2 and word.lower() not in counts:
            spelled.setdefault(word.lower(), word)
    return spelled


# --- drops -------------------------------------------------------------------------------------------------------


class _DropIndex:
    """Finds the drop of a PART: by its front matter, by the page it names, or by the name the plan asked for."""

    def __init__(self, drops: Sequence[Drop]) -> None:
        self._by_page: dict[str, list[Drop]] = defaultdict(list)
        self._by_name: dict[str, list[Drop]] = defaultdict(list)
        self._by_part: dict[tuple[str, int | None], list[Drop]] = defaultdict(list)
        for drop in drops:
            if drop.plan:
                self._by_part[drop.plan, drop.part].append(drop)
            if drop.page:
                self._by_page[drop.page.removeprefix("./").removeprefix("docs/")].append(drop)
            self._by_name[_name_key(drop.name)].append(drop)
        self._drops, self._taken = drops, set[str]()

    def find(self, plan: Plan, part: Part, uri: PageUri) -> Drop | None:
        """The newest drop of `part`."""
        candidates = self._by_part.get((plan.slug, part.number), [])
        if not candidates and part.state is not State.DISABLED:
            candidates = [d for d in self._by_page.get(uri, []) if not d.plan or d.plan == plan.slug]
        if not candidates and part.state is not State.DISABLED and part.drop:
            candidates = [
                d for d in self._by_name.get(_name_key(part.drop), []) if not d.page or page_uri(plan, d.page) == uri
            ]
        if not candidates:
            return None
        self._taken |= {drop.uri for drop in candidates}
        return max(candidates, key=lambda d: (d.timestamp or "", d.uri))

    def unclaimed(self) -> list[Problem]:
        """A Problem for each drop that no PART took."""
        what = "no PART asks for this drop; name its plan and part in its front matter"
        return [Problem(d.uri, 1, "P034", what) for d in self._drops if d.uri not in self._taken]


def _name_key(name: str) -> str:
    """A drop's name without date, time and the blanks left for them."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".md").lower()
    return re.sub(
        r"(?:-(?:\d{4}-\d{2}-\d{2}|\d{4}|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|date|time|yyyy-mm-dd|hhmm))+$", "", stem
    )


# --- problems ----------------------------------------------------------------------------------------------------


def _of_reserved(by_uri: Mapping[PageUri, Page]) -> list[Problem]:
    what = "a generated page takes this page's place; give it another name"
    # An INDEX.md of the author's gives way without a word: it is the same view.
    return [Problem(uri, 1, "K003", what) for uri in RESERVED if uri in by_uri and uri != "INDEX.md"]


def _of_base(library: Library) -> list[Problem]:
    found: list[Problem] = []
    claims: dict[str, Entry] = {}
    prefixes: dict[tuple[str, str], str] = {}
    live = [e for e in library.entries if e.state is not State.DISABLED]
    for entry in live:
        other = claims.setdefault(entry.uri, entry)
        if other is not entry:
            what = (
                f"{entry.uri} is the page of PART {other.part.number} in {other.plan.uri} already; one page, one PART"
            )
            found.append(Problem(entry.plan.uri, entry.part.line, "P021", what))
    for entry in sorted(live, key=lambda e: e.uri):
        path = PurePosixPath(entry.uri)
        prefix = _PREFIX.match(path.name)
        if not prefix:
            continue
        first = prefixes.setdefault((str(path.parent), prefix[1]), entry.uri)
        if first != entry.uri:
            what = (
                f"{entry.uri} has the number {prefix[1]} that {first} has; both are shown, but readers will mix them up"
            )
            found.append(Problem(entry.plan.uri, entry.part.line, "P022", what))
    return found


def _of_claims(library: Library) -> list[Problem]:
    found = []
    for entry in library.entries:
        part, line = entry.part, entry.part.status_line or entry.part.line
        if part.state is State.DONE and not entry.is_there:
            what = f"PART {part.number} is marked done, but {entry.uri} is not there; write the page or open the PART"
            found.append(Problem(entry.plan.uri, line, "P030", what))
        elif part.state in {State.OPEN, State.UNMARKED} and entry.is_there:
            what = f"PART {part.number} is marked open, but {entry.uri} is there; mark it `[✓]` once it holds"
            found.append(Problem(entry.plan.uri, line, "P031", what))
        elif part.state is State.DONE and part.drop and entry.drop is None:
            what = f"PART {part.number} is marked done, but its drop {part.drop} is not there"
            found.append(Problem(entry.plan.uri, line, "P032", what))
    return found


def _of_reads(library: Library) -> list[Problem]:
    known = {*library.page_by_uri, *(e.uri for e in library.entries)}
    names = {PurePosixPath(uri).name for uri in known}
    found = []
    for plan in library.plans:
        for part in plan.parts:
            if part.state is State.DISABLED:
                continue
            for read in part.reads:
                name = PurePosixPath(read.path).name
                if read.path.endswith("/") or name.upper() in {"INDEX.MD", "SKILL.MD"}:
                    continue
                if read.path not in known and not ("/" not in read.path and name in names):
                    what = f"PART {part.number} builds on {read.path}, which the base does not hold"
                    found.append(Problem(plan.uri, read.line, "P033", what))
    return found
