"""Locate the PARTs of a plan: each extends from its heading to the next, or to the end matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from planbook.markdown.plan_blocks import Block
from planbook.plan.part_ends import end_of_part
from planbook.plan.part_names import find_part_names

_NUMBERED_HEADING = re.compile(
    r"^\W{0,8}(?!Steps?\b|Section\b)(?:[A-Za-z]+\W{1,2}){0,2}[A-Z]?\d+(?:\.\d+)*[a-z]?\b"
)
"""A heading with a number, whatever it calls its PARTs: ``3. Rye``, ``Chapter 3``, ``T3.1``."""
_WHOLE_NUMBER = re.compile(r"^\W{0,4}\d+(?:[.)](?!\d)|\s)")
"""``3. Rye``, not ``3.1 Rye``."""
_NUMBERED_WITHIN = re.compile(r"^\W{0,4}\d+\.\d")
"""``3.1 Flour``, a step of ``3. Rye``."""
_DISABLED_HEADING = re.compile(r"\bDISABLED\b|^[^\w]{0,8}Disabled\b|\(\s?[Dd]isabled\b")
_STRUCK_LINE = re.compile(r"^[^\w~]{0,8}~~[^~]{1,300}~~[^\w~]{0,8}$")
"""``~~PART 4: Create tea/04-cup.md~~``."""
_DISABLED_LABEL = re.compile(r"\W{0,8}\*\*[^*]{0,60}\bDISABLED\b[^*]{0,60}\*\*\W{0,8}")


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


def find_parts(blocks: Sequence[Block]) -> tuple[Span, ...]:
    """Return the PARTs in document order.

    `part_names` says which lines name them. Numbers may repeat: nothing is merged.
    """
    names = find_part_names(blocks)
    disabled = _disabled_regions(blocks, {name.index for name in names})
    spans = []
    for name, following in zip_longest(names, names[1:]):
        # A PART ends where the next one begins, or sooner: at a heading as high as its own.
        limit = following.index if following else len(blocks)
        is_last = following is None
        stop = end_of_part(blocks, name.index, name.number, limit, is_last=is_last)
        heading = blocks[name.index]
        body = (*_body_in_heading(heading, name.kind), *blocks[name.index + 1 : stop])
        is_struck = bool(_STRUCK_LINE.match(heading.text))
        is_disabled = (
            disabled[name.index] or is_struck or bool(_DISABLED_HEADING.search(heading.text))
        )
        end_line = max([heading.end_line, *(block.end_line for block in body)])
        spans.append(Span(name.number, name.rest, name.lead, heading, body, is_disabled, end_line))
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
            if _NUMBERED_HEADING.match(block.text) and not is_plan_title:
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
    if _NUMBERED_HEADING.match(blocks[first].text) or len(numbered_boxes) < 2 or not nests:
        return [(first, list(rest))]
    runs: list[tuple[int, list[int]]] = [(first, [])]
    for index in rest:
        if blocks[index] in numbered_boxes:
            runs.append((index, []))
        else:
            runs[-1][1].append(index)
    return runs


def find_blocks_outside(blocks: Sequence[Block], spans: Sequence[Span]) -> tuple[Block, ...]:
    """Return the blocks that belong to no PART."""
    inside = {block for span in spans for block in (span.heading, *span.body)}
    return tuple(block for block in blocks if block not in inside)


def _disabled_regions(blocks: Sequence[Block], indices_of_names: set[int]) -> list[bool]:
    """Return, for each block, True if it is below a heading marked DISABLED."""
    flags, level = [], 0
    for index, block in enumerate(blocks):
        if index in indices_of_names:
            pass  # `find_parts` asks the PART's own heading
        elif block.kind == "paragraph" and _DISABLED_LABEL.fullmatch(block.text):
            level = level or 2
        elif block.kind == "heading":
            if _DISABLED_HEADING.search(block.text):
                level = block.level
            elif block.level <= level:
                level = 0
        flags.append(level > 0)
    return flags
