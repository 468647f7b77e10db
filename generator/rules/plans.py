"""Check plans for mistakes that parsing does not find: undecided PARTs and unfilled placeholders."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from generator.model import Part, Plan, Problem, State
from generator.plan.parse import parse
from generator.plan.status import speaks_of_state
from generator.rules.project import Project

_UNDECIDED = re.compile(
    r"^[ ]{0,3}(?:#{1,6}[ ]|\*\*)\W*PARTS?\b.*\b(?:TBD|TO BE (?:DETERMINED|DECIDED))\b", re.IGNORECASE
)
_BLANK = re.compile(r"\[(?:TIME|DATE|HHMM|YYYY-MM-DD)\]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_NAMED = re.compile(r"\b(?:PARTS?|Parts?)\s+#?(\d{1,9})\b")


def check_plans(project: Project) -> Iterator[Problem]:
    """Yield P023 for PARTs that are undecided or disabled, and P027 for blanks of a template in finished ones."""
    for plan in project.library.plans:
        yield from _of_plan(plan, project.tree.plans[plan.uri].decode("utf-8", errors="replace"))


def _of_plan(plan: Plan, text: str) -> Iterator[Problem]:
    lines = text.splitlines()
    for n, line in enumerate(lines, 1):
        if _UNDECIDED.match(line):
            yield Problem(plan.uri, n, "P023", "these PARTs are undecided; write them or remove the heading")
    for part in plan.parts:
        if part.state is State.DISABLED:
            what = "is disabled, so it is shown but not counted; remove it once nothing refers to it"
            yield Problem(plan.uri, part.line, "P023", f"PART {part.number} {what}")
        elif part.state is State.DONE:
            yield from _of_blanks(plan, part, lines)


def _of_blanks(plan: Plan, part: Part, lines: list[str]) -> Iterator[Problem]:
    for n in range(part.line, min(part.end_line, len(lines)) + 1):
        blank = _BLANK.search(lines[n - 1])
        if blank:
            what = f"{blank[0]} was never filled in although PART {part.number} is done; write the actual file name"
            yield Problem(plan.uri, n, "P027", what, blank.start() + 1)
            return


def silent_parts(text: str, uri: str) -> list[Part]:
    """Return the PARTs with a page that have neither mark nor date anywhere in the plan: they are open."""
    parts = parse(text, uri)[0].parts
    lines = _LINE_END.split(text)
    inside = {n for part in parts for n in range(part.line, part.end_line + 1)}
    if any(n not in inside and speaks_of_state(line, with_times=False) for n, line in enumerate(lines, 1)):
        return []
    telling = [n for n, line in enumerate(lines, 1) if n in inside and speaks_of_state(line)]
    named = {int(number) for n in telling for number in _NAMED.findall(lines[n - 1])}
    return [
        part
        for part in parts
        if part.status_line is None
        and part.state is State.UNMARKED
        and part.targets
        and part.number not in named
        and bisect_left(telling, part.line) == bisect_right(telling, part.end_line)
        and not _is_indented(lines[part.line :])
    ]


def _is_indented(lines: Sequence[str]) -> bool:
    """Return whether the first text of `lines` is indented: below a status line it would be a part of that item."""
    return next((line[:1].isspace() for line in lines if line.strip()), False)
