"""Headings and boxes that nearly name a PART, and headings that end one too early."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import count, zip_longest
from textwrap import shorten

from planbook.markdown.budgets import NUMBER_WORDS
from planbook.markdown.plan_blocks import Block
from planbook.model import Part, Plan
from planbook.plan.misspelled_lines import SHOWN_CHARS
from planbook.plan.numerals import NUMBER, is_letter, value_of
from planbook.plan.part_names import PART_IN_ANY_CASE, WORKER
from planbook.plan.paths import read_targets
from planbook.plan.queries import read_queries
from planbook.plan.spelling import is_misspelling
from planbook.plan.state import is_status_like, read_status_line

_DECORATION = r"^[^\w(\[]{0,16}(?:\[[^\[\]]{0,12}\]\s*)?[*_]{0,3}"
_LABEL_END = r"(?=[*_]{0,3}\s*(?:[:.)–—-]|$)|\s+(?:Create|Write|Update)\b)"
_WORD_AND_NUMBER = re.compile(
    rf"{_DECORATION}(?P<word>[A-Za-z]{{2,10}})(?:[. \t#(_-]{{1,4}}|(?=\d)){NUMBER}{_LABEL_END}"
)
"""``PRT 2: Mills``, ``**Secton 1**: Mills``."""
_PART_WITHOUT_NUMBER = re.compile(
    rf"{_DECORATION}(?P<word>PART|Part)\b[ \t]*(?P<token>[^\s:]{{0,12}}){_LABEL_END}"
)
"""``PART x: Mills``, ``PART: Mills``."""
_RANGE = re.compile(r"\d+\s?[-–,&/]|\d+$")
_ORDINAL_WORDS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
_ORDINAL = rf"\d+(?:st|nd|rd|th)|(?:the )?(?:{_ORDINAL_WORDS})"
_PART_BY_ORDINAL = re.compile(
    rf"{_DECORATION}(?:(?i:{_ORDINAL})[ \t]+PART\b|(?:PART|Part)[ \t]+(?i:{_ORDINAL})){_LABEL_END}"
)
"""``2nd PART: Mills``, ``Part the Second: Mills``."""
_PART_AS_WORD = re.compile(rf"{_DECORATION}(?:PART|Part)\b(?![ \t]*{_RANGE.pattern})")
_BOX_AND_TEXT = re.compile(
    r"^[^\w\[({]{0,8}(?P<box>\[[^\[\]]{0,20}\]?|\([^()]?\)|\{[^{}]?\})\s*(?P<text>\S.*)$"
)
_MEANT_PART = re.compile(r"^this heading is not a PART; did you mean `PART (?P<number>\d{1,9})`")


def find_misspelled_parts(
    plan: Plan, parts: Sequence[Part], blocks: Sequence[Block]
) -> Iterator[tuple[int, str]]:
    """Yield headings, bold paragraphs and boxes that nearly name a PART."""
    starts = {part.line: part.number for part in parts}
    levels = {block.level for block in blocks if block.kind == "heading" and block.line in starts}
    numbers = {part.number for part in parts}
    used = {part.status_line for part in parts}
    last_number = 0  # the number of the last PART above the block, as read or as proposed
    for block in blocks:
        last_number = starts.get(block.line, last_number)
        if block.line in starts or block.kind not in {"heading", "paragraph", "item"}:
            continue
        # The proposed number is the first after the PART above that no PART has.
        free = next(number for number in count(last_number + 1) if number not in numbers)
        if block.kind == "heading":
            message = _near_heading(block, levels, free)
        elif block.text.startswith(("**", "__")):
            message = _near_part(block.text, free)
        elif block.line not in used and block.depth <= 1:
            message = _near_status_line(block, numbers)
        else:
            message = None
        if message:
            meant_part = _MEANT_PART.search(message)
            if meant_part:  # its status line needs no heading either
                numbers.add(int(meant_part["number"]))
            last_number = max(last_number, free if f"PART {free}:" in message else 0)
            yield block.line, message


def _near_heading(block: Block, levels: set[int], free: int) -> str | None:
    """Return the message for a heading; only those at the level of a PART's may be one."""
    is_at_level = block.level in levels
    if levels and not is_at_level:
        return None
    message = _near_part(block.text, free)
    if not message and is_at_level:
        message = _page_without_part(block.text)
    return message


def _near_part(text: str, free: int) -> str | None:
    """Return the message for a heading that looks like a PART's; `free` is a number for it."""
    match = PART_IN_ANY_CASE.match(text)
    if match:
        if not is_letter(match["number"]):
            return None
        letter = match["number"]
        numbers = dict.fromkeys([free, value_of(letter)] if free > 1 else [value_of(letter)])
        right = " or ".join(_heading_of_part(number, match["rest"]) for number in numbers)
        defect = f"{letter} may be a number or something to fill in"
        return f"this heading looks like a PART, but {defect}; did you mean {right}?"
    bare = _PART_WITHOUT_NUMBER.match(text)
    # ``PART x`` and ``PART IV`` may be meant as a number; ``PART and parcel`` may not.
    is_bare = bare and not _RANGE.match(bare["token"]) and _is_number_like(bare["token"])
    names_page = _PART_AS_WORD.match(text) and read_targets(text)
    if is_bare or names_page or _PART_BY_ORDINAL.match(text):
        _, mark, title = re.split(r"([:.)–—]|$)", text, maxsplit=1)
        right = _heading_of_part(free, title if mark else "")
        return f"this heading looks like a PART, but has no number; did you mean {right}?"
    word = _WORD_AND_NUMBER.match(text)
    if word and (is_misspelling(word["word"], "Part") or word["word"].lower() == "pt"):
        return (
            "this heading is not a PART; "
            f"did you mean `PART {word['number']}` for `{word['word']} {word['number']}`?"
        )
    return None


def _heading_of_part(number: int, title: str) -> str:
    """Return the heading of a PART with the words of `title`, as code."""
    words = title.strip(" *_#:.–—-")
    return f"`## PART {number}: {words[:60] or 'Title'}`"


def _is_number_like(token: str) -> bool:
    bare = token.strip("*_[]()<>#?")
    has_numerals = bool(re.fullmatch(r"[IVXLCDM]+|[ivxlcdm]+|\d\w*", bare))
    return (
        len(bare) <= 2 or has_numerals or any(is_misspelling(bare, word) for word in NUMBER_WORDS)
    )


_ASKS_FOR_PAGE = re.compile(
    r"\W{0,8}\w{1,5}\W{1,3}PART\b"
    r"|\W{0,8}(?:(?:[A-Za-z]{2,14}\W{1,3})?\w{1,5}\W{1,3})?(?:Create|Write)\b"
    r"|\W{0,8}[^\W\d_]{2,14}\W{1,3}\d{1,3}\s?[:.)–—-]"
)
"""``7. PART: mills/1.md``, ``7. Create mills/1.md``, ``Phase 7: mills/1.md``."""


def _page_without_part(text: str) -> str | None:
    """Return the message for a heading beside those of PARTs that names a page, and no PART."""
    targets = [path for path in read_targets(text) if not path.endswith(("INDEX.md", "SKILL.md"))]
    if not targets or not (WORKER.match(text) or _ASKS_FOR_PAGE.match(text)):
        return None
    return (
        f"this heading names the page {targets[0]}, but no PART; "
        f"did you mean `## PART n: Create {targets[0]}`?"
    )


def _near_status_line(block: Block, numbers: set[int]) -> str | None:
    """Return the message for a box that nearly marks a PART."""
    status = read_status_line(block)
    if status:
        if not numbers or status.number in numbers:
            return None
        return (
            f"no heading has the number of PART {status.number}; "
            f"add `## PART {status.number}: Title` above the line"
        )
    text = " ".join(block.lines)
    boxed = None if block.mark is not None else _BOX_AND_TEXT.match(text)
    if boxed and is_status_like(boxed["text"]):
        return (
            f"the box `{boxed['box']}` is not read, so this line marks no PART; "
            "did you mean `[ ]` or `[x]`?"
        )
    word = _WORD_AND_NUMBER.match(text) if block.mark is not None else None
    if word and is_misspelling(word["word"], "Part"):
        name = f"{word['word']} {word['number']}"
        return f"this line marks no PART; did you mean `PART {word['number']}` for `{name}`?"
    return None


_STEP_OR_SECTION = re.compile(r"\W*(?:Step|Section)\s+\d{1,3}\s*[:.)–—-]", re.IGNORECASE)


def find_interruptions(parts: Sequence[Part], blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield headings that end a PART above lines that only a PART has.

    Below the last PART these may be of the plan, unless that PART has no outline yet.
    """
    # A PART is followed by the next one, the last by the end of the plan.
    ends = [following.line for following in parts[1:]]
    for part, limit in zip_longest(parts, ends):
        stop = limit or (0 if part.sections else blocks[-1].end_line + 1)
        heading: Block | None = None
        for block in blocks[bisect_right(blocks, part.end_line, key=_first_line_of_block) :]:
            if block.line >= stop:
                break
            if block.kind == "heading":
                heading = heading or block
            elif heading and _is_of_part(block):
                start = blocks[bisect_left(blocks, part.line, key=_first_line_of_block)]
                yield heading.line, _interruption(start, part, block)
                break


def _first_line_of_block(block: Block) -> int:
    return block.line


def _is_of_part(block: Block) -> bool:
    """Return True for a step or a section, and for a task that asks for a search."""
    is_line = block.kind in {"item", "paragraph"}
    if not is_line:
        return False
    if _STEP_OR_SECTION.match(block.text):
        return block.mark is not None or block.text.startswith(("**", "__"))
    return block.mark is not None and bool(read_queries(block.text))


def _interruption(start: Block, part: Part, lost: Block) -> str:
    """Return the message; `start` is the block with the PART's name."""
    excerpt = shorten(lost.text.replace("`", "").strip("*_ "), SHOWN_CHARS, placeholder=" …")
    sign = "#" * min(start.level + 1, 6)
    return (
        f"this heading ends PART {part.number}, so `{excerpt}` on line {lost.line} belongs to none;"
        f" write the heading with {sign}, or move the lines below it"
    )
