"""The fenced code of a page, block by block, as CommonMark sees it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import pyromark

from generator.markdown.front_matter import body_start
from generator.markdown.positions import line_starts

_OPENING = re.compile(r"(`{3,}|~{3,})[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Fenced code."""

    language: str
    """The first word behind its fence, in small letters."""
    code: str
    """What stands in it, without the indent of its list."""
    line: int
    """Of its opening fence, 1-based."""
    fence: str
    """Its opening fence's ticks or tildes."""


def without_front_matter(text: str) -> str:
    """`text` with its front matter blanked: every place in it stays where it is."""
    start = body_start(text)
    return re.sub(r"[^\r\n]", " ", text[:start]) + text[start:]


def code_blocks(text: str) -> Iterator[CodeBlock]:
    """Every fenced block of a page's `text`, in order."""
    raw = without_front_matter(text).encode("utf-8", errors="replace")
    starts = line_starts(raw.split(b"\n"))
    pieces: list[str] = []
    opening: re.Match[str] | None = None
    first = 0
    for event, span in pyromark.events_with_range(raw.decode(), options=pyromark.Options.ENABLE_TABLES):
        if not isinstance(event, dict):
            continue
        start, end = event.get("Start"), event.get("End")
        if isinstance(start, dict) and start.get("CodeBlock", "Indented") != "Indented":
            line = raw[span["start"] :].split(b"\n", 1)[0].decode()
            opening, pieces, first = _OPENING.search(line), [], bisect_right(starts, span["start"])
        elif opening and "Text" in event:
            pieces.append(str(event["Text"]))
        elif opening and end == "CodeBlock":
            words = re.split(r"[\s,{}]+", opening[2].strip().lstrip("{."), maxsplit=1)
            yield CodeBlock(words[0].lower(), "".join(pieces), first, opening[1])
            opening = None
