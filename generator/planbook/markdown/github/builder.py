"""From the events of one text to the elements of a page.

Read `ELEMENTS` first: the table from events of pulldown-cmark to elements of HTML. Events with
details, and those of code, HTML and footnotes, have a method each; three tables name it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol
from xml.etree.ElementTree import Element, SubElement

from markdown.util import HTML_PLACEHOLDER_RE, STX, AtomicString, code_escape

from planbook.markdown.github import markdown_events
from planbook.markdown.github.alerts import mark_alert
from planbook.markdown.github.autolinks import find_addresses
from planbook.markdown.github.containers import Container, token_number
from planbook.markdown.github.markdown_events import (
    MarkdownEvent,
    Options,
    escape_entities,
    restore_characters,
)
from planbook.markdown.github.processors import LANGUAGE, Processors
from planbook.markdown.github.table_separators import SEPARATOR

ELEMENTS = {
    "Paragraph": "p",
    "BlockQuote": "blockquote",
    "Item": "li",
    "Emphasis": "em",
    "Strong": "strong",
    "Strikethrough": "del",
    "Superscript": "sup",
    "Subscript": "sub",
    "DefinitionList": "dl",
    "DefinitionListTitle": "dt",
    "DefinitionListDefinition": "dd",
}
"""Elements of HTML for events without details."""

MAX_DEPTH = 60
"""Maximum nesting of elements in one text; deeper ones are left out, and their text stays.

Python-Markdown's tree processors call themselves for each level.
"""
_ALIGNMENTS = {"Left": "left", "Center": "center", "Right": "right"}
_LINK_TAG = re.compile(r"<(?P<end>/?)a\b", re.IGNORECASE)
_IMAGES = re.compile(r"(?:\s*<img\b[^<>]*>)+\s*", re.IGNORECASE)


class Extensions(Protocol):
    """Makes the elements of extensions of Python-Markdown, and keeps the state of the page."""

    processors: Processors
    """Makes code, formulas and tables as extensions do."""
    links_addresses: bool
    """Set if addresses without brackets become links."""
    has_alerts: bool
    """Set if quotes with a marker become admonitions."""
    open_links: int
    """The number of ``<a>`` in the page's HTML that are not closed yet."""

    def stash(self, html: str) -> str:
        """Return a placeholder for raw HTML, which no other processor reads."""

    def note_html(self, html: str) -> None:
        """Note raw HTML that may have anchors."""

    def is_block(self, html: str) -> bool:
        """Return whether Python-Markdown takes HTML for a block."""

    def add_reference(self, element: Element, label: str) -> None:
        """Remember the element of a reference to a footnote."""

    def add_footnote(self, label: str, elements: list[Element]) -> None:
        """Define a footnote."""

    def add_container(self, parent: Element, container: Container) -> None:
        """Add a block of an extension to `parent`."""

    def add_stashed(self, parent: Element, placeholder: str) -> bool:
        """Add the element that a placeholder stands for; return False if it stands for text."""


class Builder:
    """Adds the elements of one text to an element.

    Args:
        extensions: makes what extensions define.
        parent: the element to add to.
        containers: the blocks that were masked in the text.
        first: the place where the text begins, in bytes; what stands before it are definitions
            of other parts of the page.
    """

    def __init__(
        self,
        extensions: Extensions,
        parent: Element,
        containers: tuple[Container, ...],
        first: int,
    ) -> None:
        self._extensions, self._containers, self._first = extensions, containers, first
        self._around: list[Element] = [parent]
        """The open elements, outer before inner."""
        self._parent = parent
        """The innermost open element."""
        self._raw = b""
        self._literal: list[str] | None = None
        """The text of the code or HTML that is open."""
        self._info: str | None = None
        """The info string of the fence that is open; ``None`` for indented code."""
        self._labels: list[str] = []
        """The labels of the open footnotes."""
        self._alignments: list[str | None] = []
        """The alignments of the columns of the open table."""
        self._column = 0
        self._links = 0
        """The number of open links and images."""

    def build(self, raw: bytes, options: Options) -> None:
        """Add the elements of a text in UTF-8."""
        self._raw = raw
        for event in markdown_events.events_of(raw, options):
            if event.start < self._first:
                continue
            if event.step == markdown_events.LEAF:
                self._add_leaf(event)
            elif event.step == markdown_events.START:
                self._open(event)
            else:
                self._close(event)

    # --- elements --------------------------------------------------------------------------------

    def _open(self, event: MarkdownEvent) -> None:
        tag = ELEMENTS.get(event.name)
        if tag is not None:
            self._push(Element(tag))
        else:
            _STARTS[event.name](self, event)

    def _close(self, event: MarkdownEvent) -> None:
        close = _CLOSING_METHODS.get(event.name)
        if close is not None:
            close(self)
        else:
            self._pop()

    def _push(self, element: Element) -> None:
        """Open an element within the innermost one."""
        if len(self._around) > MAX_DEPTH:
            self._push_apart(self._parent)
            return
        self._parent.append(element)
        self._push_apart(element)

    def _push_apart(self, element: Element) -> None:
        """Open an element that has its place already, or gets it later."""
        self._around.append(element)
        self._parent = element

    def _pop(self) -> Element:
        """Close the innermost element and return it."""
        closed = self._around.pop()
        self._parent = self._around[-1]
        return closed

    def _add_text(self, text: str) -> None:
        """Add text to the innermost element."""
        parent = self._parent
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            # Only a whole text may be a string of another class, which processors leave alone.
            parent.text = parent.text + text if parent.text else text

    def _add(self, made: Element | str) -> None:
        """Add a complete element, or text."""
        if isinstance(made, str):
            self._add_text(made)
        else:
            self._parent.append(made)

    def _add_placeholder(self, placeholder: str, *, is_block: bool) -> None:
        """Add the placeholder for a block of HTML.

        Behind other elements, it is a paragraph, which goes with the placeholder if the HTML
        `is_block`. Text behind an element may be lost, as the highlighter replaces code.
        """
        is_behind_code = len(self._parent) > 0 and self._parent[-1].tag == "pre"
        if is_behind_code or (is_block and len(self._parent) > 0):
            SubElement(self._parent, "p").text = placeholder
        else:
            self._add_text(f"\n{placeholder}\n")

    # --- leaves ----------------------------------------------------------------------------------

    def _add_leaf(self, event: MarkdownEvent) -> None:
        if self._literal is not None:
            self._literal.append(event.detail or "")
        else:
            _LEAVES[event.name](self, event)

    def _text(self, event: MarkdownEvent) -> None:
        text = event.detail
        is_linked = self._links > 0 or self._extensions.open_links > 0
        if is_linked or not self._extensions.links_addresses:
            self._add_text(escape_entities(text))
            return
        char_before = self._raw[event.start - 1 : event.start].decode(errors="replace")
        at = 0
        for address in find_addresses(text, char_before):
            self._add_text(escape_entities(text[at : address.start]))
            link = SubElement(self._parent, "a", {"href": escape_entities(address.href)})
            link.text = AtomicString(escape_entities(text[address.start : address.end]))
            at = address.end
        self._add_text(escape_entities(text[at:]))

    def _soft_break(self, _: MarkdownEvent) -> None:
        self._add_text("\n")

    def _hard_break(self, _: MarkdownEvent) -> None:
        SubElement(self._parent, "br")

    def _rule(self, _: MarkdownEvent) -> None:
        SubElement(self._parent, "hr")

    def _code_span(self, event: MarkdownEvent) -> None:
        self._add(self._extensions.processors.code_span(restore_characters(event.detail)))

    def _formula(self, event: MarkdownEvent) -> None:
        sign = "$$" if event.name == "DisplayMath" else "$"
        self._add(self._extensions.processors.formula(f"{sign}{event.detail}{sign}"))

    def _inline_html(self, event: MarkdownEvent) -> None:
        html, extensions = restore_characters(event.detail), self._extensions
        tag = _LINK_TAG.match(html)
        if tag is not None:
            opened = -1 if tag["end"] else 1
            extensions.open_links = max(0, extensions.open_links + opened)
        extensions.note_html(html)
        self._add_text(extensions.stash(html))

    def _reference(self, event: MarkdownEvent) -> None:
        self._extensions.add_reference(SubElement(self._parent, "sup"), event.detail)

    # --- blocks ----------------------------------------------------------------------------------

    def _open_heading(self, event: MarkdownEvent) -> None:
        self._push(Element(event.detail["level"].lower()))

    def _open_list(self, event: MarkdownEvent) -> None:
        first_number = event.detail
        if first_number is None:
            self._push(Element("ul"))
        else:
            self._push(Element("ol", {} if first_number == 1 else {"start": str(first_number)}))

    def _close_paragraph(self) -> None:
        paragraph = self._pop()
        text = (paragraph.text or "").strip() if paragraph is not self._parent else ""
        if text.startswith(STX) and not len(paragraph):
            self._parent.remove(paragraph)
            if not self._extensions.add_stashed(self._parent, text):
                self._parent.append(paragraph)

    def _close_quote(self) -> None:
        quote = self._pop()
        if self._extensions.has_alerts:
            mark_alert(quote)

    def _open_code(self, event: MarkdownEvent) -> None:
        self._literal = []
        self._info = event.detail["Fenced"] if isinstance(event.detail, dict) else None

    def _close_code(self) -> None:
        code, self._literal = restore_characters("".join(self._literal or ())), None
        made = (
            None
            if self._info is None
            else self._extensions.processors.fenced_code(self._info, code)
        )
        if made is not None:
            self._add_placeholder(made, is_block=True)
            return
        language = LANGUAGE.match(self._info or "")
        attributes = {"class": f"language-{language[1]}"} if language and language[1] else {}
        element = SubElement(SubElement(self._parent, "pre"), "code", attributes)
        element.text = AtomicString(code_escape(code))

    def _open_html(self, _: MarkdownEvent) -> None:
        self._literal = []

    def _close_html(self) -> None:
        html, self._literal = restore_characters("".join(self._literal or ())), None
        if html.strip() == SEPARATOR:
            return
        index = token_number(html)
        if index is not None and index < len(self._containers):
            self._extensions.add_container(self._parent, self._containers[index])
            return
        self._extensions.note_html(html)
        placeholder = self._extensions.stash(html)
        if _IMAGES.fullmatch(html):  # they keep the space around them that Python-Markdown gives
            SubElement(self._parent, "p").text = placeholder
        else:
            self._add_placeholder(placeholder, is_block=self._extensions.is_block(html))

    # --- tables ----------------------------------------------------------------------------------

    def _open_table(self, event: MarkdownEvent) -> None:
        self._alignments = [_ALIGNMENTS.get(side) for side in event.detail]
        self._push(Element("table"))

    def _open_head(self, _: MarkdownEvent) -> None:
        self._open_cells(SubElement(self._parent, "thead"))

    def _open_row(self, _: MarkdownEvent) -> None:
        body = self._parent.find("tbody")
        self._open_cells(SubElement(self._parent, "tbody") if body is None else body)

    def _open_cells(self, rows: Element) -> None:
        self._push_apart(SubElement(rows, "tr"))
        self._column = 0

    def _open_cell(self, _: MarkdownEvent) -> None:
        table = self._around[-2]
        is_head = table.find("tbody") is None
        side = self._alignments[self._column]
        style = self._extensions.processors.alignment(side) if side else {}
        self._push(Element("th" if is_head else "td", style))
        self._column += 1

    # --- links and images ------------------------------------------------------------------------

    def _open_link(self, event: MarkdownEvent) -> None:
        detail = event.detail
        scheme = "mailto:" if detail["link_type"] == "Email" else ""
        link = Element(
            "a", {"href": escape_entities(scheme + _normalize_address(detail["dest_url"]))}
        )
        if detail["title"]:
            link.set("title", escape_entities(detail["title"]))
        self._push(link)
        self._links += 1

    def _close_link(self) -> None:
        self._links -= 1
        self._pop()

    def _open_image(self, event: MarkdownEvent) -> None:
        detail = event.detail
        source = escape_entities(_normalize_address(detail["dest_url"]))
        image = SubElement(self._parent, "img", {"src": source})
        if detail["title"]:
            image.set("title", escape_entities(detail["title"]))
        self._push_apart(Element("span"))  # its description
        self._links += 1

    def _close_image(self) -> None:
        self._links -= 1
        text = "".join(_alternatives(self._pop()))
        self._parent[-1].set("alt", restore_characters(HTML_PLACEHOLDER_RE.sub("", text)))

    # --- footnotes -------------------------------------------------------------------------------

    def _open_footnote(self, event: MarkdownEvent) -> None:
        self._labels.append(event.detail)
        self._push_apart(Element("div"))

    def _close_footnote(self) -> None:
        text = self._pop()
        self._extensions.add_footnote(self._labels.pop(), list(text))


_STARTS: dict[str, Callable[[Builder, MarkdownEvent], None]] = {
    "Heading": Builder._open_heading,
    "List": Builder._open_list,
    "CodeBlock": Builder._open_code,
    "HtmlBlock": Builder._open_html,
    "Table": Builder._open_table,
    "TableHead": Builder._open_head,
    "TableRow": Builder._open_row,
    "TableCell": Builder._open_cell,
    "Link": Builder._open_link,
    "Image": Builder._open_image,
    "FootnoteDefinition": Builder._open_footnote,
}
"""Starts of elements that are not in `ELEMENTS`."""
_CLOSING_METHODS: dict[str, Callable[[Builder], None]] = {
    "Paragraph": Builder._close_paragraph,
    "BlockQuote": Builder._close_quote,
    "CodeBlock": Builder._close_code,
    "HtmlBlock": Builder._close_html,
    "Link": Builder._close_link,
    "Image": Builder._close_image,
    "FootnoteDefinition": Builder._close_footnote,
}
"""Ends that do more than to close an element."""
_LEAVES: dict[str, Callable[[Builder, MarkdownEvent], None]] = {
    "Text": Builder._text,
    "SoftBreak": Builder._soft_break,
    "HardBreak": Builder._hard_break,
    "Rule": Builder._rule,
    "Code": Builder._code_span,
    "InlineMath": Builder._formula,
    "DisplayMath": Builder._formula,
    "InlineHtml": Builder._inline_html,
    "FootnoteReference": Builder._reference,
}


def _normalize_address(url: str) -> str:
    """Return an address as browsers take it for the same one: a backslash would be a slash."""
    return url.replace("\\", "%5C")


def _alternatives(element: Element) -> Iterator[str]:
    """Yield the texts of an image's description, with those of images within."""
    yield element.get("alt") or element.text or ""
    for child in element:
        yield from _alternatives(child)
        yield child.tail or ""
