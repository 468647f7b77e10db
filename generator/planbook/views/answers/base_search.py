"""The search of a base for programs: pages by their words, with the passages that match best."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from planbook.library.names import natural_order
from planbook.views.answers.answer_size import Answer, fit_rows, short_field
from planbook.views.answers.base_answers import Base, citations_in
from planbook.views.search import WORD, split_word

PASSAGES, PASSAGE_CHARS = 2, 300
"""Passages for each page found, and their length."""
_NO_MATCH = r"(?!)"
"""A pattern that matches nothing."""


@dataclass(frozen=True, slots=True)
class _Query:
    """The words that are searched for."""

    clauses: Sequence[Sequence[str]]
    """The terms of each word: the whole, without hyphens, and its parts."""
    phrase: str
    """All words in lower case, with single spaces."""
    exact: re.Pattern[str]
    """Finds the phrase where no word goes on before or behind it."""


def _read_query(query: str) -> _Query:
    clauses = [split_word(word) for word in WORD.findall(query) if split_word(word)]
    phrase = " ".join(query.lower().split())
    pattern = rf"(?<!\w)(?<!\w[._-]){re.escape(phrase)}(?![._-]*\w)" if phrase else _NO_MATCH
    return _Query(clauses, phrase, re.compile(pattern))


@dataclass(frozen=True, slots=True)
class _Hit:
    """A page that a search has found."""

    uri: str
    is_exact: bool
    """True if it has the query's words in this order."""
    score: float
    """Grows with the query's words that it has: rare ones, and those that it has often, more."""

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Its place among others: exact ones first, then by score, then as people order names."""
        return (not self.is_exact, -self.score, natural_order(self.uri), self.uri)


def search(base: Base, query: str, offset: int, room: int) -> Answer:
    """Return the pages that match `query`, with the best passages of each.

    Those with exactly its words come first.
    """
    wanted = _read_query(query)

    def show(hit: _Hit) -> Answer:
        """Return a page found."""
        page = base.library.page_by_uri[hit.uri]
        answer = {"id": page.uri, "title": short_field(page.title), "is_exact": hit.is_exact}
        about = {"description": short_field(page.description)}
        return {**answer, **about, "passages": _best_pieces(base, page.uri, wanted)}

    hits = sorted(_find_hits(base, wanted), key=lambda hit: hit.sort_key)
    return fit_rows({}, "results", hits, show, offset, room)


def _find_hits(base: Base, query: _Query) -> Iterator[_Hit]:
    """Yield the pages that have a word of a query, or its phrase."""
    terms_of_query = [term for clause in query.clauses for term in clause]
    weights = {term: base.index.weights_of(term) for term in terms_of_query}
    rarity = {term: math.log(1 + len(base.texts) / (len(on) + 0.5)) for term, on in weights.items()}
    for n, (uri, text) in enumerate(base.texts.items()):
        held = [
            _held(clause, [term for term in clause if n in weights[term]])
            for clause in query.clauses
        ]
        score = sum(
            rarity[term] * weights[term][n] / len(terms) for terms in held for term in terms
        )
        covered = sum(
            rarity[clause[0]] for clause, terms in zip(query.clauses, held, strict=True) if terms
        )
        # The index has words alone; a query of signs, such as `->`, is looked up in each text.
        may_have_phrase = bool(covered) or not query.clauses
        is_exact = (
            may_have_phrase
            and query.phrase in text.folded
            and query.exact.search(text.folded) is not None
        )
        if covered or is_exact:
            yield _Hit(uri, is_exact, score * covered**2)


def _held(clause: Sequence[str], held: Container[str]) -> Sequence[str]:
    """Return the terms of a word that a page or section holds.

    That is the whole word, else all of its parts, else none.
    """
    first = clause[0]
    without_hyphens = first.replace("-", "")
    word, *pieces = (term for term in clause if term != without_hyphens or term == first)
    if word in held:
        return [word]
    has_all_pieces = bool(pieces) and all(piece in held for piece in pieces)
    return pieces if has_all_pieces else []


def _best_pieces(base: Base, uri: str, query: _Query) -> list[Answer]:
    """Return the pieces of a page that match best: with the phrase, then with most of its terms."""
    page, rated = base.texts[uri], []
    for n, piece in enumerate(page.pieces):
        lower = f"{piece.title}\n{page.text_of(piece)}".lower()
        if held := [term for clause in query.clauses for term in _held(clause, lower)]:
            rated.append((not query.exact.search(lower), -len(held), n, piece, held))
    passages = []
    for _, _, _, piece, held in sorted(rated)[:PASSAGES]:
        text = page.text_of(piece)
        lower = text.lower()
        hit = query.exact.search(lower)
        at = hit.start() if hit else max(0, min(map(lower.find, held)))
        start = text.rfind(" ", 0, max(0, at - PASSAGE_CHARS // 3)) + 1
        # Without titles, addresses and quotes, which are longer than the passage; `fetch` has them.
        cited = [
            {key: citation[key] for key in ("id", "state", "since") if key in citation}
            for citation in citations_in(base, uri, piece.start, piece.end)[:10]
        ]
        passages.append(
            {
                "section": piece.title[:200],
                "text": text[start : start + PASSAGE_CHARS],
                "citations": cited,
            }
        )
    return passages
