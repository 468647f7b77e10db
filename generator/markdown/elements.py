"""A Markdown extension for the HTML of pages: assistive software can name each element.

Planbook's own HTML blocks, such as the References section, bypass the two parsers of HTML that would return them as
they are.

Markdown has only header cells in the first row of a table; one without text is announced as a header without a name
(https://dequeuniversity.com/rules/axe/4.10/empty-table-header), and so is the box of a task without a label.
"""

from __future__ import annotations

import re
from html import unescape

import markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

NAME = "generator.markdown.elements"
"""The name of the extension in MkDocs' configuration."""
_EMPTY_HEADER = re.compile(r"<th((?:\s[^<>]*)?)>\s*</th>")
_BOX = re.compile(r'<input type="checkbox" disabled( checked)?(?=\s*/?>)')

_OUR_CLASS = ' class="pb-'
_OUR_BLOCK = re.compile(rf"\n(?<=\n\n)(?P<html><\w+{_OUR_CLASS}(?![^>\n]*\bmarkdown\b)(?:.+\n)*?.*>\n)(?=\n)")
"""An HTML block of Planbook's, between blank lines."""
_VOID_TAG = re.compile(r"<(?:br|hr|img|input)\b[^<>]*(?<!/)>")
_ID = re.compile(r' id="([^"]*)"')


def with_named_elements(html: str) -> str:
    """Return HTML with empty header cells as data cells, boxes of task lists labelled."""
    if "</th>" in html:
        html = _EMPTY_HEADER.sub(r"<td\1></td>", html)
    return _BOX.sub(lambda box: f'{box[0]} aria-label="{"done" if box[1] else "to do"}"', html)


class NamedElements(Postprocessor):
    """Changes the HTML of a page after all other postprocessors."""

    def run(self, text: str) -> str:
        """Return the changed HTML."""
        return with_named_elements(text)


class OwnBlocks(Preprocessor):
    """Stashes Planbook's HTML blocks, and records their ids for MkDocs, before others parse the page's HTML."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines with placeholders instead of the blocks."""
        text = "\n".join(lines)
        return _OUR_BLOCK.sub(self._stashed, text).split("\n") if _OUR_CLASS in text else lines

    def _stashed(self, block: re.Match[str]) -> str:
        html = block["html"]
        if html.count("<") != 2 * html.count("</") + html.count("/>") + len(_VOID_TAG.findall(html)):
            return block[0]  # it begins or ends in another block
        for known in self.md.treeprocessors:
            if isinstance(ids := getattr(known, "present_anchor_ids", None), set):  # of MkDocs or ProperDocs
                ids.update(map(unescape, _ID.findall(html)))
        return f"\n{self.md.htmlStash.store(html)}\n"


class NamedElementsExtension(Extension):
    """Registers the processors."""

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 - a name of Python-Markdown
        """Add the processors: the first one after code is stashed, before MkDocs reads the ids of HTML."""
        md.preprocessors.register(OwnBlocks(md), NAME, 22)
        md.postprocessors.register(NamedElements(md), NAME, 0)


def makeExtension(**options: object) -> NamedElementsExtension:  # noqa: N802 - a name of Python-Markdown
    """Return the extension."""
    return NamedElementsExtension(**options)
