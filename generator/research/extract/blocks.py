"""Blocks of a Markdown text (paragraphs, lists, tables, code) and quotes from them; which pieces form one excerpt.

An excerpt is code or a table with the adjacent prose, in the source's order. A program cannot tell whether prose
explains the code above it or the code below it, and sources do both. So neither is claimed: whatever is adjacent in the
source is quoted as one excerpt, and only what the source itself connects by a colon is separated from its other
neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from generator.drafts import PassageKind
from generator.markdown.document import Node, read_tree
from generator.markdown.sentences import sentence_spans, trimmed_span
from generator.rules.limits import MAX_QUOTE_WORDS

MAX_CHARS = 1_000_000
"""Maximum length of one source; the rest is ignored."""
MAX_LEVELS = 12
"""Of quotes and lists within each other; deeper ones are skipped."""

_INLINE = frozenset(
    {"Text", "Code", "InlineHtml", "SoftBreak", "HardBreak", "Emphasis", "Strong", "Strikethrough", "Link", "Image"}
)
_NOTES = frozenset({"{attention}", "{caution}", "{danger}", "{hint}", "{important}", "{note}", "{tip}", "{warning}"})
_MYST_CODE = frozenset({"{code}", "{code-block}", "{code-cell}", "{sourcecode}"})
"""Fences that are directives of MyST; the content of others is no code."""
_TERM_WORDS, _TERM_CHARS = 8, 200
"""A term above its definition: so many words that begin in bold, or so many characters of code (a signature)."""


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One block. Places are offsets in characters."""

    kind: PassageKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    group: int = 0
    """The number of its row of blocks: those of the text itself, of one list item, of one quotation."""
    language: str = ""
    pieces: tuple[tuple[int, int], ...] = ()
    """The items of a list, the rows of a table, the lines of code."""
    whole: tuple[tuple[int, int], ...] = ()
    """Code spans, emphasis and links, which must not be cut within."""
    is_term: bool = False
    """True if it looks like the term of a definition, such as the option of a manual page: ``**--stdin**``."""


def read_blocks(text: str) -> tuple[SourceBlock, ...]:
    """Return the blocks of `text`, in order; front matter and HTML are left out."""
    return tuple(_SourceBlocks().blocks(read_tree(text[:MAX_CHARS], has_metadata=True).children, 0, 0))


class _SourceBlocks:
    """Goes through the nodes and remembers the headings that it has passed."""

    def __init__(self) -> None:
        self._headings: dict[int, str] = {}
        self._groups = 0

    def blocks(self, nodes: Sequence[Node], group: int, level: int) -> Iterator[SourceBlock]:
        """Yield the blocks of sibling nodes."""
        for is_inline, run in groupby(nodes, key=lambda node: node.name in _INLINE):
            members = list(run)
            if is_inline:  # the text of a tight list item
                yield self._prose(members, members[0].start, members[-1].end, group)
            else:
                for node in members:
                    yield from self._block(node, group, level)

    def _block(self, node: Node, group: int, level: int) -> Iterator[SourceBlock]:
        match node.name:
            case "Heading":
                self._pass_heading(node)
            case "Paragraph":
                prose = self._prose(node.children, node.start, node.end, group)
                yield replace(prose, is_term=True) if _is_term(node) else prose
            case "CodeBlock":
                yield from self._code(node, group)
            case "Table":
                rows = tuple((row.start, row.end) for row in node.children)
                yield SourceBlock(PassageKind.TABLE, node.start, node.end, self._path(), group, pieces=rows)
            case "List" if level < MAX_LEVELS and _has_blocks(node):
                for item in node.children:
                    yield from self.blocks(item.children, self._new_group(), level + 1)
            case "List":
                items = tuple((item.start, item.end) for item in node.children)
                yield SourceBlock(PassageKind.LIST, node.start, node.end, self._path(), group, pieces=items)
            case "BlockQuote" if level < MAX_LEVELS:
                yield from self.blocks(node.children, self._new_group(), level + 1)

    def _prose(self, nodes: Sequence[Node], start: int, end: int, group: int) -> SourceBlock:
        whole = tuple((node.start, node.end) for node in nodes if node.name not in {"Text", "SoftBreak", "HardBreak"})
        return SourceBlock(PassageKind.PROSE, start, end, self._path(), group, whole=whole)

    def _code(self, node: Node, group: int) -> Iterator[SourceBlock]:
        lines = tuple((child.start, child.end) for child in node.children)
        language, *argument = (node.info or "").split()[:2] or [""]
        if lines and language in _NOTES:
            yield self._prose((), lines[0][0], lines[-1][1], group)
        elif lines and (not language.startswith("{") or language in _MYST_CODE):
            language = "".join(argument) if language in _MYST_CODE else language
            yield SourceBlock(PassageKind.CODE, lines[0][0], lines[-1][1], self._path(), group, language, lines)

    def _pass_heading(self, node: Node) -> None:
        words = " ".join(node.all_text().split())
        self._headings = {above: title for above, title in self._headings.items() if above < node.level}
        if words:
            self._headings[node.level] = words

    def _path(self) -> tuple[str, ...]:
        return tuple(self._headings[level] for level in sorted(self._headings))

    def _new_group(self) -> int:
        self._groups += 1
        return self._groups


def _is_term(node: Node) -> bool:
    """Return whether a paragraph is a short line that begins in bold, or code and nothing else."""
    text = node.all_text().strip()
    names = {child.name for child in node.children if child.text.strip() or child.children}
    if names == {"Code"}:
        return len(text) <= _TERM_CHARS
    is_bold = bool(node.children) and node.children[0].name == "Strong"
    return is_bold and len(text.split()) <= _TERM_WORDS and text[-1:] not in {".", "!", "?"}


def _has_blocks(node: Node) -> bool:
    return any(below.name in {"CodeBlock", "Table", "BlockQuote", "Heading"} for below in node.descendants())


# --- excerpts ------------------------------------------------------------------------------------------------------

MAX_PASSAGES, MAX_LINES = 6, 40
"""Maximum size of an excerpt; a longer stretch of the source is split."""
_TAIL, _GAP, _WINDOW = 40, 16, 100_000
"""Numbers of letters: compared on either side of a gap; allowed in it (`Copy`, the name of a language); searched."""
_DIRECTIVE = r"^[ \t]*\.\.[ \t]+[\w-]+::[^\n]*$|^[ \t]+:[\w-]+:[^\n]*$"
"""A line of reStructuredText that begins a block, or names an option of it."""
_SEAM = re.compile(rf"(?:\s|^[ \t]*(?:`{{3,}}|~{{3,}}|:{{3,}})[^\n]*$|{_DIRECTIVE})*", re.MULTILINE)
_NOT_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage without an id: a part of a block."""

    block: SourceBlock
    start: int
    end: int
    is_cut: bool = False

    @property
    def kind(self) -> PassageKind:
        """The kind of its block."""
        return self.block.kind


def joined(text: str, visible: str, pieces: Sequence[Piece]) -> tuple[bool, ...]:
    """Return, for each of the pieces of `text`, whether it belongs to the same excerpt as the previous one.

    `visible` is all text visible to a reader of the source: pieces are not joined if some of it is missing between
    them.
    """
    seams = _Seams(text, visible)
    result: list[bool] = []
    size = lines = 0
    is_bound = False  # the last prose of the excerpt ends in a colon, and introduces everything after it
    for before, piece in zip([None, *pieces], pieces, strict=False):
        leads = piece.kind is PassageKind.PROSE and ends_in_colon(text[piece.start : piece.end])
        rows = text.count("\n", piece.start, piece.end) + 1
        is_joined = bool(
            before
            and size < MAX_PASSAGES
            and lines + rows <= MAX_LINES
            and is_beside(before.block, piece.block)
            and _may_join(before.kind, piece.kind, is_bound=is_bound, leads=leads)
            and seams.meet(before, piece)
        )
        result.append(is_joined)
        size, lines = (size + 1, lines + rows) if is_joined else (1, rows)
        is_bound = leads or (is_joined and is_bound and piece.kind is PassageKind.CODE)
    return tuple(result)


def is_beside(block: SourceBlock, other: SourceBlock) -> bool:
    """Return whether two blocks are in one row and below the same headings."""
    return (block.group, block.headings) == (other.group, other.headings)


def ends_in_colon(markdown: str) -> bool:
    """Return whether a text ends in a colon, and so introduces what follows."""
    return markdown.rstrip().rstrip("*_").endswith(":")


def _may_join(before: PassageKind, kind: PassageKind, *, is_bound: bool, leads: bool) -> bool:
    match before, kind:
        case (PassageKind.PROSE | PassageKind.CODE, PassageKind.CODE):
            return True
        case (PassageKind.CODE, PassageKind.PROSE):
            return not is_bound and not leads
        case (PassageKind.PROSE, PassageKind.TABLE):
            return is_bound
    return False


class _Seams:
    """Test whether two pieces are adjacent, both in the text and in what a reader sees."""

    def __init__(self, text: str, visible: str) -> None:
        self._text = text
        self._seen = _letters(re.sub(_DIRECTIVE, "", visible, flags=re.MULTILINE))
        self._at = 0

    def meet(self, before: Piece, piece: Piece) -> bool:
        if not _SEAM.fullmatch(self._text, before.end, piece.start):
            return False
        tail = _letters(self._text[before.start : before.end])[-_TAIL:]
        head = _letters(self._text[piece.start : piece.end])[:_TAIL]
        at = self._seen.find(tail, self._at, self._at + _WINDOW)
        while at >= 0:
            end = at + len(tail)
            if self._seen.find(head, end, end + _GAP + len(head)) >= 0:
                self._at = at
                return True
            at = self._seen.find(tail, at + 1, self._at + _WINDOW)
        return False


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text)


# --- quotes --------------------------------------------------------------------------------------------------------

_SIGNS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"(?P<sign>[{_SIGNS}])|[^\s{_SIGNS}]+")
"""A word, or one character of a script without spaces."""
_PAUSE = re.compile(r"[;:,\u3001\uff0c)](?=\s)|[\u3001\uff0c]|\s(?=[\u2013\u2014(])")


def count_words(text: str) -> int:
    """Return the number of words in `text`; in scripts without spaces, two characters count as one."""
    found = list(_WORD.finditer(text))
    signs = sum(match["sign"] is not None for match in found)
    return len(found) - signs + (signs + 1) // 2


def packed(text: str, spans: Sequence[tuple[int, int]], limit: int = MAX_QUOTE_WORDS) -> tuple[tuple[int, int], ...]:
    """Group adjacent `spans` of `text`, as evenly as possible, with at most `limit` words each.

    A span that is too long by itself is split at its pauses, else between words.
    """
    small = [piece for span in spans for piece in _cut(text, span, limit)]
    total = sum(count_words(text[a:b]) for a, b in small)
    share = total / -(-total // limit) if total else limit
    found: list[tuple[int, int]] = []
    words = 0
    for a, b in small:
        more = count_words(text[a:b])
        if found and words < share and words + more <= limit:
            found[-1] = (found[-1][0], b)
            words += more
        else:
            found.append((a, b))
            words = more
    return tuple(found)


def _cut(text: str, span: tuple[int, int], limit: int) -> Iterator[tuple[int, int]]:
    """Yield the span in pieces of at most `limit` words."""
    start, end = span
    while count_words(text[start:end]) > limit:
        at = _place(text, start, end, limit)
        yield trimmed_span(text, start, at)
        start = trimmed_span(text, at, end)[0]
    if start < end:
        yield start, end


def _place(text: str, start: int, end: int, limit: int) -> int:
    """Return where to split: after the last sentence or pause in the second half of the limit, else after a word."""
    furthest, signs, words = start, 0, 0
    for match in _WORD.finditer(text, start, end):
        signs, words = (signs + 1, words) if match["sign"] else (signs, words + 1)
        if words + (signs + 1) // 2 > limit:
            break
        furthest = match.end()
    half = (start + furthest) // 2
    pauses = [half + end for _, end in sentence_spans(text[half:furthest])[:-1]]
    pauses = pauses or [match.end() for match in _PAUSE.finditer(text, half, furthest)]
    return pauses[-1] if pauses else furthest
