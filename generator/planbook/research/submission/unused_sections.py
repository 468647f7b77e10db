"""Sections of the works of a page, about its points, from which it cites nothing. Pure.

A writer sees what a page says, and not what it could have said: the article on encrypted volumes,
the section on disks that are full. A program cannot tell whether they belong on the page, but it
can tell that they are about its points, have words that the page has not, and warn of something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from planbook.citations.quotes import words
from planbook.markdown.words import keywords
from planbook.research.drafts import Excerpt, Source
from planbook.research.evidence.passages import excerpts, is_change_log
from planbook.research.evidence.subject import factors_of
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import letters_of
from planbook.research.submission.omitted_warnings import best_scores, warnings_in

MAX_UNUSED_SECTIONS = 2
"""Number of sections that are listed: a writer reads each of them."""
_MIN_SECTION_WORTH = 0.42
"""The least worth of a section, as a share of the score of the passage that is most about a point.

Most below it were on something else.
"""
_MIN_SECTION_WORDS = 25
"""Number of words of a section that says something."""
_MAX_WHOLE_PASSAGES = 12
"""Number of passages up to which a work counts as a whole; of longer ones, its best ones do."""
_BEST_PASSAGES = 3
_KNOWN_WORDS = 0.3
"""The worth of a section by its words alone, if the page has all of them."""
_WARNINGLESS_FACTOR, _WARNING_BONUS, _MAX_COUNTED_WARNINGS = 0.6, 0.2, 3
"""The factor of a section without a warning, and the part that each of its warnings adds."""
_TITLE_BONUS = 0.4
"""The part that a heading with one of `_TROUBLE_WORDS` adds to it."""
_TROUBLE_WORDS = frozenset(
    keywords(
        "troubleshooting fail fails failure failures stuck error errors limit limits limitation "
        "limitations recover recovery recovering issue issues exhaustion full unavailable "
        "unavailability corrupt corruption corrupted lost loss caveats known guideline important"
    )
)
"""Words of headings below which somebody looks in trouble."""
_OTHER_READERS_WORDS = frozenset(
    keywords(
        "development developing developer benchmark benchmarks install installation quick "
        "contributing bug bugs reporting release releases proposed proposal protocol roadmap "
        "glossary downgrade"
    )
)
"""Words of headings and titles of what is for other readers than those of a page."""
_SAYS_NOTHING = frozenset(
    keywords(
        "overview introduction background summary prerequisites notice assumptions expectation "
        "setup example examples usage steps purpose goals reference see also related information "
        "table contents requirements architecture concepts terminology how it works workflow using "
        "use description details note notes workaround mitigation root cause symptoms applicable "
        "versions solution about configuration getting started"
    )
)
"""Words of headings that stand in any work: alone, they name no subject."""


@dataclass(frozen=True, slots=True)
class UnusedSection:
    """A section of a work, or a work, from which a page cites nothing."""

    excerpt: Excerpt
    """Its first passage."""
    heading: str
    """Its heading below the one above; of a work that the page does not cite, the work's title."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A section, with the passages by which it is judged."""

    heading: str
    passages: Sequence[Excerpt]


def find_unused_sections(parsed: ParsedDraft, works: Sequence[Source]) -> tuple[UnusedSection, ...]:
    """Return the sections about the points of a page from which it cites nothing, best first.

    One of each work: who reads it sees the others.

    Args:
        parsed: the page.
        works: those that were gathered for it, or that it cites.
    """
    factors = factors_of(parsed.brief, works)
    uncited = [work for work in works if work.id not in factors and not is_change_log(work)]
    split = {source: excerpts(source, 1) for source in uncited}
    every_excerpt = [excerpt for passages in split.values() for excerpt in passages]
    ids = [work.id for work in works]
    scores = {
        ranked.excerpt: ranked.score
        for ranked in best_scores(parsed.brief, works, every_excerpt, ids)
    }
    least = _MIN_SECTION_WORTH * max(scores.values(), default=0.0)
    on_page = frozenset(keywords(words(parsed.body)))
    best: list[tuple[float, UnusedSection]] = []
    for source, passages in split.items():
        scored = [
            (_worth(candidate, scores, on_page), candidate)
            for candidate in _unused_candidates(parsed, source, passages, scores)
        ]
        worth, candidate = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        if candidate is not None and worth >= least:
            best.append((worth, UnusedSection(candidate.passages[0], candidate.heading)))
    best.sort(key=lambda pair: -pair[0])
    return tuple(section for _, section in best[:MAX_UNUSED_SECTIONS])


def _unused_candidates(
    parsed: ParsedDraft,
    source: Source,
    passages: Sequence[Excerpt],
    scores: dict[Excerpt, float],
) -> Iterator[_Candidate]:
    """Yield a work that the page does not cite, else its sections without a quote on the page."""
    quotes = [
        letters_of(quote)
        for reference in parsed.references
        if reference.id == source.id
        for _, quote in reference.quotes
    ]
    is_cited = any(citation.reference_id == source.id for citation in parsed.citations)
    title = frozenset(keywords(source.title))
    if title & _OTHER_READERS_WORDS:
        return
    if not is_cited:
        telling = list(passages)
        if len(telling) > _MAX_WHOLE_PASSAGES:
            ranked = sorted(telling, key=lambda excerpt: -scores.get(excerpt, 0.0))
            best = frozenset(ranked[:_BEST_PASSAGES])
            telling = [excerpt for excerpt in passages if excerpt in best]
        yield _Candidate(source.title, telling)
        return
    about = frozenset(keywords(parsed.brief.title)) | _SAYS_NOTHING
    for headings, group in groupby(passages, key=lambda excerpt: excerpt.headings):
        section = list(group)
        title_stems = frozenset(keywords(words(headings[-1]))) if headings else frozenset()
        letters = letters_of(words(_text_of(section)))
        is_quoted = any(quote in letters for quote in quotes)
        if title_stems - about and not title_stems & _OTHER_READERS_WORDS and not is_quoted:
            yield _Candidate(" / ".join(headings[-2:]), section)


def _worth(candidate: _Candidate, scores: dict[Excerpt, float], on_page: frozenset[str]) -> float:
    """Return how much a section would add to a page."""
    text = _text_of(candidate.passages)
    score = max((scores.get(excerpt, 0.0) for excerpt in candidate.passages), default=0.0)
    if not score or len(text.split()) < _MIN_SECTION_WORDS:
        return 0.0
    counts = Counter(stem for stem in keywords(words(text)) if not stem[0].isdigit())
    new = sum(uses for stem, uses in counts.items() if stem not in on_page)
    share = new / max(1, counts.total())
    warnings = sum(len(warnings_in(excerpt)) for excerpt in candidate.passages)
    is_trouble = not _TROUBLE_WORDS.isdisjoint(keywords(candidate.heading))
    factor = _WARNINGLESS_FACTOR + _WARNING_BONUS * min(_MAX_COUNTED_WARNINGS, warnings)
    factor += _TITLE_BONUS * is_trouble
    return score * factor * (_KNOWN_WORDS + share)


def _text_of(passages: Iterable[Excerpt]) -> str:
    return "\n".join(excerpt.text for excerpt in passages)
