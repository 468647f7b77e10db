"""The MkDocs plugin: one method per build event. All output is rendered by :mod:`planbook.views`.

Read `PlanbookPlugin.add_files` first: the flow of a build. ``build`` holds what it read, ``emit`` adds generated files,
which ``generated_files`` keeps between builds, and ``pages`` has what happens to each page.
"""

from __future__ import annotations

import glob
import hashlib
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.config import base
from mkdocs.config import config_options as opt
from mkdocs.exceptions import Abort, PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger
from pymdownx.superfences import fence_code_format

from planbook import store
from planbook.citations.report import decode_report, unread_files
from planbook.library import Library, link_tree
from planbook.markdown import extensions, github, plain_text, vault
from planbook.markdown.elements import NAME as NAMED_ELEMENTS
from planbook.markdown.elements import with_frame
from planbook.model import Tree
from planbook.plugin import metadata, neighbours
from planbook.plugin.build import Build
from planbook.plugin.docs_view import DocsView
from planbook.plugin.emit import Emitter
from planbook.plugin.generated_files import BuildFolder, GeneratedFiles
from planbook.plugin.modes import Modes
from planbook.plugin.pages import PLANNED, CompactTemplates, PageEvents, take_over_search, with_tags
from planbook.problems import Severity, severity
from planbook.rules.project import Project, SourceFiles, ThemeFiles, read_selection
from planbook.rules.registry import checks_of_files, with_problems
from planbook.store.documents import CitedFiles
from planbook.store.files import REPORT, read_report, refusal_in, writing
from planbook.store.options import documents_folder, option_problems
from planbook.store.scan import FolderScan, scan_folder
from planbook.store.settings import excluded_by, is_vault, unread_docs
from planbook.views import frame, index, progress
from planbook.views.checks import doubts_of, read_checks, valid
from planbook.views.generated import generated_pages
from planbook.views.search import WordIndex
from planbook_speed.cache import CACHE_DIR, CachedCalls, code_version, digest_of, disk_cache
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
SCRIPTS = ("assets/planbook/contents.js", "assets/planbook/citations.js", "assets/planbook/diagrams.js")
PLACES = "assets/planbook/places.js"
"""Keeps a page while a reader goes to places on it, where the theme would load it again."""
SHIM = "assets/planbook/iframe-worker.js"
"""Lets search work from a folder; Material's plugin `offline` would load a similar script from another host."""
THEME = Path(str(resources("planbook") / "theme"))
"""Our overrides of themes."""
SITEMAP, MOST_IN_SITEMAP = "sitemap-pages.xml", 600
"""The list of a large site's pages, to which `sitemap.xml` then leads, and the number of pages of a small one."""
DIAGRAM = {"name": "mermaid", "class": "pb-diagram", "format": fence_code_format}
"""The fence of Mermaid diagrams, for Markdown: text, which a script draws."""
TAGS_LIST = b"<!-- material/tags"
"""The place on a page for the list of Material's plugin `tags`."""
SEARCH = "planbook_search"
"""The key of the search worker's address in a page's template context."""
EXTENSIONS = (
    *("attr_list", "admonition", "sane_lists"),
    *("pymdownx.superfences", "md_in_html", "footnotes", "pymdownx.tasklist", "pymdownx.quotes"),
)
"""Markdown extensions that generated pages and fixed lists need, followed by those that match GitHub's Markdown."""
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
    """Maps folders below ``plans_dir`` to the folders of the documentation that their plans' paths are relative to."""
    problems = opt.Choice(("summary", "list", "warn"), default="summary")
    """The log output for Problems that are no errors: a count, a list, or warnings (which fail a strict build)."""
    agents = opt.Type(bool, default=True)
    """Add Markdown twins of pages and llms.txt to the site."""
    fix_pages = opt.Type(bool, default=True)
    """Fix lists and links that Python-Markdown would misread."""
    markdown = opt.Choice(github.MODES, default=github.PYTHON)
    """The reader of pages: pyromark, as on GitHub, or Python-Markdown."""
    vault = opt.Optional(opt.Type(bool))
    """Pages are notes of Obsidian: hide comments; by default, if its folder `.obsidian` is there."""
    expand = opt.Type(dict, default={})
    """Options for `planbook expand`; builds ignore them."""


class PlanbookPlugin(BasePlugin[PlanbookConfig], CacheablePlugin):
    """Reads plans and pages, and generates a page for every PART, the INDEX pages, progress, and the nav."""

    def __init__(self) -> None:
        self._calls: CachedCalls | None = None
        self._folder: BuildFolder | None = None
        self._exclusions: neighbours.GitExclusions | None = None
        self._site_dir = Path("site")
        self._scan = FolderScan()
        self._view: DocsView | None = None
        self._is_serving = False
        self._tags = ""
        self._words: dict[str, WordIndex] = {}
        """The words of all pages, while a site is served."""
        self._shared = ""
        """The digest of what the events of all pages depend on."""

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Start a new run. With this event, the plugin instance persists while serving."""
        self._calls, self._words, self._is_serving = None, {}, command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add our style sheet and script; fail if the plans folder is missing."""
        if config.strict:
            _count_warnings()
        self._root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
        self._paths = store.read_plan_paths(self.config.plans_dir)
        self._site_dir = Path(config.site_dir)
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
        """Raise PluginError if a path of plans names nothing; a base without plans need not set it."""
        for path in self._paths:
            place = self._root / path
            may_be_empty = path.endswith(".md") or glob.has_magic(path)
            is_unused = path == PlanbookConfig.plans_dir.default and not place.exists()
            if not (place.is_dir() or may_be_empty or is_unused):
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
        self._scan = scan_folder(docs, (self._root, docs), has_hidden=True)
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
        if self._calls is None:
            self._calls = CachedCalls(disk_cache(self._root / CACHE_DIR), keeps_values=self._is_serving)
        (calls := self._calls).begin_build()
        language, about = config.theme.get("language") or "", config.site_description or ""
        author, docs_dir = config.site_author or "", self._docs_dir(config)
        self._site = frame.Site(config.site_name, config.site_url or "", author, language, about, docs_dir)
        pages, build = self._read(files, config, calls)
        self._clean_up()  # left by an interrupted build
        with writing(Path("a temporary folder")):
            name = hashlib.sha256(os.fsencode(Path(config.config_file_path or "mkdocs.yml").name)).hexdigest()[:16]
            self._folder = BuildFolder(calls.disk, name)
        generated = GeneratedFiles(files, config, self._folder, calls.disk)
        emitter = Emitter(files, config, generated, build, pages, self._root, calls)
        build = replace(build, source_pages=emitter.pages())
        for_agents = emitter.for_agents(self._site) if self.config.agents else frozenset()
        home = next((name for name in ("index.md", "README.md") if name in build.known), "")
        if config.nav is not None or not _ARRANGES_NAV & set(config.plugins):
            config.nav = index.with_tree(config.nav, build.folders, home, build.known)
        options = extensions.named_options(config.markdown_extensions, config.mdx_configs)
        syntax = extensions.read_syntax(options)
        skipped = neighbours.skipped_by_blogging(config.plugins)
        self.pages = PageEvents(build, self.config.fix_pages, syntax, for_agents, calls, emitter.addresses, skipped)
        options_of_pages = self.config.fix_pages, self._is_vault, self.modes.default, syntax
        site = sorted(build.known), emitter.addresses, self._site
        self._shared = digest_of(code_version("planbook"), *options_of_pages, *site)
        self._report(build.library, config)
        files = emitter.finish(build)
        self._exclusions = neighbours.GitExclusions(config.plugins, sorted(build.generated))
        _choose_sitemap(files, config)
        planned = {file.url for uri in build.made if (file := files.src_uris.get(uri)) is not None}
        self._worker = take_over_search(config, calls.disk, planned, self._words if self._is_serving else {})
        return files

    on_files = CombinedEvent(find_files, add_files)

    @event_priority(-50)  # after plugins that arrange it
    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Make names of files and folders safe where themes insert them: in titles and addresses."""
        if config.nav is None:  # sections are named after folders
            metadata.escape_sections(nav)
        metadata.quote_edit_addresses(files, config)
        return nav

    def on_env(self, env: Environment, config: MkDocsConfig, files: Files) -> Environment:
        """Escape titles that pages have from the names of their files; remove the indentation of templates."""
        metadata.escape_names(files)
        env.add_extension(CompactTemplates)
        return env

    def page_inputs(self, page: MkDocsPage, files: Files) -> tuple[object, ...]:
        """Return all that our events for a page depend on; planbook-speed reuses the page if they are equal."""
        return self._shared or object(), *self.pages.inputs(page)

    def head(self, page: MkDocsPage) -> str:
        """Return the link to a page's Markdown, and its metadata tags, each empty if there is none."""
        return frame.twin_link(self.pages.twin(page)) + self.pages.described(page, self._site)

    @event_priority(50)  # before plugins that read a page's metadata or text
    def on_page_markdown(self, markdown: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
        """Complete the metadata of a PART's page, fix its Markdown, and show its citations."""
        self.pages.complete(page)
        mode = self.modes.of(page)
        self.modes.use(mode, config)
        if self._is_vault:
            markdown = vault.publish_note(markdown)
        return self.pages.shown(markdown, page, is_github=mode != github.PYTHON)

    def on_page_content(self, html: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
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

    def on_post_template(self, output_content: str, template_name: str, config: MkDocsConfig) -> str:
        """Add our search to pages such as ``404.html``."""
        return with_tags(output_content, "", self._worker) if template_name.endswith(".html") else output_content

    @event_priority(-100)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Release the generated files, and log whether the cache was damaged."""
        self._clean_up()
        if self._calls is not None:
            self._calls.disk.tell_damage(log, is_strict=bool(config.strict))

    @event_priority(-100)
    def on_build_error(self, error: Exception) -> None:
        """Release the generated files of a failed build, and name the file if one could not be written."""
        self._clean_up()
        if refused := refusal_in(error, self._site_dir):
            raise Abort(f"planbook: {refused}") from error

    def _read(self, files: Files, config: MkDocsConfig, calls: CachedCalls) -> tuple[dict[str, bytes], Build]:
        """Read, parse and link the inputs; return the pages' content with the base."""
        docs = os.path.relpath(config.docs_dir)
        try:
            read, bounds = partial(calls.of_files, store.read_page_bytes), (Path(config.docs_dir),)
            plans, drops, unread = store.read_plans(self._root, self._paths, read, bounds)
            named = store.named_paths(self._root, plans, drops)
            for file in [f for f in files if f.abs_src_path in named]:
                files.remove(file)
            blogs = neighbours.blog_files(config.plugins)
            found = files.documentation_pages()
            if blogs.folders:
                found = [file for file in found if file.src_uri not in blogs]
            places = [f.abs_src_path for f in found if f.abs_src_path]
            with store.reading(Path(config.docs_dir)):
                texts = dict(zip(places, calls.of_files(_read_bytes, places), strict=True))
            written = {f.src_uri: texts[f.abs_src_path] if f.abs_src_path else f.content_bytes for f in found}
            pages = {uri: vault.publish_page(raw) for uri, raw in written.items()} if self._is_vault else written
            folder, docs_dir = store.plans_folder(self._paths[0]), self._docs_dir(config)
            excluded = excluded_by(config.exclude_docs, config.draft_docs)
            unread = tuple(dict.fromkeys((*unread, *unread_docs(self._scan, docs_dir, excluded))))
            tree = Tree(plans, drops, pages, folder, self.config.base, docs_dir, unread)
            linked = link_tree(tree, calls, checks_of_files(tree, self._selection))
            for uri in {problem.uri for problem in linked.problems if problem.code == "K002"} & pages.keys():
                store.decode_page(pages[uri], f"{docs}/{uri}")
        except store.RefusedError as error:
            raise PluginError(f"planbook: {error}") from error
        material = ThemeFiles(
            lambda path: any((Path(top) / path).is_file() for top in config.theme.dirs),
            "material/tags" in config.plugins,
        )
        theme = material if config.theme.name == "material" else None
        settings = store.Settings(self._root, expand=self.config.expand)
        verified = read_report(self._root)
        not_read = unread_files(decode_report(verified)[0])
        documents = CitedFiles(self._root, documents_folder(settings), calls, not_read)
        local = sorted({work.file for page in linked.pages for work in page.references if work.file})
        states = documents.states(local)

        def defect(name: str) -> str:
            return states[name].defect if name in states else documents.defect(name)

        sources = SourceFiles(documents.folder, defect, lambda path: path in files.src_uris, documents.has)
        of_verify, wrong = read_checks(verified)
        if wrong:
            log.warning("%s is skipped: %s; run `planbook verify` again", REPORT, wrong)
        checks = valid(of_verify, written, linked.page_by_uri, calls, states)
        of_base = Project(tree=tree, library=linked, selection=self._selection, calls=calls, theme=theme)
        library = with_problems(replace(of_base, sources=sources, doubts=doubts_of(checks)))
        has_tags = any(name == "tags" and value for page in library.pages for name, value in page.meta)
        has_list = any(calls.of_each(_lists_tags, list(pages.values())))
        lists_tags = has_tags and not has_list and "material/tags" in config.plugins
        site = replace(self._site, lists_tags=lists_tags)
        existing = frozenset({*(file.src_uri for file in files), *blogs.entries})
        named = index.named_pages(config.nav)
        listed = library.listed(calls)
        every, made, own, reports = calls.of_same(_views, listed, named, existing, site)
        linked = library.linked(calls)
        views, twins = (every, made, own, reports), self.config.agents
        return pages, Build(library, listed, linked, *views, frozenset(pages), checks, has_twins=twins)

    def _report(self, library: Library, config: MkDocsConfig) -> None:
        """Log errors as warnings, which stop a strict build, and other Problems as the option ``problems`` says."""
        found, docs_dir = library.problems, self._docs_dir(config)
        warned = {Severity.ERROR, Severity.WARNING if self.config.problems == "warn" else Severity.ERROR}
        severe = {code for code in {problem.code for problem in found} if severity(code) in warned}
        for problem in [p for p in found if self.config.problems != "summary" or p.code in severe]:
            level = logging.WARNING if problem.code in severe else logging.INFO
            is_of_page = problem.code.startswith("K") and problem.uri in library.page_by_uri
            uri = f"{docs_dir}/{problem.uri}" if is_of_page else problem.uri
            log.log(level, "%s:%d: %s %s", uri, problem.line, problem.code, problem.message)
        tail = f" {plain_text.count(len(found), 'problem').capitalize()} (run `planbook check`)." if found else ""
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


def _views(library: Library, named: frozenset[str], existing: frozenset[str], site: frame.Site) -> tuple[Any, ...]:
    """Return folders, generated pages, and by plan its own progress page and its page of reports, if there are any."""
    every = index.folder_indexes(library, named)
    own, reports = progress.plan_pages(library, existing), index.report_pages(library, existing)
    made = generated_pages(library, every, existing, site) | index.reports_made(library, reports)
    return every, made, own, reports


def _read_bytes(path: Path) -> bytes:
    with store.reading(path):
        return path.read_bytes()


def _lists_tags(raw: bytes) -> bool:
    return TAGS_LIST in raw


def missing_extensions(configured: Iterable[object]) -> list[str]:
    """Return those of `EXTENSIONS` that are not `configured`, under any name or as part of a bundle.

    An instance of an extension, which a plugin or a hook has appended, counts by its module.
    """
    written = extensions.named_options(configured, {})
    names = {name.removeprefix("markdown.extensions.").partition(":")[0] for name in written}
    names |= {inner for bundle, brought in BUNDLES.items() if bundle in names for inner in brought}
    return [extension for extension in EXTENSIONS if extension not in names]
