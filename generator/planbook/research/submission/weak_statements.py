"""Statements of a page whose quotes carry least of them. Pure.

A program cannot tell whether a quote carries a statement. It can tell which words of the statement
no quote has, how telling these are in the works, and whether another passage has them. Those with
most such words are what a reader marks as carried in part; the writer sees them before that.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from planbook.citations.grounds import MARK
from planbook.citations.quotes import words
from planbook.markdown.words import keywords
from planbook.research.drafts import Excerpt, Source
from planbook.research.evidence.passages import excerpts
from planbook.research.evidence.rank import PointQuery, rank
from planbook.research.proof.cited_texts import CitedText, cited_labels, cited_texts
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import letters_of

MAX_WEAK_STATEMENTS = 12
"""Number of statements that are listed: a writer looks at each of them."""
_MIN_LACK = 1.3
"""The least lack of a statement that is listed: about three telling words of six."""
_MAX_MISSING_WORDS = 8
"""Number of missing words that are named."""
_UNKNOWN_WORD_FACTOR = 0.6
"""The factor of a word that no work has: it is the writer's own more often than a mistake."""
_INSTRUCTION_FACTOR = 0.35
"""The factor of words with which a page tells its reader what to do."""
_SIMILAR_WORD_FACTOR = 0.2
"""The factor of a word that begins like one of the quotes: ``expiry`` and ``expired``."""
_SAME_BEGINNING = 5
"""Number of letters by which words are alike."""
_INSTRUCTIONS = frozenset(
    keywords(
        "look see check read wait put keep let repair mend follow begin go going take make made "
        "add set use ask open find found try first next last say stand give get got hold mean need "
        "want turn come came new old one two same another nothing nobody everything right wrong "
        "place way safe case help run stop start itself themselves yourself anew good bad few many "
        "part"
    )
)
_LOOKED_AT = 15
"""Number of passages near a statement among which one with its missing words is looked for."""
_MIN_SHARE_OF_MISSING = 0.6
"""The least share of what is missing that a passage has which is named."""
_ROW = re.compile(r"[ \t]*\|")
"""The beginning of a row of a table."""
_OWN_LINK = re.compile(r"\[([^\]\n]*)\]\(#[^)\n]*\)")
"""A link to another part of the page, whose text is its heading."""
_TERM = re.compile(r"[^\s,;()\[\]{}“”\"|]+")
_VISIBLE_MARK = re.compile(r"\((?:deduced|advice|measured|not found|example[^()]{0,20})\)")
"""A mark in visible text: what has it rests on something else than its quotes."""
_FIRST_CHARS = 12
"""Characters by which a cell is known in its row."""
_SIGNS = "`'*_.:!?<>=…"


@dataclass(frozen=True, slots=True)
class WeakStatement:
    """A statement with words that none of its quotes has."""

    line: int
    """The line of the page, 1-based."""
    text: str
    """Its visible text; of a row, its cells."""
    missing: tuple[str, ...]
    """Those of its words that no quote has, the most telling ones first."""
    quotes: tuple[str, ...]
    lack: float
    """The weight of what its quotes lack, greater than 0."""
    nearest: Excerpt | None = None
    """Another passage that has most of the missing words."""


@dataclass
class _QuotedStatement:
    """A sentence, or the cells of a row, with the quotes that are to carry it."""

    start: int
    texts: list[str] = field(default_factory=list)
    quotes: dict[tuple[str, str], str] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """Its visible text."""
        return " | ".join(dict.fromkeys(text.replace("`", "") for text in self.texts))

    def order_by(self, row: str) -> None:
        """Put its cells into the order of the visible text of its row."""
        self.texts.sort(key=lambda text: row.find(text.replace("`", "")[:_FIRST_CHARS]))


def find_weak_statements(parsed: ParsedDraft, works: Sequence[Source]) -> tuple[WeakStatement, ...]:
    """Return the statements of a page whose quotes carry least of them, the weakest first.

    Args:
        parsed: the page, with its quotes.
        works: those that were gathered for it, or that it cites.
    """
    passages = [excerpt for source in works for excerpt in excerpts(source, 1)]
    weights = _Weights(parsed, passages)
    judged = [weights.judged(statement) for statement in _statements(parsed) if statement.quotes]
    weak = [statement for statement in judged if statement.lack >= _MIN_LACK]
    weak = sorted(weak, key=lambda statement: -statement.lack)[:MAX_WEAK_STATEMENTS]
    queries = [PointQuery(statement.text) for statement in weak]
    near = rank(passages, queries) if queries else []
    return tuple(
        weights.with_nearest(statement, [hit.excerpt for hit in hits[:_LOOKED_AT]])
        for statement, hits in zip(weak, near, strict=True)
    )


def _statements(parsed: ParsedDraft) -> Iterator[_QuotedStatement]:
    """Yield the sentences and rows that cite quotes, each once."""
    quotes_by_reference = {reference.id: dict(reference.quotes) for reference in parsed.references}
    rows: dict[int, _QuotedStatement] = defaultdict(lambda: _QuotedStatement(0))
    texts = (cited for cited in cited_texts(parsed) if not _is_marked(parsed, cited))
    for cited in (*cited_labels(parsed), *texts):
        if _VISIBLE_MARK.search(cited.said):
            continue
        line = parsed.body.rfind("\n", 0, cited.start) + 1
        is_row = _ROW.match(parsed.body, line) is not None
        statement = rows[line] if is_row else _QuotedStatement(cited.start)
        statement.start = line if is_row else cited.start
        statement.texts.append(cited.said)
        for citation in cited.citations:
            name, key = citation.reference_id, citation.locator or ""
            quote = quotes_by_reference.get(name, {}).get(key)
            if quote:
                statement.quotes[name, key] = quote
        if not is_row:
            yield statement
    for statement in rows.values():
        statement.order_by(words(parsed.body[statement.start :].partition("\n")[0]))
        yield statement


def _is_marked(parsed: ParsedDraft, cited: CitedText) -> bool:
    """Return whether a statement that cites has another ground than its quotes."""
    at = cited.citations[0].group_end
    if parsed.is_marked(at):
        return True
    cell, bar, _ = parsed.body[at:].partition("\n")[0].partition("|")
    return bool(bar) and MARK.search(cell) is not None


class _Weights:
    """The weights of words in the passages of a page, and what statements lack by them."""

    def __init__(self, parsed: ParsedDraft, passages: Sequence[Excerpt]) -> None:
        self._parsed = parsed
        self._known = frozenset(keywords(parsed.brief.title))
        self._stems = {id(passage): frozenset(keywords(passage.text)) for passage in passages}
        self._counts = Counter(stem for stems in self._stems.values() for stem in stems)
        self._most = math.log(len(passages) + 2)

    def _weight(self, stem: str) -> float:
        """Return how telling a word is: 0 if all passages have it, 1 if one has."""
        passage_count = self._counts[stem]
        factor = 1.0 if passage_count else _UNKNOWN_WORD_FACTOR
        if stem in _INSTRUCTIONS:
            factor *= _INSTRUCTION_FACTOR
        return factor * (1 - math.log(passage_count + 1) / self._most)

    def judged(self, statement: _QuotedStatement) -> WeakStatement:
        """Return a statement with what its quotes lack."""
        quotes = tuple(dict.fromkeys(statement.quotes.values()))
        missing, total = self._missing_terms(statement, quotes)
        lack = sum(missing.values())
        line = self._parsed.line(statement.start)
        ordered = sorted(missing, key=lambda term: -missing[term])[:_MAX_MISSING_WORDS]
        worth = lack * math.sqrt(lack / total) if lack else 0.0
        return WeakStatement(line, statement.text, tuple(ordered), quotes, worth)

    def _missing_terms(
        self, statement: _QuotedStatement, quotes: Sequence[str]
    ) -> tuple[Mapping[str, float], float]:
        """Return the words that no quote has, with their weights, and the weight of all words."""
        skipped = self._known | self._words_of_own_links(statement)
        quoted = _Quoted("\n".join(quotes))
        missing: dict[str, float] = {}
        total = 0.0
        terms = (match[0].strip(_SIGNS) for match in _TERM.finditer(statement.text))
        for term in dict.fromkeys(terms):
            stems = [stem for stem in keywords(term) if stem not in skipped]
            total += max(map(self._weight, stems), default=0.0)
            lacking = quoted.lacks(term, stems)
            if lacking:
                missing[term] = max(self._lack_of(stem, quoted) for stem in lacking)
        return missing, total

    def _words_of_own_links(self, statement: _QuotedStatement) -> frozenset[str]:
        """Return the words of the links on the line of a statement to other parts of the page."""
        line = self._parsed.body[statement.start :].partition("\n")[0]
        return frozenset(word for text in _OWN_LINK.findall(line) for word in keywords(words(text)))

    def _lack_of(self, stem: str, quoted: _Quoted) -> float:
        return self._weight(stem) * (_SIMILAR_WORD_FACTOR if quoted.has_word_like(stem) else 1)

    def with_nearest(self, weak: WeakStatement, near: Sequence[Excerpt]) -> WeakStatement:
        """Return a weak statement with the passage that has most of what is missing."""
        wanted = {term: frozenset(keywords(term)) for term in weak.missing}
        quoted = [letters_of(quote) for quote in weak.quotes]
        best, most = None, 0.0
        total = sum(map(self._weight_of, wanted.values()))
        for excerpt in near:
            stems = self._stems.get(id(excerpt), frozenset())
            share = sum(
                self._weight_of(stems_of_term)
                for stems_of_term in wanted.values()
                if stems_of_term <= stems
            )
            letters = letters_of(words(excerpt.text))
            is_quoted = any(quote in letters for quote in quoted)
            if share > most and not is_quoted:
                best, most = excerpt, share
        is_enough = best is not None and most >= _MIN_SHARE_OF_MISSING * total
        return replace(weak, nearest=best if is_enough else None)

    def _weight_of(self, stems: frozenset[str]) -> float:
        return max(map(self._weight, stems), default=0.0)


class _Quoted:
    """The words of the quotes of a statement."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stems = frozenset(keywords(text))
        self._beginnings = {stem[:_SAME_BEGINNING] for stem in self._stems if _is_long(stem)}

    def lacks(self, term: str, stems: Sequence[str]) -> Sequence[str]:
        """Return the stems of a word that the quotes lack; of a name, those of its parts."""
        if not stems or self._has_figure(term):
            return ()
        is_name = not stems[0].isalnum()  # its parts follow it: `core.autocrlf`, `core`, `auto`
        if is_name and stems[0] in self._stems:
            return ()
        needed_stems = stems[1:] if is_name and len(stems) > 1 else stems
        return [stem for stem in needed_stems if stem not in self._stems]

    def has_word_like(self, stem: str) -> bool:
        """Return whether the quotes have a word that begins alike."""
        return _is_long(stem) and stem[:_SAME_BEGINNING] in self._beginnings

    def _has_figure(self, term: str) -> bool:
        """Return whether they have a number or version, with or without the ``v`` before it."""
        bare = term.removeprefix("v")
        if not bare[:1].isdigit():
            return False
        return re.search(rf"(?<![\d.]){re.escape(bare)}(?!\d)", self._text) is not None


def _is_long(stem: str) -> bool:
    """Return whether a word is long enough for another one to be like it."""
    return len(stem) >= _SAME_BEGINNING and stem.isalpha()
