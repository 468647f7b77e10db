"""The domain: what a plan, a page and a drop are. Frozen values, standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

PlanUri = NewType("PlanUri", str)
"""A plan's POSIX path relative to the project's root, such as ``plans/docker.md``."""

PageUri = NewType("PageUri", str)
"""A page's POSIX path relative to the documentation folder (MkDocs' ``src_uri``)."""

DropUri = NewType("DropUri", str)
"""A KNOWLEDGE-DROP file's POSIX path relative to the project's root."""


class State(StrEnum):
    """What a plan claims of a PART."""

    OPEN = "open"
    PARTIAL = "partial"
    DONE = "done"
    SKIPPED = "skipped"
    DISABLED = "disabled"
    UNMARKED = "unmarked"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in an input, as data: pure stages return it, the edge reports it."""

    uri: str
    """The file, as the user would name it."""
    line: int
    """1-based; 1 where the whole file is meant."""
    code: str
    """Stable, such as ``P012``; the table is :data:`generator.problems.CODES`."""
    message: str
    """What is wrong, and what would be right."""
    column: int = 1
    """1-based, in characters; 1 where the whole line is meant."""


@dataclass(frozen=True, slots=True)
class LineBudget:
    """How long a page or section should be: ``(low, high)`` lines, inclusive, ``low <= high``."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


@dataclass(frozen=True, slots=True)
class Task:
    """One task list item of a step."""

    text: str
    """Its first line, without the box."""
    mark: str | None
    """The character in its box; ``None`` for a plain bullet."""
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """A ``**Step n: Title**`` group within a PART."""

    number: int | None
    title: str
    line: int
    tasks: tuple[Task, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A search to run."""

    engine: str
    """Where: ``web``, ``github``, ``arxiv``, ``scholar``."""
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Read:
    """A page of the base that the PART builds on."""

    path: str
    """As written; may be a folder (ends in ``/``)."""
    remark: str
    line: int


@dataclass(frozen=True, slots=True)
class Grep:
    """A look for terms inside the base: existing knowledge, not a web query."""

    terms: tuple[str, ...]
    operator: str | None
    """``AND`` or ``OR`` where the plan names one."""
    folders: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the outline."""

    number: int | None
    title: str
    line: int
    lines_budget: LineBudget | None = None
    points: tuple[str, ...] = ()
    cite: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One knowledge page to be researched."""

    number: int
    title: str
    """The heading's words, without number, budget and status mark."""
    line: int
    """Of the heading."""
    end_line: int
    """The last line that belongs to it, inclusive."""
    state: State
    targets: tuple[str, ...] = ()
    """Target pages as written, relative to the base's root."""
    status_line: int | None = None
    """Of the task list item that carries its mark; ``None`` where there is none."""
    completed: str | None = None
    """The completion time as given: a date, or date and time, with the zone if there is one."""
    note: str | None = None
    """What else the status line says in parentheses, such as a failure's reason."""
    lines_budget: LineBudget | None = None
    page_title: str | None = None
    """What its page shall be called, where a ``**Title**:`` line says so."""
    goal: str | None = None
    """One sentence on what the page is for (``**Goal**:`` or ``**Focus**:``)."""
    steps: tuple[Step, ...] = ()
    queries: tuple[Query, ...] = ()
    points: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    sources: tuple[str, ...] = ()
    """Sources wanted: named documents, URLs, repositories."""
    reads: tuple[Read, ...] = ()
    greps: tuple[Grep, ...] = ()
    gaps: tuple[str, ...] = ()
    drop: str | None = None
    """The KNOWLEDGE-DROP file it asks for, as written."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A research plan."""

    uri: PlanUri
    title: str
    meta: tuple[tuple[str, str], ...]
    """The header's ``**Key**: value`` pairs, in order."""
    parts: tuple[Part, ...]
    checkboxes: tuple[tuple[str, int], ...]
    """How often each mark stands in a box, outside code."""
    overview: str = ""
    """Its first paragraph of prose."""
    is_template: bool = False
    """A form to copy: never published, never counted."""
    folder: str = "plans"
    """The plans' folder, as it stands at the beginning of the uri."""

    @property
    def slug(self) -> str:
        """The uri without the plans' folder, ``completed/`` and suffix: what a page's front matter names.

        A finished plan moves to ``plans/completed/``; what names it by its slug must not notice.
        """
        path = self.uri.removesuffix(".md")
        for tail in ("/ingestion", "/plan"):
            path = path.removesuffix(tail)
        return path.removeprefix(f"{self.folder}/").removeprefix("completed/")

    def meta_value(self, key: str) -> str | None:
        """The header's value for `key`, in any case; ``None`` where it is missing or empty."""
        return next((v for k, v in self.meta if k.lower() == key.lower() and v), None)


@dataclass(frozen=True, slots=True)
class Reference:
    """A work cited."""

    id: str
    """What the text cites it by; readable and stable."""
    title: str
    url: str | None = None
    """Its address; of a page of the base, the link as written; ``None`` for a work that has none."""
    accessed: str | None = None
    """The day it was read, as ``YYYY-MM-DD``."""
    lines: tuple[int, ...] = ()
    """Where the page mentions it, 1-based."""
    author: str | None = None
    publisher: str | None = None
    issued: str | None = None
    """When it was published, as far as it is known: ``2024``, ``2024-08``."""
    archive: str | None = None
    """The address of an archived copy."""
    quotes: tuple[tuple[str, str], ...] = ()
    """Words that stand in it exactly, by their key (``q1``)."""
    fragments: tuple[tuple[str, str], ...] = ()
    """Text directives that lead to quotes whose words alone do not, by the quote's key."""
    is_unverified: bool = False
    """Whether the page itself says that no program has compared the work with it."""


@dataclass(frozen=True, slots=True)
class Page:
    """A knowledge page, or any other page of the documentation folder."""

    uri: PageUri
    title: str
    lines: int
    """Lines of its body, front matter not counted."""
    description: str = ""
    """One sentence: the front matter's, or the first paragraph's first."""
    meta: tuple[tuple[str, object], ...] = ()
    """The front matter, in order."""
    references: tuple[Reference, ...] = ()
    """The works it cites, in its front matter and in its prose."""
    links: tuple[str, ...] = ()
    """The addresses, as written, that its text links to other pages by."""

    def meta_value(self, key: str) -> object | None:
        """The front matter's value for `key`; ``None`` where it is missing."""
        return next((value for name, value in self.meta if name == key), None)


@dataclass(frozen=True, slots=True)
class Drop:
    """A KNOWLEDGE-DROP file: a runner's report of one attempt at one PART."""

    uri: DropUri
    title: str
    body: str
    """Its Markdown, front matter removed."""
    runner: str | None = None
    timestamp: str | None = None
    outcome: str | None = None
    part: int | None = None
    plan: str | None = None
    """The plan's slug, where its front matter names it."""
    page: str | None = None
    """The page it says was made, as written."""

    @property
    def name(self) -> str:
        """The file's name."""
        return self.uri.rsplit("/", 1)[-1]

    @property
    def folder(self) -> str:
        """The folder it lies in."""
        return self.uri.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a project, each as bytes by its POSIX path."""

    plans: Mapping[str, bytes]
    """By path relative to the project's root, with the plans' folder."""
    drops: Mapping[str, bytes]
    """Likewise."""
    pages: Mapping[str, bytes]
    """By path relative to the documentation folder."""
    plans_dir: str = "plans"
    """The plans' folder, relative to the project's root."""
