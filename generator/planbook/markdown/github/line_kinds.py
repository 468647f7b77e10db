"""Lines of Markdown: what begins them, what is code or HTML, and which fence is open."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from planbook.markdown.edits import line_starts
from planbook.markdown.github import markdown_events
from planbook.markdown.github.markdown_events import Options

INDENT = 4
"""Spaces before each line of an indented body."""
QUOTES = r"(?P<quotes>(?:[ ]{0,3}>[ ]?)*+)"
"""The marks of quotes before the text of a line."""
MARKERS = r"(?P<markers>[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*)"
"""The marks of items before the text of a line: ``- 1. ``."""
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(?P<run>`{3,}|~{3,})(?P<info>.*)")
"""The line of a fence, also behind marks of quotes and items."""
HTML_START = "HtmlBlock start"
"""The kind of the first line of a block of HTML."""


def indent_of(line: str) -> int:
    """Return the number of blanks at the start of a line."""
    return len(line) - len(line.lstrip(" "))


def fence_after(line: str, fence: str) -> str:
    """Return the signs of the fence that is open after a line; empty for none.

    Args:
        line: the line.
        fence: the signs of the one that is open before it.
    """
    opening = _FENCE.match(line)
    run, info = (opening["run"], opening["info"].strip()) if opening else ("", "")
    if fence:
        return "" if run.startswith(fence) and not info else fence
    return "" if "`" in run and "`" in info else run


def literal_lines(lines: Sequence[str], options: Options) -> dict[int, str]:
    """Return the kinds of the lines of code and HTML, by number."""
    encoded = [line.encode() for line in lines]
    starts, kinds = line_starts(encoded), dict[int, str]()
    for event in markdown_events.events_of(b"\n".join(encoded), options):
        if event.step != markdown_events.START or event.name not in {"CodeBlock", "HtmlBlock"}:
            continue
        first = bisect_right(starts, event.start) - 1
        last = bisect_right(starts, max(event.start, event.end - 1)) - 1
        kinds |= dict.fromkeys(range(first, last + 1), event.name)
        if event.name == "HtmlBlock":
            kinds[first] = HTML_START
    return kinds
