"""The MkDocs plugin: one method per build event. All output is rendered by :mod:`planbook.views`.

Read `PlanbookPlugin.add_files` first: the flow of a build::

    planbook_config  the options
    setup            the project, before its files are read
    build_context    what every step of a build is given
    configuration    assets, Markdown extensions and the sitemap, which MkDocs' configuration gets
    docs_view        the documentation as MkDocs sees it, without links that lead out of it
    tree_reader      reads plans, drops and pages
    base_reader      makes the base of them
    list_views       which pages the base gets: indexes, placeholders, reports
    site_base        holds all of this
    file_table       the table of all generated files: which, from which values, and when
    site_addresses   of the site's files, as pages link to each other
    view_digests     of the values in the table: if they are the same, nothing is rendered again
    generated_files  renders the others, and keeps them between builds
    emit             adds them to the site
    build_log        the Problems of the base in the log
    site_build       what the events of pages need, once all files are known

Then what happens to each page::

    page_events      its text, its HTML and its metadata
    metadata         makes front matter safe for themes
    theme_templates  titles are text in themes' templates, which lose their indentation
    page_output      tags in its head
    asset_files      our scripts and style sheets, made small
    reader_search    the search for readers, in place of Material's index

Other programs::

    neighbours       gets along with other plugins
    modes            readers of Markdown
    readings         compares what two readers make of a page
    zensical         leaves a folder for the other engine
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mkdocs.exceptions import Abort
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger

from planbook import store
from planbook.library import INDEX
from planbook.markdown import extensions, github, vault
from planbook.markdown.elements import add_frame
from planbook.markdown.front_matter import is_safe_source, text_below_front_matter
from planbook.plugin import metadata, neighbours
from planbook.plugin.asset_files import (
    compact_assets,
    drop_unused_colours,
    drop_unused_rules,
)
from planbook.plugin.base_reader import SiteBaseReader
from planbook.plugin.build_context import BuildContext
from planbook.plugin.build_log import let_warnings_count, log_problems
from planbook.plugin.configuration import (
    SCRIPTS,
    add_assets,
    add_extensions,
    add_highlights,
    choose_sitemap,
)
from planbook.plugin.docs_view import DocsView
from planbook.plugin.emit import Emitted, Emitter
from planbook.plugin.file_table import generation_context
from planbook.plugin.generated_files import BuildFolder, GeneratedFiles
from planbook.plugin.modes import Modes
from planbook.plugin.page_events import PageEvents
from planbook.plugin.page_output import add_tags, has_head
from planbook.plugin.planbook_config import PlanbookConfig
from planbook.plugin.reader_search import take_over_search
from planbook.plugin.setup import ProjectSetup, read_setup
from planbook.plugin.site_base import SiteBase
from planbook.plugin.site_build import SharedInputs, SiteBuild
from planbook.plugin.theme_templates import CompactTemplates, EscapeStripped
from planbook.store.files import refusal_in, writing
from planbook.store.options import option_problems
from planbook.store.scan import FolderScan, scan_folder
from planbook.views import frame
from planbook.views.cards import page_cards
from planbook.views.folders import FOLDER_INDEXES
from planbook.views.navigation import insert_tree, pages_beside_subject
from planbook.views.search import WordIndex
from planbook_cache.disk import CACHE_DIR, disk_cache
from planbook_cache.entries import Incomparable
from planbook_cache.functions import DiskFunctionCache
from planbook_cache.versions import code_version
from planbook_speed.protocols import CacheablePlugin

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page as MkDocsPage
    from mkdocs.utils.templates import TemplateContext

log = get_plugin_logger("planbook")

HEAD_TAGS = "planbook_tags"
"""The key of a page's head tags in its template context."""
SEARCH = "planbook_search"
"""The key of the search worker's address in a page's template context."""
_ARRANGES_NAV = frozenset({"awesome-nav", "awesome-pages", "literate-nav"})
"""Plugins that arrange the navigation of all files, unless there is a `nav`."""


# It is a `NamedInputs`, too, by its methods. With that as a base, each `CacheablePlugin` would be
# one, for `BasePlugin` hides that a class with protocols behind it is none.
class PlanbookPlugin(BasePlugin[PlanbookConfig], CacheablePlugin):
    """Reads plans and pages, and generates pages and the nav.

    The pages are those of all PARTs, the INDEX pages, progress and others.
    """

    setup: ProjectSetup
    """The project, from `on_config` on."""
    modes: Modes
    """The readers of Markdown, from `choose_reader` on."""
    build: SiteBuild
    """This build, from `add_files` on."""

    def __init__(self) -> None:
        self._cache: DiskFunctionCache | None = None
        self._folder: BuildFolder | None = None
        self._exclusions: neighbours.GitExclusions | None = None
        self._site_dir = Path("site")
        self._scan = FolderScan()
        self._view: DocsView | None = None
        self._unsafe = frozenset[str]()
        """The pages whose front matter MkDocs must not read; other plugins may read some early."""
        self._is_serving = False
        self._words: dict[str, WordIndex] = {}
        """The words of all pages, while a site is served."""

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Start a new run. With this event, the plugin instance persists while serving."""
        self._cache, self._words, self._is_serving = None, {}, command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add our style sheet and script; fail if the plans folder is missing."""
        if config.strict:
            let_warnings_count()
        self._site_dir = Path(config.site_dir)
        self.setup = setup = read_setup(config, self.config)
        if self.config.expand:
            name = Path(config.config_file_path or "mkdocs.yml").name
            settings = store.Settings(setup.root, config=name, expand=self.config.expand)
            for problem in option_problems(settings):
                log.warning("%s: %s %s", problem.uri, problem.code, problem.message)
        add_assets(config)
        add_extensions(config, has_named_elements=self.config.fix_pages)
        if setup.is_vault:
            add_highlights(config)
        return config

    def choose_reader(self, config: MkDocsConfig) -> None:
        """Choose the reader of Markdown, after all plugins have added their extensions."""
        self.modes = Modes.of_site(config, self.config.markdown)
        self.modes.use(self.modes.default, config)

    def on_serve(
        self, server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., object]
    ) -> LiveReloadServer:
        """Watch the plans, and no folder without an end."""
        docs = Path(config.docs_dir)
        if any(entry.is_folder for entry in self._scan.skipped):  # the server follows links
            server.unwatch(str(docs))
            for path in self._scan.folders:
                server.watch(str(docs / path), recursive=False)
        root, paths = self.setup.root, self.setup.paths
        for folder in {root / store.plans_folder(path) for path in paths}:
            if folder.is_dir():
                server.watch(str(folder))
        return server

    @event_priority(-1000)  # the last before MkDocs lists the files
    def hide_entries(self, config: MkDocsConfig) -> None:
        """Hide entries of the documentation folder that cannot be published."""
        docs = Path(config.docs_dir)
        bounds = (self.setup.root, docs)
        self._scan = scan_folder(docs, bounds, has_hidden=True, outputs=self.setup.outputs)
        self._view = DocsView(config, (entry.path for entry in self._scan.skipped))

    on_pre_build = CombinedEvent(choose_reader, hide_entries)

    @event_priority(1000)  # before plugins that read the files
    def find_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Give the files that MkDocs has found their own places."""
        if self._view is not None:
            self._view.close(files)
        return files

    @event_priority(-50)  # after plugins that add pages, which belong to the base too
    def add_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Read, parse, link, render, emit: all generated pages, and the nav."""
        cache = self._begin_build()
        context = BuildContext(config, self.config, self.setup, files, self._scan, cache)
        contents, base = SiteBaseReader(context).read()
        self._unsafe = _unsafe_pages(contents, cache)
        generated = GeneratedFiles(files, config, self._begin_folder(context), cache.disk)
        emitted = Emitter(generation_context(context, base, contents), generated, context).emit()
        self._add_nav(emitted.base, config)
        log_problems(emitted.base.library, context.docs_dir, self.config.problems)
        generated_uris = sorted(emitted.base.generated)
        self._exclusions = neighbours.GitExclusions(config.plugins, generated_uris)
        choose_sitemap(emitted.files, config)
        shared = self._shared_inputs(emitted, context)
        self.build = SiteBuild(
            pages=self._page_events(emitted, context),
            shared=shared,
            shared_digest=shared.digest(),
            worker=self._take_over_search(emitted, context),
        )
        return emitted.files

    def _begin_folder(self, context: BuildContext) -> BuildFolder:
        """Return the folder of this build's generated files, until `_clean_up`."""
        self._clean_up()  # left by an interrupted build
        with writing(Path("a temporary folder")):
            self._folder = BuildFolder(context.cache.disk, context.folder_name)
        return self._folder

    def _take_over_search(self, emitted: Emitted, context: BuildContext) -> str:
        """Replace the index of the search plugin; return our worker's address."""
        base, files = emitted.base, emitted.files
        placeholders = (files.get_file_from_path(uri) for uri in base.view_by_uri)
        planned = {file.url for file in placeholders if file is not None}
        words = self._words if self._is_serving else {}
        urls = {file.src_uri: file.url for file in files}
        cards = page_cards(base.library.pages, base.checks, lambda uri: urls.get(uri, uri))
        apart = pages_beside_subject(context.config.nav, {*base.library.by_uri, INDEX})
        beside = frozenset(urls[uri] for uri in apart if uri in urls)
        disk = context.cache.disk
        return take_over_search(context.config, disk, planned, words, cards, beside)

    def _begin_build(self) -> DiskFunctionCache:
        """Return the cache of this run, for another build."""
        if self._cache is None:
            disk = disk_cache(self.setup.root / CACHE_DIR)
            self._cache = DiskFunctionCache(disk, keeps_values=self._is_serving)
        self._cache.begin_build()
        return self._cache

    def _add_nav(self, base: SiteBase, config: MkDocsConfig) -> None:
        """Put the pages of the base into the nav, unless another plugin arranges it."""
        is_arranged = config.nav is None and bool(_ARRANGES_NAV & set(config.plugins))
        if not is_arranged:
            home = next((name for name in FOLDER_INDEXES if name in base.known), "")
            config.nav = insert_tree(config.nav, base.folders, home, base.known)

    def _page_events(self, emitted: Emitted, context: BuildContext) -> PageEvents:
        """Return the changes to pages."""
        return PageEvents(
            base=emitted.base,
            fixes_markdown=self.config.fix_pages,
            syntax=_syntax_of(context.config),
            for_agents=emitted.for_agents,
            cache=context.cache,
            addresses=emitted.addresses,
            meta_of_generated=neighbours.skipped_by_blogging(context.config.plugins),
        )

    def _shared_inputs(self, emitted: Emitted, context: BuildContext) -> SharedInputs:
        """Return what the events of all pages depend on."""
        known, urls = emitted.base.known, emitted.addresses.urls
        return SharedInputs(
            version=code_version("planbook"),
            fixes_pages=self.config.fix_pages,
            is_vault=self.setup.is_vault,
            default_mode=self.modes.default,
            syntax=_syntax_of(context.config),
            site=context.site,
            files={uri: (urls.get(uri), uri in known) for uri in sorted({*urls, *known})},
        )

    on_files = CombinedEvent(find_files, add_files)

    @event_priority(-50)  # after plugins that arrange it
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Make names of files and folders safe where themes insert them."""
        if config.nav is None:  # sections are named after folders
            metadata.escape_sections(nav)
        metadata.quote_edit_addresses(files, config)
        return nav

    def on_env(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Escape titles: those of the names of files, and those that templates strip of tags.

        Templates, scripts and style sheets lose their indentation.
        """
        metadata.escape_names(files)
        compact_assets(files)  # not before: static-i18n asks for the path of each file
        if {str(script) for script in config.extra_javascript} <= set(SCRIPTS):
            # A script of the author's may choose another colour.
            drop_unused_colours(files, config.theme)
            drop_unused_rules(files, config)
        env.add_extension(EscapeStripped)
        env.add_extension(CompactTemplates)
        return env

    def on_page_read_source(self, page: MkDocsPage, config: MkDocsConfig) -> str | None:
        """Return the source of a page without the front matter that MkDocs must not read."""
        if page.file.src_uri not in self._unsafe:
            return None
        # A blank line, because lines such as `Title: Tea` at the top would be metadata.
        return f"\n{text_below_front_matter(page.file.content_string)}"

    def page_inputs(self, page: MkDocsPage, files: Files) -> tuple[object, ...]:
        """Return all that our events for a page depend on.

        Planbook-speed reuses the page if they are equal.
        """
        shared_digest, page_inputs = self.build.shared_digest, self.build.pages.inputs(page)
        return shared_digest or Incomparable(), page_inputs or Incomparable()

    def named_inputs(self, page: MkDocsPage) -> Mapping[str, object]:
        """Return what our events for a page depend on, by the names of files."""
        return self.build.pages.named_inputs(page)

    def shared_inputs(self) -> Mapping[str, object]:
        """Return what our events for all pages depend on, by the names of files."""
        return self.build.shared.named()

    def head(self, page: MkDocsPage) -> str:
        """Return the link to a page's Markdown and its metadata tags, as far as it has them."""
        pages = self.build.pages
        return frame.twin_link(pages.twin(page)) + pages.head_tags(page, self.build.site)

    @event_priority(50)  # before plugins that read a page's metadata or text
    def on_page_markdown(
        self, markdown: str, page: MkDocsPage, config: MkDocsConfig, files: Files
    ) -> str:
        """Complete the metadata of a PART's page, fix its Markdown, and show its citations."""
        self.build.pages.fill_metadata(page)
        mode = self.modes.of(page)
        self.modes.use(mode, config)
        if self.setup.is_vault:
            markdown = vault.publish_note(markdown)
        return self.build.pages.publish(markdown, page, is_github=mode != github.PYTHON)

    def on_page_content(
        self, html: str, page: MkDocsPage, config: MkDocsConfig, files: Files
    ) -> str:
        """Add a PART's state above its page's text, and incoming links below."""
        self.modes.use(self.modes.default, config)
        return add_frame(html, self.build.pages.frame_html(page))

    def on_page_context(
        self, context: TemplateContext, page: MkDocsPage, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Add the metadata tags of a page, and the link to its Markdown."""
        context[HEAD_TAGS] = self.head(page)  # type: ignore[literal-required]
        context[SEARCH] = self.build.worker  # type: ignore[literal-required]
        return context

    def on_post_page(self, output: str, page: MkDocsPage, config: MkDocsConfig) -> str:
        """Add the tags of the page's context to its head, and our search."""
        # The output of a page that planbook-speed reuses is empty.
        tags = self.head(page) if has_head(output) else ""
        return add_tags(output, tags, self.build.worker)

    def on_post_template(
        self, output_content: str, template_name: str, config: MkDocsConfig
    ) -> str:
        """Add our search to pages such as ``404.html``."""
        if template_name.endswith(".html"):
            return add_tags(output_content, "", self.build.worker)
        return output_content

    @event_priority(-100)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Release the generated files, and log whether the cache was damaged."""
        self._clean_up()
        if self._cache is not None:
            self._cache.disk.log_damage(log, is_strict=bool(config.strict))

    @event_priority(-100)
    def on_build_error(self, error: Exception) -> None:
        """Release the generated files of a failed build, and name a file that was not written."""
        self._clean_up()
        refused = refusal_in(error, self._site_dir)
        if refused:
            raise Abort(f"planbook: {refused}") from error

    def _clean_up(self) -> None:
        if self._view is not None:
            self._view.close()
        if self._folder is not None:
            self._folder.release()
            self._folder = None
        if self._exclusions is not None:
            self._exclusions.undo()
            self._exclusions = None


def _syntax_of(config: MkDocsConfig) -> extensions.Syntax:
    """Return what the configured extensions of Python-Markdown read."""
    options = extensions.named_options(config.markdown_extensions, config.mdx_configs)
    return extensions.read_syntax(options)


def _unsafe_pages(pages: Mapping[str, bytes], cache: DiskFunctionCache) -> frozenset[str]:
    """Return the pages whose front matter MkDocs must not read."""
    are_safe = cache.from_last_build(is_safe_source, {uri: (raw,) for uri, raw in pages.items()})
    return frozenset(uri for uri, is_safe in zip(pages, are_safe, strict=True) if not is_safe)
