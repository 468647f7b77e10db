"""Claims that are in another source of their page than the cited one: these were swapped. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planbook.research.audit.claims.cited_claims import CitedClaim
from planbook.research.audit.comparison.absent_figures import find_missing_everywhere
from planbook.research.audit.comparison.claim_figures import sure_words
from planbook.research.audit.comparison.claim_quotes import FEWEST_SHARED, LONG
from planbook.research.audit.comparison.literal_words import is_of_own_history, stated_figures
from planbook.research.audit.comparison.no_figures import without_no_figures
from planbook.research.audit.comparison.read_source import Closest, ReadSource, content_words
from planbook.research.audit.findings import AuditFinding, AuditVerdict, list_quoted
from planbook.research.proof.sentences import find_missing

CLOSEST = 3
"""Number of passages that a claim is compared with."""
SAME = 0.6
"""Share of the claim's words in a sentence that says the same."""


class OtherSources:
    """The other sources of a page, which may have what the cited ones do not: they were swapped."""

    def __init__(self, texts: Sequence[ReadSource], closest: Closest) -> None:
        self._texts, self._closest = texts, closest

    def correct(self, finding: AuditFinding) -> AuditFinding:
        """Return a finding that names the source that has the words; the same if none has."""
        claim = finding.claim
        is_open = finding.verdict in {AuditVerdict.NOT_FOUND, AuditVerdict.NOT_JUDGED}
        is_unsure = claim.is_of_page or claim.is_mention or claim.is_example or claim.guessed
        is_history = is_of_own_history(claim.text, claim.uri)
        if not is_open or is_unsure or is_history:
            return finding
        cited_texts = [text for text in self._texts if text.url in claim.urls]
        files = {text.file for text in cited_texts}
        other_texts = [text for text in self._texts if text.file not in files]
        if not other_texts or len(cited_texts) < len(claim.urls):
            return finding
        reason = _describe_holder(claim, cited_texts, other_texts)
        if not reason and finding.verdict is AuditVerdict.NOT_JUDGED and not finding.closest:
            reason = self._describe_figures(claim, cited_texts, other_texts)
        if not reason:
            return finding
        return replace(finding, verdict=AuditVerdict.NOT_FOUND, reason=reason)

    def _describe_figures(
        self,
        claim: CitedClaim,
        cited_texts: Sequence[ReadSource],
        other_texts: Sequence[ReadSource],
    ) -> str:
        """Return which source has what its sources lack, on which they have nothing similar.

        A passage of it is similar, and has the figures and identifiers. Empty if there is none.
        """
        scope = without_no_figures(claim.scope or claim.text)
        missing = find_missing_everywhere(scope, cited_texts, claim.urls)
        sure = tuple(stated_figures(sure_words(claim, missing, cited_texts), scope))
        if not sure or claim.links_elsewhere:
            return ""
        for text in other_texts:
            (ranked,) = self._closest(text.excerpts, [claim.text])
            close = [quotation for quotation, share in ranked[:CLOSEST] if share >= SAME]
            texts = [words for quotation in close for words in quotation.texts]
            if close and not set(sure) & set(find_missing(claim.text, texts)):
                verb = "is" if len(sure) == 1 else "are"
                return f"{list_quoted(sure)} {verb} nowhere in its sources; see {text.url}"
        return ""


def _describe_holder(
    claim: CitedClaim, cited_texts: Sequence[ReadSource], other_texts: Sequence[ReadSource]
) -> str:
    """Return which other source has a quote, or all of a claim, word for word; else empty.

    A claim without quotes may be in its own source in other words: this must have few of them.
    """
    for quote in claim.quotes or (claim.text,):
        is_long = len(quote.split()) >= LONG or quote in claim.attributed
        is_telling = len(content_words(quote)) >= FEWEST_SHARED
        is_here = any(text.has_quote(quote) for text in cited_texts)
        if is_here or not (is_long and is_telling):
            continue
        if not claim.quotes and any(text.has_similar(quote) for text in cited_texts):
            continue
        for text in other_texts:
            if text.has_quote(quote) and not text.only_names(quote):
                return f"“{quote}” is in none of its sources; it is in {text.url}"
    return ""
