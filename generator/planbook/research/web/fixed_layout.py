"""Prose that is set with blanks and line breaks, as manual pages are, as elements of HTML."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lxml.html import Element, HtmlElement

from planbook.research.web.code_blocks import language_of
from planbook.research.web.inline_markdown import LETTER, count_letters

_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_ADORNMENT = re.compile(r"[ \t]*([=~*#^+_-])\1{2,}[ \t]*")
"""A line of one sign, below a heading or between two sections."""
_ITEM = re.compile(r"\s*[-*o\u2022]\s+\S")
_HANGING_INDENT = re.compile(
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
_CUT_WORD = r"-\n(?P<indent>[ \t]*)"
_REST_OF_CUT = r"(?P<rest>\S*)[ \t]*(?P<end>\n?)"
_HYPHEN = re.compile(
    rf"(?<![\w-])(?P<first>[^\W\d_]{{2,}}){_CUT_WORD}(?P<last>[a-zà-ÿ]{{2,}}){_REST_OF_CUT}"
)
"""A word that is divided at the end of a line, with the signs and blanks behind it."""
_CUT_NAME = re.compile(rf"(?<![\w-])(?P<first>\w+){_CUT_WORD}(?P<last>[^\W\d]\w*){_REST_OF_CUT}")
"""The same of a name, such as ``kiln_heat``."""


_TIME_OF_LINE = re.compile(
    r"^[ \t\[]*(?:[A-Z][a-z]{2}[ ]{1,2}\d{1,2}|\d{4}-\d\d-\d\d)[ T]\d\d:\d\d:\d\d\b", re.MULTILINE
)
"""The time at the beginning of a line of a log: ``Oct  3 20:39:27``, ``2026-10-03T20:39:27``."""
_LABEL_OF_LINE = re.compile(r"^[ \t]*[A-Za-z][\w.-]{0,30}:(?=[ \t])", re.MULTILINE)
"""The word at the beginning of a message: ``NOQUEUE: reject``."""


def join_hyphenated_words(text: str) -> str:
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


def set_prose(pre: HtmlElement) -> None:
    """Turn preformatted prose, such as a manual page, into blocks; its code stays.

    The blocks are headings, terms, items and paragraphs.
    """
    text = join_hyphenated_words(pre.text_content().replace("\r\n", "\n").expandtabs())
    pieces = [piece.strip("\n") for piece in _EMPTY_LINES.split(text) if piece.strip()]
    prose = sum(count_letters(piece) for piece in pieces if _is_prose(piece))
    if language_of(pre) or pre.find("code") is not None or 2 * prose <= count_letters(text):
        return
    pre.tag = "div"
    pre.text = None
    pre[:] = [element for piece in pieces for element in _laid_out(piece)]


def _is_prose(text: str, *, is_surrounded: bool = False) -> bool:
    """Return whether text is surely prose; if prose surrounds it, whether it is a sentence."""
    if _is_log(text):
        return False
    words = text.split()
    plain = sum(_PROSE_WORD.fullmatch(word) is not None for word in words)
    enough = max(_MIN_PROSE, _MIN_LINE * len(text.split("\n")))
    is_long = len(words) >= enough or (is_surrounded and text.rstrip()[-1:] in {".", ":"})
    return is_long and plain >= _SHARE_OF_PROSE * len(words) and not _CODE_LINE.search(text)


def _is_log(text: str) -> bool:
    """Return whether lines are messages of a program, which are read one by one.

    They begin with a time, or several with the same word and a colon.
    """
    labels = Counter(label[0].strip() for label in _LABEL_OF_LINE.finditer(text))
    has_same = any(uses > 1 for uses in labels.values())
    return has_same or _TIME_OF_LINE.search(text) is not None


def _laid_out(paragraph: str) -> Iterator[HtmlElement]:
    """Yield the elements that a paragraph shows by its indentation."""
    first, *below = paragraph.split("\n")
    hanging = _HANGING_INDENT.match(first)
    if hanging and below and all(_indent_of_line(line) == hanging.end() for line in below):
        yield from _hanging_block(hanging["mark"], [first[hanging.end() :], *below])
        return
    tag = _tag_of_title(first, below)
    if not tag:
        yield from _blocks_of_lines([first, *below], is_below_title=False)
        return
    yield _element(tag, first)
    is_underlined = bool(below) and _ADORNMENT.fullmatch(below[0]) is not None
    yield from _blocks_of_lines(below[1:] if is_underlined else below, is_below_title=True)


def _hanging_block(mark: str, lines: Sequence[str]) -> Iterator[HtmlElement]:
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
    if len(line.split()) <= _MAX_TERM and _indent_of_line(line) < min(
        map(_indent_of_line, below), default=0
    ):
        return "h2" if line.isupper() and not _indent_of_line(line) else "dt"
    if not below and line.isupper() and LETTER.match(line):
        return "h2"
    return ""


def _blocks_of_lines(lines: Sequence[str], *, is_below_title: bool) -> Iterator[HtmlElement]:
    """Yield the list, paragraph or code that these lines are; nothing for a line of one sign."""
    items = [index for index, line in enumerate(lines) if _ITEM.match(line)]
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


def _indent_of_line(line: str) -> int:
    return len(line) - len(line.lstrip())
