"""The lines of one entry in a list of sources: what belongs together, and which date speaks for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from generator.citations.accessed import access_date, is_access_line
from generator.citations.facts import is_address_line, is_note, told_title
from generator.citations.places import Place
from generator.citations.titles import title_of, words_before
from generator.markdown.line_kinds import is_label


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an entry."""

    n: int
    text: str
    """Without the list marker."""
    width: int
    is_item: bool


Read = tuple[Line, tuple[Place, ...]]
"""A line, and the places in it."""


@dataclass(slots=True)
class Entry:
    """What an item of a list, or a paragraph, says of a work."""

    lines: list[Line]
    number: str | None = None

    @property
    def indent(self) -> int:
        """How far it is indented."""
        return self.lines[0].width

    @property
    def is_item(self) -> bool:
        """Whether it is an item of a list."""
        return self.lines[0].is_item


def members_of(entry: Entry, found: list[Read]) -> list[Entry]:
    """The entries within an item that only names their group: ``- Papers``; none where it is itself an entry."""
    nested = [line.width for line in entry.lines[1:] if line.is_item]
    if not entry.is_item or entry.number or not nested or found[0][1]:
        return []
    outer = min(nested)
    members: list[Entry] = []
    for line in entry.lines[1:]:
        if line.is_item and line.width <= outer:
            members.append(Entry([line]))
        elif members:
            members[-1].lines.append(line)
        else:
            return []
    places = {line.n: found_there for line, found_there in found}
    return members if all(_is_whole(member, places) for member in members) else []


def _is_whole(member: Entry, places: Mapping[int, tuple[Place, ...]]) -> bool:
    """Whether a nested item names a work and its address; ``URL: ...`` alone is a fact of the item around it."""
    first = member.lines[0].text
    if is_address_line(first) or is_note(first) or is_access_line(first) or told_title(first):
        return False
    own = places[member.lines[0].n]
    if not own:
        return any(places[line.n] for line in member.lines) and bool(words_before(first))
    return bool(title_of(own[0], first[: own[0].start], first[own[0].end :], is_entry=True))


def wrapped(found: Sequence[Read]) -> str:
    """What stands above the last of the lines, where they are one sentence or reference, broken into lines."""
    above = found[:-1]
    lines = [line for line, _ in found]
    is_broken = above and not any(places for _, places in above) and not any(line.is_item for line in lines[1:])
    is_told = any(is_address_line(line.text) or is_note(line.text) or is_label(line.text) for line in lines)
    return " ".join(line.text for line in lines[:-1]) if is_broken and not is_told else ""


def dates_of(found: list[Read], *, is_shared: bool) -> dict[tuple[int, int], str | None]:
    """The access date of every place: what follows it up to the next one, else its line's, else its entry's."""
    dates: dict[tuple[int, int], str | None] = {}
    of_lines = [access_date(line.text) for line, _ in found]
    shared = next(
        (date for (_, places), date in zip(found, of_lines, strict=True) if date and (is_shared or not places)), None
    )
    for index, (line, places) in enumerate(found):
        if not places:
            continue
        below = takewhile(lambda later: not found[later][1], range(index + 1, len(found)))
        fallback = of_lines[index] or next((date for later in below if (date := of_lines[later])), None) or shared
        for i, place in enumerate(places):
            own = None
            if of_lines[index] and len(places) > 1:
                end = places[i + 1].start if i + 1 < len(places) else len(line.text)
                own = access_date(line.text[place.end : end][:200])
            dates[line.n, place.start] = own or fallback
    return dates
