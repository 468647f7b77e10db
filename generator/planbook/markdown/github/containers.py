"""Blocks of Material that CommonMark does not know, such as admonitions, tabs, HTML with Markdown.

They are found before CommonMark is parsed. Each is replaced by one line, which is a block of HTML
wherever it stands, and is parsed by itself when the renderer meets that line. So blocks may nest in
lists, quotes and each other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from markdown.util import ETX, STX

from planbook.markdown.edits import line_starts
from planbook.markdown.github import events
from planbook.markdown.github.events import Options

INDENT = 4
"""Spaces before each line of an indented body."""

OPENINGS = {
    "admonition": r"!!! ?[\w-]",
    "details": r"\?{3}\+? ?[\w\"-]",
    "tabbed": r'===[+!]* +"',
    "blocks": r"(?P<slashes>/{3,})[ ]*[\w-]+[ ]*(?:\||$)",
    "abbr": r"\*\[[^\]\\]+\][ ]?:",
    "markdown_block": r"<(?P<tag>[A-Za-z][\w-]*)\b[^<>]*\bmarkdown\b[^<>]*>",
    "arithmatex-block": r"(?P<math>\$\$|\\\[|\\begin\{[a-z]+\*?\})",
}
"""The beginning of each block, by the name of its extension's block processor."""
_SIGNS = {
    "admonition": ("!!!",),
    "details": ("???",),
    "tabbed": ("===",),
    "blocks": ("///",),
    "abbr": ("*[",),
    "markdown_block": ("markdown",),
    "arithmatex-block": ("$$", r"\[", r"\begin{"),
}
"""Texts of which each block has at least one in its first line."""
_HTML_START = "HtmlBlock start"
"""The kind of the first line of a block of HTML."""
_MATH_ENDS = {"$$": r"(?<!\\)\$\$[ ]*$", "\\[": r"\\\][ ]*$"}

_QUOTES = r"(?P<quotes>(?:[ ]{0,3}>[ ]?)*+)"
_MARKERS = r"(?P<markers>[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*)"
_MARKERS_AND_COLONS = _MARKERS.replace("[-*+]", "[-*+:]")
"""The marks of items, and those of definitions, of which a block may be the first line."""
_MARKER = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(?P<run>`{3,}|~{3,})(?P<info>.*)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
_INDENTED_OPENING = re.compile(rf"(?P<before>{_MARKERS})(?:!!!|\?{{3}}|===)")
_ITEM = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)+")
_NESTED = re.compile(rf"[ ]{{0,3}}>|{_ITEM.pattern}")
"""The beginning of a line of a quote, or of an item."""
_END_TAG = re.compile(r"[ \t]*</(?P<tag>[A-Za-z][\w-]*)>[ \t]*$")
"""A line that only ends an element."""
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)\b[^<>]*?(/?)>")
_LITERAL_TAG = f"{STX}lt{ETX}"
"""Stands for ``<`` in code, where it begins no tag."""
SEPARATOR = f"<?{STX}pb{ETX}?>"
"""A line that ends a paragraph, and is no block of its own on the page."""
_TOKEN = re.compile(rf"<\?{STX}pb:([0-9]+){ETX}\?>")


@dataclass(frozen=True, slots=True)
class Container:
    """One block, without the indentation of its first line."""

    kind: str
    """A key of `OPENINGS`."""
    head: str
    """Its first line, and the lines of its options."""
    body: str
    """Markdown, where its lines begin; for HTML and formulas, the whole block."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with one line in place of each block, and the blocks in order."""

    text: str
    containers: tuple[Container, ...]


def token(number: int) -> str:
    """Return the processing instruction that stands for a block; it may interrupt a paragraph."""
    return f"<?{STX}pb:{number}{ETX}?>"


def token_number(html: str) -> int | None:
    """Return the number of the block that a block of HTML stands for; ``None`` for other HTML."""
    match = _TOKEN.match(html.strip())
    return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class _Found:
    """A block in a text."""

    prefix: str
    """The marks of lists and quotes before it."""
    container: Container
    last: int
    """Its last line."""


class ContainerParser:
    """Finds the blocks of a site's extensions.

    Args:
        kinds: the keys of `OPENINGS` whose extensions the site has switched on.
        options: the syntax that pyromark reads, which tells what is code.
    """

    def __init__(self, kinds: Collection[str], options: Options) -> None:
        self._options = options
        # One pattern for all kinds: which it is follows from the group `k0`, `k1`, … that matched.
        forms = [rf"(?P<k{n}>{form})" for n, form in enumerate(map(OPENINGS.__getitem__, kinds))]
        self._kinds = tuple(kinds)
        self._signs = [sign for kind in kinds for sign in _SIGNS[kind]]
        has_definitions = Options.ENABLE_DEFINITION_LIST in options
        markers = _MARKERS_AND_COLONS if has_definitions else _MARKERS
        self._opening = re.compile(rf"{_QUOTES}{markers}(?:{'|'.join(forms or ['(?!)'])})")
        quick = "|".join(_without_names(OPENINGS[kind]) for kind in kinds)
        self._may_open = re.compile(quick or "(?!)", re.MULTILINE)

    def may_open(self, text: str) -> bool:
        """Return whether a text may have such blocks; quick."""
        # A search for a text takes a hundredth of the time of one for a pattern.
        return any(sign in text for sign in self._signs) and bool(self._may_open.search(text))

    def mask(self, text: str) -> Masked:
        """Return the text with its outermost blocks masked.

        Blocks within them are found when these are parsed.
        """
        if not self.may_open(text):
            return Masked(text, ())
        lines = text.split("\n")
        literal = _literal_lines(lines, self._options)
        out, containers, n = list[str](), list[Container](), 0
        while n < len(lines):
            block = self._block(lines, n, literal.get(n, ""))
            if block is None:
                out.append(lines[n])
                n += 1
                continue
            out.append(block.prefix + token(len(containers)))
            containers.append(block.container)
            n = block.last + 1
        return Masked("\n".join(out), tuple(containers))

    def _block(self, lines: list[str], first: int, literal: str) -> _Found | None:
        """Return the block that begins on the line `first`; ``None`` if none does.

        Args:
            lines: the lines of the text.
            first: the line's number.
            literal: what pyromark takes the line for, as of `_literal_lines`.
        """
        line = lines[first].expandtabs(INDENT)
        opening = self._opening.match(line)
        if opening is None:
            return None
        kind = next(name for n, name in enumerate(self._kinds) if opening[f"k{n}"])
        expected = _HTML_START if kind == "markdown_block" else ""
        # In code, or within HTML, the line is text; HTML with Markdown must begin a block of HTML.
        if literal != expected:
            return None
        prefix = opening["quotes"] + opening["markers"]
        around = _Around(lines, opening["quotes"].count(">"), len(opening["markers"]))
        reading = _Reading(around, first, line[len(prefix) :], opening)
        block = _READERS.get(kind, _indented)(reading)
        if block is None:
            return None
        head, body, last = block
        return _Found(prefix, Container(kind, head, body), last)


@dataclass(frozen=True, slots=True)
class _Around:
    """The list item or quote that a block stands in."""

    lines: list[str]
    quotes: int
    column: int

    def after(self, first: int) -> Iterator[tuple[int, str, int]]:
        """Yield number, text and indentation of each line after `first`, to the quote's end."""
        for n in range(first + 1, len(self.lines)):
            line, quotes = self.lines[n], 0
            while quotes < self.quotes and (mark := re.match(r"[ ]{0,3}>[ ]?", line)):
                line, quotes = line[mark.end() :], quotes + 1
            if quotes < self.quotes:
                return
            line = _expanded(line)
            yield n, line, _indent(line) if line.strip() else -1

    def dedented(self, line: str) -> str:
        """Return a line without the indentation of the list item."""
        return line[min(_indent(line), self.column) :]


def _indent(line: str) -> int:
    """Return the number of blanks at the start of a line."""
    return len(line) - len(line.lstrip(" "))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A block of which the first line is known."""

    around: _Around
    first: int
    head: str
    """The first line, without what stands before the block."""
    opening: re.Match[str]


_Lines = tuple[str, str, int]
"""The head of a block, its body, and its last line."""


def _expanded(line: str) -> str:
    """Return a line with spaces for the tabs before its text; those in code stay."""
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)].expandtabs(INDENT) + text


def _indented(reading: _Reading) -> _Lines:
    """Return a block whose body is indented below its opening."""
    column, body, last = reading.around.column + INDENT, list[str](), reading.first
    for n, line, indent in reading.around.after(reading.first):
        if 0 <= indent < column:
            break
        body.append(line[column:])
        # Blank lines belong to the block only if an indented one follows.
        last = n if indent >= 0 else last
    return reading.head, "\n".join(body[: last - reading.first]), last


def _fenced(reading: _Reading) -> _Lines:
    """Return a block that ends with a line of slashes, or with the item or text around it."""
    head, body, last, fence = [reading.head], list[str](), reading.first, ""
    for n, line, indent in reading.around.after(reading.first):
        if 0 <= indent < reading.around.column:
            break
        text, last = reading.around.dedented(line), n
        # Slashes in fenced code do not end the block.
        if not fence and text.strip() == reading.opening["slashes"]:
            break
        fence = _fence_after(text, fence)
        is_option = not body and text.startswith(" " * INDENT)
        (head if is_option else body).append(text)
    return "\n".join(head), "\n".join(body), last


def _fence_after(line: str, fence: str) -> str:
    """Return the signs of the fence that is open after a line; empty for none.

    Args:
        line: the line.
        fence: the signs of the one that is open before it.
    """
    opening = _FENCE.match(line)
    run, info = (opening["run"], opening["info"].strip()) if opening else ("", "")
    if fence:
        return "" if run.startswith(fence) and not info else fence
    return "" if "`" in run and "`" in info else run


def _element(reading: _Reading) -> _Lines:
    """Return an element of HTML, with the rest of the line of its end."""
    lines = [reading.head]
    for _, line, indent in reading.around.after(reading.first):
        if 0 <= indent < reading.around.column:
            break
        lines.append(reading.around.dedented(line))
    end = _end_of_element("\n".join(lines), reading.opening["tag"])
    return reading.head, "\n".join(lines[: end + 1]), reading.first + end


def _end_of_element(text: str, tag: str) -> int:
    """Return the number of the line on which the element ends that `text` begins with."""
    masked, depth = mask_tags_in_code(text), 0
    for tag_match in re.finditer(rf"<(/?){tag}\b[^<>]*?(/?)>", masked, re.IGNORECASE):
        is_end, is_empty = tag_match.groups()
        if not is_empty:
            depth += -1 if is_end else 1
        if depth == 0:
            return masked.count("\n", 0, tag_match.end())
    return len(text.rstrip().split("\n")) - 1


def _formula(reading: _Reading) -> _Lines | None:
    """Return a formula that ends at the end of a line; ``None`` if a blank line comes before."""
    opening, head = reading.opening["math"], reading.head
    environment = opening.partition("{")[2]
    ending = _MATH_ENDS.get(opening) or rf"\\end\{{{re.escape(environment)}[ ]*$"
    if re.search(ending, head[len(opening) :]):
        return head, head, reading.first
    lines = [head]
    for n, line, indent in reading.around.after(reading.first):
        if indent < 0:
            return None
        lines.append(reading.around.dedented(line))
        if re.search(ending, line):
            return head, "\n".join(lines), n
    return None


def _block_of_line(reading: _Reading) -> _Lines:
    """Return a block of one line."""
    return reading.head, "", reading.first


_READERS: dict[str, Callable[[_Reading], _Lines | None]] = {
    "abbr": _block_of_line,
    "blocks": _fenced,
    "markdown_block": _element,
    "arithmatex-block": _formula,
}
"""Functions for blocks whose bodies are not indented."""


def _without_names(pattern: str) -> str:
    return re.sub(r"\?P<\w+>", "?:", pattern)


def _literal_lines(lines: Sequence[str], options: Options) -> dict[int, str]:
    """Return the kinds of the lines of code and HTML, by number."""
    encoded = [line.encode() for line in lines]
    starts, kinds = line_starts(encoded), dict[int, str]()
    for event in events.events_of(b"\n".join(encoded), options):
        if event.step != events.START or event.name not in {"CodeBlock", "HtmlBlock"}:
            continue
        first = bisect_right(starts, event.start) - 1
        last = bisect_right(starts, max(event.start, event.end - 1)) - 1
        kinds |= dict.fromkeys(range(first, last + 1), event.name)
        if event.name == "HtmlBlock":
            kinds[first] = _HTML_START
    return kinds


# --- tables ----------------------------------------------------------------------------------

_DELIMITER_ROW = re.compile(
    rf"{_QUOTES}(?P<indent>[ \t]*+)"
    r"(?P<row>\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+)$"
)
_MAY_DELIMIT = re.compile(r"^[ \t>]*:?-+:?[ \t]*\|", re.MULTILINE)
"""The row below the header of a table that need not have outer pipes."""
_DASH_AND_PIPE = re.compile(r"-:?[ \t]*\|")
"""A part of such a row; a pattern that begins with a sign is found in a tenth of the time."""


def separate_tables(text: str, options: Options) -> str:
    """Return the text with a separator above each table that begins within a paragraph.

    On GitHub, the header of a table ends the paragraph above it; pyromark sees that only where rows
    begin with a pipe.
    """
    if not (_DASH_AND_PIPE.search(text) and _MAY_DELIMIT.search(text)):
        return text
    lines = text.split("\n")
    literal = _literal_lines(lines, options)
    out, is_in_table = list[str](), False
    for n, line in enumerate(lines):
        row = _DELIMITER_ROW.match(line)
        is_in_table = is_in_table and bool(line.strip(" \t>"))
        is_header_known = row is not None and n > 1 and n not in literal and not is_in_table
        if row is not None and is_header_known and _is_header(lines[n - 1], row):
            is_in_table = True
            if lines[n - 2].strip(" \t>"):  # a paragraph, which the separator ends
                out.insert(-1, f"{row['quotes']}{row['indent']}{SEPARATOR}")
        out.append(line)
    return "\n".join(out)


def _is_header(line: str, delimiters: re.Match[str]) -> bool:
    """Return whether a line has as many cells as the row below it, and continues its paragraph."""
    before = re.match(rf"{_QUOTES}[ \t]*", line)
    is_continued = before is not None and not _MARKER.match(line, before.end())
    row = line[before.end() :] if before else line
    has_pipe = "|" in row and "|" in delimiters["row"]
    return is_continued and has_pipe and _cells(row) == _cells(delimiters["row"])


def _cells(row: str) -> int:
    """Return the number of cells in a row of a table."""
    return len(re.split(r"(?<!\\)\|", row.strip().removeprefix("|").removesuffix("|")))


# --- tags in code ----------------------------------------------------------------------------


def mask_tags_in_code(text: str) -> str:
    """Return Markdown in HTML with another sign for ``<`` in code and after a backslash.

    Tags in lists, quotes and indented bodies are masked, too: these are read when their block is.
    """
    prose, out = list[str](), list[str]()
    fence, column, open_tags = "", 0, Counter[str]()
    for line in text.split("\n"):
        before, fence = fence, _fence_after(line, fence)
        if before or fence:
            out += [*_masked_spans(prose), line.replace("<", _LITERAL_TAG)]
            prose = []
        else:
            is_indented = column > 0 and (not line.strip() or _indent(line) >= column)
            end = _END_TAG.match(line)
            # ``  </div>`` below ``- a`` may end an element that began before the item.
            is_of_item = end is None or open_tags[end["tag"].lower()] > 0
            is_inside = is_indented and is_of_item
            if not is_inside:
                column, open_tags = _body_column(line), Counter()
            open_tags.update(_depths_of_tags(line))
            is_masked = is_inside or _NESTED.match(line) is not None
            prose.append(line.replace("<", _LITERAL_TAG) if is_masked else line)
    return "\n".join([*out, *_masked_spans(prose)])


def _depths_of_tags(line: str) -> Counter[str]:
    """Return by how much a line changes the number of open elements, by the names of tags."""
    depths = Counter[str]()
    for end, name, empty in _TAG.findall(line):
        if not empty:
            depths[name.lower()] += -1 if end else 1
    return depths


def _body_column(line: str) -> int:
    """Return the column of the lines that belong to the block that `line` begins; 0 for none."""
    item, indented = _ITEM.match(line), _INDENTED_OPENING.match(line)
    if indented:
        return len(indented["before"].expandtabs(INDENT)) + INDENT
    return len(item[0].expandtabs(INDENT)) if item else 0


def _masked_spans(lines: list[str]) -> list[str]:
    if not lines:
        return []
    text = "\n".join(lines).replace("\\<", f"\\{_LITERAL_TAG}")
    return _CODE_SPAN.sub(lambda span: span[0].replace("<", _LITERAL_TAG), text).split("\n")


def unmask_tags(text: str) -> str:
    """Return text of `mask_tags_in_code` as it was."""
    return text.replace(_LITERAL_TAG, "<")
