"""Problems within a single plan (P003 to P019, P028)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planbook.markdown.plain_text import count
from planbook.markdown.plan_blocks import Block
from planbook.model import WAITING_STATES, LineBudget, Part, Plan, Problem, State
from planbook.plan.forms import Meaning, words_of
from planbook.plan.labels import is_key_of, read_label, read_plain_label
from planbook.plan.mark import MARKS
from planbook.plan.misspelled import Finding, find_lines_not_understood
from planbook.plan.part_names import find_fenced_parts
from planbook.plan.paths import find_broken_path, read_targets
from planbook.plan.queries import is_task
from planbook.plan.state import (
    STATES,
    StatusLine,
    choose_status_line,
    is_closing,
    read_heading_state,
    state_of,
)

_CREATES = re.compile(rf"\W{{0,8}}{words_of(Meaning.CREATE)}\b", re.IGNORECASE)

_TARGET_MEANINGS = (Meaning.TARGET, Meaning.CREATED)
_LISTS_SOURCES = re.compile(r"(?:sources|references|bibliography|citations)$", re.IGNORECASE)
"""A section that needs no budget: the site writes it."""


def lint_plan(
    plan: Plan, blocks: Sequence[Block], statuses: Sequence[tuple[StatusLine, ...]]
) -> list[Problem]:
    """Return the Problems of one plan, unordered. `statuses` has the status lines of each PART."""
    headings = {
        block.line: block.text for block in blocks if block.kind in {"heading", "paragraph"}
    }
    findings = [
        *_find_fenced_parts(plan, blocks),
        *_find_open_fences(blocks),
        *_find_repeated_numbers(plan),
    ]
    for part, lines in zip(plan.parts, statuses, strict=True):
        if part.is_group:
            break
        findings += _find_missing_lines(part, lines)
        findings += _check_outline(part)
        findings += _find_conflicting_marks(part, lines, headings.get(part.line, ""))
        findings += _find_other_pages(part, lines)
    findings += _find_broken_paths(plan, blocks)
    findings += _find_other_targets(plan, blocks)
    findings += _find_conflicting_closings(plan, blocks)
    findings += _find_unknown_marks(blocks)
    findings += find_lines_not_understood(plan, blocks)
    return [Problem(plan.uri, line, code, message) for line, code, message in findings]


def _find_open_fences(blocks: Sequence[Block]) -> Iterator[Finding]:
    """P003: fences that are never closed."""
    defect = (
        "this code fence is never closed, so it extends to the next PART; add the closing fence"
    )
    for block in blocks:
        if block.defect:
            yield block.line, "P003", defect


def _find_repeated_numbers(plan: Plan) -> Iterator[Finding]:
    """P013: numbers that a PART above has, too."""
    first_lines: dict[int, int] = {}
    for part in plan.parts:
        if part.number in first_lines:
            defect = f"PART {part.number} is already on line {first_lines[part.number]}"
            yield part.line, "P013", f"{defect}; give each PART its own number"
        first_lines.setdefault(part.number, part.line)


def _find_fenced_parts(plan: Plan, blocks: Sequence[Block]) -> Iterator[Finding]:
    """P004 and P028: missing PARTs, and PARTs hidden inside a fence."""
    numbers = {part.number for part in plan.parts}
    lost: dict[int, int] = {}
    for fence in (block for block in blocks if block.kind == "fence"):
        for number in find_fenced_parts(fence):
            # A PART that is outside, too, is an example in the fence.
            if number not in numbers:
                lost[number] = fence.line
    if numbers:
        fix = "close the fence above its heading"
        for number, line in lost.items():
            defect = f"PART {number} is inside this code fence, so it is ignored; {fix}"
            yield line, "P028", defect
    elif lost:
        defect = "no PART found: the PARTs are inside this code fence; remove the fence"
        yield min(lost.values()), "P004", defect
    else:
        boxes = sum(boxes_below for _, boxes_below in plan.checkboxes)
        lack = f"none of the {count(boxes, 'box', 'boxes')} is below a heading; " if boxes else ""
        example = "`## PART 1: Create cuda/10-x.md (400 lines)`"
        defect = f"no PART found; {lack}a PART begins with a heading such as {example}"
        yield 1, "P004", defect


def _find_missing_lines(part: Part, lines: Sequence[StatusLine]) -> Iterator[Finding]:
    """P010, P015, P016: a PART without status line, page or completion time."""
    name = f"PART {part.number}"
    if not lines:
        box, page = MARKS.get(part.state, " "), ", ".join(part.targets) or "<page>.md"
        done = f" (Completed {part.completed})" if part.completed else ""
        fix = f"below its heading put `- [{box}] {name}: Create {page}{done}`"
        yield part.line, "P010", f"{name} has no status line; {fix}"
    needs_page = not part.is_chore and part.state is not State.DISABLED
    if needs_page and not part.targets:
        fix = "write `Create folder/page.md` on its status line"
        yield part.line, "P015", f"{name} names no page; {fix}"
    if part.state is State.DONE and part.completed is None:
        defect = (
            f"{name} is done but has no completion time; add `(Completed YYYY-MM-DD HH:MM UTC)`"
        )
        yield part.status_line or part.line, "P016", defect


def _find_conflicting_marks(
    part: Part, lines: Sequence[StatusLine], heading: str
) -> Iterator[Finding]:
    """P008, P009, P011, P012: heading, status lines and completion time do not go together."""
    yield from _find_early_completion(part)
    first = choose_status_line(lines)
    if first is None:
        return
    yield from _find_other_number(part, first)
    yield from _find_second_mark(part, first, lines)
    yield from _find_mark_of_heading(part, first, heading)
    yield from _find_second_page(part, first)


def _find_early_completion(part: Part) -> Iterator[Finding]:
    """P009: a PART that is open has a completion time."""
    if part.completed and part.state in WAITING_STATES:
        defect = f"PART {part.number} is {part.state} but has the completion time {part.completed}"
        yield part.status_line or part.line, "P009", f"{defect}; tick its box, or remove the time"


def _find_other_number(part: Part, first: StatusLine) -> Iterator[Finding]:
    """P008: the status line is below the heading of another PART."""
    if first.number != part.number:
        defect = (
            f"this line names PART {first.number}, but is below the heading of PART {part.number}; "
            "correct the number"
        )
        yield first.line, "P008", defect


def _find_second_mark(
    part: Part, first: StatusLine, lines: Sequence[StatusLine]
) -> Iterator[Finding]:
    """P011: two status lines contradict each other.

    A mark for work that is left may follow another, such as partial open; done contradicts them.
    """
    second = next((line for line in lines if _is_done(line) != _is_done(first)), None)
    if second:
        defect = (
            f"PART {part.number} is marked [{first.mark}] on line {first.line} and "
            f"[{second.mark}] here; keep one"
        )
        yield second.line, "P011", defect


def _find_mark_of_heading(part: Part, first: StatusLine, heading: str) -> Iterator[Finding]:
    """P011: the heading says another state than the status line."""
    claimed = read_heading_state(heading)
    if claimed and claimed is not part.state and part.state is not State.DISABLED:
        defect = (
            f"PART {part.number} is {part.state} here and {claimed} on its heading, "
            f"line {part.line}; keep one"
        )
        yield first.line, "P011", defect


def _find_second_page(part: Part, first: StatusLine) -> Iterator[Finding]:
    """P012: the heading and the status line name different pages."""
    in_heading, in_line = read_targets(part.title), read_targets(first.text)
    # A closing line such as `PART 1 COMPLETE` names no page to write.
    if in_heading and in_line and in_heading != in_line and not first.is_closing:
        defect = (
            f"PART {part.number}'s heading names {', '.join(in_heading)}, this line "
            f"{', '.join(in_line)}; name one page"
        )
        yield first.line, "P012", defect


def _find_other_pages(part: Part, lines: Sequence[StatusLine]) -> Iterator[Finding]:
    """P012: pages that only a status line behind the first one names."""
    first = choose_status_line(lines)
    other_lines = [line for line in lines if line is not first and not line.is_closing]
    paths_by_line = [(line.line, path) for line in other_lines for path in read_targets(line.text)]
    for line, path in paths_by_line if part.targets else ():
        if not any(_is_same_page(path, target) for target in part.targets):
            defect = (
                f"PART {part.number} is to write {', '.join(part.targets)}, this line names {path}"
            )
            yield line, "P012", f"{defect}; keep one status line, with all pages"


def _find_conflicting_closings(plan: Plan, blocks: Sequence[Block]) -> Iterator[Finding]:
    """P011: a line such as ``PART 1 COMPLETE`` in a PART that its status line marks otherwise."""
    # PARTs and blocks are both in the order of their lines, and gone through once.
    parts = iter(part for part in plan.parts if not part.is_group)
    part = next(parts, None)
    for block in blocks:
        while part and block.line > part.end_line:
            part = next(parts, None)
        if not part:
            return
        is_text = block.mark is None and block.kind != "fence"
        is_marked = part.status_line is not None and part.state is not State.DONE
        if block.line <= part.line or not is_text or not is_marked:
            continue
        if any(is_closing(text, part.number) for text in block.lines):
            defect = f"PART {part.number} is {part.state} on line {part.status_line}"
            yield block.line, "P011", f"{defect} and complete here; keep one"


def _find_broken_paths(plan: Plan, blocks: Sequence[Block]) -> Iterator[Finding]:
    """P041: paths with blanks, or with a drive, where a page to write is named."""
    starts = {line for part in plan.parts for line in (part.line, part.status_line)}
    for block in blocks:
        if block.kind in {"fence", "rule"}:
            continue
        for line, text in enumerate(block.lines, block.line):
            names_page = block.line in starts or _has_target_label(text) or _CREATES.match(text)
            path = find_broken_path(text) if names_page else None
            if path:
                fix = "write it in backticks, with slashes and without a drive"
                yield line, "P041", f"the path `{path}` is not read whole; {fix}"


def _find_other_targets(plan: Plan, blocks: Sequence[Block]) -> Iterator[Finding]:
    """P012: pages behind or below a label such as **Target File**, in whose place others count."""
    parts = iter(part for part in plan.parts if not part.is_group)
    part = next(parts, None)
    for line, path in _labelled_pages(blocks):
        while part and line > part.end_line:
            part = next(parts, None)
        if not part:
            return
        is_lost = not any(_is_same_page(path, target) for target in part.targets)
        if line > part.line and part.targets and is_lost:
            defect = f"PART {part.number} is to write {', '.join(part.targets)}"
            yield line, "P012", f"{defect}, this line names {path}; name all pages in one place"


def _labelled_pages(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield the pages to write that labels name, in their line or the list below it, with lines."""
    is_below_label = False
    for block in blocks:
        if block.kind in {"fence", "rule"}:
            is_below_label = False
            continue
        is_listed = is_below_label and block.kind == "item"
        for line, text in enumerate(block.lines, block.line):
            # A heading is a label without the marks that make another line one.
            has_label = _has_page_label(f"**{text}**" if block.kind == "heading" else text)
            is_page = has_label or (is_listed and not is_task(text))
            pages = read_targets(text) if is_page else ()
            yield from ((line, path) for path in pages)
            # A label without a page in its line is followed by a list of them.
            if not is_listed:
                is_below_label = has_label and not pages


def _is_same_page(path: str, target: str) -> bool:
    """Return True for paths of one page, however much of its folder they name."""
    return f"/{target}".endswith(f"/{path}") or f"/{path}".endswith(f"/{target}")


def _has_target_label(text: str) -> bool:
    label = read_label(text) or read_plain_label(text)
    return label is not None and is_key_of(label.key, Meaning.TARGET)


def _has_page_label(text: str) -> bool:
    """Return True for a label of pages to write, or of those that were written."""
    label = read_label(text) or read_plain_label(text)
    return label is not None and any(is_key_of(label.key, meaning) for meaning in _TARGET_MEANINGS)


def _find_unknown_marks(blocks: Sequence[Block]) -> Iterator[Finding]:
    """P040: each mark that is not known, once."""
    lines_by_mark: dict[str, list[int]] = {}
    for block in blocks:
        if block.mark is not None and block.mark not in STATES:
            lines_by_mark.setdefault(block.mark, []).append(block.line)
    for mark, lines in lines_by_mark.items():
        other_count = len(lines) - 1
        elsewhere = f", here and on {count(other_count, 'other line')}" if other_count else ""
        defect = f"the mark [{mark}] is not known, so the box counts as open{elsewhere}"
        fix = "did you mean [x] for done, [/] for partial, [-] for skipped, or [ ]?"
        yield lines[0], "P040", f"{defect}; {fix}"


def _is_done(line: StatusLine) -> bool:
    return state_of(line.mark) is State.DONE


def _check_outline(part: Part) -> Iterator[Finding]:
    """P017 and P019: outlines that are missing, or whose budgets do not add up."""
    name, budget = f"PART {part.number}", part.lines_budget
    if part.is_chore:
        return
    if not part.sections:
        fix = "list `Section n: Title (~100 lines)` in its write step"
        yield part.line, "P019", f"{name} has no outline; {fix}"
    section_budgets = [
        section
        for section in part.sections
        if section.lines_budget or not _LISTS_SOURCES.match(section.title)
    ]
    budgets = [section.lines_budget for section in section_budgets if section.lines_budget]
    # A section without a budget may be as long as the rest allows: there is no sum to compare.
    is_complete = bool(budgets) and len(budgets) == len(section_budgets)
    if not budget or not is_complete:
        return
    total = LineBudget(sum(each.low for each in budgets), sum(each.high for each in budgets))
    if total.high < budget.low or total.low > budget.high:
        defect = f"{name} has a budget of {budget} lines, its sections add up to {total}"
        yield part.line, "P017", defect
