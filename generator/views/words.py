"""Words and small figures that several views share: what a state is called, how large a page is."""

from __future__ import annotations

from generator.library import Entry
from generator.model import LineBudget, State

LABELS = {
    State.DONE: "done",
    State.PARTIAL: "partial",
    State.OPEN: "open",
    State.UNMARKED: "unmarked",
    State.SKIPPED: "skipped",
    State.DISABLED: "disabled",
}
"""What a reader calls each state."""

MEANINGS = {
    State.DONE: "the plan says that its page is finished",
    State.PARTIAL: "a runner tried and did not finish",
    State.OPEN: "its page is still to be written",
    State.UNMARKED: "the plan does not say",
    State.SKIPPED: "left out on purpose",
    State.DISABLED: "kept in the plan for reference, not to be written",
}
"""What each state claims, for legends and titles."""


def number(value: int) -> str:
    """``1612`` as ``1,612``."""
    return f"{value:,}"


def count(value: int, noun: str, plural: str | None = None) -> str:
    """``1 page``, ``2 pages``."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def size(entry: Entry) -> str:
    """How long the page is, or is to be."""
    if entry.page:
        return f"{number(entry.page.lines)} lines"
    budget = entry.part.lines_budget
    return f"~{budget} lines" if budget else "no budget"


def against_budget(lines: int, budget: LineBudget | None) -> str:
    """``483 of 400 lines (+21 %)``: actual lines beside the budget's nearer end."""
    if budget is None:
        return f"{number(lines)} lines, no budget"
    nearest = min(max(lines, budget.low), budget.high)
    off = round(100 * (lines - nearest) / nearest) if nearest else 0
    return f"{number(lines)} of {budget} lines" + (f" ({off:+d} %)" if off else "")
