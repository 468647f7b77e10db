"""One build, which goes through two stages: its pages are read, then its site is written.

Each stage is an object that is made in the event in which all that it needs is known.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from planbook_cache.disk import DiskCache
from planbook_cache.versions import code_version
from planbook_speed import digests, internals, logs, reasons
from planbook_speed.reading import Reading
from planbook_speed.search_index import take_over
from planbook_speed.session import log
from planbook_speed.site_files import LastBuild, LastSite
from planbook_speed.writing import Writing

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation

    from planbook_speed.plugin import SpeedConfig, SpeedPlugin
    from planbook_speed.session import Session
    from planbook_speed.templates import CompiledTemplates

MIB = 1 << 20
SELDOM = 100_000
"""The number of new objects after which Python looks for garbage: a build keeps nearly all of
them."""


class CachedBuild:
    """One build, from `on_pre_build` to its end.

    Args:
        plugin: The plugin, whose listeners are called last.
        config: The configuration, after all plugins have changed it.
        disk: The cache.
        session: What the process keeps from build to build.
        is_nested: Returns True in a build that a plugin began within this one.
    """

    def __init__(
        self,
        plugin: SpeedPlugin,
        config: MkDocsConfig,
        disk: DiskCache,
        session: Session,
        is_nested: Callable[[], bool],
    ) -> None:
        # The objects of the last build stay while serving: scanning them for garbage would take a
        # quarter of the time after a save.
        gc.freeze()
        gc.set_threshold(SELDOM)
        self.plugin = plugin
        self.options: SpeedConfig = plugin.config
        self.config = config
        self.disk = disk
        self.session = session
        self.is_nested = is_nested
        self.explain = explain_page if logs.is_verbose() else None
        """Says of a page (``src_uri``) what is done with it, if anybody wants to know."""
        self.extensions = self._extensions()
        """The digest of each input that the rendering of all pages shares; empty if unclear."""
        self.rendering_digest = ""
        """The digest of all of them; empty if pages are not cached."""
        if self.extensions:
            self.rendering_digest = digests.digest_of_parts(self.extensions)
        self.searches = take_over(config, disk, is_nested)
        self.site = Path(config.site_dir)
        self.last_build, self.last_site = self._take_last_build()
        self.reading: Reading | None = None
        """Set from `on_nav` on."""
        self.writing: Writing | None = None
        """Set from `on_env` on."""

    def _extensions(self) -> dict[str, str]:
        if internals.PAGES.why_not:
            return {}
        try:
            parts = digests.extensions_parts(self.config, self.options.pure)
        except digests.UnclearError as error:
            self.session.log_once(
                f"pages are not cached: {error} may depend on more than a page (see `pure`)"
            )
            return {}
        return {**parts, reasons.LEVELS: digests.digest(logs.levels())}

    def _take_last_build(self) -> tuple[LastBuild, LastSite]:
        """Move the files of the last build aside, and return them with their record."""
        last_site = LastSite(self.site)
        if self.session.is_serving:
            last_build = self.session.last_build
        else:
            last_build = self.disk.get(self._name_of_outputs(), LastBuild)
        if last_build is None:  # nothing is known of the files
            return LastBuild(), last_site
        last_site.set_aside(last_build.all_files)
        if self.session.is_serving:  # if this build fails, the next one looks at each file
            self.session.last_build = replace(last_build, all_files=frozenset())
        return last_build, last_site

    def begin_reading(self, nav: Navigation, files: Files) -> None:
        """Begin the first stage: no page is read yet, and plugins have made all that there are."""
        gc.freeze()
        self.reading = Reading(self, nav, files)
        self.reading.begin()

    def begin_writing(self, env: Environment, files: Files) -> None:
        """Begin the second stage: all pages are read, and no template is rendered yet."""
        if self.reading is None:
            return
        self.reading.end()
        gc.freeze()
        self.writing = Writing(self, self.reading, env, files)
        self.writing.begin()
        if self.session.is_first:  # not after each save
            self._store_pages(self.reading)  # while workers build pages
        self.session.is_first = False

    def _store_pages(self, reading: Reading) -> None:
        """Store the pages for the next build in another process.

        The size of the cache is limited there, too.
        """
        is_new = reading.store_pages()
        if is_new:
            self.disk.prune(self.options.cache_mib * MIB)

    def compiled_templates(self, env: Environment) -> CompiledTemplates | None:
        """Return the templates that earlier builds have compiled; ``None`` if these may differ.

        Plugins may have changed how this environment compiles them.
        """
        if not self.session.is_serving:
            return None
        is_usual = digests.has_usual_settings(env, self.config.theme.get_env())
        return self.session.compiled if is_usual else None

    def record(self) -> None:
        """Record the site for the next build."""
        if self.writing is None:
            return
        record = self.writing.record()
        if self.session.is_serving:
            self.session.last_build = record
        else:
            self.disk.put(self._name_of_outputs(), record, is_latest=True)

    def end(self, *, has_failed: bool) -> None:
        """End the build, whether it has failed or not."""
        gc.unfreeze()
        if self.writing is not None:
            self.writing.end(has_failed=has_failed)
        if self.session.is_serving:
            self.session.cleanup.begin(self.last_site)
        else:
            self.last_site.drop()

    def name_of_pages(self) -> str:
        """Return the name in the cache of the pages that this build leaves for the next one."""
        path = digests.config_path(self.config)
        return digests.digest("pages", path, self.rendering_digest, code_version("planbook_speed"))

    def _name_of_outputs(self) -> str:
        """Return the name in the cache of the record of the site."""
        return digests.digest("outputs", str(self.site.resolve()))


def explain_page(src_uri: str, reason: str) -> None:
    """Say what is done with a page, and why."""
    log.debug("%s: %s", src_uri, reason)
