"""Access dates and titles of works.

They are in the words around an address, or in an entry of a bibliography. The forms are those of
the tables in `wording`.
"""

from __future__ import annotations

import re
from datetime import date as date_of
from functools import lru_cache

from planbook.citations import wording
from planbook.citations.addresses import UrlMatch
from planbook.citations.identifiers import is_web
from planbook.markdown.plain_text import plain_text, strip_marker

# --- access dates ---------------------------------------------------------------------------------


def find_access_date(text: str) -> str | None:
    """Return the first date in `text` that is marked as an access date.

    It is ``YYYY-MM-DD``, or ``YYYY-MM`` if only the month is given.
    """
    match = wording.ACCESS_DATE.search(text)
    if match:
        return _iso_date(match["date"])
    month = wording.ACCESSED_IN.search(text)
    if not month:
        return None
    month_number = int(month["month"] or 0)
    if month["name"]:
        month_number = wording.MONTHS.index(month["name"][:3].lower()) + 1
    return f"{month['year'] or month['of']}-{month_number:02d}" if 1 <= month_number <= 12 else None


def find_ambiguous_date(text: str) -> str:
    """Return the access date in `text` if it may be two days, as 3/4/2026 is; else empty."""
    match = wording.ACCESS_DATE.search(text)
    date_text = match["date"] if match else ""
    first, *later_parts = date_text.split("/")
    is_short = len(later_parts) == 2 and len(first) <= 2
    if not is_short or first == later_parts[0]:
        return ""
    return date_text if max(int(first), int(later_parts[0])) <= 12 else ""


def find_date(text: str) -> str | None:
    """Return the first date in `text`, as ``YYYY-MM-DD``."""
    match = wording.DATE.search(text)
    return _iso_date(match[0]) if match else None


def is_access_line(line: str) -> bool:
    """Return whether the line begins with an access date.

    It belongs to the work above or to the works around it.
    """
    return bool(wording.ACCESS_LINE.match(line))


def is_date_for_all(line: str) -> bool:
    """Return whether the line gives one date to many sources: ``All sources accessed D``."""
    return bool(wording.DATE_FOR_ALL.search(line)) and bool(wording.DATE.search(line))


@lru_cache(maxsize=256)  # most sources of a page have the same date
def _iso_date(date: str) -> str | None:
    """Return a date that `wording.DATE` matches as ``YYYY-MM-DD``; ``None`` for no such day."""
    numbers = [int(digits) for digits in re.findall(r"\d+", date)]
    name = re.search(wording.MONTH, date, re.IGNORECASE)
    if name:
        month = wording.MONTHS.index(name[0][:3].lower()) + 1
        day, year = numbers
    elif numbers[0] > 31:
        year, month, day = numbers
    else:
        month, day, year = numbers
        if month > 12 or "." in date:  # 13/11/2025, 13.11.2025
            month, day = day, month
    try:
        return date_of(year, month, day).isoformat() if year >= 1900 else None
    except ValueError:  # there is no such day
        return None


# --- titles around an address ---------------------------------------------------------------------


def is_generic(words: str) -> bool:
    """Return whether the words are not a title: ``URL``, ``here``, ``[1]``, a year, an address."""
    return bool(wording.GENERIC_TITLE.match(words.strip(" :.*_()[]")[:120]))


def find_quoted_title(text: str) -> str:
    """Return the last title in quotation marks; ``""`` if there is none."""
    quoted = wording.QUOTED_TITLE.findall(text)
    return str(quoted[-1]) if quoted else ""


def find_linked_title(match: UrlMatch, text_before: str) -> str:
    """Return the title that a link or the words before an address give; ``""`` for none."""
    if match.words and not is_generic(match.words):
        return match.words
    is_page_path = not match.words and not is_web(match.url)
    return match.url if is_page_path else words_before(text_before)


_MAX_TITLE_WORDS = 25
"""Maximum number of words of a title that stands before an address."""
_TITLE_PUNCTUATION = ' \t:–—-,;.|<>*("“”'


def words_before(markdown: str) -> str:
    """Return the title before an address; ``""`` for none.

    ``Title: ``, ``**Title** - ``, ``1. Title (``.
    """
    words = plain_text(strip_marker(markdown[-600:]))
    dated = wording.DATED_TITLE.search(words[:400])
    title = find_quoted_title(words) or (dated[1] if dated else "")
    if title:
        return title.strip()
    words = wording.TITLE_LEAD.sub("", words)
    # An opening bracket is part of a title that has a closing one: ``Rye [in German]``.
    stripped = _TITLE_PUNCTUATION if "]" in words else f"{_TITLE_PUNCTUATION}["
    title = words.strip(stripped)
    if is_generic(title) or len(title.split()) > _MAX_TITLE_WORDS:
        return ""
    return title
