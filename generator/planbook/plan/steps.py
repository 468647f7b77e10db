"""Read the titles of steps, such as ``**Step 3: Write the page** (~400 lines)``."""

from __future__ import annotations

import re
from typing import NamedTuple

from planbook.plan.forms import Meaning, words_of
from planbook.plan.labels import topic_of
from planbook.plan.numerals import NUMBER_OR_LETTER, value_of

STEP = re.compile(
    rf"""
    ^ \W{{0,16}} (?-x:{words_of(Meaning.STEP)}) \s* \#? (?-x:{NUMBER_OR_LETTER}) \s*+
    (?:\*\*)? \s*+ [:.)–—-]*+ \s*+ (?:\*\*)? \s*+
    (?P<title> (?: \S | [^\S\n]++ (?=\S) )*? ) \s*+
    (?: \*\* | __ )? \s*+
    (?P<note> \( [^()]* \) )? \s*+ $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""``**Step 3: Write the page** (~400 lines)``."""
_LOOKS_LIKE_TITLE = re.compile(r"^\W{0,16}(?:\*\*|__|#|Step)")
"""Bold, a heading, or a capital letter: ``step 3 needs flour`` is a sentence."""
_STEP_AND_SEARCH = re.compile(
    r"""
    ^ (?P<step> \*\* Step \s+ \d [^*]{0,120} \*\* )
    \s{0,3} [-–—:] \s{0,3}
    (?P<search> (?: (?:web|github|arxiv) [ ] )? search \b [^:]{0,30} : \s? ["“`] .* ) $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""``**Step 1: Research** - Search: "q"``: a step with its only task."""


class StepTitle(NamedTuple):
    """The title of a step, with its number if it has one."""

    number: int | None
    words: str
    """Without number and bold, with a note in parentheses."""


def read_step_title(text: str) -> StepTitle | None:
    """Return the title of the step that a line begins, if it begins one."""
    match = STEP.match(text)
    if not match or not _LOOKS_LIKE_TITLE.match(text):
        return None
    words = f"{match['title']} {match['note'] or ''}".replace("**", "").strip()
    return StepTitle(value_of(match["number"]) if match["number"] else None, words)


def split_step_and_search(text: str) -> tuple[str, str] | None:
    """Return the step and the search of a line that has both."""
    match = _STEP_AND_SEARCH.match(text)
    return (match["step"], match["search"]) if match else None


def kind_of_step(title: str) -> Meaning | None:
    """Return what a step's title says of the lines below it."""
    kind = topic_of(title)
    if kind is Meaning.QUERIES and "quer" not in title.lower():
        return Meaning.RESEARCH  # a step called "Web search" may contain anything
    return kind
