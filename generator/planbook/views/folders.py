"""The folders of the base, with the pages directly in each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from planbook.library import INDEX, TOP_PAGES, ListedLibrary, group_by
from planbook.library.names import natural_order
from planbook.model import PageUri, Plan

_NOT_LISTED = frozenset(page.uri for page in TOP_PAGES)
FOLDER_INDEXES = ("index.md", "README.md")
"""File names that MkDocs treats as a folder's own page."""
MAX_FLAT = 8
"""The number of pages above which a folder's pages are grouped by plan."""


@dataclass(frozen=True, slots=True)
class FolderIndex:
    """One folder of the base with the pages directly in it, in natural order."""

    path: str
    """Without a slash at the end; empty for the top."""
    title: str
    """Its name for readers."""
    uris: tuple[PageUri, ...]
    index_uri: PageUri
    """Its INDEX: the generated one, or the author's ``index.md`` or ``README.md``."""
    groups: tuple[tuple[str, tuple[PageUri, ...]], ...] = ()
    """The title of each plan with its pages here, in the order of the first page; empty unless
    there are several plans and more than `MAX_FLAT` pages."""
    nav_titles: tuple[tuple[PageUri, str], ...] = ()
    """The pages that have a short title for the navigation, with it."""


def folder_indexes(
    library: ListedLibrary,
    excluded: frozenset[str] = frozenset(),
    titles: Iterable[tuple[str, str]] = (),
) -> tuple[FolderIndex, ...]:
    """Return the folders of the base with their pages, except the `excluded` ones.

    Those are elsewhere in the nav. `titles` are those of folders, by path.
    """
    given_titles = dict(titles)
    uris = [page.uri for page in library.pages] + [entry.uri for entry in library.entries]
    by_folder = _uris_by_folder(
        uri for uri in uris if uri not in excluded and uri not in _NOT_LISTED
    )
    sorted_uris = {
        folder: tuple(sorted(of_folder, key=natural_order))
        for folder, of_folder in by_folder.items()
    }
    return tuple(
        FolderIndex(
            path=folder,
            title=given_titles.get(folder) or _folder_title(library, folder),
            uris=uris,
            index_uri=_index_uri(library, folder),
            groups=_groups_by_plan(library, uris),
            nav_titles=_nav_titles(library, uris),
        )
        for folder, uris in sorted(sorted_uris.items(), key=lambda pair: natural_order(pair[0]))
    )


def _uris_by_folder(uris: Iterable[PageUri]) -> Mapping[str, set[PageUri]]:
    """Return the pages of each folder, without its own, and folders that only have folders."""
    by_folder: dict[str, set[PageUri]] = defaultdict(set)
    for uri in uris:
        folder, _, name = uri.rpartition("/")
        if name not in FOLDER_INDEXES:
            by_folder[folder].add(uri)
        elif folder:  # a folder with nothing but its own page is in the navigation, too
            by_folder.setdefault(folder, set())
    for folder in list(by_folder):
        for parent in list(PurePosixPath(folder).parents)[:-1]:
            by_folder.setdefault(str(parent), set())
    return by_folder


def _folder_title(library: ListedLibrary, folder: str) -> str:
    """Return the title of the folder's own page, or else its name as MkDocs would show it."""
    own_page = library.page_by_uri.get(_index_uri(library, folder))
    if folder and own_page and own_page.title:
        return own_page.title
    words = re.sub(r"[-_]+", " ", PurePosixPath(folder).name).strip() or "INDEX"
    return words.capitalize() if words.islower() else words


def group_by_parent(folders: Sequence[FolderIndex]) -> Mapping[str, Sequence[FolderIndex]]:
    """Return the folders directly in each folder."""
    return group_by(
        (folder for folder in folders if folder.path), lambda folder: folder.path.rpartition("/")[0]
    )


def _groups_by_plan(
    library: ListedLibrary, uris: Sequence[PageUri]
) -> tuple[tuple[str, tuple[PageUri, ...]], ...]:
    by_plan = group_by(
        (uri for uri in uris if uri in library.by_uri), lambda uri: library.by_uri[uri].plan.title
    )
    if len(uris) <= MAX_FLAT or len(by_plan) < 2:
        return ()
    plans = [library.by_uri[of_plan[0]].plan for of_plan in by_plan.values()]
    titles = list(map(_short_title, plans))
    return tuple(
        (short if titles.count(short) == 1 else plan.title, of_plan)
        for plan, short, of_plan in zip(plans, titles, by_plan.values(), strict=True)
    )


def _short_title(plan: Plan) -> str:
    """Return the title of a plan for the navigation.

    That of its header, or what stands before a colon.
    """
    return plan.meta_value("Nav Title") or plan.title.partition(": ")[0]


def _nav_titles(library: ListedLibrary, uris: Iterable[PageUri]) -> tuple[tuple[PageUri, str], ...]:
    pages = (library.page_by_uri.get(uri) for uri in uris)
    return tuple((page.uri, page.nav_title) for page in pages if page and page.nav_title)


def _index_uri(library: ListedLibrary, folder: str) -> PageUri:
    if not folder:
        return INDEX
    own_pages = (PageUri(f"{folder}/{name}") for name in FOLDER_INDEXES)
    return next(
        (uri for uri in own_pages if uri in library.page_by_uri), PageUri(f"{folder}/index.md")
    )
