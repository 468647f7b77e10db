"""Refresh a page: find quotes that their sources no longer contain, and replace only what rests on them. Pure."""

from __future__ import annotations

import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher, unified_diff
from enum import StrEnum
from itertools import pairwise

from generator.citations.identifiers import work_key
from generator.citations.pins import parse_file_url
from generator.citations.quotes import contains_quote, fold, readings, words
from generator.drafts import Source
from generator.markdown.words import FUNCTION_WORDS, stem
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
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The lines of the reference's quotes in the newer version of the file, by key."""

    @property
    def needs_research(self) -> bool:
        """True if another source has to be found for it."""
        return bool(self.quote) and self.match is None and self.change in {Change.REMOVED, Change.GONE}


# --- compare ---------------------------------------------------------------------------------------------------------


def find_stale(claim: Claim, found: Sequence[Fetched], snapshot: str = "") -> Iterator[StaleQuote]:
    """Yield what is stale about a claim.

    Args:
        claim: the page's claim about one source.
        found: the source as it is now, or the file at its commit followed by its later versions, newest first; empty
            if it was not read.
        snapshot: the text that the page was written from; empty if unknown.
    """
    pinned = found[0] if found and claim.pin and found[0].origin and found[0].origin.committed else None
    if len(found) <= bool(pinned):
        return
    current, quotes = found[bool(pinned)], claim.reference.quotes
    if current.outcome is Outcome.GONE and (pinned or claim.pin is None):
        reason = f"{current.reason} ({name_commit(current)})" if pinned else current.reason
        yield from (StaleQuote(claim, key, quote, Change.GONE, reason) for key, quote in quotes or [("", "")])
    elif current.outcome not in _READ:
        yield StaleQuote(claim, "", "", Change.UNREAD, f"{current.outcome.value.replace('_', ' ')}: {current.reason}")
    elif quotes:
        old = pinned or (replace(current, text=snapshot, visible=snapshot) if snapshot else None)
        where = name_commit(current) if pinned else f"the text of {current.fetched[:10]}"
        stale = list(_stale_quotes(claim, old, current, where, is_pinned=bool(pinned)))
        if current.moved_to and not stale:
            yield StaleQuote(claim, "", "", Change.MOVED, current.moved_to)
        yield from stale
    elif current.sha256 != (pinned.sha256 if pinned else claim.sha256 or current.sha256):
        span = claim.pin.lines if claim.pin else None
        diff = diff_at(pinned, current, span) if pinned else ()
        if diff or not span:
            reason = "its text has changed, and the page quotes nothing from it"
            yield StaleQuote(claim, "", "", Change.UNREAD, reason, diff=diff)


def _stale_quotes(
    claim: Claim, old: Fetched | None, current: Fetched, where: str, *, is_pinned: bool
) -> Iterator[StaleQuote]:
    texts = readings(current.visible, current.text)
    before = readings(old.visible, old.text) if old else ()
    was, lines = dict(claim.lines), dict[str, tuple[int, int]]()
    if old:
        for key, quote in claim.reference.quotes:
            there, here = _spans(quote, old), _spans(quote, current)
            was |= {key: was.get(key) or there[0]} if there else {}
            n = there.index(was[key]) if was.get(key) in there else 0  # of several places, the one with this number
            lines |= {key: here[min(n, len(here) - 1)]} if here else {}
    for key, quote in claim.reference.quotes:
        if contains_quote(quote, texts):
            if old and _is_moved(quote, old, current, is_elsewhere=lines.get(key) != was.get(key)):
                yield StaleQuote(claim, key, quote, Change.MOVED, "")  # counted, not described
            continue
        diff = diff_at(old, current, was.get(key)) if is_pinned and old else ()
        match = find_match(quote, current, before)
        change = Change.REWORDED if match else Change.REMOVED
        reason = "has other words at that place" if match else "contains neither the quote nor anything like it"
        yield StaleQuote(claim, key, quote, change, f"{where} {reason}", match, diff, lines)


def find_elsewhere(stale: StaleQuote, sources: Iterable[Source]) -> StaleQuote:
    """Return a quote that its source has lost, with its match in another source if there is one."""
    own = {_work(address) for address in (stale.claim.url, stale.claim.pin and stale.claim.pin.url) if address}
    found: list[Match] = []
    for fetched in (source.fetched for source in sources) if len(_keys(stale.quote)) >= _LONG else ():
        is_there = contains_quote(stale.quote, readings(fetched.visible, fetched.text))
        match = Match(stale.quote, fetched) if is_there else find_match(stale.quote, fetched, least=_ELSEWHERE)
        found += [match] if match and _work(fetched.url) not in own else []
    best = max(found, key=lambda match: likeness(stale.quote, match.words), default=None)
    return replace(stale, match=replace(best, is_elsewhere=True)) if best else stale


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


def heading_of(quote: str, fetched: Fetched) -> str:
    """Return the heading above a quote in a document whose text is Markdown; empty if there is none."""
    end = next((found.start() for found in _locate(quote, fetched.text)), 0)
    above = re.findall(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", fetched.text[:end], re.MULTILINE)
    return words(above[-1]) if above else ""


def _is_moved(quote: str, old: Fetched, current: Fetched, *, is_elsewhere: bool) -> bool:
    """Return whether a quote is at other lines, in a renamed file, or below another heading."""
    if old.sha256 == current.sha256:
        return False
    if current.has_lines and old.has_lines:
        return is_elsewhere or (current.origin and current.origin.path) != (old.origin and old.origin.path)
    headings = {heading_of(quote, old), heading_of(quote, current)}
    return len(headings) > 1 and "" not in headings


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
