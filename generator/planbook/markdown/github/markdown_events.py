"""The events of pyromark (pulldown-cmark) for one text, in the form that the renderer reads.

pyromark gives nested dictionaries, and text without its escapes. Here, each event is flat, and
characters that the author escaped, or wrote as entities, are marked as Python-Markdown marks them:
its tree processors take them for text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Any, NamedTuple

import pyromark
from markdown.util import ETX, STX

Options = pyromark.Options

START, LEAF, END = 1, 0, -1
"""The steps of events: the start of an element, one without content, the end of an element."""
_STEPS = {"Start": START, "End": END}

COLON = f"{STX}colon{ETX}"
"""Stands for a colon at the start of a line that begins no definition."""

_ESCAPE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|&(?:\#[xX](?P<hexadecimal>[0-9a-fA-F]{1,6})|\#(?P<decimal>[0-9]{1,7})"
    r"|(?P<name>[A-Za-z][A-Za-z0-9]*;));?"
)
"""An escaped character (https://spec.commonmark.org/0.31.2/#backslash-escapes), or an entity."""
_ENTITY = re.compile(r"&(?=(?:\#[0-9]+|\#x[0-9a-f]+|[0-9a-z]+);)", re.IGNORECASE)
"""An ampersand that Python-Markdown's serializer would leave, because an entity seems to follow."""
_MARKED_CHARACTER = re.compile(rf"{STX}([0-9]+){ETX}")
_NO_CHARACTER = "\ufffd"


class MarkdownEvent(NamedTuple):
    """One event."""

    step: int
    name: str
    """The element's name in pulldown-cmark."""
    detail: Any
    """The element's details, or the text of a leaf; ``None`` if there are none."""
    start: int
    end: int
    """The place of the element in the text, in bytes of UTF-8."""


_new: Any = tuple.__new__
"""Makes a named tuple in half the time that its own class takes."""


def events_of(raw: bytes, options: pyromark.Options) -> Iterator[MarkdownEvent]:
    """Yield the events of a text in UTF-8, with adjacent texts merged.

    Characters of running text that the author escaped are marked; code is as it is written.
    """
    has_colons = COLON.encode() in raw
    is_code = False
    event: Any
    for event, span in pyromark.events_with_range(raw.decode(), options=options, merge_text=True):
        start, end = span["start"], span["end"]
        if isinstance(event, str):
            yield _new(MarkdownEvent, (LEAF, event, None, start, end))
            continue
        name, detail = event.popitem()
        if name in _STEPS:
            step = _STEPS[name]
            name, detail = (detail, None) if isinstance(detail, str) else detail.popitem()
            is_code = step == START if name == "CodeBlock" else is_code
            yield _new(MarkdownEvent, (step, name, detail, start, end))
            continue
        text = detail
        if name == "Text" and not is_code:
            text = _marked_text(raw, start, end, detail)
        text = text.replace(COLON, ":") if has_colons else text
        yield _new(MarkdownEvent, (LEAF, name, text, start, end))


def _marked_text(raw: bytes, start: int, end: int, detail: str) -> str:
    """Return running text with marks for what the author escaped, or wrote as an entity."""
    is_escaped_at_start = start > 0 and raw[start - 1 : start] == b"\\"
    if is_escaped_at_start and not detail[:1].isalnum() and detail[:1].isascii():
        start -= 1
    elif end - start == (len(detail) if detail.isascii() else len(detail.encode())):
        return detail
    return protect_characters(raw[start:end].decode())


def protect_characters(source: str) -> str:
    """Return inline text in which escaped characters, and those of entities, are marked."""
    return _ESCAPE.sub(_protected_match, source)


def _protected_match(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "escaped":
        return protected_character(match[kind])
    if not match[0].endswith(";"):
        return match[0]
    if kind == "name":
        character = html5.get(match[kind], match[0])
        return character if character == match[0] else protected_character(character)
    code_point = int(match["decimal"]) if kind == "decimal" else int(match["hexadecimal"], 16)
    is_valid = 0 < code_point < 0x110000 and not 0xD800 <= code_point < 0xE000
    return protected_character(chr(code_point) if is_valid else _NO_CHARACTER)


def protected_character(character: str) -> str:
    """Return a character in the form that Python-Markdown has for one that is only text."""
    is_plain = len(character) > 1 or character.isalnum() or not character.isascii()
    is_escaped_in_html = character in "<&"
    return character if is_plain or is_escaped_in_html else f"{STX}{ord(character)}{ETX}"


def restore_characters(text: str) -> str:
    """Return text with its marked characters as they are."""
    return _MARKED_CHARACTER.sub(lambda match: chr(int(match[1])), text) if STX in text else text


def escape_entities(text: str) -> str:
    """Return text so that Python-Markdown's serializer shows what it says, such as ``&lt;``."""
    return _ENTITY.sub("&amp;", text) if "&" in text else text
