"""The domain model: plans, pages, drops and their parts.

Frozen dataclasses that need the standard library only. Read `Plan`, `Part`, `Page`, `Reference` and
`Drop`, in this order; `planbook.library` links them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import NewType, Protocol

PlanUri = NewType("PlanUri", str)
"""A plan's POSIX path relative to the project's root, such as ``plans/docker.md``."""

PageUri = NewType("PageUri", str)
"""A page's POSIX path relative to the documentation folder (MkDocs' ``src_uri``)."""

DropUri = NewType("DropUri", str)
"""A KNOWLEDGE-DROP file's POSIX path relative to the project's root."""


def format_time(moment: datetime | None = None) -> str:
    """Return a moment in UTC, by default now, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    time = moment or datetime.now(UTC)
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


class State(StrEnum):
    """The state of a PART as its plan claims it."""

    OPEN = "open"
    PARTIAL = "partial"
    DONE = "done"
    SKIPPED = "skipped"
    DISABLED = "disabled"
    UNMARKED = "unmarked"


FINISHED_STATES = frozenset({State.DONE, State.PARTIAL})
"""States of a PART whose page was accepted."""
WAITING_STATES = frozenset({State.OPEN, State.UNMARKED})
"""States of a PART whose page is to be written."""
UNFINISHED_STATES = WAITING_STATES | {State.PARTIAL}
"""States of a PART of which something is to be written."""
EXCLUDED_STATES = frozenset({State.SKIPPED, State.DISABLED})
"""States of a PART that gets no page."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A defect in an input, as a value.

    Parsers return it, the command line and the plugin report it.
    """

    uri: str
    """The file, as the user would name it."""
    line: int
    """1-based; 1 if the Problem concerns the whole file."""
    code: str
    """Stable, such as ``P021``; the table is :data:`planbook.problems.CODES`."""
    message: str
    """The defect and the fix."""
    column: int = 1
    """1-based, in characters; 1 if the Problem concerns the whole line."""
    fix: tuple[str, str] | None = None
    """The path in the file that `planbook check --fix` replaces, and its replacement."""
    place: tuple[str, int] | None = None
    """The line of another file that it is about: of a program that a page quotes."""


@dataclass(frozen=True, slots=True)
class LineBudget:
    """The target length of a page or section: ``(low, high)`` lines, inclusive, ``low <= high``."""

    low: int
    high: int

    def __str__(self) -> str:
        if self.low == self.high:
            return str(self.low)
        return f"{self.low}-{self.high}"


DONE_MARKS = frozenset("xX✓✔☑✅")
"""The characters in a checkbox that mean *done*; of others, also unknown ones, none does."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task list item of a step."""

    text: str
    """The first line, without the checkbox."""
    mark: str | None
    """The character in the checkbox; ``None`` for a plain bullet."""
    line: int

    @property
    def is_ticked(self) -> bool:
        """True if the box is marked done."""
        return self.mark in DONE_MARKS


@dataclass(frozen=True, slots=True)
class Step:
    """A ``**Step n: Title**`` group within a PART."""

    number: int | None
    title: str
    tasks: tuple[Task, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A search to run."""

    engine: str
    """The search engine: ``web``, ``github``, ``arxiv``, ``scholar``."""
    text: str


@dataclass(frozen=True, slots=True)
class Grep:
    """A search of the base, which asks nothing of the web: ``Grep for "a" AND "b" in dir/``."""

    text: str
    """The line as written."""
    terms: tuple[str, ...] = ()
    operator: str | None = None
    """``AND`` or ``OR``; ``None`` if the line has none, or both."""
    folders: tuple[str, ...] = ()
    """Folders to look in, relative to the base's root; none for the whole base."""


@dataclass(frozen=True, slots=True)
class Read:
    """A page of the base that the PART builds on."""

    path: str
    """As written; may be a folder (ends in ``/``)."""
    remark: str
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the outline."""

    title: str
    lines_budget: LineBudget | None = None
    points: tuple[str, ...] = ()
    cite: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


REOPENED_REASON = "reopened"
"""The first word of the reason in the note of a PART whose finished page is to be written anew."""


@dataclass(frozen=True, slots=True)
class Part:
    """One knowledge page to be researched."""

    number: int
    title: str
    """The heading text, without number, budget and status mark."""
    line: int
    """The heading's line."""
    end_line: int
    """The last line of the PART, inclusive."""
    state: State
    targets: tuple[str, ...] = ()
    """Target pages as written, relative to the base's root."""
    status_line: int | None = None
    """The line of the task list item that marks its state; ``None`` if there is none."""
    completed: str | None = None
    """The completion time as written: a date, or a date and time, with the time zone if given."""
    note: str | None = None
    """Other text in parentheses on the status line, such as the reason for a failure."""
    lines_budget: LineBudget | None = None
    page_title: str | None = None
    """The title of its page, if a ``**Title**:`` line sets one."""
    goal: str | None = None
    """One sentence on the purpose of the page (``**Goal**:`` or ``**Focus**:``)."""
    steps: tuple[Step, ...] = ()
    queries: tuple[Query, ...] = ()
    points: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    sources: tuple[str, ...] = ()
    """Requested sources: named documents, URLs, repositories."""
    reads: tuple[Read, ...] = ()
    greps: tuple[Grep, ...] = ()
    """Searches of the base."""
    gaps: tuple[str, ...] = ()
    drop: str | None = None
    """The KNOWLEDGE-DROP file that the PART asks for, as written."""
    is_chore: bool = False
    """True if its targets are generated, such as ``INDEX.md``: it has no page of its own."""
    is_group: bool = False
    """True if it is a heading with boxes, in a plan without PARTs: its state is that of its
    boxes."""

    @property
    def pages(self) -> tuple[str, ...]:
        """Its targets; none if they are generated."""
        return () if self.is_chore else self.targets

    @property
    def is_reopened(self) -> bool:
        """True if `planbook verify --reopen` marked it: its page is to be written anew."""
        has_reason = f": {REOPENED_REASON}" in (self.note or "")
        return self.state is State.PARTIAL and has_reason


@dataclass(frozen=True, slots=True)
class Plan:
    """A research plan."""

    uri: PlanUri
    title: str
    meta: tuple[tuple[str, str], ...]
    """The header's ``**Key**: value`` pairs, in order."""
    parts: tuple[Part, ...]
    checkboxes: tuple[tuple[str, int], ...]
    """The number of occurrences of each checkbox mark, outside code."""
    overview: str = ""
    """Its first paragraph of prose."""
    is_template: bool = False
    """A form to copy; never published or counted."""
    folder: str = "plans"
    """The plans' folder, as it appears at the beginning of the uri."""
    target_folder: str = ""
    """The folder of the documentation that its paths are relative to."""

    @property
    def slug(self) -> str:
        """The uri without the plans' folder, ``completed/`` and suffix, as used in front matter.

        References to it stay valid when a finished plan is moved to ``plans/completed/``.
        """
        path = self.uri.removesuffix(".md")
        for tail in ("/ingestion", "/plan"):
            path = path.removesuffix(tail)
        return path.removeprefix(f"{self.folder}/").removeprefix("completed/")

    def meta_value(self, key: str) -> str | None:
        """Return the header's value for `key`, in any case; ``None`` if it is missing or empty."""
        for name, value in self.meta:
            if name.lower() == key.lower() and value:
                return value
        return None


@dataclass(frozen=True, slots=True)
class Reference:
    """A cited work."""

    id: str
    """The citation key; readable and stable."""
    title: str
    url: str | None = None
    """The URL; for a page of the base, the link as written; ``None`` if the work has none."""
    accessed: str | None = None
    """The access date, ``YYYY-MM-DD``."""
    lines: tuple[int, ...] = ()
    """The lines that mention the work, 1-based."""
    author: str | None = None
    publisher: str | None = None
    issued: str | None = None
    """The publication date as readers see it: ``2024``, ``2024-08``, ``c. 1796``, ``44 BC``,
    ``2019–2021``."""
    archive: str | None = None
    """The URL of an archived copy."""
    quotes: tuple[tuple[str, str], ...] = ()
    """Exact quotes from the work, by key (``q1``)."""
    fragments: tuple[tuple[str, str], ...] = ()
    """Text directives for quotes that their text alone cannot locate, by the quote's key."""
    line_links: tuple[tuple[str, str], ...] = ()
    """Addresses of a quote's lines in a repository's file, by the quote's key."""
    file: str = ""
    """The local document that it was read from, relative to the project; empty if it is from
    elsewhere."""
    cited_as: str = ""
    """The words for the work in a sentence: its authors, else its title; empty if it is not from
    front matter."""


@dataclass(frozen=True, slots=True)
class Message:
    """An error message on a page, for the index of messages."""

    text: str
    meaning: str
    section: str
    """The title of the section that explains it."""
    anchor: str
    """``#`` and the id of its table; empty if that has none."""
    cell: str = ""
    """The text of its cell, with code between backticks: the message and when it appears."""
    advice: tuple[tuple[str, str], ...] = ()
    """The heading and the text of the other cells of its row, such as *Do*."""
    row: str = ""
    """``#`` and the id of its row on the site; empty if its table has no id."""


class HasAddress(Protocol):
    """The address of a cited work: of a `Reference`, or of what a projection has of one."""

    @property
    def id(self) -> str:
        """Its id on the page."""

    @property
    def url(self) -> str | None:
        """Its address, if it has one."""

    @property
    def file(self) -> str:
        """The local document that it is; empty if it is none."""


COLLECTING_WRITER = "extract"
"""The writer that collects passages instead of writing sentences."""


@dataclass(frozen=True, slots=True)
class Page:
    """A knowledge page, or any other page of the documentation folder."""

    uri: PageUri
    title: str
    lines: int
    """The number of lines of the body, without front matter."""
    description: str = ""
    """One sentence: from the front matter, or the first sentence of the first paragraph."""
    meta: tuple[tuple[str, object], ...] = ()
    """The front matter, in order."""
    references: tuple[Reference, ...] = ()
    """The works cited in the front matter and in the text."""
    links: tuple[str, ...] = ()
    """Link targets to other pages, as written."""
    sections: tuple[str, ...] = ()
    """The titles of its sections (level 2), without those that list sources."""
    words: int = 0
    """The number of words of the body."""
    messages: tuple[Message, ...] = ()
    """The messages in its tables that are marked with the class ``messages``."""
    grounds: tuple[tuple[str, int], ...] = ()
    """The number of its sentences by ground (``quoted``, ``deduced``, ...), if it marks any."""

    def meta_value(self, key: str) -> object | None:
        """Return the front matter's value for `key`; ``None`` if it is missing."""
        return next((value for name, value in self.meta if name == key), None)

    @property
    def created(self) -> str:
        """The day in its front matter, as written; empty if it has none."""
        return str(self.meta_value("created") or "")

    @property
    def nav_title(self) -> str:
        """A short title for the navigation, of its front matter; empty if it has none."""
        return str(self.meta_value("nav_title") or "")

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names: `aliases` of the front matter, one or a list."""
        aliases = self.meta_value("aliases")
        if isinstance(aliases, list):
            return tuple(map(str, aliases))
        return (str(aliases),) if aliases else ()

    @property
    def number_of_works(self) -> int:
        """The number of works that it cites."""
        return len(self.references)

    @property
    def is_collected(self) -> bool:
        """True if it consists of passages that a program collected: nobody has written it."""
        generated = self.meta_value("generated")
        if isinstance(generated, Mapping):
            return generated.get("writer") == COLLECTING_WRITER
        return generated == COLLECTING_WRITER


@dataclass(frozen=True, slots=True)
class Drop:
    """A KNOWLEDGE-DROP file: a runner's report of one attempt at one PART."""

    uri: DropUri
    title: str
    body: str
    """The Markdown text without front matter."""
    runner: str | None = None
    timestamp: str | None = None
    outcome: str | None = None
    part: int | None = None
    plan: str | None = None
    """The plan's slug, if the front matter names it."""
    page: str | None = None
    """The page that the drop reports as written, verbatim."""
    page_sha256: str = ""
    """The hash of the page as it was written; empty if the drop does not say it."""
    text_sha256: str = ""
    """The `fingerprint` of the page as it was accepted; empty if the drop does not say it."""
    made_from: tuple[tuple[str, str], ...] = ()
    """The origins of the page: hashes of the PART, the documents and so on, and the writer."""

    @property
    def name(self) -> str:
        """The file name."""
        return self.uri.rsplit("/", 1)[-1]

    @property
    def folder(self) -> str:
        """The folder that contains the file."""
        return self.uri.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a project, each as bytes by its POSIX path."""

    plans: Mapping[str, bytes]
    """By path relative to the project's root, including the plans' folder."""
    drops: Mapping[str, bytes]
    """KNOWLEDGE-DROP files, by path relative to the project's root."""
    pages: Mapping[str, bytes]
    """By path relative to the documentation folder."""
    plans_dir: str = "plans"
    """The plans' folder, relative to the project's root."""
    target_folders: Mapping[str, str] = field(default_factory=dict)
    """By folder of plans, relative to `plans_dir`, the folder of the documentation that their paths
    are relative to."""
    docs_dir: str = "docs"
    """The documentation folder, relative to the project's root."""
    unread: tuple[Problem, ...] = ()
    """Problems of files that were not read, by path relative to the project's root."""
    post_folders: tuple[str, ...] = ()
    """Folders of the documentation that a blog reads or fills: no page is generated there."""
    posts: frozenset[str] = frozenset()
    """The files in them that are not among `pages`."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """All files, by the names that Problems have."""
        return {**self.plans, **self.drops, **self.pages}
