"""The names of PARTs: the lines of a plan at which its PARTs begin.

`NAME_FORMS` says which form of a name counts where a plan has several.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from planbook.markdown.plan_blocks import PART_HEADING, Block
from planbook.plan.numerals import NUMBER, is_letter, is_roman, value_of
from planbook.plan.part_ends import end_of_part
from planbook.plan.state import read_status_line

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
_REST_OF_LINE = r"[\s*_\])\"”]{0,8}[:.)–—-]{0,4}\s*(?P<rest>.*)$"
_PART = re.compile(f"(?P<lead>{_LEAD})PART{_NUMBER}{_REST_OF_LINE}")
PART_IN_ANY_CASE = re.compile(f"(?P<lead>{_LEAD})PART{_NUMBER}{_REST_OF_LINE}", re.IGNORECASE)
_PLAIN_PART = re.compile(
    rf"{_LEAD}PART{_NUMBER}\s*(?:[:.)–—-]|$|(?:Create|Write)\b)", re.IGNORECASE
)
"""A PART without the marks of a heading or of bold: ``Part 3: rye``, ``part 3 Create rye.md``."""
WORKER = re.compile(
    f"(?P<lead>{_LEAD})(?:WORKER|RUNNER|TASK){_NUMBER}{_REST_OF_LINE}", re.IGNORECASE
)
NAMED_PART = re.compile(rf"{_LEAD}(?:PART|WORKER|RUNNER)(?![a-z])", re.IGNORECASE)
_BEGINS_IN_BOLD = re.compile(r"^\W{0,16}?(?:\*\*|__)")
_ADDENDUM = re.compile(
    r"^\W{0,8}(?:Results?|Notes?|Summary|Completion|Status|Verification|Findings|Review|Details"
    r"|Checklist|Recap|Output"
    r"|Progress|& \d+)\b(?!.*\.md\b)",
    re.IGNORECASE,
)
"""``PART 3: Results``, a second heading of PART 3 that names no page; this is its rest."""


@dataclass(frozen=True, slots=True)
class PartName:
    """A line that names a PART."""

    index: int
    """The index of its block."""
    number: int
    lead: str
    """The text before ``PART n``: a mark, or DISABLED."""
    rest: str
    """The text after it."""
    kind: str
    """The kind of its block."""


@dataclass(frozen=True, slots=True)
class NameForm:
    """A form in which a plan names its PARTs."""

    says: str
    example: str
    find: Callable[[Sequence[Block]], list[PartName]]


def find_part_names(blocks: Sequence[Block]) -> list[PartName]:
    """Return the names in the form that counts, in order, without mere mentions of a PART."""
    every_form = (form.find(blocks) for form in NAME_FORMS)
    return _omit_addenda(blocks, next((names for names in every_form if names), []))


def find_fenced_parts(fence: Block) -> Iterator[int]:
    """Return the numbers of the PARTs whose headings are inside a fence."""
    for text in fence.lines:
        if not PART_HEADING.match(text):
            continue
        match = _PART.match(text) or WORKER.match(text)
        if match:
            yield value_of(match["number"])


def _headings_and_bold(blocks: Sequence[Block]) -> list[PartName]:
    """Return the headings ``PART n``, and bold paragraphs with other numbers.

    Beside headings, a bold ``PART 3`` is often a mention, so it needs some substance.
    """
    headings = _part_headings(blocks)
    known_numbers = {name.number for name in headings}
    if not headings:
        return []
    bold = _bold_parts(blocks)
    return _sort_names(
        [*headings, *_find_parts_with_substance(blocks, headings, bold, known_numbers)]
    )


def _worker_headings(blocks: Sequence[Block]) -> list[PartName]:
    return _blocks_of_names(blocks, "heading", WORKER)


def _bold_workers(blocks: Sequence[Block]) -> list[PartName]:
    return _blocks_of_names(blocks, "paragraph", WORKER)


def _plain_parts(blocks: Sequence[Block]) -> list[PartName]:
    """Return the paragraphs and top-level items ``PART n`` without bold or box that name a page."""
    # The least certain form: at the top level only, and with a page.
    kinds = {"paragraph": 0, "item": 1}
    names = [
        name
        for kind in kinds
        for name in _blocks_of_names(blocks, kind, PART_IN_ANY_CASE, is_plain=True)
        if blocks[name.index].depth == kinds[kind]
    ]
    texts = [(name, blocks[name.index]) for name in names]
    headings = [
        name
        for name, block in texts
        if _PLAIN_PART.match(block.text) and ".md" in " ".join(block.lines)
    ]
    return _first_of_each(headings)


def _top_level_items(blocks: Sequence[Block]) -> list[PartName]:
    items = _blocks_of_names(blocks, "item", PART_IN_ANY_CASE)
    return [name for name in items if blocks[name.index].depth == 1]


def _items_with_boxes(blocks: Sequence[Block]) -> list[PartName]:
    items = _top_level_items(blocks)
    return _first_of_each([name for name in items if blocks[name.index].mark])


def _bold_items(blocks: Sequence[Block]) -> list[PartName]:
    """Return the top-level items ``PART n`` in bold that name a page."""
    texts = [(name, blocks[name.index].text) for name in _top_level_items(blocks)]
    return _first_of_each(
        [name for name, text in texts if _BEGINS_IN_BOLD.match(text) and ".md" in text]
    )


def _first_of_each(names: Sequence[PartName]) -> list[PartName]:
    """Return the first of each number, in order."""
    first: dict[int, PartName] = {}
    for name in _sort_names(names):
        first.setdefault(name.number, name)
    return list(first.values())


def _part_headings(blocks: Sequence[Block]) -> list[PartName]:
    """Return the headings ``PART n``, and at the level of one of them those in another case.

    Deeper ones are chapters of a PART's page, higher ones are groups of PARTs, unless a status line
    names them.
    """
    exact = _blocks_of_names(blocks, "heading", _PART)
    in_any_case = _blocks_of_names(blocks, "heading", PART_IN_ANY_CASE)
    if not exact or len(exact) == len(in_any_case):
        return in_any_case
    levels = {blocks[name.index].level for name in exact}
    known_numbers = {name.number for name in exact}
    planned = _numbers_in_status_lines(blocks) - known_numbers

    def is_part(name: PartName) -> bool:
        """Return True for a heading of a PART of the plan."""
        is_at_level = blocks[name.index].level in levels
        return name in exact or is_at_level or name.number in planned

    return [name for name in in_any_case if is_part(name)]


def _bold_parts(blocks: Sequence[Block]) -> list[PartName]:
    """Return the bold paragraphs ``PART n``, and those with substance in another case."""
    exact = _blocks_of_names(blocks, "paragraph", _PART)
    in_any_case = _blocks_of_names(blocks, "paragraph", PART_IN_ANY_CASE)
    if not exact:
        return in_any_case
    known_numbers = {name.number for name in exact}
    return _sort_names(
        [*exact, *_find_parts_with_substance(blocks, exact, in_any_case, known_numbers)]
    )


def _find_parts_with_substance(
    blocks: Sequence[Block],
    certain: Sequence[PartName],
    possible: Sequence[PartName],
    known_numbers: set[int],
) -> list[PartName]:
    """Return those `possible` PARTs that have a status line, page or query.

    PARTs with one of the `known_numbers` are left out.
    """
    added = [name for name in possible if name.number not in known_numbers]
    if not added:
        return []
    planned = _numbers_in_status_lines(blocks)
    indices = sorted({name.index for name in (*certain, *added)})
    ends = dict(zip(indices, [*indices[1:], len(blocks)], strict=True))
    with_substance = []
    for name in added:
        body = blocks[name.index : end_of_part(blocks, name.index, name.number, ends[name.index])]
        if name.number in planned or _has_substance(body, name.number):
            with_substance.append(name)
    return with_substance


def _numbers_in_status_lines(blocks: Sequence[Block]) -> set[int]:
    status_lines = (read_status_line(block) for block in blocks)
    return {line.number for line in status_lines if line}


def _sort_names(names: Sequence[PartName]) -> list[PartName]:
    return sorted(names, key=lambda name: name.index)


def _omit_addenda(blocks: Sequence[Block], names: list[PartName]) -> list[PartName]:
    """Return `names` without headings that only mention a PART, such as that of its results.

    Only repeated numbers are checked: a PART that occurs once is included, however short. If all
    headings of a number are short, the last that is not a mere mention is included, so that no
    number is lost.
    """
    counts = Counter(name.number for name in names)
    names_of_parts: list[PartName] = []
    seen: set[int] = set()
    for name, following in zip_longest(names, names[1:]):
        if counts[name.number] > 1:
            # ``## PART 2: Results`` below ``## PART 2: Create mills.md`` is no further PART
            stop = following.index if following else len(blocks)
            is_addendum = name.number in seen and _ADDENDUM.match(name.rest)
            if is_addendum or not _has_substance(blocks[name.index : stop], name.number):
                continue
        seen.add(name.number)
        names_of_parts.append(name)
    lost: dict[int, PartName] = {}
    for name in names:
        if name.number in seen:
            continue
        # The last one counts, but an addendum only where all are addenda.
        best = lost.get(name.number)
        if best is None or _ADDENDUM.match(best.rest) or not _ADDENDUM.match(name.rest):
            lost[name.number] = name
    return _sort_names([*names_of_parts, *lost.values()])


def _has_substance(body: Sequence[Block], number: int) -> bool:
    """Return True if a PART's blocks name a page, contain its status line, or quote a query."""
    status_lines = (read_status_line(block) for block in body)
    if any(line.number == number for line in status_lines if line):
        return True
    return any(".md" in line or '"' in line for block in body for line in block.lines)


def _blocks_of_names(
    blocks: Sequence[Block], kind: str, pattern: re.Pattern[str], *, is_plain: bool = False
) -> list[PartName]:
    """Return the blocks of a kind that begin a PART by their first line.

    Paragraphs count in bold only, unless `is_plain`.
    """
    names: list[tuple[str, PartName]] = []
    for index, block in enumerate(blocks):
        if block.kind != kind:
            continue
        if kind == "paragraph" and not is_plain and not _BEGINS_IN_BOLD.match(block.text):
            continue
        match = pattern.match(block.text)
        if match:
            numeral, lead, rest = match["number"], match["lead"].strip("*_# "), match["rest"]
            lead = lead.rstrip('[(~"“ ')
            name = PartName(index, value_of(numeral), lead, rest.strip(), kind)
            names.append((numeral, name))
    # ``PART X`` may be a form to fill in; beside ``PART IX`` or ``PART 9`` it is a number.
    has_roman = any(is_roman(numeral) and not is_letter(numeral) for numeral, _ in names)
    numbers = {name.number for _, name in names}

    def is_number(numeral: str, number: int) -> bool:
        """Return True for a numeral that counts, and is no letter."""
        return has_roman or number - 1 in numbers or not is_letter(numeral)

    return [name for numeral, name in names if is_number(numeral, name.number)]


NAME_FORMS = (
    NameForm(
        "A heading `PART n`; a bold paragraph beside it counts if it has a page, a query or a "
        "status line",
        "## PART 1: Create tea/01-water.md",
        _headings_and_bold,
    ),
    NameForm(
        "A paragraph that begins in bold",
        "**PART 1: Create tea/01-water.md**",
        _bold_parts,
    ),
    NameForm(
        "A heading `Worker n`, `Runner n` or `Task n`",
        "## Worker 1: Create tea/01-water.md",
        _worker_headings,
    ),
    NameForm(
        "The same in a paragraph that begins in bold",
        "**Worker 1: Create tea/01-water.md**",
        _bold_workers,
    ),
    NameForm(
        "A top-level item with a box",
        "- [ ] PART 1: Create tea/01-water.md",
        _items_with_boxes,
    ),
    NameForm(
        "A top-level item in bold that names a page",
        "- **PART 1**: Create tea/01-water.md",
        _bold_items,
    ),
    NameForm(
        "A paragraph or a top-level item without bold or box that names a page",
        "Part 1: Create tea/01-water.md",
        _plain_parts,
    ),
)
"""The forms of names. The first that a plan has is that of all its PARTs."""
