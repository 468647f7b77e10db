"""Read lines that introduce the lines below them: ``Search queries:``, ``**Sources** (three):``."""

from __future__ import annotations

import re

from planbook.markdown.plan_blocks import Block
from planbook.plan.forms import Meaning
from planbook.plan.labels import Label, meaning_of, read_label, topic_of

_LEAD_IN = re.compile(
    r"""
    ^ \W{0,16} (?P<key> [A-Z] [^:"`]{0,60}? ) [\s*_]{0,6}
    (?: \( [^()]* \) \s? )? : [\s*_]{0,6} $
    """,
    re.VERBOSE,
)
"""``**Search queries** (three):``."""
_SMALL_LEAD_IN = re.compile(r"^(?P<key>[a-z]+(?:[ _-][a-z]+){0,2}):\s*$")
"""``search queries:``."""
_ITEM_LEAD_IN = re.compile(r"^(?P<key>[^\"`]{1,120}?):$")
"""``- what the starter's acidity depends on:``."""
_PLAIN_LABEL = re.compile(r"[A-Z][\w-]{2,20}(?: [\w-]{1,20}){0,3}:")
"""``Instructions:``."""


def read_lead_in(text: str) -> str | None:
    """Return the text of a line that only introduces the lines below it.

    One in small letters must be a known topic: ``queries:``.
    """
    match = _LEAD_IN.match(text)
    if match:
        return match["key"].strip()
    small = _SMALL_LEAD_IN.match(text)
    return small["key"] if small and topic_of(small["key"]) else None


def read_item_lead_in(text: str) -> str | None:
    """Return the text of an item that introduces the items below it.

    It may be a longer phrase of a known topic.
    """
    match = _LEAD_IN.match(text) or _ITEM_LEAD_IN.match(text)
    words = match["key"].strip() if match else ""
    return words if words and kind_of_list(words) else None


def read_topic_below(text: str) -> str | None:
    """Return the text of a line directly below an item, if it introduces the items below it."""
    words = read_lead_in(text)
    return words if words and topic_of(words) else None


def kind_of_list(words: str) -> Meaning | None:
    """Return what a list says below these words: a field whose value is a list, else a topic."""
    label = Label(words, "", has_colon=True)
    return meaning_of(label, has_path=False, is_bold=False) or topic_of(words)


def is_label_alone(block: Block) -> bool:
    """Return True for an item ``**Instructions**:``, whose value is the list below it."""
    if block.mark is not None or len(block.lines) != 1:
        return False
    label = read_label(block.text)
    if label:
        return label.has_colon and not label.value
    return bool(_PLAIN_LABEL.fullmatch(block.text))
