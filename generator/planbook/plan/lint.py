"""Problems within a single plan (P003 to P019, P028)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planbook.markdown.plain_text import count
from planbook.markdown.plan_blocks import Block
from planbook.model import LineBudget, Part, Plan, Problem, State
from planbook.plan.labels import Meaning, is_key_of, read_label, read_plain_label, words_of
from planbook.plan.mark import MARKS
from planbook.plan.misspelled import lines_not_understood
from planbook.plan.parts import fenced_parts
from planbook.plan.phrases import broken_path, read_targets
from planbook.plan.status import STATES, StatusLine, first_line, heading_state, is_closing, state_of

_CREATES = re.compile(rf"\W{{0,8}}{words_of(Meaning.CREATE)}\b", re.IGNORECASE)


def lint_plan(plan: Plan, blocks: Sequence[Block], statuses: Sequence[tuple[StatusLine, ...]]) -> list[Problem]:
    """Return the Problems of one plan, unordered. `statuses` maps each PART to its status lines."""
    found: list[tuple[int, str, str]] = list(_of_fences(plan, blocks))
    what = "this code fence is never closed, so it extends to the next PART; add the closing fence"
    found += [(block.line, "P003", what) for block in blocks if block.defect]
    first: dict[int, int] = {}
    for part in plan.parts:
        if part.number in first:
            what = f"PART {part.number} is already on line {first[part.number]}; give each PART its own number"
            found.append((part.line, "P013", what))
        first.setdefault(part.number, part.line)
    headings = {block.line: block.text for block in blocks if block.kind in {"heading", "paragraph"}}
    for part, lines in zip(plan.parts, statuses, strict=True):
        if part.is_group:
            break
        found += [*_of_part(part, lines), *_of_outline(part)]
        found += _of_marks(part, lines, headings.get(part.line, ""))
    found += _of_paths(plan, blocks)
    found += [*_of_closings(plan, blocks), *_of_boxes(blocks), *lines_not_understood(plan, blocks)]
    return [Problem(plan.uri, line, code, message) for line, code, message in found]


def _of_fences(plan: Plan, blocks: Sequence[Block]) -> Iterator[tuple[int, str, str]]:
    """P004 and P028: missing PARTs, and PARTs hidden inside a fence."""
    found = {part.number for part in plan.parts}
    fenced = {number: block.line for block in blocks if block.kind == "fence" for number in fenced_parts(block)}
    lost = {number: line for number, line in fenced.items() if number not in found}
    if found:
        for number, line in lost.items():
            what = f"PART {number} is inside this code fence, so it is ignored; close the fence above its heading"
            yield line, "P028", what
    elif lost:
        yield min(lost.values()), "P004", "no PART found: the PARTs are inside this code fence; remove the fence"
    else:
        boxes = sum(number for _, number in plan.checkboxes)
        lack = f"none of the {count(boxes, 'box', 'boxes')} is below a heading; " if boxes else ""
        what = f"no PART found; {lack}a PART begins with a heading such as `## PART 1: Create cuda/10-x.md (400 lines)`"
        yield 1, "P004", what


def _of_part(part: Part, lines: Sequence[StatusLine]) -> Iterator[tuple[int, str, str]]:
    name = f"PART {part.number}"
    if not lines:
        box, page = MARKS.get(part.state, " "), ", ".join(part.targets) or "<page>.md"
        done = f" (Completed {part.completed})" if part.completed else ""
        what = f"{name} has no status line; below its heading put `- [{box}] {name}: Create {page}{done}`"
        yield part.line, "P010", what
    if not (part.targets or part.is_chore or part.state is State.DISABLED):
        yield part.line, "P015", f"{name} names no page; write `Create folder/page.md` on its status line"
    if part.state is State.DONE and part.completed is None:
        what = f"{name} is done but has no completion time; add `(Completed YYYY-MM-DD HH:MM UTC)`"
        yield part.status_line or part.line, "P016", what


def _of_marks(part: Part, lines: Sequence[StatusLine], heading: str) -> Iterator[tuple[int, str, str]]:
    """P008, P009, P011, P012: the PART's heading, status lines and completion time do not go together."""
    name = f"PART {part.number}"
    first = first_line(lines)
    if part.completed and part.state in {State.OPEN, State.UNMARKED}:
        what = f"{name} is {part.state} but has the completion time {part.completed}"
        yield part.status_line or part.line, "P009", f"{what}; tick its box, or remove the time"
    if first is None:
        return
    if first.number != part.number:
        what = f"this line names PART {first.number}, but is below the heading of {name}; correct the number"
        yield first.line, "P008", what
    other = next((line for line in lines if _is_done(line) != _is_done(first)), None)
    if other:
        what = f"{name} is marked [{first.mark}] on line {first.line} and [{other.mark}] here; keep one"
        yield other.line, "P011", what
    claimed = heading_state(heading)
    if claimed and claimed is not part.state and part.state is not State.DISABLED:
        what = f"{name} is {part.state} here and {claimed} on its heading, line {part.line}; keep one"
        yield first.line, "P011", what
    in_heading, in_line = read_targets(part.title), read_targets(first.text)
    if in_heading and in_line and in_heading != in_line and not first.is_closing:
        what = f"{name}'s heading names {', '.join(in_heading)}, this line {', '.join(in_line)}; name one page"
        yield first.line, "P012", what


def _of_closings(plan: Plan, blocks: Sequence[Block]) -> Iterator[tuple[int, str, str]]:
    """P011: a line such as ``PART 1 COMPLETE`` in a PART that its status line marks otherwise."""
    parts = iter(part for part in plan.parts if not part.is_group)
    part = next(parts, None)
    for block in blocks:
        while part and block.line > part.end_line:
            part = next(parts, None)
        if not part or block.line <= part.line or block.mark is not None or block.kind == "fence":
            continue
        is_marked = part.status_line is not None and part.state is not State.DONE
        if is_marked and any(is_closing(text, part.number) for text in block.lines):
            what = f"PART {part.number} is {part.state} on line {part.status_line} and complete here; keep one"
            yield block.line, "P011", what


def _of_paths(plan: Plan, blocks: Sequence[Block]) -> Iterator[tuple[int, str, str]]:
    """P041: paths with blanks, or with a drive, where a page to write is named."""
    places = {line for part in plan.parts for line in (part.line, part.status_line)}
    for block in blocks:
        for line, text in enumerate(block.lines if block.kind not in {"fence", "rule"} else (), block.line):
            label = read_label(text) or read_plain_label(text)
            is_target = label is not None and is_key_of(label.key, Meaning.TARGET)
            if block.line not in places and not is_target and not _CREATES.match(text):
                continue
            path = broken_path(text)
            if path:
                what = f"the path `{path}` is not read whole; write it in backticks, with slashes and without a drive"
                yield line, "P041", what


def _of_boxes(blocks: Sequence[Block]) -> Iterator[tuple[int, str, str]]:
    """P040: each mark that is not known, once."""
    lines: dict[str, list[int]] = {}
    for block in blocks:
        if block.mark is not None and block.mark not in STATES:
            lines.setdefault(block.mark, []).append(block.line)
    for mark, places in lines.items():
        more = f", here and on {count(len(places) - 1, 'other line')}" if len(places) > 1 else ""
        what = f"the mark [{mark}] is not known, so the box counts as open{more}"
        yield places[0], "P040", f"{what}; did you mean [x] for done, [/] for partial, [-] for skipped, or [ ]?"


def _is_done(line: StatusLine) -> bool:
    return state_of(line.mark) is State.DONE


def _of_outline(part: Part) -> Iterator[tuple[int, str, str]]:
    name, budget = f"PART {part.number}", part.lines_budget
    if part.is_chore:
        return
    if not part.sections:
        yield part.line, "P019", f"{name} has no outline; list `Section n: Title (~100 lines)` in its write step"
    budgets = [section.lines_budget for section in part.sections if section.lines_budget]
    if budget and budgets and len(budgets) == len(part.sections):
        total = LineBudget(sum(b.low for b in budgets), sum(b.high for b in budgets))
        if total.high < budget.low or total.low > budget.high:
            yield part.line, "P017", f"{name} has a budget of {budget} lines, its sections add up to {total}"
