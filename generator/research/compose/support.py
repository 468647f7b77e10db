"""Check whether passages support a sentence: a strict comparison of words that can explain every refusal. Pure.

A sentence is supported if it can be made from one sentence of a passage, or from two consecutive ones, by omitting
what does not change the meaning: articles, remarks in brackets or between commas, words such as "however". All other
words, numbers, units, names and versions must occur in the same order, so that each keeps its role, and so must the
punctuation between them. A sentence that is refused may still be true.
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
    AUXILIARIES,
    BEHIND_A_COMMA,
    CONNECTIVES,
    FALSE,
    KEPT,
    LAST_CLAUSE,
    MARKS,
    POINTING,
    SPEAKER,
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
"""Abbreviations that end in a period without ending a sentence."""
_PAIRS = {"(": ")", "[": "]"}
_AND = frozenset({"and", "or"})
_MOST_NAMED = 5
_ENDS = frozenset(".!:\u2026")
"""Punctuation that ends a sentence."""
_VERDICT = 3
"""Maximum number of words of a sentence such as "Not true." that is about the one next to it."""
_JOINT = Token("&", "and")
"""Replaces the mark that ends the first of two sentences of a passage."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Result of the support check for one sentence."""

    supported_by: tuple[int, ...]
    """Indexes of the passages that support it."""
    reason: str = ""
    """The reason why none of them does."""

    @property
    def is_supported(self) -> bool:
        """True if at least one passage supports it."""
        return bool(self.supported_by)


def judge(sentence: str, passages: Sequence[str]) -> Judgement:
    """Return which of `passages`, all prose, support `sentence` on their own; if none does, the reason."""
    said = [token for token in _without_end(tokenize(sentence)) if not token.is_silent]
    said = [one for one, two in pairwise([*said, _JOINT]) if one.key != "," or two.key not in _AND]
    trouble = _trouble(said)
    if trouble:
        return Judgement((), trouble)
    windows = [tuple(_windows(passage)) for passage in passages]
    holding = tuple(n for n, found in enumerate(windows) if any(_is_made_from(said, window) for window in found))
    if holding:
        return Judgement(holding)
    return Judgement((), _difference(said, [window for found in windows for window in found]))


def _trouble(said: Sequence[Token]) -> str:
    """Return the reason why a sentence cannot stand alone, whatever its passages say; empty if it can."""
    if not said:
        return "it says nothing"
    if said[-1].key == "?":
        return "it asks"
    if said[0].key in POINTING:
        return f"“{said[0].text}” points to something outside of the sentence"
    speaker = next((token for token in said if token.key in SPEAKER), None)
    return f"“{speaker.text}” means whoever wrote the source" if speaker else ""


# --- the sentences of a passage --------------------------------------------------------------------------------------


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text; in doubt, it is not split."""
    found, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        if not _SHORT.search(text[max(start, match.start() - 12) : match.start()]):
            found.append(text[start : match.start()])
            start = match.end()
    return [sentence for sentence in [*found, text[start:]] if sentence.strip()]


def _windows(passage: str) -> Iterator[list[Token]]:
    """Yield each sentence of a passage and each two consecutive ones, without questions and retracted statements."""
    sentences = [tokenize(sentence) for sentence in sentences_of(passage)]
    said = [
        [] if any(token.key == "?" for token in sentence[-2:]) or _is_taken_back(n, sentences) else sentence
        for n, sentence in enumerate(sentences)
    ]
    yield from (_without_end(sentence) for sentence in said if sentence)
    yield from ([*_without_end(one), _JOINT, *_without_end(two)] for one, two in pairwise(said) if one and two)


def _is_taken_back(n: int, sentences: Sequence[Sequence[Token]]) -> bool:
    """Return whether an adjacent sentence retracts it: "The following is a myth.", "That is wrong.", "Not true."."""
    for beside in (*sentences[max(0, n - 1) : n], *sentences[n + 1 : n + 2]):
        keys = [token.key for token in beside if token.key not in MARKS]
        is_short = len(keys) <= _VERDICT
        is_about = is_short or keys[0] in POINTING or "following" in keys or beside[-1].key == ":"
        if (is_about and FALSE.intersection(keys)) or (is_short and {"not", "no"}.intersection(keys)):
            return True
    return False


def _without_end(sentence: Sequence[Token]) -> list[Token]:
    """Return a sentence without its final punctuation."""
    end = next((n for n in range(len(sentence), 0, -1) if sentence[n - 1].key not in _ENDS), 0)
    return list(sentence[:end])


# --- making one from the other ---------------------------------------------------------------------------------------


def _is_made_from(said: Sequence[Token], given: Sequence[Token]) -> bool:
    """Return whether `said` results from omitting parts of `given` that may be omitted."""
    ways: list[set[int]] = [set() for _ in range(len(given) + 1)]
    ways[0].add(0)
    left_out = _left_out(given)
    joints = _joints(given)
    for n, token in enumerate(given):
        is_optional = token.is_silent or (token.key == "," and n + 1 < len(given) and given[n + 1].key in _AND)
        for at in ways[n]:
            if is_optional:
                ways[n + 1].add(at)
            if at < len(said) and (said[at].key in joints if token is _JOINT else said[at].is_same(token)):
                ways[n + 1].add(at + 1)
            for end in left_out.get(n, ()):
                ways[end].add(at)
    return len(said) in ways[-1]


def _joints(given: Sequence[Token]) -> frozenset[str]:
    """Return the keys that may join two sentences; no "and" if it would put the second under a word of the first."""
    first = given[: given.index(_JOINT)] if _JOINT in given else ()
    is_bound = KEPT.intersection(token.key for token in first)
    return frozenset(".!;") if is_bound else frozenset({".", "!", ";", "and"})


def _left_out(given: Sequence[Token]) -> dict[int, set[int]]:
    """Return the spans that may be omitted, as ends by start."""
    found: dict[int, set[int]] = {}
    bounds = [-1, *(n for n, token in enumerate(given) if token is _JOINT), len(given)]
    for before, end in pairwise(bounds):
        for start, stop in (*_openings(given, before + 1), *_remarks(given, before + 1, end)):
            found.setdefault(start, set()).add(stop)
    return found


def _openings(given: Sequence[Token], start: int) -> Iterator[tuple[int, int]]:
    """Yield the connectives at the start of a sentence, with the comma after them."""
    keys = [token.at_start or token.key for token in given]
    for phrase in CONNECTIVES:
        end = start + len(phrase)
        is_ended = keys[end : end + 1] in ([","], [":"])
        if tuple(keys[start:end]) == phrase and (is_ended or phrase[-1] in WITHOUT_A_COMMA):
            yield start, end + is_ended


def _remarks(given: Sequence[Token], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield brackets, remarks between commas, and final clauses that add a reason or examples."""
    keys = [token.key for token in given]
    for n in range(start, end):
        stops: list[int] = []
        closing = keys.index(_PAIRS[keys[n]], n + 1) if _PAIRS.get(keys[n]) in keys[n + 1 : end] else None
        behind = keys[n + 1 : end] if keys[n] == "," else []
        if keys[n] in ASIDES and keys[n] in WITHOUT_A_COMMA:
            stops.append(n + 1)
        elif closing and _is_aside(given[start:n], given[n + 1 : closing]):
            stops.append(closing + 1)
        elif behind[:1] and behind[0] in ASIDES and behind[1:2] == [","]:
            stops.append(n + 3)
        elif behind[:1] and behind[0] in BEHIND_A_COMMA:
            commas = [m for m in range(n + 2, end - 1) if keys[m] == ","]
            if not commas:
                stops.append(end)
            elif len(commas) == 1 and (keys[commas[0] + 1] in AUXILIARIES or not _AND.intersection(keys[n:end])):
                stops.append(commas[0] + 1)
        elif _begins(behind, LAST_CLAUSE):
            stops.append(end)
        yield from ((n, stop) for stop in stops if not KEPT.intersection(keys[n:stop]))


def _begins(keys: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> bool:
    return any(tuple(keys[: len(phrase)]) == phrase for phrase in phrases)


def _is_aside(before: Sequence[Token], within: Sequence[Token]) -> bool:
    """Return whether brackets hold a reference, examples, or the abbreviation of the words before them."""
    if len(within) == 1:
        initials = "".join(token.text[:1] for token in before[-len(within[0].text) :])
        return within[0].key.isdigit() or within[0].text.casefold() == initials.casefold()
    return _begins([token.key for token in within if token.key not in MARKS], ASIDE)


# --- why not ---------------------------------------------------------------------------------------------------------


def _difference(said: Sequence[Token], windows: Sequence[Sequence[Token]]) -> str:
    """Describe how a sentence differs from the most similar window."""
    if not windows:
        return "no passage says anything"
    spoken = [[token for token in window if not token.is_silent and token is not _JOINT] for window in windows]
    matchers = [SequenceMatcher(None, _plain_keys(window), _plain_keys(said), autojunk=False) for window in spoken]
    best, window = max(zip(matchers, spoken, strict=True), key=lambda pair: pair[0].ratio())
    there = {*_plain_keys(window), *MARKS}
    new = [token.text for token in said if (token.at_start or token.key) not in there]
    if new:
        return f"{_named(new)} is not in the sentence that it rests on"
    changes = best.get_opcodes()
    moved = [said[n] for tag, _, _, a, b in changes if tag in {"insert", "replace"} for n in range(a, b)]
    if words := [token.text for token in moved if token.key not in MARKS]:
        return f"{_named(words)} is in another place of the sentence that it rests on"
    gone = [window[n] for tag, a, b, _, _ in changes if tag in {"delete", "replace"} for n in range(a, b)]
    if words := [token.text for token in gone if token.key not in MARKS]:
        return f"it leaves out {_named(words)}"
    return f"it has other marks: {_named([token.text for token in moved or gone])}"


def _plain_keys(tokens: Sequence[Token]) -> list[str]:
    return [token.at_start or token.key for token in tokens]


def _named(words: Sequence[str]) -> str:
    shown = " ".join(words[:_MOST_NAMED])
    return f"“{shown}{' …' if len(words) > _MOST_NAMED else ''}”"
