"""Compare the claims of reports with the texts of their sources. Pure.

Start with `compare_claims`: quotes first, then numbers and names. What a claim says in other words
is left to a judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planbook.research.audit.claims.cited_claims import CitedClaim
from planbook.research.audit.claims.no_statement import has_marks
from planbook.research.audit.comparison.absent_figures import find_missing_everywhere
from planbook.research.audit.comparison.beside_quotes import compare_beside_quotes
from planbook.research.audit.comparison.claim_figures import (
    find_changed_figure,
    find_changed_unit,
    find_changed_verbatim,
    sure_words,
)
from planbook.research.audit.comparison.claim_quotes import (
    QuoteState,
    lines_elsewhere,
    other_figure_of,
    state_of_quote,
)
from planbook.research.audit.comparison.literal_words import is_of_own_history, literal_figures
from planbook.research.audit.comparison.moved_names import (
    find_moved_name,
    is_cited,
    line_of_name,
    specific_names,
)
from planbook.research.audit.comparison.near_wording import NearWords
from planbook.research.audit.comparison.no_figures import without_no_figures
from planbook.research.audit.comparison.read_source import Closest, Ranked, ReadSource
from planbook.research.audit.comparison.source_states import state_source
from planbook.research.audit.comparison.swapped_sources import CLOSEST, SAME, OtherSources
from planbook.research.audit.findings import (
    AuditedSource,
    AuditFinding,
    AuditVerdict,
    list_quoted,
)
from planbook.research.audit.local_sources.local_files import WithoutLines
from planbook.research.proof.phrases import INSTRUCTION, PLAN_WORD, RECKONED_FIGURE
from planbook.research.proof.sentences import Quotation, find_missing
from planbook.research.web.model import Fetched

_MAX_NAMES = 3
"""Names that a reason shows."""
_SIMILAR = 0.3
"""Share of the claim's words in a passage that is about the same."""

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
            findings[n] = _compare_claim(claims[n], texts_by_place, texts, best[:CLOSEST])
    others = [text for text in texts_by_place.values() if isinstance(text, ReadSource)]
    found_elsewhere = OtherSources(others, closest)
    return [found_elsewhere.correct(findings[n]) for n in range(len(claims))]


def _compare_claim(
    claim: CitedClaim, texts_by_place: TextsByPlace, texts: Sequence[ReadSource], best: Ranked
) -> AuditFinding:
    """Return the finding for a claim, given its sources that could be read."""
    sources = tuple(
        state_source(url, texts_by_place.get(url), is_guess=url in claim.guessed)
        for url in claim.urls
    )
    finding = _compare_with_texts(claim, sources, texts, best)
    lacking = [
        answer for url in claim.urls if isinstance(answer := texts_by_place.get(url), WithoutLines)
    ]
    is_open = finding.verdict in {AuditVerdict.UNREADABLE, AuditVerdict.NOT_JUDGED}
    if lacking and is_open:
        finding = _report_lines(finding, lacking, texts)
    return _without_guess(finding)


def _report_lines(
    finding: AuditFinding, lacking: Sequence[WithoutLines], texts: Sequence[ReadSource]
) -> AuditFinding:
    """Return the finding for a claim with lines that its files, which end before, do not have.

    It is wrong only if it says what a program has by a name, and not what is to be changed. The
    files have the name in other lines, or nowhere.
    """
    claim = finding.claim
    reason = f"the cited lines do not exist: {lacking[0].reason}"
    names = [
        name
        for span in claim.code
        for name in specific_names(span)
        if not any(is_cited(name, text) for text in texts)
    ]
    is_unread = len(texts) + len(lacking) < len(claim.urls)
    is_plan = INSTRUCTION.search(claim.text) or PLAN_WORD.search(claim.text)
    if not names or is_unread or is_plan:
        return replace(finding, reason=reason)
    lines = {name: max(line_of_name(name, ending.whole) for ending in lacking) for name in names}
    absent = [name for name, line in lines.items() if not line]
    if absent:
        verb = "is" if len(absent) == 1 else "are"
        reason = f"{reason}, and {list_quoted(absent[:_MAX_NAMES])} {verb} nowhere in it"
        return replace(finding, verdict=AuditVerdict.NOT_FOUND, reason=reason)
    name, line = next(iter(lines.items()))
    reason = f"{reason}; “{name}” is in line {line}"
    return replace(finding, verdict=AuditVerdict.MOVED, reason=reason)


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
        elsewhere = lines_elsewhere(quote, texts)
        near = max((text.nearest(quote) for text in texts), key=lambda wording: wording.share)
        match state_of_quote(finding.claim, quote, near, elsewhere, texts):
            case QuoteState.ABSENT, _:
                return _report_absent(finding, quote, near, elsewhere)
            case QuoteState.INEXACT, reason:
                inexact = inexact or reason
            case QuoteState.OPEN, reason:
                doubt = doubt or reason
    if not inexact:
        return replace(finding, reason=doubt)
    verdict, reason = _compare_own_words(finding.claim, texts, finding.closest)
    if verdict is AuditVerdict.QUOTED:
        verdict, reason = AuditVerdict.INEXACT, inexact
    return replace(finding, verdict=verdict, reason=reason)


def _report_absent(
    finding: AuditFinding, quote: str, near: NearWords, elsewhere: str
) -> AuditFinding:
    """Return the finding for a quote that the cited text does not have, or with another figure."""
    if elsewhere:
        return replace(finding, verdict=AuditVerdict.MOVED, reason=elsewhere)
    changed = other_figure_of(near)
    if changed:
        figure, in_source = changed
        reason = f"the quote says “{figure}”, the source “{in_source}”: “{near.text}”"
        return replace(finding, verdict=AuditVerdict.DIFFERS, reason=reason)
    closest = f"; the nearest words are “{near.text}”" if near.share >= SAME else ""
    reason = f"“{quote}” is in none of its sources{closest}"
    return replace(finding, verdict=AuditVerdict.NOT_FOUND, reason=reason, is_absent=True)


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
    return compare_beside_quotes(claim, texts)


def _compare_words(
    claim: CitedClaim, texts: Sequence[ReadSource], close: Sequence[Quotation]
) -> tuple[AuditVerdict, str]:
    """Return the verdict on a claim in other words, and its reason."""
    # From the surest defect to the least sure: what is found wrong first is the verdict.
    moved = find_moved_name(claim, texts)
    if moved:
        return AuditVerdict.MOVED, moved
    scope = without_no_figures(claim.scope or claim.text)
    missing = find_missing_everywhere(scope, texts, claim.urls)
    other_figure = find_changed_figure(scope, missing.quantities, texts)
    changed = other_figure or find_changed_unit(scope, texts) or find_changed_verbatim(claim, texts)
    if changed:
        claimed, in_source = list_quoted([changed.here]), list_quoted(changed.there)
        return AuditVerdict.DIFFERS, f"the claim says {claimed}, the source {in_source}"
    if not close:
        return AuditVerdict.NOT_JUDGED, "no passage of its sources is similar; read them"
    # That a passage has all numbers and names does not make the claim true: a judge decides.
    near = find_missing(claim.text, [text for quotation in close for text in quotation.texts])
    if not near:
        difference = "the closest passages have its numbers and names; read them"
        return AuditVerdict.NOT_JUDGED, difference
    return _report_missing(claim, scope, near, tuple(sure_words(claim, missing, texts)), texts)


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
    difference = f"{list_quoted(sure or near)} {verb}"
    if not sure:
        return AuditVerdict.NOT_JUDGED, f"{difference} not in the closest passages"
    doubt = _why_not_absent(claim, scope, sure, texts)
    if doubt:
        return AuditVerdict.NOT_JUDGED, f"{difference} {doubt}"
    return AuditVerdict.NOT_FOUND, f"{difference} nowhere in its sources"


def _why_not_absent(
    claim: CitedClaim, scope: str, sure: Sequence[str], texts: Sequence[ReadSource]
) -> str:
    """Return why words that no source has may be right; empty if nothing says so."""
    unread = _why_not_whole(scope, texts)
    if unread:
        return f"not in what was read: {unread}"
    if RECKONED_FIGURE.search(claim.text):
        return "reckoned, the page says"
    if is_of_own_history(claim.text, claim.uri):
        return "nowhere in its sources, but may be what the page said before"
    if not any(literal_figures(sure, scope)):
        return "nowhere in its sources, but may be there in another form"
    is_elsewhere = _may_be_elsewhere(claim, scope, sure, texts)
    return "nowhere in the sources of the page" if is_elsewhere else ""


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
    is_row = "|" in scope  # whose cells may be from several sources
    may_be = is_row or claim.is_of_page or claim.links_elsewhere or claim.is_mention
    return may_be and not any(text.statements.has_row(scope, absent) for text in texts)
