"""The MkDocs plugin `planbook-speed`: its options, and what each event begins.

The work is in :mod:`.build`, which has the two stages of a build.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mkdocs.config import base
from mkdocs.config import config_options as opt
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority

from planbook_cache.disk import CACHE_DIR, DiskCache, disk_cache
from planbook_speed import digests, internals
from planbook_speed.build import CachedBuild, spare_objects
from planbook_speed.build_setup import set_up_build
from planbook_speed.session import Session, log

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page
    from mkdocs.utils.templates import TemplateContext

FIRST_PRIORITY, LAST_PRIORITY = 10**9, -(10**9)
"""Priorities before and after all other listeners."""
SWITCH_INTERVAL_S = 0.0005
"""Seconds after which Python lets another thread work, while serving: sending a page takes as many
turns as it has blocks, and the build works meanwhile."""


class SpeedConfig(base.Config):
    """The options under ``plugins: - planbook-speed:`` in ``mkdocs.yml``."""

    cache_dir = opt.Type(str, default=CACHE_DIR)
    """The folder of the cache, relative to ``mkdocs.yml``."""
    cache_mib = opt.Type(int, default=1024)
    """The size limit of the cache, in MiB."""
    workers = opt.Type(int, default=0)
    """The number of processes that render pages: 0 for one per core, 1 for only the build
    itself."""
    pure = opt.ListOfItems(opt.Type(str), default=[])
    """Further Markdown extensions whose output depends only on the text, their options and their
    code."""
    repeatable = opt.ListOfItems(opt.Type(str), default=[])
    """Further plugins whose page events may run twice and in another process, and change only what
    they are given."""


class SpeedPlugin(BasePlugin[SpeedConfig]):
    """Caches the work of a build for the next one.

    While serving, MkDocs has one instance for all builds, as it listens to `on_startup`.
    """

    def __init__(self) -> None:
        self._session = Session(is_serving=False, is_dirty=False)
        """Of a build by a program that calls no `on_startup`."""
        self._disk: DiskCache | None = None
        """The cache, from `on_config` on."""
        self._build: CachedBuild | None = None
        """The build that goes on; ``None`` if there is none, or it is left alone."""
        self._depth = 0
        """The number of builds that go on: a plugin may build again within one."""

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Begin a session of one or more builds."""
        self._session = Session(is_serving=command == "serve", is_dirty=dirty)

    @event_priority(-1000)  # after plugins that watch more
    def on_serve(self, server: LiveReloadServer, **_: object) -> None:
        """Have saved files noticed at once, and shown when their pages are written."""
        self._session.log_missing(internals.SERVER_INTERNALS)
        if not internals.WATCHER.why_not:
            from planbook_speed.watch import notice_at_once  # noqa: PLC0415 - seldom

            notice_at_once(server)
        if not internals.RELOAD.why_not:
            from planbook_speed.reload import EarlyReload  # noqa: PLC0415 - nor a server

            self._session.reload = EarlyReload(server)
            sys.setswitchinterval(SWITCH_INTERVAL_S)

    @event_priority(1000)  # before Material's search, which reads its language from templates
    def on_config(self, config: MkDocsConfig) -> None:
        """Open the cache, and keep what is read of the theme."""
        if self._depth > 0:  # a build within a build
            return
        folder = Path(digests.config_path(config)).parent / self.config.cache_dir
        self._disk = disk_cache(folder)
        if not self._session.is_dirty and not internals.TEMPLATES.why_not:
            self._session.theme_templates.share(config.theme, self._disk)

    @event_priority(-100)
    def on_pre_build(self, config: MkDocsConfig) -> None:
        """Begin a build, after all plugins have changed the configuration."""
        self._depth += 1
        if self._is_nested() or self._disk is None:
            return
        session = self._session
        session.cleanup.cancel()
        if session.is_dirty:
            session.log_once("a build that is `--dirty` is not cached")
            return
        session.log_missing(internals.BUILD_INTERNALS)
        if not internals.EVENTS.why_not:
            spare_objects()
            setup = set_up_build(self, config, self._disk, session, self._is_nested)
            self._build = CachedBuild(setup)

    def _is_nested(self) -> bool:
        """Return True in a build that a plugin began before this one has ended."""
        return self._depth > 1

    def _own_build(self) -> CachedBuild | None:
        """Return the build of an event; ``None`` if it is left alone, as one within another is."""
        return None if self._is_nested() else self._build

    @event_priority(-1000)  # after plugins that generate pages
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> None:
        """Begin to read pages: look them up in the cache, and render the others ahead."""
        build = self._own_build()
        if build is not None:
            build.begin_reading(nav, files)

    @event_priority(-49)  # after plugins that declare what they read, before Material's tags
    def on_page_markdown(
        self, markdown: str, page: Page, config: MkDocsConfig, files: Files
    ) -> None:
        """Record the page's text."""
        build = self._own_build()
        if build is not None and build.reading is not None:
            build.reading.record_text(page, markdown)

    @event_priority(LAST_PRIORITY)
    def on_env(self, env: Environment, config: MkDocsConfig, files: Files) -> None:
        """Begin to write the site: reuse the navigation, the templates and their output."""
        build = self._own_build()
        if env.bytecode_cache is self._session.theme_templates:
            # It is for environments without what plugins have added to this one.
            env.bytecode_cache = build.compiled_templates(env) if build is not None else None
        if build is not None:
            build.begin_writing(env, files)

    @event_priority(FIRST_PRIORITY)
    def on_page_context(
        self, context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Show the pages of saved files: MkDocs has copied static files, and comes to all pages."""
        build = self._own_build()
        if build is not None and build.writing is not None:
            build.writing.show_changed_pages()

    @event_priority(LAST_PRIORITY)
    def on_post_page(self, output: str, page: Page, config: MkDocsConfig) -> str:
        """Reuse or write the page's file."""
        build = self._own_build()
        if build is None or build.writing is None:
            return output
        return build.writing.finish_page(page, output)

    @event_priority(FIRST_PRIORITY)  # files of a plain build are there before each plugin's event
    def _put_files_in_place(self, config: MkDocsConfig) -> None:
        build = self._own_build()
        if build is not None and build.writing is not None:
            build.writing.put_files_in_place()

    @event_priority(LAST_PRIORITY)
    def _end_build(self, config: MkDocsConfig) -> None:
        """Save the state for the next build."""
        build = self._own_build()
        if build is not None:
            build.record()
        if not self._is_nested() and self._disk is not None:
            self._end(has_failed=False)
            self._disk.log_damage(log, is_strict=bool(config.strict))
            if build is not None and self._disk.failure:
                log.info("the cache could not be written: %s", self._disk.failure)
        self._depth -= 1

    on_post_build = CombinedEvent(_put_files_in_place, _end_build)

    def on_build_error(self, error: Exception) -> None:
        """Clean up, also after an error before `on_pre_build`."""
        if not self._is_nested():
            self._end(has_failed=True)
        self._depth = max(0, self._depth - 1)

    def _end(self, *, has_failed: bool) -> None:
        build = self._build
        self._build = None
        if build is not None:
            build.end(has_failed=has_failed)

    def on_shutdown(self) -> None:
        """Wait for the cleanup to finish: the site's folder is about to be deleted."""
        self._session.cleanup.cancel()
