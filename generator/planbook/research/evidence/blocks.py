"""Blocks of a Markdown or reStructuredText text, and their division into quotes.

Blocks are paragraphs, lists, tables and code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from planbook.markdown.edits import blank_out
from planbook.markdown.plain_text import width
from planbook.markdown.syntax import Node, syntax_tree
from planbook.markdown.words import sentence_spans, trimmed_span
from planbook.problems import MAX_QUOTE_WORDS
from planbook.research.drafts import PassageKind

MAX_CHARS = 1_000_000
"""Maximum length of one source; the rest is ignored."""
MAX_LEVELS = 12
"""Of quotes and lists within each other; deeper ones are skipped."""

_INLINE = frozenset(
    {
        *("Text", "Code", "InlineHtml", "SoftBreak", "HardBreak"),
        *("Emphasis", "Strong", "Strikethrough", "Link", "Image"),
    }
)
_NOTES = frozenset(
    {
        *("{attention}", "{caution}", "{danger}", "{hint}"),
        *("{important}", "{note}", "{tip}", "{warning}"),
    }
)
"""Fences that are directives of MyST with text in them."""
_MYST_CODE = frozenset({"{code}", "{code-block}", "{code-cell}", "{sourcecode}"})
"""Fences that are directives of MyST with code in them; the content of others is no code."""
_LABELS = (
    *("attention", "caution", "deprecated", "examples?", "hint", "important", "notes?"),
    *("parameters?", "remarks?", "returns?", "see also", "since", "tip", "warnings?"),
)
_LABEL = re.compile(rf"(?:{'|'.join(_LABELS)}):?", re.IGNORECASE)
"""A title of a box or list, such as ``Notes:``, which defines nothing."""
_TERM_WORDS = 16
"""Maximum number of words of a term above its definition that begins in bold."""
_TERM_CHARS = 300
"""Maximum number of characters of one that is code, such as a signature."""


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One block. Places are offsets in characters."""

    kind: PassageKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    row: int = 0
    """The number of its row of blocks: those of the text, of one list item, of one quotation."""
    pieces: tuple[tuple[int, int], ...] = ()
    """The items of a list, the rows of a table, the lines of code."""
    whole: tuple[tuple[int, int], ...] = ()
    """Code spans, emphasis and links, which must not be cut within."""
    is_term: bool = False
    """True if it looks like the term of a definition.

    The option of a manual page does: ``**--stdin**``.
    """


def source_blocks(text: str) -> tuple[SourceBlock, ...]:
    """Return the blocks of `text`, in order; front matter is left out."""
    text = text[:MAX_CHARS]
    tree = syntax_tree(text, has_metadata=True)
    return tuple(_SourceBlocks(text).blocks(tree.children, 0, 0))


_UNSEEN_HTML = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1>|\Z)", re.DOTALL | re.I)
"""Comments and code that no reader sees."""
_HIDES = re.compile(
    r"<[^<>]{0,600}\s(?:hidden\b|aria-hidden\b"
    r"|style\s*=[^<>]{0,300}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0))",
    re.IGNORECASE,
)
"""A tag whose text no reader sees."""
_HTML_ROW = re.compile(r"<tr\b[^<>]{0,600}>(?P<cells>.*?)(?:</tr>|(?=<tr\b)|\Z)", re.DOTALL | re.I)
_HTML_CELL = re.compile(
    r"<t(?P<kind>[dh])\b[^<>]{0,600}>(?P<text>.*?)(?:</t[dh]>|(?=<t[dh]\b)|\Z)", re.DOTALL | re.I
)
_HTML_END = re.compile(
    r"<(?P<name>/?(?:article|blockquote|center|caption|d[dlt]|details|div|figcaption|figure|h[1-6]"
    r"|hr|li|main|ol|p|pre|section|summary|table|tbody|tfoot|thead|ul|[A-Z]\w*))\b[^<>]{0,600}>"
)
"""A tag between two texts; the names of components, as in MDX, begin with a capital."""
_HTML_HEADING = re.compile("h[1-6]")
_HTML_FENCE = re.compile(
    r"^[ \t]*(?P<marks>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)\n?^[ \t]*(?P=marks)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
"""Code between tags."""
_HTML_TAG = re.compile(r"<[^<>]{0,600}>")

_ROW = re.compile(r"\s*\|[^|]+\|.*[^\s|]+.*\|\s*")
"""A line of two cells or more."""


class _SourceBlocks:
    """Goes through the nodes and remembers the headings that it has passed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._headings: dict[int, str] = {}
        self._groups = 0

    def blocks(self, nodes: Sequence[Node], group: int, level: int) -> Iterator[SourceBlock]:
        """Yield the blocks of sibling nodes."""
        for is_inline, run in groupby(nodes, key=lambda node: node.name in _INLINE):
            members = list(run)
            if is_inline:  # the text of a tight list item
                yield self._prose(members, members[0].start, members[-1].end, group)
            else:
                yield from self._siblings(members, group, level)

    def _siblings(self, nodes: Sequence[Node], group: int, level: int) -> Iterator[SourceBlock]:
        """Yield the blocks of sibling nodes that are blocks themselves."""
        table: Node | None = None  # the one directly above
        for node in nodes:
            if table and node.name == "Paragraph" and self._is_row(node):
                yield self._rows_apart(table, node, group)
                continue
            table = node if node.name == "Table" else None
            if node.name == "HtmlBlock":  # what is above it and below it stands apart
                group = self._new_group()
            yield from self._block(node, group, level)

    def _is_row(self, node: Node) -> bool:
        """Return whether all lines of a paragraph are written as rows of a table."""
        lines = self._text[node.start : node.end].splitlines()
        return all(_ROW.fullmatch(line) for line in lines)

    def _rows_apart(self, table: Node, rows: Node, group: int) -> SourceBlock:
        """Return rows that a blank line parts from their table, with its head."""
        head = table.children[0]
        lines = re.finditer(r"\S.*", self._text[rows.start : rows.end])
        spans = tuple((rows.start + line.start(), rows.start + line.end()) for line in lines)
        pieces = ((head.start, head.end), *spans)
        return SourceBlock(PassageKind.TABLE, rows.start, rows.end, self._path(), group, pieces)

    def _block(self, node: Node, group: int, level: int) -> Iterator[SourceBlock]:
        """Yield the blocks of one node: of a list or quotation with blocks of its own, those."""
        match node.name:
            case "Heading":
                self._pass_heading(node)
            case "Paragraph":
                prose = self._prose(node.children, node.start, node.end, group)
                yield replace(prose, is_term=True) if _is_term(node) else prose
            case "CodeBlock":
                yield from self._code(node, group)
            case "Table":
                yield self._blocks_of_children(PassageKind.TABLE, node, group)
            case "List" if level < MAX_LEVELS and _has_blocks(node):
                for item in node.children:
                    yield from self.blocks(item.children, self._new_group(), level + 1)
            case "List":
                yield self._blocks_of_children(PassageKind.LIST, node, group)
            case "BlockQuote" if level < MAX_LEVELS:
                yield from self.blocks(node.children, self._new_group(), level + 1)
            case "HtmlBlock":
                yield from self._html(node)

    def _html(self, node: Node) -> Iterator[SourceBlock]:
        """Yield the texts of HTML: those of its tables by row, others between block tags."""
        html = self._text[node.start : node.end]
        html = _UNSEEN_HTML.sub(lambda unseen: blank_out(unseen[0]), html)
        if _HIDES.search(html):
            return
        at = 0
        for row in _HTML_ROW.finditer(html):
            yield from self._html_runs(html[: row.start()], at, node.start)
            yield from self._html_row(row, node.start)
            at = row.end()
        yield from self._html_runs(html, at, node.start)

    def _html_runs(self, html: str, at: int, offset: int) -> Iterator[SourceBlock]:
        """Yield the texts between the block tags of some HTML, from a place on."""
        group, name = self._new_group(), ""
        for tag in _HTML_END.finditer(f"{html}<hr>", at):
            text = self._html_text(html, at, tag.start(), offset)
            if text is not None and _HTML_HEADING.fullmatch(name):
                self._pass_title(self._text[text[0] : text[1]], int(name[1]))
            elif text is not None and name == "dt":
                yield replace(self._prose((), *text, group), is_term=True)
            elif text is not None:
                yield from self._html_prose(*text, group)
            name, at = tag["name"].lower(), tag.end()

    def _html_row(self, row: re.Match[str], offset: int) -> Iterator[SourceBlock]:
        """Yield the first cell of a row as a term, and the others as what it is about."""
        cells = [
            (cell["kind"].lower(), self._html_text(row.string, *cell.span("text"), offset))
            for cell in _HTML_CELL.finditer(row.string, *row.span("cells"))
        ]
        spans = [span for _, span in cells if span is not None]
        if not spans or all(kind == "h" for kind, _ in cells):
            return  # the head of a table names columns, and says nothing by itself
        group = self._new_group()
        first, *others = spans
        term = self._prose((), *first, group)
        yield replace(term, is_term=bool(others))
        if others:
            yield self._prose((), others[0][0], others[-1][1], group)

    def _html_prose(self, start: int, end: int, group: int) -> Iterator[SourceBlock]:
        """Yield the paragraphs and fences of Markdown between tags, as tabs of MDX have them."""
        at = start
        for fence in _HTML_FENCE.finditer(self._text, start, end):
            yield from self._html_paragraph(at, fence.start(), group)
            code = fence.start("code")
            lines = re.finditer(r".+", fence["code"])
            spans = tuple((code + line.start(), code + line.end()) for line in lines)
            if spans:
                path = self._path()
                yield SourceBlock(PassageKind.CODE, code, fence.end("code"), path, group, spans)
            at = fence.end()
        yield from self._html_paragraph(at, end, group)

    def _html_paragraph(self, start: int, end: int, group: int) -> Iterator[SourceBlock]:
        """Yield the paragraph in a part of the text that has no block tags, if it has words."""
        text = self._html_text(self._text, start, end, 0)
        if text is not None:
            yield self._prose((), *text, group)

    @staticmethod
    def _html_text(html: str, start: int, end: int, offset: int) -> tuple[int, int] | None:
        """Return the span of the words in a part of some HTML; ``None`` if it has none."""
        words = _HTML_TAG.sub(lambda tag: blank_out(tag[0]), html[start:end])
        first, last = len(words) - len(words.lstrip()), len(words.rstrip())
        if first >= last:
            return None
        return offset + start + first, offset + start + last

    def _pass_heading(self, node: Node) -> None:
        """Remember a heading, and forget those that it ends."""
        self._pass_title(node.all_text(), node.level)

    def _pass_title(self, text: str, level: int) -> None:
        """Remember the text of a heading, and forget the headings that it ends."""
        title = " ".join(text.split())
        for other in list(self._headings):
            if other >= level:
                del self._headings[other]
        if title:
            self._headings[level] = title

    def _prose(self, nodes: Sequence[Node], start: int, end: int, group: int) -> SourceBlock:
        """Return a paragraph of these inline nodes."""
        is_cut_anywhere = {"Text", "SoftBreak", "HardBreak"}
        whole = tuple((node.start, node.end) for node in nodes if node.name not in is_cut_anywhere)
        return SourceBlock(PassageKind.PROSE, start, end, self._path(), group, whole=whole)

    def _blocks_of_children(self, kind: PassageKind, node: Node, group: int) -> SourceBlock:
        """Return a table or list, whose pieces are its rows or items."""
        pieces = tuple((child.start, child.end) for child in node.children)
        return SourceBlock(kind, node.start, node.end, self._path(), group, pieces)

    def _code(self, node: Node, group: int) -> Iterator[SourceBlock]:
        """Yield the content of a fence: code, or text for a directive that holds a note."""
        lines = tuple((child.start, child.end) for child in node.children)
        if not lines:
            return
        start, end = lines[0][0], lines[-1][1]
        kind, *_ = [*(node.info or "").split(), ""]
        is_code = not kind.startswith("{") or kind in _MYST_CODE
        if kind in _NOTES:
            yield self._prose((), start, end, group)
        elif is_code:
            yield SourceBlock(PassageKind.CODE, start, end, self._path(), group, lines)

    def _path(self) -> tuple[str, ...]:
        """Return the headings above, outermost first."""
        return tuple(self._headings[level] for level in sorted(self._headings))

    def _new_group(self) -> int:
        """Return the number of a new row of blocks."""
        self._groups += 1
        return self._groups


def _is_term(node: Node) -> bool:
    """Return whether a paragraph is a short line that begins in bold, or code and nothing else."""
    text = node.all_text().strip()
    names = {child.name for child in node.children if child.text.strip() or child.children}
    if names == {"Code"}:
        return len(text) <= _TERM_CHARS
    is_bold = bool(node.children) and node.children[0].name == "Strong"
    if not is_bold or _LABEL.fullmatch(text):
        return False
    return len(text.split()) <= _TERM_WORDS and text[-1:] not in {".", "!", "?"}


def ends_in_colon(markdown: str) -> bool:
    """Return whether a text ends in a colon, and so introduces what follows."""
    return markdown.rstrip().rstrip("*_").endswith(":")


def _has_blocks(node: Node) -> bool:
    """Return whether a list has more than text in its items."""
    blocks = {"CodeBlock", "Table", "BlockQuote", "Heading"}
    return any(below.name in blocks for below in node.descendants())


# --- quotes ---------------------------------------------------------------------------------------

_SIGNS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""Kana and Chinese characters, of scripts without spaces."""
_SIGN = re.compile(f"[{_SIGNS}]")
_WORD = re.compile(rf"(?P<sign>[{_SIGNS}])|[^\s{_SIGNS}]+")
"""A word, or one character of a script without spaces."""
_PAUSE = re.compile(
    r"""[;:,\u3001\uff0c)](?=\s)   # a mark at the end of a word
    |   [\u3001\uff0c]             # a comma of a script without spaces
    |   \s(?=[\u2013\u2014(])      # before a dash or a parenthesis
    """,
    re.VERBOSE,
)
"""A place within a sentence where a reader takes breath."""


def count_words(text: str) -> int:
    """Return the number of words in `text`.

    In scripts without spaces, two characters count as one.
    """
    if text.isascii() or not _SIGN.search(text):
        return len(text.split())
    words = list(_WORD.finditer(text))
    signs = sum(match["sign"] is not None for match in words)
    return len(words) - signs + (signs + 1) // 2


def packed(
    text: str, spans: Sequence[tuple[int, int]], limit: int = MAX_QUOTE_WORDS
) -> tuple[tuple[int, int], ...]:
    """Group adjacent `spans` of `text`, as evenly as possible, with at most `limit` words each.

    A span that is too long by itself is split at its pauses, else between words.
    """
    small = [piece for span in spans for piece in _cut(text, span, limit)]
    sizes = [count_words(text[start:end]) for start, end in small]
    total = sum(sizes)
    groups = math.ceil(total / limit)
    even = total / groups if groups else limit  # words of a group, if all are of one size
    grouped: list[tuple[int, int]] = []
    words = 0
    for (start, end), more in zip(small, sizes, strict=True):
        if grouped and words < even and words + more <= limit:
            grouped[-1] = (grouped[-1][0], end)
            words += more
        else:
            grouped.append((start, end))
            words = more
    return tuple(grouped)


def _cut(text: str, span: tuple[int, int], limit: int) -> Iterator[tuple[int, int]]:
    """Yield the span in pieces of at most `limit` words."""
    start, end = span
    while (at := _place_to_split(text, start, end, limit)) is not None:
        yield trimmed_span(text, start, at)
        rest = _WORD.search(text, at, end)
        start = rest.start() if rest else end
    if start < end:
        yield start, end


def _place_to_split(text: str, start: int, end: int, limit: int) -> int | None:
    """Return where to split a span; ``None`` if it has not more words than the limit allows.

    It is after the last sentence or pause in the second half of the limit, else after a word.
    """
    is_short = end - start < 20 * limit  # short enough to count all of its words
    if is_short and count_words(text[start:end]) <= limit:
        return None
    furthest = _end_of_words(text, start, end, limit)
    if furthest is None:
        return None
    half = (start + furthest) // 2
    sentences = sentence_spans(text[half:furthest])[:-1]
    if sentences:
        return half + sentences[-1][1]
    pauses = [pause.end() for pause in _PAUSE.finditer(text, half, furthest)]
    return pauses[-1] if pauses else furthest


def _end_of_words(text: str, start: int, end: int, limit: int) -> int | None:
    """Return where the last word within the limit ends; ``None`` if all words are within it."""
    furthest = start
    signs = words = 0
    for match in _WORD.finditer(text, start, end):
        if match["sign"]:
            signs += 1
        else:
            words += 1
        if words + (signs + 1) // 2 > limit:
            return furthest
        furthest = match.end()
    return None


# --- reStructuredText -----------------------------------------------------------------------------
# Enough of the grammar to quote from documentation; figures and comments are left out:
# https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
_DIRECTIVE = re.compile(
    r"""(?P<indent>\s*)\.\.\s+
        (?:\|[^|]+\|\s+)?                   # the name of a substitution
        (?P<name>[\w:+.-]+?)::
        (?:\s+(?P<argument>\S(?:.*\S)?))?\s*
    """,
    re.VERBOSE,
)
"""The first line of a directive: ``.. code-block:: sh``."""
_CODE = frozenset(
    {"code", "code-block", "sourcecode", "prompt", "highlight", "parsed-literal", "console"}
)
"""Directives whose content is code."""
_WITHOUT_TEXT = frozenset(
    {
        *("automodule", "autoclass", "autofunction", "automethod", "contents", "csv-table"),
        *("currentmodule", "default-domain", "default-role", "digraph", "figure", "graph"),
        *("graphviz", "highlight", "image", "include", "index", "literalinclude", "math"),
        *("meta", "mermaid", "module", "raw", "role", "sectionauthor", "tabularcolumns"),
        *("tocdepth", "toctree", "uml", "unicode", "replace"),
    }
)
"""Directives whose content is no text to quote: settings, lists of contents, pictures, formulas."""
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

    def blocks(self) -> Iterator[SourceBlock]:
        """Yield the blocks from the first line on."""
        at = 0
        while at < len(self._lines):
            at = yield from self._blocks_at(at)

    def _blocks_at(self, at: int) -> Generator[SourceBlock, None, int]:
        """Yield the blocks of what begins at this line; return the line below it."""
        line = self._lines[at]
        below = self._below_what_is_no_block(at)
        if below > at:
            return below
        if directive := _DIRECTIVE.fullmatch(line):
            return (yield from self._directive(at, directive))
        # Tables are shown as they are written: their columns are lines of signs.
        if _TABLE.fullmatch(line) or line.lstrip().startswith(">>> "):
            end = self._until_blank(at)
            yield self._block(PassageKind.CODE, at, end, range(at, end))
            return end
        if _BULLET.match(line):
            return (yield from self._list(at))
        return (yield from self._paragraph(at))

    def _below_what_is_no_block(self, at: int) -> int:
        """Return the line below a blank line, heading or comment; `at` for anything else."""
        line = self._lines[at]
        if not line.strip() or _OPTION.fullmatch(line):
            return at + 1
        lines_of_heading = self._heading(at)  # first: a line of one sign may look like a table's
        if lines_of_heading:
            return at + lines_of_heading
        if _COMMENT.match(line) and not _DIRECTIVE.fullmatch(line):
            return self._body(at + 1, width(line))
        return at

    def _directive(self, at: int, directive: re.Match[str]) -> Generator[SourceBlock, None, int]:
        """Yield the code or the term of a directive; return where to go on.

        That is within it if it has text, else below it.
        """
        name = directive["name"]
        is_of_a_domain = ":" in name
        end = self._body(at + 1, len(directive["indent"]))
        if name in _CODE:
            yield from self._code(at + 1, end)
        elif directive["argument"] and (name in _TERMS or is_of_a_domain):
            line = self._block(PassageKind.PROSE, at, at + 1)
            start = self._starts[at] + directive.start("argument")
            yield replace(line, start=start, is_term=True)
        return end if name in _CODE or name in _WITHOUT_TEXT else at + 1

    def _list(self, at: int) -> Generator[SourceBlock, None, int]:
        """Yield a list, whose items are indented as its first one; return the line below it."""
        indent = width(self._lines[at])
        end = self._body(at + 1, indent, is_list=True)
        items = []
        for number, line in enumerate(self._lines[at:end], at):
            if _BULLET.match(line) and width(line) == indent:
                items.append(number)
        yield self._block(PassageKind.LIST, at, end, items)
        return end

    def _paragraph(self, at: int) -> Generator[SourceBlock, None, int]:
        """Yield a paragraph, and the code below it that ``::`` at its end announces."""
        end = self._until_blank(at)
        yield self._block(PassageKind.PROSE, at, end)
        if not self._lines[end - 1].rstrip().endswith("::"):
            return end
        end_of_code = self._body(end, width(self._lines[at]))
        yield from self._code(end, end_of_code)
        return end_of_code

    def _heading(self, at: int) -> int:
        """Pass a heading that begins at this line; return how many lines it has, 0 for none."""
        first, second, third = [*self._lines[at : at + 3], "", ""][:3]
        is_line = _ADORNMENT.fullmatch(first) is not None
        if is_line and first.rstrip() == third.rstrip() and second.strip():  # a line above, too
            self._pass_heading(first[:1] * 2, second.strip())
            return 3
        if not is_line and first[:1].strip() and _ADORNMENT.fullmatch(second):
            self._pass_heading(second[:1], first.strip())
            return 2
        return 1 if is_line else 0  # a line that divides nothing

    def _pass_heading(self, style: str, title: str) -> None:
        """Remember a heading; the first style that a text uses is the outermost one, and so on."""
        if style not in self._styles:
            self._styles.append(style)
        self._path = [*self._path[: self._styles.index(style)], title]

    def _body(self, at: int, indent: int, *, is_list: bool = False) -> int:
        """Return the end of the lines that are indented more, or items of the list.

        Blank lines at the end are left out.
        """
        end = at
        for below, line in enumerate(self._lines[at:], at + 1):
            if not line.strip():
                continue
            is_item = is_list and width(line) == indent and _BULLET.match(line)
            is_outside = width(line) <= indent and not is_item
            if is_outside or (is_list and _COMMENT.match(line)):
                break
            end = below
        return end

    def _until_blank(self, at: int) -> int:
        """Return the next blank line below this one, or the end."""
        for number in range(at + 1, len(self._lines)):
            if not self._lines[number].strip():
                return number
        return len(self._lines)

    def _code(self, at: int, end: int) -> Iterator[SourceBlock]:
        """Yield the code in these lines, from the first one that is no option and not blank."""
        for number in range(at, end):
            line = self._lines[number]
            if line.strip() and not _OPTION.fullmatch(line):
                yield self._block(PassageKind.CODE, number, end, range(number, end))
                return

    def _block(
        self, kind: PassageKind, at: int, end: int, starts: Sequence[int] = ()
    ) -> SourceBlock:
        """Return the block in these lines; `starts` has the first line of each of its pieces."""
        indent = 0 if kind is PassageKind.CODE else width(self._lines[at])
        first = self._starts[at] + indent
        last = self._starts[end] - 1
        begins = [first, *(self._starts[number] for number in starts[1:])]
        pieces = tuple(pairwise([*begins, last])) if starts else ()
        return SourceBlock(kind, first, last, tuple(self._path), 0, pieces)
