"""Read the files of one build: plans, drops and pages.

MkDocs has found the pages, also those that other plugins made. Plans and drops are read where they
are, and are no pages of the site.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from planbook import store
from planbook.markdown import vault
from planbook.model import Tree
from planbook.plugin import neighbours
from planbook.store.trees import excluded_by, unread_docs

if TYPE_CHECKING:
    from mkdocs.structure.files import File

    from planbook.plugin.build_context import BuildContext
    from planbook_cache.functions import DiskFunctionCache


@dataclass(frozen=True)
class TreeReader:
    """Reads the plans, drops and pages of one build."""

    context: BuildContext
    """Its files lose plans and drops."""

    def read(self) -> tuple[Tree, Mapping[str, bytes]]:
        """Return all plans, drops and pages; and the pages again, as they are written.

        In the tree, pages are as they are published.
        """
        setup = self.context.setup
        bounds = (Path(self.context.config.docs_dir),)
        read = partial(read_changed, self.context.cache, store.read_page_bytes)
        plans, drops, unread = store.read_plans(
            setup.root, setup.paths, read, bounds, setup.outputs
        )
        paths = store.named_paths(setup.root, plans, drops)
        for file in [file for file in self.context.files if file.abs_src_path in paths]:
            self.context.files.remove(file)
        raw_pages = self._read_pages()
        excluded = excluded_by(self.context.config.exclude_docs, self.context.config.draft_docs)
        unread = (*unread, *unread_docs(self.context.scan, self.context.docs_dir, excluded))
        tree = Tree(
            plans,
            drops,
            self._publish_pages(raw_pages),
            plans_dir=store.plans_folder(setup.paths[0]),
            target_folders=self.context.options.base,
            docs_dir=self.context.docs_dir,
            unread=tuple(dict.fromkeys(unread)),
            post_folders=self.blogs.folders,
            posts=frozenset(uri for uri in self.context.files.src_uris if uri in self.blogs),
        )
        return tree, raw_pages

    def _publish_pages(self, raw_pages: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return pages as they are published: notes of Obsidian have comments that are not."""
        if not self.context.setup.is_vault:
            return raw_pages
        notes = {uri: (raw,) for uri, raw in raw_pages.items()}
        published = self.context.cache.from_last_build(vault.publish_page, notes)
        return dict(zip(raw_pages, published, strict=True))

    def _read_pages(self) -> dict[str, bytes]:
        """Return the content of each page, by uri."""
        page_files: Iterable[File] = self.context.files.documentation_pages()
        if self.blogs.folders:
            page_files = [file for file in page_files if file.src_uri not in self.blogs]
        places = [file.abs_src_path for file in page_files if file.abs_src_path]
        with store.reading(Path(self.context.config.docs_dir)):
            contents = read_changed(self.context.cache, read_file_bytes, places)
            texts = dict(zip(places, contents, strict=True))
        pages: dict[str, bytes] = {}
        for file in page_files:  # a plugin may have made one that is no file
            pages[file.src_uri] = (
                texts[file.abs_src_path] if file.abs_src_path else file.content_bytes
            )
        return pages

    @cached_property
    def blogs(self) -> neighbours.BlogFiles:
        """The files of the site's blogs, whose pages belong to no base."""
        return neighbours.blog_files(self.context.config.plugins)


def read_changed(
    cache: DiskFunctionCache, read: Callable[[Path], bytes], paths: Sequence[str]
) -> list[bytes]:
    """Return the content of files; a server reads those again whose size or time has changed."""
    stamped: dict[str, tuple[Callable[[Path], bytes], str, int, int]] = {}
    for path in paths:
        stat = os.stat(path)  # noqa: PTH116 - for thousands of files
        stamped[path] = read, path, stat.st_size, stat.st_mtime_ns
    contents = cache.from_last_build(_read_stamped, stamped)
    by_path = dict(zip(stamped, contents, strict=True))
    return [by_path[path] for path in paths]


def _read_stamped(read: Callable[[Path], bytes], path: str, _size: int, _time_ns: int) -> bytes:
    return read(Path(path))


def read_file_bytes(path: Path) -> bytes:
    """Return the content of a file."""
    with store.reading(path):
        return path.read_bytes()
