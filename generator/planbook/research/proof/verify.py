"""Verify a page's claims about its references. Pure: claims and fetched texts go in, results come out."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urldefrag

from msgspec.structs import replace

from planbook.citations import report
from planbook.citations.identifiers import is_web
from planbook.citations.own_quotes import cited_lines, find_changes
from planbook.citations.pins import custom_of, read_pin, recorded_lines
from planbook.citations.quotes import Readings, contains_quote, passage_around, without_escapes
from planbook.citations.references import items_by_id, read_references, reference_sha256
from planbook.citations.repository_files import RENDERED, RepositoryFile, parse_file_url
from planbook.markdown.document import read_document
from planbook.model import Reference
from planbook.research.web.model import Fetched, Outcome

Answers = dict[RepositoryFile | str | None, tuple[Fetched, ...]]
"""Fetched texts by file at a commit or by address, each followed by the file's newest version if it was read."""
_READ = frozenset({Outcome.OK, Outcome.MOVED})


@dataclass(frozen=True, slots=True)
class Claim:
    """A page's claim about one source."""

    reference: Reference
    sha256: str | None = None
    """Hash of the text that the page was written from."""
    pin: RepositoryFile | None = None
    """The file at a full commit that it cites, by its URL or its recorded origin."""
    lines: tuple[tuple[str, tuple[int, int]], ...] = ()
    """Lines of that file that hold a quote, by the quote's key."""
    reference_sha256: str = ""
    """See `reference_sha256`."""
    own_lines: tuple[tuple[str, tuple[int, int]], ...] = ()
    """Lines of a file of the base's own repository that hold a quote, by the quote's key."""
    uri: str = ""
    """The page that makes it."""
    is_written: bool = False
    """True if its reference is in the front matter; others were found in prose."""
    is_reviewed: bool = False
    """True if a person has reviewed its page, and so decided on doubtful sources."""

    @property
    def file(self) -> str:
        """The local document that the reference names; empty if it names none."""
        return "" if is_web(self.reference.file) else self.reference.file

    @property
    def url(self) -> str | None:
        """The URL to check, without its fragment; ``None`` if it is not on the web."""
        address = urldefrag(self.reference.url or "").url
        return address if re.match(r"https?://", address, re.IGNORECASE) else None

    def find(self, answers: Answers) -> tuple[Fetched, ...]:
        """Return the file in a mirror, followed by its newest version, else the document; else nothing.

        The document is the local file if that could be read, else what the address has, else why there is no file.
        """
        file = answers.get(self.file or self.reference.file) or ()
        is_there = bool(file) and file[0].outcome in _READ
        found = answers.get(self.pin) or (file if is_there else ()) or answers.get(self.url)
        return found or file or answers.get(self.reference.url) or ()

    def file_defect(self, answers: Answers) -> str:
        """Return why the local document that it names could not be read; empty if it could, or if it names none."""
        file = answers.get(self.file) or () if self.file else ()
        return file[0].reason if file and file[0].outcome not in _READ else ""


def read_claims(text: str, uri: str) -> tuple[Claim, ...]:
    """Return the claims that the page in `text` makes about its sources, in the order of its references."""
    meta = read_document(text).meta
    written, is_reviewed = items_by_id(meta), bool(meta.get("reviewed"))
    claims = (_claim(reference, written.get(reference.id), uri) for reference in read_references(text, uri)[0])
    return tuple(dataclasses.replace(claim, is_reviewed=is_reviewed) for claim in claims)


def claim_result(
    claim: Claim, fetched: Fetched | None, checked: str = "", *, offline: bool = False, file_defect: str = ""
) -> report.SourceResult:
    """Return the result for `claim`, given the document that it cites; ``None`` means that it was not requested.

    `file_defect` says why the local document that it names could not be read.
    """
    reference = claim.reference
    more = [file_defect] if file_defect and fetched and fetched.reason != file_defect else []
    found = report.SourceResult(
        reference.id,
        reference.url,
        claim.reference_sha256,
        checkable=claim.url is not None or fetched is not None,
        checked=checked,
        offline=offline,
        file=claim.file,
    )
    if fetched is None:
        reason = "no stored text; run without --offline" if claim.url else "no web address"
        return _with_findings(replace(found, reason=reason))
    found = replace(
        found,
        outcome=fetched.outcome,
        reason=fetched.reason,
        status=fetched.status,
        moved_to=fetched.moved_to,
        fetched=fetched.fetched or None,
        file_sha256=(fetched.response or "") if claim.file and file_defect in {"", fetched.reason} else "",
    )
    pin = claim.pin if fetched.origin and fetched.origin.committed else None
    if fetched.outcome not in _READ:
        return _with_findings(found, more)
    content = report.Content.SAME if claim.sha256 == fetched.sha256 else report.Content.CHANGED
    texts = Readings(fetched.visible, fetched.text)
    found = replace(
        found,
        content=report.Content.SAME if pin else content if claim.sha256 else report.Content.UNRECORDED,
        doubt="" if claim.is_reviewed else fetched.doubt,
        sha256=fetched.sha256,
        quotes={key: contains_quote(quote, texts) for key, quote in reference.quotes},
        copy=fetched.fetched[:10] if fetched.is_copy else None,
        passages=dict(_passages(reference.quotes, fetched)),
    )
    if pin:
        found, of_lines = _prove(claim, pin, found, fetched)
        more += of_lines
    if fetched.is_own:
        path = fetched.title or reference.url or ""
        changes = find_changes(reference.quotes, dict(claim.own_lines), path, fetched.text)
        more += [change.what for change in changes]
    return _with_findings(found, more)


def _passages(quotes: Iterable[tuple[str, str]], fetched: Fetched) -> Iterator[tuple[str, report.QuotedParagraph]]:
    """Yield the paragraph around each quote that the source contains."""
    path = PurePosixPath(fetched.origin.path if fetched.origin else "")
    is_code = fetched.has_lines and path.suffix.lower() not in {*RENDERED, "", ".txt"}
    # The best form is the last. Without escapes, a text is plain, and its lines stay where they are.
    texts = {without_escapes(fetched.text): True, fetched.text: False}
    texts[fetched.visible] = "html" in fetched.media_type
    for key, quote in quotes:
        for text, by_line in reversed(texts.items()):
            if found := passage_around(quote, text, is_code=is_code, by_line=by_line):
                first, last = (text.count("\n", 0, at) + 1 for at in found[1:])
                page = text.count("\f", 0, found[1]) + 1 if "\f" in text else None
                lines = (first, last) if fetched.has_lines else None
                yield key, report.QuotedParagraph(found[0], fetched.sha256 or "", fetched.fetched[:10], lines, page)
                break


def _with_findings(found: report.SourceResult, more: Iterable[str] = ()) -> report.SourceResult:
    """Return the result with all points to fix or review."""
    if not found.checkable:
        return replace(found, well=True)
    findings = [f"moved to {found.moved_to}"] if found.moved_to else []
    if found.outcome is None:
        findings.append(f"not checked: {found.reason}")
    elif found.outcome not in _READ:
        findings.append(f"{found.outcome.replace('_', ' ')}: {found.reason}")
    if found.doubt:
        findings.append(f"doubtful: {found.doubt}; cite the page that was meant, or review this page")
    if found.content is report.Content.CHANGED:
        findings.append("changed: its text differs from when the page was written")
    findings += [f"quote {key} not found" for key, is_there in found.quotes.items() if not is_there]
    findings += more
    return replace(found, findings=tuple(findings), well=found.outcome == Outcome.OK and not findings)


def report_page(
    claims: Sequence[Claim], answers: Answers, checked: str, text_sha256: str, *, offline: bool
) -> report.PageResult:
    """Return the result for one page; `text_sha256` is its `fingerprint`."""
    wanted = sum(len(claim.reference.quotes) for claim in claims)
    found = (
        claim_result(
            claim,
            next(iter(claim.find(answers)), None),
            checked,
            offline=offline,
            file_defect=claim.file_defect(answers),
        )
        for claim in claims
    )
    return report.make_page_result(tuple(found), checked, text_sha256, wanted, offline=offline)


def _claim(reference: Reference, item: Mapping[str, Any] | None, uri: str) -> Claim:
    sha256 = str(custom_of(item or {}).get("sha256") or "").strip().lower()
    pin, recorded = read_pin(item or {"URL": reference.url}), recorded_lines(item or {})
    named = ((key, recorded.get(key) or pin.lines) for key, _ in reference.quotes if pin)  # else those of the URL
    lines = tuple((key, span) for key, span in named if span)
    fingerprint = reference_sha256(reference, item)
    of_own = () if is_web(reference.url) else tuple(cited_lines(reference.quotes, item or {}).items())
    return Claim(reference, sha256 or None, pin, lines, fingerprint, of_own, uri, is_written=item is not None)


def _prove(
    claim: Claim, pin: RepositoryFile, found: report.SourceResult, fetched: Fetched
) -> tuple[report.SourceResult, list[str]]:
    """Return the result with what a file of a mirror proves, and the points to fix about its lines."""
    quotes = dict(claim.reference.quotes)
    there = [key for key, is_there in found.quotes.items() if is_there]
    named = {key: span for key, span in claim.lines if key in there and fetched.has_lines}
    wrong = [key for key, span in named.items() if not _is_at(quotes[key], fetched.text, span)]
    findings = [f"quote {key} is not at its lines {_span(named[key])}" for key in wrong]
    length = fetched.text.count("\n") + 1
    if pin.lines and fetched.has_lines and pin.lines[1] > length:
        findings.append(f"its lines {_span(pin.lines)} are not there: the file has {length}")
    which = "this quote is" if len(quotes) == len(there) == 1 else f"{len(there)} of {len(quotes)} quotes are"
    place = "in that file" if wrong or len(named) < len(there) else "at those lines of that file"
    day = (fetched.origin and fetched.origin.committed) or ""
    said = f"{which} {place}" if quotes else "the page quotes nothing from it; that file is there"
    proof = report.PinResult(pin.repository, pin.path, pin.ref, day, f"{said} at that commit of {day}")
    return replace(found, pinned=proof), findings


def name_commit(fetched: Fetched) -> str:
    """Return the commit of a file of a mirror, with its date, for users."""
    file = parse_file_url(fetched.url)
    day = f" of {fetched.origin.committed}" if fetched.origin else ""
    return f"commit {file.ref[:12] if file else ''}{day}"


def _is_at(quote: str, text: str, span: tuple[int, int]) -> bool:
    part = "\n".join(text.split("\n")[span[0] - 1 : span[1]])
    return contains_quote(quote, Readings(part, part))


def _span(lines: tuple[int, int]) -> str:
    return "–".join(map(str, dict.fromkeys(lines)))
