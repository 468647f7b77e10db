"""A Markdown extension for the HTML of pages: assistive software can name each element.

Planbook's own HTML blocks, such as the References section, bypass the two parsers of HTML that
would return them as they are.

Markdown has only header cells in the first row of a table; one without text is announced as a
header without a name (https://dequeuniversity.com/rules/axe/4.10/empty-table-header), and so is the
box of a task without a label.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from html import unescape
from typing import Any
from xml.etree.ElementTree import Element

import markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from planbook.markdown.row_ids import add_row_ids

NAME = "planbook.markdown.elements"
"""The name of the extension in MkDocs' configuration."""
FRAME = "planbook_frame"
"""The key of the fields of a `PageFrame` in the front matter of a page for Zensical."""
_EMPTY_HEADER = re.compile(r"<th((?:\s[^<>]*)?)>\s*</th>")
_BOX = re.compile(r'<input type="checkbox" disabled( checked)?(?=\s*/?>)')

_DIAGRAM = '<pre class="pb-diagram"'
_OUR_CLASS = ' class="pb-'
_OUR_BLOCK = re.compile(
    rf"\n(?<=\n\n)(?P<html><(?!(?:a|cite|small|span)\b)\w+{_OUR_CLASS}"
    r"(?![^>\n]*\bmarkdown\b)(?:.+\n)*?.*>\n)(?=\n)"
)
"""An HTML block of Planbook's, between blank lines; a paragraph may be a group of citations."""
_VOID_TAG = re.compile(r"<(?:br|hr|img|input)\b[^<>]*(?<!/)>")
_RELATIVE_LINK = re.compile(
    r"""(<[a-zA-Z][^<>]*?\s(?:href|src)=")(?![a-zA-Z][\w+.-]*:|[/#"]|[^"#?]*\.md[#"?])([^"#?]*)"""
)
"""A link in HTML to a place of the site, except to Markdown, which Zensical takes for a page."""
_ID = re.compile(r' id="([^"]*)"')


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The HTML around the text of a page; empty if nothing stands there."""

    above: str = ""
    """Stands after the first heading; without one, at the start."""
    below: str = ""
    """Stands at the end."""
    is_planned: bool = False
    """True if the page is not written yet."""


def add_frame(html: str, frame: PageFrame) -> str:
    """Return a page's HTML with what stands around it.

    Search leaves out the notice on the page of a
    planned one, which is the same on all such pages, and the text of diagrams, which is not prose.
    A function in the options of an extension would do that, too, but nobody could tell that pages
    depend on nothing else then, and none would be kept for the next build.
    """
    html = html.replace(_DIAGRAM, f"{_DIAGRAM} data-search-exclude")
    if frame.is_planned:
        html = html.replace(
            '<div class="admonition', '<div data-search-exclude class="admonition', 1
        )
    if not frame.above:
        return html + frame.below
    title, end, text = html.partition("</h1>")
    if not end:
        return f"\n{frame.above}{html}{frame.below}"
    return f"{title}{end}\n{frame.above}{text}{frame.below}"


class NamedElements(Postprocessor):
    """Changes the HTML of a page after all other postprocessors."""

    def run(self, text: str) -> str:
        """Return HTML with empty header cells as data cells, boxes of task lists labelled.

        Rows of messages have ids.
        """
        if ' class="messages"' in text:
            text = add_row_ids(text)
        if "</th>" in text:
            text = _EMPTY_HEADER.sub(r"<td\1></td>", text)
        return _BOX.sub(lambda box: f'{box[0]} aria-label="{"done" if box[1] else "to do"}"', text)


class OwnBlocks(Preprocessor):
    """Stashes Planbook's HTML blocks, and records their ids for MkDocs.

    Others parse the page's HTML later.
    """

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines with placeholders instead of the blocks."""
        text = "\n".join(lines)
        return _OUR_BLOCK.sub(self._stash_block, text).split("\n") if _OUR_CLASS in text else lines

    def _stash_block(self, block: re.Match[str]) -> str:
        html = block["html"]
        if html.count("<") != 2 * html.count("</") + html.count("/>") + len(
            _VOID_TAG.findall(html)
        ):
            return block[0]  # it begins or ends in another block
        for processor in self.md.treeprocessors:
            if isinstance(
                ids := getattr(processor, "present_anchor_ids", None), set
            ):  # of MkDocs or ProperDocs
                ids.update(map(unescape, _ID.findall(html)))
        return f"\n{self.md.htmlStash.store(html)}\n"


class Framed(Postprocessor):
    """Adds what the front matter has for above and below the text of a page that Zensical renders.

    It goes from the front matter: Zensical copies that of all pages for each page, and renders all
    if one changes.
    """

    def run(self, text: str) -> str:
        """Return the page's HTML."""
        page = zensical_page(self.md)
        frame = PageFrame(**page.meta.pop(FRAME, {}))
        above, below = (link_sources(html, page) for html in (frame.above, frame.below))
        return add_frame(text, PageFrame(above, below, frame.is_planned))


class LastStep(Treeprocessor):
    """Prepares a page for what Zensical does with its HTML, after all trees are processed.

    `Framed` is registered only here, because the extension `toc` runs postprocessors on each
    heading.
    """

    def run(self, root: Element) -> None:
        """Leave the tree as it is."""
        if page := zensical_page(self.md):
            blocks = self.md.htmlStash.rawHtmlBlocks
            blocks[:] = (
                link_sources(html, page) if isinstance(html, str) else html for html in blocks
            )
            self.md.postprocessors.register(Framed(self.md), FRAME, -1)


def zensical_page(md: markdown.Markdown) -> Any:
    """Return the page that Zensical renders; ``None`` in other engines."""
    pages = (getattr(processor, "page", None) for processor in md.preprocessors)
    return next(filter(None, pages), None)


def link_sources(html: str, page: Any) -> str:
    """Return HTML with links relative to the page's source.

    Zensical makes them relative to its address again.

    In MkDocs, links in HTML are relative to the page's address.
    """
    folder, address = posixpath.dirname(page.path), posixpath.dirname(page.url)
    if folder == address:
        return html
    name = posixpath.basename(address)
    return _RELATIVE_LINK.sub(
        lambda link: (
            link[1] + (link[2][3:] or "./" if link[2].startswith("../") else f"{name}/{link[2]}")
        ),
        html,
    )


class NamedElementsExtension(Extension):
    """Registers the processors."""

    def __init__(self, **options: object) -> None:
        self.config = {
            "fixes": [True, "Name elements, and keep our own HTML blocks as they are."],
            "version": [
                "",
                "Changes with our code: Zensical renders a page again if options change.",
            ],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 - not our name
        """Add the processors.

        The first one after code is stashed, before MkDocs reads the ids of HTML.
        """
        md.treeprocessors.register(LastStep(md), FRAME, -1)
        if not self.getConfig("fixes"):
            return
        md.preprocessors.register(OwnBlocks(md), NAME, 22)
        md.postprocessors.register(NamedElements(md), NAME, 0)


def makeExtension(**options: object) -> NamedElementsExtension:  # noqa: N802 - not our name
    """Return the extension."""
    return NamedElementsExtension(**options)
