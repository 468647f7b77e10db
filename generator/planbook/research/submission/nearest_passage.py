"""The passage that is nearest to what a finding on a page is about."""

from __future__ import annotations

from planbook import problems
from planbook.model import Problem
from planbook.research.drafts import SentenceProblem
from planbook.research.evidence.brief import quotable_text
from planbook.research.evidence.dossier import PassageIndex
from planbook.research.evidence.rank import PointQuery, rank
from planbook.research.proof.sentences import find_missing, words_in_message

_MAX_COMPARED_PASSAGES = 50
"""Number of passages near a sentence among which one with its missing words is looked for."""
_QUOTE_CODES = frozenset({problems.WRONG_QUOTE, problems.CHANGED_QUOTE})
"""Findings that repeat a quote or a line of code."""


def nearest_passage(index: PassageIndex, finding: Problem) -> tuple[str, str] | None:
    """Return the id and text of the nearest passage that has what is missing.

    Of a sentence that cites, it is of the works that it cites. If none of them has what is missing,
    it is the one that shares most words: it may say what the sentence has wrong. The result is
    ``None`` if no passage shares a word with the finding, or if it is about no words of the page.
    """
    sentence: str = ""
    missing: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    if isinstance(finding, SentenceProblem):
        sentence, missing, cited = finding.sentence, finding.missing, finding.cited
    if not sentence and finding.code in _QUOTE_CODES:
        sentence = " ".join(words_in_message(finding.message))
    if not sentence:
        return None
    ranked = rank(list(index.by_id.values()), [PointQuery(sentence)])[0]
    near = [hit.excerpt for hit in ranked[:_MAX_COMPARED_PASSAGES]]
    if not near:
        return None
    if cited:
        near = [excerpt for excerpt in near if excerpt.source in cited]
    if missing:
        wanted = " ".join(f"`{word}`" for word in missing)
        having = [
            excerpt
            for excerpt in near
            if not find_missing(wanted, [excerpt.text, excerpt.term, *excerpt.headings])
        ]
        near = having or near
    return (index.id_of(near[0]), quotable_text(near[0])) if near else None
