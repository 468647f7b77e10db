"""Find quotes that their sources no longer contain, and reopen the PARTs of their pages."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from planbook.citations import quotes
from planbook.citations.in_text import find_citations
from planbook.citations.report import PageResult, SourceStatus, decode_report
from planbook.library import link_tree
from planbook.library.pages import fingerprint
from planbook.markdown.plain_text import count
from planbook.markdown.words import sentences_of, tokens
from planbook.model import EXCLUDED_STATES, REOPENED_REASON, PageUri, State
from planbook.plan.mark import mark
from planbook.research.proof.verify import Answers, CitedReference, name_commit
from planbook.research.web import archive
from planbook.research.web.model import Fetched, Outcome
from planbook.store import Settings, decode_page, read_tree, write_atomic
from planbook.store.files import read_report
from planbook_cache.functions import FunctionCache

_MIN_LIKENESS = 0.6
"""Minimum share of a quote's words in the sentence that is shown beside it, which may be three
times as long."""
_MAX_LENGTH_RATIO = 1.5
"""Maximum length of several sentences that are shown beside a quote, as a multiple of the
quote's."""
_EXTRA = 0.05
"""Loss of likeness of a sentence for other words than the quote's: of two alike, the shorter one is
shown."""
_LIST_MARK = re.compile(r"^\s*(?:>\s?)*(?:[-*+•–]|\d{1,3}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True)
class StaleQuote:
    """A quote that its source no longer contains."""

    line: int
    """1-based; of the first citation of the quote, else of its work, else of the page."""
    cited: CitedReference
    key: str
    """The key of the quote; empty for a source that is gone and has no quotes."""
    quote: str
    fate: SourceStatus
    """Changed: the source has other words there; missing: it has nothing like the quote; gone: it
    does not exist."""
    reason: str
    closest: str = ""
    """The sentence of the source that is most like the quote; empty if there is none."""


def checked_until(
    settings: Settings,
    cited_references: Mapping[str, Sequence[CitedReference]],
    texts: Mapping[str, str],
    day: str,
) -> Mapping[str, Sequence[CitedReference]]:
    """Return what pages cite, of those with a source last checked on `day` or before."""
    pages = decode_report(read_report(settings.root))[0].pages
    return {
        uri: of_page
        for uri, of_page in cited_references.items()
        if _last_check(pages.get(uri), texts[uri], of_page) <= day
    }


def _last_check(
    checked: PageResult | None, text: str, cited_references: Iterable[CitedReference]
) -> str:
    """Return the day of the oldest check of a source; empty if one was never checked."""
    if checked and checked.text_sha256 == fingerprint(text):
        of_works = [work.checked for work in checked.references if work.checked]
        return min([checked.checked, *of_works])[:10]
    return min(
        (cited.reference.accessed or "" for cited in cited_references if cited.url), default="9999"
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The quotes of one source of a page, compared with what the source says now."""

    id: str
    """The id of its reference."""
    stale: tuple[StaleQuote, ...] = ()
    reason: str = ""
    """Why the source could not be read; empty if it could, or is known not to exist."""
    is_elsewhere: bool = False
    """True if it has neither a web address nor a file."""

    @property
    def is_unread(self) -> bool:
        """True if it should have been read, and could not be."""
        return bool(self.reason)

    @property
    def is_compared(self) -> bool:
        """True if its text was read: it is not gone, either."""
        is_gone = any(quote.fate is SourceStatus.GONE for quote in self.stale)
        return not (self.is_elsewhere or self.is_unread or is_gone)


def compare(settings: Settings, text: str, cited: CitedReference, answers: Answers) -> Comparison:
    """Return the stale quotes of one source of a page, or why it could not be compared."""
    name = cited.reference.id
    versions = cited.find(answers)
    if not versions:
        is_elsewhere = cited.url is None
        reason = "" if is_elsewhere else "no stored text"
        return Comparison(name, reason=reason, is_elsewhere=is_elsewhere)
    current, pinned = versions[0], None
    if cited.pin and current.origin and current.origin.committed:
        # The newest version is behind the file as it was cited.
        pinned = current
        if len(versions) == 1:
            return Comparison(name, reason="its mirror has no main branch")
        current = versions[1]
    defect = _unread_reason(cited, current)
    if defect:
        return Comparison(name, reason=defect)
    if current.outcome is Outcome.GONE:
        return Comparison(name, tuple(_quotes_of_gone(text, cited, current, pinned)))
    stale = tuple(_find_stale(settings, text, cited, current, pinned))
    return Comparison(name, stale, cited.file_defect(answers))


def _unread_reason(cited: CitedReference, current: Fetched) -> str:
    """Return why the current text of a source cannot be compared; empty if it can."""
    if current.outcome not in {Outcome.OK, Outcome.MOVED, Outcome.GONE}:
        return f"{current.outcome.replace('_', ' ')}: {current.reason}"
    if current.doubt and not cited.is_reviewed:
        fix = "cite the page that was meant, or review this page"
        return f"doubtful: {current.doubt}; {fix}"
    return ""


def _quotes_of_gone(
    text: str, cited: CitedReference, current: Fetched, pinned: Fetched | None
) -> Iterator[StaleQuote]:
    """Yield the quotes of a source that does not exist, or an empty one if it has none."""
    lines = citation_lines(text, cited.reference.id)
    reason = f"{current.reason} ({name_commit(current)})" if pinned else current.reason
    for key, quote in cited.reference.quotes or [("", "")]:
        yield StaleQuote(lines[key], cited, key, quote, SourceStatus.GONE, reason)


def _find_stale(
    settings: Settings, text: str, cited: CitedReference, current: Fetched, pinned: Fetched | None
) -> Iterator[StaleQuote]:
    """Yield the quotes that are not in the current text of a source.

    Args:
        settings: the project, which has the text that the page was written from.
        text: the page.
        cited: what it cites.
        current: the source as it is now.
        pinned: the file of a mirror as it was cited.
    """
    lines = citation_lines(text, cited.reference.id)
    if pinned:
        pinned_readings = quotes.Readings(pinned.visible, pinned.text)
        where = name_commit(current)
    else:
        stored = archive.stored_text(settings.root, cited.sha256 or "")
        pinned_readings = quotes.Readings(stored, stored)
        where = f"the text of {current.fetched[:10]}"
    texts = quotes.Readings(current.visible, current.text)
    for key, quote in cited.reference.quotes:
        if quotes.contains_quote(quote, texts):
            continue
        closest = closest_words(quote, current.visible or current.text, pinned_readings)
        if closest:
            fate, reason = SourceStatus.CHANGED, f"{where} has other words there"
        else:
            fate, reason = SourceStatus.MISSING, f"{where} has nothing like it"
        yield StaleQuote(lines[key], cited, key, quote, fate, reason, closest)


def closest_words(quote: str, text: str, earlier_quotes: Iterable[str] = ()) -> str:
    """Return the words of `text` that are most like a quote; empty if none has enough of its words.

    They are a sentence or, for a quote of several sentences, list items or paragraphs, a run of
    consecutive ones about as long as the quote. Runs that the earlier text, whose readings are
    `earlier_quotes`, had too are about something else.
    """
    wanted = Counter(tokens(quote))
    pieces = [
        _LIST_MARK.sub("", sentence) for line in text.split("\n") for sentence in sentences_of(line)
    ]
    counts = [Counter(tokens(piece)) for piece in pieces]
    best, most = "", 0.0
    for start, end, likeness in _similar_runs(wanted, counts):
        run = quotes.fold(" ".join(pieces[start:end]))
        is_shorter = likeness == most and len(run) < len(best)  # without the heading above it
        if (likeness > most or is_shorter) and not quotes.contains_quote(run, earlier_quotes):
            best, most = run, likeness
    return best


def _similar_runs(
    wanted: Counter[str], pieces: Sequence[Counter[str]]
) -> Iterator[tuple[int, int, float]]:
    """Yield the span of each run of pieces that is like a text, and how much it is.

    Args:
        wanted: the number of each word of the text.
        pieces: the number of each word of each sentence of the source, in order.
    """
    total = wanted.total()
    ends = [0, *accumulate(piece.total() for piece in pieces)]
    common = [0, *accumulate((piece & wanted).total() for piece in pieces)]
    for start, piece in enumerate(pieces):
        size = ends[start + 1] - ends[start]
        share = (common[start + 1] - common[start]) / max(total, size / 3, 1)
        if share > _MIN_LIKENESS:
            yield start, start + 1, share - _EXTRA * max(0, size - total) / max(total, 1)
        last = bisect_right(ends, ends[start] + total * _MAX_LENGTH_RATIO) - 1
        most_common = common[max(last, start)] - common[start]
        if most_common <= _MIN_LIKENESS * total:
            continue
        run = Counter(piece)
        for end in range(start + 2, last + 1):
            run += pieces[end - 1]
            share = (wanted & run).total() / max(total, ends[end] - ends[start], 1)
            if share > _MIN_LIKENESS:
                yield start, end, share


def find_differences(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the words of `old` that `new` does not have, with those in their place.

    Either may be empty.
    """
    before, after = old.split(), new.split()
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "equal":
            yield " ".join(before[first:last]), " ".join(after[start:end])


def citation_lines(text: str, id_: str) -> defaultdict[str, int]:
    """Return the line of the first citation of each quote of a work, by key.

    For other keys, it is the line of the first citation of the work.
    """
    cited = [citation for citation in find_citations(text, {id_}) if citation.reference_id == id_]
    default = cited[0].line if cited else 1
    lines: defaultdict[str, int] = defaultdict(lambda: default)
    for citation in cited:
        if citation.locator and citation.locator not in lines:
            lines[citation.locator] = citation.line
    return lines


def reopen_parts(
    settings: Settings,
    stale: Mapping[str, Sequence[StaleQuote]],
    when: datetime,
    cache: FunctionCache,
) -> Iterator[str]:
    """Mark the finished PARTs of stale pages as partial in their plans; yield a line for each."""
    library = link_tree(read_tree(settings), cache)
    for uri, of_page in stale.items():
        entry = library.by_uri.get(PageUri(uri))
        if entry is None:
            yield f"{uri}: belongs to no PART; edit it by hand"
            continue
        if entry.state in EXCLUDED_STATES:
            yield f"{uri}: its PART is {entry.state}"
            continue
        part = entry.part
        path = settings.root / entry.plan.uri
        text = decode_page(path.read_bytes(), str(path))
        reason = f"{REOPENED_REASON}, {count(len(of_page), 'quote')} changed at the source"
        marked = mark(text, part, State.PARTIAL, when, reason, has_page=True)
        write_atomic(path, marked.encode("utf-8"))
        line = part.status_line or part.line
        yield f"{entry.plan.uri}:{line}: PART {part.number} is open again"
