"""Values on the way from a PART to its page. Frozen.

::

    Brief ─> search ─> Searched ─> fetch ─> Source ─> extract ─> Evidence ─> compose ─> Draft ─> rules ─> Finding
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from generator.model import DropUri, PageUri, Part, Plan, Section
from generator.web.model import Fetched

MARKDOWN_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/markdown", "text/x-markdown"})
"""Media types of what is Markdown once it is fetched."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document that was read for a PART: what it says, and the id that the page cites it by."""

    id: str
    fetched: Fetched
    queries: tuple[str, ...] = ()
    """The queries that led to it; empty where the plan names it."""

    @property
    def host(self) -> str:
        """Where it is from, without ``www.``; empty for a document of a local folder."""
        return (urlsplit(self.fetched.final_url or self.fetched.url).hostname or "").removeprefix("www.")

    @property
    def site(self) -> str:
        """Whose it is: its host, or the document itself where it has none."""
        return self.host or urlsplit(self.fetched.url).path

    @property
    def is_markdown(self) -> bool:
        """Whether its text is Markdown: it was HTML, or is a file of Markdown."""
        fetched = self.fetched
        ending = PurePosixPath(unquote(urlsplit(fetched.final_url or fetched.url).path)).suffix.lower()
        is_file = ending in {".md", ".markdown", ".mdx"} and fetched.media_type != "application/pdf"
        return is_file or fetched.media_type in MARKDOWN_TYPES


class Kind(StrEnum):
    """What a passage is."""

    PROSE = "prose"
    LIST = "list"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a source, to the letter: ``source.fetched.text[start:start + len(text)] == text``."""

    id: str
    """Unique in its PART, such as ``s2p14``."""
    source: str
    """The id of its Source."""
    text: str
    start: int
    """Offset in the source's text, in characters."""
    headings: tuple[str, ...] = ()
    """The headings that it stands below, outermost first."""
    kind: Kind = Kind.PROSE
    follows: str | None = None
    """The id of the passage that it directly follows in the source, where the two are one excerpt."""
    language: str = ""
    """For code: what the source calls its language; empty where it does not."""
    is_markdown: bool = True
    """Whether `text` is Markdown; what is not, such as a PDF's or a program's, is read to the letter."""
    is_cut: bool = False
    """Whether the code or table that it begins goes on in the source."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What answers one point of the outline, best first; no passages where nothing was found."""

    section: int
    """Index in the brief's outline."""
    point: str
    """As the plan writes it; the section's title where it has no points."""
    passages: tuple[Passage, ...] = ()
    elsewhere: tuple[str, ...] = ()
    """Where there are no passages: ids of sources that do answer, but would speak for more than half of the page."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the base already says: a page that the plan names or that holds what it looks for."""

    page: PageUri
    title: str
    reason: str
    """The plan's words that led to it: ``Read cuda/01-x.md``, ``"docker" AND "multi-stage"``."""
    lines: tuple[tuple[int, str], ...] = ()
    """Where it says so: 1-based line and its text, the best few."""


@dataclass(frozen=True, slots=True)
class Brief:
    """One PART to be filled: everything that a writer, a program or a person, needs to know."""

    plan: Plan
    part: Part
    page: PageUri
    """Where the page goes, in the documentation folder."""
    drop: DropUri
    title: str
    known: tuple[Known, ...] = ()
    unresolved: tuple[str, ...] = ()
    """What the plan asks to read or to look in that the base does not hold, as written."""

    @property
    def outline(self) -> tuple[Section, ...]:
        """The page's sections: the PART's; where it has none, one for each of its points, else one for its title."""
        titles = self.part.points or (self.title,)
        return self.part.sections or tuple(Section(None, title, self.part.line) for title in titles)


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as a writer hands it in, before the gates."""

    text: str
    """The whole file: front matter and Markdown."""
    writer: str
    """``extract``, ``llm``, ``command``, ``hand``."""
    gaps: tuple[str, ...] = ()
    """Points without evidence, as the plan writes them."""
    is_thin: bool = False
    """Whether it holds all the evidence that there was, or as much as has room: then its length is no fault of it."""
    replaced: int = 0
    """Sentences of a model that did not hold and gave way to a quote."""
    tokens: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """What a gate says of a draft."""

    gate: str
    """Its name, such as ``quotes``; the table is `generator.rules.limits`."""
    is_failure: bool
    """Whether the page is held back; otherwise it is told, and the page goes through."""
    message: str
    line: int = 1
    """Of the draft, 1-based."""
