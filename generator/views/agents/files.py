"""All files of the site for programs besides the Markdown twins, by path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from generator.library import Library
from generator.page.parse import parse_page
from generator.views.agents.feed import FEED, FeedEntry, feed
from generator.views.agents.llms import LlmsLink, llms_full_txt, llms_sections, llms_txt
from generator.views.index import FolderIndex
from generator.views.metadata import Site

LLMS, LLMS_FULL = "llms.txt", "llms-full.txt"


@dataclass(frozen=True, slots=True)
class SitePage:
    """One page of the site, of the base or beside it."""

    uri: str
    url: str
    """Its address from the site's root."""
    text: Callable[[], str]
    """Reads its Markdown file."""
    twin: Callable[[], str]
    """Reads its Markdown twin, as `generator.views.agents.twins` makes it."""


def listing_files(
    library: Library,
    folders: Sequence[FolderIndex],
    site: Site,
    pages: Sequence[SitePage],
    finished: Sequence[FeedEntry],
) -> Iterator[tuple[str, str]]:
    """Yield the files that list the site's pages; `finished` are the entries of the feed, the newest first."""
    root = _root(site)
    address, urls = {page.uri: root + page.uri for page in pages}, {page.uri: root + page.url for page in pages}
    base = {uri for folder in folders for uri in folder.uris}
    xml = feed(site.name, site.description, site.url, finished, lambda uri: urls.get(uri, uri))
    optional = [
        LlmsLink("All written pages in one file", root + LLMS_FULL),
        LlmsLink("Progress as JSON", f"{root}progress.json", "what the plans claim beside what is there"),
        *([LlmsLink("Feed of finished pages", f"{root}{FEED}", "Atom")] if xml else ()),
        *(_beside(page, address[page.uri]) for page in pages if page.uri not in base),
    ]
    listed = (*llms_sections(library, folders, address), ("Optional", optional))
    yield LLMS, llms_txt(site.name, site.description, listed)
    if xml:
        yield FEED, xml


def whole_text(library: Library, base: frozenset[str], site: Site, pages: Sequence[SitePage]) -> tuple[str, str]:
    """Return the file that holds the twins of all written pages of the `base`: its path and its text."""
    known = library.page_by_uri
    written = [(page, known[page.uri]) for page in pages if page.uri in base and page.uri in known]
    whole = [(LlmsLink(parsed.title, _root(site) + page.uri), page.twin()) for page, parsed in written]
    return LLMS_FULL, llms_full_txt(site.name, site.description, whole)


def _root(site: Site) -> str:
    return site.url.rstrip("/") + "/" if site.url else ""


def _beside(page: SitePage, address: str) -> LlmsLink:
    parsed, _ = parse_page(page.text(), page.uri)
    return LlmsLink(parsed.title, address, parsed.description)
