"""Results of ``planbook verify``, and statements on pages.

A statement says whether a page was generated, reviewed and verified.
`planbook.research.proof.verify` writes the report; the Guide, "Checking sources", describes it. The
three statements are independent: a program wrote the page, a person reviewed it, its quotes were
checked against their sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType

import msgspec

from planbook.citations.identifiers import is_web
from planbook.citations.references import is_work, items_by_id, reference_sha256
from planbook.citations.report import FileState, SourceResult, SourceStatus, decode_report
from planbook.library.pages import fingerprint
from planbook.markdown.plain_text import count
from planbook.model import Drop, HasAddress, Page
from planbook.views.template import month_of
from planbook_speed.cache import UNCACHED, FunctionCache

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
_DATED = {
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
    return _DATED.get(check.status, f"{name} ({{}})").format(day)


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


LOST = frozenset({SourceStatus.GONE, SourceStatus.UNREAD})
"""The statuses of a source that has no text."""


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


def still_valid_checks(
    checks: Mapping[str, PageCheck],
    raw: Mapping[str, bytes],
    pages: Mapping[str, Page],
    cache: FunctionCache = UNCACHED,
    files: Mapping[str, FileState] = MappingProxyType({}),
) -> dict[str, PageCheck]:
    """Return the checks of existing pages without the results that are no longer valid.

    Pages are `raw` and parsed.

    `files` has the state of each local document that a reference names. A document that cannot be
    read is a result, also of a page that was never checked.
    """
    by_uri = _compare_texts(checks, raw, pages, cache)
    if files:
        by_uri |= _compare_files(by_uri, pages, files)
    for uri, check in by_uri.items():
        if uri in pages and pages[uri].meta_value("reviewed"):
            by_uri[uri] = _without_doubts(check)
    return by_uri


def _compare_texts(
    checks: Mapping[str, PageCheck],
    raw: Mapping[str, bytes],
    pages: Mapping[str, Page],
    cache: FunctionCache,
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
        compared[uri] = check
    return compared


def _compare_files(
    checks: Mapping[str, PageCheck], pages: Mapping[str, Page], files: Mapping[str, FileState]
) -> dict[str, PageCheck]:
    """Return the checks of pages whose local documents have changed or cannot be read."""
    compared = {}
    for uri, page in pages.items():
        # A file that is missing is known without a check.
        check = checks.get(uri) or _unchecked(page)
        of_files = dict(_file_results(page, check.by_id, files))
        if of_files:
            compared[uri] = replace(check, by_id={**check.by_id, **of_files})
    return compared


def _unchecked(page: Page) -> PageCheck:
    """Return the check of a page that was never checked: no day, no text, no results."""
    return PageCheck("", "", sum(len(work.quotes) for work in page.references), {})


def doubts_of(checks: Mapping[str, PageCheck]) -> dict[str, dict[str, str]]:
    """Return why sources are doubtful, by page and reference, without pages that have none."""
    doubts = {
        uri: {id_: work.doubt for id_, work in check.by_id.items() if work.doubt and work.is_read}
        for uri, check in checks.items()
    }
    return {uri: of_page for uri, of_page in doubts.items() if of_page}


def _without_doubts(check: PageCheck) -> PageCheck:
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
        state, old = files.get(reference.file), checked.get(reference.id)
        if state is None:
            continue
        last = old or SourceResult(reference.id, reference.url)
        # What the last check said of the file is void; the work itself stays as it was.
        unchecked = msgspec.structs.replace(
            last, checkable=True, outcome=None, quotes={}, well=False, file=reference.file, doubt=""
        )
        if state.defect:
            outcome = "gone" if state.is_missing else "failed"
            findings = (f"{outcome}: {state.defect}",)
            yield (
                reference.id,
                msgspec.structs.replace(
                    unchecked, outcome=outcome, reason=state.defect, findings=findings, fetched=None
                ),
            )
        elif old and old.outcome and old.file and old.file_sha256 != state.sha256:
            reason = f"{reference.file} has changed since it was checked"
            yield (
                reference.id,
                msgspec.structs.replace(
                    unchecked, reason=reason, findings=(f"not checked: {reason}",)
                ),
            )


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


def combine_results(checks: Iterable[SourceResult]) -> SourceResult | None:
    """Return the combined result for a work that several pages cite.

    That is its latest availability, else the worst finding.

    A missing quote, a doubt or changed content concerns one page, so a newer check of another page
    does not supersede it. Nor does any check supersede a local document that cannot be read now.
    """
    # Newest first, so that the first result of a kind is the one that holds.
    newest_first = sorted(checks, key=lambda check: check.day, reverse=True)
    if lost := next((check for check in newest_first if check.file and check.status in LOST), None):
        return lost
    if not newest_first or newest_first[0].status in {SourceStatus.GONE, SourceStatus.UNREAD}:
        return newest_first[0] if newest_first else None
    grave = (SourceStatus.MISSING, SourceStatus.DOUBTFUL, SourceStatus.CHANGED)
    graver = (check for status in grave for check in newest_first if check.status is status)
    return next(graver, newest_first[0])


_COUNTS = ("sentences", "confirmed", "rewritten")
WRITERS = {
    "llm": "by a language model",
    "command": "by a program",
}
"""Descriptions of the writers of `planbook expand`; others are shown by name."""
BY_HAND = frozenset({"hand", "person"})
GOOD = frozenset(
    {SourceStatus.PINNED, SourceStatus.VERIFIED, SourceStatus.COPIED, SourceStatus.MOVED}
)
_UNNAMED = frozenset({SourceStatus.PINNED, SourceStatus.VERIFIED, SourceStatus.UNCHECKED})
_NO_NAME = re.compile(r"(?:PART|Worker|Runner)\s*\d*", re.IGNORECASE)
"""A runner whose name is that of its writer."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One of the statements on a page."""

    kind: str
    """``generated``, ``reviewed``, ``verified``, ``age``, ``quotes`` or ``grounds``."""
    holds: str
    """``yes``, ``partly`` or ``no``."""
    label: str
    text: str
    brief: str = ""
    """The statement in a few words, if the label alone says too little."""

    @property
    def is_brief(self) -> bool:
        """True if the line below the title has it.

        That no person reviewed a page is said once, on the home page.
        """
        return self.kind != "grounds" and (self.kind, self.holds) != ("reviewed", "no")

    @property
    def meaning(self) -> str:
        """Its meaning, in a sentence."""
        return f"{_MEANINGS[self.kind]} {self.label} {self.text}".strip()


_MEANINGS = {
    "generated": "Who wrote this page:",
    "reviewed": "Whether a person has read this page against its sources:",
    "verified": "Whether its quotes were found in its sources:",
    "age": "How old its sources are:",
    "quotes": "How much of it rests on a source's own words:",
    "grounds": "What its sentences rest on:",
}
"""The subject of each kind of statement."""


def statements(page: Page, drop: Drop | None, checked: PageCheck | None) -> tuple[Statement, ...]:
    """Return the statements on `page`.

    Generated by a program, reviewed by a person, sources verified, grounds.

    `checked` is the page's last check.
    """
    made = _writer_statement(page, drop)
    about = (
        made,
        _review_statement(page),
        _verification_statement(page, checked),
        _age_statement(page),
        _quotes_statement(page),
        _grounds_statement(page),
    )
    return tuple(statement for statement in about if statement)


def is_reviewed(page: Page) -> bool:
    """Return true if a person has reviewed the page as it is now."""
    return _review_statement(page).holds == "yes"


def _age_statement(page: Page) -> Statement | None:
    """Return the years of the sources that have a date, else the months in which they were read."""
    works = [work for work in page.references if is_work(work)]
    years = sorted(work.issued[:4] for work in works if work.issued and work.issued[:4].isdecimal())
    if years:
        first, last = years[0], years[-1]
        span = first if first == last else f"{first}–{last}"
        label = f"Sources from {span}"
        dated = f"({len(years)} of {count(len(works), 'source')} with a date)"
        return Statement("age", "yes", label, dated)
    days = sorted(work.accessed for work in works if work.accessed)
    if not days:
        return None
    first, last = days[0], days[-1]
    when = f"on {first}" if first == last else f"from {first} to {last}"
    text = f"when its sources were read ({when})"
    return Statement("age", "yes", f"As of {month_of(last)},", text)


def _quotes_statement(page: Page) -> Statement | None:
    """Return the share of the sentences that quote a source, if the page says it.

    Else the number of quotes.
    """
    total = sum(number for _, number in page.grounds)
    quotes = sum(len(work.quotes) for work in page.references)
    if total:
        share = round(100 * dict(page.grounds).get("quoted", 0) / total)
        text = "– the share of its sentences that cite a quote"
        return Statement("quotes", "yes", f"{share} % quoted", text)
    if not quotes:
        return None
    return Statement("quotes", "yes", count(quotes, "quote"), "from its sources, word for word")


_GROUNDS = {
    "quoted": ("cites a quote", "cite a quote"),
    "deduced": ("follows from others", "follow from others"),
    "advice": ("is the writer's advice", "are the writer's advice"),
    "example": ("is an example", "are examples"),
    "measured": ("was measured in this base", "were measured in this base"),
    "not found": ("says that no source answers", "say that no source answers"),
    "none": ("names no source", "name no source"),
}
"""The words for the sentences with each ground: for one, and for several."""


def _grounds_statement(page: Page) -> Statement | None:
    """Return what the sentences of a page rest on, if the page says it."""
    if not page.grounds:
        return None
    told = [f"{number} {_GROUNDS[ground][number > 1]}" for ground, number in page.grounds]
    total = sum(number for _, number in page.grounds)
    has_all = "none" not in dict(page.grounds)
    return Statement(
        "grounds",
        "yes" if has_all else "partly",
        f"Of {count(total, 'sentence')},",
        ", ".join(told),
    )


def day_of(value: object) -> str:
    """Return ``YYYY-MM-DD`` from a date, a time or the beginning of a text.

    The result is empty if there is none.
    """
    match = re.match(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})", str(value)) if value else None
    try:
        return date(*map(int, match.groups())).isoformat() if match else ""
    except ValueError:
        return ""


def generated_day(page: Page) -> str:
    """Return the day on which a program wrote the page, according to its front matter."""
    return day_of(_generated_fields(page).get("date"))


def _writer_statement(page: Page, drop: Drop | None) -> Statement | None:
    fields = _generated_fields(page)
    day = day_of(fields.get("date"))
    if not fields and drop and drop.runner:  # the report of the attempt names the writer
        runner = "an agent" if _NO_NAME.fullmatch(drop.runner.strip()) else drop.runner
        by = runner if runner.startswith("by ") else f"by {runner}"
        text = _dated(f"{by}, according to the report on it", day_of(drop.timestamp))
        return Statement("generated", "yes", "Written", text, f"Written {by}")
    if not fields:
        return None
    writer = fields.get("writer", "")
    if writer in BY_HAND:
        return Statement("generated", "yes", "Written", _dated("by hand", day), "Written by hand")
    if all(fields.get(key, "").isdecimal() for key in _COUNTS) and fields.get("model"):
        return Statement(
            "generated",
            "yes",
            "Written",
            _dated(_judge_statement(fields), day),
            f"Written by {fields['model']}",
        )
    if page.is_collected:
        text = "passages of its sources, chosen by a program: nobody has written this page"
        return Statement(
            "generated", "partly", "Collected", _dated(text, day), "Collected passages"
        )
    writer_name = WRITERS.get(writer, f"by {writer}" if writer else "by a program")
    model = f" ({fields['model']})" if fields.get("model") else ""
    brief = f"Written {writer_name.partition(' from ')[0]}"
    return Statement("generated", "yes", "Written", _dated(writer_name + model, day), brief)


def _judge_statement(fields: Mapping[str, str]) -> str:
    """Return who wrote the sentences of a page, who judged them, and with what result."""
    text = f"by {fields['model']}; each sentence carries the words it rests on"
    if not fields.get("judge"):
        return f"{text}; sentences not judged"
    sentences, confirmed, rewritten = (int(fields[key]) for key in _COUNTS)
    counts = [f"{confirmed} of {sentences} confirmed at first", f"{rewritten} rewritten"]
    dropped = sentences - confirmed - rewritten
    counts += [f"{dropped} left out"] if dropped else []
    return f"{text}; judged by {fields['judge']}: {', '.join(counts)}"


def _review_statement(page: Page) -> Statement:
    value = page.meta_value("reviewed")
    if value in (None, "", False):
        return Statement("reviewed", "no", "Not reviewed", "by a person yet")
    fields = value if isinstance(value, Mapping) else {"date": value}
    day = day_of(fields.get("date"))
    person = str(fields.get("by") or "")
    if not day and not person and isinstance(value, str):
        person = value
    text = _dated(f"by {person}" if person else "", day).removeprefix(", ")
    if day and generated_day(page) > day:
        return Statement(
            "reviewed", "no", "Not reviewed", f"since it was written; the previous text was, {text}"
        )
    return Statement("reviewed", "yes", "Reviewed", text, f"Reviewed by {person}" if person else "")


_NO_WORKS = "– it cites no works"


def _verification_statement(page: Page, checked: PageCheck | None) -> Statement:
    """Return the statement on what was verified of a page's sources."""
    why_not = _why_not_verified(page, checked)
    has_changed = checked is not None and bool(checked.day) and not checked.is_current
    if has_changed:
        return Statement("verified", "no", "Changed since its check", why_not)
    if checked is None or why_not:
        return Statement("verified", "no", "Not verified", why_not)
    of_works = statuses(page, checked)
    checkable = [status for status in of_works if status is not SourceStatus.OFFWEB]
    quotes = max(checked.quotes, sum(len(work.quotes) for work in page.references))
    read_count = sum(status not in {SourceStatus.UNCHECKED, *LOST} for status in checkable)
    pinned = sum(bool(check.committed) for check in checked.by_id.values())
    sentences = [_days(checked)]
    if pinned:
        sentences.append(f"{pinned} in a fixed version")
    is_gone = bool(checkable) and all(status is SourceStatus.GONE for status in checkable)
    unnamed = _UNNAMED | {SourceStatus.GONE} if is_gone else _UNNAMED  # the label says it
    counts = count_statuses(of_works)
    sentences += [f"{n} {NAMES[status]}" for status, n in counts if status not in unnamed]
    if quotes:
        sentences.append(f"{checked.found} of {count(quotes, 'quote')} found")
    is_well = checked.found == quotes and all(status in GOOD for status in checkable)
    holds = "partly" if read_count else "no"
    if is_well:
        holds = "yes"
    label = _describe_sources(read_count, len(checkable), is_gone=is_gone)
    return Statement("verified", holds, label, ", ".join(sentences))


def _describe_sources(read_count: int, total: int, *, is_gone: bool) -> str:
    """Return how many sources of a page were read; if all are gone, that they are."""
    in_all = count(total, "source")
    return f"{total} of {in_all} gone" if is_gone else f"{read_count} of {in_all} checked"


def _why_not_verified(page: Page, checked: PageCheck | None) -> str:
    """Return the reason why no source of a page counts as checked; empty if one does."""
    if checked is None:
        return "yet" if page.references else _NO_WORKS
    defects = [
        check.reason for check in checked.by_id.values() if check.file and check.status in LOST
    ]
    if not checked.day:
        return "; ".join(["yet", *defects])
    if not checked.is_current:
        return "; ".join([f"on {checked.day}", *defects])
    of_works = statuses(page, checked)
    if not of_works:
        return _NO_WORKS
    if all(status is SourceStatus.OFFWEB for status in of_works):
        return "– none of its works has a web address or a file"
    return ""


def _days(checked: PageCheck) -> str:
    """Return the day, or the first and the last one, on which a page's works were checked."""
    earlier = (check.checked[:10] for check in checked.by_id.values() if check.checked)
    first = min([checked.day, *earlier])
    return f"on {checked.day}" if first == checked.day else f"between {first} and {checked.day}"


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
    return sum(status in GOOD for status in checkable), len(checkable)


def _dated(text: str, day: str) -> str:
    return f"{text}, {day}" if day else text


def _generated_fields(page: Page) -> Mapping[str, str]:
    """Return the front matter's ``generated``, with YAML dates as text.

    It is a mapping or the writer alone.
    """
    value = page.meta_value("generated")
    if isinstance(value, Mapping):
        return {str(name): str(field) for name, field in value.items() if field is not None}
    return {"writer": value} if isinstance(value, str) and value else {}
