"""Split a source into excerpts: what belongs together, in verbatim passages that each have the size of a quote.

A definition keeps its term and code the paragraph above it; a lead-in that ends in a colon keeps what it introduces.
Text that is not evidence is left out: navigation, notices, changelogs, prompts, keys, hidden text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count, pairwise

from planbook.citations.quotes import fold, words
from planbook.markdown.escape import UNSEEN
from planbook.markdown.words import sentence_spans
from planbook.problems import MAX_CODE_LINES, MAX_QUOTE_WORDS
from planbook.research.drafts import Excerpt, Passage, PassageKind, Source
from planbook.research.evidence.blocks import (
    MAX_CHARS,
    SourceBlock,
    count_words,
    ends_in_colon,
    packed,
    read_rst,
    source_blocks,
)
from planbook.rules.credentials import find_credentials

_CODE_FILES = frozenset(
    {
        *("bash", "bzl", "c", "cc", "cfg", "cmake", "cpp", "cs", "cu", "cuh", "cxx", "dockerfile", "go", "h", "hpp"),
        *("ini", "ipynb", "java", "jl", "js", "json", "kt", "lua", "mjs", "mk", "nix", "php", "pl", "proto", "ps1"),
        *("py", "pyi", "r", "rb", "rs", "scala", "sh", "sql", "swift", "tf", "toml", "ts", "tsx", "xml", "yaml"),
        *("yml", "zsh"),
    }
)
"""The extensions of files of code."""
_CODE_NAMES = frozenset({"Dockerfile", "Containerfile", "Makefile", "CMakeLists.txt"})
"""The names of such files without one of these extensions."""
_CODE_TYPES = frozenset(f"application/{name}" for name in ("json", "toml", "yaml", "sql"))
_MIN_CHARS = 12
"""Minimum size of a quote."""
_TEXT = frozenset({PassageKind.PROSE, PassageKind.LIST})
MAX_WORDS = 160
"""Maximum number of words of an excerpt of several blocks; a longer stretch is split."""
_SHORT = 12
"""Words of a paragraph that is no excerpt without the one below it, such as a label in bold."""
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_HEADING = re.compile(
    r"(?:\d+(?:\.\d+)*\.?[ \t]+)?[^\W\da-z](?:[^\n.!?;,:]|\.(?=\w)){0,70}"
    r"(?:\n[ \t]*[=~*#^+\"-]{3,}[ \t]*(?:\n|\Z)|\n(?=[^\W\da-z])|\Z)"
)
"""A short line with a capital and without the end of a sentence, underlined or above a line with a capital."""
_BULLET = re.compile(r"^[^\S\n]*(?:[-*+\u2022]|\d{1,2}[.)])\s", re.MULTILINE)
_MARKS = re.compile(r"(?:[ \t]*(?::{3,}[^\n]*|\[!\w+\][ \t]*)(?:\n[ \t>]*|\Z))+")
"""Lines that begin a note in MyST (``:::{note}``) or on GitHub (``[!NOTE]``)."""
_END_MARKS = re.compile(r"(?:\n[ \t]*:{3,}[ \t]*){1,8}\Z")
_PICTURE = re.compile(r"(?:!\[[^\]]*\]\([^)]*\)\s*)+")
_LINKED = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+\[[^\[\]\n]{1,300}\]\([^()\s]{1,300}\)")
"""An item of a list of contents: a link and nothing else."""
_CELL = re.compile(r"(?<=\|)(?:\\.|[^|\\\n])+(?=\|)")
_LINE = re.compile(r".*(?:\n|$)")
_STATEMENT = re.compile(r"^(?=\S)(?![)\]}])", re.MULTILINE)


def is_change_log(source: Source) -> bool:
    """Return whether a source lists changes by version, as far as its title and its path tell."""
    return bool(_CHANGES.search(source.fetched.title or "") or _CHANGES_FILE.search(str(source.path)))


def excerpts(source: Source, number: int, *, has_changes: bool = False) -> tuple[Excerpt, ...]:
    """Return the excerpts of `source`, in order; `number`, its index among the sources, is part of their ids.

    Each passage is verbatim: ``text[p.start : p.start + len(p.text)] == p.text``. Junk is left out, and so are lists of
    changes, unless `has_changes`.
    """
    if is_change_log(source) and not has_changes:
        return ()
    text = source.fetched.text[:MAX_CHARS]
    form = form_of(source)
    readers = {"markdown": source_blocks, "rst": read_rst, "code": _statements, "plain": _paragraphs}
    is_markup = form in {"markdown", "rst"}
    splitter = _Splitter(text, words if is_markup else fold, has_changes)
    visible = fold(source.fetched.visible) if "html" in source.fetched.media_type else ""
    numbers = count(1)
    return tuple(
        Excerpt(
            tuple(
                Passage(
                    id=f"s{number}p{next(numbers)}",
                    source=source.id,
                    text=text[piece.start : piece.end],
                    start=piece.start,
                    headings=piece.block.headings,
                    kind=piece.kind,
                    is_markdown=is_markup and piece.kind is not PassageKind.CODE,
                    is_cut=piece.is_cut,
                    columns=piece.columns,
                )
                for whole in pieces
                for piece in _contiguous(whole, text, visible)
            ),
            source.fetched.title or "",
            source.fetched.moved_to or source.fetched.url,
            term,
        )
        for pieces, term in splitter.excerpts(readers[form](text))
    )


def form_of(source: Source) -> str:
    """Return the form of the source's text: ``markdown``, ``rst``, ``code`` or ``plain``."""
    path, media_type = source.path, source.fetched.media_type
    is_code = path.name in _CODE_NAMES or path.suffix[1:].lower() in _CODE_FILES or media_type in _CODE_TYPES
    return source.markup or ("code" if is_code and media_type != "application/pdf" else "plain")


# --- blocks of other texts ---------------------------------------------------------------------------------------


def _paragraphs(text: str) -> Iterator[SourceBlock]:
    """Yield the paragraphs of plain text; bullets are a list, and a short line above a paragraph is its heading."""
    headings: tuple[str, ...] = ()
    for match in _PARAGRAPH.finditer(text):
        end = match.start() + len(match[0].rstrip())
        first = _HEADING.match(text, match.start(), end)
        start = first.end() if first else match.start()
        headings = (" ".join(first[0].split("\n")[0].split()),) if first else headings
        bullets = [start + bullet.start() for bullet in _BULLET.finditer(text[start:end])]
        if len(bullets) > 1 and not text[start : bullets[0]].strip():
            items = tuple(zip(bullets, [*bullets[1:], end], strict=True))
            yield SourceBlock(PassageKind.LIST, start, end, headings, pieces=items)
        elif start < end:
            yield SourceBlock(PassageKind.PROSE, start, end, headings)


def _statements(text: str) -> Iterator[SourceBlock]:
    """Yield consecutive top-level statements of code, with the comments above them, each a row of its own."""
    starts = [m.start() for m in _STATEMENT.finditer(text) if text[max(0, m.start() - 2) : m.start()] == "\n\n"]
    for n, (a, b) in enumerate(pairwise([0, *starts, len(text)])):
        lines = tuple(match.span() for match in _LINE.finditer(text, a, b) if match[0])
        if lines:
            yield SourceBlock(PassageKind.CODE, a, b, (), n, lines)


# --- excerpts ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage without an id: a part of a block."""

    block: SourceBlock
    start: int
    end: int
    kind: PassageKind
    is_cut: bool = False
    columns: str = ""
    """The head of its table, if it has later rows only."""
    row: str = ""
    """The name of the row of a table of which it is one cell: what the cell is about."""


def _contiguous(piece: Piece, text: str, visible: str) -> Iterator[Piece]:
    """Yield the piece, or its items or paragraphs if the source has more between them than its main text."""
    if not visible or piece.kind not in _TEXT or words(text[piece.start : piece.end]) in visible:
        yield piece
        return
    items = [(a, b) for a, b in piece.block.pieces if piece.start <= a and b <= piece.end]
    spans = items or [match.span() for match in _PARAGRAPH.finditer(text, piece.start, piece.end)]
    yield from (replace(piece, start=start, end=end) for start, end in spans)


@dataclass(frozen=True, slots=True)
class _Splitter:
    """Joins the blocks of a text to excerpts, and splits them into pieces of the size of a quote."""

    text: str
    words: Callable[[str], str]
    """Returns the visible text of markup, folded."""
    has_changes: bool = False
    """True to keep what stands below the headings of change logs."""

    def excerpts(self, every: Iterable[SourceBlock]) -> Iterator[tuple[Sequence[Piece], str]]:
        """Yield the pieces of each excerpt, with the term that it defines.

        What is below one heading and defines no term is joined, as long as it is not too long.
        """
        window: list[Piece] = []
        last, size = "", 0
        for pieces, term in self._units(every):
            more = sum(count_words(self.text[piece.start : piece.end]) for piece in pieces)
            size += more
            is_apart = window and window[0].block.headings != pieces[0].block.headings
            if window and (last or term or size > MAX_WORDS or is_apart):
                yield list(self._merged(window)), last
                window, size = [], more
            last = term
            window += pieces
        if window:
            yield list(self._merged(window)), last

    def _units(self, every: Iterable[SourceBlock]) -> Iterator[tuple[Sequence[Piece], str]]:
        """Yield pieces that are not to be read apart, with the term that they define."""
        texts = (block for block in every if not _PICTURE.fullmatch(self._of(block)))
        kept = (block for block in texts if self.has_changes or not any(map(_CHANGES.search, block.headings)))
        for group in self._groups(kept):
            terms = [block for block in group if block.is_term]
            term = " ".join(self.words(self.text[one.start : one.end]) for one in terms) if group[0].is_term else ""
            runs = [list(self._runs(block, is_alone=len(group) == 1)) for block in group]
            if term and len(terms) == len(group):
                continue  # a term without a definition
            first = list(chain.from_iterable(run[0] for run in runs if run))
            for n, pieces in enumerate([first, *(rest for run in runs for rest in run[1:])]):
                is_prose = all(piece.kind is PassageKind.PROSE for piece in pieces)
                raw = " ".join(self.text[piece.start : piece.end] for piece in pieces)
                if any(self._merged(pieces)) and not (is_prose and is_junk(self.words(raw), raw)):
                    yield pieces, pieces[0].row if n or not term else term

    def _groups(self, blocks: Iterable[SourceBlock]) -> Iterator[list[SourceBlock]]:
        group: list[SourceBlock] = []
        for block in blocks:
            if group and not self._belongs(block, group):
                yield group
                group = []
            group.append(block)
        if group:
            yield group

    def _belongs(self, block: SourceBlock, group: Sequence[SourceBlock]) -> bool:
        """Return whether a block is not to be read without those directly above it."""
        first, last = group[0], group[-1]
        leads = last.kind in _TEXT and ends_in_colon(self._of(last))
        if last.headings != block.headings or not (leads or last.row == block.row):
            return False
        if block.is_term or last.is_term:
            return last.is_term
        size = sum(count_words(self._of(one)) for one in (*group, block))
        if size > MAX_WORDS:
            return len(group) == 1 and leads and block.kind is not PassageKind.PROSE
        is_label = (
            {last.kind, block.kind} == {PassageKind.PROSE}
            and count_words(self._of(last)) < _SHORT
            and self._of(last)[-1:] not in {".", "!", "?"}
            and not _CRUMBS.search(self.words(self._of(last)))
        )
        return leads or is_label or (first.is_term and size <= MAX_WORDS // 2)

    def _merged(self, run: Iterable[Piece]) -> Iterator[Piece]:
        """Yield adjacent pieces of text together, as far as they fit into a quote, unless they are too short."""
        last: Piece | None = None
        for piece in run:
            if last and {last.kind, piece.kind} <= _TEXT and not self.text[last.end : piece.start].strip():
                both = replace(last, end=piece.end, kind=max(last.kind, piece.kind, key=list(PassageKind).index))
                if count_words(self.text[both.start : both.end]) <= MAX_QUOTE_WORDS:
                    last = both
                    continue
            if last and self._is_long_enough(last):
                yield last
            last = piece
        if last and self._is_long_enough(last):
            yield last

    def _is_long_enough(self, piece: Piece) -> bool:
        text = self.text[piece.start : piece.end]
        return len(text if piece.kind is PassageKind.CODE else self.words(text).replace("|", "")) >= _MIN_CHARS

    def _of(self, block: SourceBlock) -> str:
        return self.text[block.start : block.end]

    def _runs(self, block: SourceBlock, *, is_alone: bool) -> Iterator[list[Piece]]:
        """Yield the pieces of a block, in runs that are excerpts of their own if the block is too long for one."""
        match block.kind:
            case PassageKind.PROSE:
                whole = [(a - block.start, b - block.start) for a, b in block.whole]
                spans = [(block.start + a, block.start + b) for a, b in sentence_spans(self._of(block), whole)]
                yield from self._of_spans(block, spans, PassageKind.PROSE)
            case PassageKind.LIST:
                entries = tuple(self.words(self.text[a:b]) for a, b in block.pieces)
                is_contents = all(_LINKED.fullmatch(self.text[a:b].strip()) for a, b in block.pieces)
                if not (is_alone and (is_contents or is_menu(entries) or is_junk(" ".join(entries)))):
                    spans = [(a, a + len(self.text[a:b].rstrip())) for a, b in block.pieces]
                    yield from self._of_spans(block, spans, PassageKind.LIST)
            case PassageKind.TABLE:
                yield from self._of_table(block)
            case _:
                yield from self._of_code(block)

    def _of_spans(
        self, block: SourceBlock, spans: Sequence[tuple[int, int]], kind: PassageKind
    ) -> Iterator[list[Piece]]:
        """Yield adjacent spans together, in pieces of the size of a quote."""
        starts, ends = [a for a, _ in spans], [b for _, b in spans]
        for start, end in packed(self.text, spans, MAX_WORDS):
            among = spans[bisect_right(ends, start) : bisect_left(starts, end)]
            inside = [(max(a, start), min(b, end)) for a, b in among]
            pieces = []
            for a, b in packed(self.text, inside):
                a, b = _without_marks(self.text, a, b)  # noqa: PLW2901
                raw = self.text[a:b]
                if raw and not is_unfit(self.words(raw), raw):
                    pieces.append(Piece(block, a, b, kind))
            yield pieces

    def _of_table(self, block: SourceBlock) -> Iterator[list[Piece]]:
        """Yield the head with as many rows as fit into a quote, then further rows; long cells as prose."""
        (start, end), *rows = block.pieces or ((block.start, block.end),)
        head, last = (start, end), 0
        for a, b in rows:
            row = self.words(self.text[a:b])
            if count_words(row) > MAX_QUOTE_WORDS:
                if last:
                    yield from self._rows(block, start, last)
                start, last = b, 0
                yield from self._of_cells(block, a, b)
            elif last and count_words(self.words(self.text[start:b])) > MAX_QUOTE_WORDS:
                yield from self._rows(block, start, last)
                start, last = a, b
            else:
                start, last = (start if start in {head[0]} or last else a), b
        if last:
            yield from self._rows(block, start, last)

    def _of_cells(self, block: SourceBlock, start: int, end: int) -> Iterator[list[Piece]]:
        """Yield the long cells of a row as prose, each with the row's name."""
        cells = list(_CELL.finditer(self.text, start, end))
        name = self.words(cells[0][0]) if cells else ""
        for cell in cells:
            if count_words(cell[0]) >= _SHORT:
                spans = [(cell.start() + n, cell.start() + m) for n, m in sentence_spans(cell[0])]
                row = name if cell is not cells[0] and count_words(name) < _SHORT else ""
                for pieces in self._of_spans(block, spans, PassageKind.PROSE):
                    yield [replace(piece, row=row) for piece in pieces]

    def _rows(self, block: SourceBlock, start: int, end: int) -> Iterator[list[Piece]]:
        table = self.text[start:end].rstrip()
        if not is_unsafe_code(table):
            first, last = block.pieces[0] if block.pieces else (start, end)
            columns = self.text[first:last].strip() if start > first else ""
            is_cut = end < block.pieces[-1][1]
            yield [Piece(block, start, start + len(table), PassageKind.TABLE, is_cut, columns)]

    def _of_code(self, block: SourceBlock) -> Iterator[list[Piece]]:
        """Yield the code in pieces of lines, cut at empty lines if it is too long."""
        start, end = self.text.rfind("\n", 0, block.start) + 1, block.pieces[-1][1]
        start = block.start if self.text[start : block.start].strip() else start
        while start < end:
            ends = [match.end() for match in re.finditer(r"\n|\Z", self.text[start:end])][:MAX_CODE_LINES]
            is_cut = start + ends[-1] < end
            empty = [at for at in ends[MAX_CODE_LINES // 2 :] if self.text[start + at : start + at + 1] == "\n"]
            stop = start + (empty[-1] if is_cut and empty else ends[-1])
            code = self.text[start:stop].rstrip()
            if len(code.strip()) >= _MIN_CHARS and not is_unsafe_code(code):
                yield [Piece(block, start, start + len(code), PassageKind.CODE, is_cut=stop < end)]
            while stop < end and self.text[stop] == "\n":
                stop += 1
            start = stop


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
    r"|posted (?:on|by|in)|last (?:updated|modified|edited)|advertisement)\b|\u00a9"
)
_NOTICE_WORDS = 45
"""Maximum number of words of a notice; a longer text with these words is about notices."""
_TO_PROGRAMS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier|system) "
    r"(?:instructions?|prompts?|messages?)|\b(?:system|developer) prompt\b"
    r"|\byou are (?:now )?(?:an? )?(?:ai|assistant|chatbot|language model)\b"
    r"|<\|?(?:im_start|system|assistant)\b|\[/?inst\]"
)
"""Instructions to a language model that reads the page, rather than to a reader."""
_CHANGES = re.compile(
    r"^\W*(?:\d[\d.]*\s+)?(?:change ?logs?|changes|release (?:notes|history)"
    r"|(?:revision|version|change) history"
    r"|older news"
    r"|what(?:'|\u2019)s new\b.*|news|changes (?:in|since|from|to)\b.*)\W*$|\brelease notes\b|\bchange ?log\b"
    r"|\brelease v?\d+\.\d[\d.]*(?: on [\d-]+)?$",
    re.IGNORECASE,
)
"""A title or heading of a changelog: true of one version, and useless without knowing which."""
_CHANGES_FILE = re.compile(r"(?:^|/)(?:changelog|changes|news|release[-_]?notes|history)(?:\.\w+)*/?$", re.IGNORECASE)
_CRUMBS = re.compile(r"(?:^|\s)[>\u203a\u00bb|\u00b7\u2022/\u2192](?=\s)")
_LETTERS = re.compile(r"[^\W\d_]+")
_INCLUDE = re.compile(r"^[ \t]*;*-{1,}8<-{1,}", re.MULTILINE)
"""A line that includes a file into a page if the snippets extension is on, even inside code."""


def is_junk(text: str, raw: str = "") -> bool:
    """Return whether `text`, prose as a reader sees it, is not worth quoting; `raw` is its markup in the source."""
    words = text.split()
    letters = len("".join(_LETTERS.findall(text)))
    if is_unfit(text, raw) or letters < 0.5 * sum(map(len, words)):
        return True
    if len(words) < MIN_WORDS and letters == len(re.findall(r"[A-Za-z\u00c0-\u024f]", text)):
        return True
    marks = len(_CRUMBS.findall(text))
    return marks >= 2 and len(words) < 8 * (marks + 1)


@lru_cache(maxsize=256)
def is_unfit(text: str, raw: str = "") -> bool:
    """Return whether text must not be quoted: hidden characters, credentials, notices, prompts."""
    small = text.casefold()  # a pattern that ignores case takes several times as long
    is_notice = len(text.split()) <= _NOTICE_WORDS and _NOTICE.search(small)
    is_text = _LETTERS.search(text)
    return bool(
        not is_text or _is_hidden(text + raw) or find_credentials(text) or _TO_PROGRAMS.search(small) or is_notice
    )


def is_menu(entries: tuple[str, ...]) -> bool:
    """Return whether the items of a list are a menu: at most three words each, without the marks of a sentence."""
    short = [entry for entry in entries if len(entry.split()) <= 3 and not re.search(r"[.:;=`(]|\d", entry)]
    return len(short) >= 0.7 * len(entries)


def is_unsafe_code(code: str) -> bool:
    """Return whether code would be altered by rendering it on a page."""
    return bool(_is_hidden(code) or _INCLUDE.search(code) or find_credentials(code))


def _is_hidden(text: str) -> bool:
    """Return whether text is displayed differently from its characters: bidirectional controls, decoding errors."""
    return "\ufffd" in text or (not text.replace("\n", " ").isprintable() and bool(UNSEEN.search(text)))
