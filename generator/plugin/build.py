"""The data of one build: the base and its views, once its files are read; and the time spent in each stage."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.library import Entry, Library
from generator.model import Page, PageUri
from generator.page.parse import fingerprint
from generator.views.checks import PageCheck
from generator.views.generated import GeneratedPage
from generator.views.index import GRAPH, PROGRESS, SOURCES, FolderIndex
from generator.views.works import is_work


@dataclass(frozen=True)
class Build:
    """The base, as one build read it."""

    library: Library
    folders: Sequence[FolderIndex]
    made: Mapping[str, GeneratedPage]
    """The generated pages, except those of `late`."""
    found: frozenset[str]
    """The pages in the documentation folder, or made by other plugins."""
    checks: Mapping[str, PageCheck]
    """The results of ``planbook verify``, by page."""
    current: Mapping[str, PageCheck]
    """Those of pages that have not changed since they were checked."""
    plan_pages: Mapping[str, PageUri]
    """Each plan's own progress page, where plans have one."""
    source_pages: tuple[PageUri, ...] = ()
    """The pages that list works."""

    @cached_property
    def base(self) -> frozenset[str]:
        """The pages of the base."""
        return frozenset(uri for folder in self.folders for uri in folder.uris)

    @cached_property
    def cited(self) -> Mapping[str, Page]:
        """The pages of the base that cite works, in the order of the library."""
        return {
            page.uri: page
            for page in self.library.pages
            if page.uri in self.base and any(map(is_work, page.references))
        }

    @cached_property
    def late(self) -> tuple[PageUri, ...]:
        """Pages that contain addresses of others, and are written once all files are known."""
        return tuple(dict.fromkeys((GRAPH, SOURCES, PROGRESS, *self.plan_pages.values(), *self.source_pages)))

    @cached_property
    def generated(self) -> frozenset[str]:
        """All pages that the generator makes."""
        return frozenset({*self.made, *map(str, self.late)})

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


def unchanged(checks: Mapping[str, PageCheck], pages: Mapping[str, bytes]) -> dict[str, PageCheck]:
    """Return the checks of those `pages` that have not changed since."""
    return {
        uri: checked
        for uri, checked in checks.items()
        if uri in pages and fingerprint(pages[uri].decode("utf-8")) == checked.text_sha256
    }


CITATIONS = "citations"
"""The stage that finds and renders citations and links."""


class StageTimer:
    """Adds the seconds of its block to one stage."""

    def __init__(self, timings_s: dict[str, float], name: str) -> None:
        self._timings_s, self._name = timings_s, name

    def __enter__(self) -> None:
        self._begun = time.perf_counter()

    def __exit__(self, *raised: object) -> None:
        spent = time.perf_counter() - self._begun
        self._timings_s[self._name] = self._timings_s.get(self._name, 0.0) + spent
