"""Verify a page's claims about its references. Pure: claims and fetched texts go in, verdicts come out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any
from urllib.parse import urldefrag

from generator.citations.identifiers import RepositoryFile, parse_file_url, read_pin
from generator.citations.quotes import (
    Directive,
    SourceText,
    contains_quote,
    directive_of,
    directive_to,
    fold,
    has_fragments,
    leads_to,
    parse_directive,
    places,
    readings,
)
from generator.citations.references import items_by_id, read_references, reference_sha256
from generator.citations.report import Content, Occurrence, PageResult, PinResult, SourceResult, make_page_result
from generator.markdown.document import read_document
from generator.model import Reference
from generator.web.model import Fetched, Outcome

Answers = dict[RepositoryFile | str | None, tuple[Fetched, ...]]
"""Fetched texts by file at a commit or by address, each followed by later versions of the file if they were read."""
_DIRECTIVE = re.compile(r":~:(?:.*&)?text=(?P<text>[^&]*)")
_READ = frozenset({Outcome.OK, Outcome.MOVED})


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
    pin: RepositoryFile | None = None
    """The file at a full commit that it cites, by its URL or its recorded origin."""
    lines: tuple[tuple[str, tuple[int, int]], ...] = ()
    """Lines of that file that hold a quote, by the quote's key."""
    file: str = ""
    """The local document that the page was written from, relative to the project; empty if it is from elsewhere."""
    reference_sha256: str = ""
    """See `reference_sha256`."""

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

    def find(self, answers: Answers) -> tuple[Fetched, ...]:
        """Return the file in a mirror, followed by later versions, else the document; else nothing."""
        return answers.get(self.pin) or answers.get(self.url or self.file) or ()


@dataclass(frozen=True, slots=True)
class Link:
    """The text fragment that the site links one quote to."""

    key: str
    """Key of the quote."""
    places: Occurrence
    """Number of places in the source that the fragment matches."""
    better: str | None = None
    """A directive that the page should use instead; ``None`` if there is none."""
    is_amiss: bool = False
    """True if the page sets a fragment under ``custom.fragments`` that does not match the quote."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """The result of comparing a citation with a file at a commit, which cannot change."""

    file: RepositoryFile
    day: str
    """The date of the commit, ``YYYY-MM-DD``."""
    statement: str
    """The proven fact, in words."""
    findings: tuple[str, ...] = ()


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
    pinned: Pinned | None = None
    """The proof from a mirror; ``None`` if there is no mirror, or it does not have the file."""
    copied: str = ""
    """The date of the saved copy that was read; empty if the source itself was."""

    @property
    def is_checkable(self) -> bool:
        """True if it can be checked on the web or in a mirror: pages of the base and works without a URL cannot."""
        return self.claim.url is not None or self.outcome is not None

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
        found += self.pinned.findings if self.pinned else ()
        return tuple(found)


def read_claims(text: str, uri: str) -> tuple[Claim, ...]:
    """Return the claims that the page in `text` makes about its sources, in the order of its references."""
    written = items_by_id(read_document(text).meta)
    return tuple(_claim(reference, written.get(reference.id)) for reference in read_references(text, uri)[0])


def judge(claim: Claim, fetched: Fetched | None) -> Verdict:
    """Return the verdict on `claim`, given the result for its URL; ``None`` means that it was not requested."""
    if claim.pin and fetched and fetched.origin and fetched.origin.committed:
        return _judge_pin(claim, claim.pin, fetched, fetched.origin.committed)
    if claim.url is None and fetched is None:
        return Verdict(claim, reason="no web address")
    if fetched is None:
        return Verdict(claim, reason="no stored text; run without --offline")
    verdict = Verdict(
        claim, fetched.outcome, fetched.reason, fetched.status, fetched.moved_to, fetched=fetched.fetched or None
    )
    if fetched.outcome not in _READ:
        return verdict
    content = Content.SAME if claim.sha256 == fetched.sha256 else Content.CHANGED
    source = SourceText(fetched.visible)
    texts = readings(fetched.visible, fetched.text)
    quotes, is_linked = claim.reference.quotes, has_fragments(claim.reference.url or "")
    return replace(
        verdict,
        content=content if claim.sha256 else Content.UNRECORDED,
        sha256=fetched.sha256,
        quotes=tuple((key, _count_quote(quote, texts)) for key, quote in quotes),
        fragment=count_places(parse_directive(claim.fragment), source) if claim.fragment else None,
        links=tuple(_link_to(claim.reference, key, quote, source) for key, quote in quotes if is_linked),
        copied=fetched.fetched[:10] if fetched.is_copy else "",
    )


def found_values(verdict: Verdict) -> dict[str, object]:
    """Return the values of a verdict to record under the reference's ``custom``; empty if no new request was made.

    The text's hash is set once and never changed: it identifies the text that the page was written from. A text that
    lacks a quote is not that text.
    """
    claim, day = verdict.claim, (verdict.fetched or "")[:10]
    if verdict.outcome is None or not day or (claim.checked or "") > day:
        return {}
    found: dict[str, object] = {}
    is_new = claim.sha256 is None and verdict.pinned is None  # the commit names a text better than a hash does
    if is_new and verdict.sha256 and all(times.is_there for _, times in verdict.quotes):
        found["sha256"] = verdict.sha256
    status = "pinned" if verdict.pinned else verdict.status or verdict.outcome.value
    found |= {"status": status, "checked": date.fromisoformat(day)}
    fragments = {link.key: link.better for link in verdict.links if link.better}
    return found | ({"fragments": fragments} if fragments else {})


def report_page(verdicts: Sequence[Verdict], checked: str, text_sha256: str, *, offline: bool) -> PageResult:
    """Return the result for one page; `text_sha256` is its `fingerprint`."""
    wanted = sum(len(verdict.claim.reference.quotes) for verdict in verdicts)
    references = tuple(report_reference(verdict, checked, offline=offline) for verdict in verdicts)
    return make_page_result(references, checked, text_sha256, wanted, offline=offline)


def report_reference(verdict: Verdict, checked: str = "", *, offline: bool = False) -> SourceResult:
    """Return one verdict as it is reported."""
    claim, pin = verdict.claim, verdict.pinned
    return SourceResult(
        claim.reference.id,
        claim.reference.url,
        claim.reference_sha256,
        verdict.is_checkable,
        verdict.is_well,
        verdict.outcome,
        verdict.reason,
        verdict.status,
        verdict.moved_to,
        verdict.content,
        verdict.sha256,
        dict(verdict.quotes),
        verdict.fragment,
        {link.key: link.places for link in verdict.links},
        verdict.fetched,
        verdict.copied or None,
        _report_pin(pin) if pin else None,
        verdict.findings,
        checked,
        offline,
    )


def _report_pin(pin: Pinned) -> PinResult:
    file = pin.file
    return PinResult(file.repository, file.path, file.ref, pin.day, pin.statement)


def _claim(reference: Reference, item: Mapping[str, Any] | None) -> Claim:
    custom = item.get("custom") if item else None
    kept = custom if isinstance(custom, dict) else {}
    sha256 = str(kept.get("sha256") or "").strip().lower()
    pin = read_pin(item or {"URL": reference.url})
    keys = [key for key, _ in reference.quotes]
    lines = tuple(_lines(kept.get("lines"), pin, keys)) if pin else ()
    checked = str(kept.get("checked") or "") or None
    file, whole = str(kept.get("file") or ""), reference_sha256(reference, item)
    return Claim(reference, sha256 or None, checked, item is not None, pin, lines, file, whole)


def _lines(value: object, pin: RepositoryFile, keys: Iterable[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the lines recorded for each quote, else those of the URL."""
    recorded = value if isinstance(value, dict) else {}
    for key in keys:
        match recorded.get(key):
            case [int(first), int(last)] if 0 < first <= last:
                yield key, (first, last)
            case _ if pin.lines:
                yield key, pin.lines


def _judge_pin(claim: Claim, pin: RepositoryFile, fetched: Fetched, day: str) -> Verdict:
    """Return the verdict on a citation of a file at a commit, given that file from a mirror."""
    texts = readings(fetched.visible, fetched.text)
    quotes = tuple((key, _count_quote(quote, texts)) for key, quote in claim.reference.quotes)
    there = [key for key, times in quotes if times.is_there]
    named = {key: span for key, span in claim.lines if key in there and fetched.has_lines}
    wrong = [key for key, span in named.items() if not _is_at(dict(claim.reference.quotes)[key], fetched.text, span)]
    findings = [f"quote {key} is not at its lines {_span(named[key])}" for key in wrong]
    length = fetched.text.count("\n") + 1
    if pin.lines and fetched.has_lines and pin.lines[1] > length:
        findings.append(f"its lines {_span(pin.lines)} are not there: the file has {length}")
    which = "this quote is" if len(quotes) == len(there) == 1 else f"{len(there)} of {len(quotes)} quotes are"
    place = "in that file" if wrong or len(named) < len(there) else "at those lines of that file"
    said = f"{which} {place}" if quotes else "the page quotes nothing from it; that file is there"
    said = f"{said} at that commit of {day}"
    return Verdict(
        claim,
        fetched.outcome,
        content=Content.SAME,
        sha256=fetched.sha256,
        quotes=quotes,
        fetched=fetched.fetched,
        pinned=Pinned(pin, day, said, tuple(findings)),
    )


def name_commit(fetched: Fetched) -> str:
    """Return the commit of a file of a mirror, with its date, for users."""
    file = parse_file_url(fetched.url)
    day = f" of {fetched.origin.committed}" if fetched.origin else ""
    return f"commit {file.ref[:12] if file else ''}{day}"


def _is_at(quote: str, text: str, span: tuple[int, int]) -> bool:
    part = _slice(text, span)
    return contains_quote(quote, readings(part, part))


def _slice(text: str, span: tuple[int, int] | None) -> str:
    return "\n".join(text.split("\n")[span[0] - 1 : span[1]]) if span else text


def _span(lines: tuple[int, int]) -> str:
    return "–".join(map(str, dict.fromkeys(lines)))


def _link_to(reference: Reference, key: str, quote: str, source: SourceText) -> Link:
    """Return the link to a quote of `reference` in `source`, with a better directive if it does not match."""
    kept = parse_directive(dict(reference.fragments).get(key, ""))
    directive = kept or directive_of(quote)
    found = None if leads_to(directive, quote, source) else directive_to(quote, source)
    better = str(found) if found and str(found) != str(directive) else None
    return Link(key, count_places(directive, source), better, is_amiss=bool(kept and better))


def _count_quote(quote: str, texts: Iterable[str]) -> Occurrence:
    """Count the quote in the first of the folded `texts` that contains it: the visible text, then the Markdown."""
    words = fold(quote)
    return _occurrence(next((n for n in (text.count(words) for text in texts) if n), 0) if words else 0)


def count_places(directive: Directive | None, source: SourceText) -> Occurrence:
    """Count the places in `source` that a text directive matches; ``None`` matches none."""
    return _occurrence(len(list(islice(places(directive, source), 2))) if directive else 0)


def _occurrence(times: int) -> Occurrence:
    return list(Occurrence)[min(times, 2)]
