"""The navigation: the tree of folders, in the place that a hand-written one leaves to it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import escape

from planbook.library import TOP_PAGES
from planbook.views.folders import FolderIndex, group_by_parent

TREE_ENTRY = "INDEX"
"""The entry of a hand-written nav that the tree replaces."""
Nav = list[Any]
"""MkDocs' format: pages, and mappings of one title to a page or a list."""


def named_pages(nav: Nav | None) -> frozenset[str]:
    """Return the pages named in a hand-written nav."""
    return frozenset(uri for uri in _leaves(nav or []) if uri != TREE_ENTRY)


def pages_beside_subject(nav: Nav | None, subject: Container[str]) -> frozenset[str]:
    """Return the pages of a hand-written nav whose tab has no page of the subject.

    A tab is an entry at the top that has entries of its own: a guide to the tool is beside the
    subject, and so is a blog.
    """
    beside: set[str] = set()
    for entry in nav or []:
        uris = set(_leaves(entry)) if _has_entries(entry) else set()
        if not any(uri in subject or uri == TREE_ENTRY for uri in uris):
            beside |= uris
    return frozenset(beside)


def _has_entries(entry: object) -> bool:
    return isinstance(entry, dict) and any(isinstance(below, list) for below in entry.values())


def insert_tree(
    nav: Nav | None,
    folders: Sequence[FolderIndex],
    home: str = "index.md",
    known_uris: Container[str] = (),
) -> Nav:
    """Return `nav` with the tree of `folders` in place of its entry.

    Without a nav, it is `home` and the tree.

    A nav without the entry is returned unchanged. The tree has the pages of tags and of messages if
    they are `known_uris`.
    """
    if nav is None:
        nav = [*([home] if home else []), TREE_ENTRY]
    pages_in_nav = named_pages(nav)
    tops = [page.uri for page in TOP_PAGES if page.is_always_made or page.uri in known_uris]
    top = [str(uri) for uri in tops if uri not in pages_in_nav]
    pages = [str(uri) for folder in folders if not folder.path for uri in folder.uris]
    filled: Nav = _fill_nav(
        nav, [*_folders_below("", group_by_parent(folders)), *pages, *top]
    )  # knowledge first
    return filled


def _folders_below(path: str, folders_by_parent: Mapping[str, Sequence[FolderIndex]]) -> Nav:
    """Return the folders directly in `path`, each with its INDEX, subfolders and pages."""
    return [
        # themes show titles as HTML
        {
            str(escape(f.title)): [
                str(f.index_uri),
                *_folders_below(f.path, folders_by_parent),
                *_pages(f),
            ]
        }
        for f in folders_by_parent.get(path, ())
    ]


def _pages(folder: FolderIndex) -> Nav:
    """Return the pages of a folder.

    In a long one, those of each plan stand below its title, then the others follow.
    """
    short_titles = dict(folder.nav_titles)
    entries: dict[str, Any] = {
        uri: {str(escape(short_titles[uri])): str(uri)} if uri in short_titles else str(uri)
        for uri in folder.uris
    }
    grouped = {uri for _, uris in folder.groups for uri in uris}
    groups = [{str(escape(title)): [entries[uri] for uri in uris]} for title, uris in folder.groups]
    return [*groups, *(entries[uri] for uri in folder.uris if uri not in grouped)]


def _fill_nav(nav: Any, generated: Nav) -> Any:
    if nav == TREE_ENTRY:
        return generated
    if isinstance(nav, dict):
        return {title: _fill_nav(value, generated) for title, value in nav.items()}
    if isinstance(nav, list):
        filled_entries = (
            generated if entry == TREE_ENTRY else [_fill_nav(entry, generated)] for entry in nav
        )
        return [entry for entries in filled_entries for entry in entries]
    return nav


def _leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list | dict):
        for below in nav.values() if isinstance(nav, dict) else nav:
            yield from _leaves(below)
