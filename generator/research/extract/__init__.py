"""Extract the passages that answer a PART's points from its sources. Pure: the same texts give the same passages.

::

    Source ─> blocks ───────────────> passages ─> distinct ─> ranking ─────────────────> Evidence
              Markdown, sentences     no junk                 BM25, balanced by site

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from generator.citations.quotes import fold, words
from generator.citations.source_lists import lists_sources
from generator.drafts import Brief, Evidence, Excerpt, Passage, PassageKind, Ranked, Source, group_excerpts
from generator.markdown.words import tokens
from generator.model import Section
from generator.research.extract.passages import passages
from generator.research.extract.ranking import Index, Point, Unit, choose, point_terms

DEFAULT_LINES = 60
"""Line budget of a section without one."""


def evidence(brief: Brief, sources: Sequence[Source]) -> tuple[Evidence, ...]:
    """Return the passages that answer each point of the outline, in its order; a section without points is one point.

    A section that lists the sources needs no evidence. The order of `sources` makes no difference.
    """
    ordered = sorted((source for source in sources if source.fetched.text), key=lambda source: source.id)
    by_id = {source.id: source for source in ordered}
    every = [unit for n, source in enumerate(ordered, 1) for unit in group_excerpts(passages(source, n))]
    every.sort(key=lambda unit: bool(by_id[unit[0].source].queries))  # of duplicates, keep the one that the plan names
    said = [tokens(_words(unit)) for unit in every]
    kept = distinct(said)
    units = [every[n] for n in kept]
    numbered = [
        Unit(n, unit[0].source, by_id[unit[0].source].site, len(unit), sum(map(_lines, unit)))
        for n, unit in enumerate(units)
    ]
    kinds = [frozenset(passage.kind for passage in unit) for unit in units]
    index = Index([(said[n], _context(every[n], by_id), kinds[place]) for place, n in enumerate(kept)])
    rows = [(n, section, point) for n, section in enumerate(brief.outline) for point in _points(section)]
    points = []
    for n, section, text in rows:
        wanted = point_terms(text, " ".join((section.title, *section.include)), brief.title)
        points.append(Point(n, tuple((numbered[number], score) for number, score in index.ranked(wanted))))
    index.close()
    choose(points, [_room(section) for section in brief.outline])
    return tuple(
        Evidence(
            section=n,
            point=text,
            passages=tuple(passage for unit, _ in point.chosen for passage in units[unit.number]),
            elsewhere=() if point.chosen else tuple(dict.fromkeys(point.left_out)),
            ranked=tuple(
                Ranked(
                    Excerpt(
                        units[unit.number],
                        by_id[unit.source].fetched.title or "",
                        by_id[unit.source].fetched.url,
                        words(units[unit.number][0].text.split("\n\n")[0])
                        if "\n\n" in units[unit.number][0].text
                        else "",
                    ),
                    score,
                    0.0,
                )
                for unit, score in point.answers[:20]
            ),
        )
        for (n, _, text), point in zip(rows, points, strict=True)
    )


def _points(section: Section) -> tuple[str, ...]:
    return () if lists_sources(section.title) else section.points or (section.title,)


def _room(section: Section) -> int:
    """Return the number of lines that a section has for quotes: its budget, less its headings."""
    lines = section.lines_budget.high if section.lines_budget else DEFAULT_LINES
    return lines - 2 - 2 * len(_points(section))


def _lines(passage: Passage) -> int:
    """Return the number of lines that a passage takes on a page, including its lead-in and the empty lines."""
    if passage.kind is PassageKind.PROSE:
        return 4
    return passage.text.count("\n") + (6 if passage.kind is PassageKind.CODE else 7)


def _words(unit: Sequence[Passage]) -> str:
    return " ".join(words(p.text) if p.is_markdown else fold(p.text) for p in unit)


def _context(unit: Sequence[Passage], by_id: dict[str, Source]) -> str:
    """Return the headings above, or the document's title if there are none."""
    headings = unit[0].headings or (by_id[unit[0].source].fetched.title or "",)
    return " ".join(headings)


# --- duplicates ----------------------------------------------------------------------------------------------------

RUN = 5
"""Length in words of the shingles that are compared."""
ALIKE = 0.6
"""Minimum share of the shorter text's shingles in the other text for the two to be duplicates."""


def distinct(texts: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the indexes of the texts that are no duplicate of an earlier one. Of similar texts, the first is kept.

    Each text is given as its words.
    """
    kept: dict[int, frozenset[tuple[str, ...]]] = {}
    holding: dict[tuple[str, ...], list[int]] = {}
    for n, text in enumerate(texts):
        runs = frozenset(_runs(text))
        shared = Counter(other for run in runs for other in holding.get(run, ()))
        if any(count >= ALIKE * min(len(runs), len(kept[other])) for other, count in shared.items()):
            continue
        kept[n] = runs
        for run in runs:
            holding.setdefault(run, []).append(n)
    return tuple(kept)


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for n in range(max(1, len(words) - RUN + 1)):
        yield tuple(words[n : n + RUN])
