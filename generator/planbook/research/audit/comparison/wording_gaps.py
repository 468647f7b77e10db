"""Words of a quote that stand instead of words of its source. Pure.

It is slight, harmless, another figure, or says something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from planbook.research.proof.opposites import OPPOSITES
from planbook.research.proof.quantities import QuantityIndex, read_quantities

_FORM_WORDS = frozenset(re.findall(r"\w+", "a an the that of is are was were be been being and s"))
"""Words that a quote may have more than its source, or instead of one another."""
_DECISIVE = frozenset(
    re.findall(
        r"\w+",
        "not no never none nor neither cannot without unless except only hardly rarely seldom few "
        "less if can could may might must should almost nearly about approximately roughly most "
        "some least up under over nothing exactly solely merely plus besides excluding",
    )
)
"""Words without which a quote says something else."""
_OMITTED = frozenset({"some", "should"})
"""Those that a quote may leave out: it is not verbatim then, but says the same."""
_ADDED_DECISIVE = _DECISIVE | frozenset(
    re.findall(r"\w+", "often always usually sometimes generally typically all every")
)
"""Words that a quote neither has instead of others nor others instead of."""
_NEGATIONS = frozenset(
    re.findall(r"\w+", "not no never none nor neither cannot without unless except")
)
_AS_LONG = 1.3
"""Length of the words of a source, in lengths of a quote, up to which it limits what they do."""
_FIGURE = re.compile(r"v?\d[\d.,:-]*[^\W\d_]{0,2}")
"""A word that is a figure: ``80``, ``2.5``, ``70B``, ``3rd``, ``2026-06-09``."""
_ELLIPSIS = re.compile(r"\u2026|\.{3}")
_END = r"[.!?][\"'*_\u201d\u2019)]*"
_SENTENCES = re.compile(rf"{_END}\s.*{_END}\s[\s\"'*_\u201c\u2018(>-]*", re.DOTALL)
"""Whole sentences between two words, with the end of the sentence before them."""
_DECADE = re.compile(r"(?:\d\d)?(?P<years>\d0s)")
_BOUNDED = re.compile(r"[\u2265\u2264<>~\u2248+]")
"""Signs for *at least*, *less than* or *about*."""
_NAME = re.compile(r"[A-Z][\w'\u2019]*")


@dataclass(frozen=True, slots=True)
class Gap:
    """The text between two words that a quote and its source have one after the other."""

    ours: Sequence[str]
    """The words of the quote."""
    theirs: Sequence[str]
    quoted: str = ""
    """The quote's text there, with its marks; empty before the first and behind the last word."""
    source: str = ""

    @property
    def is_slight(self) -> bool:
        """Return whether the quote has the source's words but for articles, or leaves some out."""
        ours, theirs = _plain(self.ours), _plain(self.theirs)
        if ours:
            return ours <= _FORM_WORDS and theirs <= _FORM_WORDS
        return self._is_elided or not theirs & (_DECISIVE - _OMITTED)

    @property
    def is_contrary(self) -> bool:
        """Return whether the quote has another figure or name, an opposite, or one *not* more."""
        has_other_figures = bool(self.theirs) and not _has_same_figures(self.ours, self.theirs)
        is_denied = differ_in_denials(self.ours, self.theirs)
        return has_other_figures or is_denied or self._is_opposite or self._is_renamed

    @property
    def is_opposite(self) -> bool:
        """Return whether one says the opposite of the other, or has one *not* more."""
        return differ_in_denials(self.ours, self.theirs) or self._is_opposite

    @property
    def is_harmless(self) -> bool:
        """Return whether the quote has other words, or more, that change neither figure nor sense.

        It may do so by a name, an opposite, or a word such as *not*.
        """
        if not _has_same_figures(self.ours, self.theirs):
            return False
        ours, theirs = _plain(self.ours), _plain(self.theirs)
        is_bounded = bool(_BOUNDED.search(self.quoted + self.source))
        decisive = (ours ^ theirs) & _ADDED_DECISIVE if not is_bounded else set()
        return not (decisive or self._is_opposite or self._is_renamed)

    @property
    def _is_opposite(self) -> bool:
        pairs = product(_plain(self.ours), _plain(self.theirs))
        return any(pair in _OPPOSITES for pair in pairs)

    @property
    def _is_renamed(self) -> bool:
        return bool(_names_in(self.ours) and _names_in(self.theirs))

    @property
    def other_figure(self) -> tuple[str, str] | None:
        """Return the figures of both if they differ in one alone, beyond rounding."""
        ours = [word for word in self.ours if word not in _FORM_WORDS]
        theirs = [word for word in self.theirs if word not in _FORM_WORDS]
        if len(ours) != 1 or len(theirs) != 1:
            return None
        figure, in_source = ours[0], theirs[0]
        if not (is_figure(figure) and is_figure(in_source)) or may_be_same(figure, in_source):
            return None
        return figure, in_source

    @property
    def _is_elided(self) -> bool:
        """Return whether the quote says that it leaves words out, or leaves out whole sentences."""
        return bool(_ELLIPSIS.search(self.quoted) or _SENTENCES.fullmatch(self.source))


_OPPOSITES = frozenset((*OPPOSITES, *((opposite, word) for word, opposite in OPPOSITES)))


def is_figure(word: str) -> bool:
    """Return whether a word is a number, also one in letters."""
    quantities = list(read_quantities(word))
    return bool(_FIGURE.fullmatch(word)) or any(figure.is_spelled for figure in quantities)


def _has_same_figures(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether a quote has a figure only where its source has the same."""
    figures, in_source = (list(filter(is_figure, some)) for some in (ours, theirs))
    return all(any(may_be_same(figure, other) for other in in_source) for figure in figures)


def may_be_same(figure: str, other: str) -> bool:
    """Return whether two figures have the same value, or one is the other one, rounded."""
    decade, other_decade = _DECADE.fullmatch(figure), _DECADE.fullmatch(other)
    if decade and other_decade:
        return decade["years"] == other_decade["years"]
    quantities, other_quantities = (list(read_quantities(word)) for word in (figure, other))
    if len(quantities) != 1 or len(other_quantities) != 1:
        return False
    is_rounded = QuantityIndex(other).has_rounded(quantities[0])
    value = quantities[0].value
    return is_rounded or (value is not None and value == other_quantities[0].value)


def has_same_sense(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether a quote that condenses some words denies and limits what they do, only.

    These may limit more if they are longer. Neither has an opposite of what the other has.
    """
    quoted, in_source = _plain(ours), _plain(theirs)
    limits = (quoted - in_source) & (_ADDED_DECISIVE - _NEGATIONS)
    if len(theirs) <= _AS_LONG * len(ours):
        limits |= (in_source - quoted) & (_DECISIVE - _NEGATIONS)
    differing = product(quoted - in_source, in_source - quoted)
    is_opposite = any(pair in _OPPOSITES for pair in differing)
    return not (differ_in_denials(ours, theirs) or limits or is_opposite)


def differ_in_denials(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether one of two texts has a word such as *not* more than the other."""
    denials = [sum(bool(_plain([word]) & _NEGATIONS) for word in some) for some in (ours, theirs)]
    return denials[0] != denials[1]


def _plain(words: Sequence[str]) -> set[str]:
    """Return words in lower case; ``rather than`` and ``doesn't`` deny as ``not`` does."""
    plain = {word.casefold().replace("\u2019", "'") for word in words}
    if {"rather", "than"} <= plain:
        plain |= {"not"}
    return {"not" if word.endswith("n't") else word for word in plain}


def _names_in(words: Sequence[str]) -> list[str]:
    """Return the capitalised words behind the first one, which may begin a sentence."""
    return [word for word in words if _NAME.fullmatch(word) and not word.isupper()]
