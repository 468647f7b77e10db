"""Normalize Markdown written for GitHub so that Python-Markdown renders it the same.

It fixes five things. Lists: Python-Markdown requires a blank line before a list and four spaces per
level, CommonMark neither. Fences: superfences ignores those with arbitrary info strings, and those
never closed. HTML: the content of ``<details>`` is Markdown only if the tag has an attribute.
Links: many pages link from the base's root instead of their own folder. Headings: line budgets
meant for the writer (``(~100 lines)``) are removed. The structure is CommonMark's, parsed by
pyromark (pulldown-cmark); only lines of lists, fences, such tags, such headings and the addresses
of such links are changed. See docs/decisions for the measurements behind this.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from types import MappingProxyType

from markdown.extensions.toc import slugify, slugify_unicode, unique

from planbook.markdown.budgets import budget_notes, may_have_budget
from planbook.markdown.document import code_ranges, find_wikilinks, visible_text
from planbook.markdown.edits import apply_edits, line_starts
from planbook.markdown.extensions import PLAIN_SYNTAX, Syntax, math_spans, unwrap_blocks
from planbook.markdown.lists import Blocks, Rewriter, list_blocks
from planbook.markdown.syntax import link_address, read_events

_Edit = tuple[int, int, str]
"""Replacements: ``(start, end, new)``."""

_TAG = re.compile(
    r"^[ ]{0,3}<(/?)(details|div|section|article|aside|main|center)\b(?![^>\n]*\bmarkdown\b)",
    re.M | re.I,
)
"""Tags that may contain Markdown on GitHub, at the start of a line."""
_HAS_ID = re.compile(r"\{[^{}\n#]*#[^{}\n]*\}")
"""Attributes with an id, which replaces the anchor that Python-Markdown would derive from the
heading."""


def fix_markdown(
    markdown: str, rebased: Mapping[str, str] = MappingProxyType({}), syntax: Syntax = PLAIN_SYNTAX
) -> str:
    """Return `markdown` such that Python-Markdown renders the same as GitHub.

    It is the same for lists, tables and code. Links whose address is a key of `rebased` get its
    value, and wikilinks that are keys become theirs. Headings lose their line budgets and keep
    their anchors. Other text is returned unchanged, and so are the blocks of the extensions in
    `syntax`.
    """
    blocks = list_blocks(markdown, syntax)
    edits = [*_html_edits(markdown, blocks.html), *link_edits(markdown, blocks.links, rebased.get)]
    edits += [*budget_edits(markdown, blocks), *_table_edits(markdown, blocks.tables)]
    for link in find_wikilinks(markdown):
        new = rebased.get(link[0])
        if new:
            edits.append((*link.span(), _escape_link_text(new)))
    edits += escape_edits(markdown, syntax, [(start, end) for start, end, _ in edits])
    text = _edit_outside_blocks(markdown, blocks, sorted(edits))
    return "\n".join(Rewriter(text, blocks).lines()) if blocks.items or blocks.fences else text


def fix_links(markdown: str, rebased: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return `markdown` with the links that are keys of `rebased` replaced.

    Headings lose their line budgets. This is what `fix_markdown` does to links and headings; the
    rest is for a reader that knows CommonMark.
    """
    if not (rebased or may_have_budget(markdown)):
        return markdown
    blocks = Blocks()
    for step, name, detail, start, end in read_events(markdown, frozenset({"Heading", "Link"})):
        if step > 0 and name == "Heading":
            blocks.headings.append((start, end))
        elif step > 0:
            blocks.links.append((start, end, link_address(detail)))
    edits = [*link_edits(markdown, blocks.links, rebased.get), *budget_edits(markdown, blocks)]
    edits += [
        (*link.span(), new) for link in find_wikilinks(markdown) if (new := rebased.get(link[0]))
    ]
    return apply_edits(markdown, sorted(edits))


# --- HTML -----------------------------------------------------------------------------------------


def _html_edits(text: str, html: list[tuple[int, int]]) -> Iterator[_Edit]:
    """Return edits that add the attribute `markdown` to some tags.

    CommonMark closes these in another HTML block.
    """
    opened: list[tuple[str, int, int]] = []
    for block, (start, end) in enumerate(html):
        for tag in _TAG.finditer(text, start, end):
            name = tag[2].lower()
            if not tag[1]:
                opened.append((name, block, tag.end()))
                continue
            while opened:
                name_opened, begun, at = opened.pop()
                if name_opened == name:
                    if begun != block:
                        yield at, at, " markdown"
                    break


# --- tables ---------------------------------------------------------------------------------------


def _table_edits(text: str, tables: Iterable[int]) -> Iterator[_Edit]:
    """Yield the edits that put a blank line between a table and the paragraph directly above it."""
    for start in tables:
        end = text.rfind("\n", 0, start)
        if end > 0 and text[text.rfind("\n", 0, end) + 1 : end].strip():
            yield end, end, "\n"


# --- links ----------------------------------------------------------------------------------------


def link_edits(
    text: str, links: Iterable[tuple[int, int, str]], new_address: Callable[[str], str | None]
) -> Iterator[_Edit]:
    """Yield the edits of links ``(start, end, address)``, in order.

    They are those for which `new_address` returns another address.
    """
    for start, end, address in links:
        new = new_address(address)
        if new is None:
            continue
        at = text.rfind(address, start, end)
        if at > 0 and text[at - 1] in "(< ":
            yield at, at + len(address), new


# --- headings -------------------------------------------------------------------------------------


def budget_edits(text: str, blocks: Blocks) -> Iterator[_Edit]:
    """Yield the edits that replace budgets in headings by anchors.

    The headings had these anchors with their budgets.
    """
    used: set[str] = set()
    for start, end in blocks.headings:
        heading = text[start:end]
        for n, (begin, stop) in enumerate(budget_notes(heading)):
            anchors = (
                _anchors_of_heading(heading, used) if n == 0 and not _HAS_ID.search(heading) else ()
            )
            yield (
                start + begin,
                start + stop,
                "".join(f' <a id="{anchor}"></a>' for anchor in anchors),
            )


def heading_anchor(title: str) -> str:
    """Return the first anchor of a heading in Python-Markdown's default form."""
    return slugify(title, "-")


def _anchors_of_heading(heading: str, used: set[str]) -> Iterator[str]:
    """Yield the anchors of a heading.

    They have Python-Markdown's default form, without and with letters other than ASCII.
    """
    words = visible_text(heading).strip()
    for name in dict.fromkeys(slug(words, "-") for slug in (slugify, slugify_unicode)):
        if name:
            yield unique(name, used)


# --- backslash escapes ----------------------------------------------------------------------------


_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(?P<escape>\\(?P<char>[\"$%&',/:;<=?@^~]))")
"""A backslash before punctuation that CommonMark escapes and Python-Markdown does not:
https://spec.commonmark.org/0.31.2/#backslash-escapes."""
_ATTRIBUTES = re.compile(r"\{[^{}\n=]*=[^{}\n]*\}")
"""A list of attributes, in which a backslash may stand before a quotation mark."""
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:.*", re.MULTILINE)
"""The definition of a link, not of a footnote."""
_MARKDOWN_INSIDE = re.compile(r"<\w+\s[^<>]*\bmarkdown\b")
"""The tag of an HTML element with Markdown in it."""
_HTML_TAG = re.compile(r"<[^<>]*>")


def escape_edits(
    text: str, syntax: Syntax, other_spans: Iterable[tuple[int, int]] = ()
) -> Iterator[_Edit]:
    r"""Yield the edits that write escaped punctuation as entities.

    So `\<script>` is text for Python-Markdown. Code, HTML, formulas, addresses and the spans of
    `other_spans`, which other edits replace, stay.
    """
    escapes = list(_ESCAPE.finditer(text))
    if not escapes:
        return
    untouched_spans = sorted([*other_spans, *_kept_spans(text, syntax)])
    starts = [start for start, _ in untouched_spans]
    furthest = list(
        accumulate((end for _, end in untouched_spans), max)
    )  # spans may lie in each other
    for escape in escapes:
        start, end = escape.span("escape")
        nearest = bisect_right(starts, start)
        is_kept = nearest > 0 and furthest[nearest - 1] > start
        if not is_kept:
            yield start, end, f"&#{ord(escape['char'])};"


def _escape_link_text(link: str) -> str:
    """Return a Markdown link with the escaped punctuation of its text as entities.

    Its address stays.
    """
    text, mark, address = link.rpartition("](")
    at, pieces = 0, []
    for escape in _ESCAPE.finditer(text):
        start, end = escape.span("escape")
        pieces += [text[at:start], f"&#{ord(escape['char'])};"]
        at = end
    return "".join([*pieces, text[at:], mark, address])


def _kept_spans(text: str, syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text in which a backslash escapes no character that is shown."""
    yield from code_ranges(text)
    yield from _code_in_wrappers(text, syntax)
    yield from math_spans(text, syntax)
    yield from (
        match.span() for match in (*_ATTRIBUTES.finditer(text), *_DEFINITION.finditer(text))
    )
    for step, name, _, start, end in read_events(
        text, frozenset({"HtmlBlock", "InlineHtml", "Link", "Image"})
    ):
        if step < 0:
            continue
        if name in {"Link", "Image"}:
            at = text.rfind("](", start, end)
            yield (at, end) if at >= 0 else (end, end)
        elif name == "HtmlBlock" and _MARKDOWN_INSIDE.match(text, start, end):
            yield from (tag.span() for tag in _HTML_TAG.finditer(text, start, end))
        else:
            yield start, end


def _code_in_wrappers(text: str, syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Yield the lines of code in admonitions, tabs and the like.

    CommonMark reads their text as code altogether.
    """
    inner_text = unwrap_blocks(text, syntax)
    if inner_text == text:
        return
    inner_starts = line_starts(inner_text.split("\n"))
    starts = [*line_starts(text.split("\n")), len(text)]
    for step, _, _, start, end in read_events(inner_text, frozenset({"CodeBlock"})):
        if step > 0:
            first, last = (
                bisect_right(inner_starts, offset) - 1 for offset in (start, max(start, end - 1))
            )
            yield starts[first], starts[last + 1]


# --- editing --------------------------------------------------------------------------------------


def _edit_outside_blocks(text: str, blocks: Blocks, edits: list[_Edit]) -> str:
    """Return `text` with the ascending `edits` applied; the offsets in `blocks` are updated."""
    ends = [end for _, end, _ in edits]
    shifts = list(accumulate((len(new) - (end - start) for start, end, new in edits), initial=0))

    def moved(offset: int) -> int:
        """Return the new offset of the text at `offset`."""
        return offset + shifts[bisect_right(ends, offset)]

    for item in blocks.items:
        item.start, item.end = moved(item.start), moved(item.end)
    blocks.fences = [(moved(start), moved(end)) for start, end in blocks.fences]
    blocks.apart = [moved(offset) for offset in blocks.apart]
    blocks.continued = [moved(offset) for offset in blocks.continued]
    return apply_edits(text, edits)
