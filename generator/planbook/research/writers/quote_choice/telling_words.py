"""The words by which a unit carries a statement: stems, what is denied, and values."""

from __future__ import annotations

import re
from functools import lru_cache

from planbook.citations.quotes import words
from planbook.markdown.words import keywords

DENIAL = "\N{NOT SIGN}"
"""The sign for a negation among stems; before a stem, for what is denied: ``¬buffer``."""
VALUE = "="
"""The sign before a value among stems: ``=off``."""
_NEGATOR = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nothing|without|cannot|unless|(?<=n)['\u2019]t)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.,;:()|]\s|\b(?:but|because|unless|as|and)\b|$")
_CELL_OF_VALUE = re.compile(r"(?<=\|)\s*`?\w+`?\s*(?=\|)")
"""A cell of one word, which denies nothing: ``| no |``."""
_MAX_DENIED_WORDS = 4
"""Number of words behind a negation that it may deny."""


@lru_cache(maxsize=16_384)
def telling_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, and of what it denies.

    A quote with ``neither queue nor buffer`` carries ``does not buffer`` better than one with
    ``to buffer`` does.
    """
    visible = words(text.replace("|", " "))
    return (
        frozenset(keywords(visible))
        | _denied_stems(text)
        | {f"{VALUE}{value}" for value in values_in(text)}
    )


def _denied_stems(text: str) -> set[str]:
    """Return the stems that a text denies, each with the sign of a negation, and that sign."""
    denied: set[str] = set()
    text = _CELL_OF_VALUE.sub("|", text)
    for negator in _NEGATOR.finditer(text):
        clause_end = _CLAUSE_END.search(text, negator.end())
        clause = text[negator.end() : clause_end.start() if clause_end else len(text)]
        denied.add(DENIAL)
        denied.update(f"{DENIAL}{stem}" for stem in keywords(clause)[:_MAX_DENIED_WORDS])
    return denied


_VALUES = r"(?:on|off|true|false|yes|no|none|null|enabled|disabled)"
_VALUE = re.compile(
    rf"""
    (?:^|[.|;]\s|[("'`*\u201c\u2018=/])\s*(?P<alone>{_VALUES})\s*(?=$|[.|;]|[)"'`*\u201d\u2019/,])
    | (?<![\w-])(?P<default>{_VALUES})(?=\s+by\s+default\b)
    | \b(?: defaults?\s+(?:is|to|of|being) | default: | set\s+(?:[\w.`]+\s+)?to
          | (?:is|are)(?:\s+set)?(?:\s+to)? )
      \s+(?P<given>{_VALUES})(?=\s*(?:[.;,)|]|by\b|unless\b|$))
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A value as a cell has it, or a sentence: ``off``, ``off by default``, ``set it to true``."""


def values_in(text: str) -> frozenset[str]:
    """Return the words of a text that are values, such as ``off`` in ``off by default``."""
    return frozenset(
        value.lower() for match in _VALUE.finditer(text) for value in match.groups() if value
    )
