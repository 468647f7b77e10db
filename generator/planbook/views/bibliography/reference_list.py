"""The list of works below a page: the section References."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from planbook.citations import identifiers
from planbook.citations.citation_links import (
    NumberedCitations,
    cite_anchor,
    quote_anchor,
)
from planbook.citations.identifiers import is_web
from planbook.citations.quotes import split_at
from planbook.citations.report import QuotedParagraph, SourceResult, SourceStatus
from planbook.model import Reference
from planbook.views.bibliography.quote_links import link_into_document, quote_link
from planbook.views.bibliography.works import MIN_COMMON, author_and_publisher, shared_day, site_of
from planbook.views.checks import NAMES, describe_day, status_label
from planbook.views.template import render_template

_OTHER_REFERENCES = re.compile(r"\n#{1,6}\s+References\s*#*$", re.MULTILINE | re.IGNORECASE)


def list_title(text: str) -> str:
    """Return the title of the list of works.

    "References", unless a heading of the page's `text` has it.
    """
    return "Works cited" if _OTHER_REFERENCES.search(f"\n{text}") else "References"


def references_section(
    text: str,
    numbered: NumberedCitations,
    links: Mapping[str, str],
    results: Mapping[str, SourceResult] = MappingProxyType({}),
) -> str:
    """Return the section to append to a page's `text`, as Markdown with HTML.

    The result is empty without references.

    `links` has the address of each reference that is a page of the base, and `results` what its
    check found, by id.
    """
    ordered = numbered.references
    if not ordered:
        return ""
    uses = _uses_by_work(numbered)
    checks = {
        r.id: results.get(r.id) or SourceResult(r.id, checkable=is_web(r.url) or bool(r.file))
        for r in ordered
    }
    common = _common_status(checks.values())
    rows = [
        _reference_values(n, work, uses[work.id], links, checks[work.id], common)
        for n, work in enumerate(ordered, 1)
    ]
    accessed = shared_day(ordered)
    html = render_template(
        "references.html", rows=rows, common=common, accessed=accessed, split_at=split_at
    )
    body = "\n".join(line for line in html.splitlines() if line.strip())
    return f"\n\n## {list_title(text)} {{ #works-cited data-search-exclude }}\n\n{body}\n"


def _uses_by_work(numbered: NumberedCitations) -> Mapping[str, list[tuple[str, str]]]:
    """Return the ways back to the citations of each work: the address of a link, its locators."""
    quotes = {reference.id: dict(reference.quotes) for reference in numbered.references}
    locators: dict[tuple[str, int], list[str]] = defaultdict(list)
    for citation, link_number in zip(numbered.citations, numbered.link_numbers, strict=True):
        if link_number is None:
            continue
        of_link = locators[citation.reference_id, link_number]
        is_quote = citation.locator in quotes[citation.reference_id]
        if citation.locator and not is_quote and citation.locator not in of_link:
            of_link.append(citation.locator)
    uses: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for (name, link_number), of_link in locators.items():
        uses[name].append((f"#{cite_anchor(link_number)}", "; ".join(of_link)))
    return uses


@dataclass(frozen=True, slots=True)
class _CommonStatus:
    """The status that most works of a page share. It is shown once instead of on each."""

    status: SourceStatus
    label: str
    works: int
    total: int
    """The number of works that have a status."""


def _common_status(checks: Iterable[SourceResult]) -> _CommonStatus | None:
    """Return the most frequent status if at least three works share it."""
    checkable = [check for check in checks if check.status is not SourceStatus.OFFWEB]
    counts = Counter(check.status for check in checkable)
    if not counts:
        return None
    [(status, number_of_works)] = counts.most_common(1)
    if number_of_works < MIN_COMMON:
        return None
    labels = {status_label(check) for check in checkable if check.status is status}
    label = labels.pop() if len(labels) == 1 else NAMES[status]
    return _CommonStatus(status, label, number_of_works, len(checkable))


@dataclass(frozen=True, slots=True)
class _QuoteRow:
    """A quote below its work."""

    anchor: str
    key: str
    words: str
    href: str
    """The address at which a browser finds it; empty if there is none."""
    paragraph: QuotedParagraph | None


@dataclass(frozen=True, slots=True)
class _WorkRow:
    """A work in the list below a page, as `references.html` shows it."""

    id: str
    title: str
    href: str | None
    """Its address, or that of the page of the base that it is; empty if it has none."""
    path: str
    """The path or name that the page gives in place of an address."""
    by: str
    """Its authors and publisher."""
    site: str
    issued: str | None
    accessed: str | None
    archive: str
    """The address of a copy; empty if there is none."""
    quotes: Sequence[_QuoteRow]
    copy: tuple[str, str] | None
    """The day and the hash of the text that all paragraphs were read in, if they share one."""
    check: tuple[SourceStatus, str] | None
    """The status and its label, unless it is said once for all works."""
    since: str
    missing: Sequence[str]
    """The keys of the quotes that are not in the source."""
    doubt: str
    uses: Sequence[tuple[str, str]]
    """The address and the locator of each citation."""


def _reference_values(  # noqa: PLR0913, PLR0917 - each is a value of its own
    work_number: int,
    reference: Reference,
    uses: Sequence[tuple[str, str]],
    links: Mapping[str, str],
    check: SourceResult,
    common: _CommonStatus | None,
) -> _WorkRow:
    """Return the values of the work with this `work_number`.

    `uses` has the address and the locator of each citation.
    """
    has_address = identifiers.is_web(reference.url)
    is_common = common is not None and check.status is common.status
    archive = reference.archive or ""
    shows_status = not is_common and check.status is not SourceStatus.OFFWEB
    return _WorkRow(
        id=reference.id,
        title=reference.title,
        href=reference.url if has_address else links.get(reference.id, ""),
        path="" if has_address or reference.id in links else reference.url or reference.file or "",
        by=author_and_publisher(reference),
        site=site_of(reference.url) if has_address else "",
        issued=reference.issued,
        accessed=reference.accessed,
        archive=archive if archive.startswith("https://") else "",  # no `javascript:`
        quotes=_quote_rows(work_number, reference, links, check),
        copy=_common_copy(reference, check),
        check=(check.status, status_label(check)) if shows_status else None,
        since=describe_day(check)
        if common and is_common and common.label != status_label(check)
        else "",
        missing=[key for key, is_there in check.quotes.items() if not is_there],
        doubt=check.doubt,
        uses=uses,
    )


def _quote_rows(
    work_number: int, reference: Reference, links: Mapping[str, str], check: SourceResult
) -> list[_QuoteRow]:
    """Return the quotes of the work with this `work_number`."""
    rows = []
    for key, words in reference.quotes:
        paragraph = check.passages.get(key)
        href = quote_link(reference, key, words, paragraph)
        if not href:
            href = link_into_document(reference, words, links.get(reference.id, ""))
        rows.append(_QuoteRow(quote_anchor(work_number, key), key, words, href, paragraph))
    return rows


def _common_copy(reference: Reference, check: SourceResult) -> tuple[str, str] | None:
    """Return the day and the hash of the text that all paragraphs around quotes were read in.

    Then they are said once. It is `None` if texts differ, or if there is one quote only.
    """
    passages = [check.passages.get(key) for key, _ in reference.quotes]
    copies = {(passage.date, passage.sha256) for passage in passages if passage}
    return copies.pop() if len(copies) == 1 and len(passages) > 1 else None
