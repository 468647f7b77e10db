"""The site's navigation: the author's, with the generated tree in place of the entry ``INDEX``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import escape

from generator.views.index import GRAPH, INDEX, PROGRESS, SOURCES, TAGS, FolderIndex

PLACE = "INDEX"
"""The entry of a hand-written nav that the tree replaces."""

Nav = list[Any]
"""MkDocs' format: pages, and mappings of one title to a page or a list."""


def named_pages(nav: Nav | None) -> frozenset[str]:
    """Return the pages named in a hand-written nav."""
    return frozenset(uri for uri in _leaves(nav or []) if uri != PLACE)


def with_tree(
    nav: Nav | None, folders: Sequence[FolderIndex], home: str = "index.md", *, has_tags: bool = False
) -> Nav:
    """Return `nav` with the tree of `folders` in place of its entry; without a nav, `home` and the tree.

    A nav without the entry is returned unchanged. With `has_tags`, the tree has the page of tags.
    """
    if nav is None:
        return [*([home] if home else []), *tree(folders, frozenset(), has_tags=has_tags)]
    filled: Nav = _filled(nav, tree(folders, named_pages(nav), has_tags=has_tags))
    return filled


def tree(folders: Sequence[FolderIndex], named: frozenset[str], *, has_tags: bool = False) -> Nav:
    """Return INDEX, progress and the folders with their pages, except those in `named`."""
    tops = (INDEX, *([TAGS] if has_tags else []), PROGRESS, SOURCES, GRAPH)
    top = [str(uri) for uri in tops if uri not in named]
    pages = [str(uri) for folder in folders if not folder.path for uri in folder.uris]
    return [*top, *_below("", folders), *pages]


def _below(path: str, folders: Sequence[FolderIndex]) -> Nav:
    """Return the folders directly in `path`, each with its INDEX, subfolders and pages."""
    return [
        # themes show titles as HTML
        {str(escape(f.title)): [str(f.index_uri), *_below(f.path, folders), *map(str, f.uris)]}
        for f in folders
        if f.path and f.path.rpartition("/")[0] == path
    ]


def _filled(nav: Any, generated: Nav) -> Any:
    if nav == PLACE:
        return generated
    if isinstance(nav, dict):
        return {title: _filled(value, generated) for title, value in nav.items()}
    if isinstance(nav, list):
        parts = (generated if entry == PLACE else [_filled(entry, generated)] for entry in nav)
        return [entry for part in parts for entry in part]
    return nav


def _leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list | dict):
        for below in nav.values() if isinstance(nav, dict) else nav:
            yield from _leaves(below)
