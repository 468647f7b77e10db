"""Requirements for a knowledge page: the rules that writers receive and drafts are checked against."""

from __future__ import annotations

from collections.abc import Mapping

from generator.model import LineBudget

MAX_QUOTE_WORDS = 80
"""Words of prose in one quote, at most: enough to say a thing, not enough to stand for the source."""
MAX_CODE_LINES = 30
"""Lines of code in one quote, at most."""
LINES_TOLERANCE = 0.25
"""Allowed deviation of a submitted page from its line budget, as a share of the budget."""
FOUND_LINES_TOLERANCE = 2 * LINES_TOLERANCE
"""The same of a page that is in the base: its author may have known better than the plan, or never have seen it."""
REQUIRED_KEYS = ("title", "description", "plan", "part", "created", "reviewed", "references")
"""Required keys of a page's front matter."""

RULES: Mapping[str, str] = {
    "target": "The page lies in the documentation folder, at the path that its PART names.",
    "front-matter": "The front matter is YAML and holds "
    + ", ".join(f"`{key}`" for key in REQUIRED_KEYS)
    + ". `plan` and `part` are those of the PART. `reviewed` is for a person to set. A program leaves it `null`, "
    "and says `generated: {writer: ..., date: ...}`.",
    "sections": "Every section of the outline is a heading of the page, in the plan's words and order, with text below "
    "it.",
    "citations": 'What the page says rests on works that it cites: `[@id]`, `[@id, q1]`, `[@id, sec. "Title"]`. Every '
    "id is one of the references, and its work was read for this page.",
    "references": "Every reference has an id of its own, a title and the address that was read, and the text cites it.",
    "quotes": "Every quote under `custom.quotes` stands in its source to the letter, and has at most "
    f"{MAX_QUOTE_WORDS} words, or {MAX_CODE_LINES} lines of code. What the page shows as a quote reads the same.",
    "lines": f"The body has as many lines as the PART's budget, give or take {LINES_TOLERANCE:.0%}. Where "
    "the evidence is thin, another length is told, and not held back.",
    "markup": "The body is Markdown alone: no HTML, no comments, no attribute lists, no directives of plugins.",
    "fences": "Every code fence is closed by its like, and nothing but the front matter looks like front matter.",
    "links": "Links lead to http(s) addresses or to pages that the base has or plans. Pictures are the base's own.",
    "credentials": "No key, token or password stands in it.",
}
"""The requirement of each rule, by its name."""


def lines_range(budget: LineBudget, tolerance: float = LINES_TOLERANCE) -> tuple[int, int]:
    """Return the fewest and the most lines that a page with this budget may have."""
    return round(budget.low * (1 - tolerance)), round(budget.high * (1 + tolerance))
