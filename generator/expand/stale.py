"""Refresh a page: find quotes that their sources no longer contain, and replace only what rests on them. Pure."""

from __future__ import annotations

import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from enum import StrEnum
from itertools import pairwise

from generator.citations.identifiers import work_key
from generator.citations.pins import parse_file_url
from generator.citations.quotes import contains_quote, fold, readings, words
from generator.drafts import Source
from generator.page.terms import FUNCTION_WORDS, stem
from generator.research.verify import Claim, name_commit
from generator.rules.limits import MAX_QUOTE_WORDS
from generator.rules.support import KEPT, MARKS, tokenize
from generator.web.model import Fetched, Outcome

_READ = frozenset({Outcome.OK, Outcome.MOVED})
_TOKEN = re.compile(r"\w+")
_SAME_PLACE, _SHORT, _ELSEWHERE = 0.6, 0.75, 0.8
"""Minimum likeness of a new quote: in the same source, for a short quote, in another source."""
_LONG = 8
"""Number of words from which a quote is not short."""
_SLACK = 4
_TRIED = 8
"""Number of places in a text that are compared with a quote."""
_BEFORE = re.compile(r"(?:[.!?:][\"'”)\]]*\s+|\n[ \t]*\n\s*|\A)(?=\S)")
_END = re.compile(r"[.!?][\"'”)\]`*]*(?=\s|\Z)|(?=\n[ \t]*\n|\Z)")
_MOST_DIFF = 24
"""Maximum number of lines of a difference."""


class Change(StrEnum):
    """The fate of a cited quote in its source."""

    MOVED = "moved"
    """It is at other lines, below another heading, or at another address."""
    REWORDED = "reworded"
    """Its source has other words at that place."""
    REMOVED = "removed"
    """Its source contains neither the quote nor anything like it."""
    GONE = "gone"
    """Its source no longer exists."""
    UNREAD = "unread"
    """Its source could not be read, or nothing of it is quoted: nothing is known."""


@dataclass(frozen=True, slots=True)
class Match:
    """Words of a document that may replace a quote."""

    words: str
    """Verbatim but for white space."""
    fetched: Fetched
    is_elsewhere: bool = False
    """True if the document is another source."""


@dataclass(frozen=True, slots=True)
class StaleQuote:
    """A quote, or a whole source if `key` is empty, that needs attention."""

    claim: Claim
    key: str
    quote: str
    change: Change
    reason: str
    match: Match | None = None
    diff: tuple[str, ...] = ()
    """The difference at the cited lines of a file, as a unified diff."""
    lines: tuple[tuple[str, tuple[int, int]], ...] = ()
    """The lines of the reference's quotes in the newer version of the file, by key."""

    @property
    def needs_research(self) -> bool:
        """True if another source has to be found for it."""
        return bool(self.quote) and self.match is None and self.change in {Change.REMOVED, Change.GONE}


# --- compare ---------------------------------------------------------------------------------------------------------


def find_stale(claim: Claim, found: Sequence[Fetched], snapshot: str = "") -> tuple[StaleQuote, ...]:
    """Return what is stale about a claim.

    Args:
        claim: the page's claim about one source.
        found: the source as it is now, or the file at its commit followed by its later versions, newest first; empty
            if it was not read.
        snapshot: the text that the page was written from; empty if unknown.
    """
    if not found:
        return ()
    pinned = found[0] if claim.pin and found[0].origin and found[0].origin.committed else None
    if pinned and len(found) == 1:
        return ()
    current = found[1] if pinned else found[0]
    old = pinned or (replace(current, text=snapshot, visible=snapshot) if snapshot else None)
    is_lost = current.outcome is Outcome.GONE and (pinned is not None or claim.pin is None)
    if is_lost:
        reason = f"{current.reason} ({name_commit(current)})" if pinned else current.reason
        lost = claim.reference.quotes or (("", ""),)
        return tuple(StaleQuote(claim, key, quote, Change.GONE, reason) for key, quote in lost)
    if current.outcome not in _READ:
        reason = f"{current.outcome.value.replace('_', ' ')}: {current.reason}"
        return (StaleQuote(claim, "", "", Change.UNREAD, reason),)
    stale = list(_stale_quotes(claim, old, current, is_pinned=pinned is not None))
    if pinned and current.has_lines:
        spans = [(k, _same_lines(q, dict(claim.lines).get(k), pinned, current)) for k, q in claim.reference.quotes]
        lines = tuple((key, span) for key, span in spans if span)
        stale = [replace(one, lines=lines) for one in stale]
    if current.moved_to and not stale and claim.reference.quotes:
        stale.append(StaleQuote(claim, "", "", Change.MOVED, current.moved_to))
    is_changed = current.sha256 != (pinned.sha256 if pinned else claim.sha256 or current.sha256)
    if is_changed and not claim.reference.quotes:
        span = claim.pin.lines if claim.pin else None
        diff = diff_at(pinned, current, span) if pinned else ()
        if not (span and not diff):
            reason = "its text has changed, and the page quotes nothing from it"
            stale.append(StaleQuote(claim, "", "", Change.UNREAD, reason, diff=diff))
    return tuple(stale)


def _stale_quotes(claim: Claim, old: Fetched | None, current: Fetched, *, is_pinned: bool) -> Iterator[StaleQuote]:
    texts = readings(current.visible, current.text)
    before = readings(old.visible, old.text) if old else ()
    where = name_commit(current) if is_pinned else f"the text of {current.fetched[:10]}"
    for key, quote in claim.reference.quotes:
        span = dict(claim.lines).get(key) or (lines_of(quote, old) if old else None)
        if contains_quote(quote, texts):
            if old and old.sha256 != current.sha256 and _is_moved(quote, span, old, current):
                yield StaleQuote(claim, key, quote, Change.MOVED, "")  # counted, not described
            continue
        diff = diff_at(old, current, span) if is_pinned and old else ()
        match = find_match(quote, current, before)
        change = Change.REWORDED if match else Change.REMOVED
        reason = "has other words at that place" if match else "contains neither the quote nor anything like it"
        yield StaleQuote(claim, key, quote, change, f"{where} {reason}", match, diff)


def find_elsewhere(stale: StaleQuote, sources: Iterable[Source]) -> StaleQuote:
    """Return a quote that its source has lost, with its match in another source if there is one."""
    best: tuple[float, Match] | None = None
    own = {_work(address) for address in (stale.claim.url, stale.claim.pin and stale.claim.pin.url) if address}
    for source in sources if len(_keys(stale.quote)) >= _LONG else ():
        fetched = source.fetched
        if _work(fetched.url) in own:
            continue
        if contains_quote(stale.quote, readings(fetched.visible, fetched.text)):
            best = (2.0, Match(stale.quote, fetched))
            break
        match = find_match(stale.quote, fetched, least=_ELSEWHERE)
        score = likeness(stale.quote, match.words) if match else 0.0
        if match and (best is None or score > best[0]):
            best = (score, match)
    return replace(stale, match=replace(best[1], is_elsewhere=True)) if best else stale


def _work(url: str) -> str:
    """Return the same key for all addresses of a work, or of a repository's file at any commit."""
    file = parse_file_url(url)
    return f"{file.key}/{file.path}" if file else work_key(url)


def find_match(quote: str, fetched: Fetched, before: Iterable[str] = (), least: float = 0.0) -> Match | None:
    """Return the words of a document that are most like `quote`, in whole sentences if it is whole sentences.

    ``None`` if none are like it, or if the text that the quote is from, whose readings are `before`, had them too: then
    they are about something else.
    """
    text, wanted, before = fetched.visible or fetched.text, _keys(quote), tuple(before)
    least = least or (_SAME_PLACE if len(wanted) >= _LONG else _SHORT)
    tokens = list(_TOKEN.finditer(text))
    keys = [token[0].casefold() for token in tokens]
    texts = readings(fetched.visible, fetched.text)
    best: tuple[float, str] | None = None
    for start, end in _places(keys, wanted):
        ends = keys[start] == wanted[0], keys[end - 1] == wanted[-1]
        span = _whole(text, tokens[start].start(), tokens[end - 1].end(), quote, ends)
        found = _verbatim(text[slice(*span)], quote, texts)
        score = likeness(quote, found)
        is_new = not contains_quote(found, before) and len(found.split()) <= MAX_QUOTE_WORDS
        if found and score >= least and is_new and (best is None or score > best[0]):
            best = score, found
    return Match(best[1], fetched) if best else None


def _keys(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text)]


def likeness(one: str, two: str) -> float:
    """Return how similar the words of two texts are, from 0 to 1."""
    return SequenceMatcher(None, _keys(one), _keys(two), autojunk=False).ratio()


def is_same_statement(one: str, two: str) -> bool:
    """Return whether two similar quotes differ in their wording only.

    They do not if a number, a word that negates or limits, a name or a word with another meaning differs.
    """
    before, after = ([token for token in tokenize(text) if token.key not in MARKS] for text in (one, two))
    keys = [[token.at_start or token.key for token in tokens] for tokens in (before, after)]
    for tag, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        changed = [before[a:b], after[c:d]] if tag != "equal" else []
        if any(token.key.casefold() in KEPT or re.search(r"\d|_", token.key) for tokens in changed for token in tokens):
            return False
        said = [[t.text for t in tokens if t.text.casefold() not in FUNCTION_WORDS] for tokens in changed]
        if all(said) and changed and ([*map(stem, said[0])] != [*map(stem, said[1])]):
            return False
    return likeness(one, two) >= _ELSEWHERE


def _places(keys: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text's words that share the most pairs of words with the wanted ones."""
    pairs = defaultdict(list)
    for n, pair in enumerate(pairwise(wanted)):
        pairs[pair].append(n)
    votes = Counter(n - m for n, pair in enumerate(pairwise(keys)) for m in pairs.get(pair, ()))
    for offset, _ in votes.most_common(_TRIED):
        low, high = max(0, offset - _SLACK), offset + len(wanted) + _SLACK + len(wanted) // 2
        blocks = SequenceMatcher(None, keys[low:high], wanted, autojunk=False).get_matching_blocks()[:-1]
        if blocks:
            first, last = blocks[0], blocks[-1]
            start = max(0, low + first.a - first.b)
            yield start, min(len(keys), low + last.a + len(wanted) - last.b)


def _whole(text: str, start: int, end: int, quote: str, ends: tuple[bool, bool]) -> tuple[int, int]:
    """Return a span extended to whole words, and to whole sentences where the quote begins or ends one.

    `ends` says whether its first and last word are those of the quote.
    """
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    if quote[:1].isupper() and not ends[0]:
        begins = [match.end() for match in _BEFORE.finditer(text, max(0, start - 200), start + 1)]
        start = begins[-1] if begins and len(text[begins[-1] : start].split()) <= _LONG else start
    elif not quote[:1].isupper() or quote[:1] != text[start]:
        start += len(text[start:end]) - len(text[start:end].lstrip("\"'“(*_"))
    if quote.rstrip("\"'”)").endswith((".", "!", "?")) and not ends[1]:
        close = _END.search(text, max(start, end - 3))
        end = close.end() if close and len(text[end : close.end()].split()) <= 2 * _LONG else end
    elif not quote.endswith(text[end - 1]):
        end -= len(text[start:end]) - len(text[start:end].rstrip(".,;:!?\"'”*_"))
    if "\n" in quote.strip():
        stop = text.find("\n", end)
        start, end = text.rfind("\n", 0, start) + 1, stop if stop >= 0 else len(text)
    return start, end


def _verbatim(found: str, quote: str, texts: Iterable[str]) -> str:
    """Return the words of a span as a quote, without markup if `quote` has none; empty if they are not in the texts."""
    if "\n" in quote.strip():
        return textwrap.dedent(found).strip("\n").rstrip()
    forms = (words(found), fold(found)) if words(quote) == fold(quote) else (fold(found),)
    return next((form for form in forms if contains_quote(form, texts)), "")


# --- places ----------------------------------------------------------------------------------------------------------


def _locate(quote: str, text: str) -> list[re.Match[str]]:
    """Return the places of a quote's words in a text, with any marks between them."""
    pattern = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", quote)))
    return list(re.finditer(pattern, text)) if pattern else []


def lines_of(quote: str, fetched: Fetched) -> tuple[int, int] | None:
    """Return the first and last line of a document's text with the words of a quote, 1-based; of several, the first."""
    return next(iter(_spans(quote, fetched)), None)


def _spans(quote: str, fetched: Fetched) -> list[tuple[int, int]]:
    return [(fetched.line_at(m.start()), fetched.line_at(m.end())) for m in _locate(quote, fetched.text)]


def _same_lines(quote: str, was: tuple[int, int] | None, old: Fetched, current: Fetched) -> tuple[int, int] | None:
    """Return the lines of a quote in another version of a file: of several places, the one with the same number."""
    before, after = _spans(quote, old), _spans(quote, current)
    return after[min(before.index(was) if was in before else 0, len(after) - 1)] if after else None


def heading_of(quote: str, fetched: Fetched) -> str:
    """Return the heading above a quote in a document whose text is Markdown; empty if there is none."""
    end = next((found.start() for found in _locate(quote, fetched.text)), 0)
    above = re.findall(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", fetched.text[:end], re.MULTILINE)
    return words(above[-1]) if above else ""


def _is_moved(quote: str, was: tuple[int, int] | None, old: Fetched, current: Fetched) -> bool:
    """Return whether a quote is at other lines, in a renamed file, or below another heading. `was` is its place."""
    if not (current.has_lines and old.has_lines):
        headings = {heading_of(quote, old), heading_of(quote, current)}
        return len(headings) > 1 and "" not in headings
    is_renamed = current.origin and old.origin and current.origin.path != old.origin.path
    return bool(is_renamed) or (was or ()) != (_same_lines(quote, was, old, current) or was or ())


def diff_at(old: Fetched, current: Fetched, span: tuple[int, int] | None) -> tuple[str, ...]:
    """Return the difference of two versions of a file at some of its lines, or all, as lines of a unified diff."""
    whole = list(unified_diff(old.text.split("\n"), current.text.split("\n"), n=1, lineterm=""))[2:]
    found: list[str] = []
    is_there = False
    for line in whole:
        if hunk := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            first, length = int(hunk[1]), int(hunk[2] or 1)
            is_there = span is None or (first <= span[1] and first + length > span[0])
        found += [line] if is_there else []
    more = len(found) - _MOST_DIFF
    return (*found[:_MOST_DIFF], f"… {more} more lines") if more > 1 else tuple(found)
