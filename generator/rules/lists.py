"""Lists right below a paragraph, and budgets left in headings: what GitHub forgives and other engines do not."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from generator.budgets import MAYBE_BUDGET, budget_notes
from generator.markdown.commonmark import read_blocks
from generator.markdown.fences import without_front_matter
from generator.markdown.front_matter import body_start
from generator.markdown.normalize import without_budgets as without_heading_budgets
from generator.markdown.positions import line_starts
from generator.markdown.tree import read_tree


def crowded_lists(text: str) -> tuple[int, ...]:
    """The lines (1-based) on which a list begins right below a paragraph, outside other lists and quotes."""
    text = without_front_matter(text)
    starts, found = line_starts(text.split("\n")), []
    for above, below in pairwise(read_tree(text).children):
        line = bisect_right(starts, below.start)
        if (above.name, below.name) == ("Paragraph", "List") and not text[above.end : below.start].strip():
            found += [line] if text[starts[line - 2] : starts[line - 1]].strip() else []
    return tuple(found)


def budget_headings(text: str) -> tuple[int, ...]:
    """The lines (1-based) of headings that still hold a budget, such as ``## Section 1: Layers (~100 lines)``."""
    if not MAYBE_BUDGET.search(text):
        return ()
    above, raw = _split(text)
    headings = ((start, raw[start:end].decode()) for start, end in read_blocks(raw).headings)
    starts = line_starts(raw.split(b"\n"))
    budgets = (start for start, heading in headings for _ in budget_notes(heading))
    return tuple(dict.fromkeys(above.count("\n") + bisect_right(starts, start) for start in budgets))


def without_budgets(text: str) -> str:
    """`text` with no budgets in its headings, and links within the page that lead there still."""
    above, raw = _split(text)
    return above + without_heading_budgets(raw).decode() if MAYBE_BUDGET.search(text) else text


def with_room_for_lists(text: str) -> str:
    """`text` with a blank line before each list that stands right below a paragraph; no other byte changed."""
    lines = text.split("\n")
    for n in reversed(crowded_lists(text)):
        lines.insert(n - 1, "\r" if lines[n - 2].endswith("\r") else "")
    return "\n".join(lines)


def _split(text: str) -> tuple[str, bytes]:
    """A page's front matter, and its body in UTF-8."""
    start = body_start(text)
    return text[:start], text[start:].encode("utf-8", errors="replace")
