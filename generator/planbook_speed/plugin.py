"""The MkDocs plugin `planbook-speed`: its options, and its work in each event.

Pages are rendered in forked processes, one per core. A worker processes a page as MkDocs will, in
its own copy of the build, and stores the result where MkDocs finds it later: in the cache, keyed by
all inputs, or with the last build's output. If a plugin's event returns another text the second
time, the result is not found, and the page is rendered as if there were no workers. Errors and
warnings occur again in the main process: no output of a worker is shown.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import jinja2
from mkdocs.config import base
from mkdocs.config import config_options as opt
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from planbook_speed import cache, digests, internals, logs, reasons
from planbook_speed.outputs import (
    CachedNav,
    CompiledTemplates,
    LastBuild,
    Outputs,
    PreviousOutput,
    Written,
    cache_nav,
    stamp,
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
from planbook_speed.search import CachedSearch, take_over
from planbook_speed.work import FEWEST, cores, start_forked, why_no_fork

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation

    from planbook_speed.reload import EarlyReload


T = TypeVar("T")
R = TypeVar("R")

EVENTS = ("pre_page", "page_read_source", "page_markdown", "page_content")
"""The plugin events from reading a page to its HTML."""
REPEATABLE = tuple(f"material.plugins.{name}." for name in ("meta", "offline", "search", "tags"))
"""Modules of plugins whose page events have no effect outside their process, so that they may run
twice."""
ANY_PAGE = (*EVENTS, "env", "page_context", "post_page")
"""The plugin events that may read or change the pages of a build."""
AFTER_ENV = ("pre_template", "template_context", "post_template", "post_page")
"""The plugin events between `on_env` and a page's template in which a plugin may change what
templates read."""
FIRST, LAST = 10**9, -(10**9)
"""Priorities before and after all other listeners."""
REUSING = tuple(f"material.plugins.{name}." for name in ("offline", "search", "tags"))
"""Modules of plugins that read no file for a page but its own; others may be a
`CacheablePlugin`."""
WRITING = REUSING[1:]
"""Modules of plugins that write no files of their own into folders of the site."""


def unknown_listener(
    config: MkDocsConfig,
    events: Sequence[str],
    trusted: Iterable[str],
    known: Sequence[str] = REPEATABLE,
) -> tuple[str, str]:
    """Return the first plugin with unknown side effects in one of the events, and the event."""
    named = set(trusted)
    for event in events:
        for method in config.plugins.events[event]:
            plugin = getattr(method, "__self__", None)
            name = internals.plugin_of(config, method)
            is_known = f"{type(plugin).__module__}.".startswith((*known, "planbook_speed."))
            if not (is_known or isinstance(plugin, CacheablePlugin) or name in named):
                return name or "a hook", event
    return "", ""


def start_ahead(
    items: Sequence[T],
    work: Callable[[T], R | None],
    processes: int,
    load: Callable[[], object] = lambda: None,
) -> Iterator[tuple[T, R]] | None:
    """Begin to call `work` for every item in forked processes (0: one per core), after `load`.

    See `start_forked`.
    """

    def prepare() -> None:
        """Silence this process, and protect the shared HTML file."""
        logs.silence()
        for page in items:
            if isinstance(page, CachedPage):
                page._speed_file.is_closed = True
                break  # all have the same, and a look at each page would copy its memory
        load()

    return start_forked(items, work, processes=processes, renews=True, prepare=prepare)


log = get_plugin_logger("planbook-speed")

MIB = 1 << 20
SELDOM = 100_000
"""The number of new objects after which Python looks for garbage: a build keeps nearly all of
them."""
COLLECT_AFTER_S, COLLECT_EVERY = 2.0, 8
"""Seconds between a build while serving and the cleanup after it, and the number of builds until it
follows at once."""


class SpeedConfig(base.Config):
    """The options under ``plugins: - planbook-speed:`` in ``mkdocs.yml``."""

    cache_dir = opt.Type(str, default=cache.CACHE_DIR)
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
    """Caches the work of a build for the next one."""

    def __init__(self) -> None:
        self._is_on = False
        self._nested = 0
        """The number of builds that began while this one had not ended: a plugin may build again in
        `on_post_build`."""
        self._is_building = False
        self._outputs: Outputs | None = None
        self._cleaning: threading.Timer | None = None
        self._uncollected = 0
        """The number of builds since the last cleanup."""
        self._sources: dict[str, tuple[list[int] | None, str]] = {}
        """The stamp and the digest of each page's file."""
        self._stored: dict[str, StoredPage] = {}
        self.on_startup(command="build", dirty=False)

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Record the options of the build.

        With this event, the plugin instance persists while serving.
        """
        self._is_dirty, self._is_first, self._logged = dirty, True, set[str]()
        self._compiled = CompiledTemplates() if command == "serve" else None
        self._kept: dict[str, KeptPage] = {}
        self._of_theme = CompiledTemplates()
        """The templates that are compiled without plugins' extensions of Jinja."""
        self._built: LastBuild | None = None
        """The last build, while a site is served into a temporary folder."""
        self._reload: EarlyReload | None = None

    @event_priority(-1000)  # after plugins that watch more
    def on_serve(self, server: LiveReloadServer, **_: object) -> None:
        """Have saved files noticed at once, and shown when their pages are written."""
        self._report_missing(internals.OF_SERVERS)
        if not internals.WATCHER.why_not:
            from planbook_speed.watch import notice_at_once  # noqa: PLC0415 - seldom

            notice_at_once(server)
        if not internals.RELOAD.why_not:
            from planbook_speed.reload import EarlyReload  # noqa: PLC0415 - nor a server

            self._reload = EarlyReload(server)

    @event_priority(1000)  # before Material's search, which reads its language from templates
    def on_config(self, config: MkDocsConfig) -> None:
        """Open the cache, and keep what is read of the theme."""
        if self._is_building:  # a build within a build
            return
        self._cache = cache.disk_cache(
            Path(digests.config_path(config)).parent / self.config.cache_dir
        )
        if not (self._is_dirty or internals.TEMPLATES.why_not):
            self._of_theme.share(config.theme, self._cache)

    @event_priority(-100)
    def on_pre_build(self, config: MkDocsConfig) -> None:
        """Begin a build, after all plugins have changed the configuration.

        Leave one within another one alone.
        """
        if self._is_building:
            self._nested += 1
            return
        self._is_building = True
        self.on_shutdown()
        self._renderer: Renderer | None = None
        self._is_on = not self._is_dirty
        self._explain = _explain_page if logs.is_verbose() else None
        self._inputs: dict[str, list[str]] = {}
        self._texts: dict[str, str] = {}
        self._extensions: dict[str, str] = {}
        self._ahead: dict[str, StoredPage] = {}
        """The pages that workers have rendered, by ``src_uri``."""
        if not self._is_on:
            self._log_once("a build that is `--dirty` is not cached")
            return
        self._report_missing(internals.OF_BUILDS)
        self._is_on = not internals.EVENTS.why_not
        if not self._is_on:
            return
        # These objects stay: scanning the last build for garbage takes a quarter of the time after
        # a save.
        gc.freeze()
        gc.set_threshold(SELDOM)
        if not internals.PAGES.why_not:
            self._renderer = self._new_renderer(config)
        self._searches = take_over(config, self._cache, self._is_within_other)
        site = Path(config.site_dir)
        self._outputs = Outputs(self._cache, PreviousOutput(site), site, explain=self._explain)
        self._outputs.extensions = self._extensions
        if self._compiled is not None:
            last = self._built
        else:
            last = self._cache.get(_name_of_outputs(site), LastBuild)
        if last is not None:  # the inputs of its files are known
            known = last.known
            last.known = frozenset()  # this build changes the files
            self._outputs.last = last
            self._outputs.before = LastBuild(parts=last.parts, extensions=last.extensions)
            self._outputs.previous.set_aside(known)
        for found in self._searches:
            found.index.outputs = self._outputs

    def _new_renderer(self, config: MkDocsConfig) -> Renderer | None:
        """Return the renderer of a build; ``None`` if an extension may read more than a page."""
        try:
            self._extensions = digests.extensions_parts(config, self.config.pure)
        except digests.UnclearError as error:
            self._log_once(
                f"pages are not cached: {error} may depend on more than a page (see `pure`)"
            )
            return None
        shared = digests.digest(digests.digest_of_parts(self._extensions), logs.levels())
        return Renderer(self._cache, shared, explain=self._explain)

    def _report_missing(self, parts: Iterable[internals.PrivatePart]) -> None:
        """Log what a build does without parts of MkDocs that this release does not have."""
        for part in internals.missing(parts):
            self._log_once(f"{part.lost}: {part.why_not}")

    @event_priority(-1000)  # after plugins that generate pages
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Look up pages in the cache before they are rendered, and render the others ahead."""
        if self._nested:
            return nav
        self._nav = nav
        if not self._is_on:
            return nav
        gc.freeze()
        pages = [file.page for file in files.documentation_pages() if file.page is not None]
        self._sources = {page.file.src_uri: self._source(page) for page in pages}
        if self._outputs is not None:
            self._outputs.sources = {uri: source for uri, (_, source) in self._sources.items()}
        if self._renderer is not None:
            if self._is_first:
                self._stored = (
                    self._cache.get(self._name_of_pages(config), dict[str, StoredPage]) or {}
                )
            self._reuse(self._renderer, pages, config, files)
        if not internals.PAGES.why_not:
            kind = page_class(self._renderer, HtmlFile())
            for page in filter(is_plain, pages):
                page.__class__ = kind
        if self._renderer is not None:
            reused = self._renderer.reused
            missing = [
                page
                for page in pages
                if page.file.src_uri not in reused and not self._is_expected(page)
            ]
            self._render_ahead(self._renderer, missing, config, files)
        return nav

    def _reuse(
        self, renderer: Renderer, pages: list[Page], config: MkDocsConfig, files: Files
    ) -> None:
        """Reuse pages of the last build, without plugins' events, if these do the same again."""
        why_all = self._why_not_reuse(config)
        if why_all:
            self._explain_reading(pages, why_all)
            return
        for event in ("page_markdown", "page_content"):
            _wrap(config, event, partial(_unless_reused, self._is_reused))
        renderer.reuses, renderer.populate = True, partial(internals.populate_late, config, files)
        declaring = {
            name: plugin
            for name, plugin in config.plugins.items()
            if isinstance(plugin, CacheablePlugin)
        }
        names = [*OWN_INPUTS, *(f"what the plugin {name!r} reads" for name in declaring)]
        why_new = self._why_none_is_kept()
        for page in filter(is_plain, pages):
            inputs = self._inputs_of(page, renderer, declaring.values(), files)
            self._inputs[page.file.src_uri] = inputs
            _, source = self._sources[page.file.src_uri]
            kept = self._kept_page(page)
            if kept is None:
                why = why_new
            elif kept.inputs != inputs or not inputs or not source:
                why = reasons.changed(reasons.changed_facts(names, kept.inputs, inputs))
            else:
                why = renderer.reuse(page.file.src_uri, kept, files)
            if why:
                self._explain_reading([page], why)

    def _why_not_reuse(self, config: MkDocsConfig) -> str:
        """Return the reason why no page can be reused; empty if there is none."""
        for part in internals.missing((internals.STEPS, internals.CURRENT_PAGE)):
            if part.why_not:
                return part.why_not
        plugin, event = unknown_listener(config, ANY_PAGE, (), REUSING)
        return reasons.undeclared(plugin, event) if plugin else ""

    def _why_none_is_kept(self) -> str:
        """Return the reason why pages are read of which the last build has kept nothing."""
        before = self._outputs.before.extensions if self._outputs is not None else {}
        if before:
            changed = reasons.changed(reasons.changed_parts(before, self._extensions))
            if changed:
                return changed
        return reasons.NEW

    def _inputs_of(
        self,
        page: Page,
        renderer: Renderer,
        declaring: Iterable[CacheablePlugin],
        files: Files,
    ) -> list[str]:
        """Return digests of all that a page depends on; empty if a plugin's have no digest."""
        file = page.file
        _, source = self._sources[file.src_uri]
        place = cache.digest_of(file.url, file.inclusion.is_excluded())
        declared = [cache.digest_of(plugin.page_inputs(page, files)) for plugin in declaring]
        if not all(declared):
            return []
        return [renderer.inputs_digest, source, place, *declared]

    def _kept_page(self, page: Page) -> KeptPage | None:
        """Return a page as the last build left it, in memory or on the disk."""
        uri = page.file.src_uri
        kept, stored = self._kept.get(uri), self._stored.get(uri)
        if kept is not None or stored is None:
            return kept
        _, source = self._sources[uri]
        is_needed = stored.source == source or self._explain is not None
        return stored.page() if is_needed else None

    def _explain_reading(self, pages: Iterable[Page], reason: str) -> None:
        """Say of pages why they are read again, with all their events."""
        if self._explain is not None:
            for page in pages:
                self._explain(page.file.src_uri, f"read again: {reason}")

    def _is_within_other(self) -> bool:
        """Return True in a build that a plugin began before this one has ended."""
        return self._nested > 0

    def _is_reused(self, page: Page) -> bool:
        """Return True for a page that this build takes from the last one.

        Builds within it take none.
        """
        return (
            not self._nested
            and self._renderer is not None
            and page.file.src_uri in self._renderer.reused
        )

    @event_priority(-49)  # after plugins that declare what they read, before Material's tags
    def on_page_markdown(
        self, markdown: str, page: Page, config: MkDocsConfig, files: Files
    ) -> None:
        """Note the page's text."""
        if self._renderer is not None and self._renderer.reuses and not self._nested:
            self._texts[page.file.src_uri] = markdown

    def _keep_pages(self, files: Files) -> None:
        """Keep the pages for the next build in this process."""
        if self._renderer is None:
            return
        self._renderer.is_reading, self._kept = False, {}
        for page in [file.page for file in files.documentation_pages()]:
            if not isinstance(page, CachedPage):
                continue
            uri = page.file.src_uri
            inputs = self._inputs.get(uri)
            kept = self._renderer.keep(page, inputs, self._texts.get(uri)) if inputs else None
            if kept is not None:
                self._kept[uri] = kept
        self._texts = {}

    @event_priority(LAST)
    def on_env(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Cache the navigation, the templates and their output."""
        if self._nested:
            if env.bytecode_cache is self._of_theme:
                env.bytecode_cache = None
            return env
        self._keep_pages(files)
        gc.freeze()
        if env.bytecode_cache is self._of_theme:
            is_usual = self._is_on and digests.has_usual_settings(env, config.theme.get_env())
            env.bytecode_cache = self._compiled if is_usual else None
        if self._is_on:
            language = config.theme.get("language") or "en"
            nav: CachedNav | str = self._why_no_nav(config) or cache_nav(
                env, self._nav.items, language
            )
            if isinstance(nav, str):
                self._log_once(f"the navigation is not cached: {nav}")
        if self._outputs is not None:
            self._begin_outputs(self._outputs, nav, config, files, env)
        return env

    def _begin_outputs(
        self,
        outputs: Outputs,
        nav: CachedNav | str,
        config: MkDocsConfig,
        files: Files,
        env: Environment,
    ) -> None:
        """Have MkDocs find the output of pages and static files that have not changed."""
        others = [
            listener
            for listener in config.plugins.events["post_page"]
            if not _reads_context(listener)
        ]
        outputs.has_others = bool(others)
        if others:
            outputs.why_others = reasons.undeclared(
                internals.plugin_of(config, others[0]), "post_page"
            )
        internals.log_of_build.addFilter(outputs.is_told)
        if (
            self._compiled is not None
            and not unknown_listener(config, [*config.plugins.events], (), WRITING)[0]
        ):
            outputs.known = frozenset(file.dest_uri for file in files)
        for file in files if not internals.FILES.why_not else ():
            if type(file) is File and not file.is_documentation_page():
                vars(file)["copy_file"] = partial(outputs.copy_file, file)
        try:
            self._reuse_outputs(outputs, nav, config, files, env)
        except digests.UnclearError as error:
            self._log_once(f"output is not reused: {error} may change other pages")
            if self._explain is not None:
                for file in files.documentation_pages():
                    self._explain(file.src_uri, f"built again: {error} may change other pages")
            self._read_again(files)
        if self._is_first:  # not after each save
            self._store_pages(config)  # while workers build pages
        self._is_first = False

    def _reuse_outputs(
        self,
        outputs: Outputs,
        nav: CachedNav | str,
        config: MkDocsConfig,
        files: Files,
        env: Environment,
    ) -> None:
        """Reuse the output of pages for which templates read nothing new.

        Raises UnclearError if that is unknown.
        """
        self._refuse_late_changes(config)
        outputs.parts = digests.site_parts(config, env, self._nav)
        outputs.inputs_digest = digests.digest(
            digests.digest_of_parts(outputs.parts), logs.levels()
        )
        if unknown_listener(config, AFTER_ENV, (), REUSING)[0]:
            outputs.late_facts = partial(
                digests.late_facts, config, env, self._nav, dict(env.globals)
            )
        env.template_class = outputs.template_class(
            not isinstance(nav, str) and nav.has_own_language
        )
        outputs.page_inputs = self._inputs
        (env.cache or {}).clear()  # templates of another class
        if self._inputs:
            _wrap(config, "page_context", partial(_waiting, outputs, self._is_within_other))
        if not isinstance(nav, str) and self._compiled is not None:
            nav.html = self._compiled.nav_of(outputs.inputs_digest)
        if (
            config.plugins.events["post_page"][-1:] == [self.on_post_page]
            and not outputs.has_others
        ):
            build = (
                self._build_ahead if self._compiled is None or self._is_first else self._build_first
            )
            build(outputs, config, files, env)

    def _refuse_late_changes(self, config: MkDocsConfig) -> None:
        """Raise UnclearError if a plugin may change what templates read, page by page.

        Plugins that declare what they read are clear.
        """
        name, event = unknown_listener(config, ("page_context",), self.config.repeatable, REUSING)
        if name:
            raise digests.UnclearError(f"the plugin {name!r} in on_{event} (see `repeatable`)")
        *_, last = config.plugins.events["env"]
        if last != self.on_env:
            raise digests.UnclearError(
                f"the plugin {internals.plugin_of(config, last)!r} in on_env"
            )

    def _read_again(self, files: Files) -> None:
        """Read the files of reused pages.

        Templates that read more than usual may show their text, too.
        """
        if (renderer := self._renderer) is not None:
            for page in [cast("CachedPage", files.src_uris[uri].page) for uri in renderer.reused]:
                page.content = renderer.load(page)

    @event_priority(LAST)
    def on_post_page(self, output: str, page: Page, config: MkDocsConfig) -> str:
        """Reuse or write the page's file."""
        if self._outputs is not None and not self._nested:
            return self._outputs.finished(page, output)
        return output

    @event_priority(FIRST)  # files of a plain build are there before each plugin's event
    def _note_outputs(self, config: MkDocsConfig) -> None:
        if self._outputs is not None and not self._nested:
            self._outputs.note()

    @event_priority(LAST)
    def _finish(self, config: MkDocsConfig) -> None:
        """Save the state for the next build."""
        if self._nested:
            self._nested -= 1
            return
        self._is_building = False
        if self._outputs is not None and self._compiled is not None:
            self._built = self._outputs.data()
        elif self._outputs is not None:
            self._cache.put(
                _name_of_outputs(Path(config.site_dir)), self._outputs.data(), is_latest=True
            )
        self._let_go()
        self._cache.tell_damage(log, is_strict=bool(config.strict))
        if self._is_on and self._cache.failure:
            log.info("the cache could not be written: %s", self._cache.failure)

    on_post_build = CombinedEvent(_note_outputs, _finish)

    def on_build_error(self, error: Exception) -> None:
        """Clean up."""
        if self._nested:
            self._nested -= 1
            return
        self._is_building = False
        self._let_go(has_failed=True)

    def on_shutdown(self) -> None:
        """Wait for the cleanup to finish: the site's folder is about to be rebuilt or deleted."""
        if self._cleaning is not None:
            self._cleaning.cancel()
            self._cleaning.join()

    def _let_go(self, has_failed: bool = False) -> None:
        gc.unfreeze()
        outputs, self._outputs = self._outputs, None
        if outputs is not None:
            if outputs.reload is not None:
                outputs.reload.end(has_failed)
            internals.log_of_build.removeFilter(outputs.is_told)
            outputs.let_go()
        if self._compiled is not None:  # the browser gets its page first
            self._uncollected += 1
            # Saves in quick succession cancel cleanups.
            delay = COLLECT_AFTER_S if self._uncollected < COLLECT_EVERY else 0.0
            self._cleaning = threading.Timer(delay, self._clean, [outputs])
            self._cleaning.daemon = True
            self._cleaning.start()
        elif outputs is not None:
            outputs.previous.drop()

    def _clean(self, outputs: Outputs | None) -> None:
        """Look for garbage, and delete what is left of the build before."""
        self._uncollected = 0
        gc.collect()
        if outputs is not None:
            outputs.previous.drop()

    def _render_ahead(
        self, renderer: Renderer, pages: list[Page], config: MkDocsConfig, files: Files
    ) -> None:
        if not self._may_fork(pages, config, EVENTS):
            return

        def work(page: Page) -> StoredPage | None:
            """Render one page and index it for the search, into the cache.

            Return the page without its HTML.
            """
            internals.populate_page(page, config, files)
            for found in self._searches:
                found.prepare(page)
            uri, kept = page.file.src_uri, None
            if isinstance(page, CachedPage) and (inputs := self._inputs.get(uri)):
                kept = renderer.keep(page, inputs, self._texts.pop(uri, None))
            page.content = page.markdown = ""  # not needed here again
            return None if kept is None else StoredPage.of(self._sources[uri][1], kept.key, kept)

        # No worker begins with a long one at the end.
        by_size = sorted(
            pages, key=lambda page: self._sources[page.file.src_uri][0] or [0], reverse=True
        )
        results = start_ahead(by_size, work, self.config.workers) or ()
        self._ahead = {page.file.src_uri: stored for page, stored in results}
        self._cache.refresh()
        for uri, stored in self._ahead.items():
            if (kept := stored.page()) is not None:
                renderer.reuse(uri, kept, files)

    def _build_ahead(
        self, outputs: Outputs, config: MkDocsConfig, files: Files, env: Environment
    ) -> None:
        every = files.documentation_pages()
        pages = [file.page for file in every if file.page is not None]
        outdated = outputs.outdated(pages)
        if not self._may_fork(outdated, config, ("page_context",)):
            return

        def work(item: object) -> dict[str, Written]:
            """Write the files of a search, or of a page."""
            outputs.now = {}
            if isinstance(item, CachedSearch):
                item.write_ahead(pages, config)
            elif isinstance(item, Page):
                internals.build_page(
                    item, config, every, self._nav, env, excluded=item.file.inclusion.is_excluded()
                )
                item.content = item.markdown = ""  # not needed here again
            for uri, written in outputs.now.items():
                written.stamp = written.stamp or stamp(f"{outputs.site}/{uri}") or []
            return {uri: written for uri, written in outputs.now.items() if written.stamp}

        load = partial(_render_nav, self._nav, outdated, config, every, env)
        outputs.workers = start_ahead([*self._searches, *outdated], work, self.config.workers, load)

    def _build_first(
        self, outputs: Outputs, config: MkDocsConfig, files: Files, env: Environment
    ) -> None:
        """Build the pages of changed files before all others, so that they can be shown."""
        is_unclear = unknown_listener(config, ("page_context",), self.config.repeatable)[0]
        if (
            self._reload is None
            or self._renderer is None
            or is_unclear
            or not outputs.previous.known
        ):
            return
        if internals.STEPS.why_not:
            return
        every = files.documentation_pages()
        reused = (
            self._renderer.reused if outputs.last.inputs_digest == outputs.inputs_digest else {}
        )
        outputs.reload = self._reload.begin()
        for page in [
            file.page for file in every if file.page is not None and file.src_uri not in reused
        ]:
            state = dict(vars(page))
            internals.build_page(
                page, config, every, self._nav, env, excluded=page.file.inclusion.is_excluded()
            )
            vars(page).update(state)  # it is built again with the others
        # What is built now is found as from workers when the pages are built with all others.
        outputs.workers = iter([(None, outputs.now)])
        outputs.now = {}
        outputs.reload.is_due = True
        for found in self._searches:
            found.index.clear()

    def _may_fork(self, pages: list[Page], config: MkDocsConfig, events: tuple[str, ...]) -> bool:
        """Return True if there is enough work for processes.

        The plugins' `events` must be such that they may run there.
        """
        if (self.config.workers or cores()) < 2 or len(pages) < FEWEST or internals.STEPS.why_not:
            return False
        if self._explain is not None:  # MkDocs logs each of its steps, in order
            return False
        name, event = unknown_listener(config, events, self.config.repeatable)
        if name:
            twice = (
                f"the plugin {name!r} may not support running on_{event} twice (see `repeatable`)"
            )
        else:
            twice = ""
        reason = why_no_fork() or twice
        if reason:
            self._log_once(f"pages are rendered in one process: {reason}")
        return not reason

    def _why_no_nav(self, config: MkDocsConfig) -> str:
        if internals.TEMPLATES.why_not:
            return internals.TEMPLATES.why_not
        name, event = unknown_listener(config, ("page_context",), self.config.repeatable)
        return (
            f"the plugin {name!r} might change it in on_{event} (see `repeatable`)" if name else ""
        )

    def _source(self, page: Page) -> tuple[list[int] | None, str]:
        """Return the stamp and the digest of a page's file.

        While serving, it is read only if its stamp has changed.
        """
        path = page.file.abs_src_path
        now, last = stamp(path) if path else None, self._sources.get(page.file.src_uri)
        if now is not None and last is not None and last[0] == now:
            return last
        try:
            return now, digests.digest(page.file.content_bytes)
        except OSError:  # MkDocs will report it
            return now, ""

    def _is_expected(self, page: Page) -> bool:
        """Return True if the rendered page is probably in the cache."""
        stored = self._stored.get(uri := page.file.src_uri)
        return (
            stored is not None
            and stored.source == self._sources[uri][1]
            and self._cache.has(stored.key)
        )

    def _store_pages(self, config: MkDocsConfig) -> None:
        """Store the pages for the next build in another process.

        The size of the cache is limited there, too.
        """
        last, now, renderer = self._stored, dict[str, StoredPage](), self._renderer
        for uri, key in renderer.keys.items() if renderer is not None else ():
            is_reused = renderer is not None and uri in renderer.reused
            stored = (self._ahead.get(uri) or last[uri]) if is_reused else None
            now[uri] = stored or StoredPage.of(self._sources[uri][1], key, self._kept.get(uri))
        if now and now != last:
            self._cache.put(self._name_of_pages(config), now, is_latest=True)
        if not now or now != last:  # only if it has grown
            self._cache.prune(self.config.cache_mib * MIB)
        self._stored = now

    def _name_of_pages(self, config: MkDocsConfig) -> str:
        inputs_digest = self._renderer.inputs_digest if self._renderer else ""
        return digests.digest(
            "pages", digests.config_path(config), inputs_digest, cache.code_version()
        )

    def _log_once(self, what: str) -> None:
        """Log `what`, unless an earlier build in the same process did."""
        if what not in self._logged:
            self._logged.add(what)
            log.info(what)


OWN_INPUTS = ("the Markdown extensions or their options", "its file", "its address")
"""The names of a page's inputs before those of plugins."""


def _explain_page(uri: str, reason: str) -> None:
    """Say what is done with a page, and why."""
    log.debug("%s: %s", uri, reason)


def _wrap(
    config: MkDocsConfig, event: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> None:
    """Replace a `CacheablePlugin`'s listeners to an event by what `wrap` returns for them."""
    for method in list(config.plugins.events[event]):
        if isinstance(plugin := getattr(method, "__self__", None), CacheablePlugin):
            listener = wrap(method)
            setattr(listener, "__self__", plugin)  # noqa: B010 - a function has none
            internals.replace_listener(config, event, method, listener)


def _waiting(
    outputs: Outputs, is_nested: Callable[[], bool], method: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a listener that changes the context of a page only if its template is rendered."""

    def listener(context: dict[str, Any], **about: Any) -> Any:
        """Have `method` wait, unless it is called by a build within this one."""
        if is_nested():
            return method(context, **about)
        outputs.waiting.append(partial(method, context, **about))
        return None

    return listener


def _unless_reused(
    is_reused: Callable[[Page], bool], method: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a listener that changes only pages that are not reused."""

    def listener(text: str, *, page: Page, config: MkDocsConfig, files: Files) -> str | None:
        """Return what `method` does."""
        return None if is_reused(page) else method(text, page=page, config=config, files=files)

    return listener


NAV = (
    '{% import "partials/nav-item.html" as item with context %}'
    '{% for entry in nav.items %}{{ item.render(entry, "__nav_" ~ loop.index, 1) }}{% endfor %}'
)
"""Material's navigation, without what surrounds it."""


def _render_nav(
    nav: Navigation,
    pages: Sequence[Page],
    config: MkDocsConfig,
    files: Sequence[File],
    env: Environment,
) -> None:
    """Render the entries of the navigation as on the pages.

    Workers have them then, and share their memory.
    """
    template = env.from_string(NAV)
    for page in {(id(page.parent), page.is_index): page for page in pages}.values():
        page.active = True
        context = {
            **internals.get_context(nav, files, config, page),
            "features": config.theme.get("features") or [],
        }
        with contextlib.suppress(Exception):  # it will occur again, and then be reported
            jinja2.Template.render(template, context)
        page.active = False
    # And the other templates, for one page without its text.
    page = pages[0]
    content = vars(page)["content"]
    page.active = True
    page.content = ""
    with contextlib.suppress(Exception):
        jinja2.Template.render(
            env.get_template("main.html"), internals.get_context(nav, files, config, page)
        )
    page.active = False
    vars(page)["content"] = content


def _reads_context(listener: Callable[..., object]) -> bool:
    """Return True if a listener to `on_post_page` adds at most values of the page's context."""
    plugin = getattr(listener, "__self__", None)
    return isinstance(plugin, SpeedPlugin | CacheablePlugin)


def _name_of_outputs(site: Path) -> str:
    return digests.digest("outputs", str(site.resolve()))
