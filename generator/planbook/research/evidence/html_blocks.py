"""Blocks of the HTML in a Markdown text: rows of tables, and what stands between other tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from planbook.markdown.edits import blank_out
from planbook.research.drafts import PassageKind
from planbook.research.evidence.blocks import BlockOutline, SourceBlock

_UNSEEN_HTML = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1>|\Z)", re.DOTALL | re.I)
"""Comments and code that no reader sees."""
_HIDES = re.compile(
    r"<[^<>]{0,600}\s(?:hidden\b|aria-hidden\b"
    r"|style\s*=[^<>]{0,300}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0))",
    re.IGNORECASE,
)
"""A tag whose text no reader sees."""
_TABLE_ROW = re.compile(r"<tr\b[^<>]{0,600}>(?P<cells>.*?)(?:</tr>|(?=<tr\b)|\Z)", re.DOTALL | re.I)
_TABLE_CELL = re.compile(
    r"<t(?P<kind>[dh])\b[^<>]{0,600}>(?P<text>.*?)(?:</t[dh]>|(?=<t[dh]\b)|\Z)", re.DOTALL | re.I
)
_BLOCK_TAG = re.compile(
    r"<(?P<name>/?(?:article|blockquote|center|caption|d[dlt]|details|div|figcaption|figure|h[1-6]"
    r"|hr|li|main|ol|p|pre|section|summary|table|tbody|tfoot|thead|ul|[A-Z]\w*))\b[^<>]{0,600}>"
)
"""A tag between two texts; the names of components, as in MDX, begin with a capital."""
_HEADING_TAG = re.compile("h[1-6]")
_FENCE = re.compile(
    r"^[ \t]*(?P<marks>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)\n?^[ \t]*(?P=marks)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
"""Code between tags."""
_ANY_TAG = re.compile(r"<[^<>]{0,600}>")


class HtmlBlocks:
    """Reads parts of a text that are HTML, below the headings that were passed above them."""

    def __init__(self, text: str, outline: BlockOutline) -> None:
        self._text = text
        self._outline = outline

    def blocks(self, start: int, end: int) -> Iterator[SourceBlock]:
        """Yield the texts of HTML: those of its tables by row, others between block tags."""
        html = self._text[start:end]
        html = _UNSEEN_HTML.sub(lambda unseen: blank_out(unseen[0]), html)
        if _HIDES.search(html):
            return
        at = 0
        for row in _TABLE_ROW.finditer(html):
            yield from self._runs(html[: row.start()], at, start)
            yield from self._row(row, start)
            at = row.end()
        yield from self._runs(html, at, start)

    def _runs(self, html: str, at: int, offset: int) -> Iterator[SourceBlock]:
        """Yield the texts between the block tags of some HTML, from a place on."""
        group, name = self._outline.new_group(), ""
        for tag in _BLOCK_TAG.finditer(f"{html}<hr>", at):
            text = _span_of_words(html, at, tag.start(), offset)
            if text is not None and _HEADING_TAG.fullmatch(name):
                self._outline.pass_title(self._text[text[0] : text[1]], int(name[1]))
            elif text is not None and name == "dt":
                yield replace(self._outline.prose(*text, group), is_term=True)
            elif text is not None:
                yield from self._prose(*text, group)
            name, at = tag["name"].lower(), tag.end()

    def _row(self, row: re.Match[str], offset: int) -> Iterator[SourceBlock]:
        """Yield the first cell of a row as a term, and the others as what it is about."""
        cells = [
            (cell["kind"].lower(), _span_of_words(row.string, *cell.span("text"), offset))
            for cell in _TABLE_CELL.finditer(row.string, *row.span("cells"))
        ]
        spans = [span for _, span in cells if span is not None]
        if not spans or all(kind == "h" for kind, _ in cells):
            return  # the head of a table names columns, and says nothing by itself
        group = self._outline.new_group()
        first, *later_spans = spans
        term = self._outline.prose(*first, group)
        yield replace(term, is_term=bool(later_spans))
        if later_spans:
            yield self._outline.prose(later_spans[0][0], later_spans[-1][1], group)

    def _prose(self, start: int, end: int, group: int) -> Iterator[SourceBlock]:
        """Yield the paragraphs and fences of Markdown between tags, as tabs of MDX have them."""
        at = start
        for fence in _FENCE.finditer(self._text, start, end):
            yield from self._paragraph(at, fence.start(), group)
            code = fence.start("code")
            lines = re.finditer(r".+", fence["code"])
            spans = tuple((code + line.start(), code + line.end()) for line in lines)
            if spans:
                span = (code, fence.end("code"))
                yield self._outline.block_of_pieces(PassageKind.CODE, span, group, spans)
            at = fence.end()
        yield from self._paragraph(at, end, group)

    def _paragraph(self, start: int, end: int, group: int) -> Iterator[SourceBlock]:
        """Yield the paragraph in a part of the text that has no block tags, if it has words."""
        text = _span_of_words(self._text, start, end)
        if text is not None:
            yield self._outline.prose(*text, group)


def _span_of_words(html: str, start: int, end: int, offset: int = 0) -> tuple[int, int] | None:
    """Return the span of the words in a part of some HTML; ``None`` if it has none."""
    words = _ANY_TAG.sub(lambda tag: blank_out(tag[0]), html[start:end])
    words_start, words_end = len(words) - len(words.lstrip()), len(words.rstrip())
    if words_start >= words_end:
        return None
    return offset + start + words_start, offset + start + words_end
