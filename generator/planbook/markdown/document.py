"""A page, parsed once.

Front matter as MkDocs reads it, body, syntax tree (by pyromark) and links.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import pyromark

from planbook.markdown.front_matter import FrontMatterError, lines_above, split_front_matter
from planbook.markdown.plain_text import without_roles
from planbook.model import Problem

_EXTENSIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image"})
_BREAKS = ("<br", "<li")
"""Tags that keep words apart."""
_WORDS = frozenset({"Text", "Code", "SoftBreak", "HardBreak", "InlineHtml"})
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CLOSED = re.compile(r"\n[ >\t]*(?:```+|~~~+)[ \t]*\n?$")
_SOURCES = re.compile(r"^#{1,3} {1,3}(?:sources|references)\b", re.MULTILINE | re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]", re.MULTILINE)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
WIKILINK = re.compile(
    r"(?<![\\\[])(?P<embed>!?)\[\[(?=[^\[\]|\n]*[^\s\[\]|#^\n])(?P<target>[^\[\]|#\n]*)(?:#"
    r"(?P<heading>[^\[\]|\n]*))?(?:\|(?P<text>[^\[\]\n]*))?\]\]"
    r"(?!\(|\[[^\[])"
)
"""``[[page]]``, ``[[page#heading|text]]``, ``![[image.png]]``; but ``[[1]](address)`` is a link of
Markdown.

One that names neither a page nor a heading, such as ``[[]]`` or ``[[|x]]``, is text."""
_INDENTED_BODY = re.compile(r"!!!|\?\?\?|===|\[\^")
"""Opening markers of blocks with indented text: admonitions, details, tabs, footnotes."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link and its position in the file."""

    address: str
    line: int
    column: int


@dataclass(frozen=True)
class Document:
    """A page's front matter and body; front matter that is not a YAML mapping is part of the body.

    Offsets are characters of the body; lines and columns are those of the file, 1-based. Derived
    values are computed once.
    """

    meta: Mapping[str, object]
    body: str = field(repr=False)
    lines_above: int
    """Number of lines of the file above the body."""
    error: FrontMatterError | None = None
    """Set if the front matter is not a YAML mapping."""

    @cached_property
    def outline(self) -> Sequence[Node]:
        """The elements of the body that most readers need."""
        return outline(self.body)

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self.body.split("\n"))

    def line(self, offset: int) -> int:
        """Return the line of the file with the character at `offset` of the body."""
        return self.lines_above + bisect_right(self._starts, offset)

    @cached_property
    def links(self) -> tuple[PageLink, ...]:
        """All links and images, in order."""
        targets = [
            (node.address, node.start) for node in self.outline if node.name in {"Link", "Image"}
        ]
        lines = ((address, at, bisect_right(self._starts, at)) for address, at in targets)
        return tuple(
            PageLink(to, self.lines_above + n, at - self._starts[n - 1] + 1) for to, at, n in lines
        )


@lru_cache(maxsize=4)
def read_document(text: str) -> Document:
    """Return the document in a page's `text`. Never raises.

    The last ones are cached: several rules read one page.
    """
    try:
        meta, body = split_front_matter(text)
    except FrontMatterError as error:
        return Document({}, text, 0, error)
    return Document(meta, body, lines_above(text, body))


def decoded(raw: bytes, uri: str, code: str) -> tuple[str, tuple[Problem, ...]]:
    """Return the text of the file `uri`.

    Bytes that are not UTF-8 are replaced, and reported with `code`.
    """
    try:
        return raw.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        defect = (
            f"byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8; save the file in this "
            "encoding"
        )
        return raw.decode("utf-8", errors="replace"), (Problem(uri, line, code, defect),)


def line_starts(lines: Iterable[Sized]) -> list[int]:
    """Return the offset of each of `lines` in their text, and the offset after it.

    The text is that of the lines joined by newlines. ``bisect_right(starts, offset)`` is the
    1-based line of an offset.
    """
    return list(accumulate(map((1).__add__, map(len, lines)), initial=0))


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return `text` with each span ``(start, end, new)`` replaced.

    The spans are in order and do not overlap.
    """
    pieces, at = [], 0
    for start, end, new in edits:
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


# --- the syntax tree ------------------------------------------------------------------------------


class Node(NamedTuple):
    """A block or inline element, named as in pulldown-cmark."""

    name: str
    start: int
    end: int
    depth: int = 0
    """Number of enclosing nodes, without the root."""
    text: str = ""
    """The content of text and code; a space for a line break."""
    children: Sequence[Node] = ()
    address: str = ""
    """The target of a link or image; with ``mailto:`` for an email address in angle brackets."""
    level: int = 0
    """The level of a heading, 1 to 6."""
    number: int | None = None
    """The first number of a numbered list."""
    info: str | None = None
    """The info string of a fence; ``None`` for everything else, including indented code."""

    def walk(self) -> Iterator[tuple[bool, Node]]:
        """Yield ``(True, node)`` for each node below this one.

        If it has children, ``(False, node)`` follows them. Not recursive: texts may nest deeper
        than Python calls.
        """
        stack = [(True, node) for node in reversed(self.children)]
        while stack:
            is_start, node = stack.pop()
            yield is_start, node
            if is_start and node.children:
                stack.append((False, node))
                stack += [(True, child) for child in reversed(node.children)]

    def descendants(self) -> Iterator[Node]:
        """Yield the nodes below this one, outer before inner."""
        stack = [*reversed(self.children)]
        while stack:
            yield (node := stack.pop())
            stack += node.children[::-1]

    def all_text(self) -> str:
        """Return the text of this node and of those below it."""
        return self.text + "".join(node.text for node in self.descendants())


@lru_cache(maxsize=2)
def syntax_tree(text: str, *, has_footnotes: bool = False, has_metadata: bool = False) -> Node:
    """Return the root of the syntax tree of `text`.

    It has GitHub's tables and strikethrough, and the given extensions. The last trees are cached:
    several rules read one draft.

    Args:
        text: Markdown; front matter is treated as text unless `has_metadata` is set.
        has_footnotes: Read ``[^1]`` and its definition as a footnote.
        has_metadata: Read YAML between dashes as a separate node.
    """
    options = _EXTENSIONS
    if has_footnotes:
        options |= pyromark.Options.ENABLE_FOOTNOTES
    if has_metadata:
        options |= pyromark.Options.ENABLE_YAML_STYLE_METADATA_BLOCKS
    return Node("Document", 0, len(text), -1, "", _nodes(text, options, has_all=True)[0])


@lru_cache(maxsize=2)
def outline(text: str) -> Sequence[Node]:
    """Return the headings, code, links, images and blocks of HTML in `text`.

    Footnotes are among them, and outer ones come before inner ones. Only headings and code have
    children. If `text` may have text that CommonMark takes for code, all other elements are there,
    too. The last outlines are cached: several rules read one page.
    """
    has_all = any(mark in text for mark in ("!!!", "???", "===", "[^"))
    return _nodes(text, _EXTENSIONS | pyromark.Options.ENABLE_FOOTNOTES, has_all=has_all)[1]


def _nodes(text: str, options: pyromark.Options, *, has_all: bool) -> tuple[list[Node], list[Node]]:
    """Return the top-level nodes of `text`, and all in order.

    Unless it `has_all`, those of an outline.
    """
    offsets = _Offsets(text)
    tree = _TreeBuilder(offsets, has_all=has_all)
    for step, name, detail, span in _steps(offsets.readable, options):
        if step == _END:
            tree.end()
        elif step == _START:
            tree.begin(name, detail, span)
        elif tree.has_all or name in _OUTLINE:
            tree.add_leaf(name, detail, span)
    return tree.top, tree.nodes


class _TreeBuilder:
    """Makes nodes of steps: all, or those of an outline."""

    def __init__(self, offsets: _Offsets, *, has_all: bool) -> None:
        self._offsets = offsets
        self.top: list[Node] = []
        self.nodes: list[Node] = []
        """All nodes in order, outer before inner."""
        self._siblings = self.top
        """The nodes within the innermost open element."""
        self.has_all = has_all
        """True if all nodes are made within the innermost open element."""
        self._around: list[tuple[list[Node], bool]] = []
        """The values of both for each element around it."""

    def begin(self, name: str, detail: Any, span: Mapping[str, int]) -> None:
        """Begin an element that may have others within it."""
        depth = len(self._around)
        self._around.append((self._siblings, self.has_all))
        if not (self.has_all or name in _OUTLINE):
            return
        details = _PLAIN if detail is None else _details(name, detail)
        children: list[Node] = []
        node = _new(Node, (name, *self._offsets.of(span), depth, "", children, *details))
        self._siblings.append(node)
        self.nodes.append(node)
        self._siblings = children
        self.has_all = self.has_all or name in _WITH_TEXT

    def end(self) -> None:
        """End the innermost element."""
        self._siblings, self.has_all = self._around.pop()

    def add_leaf(self, name: str, detail: Any, span: Mapping[str, int]) -> None:
        """Add an element without others within it: text, code, a break, HTML."""
        text = detail if name in _TEXTS else _text_of_break(name, detail)
        node = _new(Node, (name, *self._offsets.of(span), len(self._around), text, (), *_PLAIN))
        self._siblings.append(node)
        self.nodes.append(node)


def _text_of_break(name: str, detail: Any) -> str:
    """Return a space for a line break, written as Markdown or HTML; no text for another leaf."""
    is_html_break = name == "InlineHtml" and detail.lower().startswith(_BREAKS)
    return " " if is_html_break or name.endswith("Break") else ""


_new: Any = tuple.__new__
"""Makes a named tuple in half the time that its own class takes."""
_PLAIN = ("", 0, None, None)
"""The details of nodes without any."""
_TEXTS, _CODE = frozenset({"Text", "Code"}), frozenset({"Code", "CodeBlock"})
_WITH_TEXT = {"Heading", "CodeBlock"}
_OUTLINE = {"Heading", "Code", "CodeBlock", "Link", "Image", "HtmlBlock"}


def _details(name: str, detail: Any) -> tuple[str, int, int | None, str | None]:
    """Return the address, level, number and info string of a node with children."""
    address, level, number, info = "", 0, None, None
    match name:
        case "Link" | "Image":
            address = link_address(detail)
        case "Heading":
            level = int(detail["level"][1:])
        case "List":
            number = detail
        case "CodeBlock" if isinstance(detail, dict):
            info = str(detail["Fenced"])
    return address, level, number, info


def link_address(detail: Mapping[str, str]) -> str:
    """Return the target of a link, as in :class:`Node`."""
    scheme = "mailto:" if detail["link_type"] == "Email" else ""
    return f"{scheme}{detail['dest_url']}"


_START, _LEAF, _END = 1, 0, -1
_STEPS = {"Start": _START, "End": _END}


def read_events(text: str, wanted: Set[str]) -> Iterator[tuple[int, str, Any, int, int]]:
    """Yield the starts and ends of elements with a name in `wanted`.

    The start is 1, a leaf 0, and the end -1, of lists and quotes only. Each has its name as in
    pulldown-cmark, its details, and the offsets of the whole element.
    """
    offsets = _Offsets(text)
    for step, name, detail, span in _steps(offsets.readable, _EXTENSIONS):
        if name in wanted:
            yield step, name, detail, *offsets.of(span)


def _steps(text: str, options: pyromark.Options) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield what pyromark reads: the step, the name of the element, its details and its span.

    Its events are ``"SoftBreak"``, ``{"Text": "rye"}``, ``{"Start": "Paragraph"}``,
    ``{"Start": {"Heading": {"level": "H1"}}}`` and ``{"End": "Paragraph"}``. An end has a name if
    it has details, too, which those of lists and quotes have.
    """
    for event, span in _events_of_pyromark(text, options):
        if event.__class__ is str:
            yield _LEAF, event, None, span
            continue
        name, detail = event.popitem()
        step = _STEPS.get(name, _LEAF)
        if step == _LEAF:
            yield _LEAF, name, detail, span
        elif detail.__class__ is not str:
            yield step, *detail.popitem(), span
        elif step == _START:
            yield _START, detail, None, span
        else:
            yield _END, "", None, span


def _events_of_pyromark(text: str, options: pyromark.Options) -> Iterator[tuple[Any, Any]]:
    return pyromark.events_with_range(text, options=options, merge_text=True)


class _Offsets:
    """The offsets in a text of places in its UTF-8, which pyromark counts."""

    def __init__(self, text: str) -> None:
        raw = text.encode("utf-8", errors="replace")
        self.readable = raw.decode()
        """The text without what UTF-8 cannot hold."""
        self._further: list[int] = []
        """The places of all bytes but a character's first."""
        if len(raw) != len(text):
            self._further = [byte.start() for byte in re.finditer(rb"[\x80-\xbf]", raw)]

    def of(self, span: Mapping[str, int]) -> tuple[int, int]:
        """Return the offsets of a span's start and end."""
        start, end, further = span["start"], span["end"], self._further
        if not further:
            return start, end
        return start - bisect_left(further, start), end - bisect_left(further, end)


def code_ranges(text: str) -> list[tuple[int, int]]:
    """Return the character ranges of code in `text`, in order.

    Further paragraphs of an admonition are code for CommonMark, but text for Python-Markdown: only
    spans in them are.
    """
    ranges, body_depth = [], None
    for node in outline(text):
        if node.name == "Paragraph" and _INDENTED_BODY.match(text, node.start):
            body_depth = node.depth
        elif node.depth == body_depth and node.name != "CodeBlock":
            body_depth = None
        if node.name == "CodeBlock" and node.info is None and node.depth == body_depth:
            ranges += [span.span() for span in _CODE_SPAN.finditer(text, node.start, node.end)]
        elif node.name in _CODE:
            ranges.append((node.start, node.end))
    return ranges


def find_wikilinks(text: str) -> list[re.Match[str]]:
    """Return the matches of `WIKILINK` in `text` outside code and HTML, in order."""
    matches = list(WIKILINK.finditer(text)) if "[[" in text else []
    if matches:
        html = (node for node in outline(text) if node.name == "HtmlBlock" and not node.depth)
        skipped = sorted([*code_ranges(text), *((node.start, node.end) for node in html)])
        ends = [end for _, end in skipped]
        places = ((match, bisect_right(ends, match.start())) for match in matches)
        matches = [match for match, n in places if n == len(ends) or match.start() < skipped[n][0]]
    return matches


def without_wikilinks(text: str) -> str:
    """Return `text` with each wikilink as its words, and without embedded ones."""

    def words(link: re.Match[str]) -> str:
        """Return the words that a link shows."""
        target = f"{link['target']}#" if link["heading"] == "" else link["target"]  # such as `C#`
        return "" if link["embed"] else link["text"] or target or link["heading"] or ""

    return WIKILINK.sub(words, text) if "[[" in text else text


def visible_text(markdown: str) -> str:
    """Return `markdown` without markup, roles, tags and addresses.

    Blocks are separated by spaces.
    """
    nodes = (
        node for _, node in syntax_tree(without_roles(markdown)).walk() if node.name not in _INLINE
    )
    return "".join(node.text if node.name in _WORDS else " " for node in nodes)


# --- text without code ----------------------------------------------------------------------------


class Lines:
    """The lines of a text, with fast search for words in ASCII."""

    def __init__(self, text: str) -> None:
        self.text = text
        # One for each character, and searched in less time.
        self._bytes = text.encode("ascii", errors="replace")
        self.all = text.split("\n")
        self._starts = line_starts(self.all)

    def holding(self, words: Iterable[str], *, any_case: bool = False) -> list[int]:
        """Return the 0-based lines that contain one of `words`.

        For `any_case`, these must be in lower case.
        """
        text = self._bytes.lower() if any_case else self._bytes
        numbers: set[int] = set()
        for word in map(str.encode, words):
            position = text.find(word)
            while position >= 0:
                n = bisect_right(self._starts, position)
                numbers.add(n - 1)
                position = text.find(word, self._starts[n])
        return sorted(numbers)


def without_code(text: str) -> Lines:
    """Return the lines of `text` with code and comments blanked.

    In code spans, addresses and citations are blanked only.
    """
    edits, length = [], len(text.rstrip())
    for node in outline(text):
        if node.name not in _CODE:
            continue
        start, end = node.start, node.end
        if node.name == "Code":
            code = text[start:end]
            blank = blank_out(code) if "://" in code or "[" in code else code.replace("`", " ")
        elif node.info is not None or not _is_text(text, start, end):
            end = end if node.info is None else _fence_end(text, start, end, is_last=end >= length)
            blank = blank_out(text[start:end])
        else:
            continue
        edits.append((start, end, blank))
    blanked = edited(text, edits)
    stop = blanked.rfind("-->") + 3  # after it, each `<!--` would scan to the end of the text
    return Lines(
        _COMMENT.sub(lambda comment: blank_out(comment[0]), blanked[:stop]) + blanked[stop:]
    )


def _is_text(text: str, start: int, end: int) -> bool:
    """Return whether what CommonMark parses as indented code is really text.

    A list, or an admonition's body.
    """
    above = text[max(0, start - 400) : start].rstrip().rpartition("\n")[2]
    return bool(_ITEM.search(text, start, end) or _INDENTED_BODY.match(above))


def _fence_end(text: str, start: int, end: int, *, is_last: bool) -> int:
    """Return the end of a fenced block; one that is never closed ends where the Sources begin."""
    if not is_last or _CLOSED.search(text, start, end):
        heading = None
    else:
        heading = _SOURCES.search(text, start, end)
    return heading.start() if heading else end


def blank_out(code: str) -> str:
    """Return spaces for the characters of `code`; line breaks stay."""
    return "\n".join(" " * len(line) for line in code.split("\n"))
