"""Read the entries of a list of sources: the works that its items, paragraphs and rows name.

Lines are grouped into entries (an item with its continuation lines, a paragraph, a table row). An
entry with an address is a work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from planbook.citations.addresses import UrlMatch, find_urls, is_definition
from planbook.citations.identifiers import address_words
from planbook.citations.source_lists import heading_at
from planbook.citations.work_metadata import (
    find_access_date,
    find_date,
    find_linked_title,
    is_access_line,
    is_generic,
    words_before,
)
from planbook.markdown.plain_text import (
    ROW_RULE,
    cells_of,
    is_label,
    is_row,
    is_rule,
    item_of,
    plain_text,
    strip_marker,
    width,
)


@dataclass(slots=True)
class Mention:
    """A work, mentioned on a line."""

    line: int
    url: str
    title: str
    accessed: str | None = None
    group_date: str | None = None
    """The access date of its group or section."""
    is_cited: bool = True
    """True if the mention makes the work a source; plain links to sources are mentions too."""
    is_listed: bool = False
    """True for an entry of a list of sources, whose title is preferred."""
    number: str | None = None
    """The number of its entry: ``[1]`` in the text cites it."""


# --- patterns of lines ----------------------------------------------------------------------------

_NUMBERED_DEFINITION = re.compile(r"\s*\[\d+\]")
"""An entry with a number, ``[1]: https://a.example``, which is a link reference definition, too."""
_REMARK = re.compile(r"^\W{0,4}(?:none|n/?a|no|see|last|(?:this|the)\spage)\b", re.IGNORECASE)
"""The beginning of a paragraph about the page: ``Last updated ...``."""
_SEARCH = re.compile(
    r"^\W{0,4}(?:(?:google|bing|web|github|arxiv|scholar)\s)?search(?:es|\sresults?|\squery)?"
    r"(?:\s(?:for|on))?\s?:?\s?[\"“«„]",
    re.IGNORECASE,
)
"""``Google Search: "rye ash"``: what was searched is no source."""
_SCHEMELESS_ADDRESS = re.compile(
    r"(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,12}(?:/\S{0,400})?", re.IGNORECASE
)
"""``www.mill.example/page``."""
_QUOTED_END = re.compile(r"[\"“«„][^\"“”«»„]*[\"”»“]$")
_QUOTED_TITLE = re.compile(r"[\"“«„](?=[^\W_a-z])(?!.*(?:\bsite:|\b(?:AND|OR)\b|\s[-+]\w))")
"""A title begins with a capital letter or a digit, as a query may; a query has operators."""
_SEARCHES = re.compile(r"search|quer(?:y|ies)\b", re.IGNORECASE)
"""A heading or label above queries, in whose list words in quotation marks are no titles."""
_REMARK_WITH_KEY = re.compile(
    r"(?!(?i:books?|papers?|articles?|chapters?|talks?|videos?|reports?|standards?|specs?|docs?"
    r"|documentation|interviews?|manuals?|isbn|issn|pmid|doi|rfc)\b)\w+:\s"
)
"""``Content: ...`` below a work, but not ``Book: ...``."""
_ITALICS = re.compile(r"(?:\*|_)(?=[^*_\s])")
_LABEL = 7
"""The level of a label, below any heading."""
_TITLE_IN_ENTRY = re.compile(rf"{_QUOTED_TITLE.pattern}[^\"“”«»„]{{12,}}[\"”»“]")
"""``CLIP: Radford et al. "Learning from language"``, which is no remark."""
_HAS_NUMBER = re.compile(r"(?=.*[^\W\d_]).*\d")
"""``Miller 1983``, ``RFC 2616``, ``ISO-9001``: a source in one or two words."""
_ADDRESS_KEY = re.compile(
    r"^\W{0,4}(?:url|link|address|web\s?site|href|source url)\b[\s*_]*:", re.IGNORECASE
)


def is_bare_address(words: str) -> bool:
    """Return True for an address without a scheme."""
    return bool(_SCHEMELESS_ADDRESS.fullmatch(words))


# --- entries --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntryLine:
    """A line of an entry."""

    n: int
    text: str
    """Without the list marker."""
    indent: int
    is_item: bool
    urls: tuple[UrlMatch, ...]


@dataclass(slots=True)
class SourceEntry:
    """An item of a list or a paragraph, with its lines."""

    lines: list[EntryLine]
    number: str | None = None

    @property
    def first(self) -> EntryLine:
        """Return the first line."""
        return self.lines[0]

    def dates(self) -> dict[int, str | None]:
        """Return the access date of each line's addresses: that on the line, else the entry's."""
        dates = {line.n: find_access_date(line.text) for line in self.lines}
        # In a paragraph, a date beside an address is that address's only.
        for_all = [dates[line.n] for line in self.lines if self.first.is_item or not line.urls]
        shared = next((date for date in for_all if date), None)
        return {n: date or shared for n, date in dates.items()}


@dataclass(slots=True)
class SourceList:
    """The reader of one list of sources.

    It goes down the list line by line. The entry that a line may continue stays open, and is
    flushed when a line begins another one. Headings and labels within the list name and date the
    entries below them.
    """

    lines: Sequence[str]
    links: Mapping[str, str]
    """The page's link reference definitions."""
    date: str | None
    """The access date in the section's heading."""
    mentions: list[Mention] = field(default_factory=list)
    unread: list[tuple[int, str]] = field(default_factory=list)
    """The entries that name no work with an address: their lines (1-based) and words."""
    _title: str = ""
    """The words of the heading or label above."""
    _date_above: str | None = None
    """The access date in it, or in the innermost heading above that has one."""
    _dated_headings: list[tuple[int, str]] = field(default_factory=list)
    """The levels and access dates of the headings around the present line, outermost first."""
    _date_accessed: str | None = None
    """The access date in the heading or label, if its words say that it is one."""
    _group_start: int = 0
    """The number of mentions above the heading or label."""
    _has_queries: bool = False
    """True if the heading of the section, or the label above, speaks of searches."""
    _entry: SourceEntry | None = None
    _columns: list[str] = field(default_factory=list)

    def read(self, start: int, stop: int) -> list[Mention]:
        """Return the mentions on the lines from `start` up to `stop`, 0-based."""
        definitions: list[Mention] = []
        self._has_queries = bool(_SEARCHES.search(self.lines[start - 1]))
        for n in range(start, stop):
            line = self.lines[n]
            heading = heading_at(self.lines, n)
            if not line.strip():
                self._read_blank(n, stop)
            elif heading:
                self._flush()
                self._read_heading(n, *heading)
            elif is_rule(line):
                self._flush()
            elif is_row(line):
                self._flush()
                self._read_row(n, line)
            elif is_definition(line) and not _NUMBERED_DEFINITION.match(line):
                self._flush()
                urls = find_urls(line, {})
                definitions += [Mention(n + 1, url.url, address_words(url.url)) for url in urls]
            else:
                self._read_line(n, line)
        self._flush()
        # Link definitions are sources only where nothing else is listed: else they are the
        # addresses of the entries' links, which those have already.
        for mention in definitions:
            mention.is_cited = mention.is_listed = not self.mentions
        return self.mentions + definitions

    def _read_blank(self, n: int, stop: int) -> None:
        """End the entry above a blank line, unless an indented line below it goes on with it."""
        self._columns = []
        entry = self._entry
        is_first_blank = bool(self.lines[n - 1].strip())  # for further ones, it has decided
        if entry is None or not is_first_blank:
            return
        below = (self.lines[m] for m in range(n + 1, stop))
        following = next((line for line in below if line.strip()), "")
        goes_on = entry.first.is_item and width(following) > entry.first.indent
        if not goes_on:
            self._flush()

    def _read_row(self, n: int, line: str) -> None:
        """Read the head of a table, or the works in one of its rows."""
        below = self.lines[n + 1] if n + 1 < len(self.lines) else ""
        if ROW_RULE.match(below):
            self._columns = [plain_text(cell).lower() for cell in cells_of(line)]
        else:
            self._keep(list(_works_in_row(line, n, self._columns, self.links)))

    def _read_heading(self, n: int, level: int, words: str) -> None:
        """Read a heading that begins a group of entries, or is an entry itself."""
        self._dated_headings = [each for each in self._dated_headings if each[0] < level]
        urls = find_urls(words, self.links)
        date = find_access_date(words) or find_date(words)
        if date and not urls:
            self._dated_headings.append((level, date))
        if urls:
            self._open_group("")
            self._entry = SourceEntry([EntryLine(n, words, 0, is_item=False, urls=urls)])
            self._flush(before_list=True)
        else:
            self._open_group(words)

    def _read_line(self, n: int, line: str) -> None:
        """Add a line to the entry above, or begin another one with it."""
        item, entry = item_of(line), self._entry
        text = item.text if item else line.strip()
        urls = find_urls(text, self.links)
        entry_line = EntryLine(n, text, width(line), is_item=item is not None, urls=urls)
        if entry and _goes_on(entry, entry_line, line):
            entry.lines.append(entry_line)
        else:
            self._flush(before_list=entry_line.is_item)
            self._entry = SourceEntry([entry_line], item.number if item else None)

    def _flush(self, *, before_list: bool = False) -> None:
        """Take the works of the entry above; one without any may be a date, or the next label."""
        entry, self._entry = self._entry, None
        if entry is None:
            return
        first = entry.first
        is_remark = not first.is_item and not before_list and _REMARK.match(first.text)
        if is_remark:
            return
        if any(line.urls for line in entry.lines):
            # a work, or several
            works = list(self._works(entry))
            self._keep(works)
            if works and entry.number:
                works[0].number = entry.number
        elif first.is_item:
            # ``- Accessed: 2026-11-20`` at the end of a list dates the items above it
            if is_access_line(first.text) and self.mentions:
                self._date_entries(find_access_date(first.text))
            else:
                self._keep_unread(entry)
        elif before_list or is_label(first.text):
            # a paragraph right above a list is its label, also without a colon
            self._keep_date_above(first.text)
            self._open_group(first.text)
        elif is_access_line(first.text) and len(self.mentions) > self._group_start:
            # ``All accessed on 2026-11-20.`` below a list
            self._date_entries(find_access_date(first.text))

    def _keep_date_above(self, label: str) -> None:
        """Let the access date of the label above hold below this one, if this one divides it.

        It does if nothing is listed between them, or if it is in italics.
        """
        is_nested = bool(_ITALICS.match(label))
        if not is_nested:
            self._dated_headings = [each for each in self._dated_headings if each[0] <= _LABEL]
        is_divided = is_nested or len(self.mentions) == self._group_start
        if is_divided and self._date_accessed:
            level = _LABEL + 1 if is_nested else _LABEL
            self._dated_headings.append((level, self._date_accessed))

    def _date_entries(self, date: str | None) -> None:
        """Date the entries of the group above ``- Accessed: D`` that have no date of their own."""
        for mention in self.mentions[min(self._group_start, len(self.mentions) - 1) :]:
            mention.accessed = mention.accessed or date

    def _keep_unread(self, entry: SourceEntry) -> None:
        """Keep an entry without an address whose words seem to name a source.

        So a work that was cited without its address is reported, and a remark or a query is not.
        """
        words = plain_text(entry.first.text)
        is_title = bool(_QUOTED_TITLE.match(words)) and not self._has_queries
        is_query = bool(_QUOTED_END.match(words)) and not is_title
        is_titled = not self._has_queries and _TITLE_IN_ENTRY.search(words)
        has_key = _REMARK_WITH_KEY.match(words) and not is_titled
        is_remark = bool(_REMARK.match(words) or _SEARCH.match(words) or has_key)
        is_other = is_query or is_remark or words.endswith(":")
        is_named_by_number = _HAS_NUMBER.match(words) and not is_access_line(words)
        is_short_source = is_named_by_number or is_bare_address(words)
        is_source = len(words.split()) >= (2 if is_title else 3) or is_short_source
        if is_source and not is_other:
            self.unread.append((entry.first.n + 1, words))

    def _keep(self, mentions: list[Mention]) -> None:
        for mention in mentions:
            mention.group_date = self._date_above or self.date
            mention.is_listed = True
        self.mentions += mentions

    def _works(self, entry: SourceEntry) -> Iterator[Mention]:
        """Yield a mention for each address in the entry."""
        first, dates = entry.first, entry.dates()
        for line in entry.lines:
            last_end = 0
            for url in line.urls:
                text_before = line.text[last_end : url.start]
                last_end = url.end
                title, n = find_linked_title(url, text_before), line.n
                is_below_title = line.n != first.n and not first.urls
                if not title and is_below_title:
                    title, n = words_before(first.text), first.n
                if not title and (_ADDRESS_KEY.match(line.text) or not first.is_item):
                    title = self._title
                yield Mention(n + 1, url.url, title or address_words(url.url), dates[line.n])

    def _open_group(self, words: str) -> None:
        """Begin a group of entries under a heading or label, which may date them."""
        self._title = plain_text(strip_marker(words)).strip(" :")
        self._date_above = find_access_date(words) or find_date(words)
        if not self._date_above and self._dated_headings:
            self._date_above = self._dated_headings[-1][1]
        self._date_accessed = find_access_date(words)
        self._group_start = len(self.mentions)
        self._has_queries = bool(_SEARCHES.search(words))


def _goes_on(entry: SourceEntry, entry_line: EntryLine, line: str) -> bool:
    """Return whether a line belongs to the entry above it."""
    is_nested = entry.first.is_item and entry_line.indent > entry.first.indent
    if entry_line.is_item:
        return is_nested
    begins_group = entry.first.is_item and is_label(line)
    return is_nested or not begins_group


# --- tables ---------------------------------------------------------------------------------------

_DATE_COLUMN = re.compile(r"access|retriev")
_TITLE_COLUMN = re.compile(r"title|name|paper|source|work|document|reference")


def _works_in_row(
    line: str, n: int, columns: Sequence[str], links: Mapping[str, str]
) -> Iterator[Mention]:
    """Yield the works in the row on line `n`; the title may be in a separate cell."""
    cells = cells_of(line)
    heads = [*columns[: len(cells)], *[""] * (len(cells) - len(columns))]
    dates = [
        find_date(cell)
        for head, cell in zip(heads, cells, strict=True)
        if _DATE_COLUMN.search(head)
    ]
    date = find_access_date(line) or next((date for date in dates if date), None)
    titles = [
        plain_text(cell)
        for head, cell in zip(heads, cells, strict=True)
        if _TITLE_COLUMN.search(head) and "://" not in cell
    ]
    title = next((title for title in titles if not is_generic(title)), "")
    for cell in cells:
        for url in find_urls(cell, links):
            words = find_linked_title(url, cell[: url.start])
            yield Mention(n + 1, url.url, words or title or address_words(url.url), date)
