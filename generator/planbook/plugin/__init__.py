"""The MkDocs plugin: one method per build event. All output is rendered by :mod:`planbook.views`.

Read `PlanbookPlugin.add_files` first: the flow of a build. ``inputs`` reads the base, ``site_base``
holds it, ``emit`` adds generated files, which ``generated_files`` keeps between builds if the
``digests`` of what they show are the same, and ``pages`` has what happens to each page.
``metadata`` makes front matter safe for themes, and ``docs_view`` shows MkDocs the documentation
without links that lead out of it. ``neighbours`` and ``modes`` get along with other plugins and
readers of Markdown, whose ``readings`` of a page may be compared. ``zensical`` leaves a folder for
the other engine.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterable
from importlib.resources import files as resources
from itertools import compress
from operator import not_
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mkdocs.config import base
from mkdocs.config import config_options as opt
from mkdocs.exceptions import Abort, PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger
from pymdownx.superfences import fence_code_format

from planbook import store
from planbook.library import Library
from planbook.markdown import extensions, github, plain_text, vault
from planbook.markdown.elements import NAME as NAMED_ELEMENTS
from planbook.markdown.elements import with_frame
from planbook.markdown.front_matter import below_front_matter, is_safe_source
from planbook.plugin import metadata, neighbours
from planbook.plugin.docs_view import DocsView
from planbook.plugin.emit import Emitted, Emitter
from planbook.plugin.generated_files import BuildFolder, GeneratedFiles
from planbook.plugin.inputs import InputReader
from planbook.plugin.modes import Modes
from planbook.plugin.pages import PLANNED, CompactTemplates, PageEvents, take_over_search, with_tags
from planbook.plugin.site_base import SiteBase
from planbook.problems import Severity, severity
from planbook.rules.project import read_selection
from planbook.store.files import refusal_in, writing
from planbook.store.options import option_problems
from planbook.store.scan import FolderScan, scan_folder
from planbook.store.settings import is_vault
from planbook.views import frame, index
from planbook.views.cards import page_cards
from planbook.views.search import WordIndex
from planbook_speed.cache import CACHE_DIR, DiskFunctionCache, code_version, digest_of, disk_cache
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
STYLE = "assets/planbook/planbook.css"
SCRIPTS = (
    "assets/planbook/contents.js",
    "assets/planbook/citations.js",
    "assets/planbook/diagrams.js",
)
KEYS = "assets/planbook/keys.js"
"""Leads keys that are pressed early into the search."""
PLACES = "assets/planbook/places.js"
"""Keeps a page while a reader goes to places on it, where the theme would load it again."""
SHIM = "assets/planbook/iframe-worker.js"
"""Lets search work from a folder; Material's plugin `offline` would load a similar script from
another host."""
THEME = Path(str(resources("planbook") / "theme"))
"""Our overrides of themes."""
SITEMAP, MOST_IN_SITEMAP = "sitemap-pages.xml", 600
"""The list of a large site's pages, to which `sitemap.xml` then leads, and the number of pages of a
small one."""
DIAGRAM = {"name": "mermaid", "class": "pb-diagram", "format": fence_code_format}
"""The fence of Mermaid diagrams, for Markdown: text, which a script draws."""
SEARCH = "planbook_search"
"""The key of the search worker's address in a page's template context."""
EXTENSIONS = (
    *("attr_list", "admonition", "sane_lists"),
    *("pymdownx.superfences", "md_in_html", "footnotes", "pymdownx.tasklist", "pymdownx.quotes"),
)
"""Markdown extensions that generated pages and fixed lists need, followed by those that match
GitHub's Markdown."""
HIGHLIGHTS = "pymdownx.mark"
BUNDLES = {
    "extra": {"attr_list", "footnotes", "md_in_html"},
    "pymdownx.extra": {"attr_list", "footnotes", "md_in_html", "pymdownx.superfences"},
}
"""Extensions among them that another one includes, with the user's options for it."""


_ARRANGES_NAV = frozenset({"awesome-nav", "awesome-pages", "literate-nav"})
"""Plugins that arrange the navigation of all files, unless there is a `nav`."""


class PlanbookConfig(base.Config):
    """The options under ``plugins: - planbook:`` in ``mkdocs.yml``."""

    plans_dir = opt.Type((str, list), default="plans")
    """Folders, files and patterns of plans, relative to ``mkdocs.yml``: one, or a list."""
    base = opt.DictOfItems(opt.Type(str), default={})
    """Maps folders below ``plans_dir`` to the folders of the documentation that their plans' paths
    are relative to."""
    problems = opt.Choice(("summary", "list", "warn"), default="summary")
    """The log output for Problems that are no errors: a count, a list, or warnings (which fail a
    strict build)."""
    agents = opt.Type(bool, default=True)
    """Add Markdown twins of pages and llms.txt to the site."""
    fix_pages = opt.Type(bool, default=True)
    """Fix lists and links that Python-Markdown would misread."""
    markdown = opt.Choice(github.MODES, default=github.PYTHON)
    """The reader of pages: pyromark, as on GitHub, or Python-Markdown."""
    vault = opt.Optional(opt.Type(bool))
    """Pages are notes of Obsidian: hide comments; by default, if its folder `.obsidian` is
    there."""
    publish_documents = opt.Type(bool, default=False)
    """Show the local documents that pages cite, if they are text, as pages of the site."""
    expand = opt.Type(dict, default={})
    """Options for `planbook expand`; builds ignore them."""


class PlanbookPlugin(BasePlugin[PlanbookConfig], CacheablePlugin):
    """Reads plans and pages, and generates pages and the nav.

    The pages are those of all PARTs, the INDEX pages, progress and others.
    """

    def __init__(self) -> None:
        self._cache: DiskFunctionCache | None = None
        self._folder: BuildFolder | None = None
        self._exclusions: neighbours.GitExclusions | None = None
        self._site_dir = Path("site")
        self._outputs: tuple[Path, ...] = ()
        """The folders that builds write: this one's, and the configured one."""
        self._scan = FolderScan()
        self._view: DocsView | None = None
        self._unsafe = frozenset[str]()
        """The pages whose front matter MkDocs must not read."""
        self._is_serving = False
        self._tags = ""
        self._words: dict[str, WordIndex] = {}
        """The words of all pages, while a site is served."""
        self._shared = ""
        """The digest of what the events of all pages depend on."""

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Start a new run. With this event, the plugin instance persists while serving."""
        self._cache, self._words, self._is_serving = None, {}, command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add our style sheet and script; fail if the plans folder is missing."""
        if config.strict:
            _count_warnings()
        self._root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
        self._paths = store.read_plan_paths(self.config.plans_dir)
        self._site_dir = Path(config.site_dir)
        self._outputs = self._site_dir, self._root / _configured_site(config)
        self._is_vault = is_vault(Path(config.docs_dir), self._root, self.config.vault)
        self._require_plans()
        try:
            self._selection = read_selection(store.read_check_options(self._root))
        except ValueError as error:
            raise PluginError(f"planbook: {error}") from error
        if self.config.expand:
            name = Path(config.config_file_path or "mkdocs.yml").name
            settings = store.Settings(self._root, config=name, expand=self.config.expand)
            for problem in option_problems(settings):
                log.warning("%s: %s %s", problem.uri, problem.code, problem.message)
        _add_assets(config)
        _add_extensions(config, has_named_elements=self.config.fix_pages)
        if self._is_vault:
            _add_highlights(config)
        return config

    def _require_plans(self) -> None:
        """Raise PluginError if a path of plans names nothing."""
        for path in store.missing_plans(self._root, self._paths):
            what = f"plans_dir {path!r} is not a folder next to mkdocs.yml"
            raise PluginError(f"planbook: {what}; create it, or set another one")

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
        for folder in {self._root / store.plans_folder(path) for path in self._paths}:
            if folder.is_dir():
                server.watch(str(folder))
        return server

    @event_priority(-1000)  # the last before MkDocs lists the files
    def hide_entries(self, config: MkDocsConfig) -> None:
        """Hide entries of the documentation folder that cannot be published."""
        docs = Path(config.docs_dir)
        bounds = (self._root, docs)
        self._scan = scan_folder(docs, bounds, has_hidden=True, outputs=self._outputs)
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
        self._site = _site_of(config, self._docs_dir(config))
        reader = InputReader(
            files=files,
            config=config,
            options=self.config,
            root=self._root,
            paths=self._paths,
            outputs=self._outputs,
            selection=self._selection,
            scan=self._scan,
            site=self._site,
            docs_dir=self._docs_dir(config),
            is_vault=self._is_vault,
            cache=cache,
        )
        pages, base = reader.read()
        safe = cache.from_last_build(is_safe_source, {uri: (raw,) for uri, raw in pages.items()})
        self._unsafe = frozenset(compress(pages, map(not_, safe)))
        self._clean_up()  # left by an interrupted build
        with writing(Path("a temporary folder")):
            self._folder = BuildFolder(cache.disk, _folder_name(config))
        generated = GeneratedFiles(files, config, self._folder, cache.disk)
        emitter = Emitter(files, config, generated, base, pages, self._root, cache)
        emitted = emitter.emit(self._site, has_list=self.config.agents)
        base, files = emitted.base, emitted.files
        self._add_nav(base, config)
        self.pages = self._page_events(emitted, config, cache)
        self._report(base.library, config)
        self._exclusions = neighbours.GitExclusions(config.plugins, sorted(base.generated))
        _choose_sitemap(files, config)
        placeholders = (files.get_file_from_path(uri) for uri in base.views)
        planned = {file.url for file in placeholders if file is not None}
        words = self._words if self._is_serving else {}
        urls = {file.src_uri: file.url for file in files}
        cards = page_cards(base.library.pages, base.checks, lambda uri: urls.get(uri, uri))
        self._worker = take_over_search(config, cache.disk, planned, words, cards)
        return files

    def _begin_build(self) -> DiskFunctionCache:
        """Return the cache of this run, for another build."""
        if self._cache is None:
            disk = disk_cache(self._root / CACHE_DIR)
            self._cache = DiskFunctionCache(disk, keeps_values=self._is_serving)
        self._cache.begin_build()
        return self._cache

    def _add_nav(self, base: SiteBase, config: MkDocsConfig) -> None:
        """Put the pages of the base into the nav, unless another plugin arranges it."""
        is_arranged = config.nav is None and bool(_ARRANGES_NAV & set(config.plugins))
        if not is_arranged:
            home = next((name for name in ("index.md", "README.md") if name in base.known), "")
            config.nav = index.with_tree(config.nav, base.folders, home, base.known)

    def _page_events(
        self, emitted: Emitted, config: MkDocsConfig, cache: DiskFunctionCache
    ) -> PageEvents:
        """Return the changes to pages, and keep the digest of what they all depend on."""
        options = extensions.named_options(config.markdown_extensions, config.mdx_configs)
        syntax = extensions.read_syntax(options)
        fixes = self.config.fix_pages
        base, addresses = emitted.base, emitted.addresses
        mode, known = self.modes.default, sorted(base.known)
        shared = (fixes, self._is_vault, mode, syntax, known, addresses, self._site)
        self._shared = digest_of(code_version("planbook"), *shared)
        skipped = neighbours.skipped_by_blogging(config.plugins)
        return PageEvents(base, fixes, syntax, emitted.for_agents, cache, addresses, skipped)

    on_files = CombinedEvent(find_files, add_files)

    @event_priority(-50)  # after plugins that arrange it
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Make names of files and folders safe where themes insert them."""
        if config.nav is None:  # sections are named after folders
            metadata.escape_sections(nav)
        metadata.quote_edit_addresses(files, config)
        return nav

    def on_env(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Escape titles that pages have from the names of their files.

        Remove the indentation of templates.
        """
        metadata.escape_names(files)
        env.add_extension(CompactTemplates)
        return env

    def on_page_read_source(self, page: MkDocsPage, config: MkDocsConfig) -> str | None:
        """Return the source of a page without the front matter that MkDocs must not read."""
        if page.file.src_uri not in self._unsafe:
            return None
        # A blank line, because lines such as `Title: Tea` at the top would be metadata.
        return f"\n{below_front_matter(page.file.content_string)}"

    def page_inputs(self, page: MkDocsPage, files: Files) -> tuple[object, ...]:
        """Return all that our events for a page depend on.

        Planbook-speed reuses the page if they are equal.
        """
        return self._shared or object(), *self.pages.inputs(page)

    def head(self, page: MkDocsPage) -> str:
        """Return the link to a page's Markdown and its metadata tags, as far as it has them."""
        return frame.twin_link(self.pages.twin(page)) + self.pages.head_tags(page, self._site)

    @event_priority(50)  # before plugins that read a page's metadata or text
    def on_page_markdown(
        self, markdown: str, page: MkDocsPage, config: MkDocsConfig, files: Files
    ) -> str:
        """Complete the metadata of a PART's page, fix its Markdown, and show its citations."""
        self.pages.fill_metadata(page)
        mode = self.modes.of(page)
        self.modes.use(mode, config)
        if self._is_vault:
            markdown = vault.publish_note(markdown)
        return self.pages.publish(markdown, page, is_github=mode != github.PYTHON)

    def on_page_content(
        self, html: str, page: MkDocsPage, config: MkDocsConfig, files: Files
    ) -> str:
        """Add a PART's state above its page's text, and incoming links below."""
        self.modes.use(self.modes.default, config)
        return with_frame(html, **self.pages.frame_html(page))

    def on_page_context(
        self, context: TemplateContext, page: MkDocsPage, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Add the metadata tags of a page, and the link to its Markdown."""
        context[HEAD_TAGS] = self._tags = self.head(page)  # type: ignore[literal-required]
        context[SEARCH] = self._worker  # type: ignore[literal-required]
        return context

    def on_post_page(self, output: str, page: MkDocsPage, config: MkDocsConfig) -> str:
        """Add the tags of the page's context to its head, and our search."""
        return with_tags(output, self._tags, self._worker)

    def on_post_template(
        self, output_content: str, template_name: str, config: MkDocsConfig
    ) -> str:
        """Add our search to pages such as ``404.html``."""
        if template_name.endswith(".html"):
            return with_tags(output_content, "", self._worker)
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

    def _report(self, library: Library, config: MkDocsConfig) -> None:
        """Log errors as warnings, which stop a strict build, and other Problems as configured.

        The option ``problems`` says how.
        """
        warned = {Severity.ERROR}
        if self.config.problems == "warn":
            warned.add(Severity.WARNING)
        codes = {problem.code for problem in library.problems}
        severe = {code for code in codes if severity(code) in warned}
        docs_dir = self._docs_dir(config)
        for problem in library.problems:
            is_severe = problem.code in severe
            if self.config.problems == "summary" and not is_severe:
                continue
            level = logging.WARNING if is_severe else logging.INFO
            is_of_page = problem.code.startswith("K") and problem.uri in library.page_by_uri
            uri = f"{docs_dir}/{problem.uri}" if is_of_page else problem.uri
            log.log(level, "%s:%d: %s %s", uri, problem.line, problem.code, problem.message)
        tail = ""
        if library.problems:
            number = plain_text.count(len(library.problems), "problem").capitalize()
            tail = f" {number} (run `planbook check`)."
        log.info("%s%s", index.summary(library), tail)

    def _docs_dir(self, config: MkDocsConfig) -> str:
        """Return the folder of the pages, relative to the project's folder."""
        return Path(os.path.relpath(config.docs_dir, self._root)).as_posix()

    def _clean_up(self) -> None:
        if self._view is not None:
            self._view.close()
        if self._folder is not None:
            self._folder.release()
            self._folder = None
        if self._exclusions is not None:
            self._exclusions.undo()
            self._exclusions = None


def _site_of(config: MkDocsConfig, docs_dir: str) -> frame.Site:
    """Return what pages say of their site."""
    return frame.Site(
        name=config.site_name,
        url=config.site_url or "",
        author=config.site_author or "",
        language=config.theme.get("language") or "",
        description=config.site_description or "",
        docs_dir=docs_dir,
    )


def _configured_site(config: MkDocsConfig) -> str:
    """Return the site's folder as the configuration file names it. Raises PluginError."""
    try:
        return store.read_site_dir(Path(config.config_file_path or "mkdocs.yml"))
    except store.RefusedError as error:
        raise PluginError(f"planbook: {error}") from error


def _folder_name(config: MkDocsConfig) -> str:
    """Return the name of the folder of generated files: each configuration has its own."""
    config_file = Path(config.config_file_path or "mkdocs.yml").name
    return hashlib.sha256(os.fsencode(config_file)).hexdigest()[:16]


def _count_warnings() -> None:
    """Let warnings reach a strict build, which counts them: with ``-q`` they would be left out."""
    for name in ("mkdocs", "properdocs"):
        logger = logging.getLogger(name)
        logger.setLevel(min(logger.level, logging.WARNING))


def _add_assets(config: MkDocsConfig) -> None:
    """Add our style sheet, scripts and templates to the theme's."""
    if STYLE not in config.extra_css:
        config.extra_css.insert(0, STYLE)
        config.extra_javascript += SCRIPTS
    features = config.theme.get("features") or ()
    if KEYS not in config.extra.get("polyfills", ()):
        config.extra["polyfills"] = [*config.extra.get("polyfills", ()), KEYS]
    if "navigation.instant" in features and PLACES not in config.extra.get("polyfills", ()):
        config.extra["polyfills"] = [*config.extra.get("polyfills", ()), PLACES]
    offline = config.plugins.get("material/offline")
    if offline and offline.config["enabled"]:
        polyfills = config.extra.get("polyfills", ())
        others = [url for url in polyfills if "iframe-worker" not in url]
        config.extra["polyfills"] = [SHIM, *others]
    config.extra.setdefault("status", {}).setdefault(PLANNED, "Not written yet")
    theme = str(THEME)
    if theme not in config.theme.dirs:
        place = 1 if config.theme.custom_dir else 0  # after the author's
        config.theme.dirs.insert(place, theme)


def _add_extensions(config: MkDocsConfig, *, has_named_elements: bool) -> None:
    """Add the Markdown extensions that pages need, and the options of those that are there."""
    config.markdown_extensions += missing_extensions(config.markdown_extensions)
    if has_named_elements and NAMED_ELEMENTS not in config.markdown_extensions:
        config.markdown_extensions.append(NAMED_ELEMENTS)
    config.mdx_configs.setdefault("pymdownx.quotes", {}).setdefault("callouts", True)
    superfences = config.mdx_configs.setdefault("pymdownx.superfences", {})
    fences = superfences.setdefault("custom_fences", [])
    if not any(fence["name"] == DIAGRAM["name"] for fence in fences):
        fences.append(DIAGRAM)


def _add_highlights(config: MkDocsConfig) -> None:
    """Add the extension that reads `==text==`, as notes have it."""
    if HIGHLIGHTS not in extensions.named_options(config.markdown_extensions, {}):
        config.markdown_extensions.append(HIGHLIGHTS)


def _choose_sitemap(files: Files, config: MkDocsConfig) -> None:
    """Use our template of the sitemap for sites with more pages than one sitemap may list."""
    is_large = bool(config.site_url) and len(files.documentation_pages()) > MOST_IN_SITEMAP
    if is_large:
        config.theme.static_templates.add(SITEMAP)
    else:
        config.theme.static_templates.discard(SITEMAP)
    template = files.get_file_from_path(SITEMAP)
    if template and template.abs_src_path == str(THEME / SITEMAP):
        files.remove(template)  # MkDocs takes it for a file to copy


def missing_extensions(configured: Iterable[object]) -> list[str]:
    """Return those of `EXTENSIONS` that are not `configured`.

    They may be configured under any name, or as part of a bundle. An instance of an extension,
    which a plugin or a hook has appended, counts by its module.
    """
    written = extensions.named_options(configured, {})
    names = {name.removeprefix("markdown.extensions.").partition(":")[0] for name in written}
    for bundle, included in BUNDLES.items():
        if bundle in names:
            names |= included
    return [extension for extension in EXTENSIONS if extension not in names]
