"""The pages of the last build: in memory while serving, and on the disk for other processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planbook_cache.disk import DiskCache
from planbook_speed import digests
from planbook_speed.cached_page import CachedPage
from planbook_speed.page_records import KeptPage, StoredPage
from planbook_speed.reasons import NotKept
from planbook_speed.site_files import size_and_mtime

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

    from planbook_speed.page_renderer import Renderer
    from planbook_speed.reading import Reading


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A page's file."""

    stamp: list[int] | None
    """Its size and modification time; ``None`` if there is no file."""
    digest: str
    """Of its content; empty if it cannot be read."""

    @property
    def size(self) -> int:
        """Its size in bytes; 0 for a page without a file."""
        return self.stamp[0] if self.stamp else 0


class KeptPages:
    """The pages that the last build has left, by ``src_uri``."""

    def __init__(self) -> None:
        self._sources: dict[str, SourceFile] = {}
        self._kept: dict[str, KeptPage] = {}
        """The pages in memory."""
        self._not_kept: dict[str, NotKept] = {}
        """The causes for the other pages of the last build of this process."""
        self._stored: dict[str, StoredPage] = {}
        """The pages on the disk."""

    def read_sources(self, pages: Iterable[Page]) -> dict[str, SourceFile]:
        """Return the file of each page; one is read only if its size or its time has changed."""
        self._sources = {page.file.src_uri: self._read_source(page) for page in pages}
        return self._sources

    def _read_source(self, page: Page) -> SourceFile:
        path = page.file.abs_src_path
        stamp = size_and_mtime(path) if path else None
        previous = self._sources.get(page.file.src_uri)
        if stamp is not None and previous is not None and previous.stamp == stamp:
            return previous
        try:
            return SourceFile(stamp, digests.digest(page.file.content_bytes))
        except OSError:  # MkDocs will report it
            return SourceFile(stamp, "")

    def load(self, disk: DiskCache, name: str) -> None:
        """Load the pages that another process has left."""
        self._stored = disk.get(name, dict[str, StoredPage]) or {}

    def find(self, src_uri: str) -> KeptPage | None:
        """Return a page that may be reused: none of the disk whose file is another one now."""
        stored = self._stored.get(src_uri)
        has_other_file = (
            stored is not None and stored.source_digest != self._sources[src_uri].digest
        )
        if has_other_file and src_uri not in self._kept:
            return None  # it need not be decoded
        return self.previous(src_uri)

    def previous(self, src_uri: str) -> KeptPage | None:
        """Return a page as the last build left it; ``None`` if it left nothing of it."""
        kept_page = self._kept.get(src_uri)
        stored = self._stored.get(src_uri)
        if kept_page is not None or stored is None:
            return kept_page
        return stored.page()

    def why_none(self, src_uri: str) -> str:
        """Return the cause for which the last build left nothing of a page; empty if it is new."""
        if src_uri in self._not_kept:
            return self._not_kept[src_uri].value
        stored = self._stored.get(src_uri)
        return stored.why_not if stored is not None else ""

    def is_rendered(self, src_uri: str, disk: DiskCache) -> bool:
        """Return True if a page of the same file has been rendered, and is probably in the cache.

        It may be rendered again all the same: plugins may have changed its text.
        """
        stored = self._stored.get(src_uri)
        if stored is None or stored.source_digest != self._sources[src_uri].digest:
            return False
        return disk.has(stored.key)

    def keep(self, renderer: Renderer, reading: Reading, pages: Iterable[Page]) -> None:
        """Keep the pages that are read, in memory."""
        self._kept, self._not_kept = {}, {}
        for page in pages:
            src_uri = page.file.src_uri
            kept_page = _keep_page(page, renderer, reading)
            if isinstance(kept_page, NotKept):
                self._not_kept[src_uri] = kept_page
            else:
                self._kept[src_uri] = kept_page

    def store(
        self,
        renderer: Renderer | None,
        from_workers: Mapping[str, StoredPage],
        disk: DiskCache,
        name: str,
    ) -> bool:
        """Store the pages for the next build in another process; return True if any is new.

        Args:
            renderer: Has rendered or reused the pages; ``None`` if none is kept.
            from_workers: The pages that workers have read; they are packed already.
            disk: The cache.
            name: The name of the pages in it.
        """
        stored: dict[str, StoredPage] = {}
        keys = renderer.keys if renderer is not None else {}
        reused = renderer.reused if renderer is not None else {}
        for src_uri, key in keys.items():
            source = self._sources.get(src_uri)
            if source is None:  # a plugin has rendered a page under a name that is no page's
                continue
            packed = (
                (from_workers.get(src_uri) or self._stored.get(src_uri))
                if src_uri in reused
                else None
            )
            kept_page = self._kept.get(src_uri) or self._not_kept.get(src_uri, NotKept.UNCLEAR)
            stored[src_uri] = packed or StoredPage.of(source.digest, key, kept_page)
        is_new = not stored or stored != self._stored
        if stored and is_new:
            disk.put(name, stored, is_latest=True)
        self._stored = stored
        return is_new


def _keep_page(page: Page, renderer: Renderer, reading: Reading) -> KeptPage | NotKept:
    """Return a page that was read, as it is kept."""
    src_uri = page.file.src_uri
    event_inputs = reading.event_inputs.get(src_uri)
    if event_inputs is None or not isinstance(page, CachedPage):
        return NotKept.UNCLEAR
    return renderer.keep(page, event_inputs, reading.named_inputs.get(src_uri, {}))
