"""A page, parsed once: front matter as MkDocs reads it, body, links and wikilinks.

Also a text's visible words, and its lines without code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from planbook.markdown.edits import apply_edits, blank_out, line_starts
from planbook.markdown.front_matter import FrontMatterError, lines_above, split_front_matter
from planbook.markdown.plain_text import replace_roles
from planbook.markdown.syntax import CODE, Node, outline, syntax_tree
from planbook.model import Problem

_INLINE_KINDS = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image"})
_WORDS = frozenset({"Text", "Code", "SoftBreak", "HardBreak", "InlineHtml"})
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CLOSING_FENCE = re.compile(r"\n[ >\t]*(?:```+|~~~+)[ \t]*\n?$")
"""The end of a fenced block that has its closing fence."""
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


def decode_file(raw: bytes, uri: str, code: str) -> tuple[str, tuple[Problem, ...]]:
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


# --- code, wikilinks and words --------------------------------------------------------------------


def code_ranges(text: str) -> list[tuple[int, int]]:
    """Return the character ranges of code in `text`, in order.

    Further paragraphs of an admonition are code for CommonMark, but text for Python-Markdown: only
    spans in them are.
    """
    ranges, body_depth = [], None
    for node in outline(text):
        if node.name == "Paragraph" and _INDENTED_BODY.match(text, node.start):
            # ``!!! note``: the indented blocks that follow at this depth are its body
            body_depth = node.depth
        elif node.depth == body_depth and node.name != "CodeBlock":
            body_depth = None
        if node.name == "CodeBlock" and node.info is None and node.depth == body_depth:
            ranges += [span.span() for span in _CODE_SPAN.finditer(text, node.start, node.end)]
        elif node.name in CODE:
            ranges.append((node.start, node.end))
    return ranges


def find_wikilinks(text: str) -> list[re.Match[str]]:
    """Return the matches of `WIKILINK` in `text` outside code and HTML, in order."""
    matches = list(WIKILINK.finditer(text)) if "[[" in text else []
    if matches:  # most pages have none: their tree need not be asked
        html = (node for node in outline(text) if node.name == "HtmlBlock" and not node.depth)
        skipped = sorted([*code_ranges(text), *((node.start, node.end) for node in html)])
        ends = [end for _, end in skipped]
        places = ((match, bisect_right(ends, match.start())) for match in matches)
        matches = [match for match, n in places if n == len(ends) or match.start() < skipped[n][0]]
    return matches


def replace_wikilinks(text: str) -> str:
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
        node
        for _, node in syntax_tree(replace_roles(markdown)).walk()
        if node.name not in _INLINE_KINDS
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


def blank_code(text: str) -> Lines:
    """Return the lines of `text` with code and comments blanked.

    In code spans, addresses and citations are blanked only.
    """
    # Characters are replaced one by one, so that lines and columns stay those of the page.
    edits, length = [], len(text.rstrip())
    for node in outline(text):
        if node.name not in CODE:
            continue
        start, end = node.start, node.end
        if node.name == "Code":
            code = text[start:end]
            blank = blank_out(code) if "://" in code or "[" in code else code.replace("`", " ")
        elif node.info is not None or not _is_indented_text(text, start, end):
            end = (
                end if node.info is None else _end_of_fence(text, start, end, is_last=end >= length)
            )
            blank = blank_out(text[start:end])
        else:
            continue
        edits.append((start, end, blank))
    blanked = apply_edits(text, edits)
    stop = blanked.rfind("-->") + 3  # after it, each `<!--` would scan to the end of the text
    return Lines(
        _COMMENT.sub(lambda comment: blank_out(comment[0]), blanked[:stop]) + blanked[stop:]
    )


def _is_indented_text(text: str, start: int, end: int) -> bool:
    """Return whether what CommonMark parses as indented code is really text.

    A list, or an admonition's body.
    """
    above = text[max(0, start - 400) : start].rstrip().rpartition("\n")[2]
    return bool(_ITEM.search(text, start, end) or _INDENTED_BODY.match(above))


def _end_of_fence(text: str, start: int, end: int, *, is_last: bool) -> int:
    """Return the end of a fenced block; one that is never closed ends where the Sources begin."""
    if not is_last or _CLOSING_FENCE.search(text, start, end):
        heading = None
    else:
        heading = _SOURCES.search(text, start, end)
    return heading.start() if heading else end
