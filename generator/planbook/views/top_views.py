"""The views of the pages at the top of the site: a row for each page of `library.top_pages`."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import partial

from planbook.library import CountedLibrary, Library, LinkedLibrary, ListedLibrary
from planbook.library.top_pages import (
    GRAPH,
    INDEX,
    MESSAGES,
    OVERVIEW,
    PROGRESS,
    SOURCES,
    TAGS,
    TOP_PAGES,
)
from planbook.model import PageUri
from planbook.views import frame, index, progress, template
from planbook.views.checks import PageCheck
from planbook.views.folders import FolderIndex
from planbook.views.generated import graph_page, link_graph
from planbook.views.messages import messages_page
from planbook.views.overview import overview_page
from planbook_cache.functions import NO_CACHE, FunctionCache


@dataclass(frozen=True, slots=True)
class BaseProjections:
    """All that such a page may be rendered from: a view takes the projection that has enough."""

    library: Library
    listed: ListedLibrary
    linked: LinkedLibrary
    counted: CountedLibrary
    folders: tuple[FolderIndex, ...]
    checks: Mapping[str, PageCheck]
    """The valid results of ``planbook verify``, by page."""
    plan_pages: Mapping[str, PageUri]
    """Each plan's own progress page, if plans have one."""
    report_pages: Mapping[str, PageUri]
    """The page of reports of each plan that has any."""
    url_from: template.UrlFrom
    """The addresses of pages, which are known once all pages are."""
    cache: FunctionCache = NO_CACHE


@dataclass(frozen=True, slots=True)
class TopView:
    """The view of a page at the top of the site."""

    uri: PageUri
    view: Callable[[BaseProjections], partial[str]] | None
    """Returns the view with the values that it renders: while these are those of the last build,
    the page is not rendered. ``None`` if a group of files has the page."""
    is_needed: Callable[[ListedLibrary, frame.Site], bool] = lambda library, site: True
    """Returns False if the base has nothing for a page that is not always made."""


TOP_VIEWS = (
    TopView(INDEX, lambda base: partial(index.base_index, base.listed, base.folders)),
    TopView(
        MESSAGES,
        lambda base: partial(messages_page, base.listed.pages),
        is_needed=lambda library, site: any(page.messages for page in library.pages),
    ),
    TopView(
        TAGS,
        lambda base: partial(index.tags_page),
        is_needed=lambda library, site: site.lists_tags,
    ),
    TopView(
        OVERVIEW,
        lambda base: partial(overview_page, base.library, base.checks, base.url_from, base.folders),
    ),
    TopView(
        PROGRESS,
        lambda base: partial(
            progress.progress_page,
            base.counted,
            base.url_from,
            base.plan_pages,
            base.report_pages,
        ),
    ),
    TopView(SOURCES, None),  # made with the numbered pages of works, and with the downloads
    TopView(
        GRAPH,
        lambda base: partial(
            graph_page, base.cache.from_last_build_once(link_graph, base.linked, base.folders)
        ),
    ),
)


def made_top_pages(
    library: ListedLibrary, site: frame.Site, existing: Container[str]
) -> tuple[PageUri, ...]:
    """Return the pages at the top that are made beside the `existing` pages."""
    always = {page.uri for page in TOP_PAGES if page.is_always_made}
    needed = [top.uri for top in TOP_VIEWS if top.is_needed(library, site)]
    return tuple(uri for uri in needed if uri in always or uri not in existing)


def top_views(made: Container[str], base: BaseProjections) -> dict[str, partial[str]]:
    """Return the views of those pages at the top that are `made`, by uri."""
    return {top.uri: top.view(base) for top in TOP_VIEWS if top.view and top.uri in made}
