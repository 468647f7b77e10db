"""The first stage of a build: each page is read and rendered, or reused as the last build left it.

A page is reused without any event of a plugin if all inputs of these events are the same
(:meth:`Reading._decide`). Of the others, workers read and render those that are not in the
cache, where MkDocs then finds them.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

from planbook_cache.entries import UNENCODABLE, Raw, decode_raw, digest_of, encode_raw
from planbook_speed import internals, reasons
from planbook_speed.ahead import may_fork, start_ahead
from planbook_speed.cached_page import CachedPage, is_plain, page_class
from planbook_speed.digests import UnclearError
from planbook_speed.event_inputs import RENDERING, EventInputs, read_event_inputs
from planbook_speed.listeners import (
    CHANGING_PAGES,
    PAGE_EVENTS,
    READING_NO_OTHER,
    skip_for_reused_pages,
    undeclared_listener,
)
from planbook_speed.page_html import HtmlFile
from planbook_speed.page_records import KeptPage, NamedDigests, StoredPage
from planbook_speed.page_renderer import Renderer
from planbook_speed.protocols import CacheablePlugin, NamedInputs
from planbook_speed.reasons import NotKept, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from planbook_speed.build_setup import BuildSetup


@dataclass(frozen=True, slots=True)
class ReadDecision:
    """A page that is taken from the last build, or the reason why it is read again."""

    kept_page: KeptPage | None = None
    """The page as the last build left it; ``None`` if it is read again, with all its events."""
    inputs: EventInputs | None = None
    """The inputs of its events; ``None`` if they are not clear."""
    named_inputs: NamedDigests = field(default_factory=dict)
    """Those that plugins name, of a page that is read again."""
    reason: str = ""
    """Why it is read again; empty if no verbose build asks what has changed."""


class Reading:
    """The pages of one build, from `on_nav` until all are read.

    Args:
        setup: What the build begins with.
        navigation: MkDocs' navigation.
        files: All files, with those that plugins made.
    """

    def __init__(self, setup: BuildSetup, navigation: Navigation, files: Files) -> None:
        self.navigation = navigation
        self.pages = [file.page for file in files.documentation_pages() if file.page is not None]
        self.sources = setup.session.pages.read_sources(self.pages)
        """The file of each page, by ``src_uri``."""
        self.event_inputs: dict[str, EventInputs] = {}
        """The inputs of each page's events, by ``src_uri``, as far as they are known."""
        self.named_inputs: dict[str, NamedDigests] = {}
        """Those that plugins name, of pages that are read again, by ``src_uri``."""
        self.plugin_inputs = _read_plugin_inputs(setup.config)
        """The inputs of all pages that plugins name; verbose builds look into them."""
        self._why_none = self._why_none_is_reused(setup)
        self.renderer = self._make_renderer(setup, files)
        """Renders pages or finds them in the cache; ``None`` if pages are not cached."""
        self._setup = setup
        self._files = files
        self._from_workers: dict[str, StoredPage] = {}
        """The pages that workers have read, by ``src_uri``."""

    def _why_none_is_reused(self, setup: BuildSetup) -> str | None:
        """Return the reason why no page can be reused; ``None`` if there is none."""
        for private_part in (internals.STEPS, internals.CURRENT_PAGE):
            if private_part.why_not:
                return private_part.why_not
        undeclared = undeclared_listener(setup.config, CHANGING_PAGES, (), READING_NO_OTHER)
        if undeclared is not None:
            return reasons.describe_undeclared(undeclared.plugin, undeclared.event)
        return None

    def _make_renderer(self, setup: BuildSetup, files: Files) -> Renderer | None:
        if not setup.rendering_digest:
            return None
        return Renderer(
            setup.disk,
            setup.rendering_digest,
            reuses=self._why_none is None,
            populate=partial(internals.populate_late, setup.config, files),
            explain=setup.explain,
        )

    def begin(self) -> None:
        """Reuse pages of the last build, and have workers render those that are not in the cache.

        MkDocs then comes to each page, one after the other.
        """
        renderer = self.renderer
        session = self._setup.session
        if renderer is not None:
            if session.is_first:
                session.pages.load(self._setup.disk, self._setup.name_of_pages)
            self._reuse_pages(renderer)
        else:
            self._explain_all(Reason.NOT_CACHED.of(self._setup.why_not_cached))
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
            self._setup.session.pages.keep(self.renderer, self, self.pages)

    def record_text(self, page: Page, text: str) -> None:
        """Record a page's text, after all plugins that declare what they read."""
        if self.renderer is not None:
            self.renderer.record_text(page.file.src_uri, text)

    def is_reused(self, page: Page) -> bool:
        """Return True for a page that this build takes from the last one.

        Builds within it take none.
        """
        is_of_this_build = not self._setup.is_nested() and self.renderer is not None
        return is_of_this_build and page.file.src_uri in self.reused

    @property
    def reused(self) -> dict[str, KeptPage]:
        """The pages that are taken from the last build, by ``src_uri``."""
        return self.renderer.reused if self.renderer is not None else {}

    def read_reused_pages(self, reason: str) -> None:
        """Read the files of reused pages, for templates may show their text, too.

        Args:
            reason: Why they may.
        """
        if self.renderer is None:
            return
        for src_uri in list(self.reused):
            self._explain_of(src_uri, reason)
            page = cast("CachedPage", self._files.src_uris[src_uri].page)
            page.content = self.renderer.read_again(page)

    def store_pages(self) -> bool:
        """Store the pages for the next build in another process; return True if any is new."""
        setup = self._setup
        return setup.session.pages.store(
            self.renderer, self._from_workers, setup.disk, setup.name_of_pages
        )

    def _reuse_pages(self, renderer: Renderer) -> None:
        """Reuse pages of the last build, without plugins' events, if these do the same again."""
        if self._why_none is not None:
            self._explain_all(self._why_none)
            return
        config = self._setup.config
        for event in ("page_markdown", "page_content"):
            skip_for_reused_pages(config, event, self.is_reused)
        declaring = {
            name: plugin
            for name, plugin in config.plugins.items()
            if isinstance(plugin, CacheablePlugin)
        }
        if self._setup.explain is not None:
            self._say_what_all_share()
        for page in self.pages:
            src_uri = page.file.src_uri
            decision = self._decide(page, renderer, declaring)
            if decision.inputs is not None:
                self.event_inputs[src_uri] = decision.inputs
            if decision.kept_page is not None:
                renderer.reuse(src_uri, decision.kept_page)
                continue
            if decision.inputs is not None:
                self.named_inputs[src_uri] = decision.named_inputs
            self._explain(page, decision.reason)

    def _decide(
        self, page: Page, renderer: Renderer, declaring: Mapping[str, CacheablePlugin]
    ) -> ReadDecision:
        """Return a page as the last build left it, or why it is read again, with all its events.

        Args:
            page: The page.
            renderer: Knows if its HTML is there, and which files it looked up.
            declaring: The plugins that the page depends on, by name.
        """
        if not is_plain(page):
            return ReadDecision(reason=Reason.OTHER_KIND.of())
        src_uri, pages = page.file.src_uri, self._setup.session.pages
        rendering_digest, source_digest = renderer.rendering_digest, self.sources[src_uri].digest
        try:
            inputs = read_event_inputs(
                page, self._files, rendering_digest, source_digest, declaring
            )
        except UnclearError as error:
            return ReadDecision(reason=str(error))
        kept_page = pages.find(src_uri)
        reason = ""
        if kept_page is not None and kept_page.event_inputs == inputs:
            reason = renderer.why_not_reused(kept_page, self._files)
            if not reason:
                return ReadDecision(kept_page, inputs)
        named_inputs = _named_digests(declaring, page)
        # Only a verbose build asks what has changed: it compares the inputs one by one.
        if not reason and self._setup.explain is not None:
            reason = self._what_changed(page, inputs, named_inputs)
        return ReadDecision(None, inputs, named_inputs, reason)

    def _what_changed(self, page: Page, inputs: EventInputs, named_inputs: NamedDigests) -> str:
        """Return what a page is read from that the last build has not seen."""
        src_uri, pages = page.file.src_uri, self._setup.session.pages
        previous = pages.previous(src_uri)
        if previous is None:
            why_none = pages.why_none(src_uri)
            return Reason.NOT_KEPT.of(why_none) if why_none else self._why_new()
        changed = inputs.changed_names(previous.event_inputs)
        return reasons.describe_changed_inputs(
            name
            for changed_input in changed
            for name in self._names_of_changed(changed_input, inputs, named_inputs, previous)
        )

    def _names_of_changed(
        self,
        changed_input: str,
        inputs: EventInputs,
        named_inputs: NamedDigests,
        previous: KeptPage,
    ) -> list[str]:
        """Return the names of what has changed in one of a page's inputs."""
        if changed_input == RENDERING:
            return self._changed_by_rendering or [changed_input]
        if changed_input not in dict(inputs.plugins):
            return [changed_input]
        inputs_before, inputs_now = previous.named_inputs, named_inputs
        names = list(self._changed_by_plugin.get(changed_input, ()))
        if changed_input in inputs_before and changed_input in inputs_now:
            names += reasons.changed_names(inputs_before[changed_input], inputs_now[changed_input])
        return names or [f"what the plugin {changed_input!r} reads"]

    @functools.cached_property
    def _changed_by_rendering(self) -> list[str]:
        """The names of the inputs of all renderings that are others than in the last build."""
        previous = self._setup.previous_build.rendering_inputs
        return reasons.changed_names(previous, self._setup.rendering_inputs) if previous else []

    @functools.cached_property
    def _changed_by_plugin(self) -> dict[str, list[str]]:
        """The names of what has changed in the inputs of all pages, by the plugin that has them."""
        previous = self._setup.previous_build.plugin_inputs
        return {
            plugin: _changed_values(previous[plugin], current)
            for plugin, current in self.plugin_inputs.items()
            if plugin in previous
        }

    def _why_new(self) -> str:
        """Return the reason why pages are read of which the last build has kept nothing."""
        return reasons.describe_changed_inputs(self._changed_by_rendering) or Reason.NEW.of()

    def _say_what_all_share(self) -> None:
        """Say which inputs of all pages have changed, for which all are read again."""
        names = [name for changed in self._changed_by_plugin.values() for name in changed]
        reason = reasons.describe_changed_inputs([*self._changed_by_rendering, *names])
        if reason:
            self._explain_of(reasons.ALL_PAGES, reason)

    def _explain_all(self, reason: str) -> None:
        """Say of all pages why they are read again."""
        for page in self.pages:
            self._explain(page, reason)

    def _explain(self, page: Page, reason: str) -> None:
        """Say of a page why it is read again, with all its events."""
        self._explain_of(page.file.src_uri, reason)

    def _explain_of(self, pages: str, reason: str) -> None:
        """Say of one page or of all why they are read again, if anybody wants to know."""
        if self._setup.explain is not None:
            self._setup.explain(pages, f"read again: {reason}")

    def _render_ahead(self, renderer: Renderer) -> None:
        """Have workers read, render and index the pages that are not in the cache."""
        setup = self._setup
        missing = [page for page in self.pages if self._is_missing(page)]
        if not may_fork(setup, missing, PAGE_EVENTS):
            return

        def work(page: Page) -> StoredPage | None:
            """Render one page and index it for the search, into the cache.

            Return the page without its HTML.
            """
            src_uri = page.file.src_uri  # a plugin may change it
            internals.populate_page(page, setup.config, self._files)
            for search in setup.searches:
                search.prepare(page)
            inputs = self.event_inputs.get(src_uri)
            kept_page: KeptPage | NotKept = NotKept.UNCLEAR
            if inputs is not None and isinstance(page, CachedPage):
                kept_page = renderer.keep(page, inputs, self.named_inputs[src_uri])
            page.content = page.markdown = ""  # not needed here again
            if isinstance(kept_page, NotKept):
                return None
            return StoredPage.of(self.sources[src_uri].digest, kept_page.key, kept_page)

        # No worker begins with a long one at the end.
        by_size = sorted(
            missing, key=lambda page: self.sources[page.file.src_uri].size, reverse=True
        )
        for page, stored in start_ahead(by_size, work, setup.options.workers) or ():
            self._from_workers[page.file.src_uri] = stored
        setup.disk.refresh()
        for src_uri, stored in self._from_workers.items():
            kept_page = stored.page()
            if kept_page is not None and not renderer.why_not_reused(kept_page, self._files):
                renderer.reuse(src_uri, kept_page)

    def _is_missing(self, page: Page) -> bool:
        """Return True if a page must probably be rendered."""
        src_uri = page.file.src_uri
        if src_uri in self.reused:
            return False
        return not self._setup.session.pages.is_rendered(src_uri, self._setup.disk)


def _read_plugin_inputs(config: MkDocsConfig) -> dict[str, Raw]:
    """Return the values by name that plugins have for all pages, by plugin."""
    inputs: dict[str, Raw] = {}
    for name, plugin in config.plugins.items():
        if isinstance(plugin, NamedInputs):
            # Without them, the reason is that the plugin reads something else.
            with contextlib.suppress(*UNENCODABLE):
                inputs[name] = encode_raw(dict(plugin.shared_inputs()))
    return inputs


def _changed_values(previous: Raw, current: Raw) -> list[str]:
    """Return the names of the values that differ."""
    if previous == current:
        return []
    kind = dict[str, object]
    return reasons.changed_names(decode_raw(previous, kind) or {}, decode_raw(current, kind) or {})


def _named_digests(declaring: Mapping[str, CacheablePlugin], page: Page) -> NamedDigests:
    """Return what plugins name of a page's inputs."""
    return {
        name: _starts_of_digests(plugin.named_inputs(page))
        for name, plugin in declaring.items()
        if isinstance(plugin, NamedInputs)
    }


def _starts_of_digests(inputs: Mapping[str, object]) -> dict[str, str]:
    """Return the start of each value's digest."""
    return {name: digest_of(value)[: reasons.START_CHARACTERS] for name, value in inputs.items()}
