"""The day on which a source was read, in the spellings that authors use."""

from __future__ import annotations

import re
from functools import lru_cache

_MONTHS = {
    "jan": 1,
    "feb": 2,
    "mar": 3,
    "apr": 4,
    "may": 5,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
}
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
DATE = (
    rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}-{_MONTH}-\d{{4}}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH},?\s\d{{4}}|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}"
)
"""A pattern for a day; it has no groups and wants IGNORECASE."""
_VERB = (
    r"\b(?:accessed|access(?:ed)?\s(?:date|on)|access|date\s(?:accessed|of\saccess|retrieved)|retrieved|retrieval\sdate"
    r"|last\s(?:visited|checked|viewed)|visited|viewed|fetched|consulted|scraped)\b"
)
_ACCESSED = re.compile(rf"{_VERB}[^\d\[\]()\n]{{0,40}}?(?P<date>\b(?:{DATE}))", re.IGNORECASE)
_ACCESS_LINE = re.compile(rf"^[\W_]{{0,12}}{_VERB}[^\w\n]{{0,8}}(?:on\s|at\s|date\W{{0,3}})?(?:{DATE})", re.IGNORECASE)
_ALL_SOURCES = re.compile(
    r"\b(?:all|sources?|references?|links?|urls?|pages?|web research|research)\b[^\[\]\n]{0,50}"
    r"\b(?:accessed|retrieved|access date)\b"
    r"|\b(?:accessed|access dates?|retrieved)\b[^\d\[\]\n]{0,12}\b(?:for\s)?all\b"
    r"|\b(?:accessed|access dates?|retrieved)\b[^\[\]\n]{8,40}(?:\(|\bfor\s|\bof\s)all\b"
    r"|\bweb research (?:conducted|performed|done|date)\b",
    re.IGNORECASE,
)
_DATE = re.compile(rf"\b(?:{DATE})", re.IGNORECASE)


def access_date(text: str) -> str | None:
    """The first access date that `text` names as one, as ``YYYY-MM-DD``."""
    match = _ACCESSED.search(text)
    return _iso(match["date"]) if match else None


def any_date(text: str) -> str | None:
    """The first day in `text`, whatever it says of it."""
    match = _DATE.search(text)
    return _iso(match[0]) if match else None


def date_in_brackets(line: str) -> str | None:
    """The day in the line's first parentheses, whatever it says of it: ``## Sources (2025-11-13)``."""
    brackets = re.search(r"\(([^()]{8,40})\)", line)
    return any_date(brackets[1]) if brackets else None


def is_access_line(line: str) -> bool:
    """Whether the line begins with an access date and so says when what stands before or around it was read."""
    return bool(_ACCESS_LINE.match(line))


def is_date_for_all(line: str) -> bool:
    """Whether the line gives one date to many sources: ``All sources accessed D``."""
    return bool(_ALL_SOURCES.search(line)) and bool(_DATE.search(line))


@lru_cache(maxsize=256)  # a page's sources were mostly read on one day
def _iso(date: str) -> str | None:
    """The day as ``YYYY-MM-DD``; ``None`` if the calendar has no such month or day."""
    numbers = [int(digits) for digits in re.findall(r"\d+", date)]
    word = re.search(r"[a-z]{3}", date.lower().replace("of ", ""))
    if word and word[0] in _MONTHS:
        day, year = numbers
        month = _MONTHS[word[0]]
    elif word:  # the letters of an ordinal come before the month's name
        return _iso(re.sub(r"(?<=\d)(?:st|nd|rd|th)", "", date.lower()))
    elif numbers[0] > 31:
        year, month, day = numbers
    else:
        month, day, year = numbers
        if month > 12 or "." in date:  # 13/11/2025, 13.11.2025
            month, day = day, month
    return f"{year:04d}-{month:02d}-{day:02d}" if 1 <= month <= 12 and 1 <= day <= 31 and year >= 1900 else None
