"""The Sources page: all works that the base cites, by site, with the pages that cite them.

If there are too many works for one page, they are on numbered pages, and the Sources page lists the sites.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from generator.markdown.plain_text import count, number
from generator.model import PageUri
from generator.views.checks import NAMES, counted
from generator.views.index import SOURCES, page_uris
from generator.views.labels import distinct
from generator.views.progress import UrlFrom
from generator.views.template import render_block
from generator.views.works import BIB, JSON, CitedWork, by_site, shared_day

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
