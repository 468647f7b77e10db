"""Tolerances, and the requirements for a page, which writers receive and drafts are checked against."""

from __future__ import annotations

from collections.abc import Mapping

from generator.model import LineBudget

MAX_QUOTE_WORDS = 80
"""Maximum words of prose in one quote: enough for a statement, not enough to replace the source."""
MAX_CODE_LINES = 30
"""Maximum lines of code in one quote."""
LINES_TOLERANCE = 0.25
"""Allowed deviation of a submitted page from its line budget, as a share of the budget."""
FOUND_LINES_TOLERANCE = 2 * LINES_TOLERANCE
"""The same for an existing page, whose author may have had reasons to deviate, or may not have known the plan."""
REQUIRED_KEYS = ("title", "description", "plan", "part", "created", "reviewed", "references")
"""Required keys of a page's front matter."""

REQUIREMENTS: Mapping[str, str] = {
    "target": "The page is in the documentation folder, at the path in its PART.",
    "front-matter": "The front matter is YAML and has "
    + ", ".join(f"`{key}`" for key in REQUIRED_KEYS)
    + ". `plan` and `part` are those of the PART. `reviewed` is for a person to set. A program leaves it `null` "
    "and adds `generated: {writer: ..., date: ...}`.",
    "sections": "Every section of the outline is a heading of the page, verbatim and in order, with text below it.",
    "citations": 'The page cites its sources: `[@id]`, `[@id, q1]`, `[@id, sec. "Title"]`. Every id is '
    "a reference, and its work was read for this page.",
    "references": "Every reference has a unique id, a title and the address that was read, and is cited in the text.",
    "quotes": "Every quote under `custom.quotes` is verbatim in its source and has at most "
    f"{MAX_QUOTE_WORDS} words, or {MAX_CODE_LINES} lines of code. Quotes on the page match it. "
    "The numbers, options and names of a sentence are in the quotes that it cites. Evidence of sentences without such "
    "a citation can be in the front matter: `evidence: [{sentence: ..., quotes: [{id: an-id, q: exact words}]}]`.",
    "lines": f"The body has as many lines as the PART's budget, ±{LINES_TOLERANCE:.0%}. If evidence is scarce, another "
    "length is reported but accepted.",
    "markup": "The body is plain Markdown: no HTML, no comments, no attribute lists, no directives of plugins.",
    "fences": "Every code fence is closed by a matching one, and there is only one front matter block.",
    "links": "Links point to http(s) addresses, files of the base or planned pages. Images are stored in the base.",
    "credentials": "The file contains no key, token or password.",
}
"""The requirements for a draft, by name, in the order in which they are checked."""


def lines_range(budget: LineBudget, tolerance: float = LINES_TOLERANCE) -> tuple[int, int]:
    """Return the minimum and maximum number of lines of a page with this budget."""
    return round(budget.low * (1 - tolerance)), round(budget.high * (1 + tolerance))
