"""The one access date that a page gives to all its sources."""

from __future__ import annotations

import re
from collections.abc import Sequence

from generator.citations.accessed import access_date, any_date, is_access_line, is_date_for_all
from generator.citations.places import has_hint
from generator.markdown.line_kinds import is_row, item_of

DATED_WORDS = ("accessed", "access date", "retrieved", "research")
"""A line that gives such a date holds one of them."""
_HEADER_LINES = 15
"""How far down a page's header may reach."""


def page_date(lines: Sequence[str], numbers: Sequence[int], is_listed: Sequence[bool]) -> str | None:
    """A date that speaks for all sources of the page: ``All sources accessed D``, or ``**Accessed**: D`` at its top.

    Looked at are the lines with `numbers` (0-based).
    """
    for n in numbers:
        line = lines[n]
        if "](" in line or "://" in line:
            continue
        is_header = n < _HEADER_LINES and not is_listed[n] and is_access_line(line) and not _is_near_address(lines, n)
        if is_header or (
            is_date_for_all(line) and not _is_of_group(lines, n, is_inside=n > 0 and is_listed[n - 1] and is_listed[n])
        ):
            return access_date(line) or any_date(line)
    return None


def _is_of_group(lines: Sequence[str], n: int, *, is_inside: bool) -> bool:
    """Whether the line is a heading or label, which speaks for what stands below it only.

    `is_inside` is whether it stands in a list of sources.
    """
    text = lines[n].strip()
    is_label = text.startswith(("#", "**")) or text.rstrip("*_").endswith(":")
    if is_access_line(text) and re.search(r"(?:\(|for\s|of\s)all\b[^:]*$", text, re.IGNORECASE):
        return False
    if not is_label or re.search(r"\ball\b", re.sub(r"\([^()]*\)", " ", text), re.IGNORECASE):
        return False
    if is_inside:
        return True
    following = next((line for line in lines[n + 1 : n + 3] if line.strip()), "")
    has_list = bool(item_of(following)) or is_row(following)
    is_told = re.search(r"\ball\b|:[\W_]{0,6}\w[\w ,.-]{5,20}\W{0,4}$|\b(?:were|been)\b", text, re.IGNORECASE)
    return has_list or not is_told


def _is_near_address(lines: Sequence[str], n: int) -> bool:
    """Whether the lines around, up to a blank one, hold an address: then the date is that work's."""
    for step in (-1, 1):
        m = n + step
        while 0 <= m < len(lines) and lines[m].strip():
            if has_hint(lines[m]):
                return True
            m += step
    return False
