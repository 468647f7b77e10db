"""Quotes that an earlier run found, wherever they are cited now.

A quote that moves to another page or reference, or gets another beside it, is still the quote that
was found: in the same address, in the text that was read then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from urllib.parse import urldefrag

from msgspec.structs import replace

from planbook.citations.report import (
    PageResult,
    PinResult,
    SourceResult,
    VerifyReport,
    make_page_result,
)

_READ_OUTCOMES = frozenset({"ok", "moved"})
_CONCLUSIVE = 2
"""The `SourceResult.conclusiveness` of a result that no failure replaces."""
_DIGITS = 16
"""The hexadecimal digits of a quote's hash."""

KnownQuotes = Mapping[tuple[str, str], tuple[SourceResult, str]]
"""The latest result that has a quote, and its key there, by address and hash of the quote."""


def quote_sha256(words: str) -> str:
    """Return the beginning of the hash of a quote's words; white space makes no difference."""
    return hashlib.sha256(" ".join(words.split()).encode()).hexdigest()[:_DIGITS]


def known_quotes(report: VerifyReport) -> KnownQuotes:
    """Return the quotes that the sources of a report contain."""
    known: dict[tuple[str, str], tuple[SourceResult, str]] = {}
    works = [work for page in report.pages.values() for work in page.references]
    for work in sorted(works, key=lambda work: work.day):
        for key in _keys_of_found(work):
            known[_address(work), work.quote_sha256[key]] = work, key
    return known


def complete_from_earlier(
    results: Mapping[str, PageResult], old: VerifyReport
) -> dict[str, PageResult]:
    """Return results in which unread sources have the quotes that the report `old` found in them.

    A reference that has not changed keeps its own earlier result instead.
    """
    known = known_quotes(old)
    completed = {}
    for uri, page in results.items():
        earlier = old.pages.get(uri)
        conclusive = {
            work.reference_sha256
            for work in (earlier.references if earlier else ())
            if work.conclusiveness == _CONCLUSIVE
        }
        works = tuple(
            work if work.reference_sha256 in conclusive else _complete_work(work, known)
            for work in page.references
        )
        completed[uri] = make_page_result(
            works, page.checked, page.text_sha256, page.quotes.total, offline=page.offline
        )
    return completed


def _complete_work(work: SourceResult, known: KnownQuotes) -> SourceResult:
    """Return the result of a source that could not be read with what is known of its quotes."""
    is_unread = work.checkable and not work.file and work.outcome in {None, "refused"}
    places = {key: (_address(work), digest) for key, digest in work.quote_sha256.items()}
    hits = {key: known[place] for key, place in places.items() if place in known}
    if not is_unread or not hits:
        return work
    latest = max((earlier for earlier, _ in hits.values()), key=lambda earlier: earlier.day)
    missing = [key for key in work.quote_sha256 if key not in hits]
    passages = {
        key: earlier.passages[old_key]
        for key, (earlier, old_key) in hits.items()
        if old_key in earlier.passages
    }
    return replace(
        work,
        outcome="ok",
        content=latest.content,
        sha256=latest.sha256,
        quotes=dict.fromkeys(hits, True),
        fetched=latest.fetched,
        copy=latest.copy or latest.day,
        pinned=_proof(latest.pinned, len(hits), len(work.quote_sha256)),
        findings=tuple(f"quote {key} not compared: {work.reason}" for key in missing),
        well=not missing,
        reason="",
        passages=passages,
    )


def _proof(pinned: PinResult | None, hits: int, total: int) -> PinResult | None:
    """Return the proof of a file at a commit, for these quotes."""
    if pinned is None:
        return None
    which = "this quote is" if total == hits == 1 else f"{hits} of {total} quotes are"
    return replace(pinned, statement=f"{which} in that file at that commit of {pinned.date}")


def _keys_of_found(work: SourceResult) -> Iterator[str]:
    """Yield the keys of the quotes that a source contains, unless it may be another page."""
    is_sound = work.outcome in _READ_OUTCOMES and not work.doubt and not work.file
    for key, is_there in work.quotes.items():
        if is_sound and is_there and key in work.quote_sha256:
            yield key


def _address(work: SourceResult) -> str:
    """Return the address of a source without its fragment."""
    return urldefrag(work.url or "").url
