"""Where the text points to a listed work again without its address: by its number or its footnote."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from generator.citations.mention import Mention

_NUMBERS = re.compile(r"(?<![\w\]])\[(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8})\](?![(\[])")
_ENTRY_START = re.compile(r"[\s>*_+-]*")
"""What stands in front of an entry's number ``[3]:``, but not of one that the text points with: ``as in [3]:``."""
_NOTE = re.compile(r"\[\^(?P<label>[^\s\[\]^]{1,40})\](?!:)")
MAX_OF_NOTE = 20
"""Works of one footnote that each place pointing to it mentions."""
_NOTE_START = re.compile(r"^ {0,3}\[\^(?P<label>[^\s\[\]^]{1,40})\]:")


def by_number(lines: Sequence[str], numbers: Iterable[int], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions, on the lines with `numbers` (0-based), of works by the number of their entry: ``[1, 4-6]``."""
    entries = [mention for mention in mentions if mention.number]
    counts = Counter(mention.number for mention in entries)
    numbered = {mention.number: mention for mention in entries if counts[mention.number] == 1}
    for n in numbers if numbered else ():
        entry = _ENTRY_START.match(lines[n])
        for match in _NUMBERS.finditer(lines[n]):
            if entry and match.start() == entry.end() and lines[n].startswith(":", match.end()):
                continue
            yield from (_again(numbered[name], n) for name in _numbers_in(match[1]) if name in numbered)


def by_footnote(lines: Sequence[str], numbers: Iterable[int], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions, on the lines with `numbers` (0-based), of the works that a footnote cites: ``[^3]``."""
    on_line: dict[int, list[Mention]] = defaultdict(list)
    for mention in mentions:
        if mention.is_cited:
            on_line[mention.line - 1].append(mention)
    notes = {match["label"]: on_line[n][:MAX_OF_NOTE] for n in list(on_line) if (match := _NOTE_START.match(lines[n]))}
    for n in numbers if notes else ():
        for match in _NOTE.finditer(lines[n]):
            yield from (_again(mention, n) for mention in notes.get(match["label"], ()))


def _again(listed: Mention, n: int) -> Mention:
    return Mention(n + 1, listed.url, listed.title)


def _numbers_in(text: str) -> Iterator[str]:
    """The numbers in ``1, 3-5``."""
    for piece in text.split(","):
        first, _, last = piece.replace("–", "-").partition("-")
        for number in range(int(first), min(int(last or first), int(first) + 30) + 1):
            yield str(number)
