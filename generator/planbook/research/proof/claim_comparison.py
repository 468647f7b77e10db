"""Compare the claims of reports with the texts of their sources. Pure.

Start with `compare_claims`: quotes first, then numbers and names. What a claim says in other words
is left to a judge.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto

from planbook.citations.identifiers import is_web
from planbook.research.drafts import Excerpt
from planbook.research.proof.absent_figures import (
    MONTH_NAME,
    find_absent_figures,
    find_missing_everywhere,
    find_results,
    has_other_form,
)
from planbook.research.proof.changed_figures import (
    PLACE_BEFORE,
    ChangedFigure,
    find_changed_version,
)
from planbook.research.proof.cited_claims import CitedClaim
from planbook.research.proof.findings import (
    AuditedSource,
    AuditFinding,
    AuditVerdict,
    SourceState,
)
from planbook.research.proof.languages import is_partly_in_another
from planbook.research.proof.local_files import WithoutLines
from planbook.research.proof.moved_names import find_moved_name, is_cited
from planbook.research.proof.near_wording import NearWords
from planbook.research.proof.no_statement import has_marks
from planbook.research.proof.phrases import (
    INSTRUCTION,
    QUESTION,
    RECKONED,
    WARNING,
    is_presented,
    why_unclaimed,
)
from planbook.research.proof.read_source import YEAR, ReadSource, content_words
from planbook.research.proof.report_sentences import short_quotes_in
from planbook.research.proof.sentences import (
    MissingWords,
    Quotation,
    find_missing,
    find_missing_words,
    is_identifier,
)
from planbook.research.web.model import Fetched, Outcome

_CLOSEST = 3
"""Number of passages that a claim is compared with."""
_SIMILAR = 0.3
"""Share of the claim's words in a passage that is about the same."""
_SAME = 0.6
"""Share of the claim's words in a sentence that says the same."""
_MOSTLY = 0.75
"""Share of the words of a quote that its source has in their order, if nobody says whose it is."""
_FEWEST_OF_PARAGRAPH = 5
"""Words with a meaning of a quote that a paragraph may have in other words, at least."""
_ABSENT = 0.45
"""Share of the words of a quote in their order below which its source does not have it."""
_ALMOST = 0.85
"""Share of the words of a question that its source has in their order."""
_LONG = 8
"""Words in order that a source has by chance neither, whatever they are."""
_FEWEST_SHARED, _FEWEST_OF_FIGURE = 3, 2
"""Words with a meaning that an altered quote shares with its source, at least.

Fewer do if it is altered in a figure alone.
"""

Ranked = Sequence[tuple[Quotation, float]]
"""The excerpts that are closest to a claim, best first, each with the share of its words."""
Closest = Callable[[Sequence[Excerpt], Sequence[str]], Sequence[Ranked]]
"""Ranks the excerpts of the same sources for several claims at once."""


TextsByPlace = Mapping[str, ReadSource | Fetched | None]
"""The text of each source by its address or path, or the reason why there is none."""


def compare_claims(
    claims: Sequence[CitedClaim], texts_by_place: TextsByPlace, closest: Closest
) -> list[AuditFinding]:
    """Return what a program can find of each claim: quotes, then numbers and names.

    A claim whose source could not be read is not checked, unless another source has its words.
    The passages of sources that several claims cite are ranked once for all of them.
    """
    of_sources: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for n, claim in enumerate(claims):
        of_sources[claim.urls].append(n)
    findings: dict[int, AuditFinding] = {}
    for urls, numbers in of_sources.items():
        answers = [texts_by_place.get(url) for url in urls]
        texts = [answer for answer in answers if isinstance(answer, ReadSource)]
        excerpts = [excerpt for text in texts for excerpt in text.excerpts]
        ranked = closest(excerpts, [claims[n].text for n in numbers])
        for n, best in zip(numbers, ranked, strict=True):
            findings[n] = _compare_claim(claims[n], texts_by_place, texts, best[:_CLOSEST])
    others = [text for text in texts_by_place.values() if isinstance(text, ReadSource)]
    found_elsewhere = _OtherSources(others, closest)
    return [found_elsewhere.correct(findings[n]) for n in range(len(claims))]


class _OtherSources:
    """The other sources of a page, which may have what the cited ones do not: they were swapped."""

    def __init__(self, texts: Sequence[ReadSource], closest: Closest) -> None:
        self._texts, self._closest = texts, closest

    def correct(self, finding: AuditFinding) -> AuditFinding:
        """Return a finding that names the source that has the words; the same if none has."""
        claim = finding.claim
        is_open = finding.verdict in {AuditVerdict.NOT_FOUND, AuditVerdict.NOT_JUDGED}
        is_unsure = claim.is_of_page or claim.is_mention or claim.is_example or claim.guessed
        if not is_open or is_unsure:
            return finding
        own = [text for text in self._texts if text.url in claim.urls]
        files = {text.file for text in own}
        others = [text for text in self._texts if text.file not in files]
        if not others or len(own) < len(claim.urls):
            return finding
        reason = _describe_holder(claim, own, others)
        if not reason and finding.verdict is AuditVerdict.NOT_JUDGED and not finding.closest:
            reason = self._describe_figures(claim, own, others)
        if not reason:
            return finding
        return replace(finding, verdict=AuditVerdict.NOT_FOUND, reason=reason)

    def _describe_figures(
        self, claim: CitedClaim, own: Sequence[ReadSource], others: Sequence[ReadSource]
    ) -> str:
        """Return which source has what its sources lack, on which they have nothing similar.

        A passage of it is similar, and has the figures and identifiers. Empty if there is none.
        """
        scope = _NO_FIGURE.sub(" ", claim.scope or claim.text)
        missing = find_missing_everywhere(scope, own, claim.urls)
        sure = tuple(_sure_words(claim, missing, own))
        if not sure or claim.links_elsewhere:
            return ""
        for text in others:
            (ranked,) = self._closest(text.excerpts, [claim.text])
            close = [quotation for quotation, share in ranked[:_CLOSEST] if share >= _SAME]
            texts = [words for quotation in close for words in quotation.texts]
            if close and not set(sure) & set(find_missing(claim.text, texts)):
                verb = "is" if len(sure) == 1 else "are"
                return f"{_list_quoted(sure)} {verb} nowhere in its sources; see {text.url}"
        return ""


def _describe_holder(
    claim: CitedClaim, own: Sequence[ReadSource], others: Sequence[ReadSource]
) -> str:
    """Return which other source has a quote, or all of a claim, word for word; else empty.

    A claim without quotes may be in its own source in other words: this must have few of them.
    """
    for quote in claim.quotes or (claim.text,):
        is_long = len(quote.split()) >= _LONG or quote in claim.attributed
        is_telling = len(content_words(quote)) >= _FEWEST_SHARED
        is_here = any(text.has_quote(quote) for text in own)
        if is_here or not (is_long and is_telling):
            continue
        if not claim.quotes and any(text.has_similar(quote) for text in own):
            continue
        for text in others:
            if text.has_quote(quote):
                return f"“{quote}” is in none of its sources; it is in {text.url}"
    return ""


def _compare_claim(
    claim: CitedClaim, texts_by_place: TextsByPlace, texts: Sequence[ReadSource], best: Ranked
) -> AuditFinding:
    """Return the finding for a claim, given its sources that could be read."""
    sources = tuple(
        _audited_source(url, texts_by_place.get(url), is_guess=url in claim.guessed)
        for url in claim.urls
    )
    finding = _compare_with_texts(claim, sources, texts, best)
    lacking = [
        answer for url in claim.urls if isinstance(answer := texts_by_place.get(url), WithoutLines)
    ]
    is_open = finding.verdict in {AuditVerdict.UNREADABLE, AuditVerdict.NOT_JUDGED}
    if lacking and is_open:
        reason = f"the cited lines do not exist: {lacking[0].reason}"
        finding = replace(finding, verdict=AuditVerdict.NOT_FOUND, reason=reason)
    return _without_guess(finding)


_WRONG = frozenset({AuditVerdict.NOT_FOUND, AuditVerdict.DIFFERS, AuditVerdict.MOVED})


def _without_guess(finding: AuditFinding) -> AuditFinding:
    """Return a finding that is not checked if it rests on what a guessed file does not have."""
    guessed = finding.claim.guessed
    if not guessed or finding.verdict not in _WRONG:
        return finding
    reason = f"the page may mean another file than {guessed[0]}: {finding.reason}"
    verdict = AuditVerdict.UNREADABLE
    return replace(finding, verdict=verdict, reason=reason, is_absent=False)


def _compare_with_texts(
    claim: CitedClaim,
    sources: tuple[AuditedSource, ...],
    texts: Sequence[ReadSource],
    best: Ranked,
) -> AuditFinding:
    """Return the finding for a claim, given those of its sources that could be read."""
    if not texts:
        reason = "none of its sources could be read"
        return AuditFinding(claim, sources, AuditVerdict.UNREADABLE, reason)
    close = tuple(quotation for quotation, share in best if share >= _SIMILAR)
    finding = AuditFinding(claim, sources, AuditVerdict.NOT_JUDGED, "", close)
    quotes = claim.quotes or (claim.text,)
    absent = [quote for quote in quotes if not any(text.has_quote(quote) for text in texts)]
    reason = "" if absent or claim.quotes else _why_only_named(claim.text, texts)
    if reason:
        return replace(finding, reason=reason)
    if not absent:
        verdict, reason = _compare_own_words(claim, texts, close)
        return replace(finding, verdict=verdict, reason=reason)
    if len(texts) < len(claim.urls):
        reason = "not in the sources that could be read"
        return replace(finding, verdict=AuditVerdict.UNREADABLE, reason=reason)
    attributed = [quote for quote in absent if quote in claim.attributed]
    if attributed:
        return _judge_absent(finding, attributed, texts)
    verdict, reason = _compare_words(claim, texts, close)
    return replace(finding, verdict=verdict, reason=reason)


def _why_only_named(text: str, sources: Sequence[ReadSource]) -> str:
    """Return why the words of a claim in its sources do not state it; empty if they do."""
    is_of_marks = "|" in text and has_marks(text)
    if is_of_marks and not any(source.statements.has_cells(text) for source in sources):
        return "the marks of its row are in no row of its sources; read them"
    holders = [source for source in sources if source.has_quote(text)]
    if all(source.only_names(text) for source in holders):
        return "its words are but a title or heading of its sources; read them"
    return ""


def _judge_absent(
    finding: AuditFinding, quotes: Sequence[str], texts: Sequence[ReadSource]
) -> AuditFinding:
    """Return the finding for a claim with quotes that none of its sources has.

    One that is surely a quote of them counts, else none is checked.
    """
    doubt = inexact = ""
    for quote in quotes:
        elsewhere = _where_else(quote, texts)
        near = max((text.nearest(quote) for text in texts), key=lambda wording: wording.share)
        match _quote_state(finding.claim, quote, near, elsewhere, texts):
            case _QuoteState.ABSENT, _:
                return _report_absent(finding, quote, near, elsewhere)
            case _QuoteState.INEXACT, reason:
                inexact = inexact or reason
            case _QuoteState.OPEN, reason:
                doubt = doubt or reason
    if not inexact:
        return replace(finding, reason=doubt)
    verdict, reason = _compare_own_words(finding.claim, texts, finding.closest)
    if verdict is AuditVerdict.QUOTED:
        verdict, reason = AuditVerdict.INEXACT, inexact
    return replace(finding, verdict=verdict, reason=reason)


class _QuoteState(Enum):
    """The state of a quote that no source has word for word."""

    ABSENT = auto()
    """Nothing of it, something else, or it is in other lines than those cited."""
    INEXACT = auto()
    OPEN = auto()
    """A reader has to decide: it may be nobody's words, be there in others, or was not read."""


def _quote_state(
    claim: CitedClaim, quote: str, near: NearWords, elsewhere: str, texts: Sequence[ReadSource]
) -> tuple[_QuoteState, str]:
    """Return how much of an absent quote its sources have, and the reason."""
    if elsewhere:
        return _QuoteState.ABSENT, elsewhere
    if why := _why_not_theirs(claim, quote, near, texts):
        return _QuoteState.OPEN, f"“{quote}” is in none of its sources; {why}"
    if near.is_close or _is_nearly_verbatim(near):
        return _inexact_state(quote, near.text, _describe_inexact(quote, near), texts)
    if condensed := _find_condensed(quote, near, texts):
        reason = f"“{quote}” is not verbatim: it condenses “{condensed}”"
        return _inexact_state(quote, condensed, reason, texts)
    doubt = _why_not_absent(quote, near, texts)
    return (_QuoteState.OPEN, f"“{quote}” is {doubt}") if doubt else (_QuoteState.ABSENT, "")


def _inexact_state(
    quote: str, wording: str, reason: str, texts: Sequence[ReadSource]
) -> tuple[_QuoteState, str]:
    """Return that a quote is inexact, or open if other lines than the cited ones have its words."""
    elsewhere = [text.lines_beside(wording) for text in texts]
    if elsewhere and all(elsewhere):
        defect = f"“{quote}” is not in the cited lines"
        return _QuoteState.OPEN, f"{defect}; similar words are in {elsewhere[0]}: “{wording}”"
    return _QuoteState.INEXACT, reason


def _why_not_absent(quote: str, near: NearWords, texts: Sequence[ReadSource]) -> str:
    """Return where a quote may be; empty if its sources surely do not have it."""
    gap = next((text.gap for text in texts if text.gap), "")
    if gap:
        return f"not in what was read: {gap}"
    is_in_other_words = _is_in_other_words(quote, near, texts)
    return f"in other words than its source: “{near.text}”" if is_in_other_words else ""


def _is_nearly_verbatim(near: NearWords) -> bool:
    """Return whether a source has so much of a long quote that few words differ."""
    return near.share >= _ALMOST and near.length >= _LONG and not near.is_other


def _is_in_other_words(quote: str, near: NearWords, texts: Sequence[ReadSource]) -> bool:
    """Return whether a source may say in other words what a quote says.

    It has a good part of the words in one place, or most of those with a meaning in a paragraph,
    and all figures and names somewhere. It does not if it has nearly all of the words, and one of
    both a *not* more.
    """
    if any(_sure_of_quote(quote, texts)):
        return False
    if near.share >= _ABSENT:
        return not (near.share >= _MOSTLY and near.is_contrary)
    is_telling = len(content_words(quote)) >= _FEWEST_OF_PARAGRAPH
    is_similar = is_telling and any(text.has_similar(quote) for text in texts)
    return is_similar


def _sure_of_quote(quote: str, texts: Sequence[ReadSource]) -> Iterator[str]:
    """Yield the figures and names of a quote that are nowhere in its sources."""
    missing = find_missing_everywhere(quote, texts, ())
    yield from find_absent_figures(quote, missing.quantities, texts)
    yield from missing.names


def _find_condensed(quote: str, near: NearWords, texts: Sequence[ReadSource]) -> str:
    """Return the words of a source that a quote condenses; empty if it has another figure."""
    if near.other_figure:
        return ""
    return next(filter(None, (text.condensed(quote) for text in texts)), "")


def _report_absent(
    finding: AuditFinding, quote: str, near: NearWords, elsewhere: str
) -> AuditFinding:
    """Return the finding for a quote that the cited text does not have, or with another figure."""
    if elsewhere:
        return replace(finding, verdict=AuditVerdict.MOVED, reason=elsewhere)
    if near.other_figure and near.content >= _FEWEST_OF_FIGURE:
        figure, in_source = near.other_figure
        reason = f"the quote says “{figure}”, the source “{in_source}”: “{near.text}”"
        return replace(finding, verdict=AuditVerdict.DIFFERS, reason=reason)
    closest = f"; the nearest words are “{near.text}”" if near.share >= _SAME else ""
    reason = f"“{quote}” is in none of its sources{closest}"
    return replace(finding, verdict=AuditVerdict.NOT_FOUND, reason=reason, is_absent=True)


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
    is_nearly_there = near.share >= _ALMOST and near.content >= _FEWEST_SHARED
    unclaimed = _why_unclaimed(claim, quote)
    # What a page warns of is its own, but for words that a source has one after the other.
    is_theirs = near.share == 1 if unclaimed == WARNING else unclaimed == QUESTION
    if unclaimed and not (is_theirs and is_nearly_there):
        return f"the words in quotation marks may not be the source's: {unclaimed}"
    # The text of a PDF may go from one column into the other in each line.
    if near.share < _ALMOST and any(text.has_interrupted(quote) for text in texts):
        return "they are there, but others stand between them, as in columns"
    is_repeated = _is_repeated(near)
    is_foreign = any(is_partly_in_another(text.fetched.text, quote) for text in texts)
    if is_foreign and not is_repeated:
        return "a part of them is in another language: it may be a translation"
    may_be_elsewhere = claim.is_of_page or claim.is_mention
    is_quote = not may_be_elsewhere and is_presented(claim.text, quote)
    return "" if is_repeated or is_quote else "the words in quotation marks may not be the source's"


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
    is_telling = near.content >= _FEWEST_SHARED or near.length >= _LONG
    has_other_figure = near.other_figure is not None and near.content >= _FEWEST_OF_FIGURE
    return near.share >= _MOSTLY and (is_telling or has_other_figure)


def _compare_own_words(
    claim: CitedClaim, texts: Sequence[ReadSource], close: Sequence[Quotation]
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim whose quotes are all in its sources, and its reason.

    Its figures outside of the quotes count, too. If the quotes are only listed, and the claim says
    it in other words, so do its names.
    """
    is_in_own_words = bool(claim.listed) and set(claim.quotes) == set(claim.listed)
    if is_in_own_words:
        verdict, reason = _compare_words(claim, texts, close)
        if verdict in _WRONG:
            return verdict, reason
        return AuditVerdict.QUOTED, ""
    own_words_in_full = _without_quotes(claim) if claim.quotes else ""
    own_words = _NO_FIGURE.sub(" ", own_words_in_full)
    # Among the sources of a whole page, the figure beside a quote is in those that have the quote.
    holders = [text for text in texts if any(text.has_quote(quote) for quote in claim.quotes)]
    near = holders if holders and claim.is_of_page else texts
    absent, results = _figures_not_in(own_words, claim, near)
    if absent:
        return _judge_beside_quotes(claim, own_words, absent, near, texts)
    doubt = _why_not_quoted(own_words_in_full, results, near)
    doubt = doubt or _why_not_all_quoted(claim, own_words_in_full, texts)
    verdict = AuditVerdict.NOT_JUDGED if doubt else AuditVerdict.QUOTED
    return verdict, doubt and f"the quote is there, but {doubt}; read both"


def _figures_not_in(
    own_words: str, claim: CitedClaim, texts: Sequence[ReadSource]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the figures of a claim that no text has, and those of them that may be reckoned."""
    missing = find_missing_everywhere(own_words, texts, claim.urls)
    absent = tuple(find_absent_figures(own_words, missing.quantities, texts))
    return absent, tuple(find_results(own_words, missing.quantities, texts))


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
    difference = f"the quote is there, but {_list_quoted(absent)} {verb}"
    if len(texts) < len(claim.urls):
        return AuditVerdict.UNREADABLE, f"{difference} not in the sources that could be read"
    changed = _find_changed(own_words, absent, holders)
    if changed:
        claimed, in_source = _list_quoted([changed.here]), _list_quoted(changed.there)
        return AuditVerdict.DIFFERS, f"the claim says {claimed}, the source {in_source}"
    doubt = _why_not_beside(claim, absent, texts)
    if doubt:
        return AuditVerdict.NOT_JUDGED, f"{difference} {doubt}"
    if not set(absent) & set(_figures_not_in(own_words, claim, texts)[0]):
        return AuditVerdict.NOT_JUDGED, f"{difference} not in the source of the quote; read both"
    return AuditVerdict.NOT_FOUND, f"{difference} nowhere in its sources"


def _why_not_quoted(text: str, results: Sequence[str], sources: Sequence[ReadSource]) -> str:
    """Return why the words around quotes that are there may not be; empty if nothing says so."""
    if results:
        return f"{_list_quoted(results)} may be reckoned"
    other_day = _other_day(text, sources)
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
    if RECKONED.search(claim.text):
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


_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_DATE = rf"(?:\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}\s)?{_MONTH}\.?\s(?:\d{{1,2}},\s)?\d{{4}}|\d{{4}})"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?:\s?[-\u2013]\s?\d{1,2})?"
_DAY_OF_MONTH = (
    rf"(?-i:\b{MONTH_NAME}\.?\s{_DAY}(?![\w%]|[.,]\d|,?\s\d{{4}}\b)"
    rf"|\b(?<![\d.,]){_DAY}\s{MONTH_NAME}\b(?!\.?\s\d{{4}}))"
)
"""``Jun 10`` and ``10 June`` without a year: a source gives its day in many ways."""
_FILE_SUFFIX = (
    "(?:md|txt|pdf|json|jsonl|ya?ml|py|js|ts|html?|csv|png|jpe?g|svg|docx?|xlsx?|pptx?|ipynb|sh"
    "|toml|xml|zip|mp[34]|wav)"
)
_NUMBER_OF_PLACE = r"[A-Z]?\.?\d[\d.]*"
_PLACES = (
    r"(?:(?i:\b(?:pp?|paras?|secs?|chs?|figs?)\.|\b(?:pages?|paragraphs?|sections?|chapters?"
    r"|clauses?|articles?|recitals?|rules?|slides?|footnotes?|lines?"
    r"|appendix|appendices|annex(?:es)?|tables?|figures?)\b)\s?|\u00a7{1,2}\s?)"
    rf"{_NUMBER_OF_PLACE}(?:\s?(?:[\u2013\u2014-]|,|and|&|to)\s?\u00a7{{0,2}}{_NUMBER_OF_PLACE})*"
)
"""The places of a work that a page points to: ``§§6.1-6.5, pp. 90-138, 155 and 197``."""
_LAW = (
    r"\b\d{1,3}\s(?:C\.?F\.?R|U\.?S\.?C|Fed\.?\sReg|Stat)\b\.?\s?"
    r"(?:\u00a7{1,2}\s?)?\d[\w.()-]*"
)
"""A place in a collection of laws: ``47 CFR 64.1200(a)(2)``."""
_LENGTH_OF_WORK = r"\b\d{1,4}-page\b"
_NO_FIGURE = re.compile(
    rf"{_DAY_OF_MONTH}|^\W*\d+[.)]\s|{_PLACES}|{_LAW}|{_LENGTH_OF_WORK}"
    r"|^\W*\d+\s?(?:min(?:ute)?s?|h(?:ours?)?|days?|weeks?)\W{0,3}\s[\u2014\u2013-]\s"
    rf"|^\W*{_DATE}(?=\s?[:|\u2013\u2014]|\s-)"
    rf"|[(\uff08][^()\uff08\uff09\d]{{0,60}}{_DATE}[a-z]?[)\uff09]"
    r"|(?<=\|)\s*\d{4}-\d\d-\d\d\s*(?=\||$)"
    rf"|(?<![\w./-])\d[\w.-]{{0,60}}\.{_FILE_SUFFIX}\b"
    r"|(?<![^\W_])[A-Za-z][_^]\{?\d{1,2}\}?(?!\w)"
    rf"|\b(?:accessed|retrieved|visited|checked|as of)\s(?:on\s)?{_DATE}|\[\d+\]",
    re.IGNORECASE,
)
"""The number or the time of an item, a day, a date of publication or access, a date that is a whole
cell, the name of a file (``4.25.md``), an index of a formula (``H_0``), the number of a source, the
places of a work and its length (*a 54-page report*), which stand for a document that the source
itself may only describe."""


def _without_quotes(claim: CitedClaim) -> str:
    """Return the words of a claim outside of its quotes."""
    text = claim.text
    for quote in claim.quotes:
        text = text.replace(quote, " … ")
    return text


_DAY_NAMED = re.compile(
    rf"\b(?P<month>{MONTH_NAME})\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.\d%])"
)
_ANY_DAY = re.compile(
    rf"\b{MONTH_NAME}\.?\s\d{{1,2}}\b|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}\s{MONTH_NAME}\b"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _other_day(text: str, sources: Sequence[ReadSource]) -> str:
    """Return a day of a text that its sources, which have days, do not have; else empty."""
    dated = [
        f"{source.whole or source.fetched.text} {source.place} {source.url}" for source in sources
    ]
    if not any(_ANY_DAY.search(words) for words in dated):
        return ""
    for date in _DAY_NAMED.finditer(text):
        month = _MONTHS.index(date["month"][:3].lower()) + 1
        day = int(date["day"])
        name = rf"{date['month'][:3]}[a-z]{{0,6}}\.?"
        forms = rf"(?i:\b{name}\s0?{day}\b|\b0?{day}(?:st|nd|rd|th)?\s(?:of\s)?{name}\b)"
        forms += rf"|(?<!\d)0?{month}[-./]0?{day}(?!\d)|(?<!\d)0?{day}[-./]0?{month}(?!\d)"
        if not any(re.search(forms, words) for words in dated):
            return date[0]
    return ""


def _where_else(quote: str, texts: Sequence[ReadSource]) -> str:
    """Return in which other lines than the cited ones a quote is; empty if in none."""
    for text in texts:
        lines = text.lines_of(quote)
        if lines:
            return f"“{quote}” is not in the cited lines; it is in {lines} of {text.path}"
    return ""


def _compare_words(
    claim: CitedClaim, texts: Sequence[ReadSource], close: Sequence[Quotation]
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim in other words, and its reason."""
    # From the surest defect to the least sure: what is found wrong first is the verdict.
    moved = find_moved_name(claim, texts)
    if moved:
        return AuditVerdict.MOVED, moved
    scope = _NO_FIGURE.sub(" ", claim.scope or claim.text)
    missing = find_missing_everywhere(scope, texts, claim.urls)
    other_figure = _find_changed(scope, missing.quantities, texts)
    changed = (
        other_figure or _find_changed_unit(scope, texts) or _find_changed_verbatim(claim, texts)
    )
    if changed:
        claimed, in_source = _list_quoted([changed.here]), _list_quoted(changed.there)
        return AuditVerdict.DIFFERS, f"the claim says {claimed}, the source {in_source}"
    if not close:
        return AuditVerdict.NOT_JUDGED, "no passage of its sources is similar; read them"
    # That a passage has all numbers and names does not make the claim true: a judge decides.
    near = find_missing(claim.text, [text for quotation in close for text in quotation.texts])
    if not near:
        difference = "the closest passages have its numbers and names; read them"
        return AuditVerdict.NOT_JUDGED, difference
    return _report_missing(claim, scope, near, tuple(_sure_words(claim, missing, texts)), texts)


def _report_missing(
    claim: CitedClaim,
    scope: str,
    near: Sequence[str],
    sure: Sequence[str],
    texts: Sequence[ReadSource],
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim whose closest passages lack some words, and its reason.

    It is wrong only if its sources, read whole, would have one of them.
    """
    verb = "is" if len(sure or near) == 1 else "are"
    difference = f"{_list_quoted(sure or near)} {verb}"
    if not sure:
        return AuditVerdict.NOT_JUDGED, f"{difference} not in the closest passages"
    doubt = _why_not_whole(scope, texts)
    if doubt:
        return AuditVerdict.NOT_JUDGED, f"{difference} not in what was read: {doubt}"
    if RECKONED.search(claim.text) and not any(map(is_identifier, sure)):
        return AuditVerdict.NOT_JUDGED, f"{difference} reckoned, the page says"
    if _may_be_elsewhere(claim, scope, sure, texts):
        return AuditVerdict.NOT_JUDGED, f"{difference} nowhere in the sources of the page"
    return AuditVerdict.NOT_FOUND, f"{difference} nowhere in its sources"


def _why_not_whole(scope: str, texts: Sequence[ReadSource]) -> str:
    """Return why what is absent may be there: a text was not read whole, or is of another thing."""
    gap = next((text.gap for text in texts if text.gap), "")
    if gap or any(text.has_terms(scope) for text in texts):
        return gap
    return "its sources have few of the claim's words"


def _may_be_elsewhere(
    claim: CitedClaim, scope: str, absent: Sequence[str], texts: Sequence[ReadSource]
) -> bool:
    """Return whether absent words may be from what a claim does not cite.

    They are not if a source has all else of a row.
    """
    may_be = claim.is_of_page or claim.links_elsewhere or claim.is_mention
    return may_be and not any(text.statements.has_row(scope, absent) for text in texts)


def _find_changed(
    scope: str, absent: Sequence[str], texts: Sequence[ReadSource]
) -> ChangedFigure | None:
    """Return a figure that one of the sources has otherwise, and none of them as the claim has it.

    A number with a unit counts even if the source has its digits: with another unit.
    """
    with_units = [
        figure
        for figure in absent
        if re.search(r"[^\W\d_]", figure) and not has_other_form(figure, texts)
    ]
    sure = (*find_absent_figures(scope, absent, texts), *with_units)
    for text in texts:
        changed = text.statements.find_changed(scope, sure)
        if changed is None and text.lines and absent:
            changed = find_changed_version(scope, text.statements)
        if changed and not any(
            _has_figure(other, changed.here) for other in texts if other is not text
        ):
            return changed
    return None


def _find_changed_unit(scope: str, texts: Sequence[ReadSource]) -> ChangedFigure | None:
    """Return a figure that one of the sources has with another unit, and none with the same."""
    for text in texts:
        changed = text.statements.find_changed_unit(scope)
        if changed and not any(_has_unit(other, changed.here) for other in texts):
            return changed
    return None


def _find_changed_verbatim(claim: CitedClaim, texts: Sequence[ReadSource]) -> ChangedFigure | None:
    """Return the one figure in which a claim differs from a sentence or row of a source."""
    if "|" in claim.text:
        changes = (text.statements.find_changed_cell(claim.text) for text in texts)
        others = [change for change in changes if change]
        return others[0] if len(others) == 1 else None
    near = max((text.nearest(claim.text) for text in texts), key=lambda wording: wording.share)
    if near.other_figure is None or near.share < _ALMOST or near.content < _FEWEST_SHARED:
        return None
    figure, in_source = near.other_figure
    is_of_name = re.search(
        rf"(?:[A-Z][\w.]*[ \u00a0-]|{PLACE_BEFORE}){re.escape(figure)}", claim.text
    )
    return None if is_of_name else ChangedFigure(figure, (in_source,))


def _has_unit(text: ReadSource, written: str) -> bool:
    return "".join(written.split()) in "".join(text.fetched.text.split())


def _has_figure(text: ReadSource, written: str) -> bool:
    return not find_missing_words(written, text.words).quantities


_SURE_NAME = re.compile(r"[A-Za-z_][\w.]{3,}")
_HOST = re.compile(r"[\w-]+\.(?:com|org|net|io|ai|dev|app)")
"""A host, which a claim names for a site: ``openai.com``."""
_SHOUTED = re.compile(r"[A-Z\d]+s?")
"""An abbreviation, which the source may spell out."""
_OF_THING = re.compile(r"[A-Z][a-z\d]*(?:[A-Z][a-z\d]*)+")
"""The name of a product as well as of a class: ``JavaScript``, which a source may call JS."""


def _sure_words(
    claim: CitedClaim, missing: MissingWords, texts: Sequence[ReadSource]
) -> Iterator[str]:
    """Yield the missing words that a source would have if it supported the claim.

    These are figures, and identifiers of which the source has no part after the last dot; one that
    may be a product's name only in code marks. A claim with lines of a file says more than these
    lines, and an instruction names what there is not yet.
    """
    if any(text.lines for text in texts):
        return
    scope = _NO_FIGURE.sub(" ", claim.scope or claim.text)
    yield from find_absent_figures(scope, missing.quantities, texts)
    if INSTRUCTION.search(claim.text):
        return
    identifiers = [name for name in missing.names if is_identifier(name)]
    in_code = {word for span in claim.code for word in re.findall(r"\w+", span)}
    for name in dict.fromkeys((*missing.code, *identifiers)):
        last = _last_own_part(name)
        is_product = _OF_THING.fullmatch(name) and name not in in_code
        may_be_thing = is_product or _HOST.fullmatch(name)
        is_sure = (
            name.isascii()
            and _SURE_NAME.fullmatch(name)
            and not _SHOUTED.fullmatch(name)
            and not may_be_thing
        )
        of_library = _LIBRARY.fullmatch(name)
        names = (last, of_library["name"]) if of_library else (last,)
        is_there = any(
            text.words.has_name(part) or text.has_short_form(part)
            for text in texts
            for part in names
        )
        if is_sure and not is_there:
            yield name


_LIBRARY = re.compile(r"(?P<name>[A-Z]\w+)\.(?:js|io|net|py|rs|ai)", re.IGNORECASE)
"""A product that a source may name without the end: ``Node.js``."""


def _last_own_part(name: str) -> str:
    """Return the last part of a dotted name; ``Kettle`` of ``Kettle.__call__``."""
    parts = [part for part in name.split(".") if part and not re.fullmatch(r"__\w+__", part)]
    return (parts or [name])[-1].strip("_")


def _list_quoted(words: Iterable[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _audited_source(
    url: str, answer: ReadSource | Fetched | None, *, is_guess: bool
) -> AuditedSource:
    """Return a source of a claim, with its state and what was read of it.

    A guessed file without the cited lines is not missing: the page may mean another one.
    """
    if answer is None:
        return AuditedSource(url, SourceState.NOT_READ, "no stored text")
    if isinstance(answer, ReadSource):
        fetched = answer.fetched
        if fetched.moved_to:
            return AuditedSource(url, SourceState.MOVED, fetched.moved_to)
        return AuditedSource(url, SourceState.READ, _describe_copy(fetched))
    if is_guess:
        reason = f"the page may mean another file: {answer.reason or answer.outcome.value}"
        return AuditedSource(url, SourceState.NOT_READ, reason)
    is_gone = answer.outcome is Outcome.GONE
    state = SourceState.MISSING if is_gone else SourceState.UNREACHABLE
    return AuditedSource(url, state, answer.reason or answer.outcome.value)


def _describe_copy(fetched: Fetched) -> str:
    """Return what was read instead of the address: a copy, or a commit; else empty."""
    if fetched.is_local and is_web(fetched.url):
        return f"saved in {fetched.title}"
    if fetched.is_copy:
        return f"copy of {fetched.fetched[:10]}"
    origin = fetched.origin
    if origin and origin.committed:
        return f"commit {(origin.commit or '')[:12]} of {origin.committed}"
    return ""
