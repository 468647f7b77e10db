"""Convert a page of HTML to Markdown, block by block.

Blocks are headings, paragraphs, items, terms, code and tables. Each is converted as a whole and in
the page's order, so that no sentence loses its beginning and no text comes below a heading of other
text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import lxml.html
from lxml.html import Element, HtmlElement

from planbook.research.web.code_blocks import code_markdown
from planbook.research.web.fixed_layout import set_prose
from planbook.research.web.html_tables import is_data, table_markdown
from planbook.research.web.inline_markdown import (
    BLOCK_START,
    CODE_TAGS,
    INLINE_TAGS,
    UNSEEN_TAGS,
    count_letters,
    escape_marks,
    flatten,
    line_markdown,
    text_markdown,
)

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_HIDING = re.compile(
    r"(?:^|;)\s*(?:display:\s*none|visibility:\s*hidden|font-size:\s*0(?:px|em|rem|pt)?\s*(?:;|$))",
    re.I,
)
"""Styles of hidden elements: ``display: none``."""
_TIPS = frozenset({"dropdown-menu", "popover", "tooltip", "tooltiptext", "ttc"})
"""Classes of menus and tooltips, which a style sheet hides until the pointer is above them."""
_MIN_CONTENT_SHARE = 0.8
"""Share of a page's letters above which a hidden element is its content."""
_PERMALINK = re.compile(r"[\s#§¶🔗◆\u200b]*|\[?(?:toc|top|contents|permalink)\]?", re.IGNORECASE)

_DOXYGEN = {"title": "h1", "fragment": "pre", "memItemRight": "dt"}
"""The elements that the classes of Doxygen stand for."""
_SECTION = re.compile(r"(?:sub)*sect(?:ion)?\d?|chapter|appendix|article|main|body", re.IGNORECASE)
"""Classes and elements that hold a section of the text, which is no box within it."""


# --- blocks ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A block of a page."""

    element: HtmlElement
    markdown: str
    level: int = 0
    """The level of a heading; 0 for other blocks."""
    items: HtmlElement | None = None
    """The outermost list that it is an item of."""


def parse_html(html: str) -> HtmlElement:
    """Return the visible part of a page as a tree, without comments and hidden elements.

    More than 256 nested elements are accepted; the size limit of the body bounds the cost.
    """
    parser = lxml.html.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True
    )
    tree = lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    _drop_hidden(tree)
    for heading in tree.iter(*HEADINGS, "dt"):
        drop(link for link in heading.iter("a") if _PERMALINK.fullmatch(link.text_content()))
    for element in tree.iter("div", "td"):
        _read_doxygen(element)
    for terms in [terms for terms in tree.iter("dl") if terms.find(".//dd") is None]:
        _make_plain_list(terms)
    for pre in list(tree.iter("pre")):
        set_prose(pre)
    return tree


def _read_doxygen(element: HtmlElement) -> None:
    """Give an element of a page of Doxygen the tag that it stands for."""
    name = element.get("class") or ""
    parent = element.getparent()
    is_below_header = parent is not None and "headertitle" in classes_of(parent)
    if name != "title" or is_below_header:  # other titles are AsciiDoc's, of boxes
        element.tag = _DOXYGEN.get(name, element.tag)
    if element.tag == "pre":  # each line is an element of its own
        for line in element:
            line.tail = None


def _make_plain_list(terms: HtmlElement) -> None:
    """Turn a list of terms without definitions into a list of items."""
    for element in terms.iter("dl", "dt"):
        element.tag = "ul" if element.tag == "dl" else "li"


def _drop_hidden(tree: HtmlElement) -> None:
    """Remove hidden elements.

    Panels of tabs stay, although only one is visible at a time; so does a whole page.

    A page that is hidden as a whole is shown by its scripts.
    """
    whole = _MIN_CONTENT_SHARE * count_letters(tree.text_content())
    hidden = [element for element in tree.iter() if _is_hidden_element(element)]
    outside_tabs = [element for element in hidden if element.get("role") != "tabpanel"]
    drop(
        tab_content
        for tab_content in outside_tabs
        if count_letters(tab_content.text_content()) <= whole
    )


def _is_hidden_element(element: HtmlElement) -> bool:
    """Return whether an attribute, a style or a class hides an element."""
    if element.get("hidden") is not None:
        return True
    return bool(_HIDING.search(element.get("style") or "") or classes_of(element) & _TIPS)


def classes_of(element: HtmlElement) -> set[str]:
    """Return the classes of an element."""
    return set((element.get("class") or "").split())


# --- text -----------------------------------------------------------------------------------------


def drop(elements: Iterable[HtmlElement]) -> None:
    """Remove elements with their content."""
    for element in list(elements):
        if element.getparent() is not None:
            element.drop_tree()


def join_markdown(blocks: Sequence[PageBlock]) -> str:
    """Return blocks as Markdown: items of a list on adjacent lines, all else in paragraphs.

    A comment separates definitions from what comes after them.
    """
    blocks_with_terms = _turn_boxes_into_terms(blocks)
    if not blocks_with_terms:
        return ""
    pieces = [blocks_with_terms[0].markdown]
    for previous, block in pairwise(blocks_with_terms):
        is_item = block.items is not None and previous.items is block.items
        pieces.append("\n" if is_item else "\n\n")
        if _leaves_definitions(previous, block):
            pieces.append("<!-- -->\n\n")
        pieces.append(block.markdown)
    return "".join(pieces)


def _leaves_definitions(previous: PageBlock, block: PageBlock) -> bool:
    """Return whether a block, unless it is a heading, comes after the definitions before it."""
    definitions = next(previous.element.iterancestors("dl"), None)
    if definitions is None or block.level:
        return False
    return definitions not in block.element.iterancestors()


def _turn_boxes_into_terms(blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """Turn the headings of boxes within a text, such as "Note", into terms.

    The text after a box is not below them. Markdown cannot say so: there, all is below a heading
    until the next one.
    """
    top = min((block.level for block in blocks if block.level), default=0)
    first = next((block for block in blocks if block.level == top), None)
    outside = {*first.element.iterancestors()} if first and top else set()
    turned: list[PageBlock] = []
    below: list[PageBlock] = []  # what is between a heading and the next one, last block first
    for block in reversed(blocks):
        if not block.level:
            below.append(block)
            turned.append(block)
        elif block.level == top or not _is_of_box(block, below, outside):
            below = []
            turned.append(block)
        else:
            below.append(block)
            words = block.markdown.lstrip("# ")
            turned.append(replace(block, markdown=f"**{words}**", level=0))
    return turned[::-1]


def _is_of_box(
    heading: PageBlock, below: Sequence[PageBlock], outside: Collection[HtmlElement]
) -> bool:
    """Return whether a heading is that of a box, which some of what is `below` it is not in.

    `below` has the last block first; elements `outside` are around the whole text.
    """
    ancestors = {*below[-1].element.iterancestors()} if below else set()
    box = next(
        (ancestor for ancestor in heading.element.iterancestors() if ancestor in ancestors), None
    )
    if box in outside:
        return False
    if box is not None and any(map(_SECTION.fullmatch, (box.tag, *classes_of(box)))):
        return False
    return any(box not in other.element.iterancestors() for other in below)


def page_blocks(root: HtmlElement) -> list[PageBlock]:
    """Return the blocks of an element in order. Text beside blocks is wrapped in paragraphs."""
    return list(_Blocks(root).read())


class _Blocks:
    """Reads the blocks below an element."""

    def __init__(self, root: HtmlElement) -> None:
        self._root = root
        self._begun: set[HtmlElement] = set()
        """List items whose first block was read."""
        self._items: Counter[HtmlElement] = Counter()
        """Number of items read of each list."""
        self._holders: set[HtmlElement] = set()
        """Elements with blocks inside."""
        for element in reversed(list(root.iter())):
            if element is not root and (element in self._holders or element.tag not in INLINE_TAGS):
                self._holders.add(element.getparent())

    def read(self) -> Iterator[PageBlock]:
        """Yield the blocks in order."""
        stack = [self._root]
        while stack:
            element = stack.pop()
            tag = element.tag
            if tag in UNSEEN_TAGS:
                continue
            if tag == "pre":
                block = PageBlock(element, code_markdown(element))
            elif tag == "table" and is_data(element):
                block = PageBlock(element, table_markdown(element, line_markdown))
            elif tag in HEADINGS or element not in self._holders:
                block = self._leaf(element)
            else:
                self._wrap_bare(element)
                stack += reversed(element)
                continue
            if block.markdown:
                yield block

    def _wrap_bare(self, holder: HtmlElement) -> None:
        """Wrap the text beside the blocks of an element in paragraphs."""
        pieces = [Element("p")]
        pieces[0].text, holder.text = holder.text, None
        for element in list(holder):
            if element.tag in INLINE_TAGS and element not in self._holders:
                pieces[-1].append(element)
                continue
            paragraph = Element("p")
            paragraph.text, element.tail = element.tail, None
            pieces += [element, paragraph]
        holder[:] = pieces

    def _leaf(self, element: HtmlElement) -> PageBlock:
        """Return a block of text: a heading, a term, the beginning of an item, or a paragraph."""
        text = text_markdown(element)
        line = " ".join(text.split())
        if not line:
            return PageBlock(element, "")
        if element.tag in {"dt", "summary"}:
            return PageBlock(element, _term_markdown(element))
        if element.tag in HEADINGS:
            level = int(element.tag[1])
            return PageBlock(element, f"{'#' * level} {line}", level)
        above = [element, *element.iterancestors()]
        for item in above:
            if item.tag == "li" and item not in self._begun:
                return self._item(element, item, line)
        # A block quote around definitions indents them: what is in it is no quote.
        holder = next(
            (ancestor.tag for ancestor in above if ancestor.tag in {"blockquote", "dd"}), ""
        )
        if holder == "blockquote":
            return PageBlock(element, f"> {line}")
        return PageBlock(element, BLOCK_START.sub(r"\1\\", text))

    def _item(self, element: HtmlElement, item: HtmlElement, line: str) -> PageBlock:
        """Return the first block of a list item, with its marker."""
        self._begun.add(item)
        items = item.getparent()
        self._items[items] += 1
        above = [element, *element.iterancestors()]
        lists = [ancestor for ancestor in above if ancestor.tag in {"ol", "ul"}] or [items]
        marker = f"{self._items[items]}." if items.tag == "ol" else "-"
        indent = "  " * (len(lists) - 1)
        return PageBlock(element, f"{indent}{marker} {line}", items=lists[-1])


def _term_markdown(element: HtmlElement) -> str:
    """Return a term in bold; a signature, as Sphinx marks it, as code."""
    words = _names_of_term(element)
    is_signature = "sig" in classes_of(element) and "`" not in words
    return f"`{words}`" if is_signature else f"**{escape_marks(words)}**"


_NEXT_NAME = "\x00"
"""Between two names of a term, until they are joined by commas."""
_NAME_MARKS = (*CODE_TAGS, "span", "strong", "b")


def _names_of_term(element: HtmlElement) -> str:
    """Return the words of a term.

    Those on several lines, or in adjacent marks, are several names of it.
    """
    words = "".join(flatten(element, _contents_of_term, _join_text_lines))
    names = [" ".join(name.split()) for name in words.split(_NEXT_NAME)]
    joined_names = ", ".join(name for name in names if name)
    return re.sub(r"([,;:/|]), ", r"\1 ", joined_names)  # a name may end in a mark of its own


def _contents_of_term(element: HtmlElement) -> list[HtmlElement | str]:
    """Return the contents of an element of a term, with a mark before the next name."""
    if element.tag == "br":
        return [_NEXT_NAME]
    is_name = element.tag in _NAME_MARKS and _is_before_name(element)
    return [_join_text_lines(element.text or ""), *element, _NEXT_NAME if is_name else ""]


def _join_text_lines(text: str) -> str:
    """Return text without line ends, and without the mark between names."""
    return re.sub(r"\s+", " ", text.replace(_NEXT_NAME, ""))


def _is_before_name(element: HtmlElement) -> bool:
    """Return whether another name of a term follows without a blank.

    ``<b>-e</b><b>--exit</b>``. The parts of a signature are in adjacent elements, too.
    """
    following = element.getnext()
    if following is None or following.tag != element.tag or element.tail:
        return False
    is_option = element.text_content()[-1:].isalnum() and following.text_content().startswith("-")
    return is_option or ("term" in classes_of(element) and "term" in classes_of(following))
