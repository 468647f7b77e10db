"""Find sentences that say the opposite of their quotes in the words of the quotes. Pure.

For example “A dump loads into older servers”, of “… into server versions newer than …”. It is a
warning: a sentence may say the same from the other side, and a meaning that is turned round by a
negation is not found. That is for a judge.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from planbook.markdown.words import keywords, sentences_of

OPPOSITES = (
    ("older", "newer"),
    ("before", "after"),
    ("earlier", "later"),
    ("minimum", "maximum"),
    ("least", "most"),
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("enable", "disable"),
    ("enables", "disables"),
    ("enabled", "disabled"),
    ("allow", "forbid"),
    ("allows", "forbids"),
    ("allowed", "forbidden"),
    ("lower", "higher"),
    ("lower", "upper"),
    ("first", "last"),
    ("always", "never"),
    ("more", "less"),
    ("more", "fewer"),
    ("faster", "slower"),
    ("larger", "smaller"),
    ("longer", "shorter"),
    ("above", "below"),
    ("include", "exclude"),
    ("includes", "excludes"),
    ("inside", "outside"),
    ("required", "optional"),
    ("supported", "unsupported"),
    ("possible", "impossible"),
    ("synchronous", "asynchronous"),
    ("ascending", "descending"),
)
"""Pairs of words with opposite meanings, in the forms that are compared.

Not ``with`` and ``without``: nearly every quote has the one, whatever of.
"""
_OPPOSITES_OF: dict[str, set[str]] = defaultdict(set)
for _one, _other in OPPOSITES:
    _OPPOSITES_OF[_one].add(_other)
    _OPPOSITES_OF[_other].add(_one)
_PAIRED_STEMS = frozenset(stem for word in _OPPOSITES_OF for stem in keywords(word))

_WORD = re.compile(r"[^\W\d_]+")
_MIN_WORDS = 3
"""Number of content words of a sentence below which it says too little to compare."""
_MIN_SHARED = 0.5
"""Share of the content words of a sentence that a sentence of its quotes has, too."""


def find_opposite(sentence: str, quotes: Sequence[str]) -> tuple[str, str] | None:
    """Return a word of a sentence, and the word of its quotes that is the opposite.

    The result is ``None`` if there is no such pair, if the quotes have the word of the sentence,
    too, or if the sentence has both.
    """
    claimed = [word.lower() for word in _WORD.findall(sentence)]
    content = set(keywords(sentence)) - _PAIRED_STEMS
    if len(content) < _MIN_WORDS or _OPPOSITES_OF.keys().isdisjoint(claimed):
        return None
    quoted_sentences = [
        quoted_sentence for quote in quotes for quoted_sentence in sentences_of(quote) or [quote]
    ]
    quoted = {word.lower() for quote in quotes for word in _WORD.findall(quote)}
    shared = {
        quoted_sentence: content.intersection(keywords(quoted_sentence))
        for quoted_sentence in quoted_sentences
    }
    nearest = max(
        quoted_sentences, key=lambda quoted_sentence: len(shared[quoted_sentence]), default=""
    )
    if len(shared.get(nearest, ())) < _MIN_SHARED * len(content):
        return None
    in_nearest = {word.lower() for word in _WORD.findall(nearest)}
    for word in claimed:
        opposites = _OPPOSITES_OF.get(word, set()) & in_nearest
        if opposites and word not in quoted and opposites.isdisjoint(claimed):
            return word, min(opposites)
    return None
