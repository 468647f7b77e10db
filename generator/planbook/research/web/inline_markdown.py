"""The text of an element of HTML as Markdown: marks, code, formulas, escapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from lxml.html import HtmlElement

from planbook.research.web.responses import tidy

INLINE_TAGS = frozenset(
    {
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del"),
        *("dfn", "em", "font", "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt"),
        *("ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tex", "time"),
        *("tt", "u", "var", "wbr"),
    }
)
"""Elements that are part of a line of text; ``tex`` is a formula, already in Markdown."""
UNSEEN_TAGS = frozenset(
    {
        *("script", "style", "noscript", "template", "head"),
        *("svg", "iframe", "object", "select", "textarea"),
    }
)
"""Elements whose text a reader does not see."""
_MARKS = {"em": "*", "i": "*", "strong": "**", "b": "**", "del": "~~", "s": "~~", "strike": "~~"}
_OPEN_MARK = "\ue000"
_CLOSE_MARK = "\ue001"
"""Before the marks of emphasis, until the blanks at its ends have moved out of it."""
_EMPTY_EMPHASIS = re.compile(rf"{_OPEN_MARK}([*~]+)(\s*){_CLOSE_MARK}\1")
_OPENING_EMPHASIS = re.compile(rf"{_OPEN_MARK}([*~]+)(\s*)")
_CLOSING_EMPHASIS = re.compile(rf"(?<!\s)(\s*){_CLOSE_MARK}([*~]+)")
CODE_TAGS = frozenset({"code", "kbd", "samp", "tt"})
_SUPERSCRIPTS = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-()", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎")
_MARKUP = re.compile(r"\\[(\[](?P<tex>.{1,500}?)\\[)\]]|[\\`*\[\]<]|~~|(?<!\w)_|_(?!\w)")
"""Formulas, and characters that are text in HTML, but markup in Markdown."""
BLOCK_START = re.compile(r"\A(\d{1,3}(?=[.)]\s)|(?=#{1,6}\s|[-+>]\s|[>~=]))")
"""Beginnings of blocks in Markdown: ``1.``, ``## ``, ``- ``, ``>``."""
LETTER = re.compile(r"[^\W\d_]")


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


def line_markdown(element: HtmlElement) -> str:
    """Return the text of an element that holds no blocks, in one line of Markdown."""
    return " ".join(text_markdown(element).split())


def text_markdown(element: HtmlElement) -> str:
    """Return the text of an element that holds no blocks, as Markdown."""
    text = "".join(flatten(element, _inline_markdown, escape_marks))
    if not text.isascii():  # it may have emphasis
        text = _EMPTY_EMPHASIS.sub(r"\2", text)
        text = _OPENING_EMPHASIS.sub(r"\2\1", text)
        text = _CLOSING_EMPHASIS.sub(r"\2\1", text)
    if "  " in text or "\n " in text:
        text = re.sub(r" {2,}", " ", text)
        text = re.sub(r"\n +", "\n", text)
    return tidy(text)


def _inline_markdown(element: HtmlElement) -> list[HtmlElement | str]:
    """Return the contents of an element within a line, with Markdown around them."""
    tag = element.tag
    if tag == "br":
        return ["\n"]
    if tag in UNSEEN_TAGS:
        return []
    if tag in {"tex", "displayed-tex"}:
        return [element.text or ""]
    if tag in CODE_TAGS:
        return [_code_span(element)]
    if tag in {"sub", "sup"}:
        return [escape_marks(_script(element))]
    if tag in _MARKS:
        opening = f"{_OPEN_MARK}{_MARKS[tag]}"
        behind = f"{_CLOSE_MARK}{_MARKS[tag]}"
    else:
        opening = behind = "" if tag in INLINE_TAGS else " "
    return [opening, escape_marks(element.text or ""), *element, behind]


def _code_span(element: HtmlElement) -> str:
    """Return code within a line; as text, if it cannot be between backticks."""

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element, with a blank for the end of a line."""
        return [" " if element.tag == "br" else element.text or "", *element]

    words = " ".join("".join(flatten(element, inner)).split())
    return f"`{words}`" if words and "`" not in words else words


def escape_marks(text: str) -> str:
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
    mark, letters = ("^", _SUPERSCRIPTS) if element.tag == "sup" else ("_", _SUBSCRIPTS)
    has_all = all(ord(letter) in letters for letter in words)
    return str(words.translate(letters)) if has_all else f"{mark}{words}"
