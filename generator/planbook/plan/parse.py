"""Parse a plan's Markdown into a :class:`~planbook.model.Plan` and its Problems."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import PurePosixPath

from planbook.markdown.budgets import read_budget, strip_budget
from planbook.markdown.document import decode_file
from planbook.markdown.plain_text import count
from planbook.markdown.plan_blocks import Block, read_plan_blocks
from planbook.model import LineBudget, Part, Plan, PlanUri, Problem, State, Step, Task
from planbook.plan.body import read_contents
from planbook.plan.forms import Meaning
from planbook.plan.labels import Label, is_key_of, read_label
from planbook.plan.lint import lint_plan
from planbook.plan.part_names import NAMED_PART
from planbook.plan.parts import Span, find_blocks_outside, find_groups, find_parts
from planbook.plan.paths import read_targets
from planbook.plan.state import StatusLine, read_state, read_status_line, state_of, strip_mark

MAX_LINE = 4_000
"""Longest line read, in characters; the rest of a longer line is skipped, with a Problem."""

MIN_BOXES = 3
"""The fewest boxes in a file named like a plan that make it look like one."""
NAMED_LIKE_PLAN = re.compile(r"(?:^|/)(?:plans/[^/]+|plan|tasks)\.md$", re.IGNORECASE)
HAS_PART = re.compile(rb"^[ ]{0,3}(?:#{1,6}|\*\*)[^\n]{0,80}?\bPART[ \t]+#?\d", re.MULTILINE)
"""A quick test: a page without a match, named otherwise, is no plan."""

_BLANKS = {"\xa0": " ", "\u202f": " ", "\ufeff": "", "\u200b": ""}
"""Characters that look like a space, or are invisible."""

_CREATES = re.compile(
    r"^\W{0,8}(?:(?:Create|Write|Update|Expand|Produce|Generate|Make)\b|File\W{0,4}:|\S+\.md\b)",
    re.IGNORECASE,
)
_CODE_PATH = re.compile(r"(?<![\w/:.-])[\w.-]+/[\w./-]*\.(?!md\b|pdf\b|html?\b)[a-z]{1,4}\b")
_MAINS = frozenset({"ingestion", "plan", "tasks"})
"""File names of a plan in a folder of its own, whose name is better."""
_GENERATED_NAMES = frozenset({"INDEX.md", "SKILL.md"})
_OUTCOME_NOTE = re.compile(
    r"(?:(?<!\s)\s+)?\((?:completed?|done|finished|disabled|skipped)\b[^()]*\)\s*$", re.IGNORECASE
)
"""``PART 1: Mills (done on Monday)``."""
_TEMPLATE_NAME = re.compile(r"^[_.-]?templates?(?:[_.-]|$)|[_.-]template$", re.IGNORECASE)
_TEMPLATE_TITLE = re.compile(
    r"[\[<{](?:TOPIC|TITLE|NAME|PLAN|SUBJECT)[^\]>}]*[\]>}]|\bTEMPLATE\b", re.IGNORECASE
)


def parse_bytes(raw: bytes, uri: str) -> tuple[Plan, tuple[Problem, ...]]:
    """Parse a file's bytes.

    Never fails: bytes that are not UTF-8 are replaced and reported as P001.
    """
    text, defects = decode_file(raw, uri, "P001")
    plan, problems = parse(text, uri)
    return plan, (*defects, *problems)


def parse(text: str, uri: str) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan in `text`, and its Problems (codes P0xx) in line order.

    `uri` is the plan's path.
    """
    text, problems = _readable(text.removeprefix("\ufeff"), uri)
    blocks = read_plan_blocks(text)
    spans, parts, statuses = _parts_with_blocks(blocks, text)
    title = _document_title(blocks, {span.heading.line for span in spans})
    plan = Plan(
        uri=PlanUri(uri),
        title=title or _title_from_path(PurePosixPath(uri)),
        meta=_header_values(blocks),
        parts=parts,
        checkboxes=_count_boxes(blocks),
        overview=_overview_of_plan(blocks, spans),
        is_template=_is_template(uri, title),
    )
    problems += lint_plan(plan, blocks, statuses)
    return plan, tuple(sorted(problems, key=lambda problem: (problem.line, problem.code)))


def _parts_with_blocks(
    blocks: Sequence[Block], text: str
) -> tuple[tuple[Span, ...], tuple[Part, ...], list[tuple[StatusLine, ...]]]:
    """Return the PARTs with their blocks and status lines; groups of boxes if no PART is named."""
    spans = find_parts(blocks)
    statuses = _status_lines(blocks, spans)
    parts = tuple(_part_of_span(span, lines) for span, lines in zip(spans, statuses, strict=True))
    # ``PART 3`` in a heading of a task list may be a mention: of a plan of PARTs, some PART has a
    # status line or is named as one.
    names_parts = any(
        part.status_line or NAMED_PART.match(span.heading.text)
        for span, part in zip(spans, parts, strict=True)
    )
    groups = () if names_parts else find_groups(blocks)
    if not groups:
        return spans, parts, statuses
    has_code = bool(_CODE_PATH.search(text))
    return groups, tuple(_part_of_boxes(span, has_code) for span in groups), [() for _ in groups]


def _title_from_path(path: PurePosixPath) -> str:
    """Return a title for a plan without one: its folder's name if the file's says nothing."""
    if path.stem in _MAINS and path.parent.name:
        return path.parent.name
    return path.stem


def _count_boxes(blocks: Sequence[Block]) -> tuple[tuple[str, int], ...]:
    """Return the number of occurrences of each checkbox mark, by mark."""
    marks = [block.mark for block in blocks if block.kind == "item" and block.mark is not None]
    return tuple(sorted(Counter(marks).items()))


def may_have_part(raw: bytes) -> bool:
    """Return whether a text may have a PART; a quick test."""
    return b"PART" in raw and HAS_PART.search(raw) is not None


def find_plan_in_page(raw: bytes, uri: str, docs_dir: str) -> tuple[Problem, ...]:
    """Return K036 for a page outside `plans_dir` that reads like a plan, or is named like one."""
    plan, _ = parse_bytes(raw, uri)
    part_count = sum(
        bool(part.status_line or part.targets)
        for part in plan.parts
        # ``- [Part 8: Mills](8-mills.md)``: a page may link to the parts of a book.
        if not part.is_group and "](" not in part.title
    )
    boxes = sum(boxes_below for _, boxes_below in plan.checkboxes)
    if plan.is_template or (
        not part_count and (boxes < MIN_BOXES or not NAMED_LIKE_PLAN.search(uri))
    ):
        return ()
    folder = str(PurePosixPath(docs_dir) / PurePosixPath(uri).parent)
    defect = (
        f"this page looks like a plan ({count(part_count, 'PART')}, "
        f"{count(boxes, 'box', 'boxes')}), "
        "but is not read as one"
    )
    return (
        Problem(
            uri,
            1,
            "K036",
            f"{defect}; if it is a plan, add `{folder}` to `plans_dir` in mkdocs.yml",
        ),
    )


def _document_title(blocks: Sequence[Block], part_lines: Container[int]) -> str:
    """Return the text of the first heading; none if it is a PART's."""
    for block in blocks:
        if block.kind == "heading":
            return "" if block.line in part_lines and block.level > 1 else block.text.strip("* ")
    return ""


def _readable(text: str, uri: str) -> tuple[str, list[Problem]]:
    """Return `text` with plain blanks and lines of at most `MAX_LINE`, and what was cut."""
    for char, instead in _BLANKS.items():  # 40 times as fast as `translate`
        text = text.replace(char, instead)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    problems = []
    for n, line in enumerate(lines):
        if len(line) > MAX_LINE:
            defect = (
                f"line of {len(line):,} characters; only the first {MAX_LINE:,} were read; "
                "break the line"
            )
            problems.append(Problem(uri, n + 1, "P002", defect))
            lines[n] = line[:MAX_LINE]
    return "\n".join(lines), problems


def _status_lines(blocks: Sequence[Block], spans: Sequence[Span]) -> list[tuple[StatusLine, ...]]:
    """Return each PART's status lines.

    A PART without one gets those that name it elsewhere in the plan.
    """
    numbers = {span.number for span in spans}
    lines_within = [_status_lines_within(span, numbers) for span in spans]
    if all(lines_within):
        return lines_within
    elsewhere = _status_lines_elsewhere(blocks, spans)
    of_parts = []
    for span, lines in zip(spans, lines_within, strict=True):
        if lines:
            of_parts.append(lines)
        elif span.number in elsewhere:
            of_parts.append(tuple(elsewhere[span.number]))
        else:
            of_parts.append(_unnumbered_status(span))
    return of_parts


def _status_lines_within(span: Span, numbers: Container[int]) -> tuple[StatusLine, ...]:
    """Return the status lines in a PART that name it, else those that name none of the PARTs."""
    status_lines = [read_status_line(block) for block in span.body if block.depth <= 1]
    lines = [line for line in status_lines if line]
    lines_of_heading = tuple(line for line in lines if line.number == span.number)
    if lines_of_heading:
        return lines_of_heading
    return tuple(line for line in lines if line.number not in numbers and not line.is_closing)


def _status_lines_elsewhere(
    blocks: Sequence[Block], spans: Sequence[Span]
) -> dict[int, list[StatusLine]]:
    """Return by number the status lines outside PARTs, and those in a PART that name another."""
    candidates: list[tuple[Block, int | None]] = [
        (block, None) for block in find_blocks_outside(blocks, spans)
    ]
    for span in spans:
        candidates += [(block, span.number) for block in span.body if block.kind == "item"]
    by_number = defaultdict[int, list[StatusLine]](list)
    for block, within in candidates:
        status_line = read_status_line(block)
        if status_line and status_line.number != within:
            by_number[status_line.number].append(status_line)
    return by_number


def _unnumbered_status(span: Span) -> tuple[StatusLine, ...]:
    """Return the box before the first step that names a page or a source, but not the PART."""
    for block in span.body:
        if block.kind == "heading" or re.match(r"^\W{0,16}Step\s+\d", block.text):
            return ()
        if block.kind != "item" or block.depth != 1:
            continue
        # Only the first item counts.
        if block.mark is None or not _names_page_or_source(block.text):
            return ()
        return (StatusLine(span.number, block.mark, block.text, block.line),)
    return ()


def _names_page_or_source(text: str) -> bool:
    if _CREATES.match(text) and read_targets(text):
        return True
    label = read_label(text)
    return label is not None and label.has_colon and is_key_of(label.key, Meaning.SOURCE)


def _part_of_span(span: Span, lines: tuple[StatusLine, ...]) -> Part:
    """Return a PART: what its heading, its status lines and its body say together."""
    body = read_contents(span, frozenset(line.line for line in lines))
    heading = f"{span.lead} {span.rest}".strip()
    claimed = read_state(heading, lines, body.status, body.fields.get(Meaning.COMPLETED))
    status_text = next((line.text for line in lines if not line.is_closing), "")
    targets = _targets(span.rest, status_text, body.targets)
    pages = _omit_generated(targets)
    return Part(
        number=span.number,
        title=_title_of_part(span.rest),
        line=span.heading.line,
        end_line=span.end_line,
        state=State.DISABLED if span.is_disabled else claimed.state,
        targets=pages or targets,
        status_line=claimed.status_line,
        completed=claimed.completed,
        note=claimed.note,
        lines_budget=_budget(span.rest, status_text, body.budget),
        page_title=body.fields.get(Meaning.TITLE),
        goal=body.goal,
        steps=tuple(replace(step, tasks=tuple(tasks)) for step, tasks in body.steps),
        queries=tuple(body.queries),
        points=tuple(body.points),
        sections=body.outline.sections(),
        sources=tuple(dict.fromkeys(body.sources)),
        reads=tuple(body.reads),
        greps=tuple(body.greps),
        gaps=tuple(body.gaps),
        drop=body.drop,
        is_chore=bool(targets and not pages),
    )


def _targets(heading: str, status_text: str, in_body: tuple[str, ...]) -> tuple[str, ...]:
    """Return the pages of a PART, from the place that counts most.

    The status line comes first, then the heading, the body, and the heading's notes.
    """
    targets = read_targets(status_text)
    if not targets:
        targets = read_targets(heading)
    if not targets:
        targets = in_body
    if not targets:
        targets = read_targets(heading, noted=True)
    return targets


def _budget(heading: str, status_text: str, in_body: LineBudget | None) -> LineBudget | None:
    """Return the line budget of a PART: that of its heading, its status line, or its body."""
    for text in (heading, status_text):
        budget = read_budget(text)
        if budget:
            return budget
    return in_body


def _omit_generated(targets: Iterable[str]) -> tuple[str, ...]:
    return tuple(path for path in targets if PurePosixPath(path).name not in _GENERATED_NAMES)


def _part_of_boxes(span: Span, has_code: bool) -> Part:
    """Return a heading with boxes as a PART.

    In a plan that names code, only pages below ``docs/`` are targets.
    """
    tasks = [Task(box.text, box.mark, box.line) for box in span.body if box.mark is not None]
    targets: list[str] = []
    for text in (span.rest, *(task.text for task in tasks)):
        if _CREATES.match(text):
            paths = read_targets(text)
            targets += [path for path in paths if path.startswith("docs/") or not has_code]
    return Part(
        number=span.number,
        title=_title_of_part(span.rest),
        line=span.heading.line,
        end_line=span.end_line,
        state=_state_of_group(tasks),
        targets=tuple(dict.fromkeys(_omit_generated(targets))),
        steps=(Step(None, "Tasks", tuple(tasks)),),
        is_group=True,
    )


def _state_of_group(tasks: Sequence[Task]) -> State:
    """Return the state that all boxes have, but for skipped ones; else partial."""
    states = {state_of(task.mark) for task in tasks if task.mark is not None}
    if len(states) > 1:
        states.discard(State.SKIPPED)
    return states.pop() if len(states) == 1 else State.PARTIAL


def _title_of_part(rest: str) -> str:
    """Return the heading without budget, status mark and emphasis."""
    title, text_before = rest, None
    while title != text_before:  # each may stand behind the other
        text_before = title
        title = _OUTCOME_NOTE.sub("", title)
        title = strip_mark(strip_budget(title, is_planned=True))
    title = title.strip()
    has_unpaired_bold = title.count("**") % 2 == 1
    if has_unpaired_bold:
        title = title.replace("**", "")
    if title.endswith("~~") and title.count("~~") == 1:
        title = title.removesuffix("~~")
    emphasised = re.fullmatch(r"(\*\*|__|\*|_|`)(?P<text>[^*`]+)\1", title)
    if emphasised:
        title = emphasised["text"]
    return title.strip()


def _header_values(blocks: Sequence[Block]) -> tuple[tuple[str, str], ...]:
    """Return the header's keys and values, from the H1 to the first rule or heading.

    The items of a list below an empty value are its value, joined by semicolons.
    """
    start = 1 if blocks and blocks[0].kind == "heading" else 0
    header = takewhile(lambda block: block.kind not in {"heading", "rule"}, blocks[start:])
    meta: list[tuple[str, list[str]]] = []
    is_in_list = False
    for block in header:
        if block.kind == "fence":
            continue
        if block.kind != "item" or _header_label(block.text):
            is_in_list = False
            labels = [_header_label(line) for line in block.lines]
            meta += [(label.key, [label.value]) for label in labels if label]
            continue
        may_begin_list = bool(meta) and not any(meta[-1][1])
        is_in_list = bool(meta) and (is_in_list or may_begin_list)
        if is_in_list:
            meta[-1][1].append(block.text)
    return tuple((key, "; ".join(filter(None, values))) for key, values in meta)


def _header_label(text: str) -> Label | None:
    label = read_label(text)
    return label if label and label.has_colon else None


def _overview_of_plan(blocks: Sequence[Block], spans: Sequence[Span]) -> str:
    """Return the first paragraph below a heading such as Overview, before the first PART."""
    if not blocks:
        return ""
    end = spans[0].heading.line if spans else blocks[-1].end_line
    for above, block in pairwise(blocks):
        if block.line >= end:
            break
        if above.kind == "heading" and above.level > 1 and block.kind == "paragraph":
            return " ".join(block.lines)
    return ""


def _is_template(uri: str, title: str) -> bool:
    """Return True for a form to copy, judging by its name or by blanks in its title."""
    path = PurePosixPath(uri)
    in_folder = any(
        folder.lower().strip("_") in {"template", "templates"} for folder in path.parts[:-1][-3:]
    )
    return in_folder or bool(_TEMPLATE_NAME.search(path.stem) or _TEMPLATE_TITLE.search(title))
