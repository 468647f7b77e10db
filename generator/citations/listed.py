"""The works that a Sources or References section lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.citations.accessed import access_date, any_date, is_access_line, is_date_for_all
from generator.citations.entries import Entry, Line, Read, dates_of, members_of, wrapped
from generator.citations.facts import (
    is_address_line,
    is_by_author,
    is_no_work,
    is_note,
    is_remark,
    lists_no_works,
    told_title,
)
from generator.citations.mention import Mention
from generator.citations.places import find_places, is_definition, is_navigation
from generator.citations.source_sections import Kind, heading_of
from generator.citations.table_rows import columns_of, works_in_row
from generator.citations.titles import address_words, quoted_in, title_of, words_before, work_title
from generator.markdown.line_kinds import is_label, is_row, is_row_rule, is_rule, item_of, width
from generator.markdown.plain_text import line_text, unmarked

MAX_ABOVE = 40
"""Lines of an entry above an address in which its title is looked for."""


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
    definitions: list[Mention] = field(default_factory=list)
    """Of addresses by a word, which the entries use: ``[rye]: https://rye.test``."""
    group: _Group = field(default_factory=_Group)
    heading_date: str | None = None
    label_date: str | None = None
    """Of the label in bold, which speaks for those in italics below it."""
    entry: Entry | None = None
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
            elif is_rule(line) and not (self.entry and self.entry.is_item and line.startswith("  ")):
                self._flush()
            elif is_row(line):
                self._flush()
                self._row(n)
            elif is_definition(line) and not re.match(r"\s*\[\d+\]", line):
                self._flush()
                places = find_places(line, {})
                self.definitions += [Mention(n + 1, place.url, address_words(place.url)) for place in places]
            elif is_navigation(line):
                self._flush()
            else:
                self._line(n, line)
        self._flush()
        for mention in self.definitions:
            mention.is_cited = mention.is_listed = not self.mentions
        return self.mentions + self.definitions

    def _blank(self, n: int, stop: int) -> None:
        if self.entry and self.lines[n - 1].strip():  # else the first of these blank lines has told
            following = next((self.lines[m] for m in range(n + 1, stop) if self.lines[m].strip()), "")
            if not (self.entry.is_item and width(following) > self.entry.indent):
                self._flush()
        self.columns = []

    def _heading(self, n: int, words: str) -> None:
        if find_places(words, self.links):
            self._open_group("")
            self.entry = Entry([Line(n, words, 0, is_item=False)])
            self._flush(before_list=True)
        else:
            self.heading_date, self.label_date = access_date(words) or _research_date(words), None
            self._open_group(words)
            self.group.date = self.heading_date

    def _line(self, n: int, line: str) -> None:
        item, indent = item_of(line), width(line)
        if item:
            read = Line(n, item.text, indent, is_item=True)
            if self.entry is None or not self.entry.is_item or indent <= self.entry.indent:
                self._flush(before_list=True)
                self.entry = Entry([read], item.number)
            else:
                self.entry.lines.append(read)
        else:
            read = Line(n, line.strip(), indent, is_item=False)
            if self.entry and not (self.entry.is_item and indent <= self.entry.indent and is_label(line)):
                self.entry.lines.append(read)
            else:
                self._flush()
                self.entry = Entry([read])

    def _flush(self, *, before_list: bool = False) -> None:
        entry, self.entry = self.entry, None
        if entry is None:
            return
        found = [(line, find_places(line.text, self.links)) for line in entry.lines]
        members = members_of(entry, found)
        if not entry.is_item and not before_list and is_remark(entry.lines[0].text):
            return
        if members:
            self._open_group(entry.lines[0].text)
            for self.entry in members:
                self._flush()
        elif any(places for _, places in found):
            self._add(entry, list(self._works(entry, found)), is_lead=not entry.is_item and before_list)
        elif entry.is_item:
            self._item_without_address(entry)
        else:
            self._paragraph_without_address(entry, before_list=before_list)

    def _add(self, entry: Entry, mentions: list[Mention], *, is_lead: bool = False) -> None:
        self._keep(mentions)
        if mentions and entry.number:
            mentions[0].number = entry.number
        self.latest_is_item = entry.is_item
        if is_lead or entry.number or (entry.is_item and is_address_line(entry.lines[0].text)):
            self.group.is_one_work = True  # bullets that follow a paragraph or a number say something about its work

    def _keep(self, mentions: list[Mention]) -> None:
        for mention in mentions:
            mention.group_date = self.group.date or self.heading_date or self.date
            mention.group = self.group.title
            mention.is_listed = True
            mention.is_sure = self.kind is Kind.SOURCES
        self.latest = mentions
        self.latest_is_item = False
        self.mentions.extend(mentions)

    def _item_without_address(self, entry: Entry) -> None:
        first = entry.lines[0]
        named = told_title(first.text)
        if named:
            self.group.title, self.group.is_one_work = line_text(named), True
            return
        if is_access_line(first.text) and self.latest:
            self._date_latest(access_date(first.text))
            return
        is_fact = self.group.is_one_work and not entry.number
        is_likely = self.kind is Kind.SOURCES or is_by_author(first.text)
        if is_fact or not self.group.lists_works or not is_likely:
            return
        title = work_title(first.text)
        if title:
            date = access_date("\n".join(line.text for line in entry.lines))
            self._add(entry, [Mention(first.n + 1, None, title, date)])

    def _paragraph_without_address(self, entry: Entry, *, before_list: bool) -> None:
        whole = " ".join(line.text for line in entry.lines)
        first = entry.lines[0].text
        if is_date_for_all(whole) or (is_access_line(first) and (self.latest_is_item or not self.latest)):
            is_fact = is_label(first) and is_access_line(first) and not self._is_followed_by_list(entry)
            if not before_list and (is_fact or not is_label(first)):
                date = access_date(whole) or any_date(whole)
                if not (is_fact and self.mentions):
                    self.date = self.date or date
                for mention in self.mentions:
                    mention.group_date = mention.group_date or self.date or date
                return
        elif is_access_line(first):
            self._date_latest(access_date(first))
            return
        if before_list or is_label(first):
            self._open_group(first)
        elif self.kind is Kind.SOURCES and self.group.lists_works and is_by_author(first) and not is_note(first):
            self._add(entry, [Mention(entry.lines[0].n + 1, None, work_title(first) or first, access_date(whole))])
        else:
            self.group.title = line_text(first) if len(first) < 200 else ""

    def _is_followed_by_list(self, entry: Entry) -> bool:
        below = range(entry.lines[-1].n + 1, len(self.lines))
        following = next((self.lines[n] for n in below if self.lines[n].strip()), "")
        return bool(item_of(following)) or is_row(following)

    def _open_group(self, words: str) -> None:
        date = access_date(words) or _research_date(words)
        lists_works = not lists_no_works(words) and not is_no_work(words)
        if unmarked(words).startswith(("**", "__")):
            self.label_date = date
        elif unmarked(words).startswith(("*", "_")):
            date = date or self.label_date
        self.group = _Group(line_text(unmarked(words)).strip(" :"), date, lists_works)

    def _date_latest(self, date: str | None) -> None:
        for mention in self.latest:
            mention.accessed = mention.accessed or date

    def _works(self, entry: Entry, found: list[Read]) -> Iterator[Mention]:
        """A mention for each place of the entry."""
        first, first_places = found[0]
        dates = dates_of(found, is_shared=entry.is_item)
        with_places = [index for index, (_, places) in enumerate(found) if places]
        for index in with_places:
            line, places = found[index]
            start, above = 0, wrapped(found[: index + 1]) if index == with_places[0] else ""
            for place in places:
                before, start = line.text[start : place.start], place.end
                n = line.n
                if place is places[0] and above:
                    before, n = f"{above} {before}", first.n
                title = title_of(place, before, line.text[place.end : place.end + 400], is_entry=True)
                if not title and n != first.n and not first_places:
                    quoted = quoted_in(
                        " ".join(earlier.text for earlier, _ in found[max(0, index - MAX_ABOVE) : index])
                    )
                    title, n = quoted or words_before(first.text), first.n
                if not title and (is_address_line(line.text) or not entry.is_item):
                    title = self.group.title
                yield Mention(n + 1, place.url, title or address_words(place.url), dates[line.n, place.start])

    def _row(self, n: int) -> None:
        if is_row_rule(self.lines[n]):
            return
        columns = columns_of(self.lines, n)
        if columns is not None:
            self.columns = columns
        else:
            self._keep(list(works_in_row(self.lines[n], n, self.columns, self.links)))


def _research_date(words: str) -> str | None:
    """The date in ``Web Research (2025-11-13)``: the day on which the group's sources were read."""
    return any_date(words) if re.search(r"\b(?:web|research|online|sources?)\b", words, re.IGNORECASE) else None
