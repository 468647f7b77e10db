"""Points of a plan of which a submitted page says nothing, as far as words tell. Pure.

A point is answered where two sentences in a row, or a row of a table, have nearly half of its
words, or where its section has most of them. See `planbook.research.evidence.acceptance`.
"""

from __future__ import annotations

from collections.abc import Iterator

from planbook.citations.quotes import fold, words
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import sentences_of
from planbook.research.evidence.acceptance import share_of_words, telling_words
from planbook.research.proof.parsed_draft import ParsedDraft

_MIN_POINT_WORDS = 3
"""Words of a point from which on their share means something."""
_MIN_SHARE_IN_SENTENCES = 0.45
"""The least share of the words of a point in sentences that may answer it."""
_MIN_SHARE_IN_SECTION = 2 / 3
"""The same in the whole section of the point."""
_TEXTS = frozenset({"CodeBlock", "Item", "Paragraph", "TableRow"})


def find_unanswered_points(parsed: ParsedDraft) -> tuple[str, ...]:
    """Return the points of which no sentence of a page has a fair share of the words."""
    titles = {fold(plain_text(section.title)) for section in parsed.brief.outline}
    texts = list(_texts_by_section(parsed, titles))
    pairs = list(sentence_pairs(parsed))
    headings = {fold(heading) for _, heading, _ in texts}
    unanswered = []
    for section in parsed.brief.outline:
        title = fold(plain_text(section.title))
        whole = " ".join(f"{heading} {text}" for within, heading, text in texts if within == title)
        for point in section.points:
            can_tell = len(telling_words(point)) >= _MIN_POINT_WORDS
            if not can_tell or fold(plain_text(point)) in headings:
                continue
            is_in_section = share_of_words(point, whole) >= _MIN_SHARE_IN_SECTION
            is_said = any(share_of_words(point, pair) >= _MIN_SHARE_IN_SENTENCES for pair in pairs)
            if not is_in_section and not is_said:
                unanswered.append(plain_text(point))
    return tuple(dict.fromkeys(unanswered))


def sentence_pairs(parsed: ParsedDraft) -> Iterator[str]:
    """Yield every two sentences in a row of a page, behind the heading above them."""
    for _, heading, text in _texts_by_section(parsed, set()):
        for pair in _sentence_pairs(text):
            yield f"{heading}. {pair}"


def _texts_by_section(parsed: ParsedDraft, titles: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each paragraph, item, row and block of code below its section and nearest heading."""
    section = heading = ""
    for node in parsed.nodes:
        if node.name == "Heading":
            heading = words(parsed.source_of(node))
            is_section = fold(heading) in titles
            section = fold(heading) if is_section else section
        elif node.name in _TEXTS:
            yield section, heading, words(parsed.source_of(node))


def _sentence_pairs(text: str) -> Iterator[str]:
    """Yield every two sentences in a row of a text."""
    sentences = sentences_of(text) or [text]
    for n in range(max(1, len(sentences) - 1)):
        yield " ".join(sentences[n : n + 2])
