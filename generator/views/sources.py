"""The Sources page: every work that is cited anywhere in the base, by site, with the pages that use it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from generator.library import Library, natural_order
from generator.model import Page, Reference
from generator.page.works import work_key
from generator.views.progress import render_template
from generator.views.words import count

NO_SITE = "without an address"
"""Where works stand that have none, or whose address is no web address."""


@dataclass(frozen=True, slots=True)
class Work:
    """A work with the pages that cite it, in natural order."""

    reference: Reference
    pages: tuple[Page, ...]

    @property
    def site(self) -> str:
        """The host that it is read at, without ``www.``."""
        return (urlsplit(self.reference.url or "").hostname or "").removeprefix("www.") or NO_SITE


def works(library: Library, base: Container[str]) -> tuple[Work, ...]:
    """Every work cited in the pages of `base`, once each; links from page to page of the base are not among them.

    Of a work that several pages cite, the title is the first page's, and the access date the latest.
    """
    cited: dict[str, list[tuple[Reference, Page]]] = defaultdict(list)
    for page in sorted((p for p in library.pages if p.uri in base), key=lambda p: natural_order(p.uri)):
        for reference in page.references:
            if not (reference.url or "").partition("#")[0].endswith(".md"):
                key = work_key(reference.url) if reference.url else f"title:{reference.title.casefold()}"
                cited[key].append((reference, page))
    return tuple(Work(_latest(r for r, _ in uses), tuple(page for _, page in uses)) for uses in cited.values())


def sources_page(library: Library, base: Container[str], url_of: Callable[[str], str]) -> str:
    """The whole page. `base` holds the uris of the base's pages; `url_of` gives a page's address as seen from it."""
    found = works(library, base)
    by_site: dict[str, list[Work]] = defaultdict(list)
    for work in found:
        by_site[work.site].append(work)
    sites = sorted(by_site, key=lambda site: (site == NO_SITE, -len(by_site[site]), site))
    citing = {page.uri for work in found for page in work.pages}
    head = (
        "---\ntitle: Sources\ndescription: Every work that this base cites, and the pages that cite it.\n"
        "hide: [tags]\n---\n\n"
        "# Sources\n\n"
    )
    if not found:
        return head + "No page of this base cites a work yet.\n"
    intro = (
        f"**{count(len(found), 'work')}** at {count(len(sites), 'site')}, cited by {count(len(citing), 'page')}.\n\n"
    )
    html = render_template(
        "sources.html",
        sites=[(site, [_row(work, url_of) for work in sorted(by_site[site], key=_by_use)]) for site in sites],
        total=len(found),
    )
    return head + intro + "\n".join(line for line in html.splitlines() if line.strip()) + "\n"


def _by_use(work: Work) -> tuple[int, str]:
    return -len(work.pages), work.reference.title


def _latest(references: Iterable[Reference]) -> Reference:
    """The first mention, with the latest access date of all."""
    every = list(references)
    accessed = max((r.accessed for r in every if r.accessed), default=None)
    first = every[0]
    return Reference(first.id, first.title, first.url, accessed, (), first.author, first.publisher, first.issued)


def _row(work: Work, url_of: Callable[[str], str]) -> dict[str, object]:
    url = work.reference.url or ""
    return {
        "title": work.reference.title,
        "href": url if url.startswith(("http://", "https://")) else "",
        "by": ", ".join(part for part in (work.reference.author, work.reference.publisher) if part),
        "accessed": work.reference.accessed,
        "pages": [(page.title, url_of(page.uri)) for page in work.pages],
    }
