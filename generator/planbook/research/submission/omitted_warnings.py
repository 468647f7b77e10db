"""Warnings and limits in the works of a page that the page leaves out. Pure.

A page that answers each point can still leave out what its reader trips over: the exception in the
next paragraph, the step that cannot be undone. A program cannot tell what matters, but it can list
what warns, is about the points, and is neither quoted nor said in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planbook.citations.quotes import fold, words
from planbook.markdown.words import keywords, sentences_of
from planbook.research.drafts import Brief, Excerpt, Passage, PassageKind, Ranked, Source
from planbook.research.evidence.passages import excerpts
from planbook.research.evidence.rank import PointQuery, points_of, rank, without_repetition
from planbook.research.evidence.subject import factors_of
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import letters_of
from planbook.research.submission.unanswered import sentence_pairs

MAX_OMITTED_WARNINGS = 2
"""Number of passages that are listed: a writer reads each of them."""
_UNCITED_WORK_FACTOR = 0.6
"""The factor of the scores of passages in works that the page does not cite."""
_MIN_SHARE_SAID = 0.6
"""The share of a sentence's words in two sentences of the page from which on they may say it."""
_MIN_SHARE_OF_POINT = 0.25
"""The least share of the words of a point in a passage that is about it."""

_WARNINGS: Mapping[str, str] = {
    r"(?:must|should|may|do) ?n[o']t|don't": "you must not upgrade both",
    r"cannot|can't|can not|never|no longer": "the old key cannot be read",
    r"unless|except|only (?:be|for|if|when|works?|supports?|supported|applies|the)": "unless empty",
    r"not (?:yet )?(?:supported|possible|available|recommended|guaranteed|safe|enough)": "not safe",
    r"los[et]|loss|lose[sn]?|losing|corrupt\w*|damaged?": "may lose data",
    r"overwrit\w+|delete[sd]? all": "it overwrites the old one",
    r"irreversibl[ey]|permanent(?:ly)?|undone": "this cannot be undone",
    r"crash(?:es)?|run out|down ?time": "the disk may run out",
    r"warning|caution|danger|beware|caveat": "Warning: stop it first",
    r"limitations?|known issues?|deprecated|unsupported|experimental": "a known issue",
    r"niemals|nur (?:wenn|falls)|außer|Achtung|Warnung|Vorsicht": "nur wenn er leer ist",
}
"""The words of sentences that warn or limit, each with an example."""
_HINTS: Mapping[str, str] = {
    r"(?:will|does|is|are|was|would) ?n[o']t|won't": "it does not restart by itself",
    r"fails?|failure|hangs?|stuck|unavailable": "the old nodes hang",
    r"careful(?:ly)?|care|important": "care needs to be taken",
    r"(?:at (?:least|most)|no more than|minimum|maximum)[^.]{0,40}\d": "at least 3 nodes",
    r"nicht": "sie bleibt nicht erhalten",
}
"""Words that warn in some sentences, and only deny or measure something in others."""
_HINT_FACTOR = 0.5
"""The factor of the scores of passages that only hint at something."""
_NO_WARNINGS: Mapping[str, str] = {
    r"(?:no|any|little|without) (?:or little )?(?:problem|effect|impact|harm)s?": "has no effect",
    r"tolerates?|safer|need(?:s|ed)? ?n[o']t|(?:do|does) ?n[o']t (?:need|matter|have to)": "safer",
    r"(?:wo|would|will) ?n[o']t (?:fail|be affected)|allows|can also": "so that it will not fail",
    r"(?:outlined|described|listed|explained|covered) (?:below|above|in)": "limits listed below",
    r"(?:please |also )?(?:see|refer to) (?:the|also)|fits your": "see the limitations",
}
"""Words of sentences that reassure, or lead to the warnings of others."""


def _any_row_pattern(rows: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in rows), re.IGNORECASE)


_WARNING_PATTERN, _HINT_PATTERN, _REASSURANCE_PATTERN = map(
    _any_row_pattern, (_WARNINGS, _HINTS, _NO_WARNINGS)
)
_BLOCK_SEPARATOR = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,3}[.)]) )")
"""The end of a paragraph or an item."""
_PROSE = frozenset({PassageKind.PROSE, PassageKind.LIST, PassageKind.DEFINITION})


@dataclass(frozen=True, slots=True)
class OmittedWarning:
    """A passage that a page leaves out."""

    excerpt: Excerpt
    warning: str
    """The first of its sentences that warns and is not on the page."""


def find_omitted_warnings(
    parsed: ParsedDraft, works: Sequence[Source]
) -> tuple[OmittedWarning, ...]:
    """Return the warnings that are about the points of a page and that it leaves out, best first.

    Args:
        parsed: the page.
        works: those that were gathered for it, or that it cites.
    """
    warning = {
        excerpt: sentences
        for source in works
        for excerpt in excerpts(source, 1)
        if (sentences := warnings_in(excerpt))
    }
    cited = {citation.reference_id for citation in parsed.citations}
    best = best_scores(parsed.brief, works, list(warning), cited)
    used = _Used(parsed)
    scored: list[tuple[float, OmittedWarning]] = []
    reported: set[str] = set()
    for ranked in without_repetition(best, len(best)):
        unused = [sentence for sentence in warning[ranked.excerpt] if not used.has(sentence)]
        # Manuals repeat a warning with each option that it is about.
        new = [sentence for sentence in unused if letters_of(sentence) not in reported]
        clear = list(filter(_WARNING_PATTERN.search, new))
        if new:
            factor = 1.0 if clear else _HINT_FACTOR
            omitted = OmittedWarning(ranked.excerpt, (clear or new)[0])
            reported.add(letters_of(omitted.warning))
            scored.append((factor * ranked.score, omitted))
    scored.sort(key=lambda pair: -pair[0])
    return tuple(omitted for _, omitted in scored[:MAX_OMITTED_WARNINGS])


def best_scores(
    brief: Brief, works: Sequence[Source], all_excerpts: Sequence[Excerpt], cited: Iterable[str]
) -> list[Ranked]:
    """Return the excerpts about a point of a page, those about one of them most first."""
    factors = dict(factors_of(brief, works))
    for source in works:
        if source.id not in cited:
            factors[source.id] = _UNCITED_WORK_FACTOR * factors.get(source.id, 1.0)
    queries = [
        PointQuery(point, section.title, brief.title)
        for section in brief.outline
        for point in points_of(section)
    ]
    best: dict[Excerpt, Ranked] = {}
    for ranked_of_point in rank(all_excerpts, queries, factors):
        for ranked in ranked_of_point:
            known = best.get(ranked.excerpt)
            is_related = ranked.share >= _MIN_SHARE_OF_POINT
            if is_related and (known is None or ranked.score > known.score):
                best[ranked.excerpt] = ranked
    return sorted(best.values(), key=lambda ranked: -ranked.score)


def warnings_in(excerpt: Excerpt) -> list[str]:
    """Return the sentences of an excerpt that warn or limit."""
    prose = [passage for passage in excerpt.passages if passage.kind in _PROSE]
    sentences = [sentence for passage in prose for sentence in _sentences_of_passage(passage)]
    return list(filter(_is_warning_in_text, sentences))


def _is_warning_in_text(sentence: str) -> bool:
    """Return whether a sentence warns or limits, by its words.

    One that ends in a colon introduces what does.
    """
    if sentence.endswith(":") or _REASSURANCE_PATTERN.search(sentence):
        return False
    return bool(_WARNING_PATTERN.search(sentence) or _HINT_PATTERN.search(sentence))


def _sentences_of_passage(passage: Passage) -> Iterator[str]:
    for block in _BLOCK_SEPARATOR.split(passage.text):
        yield from sentences_of(words(block) if passage.is_markdown else fold(block))


class _Used:
    """The quotes and the words of a page."""

    def __init__(self, parsed: ParsedDraft) -> None:
        self._said = [frozenset(keywords(pair)) for pair in sentence_pairs(parsed)]
        quotes = [quote for reference in parsed.references for _, quote in reference.quotes]
        self._quotes = [letters_of(quote) for quote in quotes]

    def has(self, sentence: str) -> bool:
        """Return whether the page quotes a sentence, or has most of its words in two of its own."""
        letters = letters_of(sentence)
        if any(quote in letters or letters in quote for quote in self._quotes):
            return True
        wanted = frozenset(keywords(sentence))
        return any(len(wanted & pair) >= _MIN_SHARE_SAID * len(wanted) for pair in self._said)
