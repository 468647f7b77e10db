"""Mends that are certain: each changes only the lines it must, and done twice changes nothing the second time."""

from __future__ import annotations

from generator.check.lists import with_room_for_lists, without_budgets
from generator.check.selection import Selection
from generator.model import State
from generator.plan.mark import mark
from generator.plan.parse import parse
from generator.problems import read_ignored

FIXABLE = ("K029", "K031", "P010")


def fix_page(text: str, selection: Selection) -> str:
    """A page's `text` without budgets in headings, and with a blank line before each list."""
    ignored = read_ignored(text).everywhere
    if selection.has("K029") and "K029" not in ignored:
        text = without_budgets(text)
    if selection.has("K031") and "K031" not in ignored:
        text = with_room_for_lists(text)
    return text


def fix_plan(text: str, uri: str, selection: Selection) -> str:
    """A plan's `text` with a status line for each PART that has a page and no such line."""
    if not selection.has("P010") or "P010" in read_ignored(text).everywhere:
        return text
    plan, _ = parse(text, uri)
    for part in reversed(plan.parts):  # from the end, so that the lines of those before stay where they are
        if part.status_line is None and part.targets and part.state is not State.DISABLED:
            state = State.OPEN if part.state is State.UNMARKED else part.state
            text = mark(text, part, state)
    return text
