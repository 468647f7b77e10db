"""The report of `planbook verify`, ``planbook-verify.json``: its form, written and read here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

import msgspec

VERSION = 1
_CONCLUSIVE = ("ok", "moved", "gone")
"""Outcomes that no failure to read the source replaces in the report."""


class Content(StrEnum):
    """Result of comparing a source's text with the one that the page was written from."""

    SAME = "same"
    CHANGED = "changed"
    UNRECORDED = "unrecorded"
    """The page records no ``sha256``."""
    UNREAD = "unread"


class SourceStatus(StrEnum):
    """The result for a source; if several apply, the first in this list is shown."""

    GONE = "gone"
    UNREAD = "unread"
    MISSING = "missing"
    DOUBTFUL = "doubtful"
    """It may not be the page that is cited, but a consent wall or an error page."""
    CHANGED = "changed"
    MOVED = "moved"
    PINNED = "pinned"
    VERIFIED = "verified"
    COPIED = "copied"
    UNCHECKED = "unchecked"
    OFFWEB = "offweb"


class PinResult(msgspec.Struct, frozen=True):
    """The proof from a mirror: a citation was compared with a file at a commit.

    Such a file cannot change.
    """

    repository: str = ""
    path: str = ""
    commit: str = ""
    date: str = ""
    """The date of the commit, ``YYYY-MM-DD``."""
    statement: str = ""
    """The proven fact, in words."""


class FileState(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of a local document that a reference names."""

    defect: str = ""
    """Why it cannot be read, beginning with its name; empty if it can."""
    is_missing: bool = False
    """True if there is no such file."""
    sha256: str = ""
    """Hash of the file's content; empty if it cannot be read."""


class QuotedParagraph(msgspec.Struct, frozen=True, omit_defaults=True):
    """The paragraph around a quote, as it was read."""

    text: str
    sha256: str
    """The hash of the source's whole text."""
    date: str
    lines: tuple[int, int] | None = None
    """The first and last line of the quote in a repository's file."""
    page: int | None = None
    """The page of a PDF that the quote begins on."""


class SourceResult(msgspec.Struct, frozen=True):
    """The result for one reference of a page."""

    id: str
    url: str | None = msgspec.field(default=None, name="URL")
    reference_sha256: str = ""
    checkable: bool = False
    """True if it can be checked on the web or in a mirror: pages of the base and works without a
    URL cannot."""
    well: bool = False
    """True if there is nothing to fix or review, or if it cannot be checked."""
    outcome: str | None = None
    """``None`` if no request was made."""
    reason: str = ""
    status_code: int | None = msgspec.field(default=None, name="status")
    moved_to: str | None = None
    content: Content = Content.UNREAD
    sha256: str | None = None
    """Hash of the current text."""
    quotes: Mapping[str, bool] = {}
    """By key, True if the source contains the quote; empty if no text could be read."""
    quote_sha256: Mapping[str, str] = {}
    """By key, the beginning of the hash of each quote's words, wherever they are cited."""
    fetched: str | None = None
    """Time of the request, in UTC."""
    copy: str | None = None
    """The date of the saved copy that was read; ``None`` if the source itself was."""
    pinned: PinResult | None = None
    """``None`` if there is no mirror, or it does not have the file."""
    findings: tuple[str, ...] = ()
    """All points to fix or review, in a few words each."""
    checked: str = ""
    """The time of the run."""
    offline: bool = False
    passages: Mapping[str, QuotedParagraph] = {}
    """The paragraph around each quote that was found, now or earlier, by the quote's key."""
    file: str = ""
    """The local document that the reference names, as written there; empty if it names none."""
    file_sha256: str = ""
    """Hash of that file's content; empty if it was not read."""
    doubt: str = ""
    """Why what was read may not be the page that is cited; empty if there is no doubt."""

    @property
    def quotes_found(self) -> int:
        """The number of quotes that it contains."""
        return sum(self.quotes.values())

    @property
    def day(self) -> str:
        """The day of the request or of the copy, ``YYYY-MM-DD``; empty if there was none."""
        return (self.fetched or "")[:10]

    @property
    def committed(self) -> str:
        """The day of the commit at which the file contains the cited text.

        It is empty if that was not proven.
        """
        if self.pinned and self.status in {SourceStatus.PINNED, SourceStatus.CHANGED}:
            return self.pinned.date
        return ""

    @property
    def is_read(self) -> bool:
        """True if a host answered for it, or its stored text, file or copy was read."""
        return self.checkable and bool(self.outcome or self.pinned or self.copy)

    @property
    def status(self) -> SourceStatus:
        """The most important part of the result."""
        if not self.checkable:
            return SourceStatus.OFFWEB
        if self.outcome in {None, "refused"}:  # as most works
            return SourceStatus.UNCHECKED
        findings = (
            (self.outcome == "gone", SourceStatus.GONE),
            (self.outcome not in _CONCLUSIVE, SourceStatus.UNREAD),
            (False in self.quotes.values(), SourceStatus.MISSING),
            (self.doubt, SourceStatus.DOUBTFUL),
            (self.content is Content.CHANGED, SourceStatus.CHANGED),
            (self.outcome == "moved", SourceStatus.MOVED),
            (self.pinned, SourceStatus.PINNED),
            (self.offline or self.copy, SourceStatus.COPIED),
        )
        return next((status for holds, status in findings if holds), SourceStatus.VERIFIED)

    @property
    def conclusiveness(self) -> int:
        """2 if a request was conclusive, 1 if one was made, 0 otherwise."""
        if self.outcome in _CONCLUSIVE:
            return 2
        return 0 if self.outcome is None else 1


class QuoteTotals(msgspec.Struct, frozen=True):
    """The quotes of a page."""

    found: int = 0
    total: int = 0


class PageResult(msgspec.Struct, frozen=True):
    """The results for one page."""

    checked: str
    offline: bool = False
    text_sha256: str = ""
    """The page's `fingerprint`."""
    well: bool = False
    quotes: QuoteTotals = QuoteTotals()
    references: tuple[SourceResult, ...] = ()

    def with_earlier(self, old: PageResult | None) -> PageResult:
        """Return the results, with earlier ones for unchanged references if they say more."""
        earlier = {work.reference_sha256: work for work in (old.references if old else ())}
        best: list[SourceResult] = []
        for work in self.references:
            earlier_work = earlier.get(work.reference_sha256, work)
            is_better = earlier_work.conclusiveness > work.conclusiveness
            # A file is there or not: no later attempt finds another.
            better = earlier_work if is_better and not work.file else work
            passages = {**earlier_work.passages, **work.passages}
            best.append(msgspec.structs.replace(better, passages=passages))
        wanted = self.quotes.total
        return make_page_result(
            tuple(best), self.checked, self.text_sha256, wanted, offline=self.offline
        )


class VerifyReport(msgspec.Struct, frozen=True):
    """The whole report: results by page."""

    version: int
    pages: Mapping[str, PageResult]

    def without(self, uris: Collection[str]) -> VerifyReport:
        """Return the report without some pages."""
        remaining = {uri: page for uri, page in self.pages.items() if uri not in uris}
        return VerifyReport(self.version, remaining)


def make_page_result(
    references: tuple[SourceResult, ...],
    checked: str,
    text_sha256: str,
    wanted: int,
    *,
    offline: bool,
) -> PageResult:
    """Return the results for a page with `wanted` quotes, with their totals."""
    quotes_found = sum(work.quotes_found for work in references)
    well = all(work.well for work in references)
    return PageResult(
        checked, offline, text_sha256, well, QuoteTotals(quotes_found, wanted), references
    )


def decode_report(raw: bytes | None) -> tuple[VerifyReport, str]:
    """Return the report, and why it cannot be read; it is empty then, and if there is none."""
    empty = VerifyReport(VERSION, {})
    if raw is None:
        return empty, ""
    try:
        report = msgspec.json.decode(raw, type=VerifyReport)
    except msgspec.ValidationError as error:
        return empty, f"it is not of version {VERSION} ({error})"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return empty, "it is not JSON"
    if report.version != VERSION:
        return empty, f"it is not of version {VERSION}"
    return report, ""


def merge_report(
    old: VerifyReport, pages: Mapping[str, PageResult], known_uris: Iterable[str]
) -> VerifyReport:
    """Merge the results in `pages` into the report `old`.

    Those of other pages are kept if these still are in `known_uris`. An unchanged reference whose
    source could not be read this time keeps its earlier result.
    """
    names = set(known_uris)
    old_pages = {uri: page for uri, page in old.pages.items() if uri in names}
    new = {uri: page.with_earlier(old_pages.get(uri)) for uri, page in pages.items()}
    merged = {**old_pages, **new}
    return VerifyReport(VERSION, dict(sorted(merged.items())))


def unread_files(report: VerifyReport) -> dict[str, FileState]:
    """Return the local documents that the last run could not read, by name.

    Each has the reason, and the hash of the file.
    """
    unread: dict[str, FileState] = {}
    for page in report.pages.values():
        for work in page.references:
            has_file = bool(work.file and work.file_sha256)
            has_failed = bool(work.reason) and work.outcome not in {None, "ok", "moved"}
            if has_file and has_failed:
                unread[work.file] = FileState(work.reason, sha256=work.file_sha256)
    return unread


def encode_report(report: VerifyReport) -> bytes:
    """Return the file's content."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"
