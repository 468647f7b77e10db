"""Rules for PARTs to research: a source to look in, distinct queries, points that ask more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from planbook.markdown.words import STOPWORDS, stem, tokens
from planbook.model import WAITING_STATES, Part, Plan, Problem
from planbook.rules.project import Project

BLANK = re.compile(r"<(?:what|title of|words for|a question|another question|a work)\b[^<>]*>")
"""A blank of the plan that `planbook new` writes: P027 reports it, and nothing else."""


def check_research(project: Project) -> Iterator[Problem]:
    """Yield P043, P044 and P045 for the PARTs that are to be researched."""
    plans, files = project.library.plans, project.tree.plans
    files_by_plan = {plan.uri: (plan, files[plan.uri]) for plan in plans}
    return chain.from_iterable(
        project.cache.from_last_build(_check_research_of_plan, files_by_plan)
    )


def _check_research_of_plan(plan: Plan, raw: bytes) -> list[Problem]:
    ahead = [
        part
        for part in plan.parts
        if part.state in WAITING_STATES and part.pages and not part.is_group
    ]
    lines = raw.decode("utf-8", errors="replace").splitlines()
    of_points = chain.from_iterable(_points(plan, part, lines) for part in ahead)
    return [*_parts_without_sources(plan, ahead), *_queries(plan, ahead, lines), *of_points]


def _parts_without_sources(plan: Plan, parts: Sequence[Part]) -> Iterator[Problem]:
    """Yield P043 for each PART that names nothing to search for and nothing to read."""
    for part in parts:
        if not part.queries and not part.sources:
            defect = f"PART {part.number} names no source to look in"
            fix = 'add a query such as `- [ ] Search: "..."`, or an address or repository to read'
            yield Problem(plan.uri, part.line, "P043", f"{defect}; {fix}")


def _queries(plan: Plan, parts: Sequence[Part], lines: Sequence[str]) -> Iterator[Problem]:
    """Yield P044 for each query that asks one engine for the words of an earlier one."""
    first: dict[tuple[str, frozenset[str]], Part] = {}
    for part in parts:
        for query in part.queries:
            if BLANK.search(query.text):
                continue
            key = query.engine, _telling_stems(query.text)
            if key in first:
                first_use = first[key]
                where = "above" if first_use is part else f"of PART {first_use.number}"
                defect = (
                    f"the query {query.text!r} has the same words as one {where}; "
                    "ask for something else"
                )
                line = _line_of(query.text, part, lines, is_last=first_use is part)
                yield Problem(plan.uri, line, "P044", defect)
            first.setdefault(key, part)


def _points(plan: Plan, part: Part, lines: Sequence[str]) -> Iterator[Problem]:
    """Yield P045 for each point that has no word beyond the titles of its section and page."""
    for section in part.sections:
        titles = _telling_stems(f"{section.title} {part.page_title or ''}")
        for point in section.points:
            if not BLANK.search(point) and not _telling_stems(point) - titles:
                defect = (
                    f"the point {point!r} of PART {part.number} asks nothing that its heading does "
                    "not say"
                )
                fix = "name what a reader wants to know: an option, a number, a cause, a difference"
                yield Problem(plan.uri, _line_of(point, part, lines), "P045", f"{defect}; {fix}")


def _telling_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words without those that any outline has."""
    return frozenset(stem(word) for word in tokens(text) if word not in STOPWORDS)


def _line_of(words: str, part: Part, lines: Sequence[str], *, is_last: bool = False) -> int:
    """Return the line of a PART that has these words, the first or the last one.

    Else that of its heading.
    """
    lines_of_part = range(part.line, min(part.end_line, len(lines)) + 1)
    numbers = [n for n in lines_of_part if words in lines[n - 1]]
    if not numbers:
        return part.line
    return numbers[-1] if is_last else numbers[0]
