"""Judge whether the best passage of a point answers it. Pure.

Two kinds of evidence count: the passage stands out from the others by its score, or one of its
sentences has the words of the point. The first needs many passages; the second holds for three as
for three thousand. See docs/decisions/0057-acceptance.md for the choice and the figures.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from planbook.citations.quotes import fold, words
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import OUTLINE_WORDS, keywords, sentences_of, stem
from planbook.research.drafts import Excerpt, Passage, Ranked

MANY = 20
"""The number of passages from which the last one tells what an ordinary score is."""
STANDS_OUT = 1.5
"""Minimum score of the best passage, less half of that of the last of many, that stands out."""
STANDS_OUT_OF_FEW = 2.5
"""The same among few passages."""
NEAR = 1.0
"""The same for a passage among many that is shown as uncertain."""
MOST = 2 / 3
HALF = 1 / 2
"""Shares of a point's words."""

_STOP_STEMS = frozenset(map(stem, OUTLINE_WORDS))
_RELATION_WORDS = """
    affect affects allowed amount appear appears applies apply available avoid become becomes begin
    behave behavior behaviour belong belongs choose come comes common consist consists contain
    contains decide differ differs do done effect effects exist exists given go goes handle handled
    happen happens look looks main necessary needed number numbers possible purpose reason reasons
    required role set start taken turn usual value values
"""
_RELATIONS = frozenset(map(stem, _RELATION_WORDS.split()))
"""Words that ask about something and seldom are in the answer.

The modes that *exist* are "four modes".
"""
_NUMBER = r"\d[.,]*\s?"
"""The end of a number: its other digits stand before it."""
_KINDS_OF_ANSWERS = {
    "temperature": r"°|degrees",
    "price cost fee": r"[€$£]|\beuros?\b|\bdollars?\b",
    "long duration time interval age": (
        r"\b(?:ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b|\d\s?(?:s|min|h)\b"
    ),
    "length width height distance depth": rf"{_NUMBER}(?:mm|cm|m|km|metres?|meters?|inch(?:es)?)\b",
    "weight mass": rf"{_NUMBER}(?:kg|g|t|lb)\b",
    "size": rf"{_NUMBER}(?:bytes?|[kKMGT]i?B|(?:kilo|mega|giga|tera)bytes?)\b",
    "pressure": rf"{_NUMBER}(?:bar|psi|k?Pa)\b",
    "ratio share percentage": r"%|percent|\d:\d|\bparts?\b",
    "limit maximum minimum threshold max min largest smallest port code status": r"\d",
    "version": r"\d\.\d",
}
"""Words for a quantity, and the pattern of its values: the *pressure* of a tyre is "5 to 6 bar"."""
_VALUE_OF = {
    stem(word): re.compile(pattern)
    for words_of_kind, pattern in _KINDS_OF_ANSWERS.items()
    for word in words_of_kind.split()
}
_ROOT = 5
"""Letters that two forms of one word share at least."""
_ENDING = 2
"""Letters by which the shorter form of a word may differ from the longer one."""
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|]|\d+[.)])\s?)")
"""The end of a paragraph, list item or row."""
_AROUND_WORD = re.compile(r"^[^\w.$%@#-]+|[^\w+#]+$")
"""Punctuation around a word; a name may begin with a dash or a period."""


class Answer(StrEnum):
    """The relation of a passage to a point, as far as its words tell."""

    FOUND = "found"
    UNCERTAIN = "uncertain"
    """It is near the line: shown, with the words that it lacks, and not counted as an answer."""
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement on the best passage of a point."""

    answer: Answer
    missing: tuple[str, ...] = ()
    """The words of the point that the passage lacks, as the plan writes them."""

    @property
    def lack(self) -> str:
        """The missing words in a sentence's end; empty if there are none.

        ``does not mention “crumb”, “salt”``
        """
        if not self.missing:
            return ""
        words_lacked = ", ".join(f"“{word}”" for word in self.missing)
        return f"does not mention {words_lacked}"


def judge_best(point: str, ranked: Sequence[Ranked]) -> Judgement:
    """Return whether the first of the `ranked` passages answers a point, which is Markdown."""
    wanted = telling_words(point)
    if not (ranked and wanted):
        return Judgement(Answer.OPEN, _as_written(point, wanted))
    best = _measure(wanted, ranked)
    asks_something = any(word not in _STOP_STEMS for word in wanted)  # not only "What is the best?"
    if best.says_enough and asks_something:
        answer = Answer.FOUND
    elif best.stands_out or best.is_near:
        answer = Answer.UNCERTAIN
    else:
        answer = Answer.OPEN
    return Judgement(answer, _as_written(point, best.missing))


@dataclass(frozen=True, slots=True)
class _Measured:
    """Signs of whether the best passage of a point answers it."""

    is_among_many: bool
    """True if there are enough passages to tell what an ordinary score is."""
    score: float
    """Its score, less half of an ordinary one."""
    wanted: tuple[str, ...]
    missing: tuple[str, ...]
    in_sentence: float
    """The share of the wanted words in the sentence that has most of them."""

    @property
    def stands_out(self) -> bool:
        """True if it is much better than the others."""
        return self.score >= (STANDS_OUT if self.is_among_many else STANDS_OUT_OF_FEW)

    @property
    def says_enough(self) -> bool:
        """True if it has enough of the words; of those in one sentence, fewer will do."""
        # One word, among many passages, is in some sentence by chance.
        is_by_chance = self.is_among_many and len(self.wanted) == 1
        if self.in_sentence == 1 and not is_by_chance:
            return True
        if self.score >= STANDS_OUT and (self.in_sentence >= MOST or not self.missing):
            return True
        in_passage = 1 - len(self.missing) / len(self.wanted)
        return self.stands_out and in_passage > HALF

    @property
    def is_near(self) -> bool:
        """True if it is near the line."""
        return self.in_sentence >= HALF and (self.score >= NEAR or not self.is_among_many)


def _measure(wanted: tuple[str, ...], ranked: Sequence[Ranked]) -> _Measured:
    """Return what tells whether the first of the `ranked` passages has the wanted words."""
    best = ranked[0]
    is_among_many = len(ranked) >= MANY
    # An ordinary score is that of the words alone: among documents on other subjects, too.
    usual = ranked[-1].score / ranked[-1].factor if is_among_many else 0.0
    words_of_best = _words_of(best.excerpt)
    return _Measured(
        is_among_many=is_among_many,
        score=best.score - usual / 2,
        wanted=wanted,
        missing=tuple(word for word in wanted if not words_of_best.has(word)),
        in_sentence=max(_number_of(wanted, sentence) for _, sentence in _sentences(best.excerpt))
        / len(wanted),
    )


def telling_words(point: str) -> tuple[str, ...]:
    """Return the stems of a point's words, without those that ask.

    All of them, if nothing else is left.
    """
    all_words = tuple(dict.fromkeys(keywords(plain_text(point))))
    subject = tuple(word for word in all_words if word not in _STOP_STEMS) or all_words
    return tuple(word for word in subject if word not in _RELATIONS) or subject


def _as_written(point: str, stems: Collection[str]) -> tuple[str, ...]:
    """Return the words of a point that have these stems, in its order."""
    wanted = set(stems)
    written = [_AROUND_WORD.sub("", word) for word in plain_text(point).split()]
    topic_words = [word for word in written if not wanted.isdisjoint(keywords(word))]
    return tuple(dict.fromkeys(topic_words))


# --- the words of a passage -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text, with those of the heading and the term above it."""

    text: str
    stems: frozenset[str]

    def has(self, word: str) -> bool:
        """Return whether the text has a word.

        A longer name or another form of it counts, and so does a value of what it names.
        """
        if word in self.stems or any(_is_form(word, other) for other in self.stems):
            return True
        value = _VALUE_OF.get(word)
        return value is not None and value.search(self.text) is not None


def _is_form(word: str, other: str) -> bool:
    """Return whether a stem is of the same word.

    ``encrypt`` and ``encryption`` are, and ``--keep`` and ``--keep-daily``.
    """
    if word.startswith("-"):
        return other.startswith(f"{word}-")
    shorter = min(len(word), len(other))
    if shorter < _ROOT or word[:_ROOT] != other[:_ROOT]:
        return False
    stem_length = max(_ROOT, shorter - _ENDING)
    return word[:stem_length] == other[:stem_length]


def _words_of(excerpt: Excerpt) -> _Words:
    """Return all words of an excerpt."""
    texts = [
        words(passage.text) if passage.is_markdown else fold(passage.text)
        for passage in excerpt.passages
    ]
    text = " ".join(texts)
    return _Words(text, frozenset(keywords(text)) | _words_above(excerpt))


def telling_sentence(point: str, excerpt: Excerpt) -> tuple[Passage, str]:
    """Return the sentence, item or row of an excerpt that has most of a point's words.

    It comes with its passage.
    """
    wanted = telling_words(point)
    passage, best = max(_sentences(excerpt), key=lambda pair: _number_of(wanted, pair[1]))
    return passage, best.text


def share_of_words(point: str, text: str) -> float:
    """Return the share of a point's telling words that a plain text has; 0 if it has none."""
    wanted = telling_words(point)
    if not wanted:
        return 0.0
    return _number_of(wanted, _Words(text, frozenset(keywords(text)))) / len(wanted)


def _number_of(wanted: Iterable[str], text: _Words) -> int:
    """Return how many of the wanted words a text has."""
    return sum(map(text.has, wanted))


def _sentences(excerpt: Excerpt) -> Iterator[tuple[Passage, _Words]]:
    """Yield each sentence, item and row of an excerpt, with its passage."""
    above = _words_above(excerpt)
    for passage in excerpt.passages:
        for block in _BLOCK.split(passage.text):
            for sentence in sentences_of(block) or [""]:
                yield passage, _Words(sentence, frozenset(keywords(sentence)) | above)


def _words_above(excerpt: Excerpt) -> frozenset[str]:
    """Return the words of the heading and the term above an excerpt."""
    return frozenset(keywords(" ".join((*excerpt.headings[-1:], excerpt.term))))
