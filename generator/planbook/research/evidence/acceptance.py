"""Judge whether the best passage of a point answers it. Pure.

Two kinds of evidence count: the passage stands out from the others by its score, or one of its sentences has the words
of the point. The first needs many passages; the second holds for three as for three thousand. See
docs/decisions/0057-acceptance.md for the choice and the figures.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from planbook.citations.quotes import fold, words
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import OUTLINE_WORDS, keywords, sentences_of, stem
from planbook.research.drafts import Excerpt, Passage, Ranked

MANY = 20
"""The number of passages from which the last one tells what an ordinary score is."""
STANDS_OUT, STANDS_OUT_OF_FEW = 1.5, 2.5
"""Minimum score of the best passage, less half of that of the last of many, that stands out; the same among few."""
NEAR = 1.0
"""The same for a passage among many that is shown as uncertain."""
MOST, HALF = 2 / 3, 1 / 2
"""Shares of a point's words."""

_STOP_STEMS = frozenset(map(stem, OUTLINE_WORDS))
_RELATIONS = frozenset(
    map(
        stem,
        re.findall(
            r"\w+",
            "affect affects allowed amount appear appears applies apply available avoid become becomes begin behave "
            "behavior behaviour belong belongs choose come comes common consist consists contain contains decide "
            "differ differs do done effect effects exist exists given go goes handle handled happen happens look "
            "looks main necessary needed number numbers possible purpose reason reasons required role set start "
            "taken turn usual value values",
        ),
    )
)
"""Words that ask about something and seldom are in the answer: the modes that *exist* are "four modes"."""
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
_VALUE_OF = {stem(word): re.compile(found) for named, found in _KINDS_OF_ANSWERS.items() for word in named.split()}
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
        """The missing words in a sentence's end: ``does not mention “crumb”, “salt”``; empty if there are none."""
        words_lacked = ", ".join(f"“{word}”" for word in self.missing)
        return f"does not mention {words_lacked}" if words_lacked else ""


def judge_best(point: str, ranked: Sequence[Ranked]) -> Judgement:
    """Return whether the first of the `ranked` passages answers a point, which is Markdown."""
    wanted = telling_words(point)
    if not (ranked and wanted):
        return Judgement(Answer.OPEN, _as_written(point, wanted))
    best = ranked[0]
    is_among_many = len(ranked) >= MANY
    usual = ranked[-1].score if is_among_many else 0.0
    score = best.score - usual / 2
    own = _words_of(best.excerpt)
    missing = tuple(word for word in wanted if not own.has(word))
    whole = 1 - len(missing) / len(wanted)
    in_sentence = max(sum(map(sentence.has, wanted)) for _, sentence in _sentences(best.excerpt)) / len(wanted)

    stands_out = score >= (STANDS_OUT if is_among_many else STANDS_OUT_OF_FEW)
    says_all = in_sentence == 1 and (len(wanted) > 1 or not is_among_many)
    says_most = (in_sentence >= MOST or not missing) and score >= STANDS_OUT
    asks_something = any(word not in _STOP_STEMS for word in wanted)  # not only "What is the best?"
    is_near = in_sentence >= HALF and (score >= NEAR or not is_among_many)
    says_enough = says_all or says_most or (stands_out and whole > HALF)
    match (says_enough and asks_something, stands_out or is_near):
        case (True, _):
            answer = Answer.FOUND
        case (_, True):
            answer = Answer.UNCERTAIN
        case _:
            answer = Answer.OPEN
    return Judgement(answer, _as_written(point, missing))


def telling_words(point: str) -> tuple[str, ...]:
    """Return the stems of a point's words, without those that ask; all of them if nothing else is left."""
    every = tuple(dict.fromkeys(keywords(plain_text(point))))
    subject = tuple(word for word in every if word not in _STOP_STEMS) or every
    return tuple(word for word in subject if word not in _RELATIONS) or subject


def _as_written(point: str, stems: Collection[str]) -> tuple[str, ...]:
    """Return the words of a point that have these stems, in its order."""
    written = (_AROUND_WORD.sub("", word) for word in plain_text(point).split())
    return tuple(dict.fromkeys(word for word in written if not set(stems).isdisjoint(keywords(word))))


# --- the words of a passage ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text, with those of the heading and the term above it."""

    text: str
    stems: frozenset[str]

    def has(self, word: str) -> bool:
        """Return whether the text has a word, a longer name or another form of it, or a value of what it names."""
        if word in self.stems or any(_is_form(word, other) for other in self.stems):
            return True
        value = _VALUE_OF.get(word)
        return value is not None and value.search(self.text) is not None


def _is_form(word: str, other: str) -> bool:
    """Return whether a stem is of the same word: ``encrypt`` and ``encryption``, ``--keep`` and ``--keep-daily``."""
    if word.startswith("-"):
        return other.startswith(f"{word}-")
    if min(len(word), len(other)) < _ROOT or word[:_ROOT] != other[:_ROOT]:
        return False
    alike = next((n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    return alike >= max(_ROOT, min(len(word), len(other)) - _ENDING)


def _words_of(excerpt: Excerpt) -> _Words:
    text = " ".join(words(p.text) if p.is_markdown else fold(p.text) for p in excerpt.passages)
    return _Words(text, frozenset(keywords(text)) | _above(excerpt))


def telling_sentence(point: str, excerpt: Excerpt) -> tuple[Passage, str]:
    """Return the sentence, item or row of an excerpt that has most of a point's words, with its passage."""
    wanted = telling_words(point)
    found = list(_sentences(excerpt))
    passage, best = max(found, key=lambda pair: sum(map(pair[1].has, wanted)))
    return passage, best.text


def _sentences(excerpt: Excerpt) -> Iterator[tuple[Passage, _Words]]:
    """Yield each sentence, item and row of an excerpt, with its passage."""
    above = _above(excerpt)
    for passage in excerpt.passages:
        for block in _BLOCK.split(passage.text):
            for sentence in sentences_of(block) or [""]:
                yield passage, _Words(sentence, frozenset(keywords(sentence)) | above)


def _above(excerpt: Excerpt) -> frozenset[str]:
    return frozenset(keywords(" ".join((*excerpt.headings[-1:], excerpt.term))))
