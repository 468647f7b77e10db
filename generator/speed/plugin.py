"""The MkDocs plugin `planbook-speed`: which part does what in which event."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mkdocs.config import base
from mkdocs.config import config_options as opt
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.pages import log as log_of_pages

from generator.speed import search, workers
from generator.speed.fingerprint import UnclearError, digest
from generator.speed.nav import is_tree, render_once
from generator.speed.pages import Renderer
from generator.speed.vault import Entry, Vault
from generator.speed.versions import extensions_told

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

log = get_plugin_logger("planbook-speed")

MIB = 1 << 20


class SpeedConfig(base.Config):
    """The options under ``plugins: - planbook-speed:`` in ``mkdocs.yml``."""

    enabled = opt.Type(bool, default=True)
    """Whether anything is done at all."""
    cache_dir = opt.Type(str, default=".cache/planbook-speed")
    """Where rendered pages are kept between builds, relative to ``mkdocs.yml``."""
    cache_mib = opt.Type(int, default=1024)
    """How large that folder may grow, in MiB."""
    render = opt.Type(bool, default=True)
    """Whether a page that was rendered before is not rendered again."""
    nav = opt.Type(bool, default=True)
    """Whether the parts of the navigation that a page is not in are rendered once for all pages."""
    search = opt.Type(bool, default=True)
    """Whether a page that was read for the search before is not read again."""
    workers = opt.Type(int, default=0)
    """How many processes render pages: 0 stands for one a core, 1 for none beside the build."""
    pure = opt.ListOfItems(opt.Type(str), default=[])
    """Further Markdown extensions that render from the text, their options and their code alone."""
    repeatable = opt.ListOfItems(opt.Type(str), default=[])
    """Further plugins whose events for pages may run twice, in a process of their own."""


class SpeedPlugin(BasePlugin[SpeedConfig]):
    """Remembers what a build made, and lets the next one find it."""

    def __init__(self) -> None:
        self._is_dirty = False
        self._is_on = False
        self._told: set[str] = set()

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Notes how the build was asked for. As there is such an event, the plugin outlives a build while serving."""
        self._is_dirty = dirty

    @event_priority(-100)
    def on_pre_build(self, config: MkDocsConfig) -> None:
        """Opens the cache, when all plugins have had their say about the configuration."""
        self._renderer: Renderer | None = None
        is_debugging = log_of_pages.isEnabledFor(logging.DEBUG)
        self._is_on = self.config.enabled and not self._is_dirty and not is_debugging
        if not self._is_on:
            self._say_once("nothing is remembered by a build that is verbose, `--dirty` or not enabled")
            return
        folder = Path(config.config_file_path or "mkdocs.yml").resolve().parent / self.config.cache_dir
        self._vault = Vault(folder)
        if self.config.render:
            try:
                self._renderer = Renderer(self._vault, extensions_told(config, self.config.pure))
            except UnclearError as error:
                self._say_once(f"pages are rendered anew, for {error} may depend on more than a page (see `pure`)")
        self._entries = search.take_over(config, self._vault) if self.config.search else []

    @event_priority(-1000)  # behind plugins that make pages of their own
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Lets pages be looked up before they are rendered, and renders ahead those that will not be found."""
        if self._renderer is not None:
            pages = [file.page for file in files.documentation_pages() if file.page is not None]
            for page in pages:
                self._renderer.take(page)
            self._sources = {page.file.src_uri: self._source(page) for page in pages}
            self._hints = self._read_hints(config)
            self._render_ahead([page for page in pages if not self._is_expected(page)], config, files)
        self._is_tree = is_tree(nav.items)
        return nav

    @event_priority(-1000)
    def on_env(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Has the navigation rendered once."""
        if self._is_on and self.config.nav:
            reason = self._why_no_nav(config) or render_once(env)
            if reason:
                self._say_once(f"the navigation is rendered for each page: {reason}")
        return env

    @event_priority(-1000)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Writes down what was made of what, and keeps the cache within its bounds."""
        if self._renderer is not None:
            keys = self._renderer.keys
            hints = {uri: [source, keys[uri]] for uri, source in self._sources.items() if uri in keys}
            self._vault.put(self._name_of_hints(config), Entry(hints))
        if self._is_on:
            if self._vault.broken:
                log.info("the cache could not be written: %s", self._vault.broken)
            self._vault.bound(self.config.cache_mib * MIB)

    def _render_ahead(self, pages: list[Page], config: MkDocsConfig, files: Files) -> None:
        processes = min(self.config.workers or workers.cores(), len(pages))
        if processes < 2 or len(pages) < workers.FEWEST:
            return
        reason = workers.why_not(config, self.config.repeatable)
        if reason:
            self._say_once(f"pages are rendered one after the other: {reason}")
            return

        def work(page: Page) -> None:
            workers.foresee(page, config, files)
            for entries in self._entries:
                entries.read(page.content or "")

        workers.run_ahead(pages, work, processes)

    def _why_no_nav(self, config: MkDocsConfig) -> str:
        if not self._is_tree:
            return "a page stands in it twice"
        name, event = workers.stranger(config, ("page_context",), self.config.repeatable)
        return f"the plugin {name!r} might change it in on_{event} (see `repeatable`)" if name else ""

    def _source(self, page: Page) -> str:
        """The digest of a page's file, a hint to what will be made of it."""
        try:
            return digest(page.file.content_bytes)
        except OSError:  # MkDocs will tell
            return ""

    def _is_expected(self, page: Page) -> bool:
        """Whether the page will probably be found rendered."""
        source, key = self._hints.get(page.file.src_uri, ("", ""))
        return bool(key) and source == self._sources[page.file.src_uri] and self._vault.has(key)

    def _read_hints(self, config: MkDocsConfig) -> dict[str, tuple[str, str]]:
        entry = self._vault.get(self._name_of_hints(config))
        return entry.facts if entry else {}

    def _name_of_hints(self, config: MkDocsConfig) -> str:
        return digest("hints", str(config.config_file_path), self._renderer.rests_on if self._renderer else "")

    def _say_once(self, what: str) -> None:
        """Say it, unless a build before this one in the same process did."""
        if what not in self._told:
            self._told.add(what)
            log.info(what)
