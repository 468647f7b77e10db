"""Check plans for mistakes that parsing does not find: undecided PARTs and unfilled placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.model import Part, Plan, Problem, State
from generator.rules.project import Project

_UNDECIDED = re.compile(
    r"^[ ]{0,3}(?:#{1,6}[ ]|\*\*)\W*PARTS?\b.*\b(?:TBD|TO BE (?:DETERMINED|DECIDED))\b", re.IGNORECASE
)
_BLANK = re.compile(r"\[(?:TIME|DATE|HHMM|YYYY-MM-DD)\]")


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
