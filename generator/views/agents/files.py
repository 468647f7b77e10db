"""All files of the site for programs, by path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from generator.library import Library
from generator.page.parse import parse_page
from generator.views.agents.feed import FEED, feed, feed_entries
from generator.views.agents.llms import LlmsLink, llms_full_txt, llms_sections, llms_txt
from generator.views.index import FolderIndex
from generator.views.metadata import Site

LLMS, LLMS_FULL = "llms.txt", "llms-full.txt"


@dataclass(frozen=True, slots=True)
class SitePage:
    """One page of the site, of the base or beside it."""

    uri: str
    text: str
    """Its Markdown file."""
    url: str
    """Its address from the site's root."""
    twin: str
    """Its Markdown twin, as `generator.views.agents.twins` makes it."""


def agent_files(
    library: Library,
    folders: Sequence[FolderIndex],
    site: Site,
    pages: Sequence[SitePage],
    committed: Callable[[str], str | None],
) -> Iterator[tuple[str, str]]:
    """Yield each file's path in the site and its text. `committed` gives the day of a page's first commit, by uri."""
    root = site.url.rstrip("/") + "/" if site.url else ""
    twins = {page.uri: page.twin for page in pages}
    yield from twins.items()
    address, urls = {uri: root + uri for uri in twins}, {page.uri: root + page.url for page in pages}
    base = {uri for folder in folders for uri in folder.uris}
    entries = feed_entries(library, committed)
    xml = feed(site.name, site.description, site.url, entries, lambda uri: urls.get(uri, uri))
    optional = [
        LlmsLink("All written pages in one file", root + LLMS_FULL),
        LlmsLink("Progress as JSON", f"{root}progress.json", "what the plans claim beside what is there"),
        *([LlmsLink("Feed of finished pages", f"{root}{FEED}", "Atom")] if xml else ()),
        *(_beside(page, address[page.uri]) for page in pages if page.uri not in base),
    ]
    listed = (*llms_sections(library, folders, address), ("Optional", optional))
    yield LLMS, llms_txt(site.name, site.description, listed)
    written = [library.page_by_uri[page.uri] for page in pages if page.uri in base and page.uri in library.page_by_uri]
    whole = [(LlmsLink(page.title, address[page.uri]), twins[page.uri]) for page in written]
    yield LLMS_FULL, llms_full_txt(site.name, site.description, whole)
    if xml:
        yield FEED, xml


def _beside(page: SitePage, address: str) -> LlmsLink:
    parsed, _ = parse_page(page.text, page.uri)
    return LlmsLink(parsed.title, address, parsed.description)
