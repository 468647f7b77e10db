"""Preserve what trafilatura loses of technical pages: code and its language, tables, formulas, definition terms.

Before trafilatura runs, each code block, data table and formula is replaced by a unique placeholder word. Wherever that
word is in the output, and only there, the block is put back as Markdown. So trafilatura decides what is main text, and
the blocks stay verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml.html import Element, HtmlElement

from generator.web.blocks import INLINE, code_markdown, is_data, language_of, table_markdown
from generator.web.main_text import HEADINGS, headings_of_boxes

_TOOLS = frozenset({"button", "clipboard-copy"})
_TOOL_CLASSES = frozenset(
    {
        *("anchorjs-link", "copy-button", "copybtn", "example-header", "footnote-backref", "gutter", "hash-link"),
        *("header-anchor", "headerlink", "heading-anchor", "katex-html", "line-numbers-rows", "linenodiv", "lineno"),
        *("linenos", "rouge-gutter", "sr-only", "visually-hidden", "zeroclipboard-container"),
    }
)
"""Classes of controls that are not text: permalinks of headings, copy buttons, line numbers."""
_WRAPPERS = frozenset({"markdown-heading", "heading-wrapper"})
"""Classes of elements that wrap headings and hide them from trafilatura."""
_RAISED = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-()", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎")
_HIDING = re.compile(
    r"(?:^|;)\s*(?:display:\s*none|visibility:\s*hidden|font-size:\s*0(?:px|em|rem|pt)?\s*(?:;|$))", re.I
)
_PERMALINK = re.compile(r"[\s#§¶🔗\u200b]*")

_HOLDERS = ("article", "body", "div", "main", "section")
_IN_A_LINE = INLINE | {"br", "img"}
_FORMULAS = frozenset({"katex", "katex-display", "MathJax", "ltx_equation", "mwe-math-element"})
_MAX_FORMULA = 2_000
_SHARE_OF_PAGE = 0.8
"""Share of a page's letters above which a hidden element is its content."""
_SHARE_OF_LINKS = 0.9
"""Share of a list's letters in links above which it is a menu, a table of contents, or a list of addresses."""


@dataclass(slots=True)
class Placeholders:
    """Blocks taken out of a page, and the placeholder words that replace them."""

    stem: str
    """Common start of the placeholder words; derived from the page, so that no page can contain one by design."""
    taken: list[tuple[str, bool]] = field(default_factory=list)
    """Markdown of each block, and whether it is inline."""

    def take(self, element: HtmlElement, markdown: str, *, is_inline: bool = False) -> None:
        """Replace `element` by a placeholder."""
        word = Element("span" if is_inline else "p")
        word.text = f"{self.stem}{len(self.taken)}x"
        self.taken.append((markdown, is_inline))
        _replace(element, word)

    def put_back(self, markdown: str) -> str:
        """Replace the placeholders in `markdown` by their blocks: unindented, with an empty line on both sides.

        Only blocks may be fences: text that looks like one is escaped.
        """
        markdown = re.sub(r"`{3,}|~{3,}", lambda run: f"\\{run[0][0]}" * len(run[0]), markdown)
        pieces = [""]
        last = 0
        for match in re.finditer(rf"{self.stem}(\d+)x", markdown):
            block, is_inline = self.taken[int(match[1])]
            pieces[-1] += markdown[last : match.start()]
            last = match.end()
            if is_inline:
                pieces[-1] += block
            else:
                pieces += [block, ""]
        pieces[-1] += markdown[last:]
        pieces[::2] = [re.sub(r"\A\n*(?: (?=\S))?", "", text).rstrip() for text in pieces[::2]]
        return "\n\n".join(filter(None, pieces))


def drop_hidden(tree: HtmlElement) -> None:
    """Remove hidden elements. Panels of tabs stay, although only one is visible at a time; so does a whole page.

    A page that is hidden as a whole is shown by its scripts.
    """
    whole = _SHARE_OF_PAGE * count_letters(tree.text_content())
    for element in _each(tree):
        is_hidden = element.get("hidden") is not None or _HIDING.search(element.get("style") or "")
        if is_hidden and element.get("role") != "tabpanel" and count_letters(element.text_content()) <= whole:
            element.drop_tree()


def prepare(tree: HtmlElement, stem: str) -> Placeholders:
    """Take out of `tree` the elements that trafilatura would lose, and reshape the rest so that it finds them."""
    placeholders = Placeholders(stem)
    for element in _each(tree):
        if element.tag in _TOOLS or element.get("role") == "tablist" or _classes(element) & _TOOL_CLASSES:
            element.drop_tree()
    for entries in _each(tree, "ul", "ol"):
        if _is_list_of_links(entries):
            entries.drop_tree()
    _fix_headings(tree)
    for script in _each(tree, "sub", "sup"):
        _fix_script(script)
    for math in _each(tree, "math"):
        _take_formula(math, placeholders)
    for pre in _each(tree, "pre"):
        _take_code(pre, placeholders)
    for code in _each(tree, "code", "kbd", "samp", "tt"):
        _fix_code(code)
    for table in _each(tree, "table"):
        _take_table(table, placeholders)
    for element in _each(tree, "dl", "dt", "dd", "figure", "figcaption"):
        _fix_terms(element)
    for element in _each(tree, *_HOLDERS):
        _fix_bare(element)
    return placeholders


def _each(tree: HtmlElement, *tags: str) -> Iterator[HtmlElement]:
    """Yield the elements below `tree` with one of the tags, or all; each only if it still has a parent by then."""
    for element in list(tree.iterdescendants(*tags)):
        if element.getparent() is not None:
            yield element


def _is_list_of_links(entries: HtmlElement) -> bool:
    """Return whether a list only links elsewhere: two or more links make up all but a little of its text."""
    links = [link.text_content() for link in entries.iter("a") if link.get("href")]
    text = entries.text_content()
    return len(links) >= 2 and sum(map(count_letters, links)) >= _SHARE_OF_LINKS * count_letters(text) > 0


def count_letters(text: str) -> int:
    """Return the number of letters and digits in a text."""
    return sum(map(str.isalnum, text))


def _take_code(pre: HtmlElement, placeholders: Placeholders) -> None:
    """Take out a code block, without the label of its language next to it."""
    language = language_of(pre)
    for sibling in list(pre.itersiblings(preceding=True)) if language else []:
        if sibling.text_content().strip().lower() == language:
            sibling.drop_tree()
    placeholders.take(pre, code_markdown(pre, language))


def _fix_code(code: HtmlElement) -> None:
    """Join inline code into one line: trafilatura would begin a fence for two, in the middle of a paragraph."""
    for element in code.iter():
        if element.tag == "br":
            element.tail = f" {element.tail or ''}"
        element.text = re.sub(r"\s*\n\s*", " ", element.text or "")
        if element is not code:
            element.tail = re.sub(r"\s*\n\s*", " ", element.tail or "")
    for line_end in list(code.iter("br")):
        line_end.drop_tag()


def _take_table(table: HtmlElement, placeholders: Placeholders) -> None:
    """Take out a data table; replace a layout table by its content."""
    if not is_data(table):
        for part in [table, *table.iterdescendants("tbody", "thead", "tr", "td", "th")]:
            part.tag = "div"
        return
    placeholders.take(table, table_markdown(table))


def _fix_headings(tree: HtmlElement) -> None:
    """Strip permalinks from headings and unwrap them; turn headings of boxes into terms."""
    for heading in _each(tree, *HEADINGS):
        for link in heading.xpath(".//a"):
            if _PERMALINK.fullmatch(link.text_content()):
                link.drop_tree()
        above = heading.getparent()
        if above.tag == "summary":
            heading.drop_tag()
        elif _classes(above) & _WRAPPERS:
            above.drop_tag()
    for heading in headings_of_boxes(tree):
        _make_term(heading)


def _fix_bare(holder: HtmlElement) -> None:
    """Wrap text beside block elements in paragraphs: otherwise trafilatura joins its words."""
    inner = list(holder)
    texts = (holder.text, *(element.tail for element in inner))
    has_blocks = any(is_block(element) for element in inner)
    if not any(text and re.search(r"\w", text) for text in texts) or (holder.tag == "div" and not has_blocks):
        return
    paragraph, lead = Element("p"), holder.text
    for element in inner:
        holder.remove(element)
    holder.text, paragraph.text = None, lead
    for element in inner:
        if not is_block(element):
            paragraph.append(element)
            continue
        _append(holder, paragraph)
        paragraph = Element("p")
        paragraph.text, element.tail = element.tail, None
        holder.append(element)
    _append(holder, paragraph)


def _append(holder: HtmlElement, paragraph: HtmlElement) -> None:
    if len(paragraph) or (paragraph.text or "").strip():
        holder.append(paragraph)


def is_block(element: HtmlElement) -> bool:
    """Return whether an element begins on a line of its own."""
    return element.tag not in _IN_A_LINE


def _fix_script(element: HtmlElement) -> None:
    """Convert superscripts and subscripts to Unicode characters; drop footnote marks, as there are no notes."""
    if any((link.get("href") or "").startswith("#") for link in element.iter("a")):
        element.drop_tree()
        return
    words = element.text_content()
    mark, letters = ("^", _RAISED) if element.tag == "sup" else ("_", _LOWERED)
    is_known = all(ord(letter) in letters for letter in words)
    element.clear(keep_tail=True)
    element.text = words.translate(letters) if is_known else f"{mark}{words}"
    element.drop_tag()


def _take_formula(math: HtmlElement, placeholders: Placeholders) -> None:
    """Take out a formula as the TeX it was made from, if the page has it."""
    annotations = math.xpath(".//annotation[@encoding='application/x-tex']")
    tex = " ".join((annotations[0].text_content() if annotations else math.get("alttext") or "").split())
    if not tex or len(tex) > _MAX_FORMULA or "$" in tex:
        return
    shown = next((e for e in math.iterancestors("span", "mjx-container", "table") if _classes(e) & _FORMULAS), math)
    shown = shown if sum(1 for _ in shown.iter("math")) < 2 else math
    is_block = math.get("display") == "block"
    placeholders.take(shown, f"$$\n{tex}\n$$" if is_block else f"${tex}$", is_inline=not is_block)


def _fix_terms(element: HtmlElement) -> None:
    """Turn definition lists into paragraphs, and unwrap figures: otherwise they are torn or lost."""
    if element.tag == "dt":
        _make_term(element)
    else:
        element.attrib.clear()
        is_line = element.tag == "figcaption" or (element.tag == "dd" and not any(map(is_block, element)))
        element.tag = "p" if is_line else "div"


def _make_term(element: HtmlElement) -> None:
    """Turn a term or the heading of a box into a paragraph in bold, or in code if it is a signature."""
    words = " ".join(element.text_content().split())
    term = Element("code" if "sig" in _classes(element) else "strong")
    term.text = words
    element.clear(keep_tail=True)
    element.tag = "p"
    if words:
        element.append(term)


def _classes(element: HtmlElement) -> set[str]:
    return set((element.get("class") or "").split())


def _replace(element: HtmlElement, other: HtmlElement) -> None:
    other.tail = element.tail
    element.getparent().replace(element, other)
