"""Whether passages say what a sentence says: a strict test of words, whose every refusal can be explained. Pure.

A sentence is supported where it can be made from one sentence of a passage, or from two that follow each other, by
leaving out what does not change the meaning: articles, remarks in brackets or behind a comma, words such as "however".
All other words, numbers, units, names and versions must be there in the same order, so that each keeps its role. A
sentence that is refused may be true all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from generator.research.compose.support_words import (
    ASIDE,
    ASIDES,
    BEHIND_A_COMMA,
    CONNECTIVES,
    KEPT,
    LAST_CLAUSE,
    MARKS,
    POINTING,
    SPEAKER,
    SUBJECTS,
    WITHOUT_A_COMMA,
    Token,
    tokenize,
)

_SENTENCE_END = re.compile(
    r"(?<=[^\W\d_]{2}[.!?])[\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[`*]*[A-Z0-9])|(?<=[\d)\]\"'\u201d`%][.!?])\s+(?=[\"'\u201c\u2018(\[`*]*[A-Z])"
)
_SHORT = re.compile(
    r"(?:\b(?:etc|vs|cf|al|approx|ca|resp|incl|figs?|eq|sec|nos?|vol|pp|dr|mrs?|ms|prof|st|jr|sr|inc|ltd|co|corp|dept)|\.\w)\.\W*$",
    re.IGNORECASE,
)
"""What ends in a point without ending a sentence."""
_PAIRS = {"(": ")", "[": "]", "—": "—"}
_MOST_NAMED = 5
_SHORTEST_CLAUSE = 4
_JOINT = Token("&", "and")
"""Between two sentences of a passage: a sentence may join them with ``and``."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether passages say what a sentence says."""

    supported_by: tuple[int, ...]
    """The places of the passages that say it, counted from 0."""
    reason: str = ""
    """Why none of them does."""

    @property
    def is_supported(self) -> bool:
        """Whether one of the passages says it."""
        return bool(self.supported_by)


def judge(sentence: str, passages: Sequence[str]) -> Judgement:
    """Whether each of `passages`, which are prose, says by itself what `sentence` says; else why none does."""
    said = [token for token in tokenize(sentence) if not token.is_silent]
    trouble = _trouble(said)
    if trouble:
        return Judgement((), trouble)
    windows = [tuple(_windows(passage)) for passage in passages]
    holding = tuple(n for n, found in enumerate(windows) if any(_is_made_from(said, window) for window in found))
    if holding:
        return Judgement(holding)
    return Judgement((), _difference(said, [window for found in windows for window in found]))


def _trouble(said: Sequence[Token]) -> str:
    """What keeps a sentence from standing alone, whatever its passages say."""
    if not said:
        return "it says nothing"
    if said[0].key in POINTING:
        return f"“{said[0].text}” points to something outside of the sentence"
    speaker = next((token for token in said if token.key in SPEAKER), None)
    return f"“{speaker.text}” means whoever wrote the source" if speaker else ""


# --- the sentences of a passage --------------------------------------------------------------------------------------


def sentences_of(text: str) -> list[str]:
    """The sentences of a text; rather one too long than one cut short."""
    found, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if not _SHORT.search(text[max(start, match.start() - 12) : match.start()]):
            found.append(text[start : match.start()])
            start = match.end()
    return [sentence for sentence in [*found, text[start:]] if sentence.strip()]


def _windows(passage: str) -> Iterator[list[Token]]:
    """Each sentence of a passage, and each two that follow each other; questions say nothing."""
    sentences = [tokenize(sentence) for sentence in sentences_of(passage)]
    states = [[] if any(token.key == "?" for token in sentence[-2:]) else sentence for sentence in sentences]
    yield from filter(None, states)
    yield from ([*one, _JOINT, *two] for one, two in pairwise(states) if one and two)


# --- making one from the other ---------------------------------------------------------------------------------------


def _is_made_from(said: Sequence[Token], given: Sequence[Token]) -> bool:
    """Whether leaving out what may be left out of `given` gives `said`."""
    ways: list[set[int]] = [set() for _ in range(len(given) + 1)]
    ways[0].add(0)
    left_out = _left_out(given)
    for n, token in enumerate(given):
        for at in ways[n]:
            if token.is_silent or token is _JOINT:
                ways[n + 1].add(at)
            if at < len(said) and _is_same(said[at], token, is_first=at == 0):
                ways[n + 1].add(at + 1)
            for end in left_out.get(n, ()):
                ways[end].add(at)
    return len(said) in ways[-1]


def _is_same(said: Token, given: Token, *, is_first: bool) -> bool:
    """Whether two tokens are the same; the first one of a sentence may have got its capital there."""
    small = said.key[:1].lower() + said.key[1:]
    return said.key == given.key or (is_first and small == given.key) or (given is _JOINT and said.key == "and")


def _left_out(given: Sequence[Token]) -> dict[int, set[int]]:
    """What may be left out: from where, up to where."""
    found: dict[int, set[int]] = {}
    bounds = [-1, *(n for n, token in enumerate(given) if token is _JOINT), len(given)]
    for before, end in pairwise(bounds):
        for start, stop in (*_openings(given, before + 1), *_remarks(given, before + 1, end)):
            found.setdefault(start, set()).add(stop)
    return found


def _openings(given: Sequence[Token], start: int) -> Iterator[tuple[int, int]]:
    """Words at the start of a sentence that join it to the one before."""
    keys = [token.key for token in given]
    for phrase in CONNECTIVES:
        end = start + len(phrase)
        is_joined = phrase[-1] in WITHOUT_A_COMMA or keys[end : end + 1] in ([","], [":"])
        if tuple(keys[start:end]) == phrase and is_joined:
            yield start, end


def _remarks(given: Sequence[Token], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Brackets, what stands between dashes, remarks behind commas, and ends that add something."""
    keys = [token.key for token in given]
    for n in range(start, end):
        stops: list[int] = []
        closing = keys.index(_PAIRS[keys[n]], n + 1) if _PAIRS.get(keys[n]) in keys[n + 1 : end] else None
        if keys[n] in ASIDES and (keys[n] in WITHOUT_A_COMMA or keys[n + 1 : n + 2] == [","]):
            stops.append(n + 1)
        elif closing and (keys[n] == "—" or _is_aside(given[start:n], given[n + 1 : closing])):
            stops.append(closing + 1)
        elif keys[n] == "," and n + 1 < end and keys[n + 1] in BEHIND_A_COMMA:
            comma = next((m for m in range(n + 2, end - 1) if keys[m] == ","), end)
            stops += [end, *([comma] if comma < end and keys[comma + 1] not in {"and", "or"} else [])]
        if n > start and (keys[n] in ";—" or _is_last_clause(keys[start:n], keys[n:end])):
            stops.append(end)
        yield from ((n, stop) for stop in stops if not KEPT.intersection(keys[n:stop]))


def _begins(keys: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> bool:
    return any(tuple(keys[: len(phrase)]) == phrase for phrase in phrases)


def _is_aside(before: Sequence[Token], within: Sequence[Token]) -> bool:
    """Whether brackets hold a reference, examples, or the short form of the words before them."""
    if len(within) == 1:
        initials = "".join(token.text[:1] for token in before[-len(within[0].text) :])
        return within[0].key.isdigit() or within[0].text.casefold() == initials.casefold()
    return _begins([token.key for token in within if token.key not in MARKS], ASIDE)


def _is_last_clause(before: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether `keys` are a comma and a clause that adds a reason, examples, or a statement of its own."""
    if keys[0] != "," or len(keys) < 2:
        return False
    if _begins(keys[1:], LAST_CLAUSE):
        return True
    is_clause = bool({"is", "was", "have", "do"}.intersection(keys[2:])) or (len(keys) > 2 and keys[2] in SUBJECTS)
    is_list = "," in before
    return keys[1] == "and" and len(keys) > _SHORTEST_CLAUSE and is_clause and not is_list


# --- why not ---------------------------------------------------------------------------------------------------------


def _difference(said: Sequence[Token], windows: Sequence[Sequence[Token]]) -> str:
    """How a sentence differs from what is most like it."""
    if not windows:
        return "no passage says anything"
    keys = [token.key for token in said]
    spoken = [[token for token in window if not token.is_silent and token is not _JOINT] for window in windows]
    matchers = [SequenceMatcher(None, [token.key for token in window], keys, autojunk=False) for window in spoken]
    best, window = max(zip(matchers, spoken, strict=True), key=lambda pair: pair[0].ratio())
    there = {token.key for token in window}
    new = [token.text for token in said if token.key not in there]
    if new:
        return f"{_named(new)} is not in the sentence that it rests on"
    moved = [
        said[n].text for tag, _, _, a, b in best.get_opcodes() if tag in {"insert", "replace"} for n in range(a, b)
    ]
    if moved:
        return f"{_named(moved)} is in another place of the sentence that it rests on"
    gone = [window[n].text for tag, a, b, _, _ in best.get_opcodes() if tag == "delete" for n in range(a, b)]
    return f"it leaves out {_named(gone)}"


def _named(words: Sequence[str]) -> str:
    shown = " ".join(words[:_MOST_NAMED])
    return f"“{shown}{' …' if len(words) > _MOST_NAMED else ''}”"
