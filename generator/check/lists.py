"""Lists right below a paragraph, and budgets left in headings: what GitHub forgives and other engines do not."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

import pyromark

from generator.check.fences import code_blocks, without_front_matter

_BUDGET = re.compile(r"[ \t]*\((?:~|≈|about |approx\.? )?\d+(?:\s?[-–]\s?\d+)?\+?\s?lines?\)", re.IGNORECASE)
_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]")


def crowded_lists(text: str) -> tuple[int, ...]:
    """The lines (1-based) on which a list begins right below a paragraph, outside other lists and quotes."""
    raw = without_front_matter(text).encode("utf-8", errors="replace")
    starts = list(accumulate((len(line) + 1 for line in raw.split(b"\n")), initial=0))
    found, depth, paragraph_end = [], 0, -1
    for event, span in pyromark.events_with_range(raw.decode(), options=pyromark.Options.ENABLE_TABLES):
        if not isinstance(event, dict):
            continue
        start, end = (_name(event.get(key)) for key in ("Start", "End"))
        line = bisect_right(starts, span["start"])
        is_next = paragraph_end >= 0 and not raw[paragraph_end : span["start"]].strip()
        if start == "List" and depth == 0 and is_next and raw[starts[line - 2] : starts[line - 1]].strip():
            found.append(line)
        depth += (start in {"List", "BlockQuote"}) - (end in {"List", "BlockQuote"})
        paragraph_end = span["end"] if end == "Paragraph" else paragraph_end if end is None and start is None else -1
    return tuple(found)


def budget_headings(text: str) -> tuple[int, ...]:
    """The lines (1-based) of headings that still hold a budget, such as ``## Section 1: Layers (~100 lines)``."""
    in_code: set[int] = set()
    for block in code_blocks(text):
        in_code |= set(range(block.line, block.line + block.code.count("\n") + 2))
    lines = text.split("\n")
    return tuple(
        n for n, line in enumerate(lines, 1) if n not in in_code and _HEADING.match(line) and _BUDGET.search(line)
    )


def without_budgets(text: str) -> str:
    """`text` with no budgets in its headings; no other byte changed."""
    lines = text.split("\n")
    for n in budget_headings(text):
        lines[n - 1] = _BUDGET.sub("", lines[n - 1])
    return "\n".join(lines)


def with_room_for_lists(text: str) -> str:
    """`text` with a blank line before each list that stands right below a paragraph; no other byte changed."""
    lines = text.split("\n")
    for n in reversed(crowded_lists(text)):
        lines.insert(n - 1, "\r" if lines[n - 2].endswith("\r") else "")
    return "\n".join(lines)


def _name(block: object) -> str | None:
    return next(iter(block)) if isinstance(block, dict) else block if isinstance(block, str) else None
