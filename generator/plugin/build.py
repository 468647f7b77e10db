"""What one build knows of the base, once its files are read."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.library import Entry, Library
from generator.model import Page, PageUri
from generator.page.fingerprint import fingerprint
from generator.views.checks import Checked
from generator.views.index import GRAPH, INDEX, PROGRESS, SOURCES, Shelf, folder_index, home_page, index_page
from generator.views.metadata import Site
from generator.views.placeholder import placeholder
from generator.views.works import Use, Work

LATE = (GRAPH, SOURCES, PROGRESS)
"""Pages with addresses of others in them: they are written when all files are known."""


@dataclass(frozen=True)
class Build:
    """The base as one build found it."""

    library: Library
    shelves: Sequence[Shelf]
    made: Mapping[str, str]
    """The pages that the generator makes, with their Markdown, but for those of `LATE`."""
    found: frozenset[str]
    """The pages that lie in the documentation folder, or that other plugins made."""
    checks: Mapping[str, Checked]
    """What ``planbook verify`` found out, by page."""
    current: Mapping[str, Checked]
    """Of those, the checks of pages that are as they were checked."""
    works: Sequence[Work]
    uses: Mapping[str, Sequence[Use]]
    """What each page says of the works that it cites."""

    @cached_property
    def base(self) -> frozenset[str]:
        """The pages that stand on a shelf."""
        return frozenset(uri for shelf in self.shelves for uri in shelf.uris)

    @cached_property
    def generated(self) -> frozenset[str]:
        """All pages that the generator makes."""
        return frozenset({*self.made, *map(str, LATE)})

    @cached_property
    def known(self) -> frozenset[str]:
        """All pages of the site.

        An INDEX that a page links to as `index.md` is that of its folder, not the home page.
        """
        return frozenset(self.found | {str(uri) for uri in self.library.by_uri} | self.generated)

    def page(self, uri: str) -> Page | None:
        """The written page."""
        return self.library.page_by_uri.get(uri)

    def entry(self, uri: str) -> Entry | None:
        """The PART that the page was planned as."""
        return self.library.by_uri.get(PageUri(uri))


def unchanged(checks: Mapping[str, Checked], pages: Mapping[str, bytes]) -> dict[str, Checked]:
    """The checks of those `pages` that are as they were checked."""
    return {
        uri: checked
        for uri, checked in checks.items()
        if uri in pages and fingerprint(pages[uri].decode("utf-8")) == checked.text_sha256
    }


def made_pages(library: Library, shelves: Sequence[Shelf], existing: Container[str], site: Site) -> dict[str, str]:
    """The pages that are made beside the `existing` ones, with their Markdown: INDEX, home page, placeholders."""
    made = {str(INDEX): index_page(library, shelves)}
    if "index.md" not in existing and "README.md" not in existing:
        made["index.md"] = home_page(library, site.name, site.description)
    made |= {
        str(s.index_uri): folder_index(library, s, shelves) for s in shelves if s.folder and s.index_uri not in existing
    }
    planned = {uri: entry for uri, entry in library.by_uri.items() if uri not in existing}
    return made | {str(uri): placeholder(library, entry, site.docs_dir) for uri, entry in planned.items()}
