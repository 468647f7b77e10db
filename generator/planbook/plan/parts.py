"""Locate the PARTs of a plan: each extends from its heading to the next one, or to the end matter of the plan."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planbook.markdown.plan_blocks import PART_HEADING, Block
from planbook.plan.numerals import NUMBER, is_letter, is_roman, value_of
from planbook.plan.status import is_closing, read_status_line

_DECOR = r"[^\w(]{0,16}"  # bounded: an unbounded run before an optional one is cubic on a line of asterisks
_WORDS = r"(?:(?i:BATCH|PHASE|RUNNER|WORKER)\s+\d+|\d{1,2}(?=[.)])|DISABLED|SKIP(?:PED)?|DONE|TODO|COMPLETED?)"
_LEAD = rf"^{_DECOR}(?:\[[xX]\][^\w(]{{0,4}})?(?:{_WORDS}[^\w(]{{1,5}})?(?:__)?"
_NUMBER = rf"(?:[ \t]*[#№(]?|[-_.]|[ \t]+[Nn]o\.?[ \t]+){NUMBER}(?:\s*(?:of|/)\s*\d+\b)?"
_REST = r"[\s*_]{0,8}[:.)–—-]{0,4}\s*(?P<rest>.*)$"
_PART = re.compile(f"(?P<lead>{_LEAD})PART{_NUMBER}{_REST}")
PART_IN_ANY_CASE = re.compile(f"(?P<lead>{_LEAD})PART{_NUMBER}{_REST}", re.IGNORECASE)
WORKER = re.compile(f"(?P<lead>{_LEAD})(?:WORKER|RUNNER|TASK){_NUMBER}{_REST}", re.IGNORECASE)
_NUMBERED = re.compile(r"^\W{0,8}(?!Steps?\b|Section\b)(?:[A-Za-z]+\W{1,2}){0,2}[A-Z]?\d+(?:\.\d+)*[a-z]?\b")
_WHOLE = re.compile(r"^\W{0,4}\d+(?:[.)](?!\d)|\s)")
NAMED = re.compile(rf"{_LEAD}(?:PART|WORKER|RUNNER)(?![a-z])", re.IGNORECASE)
_INNER = re.compile(r"\W*(?:Section|Step)\s+\d")
"""Headings within a PART at the level of its own heading, or above it."""
_INNER_TOPIC = re.compile(
    r"^\W{0,16}(?:\d+[.)]\s*)?(?:Phase \d|(?:Web |Existing |Prior )?(?:Research|Search|Quer(?:y|ies)|Knowledge)\b"
    r"(?! (?:Notes|Log|Results?|Drops?)\b)|(?:Page |Content )?Outline|Content to|(?:Key )?(?:Topics?|Points?)\b"
    r"|(?:Target |Key )?Sources? (?:to|wanted)|Target\b|Write\b|Extract\b|Tasks?\b|Focus\b|Scrape\b"
    r"|Check existing|KNOWLEDGE DROP$)",
    re.IGNORECASE,
)
"""The same for headings without a number, if another PART follows: behind the last one they are the plan's tail."""
_SUB = re.compile(r"^\W{0,4}\d+\.\d")
_BOLD = re.compile(r"^\W{0,16}?(?:\*\*|__)")
_DISABLED = re.compile(r"\bDISABLED\b|^[^\w]{0,8}Disabled\b|\(\s?[Dd]isabled\b")
_DISABLED_LABEL = re.compile(r"\W{0,8}\*\*[^*]{0,60}\bDISABLED\b[^*]{0,60}\*\*\W{0,8}")
_ADDENDUM = re.compile(
    r"^\W{0,8}(?:Results?|Notes?|Summary|Completion|Status|Verification|Findings|Review|Details|Checklist|Recap|Output"
    r"|Progress|& \d+)\b(?!.*\.md\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """The blocks of one PART within a plan."""

    number: int
    rest: str
    """The text after ``PART n:``."""
    lead: str
    """The text before ``PART n``: a mark, or DISABLED."""
    heading: Block
    body: tuple[Block, ...]
    is_disabled: bool
    end_line: int


@dataclass(frozen=True, slots=True)
class _Start:
    index: int
    number: int
    lead: str
    rest: str
    kind: str


def find_parts(blocks: Sequence[Block]) -> tuple[Span, ...]:
    """Return the PARTs in document order.

    Headings name them; where a plan has none, bold paragraphs do, then ``Worker n``, then bare status lines. Numbers
    may repeat: nothing is merged.
    """
    starts = _without_addenda(blocks, _starts(blocks))
    disabled = _disabled_regions(blocks, {start.index for start in starts})
    spans = []
    for start, following in zip(starts, [*starts[1:], None][: len(starts)], strict=True):
        limit = following.index if following else len(blocks)
        stop = _end(blocks, start, limit, is_last=following is None)
        heading, body = blocks[start.index], tuple(blocks[start.index + 1 : stop])
        off = disabled[start.index] or bool(_DISABLED.search(heading.text))
        if start.kind == "item":
            body = (heading, *body)
        elif len(heading.lines) > 1:  # a bold paragraph with further lines
            rest = Block("paragraph", heading.line + 1, heading.end_line, heading.lines[1:], heading.depth)
            body = (rest, *body)
        end_line = max([heading.end_line, *(b.end_line for b in body)])
        spans.append(Span(start.number, start.rest, start.lead, heading, body, off, end_line))
    return tuple(spans)


def find_groups(blocks: Sequence[Block]) -> tuple[Span, ...]:
    """Return the headings and numbered items with boxes, in document order: the PARTs of a plan that names none.

    A heading below a numbered one belongs to it, unless it is numbered too. In a list below any other heading, an item
    with a whole number begins a group if there are boxes below such items.
    """
    owned: dict[int, list[int]] = {}
    above: list[int] = []
    owner = -1
    for index, block in enumerate(blocks):
        if block.kind == "heading":
            above = [n for n in above if blocks[n].level < block.level]
            if _NUMBERED.match(block.text) and (index or block.level > 1):  # not the plan's title
                above.append(index)
            owner = above[-1] if above else index
        elif owner >= 0:
            owned.setdefault(owner, []).append(index)
    runs = [run for first, rest in sorted(owned.items()) for run in _numbered_runs(blocks, first, rest)]
    spans: list[Span] = []
    for first, rest in runs:
        heading, body = blocks[first], tuple(blocks[index] for index in rest)
        body = (heading, *body) if heading.kind == "item" else body
        if any(block.mark is not None for block in body):
            end = max(block.end_line for block in body)
            spans.append(Span(len(spans) + 1, heading.text, "", heading, body, False, end))
    return tuple(spans)


def _numbered_runs(blocks: Sequence[Block], first: int, rest: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Return the group of a heading, or the heading's own blocks and a group for each numbered item below it."""
    boxes = [blocks[index] for index in rest if blocks[index].mark is not None]
    whole = [box for box in boxes if box.depth == 1 and _WHOLE.match(box.text)]
    nests = any(box.depth > 1 or _SUB.match(box.text) for box in boxes)
    if _NUMBERED.match(blocks[first].text) or len(whole) < 2 or not nests:
        return [(first, list(rest))]
    runs: list[tuple[int, list[int]]] = [(first, [])]
    for index in rest:
        if blocks[index] in whole:
            runs.append((index, []))
        else:
            runs[-1][1].append(index)
    return runs


def fenced_parts(fence: Block) -> Iterator[int]:
    """Return the numbers of the PARTs whose headings are inside a fence."""
    matches = (_PART.match(text) or WORKER.match(text) for text in fence.lines if PART_HEADING.match(text))
    return (value_of(match["number"]) for match in matches if match)


def outside(blocks: Sequence[Block], spans: Sequence[Span]) -> tuple[Block, ...]:
    """Return the blocks that belong to no PART."""
    inside = {id(b) for span in spans for b in (span.heading, *span.body)}
    return tuple(b for b in blocks if id(b) not in inside)


def _starts(blocks: Sequence[Block]) -> list[_Start]:
    headings = _part_headings(blocks)
    bold = _bold_parts(blocks)
    if headings:
        known = {start.number for start in headings}
        return _in_order([*headings, *_with_substance(blocks, headings, bold, known)])
    if bold:
        return bold
    workers = _matches(blocks, "heading", WORKER) or _matches(blocks, "paragraph", WORKER)
    if workers:
        return workers
    items = [s for s in _matches(blocks, "item", PART_IN_ANY_CASE) if blocks[s.index].depth == 1]
    boxed = [s for s in items if blocks[s.index].mark]
    named = [s for s in items if _BOLD.match(blocks[s.index].text) and ".md" in blocks[s.index].text]
    first_of_each = {start.number: start for start in reversed(boxed or named)}
    return _in_order(list(first_of_each.values()))


def _part_headings(blocks: Sequence[Block]) -> list[_Start]:
    """Return the headings ``PART n``, and those that only differ in case at the level of one of them.

    Deeper ones are chapters of a PART's page, higher ones are groups of PARTs, unless a status line names them.
    """
    exact = _matches(blocks, "heading", _PART)
    in_any_case = _matches(blocks, "heading", PART_IN_ANY_CASE)
    if not exact or len(exact) == len(in_any_case):
        return in_any_case
    levels = {blocks[start.index].level for start in exact}
    known = {start.number for start in exact}
    planned = {line.number for block in blocks if (line := read_status_line(block))} - known
    return [
        start
        for start in in_any_case
        if start in exact or blocks[start.index].level in levels or start.number in planned
    ]


def _bold_parts(blocks: Sequence[Block]) -> list[_Start]:
    """Return the bold paragraphs ``PART n``, and those that only differ in case and have substance."""
    exact = _matches(blocks, "paragraph", _PART)
    in_any_case = _matches(blocks, "paragraph", PART_IN_ANY_CASE)
    if not exact:
        return in_any_case
    known = {start.number for start in exact}
    return _in_order([*exact, *_with_substance(blocks, exact, in_any_case, known)])


def _with_substance(
    blocks: Sequence[Block], certain: Sequence[_Start], possible: Sequence[_Start], known: set[int]
) -> list[_Start]:
    """Return those `possible` PARTs that are not `known`, and have a status line, a page or a query."""
    added = [start for start in possible if start.number not in known]
    if not added:
        return []
    planned = {line.number for block in blocks if (line := read_status_line(block))}
    indices = sorted({start.index for start in (*certain, *added)})
    ends = dict(zip(indices, [*indices[1:], len(blocks)], strict=True))
    found = []
    for start in added:
        body = blocks[start.index : _end(blocks, start, ends[start.index])]
        if start.number in planned or _has_substance(body, start.number):
            found.append(start)
    return found


def _in_order(starts: Sequence[_Start]) -> list[_Start]:
    return sorted(starts, key=lambda start: start.index)


def _without_addenda(blocks: Sequence[Block], starts: list[_Start]) -> list[_Start]:
    """Return `starts` without headings that only mention a PART: its results, its entry in an overview.

    Only repeated numbers are checked: a PART that occurs once is included, however short. If all headings of a number
    are short, the last that is not a mere mention is included, so that no number is lost.
    """
    counts = Counter(start.number for start in starts)
    kept: list[_Start] = []
    seen: set[int] = set()
    for n, start in enumerate(starts):
        if counts[start.number] > 1:
            stop = starts[n + 1].index if n + 1 < len(starts) else len(blocks)
            is_remark = start.number in seen and _ADDENDUM.match(start.rest)
            if is_remark or not _has_substance(blocks[start.index : stop], start.number):
                continue
        seen.add(start.number)
        kept.append(start)
    lost = {s.number: s for s in sorted(starts, key=lambda s: not _ADDENDUM.match(s.rest)) if s.number not in seen}
    return sorted([*kept, *lost.values()], key=lambda start: start.index)


def _has_substance(body: Sequence[Block], number: int) -> bool:
    """Return True if a PART's blocks name a page, contain its status line, or quote a query."""
    status_lines = (read_status_line(block) for block in body)
    if any(line.number == number for line in status_lines if line):
        return True
    return any(".md" in line or '"' in line for block in body for line in block.lines)


def _matches(blocks: Sequence[Block], kind: str, pattern: re.Pattern[str]) -> list[_Start]:
    """Return the blocks of a kind that begin a PART by their first line; of paragraphs, those in bold."""
    found: list[tuple[str, _Start]] = []
    for index, block in enumerate(blocks):
        is_candidate = block.kind == kind and (kind != "paragraph" or _BOLD.match(block.text))
        match = pattern.match(block.text) if is_candidate else None
        if match:
            number, lead = match["number"], match["lead"].strip("*_# ")
            found.append((number, _Start(index, value_of(number), lead, match["rest"].strip(), kind)))
    has_roman = any(is_roman(number) and not is_letter(number) for number, _ in found)
    return [start for number, start in found if has_roman or not is_letter(number)]


def _end(blocks: Sequence[Block], start: _Start, limit: int, *, is_last: bool = True) -> int:
    """Return the index after the PART's last block."""
    level = blocks[start.index].level or 6
    for index in range(start.index + 1, limit):
        block = blocks[index]
        is_end = block.kind == "heading" and block.level <= level
        is_topic = not is_last and block.level == level and _INNER_TOPIC.match(block.text)
        if is_end and not (is_topic or _INNER.match(block.text) or is_closing(block.text, start.number)):
            return index
    return limit


def _disabled_regions(blocks: Sequence[Block], starts: set[int]) -> list[bool]:
    """Return, for each block, True if it is below a heading marked DISABLED."""
    flags, level = [], 0
    for index, block in enumerate(blocks):
        if index in starts:
            pass
        elif block.kind == "paragraph" and _DISABLED_LABEL.fullmatch(block.text):
            level = level or 2
        elif block.kind == "heading":
            if _DISABLED.search(block.text):
                level = block.level
            elif block.level <= level:
                level = 0
        flags.append(level > 0)
    return flags
