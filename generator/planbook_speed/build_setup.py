"""The start of a build: its configuration and all that its two stages read and do not change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planbook_cache.disk import DiskCache
from planbook_cache.versions import code_version
from planbook_speed import digests, internals, logs, reasons, rendering_inputs
from planbook_speed.reasons import Reason
from planbook_speed.search_index import CachedSearch, take_over
from planbook_speed.session import log
from planbook_speed.site_files import PreviousBuild, PreviousSite

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
    rendering_inputs: digests.InputDigests
    """Of the inputs that the rendering of all pages shares; empty if they are unclear."""
    why_not_cached: str
    """The reason why pages are not cached; empty if they are."""
    searches: Sequence[CachedSearch]
    previous_build: PreviousBuild
    """The record of the last build."""
    previous_site: PreviousSite
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
        return digests.digest_of_inputs(self.rendering_inputs) if self.rendering_inputs else None

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
    inputs, why_not_cached = _read_rendering_inputs(plugin, config)
    if why_not_cached and not internals.PAGES.why_not:  # that is logged with all others
        session.log_once(Reason.NOT_CACHED.of(why_not_cached))
    searches = take_over(config, disk, is_nested)
    previous_build, previous_site = _take_previous_build(config, disk, session)
    return BuildSetup(
        plugin=plugin,
        config=config,
        disk=disk,
        session=session,
        is_nested=is_nested,
        rendering_inputs=inputs,
        why_not_cached=why_not_cached,
        searches=searches,
        previous_build=previous_build,
        previous_site=previous_site,
        explain=explain_page if logs.is_verbose() else None,
    )


def _read_rendering_inputs(
    plugin: SpeedPlugin, config: MkDocsConfig
) -> tuple[digests.InputDigests, str]:
    """Return the inputs that the rendering of all pages shares, or the reason for none."""
    if internals.PAGES.why_not:
        return {}, internals.PAGES.why_not
    try:
        inputs = rendering_inputs.read_rendering_inputs(config, plugin.config.pure)
    except digests.UnclearError as error:
        return {}, f"{error} may depend on more than a page (see `pure`)"
    return {**inputs, reasons.LEVELS: digests.digest(logs.levels())}, ""


def _take_previous_build(
    config: MkDocsConfig, disk: DiskCache, session: Session
) -> tuple[PreviousBuild, PreviousSite]:
    """Move the files of the last build aside, and return their record and them."""
    previous_site = PreviousSite(Path(config.site_dir))
    if session.is_serving:
        previous_build = session.previous_build
    else:
        previous_build = disk.get(name_of_outputs(config), PreviousBuild)
    if previous_build is None:  # nothing is known of the files
        return PreviousBuild(), previous_site
    if session.is_serving:
        previous_site.set_aside(previous_build.all_files)
        # If this build fails, the next one looks at each file.
        session.previous_build = replace(previous_build, all_files=None)
    else:
        previous_site.set_aside(None)  # anybody may have changed a file between two processes
    return previous_build, previous_site


def name_of_outputs(config: MkDocsConfig) -> str:
    """Return the name in the cache of the record of the site."""
    return digests.digest("outputs", str(Path(config.site_dir).resolve()))


def explain_page(src_uri: str, reason: str) -> None:
    """Say what is done with a page, and why."""
    log.debug("%s: %s", src_uri, reason)
