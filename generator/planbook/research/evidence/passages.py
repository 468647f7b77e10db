"""Split a source into excerpts: what belongs together, in verbatim passages.

Each passage has the size of a quote.

A definition keeps its term and code the paragraph above it; a lead-in that ends in a colon keeps
what it introduces. Text that is not evidence is left out: navigation, notices, changelogs, prompts,
keys, hidden text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, pairwise
from typing import NamedTuple

from planbook.citations.quotes import fold, words
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
from planbook.research.evidence.junk import (
    CHANGE_LOG_FILE,
    CHANGE_LOG_TITLE,
    CRUMBS,
    is_junk,
    is_menu,
    is_unfit,
    is_unsafe_code,
)

_CODE_FILES = frozenset(
    {
        *("bash", "bzl", "c", "cc", "cfg", "cmake", "cpp", "cs", "cu", "cuh", "cxx", "dockerfile"),
        *("go", "h", "hpp", "ini", "ipynb", "java", "jl", "js", "json", "kt", "lua", "mjs", "mk"),
        *("nix", "php", "pl", "proto", "ps1", "py", "pyi", "r", "rb", "rs", "scala", "sh", "sql"),
        *("swift", "tf", "toml", "ts", "tsx", "xml", "yaml", "yml", "zsh"),
    }
)
"""The extensions of files of code."""
_CODE_NAMES = frozenset({"Dockerfile", "Containerfile", "Makefile", "CMakeLists.txt"})
"""The names of such files without one of these extensions."""
_CODE_TYPES = frozenset(f"application/{name}" for name in ("json", "toml", "yaml", "sql"))
"""The media types of code."""
_MIN_CHARS = 12
"""Minimum size of a quote."""
_VALUE = re.compile(r"[*_`]*\w[\w -]{0,40}:[*_`]*\s+\S")
"""A name and a value: ``Default: 600``."""
_TEXT = frozenset({PassageKind.PROSE, PassageKind.LIST})
"""The kinds of blocks that have sentences."""
MAX_WORDS = 160
"""Maximum number of words of an excerpt of several blocks; a longer stretch is split."""
_SHORT = 12
"""Words of a paragraph that is no excerpt without the one below it, such as a label in bold."""
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
"""Lines up to an empty one."""
_HEADING = re.compile(
    r"""(?:\d+(?:\.\d+)*\.?[ \t]+)?               # its number
        [^\W\da-z](?:[^\n.!?;,:]|\.(?=\w)){0,70}  # words from a capital on, without a stop
        (?:
            \n[ \t]*[=~*#^+"-]{3,}[ \t]*(?:\n|\Z)  # underlined
        |   \n(?=[^\W\da-z])                      # above a line with a capital
        |   \Z                                    # by itself
        )
    """,
    re.VERBOSE,
)
"""A short line of plain text that is a heading: ``2.1 Firing the kiln``."""
_BULLET = re.compile(r"^[^\S\n]*(?:[-*+\u2022]|\d{1,2}[.)])\s", re.MULTILINE)
_MARKS = re.compile(r"(?:[ \t]*(?::{3,}[^\n]*|\[!\w+\][ \t]*)(?:\n[ \t>]*|\Z))+")
"""Lines that begin a note in MyST (``:::{note}``) or on GitHub (``[!NOTE]``)."""
_END_MARKS = re.compile(r"(?:\n[ \t]*:{3,}[ \t]*){1,8}\Z")
"""Lines that end such notes."""
_PICTURE = re.compile(r"(?:!\[[^\]]*\]\([^)]*\)\s*)+")
_IMPORTS = re.compile(
    r"""(?:\s*import\s[^\n"']{1,200}\sfrom\s["'][^"'\n]{1,200}["'];?[ \t]*(?:\n|\Z))+"""
)
"""Lines of MDX that import components: ``import Tabs from '@theme/Tabs';``."""
_LINKED = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+\[[^\[\]\n]{1,300}\]\([^()\s]{1,300}\)")
"""An item of a list of contents: a link and nothing else."""
_CELL = re.compile(r"(?<=\|)(?:\\.|[^|\\\n])+(?=\|)")
"""A cell: the text between two bars of a table."""
_LINE = re.compile(r".*(?:\n|$)")
_STATEMENT = re.compile(r"^(?=\S)(?![)\]}])", re.MULTILINE)
"""A line of code at the margin that does not close what began above."""


def is_change_log(source: Source) -> bool:
    """Return whether a source lists changes by version, as far as its title and its path tell."""
    title = source.fetched.title or ""
    return bool(CHANGE_LOG_TITLE.search(title) or CHANGE_LOG_FILE.search(str(source.path)))


def excerpts(source: Source, number: int, *, has_changes: bool = False) -> tuple[Excerpt, ...]:
    """Return the excerpts of `source`, in order.

    `number`, its index among the sources, is part of their ids. Each passage is verbatim:
    ``text[p.start : p.start + len(p.text)] == p.text``. Junk is left out, and so are lists of
    changes, unless `has_changes`.
    """
    if is_change_log(source) and not has_changes:
        return ()
    fetched = source.fetched
    split = _TextToSplit(
        source.id,
        number,
        form_of(source),
        fetched.title or "",
        fetched.moved_to or fetched.url,
        fetched.text,
        fetched.visible if "html" in fetched.media_type else "",
        has_changes,
    )
    return _excerpts_of(split)


class _TextToSplit(NamedTuple):
    """All that the excerpts of a source depend on."""

    source: str
    number: int
    form: str
    title: str
    address: str
    text: str
    visible: str
    """The visible text of a page of the web; empty for other texts."""
    has_changes: bool


@lru_cache(maxsize=512)
def _excerpts_of(split: _TextToSplit) -> tuple[Excerpt, ...]:
    """Return the excerpts of a text: the check of a page asks for those of a work five times."""
    text = split.text[:MAX_CHARS]
    is_markup = split.form in {"markdown", "rst"}
    visible = fold(split.visible)
    splitter = _Splitter(text, words if is_markup else fold, split.has_changes)
    numbers = count(1)

    def passage(piece: Piece) -> Passage:
        """Return a piece under the next id."""
        return Passage(
            id=f"s{split.number}p{next(numbers)}",
            source=split.source,
            text=text[piece.start : piece.end],
            start=piece.start,
            headings=piece.block.headings,
            kind=piece.kind,
            is_markdown=is_markup and piece.kind is not PassageKind.CODE,
            is_cut=piece.is_cut,
            columns=piece.columns,
        )

    made = []
    for pieces, term in splitter.excerpts(_READERS[split.form](text)):
        unbroken = [
            part
            for piece in pieces
            for part in _contiguous(piece, text, visible)
            if splitter.is_long_enough(part)
        ]
        if not unbroken:
            continue
        made.append(Excerpt(tuple(map(passage, unbroken)), split.title, split.address, term))
    return tuple(made)


def form_of(source: Source) -> str:
    """Return the form of the source's text: ``markdown``, ``rst``, ``code`` or ``plain``."""
    if source.markup:
        return source.markup
    path = source.path
    media_type = source.fetched.media_type
    has_name_of_code = path.name in _CODE_NAMES or path.suffix[1:].lower() in _CODE_FILES
    is_code = has_name_of_code or media_type in _CODE_TYPES
    return "code" if is_code and media_type != "application/pdf" else "plain"


# --- blocks of other texts ------------------------------------------------------------------------


def _paragraphs(text: str) -> Iterator[SourceBlock]:
    """Yield the paragraphs of plain text.

    Bullets are a list, and a short line above a paragraph is its heading.
    """
    headings: tuple[str, ...] = ()
    for paragraph in _PARAGRAPH.finditer(text):
        start = paragraph.start()
        end = start + len(paragraph[0].rstrip())
        if heading := _HEADING.match(text, start, end):
            start = heading.end()
            title = heading[0].split("\n")[0]
            headings = (" ".join(title.split()),)
        bullets = [start + bullet.start() for bullet in _BULLET.finditer(text[start:end])]
        if len(bullets) > 1 and not text[start : bullets[0]].strip():
            items = tuple(pairwise([*bullets, end]))
            yield SourceBlock(PassageKind.LIST, start, end, headings, pieces=items)
        elif start < end:
            yield SourceBlock(PassageKind.PROSE, start, end, headings)


def _statements(text: str) -> Iterator[SourceBlock]:
    """Yield consecutive top-level statements of code, each run of them a row of its own.

    The comments above them belong to them.
    """
    at_margin = [match.start() for match in _STATEMENT.finditer(text)]
    starts = [at for at in at_margin if text[max(0, at - 2) : at] == "\n\n"]
    for row, (start, end) in enumerate(pairwise([0, *starts, len(text)])):
        lines = tuple(match.span() for match in _LINE.finditer(text, start, end) if match[0])
        if lines:
            yield SourceBlock(PassageKind.CODE, start, end, (), row, lines)


_READERS: Mapping[str, Callable[[str], Iterable[SourceBlock]]] = {
    "markdown": source_blocks,
    "rst": read_rst,
    "code": _statements,
    "plain": _paragraphs,
}
"""Readers of the blocks of a text, by its form."""

# --- excerpts -------------------------------------------------------------------------------------


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
    """Yield the piece as the source has it: whole, or its items or paragraphs.

    The main text of a page may lack what the page has between two of them.
    """
    is_text = piece.kind in _TEXT
    if not visible or not is_text or words(text[piece.start : piece.end]) in visible:
        yield piece
        return
    items = [
        (start, end)
        for start, end in piece.block.pieces
        if piece.start <= start and end <= piece.end
    ]
    paragraphs = _PARAGRAPH.finditer(text, piece.start, piece.end)
    for start, end in items or [paragraph.span() for paragraph in paragraphs]:
        yield replace(piece, start=start, end=end)


@dataclass(frozen=True, slots=True)
class _Splitter:
    """Joins the blocks of a text to excerpts, and splits those into pieces of a quote's size."""

    text: str
    words: Callable[[str], str]
    """Returns the visible text of markup, folded."""
    has_changes: bool = False
    """True to keep what stands below the headings of change logs."""

    def excerpts(self, blocks: Iterable[SourceBlock]) -> Iterator[tuple[Sequence[Piece], str]]:
        """Yield the pieces of each excerpt, with the term that it defines.

        What is below one heading and defines no term is joined, as long as it is not too long.
        """
        joined: list[Piece] = []
        joined_term = ""
        size = 0
        for pieces, term in self._units(blocks):
            more = sum(count_words(self.text[piece.start : piece.end]) for piece in pieces)
            size += more
            is_apart = joined and joined[0].block.headings != pieces[0].block.headings
            if joined and (joined_term or term or size > MAX_WORDS or is_apart):
                yield list(self._merged(joined)), joined_term
                joined = []
                size = more
            joined_term = term
            joined += pieces
        if joined:
            yield list(self._merged(joined)), joined_term

    def _units(self, blocks: Iterable[SourceBlock]) -> Iterator[tuple[Sequence[Piece], str]]:
        """Yield pieces that are not to be read apart, with the term that they define."""
        for group in self._groups(filter(self._is_evidence, blocks)):
            term = self._term_of(group)
            if term and all(block.is_term for block in group):
                continue  # a term without a definition
            runs = [list(self._runs(block, is_alone=len(group) == 1)) for block in group]
            # What is too long for one excerpt goes on in others, which define nothing.
            first = [piece for run in runs if run for piece in run[0]]
            if self._is_worth_quoting(first):
                yield first, term or first[0].row
            for pieces in (pieces for run in runs for pieces in run[1:]):
                if self._is_worth_quoting(pieces):
                    yield pieces, pieces[0].row

    def _is_evidence(self, block: SourceBlock) -> bool:
        """Return whether a block is text and, unless those are kept, not a change log's.

        Pictures are none, and what is for the program that renders the text.
        """
        text = self._text_of(block)
        is_import = block.kind is PassageKind.PROSE and _IMPORTS.fullmatch(text)
        if is_import or _PICTURE.fullmatch(text):
            return False
        return self.has_changes or not any(map(CHANGE_LOG_TITLE.search, block.headings))

    def _term_of(self, group: Sequence[SourceBlock]) -> str:
        """Return the terms that a group of blocks defines; empty if it does not begin with one."""
        if not group[0].is_term:
            return ""
        return " ".join(self.words(self._text_of(block)) for block in group if block.is_term)

    def _is_worth_quoting(self, pieces: Sequence[Piece]) -> bool:
        """Return whether pieces hold anything, and are not only junk."""
        if not any(self._merged(pieces)):
            return False
        if any(piece.kind is not PassageKind.PROSE for piece in pieces):
            return True
        raw = " ".join(self.text[piece.start : piece.end] for piece in pieces)
        if _VALUE.match(raw) and "`" in raw:  # "Default: `30`", of what its heading names
            return not is_unfit(self.words(raw), raw)
        return not is_junk(self.words(raw), raw)

    def _groups(self, blocks: Iterable[SourceBlock]) -> Iterator[list[SourceBlock]]:
        """Yield runs of blocks, each of which belongs to those above it in its run."""
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
        above = group[-1]
        leads = above.kind in _TEXT and ends_in_colon(self._text_of(above))
        is_of_one_row = above.row == block.row or self._is_fact(above, block)
        if above.headings != block.headings or not (leads or is_of_one_row):
            return False
        if block.is_term or above.is_term:
            return above.is_term
        size = sum(count_words(self._text_of(member)) for member in (*group, block))
        if size > MAX_WORDS:  # a line above long code or a long list stays with it
            return len(group) == 1 and leads and block.kind is not PassageKind.PROSE
        if leads or self._is_label(above, block):
            return True
        return group[0].is_term and size <= MAX_WORDS // 2

    def _is_fact(self, above: SourceBlock, block: SourceBlock) -> bool:
        """Return whether a short text above another one has a value of what that is about.

        Manuals set such a line off as a quotation, between a heading and its text.
        """
        is_value = _VALUE.match(self._text_of(above)) is not None
        return is_value and self._is_label(above, block)

    def _is_label(self, above: SourceBlock, block: SourceBlock) -> bool:
        """Return whether a short paragraph above another one says what that is, but no sentence."""
        if above.kind is not PassageKind.PROSE or block.kind is not PassageKind.PROSE:
            return False
        text = self._text_of(above)
        if count_words(text) >= _SHORT or text[-1:] in {".", "!", "?"}:
            return False
        return not CRUMBS.search(self.words(text))

    def _merged(self, run: Iterable[Piece]) -> Iterator[Piece]:
        """Yield adjacent pieces of text together, as far as they fit into a quote.

        Those that are too short are left out.
        """
        last: Piece | None = None
        for piece in run:
            both = self._both(last, piece) if last else None
            if both:
                last = both
                continue
            if last and self.is_long_enough(last):
                yield last
            last = piece
        if last and self.is_long_enough(last):
            yield last

    def _both(self, first: Piece, second: Piece) -> Piece | None:
        """Return two adjacent pieces of text as one; ``None`` if they do not fit into a quote."""
        kinds = {first.kind, second.kind}
        if not kinds <= _TEXT or self.text[first.end : second.start].strip():
            return None
        if count_words(self.text[first.start : second.end]) > MAX_QUOTE_WORDS:
            return None
        kind = PassageKind.LIST if PassageKind.LIST in kinds else PassageKind.PROSE
        return replace(first, end=second.end, kind=kind)

    def is_long_enough(self, piece: Piece) -> bool:
        """Return whether a piece has the size of a quote, as a reader sees it."""
        text = self.text[piece.start : piece.end]
        if piece.kind is not PassageKind.CODE:
            text = self.words(text).replace("|", "")
        return len(text) >= _MIN_CHARS

    def _text_of(self, block: SourceBlock) -> str:
        return self.text[block.start : block.end]

    # --- pieces of a block ------------------------------------------------------------------------

    def _runs(self, block: SourceBlock, *, is_alone: bool) -> Iterator[list[Piece]]:
        """Yield the pieces of a block.

        If the block is too long for one excerpt, each run of pieces is an excerpt of its own.
        """
        match block.kind:
            case PassageKind.PROSE:
                whole = [(start - block.start, end - block.start) for start, end in block.whole]
                sentences = sentence_spans(self._text_of(block), whole)
                spans = [(block.start + start, block.start + end) for start, end in sentences]
                yield from self._pieces_of_spans(block, spans, PassageKind.PROSE)
            case PassageKind.LIST:
                items = [self.text[start:end] for start, end in block.pieces]
                if not (is_alone and self._is_for_navigation(items)):
                    spans = [
                        (start, start + len(item.rstrip()))
                        for (start, _), item in zip(block.pieces, items, strict=True)
                    ]
                    yield from self._pieces_of_spans(block, spans, PassageKind.LIST)
            case PassageKind.TABLE:
                yield from self._pieces_of_table(block)
            case _:
                yield from self._pieces_of_code(block)

    def _is_for_navigation(self, items: Sequence[str]) -> bool:
        """Return whether a list is a table of contents, a menu or other junk."""
        if all(_LINKED.fullmatch(item.strip()) for item in items):
            return True
        entries = tuple(map(self.words, items))
        return is_menu(entries) or is_junk(" ".join(entries))

    def _pieces_of_spans(
        self, block: SourceBlock, spans: Sequence[tuple[int, int]], kind: PassageKind
    ) -> Iterator[list[Piece]]:
        """Yield adjacent spans together, in pieces of the size of a quote."""
        starts = [start for start, _ in spans]
        ends = [end for _, end in spans]
        for first, last in packed(self.text, spans, MAX_WORDS):
            # Only the first and the last span among these may reach over the edge.
            among = spans[bisect_right(ends, first) : bisect_left(starts, last)]
            inside = [(max(start, first), min(end, last)) for start, end in among]
            pieces = []
            for span in packed(self.text, inside):
                start, end = _without_marks(self.text, *span)
                raw = self.text[start:end]
                if raw and not is_unfit(self.words(raw), raw):
                    pieces.append(Piece(block, start, end, kind))
            yield pieces

    def _pieces_of_table(self, block: SourceBlock) -> Iterator[list[Piece]]:
        """Yield the head with as many rows as fit into a quote, then further rows.

        Long cells are prose.
        """
        head, *rows = block.pieces or ((block.start, block.end),)
        start = head[0]  # of the rows that are shown together: the first ones with the head
        last = 0  # where they end; 0 if there are none yet
        is_apart = head[0] < block.start  # a blank line parts the rows from their table
        for row_start, row_end in rows:
            is_long = self._size_of_rows(row_start, row_end) > MAX_QUOTE_WORDS
            if last and (is_long or self._size_of_rows(start, row_end) > MAX_QUOTE_WORDS):
                yield from self._pieces_of_rows(block, start, last)
                start = row_start
                last = 0
            if is_long:
                yield from self._pieces_of_cells(block, row_start, row_end)
                is_apart = True
                continue
            if is_apart:
                start = row_start
                is_apart = False
            last = row_end
        if last:
            yield from self._pieces_of_rows(block, start, last)

    def _size_of_rows(self, start: int, end: int) -> int:
        """Return the number of words in rows of a table, as a reader sees them."""
        return count_words(self.words(self.text[start:end]))

    def _pieces_of_cells(self, block: SourceBlock, start: int, end: int) -> Iterator[list[Piece]]:
        """Yield the long cells of a row as prose, each with the row's name."""
        cells = list(_CELL.finditer(self.text, start, end))
        name = self.words(cells[0][0]) if cells else ""
        for cell in cells:
            if count_words(cell[0]) < _SHORT:
                continue
            at = cell.start()
            spans = [(at + begin, at + stop) for begin, stop in sentence_spans(cell[0])]
            has_name = cell is not cells[0] and count_words(name) < _SHORT
            for pieces in self._pieces_of_spans(block, spans, PassageKind.PROSE):
                yield [replace(piece, row=name if has_name else "") for piece in pieces]

    def _pieces_of_rows(self, block: SourceBlock, start: int, end: int) -> Iterator[list[Piece]]:
        """Yield adjacent rows of a table; without its head, that is beside them."""
        table = self.text[start:end].rstrip()
        if is_unsafe_code(table):
            return
        head_start, head_end = block.pieces[0]
        columns = self.text[head_start:head_end].strip() if start > head_start else ""
        is_cut = end < block.pieces[-1][1]
        yield [Piece(block, start, start + len(table), PassageKind.TABLE, is_cut, columns)]

    def _pieces_of_code(self, block: SourceBlock) -> Iterator[list[Piece]]:
        """Yield the code in pieces of lines, cut at empty lines if it is too long."""
        start = self.text.rfind("\n", 0, block.start) + 1
        if self.text[start : block.start].strip():  # more than the indent is before it
            start = block.start
        end = block.pieces[-1][1]
        while start < end:
            stop = self._end_of_code(start, end)
            code = self.text[start:stop].rstrip()
            if len(code.strip()) >= _MIN_CHARS and not is_unsafe_code(code):
                yield [Piece(block, start, start + len(code), PassageKind.CODE, is_cut=stop < end)]
            while stop < end and self.text[stop] == "\n":
                stop += 1
            start = stop

    def _end_of_code(self, start: int, end: int) -> int:
        """Return where to cut code: at the last empty line among those that a quote may have."""
        line_ends = re.finditer(r"\n|\Z", self.text[start:end])
        ends = [start + line_end.end() for line_end in line_ends][:MAX_CODE_LINES]
        if ends[-1] >= end:
            return ends[-1]
        above_empty = [at for at in ends[MAX_CODE_LINES // 2 :] if self.text[at : at + 1] == "\n"]
        return above_empty[-1] if above_empty else ends[-1]


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the marks of notes around it."""
    marks = _MARKS.match(text, start, end)
    if marks:
        start = marks.end()
    end_marks = _END_MARKS.search(text, start, end)
    return start, end_marks.start() if end_marks else end
