"""The end of a PART: where the next one begins, or at a heading as high as its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.markdown.plan_blocks import Block
from planbook.plan.state import is_closing

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


def end_of_part(
    blocks: Sequence[Block], index: int, number: int, limit: int, *, is_last: bool = True
) -> int:
    """Return the index after the last block of a PART.

    Args:
        blocks: the blocks of the plan.
        index: that of the block which names the PART.
        number: the number of the PART.
        limit: the index at which the next PART begins, or the number of blocks.
        is_last: true if no PART follows.
    """
    level = blocks[index].level or 6  # below a paragraph or an item, any heading ends it
    for n in range(index + 1, limit):
        block = blocks[n]
        if block.kind != "heading" or block.level > level:
            continue
        # ``## Sources to read`` at the level of ``## PART 1`` belongs to it, if a PART follows.
        is_topic = not is_last and block.level == level and _INNER_TOPIC.match(block.text)
        is_inner = is_topic or _NUMBERED_INNER.match(block.text) or is_closing(block.text, number)
        if not is_inner:
            return n
    return limit
