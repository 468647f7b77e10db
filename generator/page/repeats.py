"""Where the text points to a listed work again without its address: by its number, its footnote, or its name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.page.blanked import Lines
from generator.page.mention import Mention

_NUMBERS = re.compile(r"(?<![\w\]])\[(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8})\](?![(:\[])")
_NOTE = re.compile(r"\[\^(?P<label>[^\s\[\]^]{1,40})\](?!:)")
_NOTE_START = re.compile(r"^ {0,3}\[\^(?P<label>[^\s\[\]^]{1,40})\]:")
_FROM = re.compile(
    r"^(?:[\s>*_+-]|\d+\.)*(?P<from>From)[\s*_]+(?P<name>[^\n:()]{3,120}?)[\s*_]*(?:\([^\n:]{0,160}\))?[\s*_]*:[\s*_]*$"
)
_SMALL_WORDS = frozenset({"a", "an", "and", "at", "from", "in", "of", "on", "our", "my", "s", "the", "this", "with"})
_NO_NAMES = frozenset({"source", "scratch", "there", "here", "above", "below", "that", "it", "then", "now", "host"})


def by_number(lines: Sequence[str], numbers: Iterable[int], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions, on the lines with `numbers` (0-based), of works by the number of their entry: ``[1, 4-6]``."""
    entries = [mention for mention in mentions if mention.number]
    counts = Counter(mention.number for mention in entries)
    numbered = {mention.number: mention for mention in entries if counts[mention.number] == 1}
    for n in numbers if numbered else ():
        for match in _NUMBERS.finditer(lines[n]):
            yield from (_again(numbered[name], n) for name in _numbers_in(match[1]) if name in numbered)


def by_footnote(lines: Sequence[str], numbers: Iterable[int], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions, on the lines with `numbers` (0-based), of the works that a footnote cites: ``[^3]``."""
    on_line: dict[int, list[Mention]] = defaultdict(list)
    for mention in mentions:
        if mention.is_cited:
            on_line[mention.line - 1].append(mention)
    notes = {match["label"]: on_line[n] for n in list(on_line) if (match := _NOTE_START.match(lines[n]))}
    for n in numbers if notes else ():
        for match in _NOTE.finditer(lines[n]):
            yield from (_again(mention, n) for mention in notes.get(match["label"], ()))


def by_name(text: Lines, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions of listed works that have no address: by their title, or by ``From <some words of it>:``."""
    listed = [m for m in mentions if m.is_listed and not (m.url and m.url.startswith(("http", "//")))]
    if not listed:
        return
    known = {mention.line: _words(mention.title) for mention in listed}
    for n in text.holding(("From",)):
        match = _FROM.match(text.all[n])
        work = _named(match["name"], listed, known) if match else None
        if work:
            yield _again(work, n)
    for work in listed:
        if not work.url and len(work.title) > 9 and re.search(r"[ /]", work.title):
            whole = re.compile(rf"(?<!\w){re.escape(work.title)}(?!\w)", re.IGNORECASE)
            found = (n for n in text.holding((work.title.lower(),), any_case=True) if whole.search(text.all[n]))
            yield from (_again(work, n) for n in found)


def _named(name: str, listed: Sequence[Mention], known: Mapping[int, frozenset[str]]) -> Mention | None:
    """The one work that all words of `name` speak of: those of its title, or of its title and its group's."""
    words = _words(name)
    if not words or words <= _NO_NAMES or max(map(len, words)) < 4:
        return None
    for found in (
        [mention for mention in listed if words <= known[mention.line]],
        [mention for mention in listed if words <= known[mention.line] | _words(mention.group)],
    ):
        if found:
            return found[0] if len({mention.title for mention in found}) == 1 else None
    return None


def _again(listed: Mention, n: int) -> Mention:
    return Mention(n + 1, listed.url, listed.title)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.lower())) - _SMALL_WORDS


def _numbers_in(text: str) -> Iterator[str]:
    """The numbers in ``1, 3-5``."""
    for piece in text.split(","):
        first, _, last = piece.replace("–", "-").partition("-")
        for number in range(int(first), min(int(last or first), int(first) + 30) + 1):
            yield str(number)
