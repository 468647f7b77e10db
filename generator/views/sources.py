"""A page's References section, and the Sources page with all works that the base cites, by site.

If there are too many works for one page, they are on numbered pages, and the Sources page lists the sites.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from generator.citations import identifiers, in_text
from generator.citations.quotes import directive_of, fragment_link, has_fragments, parse_directive
from generator.markdown.plain_text import count, number
from generator.model import PageUri, Reference
from generator.views.checks import NAMES, SourceCheck, SourceStatus, counted
from generator.views.index import SOURCES, page_uris
from generator.views.progress import UrlFrom
from generator.views.template import distinct, render_block, render_template
from generator.views.works import BIB, JSON, MIN_COMMON, CitedWork, by_line, by_site, host_of, shared_day, status_of

_TAKEN = re.compile(r"^#{1,6}\s+References\s*#*$", re.MULTILINE | re.IGNORECASE)


def list_title(text: str) -> str:
    """Return the title of the list of works: "References", unless a heading of the page's `text` has it."""
    return "Works cited" if _TAKEN.search(text) else "References"


def references_section(
    text: str,
    references: Sequence[Reference],
    citations: Sequence[in_text.Citation],
    links: Mapping[str, str],
    found: Mapping[str, SourceCheck] = MappingProxyType({}),
) -> str:
    """Return the section to append to a page's `text`, as Markdown with HTML; empty without references.

    `links` has the address of each reference that is a page of the base, and `found` the result of checking it, by id.
    """
    if not references:
        return ""
    numbers = in_text.numbered(references, citations)
    uses: dict[str, list[tuple[str, str]]] = defaultdict(list)
    quotes = {reference.id: dict(reference.quotes) for reference in references}
    for n, citation in enumerate((c for c in citations if c.reference in quotes), 1):
        is_quote = citation.locator in quotes[citation.reference]
        uses[citation.reference].append((f"#{in_text.cite_anchor(n)}", "" if is_quote else citation.locator or ""))
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
    has_address = identifiers.is_web(reference.url)
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
            (in_text.quote_anchor(number, key), key, words, quote_link(reference, key, words))
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


# --- the Sources page ----------------------------------------------------------------------------------------------


SCRIPT = "assets/planbook/sources.js"
"""The script of the text search; filters by site and status work without it."""
MAX_OPEN = 60
"""The number of works up to which all sites are unfolded."""
MAX_SITES = 8
"""The number of sites listed at the top; the others are folded."""
MAX_PAGES = 4
"""The number of pages listed for a work; the others are folded."""
MAX_ELEMENTS, PAGE_ELEMENTS = 3_800, 1_500
"""The limit of HTML elements of works on the Sources page, and on each numbered page: one has about 60 bytes."""
MAX_LISTED = 400
"""The number of sites that the Sources page of a large base lists; the others have few works each."""

Sites = Sequence[tuple[str, Sequence[CitedWork]]]
"""Sites with their works, in order."""


def source_pages(works: Sequence[CitedWork], existing: Iterable[str] = ()) -> dict[PageUri, Sites]:
    """Return the sites of each page that lists works, by its uri: of the Sources page, or of numbered pages.

    `existing` holds the uris of the author's pages.
    """
    sites = by_site(works)
    if 7 * len(sites) + sum(6 + len(work.pages) for work in works) <= MAX_ELEMENTS:
        return {SOURCES: sites}
    pages: list[list[tuple[str, list[CitedWork]]]] = []
    weight = PAGE_ELEMENTS
    for site, found in sites:
        for work in found:
            weight += 6 + len(work.pages)
            if weight > PAGE_ELEMENTS:
                pages.append([])
                weight = 6 + len(work.pages)
            if not pages[-1] or pages[-1][-1][0] != site:
                pages[-1].append((site, []))
                weight += 7
            pages[-1][-1][1].append(work)
    uris = page_uris((f"sources/{n}" for n in range(1, len(pages) + 1)), existing)
    return dict(zip(uris, pages, strict=True))


def sources_pages(works: Sequence[CitedWork], pages: Mapping[PageUri, Sites], url_from: UrlFrom) -> dict[PageUri, str]:
    """Return the Sources page, and the numbered `pages` that `source_pages` planned for these works, by uri."""
    if not works:
        return {SOURCES: f"{_head()}No works are cited in this base yet.\n"}
    if len(pages) == 1:
        return {SOURCES: _head() + _works(works, pages[SOURCES], url_from(SOURCES), _lead(works, url_from(SOURCES)))}
    texts = {SOURCES: _head() + _site_list(works, pages, url_from(SOURCES))}
    for n, (uri, sites) in enumerate(pages.items(), 1):
        url_of = url_from(uri)
        around = {"all": url_of(SOURCES), "number": n, "pages": len(pages)}
        found = [work for _, some in sites for work in some]
        texts[uri] = _head(f", page {n} of {len(pages)}") + _works(found, sites, url_of, {"around": around})
    return texts


def _head(which: str = "") -> str:
    return (
        f"---\ntitle: Sources{which}\ndescription: All works cited in this base, and the pages that cite them.\n"
        f"hide: [tags, toc]\nsearch:\n  boost: 0.3\n---\n\n# Sources{which}\n\n"
    )


def _lead(works: Sequence[CitedWork], url_of: Callable[[str], str]) -> dict[str, Any]:
    """Return the values for the first lines of the Sources page."""
    sites, pages = len({work.site for work in works}), len({page.uri for work in works for page in work.pages})
    said = f"{count(len(works), 'work')} at {count(sites, 'site')}, cited by {count(pages, 'page')}"
    days = sorted(work.check.day for work in works if work.check and work.check.day)
    when = f"on {days[0]}" if days and days[0] == days[-1] else f"from {days[0]} to {days[-1]}" if days else ""
    checked = f"{number(len(days))} of {count(len(works), 'work')} checked {when}" if days else ""
    if pinned := sum(bool(work.check and work.check.committed) for work in works):
        checked += f", {number(pinned)} pinned"
    return {"said": said, "checked": checked, "bib": url_of(BIB), "json": url_of(JSON)}


def _works(works: Sequence[CitedWork], sites: Sites, url_of: Callable[[str], str], lead: Mapping[str, Any]) -> str:
    statuses = [(status, NAMES[status], number(n)) for status, n in counted(work.status for work in works)]
    return render_block(
        "sources.html",
        **{"around": None, **lead},
        statuses=statuses,
        sites=[(site, anchor, some) for (site, some), anchor in zip(sites, _anchors(sites), strict=True)],
        total=len(works),
        accessed=shared_day(work.reference for work in works),
        **{"max_open": MAX_OPEN, "max_sites": MAX_SITES, "max_pages": MAX_PAGES},
        url_of=url_of,
        script=url_of(SCRIPT),
    )


def _site_list(works: Sequence[CitedWork], pages: Mapping[PageUri, Sites], url_of: Callable[[str], str]) -> str:
    """Return the Sources page of a large base: its numbered pages, and its sites with links to their works."""
    rows = [
        (url_of(uri), n, sites[0][0], sites[-1][0], sum(len(some) for _, some in sites))
        for n, (uri, sites) in enumerate(pages.items(), 1)
    ]
    totals = {site: len(some) for site, some in by_site(works)}
    links: dict[str, str] = {}
    for uri, sites in pages.items():
        for (site, _), anchor in zip(sites, _anchors(sites), strict=True):
            links.setdefault(site, f"{url_of(uri)}#{anchor}")
    listed = [(site, href, totals[site]) for site, href in links.items()][:MAX_LISTED]
    return render_block(
        "sources-list.html", **_lead(works, url_of), rows=rows, sites=listed, left_out=len(links) - len(listed)
    )


def _anchors(sites: Sites) -> list[str]:
    """Return each site's anchor on its page, which is in the URL while the site is selected."""
    return distinct("site-" + re.sub(r"[^a-z0-9]+", "-", site.lower()).strip("-") for site, _ in sites)
