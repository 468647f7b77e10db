"""The works that a Sources or References section lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import takewhile

from generator.page.accessed import access_date, any_date, is_access_line, is_date_for_all
from generator.page.places import (
    Mention,
    Place,
    address_words,
    find_places,
    is_generic,
    plain,
    quoted_in,
    title_of,
    unmarked,
    words_before,
)

_Read = tuple[int, str, tuple[Place, ...]]
"""The number of a line, its text, and the places in it."""


class Kind(Enum):
    """How sure it is that a section lists sources."""

    SOURCES = "sources"
    LINKS = "links"
    """Works with an address only: what else stands under ``Further reading`` or ``Resources`` may be anything."""


_SURE = frozenset({"sources", "references", "citations", "bibliography", "footnotes", "endnotes"})
_LIKELY = frozenset({"resources", "links", "papers", "publications", "literature", "reading", "readings", "reference"})
_DOCUMENTS = frozenset({"documents", "document", "materials", "material", "list"})
_BESIDE = frozenset(
    re.findall(
        r"\w+",
        "and key primary secondary main all web external internal additional academic research official "
        "complete full list of documents document documentation materials material consulted used cited works "
        "work source reference citation for this the page section guide file further recommended suggested "
        "online technical articles article blog books annotated credits notes original other more information "
        "with access dates accessed oracle knowledge base local code github repository repositories project "
        "existing attribution attributions detailed core numbered major",
    )
)
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)[\s#]*$")
_UNDERLINE = re.compile(r"^(?:={2,}|-{2,})\s*$")
_RULE = re.compile(r"^\s{0,3}(?:[-*_]\s?){3,80}$")
_ITEM = re.compile(
    r"^(?P<indent>\s*)(?P<marker>[-*+•–]|\d{1,3}[.)]|\[\^?\w{1,20}\]:?|\(\d{1,3}\)"
    r"|\*\*\[\d{1,3}\]\*\*:?)\s+(?P<text>\S.*)$"
)
_NUMBER = re.compile(r"\W*(\d{1,3})\W*$")
_ROW_RULE = re.compile(r"^\s*\|?\s*:?-{2,}[\s:|-]*$")
_ADDRESS_KEY = re.compile(r"^\W{0,4}(?:url|link|address|web\s?site|href|source url)\b[\s*_]*:", re.IGNORECASE)
_TITLE_KEY = re.compile(r"^\W{0,4}(?:title|name)\b[\s*_]*:[\s*_]*(?P<title>\S.*)$", re.IGNORECASE)
_NOTE_KEY = re.compile(
    r"^\W{0,4}(?:authors?|published|publisher|publication(?:\sdate)?|date|year|venue|journal|doi|arxiv"
    r"|key\b[^:]{0,30}|topics?|contents?|relevance|used\s(?:for|in)"
    r"|notes?|summary|covers?|coverage|type|licen[cs]e|stars|languages?|description|focus|version|lines?|quotes?"
    r"|status|total\b[^:]{0,30}|search\b[^:]{0,30}"
    r"|quer(?:y|ies)|last updated|created|updated|access(?:ed)?\b[^:]{0,30}|insights?|findings?|contributions?"
    r"|why|section|word count|file size|tags?)"
    r"[\s*_]{0,4}:",
    re.IGNORECASE,
)
_NO_WORK = re.compile(
    r"^\W{0,4}(?:none\b|n/?a\b|no\s(?:web|external|additional|sources?|new|other)|all\s(?:sources?|links?|urls?)"
    r"|access(?:ed)?\b|search(?:ed)?\b|quer(?:y|ies)\b|tbd\b|see\s(?:above|also)"
    r"|total\b|\d+\s(?:sources?|references?|papers|web)\b)",
    re.IGNORECASE,
)
_NO_SOURCES = re.compile(
    r"\b(?:takeaways?|insights?|findings?|concepts?|topics?|quer(?:y|ies)|searches|summary|statistics|stats"
    r"|next\ssteps|notes?|gaps?|status|quality|validation"
    r"|methodology|coverage|keywords?|tags?|changelog|history|see\salso|cross-references|tools\sused|usage"
    r"|techniques|applications?)\b",
    re.IGNORECASE,
)
_AUTHOR_YEAR = re.compile(
    r"^[^()]{2,200}[(,]\s?(?:19|20)\d\d[a-z]?[),.:]|\bet al\b|[\"“][^\"“”]{10,200}[\"”]", re.IGNORECASE
)


# --- where a section begins and ends -----------------------------------------------------------------------------


def sources_kind(title: str) -> Kind | None:
    """What a heading's or label's words say of the section below: ``None`` if it lists no sources.

    Every word has to be one that such titles are made of: "References and Further Reading", but not "References to
    tensors".
    """
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", title[:160].lower())
    text = re.sub(r"^\W*(?:section|part|appendix|chapter)\s[\da-z]{1,3}\b", "", text)
    words = re.findall(r"[^\W\d_]+", text)
    known = set(words)
    if not words or len(words) > 8 or not known <= _SURE | _LIKELY | _BESIDE:
        return None
    is_of_documents = known & {"source", "reference"} and known & _DOCUMENTS
    if known & _SURE or words in (["source"], ["citation"]) or is_of_documents or {"works", "cited"} <= known:
        return Kind.SOURCES
    if known & _LIKELY or known >= {"web", "research"}:
        return Kind.LINKS
    return None


def heading_of(lines: Sequence[str], n: int) -> tuple[int, str] | None:
    """The level and the words of the heading on line `n` (0-based), if there is one."""
    line = lines[n]
    if line.lstrip()[:1] == "#":
        match = _HEADING.match(line)
        return (len(match[1]), match[2]) if match else None
    if (
        n + 1 < len(lines)
        and lines[n + 1][:2] in {"==", "--"}
        and _UNDERLINE.match(lines[n + 1])
        and sources_kind(line)
    ):
        return (1 if lines[n + 1][0] == "=" else 2), line
    return None


def label_kind(line: str) -> Kind | None:
    """What a line such as ``**Sources** (accessed D):`` says of the list below it."""
    text = unmarked(line)
    core = text.rstrip("*_ ")
    if (
        not (core.endswith(":") or (text.startswith(("**", "__")) and text.endswith(("**", "__", ")"))))
        or "](" in text
        or "://" in text
    ):
        return None
    return sources_kind(text) if len(text) < 120 else None


def section_end(lines: Sequence[str], start: int) -> int:
    """The line behind the Sources section that begins on line `start`: where the next heading of its level stands."""
    heading = heading_of(lines, start)
    level = heading[0] if heading else 6
    return next(
        (n for n in range(start + 1, len(lines)) if (found := heading_of(lines, n)) and found[0] <= level), len(lines)
    )


def list_end(lines: Sequence[str], start: int) -> int:
    """The line behind the list or table under the label on line `start`."""
    item = _ITEM.match(lines[start])
    outer = _width(item["indent"]) if item else -1
    has_rows = False
    for n in range(start + 1, len(lines)):
        line = lines[n]
        if not line.strip():
            continue
        inner = _ITEM.match(line)
        if item and _width(line) <= outer:
            return n
        if heading_of(lines, n) or _RULE.match(line):
            return n
        is_row = line.lstrip()[:1] == "|"
        is_plain = not inner and not is_row and not line.startswith((" ", "\t"))
        if is_plain and (has_rows or lines[n - 1].strip() == "" or not find_places(line, {})):
            return n
        has_rows = has_rows or bool(inner) or is_row
    return len(lines)


# --- what stands in it -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Entry:
    lines: list[tuple[int, str]]
    """The number of each line, and its text without the list marker."""
    indent: int
    is_item: bool
    number: str | None = None


@dataclass(slots=True)
class _Group:
    """What a heading or label says of the entries below it."""

    title: str = ""
    date: str | None = None
    lists_works: bool = True
    """Whether entries without an address are works too."""
    is_one_work: bool = False
    """Whether its items are the facts of one work: ``- URL: ...``, ``- Accessed: ...``."""


@dataclass(slots=True)
class Listing:
    """Reads the lines of one Sources section."""

    lines: Sequence[str]
    links: Mapping[str, str]
    kind: Kind
    date: str | None
    """The section's access date, where its heading gives one."""
    mentions: list[Mention] = field(default_factory=list)
    group: _Group = field(default_factory=_Group)
    heading_date: str | None = None
    entry: _Entry | None = None
    latest: list[Mention] = field(default_factory=list)
    """The mentions of the entry that was read last."""
    latest_is_item: bool = False
    columns: list[str] = field(default_factory=list)

    def read(self, start: int, stop: int) -> list[Mention]:
        """The mentions on the lines from `start` up to `stop`, 0-based."""
        for n in range(start, stop):
            line = self.lines[n]
            heading = heading_of(self.lines, n)
            if not line.strip():
                self._blank(n, stop)
            elif heading:
                self._flush()
                self._heading(n, heading[1])
            elif _RULE.match(line) and not (self.entry and self.entry.is_item and line.startswith("  ")):
                self._flush()
            elif line.lstrip()[:1] == "|":
                self._flush()
                self._row(n)
            else:
                self._line(n, line)
        self._flush()
        return self.mentions

    def _blank(self, n: int, stop: int) -> None:
        following = next((self.lines[m] for m in range(n + 1, stop) if self.lines[m].strip()), "")
        if self.entry and not (self.entry.is_item and _width(following) > self.entry.indent):
            self._flush()
        self.columns = []

    def _heading(self, n: int, words: str) -> None:
        if find_places(words, self.links):
            self._open_group("")
            self.entry = _Entry([(n, words)], 0, is_item=False)
            self._flush(before_list=True)
        else:
            self.heading_date = access_date(words) or _research_date(words)
            self._open_group(words)
            self.group.date = self.heading_date

    def _line(self, n: int, line: str) -> None:
        item = _ITEM.match(line)
        width = _width(line)
        if item:
            if self.entry is None or not self.entry.is_item or width <= self.entry.indent:
                self._flush(before_list=True)
                number = _NUMBER.match(item["marker"])
                self.entry = _Entry([(n, item["text"])], width, is_item=True, number=number[1] if number else None)
            else:
                self.entry.lines.append((n, item["text"]))
        elif self.entry and not (self.entry.is_item and width <= self.entry.indent and _is_label(line)):
            self.entry.lines.append((n, line.strip()))
        else:
            self._flush()
            self.entry = _Entry([(n, line.strip())], width, is_item=False)

    def _flush(self, *, before_list: bool = False) -> None:
        entry, self.entry = self.entry, None
        if entry is None:
            return
        found = [(n, text, find_places(text, self.links)) for n, text in entry.lines]
        if any(places for _, _, places in found):
            self._add(entry, list(self._works(entry, found)), is_lead=not entry.is_item and before_list)
        elif entry.is_item:
            self._item_without_address(entry)
        else:
            self._paragraph_without_address(entry, before_list=before_list)

    def _add(self, entry: _Entry, mentions: list[Mention], *, is_lead: bool = False) -> None:
        for mention in mentions:
            mention.group_date = self.group.date or self.heading_date or self.date
            mention.is_listed = True
        if mentions and entry.number:
            mentions[0].number = entry.number
        self.latest = mentions
        self.latest_is_item = entry.is_item
        if is_lead or entry.number or (entry.is_item and _ADDRESS_KEY.match(entry.lines[0][1])):
            self.group.is_one_work = True  # bullets that follow a paragraph or a number say something about its work
        self.mentions.extend(mentions)

    def _item_without_address(self, entry: _Entry) -> None:
        n, first = entry.lines[0]
        named = _TITLE_KEY.match(first)
        if named:
            self.group.title, self.group.is_one_work = plain(named["title"]), True
            return
        if is_access_line(first) and self.latest:
            self._date_latest(access_date(first))
            return
        is_note = self.group.is_one_work and not entry.number
        if is_note or not self.group.lists_works or self.kind is Kind.LINKS:
            return
        title = work_title(first)
        if title:
            self._add(entry, [Mention(n + 1, None, title, access_date("\n".join(text for _, text in entry.lines)))])

    def _paragraph_without_address(self, entry: _Entry, *, before_list: bool) -> None:
        whole = " ".join(text for _, text in entry.lines)
        first = entry.lines[0][1]
        if is_date_for_all(whole) or (is_access_line(first) and (self.latest_is_item or not self.latest)):
            if not before_list and not _is_label(first):
                self.date = self.date or access_date(whole) or any_date(whole)
                for mention in self.mentions:
                    mention.group_date = mention.group_date or self.date
                return
        elif is_access_line(first):
            self._date_latest(access_date(first))
            return
        if before_list or _is_label(first):
            self._open_group(first)
        elif (
            self.kind is Kind.SOURCES
            and self.group.lists_works
            and _AUTHOR_YEAR.search(first)
            and not _NOTE_KEY.match(first)
        ):
            self._add(entry, [Mention(entry.lines[0][0] + 1, None, work_title(first) or first, access_date(whole))])
        else:
            self.group.title = plain(first) if len(first) < 200 else ""

    def _open_group(self, words: str) -> None:
        date = access_date(words) or _research_date(words)
        lists_works = not _NO_SOURCES.search(words) and not _NO_WORK.match(words)
        self.group = _Group(plain(unmarked(words)).strip(" :"), date, lists_works)

    def _date_latest(self, date: str | None) -> None:
        for mention in self.latest:
            mention.accessed = mention.accessed or date

    def _works(self, entry: _Entry, found: list[_Read]) -> Iterator[Mention]:
        """A mention for each place of the entry."""
        first_line, first_text, first_places = found[0]
        dates = _dates_of(found, is_shared=entry.is_item)
        for n, text, places in found:
            start = 0
            for place in places:
                before, start = text[start : place.start], place.end
                title, line = title_of(place, before, text[place.end :], is_entry=True), n
                if not title and n != first_line and not first_places:
                    quoted = quoted_in(" ".join(earlier for m, earlier, _ in found if m < n))
                    title, line = quoted or words_before(first_text), first_line
                if not title and (_ADDRESS_KEY.match(text) or not entry.is_item):
                    title = self.group.title
                yield Mention(line + 1, place.url, title or address_words(place.url), dates[n, place.start])

    def _row(self, n: int) -> None:
        cells = cells_of(self.lines[n])
        if _ROW_RULE.match(self.lines[n]):
            return
        if n + 1 < len(self.lines) and _ROW_RULE.match(self.lines[n + 1]):
            self.columns = [plain(cell).lower() for cell in cells]
            return
        names = [self.columns[i] if i < len(self.columns) else "" for i in range(len(cells))]
        date = access_date(self.lines[n])
        for name, cell in zip(names, cells, strict=True):
            if re.search(r"access|retriev", name):
                date = date or any_date(cell)
        title = next(
            (
                plain(c)
                for c, name in zip(cells, names, strict=True)
                if re.search(r"title|name|paper|source|work|document|reference", name)
                and not is_generic(plain(c))
                and "://" not in c
            ),
            "",
        )
        title = title or next(
            (
                plain(c)
                for c in cells
                if not is_generic(plain(c)) and not find_places(c, self.links) and not any_date(c)
            ),
            "",
        )
        mentions = []
        for cell in cells:
            for place in find_places(cell, self.links):
                words = title_of(place, cell[: place.start], "", is_entry=True)
                mentions.append(
                    Mention(n + 1, place.url, words or title or address_words(place.url), access_date(cell) or date)
                )
        self._add(_Entry([], 0, is_item=False), mentions)


def cells_of(row: str) -> list[str]:
    """The cells of a table's row."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def work_title(text: str) -> str:
    """The title of a work that has no address, from its entry's first line; ``""`` if the line names no work."""
    words = plain(unmarked(text))
    if (
        _NO_WORK.match(words)
        or _NOTE_KEY.match(words)
        or words.endswith(":")
        or "://" in words
        or "](" in text
        or not re.search(r"[^\W\d_]{2}", words)
    ):
        return ""
    quoted = re.search(r"[\"“]([^\"“”]{8,200}?)[,.]?[\"”]", words)
    dated = re.search(r"\((?:19|20)\d\d[a-z]?\)[.,:]?\s+([^\s(\[].{5,200}?)(?:\.\s|\.?$)", words[:400])
    if quoted or dated:
        return str((quoted or dated)[1])  # type: ignore[index]
    bold = re.match(r"(?:\*\*|__)([^*_]{3,200})(?:\*\*|__)", unmarked(text))
    title = plain(bold[1]) if bold else re.split(r"\s[-–—]\s|\s?\((?:accessed|lines?\s|\d{4})|:\s", words)[0]
    return "" if is_generic(title) else title.strip(" :.,(")


def _dates_of(found: list[_Read], *, is_shared: bool) -> dict[tuple[int, int], str | None]:
    """The access date of every place: what follows it up to the next one, else its line's, else its entry's."""
    dates: dict[tuple[int, int], str | None] = {}
    of_lines = [access_date(text) for _, text, _ in found]
    shared = next(
        (date for (_, _, places), date in zip(found, of_lines, strict=True) if date and (is_shared or not places)), None
    )
    for index, (n, text, places) in enumerate(found):
        below = takewhile(lambda later: not found[later][2], range(index + 1, len(found)))
        fallback = of_lines[index] or next((date for later in below if (date := of_lines[later])), None) or shared
        for i, place in enumerate(places):
            own = None
            if of_lines[index] and len(places) > 1:
                own = access_date(text[place.end : places[i + 1].start if i + 1 < len(places) else len(text)][:200])
            dates[n, place.start] = own or fallback
    return dates


def _research_date(words: str) -> str | None:
    """The date in ``Web Research (2025-11-13)``: the day on which the group's sources were read."""
    return any_date(words) if re.search(r"\b(?:web|research|online|sources?)\b", words, re.IGNORECASE) else None


def _is_label(line: str) -> bool:
    text = line.strip()
    return (text.startswith(("**", "__")) and "://" not in text and "](" not in text) or text.endswith((":", ":**"))


def _width(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
