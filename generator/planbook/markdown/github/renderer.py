"""A page, rendered to the elements that the tree processors of Python-Markdown expect.

`builder` builds the elements of CommonMark and GitHub. What extensions of Python-Markdown make of
their own blocks, of fenced code, formulas and footnotes, their own processors make here, too: the
HTML is theirs by construction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import markdown
import pyromark
from markdown.util import ETX, HTML_PLACEHOLDER_RE, STX, AtomicString

from planbook.markdown.github.builder import Builder
from planbook.markdown.github.containers import CONTAINER_KINDS, Container, ContainerParser
from planbook.markdown.github.markdown_events import Options
from planbook.markdown.github.processors import Processors, made_by
from planbook.markdown.github.source_form import NOTE, normalize_source
from planbook.markdown.github.tags_in_code import mask_tags_in_code, unmask_tags

GITHUB = Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH
"""The syntax beyond CommonMark that every page has."""
EXTENSION_OPTIONS = {
    "footnote": Options.ENABLE_FOOTNOTES,
    "deflist": Options.ENABLE_DEFINITION_LIST,
    "arithmatex-inline": Options.ENABLE_MATH,
}
"""Syntax that a site switches on, by the names of the processors of its extensions."""
CONTAINERS = tuple(CONTAINER_KINDS)
"""The names of block processors that get their blocks from `containers`."""

MAX_DEPTH = 20
"""Maximum nesting of blocks of extensions; in deeper ones, they are text."""
_INLINE_PREFIX = "x "
"""Put before text that is inline only, so that it begins no block."""
_HAS_ANCHOR = re.compile(r"\b(?:id|name)\s*=", re.IGNORECASE)
_LABEL = re.compile(r"^[ >\t]*\[\^([^\]\s]+)\]:", re.MULTILINE)
_REFERENCE = re.compile(r"\[\^([^\[\]\s]+)\]")
_INDENTATION = re.compile(r"^[ ]{4,}", re.MULTILINE)
_PIECE = re.compile(rf"{STX}pbp:([0-9]+){ETX}")


_NO_CONTAINERS = ContainerParser([], Options(0))


@dataclass(slots=True)
class _Page:
    """The state that all texts of one page share while it is rendered."""

    labels: dict[str, str] = field(default_factory=dict)
    """Footnotes by label in lower case, as written where they are defined."""
    definitions: dict[str, str] = field(default_factory=dict)
    """The Markdown of each definition of a link, by label."""
    references: list[tuple[Element, str]] = field(default_factory=list)
    """References to footnotes, which get their numbers at the end, with their labels."""
    pieces: list[str | list[Element]] = field(default_factory=list)
    """Markdown or elements that a text stands for, by the number in the text."""
    html: list[str] = field(default_factory=list)
    """All raw HTML that may have anchors."""
    rendered: set[int] = field(default_factory=set)
    """The identities of elements with rendered text, within a block that is being made."""
    targets: set[int] = field(default_factory=set)
    """The identities of elements that these were added to."""


class PageRenderer:
    """Renders the texts of one site's pages.

    Args:
        md: the engine, which keeps raw HTML.
        processors: what makes the HTML of extensions.
    """

    def __init__(self, md: markdown.Markdown, processors: Processors) -> None:
        self._md, self.processors = md, processors
        kinds = [kind for kind in CONTAINERS if kind in processors.blocks]
        self._containers = ContainerParser(kinds, processors.options)
        other_kinds = [kind for kind in kinds if kind != "markdown_block"]
        self._without_html = ContainerParser(other_kinds, processors.options)
        self._page = _Page()
        self.links_addresses = processors.links_addresses
        self.has_alerts = bool(getattr(processors.blocks.get("quote"), "callouts", False))
        self.open_links = 0
        self._depth = 0
        """The number of blocks of extensions around the text that is rendered."""

    # --- texts -----------------------------------------------------------------------------------

    def render_page(self, root: Element, text: str) -> None:
        """Add the elements of a whole page to `root`."""
        self._page, self.open_links, self._depth = _Page(), 0, 0
        labels = _LABEL.findall(text) if NOTE in text else []
        self._page.labels = {label.lower(): label for label in reversed(labels)}
        self._page.definitions = self._definitions(text)
        self.render(root, text)
        self._number_references()
        self._report_anchors()

    def render(self, parent: Element, text: str, containers: ContainerParser | None = None) -> None:
        """Add the elements of a text to `parent`.

        Args:
            parent: the element.
            text: Markdown, or what stands for a piece of it.
            containers: finds the blocks of extensions; all of them by default.
        """
        piece = _PIECE.fullmatch(text.strip())
        if piece:
            self._add_piece(parent, self._page.pieces[int(piece[1])])
            return
        opened = _NO_CONTAINERS if self._depth > MAX_DEPTH else containers or self._containers
        masked = opened.mask(unmask_tags(text))
        source, options = normalize_source(
            masked.text,
            self.processors.options,
            self._show_formula,
            links_addresses=self.links_addresses,
        )
        # A block is parsed alone, without the rest of the page: what it refers to is put above it.
        preamble = self._preamble(source)
        builder = Builder(self, parent, masked.containers, len(preamble))
        self._depth += 1
        builder.build(preamble + source.encode(), options)
        self._depth -= 1

    def render_inline(self, element: Element, text: str) -> None:
        """Replace the text of `element` by the inline elements in `text`."""
        # `- rye` or `# rye` in a title would begin a list or a heading.
        holder = Element("div")
        self.render(holder, _INLINE_PREFIX + " ".join(text.split("\n")))
        paragraph = holder[0]
        element.text = (paragraph.text or "").removeprefix(_INLINE_PREFIX)
        element[:0] = list(paragraph)

    def _show_formula(self, source: str) -> str:
        """Return the HTML of a formula, or what stands for it until the end."""
        made = self.processors.formula(source)
        return made if isinstance(made, str) else self.stash(self._md.serializer(made))

    def _add_piece(self, parent: Element, piece: str | list[Element]) -> None:
        """Add a piece to `parent`, and note that what it contains is rendered."""
        page, child_count = self._page, len(parent)
        page.targets.add(id(parent))
        if isinstance(piece, str):
            self.render(parent, piece)
        else:
            parent.extend(piece)
        page.rendered.update(map(id, parent[child_count:]))

    def _definitions(self, text: str) -> dict[str, str]:
        """Return the definitions of links on the whole page, which blocks of extensions need."""
        texts: dict[str, str] = {}
        if not self._containers.may_open(text):
            return texts
        # Definitions in indented bodies are code in the text as it is.
        for source in (text, _INDENTATION.sub("", text)):
            raw = source.encode()
            definitions = pyromark.reference_definitions(source, options=self.processors.options)
            for label, definition in definitions.items():
                span = definition["span"]
                texts.setdefault(label, raw[span["start"] : span["end"]].decode().strip())
        return texts

    def _preamble(self, source: str) -> bytes:
        """Return definitions that a part of the page needs and may not have, in UTF-8."""
        page = self._page
        if "]" not in source:
            return b""
        used = {label.lower() for label in _REFERENCE.findall(source)} & page.labels.keys()
        defined_labels = {label.lower() for label in _LABEL.findall(source)} if used else set()
        stubs = [f"[^{page.labels[label]}]: -" for label in sorted(used - defined_labels)]
        lines = [*page.definitions.values(), *stubs]
        return ("\n\n".join(lines) + "\n\n<!-- -->\n\n").encode() if lines else b""

    # --- at the end of a page --------------------------------------------------------------------

    def _number_references(self) -> None:
        """Complete the references to footnotes, now that all footnotes are known."""
        pattern = self.processors.inline.get("footnote")
        for element, label in self._page.references:
            label_in_text = self._page.labels.get(label.lower(), label)
            made = made_by(pattern, f"[^{label_in_text}]")
            if isinstance(made, Element):
                element.attrib.update(made.attrib)
                element[:] = list(made)
            else:
                element.tag, element.text = "span", f"[^{label}]"

    def _report_anchors(self) -> None:
        """Let MkDocs read the anchors in raw HTML: it would take those in code for some, too."""
        for processor in anchor_readers(self._md):
            type(processor).run(processor, self._page.html)

    # --- blocks of extensions --------------------------------------------------------------------

    def add_container(self, parent: Element, container: Container) -> None:
        """Add a block of an extension to `parent`: the extension's processor makes it."""
        match container.kind:
            case "markdown_block":
                self._add_html(parent, container.body)
            case "arithmatex-block":
                self._run(parent, container, [container.body])
            case "abbr":
                self._run(parent, container, [container.head])
            case "blocks":
                body = self._piece(container.body)
                self._run(parent, container, [container.head, body, _slashes(container)])
            case _:
                body = f"    {self._piece(container.body)}" if container.body.strip() else ""
                self._run(parent, container, [f"{container.head}\n{body}"])

    def _piece(self, piece: str | list[Element]) -> str:
        """Return a text that stands for Markdown or elements."""
        self._page.pieces.append(piece)
        return f"{STX}pbp:{len(self._page.pieces) - 1}{ETX}"

    def _run(self, parent: Element, container: Container, blocks: list[str]) -> None:
        """Let an extension's processor make its block, and render the titles that it leaves."""
        page = self._page
        earlier_elements = set(map(id, parent[-1].iter())) if len(parent) else set[int]()
        # Processors put the text of titles where their HTML is made: what is new, and was not
        # rendered as a body, is such a text. Blocks nest, so the notes of the outer one are kept.
        page_state = page.rendered, page.targets
        page.rendered, page.targets = set(), set()
        processor = self.processors.blocks[container.kind]
        if processor.test(parent, blocks[0]):
            processor.run(parent, blocks)
            if len(parent):
                self._render_titles(parent[-1], earlier_elements)
        else:
            self._add_as_text(parent, container)
        page.rendered, page.targets = page_state

    def _add_as_text(self, parent: Element, container: Container) -> None:
        """Add a block that its processor does not take for one."""
        self.render_inline(SubElement(parent, "p"), container.head)
        if container.kind == "blocks":
            self.render(parent, f"{container.body}\n\n{_slashes(container)}")
        elif container.body != container.head:
            self.render(parent, container.body)

    def _render_titles(self, element: Element, earlier_elements: set[int]) -> None:
        """Render the texts of new elements, apart from those that were rendered into them."""
        page, text = self._page, element.text or ""
        if id(element) in page.rendered:
            return
        for child in list(element):
            self._render_titles(child, earlier_elements)
        is_done = id(element) in earlier_elements or id(element) in page.targets
        if is_done or not text.strip() or HTML_PLACEHOLDER_RE.search(text):
            return
        piece = _PIECE.fullmatch(text.strip())
        content = str(page.pieces[int(piece[1])]) if piece else text
        if isinstance(text, AtomicString):
            element.text = AtomicString(content)
        else:
            self.render_inline(element, content)

    # --- Markdown in elements of HTML ------------------------------------------------------------

    def _add_html(self, parent: Element, html: str) -> None:
        """Add an element of HTML whose content is Markdown: its extension finds the parts."""
        self.note_html(html)
        lines = self.processors.html.run(mask_tags_in_code(html).split("\n"))
        self.render(parent, "\n".join(lines), self._without_html)

    def add_stashed(self, parent: Element, placeholder: str) -> bool:
        """Add the element that a placeholder stands for; return False if it stands for text."""
        match = HTML_PLACEHOLDER_RE.fullmatch(placeholder)
        blocks: list[Any] = self._md.htmlStash.rawHtmlBlocks
        stashed_element = blocks[int(match[1])] if match and int(match[1]) < len(blocks) else None
        processor = self.processors.blocks.get("markdown_block")
        if not isinstance(stashed_element, Element) or processor is None:
            return False
        stashed = [element for element in blocks if isinstance(element, Element)]
        elements = (element for block in stashed for element in block.iter())
        spans = {id(element) for element in elements if element.get("markdown") == "span"}
        processor.run(parent, [placeholder])
        for element in list(parent[-1].iter()):
            if id(element) in spans:
                self._render_span(element)
        return True

    def _render_span(self, element: Element) -> None:
        """Render the inline Markdown in an element of HTML."""
        for child in reversed(list(element)):
            if child.tail and child.tail.strip():
                holder = Element("div")
                self.render_inline(holder, unmask_tags(child.tail))
                at = list(element).index(child) + 1
                child.tail = holder.text
                element[at:at] = list(holder)
        if element.text and element.text.strip():
            self.render_inline(element, unmask_tags(element.text))

    def note_html(self, html: str) -> None:
        """Note raw HTML that may have anchors."""
        if _HAS_ANCHOR.search(html):
            self._page.html.append(html)

    def is_block(self, html: str) -> bool:
        """Return whether Python-Markdown takes HTML for a block."""
        restore: Any = self._md.postprocessors["raw_html"]
        return bool(restore.isblocklevel(html))

    def stash(self, html: str) -> str:
        """Return a placeholder for raw HTML, which no other processor reads."""
        return str(self._md.htmlStash.store(html))

    # --- footnotes -------------------------------------------------------------------------------

    def add_reference(self, element: Element, label: str) -> None:
        """Remember the element of a reference to a footnote."""
        self._page.references.append((element, label))

    def add_footnote(self, label: str, elements: list[Element]) -> None:
        """Define a footnote.

        Its extension adds a link to the text of its last paragraph, which must be plain: a text
        that stands for the paragraph's content.
        """
        last_element = elements[-1] if elements else None
        if last_element is not None and last_element.tag == "p":
            content = Element("span")
            content.text, content[:] = last_element.text or "", list(last_element)
            last_element.text, last_element[:] = self._piece([content]), []
        label_in_text = self._page.labels.get(label.lower(), label)
        self.processors.blocks["footnote"].footnotes.setFootnote(
            label_in_text, self._piece(elements)
        )

    def expand_pieces(self, root: Element) -> None:
        """Replace the texts that stand for paragraphs of footnotes by their content."""
        for element in list(root.iter()):
            text = element.text or ""
            piece = _PIECE.match(text) if text.startswith(STX) else None
            if piece is None:
                continue
            content, rest = self._page.pieces[int(piece[1])][0], text[piece.end() :]
            if not isinstance(content, Element):
                continue
            element.text = content.text or ""
            if len(content):
                content[-1].tail = (content[-1].tail or "") + rest
            else:
                element.text += rest
            element[:0] = list(content)


def anchor_readers(md: markdown.Markdown) -> list[Any]:
    """Return MkDocs' preprocessors that read the anchors in raw HTML; it adds one to each page."""
    return [
        processor
        for processor in md.preprocessors
        if isinstance(getattr(processor, "present_anchor_ids", None), set)
    ]


def _slashes(container: Container) -> str:
    """Return the last line of a block that begins with slashes."""
    return container.head[: -len(container.head.lstrip("/"))]
