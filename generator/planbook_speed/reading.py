"""The first stage of a build: each page is read and rendered, or reused as the last build left it.

A page is reused without any event of a plugin if all inputs of these events are the same
(:meth:`Reading._reuse_page`). Of the others, workers read and render those that are not in the
cache, where MkDocs then finds them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from planbook_cache.entries import digest_of
from planbook_speed import internals, reasons
from planbook_speed.ahead import may_fork, start_ahead
from planbook_speed.listeners import (
    CHANGING_PAGES,
    PAGE_EVENTS,
    READING_NO_OTHER,
    skip_for_reused_pages,
    undeclared_listener,
)
from planbook_speed.pages import (
    CachedPage,
    HtmlFile,
    KeptPage,
    Renderer,
    StoredPage,
    is_plain,
    page_class,
)
from planbook_speed.protocols import CacheablePlugin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from planbook_speed.build import CachedBuild

OWN_INPUTS = ("the Markdown extensions or their options", "its file", "its address")
"""The names of a page's inputs before those of plugins."""


class Reading:
    """The pages of one build, from `on_nav` until all are read.

    Args:
        build: The build.
        navigation: MkDocs' navigation.
        files: All files, with those that plugins made.
    """

    def __init__(self, build: CachedBuild, navigation: Navigation, files: Files) -> None:
        self.navigation = navigation
        self.pages = [file.page for file in files.documentation_pages() if file.page is not None]
        self.sources = build.session.pages.read_sources(self.pages)
        """The file of each page, by ``src_uri``."""
        self.inputs: dict[str, list[str]] = {}
        """Digests of all that each page depends on, by ``src_uri``; empty if one has no digest."""
        self._why_none = self._why_none_is_reused(build)
        self.renderer = self._make_renderer(build, files)
        """Renders pages or finds them in the cache; ``None`` if pages are not cached."""
        self._build = build
        self._files = files
        self._from_workers: dict[str, StoredPage] = {}
        """The pages that workers have read, by ``src_uri``."""

    def _why_none_is_reused(self, build: CachedBuild) -> str:
        """Return the reason why no page can be reused; empty if there is none."""
        for part in (internals.STEPS, internals.CURRENT_PAGE):
            if part.why_not:
                return part.why_not
        undeclared = undeclared_listener(build.config, CHANGING_PAGES, (), READING_NO_OTHER)
        if undeclared is not None:
            return reasons.undeclared(undeclared.plugin, undeclared.event)
        return ""

    def _make_renderer(self, build: CachedBuild, files: Files) -> Renderer | None:
        if not build.rendering_digest:
            return None
        return Renderer(
            build.disk,
            build.rendering_digest,
            reuses=not self._why_none,
            populate=partial(internals.populate_late, build.config, files),
            explain=build.explain,
        )

    def begin(self) -> None:
        """Reuse pages of the last build, and have workers render those that are not in the cache.

        MkDocs then comes to each page, one after the other.
        """
        renderer = self.renderer
        session = self._build.session
        if renderer is not None:
            if session.is_first:
                session.pages.load(self._build.disk, self._build.name_of_pages())
            self._reuse_pages(renderer)
        if not internals.PAGES.why_not:
            kind = page_class(renderer, HtmlFile())
            for page in filter(is_plain, self.pages):
                internals.replace_page_class(page, kind)
        if renderer is not None:
            self._render_ahead(renderer)

    def end(self) -> None:
        """Keep the pages for the next build in this process: all are read."""
        if self.renderer is not None:
            self.renderer.end_reading()
            self._build.session.pages.keep(self.renderer, self.inputs, self.pages)

    def record_text(self, page: Page, text: str) -> None:
        """Record a page's text, after all plugins that declare what they read."""
        if self.renderer is not None:
            self.renderer.record_text(page.file.src_uri, text)

    def is_reused(self, page: Page) -> bool:
        """Return True for a page that this build takes from the last one.

        Builds within it take none.
        """
        is_of_this_build = not self._build.is_nested() and self.renderer is not None
        return is_of_this_build and page.file.src_uri in self.reused

    @property
    def reused(self) -> dict[str, KeptPage]:
        """The pages that are taken from the last build, by ``src_uri``."""
        return self.renderer.reused if self.renderer is not None else {}

    def read_reused_pages(self) -> None:
        """Read the files of reused pages.

        Templates that read more than usual may show their text, too.
        """
        if self.renderer is None:
            return
        for src_uri in list(self.reused):
            page = cast("CachedPage", self._files.src_uris[src_uri].page)
            page.content = self.renderer.load(page)

    def store_pages(self) -> bool:
        """Store the pages for the next build in another process; return True if any is new."""
        build = self._build
        return build.session.pages.store(
            self.renderer, self._from_workers, build.disk, build.name_of_pages()
        )

    def _reuse_pages(self, renderer: Renderer) -> None:
        """Reuse pages of the last build, without plugins' events, if these do the same again."""
        if self._why_none:
            for page in self.pages:
                self._explain(page, self._why_none)
            return
        config = self._build.config
        for event in ("page_markdown", "page_content"):
            skip_for_reused_pages(config, event, self.is_reused)
        declaring = {
            name: plugin
            for name, plugin in config.plugins.items()
            if isinstance(plugin, CacheablePlugin)
        }
        names = [*OWN_INPUTS, *(f"what the plugin {name!r} reads" for name in declaring)]
        why_new = self._why_new()
        for page in filter(is_plain, self.pages):
            inputs = self._inputs_of(page, renderer, list(declaring.values()))
            self.inputs[page.file.src_uri] = inputs
            kept = self._build.session.pages.find(
                page.file.src_uri, is_explaining=self._build.explain is not None
            )
            if kept is None:
                self._explain(page, why_new)
                continue
            why_read = self._reuse_page(page, kept, renderer, names)
            if why_read:
                self._explain(page, why_read)

    def _reuse_page(
        self, page: Page, kept: KeptPage, renderer: Renderer, names: Sequence[str]
    ) -> str:
        """Reuse a page, or return the reason why it is read again.

        Args:
            page: A page that is not read yet.
            kept: The page as the last build left it.
            renderer: Takes the page, if the files that it looked up are the same.
            names: The name of each of the page's inputs.
        """
        src_uri = page.file.src_uri
        inputs = self.inputs[src_uri]
        are_known = bool(inputs) and bool(self.sources[src_uri].digest)
        if kept.inputs != inputs or not are_known:
            return reasons.changed(reasons.changed_facts(names, kept.inputs, inputs))
        return renderer.reuse(src_uri, kept, self._files)

    def _why_new(self) -> str:
        """Return the reason why pages are read of which the last build has kept nothing."""
        before = self._build.last_build.extensions
        if before:
            changed = reasons.changed(reasons.changed_parts(before, self._build.extensions))
            if changed:
                return changed
        return reasons.NEW

    def _inputs_of(
        self, page: Page, renderer: Renderer, declaring: Sequence[CacheablePlugin]
    ) -> list[str]:
        """Return digests of all that a page depends on; empty if a plugin's have no digest."""
        file = page.file
        place = digest_of(file.url, file.inclusion.is_excluded())
        declared = [digest_of(plugin.page_inputs(page, self._files)) for plugin in declaring]
        if not all(declared):
            return []
        return [renderer.inputs_digest, self.sources[file.src_uri].digest, place, *declared]

    def _explain(self, page: Page, reason: str) -> None:
        """Say of a page why it is read again, with all its events."""
        if self._build.explain is not None:
            self._build.explain(page.file.src_uri, f"read again: {reason}")

    def _render_ahead(self, renderer: Renderer) -> None:
        """Have workers read, render and index the pages that are not in the cache."""
        build = self._build
        missing = [page for page in self.pages if self._is_missing(page)]
        if not may_fork(build, missing, PAGE_EVENTS):
            return

        def work(page: Page) -> StoredPage | None:
            """Render one page and index it for the search, into the cache.

            Return the page without its HTML.
            """
            src_uri = page.file.src_uri  # a plugin may change it
            internals.populate_page(page, build.config, self._files)
            for search in build.searches:
                search.prepare(page)
            inputs = self.inputs.get(src_uri)
            kept = renderer.keep(page, inputs) if inputs and isinstance(page, CachedPage) else None
            page.content = page.markdown = ""  # not needed here again
            if kept is None:
                return None
            return StoredPage.of(self.sources[src_uri].digest, kept.key, kept)

        # No worker begins with a long one at the end.
        by_size = sorted(
            missing, key=lambda page: self.sources[page.file.src_uri].size, reverse=True
        )
        for page, stored in start_ahead(by_size, work, build.options.workers) or ():
            self._from_workers[page.file.src_uri] = stored
        build.disk.refresh()
        for src_uri, stored in self._from_workers.items():
            kept = stored.page()
            if kept is not None:
                renderer.reuse(src_uri, kept, self._files)

    def _is_missing(self, page: Page) -> bool:
        """Return True if a page must probably be rendered."""
        src_uri = page.file.src_uri
        if src_uri in self.reused:
            return False
        return not self._build.session.pages.is_rendered(src_uri, self._build.disk)
