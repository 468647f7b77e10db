"""Blocks of a Markdown or reStructuredText text (paragraphs, lists, tables, code), and their division into quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from planbook.markdown.document import Node, syntax_tree
from planbook.markdown.plain_text import width
from planbook.markdown.words import sentence_spans, trimmed_span
from planbook.problems import MAX_QUOTE_WORDS
from planbook.research.drafts import PassageKind

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
_LABEL = re.compile(
    r"(?:attention|caution|deprecated|examples?|hint|important|notes?|parameters?|remarks?|returns?|see also|since|tip"
    r"|warnings?):?",
    re.IGNORECASE,
)
"""A title of a box or list, which defines nothing."""
_TERM_WORDS, _TERM_CHARS = 16, 300
"""A term above its definition: so many words that begin in bold, or so many characters of code (a signature)."""


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One block. Places are offsets in characters."""

    kind: PassageKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    row: int = 0
    """The number of its row of blocks: those of the text itself, of one list item, of one quotation."""
    pieces: tuple[tuple[int, int], ...] = ()
    """The items of a list, the rows of a table, the lines of code."""
    whole: tuple[tuple[int, int], ...] = ()
    """Code spans, emphasis and links, which must not be cut within."""
    is_term: bool = False
    """True if it looks like the term of a definition, such as the option of a manual page: ``**--stdin**``."""


def source_blocks(text: str) -> tuple[SourceBlock, ...]:
    """Return the blocks of `text`, in order; front matter and HTML are left out."""
    return tuple(_SourceBlocks().blocks(syntax_tree(text[:MAX_CHARS], has_metadata=True).children, 0, 0))


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
                    group = self._new_group() if node.name == "HtmlBlock" else group
                    yield from self._block(node, group, level)

    def _block(self, node: Node, group: int, level: int) -> Iterator[SourceBlock]:
        match node.name:
            case "Heading":
                words = " ".join(node.all_text().split())
                self._headings = {above: title for above, title in self._headings.items() if above < node.level}
                if words:
                    self._headings[node.level] = words
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
        kind = next(iter((node.info or "").split()), "")
        if lines and kind in _NOTES:
            yield self._prose((), lines[0][0], lines[-1][1], group)
        elif lines and (not kind.startswith("{") or kind in _MYST_CODE):
            yield SourceBlock(PassageKind.CODE, lines[0][0], lines[-1][1], self._path(), group, lines)

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
    is_bold = bool(node.children) and node.children[0].name == "Strong" and not _LABEL.fullmatch(text)
    return is_bold and len(text.split()) <= _TERM_WORDS and text[-1:] not in {".", "!", "?"}


def ends_in_colon(markdown: str) -> bool:
    """Return whether a text ends in a colon, and so introduces what follows."""
    return markdown.rstrip().rstrip("*_").endswith(":")


def _has_blocks(node: Node) -> bool:
    return any(below.name in {"CodeBlock", "Table", "BlockQuote", "Heading"} for below in node.descendants())


# --- quotes --------------------------------------------------------------------------------------------------------

_SIGNS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_SIGN = re.compile(f"[{_SIGNS}]")
_WORD = re.compile(rf"(?P<sign>[{_SIGNS}])|[^\s{_SIGNS}]+")
"""A word, or one character of a script without spaces."""
_PAUSE = re.compile(r"[;:,\u3001\uff0c)](?=\s)|[\u3001\uff0c]|\s(?=[\u2013\u2014(])")


def count_words(text: str) -> int:
    """Return the number of words in `text`; in scripts without spaces, two characters count as one."""
    if text.isascii() or not _SIGN.search(text):
        return len(text.split())
    found = list(_WORD.finditer(text))
    signs = sum(match["sign"] is not None for match in found)
    return len(found) - signs + (signs + 1) // 2


def packed(text: str, spans: Sequence[tuple[int, int]], limit: int = MAX_QUOTE_WORDS) -> tuple[tuple[int, int], ...]:
    """Group adjacent `spans` of `text`, as evenly as possible, with at most `limit` words each.

    A span that is too long by itself is split at its pauses, else between words.
    """
    small = [piece for span in spans for piece in _cut(text, span, limit)]
    sizes = [count_words(text[a:b]) for a, b in small]
    total = sum(sizes)
    share = total / -(-total // limit) if total else limit
    found: list[tuple[int, int]] = []
    words = 0
    for (a, b), more in zip(small, sizes, strict=True):
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
    while (at := _place(text, start, end, limit)) is not None:
        yield trimmed_span(text, start, at)
        rest = _WORD.search(text, at, end)
        start = rest.start() if rest else end
    if start < end:
        yield start, end


def _place(text: str, start: int, end: int, limit: int) -> int | None:
    """Return where to split: after the last sentence or pause in the second half of the limit, else after a word.

    ``None`` if there are not more words than the limit allows.
    """
    if end - start < 20 * limit and count_words(text[start:end]) <= limit:  # few enough to count all
        return None
    furthest, signs, words = start, 0, 0
    for match in _WORD.finditer(text, start, end):
        signs, words = (signs + 1, words) if match["sign"] else (signs, words + 1)
        if words + (signs + 1) // 2 > limit:
            break
        furthest = match.end()
    else:
        return None
    half = (start + furthest) // 2
    pauses = [half + end for _, end in sentence_spans(text[half:furthest])[:-1]]
    pauses = pauses or [match.end() for match in _PAUSE.finditer(text, half, furthest)]
    return pauses[-1] if pauses else furthest


# --- reStructuredText ------------------------------------------------------------------------------------------------
# Enough of the grammar to quote from documentation; tables, figures and comments are left out:
# https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
_DIRECTIVE = re.compile(
    r"(?P<indent>\s*)\.\.\s+(?:\|[^|]+\|\s+)?(?P<name>[\w:+.-]+?)::(?:\s+(?P<argument>\S(?:.*\S)?))?\s*"
)
_CODE = frozenset({"code", "code-block", "sourcecode", "prompt", "highlight", "parsed-literal", "console"})
_PROSE = frozenset(
    {
        *("admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"),
        *("versionadded", "versionchanged", "deprecated", "seealso", "topic", "sidebar", "rubric", "container"),
        *("option", "envvar", "confval", "glossary", "tabs", "tab", "tab-set", "tab-item", "dropdown", "epigraph"),
    }
)
"""Directives whose content is text; so is that of domains, such as ``py:function``."""
_TERMS = frozenset({"option", "envvar", "confval", "describe", "object", "program"})
"""Directives that define what they name."""
_OPTION = re.compile(r"\s+:[\w-]+:(?:\s.*)?")
_COMMENT = re.compile(r"\s*\.\.(?:\s|$)")
_BULLET = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,3}[.)])\s+\S")
_TABLE = re.compile(r"\s*(?:\+[-=+]{3,}\+|={2,}(?:\s+={2,})+)\s*")


def read_rst(text: str) -> tuple[SourceBlock, ...]:
    """Return the blocks of `text`, in order."""
    return tuple(_RstBlocks(text[:MAX_CHARS]).blocks())


class _RstBlocks:
    """Goes through the lines once, and remembers the headings that it has passed."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._styles: list[str] = []
        self._path: list[str] = []

    def blocks(self) -> Iterator[SourceBlock]:  # noqa: PLR0912 - one branch for each form of block
        """Yield the blocks from the first line on."""
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            if not line.strip():
                at += 1
            elif skipped := self._heading(at):
                at += skipped
            elif directive := _DIRECTIVE.fullmatch(line):
                name = directive["name"]
                end = self._body(at + 1, len(directive["indent"]))
                if name in _CODE:
                    yield from self._code(at + 1, end)
                elif directive["argument"] and (name in _TERMS or ":" in name):
                    term = self._block(PassageKind.PROSE, at, at + 1)
                    yield replace(term, start=self._starts[at] + directive.start("argument"), is_term=True)
                at = at + 1 if name in _PROSE or ":" in name else end
            elif _COMMENT.match(line):
                at = self._body(at + 1, width(line))
            elif _OPTION.fullmatch(line):
                at += 1
            elif _TABLE.fullmatch(line):
                at = self._until_blank(at)
            elif line.lstrip().startswith(">>> "):
                end = self._until_blank(at)
                yield self._block(PassageKind.CODE, at, end, range(at, end))
                at = end
            elif _BULLET.match(line):
                end = self._body(at + 1, width(line), is_list=True)
                starts = [
                    n for n in range(at, end) if _BULLET.match(self._lines[n]) and width(self._lines[n]) == width(line)
                ]
                yield self._block(PassageKind.LIST, at, end, starts)
                at = end
            else:
                end = self._until_blank(at)
                yield self._block(PassageKind.PROSE, at, end)
                if self._lines[end - 1].rstrip().endswith("::"):
                    start, end = end, self._body(end, width(line))
                    yield from self._code(start, end)
                at = end

    def _heading(self, at: int) -> int:
        """Pass a heading that begins at this line; return how many lines it has, 0 for none."""
        above, title, below = [*self._lines[at : at + 3], "", ""][:3]
        if _ADORNMENT.fullmatch(above) and above.rstrip() == below.rstrip() and title.strip():
            style, words, count = above[:1] * 2, title.strip(), 3
        elif _ADORNMENT.fullmatch(title) and above[:1].strip() and not _ADORNMENT.fullmatch(above):
            style, words, count = title[:1], above.strip(), 2
        else:
            return 1 if _ADORNMENT.fullmatch(above) else 0
        if style not in self._styles:
            self._styles.append(style)
        self._path = [*self._path[: self._styles.index(style)], words]
        return count

    def _body(self, at: int, indent: int, *, is_list: bool = False) -> int:
        """Return the end of the lines that are indented more, or items of the list, without trailing blank lines."""
        end = at
        for n, line in enumerate(self._lines[at:], at):
            if line.strip():
                is_item = is_list and width(line) == indent and _BULLET.match(line)
                if (width(line) <= indent and not is_item) or (is_list and _COMMENT.match(line)):
                    break
                end = n + 1
        return end

    def _until_blank(self, at: int) -> int:
        return next((n for n in range(at + 1, len(self._lines)) if not self._lines[n].strip()), len(self._lines))

    def _code(self, at: int, end: int) -> Iterator[SourceBlock]:
        lines = [n for n in range(at, end) if not _OPTION.fullmatch(self._lines[n])]
        filled = [n for n in lines if self._lines[n].strip()]
        if filled:
            yield self._block(PassageKind.CODE, filled[0], end, range(filled[0], end))

    def _block(self, kind: PassageKind, at: int, end: int, starts: Sequence[int] = ()) -> SourceBlock:
        start = self._starts[at] + (0 if kind is PassageKind.CODE else width(self._lines[at]))
        begins = [start, *(self._starts[n] for n in starts[1:])]
        ends = [*begins[1:], self._starts[end] - 1]
        pieces = tuple(zip(begins, ends, strict=True)) if starts else ()
        return SourceBlock(kind, start, self._starts[end] - 1, tuple(self._path), 0, pieces)
