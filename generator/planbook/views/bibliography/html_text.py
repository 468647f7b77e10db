"""The text of an HTML document: headings, paragraphs, list items, rows and code, without markup.

Pure, and without a parser that research installs: sites are built without it. That of the standard
library takes time quadratic in comments and tags that do not end
(docs/decisions/0069-text-of-html-documents.md). Nothing of the document's markup is kept, so
nothing of it can act on a page that shows the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import NamedTuple

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_UNREAD_TAGS = frozenset({"template", "svg", "math", "object", "iframe", "select", "noscript"})
"""Elements without text for readers; each has an end tag."""
_RAW_TAGS = frozenset({"script", "style"})
"""Elements in which only their own end tag is markup."""
_SURROUNDING_TAGS = frozenset({"nav", "header", "footer", "aside", "form", "button"})
"""Elements around the text of a page."""
_BLOCKS = _HEADINGS | {
    *("address", "article", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt"),
    *("fieldset", "figcaption", "figure", "hr", "html", "li", "main", "ol", "p", "pre", "section"),
    *("summary", "table", "tbody", "tfoot", "thead", "tr", "ul"),
}
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""", re.IGNORECASE)


class TextBlock(NamedTuple):
    """A block of text as a document has it."""

    kind: str
    """``h1`` to ``h6``, ``p``, ``li`` or ``pre``."""
    text: str


class HtmlText(NamedTuple):
    """The title and the text of an HTML document."""

    title: str
    blocks: Sequence[TextBlock]


def decode_html(raw: bytes) -> str:
    """Return the text of a file: as UTF-8, else in the encoding that it names."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        declared = _CHARSET.search(raw, 0, 2_000)
    try:
        return raw.decode(declared[1].decode("ascii") if declared else "cp1252", "replace")
    except LookupError:
        return raw.decode("cp1252", "replace")


class _HtmlToken(NamedTuple):
    """A tag, or a text between two of them."""

    tag: str
    """In lower case; empty for a text."""
    is_end: bool
    text: str


_TAG_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9]{0,20})")
_END_TAGS = {tag: re.compile(f"</{tag}", re.IGNORECASE) for tag in _RAW_TAGS}


def _html_tokens(html: str) -> Iterator[_HtmlToken]:
    """Yield the tags and texts of a document; what does not end is not yielded."""
    place = 0
    while place < len(html):
        start = html.find("<", place)
        if start != place:
            yield _HtmlToken("", False, html[place : start if start >= 0 else len(html)])
        if start < 0:
            return
        name = _TAG_NAME.match(html, start + 1)
        is_markup = bool(name) or html.startswith(("!", "?"), start + 1)
        if not is_markup:
            yield _HtmlToken("", False, "<")
            place = start + 1
            continue
        end_mark = "-->" if html.startswith("!--", start + 1) else ">"
        end = html.find(end_mark, start + 1)
        if end < 0:
            return
        place = end + len(end_mark)
        if name:
            tag, is_end = name[1].lower(), html[start + 1] == "/"
            yield _HtmlToken(tag, is_end, "")
            if tag in _RAW_TAGS and not is_end:
                closing = _END_TAGS[tag].search(html, place)
                place = closing.start() if closing else len(html)


def read_document_text(html: str) -> HtmlText:
    """Return the text of a document: that of its main element, if it has one.

    Else navigation and the like are left out, if there is any other text.
    """
    for skipped in (_UNREAD_TAGS | _SURROUNDING_TAGS, _UNREAD_TAGS):
        reader = _HtmlBlockReader(skipped)
        for token in _html_tokens(html):
            reader.read(token)
        reader.end_block()
        blocks = reader.main_blocks or reader.blocks
        if blocks:
            break
    return HtmlText(" ".join(unescape("".join(reader.title)).split()), blocks)


class _HtmlBlockReader:
    """Collects the blocks of text of a document."""

    def __init__(self, skipped: frozenset[str]) -> None:
        self.title: list[str] = []
        self.blocks: list[TextBlock] = []
        self.main_blocks: list[TextBlock] = []
        self._skipped = skipped
        self._skipping: list[str] = []
        self._kind = "p"
        self._texts: list[str] = []
        self._in_title = False
        self._mains = 0

    def read(self, token: _HtmlToken) -> None:
        """Read a tag or a text."""
        if token.tag in self._skipped:
            self._skip(token)
        elif self._skipping or token.tag in _RAW_TAGS:
            return
        elif not token.tag:
            (self.title if self._in_title else self._texts).append(token.text)
        elif token.tag == "title":
            self._in_title = not token.is_end
        elif token.tag == "br":
            self._texts.append("\n")
        elif token.tag in {"td", "th"}:
            if self._texts and not token.is_end:
                self._texts.append(" | ")
        elif token.tag in _BLOCKS:
            self._begin_block(token)

    def _skip(self, token: _HtmlToken) -> None:
        """Begin or end an element that is not read."""
        if not token.is_end:
            self._skipping.append(token.tag)
        elif self._skipping and self._skipping[-1] == token.tag:
            self._skipping.pop()

    def _begin_block(self, token: _HtmlToken) -> None:
        """End the block, and begin another one."""
        self.end_block()
        kinds = {*_HEADINGS, "li", "pre"}
        self._kind = token.tag if token.tag in kinds and not token.is_end else "p"
        if token.tag == "main":
            self._mains = max(0, self._mains + (-1 if token.is_end else 1))

    def end_block(self) -> None:
        """Add the block that was read, if it has text."""
        text = unescape("".join(self._texts))
        text = text.strip("\r\n") if self._kind == "pre" else " ".join(text.split())
        self._texts = []
        if not text.strip(" |"):
            return
        block = TextBlock(self._kind, text)
        self.blocks.append(block)
        if self._mains:
            self.main_blocks.append(block)
