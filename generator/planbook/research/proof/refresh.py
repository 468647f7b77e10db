"""Find quotes of pages that their sources no longer contain, and reopen the PARTs of these pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from planbook.citations import quotes, references
from planbook.citations.report import PageResult, SourceStatus, decode_report
from planbook.library import link_tree
from planbook.library.pages import fingerprint
from planbook.markdown.plain_text import count
from planbook.markdown.words import sentences_of, tokens
from planbook.model import REOPENED, PageUri, State
from planbook.plan.mark import mark
from planbook.research.proof.verify import Answers, Claim, name_commit
from planbook.research.web import archive
from planbook.research.web.model import Outcome
from planbook.store import Settings, decode_page, read_tree, write_atomic
from planbook.store.files import read_report
from planbook_speed import cache

_LIKE = 0.6
"""Minimum share of a quote's words in the sentence that is shown beside it, which may be three times as long."""


@dataclass(frozen=True, slots=True)
class StaleQuote:
    """A quote that its source no longer contains."""

    line: int
    """1-based; of the first citation of the quote, else of its work, else of the page."""
    claim: Claim
    key: str
    """The key of the quote; empty for a source that is gone and has no quotes."""
    quote: str
    fate: SourceStatus
    """Changed: the source has other words there; missing: it has nothing like the quote; gone: it does not exist."""
    reason: str
    closest: str = ""
    """The sentence of the source that is most like the quote; empty if there is none."""


def checked_until(
    settings: Settings, claims: Mapping[str, Sequence[Claim]], texts: Mapping[str, str], day: str
) -> Mapping[str, Sequence[Claim]]:
    """Return the claims of the pages with a source that was last checked on `day` or before."""
    pages = decode_report(read_report(settings.root))[0].pages
    return {uri: of_page for uri, of_page in claims.items() if _last_check(pages.get(uri), texts[uri], of_page) <= day}


def _last_check(checked: PageResult | None, text: str, claims: Iterable[Claim]) -> str:
    """Return the day on which the source that was not checked for the longest time was; empty if one never was."""
    if checked and checked.text_sha256 == fingerprint(text):
        return min([checked.checked, *(work.checked for work in checked.references if work.checked)])[:10]
    return min((claim.reference.accessed or "" for claim in claims if claim.url), default="9999")


def find_stale(settings: Settings, text: str, claim: Claim, answers: Answers) -> Iterator[StaleQuote]:
    """Yield the stale quotes of one source of a page, given what the source says now."""
    found = claim.find(answers)  # for a pin, the newest version is behind the file as cited
    is_pinned = bool(found and claim.pin and found[0].origin and found[0].origin.committed)
    if len(found) <= is_pinned:
        return
    current, cited = found[is_pinned], claim.reference.quotes
    lines = citation_lines(text, claim.reference.id)
    if current.outcome is Outcome.GONE:
        reason = f"{current.reason} ({name_commit(current)})" if is_pinned else current.reason
        for key, quote in cited or [("", "")]:
            yield StaleQuote(lines[key], claim, key, quote, SourceStatus.GONE, reason)
    elif current.outcome in {Outcome.OK, Outcome.MOVED}:
        stored = archive.stored_text(settings.root, claim.sha256 or "")
        old = quotes.Readings(found[0].visible, found[0].text) if is_pinned else quotes.Readings(stored, stored)
        where = name_commit(current) if is_pinned else f"the text of {current.fetched[:10]}"
        texts = quotes.Readings(current.visible, current.text)
        for key, quote in cited:
            if not quotes.contains_quote(quote, texts):
                closest = closest_words(quote, current.visible or current.text, old)
                fate = SourceStatus.CHANGED if closest else SourceStatus.MISSING
                reason = f"{where} {'has other words there' if closest else 'has nothing like it'}"
                yield StaleQuote(lines[key], claim, key, quote, fate, reason, closest)


def closest_words(quote: str, text: str, before: Iterable[str] = ()) -> str:
    """Return the sentence of `text` that has the most words of a quote; empty if none has enough of them.

    Sentences that the earlier text, whose readings are `before`, had too are about something else.
    """
    wanted = Counter(tokens(quote))
    best, most = "", _LIKE
    for sentence in (one for line in text.split("\n") for one in sentences_of(line)):
        words = Counter(tokens(sentence))
        share = (wanted & words).total() / max(wanted.total(), words.total() / 3, 1)
        if share > most and not quotes.contains_quote(sentence, before):
            best, most = quotes.fold(sentence), share
    return best


def citation_lines(text: str, id_: str) -> defaultdict[str, int]:
    """Return the line of the first citation of each quote of a work, by key; by default, of the work."""
    cited = [citation for citation in references.find_citations(text) if citation.reference == id_]
    default = cited[0].line if cited else 1
    return defaultdict(lambda: default, {c.locator: c.line for c in reversed(cited) if c.locator})


def reopen_parts(
    settings: Settings, stale: Mapping[str, Sequence[StaleQuote]], when: datetime, calls: cache.FunctionCache
) -> Iterator[str]:
    """Mark the finished PARTs of stale pages as partial in their plans; yield a line for each."""
    library = link_tree(read_tree(settings), calls)
    for uri, found in stale.items():
        entry = library.by_uri.get(PageUri(uri))
        if entry is None or entry.state is not State.DONE:
            yield f"{uri}: {'belongs to no PART; edit it by hand' if entry is None else f'its PART is {entry.state}'}"
            continue
        path = settings.root / entry.plan.uri
        text = decode_page(path.read_bytes(), str(path))
        reason = f"{REOPENED}, {count(len(found), 'quote')} changed at the source"
        write_atomic(path, mark(text, entry.part, State.PARTIAL, when, reason, has_page=True).encode("utf-8"))
        yield f"{entry.plan.uri}:{entry.part.status_line or entry.part.line}: PART {entry.part.number} is open again"
