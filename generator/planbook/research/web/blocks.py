"""Convert a page of HTML to Markdown, block by block.

Blocks are headings, paragraphs, items, terms, code and tables. Each is converted as a whole and in
the page's order, so that no sentence loses its beginning and no text comes below a heading of other
text.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

import lxml.html
from lxml.html import Element, HtmlElement

from planbook.research.web.responses import tidy

INLINE = frozenset(
    {
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del"),
        *("dfn", "em", "font", "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt"),
        *("ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tex", "time"),
        *("tt", "u", "var", "wbr"),
    }
)
"""Elements that are part of a line of text; ``tex`` is a formula, already in Markdown."""
UNSEEN = frozenset(
    {
        *("script", "style", "noscript", "template", "head"),
        *("svg", "iframe", "object", "select", "textarea"),
    }
)
"""Elements whose text a reader does not see."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MARKS = {"em": "*", "i": "*", "strong": "**", "b": "**", "del": "~~", "s": "~~", "strike": "~~"}
_OPEN = "\ue000"
_CLOSE = "\ue001"
"""Before the marks of emphasis, until the blanks at its ends have moved out of it."""
_EMPTY_EMPHASIS = re.compile(rf"{_OPEN}([*~]+)(\s*){_CLOSE}\1")
_OPENING = re.compile(rf"{_OPEN}([*~]+)(\s*)")
_CLOSING = re.compile(rf"(?<!\s)(\s*){_CLOSE}([*~]+)")
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_RAISED = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-()", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎")
_MARKUP = re.compile(r"\\[(\[](?P<tex>.{1,500}?)\\[)\]]|[\\`*\[\]<]|~~|(?<!\w)_|_(?!\w)")
"""Formulas, and characters that are text in HTML, but markup in Markdown."""
_BLOCK_START = re.compile(r"\A(\d{1,3}(?=[.)]\s)|(?=#{1,6}\s|[-+>]\s|[>~=]))")
"""Beginnings of blocks in Markdown: ``1.``, ``## ``, ``- ``, ``>``."""
_BEFORE_LANGUAGE = r"language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*|src-"
_LANGUAGE = re.compile(
    rf"(?:^|\s)(?:{_BEFORE_LANGUAGE})(?P<name>[\w+#.-]{{1,20}})"
    r"|(?:^|\s)(?:sourceCode|hljs|prettyprint)\s+(?P<bare>[a-z][\w+#-]{0,19})(?:\s|$)"
)
"""Classes that name the language of code: Sphinx, GitHub, MDN, Prism, Pandoc."""
_NO_LANGUAGE = frozenset({"default", "none", "notranslate", "plain", "plaintext", "text", "txt"})
_NAMING_ATTRIBUTES = ("data-lang", "data-language", "syntax")
_DEPTH_OF_LANGUAGE = 3
_LINES_IN_CODE = frozenset({"div", "li", "p", "tr"})
_MAX_ROWS = 500
_MAX_COLUMNS = 40
_MAX_CELL = 2_000
"""Maximum number of characters.

A larger cell is layout, or hostile: a cell may claim to span a million columns.
"""

_HIDING = re.compile(
    r"(?:^|;)\s*(?:display:\s*none|visibility:\s*hidden|font-size:\s*0(?:px|em|rem|pt)?\s*(?:;|$))",
    re.I,
)
"""Styles of hidden elements: ``display: none``."""
_TIPS = frozenset({"dropdown-menu", "popover", "tooltip", "tooltiptext", "ttc"})
"""Classes of menus and tooltips, which a style sheet hides until the pointer is above them."""
_MOST_OF_PAGE = 0.8
"""Share of a page's letters above which a hidden element is its content."""
_PERMALINK = re.compile(r"[\s#§¶🔗◆\u200b]*|\[?(?:toc|top|contents|permalink)\]?", re.IGNORECASE)

_DOXYGEN = {"title": "h1", "fragment": "pre", "memItemRight": "dt"}
"""The elements that the classes of Doxygen stand for."""
_SECTION = re.compile(r"(?:sub)*sect(?:ion)?\d?|chapter|appendix|article|main|body", re.IGNORECASE)
"""Classes and elements that hold a section of the text, which is no box within it."""

_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_ADORNMENT = re.compile(r"[ \t]*([=~*#^+_-])\1{2,}[ \t]*")
"""A line of one sign, below a heading or between two sections."""
_ITEM = re.compile(r"\s*[-*o\u2022]\s+\S")
_HANGING = re.compile(
    r"""
    \s*
    (?P<mark> [-*o\u2022] | \(?\d{1,3}[.)]     # an item: "o", "2)"
            | --?\w[\w-]*                     # an option
            | \S+(?:[ ]\S+){0,2}? (?=\s{2}) )  # a term of up to three words
    \s+ (?=\S)
    """,
    re.VERBOSE,
)
"""A mark or a term before a text whose further lines begin below its first word."""
_NUMBER = re.compile(r"\(?\d{1,3}[.)]")
_ITEM_MARK = re.compile(r"\A\s*[-*o\u2022]\s+")
_LETTER = re.compile(r"[^\W\d_]")
_PROSE_WORD = re.compile(
    r"[(\"'\u201c\u2018]*[^\W\d_]+(?:['\u2019/-][^\W\d_]+)*[)\"'\u201d\u2019]*[.,;:!?]*\)?"
)
_CODE_LINE = re.compile(r"^[^\S\n]*(?:[$#%>]|//|==|/?\*\s)|[{};=]\s*$", re.MULTILINE)
_MIN_PROSE = 8
"""Minimum number of words of a paragraph that is surely prose."""
_MIN_LINE = 5
"""Minimum number of words of its lines, on average."""
_SHARE_OF_PROSE = 0.7
"""Minimum share of its words without digits and signs."""
_MAX_TERM = 12
"""Maximum number of words of a line that is the heading or term of the lines below it."""
_CUT = r"-\n(?P<indent>[ \t]*)"
_REST_OF_CUT = r"(?P<rest>\S*)[ \t]*(?P<end>\n?)"
_HYPHEN = re.compile(
    rf"(?<![\w-])(?P<first>[^\W\d_]{{2,}}){_CUT}(?P<last>[a-zà-ÿ]{{2,}}){_REST_OF_CUT}"
)
"""A word that is divided at the end of a line, with the signs and blanks behind it."""
_CUT_NAME = re.compile(rf"(?<![\w-])(?P<first>\w+){_CUT}(?P<last>[^\W\d]\w*){_REST_OF_CUT}")
"""The same of a name, such as ``kiln_heat``."""

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
        _set_prose(pre)
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
    whole = _MOST_OF_PAGE * count_letters(tree.text_content())
    hidden = [element for element in tree.iter() if _is_hidden(element)]
    outside_tabs = [element for element in hidden if element.get("role") != "tabpanel"]
    drop(
        tab_content
        for tab_content in outside_tabs
        if count_letters(tab_content.text_content()) <= whole
    )


def _is_hidden(element: HtmlElement) -> bool:
    """Return whether an attribute, a style or a class hides an element."""
    if element.get("hidden") is not None:
        return True
    return bool(_HIDING.search(element.get("style") or "") or classes_of(element) & _TIPS)


def classes_of(element: HtmlElement) -> set[str]:
    """Return the classes of an element."""
    return set((element.get("class") or "").split())


# --- prose with a fixed layout --------------------------------------------------------------------


def unhyphenated(text: str) -> str:
    """Return `text` without the hyphens that divide words at line ends.

    Those of compounds stay, without the line end. A word with a hyphen is a compound if both of its
    parts occur as words, and the whole does not.
    """
    # The halves of divided words are no words.
    undivided = _CUT_NAME.sub(" ", text)
    known = set(re.findall(r"[^\W\d_]{2,}", undivided.casefold()))
    names = set(re.findall(r"\w*_\w+", undivided))

    def name(match: re.Match[str]) -> str:
        """Return a name that was divided, if the text has it whole; else what was found."""
        whole = match["first"] + match["last"]
        return _put_on_own_line(whole, match) if whole in names else match[0]

    def word(match: re.Match[str]) -> str:
        """Return the word that was divided, and end the line behind it."""
        first, last = match["first"], match["last"]
        are_words = {first.casefold(), last.casefold()} <= known
        is_compound = are_words and (first + last).casefold() not in known
        return _put_on_own_line(f"{first}-{last}" if is_compound else f"{first}{last}", match)

    return _HYPHEN.sub(word, _CUT_NAME.sub(name, text))


def _put_on_own_line(word: str, cut: re.Match[str]) -> str:
    """Return a word that was divided, at the end of its line; the next one keeps its indent."""
    indent = "" if cut["end"] else cut["indent"]
    return f"{word}{cut['rest']}\n{indent}"


def _set_prose(pre: HtmlElement) -> None:
    """Turn preformatted prose, such as a manual page, into blocks; its code stays.

    The blocks are headings, terms, items and paragraphs.
    """
    text = unhyphenated(pre.text_content().replace("\r\n", "\n").expandtabs())
    pieces = [piece.strip("\n") for piece in _EMPTY_LINES.split(text) if piece.strip()]
    prose = sum(count_letters(piece) for piece in pieces if _is_prose(piece))
    if language_of(pre) or pre.find("code") is not None or 2 * prose <= count_letters(text):
        return
    pre.tag = "div"
    pre.text = None
    pre[:] = [element for piece in pieces for element in _laid_out(piece)]


def _is_prose(text: str, *, is_surrounded: bool = False) -> bool:
    """Return whether text is surely prose; if prose surrounds it, whether it is a sentence."""
    words = text.split()
    plain = sum(_PROSE_WORD.fullmatch(word) is not None for word in words)
    enough = max(_MIN_PROSE, _MIN_LINE * len(text.split("\n")))
    is_long = len(words) >= enough or (is_surrounded and text.rstrip()[-1:] in {".", ":"})
    return is_long and plain >= _SHARE_OF_PROSE * len(words) and not _CODE_LINE.search(text)


def _laid_out(paragraph: str) -> Iterator[HtmlElement]:
    """Yield the elements that a paragraph shows by its indentation."""
    first, *below = paragraph.split("\n")
    hanging = _HANGING.match(first)
    if hanging and below and all(_indent(line) == hanging.end() for line in below):
        yield from _hanging(hanging["mark"], [first[hanging.end() :], *below])
        return
    tag = _tag_of_title(first, below)
    if not tag:
        yield from _body([first, *below], is_below_title=False)
        return
    yield _element(tag, first)
    is_underlined = bool(below) and _ADORNMENT.fullmatch(below[0]) is not None
    yield from _body(below[1:] if is_underlined else below, is_below_title=True)


def _hanging(mark: str, lines: Sequence[str]) -> Iterator[HtmlElement]:
    """Yield the item, paragraph or definition that lines are which stand behind a mark."""
    text = "\n".join(map(str.strip, lines))
    if _NUMBER.fullmatch(mark):  # each is a paragraph: a list would begin again with 1
        yield _element("p", f"{mark} {text}")
    elif _ITEM_MARK.match(f"{mark} "):
        yield _element("ul", "", [_element("li", text)])
    else:
        yield from (_element("dt", mark), _element("p", text))


def _tag_of_title(line: str, below: Sequence[str]) -> str:
    """Return the tag of a first line that is a heading or a term; empty if it is neither."""
    if below and _ADORNMENT.fullmatch(below[0]):
        return "h2"
    if len(line.split()) <= _MAX_TERM and _indent(line) < min(map(_indent, below), default=0):
        return "h2" if line.isupper() and not _indent(line) else "dt"
    if not below and line.isupper() and _LETTER.match(line):
        return "h2"
    return ""


def _body(lines: Sequence[str], *, is_below_title: bool) -> Iterator[HtmlElement]:
    """Yield the list, paragraph or code that these lines are; nothing for a line of one sign."""
    items = [number for number, line in enumerate(lines) if _ITEM.match(line)]
    text = "\n".join(lines)
    if len(items) > 1 and items[0] == 0:
        written = ["\n".join(lines[start:end]) for start, end in pairwise([*items, len(lines)])]
        yield _element("ul", "", [_element("li", _ITEM_MARK.sub("", item)) for item in written])
    elif text.strip() and not _ADORNMENT.fullmatch(text):
        is_paragraph = is_below_title or _is_prose(text, is_surrounded=True)
        yield _element("p" if is_paragraph else "pre", text)


def _element(tag: str, text: str, inside: Sequence[HtmlElement] = ()) -> HtmlElement:
    """Return a new element with a text and elements in it."""
    element = Element(tag)
    element.text = textwrap.dedent(text)
    element.extend(inside)
    return element


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# --- text -----------------------------------------------------------------------------------------


def drop(elements: Iterable[HtmlElement]) -> None:
    """Remove elements with their content."""
    for element in list(elements):
        if element.getparent() is not None:
            element.drop_tree()


def count_letters(text: str) -> int:
    """Return the number of letters and digits in a text."""
    return sum(map(str.isalnum, text))


def flatten(
    root: HtmlElement,
    inner: Callable[[HtmlElement], Sequence[HtmlElement | str]],
    clean: Callable[[str], str] = str,
) -> Iterator[str]:
    """Yield the pieces of an element's text.

    `inner` returns what an element contains, `clean` applies to tails.
    """
    stack: list[HtmlElement | str] = [root]
    while stack:  # not recursive: elements may nest deeper than Python's recursion limit
        current = stack.pop()
        if isinstance(current, str):
            yield current
            continue
        if current is not root:
            stack.append(clean(current.tail or ""))
        stack += reversed(inner(current))


def joined(blocks: Sequence[PageBlock]) -> str:
    """Return blocks as Markdown: items of a list on adjacent lines, all else in paragraphs.

    A comment separates definitions from what comes after them.
    """
    blocks_with_terms = _turn_boxes_into_terms(blocks)
    if not blocks_with_terms:
        return ""
    pieces = [blocks_with_terms[0].markdown]
    for before, block in pairwise(blocks_with_terms):
        is_item = block.items is not None and before.items is block.items
        pieces.append("\n" if is_item else "\n\n")
        if _leaves_definitions(before, block):
            pieces.append("<!-- -->\n\n")
        pieces.append(block.markdown)
    return "".join(pieces)


def _leaves_definitions(before: PageBlock, block: PageBlock) -> bool:
    """Return whether a block, unless it is a heading, comes after the definitions before it."""
    definitions = next(before.element.iterancestors("dl"), None)
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
            if element is not root and (element in self._holders or element.tag not in INLINE):
                self._holders.add(element.getparent())

    def read(self) -> Iterator[PageBlock]:
        """Yield the blocks in order."""
        stack = [self._root]
        while stack:
            element = stack.pop()
            tag = element.tag
            if tag in UNSEEN:
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
            if element.tag in INLINE and element not in self._holders:
                pieces[-1].append(element)
                continue
            after = Element("p")
            after.text, element.tail = element.tail, None
            pieces += [element, after]
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
        return PageBlock(element, _BLOCK_START.sub(r"\1\\", text))

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
    return f"`{words}`" if is_signature else f"**{_escaped(words)}**"


_NEXT_NAME = "\x00"
"""Between two names of a term, until they are joined by commas."""
_NAME_MARKS = (*_CODE, "span", "strong", "b")


def _names_of_term(element: HtmlElement) -> str:
    """Return the words of a term.

    Those on several lines, or in adjacent marks, are several names of it.
    """
    words = "".join(flatten(element, _contents_of_term, _join_lines))
    names = [" ".join(name.split()) for name in words.split(_NEXT_NAME)]
    joined_names = ", ".join(name for name in names if name)
    return re.sub(r"([,;:/|]), ", r"\1 ", joined_names)  # a name may end in a mark of its own


def _contents_of_term(element: HtmlElement) -> list[HtmlElement | str]:
    """Return the contents of an element of a term, with a mark before the next name."""
    if element.tag == "br":
        return [_NEXT_NAME]
    is_name = element.tag in _NAME_MARKS and _is_before_name(element)
    return [_join_lines(element.text or ""), *element, _NEXT_NAME if is_name else ""]


def _join_lines(text: str) -> str:
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


def line_markdown(element: HtmlElement) -> str:
    """Return the text of an element that holds no blocks, in one line of Markdown."""
    return " ".join(text_markdown(element).split())


def text_markdown(element: HtmlElement) -> str:
    """Return the text of an element that holds no blocks, as Markdown."""
    text = "".join(flatten(element, _inline_markdown, _escaped))
    if not text.isascii():  # it may have emphasis
        text = _EMPTY_EMPHASIS.sub(r"\2", text)
        text = _OPENING.sub(r"\2\1", text)
        text = _CLOSING.sub(r"\2\1", text)
    if "  " in text or "\n " in text:
        text = re.sub(r" {2,}", " ", text)
        text = re.sub(r"\n +", "\n", text)
    return tidy(text)


def _inline_markdown(element: HtmlElement) -> list[HtmlElement | str]:
    """Return the contents of an element within a line, with Markdown around them."""
    tag = element.tag
    if tag == "br":
        return ["\n"]
    if tag in UNSEEN:
        return []
    if tag in {"tex", "displayed-tex"}:
        return [element.text or ""]
    if tag in _CODE:
        return [_code_span(element)]
    if tag in {"sub", "sup"}:
        return [_escaped(_script(element))]
    if tag in _MARKS:
        before = f"{_OPEN}{_MARKS[tag]}"
        behind = f"{_CLOSE}{_MARKS[tag]}"
    else:
        before = behind = "" if tag in INLINE else " "
    return [before, _escaped(element.text or ""), *element, behind]


def _code_span(element: HtmlElement) -> str:
    """Return code within a line; as text, if it cannot be between backticks."""

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element, with a blank for the end of a line."""
        return [" " if element.tag == "br" else element.text or "", *element]

    words = " ".join("".join(flatten(element, inner)).split())
    return f"`{words}`" if words and "`" not in words else words


def _escaped(text: str) -> str:
    """Return text in one line, without Markdown."""
    line = re.sub(r"\s+", " ", text) if text else ""
    return _MARKUP.sub(_escaped_mark, line)


def _escaped_mark(mark: re.Match[str]) -> str:
    """Return a formula as Markdown writes it, and any other mark with a backslash before it."""
    return f"${mark['tex']}$" if mark["tex"] else f"\\{mark[0]}"


def _script(element: HtmlElement) -> str:
    """Return a superscript or subscript in Unicode characters; nothing for a mark of a note."""
    if any((link.get("href") or "").startswith("#") for link in element.iter("a")):
        return ""
    words = element.text_content()
    mark, letters = ("^", _RAISED) if element.tag == "sup" else ("_", _LOWERED)
    has_all = all(ord(letter) in letters for letter in words)
    return str(words.translate(letters)) if has_all else f"{mark}{words}"


# --- code -----------------------------------------------------------------------------------------


def code_markdown(pre: HtmlElement) -> str:
    """Return the code in a fence with its language, every line as displayed."""

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element, with NUL for the end of a block."""
        if element.tag == "br":
            return ["\n"]
        if element.tag in {"script", "style"}:
            return []
        is_line = element.tag in _LINES_IN_CODE and element is not pre
        return [element.text or "", *element, "\x00" if is_line else ""]

    # Highlighters end lines with line feeds, with <br>, or with blocks.
    text = re.sub(r"\n?\x00+", "\n", "".join(flatten(pre, inner)))
    text = text.replace("\r\n", "\n").replace("\u00a0", " ").replace("\u200b", "")
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)
    code = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language_of(pre)}\n{code}\n{fence}" if code else ""


def language_of(pre: HtmlElement) -> str:
    """Return the language of a code block as its highlighter names it; empty if it is not named."""
    ancestors = islice(pre.iterancestors("div", "figure", "devsite-code"), _DEPTH_OF_LANGUAGE)
    for element in (pre, *pre.iterdescendants("code"), *ancestors):
        for name in _language_names(element):
            plain = name.strip().lower()
            if plain in _NO_LANGUAGE:
                return ""
            if re.fullmatch(r"[a-z][\w+#.-]{0,19}", plain):
                return plain
    return ""


def _language_names(element: HtmlElement) -> list[str]:
    """Return what an element names as the language of its code: an attribute, else its classes."""
    for attribute in _NAMING_ATTRIBUTES:
        named = element.get(attribute)
        if named:
            return [named]
    classes = _LANGUAGE.finditer(element.get("class") or "")
    return [match["name"] or match["bare"] for match in classes]


# --- tables ---------------------------------------------------------------------------------------


def is_data(table: HtmlElement) -> bool:
    """Return whether the table holds data, not layout."""
    frames = next(table.iterdescendants("table", "form", "h1", "h2"), None)
    if table.get("role") in {"none", "presentation"} or frames is not None:
        return False
    rows = _rows(table)
    has_head = next(table.iterdescendants("th", "thead"), None) is not None
    return bool(rows) and (has_head or (len(rows) > 1 and len(rows[0]) > 1))


def table_markdown(table: HtmlElement, text_of: Callable[[HtmlElement], str]) -> str:
    """Return the table with pipes, its caption in a paragraph above.

    A cell that spans rows is repeated in each.
    """
    rows = _rows(table)
    texts = _spread(rows, text_of)
    width = max(map(len, texts))
    head = texts.pop(0) if any(cell.tag == "th" for cell in rows[0]) else []
    lines = [_row(head, width), _row(["---"] * width, width), *(_row(row, width) for row in texts)]
    caption = next(map(text_of, table.iterchildren("caption")), "")
    if caption:
        lines = [caption, "", *lines]
    return "\n".join(lines)


def _rows(table: HtmlElement) -> list[list[HtmlElement]]:
    """Return the cells of each row that has any."""
    rows: list[list[HtmlElement]] = []
    for row in table.iterdescendants("tr"):
        cells = [cell for cell in row if cell.tag in {"td", "th"}]
        if cells:
            rows.append(cells)
        if len(rows) == _MAX_ROWS:
            break
    return rows


def _spread(
    rows: list[list[HtmlElement]], text_of: Callable[[HtmlElement], str]
) -> list[list[str]]:
    """Return the texts of the cells, each in its column."""
    spread = []
    # By column: the text of a cell in a row above, and in how many more rows it stands.
    from_above: dict[int, tuple[str, int]] = {}
    for cells in rows:
        texts: list[str] = []
        waiting = list(cells)
        while (waiting or len(texts) in from_above) and len(texts) < _MAX_COLUMNS:
            above, left = from_above.pop(len(texts), ("", 0))
            if left:
                if left > 1:
                    from_above[len(texts)] = (above, left - 1)
                texts.append(above)
                continue
            cell = waiting.pop(0)
            text = text_of(cell)[:_MAX_CELL].replace("|", "\\|")
            below = _span(cell, "rowspan") - 1
            for nth in range(_span(cell, "colspan")):
                if below:
                    from_above[len(texts)] = (text if nth == 0 else "", below)
                texts.append(text if nth == 0 else "")
        spread.append(texts[:_MAX_COLUMNS])
    return spread


def _span(cell: HtmlElement, name: str) -> int:
    """Return how many rows or columns a cell spans."""
    value = (cell.get(name) or "1").strip()
    is_number = value.isascii() and value.isdigit() and len(value) < 9
    return min(max(int(value), 1), _MAX_COLUMNS) if is_number else 1


def _row(texts: list[str], width: int) -> str:
    """Return a row of a table, with empty cells at its end up to the width."""
    missing = [""] * (width - len(texts))
    return f"| {' | '.join([*texts, *missing])} |"
