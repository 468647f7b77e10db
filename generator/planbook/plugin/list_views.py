"""The pages that a build makes of what lists show: indexes, placeholders, reports.

The uris are chosen here, before the base is complete, because the navigation and links need them.
`file_table` has the other generated files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from planbook.library import ListedLibrary
from planbook.model import PageUri
from planbook.views import frame, progress
from planbook.views.folders import FolderIndex, folder_indexes
from planbook.views.generated import generated_pages
from planbook.views.reports import report_pages, reports_made
from planbook.views.top_views import made_top_pages


@dataclass(frozen=True, slots=True)
class ListViews:
    """The pages that are made of a `ListedLibrary`, as `SiteBase` has them."""

    folders: tuple[FolderIndex, ...]
    top_pages: tuple[PageUri, ...]
    view_by_uri: Mapping[str, partial[str]]
    """The views of the home page, of the folders' indexes, of planned pages and of reports."""
    plan_pages: Mapping[str, PageUri]
    report_pages: Mapping[str, PageUri]


def choose_views(
    library: ListedLibrary, opt_in_pages: frozenset[str], existing: frozenset[str], site: frame.Site
) -> ListViews:
    """Return the pages to make beside the `existing` ones.

    `opt_in_pages` are those in a hand-written nav.
    """
    reports = report_pages(library, existing)
    folders = folder_indexes(library, opt_in_pages, site.folder_titles)
    views = generated_pages(library, folders, existing, site)
    return ListViews(
        folders=folders,
        top_pages=made_top_pages(library, site, existing),
        view_by_uri=views | reports_made(library, reports),
        plan_pages=progress.plan_pages(library, existing),
        report_pages=reports,
    )
