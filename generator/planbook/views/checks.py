"""Results of ``planbook verify``, as far as they still hold for the pages as they are now.

`planbook.research.proof.verify` writes the report; the Guide, "Checking sources", describes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import msgspec

from planbook.citations.identifiers import is_web
from planbook.citations.references import is_work, items_by_id, reference_sha256
from planbook.citations.report import FileState, SourceResult, SourceStatus, decode_report
from planbook.library.pages import fingerprint
from planbook.model import Drop, HasAddress, Page, PageUri, Reference
from planbook_cache.functions import NO_CACHE, FunctionCache

NAMES = {
    SourceStatus.PINNED: "in a fixed version",
    SourceStatus.VERIFIED: "verified",
    SourceStatus.COPIED: "in a saved copy",
    SourceStatus.MOVED: "moved",
    SourceStatus.CHANGED: "changed since",
    SourceStatus.MISSING: "quote not found",
    SourceStatus.DOUBTFUL: "doubtful",
    SourceStatus.GONE: "gone",
    SourceStatus.UNREAD: "could not be read",
    SourceStatus.UNCHECKED: "not checked",
    SourceStatus.OFFWEB: "not on the web",
}
"""The label of each status, in the order of display."""
_DATED_TEXTS = {
    SourceStatus.PINNED: "in the fixed version of {}",
    SourceStatus.VERIFIED: "verified on {}",
    SourceStatus.COPIED: "in a saved copy of {}",
}


def status_label(check: SourceResult) -> str:
    """Return the label of the status with its day.

    ``in the fixed version of 2026-10-02``, ``gone (2026-11-20)``.
    """
    day = check.committed if check.status is SourceStatus.PINNED else check.day
    name = NAMES[check.status]
    if not day:
        return name
    return _DATED_TEXTS.get(check.status, f"{name} ({{}})").format(day)


def describe_day(check: SourceResult) -> str:
    """Return the day in the label, with what happened on it: ``version of 2026-10-02``.

    The result is empty if there is none.
    """
    if check.status is SourceStatus.PINNED:
        return f"version of {check.committed}"
    if not check.day:
        return ""
    happened = "copy of" if check.status is SourceStatus.COPIED else "checked"
    return f"{happened} {check.day}"


LOST_STATUSES = frozenset({SourceStatus.GONE, SourceStatus.UNREAD})
"""The statuses of a source that has no text."""
FAULTS = LOST_STATUSES | {SourceStatus.CHANGED, SourceStatus.MISSING, SourceStatus.DOUBTFUL}
"""The statuses of a source that somebody has to look at."""


@dataclass(frozen=True, slots=True)
class PageCheck:
    """The result of checking one page."""

    day: str
    """The day of the last run, ``YYYY-MM-DD``."""
    text_sha256: str
    """The `fingerprint` of the page that was checked."""
    quotes: int
    """The number of quotes on the page."""
    by_id: Mapping[str, SourceResult]
    """The result for each reference."""
    is_current: bool = True
    """False if the page has changed since; then `by_id` has the references that have not."""
    is_accepted: bool = True
    """False if the page has changed since `planbook finish` compared its sentences with its quotes:
    that these are in their sources, as `planbook verify` says, is no proof of the page."""

    @property
    def found(self) -> int:
        """The number of quotes found in their sources."""
        return sum(check.quotes_found for check in self.by_id.values())


def read_checks(raw: bytes | None) -> tuple[dict[str, PageCheck], str]:
    """Return each page's results by uri, and an error message.

    It is empty if the report is valid or missing.
    """
    report, error = decode_report(raw)
    checks = {
        uri: PageCheck(
            page.checked[:10],
            page.text_sha256,
            page.quotes.total,
            {work.id: work for work in page.references},
        )
        for uri, page in report.pages.items()
    }
    return checks, error


def still_valid_checks(  # noqa: PLR0913, PLR0917 - all that a check depends on
    checks: Mapping[str, PageCheck],
    raw: Mapping[str, bytes],
    pages: Mapping[str, Page],
    cache: FunctionCache = NO_CACHE,
    files: Mapping[str, FileState] = MappingProxyType({}),
    accepted: Mapping[PageUri, Drop] = MappingProxyType({}),
) -> dict[str, PageCheck]:
    """Return the checks of existing pages without the results that are no longer valid.

    Pages are `raw` and parsed.

    `files` has the state of each local document that a reference names. A document that cannot be
    read is a result, also of a page that was never checked. `accepted` has the drop of each page
    that was accepted, with the hash of its text.
    """
    by_uri = _compare_texts(checks, raw, pages, cache, accepted)
    if files:
        by_uri |= _compare_files(by_uri, pages, files)
    for uri, check in by_uri.items():
        if uri in pages and pages[uri].meta_value("reviewed"):
            by_uri[uri] = _omit_doubts(check)
    return by_uri


def _compare_texts(
    checks: Mapping[str, PageCheck],
    raw: Mapping[str, bytes],
    pages: Mapping[str, Page],
    cache: FunctionCache,
    accepted: Mapping[PageUri, Drop],
) -> dict[str, PageCheck]:
    """Return the checks of existing pages; of changed ones, the results for the same references."""
    existing = [uri for uri in checks if uri in raw]
    fingerprints = cache.from_last_build(_fingerprint, {uri: (raw[uri],) for uri in existing})
    compared = {}
    for uri, text_sha256 in zip(existing, fingerprints, strict=True):
        check = checks[uri]
        if text_sha256 != check.text_sha256:
            # Quotes of an unchanged reference were checked, whatever the text around them is now.
            same_references = _results_of_unchanged(check, pages.get(uri))
            check = replace(check, is_current=False, by_id=same_references)
        drop = accepted.get(PageUri(uri))
        if drop is not None and drop.text_sha256 != text_sha256:
            check = replace(check, is_accepted=False)
        compared[uri] = check
    return compared


def _compare_files(
    checks: Mapping[str, PageCheck], pages: Mapping[str, Page], files: Mapping[str, FileState]
) -> dict[str, PageCheck]:
    """Return the checks of pages whose local documents have changed or cannot be read."""
    compared = {}
    for uri, page in pages.items():
        # A file that is missing is known without a check.
        check = checks.get(uri) or _unchecked_page(page)
        of_files = dict(_file_results(page, check.by_id, files))
        if of_files:
            compared[uri] = replace(check, by_id={**check.by_id, **of_files})
    return compared


def _unchecked_page(page: Page) -> PageCheck:
    """Return the check of a page that was never checked: no day, no text, no results."""
    return PageCheck("", "", sum(len(work.quotes) for work in page.references), {})


def doubts_of(checks: Mapping[str, PageCheck]) -> dict[str, dict[str, str]]:
    """Return why sources are doubtful, by page and reference, without pages that have none."""
    doubts = {
        uri: {id_: work.doubt for id_, work in check.by_id.items() if work.doubt and work.is_read}
        for uri, check in checks.items()
    }
    return {uri: of_page for uri, of_page in doubts.items() if of_page}


def _omit_doubts(check: PageCheck) -> PageCheck:
    """Return the results for a page that a person has reviewed.

    The person has decided on doubtful sources.
    """
    by_id = {id_: msgspec.structs.replace(work, doubt="") for id_, work in check.by_id.items()}
    return replace(check, by_id=by_id)


def _file_results(
    page: Page, checked: Mapping[str, SourceResult], files: Mapping[str, FileState]
) -> Iterator[tuple[str, SourceResult]]:
    """Yield the results for references whose local document has changed.

    They replace those of another content.
    """
    for reference in page.references:
        state, earlier = files.get(reference.file), checked.get(reference.id)
        if state is None:
            continue
        if state.defect:
            yield reference.id, _unreadable_file(_result_before_check(reference, earlier), state)
        elif earlier and _is_of_other_content(earlier, state):
            reason = f"{reference.file} has changed since it was checked"
            findings = (f"not checked: {reason}",)
            unchecked = _result_before_check(reference, earlier)
            yield (
                reference.id,
                msgspec.structs.replace(unchecked, reason=reason, findings=findings),
            )


def _result_before_check(reference: Reference, earlier: SourceResult | None) -> SourceResult:
    """Return a result without what the last check said of the file, which is void.

    The work itself stays as it was.
    """
    return msgspec.structs.replace(
        earlier or SourceResult(reference.id, reference.url),
        checkable=True,
        outcome=None,
        quotes={},
        well=False,
        file=reference.file,
        doubt="",
    )


def _unreadable_file(unchecked: SourceResult, state: FileState) -> SourceResult:
    """Return the result for a document that is missing or cannot be read."""
    outcome = "gone" if state.is_missing else "failed"
    return msgspec.structs.replace(
        unchecked,
        outcome=outcome,
        reason=state.defect,
        findings=(f"{outcome}: {state.defect}",),
        fetched=None,
    )


def _is_of_other_content(earlier: SourceResult, state: FileState) -> bool:
    """Return whether a file was checked, and had another content."""
    was_checked = bool(earlier.outcome and earlier.file)
    return was_checked and earlier.file_sha256 != state.sha256


def _fingerprint(raw: bytes) -> str:
    return fingerprint(raw.decode("utf-8"))


def _results_of_unchanged(checked: PageCheck, page: Page | None) -> dict[str, SourceResult]:
    """Return the results for the page's references that have not changed since."""
    items = items_by_id(dict(page.meta)) if page else {}
    hashes = {reference_sha256(r, items.get(r.id)) for r in (page.references if page else ())}
    return {
        name: check for name, check in checked.by_id.items() if check.reference_sha256 in hashes
    }


def count_statuses(statuses: Iterable[SourceStatus]) -> tuple[tuple[SourceStatus, int], ...]:
    """Return the number of occurrences of each status, in the order of `NAMES`.

    Those that do not occur are left out.
    """
    all_statuses = list(statuses)
    return tuple((status, all_statuses.count(status)) for status in NAMES if status in all_statuses)


_UNREAD_STATUSES = LOST_STATUSES | {SourceStatus.UNCHECKED, SourceStatus.OFFWEB}


def is_checked(status: SourceStatus) -> bool:
    """Return true if the text of a work was read, in its place or in a copy."""
    return status not in _UNREAD_STATUSES


def count_checked(statuses: Iterable[SourceStatus]) -> tuple[int, int]:
    """Return how many works were checked, and how many can be: not those that are on no web.

    Every share of checked works that the site states comes from here.
    """
    checkable = [status for status in statuses if status is not SourceStatus.OFFWEB]
    return sum(map(is_checked, checkable)), len(checkable)


def combine_results(checks: Iterable[SourceResult]) -> SourceResult | None:
    """Return the combined result for a work that several pages cite.

    That is its latest availability, else the worst finding.

    A missing quote, a doubt or changed content concerns one page, so a newer check of another page
    does not supersede it. Nor does any check supersede a local document that cannot be read now.
    """
    # Newest first, so that the first result of a kind is the one that holds.
    newest_first = sorted(checks, key=lambda check: check.day, reverse=True)
    if lost := next(
        (check for check in newest_first if check.file and check.status in LOST_STATUSES), None
    ):
        return lost
    if not newest_first or newest_first[0].status in {SourceStatus.GONE, SourceStatus.UNREAD}:
        return newest_first[0] if newest_first else None
    grave = (SourceStatus.MISSING, SourceStatus.DOUBTFUL, SourceStatus.CHANGED)
    graver = (check for status in grave for check in newest_first if check.status is status)
    return next(graver, newest_first[0])


CHECKED_STATUSES = frozenset(
    {SourceStatus.PINNED, SourceStatus.VERIFIED, SourceStatus.COPIED, SourceStatus.MOVED}
)


def status_of(reference: HasAddress, check: SourceResult | None) -> SourceStatus:
    """Return the status of a work that was checked, or not."""
    if check:
        return check.status
    is_checkable = is_web(reference.url) or reference.file
    return SourceStatus.UNCHECKED if is_checkable else SourceStatus.OFFWEB


def statuses(page: Page, checked: PageCheck) -> list[SourceStatus]:
    """Return the status of each work that a page cites.

    One that the check does not mention has a status, too.
    """
    works = {work.id: work for work in page.references}
    pages = {work.id for work in page.references if not is_work(work)}
    checked_statuses = [check.status for id_, check in checked.by_id.items() if id_ not in pages]
    rest = [work for id_, work in works.items() if id_ not in checked.by_id and id_ not in pages]
    return checked_statuses + [status_of(work, None) for work in rest]


def sources_in_order(page: Page, checked: PageCheck | None) -> tuple[int, int]:
    """Return how many sources of a page are in order, with each quote, and how many can be checked.

    A result counts as long as its reference has not changed.
    """
    of_works = statuses(page, checked or PageCheck("", "", 0, {}))
    checkable = [status for status in of_works if status is not SourceStatus.OFFWEB]
    return sum(status in CHECKED_STATUSES for status in checkable), len(checkable)
