"""Find quotes of a page that their sources no longer contain, with the closest words that they have now. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import pairwise

from generator.citations import quotes, references
from generator.markdown.words import likeness
from generator.research.verify import Claim, name_commit
from generator.web.model import Fetched, Outcome

_TOKEN = re.compile(r"\w+")
_LIKE = 0.6
"""Minimum likeness of words that are shown beside a lost quote."""
_TRIED = 8
"""Number of places in a text that are compared with a quote."""


class Fate(StrEnum):
    """The fate of a cited quote in its source."""

    CHANGED = "changed"
    """The source has other words at that place."""
    REMOVED = "removed"
    """The source contains neither the quote nor anything like it."""
    GONE = "gone"
    """The source no longer exists."""


@dataclass(frozen=True, slots=True)
class StaleQuote:
    """A quote that its source no longer contains."""

    line: int
    """1-based; of the first citation of the quote, else of its work, else of the page."""
    claim: Claim
    key: str
    """The key of the quote; empty for a source that is gone and has no quotes."""
    quote: str
    fate: Fate
    reason: str
    closest: str = ""
    """The words of the source that are most like the quote; empty if there are none."""


def find_stale(text: str, claim: Claim, found: Sequence[Fetched], snapshot: str = "") -> Iterator[StaleQuote]:
    """Yield the stale quotes of one source of a page.

    Args:
        text: the page.
        claim: the page's claim about the source.
        found: the source as it is now, or the file at its commit followed by its later versions, newest first; empty
            if it was not read.
        snapshot: the text that the page was written from; empty if unknown.
    """
    is_pinned = bool(found and claim.pin and found[0].origin and found[0].origin.committed)
    if len(found) <= is_pinned:
        return
    current, cited = found[is_pinned], claim.reference.quotes
    lines = _citation_lines(text, claim.reference.id)
    if current.outcome is Outcome.GONE:
        reason = f"{current.reason} ({name_commit(current)})" if is_pinned else current.reason
        for key, quote in cited or [("", "")]:
            yield StaleQuote(lines[key], claim, key, quote, Fate.GONE, reason)
    elif current.outcome in {Outcome.OK, Outcome.MOVED}:
        old = quotes.readings(found[0].visible, found[0].text) if is_pinned else quotes.readings(snapshot, snapshot)
        where = name_commit(current) if is_pinned else f"the text of {current.fetched[:10]}"
        texts = quotes.readings(current.visible, current.text)
        for key, quote in cited:
            if not quotes.contains_quote(quote, texts):
                closest = closest_words(quote, current.visible or current.text, old)
                fate = Fate.CHANGED if closest else Fate.REMOVED
                reason = f"{where} {'has other words there' if closest else 'has nothing like it'}"
                yield StaleQuote(lines[key], claim, key, quote, fate, reason, closest)


def closest_words(quote: str, text: str, before: Iterable[str] = ()) -> str:
    """Return the words of `text` that are most like a quote, verbatim but for white space; empty if none are like it.

    Words that the earlier text, whose readings are `before`, had too are about something else.
    """
    tokens, wanted, earlier = list(_TOKEN.finditer(text)), _words(quote), tuple(before)
    words = [token[0].casefold() for token in tokens]
    best, most = "", _LIKE
    for first, last in _similar_places(words, wanted):
        similarity = likeness(words[first:last], wanted)
        if similarity < most:
            continue
        start, end = tokens[first].start(), tokens[last - 1].end()
        end += len(re.match(r"[^\s\w]*", text[end:])[0])  # type: ignore[index] # matches the empty string, too
        found = quotes.fold(text[start:end])
        if not quotes.contains_quote(found, earlier):
            best, most = found, similarity
    return best


def _words(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text)]


def _similar_places(words: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text's words that share the most pairs of words with the wanted ones."""
    pairs = defaultdict(list)
    for n, pair in enumerate(pairwise(wanted)):
        pairs[pair].append(n)
    votes = Counter(n - m for n, pair in enumerate(pairwise(words)) for m in pairs.get(pair, ()))
    for offset, _ in votes.most_common(_TRIED):
        low = max(0, offset)
        blocks = SequenceMatcher(None, words[low : offset + 2 * len(wanted)], wanted, autojunk=False)
        matches = blocks.get_matching_blocks()[:-1]
        if matches:
            yield low, min(len(words), low + matches[-1].a + len(wanted) - matches[-1].b)


def _citation_lines(text: str, id_: str) -> defaultdict[str, int]:
    """Return the line of the first citation of each quote of a work, by key; by default, of the work."""
    cited = [citation for citation in references.find_citations(text) if citation.reference == id_]
    default = cited[0].line if cited else 1
    return defaultdict(lambda: default, {c.locator: c.line for c in reversed(cited) if c.locator})
