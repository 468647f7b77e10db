"""Compare the claims of reports with the texts of their sources. Pure.

Start with `compare_claims`: quotes first, then numbers and names. What a claim says in other words
is left to a judge.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from planbook.citations.identifiers import is_web
from planbook.citations.quotes import Readings, contains_quote, fold
from planbook.markdown.words import FUNCTION_WORDS, stem
from planbook.research.drafts import Excerpt
from planbook.research.proof.changed_figures import (
    PLACE_BEFORE,
    ChangedFigure,
    Statements,
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
from planbook.research.proof.local_citations import split_place
from planbook.research.proof.local_files import WithoutLines
from planbook.research.proof.near_wording import NearWords, WordText
from planbook.research.proof.phrases import INSTRUCTION, QUESTION, is_presented, why_unclaimed
from planbook.research.proof.quantities import read_quantities
from planbook.research.proof.sentences import (
    LetterText,
    MissingWords,
    Quotation,
    TextWords,
    find_missing,
    find_missing_words,
    is_identifier,
)
from planbook.research.web.model import Fetched, Outcome

_ELISION = re.compile(
    r"(?:(?<!\s)\s+)?"
    r"(?:\[\s?(?:…|\.{3})\s?\]|…|\.{3}|(?:(?<!\w)\w+)?\[[^\W\d_][^\[\]]{0,59}\]\w*)\s*"
)
"""Words left out of a quote, or an editor's words in it: ``consider[s] [an identifier] an
alias``."""
_CLOSEST = 3
"""Number of passages that a claim is compared with."""
_SIMILAR = 0.3
"""Share of the claim's words in a passage that is about the same."""
_SAME = 0.6
"""Share of the claim's words in a sentence that says the same."""
_SIMILAR_WORDS = 0.6
"""Share of the claim's words in a paragraph that may say it in other words."""
_MOSTLY = 0.75
"""Share of the words of a quote that its source has in their order, if nobody says whose it is."""
_ALMOST = 0.85
"""Share of the words of a question that its source has in their order."""
_LONG = 8
"""Words in order that a source has by chance neither, whatever they are."""
_FEWEST_SHARED, _FEWEST_OF_FIGURE = 3, 2
"""Words with a meaning that an altered quote shares with its source, at least.

Fewer do if it is altered in a figure alone.
"""
_NEAR_LINES = 3
"""Lines around the cited ones in which a name counts as cited: a decorator, a comment."""
_SHORTENED = 3
"""Letters that a shortened word of an identifier has, at least."""
_HASH = re.compile(r"\b(?=[\w-]*\d)[0-9a-fA-F][0-9a-fA-F-]{15,}\b")
"""A hash, whose digits are no figures."""
_YEAR = re.compile(r"(?:19|20)\d\d")
"""A year, which a source may write as ``'24``."""
_COUNTED_TIME = re.compile(
    r"(?P<number>\d+)[\s-](?P<unit>day|week|month|year|hour|minute)s?", re.IGNORECASE
)
_SPECIFIC = re.compile(r"^(?!__)(?=.{4})(?:.*[^\W_]_.*|_\w+|.*[a-z][A-Z].*|--\w.*|\w{9,})$")
"""A name of more than one word, or a long one: others, such as ``mode``, are in every program."""

Ranked = Sequence[tuple[Quotation, float]]
"""The excerpts that are closest to a claim, best first, each with the share of its words."""
Closest = Callable[[Sequence[Excerpt], Sequence[str]], Sequence[Ranked]]
"""Ranks the excerpts of the same sources for several claims at once."""


@dataclass
class ReadSource:
    """A source's text, prepared for comparisons."""

    fetched: Fetched
    excerpts: Sequence[Excerpt]
    url: str = ""
    """Its address or path as it is cited."""
    place: str = ""
    """The path of a file, with its lines if it is cited with these."""
    whole: str = ""
    """The whole file, if only lines of it are cited."""
    texts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        fetched = self.fetched
        is_path = self.path == fetched.title
        title = "" if is_path else fold(fetched.title or "")
        self.texts = (*Readings(fetched.visible, fetched.text), title)

    @property
    def path(self) -> str:
        """Its path without lines."""
        return split_place(self.place)[0]

    @property
    def file(self) -> str:
        """Its path in its repository, its path, or its address, without lines."""
        origin = self.fetched.origin
        return origin.path if origin else split_place(self.url)[0]

    def lines_of(self, quote: str) -> str:
        """Return where a quote is in the file, if only other lines are cited; else empty.

        It is a text such as ``line 34``.
        """
        lines = self._whole_letters.lines_of_words(quote) if self.whole else None
        return _describe_lines(lines) if lines else ""

    def has_quote(self, quote: str) -> bool:
        """Return whether the source has a quote, which may leave out words with an ellipsis."""
        if contains_quote(quote, self.texts):  # also one with the marks of Markdown
            return True
        if self.whole and self._overlaps_lines(quote):
            return True
        parts = [part for part in _ELISION.split(quote) if part.strip(" ,.;")]
        return bool(parts) and all(
            any(text.find_words(part) for text in self._letter_texts) for part in parts
        )

    def _overlaps_lines(self, quote: str) -> bool:
        """Return whether a quote begins or ends in the cited lines."""
        cited = split_place(self.place)[1]
        quoted = self._whole_letters.lines_of_words(quote)
        if cited is None or quoted is None:
            return False
        return quoted[0] <= cited[1] and cited[0] <= quoted[1]

    def has_digits(self, number: str) -> bool:
        """Return whether the text has the digits of a number in another form.

        Such forms are ``main-1-31`` and ``v1.31.0`` for ``1.31``, or without its unit.
        """
        digits = re.search(r"\d+(?:[.,]\d+)*", number)
        if digits is None:
            return False
        form = re.sub(r"\\?[.,]", "[-._,]?", digits[0])
        text = _HASH.sub(" ", self.fetched.text)
        short_year = rf"|['\u2019]{number[2:]}(?!\d)" if _YEAR.fullmatch(number) else ""
        return bool(re.search(rf"(?<!\d){form}(?!\d){short_year}", text))

    def has_numbered(self, figure: str) -> bool:
        """Return whether the text numbers what a figure counts: ``day 30`` of *30 days*."""
        parts = _COUNTED_TIME.fullmatch(figure)
        if parts is None:
            return False
        numbered = rf"\b{parts['unit']}s?\s{parts['number']}\b"
        return bool(re.search(numbered, self.fetched.text, re.IGNORECASE))

    def nearest(self, quote: str) -> NearWords:
        """Return the words that are nearest to a quote, in the whole file."""
        return self._word_text.nearest(quote)

    def condensed(self, quote: str) -> str:
        """Return the words of one place in the file that a quote condenses; empty if none."""
        return self._word_text.condensed(quote)

    def has_similar(self, sentence: str) -> bool:
        """Return whether a paragraph has most words with a meaning of a sentence."""
        own = _content_words(sentence)
        return any(len(own & words) >= _SIMILAR_WORDS * len(own) for words in self._paragraphs)

    @cached_property
    def _paragraphs(self) -> tuple[frozenset[str], ...]:
        paragraphs = re.split(r"\n\s*\n", self.whole or self.fetched.text)
        return tuple(_content_words(paragraph) for paragraph in paragraphs)

    def has_interrupted(self, quote: str) -> bool:
        """Return whether the words of a quote are there in their order, divided by many others."""
        return self._word_text.has_interrupted(quote)

    def has_short_form(self, name: str) -> bool:
        """Return whether the text has an identifier in a shorter form.

        ``appContext`` and ``app_context`` may be an ``ApplicationContext``.
        """
        parts = _parts_of(name)
        return len(parts) > 1 and any(
            _is_short_form(identifier, parts) for identifier in self._identifiers
        )

    @cached_property
    def _word_text(self) -> WordText:
        return WordText(self.whole or self.fetched.visible or self.fetched.text)

    @cached_property
    def _identifiers(self) -> tuple[tuple[str, ...], ...]:
        """The parts of each identifier of the text that has several."""
        words = dict.fromkeys(re.findall(r"\b[A-Za-z_]\w+", self.whole or self.fetched.text))
        return tuple(parts for word in words if len(parts := _parts_of(word)) > 1)

    @cached_property
    def _letter_texts(self) -> tuple[LetterText, ...]:
        return tuple(LetterText(text) for text in dict.fromkeys(self.texts))

    @cached_property
    def _whole_letters(self) -> LetterText:
        return LetterText(self.whole)

    @cached_property
    def words(self) -> TextWords:
        """The numbers and names of the whole text, its title and its address."""
        fetched = self.fetched
        named = (fetched.title or "", self.place, fetched.url)
        return TextWords([fetched.visible, fetched.text, self.whole, *named])

    @cached_property
    def statements(self) -> Statements:
        """The sentences of the cited text that have a figure."""
        return Statements(self.fetched.text)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the whole file, if only some are cited."""
        return tuple(self.whole.split("\n")) if self.whole else ()


def _parts_of(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case: ``app`` and ``context``."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return tuple(word.lower() for word in words)


def _is_short_form(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Return whether each word of an identifier is the other's, or the beginning of it."""
    pairs = tuple(zip(short, long, strict=False))
    return len(short) == len(long) and all(
        part == whole or (len(part) >= _SHORTENED and whole.startswith(part))
        for part, whole in pairs
    )


def _describe_lines(span: tuple[int, int]) -> str:
    first, last = span
    return f"line {first}" if first == last else f"lines {first} to {last}"


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
        if not is_open or claim.is_of_page or claim.is_mention or claim.is_example:
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
        missing = _missing_everywhere(scope, own, claim.urls)
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
        is_telling = len(_content_words(quote)) >= _FEWEST_SHARED
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
    sources = tuple(_audited_source(url, texts_by_place.get(url)) for url in claim.urls)
    finding = _compare_with_texts(claim, sources, texts, best)
    lacking = [
        answer for url in claim.urls if isinstance(answer := texts_by_place.get(url), WithoutLines)
    ]
    is_open = finding.verdict in {AuditVerdict.UNREADABLE, AuditVerdict.NOT_JUDGED}
    if lacking and is_open:
        reason = f"the cited lines do not exist: {lacking[0].reason}"
        return replace(finding, verdict=AuditVerdict.NOT_FOUND, reason=reason)
    return finding


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
        why = "" if elsewhere else _why_not_theirs(finding.claim, quote, near, texts)
        if why:
            doubt = doubt or f"“{quote}” is in none of its sources; {why}"
        elif near.is_close and not elsewhere:
            inexact = inexact or _describe_inexact(quote, near)
        elif condensed := _find_condensed(quote, near, elsewhere, texts):
            inexact = inexact or f"“{quote}” is not verbatim: it condenses “{condensed}”"
        else:
            return _report_absent(finding, quote, near, elsewhere)
    if not inexact:
        return replace(finding, reason=doubt)
    verdict, reason = _compare_own_words(finding.claim, texts, finding.closest)
    if verdict is AuditVerdict.QUOTED:
        verdict, reason = AuditVerdict.INEXACT, inexact
    return replace(finding, verdict=verdict, reason=reason)


def _find_condensed(
    quote: str, near: NearWords, elsewhere: str, texts: Sequence[ReadSource]
) -> str:
    """Return the words of a source that a quote condenses; empty if it has another figure."""
    if elsewhere or near.other_figure:
        return ""
    return next(filter(None, (text.condensed(quote) for text in texts)), "")


def _report_absent(
    finding: AuditFinding, quote: str, near: NearWords, elsewhere: str
) -> AuditFinding:
    """Return the finding for a quote that is nowhere in the cited text, or has another figure."""
    if near.other_figure and near.content >= _FEWEST_OF_FIGURE and not elsewhere:
        figure, in_source = near.other_figure
        reason = f"the quote says “{figure}”, the source “{in_source}”: “{near.text}”"
        return replace(finding, verdict=AuditVerdict.DIFFERS, reason=reason)
    closest = f"; the nearest words are “{near.text}”" if near.share >= _SAME else ""
    reason = elsewhere or f"“{quote}” is in none of its sources{closest}"
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
    is_nearly_there = near.share >= _ALMOST and near.content >= _FEWEST_SHARED
    is_example = claim.is_example and quote in claim.text
    unclaimed = "they are an example" if is_example else why_unclaimed(claim.text, quote)
    if unclaimed and not (unclaimed == QUESTION and is_nearly_there):
        return f"the words in quotation marks may not be the source's: {unclaimed}"
    if near.share < _ALMOST and any(text.has_interrupted(quote) for text in texts):
        return "they are there, but others stand between them, as in columns"
    is_repeated = _is_repeated(near)
    is_foreign = any(is_partly_in_another(text.fetched.text, quote) for text in texts)
    if is_foreign and not is_repeated:
        return "a part of them is in another language: it may be a translation"
    may_be_elsewhere = claim.is_of_page or claim.is_mention
    is_quote = not may_be_elsewhere and is_presented(claim.text, quote)
    return "" if is_repeated or is_quote else "the words in quotation marks may not be the source's"


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
        if verdict in {AuditVerdict.DIFFERS, AuditVerdict.NOT_FOUND}:
            return verdict, reason
        return AuditVerdict.QUOTED, ""
    own_words = _around_quotes(claim) if claim.quotes else ""
    missing = _missing_everywhere(own_words, texts, claim.urls)
    absent = tuple(_sure_figures(own_words, missing.quantities, texts))
    if not absent:
        return AuditVerdict.QUOTED, ""
    verb = "is" if len(absent) == 1 else "are"
    difference = f"the quote is there, but {_list_quoted(absent)} {verb}"
    if len(texts) < len(claim.urls):
        return AuditVerdict.UNREADABLE, f"{difference} not in the sources that could be read"
    return AuditVerdict.NOT_FOUND, f"{difference} nowhere in its sources"


_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_DATE = rf"(?:\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}\s)?{_MONTH}\.?\s(?:\d{{1,2}},\s)?\d{{4}}|\d{{4}})"
_MONTH_NAME = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    "|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?:\s?[-\u2013]\s?\d{1,2})?"
_DAY_OF_MONTH = (
    rf"(?-i:\b{_MONTH_NAME}\.?\s{_DAY}(?![\w%]|[.,]\d|,?\s\d{{4}}\b)"
    rf"|\b(?<![\d.,]){_DAY}\s{_MONTH_NAME}\b(?!\.?\s\d{{4}}))"
)
"""``Jun 10`` and ``10 June`` without a year: a source gives its day in many ways."""
_NO_FIGURE = re.compile(
    rf"{_DAY_OF_MONTH}|^\W*\d+[.)]\s"
    rf"|^\W*{_DATE}(?=\s?[:|\u2013\u2014]|\s-)|\([^()\d]{{0,60}}{_DATE}[a-z]?\)"
    rf"|\b(?:accessed|retrieved|visited|checked|as of)\s(?:on\s)?{_DATE}|\[\d+\]",
    re.IGNORECASE,
)
"""The number of an item, a day, a date of publication or access, the number of a source."""


def _around_quotes(claim: CitedClaim) -> str:
    """Return the words of a claim outside of its quotes, without numbers that claim nothing."""
    text = claim.text
    for quote in claim.quotes:
        text = text.replace(quote, " … ")
    return _NO_FIGURE.sub(" ", text)


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
    moved = _find_moved(claim, texts)
    if moved:
        return AuditVerdict.NOT_FOUND, moved
    scope = _NO_FIGURE.sub(" ", claim.scope or claim.text)
    missing = _missing_everywhere(scope, texts, claim.urls)
    other_figure = _find_changed(scope, missing.quantities, texts)
    changed = (
        other_figure or _find_changed_unit(scope, texts) or _find_changed_verbatim(claim, texts)
    )
    if changed:
        claimed, in_source = _list_quoted([changed.here]), _list_quoted(changed.there)
        return AuditVerdict.DIFFERS, f"the claim says {claimed}, the source {in_source}"
    if not close:
        return AuditVerdict.NOT_JUDGED, "no passage of its sources is similar; read them"
    near = find_missing(claim.text, [text for quotation in close for text in quotation.texts])
    if not near:
        difference = "the closest passages have its numbers and names; read them"
        return AuditVerdict.NOT_JUDGED, difference
    sure = tuple(_sure_words(claim, missing, texts))
    verb = "is" if len(sure or near) == 1 else "are"
    difference = f"{_list_quoted(sure or near)} {verb}"
    if sure and not _may_be_elsewhere(claim, scope, sure, texts):
        return AuditVerdict.NOT_FOUND, f"{difference} nowhere in its sources"
    where = "nowhere in the sources of the page" if sure else "not in the closest passages"
    return AuditVerdict.NOT_JUDGED, f"{difference} {where}"


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
    with_units = [figure for figure in absent if re.search(r"[^\W\d_]", figure)]
    sure = (*_sure_figures(scope, absent, texts), *with_units)
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
    yield from _sure_figures(claim.scope or claim.text, missing.quantities, texts)
    if INSTRUCTION.search(claim.text):
        return
    identifiers = [name for name in missing.names if is_identifier(name)]
    in_code = {word for span in claim.code for word in re.findall(r"\w+", span)}
    for name in dict.fromkeys((*missing.code, *identifiers)):
        last = _last_own_part(name)
        is_product = _OF_THING.fullmatch(name) and name not in in_code
        may_be_thing = is_product or _HOST.fullmatch(name)
        is_sure = _SURE_NAME.fullmatch(name) and not _SHOUTED.fullmatch(name) and not may_be_thing
        is_there = any(text.words.has_name(last) or text.has_short_form(last) for text in texts)
        if is_sure and not is_there:
            yield name


def _last_own_part(name: str) -> str:
    """Return the last part of a dotted name; ``Kettle`` of ``Kettle.__call__``."""
    parts = [part for part in name.split(".") if part and not re.fullmatch(r"__\w+__", part)]
    return (parts or [name])[-1].strip("_")


_BEFORE_PLACE = r"(?:[§#/]\s?|(?:\d|\.\w{1,8}):\s?|\d\s?[–-]\s?|\w[–-])"
"""The text before the number of a section, issue, path, line, time or the end of a range.

A colon alone does not: ``count: 43`` is a figure.
"""


_FACTORS = (1.609344, 0.3048, 2.54, 0.45359, 1.852)
"""Kilometres of a mile, metres of a foot, centimetres of an inch, kilograms of a pound, kilometres
of a sea mile."""
_CONVERTED = re.compile(
    r"\((?:approximately|approx\.?|about|around|roughly|some|~|\u2248|US)[^()]*\)"
)


def _is_derived(written: str, sentence: str) -> bool:
    """Return whether a figure follows from others of its sentence: a ratio, or another unit.

    Examples are the last ones of ``36.81 | 48.34 (+31%)`` and ``175 km/h (109 mph)``. So may be
    what stands in brackets as an approximation.
    """
    if any(written in converted[0] for converted in _CONVERTED.finditer(sentence)):
        return True
    number = next(read_quantities(written), None)
    if number is None or number.text.count(".") > 1:
        return False
    wanted = abs(float(number.text))
    decimals = len(number.text.partition(".")[2])
    others = [
        abs(float(other.text))
        for other in read_quantities(sentence)
        if other.text.count(".") <= 1 and other.written != written
    ]
    step = 10.0**-decimals
    most = step if f"+{number.text}" in sentence else 0.51 * step  # cut, or rounded
    return any(
        -0.51 * step <= result - wanted < most
        for figure in others
        for result in _results_of(figure, others, has_sign=number.dimension == "percent")
    )


def _results_of(figure: float, others: Sequence[float], *, has_sign: bool) -> Iterator[float]:
    """Yield what a number is in other units, and its ratios to others; or these as percentages."""
    if not has_sign:
        for factor in _FACTORS:
            yield from (figure * factor, figure / factor)
        yield from (figure * 1.8 + 32, (figure - 32) / 1.8)  # degrees Fahrenheit and Celsius
    for other in others:
        if other and other != figure:
            ratio = figure / other
            yield from (100 * ratio, 100 * abs(ratio - 1)) if has_sign else (ratio,)


def _completes_date(written: str, sentence: str, texts: Sequence[ReadSource]) -> bool:
    """Return whether a year belongs to a day of a month that a source has without its year."""
    if not _YEAR.fullmatch(written):
        return False
    dates = re.findall(rf"({_MONTH_NAME})\.?\s(\d{{1,2}}),?\s{written}", sentence)
    return any(
        re.search(rf"\b{month[:3]}[a-z]{{0,6}}\.?\s{day}\b", text.fetched.text)
        for month, day in dates
        for text in texts
    )


def _sure_figures(
    sentence: str, absent: Sequence[str], texts: Sequence[ReadSource]
) -> Iterator[str]:
    """Yield the absent numbers of two digits, or with a unit.

    Those of lines, sections, issues, paths and seasons (``2018-19``) do not count, nor small ones
    in words, nor what the source writes in another form, or rounds.
    """
    for written in dict.fromkeys(absent):
        place = rf"{_BEFORE_PLACE}{re.escape(written)}|{re.escape(written)}(?:[/_]\w|:\d)"
        is_reference = bool(re.search(place, sentence))
        is_other_form = _is_derived(written, sentence) or _completes_date(written, sentence, texts)
        has_size = len(re.findall(r"\d", written)) > 1 or bool(re.search(r"\d.*[%\w]$", written))
        quantities = list(read_quantities(written))
        has_unit = any(quantity.dimension for quantity in quantities)
        is_rounded = any(
            text.words.quantities.has_rounded(of_text) for text in texts for of_text in quantities
        )
        has_digits = not has_unit and any(text.has_digits(written) for text in texts)
        is_written_otherwise = has_digits or is_rounded
        is_numbered = any(text.has_numbered(written) for text in texts)
        is_clear = (written.startswith("v") is False or "." in written) and not is_numbered
        is_sure = has_size and is_clear and not is_other_form
        if is_sure and not is_reference and not is_written_otherwise:
            yield written


_LINES = re.compile(r"[#:]L?(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$")
"""The lines of a citation: ``file.ts:83``, ``file.ts#L83-L90``."""
_LINE_NUMBERS = re.compile(
    r"(?:\blines?:?|第|#L)\s?(\d+)(?:\s?(?:-|\u2013|to|and)\s?L?(\d+))?", re.I
)
"""Lines in words: ``at line 83``."""


def _missing_everywhere(
    sentence: str, texts: Sequence[ReadSource], urls: Sequence[str]
) -> MissingWords:
    """Return the words of a sentence that none of its sources has anywhere.

    The lines of its citations are no figures of it.
    """
    of_places = [match for url in urls if (match := _LINES.search(url))]
    places = [*of_places, *_LINE_NUMBERS.finditer(sentence)]
    lines = {line for place in places for line in place.groups("")}
    missing = [find_missing_words(sentence, text.words) for text in texts]
    quantities = _common_words([of_text.quantities for of_text in missing])
    return MissingWords(
        code=_common_words([of_text.code for of_text in missing]),
        quantities=tuple(figure for figure in quantities if figure not in lines),
        names=_common_words([of_text.names for of_text in missing]),
    )


def _common_words(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words that all groups have, in the order of the first one."""
    first, *others = groups
    return tuple(word for word in dict.fromkeys(first) if all(word in group for group in others))


def _content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry meaning, without its figures."""
    words = (word.casefold() for word in re.findall(r"[^\W\d_]{2,}", text))
    return frozenset(stem(word) for word in words if word not in FUNCTION_WORDS)


def _find_moved(claim: CitedClaim, texts: Sequence[ReadSource]) -> str:
    """Return where the names of programs are that are not in the lines cited for them; else empty.

    A name counts if the file defines it: others are used in many places.
    """
    of_urls = {text.url: text for text in texts if text.lines}
    for name, url in claim.names:
        text = of_urls.get(url)
        span = split_place(text.place)[1] if text else None
        if text is None or span is None or not _SPECIFIC.search(name):
            continue
        first, last = span
        near = "\n".join(text.lines[max(0, first - 1 - _NEAR_LINES) : last + _NEAR_LINES])
        defined = _definitions_of(name, text.lines)
        is_within = any(
            _has_in_body(line, first, text.lines) or _has_in_body(first, line, text.lines)
            for line in defined
        )
        if defined and not is_within and not re.search(_whole_name(name), near):
            defect = f"“{name}” is not in the cited lines"
            return f"{defect}; it is defined in line {defined[0]} of {text.path}"
    return ""


_KEYWORDS = "def|class|func|function|fn|struct|type|interface|enum|trait|const|let|var"


def _definitions_of(name: str, lines: Sequence[str]) -> list[int]:
    """Return the lines that define a name, 1-based."""
    word = _whole_name(name)
    pattern = re.compile(rf"\b(?:{_KEYWORDS})\s+(?:\([^()]*\)\s*)?{word}|^\s*{word}\s*(?::|=(?!=))")
    return [n for n, line in enumerate(lines, 1) if pattern.search(line)]


def _has_in_body(defined: int, line: int, lines: Sequence[str]) -> bool:
    """Return whether a line is in the body of what a line above it defines, by indentation."""
    if line <= defined:
        return False
    depth = _indent_of(lines[defined - 1])
    between = [text for text in lines[defined:line] if text.strip()]
    return all(_indent_of(text) > depth or text.lstrip().startswith(_CLOSERS) for text in between)


_CLOSERS = (")", "]", "}", "#", "@")
"""The beginnings of lines that end no body, whatever their indentation."""


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def _whole_name(name: str) -> str:
    return rf"(?<![\w-]){re.escape(name)}(?![\w-])"


def _list_quoted(words: Iterable[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _audited_source(url: str, answer: ReadSource | Fetched | None) -> AuditedSource:
    """Return a source of a claim, with its state and what was read of it."""
    if answer is None:
        return AuditedSource(url, SourceState.NOT_READ, "no stored text")
    if isinstance(answer, ReadSource):
        fetched = answer.fetched
        if fetched.moved_to:
            return AuditedSource(url, SourceState.MOVED, fetched.moved_to)
        return AuditedSource(url, SourceState.READ, _describe_copy(fetched))
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
