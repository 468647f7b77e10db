"""Values on the way from a PART to its page. Frozen.

::

    Brief ─> search ─> Searched ─> fetch ─> Source ─> extract ─> Evidence
          ─> compose ─> Draft ─> rules ─> Problem
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from enum import StrEnum
from itertools import zip_longest
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from planbook.markdown.escape import CONTROL_CHARACTERS
from planbook.model import DropUri, PageUri, Part, Plan, Problem, Section
from planbook.research.web.model import Fetched

MARKDOWN_TYPES = frozenset(
    {"text/html", "application/xhtml+xml", "text/markdown", "text/x-markdown"}
)
"""Media types of documents whose text is Markdown after fetching."""
_MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdx"})


@dataclass(frozen=True, slots=True)
class Source:
    """A document that was read for a PART, with its text and the id by which the page cites it."""

    id: str
    fetched: Fetched
    queries: tuple[str, ...] = ()
    """The queries that found it; empty if the plan names it."""

    @property
    def title(self) -> str:
        """The work's title in one line; the name of its file, or its id, if it has none."""
        visible = CONTROL_CHARACTERS.sub("", self.fetched.title or "")
        return " ".join(visible.split()) or self.path.name or self.id

    @property
    def host(self) -> str:
        """The host it is from, without ``www.``; empty for a local document."""
        if self.fetched.work:
            return ""
        hostname = urlsplit(self._address).hostname or ""
        return hostname.removeprefix("www.")

    @property
    def path(self) -> PurePosixPath:
        """The path of its URL."""
        return PurePosixPath(unquote(urlsplit(self._address).path))

    @property
    def _address(self) -> str:
        """The URL that its text came from, after redirects."""
        return self.fetched.final_url or self.fetched.url

    @property
    def markup(self) -> str:
        """The markup of its text: ``markdown``, such as that of an HTML page, or ``rst``.

        It is empty for any other text.
        """
        media_type = self.fetched.media_type
        ending = self.path.suffix.lower()
        is_markdown_file = ending in _MARKDOWN_ENDINGS and media_type != "application/pdf"
        if is_markdown_file or media_type in MARKDOWN_TYPES:
            return "markdown"
        if ending == ".rst" and media_type == "text/plain":
            return "rst"
        return ""


class PassageKind(StrEnum):
    """The kind of a passage."""

    PROSE = "prose"
    LIST = "list"
    CODE = "code"
    TABLE = "table"
    DEFINITION = "definition"
    """Of an excerpt: a term with what defines it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim passage of a source: ``source.fetched.text[start:start + len(text)] == text``."""

    id: str
    """Unique in its PART, such as ``s2p14``."""
    source: str
    """The id of its Source."""
    text: str
    start: int
    """Offset in the source's text, in characters."""
    headings: tuple[str, ...] = ()
    """The headings above it, outermost first."""
    kind: PassageKind = PassageKind.PROSE
    is_markdown: bool = True
    """True if `text` is Markdown; a PDF's or a program's is taken literally."""
    is_cut: bool = False
    """True if it is the start of a longer code block or table in the source."""
    columns: str = ""
    """The head of the table of which it has later rows, as the source writes it, or empty."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Adjacent passages that belong together.

    Such are a definition and its term, a sentence and its code, and a paragraph.
    """

    passages: tuple[Passage, ...]
    """Each is a quote of its own."""
    title: str = ""
    """The source's title."""
    address: str = ""
    """The source's address."""
    term: str = ""
    """The option or name that it defines, as a reader sees it; empty for other text."""

    @property
    def source(self) -> str:
        """The id of its Source."""
        return self.passages[0].source

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings above it, outermost first."""
        return self.passages[0].headings

    @property
    def text(self) -> str:
        """Its passages, as the source writes them."""
        return "\n\n".join(passage.text for passage in self.passages)

    @property
    def kind(self) -> PassageKind:
        """The kind of its first passage; a definition if it has a term."""
        return PassageKind.DEFINITION if self.term else self.passages[0].kind


@dataclass(frozen=True, slots=True)
class Ranked:
    """An excerpt as an answer to a point."""

    excerpt: Excerpt
    score: float
    """Its relevance, comparable within one PART."""
    share: float
    """The weighted share of the point's words that it has, 0 to 1."""
    factor: float = 1.0
    """The factor in its score: less than 1 for a document on another subject."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The excerpts that may answer one point of the outline."""

    section: int
    """Index in the brief's outline."""
    point: str
    """The point as the plan writes it; the section's title if it has no points."""
    ranked: tuple[Ranked, ...] = ()
    """The best excerpts, best first."""
    is_found: bool = False
    """True if the best one answers the point, as far as its words tell."""
    is_uncertain: bool = False
    """True if it may: it is shown with the words that it lacks, and not counted as an answer."""
    missing: tuple[str, ...] = ()
    """The words of the point that the best one lacks, as the plan writes them."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of all its excerpts if it is found; none otherwise."""
        if not self.is_found:
            return ()
        return tuple(passage for ranked in self.ranked for passage in ranked.excerpt.passages)


def number_excerpts(points: Sequence[Evidence], limit: int, max_chars: int) -> dict[str, Excerpt]:
    """Return the `limit` best excerpts of each point by ids, while there is room.

    Those of all points come in turn: the best of each point first, then the second of each.
    """
    best = [[ranked.excerpt for ranked in evidence.ranked[:limit]] for evidence in points]
    in_turn = [excerpt for row in zip_longest(*best) for excerpt in row if excerpt]
    by_id: dict[str, Excerpt] = {}
    room = max_chars
    for number, excerpt in enumerate(dict.fromkeys(in_turn), 1):
        above = sum(map(len, excerpt.headings))
        room -= len(excerpt.text) + len(excerpt.title) + len(excerpt.term) + above
        if room >= 0:
            by_id[f"P{number}"] = excerpt
    return by_id


@dataclass(frozen=True, slots=True)
class KnownPage:
    """Prior knowledge in the base: a page that the plan names or searches for."""

    page: PageUri
    title: str
    reason: str
    """The line of the plan that refers to it: ``Read cuda/01-x.md``."""


@dataclass(frozen=True, slots=True)
class Brief:
    """One PART to be filled, with everything that a writer, program or person, needs to know."""

    plan: Plan
    part: Part
    page: PageUri
    """The page to write, relative to the documentation folder."""
    drop: DropUri
    title: str
    known: tuple[KnownPage, ...] = ()
    unresolved: tuple[str, ...] = ()
    """As written: pages that the base lacks, and searches of the base that match no title."""

    @property
    def outline(self) -> tuple[Section, ...]:
        """The page's sections: the PART's; if it has none, one for each of its points.

        Without points, there is one for its title.
        """
        if self.part.sections:
            return self.part.sections
        titles = self.part.points or (self.title,)
        return tuple(map(Section, titles))


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of some work: requests to hosts, and tokens of language models."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def tokens(self) -> int:
        """All tokens of requests and answers."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(sum(pair) for pair in pairs))


@dataclass(frozen=True, slots=True)
class SentenceProblem(Problem):
    """A Problem of a sentence, row or line of code of a draft."""

    sentence: str = ""
    """Its text, as a reader sees it."""
    missing: tuple[str, ...] = ()
    """The numbers, options and names that what it rests on does not have."""
    cited: tuple[str, ...] = ()
    """The ids of the works that it cites, if it is compared with their quotes."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as submitted by a writer, before the rules check it."""

    text: str
    """The whole file: front matter and Markdown."""
    writer: str
    """``extract``, ``llm``, ``command``, ``hand``."""
    gaps: tuple[str, ...] = ()
    """Points without evidence, as the plan writes them."""
    usage: Usage = field(default_factory=Usage)
    doubt: str = ""
    """Why its PART is partial although the page is written: sentences that no model judged."""
