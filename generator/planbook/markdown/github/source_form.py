"""The form of a page's text that pyromark reads as GitHub and Material's extensions do."""

from __future__ import annotations

import re
from collections.abc import Callable

from planbook.markdown.github.autolinks import has_signed_address, protect_addresses
from planbook.markdown.github.markdown_events import COLON, Options
from planbook.markdown.github.table_separators import separate_tables

NOTE = "[^"
"""The beginning of a footnote, and of a reference to one."""
_FOOTNOTE_BELOW = re.compile(r"^([ >\t]*\[\^[^\]\s]+\]:)[ \t]*\n[ \t]+(?=\S)", re.MULTILINE)
"""A label whose footnote begins on the next line."""
_DEFINITION = re.compile(r"^[ >\t]*:[ \t]", re.MULTILINE)
"""A line that may define a term."""
_COLON_AFTER_MARK = re.compile(r":(?<![^ >\t\n]:)[ \t]")
"""The colon of such a line; a pattern that begins with a sign is found in a tenth of the time."""
_MARKS = r"[ >\t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*"
"""Marks of quotes and lists before the text of a line."""
_COLON_OF_TEXT = re.compile(rf"^({_MARKS}):(?=[^ \t\n])", re.MULTILINE)
"""A colon that pyromark would take for a definition, such as that of an emoji, in a line."""
_ROUND_FORMULA = re.compile(r"(?<!\\)\\\(((?:(?!\\\().)+?)(?<!\\)\\\)", re.DOTALL)
"""A formula between round brackets with backslashes, which are escapes in CommonMark."""
_FENCE = r"^[ \t>]*(?:```|~~~)"
_CODE = re.compile(rf"({_FENCE}.*?{_FENCE}[^\n]*$|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
"""Fenced code, and code spans on one line."""


def normalize_source(
    text: str,
    options: Options,
    show_formula: Callable[[str], str],
    *,
    links_addresses: bool,
) -> tuple[str, Options]:
    """Return the text in the form that pyromark reads, and the options for it.

    Args:
        text: Markdown, with the blocks of extensions masked.
        options: the syntax that the site has.
        show_formula: returns what stands for a formula on the page.
        links_addresses: whether addresses without brackets become links.
    """
    text = separate_tables(text, options)
    if links_addresses and has_signed_address(text):
        text = _outside_code(text, protect_addresses)
    if Options.ENABLE_MATH in options and "\\(" in text:
        text = _outside_code(
            text,
            lambda prose: _ROUND_FORMULA.sub(lambda formula: show_formula(formula[0]), prose),
        )
    has_notes = Options.ENABLE_FOOTNOTES in options and NOTE in text
    if has_notes and _FOOTNOTE_BELOW.search(text):
        text = _outside_code(text, lambda prose: _FOOTNOTE_BELOW.sub(r"\1 ", prose))
    if Options.ENABLE_DEFINITION_LIST in options and not _may_define(text):
        # no line begins as a definition does, so the option would only cost time
        options &= ~Options.ENABLE_DEFINITION_LIST
    elif Options.ENABLE_DEFINITION_LIST in options and _COLON_OF_TEXT.search(text):
        text = _outside_code(text, lambda prose: _COLON_OF_TEXT.sub(rf"\1{COLON}", prose))
    return text, options


def _may_define(text: str) -> bool:
    """Return True for a text that may define a term."""
    return bool(_COLON_AFTER_MARK.search(text) and _DEFINITION.search(text))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return text that is changed outside of fenced code and code spans."""
    pieces = _CODE.split(text)
    return "".join(piece if n % 2 else change(piece) for n, piece in enumerate(pieces))
