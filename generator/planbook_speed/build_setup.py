"""The start of a build: its configuration and all that its two stages read and do not change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planbook_cache.disk import DiskCache
from planbook_cache.versions import code_version
from planbook_speed import digests, extension_digests, internals, logs, reasons
from planbook_speed.reasons import Reason
from planbook_speed.search_index import CachedSearch, take_over
from planbook_speed.session import log
from planbook_speed.site_files import LastBuild, LastSite

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

    from planbook_speed.plugin import SpeedConfig, SpeedPlugin
    from planbook_speed.session import Session


@dataclass(frozen=True, slots=True)
class BuildSetup:
    """The configuration of one build, the cache, and what the last build has left."""

    plugin: SpeedPlugin
    """The plugin, whose listeners are called last."""
    config: MkDocsConfig
    """The configuration, after all plugins have changed it."""
    disk: DiskCache
    session: Session
    """The state that the process keeps from build to build."""
    is_nested: Callable[[], bool]
    """Returns True in a build that a plugin began within this one."""
    extensions: dict[str, str]
    """The digest of each input that the rendering of all pages shares; empty if unclear."""
    why_not_cached: str
    """The reason why pages are not cached; empty if they are."""
    searches: Sequence[CachedSearch]
    last_build: LastBuild
    """The record of the last build."""
    last_site: LastSite
    """Its files, which are moved aside."""
    explain: Callable[[str, str], None] | None
    """Says of a page (``src_uri``) what is done with it, if anybody wants to know."""

    @property
    def options(self) -> SpeedConfig:
        """The options of the plugin."""
        return self.plugin.config

    @property
    def rendering_digest(self) -> str | None:
        """The digest of all inputs that pages share; ``None`` if pages are not cached."""
        return digests.digest_of_parts(self.extensions) if self.extensions else None

    @property
    def name_of_pages(self) -> str:
        """The name in the cache of the pages that this build leaves for the next one."""
        path, version = digests.config_path(self.config), code_version("planbook_speed")
        return digests.digest("pages", path, self.rendering_digest or "", version)


def set_up_build(
    plugin: SpeedPlugin,
    config: MkDocsConfig,
    disk: DiskCache,
    session: Session,
    is_nested: Callable[[], bool],
) -> BuildSetup:
    """Begin a build: take over the search, and move the files of the last build aside.

    For the arguments, see :class:`BuildSetup`.
    """
    extensions, why_not_cached = _digest_extensions(plugin, config)
    if why_not_cached and not internals.PAGES.why_not:  # that is logged with all others
        session.log_once(Reason.NOT_CACHED.of(why_not_cached))
    searches = take_over(config, disk, is_nested)
    last_build, last_site = _take_last_build(config, disk, session)
    return BuildSetup(
        plugin=plugin,
        config=config,
        disk=disk,
        session=session,
        is_nested=is_nested,
        extensions=extensions,
        why_not_cached=why_not_cached,
        searches=searches,
        last_build=last_build,
        last_site=last_site,
        explain=explain_page if logs.is_verbose() else None,
    )


def _digest_extensions(plugin: SpeedPlugin, config: MkDocsConfig) -> tuple[dict[str, str], str]:
    """Return the digests of what all pages are rendered with, or the reason why there are none."""
    if internals.PAGES.why_not:
        return {}, internals.PAGES.why_not
    try:
        parts = extension_digests.extensions_parts(config, plugin.config.pure)
    except digests.UnclearError as error:
        return {}, f"{error} may depend on more than a page (see `pure`)"
    return {**parts, reasons.LEVELS: digests.digest(logs.levels())}, ""


def _take_last_build(
    config: MkDocsConfig, disk: DiskCache, session: Session
) -> tuple[LastBuild, LastSite]:
    """Move the files of the last build aside, and return their record and them."""
    last_site = LastSite(Path(config.site_dir))
    if session.is_serving:
        last_build = session.last_build
    else:
        last_build = disk.get(name_of_outputs(config), LastBuild)
    if last_build is None:  # nothing is known of the files
        return LastBuild(), last_site
    if session.is_serving:
        last_site.set_aside(last_build.all_files)
        # If this build fails, the next one looks at each file.
        session.last_build = replace(last_build, all_files=None)
    else:
        last_site.set_aside(None)  # anybody may have changed a file between two processes
    return last_build, last_site


def name_of_outputs(config: MkDocsConfig) -> str:
    """Return the name in the cache of the record of the site."""
    return digests.digest("outputs", str(Path(config.site_dir).resolve()))


def explain_page(src_uri: str, reason: str) -> None:
    """Say what is done with a page, and why."""
    log.debug("%s: %s", src_uri, reason)
