"""The Sources page: all works of the base, by site; of a large base, numbered pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any

from planbook.library import SOURCES, group_by
from planbook.markdown.plain_text import number
from planbook.model import PageUri
from planbook.views.bibliography.work_groups import KINDS, kind_of, most_quoted, organisations
from planbook.views.bibliography.works import (
    BIB,
    JSON,
    CitedWork,
    group_by_site,
    shared_day,
    site_ids,
)
from planbook.views.checks import FAULTS, NAMES, count_statuses, status_label
from planbook.views.index import page_uris
from planbook.views.page_heads import RANKED_LOW, generated_head
from planbook.views.template import UrlFrom, distinct, render_block
from planbook.views.trust import describe_works

SCRIPT = "assets/planbook/sources.js"
"""The script of the text search; filters by site and status work without it."""
MAX_OPEN = 60
"""The number of works up to which all sites are unfolded."""
MAX_SITES, MAX_OF_HOST = 8, 6
"""The number of sites listed at the top, and of each forge's repositories and the other sites if
there are both; the others are folded."""
MAX_PAGES = 4
"""The number of pages listed for a work; the others are folded."""
MAX_ELEMENTS, PAGE_ELEMENTS = 5_000, 1_500
"""The limit of HTML elements of works on the Sources page, and on each numbered page: one has about
60 bytes."""
_ELEMENTS_OF_SITE = 7
"""The number of HTML elements of a site's heading."""
MAX_LISTED = 400
"""The number of sites that the Sources page of a large base lists; the others have few works
each."""

Sites = Sequence[tuple[str, Sequence[CitedWork]]]
"""Sites with their works, in order."""


def source_pages(works: Sequence[CitedWork], existing: Iterable[str] = ()) -> dict[PageUri, Sites]:
    """Return the sites of each page that lists works, by its uri.

    That is the Sources page, or numbered pages.

    `existing` holds the uris of the author's pages.
    """
    sites = group_by_site(works)
    in_works = sum(_elements_of(work) for work in works)
    if _ELEMENTS_OF_SITE * len(sites) + in_works <= MAX_ELEMENTS:
        return {SOURCES: sites}
    pages: list[list[tuple[str, list[CitedWork]]]] = []
    weight = PAGE_ELEMENTS  # so that the first work begins a page
    for site, works_of_site in sites:
        for work in works_of_site:
            weight += _elements_of(work)
            if weight > PAGE_ELEMENTS:
                pages.append([])
                weight = _elements_of(work)
            if not pages[-1] or pages[-1][-1][0] != site:
                pages[-1].append((site, []))
                weight += _ELEMENTS_OF_SITE
            pages[-1][-1][1].append(work)
    uris = page_uris((f"sources/{n}" for n in range(1, len(pages) + 1)), existing)
    return dict(zip(uris, pages, strict=True))


def _elements_of(work: CitedWork) -> int:
    """Return the number of HTML elements of a work in the list."""
    return 6 + len(work.pages)


def sources_pages(
    works: Sequence[CitedWork],
    pages: Mapping[PageUri, Sites],
    url_from: UrlFrom,
    documents: Mapping[str, PageUri] = MappingProxyType({}),
) -> dict[PageUri, str]:
    """Return the Sources page, and the numbered `pages` of these works, by uri.

    `source_pages` has planned them. `documents` has the page of each local document that is shown.
    """
    if not works:
        return {SOURCES: f"{_head()}No works are cited in this base yet.\n"}
    ids = site_ids(works)
    if len(pages) == 1:
        url_of = url_from(SOURCES)
        lead = _lead(works, url_of)
        html = _works_html(pages[SOURCES], url_of, lead, documents, ids)
        return {SOURCES: _head() + html}
    texts = {SOURCES: _head() + _site_list(works, pages, url_from(SOURCES))}
    for n, (uri, sites) in enumerate(pages.items(), 1):
        url_of = url_from(uri)
        other_pages = {"around": {"all": url_of(SOURCES), "number": n, "pages": len(pages)}}
        texts[uri] = _head(f", page {n} of {len(pages)}") + _works_html(
            sites, url_of, other_pages, documents, ids
        )
    return texts


def _head(which: str = "") -> str:
    head = generated_head(
        f"title: Sources{which}",
        "description: All works cited in this base, and the pages that cite them.",
        "hide: [tags, toc]",
        RANKED_LOW,
    )
    return f"{head}# Sources{which}\n\n"


def _lead(works: Sequence[CitedWork], url_of: Callable[[str], str]) -> dict[str, Any]:
    """Return the values for the first lines of the Sources page."""
    cited_by, checked = describe_works(works)
    statuses = count_statuses(work.status for work in works)
    ends = [100 * end / len(works) for end in accumulate((n for _, n in statuses), initial=0)]
    return {
        "said": cited_by,
        "checked": checked,
        "bib": url_of(BIB),
        "json": url_of(JSON),
        "quoted_most": most_quoted(works),
        "names_of_status": NAMES,
        "fault_free": FAULTS.isdisjoint(status for status, _ in statuses),
        "stretches": [
            (status, NAMES[status], number(n), *span)
            for (status, n), span in zip(statuses, pairwise(ends), strict=True)
        ],
    }


def _hosts(
    sites: Sequence[tuple[str, str, Sequence[CitedWork]]],
) -> list[tuple[str, Sequence[tuple[str, str, Sequence[CitedWork]]]]]:
    """Return the repositories by their forge, and the other sites, those with most works first.

    If there are only sites, or repositories of one forge, they have no name.
    """
    by_host = group_by(sites, lambda entry: entry[0].partition("/")[0] if "/" in entry[0] else "")
    if len(by_host) == 1 and "" in by_host:
        return [("", sites)]
    return [(host or "Other sites", of_host) for host, of_host in by_host.items()]


def _works_html(
    sites: Sites,
    url_of: Callable[[str], str],
    lead: Mapping[str, Any],
    documents: Mapping[str, PageUri],
    ids: Mapping[str, str],
) -> str:
    works = [work for _, site_works in sites for work in site_works]
    statuses = [
        (status, NAMES[status], number(n))
        for status, n in count_statuses(work.status for work in works)
    ]
    anchored = [
        (site, anchor, site_works)
        for (site, site_works), anchor in zip(sites, _anchors_of_sites(sites), strict=True)
    ]
    of_kinds = Counter(map(kind_of, works))
    # The links beside the list stay in the order of their numbers.
    by_size = sorted(anchored, key=lambda entry: -len(entry[2]))
    return render_block(
        "sources.html",
        **{"around": None, **lead},
        statuses=statuses,
        kinds=[(kind, of_kinds[kind]) for kind in KINDS if of_kinds[kind]],
        kind_of=kind_of,
        groups=organisations(anchored),
        forges=len({site.partition("/")[0] for site, _ in sites if "/" in site}),
        sites=anchored,
        hosts=_hosts(by_size),
        max_of_host=MAX_OF_HOST,
        total=len(works),
        accessed=shared_day(work.reference for work in works),
        max_open=MAX_OPEN,
        max_sites=MAX_SITES,
        max_pages=MAX_PAGES,
        url_of=url_of,
        label=status_label,
        names=NAMES,
        documents=documents,
        script=url_of(SCRIPT),
        bib_file=BIB,
        json_file=JSON,
        ids=ids,
    )


def _site_list(
    works: Sequence[CitedWork], pages: Mapping[PageUri, Sites], url_of: Callable[[str], str]
) -> str:
    """Return the Sources page of a large base.

    It lists the numbered pages, and the sites with links to their works.
    """
    rows = [
        (url_of(uri), n, sites[0][0], sites[-1][0], sum(len(site_works) for _, site_works in sites))
        for n, (uri, sites) in enumerate(pages.items(), 1)
    ]
    totals = {site: len(site_works) for site, site_works in group_by_site(works)}
    links: dict[str, str] = {}
    for uri, sites in pages.items():
        for (site, _), anchor in zip(sites, _anchors_of_sites(sites), strict=True):
            links.setdefault(site, f"{url_of(uri)}#{anchor}")
    shown_sites = [(site, href, totals[site]) for site, href in links.items()][:MAX_LISTED]
    return render_block(
        "sources-list.html",
        **_lead(works, url_of),
        rows=rows,
        sites=shown_sites,
        left_out=len(links) - len(shown_sites),
    )


def _anchors_of_sites(sites: Sites) -> list[str]:
    """Return each site's anchor on its page, which is in the URL while the site is selected."""
    return distinct(
        "site-" + re.sub(r"[^a-z0-9]+", "-", site.lower()).strip("-") for site, _ in sites
    )
