"""What is wrong inside one plan, as Problems (P003 to P019)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from generator.model import Part, Plan, Problem, State
from generator.plan.blocks import MAX_NESTING, Block
from generator.plan.phrases import read_targets
from generator.plan.status import StatusLine

_LISTS = re.compile(r"^(?:[ \t]*(?:[-*+>]|\d+[.)])[ \t]*){%d,}" % (MAX_NESTING // 2))
_TAIL = re.compile(r"^(?:Step\s+\d+|Search|Section|Cite|Include)\b[^:]*:?\s*$", re.IGNORECASE)


def lint_plan(
    plan: Plan, blocks: Sequence[Block], statuses: Sequence[tuple[StatusLine, ...]], text: str
) -> list[Problem]:
    """The Problems of one plan, in no order. `statuses` holds each PART's status lines."""
    found: list[tuple[int, str, str]] = [*_of_file(plan, blocks, text), *_of_numbers(plan)]
    for part, lines in zip(plan.parts, statuses, strict=True):
        found += _of_part(part, lines)
    return [Problem(plan.uri, line, code, message) for line, code, message in found]


def _of_file(plan: Plan, blocks: Sequence[Block], text: str) -> Iterator[tuple[int, str, str]]:
    if not plan.parts:
        yield 1, "P004", "no PART found; a PART begins with a heading such as `## PART 1: Create cuda/10-x.md (400 lines)`"
    for block in blocks:
        if block.defect:
            what = "this code fence is never closed, so it was read to the next PART; add the closing fence"
            yield block.line, "P003", what
    for n, line in enumerate(text.split("\n"), 1):
        if line.startswith("<!--") and "-->" not in text[text.find(line) :]:
            yield n, "P005", "this HTML comment is never closed, so it was read as text; add `-->`"
        if "\x00" in line or "\ufffd" in line:
            yield n, "P007", "this line holds characters that no text holds (NUL or U+FFFD); remove them"
            break
    deep = next((n for n, line in enumerate(text.split("\n"), 1) if _LISTS.match(line)), None)
    if deep:
        yield deep, "P006", f"quotes or lists nest deeper than {MAX_NESTING // 2} levels; what is deeper was not read"


def _of_numbers(plan: Plan) -> Iterator[tuple[int, str, str]]:
    first: dict[int, Part] = {}
    for part in plan.parts:
        if part.number in first:
            other = first[part.number]
            yield part.line, "P013", f"PART {part.number} stands on line {other.line} already; give each PART a number of its own"
        first.setdefault(part.number, part)
    numbers = sorted(first)
    missing = sorted(set(range(numbers[0], numbers[-1])) - set(numbers)) if numbers and len(numbers) < 1000 else []
    if missing and len(missing) < 50:
        names = ", ".join(map(str, missing))
        yield first[numbers[-1]].line, "P014", f"no PART {names} between PART {numbers[0]} and PART {numbers[-1]}"


def _of_part(part: Part, lines: Sequence[StatusLine]) -> Iterator[tuple[int, str, str]]:
    name = f"PART {part.number}"
    if not lines:
        yield part.line, "P010", f"{name} has no status line; below its heading put `- [ ] {name}: Create <page>.md`"
    marks = Counter(s.mark for s in lines)
    if len({_is_done(mark) for mark in marks}) > 1:
        wrong = next(s for s in lines if _is_done(s.mark) != _is_done(lines[0].mark))
        yield wrong.line, "P011", f"{name} is marked [{lines[0].mark}] on line {lines[0].line} and [{wrong.mark}] here; keep one"
    status = next((s for s in lines if not s.is_closing), None)
    in_heading, in_status = read_targets(part.title), read_targets(status.text) if status else ()
    if in_heading and in_status and in_heading != in_status and status:
        yield status.line, "P012", (
            f"{name}'s heading names {', '.join(in_heading)}, this line {', '.join(in_status)}; name one page"
        )
    if not part.targets and part.state is not State.DISABLED:
        yield part.line, "P015", f"{name} names no page; write `Create folder/page.md` on its status line"
    if part.state is State.DONE and part.completed is None:
        yield part.status_line or part.line, "P016", f"{name} is done without a time; add `(Completed YYYY-MM-DD HH:MM UTC)`"
    yield from _of_outline(part)


def _of_outline(part: Part) -> Iterator[tuple[int, str, str]]:
    if not part.sections:
        if part.end_line <= part.line + 2 or not part.steps:
            yield part.line, "P018", f"PART {part.number} ends before it says what to research or write"
        else:
            yield part.line, "P019", f"PART {part.number} has no outline; list `Section n: Title (~100 lines)` in its write step"
        return
    budgets = [s.lines_budget for s in part.sections]
    if part.lines_budget is None or not all(budgets):
        return
    low, high = sum(b.low for b in budgets if b), sum(b.high for b in budgets if b)
    if high < part.lines_budget.low or low > part.lines_budget.high:
        total = f"{low}" if low == high else f"{low}-{high}"
        yield part.line, "P017", (
            f"PART {part.number} has a budget of {part.lines_budget} lines, its sections add up to {total}"
        )


def _is_done(mark: str) -> bool:
    return mark in "xX✓✔☑✅"
