"""Lists right below a paragraph, and budgets left in headings: what GitHub forgives and other engines do not."""

from __future__ import annotations

from itertools import pairwise

from generator.budgets import MAYBE_BUDGET, budget_notes
from generator.markdown.document import read_document
from generator.markdown.front_matter import body_start
from generator.markdown.normalize import without_budgets as without_heading_budgets


def crowded_lists(text: str) -> tuple[int, ...]:
    """The lines (1-based) on which a list begins right below a paragraph, outside other lists and quotes."""
    if "\r" in text.replace("\r\n", ""):  # the lines of such a file are not those of an editor
        return ()
    document, found = read_document(text), []
    for above, below in pairwise(document.tree.children):
        between = document.body[above.end : below.start]
        is_crowded = above.name in {"Paragraph", "FootnoteDefinition"} and below.name == "List"
        if is_crowded and not between.strip() and between.count("\n") < 2:
            line = document.line(below.start)
            found += [line] if document.line(above.end - 1) == line - 1 else []
    return tuple(found)


def budget_headings(text: str) -> tuple[int, ...]:
    """The lines (1-based) of headings that still hold a budget, such as ``## Section 1: Layers (~100 lines)``."""
    if not MAYBE_BUDGET.search(text):
        return ()
    document = read_document(text)
    headings = (node for node in document.tree.descendants() if node.name == "Heading")
    found = (document.line(n.start) for n in headings if any(budget_notes(document.body[n.start : n.end])))
    return tuple(dict.fromkeys(found))


def without_budgets(text: str) -> str:
    """`text` with no budgets in its headings, and links within the page that lead there still."""
    start = body_start(text)
    return text[:start] + without_heading_budgets(text[start:]) if MAYBE_BUDGET.search(text) else text


def with_room_for_lists(text: str) -> str:
    """`text` with a blank line before each list that stands right below a paragraph; no other byte changed."""
    lines = text.split("\n")
    for n in reversed(crowded_lists(text)):
        lines.insert(n - 1, "\r" if lines[n - 2].endswith("\r") else "")
    return "\n".join(lines)
