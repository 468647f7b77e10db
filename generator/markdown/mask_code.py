"""A page's lines without its code: an address in code is no citation."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

import pyromark

from generator.markdown.positions import line_starts

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CLOSED = re.compile(rb"\n[ >\t]*(?:```+|~~~+)[ \t]*\n?$")
_SOURCES = re.compile(rb"^#{1,3} {1,3}(?:sources|references)\b", re.MULTILINE | re.IGNORECASE)

_ITEM = re.compile(rb"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]", re.MULTILINE)
_INDENTED_BODY = re.compile(rb"(?:!!!|\?\?\?|===|\[\^)")
"""Beginnings of blocks whose text is indented: admonitions, details, tabs, footnotes."""


class Lines:
    """The lines of a text, and quick answers to which of them hold some words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lower = text.lower()
        self.all = text.split("\n")
        self._starts = line_starts(self.all)

    def holding(self, words: Iterable[str], *, any_case: bool = False) -> list[int]:
        """The lines (0-based) that hold one of `words`, which are in small letters for `any_case`."""
        text = self._lower if any_case and len(self._lower) == len(self.text) else self.text
        found: set[int] = set()
        for word in words:
            position = text.find(word)
            while position >= 0:
                n = bisect_right(self._starts, position)
                found.add(n - 1)
                position = text.find(word, self._starts[n])
        return sorted(found)


def without_code(text: str) -> Lines:
    """The lines of `text` with blocks of code, comments and the addresses and citations in code spans blanked."""
    raw = bytearray(text.encode("utf-8", errors="replace"))
    length = len(raw.rstrip())
    for event, span in pyromark.events_with_range(raw.decode(), options=pyromark.Options.ENABLE_TABLES):
        if not isinstance(event, dict):
            continue
        start, end = span["start"], span["end"]
        block = event.get("Start")
        if "Code" in event:
            code = bytes(raw[start:end])
            raw[start:end] = _blank(code) if b"://" in code or b"[" in code else code.replace(b"`", b" ")
        elif isinstance(block, dict) and "CodeBlock" in block:
            if block["CodeBlock"] != "Indented":
                end = _fence_end(raw, start, end, is_last=end >= length)
            elif _is_text(raw, start, end):
                continue
            raw[start:end] = _blank(bytes(raw[start:end]))
    blanked = raw.decode("utf-8", errors="replace")
    stop = blanked.rfind("-->") + 3  # behind it, each `<!--` would be looked at up to the end of the text
    return Lines(_COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), blanked[:stop]) + blanked[stop:])


def _is_text(raw: bytearray, start: int, end: int) -> bool:
    """Return whether what CommonMark takes for indented code is meant as text: a list, or the body of an admonition."""
    if _ITEM.search(raw, start, end):
        return True
    above = bytes(raw[max(0, start - 400) : start]).rstrip().rpartition(b"\n")[2]
    return bool(_INDENTED_BODY.match(above))


def _fence_end(raw: bytearray, start: int, end: int, *, is_last: bool) -> int:
    """Return the end of a fenced block; the last of the text, if it is never closed, ends where the Sources begin."""
    if not is_last or _CLOSED.search(raw, start, end):
        return end
    heading = _SOURCES.search(raw, start, end)
    return heading.start() if heading else end


def _blank(code: bytes) -> bytes:
    return b"\n".join(b" " * len(line) for line in code.split(b"\n"))
