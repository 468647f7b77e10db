"""Access dates and titles of works, from the words around an address or from an entry of a bibliography."""

from __future__ import annotations

import re
from functools import lru_cache

from planbook.citations.identifiers import UrlMatch, is_web
from planbook.markdown.plain_text import plain_text, unmarked

# --- access dates ----------------------------------------------------------------------------------------------------

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_DAY = (
    rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}-{_MONTH}-\d{{4}}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH},?\s\d{{4}}|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}"
)
_VERB = (
    r"\b(?:accessed|access(?:ed)?\s(?:date|on)|access|date\s(?:accessed|of\saccess|retrieved)|retrieved|retrieval\sdate"
    r"|last\s(?:visited|checked|viewed)|visited|viewed|fetched|consulted|scraped)\b"
)
_ACCESSED = re.compile(rf"{_VERB}[^\d\[\]()\n]{{0,40}}?(?P<date>\b(?:{_DAY}))", re.IGNORECASE)
_ACCESS_LINE = re.compile(rf"^[\W_]{{0,12}}{_VERB}[^\w\n]{{0,8}}(?:on\s|at\s|date\W{{0,3}})?(?:{_DAY})", re.IGNORECASE)
_ALL_SOURCES = re.compile(
    r"\b(?:all|sources?|references?|links?|urls?|pages?|web research|research)\b[^\[\]\n]{0,50}"
    r"\b(?:accessed|retrieved|access date)\b"
    r"|\b(?:accessed|access dates?|retrieved)\b[^\d\[\]\n]{0,12}\b(?:for\s)?all\b"
    r"|\b(?:accessed|access dates?|retrieved)\b[^\[\]\n]{8,40}(?:\(|\bfor\s|\bof\s)all\b"
    r"|\bweb research (?:conducted|performed|done|date)\b",
    re.IGNORECASE,
)
_DATE = re.compile(rf"\b(?:{_DAY})", re.IGNORECASE)


def access_date(text: str) -> str | None:
    """Return the first date in `text` that is marked as an access date, as ``YYYY-MM-DD``."""
    match = _ACCESSED.search(text)
    return _iso(match["date"]) if match else None


def any_date(text: str) -> str | None:
    """Return the first date in `text`, as ``YYYY-MM-DD``."""
    match = _DATE.search(text)
    return _iso(match[0]) if match else None


def is_access_line(line: str) -> bool:
    """Return whether the line begins with an access date, which belongs to the work above or the works around it."""
    return bool(_ACCESS_LINE.match(line))


def is_date_for_all(line: str) -> bool:
    """Return whether the line gives one date to many sources: ``All sources accessed D``."""
    return bool(_ALL_SOURCES.search(line)) and bool(_DATE.search(line))


@lru_cache(maxsize=256)  # most sources of a page have the same date
def _iso(date: str) -> str | None:
    numbers = [int(digits) for digits in re.findall(r"\d+", date)]
    name = re.search(_MONTH, date, re.IGNORECASE)
    if name:
        month, (day, year) = _MONTHS.index(name[0][:3].lower()) + 1, numbers
    elif numbers[0] > 31:
        year, month, day = numbers
    else:
        month, day, year = numbers
        if month > 12 or "." in date:  # 13/11/2025, 13.11.2025
            month, day = day, month
    return f"{year:04d}-{month:02d}-{day:02d}" if 1 <= month <= 12 and 1 <= day <= 31 and year >= 1900 else None


# --- titles around an address ----------------------------------------------------------------------------------------

_GENERIC = re.compile(
    r"^(?:(?:the\s|see\s|official\s|full\s)?(?:url|link|web\s?site|site|source(?:\scode)?|paper|pdf|html|web|here|code"
    r"|github(?:\srepo(?:sitory)?)?|repo|repository|doi|arxiv|abs(?:tract)?|docs|documentation|page|article|blog|post"
    r"|ref(?:erence)?|citation|accessed|details|more|th(?:e|is)|available|documented|described|explained|path|file"
    r"|location|address|title|primary|project(?:\spage)?)s?\W*"
    r"|[\W\d]*|(?:img|image|fig(?:ure)?)[\W_]?\d+|\.{1,2}/\S*|https?://.*|(?:arxiv|doi)[\s:]*[\d./v]*|www\..*)$",
    re.IGNORECASE,
)
_LEAD_WORDS = re.compile(
    r"^\W{0,6}(?:(?:from|sources?|references?|refs?|according\sto|based\son|per|cited\s(?:from|in)|citations?"
    r"|adapted\sfrom|quoted\sfrom|paper|original|title|existing\sknowledge|url|link|see(?:\salso)?|and|or|in|by|via|on"
    r"|as)\b[\s:*_(\"“]{0,5}){1,4}(?:the\s)?",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{8,200}?)[,.]?[\"”]")
_DATED = re.compile(r"(?:\((?:19|20)\d\d[a-z]?\)[.,:]?|\.\s(?:19|20)\d\d[a-z]?\.)\s+([^\s(\[].{5,200}?)(?:\.\s|\.?$)")


def is_generic(words: str) -> bool:
    """Return whether the words are not a title: ``URL``, ``here``, ``[1]``, a year, an image's number, an address."""
    return bool(_GENERIC.match(words.strip(" :.*_()[]")[:120]))


def quoted_in(text: str) -> str:
    """Return the last title in quotation marks; ``""`` if there is none."""
    quoted = _QUOTED.findall(text)
    return str(quoted[-1]) if quoted else ""


def linked_title(match: UrlMatch, before: str) -> str:
    """Return the title that a link or the words before an address give; ``""`` for none."""
    if match.words and not is_generic(match.words):
        return match.words
    return words_before(before) if match.words or is_web(match.url) else match.url


def words_before(markdown: str) -> str:
    """Return the title before an address: ``Title: ``, ``**Title** - ``, ``1. Title (``; ``""`` for none."""
    words = plain_text(unmarked(markdown[-600:]))
    dated = _DATED.search(words[:400])
    found = quoted_in(words) or (dated[1] if dated else "")
    if found:
        return found.strip()
    words = _LEAD_WORDS.sub("", words)
    title = words.strip(' \t:–—-,;.|<>*("“”' if "]" in words else ' \t:–—-,;.|<>*[("“”')
    return "" if is_generic(title) or len(title.split()) > 25 else title
