"""Locate the PARTs of a plan: each extends from its heading to the next, or to the end matter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from planbook.markdown.plan_blocks import PART_HEADING, Block
from planbook.plan.numerals import NUMBER, is_letter, is_roman, value_of
from planbook.plan.state import is_closing, read_status_line

# Bounded: an unbounded run before an optional one is cubic on a line of asterisks.
_DECOR = r"[^\w(]{0,16}"
"""Marks of Markdown, emojis and blanks."""
_WORDS = (
    r"(?:(?i:BATCH|PHASE|RUNNER|WORKER)\s+\d+|\d{1,2}(?=[.)])"
    r"|DISABLED|SKIP(?:PED)?|DONE|TODO|COMPLETED?)"
)
_LEAD = rf"^{_DECOR}(?:\[[xX]\][^\w(]{{0,4}})?(?:{_WORDS}[^\w(]{{1,5}})?(?:__)?"
"""Before the name: ``**[x] ``, ``DISABLED: ``, ``Phase 2 - ``."""
_NUMBER = rf"(?:[ \t]*[#№(]?|[-_.]|[ \t]+[Nn]o\.?[ \t]+){NUMBER}(?:\s*(?:of|/)\s*\d+\b)?"
"""Behind it: `` 3``, ``-3``, `` No. 3``, `` 3 of 8``."""
_REST = r"[\s*_\])\"”]{0,8}[:.)–—-]{0,4}\s*(?P<rest>.*)$"
_PART = re.compile(f"(?P<lead>{_LEAD})PART{_NUMBER}{_REST}")
PART_IN_ANY_CASE = re.compile(f"(?P<lead>{_LEAD})PART{_NUMBER}{_REST}", re.IGNORECASE)
_PLAIN_PART = re.compile(
    rf"{_LEAD}PART{_NUMBER}\s*(?:[:.)–—-]|$|(?:Create|Write)\b)", re.IGNORECASE
)
"""A PART without the marks of a heading or of bold: ``Part 3: rye``, ``part 3 Create rye.md``."""
WORKER = re.compile(f"(?P<lead>{_LEAD})(?:WORKER|RUNNER|TASK){_NUMBER}{_REST}", re.IGNORECASE)
_NUMBERED = re.compile(
    r"^\W{0,8}(?!Steps?\b|Section\b)(?:[A-Za-z]+\W{1,2}){0,2}[A-Z]?\d+(?:\.\d+)*[a-z]?\b"
)
"""A heading with a number, whatever it calls its PARTs: ``3. Rye``, ``Chapter 3``, ``T3.1``."""
_WHOLE_NUMBER = re.compile(r"^\W{0,4}\d+(?:[.)](?!\d)|\s)")
"""``3. Rye``, not ``3.1 Rye``."""
NAMED = re.compile(rf"{_LEAD}(?:PART|WORKER|RUNNER)(?![a-z])", re.IGNORECASE)
_NUMBERED_INNER = re.compile(r"\W*(?:Section|Step)\s+\d")
"""Headings within a PART at the level of its own heading, or above it."""
_INNER_TOPIC = re.compile(
    r"^\W{0,16}(?:\d+[.)]\s*)?"
    r"(?:Phase \d"
    r"|(?:Web |Existing |Prior )?(?:Research|Search|Quer(?:y|ies)|Knowledge)\b"
    r"(?! (?:Notes|Log|Results?|Drops?)\b)"
    r"|(?:Page |Content )?Outline|Content to|(?:Key )?(?:Topics?|Points?)\b"
    r"|(?:Target |Key )?Sources? (?:to|wanted)|Target\b|Write\b|Extract\b|Tasks?\b|Focus\b|Scrape\b"
    r"|Check existing|KNOWLEDGE DROP$)",
    re.IGNORECASE,
)
"""The same for headings without a number, if another PART follows: behind the last one they are the
plan's tail."""
_NUMBERED_WITHIN = re.compile(r"^\W{0,4}\d+\.\d")
"""``3.1 Flour``, a step of ``3. Rye``."""
_BEGINS_IN_BOLD = re.compile(r"^\W{0,16}?(?:\*\*|__)")
_DISABLED = re.compile(r"\bDISABLED\b|^[^\w]{0,8}Disabled\b|\(\s?[Dd]isabled\b")
_STRUCK = re.compile(r"^[^\w~]{0,8}~~[^~]{1,300}~~[^\w~]{0,8}$")
"""``~~PART 4: Create tea/04-cup.md~~``."""
_DISABLED_LABEL = re.compile(r"\W{0,8}\*\*[^*]{0,60}\bDISABLED\b[^*]{0,60}\*\*\W{0,8}")
_ADDENDUM = re.compile(
    r"^\W{0,8}(?:Results?|Notes?|Summary|Completion|Status|Verification|Findings|Review|Details"
    r"|Checklist|Recap|Output"
    r"|Progress|& \d+)\b(?!.*\.md\b)",
    re.IGNORECASE,
)
"""``PART 3: Results``, a second heading of PART 3 that names no page; this is its rest."""


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

    Headings name them; where a plan has none, bold paragraphs do, then ``Worker n``, then bare
    status lines. Numbers may repeat: nothing is merged.
    """
    starts = _without_addenda(blocks, _starts(blocks))
    disabled = _disabled_regions(blocks, {start.index for start in starts})
    spans = []
    for start, following in zip_longest(starts, starts[1:]):
        # A PART ends where the next one begins, or sooner: at a heading as high as its own.
        limit = following.index if following else len(blocks)
        stop = _end(blocks, start, limit, is_last=following is None)
        heading = blocks[start.index]
        body = (*_body_in_heading(heading, start.kind), *blocks[start.index + 1 : stop])
        is_struck = bool(_STRUCK.match(heading.text))
        is_disabled = disabled[start.index] or is_struck or bool(_DISABLED.search(heading.text))
        end_line = max([heading.end_line, *(block.end_line for block in body)])
        spans.append(
            Span(start.number, start.rest, start.lead, heading, body, is_disabled, end_line)
        )
    return tuple(spans)


def _body_in_heading(heading: Block, kind: str) -> tuple[Block, ...]:
    """Return what belongs to the body in the block that names a PART.

    An item is a task as well as a name. The lines below the first of a bold paragraph are text.
    """
    if kind == "item":
        return (heading,)
    if len(heading.lines) > 1:
        first, last = heading.line + 1, heading.end_line
        return (Block("paragraph", first, last, heading.lines[1:], heading.depth),)
    return ()


def find_groups(blocks: Sequence[Block]) -> tuple[Span, ...]:
    """Return the headings and numbered items with boxes: the PARTs of a plan that names none.

    A heading below a numbered one belongs to it, unless it is numbered too. In a list below any
    other heading, an item with a whole number begins a group if there are boxes below such items.
    """
    spans: list[Span] = []
    for owner, owned in sorted(_blocks_by_heading(blocks).items()):
        for first, rest in _numbered_runs(blocks, owner, owned):
            heading = blocks[first]
            body = tuple(blocks[index] for index in rest)
            if heading.kind == "item":
                body = (heading, *body)
            has_boxes = any(block.mark is not None for block in body)
            if has_boxes:
                end = max(block.end_line for block in body)
                spans.append(Span(len(spans) + 1, heading.text, "", heading, body, False, end))
    return tuple(spans)


def _blocks_by_heading(blocks: Sequence[Block]) -> dict[int, list[int]]:
    """Return the indices of the blocks of each heading, by the heading's index.

    The blocks below an unnumbered heading belong to the innermost numbered one above it.
    """
    owned: dict[int, list[int]] = {}
    numbered_above: list[int] = []
    owner: int | None = None
    for index, block in enumerate(blocks):
        if block.kind == "heading":
            numbered_above = [n for n in numbered_above if blocks[n].level < block.level]
            is_plan_title = index == 0 and block.level == 1
            if _NUMBERED.match(block.text) and not is_plan_title:
                numbered_above.append(index)
            owner = numbered_above[-1] if numbered_above else index
        elif owner is not None:
            owned.setdefault(owner, []).append(index)
    return owned


def _numbered_runs(
    blocks: Sequence[Block], first: int, rest: Sequence[int]
) -> list[tuple[int, list[int]]]:
    """Return a heading's group, or its own blocks and a group for each numbered item below it."""
    # Items 1, 2, 3 with boxes below them are groups; without such boxes they are tasks.
    boxes = [blocks[index] for index in rest if blocks[index].mark is not None]
    numbered_boxes = [box for box in boxes if box.depth == 1 and _WHOLE_NUMBER.match(box.text)]
    nests = any(box.depth > 1 or _NUMBERED_WITHIN.match(box.text) for box in boxes)
    if _NUMBERED.match(blocks[first].text) or len(numbered_boxes) < 2 or not nests:
        return [(first, list(rest))]
    runs: list[tuple[int, list[int]]] = [(first, [])]
    for index in rest:
        if blocks[index] in numbered_boxes:
            runs.append((index, []))
        else:
            runs[-1][1].append(index)
    return runs


def find_fenced_parts(fence: Block) -> Iterator[int]:
    """Return the numbers of the PARTs whose headings are inside a fence."""
    for text in fence.lines:
        if not PART_HEADING.match(text):
            continue
        match = _PART.match(text) or WORKER.match(text)
        if match:
            yield value_of(match["number"])


def find_blocks_outside(blocks: Sequence[Block], spans: Sequence[Span]) -> tuple[Block, ...]:
    """Return the blocks that belong to no PART."""
    inside = {block for span in spans for block in (span.heading, *span.body)}
    return tuple(block for block in blocks if block not in inside)


def _starts(blocks: Sequence[Block]) -> list[_Start]:
    headings = _part_headings(blocks)
    bold = _bold_parts(blocks)
    if headings:
        # Beside headings, a bold `PART 3` is often a mention, so it needs some substance.
        known_numbers = {start.number for start in headings}
        return _sort_starts(
            [*headings, *_find_parts_with_substance(blocks, headings, bold, known_numbers)]
        )
    if bold:
        return bold
    workers = _matches(blocks, "heading", WORKER) or _matches(blocks, "paragraph", WORKER)
    return workers or _part_items(blocks) or _plain_parts(blocks)


def _plain_parts(blocks: Sequence[Block]) -> list[_Start]:
    """Return the paragraphs and top-level items ``PART n`` without bold or box that name a page."""
    # The least certain form: at the top level only, and with a page.
    kinds = {"paragraph": 0, "item": 1}
    starts = [
        start
        for kind in kinds
        for start in _matches(blocks, kind, PART_IN_ANY_CASE, is_plain=True)
        if blocks[start.index].depth == kinds[kind]
    ]
    texts = [(start, blocks[start.index]) for start in starts]
    headings = [
        start
        for start, block in texts
        if _PLAIN_PART.match(block.text) and ".md" in " ".join(block.lines)
    ]
    first_of_each: dict[int, _Start] = {}
    for start in _sort_starts(headings):
        first_of_each.setdefault(start.number, start)
    return list(first_of_each.values())


def _part_items(blocks: Sequence[Block]) -> list[_Start]:
    """Return the top-level items ``PART n`` with boxes, else those in bold that name a page.

    Only the first item of each number counts.
    """
    items = _matches(blocks, "item", PART_IN_ANY_CASE)
    items = [start for start in items if blocks[start.index].depth == 1]
    chosen = [start for start in items if blocks[start.index].mark]
    if not chosen:
        texts = [(start, blocks[start.index].text) for start in items]
        chosen = [start for start, text in texts if _BEGINS_IN_BOLD.match(text) and ".md" in text]
    first_of_each: dict[int, _Start] = {}
    for start in chosen:
        first_of_each.setdefault(start.number, start)
    return _sort_starts(list(first_of_each.values()))


def _part_headings(blocks: Sequence[Block]) -> list[_Start]:
    """Return the headings ``PART n``, and at the level of one of them those in another case.

    Deeper ones are chapters of a PART's page, higher ones are groups of PARTs, unless a status line
    names them.
    """
    exact = _matches(blocks, "heading", _PART)
    in_any_case = _matches(blocks, "heading", PART_IN_ANY_CASE)
    if not exact or len(exact) == len(in_any_case):
        return in_any_case
    levels = {blocks[start.index].level for start in exact}
    known_numbers = {start.number for start in exact}
    planned = _numbers_in_status_lines(blocks) - known_numbers

    def is_part(start: _Start) -> bool:
        """Return True for a heading of a PART of the plan."""
        is_at_level = blocks[start.index].level in levels
        return start in exact or is_at_level or start.number in planned

    return [start for start in in_any_case if is_part(start)]


def _bold_parts(blocks: Sequence[Block]) -> list[_Start]:
    """Return the bold paragraphs ``PART n``, and those with substance in another case."""
    exact = _matches(blocks, "paragraph", _PART)
    in_any_case = _matches(blocks, "paragraph", PART_IN_ANY_CASE)
    if not exact:
        return in_any_case
    known_numbers = {start.number for start in exact}
    return _sort_starts(
        [*exact, *_find_parts_with_substance(blocks, exact, in_any_case, known_numbers)]
    )


def _find_parts_with_substance(
    blocks: Sequence[Block],
    certain: Sequence[_Start],
    possible: Sequence[_Start],
    known_numbers: set[int],
) -> list[_Start]:
    """Return those `possible` PARTs that have a status line, page or query.

    PARTs with one of the `known_numbers` are left out.
    """
    added = [start for start in possible if start.number not in known_numbers]
    if not added:
        return []
    planned = _numbers_in_status_lines(blocks)
    indices = sorted({start.index for start in (*certain, *added)})
    ends = dict(zip(indices, [*indices[1:], len(blocks)], strict=True))
    with_substance = []
    for start in added:
        body = blocks[start.index : _end(blocks, start, ends[start.index])]
        if start.number in planned or _has_substance(body, start.number):
            with_substance.append(start)
    return with_substance


def _numbers_in_status_lines(blocks: Sequence[Block]) -> set[int]:
    status_lines = (read_status_line(block) for block in blocks)
    return {line.number for line in status_lines if line}


def _sort_starts(starts: Sequence[_Start]) -> list[_Start]:
    return sorted(starts, key=lambda start: start.index)


def _without_addenda(blocks: Sequence[Block], starts: list[_Start]) -> list[_Start]:
    """Return `starts` without headings that only mention a PART, such as that of its results.

    Only repeated numbers are checked: a PART that occurs once is included, however short. If all
    headings of a number are short, the last that is not a mere mention is included, so that no
    number is lost.
    """
    counts = Counter(start.number for start in starts)
    starts_of_parts: list[_Start] = []
    seen: set[int] = set()
    for start, following in zip_longest(starts, starts[1:]):
        if counts[start.number] > 1:
            # ``## PART 2: Results`` below ``## PART 2: Create mills.md`` is no further PART
            stop = following.index if following else len(blocks)
            is_addendum = start.number in seen and _ADDENDUM.match(start.rest)
            if is_addendum or not _has_substance(blocks[start.index : stop], start.number):
                continue
        seen.add(start.number)
        starts_of_parts.append(start)
    lost: dict[int, _Start] = {}
    for start in starts:
        if start.number in seen:
            continue
        # The last one counts, but an addendum only where all are addenda.
        best = lost.get(start.number)
        if best is None or _ADDENDUM.match(best.rest) or not _ADDENDUM.match(start.rest):
            lost[start.number] = start
    return _sort_starts([*starts_of_parts, *lost.values()])


def _has_substance(body: Sequence[Block], number: int) -> bool:
    """Return True if a PART's blocks name a page, contain its status line, or quote a query."""
    status_lines = (read_status_line(block) for block in body)
    if any(line.number == number for line in status_lines if line):
        return True
    return any(".md" in line or '"' in line for block in body for line in block.lines)


def _matches(
    blocks: Sequence[Block], kind: str, pattern: re.Pattern[str], *, is_plain: bool = False
) -> list[_Start]:
    """Return the blocks of a kind that begin a PART by their first line.

    Paragraphs count in bold only, unless `is_plain`.
    """
    starts: list[tuple[str, _Start]] = []
    for index, block in enumerate(blocks):
        if block.kind != kind:
            continue
        if kind == "paragraph" and not is_plain and not _BEGINS_IN_BOLD.match(block.text):
            continue
        match = pattern.match(block.text)
        if match:
            numeral, lead, rest = match["number"], match["lead"].strip("*_# "), match["rest"]
            lead = lead.rstrip('[(~"“ ')
            start = _Start(index, value_of(numeral), lead, rest.strip(), kind)
            starts.append((numeral, start))
    # ``PART X`` may be a form to fill in; beside ``PART IX`` or ``PART 9`` it is a number.
    has_roman = any(is_roman(numeral) and not is_letter(numeral) for numeral, _ in starts)
    numbers = {start.number for _, start in starts}

    def is_number(numeral: str, number: int) -> bool:
        """Return True for a numeral that counts, and is no letter."""
        return has_roman or number - 1 in numbers or not is_letter(numeral)

    return [start for numeral, start in starts if is_number(numeral, start.number)]


def _end(blocks: Sequence[Block], start: _Start, limit: int, *, is_last: bool = True) -> int:
    """Return the index after the PART's last block."""
    level = blocks[start.index].level or 6  # below a paragraph or an item, any heading ends it
    for index in range(start.index + 1, limit):
        block = blocks[index]
        if block.kind != "heading" or block.level > level:
            continue
        # ``## Sources to read`` at the level of ``## PART 1`` belongs to it, if a PART follows.
        is_topic = not is_last and block.level == level and _INNER_TOPIC.match(block.text)
        is_inner = (
            is_topic or _NUMBERED_INNER.match(block.text) or is_closing(block.text, start.number)
        )
        if not is_inner:
            return index
    return limit


def _disabled_regions(blocks: Sequence[Block], starts: set[int]) -> list[bool]:
    """Return, for each block, True if it is below a heading marked DISABLED."""
    flags, level = [], 0
    for index, block in enumerate(blocks):
        if index in starts:
            pass  # `find_parts` asks the PART's own heading
        elif block.kind == "paragraph" and _DISABLED_LABEL.fullmatch(block.text):
            level = level or 2
        elif block.kind == "heading":
            if _DISABLED.search(block.text):
                level = block.level
            elif block.level <= level:
                level = 0
        flags.append(level > 0)
    return flags
