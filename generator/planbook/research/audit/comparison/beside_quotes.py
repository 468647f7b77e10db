"""Words of a claim beside its quotes, all of which are in its sources. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planbook.research.audit.claims.cited_claims import CitedClaim
from planbook.research.audit.claims.report_sentences import short_quotes_in
from planbook.research.audit.comparison.claim_figures import (
    figures_not_in,
    find_changed_figure,
    find_other_day,
)
from planbook.research.audit.comparison.literal_words import literal_figures
from planbook.research.audit.comparison.moved_names import is_cited
from planbook.research.audit.comparison.no_figures import without_no_figures
from planbook.research.audit.comparison.read_source import YEAR, ReadSource
from planbook.research.audit.findings import AuditVerdict, list_quoted
from planbook.research.proof.phrases import RECKONED_FIGURE


def compare_beside_quotes(
    claim: CitedClaim, texts: Sequence[ReadSource]
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim whose quotes are all in its sources, and its reason."""
    own_words_in_full = _without_quotes(claim) if claim.quotes else ""
    own_words = without_no_figures(own_words_in_full)
    # Among the sources of a whole page, the figure beside a quote is in those that have the quote.
    holders = [text for text in texts if any(text.has_quote(quote) for quote in claim.quotes)]
    near = holders if holders and claim.is_of_page else texts
    absent, results = figures_not_in(own_words, claim, near)
    if absent:
        return _judge_beside_quotes(claim, own_words, absent, near, texts)
    doubt = _why_not_quoted(own_words_in_full, results, near)
    doubt = doubt or _why_not_all_quoted(claim, own_words_in_full, texts)
    verdict = AuditVerdict.NOT_JUDGED if doubt else AuditVerdict.QUOTED
    return verdict, doubt and f"the quote is there, but {doubt}; read both"


def _judge_beside_quotes(
    claim: CitedClaim,
    own_words: str,
    absent: Sequence[str],
    holders: Sequence[ReadSource],
    texts: Sequence[ReadSource],
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim with figures that the sources of its quotes do not have.

    Args:
        claim: the claim.
        own_words: its words outside of the quotes.
        absent: these figures.
        holders: the sources in which they would be.
        texts: all of its sources that could be read.
    """
    verb = "is" if len(absent) == 1 else "are"
    difference = f"the quote is there, but {list_quoted(absent)} {verb}"
    if len(texts) < len(claim.urls):
        return AuditVerdict.UNREADABLE, f"{difference} not in the sources that could be read"
    changed = find_changed_figure(own_words, absent, holders)
    if changed:
        claimed, in_source = list_quoted([changed.here]), list_quoted(changed.there)
        return AuditVerdict.DIFFERS, f"the claim says {claimed}, the source {in_source}"
    doubt = _why_not_beside(claim, absent, texts)
    if doubt:
        return AuditVerdict.NOT_JUDGED, f"{difference} {doubt}"
    if not any(literal_figures(absent, own_words)):
        return AuditVerdict.NOT_JUDGED, f"{difference} nowhere, but may be in another form"
    if not set(absent) & set(figures_not_in(own_words, claim, texts)[0]):
        return AuditVerdict.NOT_JUDGED, f"{difference} not in the source of the quote; read both"
    return AuditVerdict.NOT_FOUND, f"{difference} nowhere in its sources"


def _why_not_quoted(text: str, results: Sequence[str], sources: Sequence[ReadSource]) -> str:
    """Return why the words around quotes that are there may not be; empty if nothing says so."""
    if results:
        return f"{list_quoted(results)} may be reckoned"
    other_day = find_other_day(text, sources)
    return f"“{other_day}” is not, and other days are" if other_day else ""


def _why_not_all_quoted(claim: CitedClaim, own_words: str, texts: Sequence[ReadSource]) -> str:
    """Return which other quoted words or names of a program are not there; empty if all are.

    Beside a long quote, a short one counts, and each name in code marks.
    """
    short = (quote for quote in short_quotes_in(own_words))
    other = [quote for quote in short if not any(text.has_quote(quote) for text in texts)]
    if other:
        return f"“{other[0]}” is not there word for word"
    names = (name.removesuffix("()") for name in claim.code if name in own_words)
    absent = [name for name in names if not any(is_cited(name, text) for text in texts)]
    return f"“{absent[0]}” is not in what is cited" if absent else ""


_CLAUSE_END = re.compile(r"\s[\u2014\u2013]\s|;\s|[\uff1b\u2014]")


def _why_not_beside(claim: CitedClaim, absent: Sequence[str], texts: Sequence[ReadSource]) -> str:
    """Return why figures around a quote may not be those of its source; empty if they should be.

    Years, and figures of another clause than the quotes, may be the author's.
    """
    gap = next((text.gap for text in texts if text.gap), "")
    if gap:
        return f"not in what was read: {gap}"
    if RECKONED_FIGURE.search(claim.text):
        return "reckoned, the page says"
    quoting = " ".join(
        clause for clause in _CLAUSE_END.split(_mask_quotes(claim)) if _QUOTED in clause
    )
    beside = [figure for figure in absent if not YEAR.fullmatch(figure) and figure in quoting]
    return "" if beside else "not beside it; read both"


_QUOTED = "\u2026\u2026"
"""The place of a quote in a claim."""


def _mask_quotes(claim: CitedClaim) -> str:
    text = claim.text
    for quote in claim.quotes:
        text = text.replace(quote, _QUOTED)
    return text


def _without_quotes(claim: CitedClaim) -> str:
    """Return the words of a claim outside of its quotes."""
    text = claim.text
    for quote in claim.quotes:
        text = text.replace(quote, " … ")
    return text
