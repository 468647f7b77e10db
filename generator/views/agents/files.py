"""All files of the site that are made for programs, by their path in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.library import Library
from generator.page.parse import parse_page
from generator.views.agents.atom import FEED, atom, finished
from generator.views.agents.llms import Document, llms_full_txt, llms_txt, sections
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
    """Each file's path in the site and its text. `committed` gives the day of a page's first commit, by uri."""
    root = site.url.rstrip("/") + "/" if site.url else ""
    twins = {page.uri: page.twin for page in pages}
    yield from twins.items()
    address = {uri: root + uri for uri in twins}
    base = {uri for folder in folders for uri in folder.uris}
    beside = [_beside(page, address) for page in pages if page.uri not in base]
    feed = atom(site.name, site.description, site.url, finished(library, committed), _urls(pages, root))
    machine = [Document("All written pages in one file", root + LLMS_FULL), *_data(root, has_feed=bool(feed))]
    listed = (*sections(library, folders, address), ("Optional", [*machine, *beside]))
    yield LLMS, llms_txt(site.name, site.description, listed)
    written = [page for page in pages if page.uri in base and page.uri in library.page_by_uri]
    whole = [(Document(_title(library, page.uri), address[page.uri]), twins[page.uri]) for page in written]
    yield LLMS_FULL, llms_full_txt(site.name, site.description, whole)
    if feed:
        yield FEED, feed


def _title(library: Library, uri: str) -> str:
    return library.page_by_uri[uri].title


def _beside(page: SitePage, address: Mapping[str, str]) -> Document:
    shown, _ = parse_page(page.text, page.uri)
    return Document(shown.title, address[page.uri], shown.description)


def _urls(pages: Sequence[SitePage], root: str) -> Callable[[str], str]:
    urls = {page.uri: root + page.url for page in pages}
    return lambda uri: urls.get(uri, uri)


def _data(root: str, *, has_feed: bool) -> Iterator[Document]:
    yield Document("Progress as JSON", f"{root}progress.json", "what the plans claim beside what is there")
    if has_feed:
        yield Document("Feed of finished pages", f"{root}{FEED}", "Atom")
