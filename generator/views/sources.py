"""The Sources page: every work that is cited anywhere in the base, by site, with the pages that use it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from generator.views.checks import NAMES, Status, counted
from generator.views.downloads import BIB, JSON
from generator.views.progress import render_template
from generator.views.words import count, number
from generator.views.works import NO_SITE, Work

SCRIPT = "assets/planbook/sources.js"
"""The text filter; without it there is still the choice of a site, and of what is known of it."""
MAX_OPEN = 60
"""Works up to which all sites are unfolded."""
MAX_SITES = 8
"""Sites that are named at the top; the others stand folded behind them."""
MAX_PAGES = 4
"""Pages named beside a work; the others stand folded behind them."""

_HEAD = (
    "---\ntitle: Sources\ndescription: Every work that this base cites, and the pages that cite it.\n"
    "hide: [tags, toc]\nsearch:\n  boost: 0.3\n---\n\n# Sources\n\n"
)


def sources_page(works: Sequence[Work], url_of: Callable[[str], str]) -> str:
    """The whole page. `url_of` gives the address of a page or file as seen from it."""
    if not works:
        return _HEAD + "No page of this base cites a work yet.\n"
    by_site: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        by_site[work.site].append(work)
    names = sorted(by_site, key=lambda site: (site == NO_SITE, -len(by_site[site]), site))
    anchors = _anchors(names)
    sites = [(site, anchors[site], sorted(by_site[site], key=_by_use)) for site in names]
    statuses = counted(_status(work) for work in works)
    html = render_template(
        "sources.html",
        said=f"{count(len(works), 'work')} at {count(len(names), 'site')}, cited by "
        f"{count(len({page.uri for work in works for page in work.pages}), 'page')}",
        checked=_checked(works),
        statuses=[(status, NAMES[status], number(n)) for status, n in statuses],
        sites=[(site, anchor, [_row(work, url_of) for work in found]) for site, anchor, found in sites],
        total=len(works),
        max_open=MAX_OPEN,
        max_sites=MAX_SITES,
        max_pages=MAX_PAGES,
        bib=url_of(BIB),
        json=url_of(JSON),
        script=url_of(SCRIPT),
    )
    return _HEAD + "\n".join(line for line in html.splitlines() if line.strip()) + "\n"


def _checked(works: Sequence[Work]) -> str:
    """How many of the works were checked, and when; empty where none was."""
    days = sorted(work.check.day for work in works if work.check and work.check.day)
    if not days:
        return ""
    when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    return f"{number(len(days))} of {count(len(works), 'work')} checked {when}"


def _status(work: Work) -> Status:
    if work.check:
        return work.check.status
    return Status.UNCHECKED if _is_web(work) else Status.OFFWEB


def _is_web(work: Work) -> bool:
    return (work.reference.url or "").startswith(("http://", "https://"))


def _anchors(sites: Sequence[str]) -> dict[str, str]:
    """Each site's anchor, which is what the address holds while the site is chosen; no two are alike."""
    anchors: dict[str, str] = {}
    for site in sites:
        name = anchor = "site-" + re.sub(r"[^a-z0-9]+", "-", site.lower()).strip("-")
        n = 2
        while anchor in anchors.values():
            anchor, n = f"{name}-{n}", n + 1
        anchors[site] = anchor
    return anchors


def _by_use(work: Work) -> tuple[int, str]:
    return -len(work.uses), work.reference.title.casefold()


def _row(work: Work, url_of: Callable[[str], str]) -> dict[str, Any]:
    reference, check = work.reference, work.check
    status = _status(work)
    quotes = [there for use in work.uses if use.check for _, there in use.check.quotes]
    return {
        "title": reference.title,
        "href": reference.url if _is_web(work) else "",
        "by": ", ".join(part for part in (reference.author, reference.publisher) if part),
        "issued": reference.issued,
        "accessed": reference.accessed,
        "status": status,
        "name": NAMES[status],
        "day": check.day if check else "",
        "moved_to": check.moved_to if check and check.moved_to.startswith(("http://", "https://")) else "",
        "quotes": f"{sum(quotes)} of {count(len(quotes), 'quote')} found" if quotes else "",
        "pages": [(page.title, url_of(page.uri)) for page in work.pages],
    }
