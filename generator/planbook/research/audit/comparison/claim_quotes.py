"""Quotes of a claim that no source has word for word: absent, inexact, or left open. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise

from planbook.research.audit.claims.cited_claims import CitedClaim
from planbook.research.audit.claims.report_sentences import MIN_QUOTE_WORDS
from planbook.research.audit.comparison.languages import is_partly_in_another
from planbook.research.audit.comparison.literal_words import (
    is_in_unspaced_script,
    is_of_own_history,
)
from planbook.research.audit.comparison.near_wording import NearWords
from planbook.research.audit.comparison.read_source import ReadSource, content_words
from planbook.research.proof.phrases import QUESTION, WARNING, is_presented, why_unclaimed
from planbook.research.proof.quantities import QuantityIndex, read_quantities

_MOSTLY = 0.75
"""Share of the words of a quote that its source has in their order, if nobody says whose it is."""
_FEWEST_OF_PARAGRAPH = 5
"""Words with a meaning of a quote that a paragraph may have in other words, at least."""
_FORMULA = re.compile(r"\$\$|\\[A-Za-z]{2,}|\$[^$\n]{0,200}[\\^_][^$\n]{0,200}\$")
"""The TeX of a formula: ``$x^2$``, ``\\frac``."""
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without blanks between words."""
_PAIRS_IN_OTHER_WORDS = 0.5
"""Share of the pairs of such letters of a quote from which on its source may say it, too."""
_ABSENT = 0.45
"""Share of the words of a quote in their order below which its source does not have it."""
ALMOST = 0.85
"""Share of the words of a question that its source has in their order."""
LONG = 8
"""Words in order that a source has by chance neither, whatever they are."""
FEWEST_SHARED, FEWEST_OF_FIGURE = 3, 2
"""Words with a meaning that an altered quote shares with its source, at least.

Fewer do if it is altered in a figure alone.
"""


class QuoteState(Enum):
    """The state of a quote that no source has word for word."""

    ABSENT = auto()
    """Nothing of it, something else, or it is in other lines than those cited."""
    INEXACT = auto()
    OPEN = auto()
    """A reader has to decide: it may be nobody's words, be there in others, or was not read."""


def lines_elsewhere(quote: str, texts: Sequence[ReadSource]) -> str:
    """Return in which other lines than the cited ones a quote is; empty if in none."""
    for text in texts:
        lines = text.lines_of(quote)
        if lines:
            return f"“{quote}” is not in the cited lines; it is in {lines} of {text.path}"
    return ""


def state_of_quote(
    claim: CitedClaim, quote: str, near: NearWords, elsewhere: str, texts: Sequence[ReadSource]
) -> tuple[QuoteState, str]:
    """Return how much of an absent quote its sources have, and the reason."""
    if elsewhere:
        return QuoteState.ABSENT, elsewhere
    if why := _why_not_theirs(claim, quote, near, texts):
        return QuoteState.OPEN, f"“{quote}” is in none of its sources; {why}"
    if near.is_close or _is_nearly_verbatim(near):
        return _inexact_state(quote, near.text, _describe_inexact(quote, near), texts)
    if condensed := _find_condensed(quote, near, texts):
        reason = f"“{quote}” is not verbatim: it condenses “{condensed}”"
        return _inexact_state(quote, condensed, reason, texts)
    doubt = _why_not_absent(quote, near, texts)
    return (QuoteState.OPEN, f"“{quote}” is {doubt}") if doubt else (QuoteState.ABSENT, "")


def _inexact_state(
    quote: str, wording: str, reason: str, texts: Sequence[ReadSource]
) -> tuple[QuoteState, str]:
    """Return that a quote is inexact, or open if other lines than the cited ones have its words."""
    elsewhere = [text.lines_beside(wording) for text in texts]
    if elsewhere and all(elsewhere):
        defect = f"“{quote}” is not in the cited lines"
        return QuoteState.OPEN, f"{defect}; similar words are in {elsewhere[0]}: “{wording}”"
    return QuoteState.INEXACT, reason


def _why_not_absent(quote: str, near: NearWords, texts: Sequence[ReadSource]) -> str:
    """Return where a quote may be; empty if its sources surely do not have it."""
    gap = next((text.gap for text in texts if text.gap), "")
    if gap:
        return f"not in what was read: {gap}"
    is_in_other_words = _is_in_other_words(quote, near, texts)
    return f"in other words than its source: “{near.text}”" if is_in_other_words else ""


def _is_nearly_verbatim(near: NearWords) -> bool:
    """Return whether a source has so much of a long quote that few words differ."""
    return near.share >= ALMOST and near.length >= LONG and not near.is_other


def _is_in_other_words(quote: str, near: NearWords, texts: Sequence[ReadSource]) -> bool:
    """Return whether a source may say in other words what a quote says.

    It has a good part of the words in one place, or most of those with a meaning in a paragraph. It
    does not if it has nearly all of the words, and says the opposite or another figure in the midst
    of them.
    """
    if near.share >= _MOSTLY and (near.is_opposite or other_figure_of(near)):
        return False
    if any(_shares_letters(quote, text.fetched.text) for text in texts):
        return True
    if near.share >= _ABSENT:
        return True
    is_telling = len(content_words(quote)) >= _FEWEST_OF_PARAGRAPH
    is_similar = is_telling and any(text.has_similar(quote) for text in texts)
    return is_similar


def _shares_letters(quote: str, text: str) -> bool:
    """Return whether a text has most pairs of letters of a quote without blanks between words."""
    letters = _UNSPACED.findall(quote)
    if 2 * len(letters) < len(re.findall(r"\w", quote)):
        return False
    pairs = {first + second for first, second in pairwise(letters)}
    shared = sum(pair in text for pair in pairs)
    return bool(pairs) and shared >= _PAIRS_IN_OTHER_WORDS * len(pairs)


def other_figure_of(near: NearWords) -> tuple[str, str] | None:
    """Return the figure of a quote and that of its source, if it is the only difference.

    The source does not have the quote's figure beside these words.
    """
    if near.other_figure is None or near.share < _MOSTLY or near.content < FEWEST_OF_FIGURE:
        return None
    figures = list(read_quantities(near.other_figure[0]))
    index = QuantityIndex(near.around)
    is_around = any(any(index.with_value(figure)) for figure in figures)
    return near.other_figure if figures and not is_around else None


def _find_condensed(quote: str, near: NearWords, texts: Sequence[ReadSource]) -> str:
    """Return the words of a source that a quote condenses; empty if it has another figure."""
    if near.other_figure:
        return ""
    return next(filter(None, (text.condensed(quote) for text in texts)), "")


def _describe_inexact(quote: str, near: NearWords) -> str:
    """Return in which words a quote differs from its source."""
    if near.replaced:
        relation = f"has “{near.replaced}”; the source says"
    elif near.left_out:
        relation = f"leaves out “{near.left_out}” of"
    else:
        relation = "differs slightly from"
    return f"“{quote}” is not verbatim: it {relation} “{near.text}”"


def _why_not_theirs(
    claim: CitedClaim, quote: str, near: NearWords, texts: Sequence[ReadSource]
) -> str:
    """Return why words in quotation marks may be no words of the sources; empty if they are.

    They are if the sentence says so, or if a source has most of them in their order.
    """
    # A question that a source asks in nearly the same words is its own, whoever asks it here.
    is_nearly_there = near.share >= ALMOST and near.content >= FEWEST_SHARED
    unclaimed = _why_unclaimed(claim, quote)
    # What a page warns of is its own, but for words that a source has one after the other.
    is_theirs = near.share == 1 if unclaimed == WARNING else unclaimed == QUESTION
    if unclaimed and not (is_theirs and is_nearly_there):
        return f"the words in quotation marks may not be the source's: {unclaimed}"
    # The text of a PDF may go from one column into the other in each line.
    if near.share < ALMOST and any(text.has_interrupted(quote) for text in texts):
        return "they are there, but others stand between them, as in columns"
    return "" if _is_repeated(near) else _why_not_literal(claim, quote, texts)


def _why_not_literal(claim: CitedClaim, quote: str, texts: Sequence[ReadSource]) -> str:
    """Return why a source that says what a quote says may not have its words; empty if it would."""
    if len(quote.split()) < MIN_QUOTE_WORDS:
        return "they are few words"
    if is_of_own_history(claim.text, claim.uri):
        return "the sentence is about what the page was before"
    if is_in_unspaced_script(quote):
        return "other words are not told apart in a script without blanks"
    if _FORMULA.search(quote):
        return "a formula may be written in another way"
    if any(is_partly_in_another(text.fetched.text, quote) for text in texts):
        return "a part of them is in another language: it may be a translation"
    may_be_elsewhere = claim.is_of_page or claim.is_mention
    is_quote = not may_be_elsewhere and is_presented(claim.text, quote)
    return "" if is_quote else "the words in quotation marks may not be the source's"


def _why_unclaimed(claim: CitedClaim, quote: str) -> str:
    """Return why words in quotation marks are no words of a source; empty if nothing says so."""
    is_own = quote in claim.text
    if claim.is_example and is_own:
        return "they are an example"
    if claim.is_warning and is_own:
        return WARNING
    return why_unclaimed(claim.text, quote)


def _is_repeated(near: NearWords) -> bool:
    """Return whether a source has so much of a quote that it cannot be somebody else's."""
    is_telling = near.content >= FEWEST_SHARED or near.length >= LONG
    has_other_figure = near.other_figure is not None and near.content >= FEWEST_OF_FIGURE
    return near.share >= _MOSTLY and (is_telling or has_other_figure)
