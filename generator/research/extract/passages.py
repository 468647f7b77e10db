"""Split a source into passages: verbatim pieces of its text, each of the size of a quote.

Text that is not evidence is left out: navigation, notices, synopses, changelogs, prompts, keys, hidden text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from generator.citations.quotes import fold, words
from generator.drafts import Passage, PassageKind, Source
from generator.markdown.escape import UNSEEN
from generator.markdown.sentences import sentence_spans
from generator.research.extract.blocks import (
    MAX_CHARS,
    Piece,
    SourceBlock,
    count_words,
    ends_in_colon,
    is_beside,
    joined,
    packed,
    read_blocks,
)
from generator.research.extract.rst import read_rst
from generator.rules.credentials import find_credentials
from generator.rules.limits import MAX_CODE_LINES, MAX_QUOTE_WORDS

LANGUAGES = {
    **{"py": "python", "pyi": "python", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp"},
    **{"cu": "cuda", "cuh": "cuda", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin", "swift": "swift"},
    **{"js": "javascript", "mjs": "javascript", "ts": "typescript", "tsx": "tsx", "rb": "ruby", "php": "php"},
    **{"sh": "bash", "bash": "bash", "zsh": "bash", "ps1": "powershell", "pl": "perl", "lua": "lua", "r": "r"},
    **{"jl": "julia", "scala": "scala", "cs": "csharp", "sql": "sql", "cmake": "cmake", "mk": "make", "tf": "hcl"},
    **{"yml": "yaml", "yaml": "yaml", "toml": "toml", "json": "json", "xml": "xml", "ini": "ini", "cfg": "ini"},
    **{"proto": "protobuf", "dockerfile": "dockerfile", "bzl": "python", "nix": "nix", "ipynb": "json"},
}
"""Languages by file extension, as named in fences."""

NAMES = {"Dockerfile": "dockerfile", "Containerfile": "dockerfile", "Makefile": "make", "CMakeLists.txt": "cmake"}
"""Languages by file name, for files without an extension."""

_CODE_TYPES = {f"application/{name}": name for name in ("json", "toml", "yaml", "sql")}
_MIN_CODE_CHARS = 12
_DEFINITIONS = frozenset({PassageKind.PROSE, PassageKind.LIST})
"""Kinds of blocks that may define a term."""
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_HEADING = re.compile(r"(?:\d+(?:\.\d+)*\.?[ \t]+)?[^\W\da-z](?:[^\n.!?;,:]|\.(?=\w)){0,70}(?:\n(?=[^\W\da-z])|\Z)")
"""A short line with a capital and without the end of a sentence, above a line that begins with a capital."""
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,2}[.)])\s", re.MULTILINE)
_MARKS = re.compile(r"(?:[ \t]*(?::{3,}[^\n]*|\[!\w+\][ \t]*)(?:\n[ \t>]*|\Z))+")
"""Lines that begin a note in MyST (``:::{note}``) or on GitHub (``[!NOTE]``)."""
_END_MARKS = re.compile(r"(?:\n[ \t]*:{3,}[ \t]*)+\Z")
_LINE = re.compile(r".*(?:\n|$)")
_STATEMENT = re.compile(r"^(?=\S)(?![)\]}])", re.MULTILINE)


def passages(source: Source, number: int) -> tuple[Passage, ...]:
    """Return the passages of `source`, in order; `number`, its index among the sources, is part of their ids.

    Each is verbatim: ``text[p.start : p.start + len(p.text)] == p.text``. Junk is left out.
    """
    if is_changelog(source):
        return ()
    text = source.fetched.text[:MAX_CHARS]
    form, language = form_of(source)
    match form:
        case "markdown":
            blocks = read_blocks(text)
        case "rst":
            blocks = read_rst(text)
        case "code":
            blocks = tuple(_statements(text, language))
        case _:
            blocks = tuple(_paragraphs(text))
    is_markup = form in {"markdown", "rst"}
    pieces = tuple(_Splitter(text, words if is_markup else fold).pieces(blocks))
    follows = joined(text, source.fetched.visible, pieces)
    return tuple(
        Passage(
            id=f"s{number}p{n}",
            source=source.id,
            text=text[piece.start : piece.end],
            start=piece.start,
            headings=piece.block.headings,
            kind=piece.kind,
            follows=f"s{number}p{n - 1}" if is_joined else None,
            language=piece.block.language,
            is_markdown=is_markup and piece.kind is not PassageKind.CODE,
            is_cut=piece.is_cut,
        )
        for n, (piece, is_joined) in enumerate(zip(pieces, follows, strict=True), 1)
    )


def form_of(source: Source) -> tuple[str, str]:
    """Return the form of the source's text, ``markdown``, ``rst``, ``code`` or ``plain``, and the language of code."""
    if source.markup:
        return source.markup, ""
    path, media_type = source.path, source.fetched.media_type
    language = NAMES.get(path.name) or LANGUAGES.get(path.suffix[1:].lower()) or _CODE_TYPES.get(media_type)
    return ("code", language) if language and media_type != "application/pdf" else ("plain", "")


# --- blocks of other texts ---------------------------------------------------------------------------------------


def _paragraphs(text: str) -> Iterator[SourceBlock]:
    """Yield the paragraphs of plain text; bullets are a list, and a short line above a paragraph is its heading."""
    headings: tuple[str, ...] = ()
    for match in _PARAGRAPH.finditer(text):
        end = match.start() + len(match[0].rstrip())
        first = _HEADING.match(text, match.start(), end)
        start = first.end() if first else match.start()
        headings = (" ".join(first[0].split()),) if first else headings
        bullets = [start + bullet.start() for bullet in _BULLET.finditer(text[start:end])]
        if len(bullets) > 1 and not text[start : bullets[0]].strip():
            items = tuple(zip(bullets, [*bullets[1:], end], strict=True))
            yield SourceBlock(PassageKind.LIST, start, end, headings, pieces=items)
        elif start < end:
            yield SourceBlock(PassageKind.PROSE, start, end, headings)


def _statements(text: str, language: str) -> Iterator[SourceBlock]:
    """Yield consecutive top-level statements of code, with the comments above them, each a row of its own."""
    starts = [m.start() for m in _STATEMENT.finditer(text) if text[max(0, m.start() - 2) : m.start()] == "\n\n"]
    for n, (a, b) in enumerate(pairwise([0, *starts, len(text)])):
        lines = tuple(match.span() for match in _LINE.finditer(text, a, b) if match[0])
        if lines:
            yield SourceBlock(PassageKind.CODE, a, b, (), n, language, lines)


# --- pieces ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Splitter:
    """Splits the blocks of a text into pieces of the size of a quote."""

    text: str
    words: Callable[[str], str]
    """Returns the visible text of markup, folded."""

    def pieces(self, every: Sequence[SourceBlock]) -> Iterator[Piece]:
        """Yield paragraphs, definitions with their terms, lists with their lead-ins, tables and code."""
        blocks = [block for block in every if not is_about_changes(block.headings)]
        term: int | None = None  # start of the terms directly above
        for before, block, after in zip([None, *blocks], blocks, [*blocks[1:], None], strict=False):
            if block.is_term and after and after.kind in _DEFINITIONS and is_beside(block, after):
                term = block.start if term is None else term
                continue
            match block.kind:
                case PassageKind.PROSE:
                    is_lead = after is not None and self._leads(block, after)
                    yield from self._prose(block, term, is_lead=is_lead)
                case PassageKind.LIST:
                    yield from self._list(block, self._lead(before, block) if term is None else term)
                case PassageKind.TABLE:
                    yield from self._table(block)
                case PassageKind.CODE:
                    yield from self._code(block)
            term = None

    def _leads(self, block: SourceBlock, after: SourceBlock) -> bool:
        """Return whether a block is prose that introduces the list directly below."""
        is_prose = block.kind is PassageKind.PROSE and after.kind is PassageKind.LIST
        return is_prose and is_beside(block, after) and ends_in_colon(self.text[block.start : block.end])

    def _lead(self, before: SourceBlock | None, block: SourceBlock) -> int | None:
        """Return the start of a list's lead-in: the last sentence of the paragraph above, if it ends in a colon."""
        return self._sentences(before)[-1][0] if before and self._leads(before, block) else None

    def _sentences(self, block: SourceBlock) -> list[tuple[int, int]]:
        whole = [(a - block.start, b - block.start) for a, b in block.whole]
        spans = sentence_spans(self.text[block.start : block.end], whole)
        return [(block.start + a, block.start + b) for a, b in spans]

    def _prose(self, block: SourceBlock, term: int | None, *, is_lead: bool) -> Iterator[Piece]:
        """Yield the sentences of a paragraph, the first with its term; without the last if it is a list's lead-in."""
        spans = self._sentences(block)
        yield from self._of_runs(block, spans[:-1] if is_lead else spans, term)

    def _list(self, block: SourceBlock, lead: int | None) -> Iterator[Piece]:
        entries = tuple(self.words(self.text[a:b]) for a, b in block.pieces)
        if lead is None and (is_menu(entries) or is_junk(" ".join(entries))):
            return
        yield from self._of_runs(block, [(a, a + len(self.text[a:b].rstrip())) for a, b in block.pieces], lead)

    def _of_runs(self, block: SourceBlock, spans: Sequence[tuple[int, int]], before: int | None) -> Iterator[Piece]:
        """Yield adjacent spans together; the first with what begins at `before`, if that is not too long."""
        for n, (a, b) in enumerate(packed(self.text, spans)):
            is_first = n == 0 and before is not None and count_words(self.text[before:b]) <= MAX_QUOTE_WORDS
            start = before if is_first and before is not None else a
            start, end = _without_marks(self.text, start, b)
            raw = self.text[start:end]
            if raw and not is_junk(self.words(raw), raw):
                yield Piece(block, start, end)

    def _table(self, block: SourceBlock) -> Iterator[Piece]:
        """Yield the head and as many rows as fit into a quote."""
        ends = [b for _, b in block.pieces]
        fitting = list(
            takewhile(lambda b: count_words(self.words(self.text[block.start : b])) <= MAX_QUOTE_WORDS, ends[1:])
        )
        if fitting and not is_unsafe_code(table := self.text[block.start : fitting[-1]].rstrip()):
            yield Piece(block, block.start, block.start + len(table), is_cut=len(fitting) < len(ends) - 1)

    def _code(self, block: SourceBlock) -> Iterator[Piece]:
        """Yield the first lines of a block of code, cut at an empty line if it is too long."""
        start, end = self.text.rfind("\n", 0, block.start) + 1, block.pieces[-1][1]
        start = block.start if self.text[start : block.start].strip() else start
        code = self.text[start:end]
        is_cut = code.rstrip("\n").count("\n") >= MAX_CODE_LINES
        if is_cut:
            ends = [match.end() for match in re.finditer(r"\n", code)][:MAX_CODE_LINES]
            empty = [at for at in ends[MAX_CODE_LINES // 2 :] if code[at : at + 1] == "\n"]
            code = code[: empty[-1] if empty else ends[-1]]
        code = code.rstrip()
        if len(code.strip()) >= _MIN_CODE_CHARS and not is_unsafe_code(code) and not is_synopsis(code):
            yield Piece(block, start, start + len(code), is_cut)


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the marks of notes around it."""
    marks = _MARKS.match(text, start, end)
    start = marks.end() if marks else start
    last = _END_MARKS.search(text, start, end)
    return start, last.start() if last else end


# --- junk ----------------------------------------------------------------------------------------------------------

MIN_WORDS = 5
"""Minimum number of words of prose: fewer say nothing on their own."""

_NOTICE = re.compile(
    r"\b(?:we use (?:\w+ )?cookies|uses cookies|(?:accept|reject|manage|change) (?:all |your )?cookies?"
    r"|cookie (?:settings|preferences|policy|notice)|privacy (?:policy|notice)|terms of (?:use|service)"
    r"|all rights reserved|skip to (?:main )?content|subscribe to (?:our|the|this)|newsletter|sign in to continue"
    r"|(?:please|must) enable javascript|javascript is (?:disabled|required)|was this (?:page|article|helpful)"
    r"|edit (?:this page|on github)|follow us|back to top|related (?:posts|articles)|leave a comment|reading time"
    r"|\d+ min(?:ute)?s? read|copyright (?:\(c\)|\d{4})|verify (?:that )?you are (?:a )?human|checking your browser)\b"
    r"|^(?:on this page|table of contents|share (?:this|on)|(?:previous|next) (?:page|article|post)|read more"
    r"|posted (?:on|by|in)|last (?:updated|modified|edited)|advertisement)\b|\u00a9",
    re.IGNORECASE,
)
_NOTICE_WORDS = 45
"""Maximum number of words of a notice; a longer text with these words is about notices."""
_TO_PROGRAMS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier|system) "
    r"(?:instructions?|prompts?|messages?)|\b(?:system|developer) prompt\b"
    r"|\byou are (?:now )?(?:an? )?(?:AI|assistant|chatbot|language model)\b"
    r"|<\|?(?:im_start|system|assistant)\b|\[/?INST\]",
    re.IGNORECASE,
)
"""Instructions to a language model that reads the page, rather than to a reader."""
_CHANGES = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?:change ?logs?|changes|release (?:notes|history)"
    r"|(?:(?:revision|version|change) )?history"
    r"|what(?:'|\u2019)s new\b.*|news|changes (?:in|since|from|to)\b.*)\W*$|\brelease notes\b|\bchange ?log\b"
    r"|\brelease v?\d+\.\d+[\d.]*(?: on [\d-]+)?$",
    re.IGNORECASE,
)
"""A title or heading of a changelog: true of one version, and useless without knowing which."""
_CHANGES_FILE = re.compile(r"(?:^|/)(?:changelog|changes|news|release[-_]?notes|history)(?:\.\w+)*/?$", re.IGNORECASE)
_USAGE = re.compile(
    r"(?<![\w\])])\[\s*(?:-{1,2}[\w<]|<|\w+ *\|)|\.\.\.\]|\|\s*-{1,2}\w|<[\w-]+>\s*(?:\.\.\.|\]|\|)|\](?:\.\.\.|\s*\[)"
)
"""The notation of a synopsis: ``[-a|--attach]``, ``[<path>...]``."""
_CRUMBS = re.compile(r"(?:^|\s)[>\u203a\u00bb|\u00b7\u2022/\u2192](?=\s)")
_LETTER = re.compile(r"[^\W\d_]")
_INCLUDE = re.compile(r"^[ \t]*;*-{1,}8<-{1,}", re.MULTILINE)
"""A line that includes a file into a page if the snippets extension is on, even inside code."""


def is_junk(text: str, raw: str = "") -> bool:
    """Return whether `text`, prose as a reader sees it, is not worth quoting; `raw` is its markup in the source."""
    words = text.split()
    letters = len(_LETTER.findall(text))
    if letters < 0.5 * sum(map(len, words)) or _is_hidden(text + raw) or find_credentials(text):
        return True
    if is_synopsis(text):
        return True
    if len(words) < MIN_WORDS and letters == len(re.findall(r"[A-Za-z\u00c0-\u024f]", text)):
        return True
    if _TO_PROGRAMS.search(text) or (len(words) <= _NOTICE_WORDS and _NOTICE.search(text)):
        return True
    marks = len(_CRUMBS.findall(text))
    return marks >= 2 and len(words) < 8 * (marks + 1)


def is_menu(entries: tuple[str, ...]) -> bool:
    """Return whether the items of a list are a menu: at most three words each, without the marks of a sentence."""
    short = [entry for entry in entries if len(entry.split()) <= 3 and not re.search(r"[.:;=`(]|\d", entry)]
    return len(short) >= 0.7 * len(entries)


def is_synopsis(text: str) -> bool:
    """Return whether `text` is the usage line of a program, which states nothing: ``docker run [-a|--attach] ...``."""
    marks = len(_USAGE.findall(text))
    return marks >= 2 and 6 * marks >= len(text.split()) - marks


def is_changelog(source: Source) -> bool:
    """Return whether a source is a changelog, by its title or file name."""
    return bool(_CHANGES.search(source.fetched.title or "") or _CHANGES_FILE.search(str(source.path)))


def is_about_changes(headings: Sequence[str]) -> bool:
    """Return whether text below these headings is part of a changelog."""
    return any(_CHANGES.search(heading) for heading in headings)


def is_unsafe_code(code: str) -> bool:
    """Return whether code would be altered by rendering it on a page."""
    return bool(_is_hidden(code) or _INCLUDE.search(code) or find_credentials(code))


def _is_hidden(text: str) -> bool:
    """Return whether text is displayed differently from its characters: bidirectional controls, decoding errors."""
    return bool(UNSEEN.search(text)) or "\ufffd" in text
