"""Where the text names a listed work by its authors and year: ``(Miller et al., 2022)``, ``Miller (2022)``."""

from __future__ import annotations

import calendar
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from generator.citations.mention import Mention
from generator.markdown.line_kinds import is_row, item_of
from generator.markdown.plain_text import line_text, unmarked

AUTHOR_HINTS = ("(19", "(20", ", 19", ", 20", ". 19", ". 20", "— ", "– ")
"""A line that names a work so holds one of them."""

_NAME = r"(?:(?:van|von|der|den|de|di|da|le|la)\s){0,2}[A-Z][^\W\d_][\w'\u2019-]{0,30}"
_CITED = re.compile(
    rf"(?<![\w@/.-])(?P<first>{_NAME})"
    rf"(?:,\s(?!and|&)(?:{_NAME})){{0,4}}(?:,?\s(?:and|&)\s(?P<last>{_NAME}))?(?P<more>,?\set\sal\b\.?)?"
    r"(?:['\u2019]s)?(?:,\s|\s\(|(?<=\.)\s|,?\s\[)(?P<year>(?:19|20)\d\d[a-z]?)(?![\w-])"
)
_SIGNED = re.compile(
    rf"(?:^|[\s\"”*_])[—–]\s?(?P<first>{_NAME})(?:,\s(?!and|&)(?:{_NAME})){{0,4}}(?:,?\s(?:and|&)\s(?P<last>{_NAME}))?"
    r"(?:,?\set\sal\b\.?)?[\s*_]{0,4}$"
)
"""Who is quoted: ``> "It ages." — Miller & Baker``."""
_ANY = "?"
_LINK_END = re.compile(r"[^\[\]]{0,60}\][(\[]")
_YEAR = re.compile(r"(?<![\d.:/-])(?:19|20)\d\d[a-z]?(?![\w-])")
_PIECES = re.compile(r"\s[-\u2013\u2014|]\s|[()\[\]:]")
_MONTHS = frozenset(calendar.month_name)


def by_authors(lines: Sequence[str], numbers: Iterable[int], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions, on the lines with `numbers` (0-based), of listed works by their authors and year.

    A name and year that two listed works have in common name neither. Within a link they are the link's words. Below a
    quotation the authors do without a year.
    """
    listed = [mention for mention in mentions if mention.is_listed]
    pointing = [n for n in numbers if _CITED.search(lines[n]) or _SIGNED.search(lines[n])] if listed else []
    entries = _by_year(lines, listed if pointing else [])

    @cache
    def written_by(first: str, last: str, year: str) -> Mention | None:
        return _written_by(first, last, entries[year])

    for n in pointing if entries else ():
        line = lines[n]
        for match in _CITED.finditer(line):
            if match["first"] not in _MONTHS and not _LINK_END.match(line, match.end()):
                who, year = (match["first"], match["last"] or ""), match["year"]
                found = written_by(*who, year) or written_by(*who, year[:4] + _ANY)
                if found:
                    yield Mention(n + 1, found.url, found.title)
        signed = _SIGNED.search(line)
        found = written_by(signed["first"], signed["last"] or "", _ANY) if signed else None
        if found:
            yield Mention(n + 1, found.url, found.title)


def _by_year(lines: Sequence[str], listed: Sequence[Mention]) -> defaultdict[str, list[tuple[str, Mention]]]:
    """The listed works, each with the text of its entry, by each year that stands there, and all that have one."""
    entries: defaultdict[str, list[tuple[str, Mention]]] = defaultdict(list)
    for mention in listed:
        text = _entry_at(lines, mention.line - 1)
        years = _YEAR.findall(text)
        for year in dict.fromkeys([*years, *(year[:4] + _ANY for year in years), *([_ANY] if years else ())]):
            entries[year].append((text, mention))
    return entries


def _entry_at(lines: Sequence[str], n: int) -> str:
    """The words of the entry that begins on line `n` (0-based), with the lines into which it is broken."""
    stop = n + 1
    while stop < min(n + 4, len(lines)) and lines[stop].strip() and not (item_of(lines[stop]) or is_row(lines[stop])):
        stop += 1
    return line_text(" ".join([unmarked(lines[n]), *(line.strip() for line in lines[n + 1 : stop])])[:900])


def _written_by(first: str, last: str, entries: Sequence[tuple[str, Mention]]) -> Mention | None:
    """The one work whose authors are `first`, and `last` among them, if they are told."""
    by_first = [(text, mention) for text, mention in entries if _is_first_author(first, text, mention.title)]
    found = [mention for text, mention in by_first if last in text or "et al" in text]
    return found[0] if len({mention.url or mention.title for mention in found}) == 1 else None


def _is_first_author(name: str, entry: str, title: str) -> bool:
    """Whether `name` begins what the entry says besides its title, behind initials or a given name at most."""
    for piece in _PIECES.split(entry.replace(title, " | ")) if name in entry else ():
        before, found, _ = piece.partition(name)
        if found and len(re.findall(r"\w{2,}", before)) <= 1 and "," not in before:
            return True
    return False
