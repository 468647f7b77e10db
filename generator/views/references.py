"""A page's citations and its References section: the works cited, each with its details and links back to the text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from generator.citations.identifiers import is_web
from generator.citations.in_text import Citation, cite_anchor, numbered, quote_anchor
from generator.citations.quotes import directive_of, fragment_link, has_fragments, parse_directive
from generator.model import Reference
from generator.views.checks import NAMES, SourceCheck, SourceStatus
from generator.views.template import render_template
from generator.views.works import MIN_COMMON, by_line, host_of, shared_day, status_of

_TAKEN = re.compile(r"^#{1,6}\s+References\s*#*$", re.MULTILINE | re.IGNORECASE)


def list_title(text: str) -> str:
    """Return the title of the list of works: "References", unless a heading of the page's `text` has it."""
    return "Works cited" if _TAKEN.search(text) else "References"


def references_section(
    text: str,
    references: Sequence[Reference],
    citations: Sequence[Citation],
    links: Mapping[str, str],
    found: Mapping[str, SourceCheck] = MappingProxyType({}),
) -> str:
    """Return the section to append to a page's `text`, as Markdown with HTML; empty without references.

    `links` has the address of each reference that is a page of the base, and `found` the result of checking it, by id.
    """
    if not references:
        return ""
    numbers = numbered(references, citations)
    uses: dict[str, list[tuple[str, str]]] = defaultdict(list)
    quotes = {reference.id: dict(reference.quotes) for reference in references}
    for n, citation in enumerate((c for c in citations if c.reference in quotes), 1):
        is_quote = citation.locator in quotes[citation.reference]
        uses[citation.reference].append((f"#{cite_anchor(n)}", "" if is_quote else citation.locator or ""))
    ordered = sorted(references, key=lambda reference: numbers[reference.id])
    checks = {reference.id: _check(reference, found.get(reference.id)) for reference in ordered}
    common = _common(checks.values())
    rows = [_row(n, work, uses[work.id], links, checks[work.id], common) for n, work in enumerate(ordered, 1)]
    accessed = shared_day(ordered)
    html = render_template("references.html", rows=rows, common=common, accessed=accessed)
    body = "\n".join(line for line in html.splitlines() if line.strip())
    return f"\n\n## {list_title(text)} {{ #works-cited data-search-exclude }}\n\n{body}\n"


def _check(reference: Reference, check: SourceCheck | None) -> SourceCheck | None:
    """Return the result for a work; ``None`` for a page of the base, and for a work without a web address."""
    if check is None:
        check = SourceCheck(status_of(reference, None), "")
    return check if check.status is not SourceStatus.OFFWEB else None


def _common(checks: Iterable[SourceCheck | None]) -> dict[str, Any]:
    """Return the most frequent status if at least three works share it: it is shown once instead of on each.

    It is empty if there is none; `works` of the `total` works with a status share it.
    """
    found = [check for check in checks if check]
    for status, n in Counter(check.status for check in found).most_common(1):
        labels = {check.label for check in found if check.status is status}
        if n >= MIN_COMMON:
            label = labels.pop() if len(labels) == 1 else NAMES[status]
            return {"status": status, "label": label, "works": n, "total": len(found)}
    return {}


def _row(  # noqa: PLR0913, PLR0917 - each is a value of its own
    number: int,
    reference: Reference,
    uses: Sequence[tuple[str, str]],
    links: Mapping[str, str],
    check: SourceCheck | None,
    common: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the values of the work with this `number`; `uses` has the address and the locator of each citation."""
    has_address = is_web(reference.url)
    is_common = bool(check and common and check.status is common["status"])
    return {
        "id": reference.id,
        "title": reference.title,
        "href": reference.url if has_address else links.get(reference.id, ""),
        "path": "" if has_address or reference.id in links else reference.url or "",
        "by": by_line(reference),
        "site": host_of(reference.url) if has_address else "",
        "issued": reference.issued,
        "accessed": reference.accessed,
        "archive": reference.archive if reference.archive and reference.archive.startswith("https://") else "",
        "quotes": [
            (quote_anchor(number, key), key, words, quote_link(reference, key, words))
            for key, words in reference.quotes
        ],
        "check": None if is_common else check,
        "since": check.since if check and is_common and common["label"] != check.label else "",
        "missing": [key for key, is_there in check.quotes if not is_there] if check else (),
        "uses": uses,
    }


def quote_link(reference: Reference, key: str, words: str) -> str:
    """Return the address of an exact quote: its lines, else the fragment that the page stores for it, else its text.

    It is empty for a work without a web address, and for one that a fragment cannot lead into.
    """
    lines, url = dict(reference.line_links).get(key), reference.url or ""
    if lines or not has_fragments(url):
        return lines or ""
    kept = parse_directive(dict(reference.fragments).get(key, ""))
    return fragment_link(url, kept or directive_of(words))
