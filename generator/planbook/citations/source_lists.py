"""Lists of sources: the sections and labels that begin them, and the works that their entries name.

Lines are grouped into entries (an item with its continuation lines, a paragraph, a table row). An entry with an address
is a work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from planbook.citations.identifiers import UrlMatch, address_words, find_urls, is_definition
from planbook.citations.metadata import access_date, any_date, is_access_line, is_generic, linked_title, words_before
from planbook.markdown.plain_text import (
    ROW_RULE,
    cells_of,
    is_label,
    is_row,
    is_rule,
    item_of,
    plain_text,
    unmarked,
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


# --- beginning and end of lists of sources ---------------------------------------------------------------------------

SECTION_WORDS = (
    *("source", "reference", "citation", "bibliograph", "footnotes", "endnotes", "cited", "resources", "links"),
    *("papers", "publications", "literature", "reading", "web research", "materials"),
)
"""A heading or label that begins a list of sources contains one of these."""
_SURE = frozenset(("sources", "references", "citations", "bibliography", "footnotes", "endnotes"))
_LIKELY = frozenset(
    ("resources", "links", "papers", "publications", "literature", "reading", "readings", "reference", "materials")
)
_BESIDE = frozenset(
    re.findall(
        r"\w+",
        "and key primary secondary main all web external internal additional academic research official complete "
        "full list of documents document documentation materials material consulted used cited works work source "
        "reference citation for this the page section guide file further recommended suggested online technical "
        "articles article blog books annotated credits notes original other more information with access dates "
        "accessed oracle knowledge base local code github repository repositories project existing attribution "
        "attributions detailed core numbered major on in by our we it its here these retrieved mentioned quoted "
        "checked visited searched without a link see also from following based referenced acknowledgments "
        "acknowledgements scholarly scientific industry peer reviewed inline codebase were i per topic appendix "
        "foundational seminal",
    )
)
"""Other words in such headings; with any further word, a heading has another topic."""
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s(.*)")
_CLOSING = re.compile(r"[\s#]*")
"""The end of a heading that closes it, read backwards: from the front, each place would be tried to the end."""
_OWN_SOURCE = re.compile(r":[\s*_]{0,4}(?:\[[^\[\]]{1,400}\]\(|<?https?://)")
"""A heading that itself names the source: ``### Source: [Rye](...)``."""
_UNDERLINE = re.compile(r"^(?:={2,}|-{2,})\s*$")


def section_end(lines: Sequence[str], n: int) -> int | None:
    """Return the line after the end of the list of sources that begins on line `n` (0-based), if one does."""
    heading = _heading_at(lines, n)
    if heading is None:
        return _list_end(lines, n) if _is_label_of_sources(lines[n]) else None
    level, words = heading
    if _OWN_SOURCE.search(words) or not lists_sources(words):
        return None
    return next((m for m in range(n + 1, len(lines)) if _ends_section(lines, m, level)), len(lines))


def _ends_section(lines: Sequence[str], n: int, level: int) -> bool:
    """Return whether line `n` is a heading of this level, or a thematic break: links to the next pages follow it."""
    heading = _heading_at(lines, n)
    return heading[0] <= level if heading else is_rule(lines[n]) and not lines[n - 1].strip()


def _heading_at(lines: Sequence[str], n: int) -> tuple[int, str] | None:
    """Return level and text of the heading on line `n`; underlined ones only if they begin a list of sources."""
    line = lines[n]
    if line.lstrip()[:1] == "#":
        match = _HEADING.match(line)
        if match is None:
            return None
        closing = _CLOSING.match(match[2][::-1])
        text = match[2][: len(match[2]) - len(closing[0])] if closing else match[2]
        return len(match[1]), text.lstrip()
    below = lines[n + 1] if n + 1 < len(lines) else ""
    if below[:2] in {"==", "--"} and _UNDERLINE.match(below) and lists_sources(line):
        return (1 if below[0] == "=" else 2), line
    return None


def lists_sources(title: str) -> bool:
    """Return whether a section with this title lists sources: "References and Further Reading".

    Every word must be one that such headings consist of: "References to tensors" is another topic.
    """
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", title[:160].lower())
    words = re.findall(r"[^\W\d_]+", text)
    known = set(words)
    if not words or len(words) > 8 or not known <= _SURE | _LIKELY | _BESIDE:
        return False
    has_works = "works" in known and known & {"cited", "referenced"}
    is_one_word = words in (["source"], ["citation"])
    return bool(known & (_SURE | _LIKELY) or is_one_word or has_works or known >= {"web", "research"})


def _is_label_of_sources(line: str) -> bool:
    """Return the same for a label such as ``**Sources** (accessed D):``."""
    text = unmarked(line)
    is_bold = text.startswith(("**", "__")) and text.endswith(("**", "__", ")"))
    if len(text) >= 120 or "](" in text or "://" in text or not (is_bold or text.rstrip("*_ ").endswith(":")):
        return False
    return lists_sources(text)


def _list_end(lines: Sequence[str], start: int) -> int:
    """Return the line after the list or table under the label on line `start`."""
    outer = width(lines[start]) if item_of(lines[start]) else None
    for n in range(start + 1, len(lines)):
        line = lines[n]
        if not line.strip():
            continue
        if (outer is not None and width(line) <= outer) or _heading_at(lines, n) or is_rule(line):
            return n
        is_item = bool(item_of(line)) or is_row(line)
        is_plain = not is_item and not line.startswith((" ", "\t"))
        if is_plain and (lines[n - 1].strip() == "" or not find_urls(line, {})):
            return n
    return len(lines)


# --- lines of an entry -----------------------------------------------------------------------------------------------

_REMARK = re.compile(r"^\W{0,4}(?:none|n/?a|no|see|last|(?:this|the)\spage)\b", re.IGNORECASE)
"""The beginning of a paragraph about the page: ``Last updated ...``."""
_ADDRESS_KEY = re.compile(r"^\W{0,4}(?:url|link|address|web\s?site|href|source url)\b[\s*_]*:", re.IGNORECASE)


# --- entries ---------------------------------------------------------------------------------------------------------


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
        dates = {line.n: access_date(line.text) for line in self.lines}
        of_all = (dates[line.n] for line in self.lines if self.first.is_item or not line.urls)
        shared = next(filter(None, of_all), None)
        return {n: date or shared for n, date in dates.items()}


@dataclass(slots=True)
class SourceList:
    """The reader of one list of sources."""

    lines: Sequence[str]
    links: Mapping[str, str]
    """The page's link reference definitions."""
    date: str | None
    """The access date in the section's heading."""
    mentions: list[Mention] = field(default_factory=list)
    _title: str = ""
    """The words of the heading or label above."""
    _date_above: str | None = None
    """The access date in it."""
    _entry: SourceEntry | None = None
    _columns: list[str] = field(default_factory=list)

    def read(self, start: int, stop: int) -> list[Mention]:
        """Return the mentions on the lines from `start` up to `stop`, 0-based."""
        definitions = []
        for n in range(start, stop):
            line = self.lines[n]
            entry = self._entry
            heading = _heading_at(self.lines, n)
            if not line.strip():
                if entry and self.lines[n - 1].strip():  # for further blank lines, the first one has decided
                    following = next((self.lines[m] for m in range(n + 1, stop) if self.lines[m].strip()), "")
                    if not (entry.first.is_item and width(following) > entry.first.indent):
                        self._flush()
                self._columns = []
            elif heading:
                self._flush()
                self._read_heading(n, heading[1])
            elif is_rule(line):
                self._flush()
            elif is_row(line):
                self._flush()
                if n + 1 < len(self.lines) and ROW_RULE.match(self.lines[n + 1]):
                    self._columns = [plain_text(cell).lower() for cell in cells_of(line)]
                else:
                    self._keep(list(_works_in_row(line, n, self._columns, self.links)))
            elif is_definition(line) and not re.match(r"\s*\[\d+\]", line):
                self._flush()
                definitions += [Mention(n + 1, url.url, address_words(url.url)) for url in find_urls(line, {})]
            else:
                self._read_line(n, line)
        self._flush()
        for mention in definitions:
            mention.is_cited = mention.is_listed = not self.mentions
        return self.mentions + definitions

    def _read_heading(self, n: int, words: str) -> None:
        urls = find_urls(words, self.links)
        if urls:
            self._open_group("")
            self._entry = SourceEntry([EntryLine(n, words, 0, is_item=False, urls=urls)])
            self._flush(before_list=True)
        else:
            self._open_group(words)

    def _read_line(self, n: int, line: str) -> None:
        item, indent, entry = item_of(line), width(line), self._entry
        text = item.text if item else line.strip()
        read = EntryLine(n, text, indent, bool(item), find_urls(text, self.links))
        is_nested = entry is not None and entry.first.is_item and indent > entry.first.indent
        if entry and (is_nested if item else is_nested or not (entry.first.is_item and is_label(line))):
            entry.lines.append(read)
        else:
            self._flush(before_list=bool(item))
            self._entry = SourceEntry([read], item.number if item else None)

    def _flush(self, *, before_list: bool = False) -> None:
        entry, self._entry = self._entry, None
        if entry is None or (not entry.first.is_item and not before_list and _REMARK.match(entry.first.text)):
            return
        if any(line.urls for line in entry.lines):
            works = list(self._works(entry))
            self._keep(works)
            if works and entry.number:
                works[0].number = entry.number
        elif entry.first.is_item:
            if is_access_line(entry.first.text) and self.mentions:
                self.mentions[-1].accessed = self.mentions[-1].accessed or access_date(entry.first.text)
        elif before_list or is_label(entry.first.text):
            self._open_group(entry.first.text)

    def _keep(self, mentions: list[Mention]) -> None:
        for mention in mentions:
            mention.group_date = self._date_above or self.date
            mention.is_listed = True
        self.mentions += mentions

    def _works(self, entry: SourceEntry) -> Iterator[Mention]:
        """Yield a mention for each address in the entry."""
        first, dates = entry.first, entry.dates()
        for line in entry.lines:
            start = 0
            for url in line.urls:
                before, start, n = line.text[start : url.start], url.end, line.n
                title = linked_title(url, before)
                if not title and n != first.n and not first.urls:
                    title, n = words_before(first.text), first.n
                if not title and (_ADDRESS_KEY.match(line.text) or not first.is_item):
                    title = self._title
                yield Mention(n + 1, url.url, title or address_words(url.url), dates[line.n])

    def _open_group(self, words: str) -> None:
        self._title, self._date_above = plain_text(unmarked(words)).strip(" :"), access_date(words) or any_date(words)


# --- tables ----------------------------------------------------------------------------------------------------------

_DATE_COLUMN = re.compile(r"access|retriev")
_TITLE_COLUMN = re.compile(r"title|name|paper|source|work|document|reference")


def _works_in_row(line: str, n: int, columns: Sequence[str], links: Mapping[str, str]) -> Iterator[Mention]:
    """Yield the works in the row on line `n`; the title may be in a separate cell."""
    cells = [
        (columns[i] if i < len(columns) else "", cell, find_urls(cell, links)) for i, cell in enumerate(cells_of(line))
    ]
    dates = (any_date(cell) for name, cell, _ in cells if _DATE_COLUMN.search(name))
    date = access_date(line) or next((found for found in dates if found), None)
    named = [plain_text(cell) for name, cell, _ in cells if _TITLE_COLUMN.search(name) and "://" not in cell]
    title = next((words for words in named if not is_generic(words)), "")
    for _, cell, urls in cells:
        for url in urls:
            words = linked_title(url, cell[: url.start])
            yield Mention(n + 1, url.url, words or title or address_words(url.url), date)
