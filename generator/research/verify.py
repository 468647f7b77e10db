"""Verify a page's claims about its references. Pure: claims and fetched texts go in, verdicts come out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from itertools import islice
from typing import Any
from urllib.parse import urldefrag

from generator.citations.quotes import (
    SourceText,
    directive_of,
    directive_to,
    fold,
    leads_to,
    parse_directive,
    places,
    readings,
)
from generator.citations.references import read_references
from generator.markdown.document import read_document
from generator.model import Reference
from generator.web.model import Fetched, Outcome

REPORT_NAME = "verify.json"
"""File name, in the working folder, of the results for all pages."""
REPORT_VERSION = 1
_DIRECTIVE = re.compile(r":~:(?:.*&)?text=(?P<text>[^&]*)")
_READ = frozenset({Outcome.OK, Outcome.MOVED})


class Content(StrEnum):
    """Result of comparing a source's text with the one that the page was written from."""

    SAME = "same"
    CHANGED = "changed"
    UNRECORDED = "unrecorded"
    """The page records no ``sha256``."""
    UNREAD = "unread"


class Occurrence(StrEnum):
    """Number of occurrences of a quote in a source."""

    MISSING = "missing"
    ONCE = "once"
    REPEATED = "repeated"

    @property
    def is_there(self) -> bool:
        """True if it occurs at least once."""
        return self is not Occurrence.MISSING


@dataclass(frozen=True, slots=True)
class Claim:
    """A page's claim about one source."""

    reference: Reference
    sha256: str | None = None
    """Hash of the text that the page was written from."""
    checked: str | None = None
    """Date of the last check recorded on the page, as ``YYYY-MM-DD``."""
    is_written: bool = True
    """True if the reference is in the front matter of the page's file, false if it is only in its text."""

    @property
    def url(self) -> str | None:
        """The URL to check, without its fragment; ``None`` if it is not on the web."""
        address = urldefrag(self.reference.url or "").url
        return address if re.match(r"https?://", address, re.IGNORECASE) else None

    @property
    def fragment(self) -> str | None:
        """The text directive of the URL (``start`` in ``#:~:text=start``), still percent-encoded."""
        found = _DIRECTIVE.search(urldefrag(self.reference.url or "").fragment)
        return found["text"] if found else None


@dataclass(frozen=True, slots=True)
class Link:
    """The text fragment that the site links one quote to."""

    key: str
    """Key of the quote."""
    places: Occurrence
    """Number of places in the source that the fragment matches."""
    is_right: bool
    """True if it matches the quote and nothing else."""
    is_kept: bool
    """True if the page sets it under ``custom.fragments``; otherwise it is derived from the quote's words."""
    better: str | None = None
    """A directive that the page should use instead; ``None`` if there is none."""

    @property
    def is_amiss(self) -> bool:
        """True if the page sets a fragment that does not match the quote."""
        return self.is_kept and not self.is_right and self.better is not None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of checking one claim."""

    claim: Claim
    outcome: Outcome | None = None
    """``None`` if no request was made."""
    reason: str = ""
    status: int | None = None
    moved_to: str | None = None
    content: Content = Content.UNREAD
    sha256: str | None = None
    """Hash of the current text."""
    quotes: tuple[tuple[str, Occurrence], ...] = ()
    """Occurrences by quote key; empty if no text could be read."""
    fragment: Occurrence | None = None
    fetched: str | None = None
    """Time of the request, in UTC."""
    links: tuple[Link, ...] = ()
    """Links to the quotes; empty if no text could be read."""

    @property
    def is_checkable(self) -> bool:
        """True if it can be checked on the web: pages of the base and works without a URL cannot."""
        return self.claim.url is not None

    @property
    def is_well(self) -> bool:
        """True if there is nothing to fix or review, or if the claim cannot be checked."""
        return not self.is_checkable or (self.outcome is Outcome.OK and not self.findings)

    @property
    def findings(self) -> tuple[str, ...]:
        """All points to fix or review, in a few words each."""
        if not self.is_checkable:
            return ()
        found = []
        if self.moved_to:
            found.append(f"moved to {self.moved_to}")
        if self.outcome is None:
            found.append(f"not checked: {self.reason}")
        elif self.outcome not in _READ:
            found.append(f"{self.outcome.value.replace('_', ' ')}: {self.reason}")
        if self.content is Content.CHANGED:
            found.append("changed: its text differs from when the page was written")
        found += [f"quote {key} not found" for key, times in self.quotes if times is Occurrence.MISSING]
        if self.fragment in {Occurrence.MISSING, Occurrence.REPEATED}:
            times = "not found" if self.fragment is Occurrence.MISSING else "found more than once"
            found.append(f"the text fragment of its address was {times}")
        found += [f"the link to quote {link.key} leads elsewhere" for link in self.links if link.is_amiss]
        return tuple(found)


def read_claims(text: str, uri: str) -> tuple[Claim, ...]:
    """Return the claims that the page in `text` makes about its sources, in the order of its references."""
    items = read_document(text).meta.get("references")
    written = {str(i["id"]): i for i in items if isinstance(i, dict) and i.get("id")} if isinstance(items, list) else {}
    return tuple(_claim(reference, written.get(reference.id)) for reference in read_references(text, uri)[0])


def judge(claim: Claim, fetched: Fetched | None) -> Verdict:
    """Return the verdict on `claim`, given the result for its URL; ``None`` means that it was not requested."""
    if claim.url is None:
        return Verdict(claim, reason="no web address")
    if fetched is None:
        return Verdict(claim, reason="no stored text; run without --offline")
    verdict = Verdict(
        claim, fetched.outcome, fetched.reason, fetched.status, fetched.moved_to, fetched=fetched.fetched or None
    )
    if fetched.outcome not in _READ:
        return verdict
    source = SourceText(fetched.visible)
    texts = readings(fetched.visible, fetched.text)
    quotes = claim.reference.quotes
    return replace(
        verdict,
        content=_compared(claim.sha256, fetched.sha256),
        sha256=fetched.sha256,
        quotes=tuple((key, _count_quote(quote, texts)) for key, quote in quotes),
        fragment=look_for_fragment(claim.fragment, source) if claim.fragment else None,
        links=tuple(_link_to(claim.reference, key, quote, source) for key, quote in quotes),
    )


def look_for_fragment(directive: str, source: SourceText) -> Occurrence:
    """Count matches in `source` of a text directive (``[prefix-,]start[,end][,-suffix]``, percent-encoded)."""
    wanted = parse_directive(directive)
    return _occurrence(sum(1 for _ in islice(places(wanted, source), 2)) if wanted else 0)


def found_values(verdict: Verdict) -> dict[str, object]:
    """Return the values of a verdict to record under the reference's ``custom``; empty if no new request was made.

    The text's hash is set once and never changed: it identifies the text that the page was written from. A text that
    lacks a quote is not that text.
    """
    claim, day = verdict.claim, (verdict.fetched or "")[:10]
    if verdict.outcome is None or not day or (claim.checked or "") > day:
        return {}
    found: dict[str, object] = {}
    if claim.sha256 is None and verdict.sha256 and all(times.is_there for _, times in verdict.quotes):
        found["sha256"] = verdict.sha256
    found |= {"status": verdict.status or verdict.outcome.value, "checked": date.fromisoformat(day)}
    fragments = {link.key: link.better for link in verdict.links if link.better}
    return found | ({"fragments": fragments} if fragments else {})


def report_page(verdicts: Sequence[Verdict], checked: str, text_sha256: str, *, offline: bool) -> dict[str, Any]:
    """Return the result for one page as JSON data, as stored and printed, with the counts shown on a badge.

    `text_sha256` is the page's `fingerprint`.
    """
    quotes = [times for verdict in verdicts for _, times in verdict.quotes]
    wanted = sum(len(verdict.claim.reference.quotes) for verdict in verdicts)
    return {
        "checked": checked,
        "offline": offline,
        "text_sha256": text_sha256,
        "well": all(verdict.is_well for verdict in verdicts),
        "quotes": {"found": sum(times.is_there for times in quotes), "total": wanted},
        "references": [report_reference(verdict) for verdict in verdicts],
    }


def report_reference(verdict: Verdict) -> dict[str, Any]:
    """Return one verdict as JSON data."""
    return {
        "id": verdict.claim.reference.id,
        "URL": verdict.claim.reference.url,
        "checkable": verdict.is_checkable,
        "well": verdict.is_well,
        "outcome": verdict.outcome.value if verdict.outcome else None,
        "reason": verdict.reason,
        "status": verdict.status,
        "moved_to": verdict.moved_to,
        "content": verdict.content.value,
        "sha256": verdict.sha256,
        "quotes": {key: times.value for key, times in verdict.quotes},
        "fragment": verdict.fragment.value if verdict.fragment else None,
        "links": {link.key: link.places.value for link in verdict.links},
        "fetched": verdict.fetched,
        "findings": list(verdict.findings),
    }


def merge_report(old: object, pages: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Merge the results in `pages` into the report `old`, keeping those of other pages that still are in `known`."""
    kept = old.get("pages") if isinstance(old, dict) and old.get("version") == REPORT_VERSION else None
    names = set(known)
    others = {uri: page for uri, page in kept.items() if uri in names} if isinstance(kept, dict) else {}
    merged = {**others, **pages}
    return {"version": REPORT_VERSION, "pages": {uri: merged[uri] for uri in sorted(merged)}}


def _claim(reference: Reference, item: Mapping[str, Any] | None) -> Claim:
    custom = item.get("custom") if item else None
    kept = custom if isinstance(custom, dict) else {}
    sha256 = str(kept.get("sha256") or "").strip().lower()
    return Claim(reference, sha256 or None, str(kept.get("checked") or "") or None, item is not None)


def _link_to(reference: Reference, key: str, quote: str, source: SourceText) -> Link:
    """Return the link to a quote of `reference` in `source`, with a better directive if it does not match."""
    kept = parse_directive(dict(reference.fragments).get(key, ""))
    directive = kept or directive_of(quote)
    is_right = leads_to(directive, quote, source)
    better = None if is_right else directive_to(quote, source)
    return Link(
        key,
        _occurrence(sum(1 for _ in islice(places(directive, source), 2))),
        is_right,
        kept is not None,
        str(better) if better and str(better) != str(directive) else None,
    )


def _compared(written: str | None, now: str | None) -> Content:
    if written is None:
        return Content.UNRECORDED
    return Content.SAME if written == now else Content.CHANGED


def _count_quote(quote: str, texts: Iterable[str]) -> Occurrence:
    """Count the quote in the first of the folded `texts` that contains it: the visible text, then the Markdown."""
    words = fold(quote)
    times = next((n for n in (text.count(words) for text in texts) if n), 0) if words else 0
    return _occurrence(times)


def _occurrence(times: int) -> Occurrence:
    return (Occurrence.MISSING, Occurrence.ONCE)[times] if times < 2 else Occurrence.REPEATED
