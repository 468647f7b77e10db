"""The MkDocs plugin: the build flow, thin. Everything it shows is made by :mod:`generator.views`."""

from __future__ import annotations

import functools
import json
import logging
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.config import base
from mkdocs.config import config_options as opt
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.utils import get_relative_url
from mkdocs_gen_files.editor import FilesEditor

from generator.library import Library, cite, link_files
from generator.model import PageUri, Tree
from generator.page.citations import find_citations
from generator.page.fingerprint import fingerprint
from generator.page.mend import mend
from generator.page.references import base_uri
from generator.problems import Severity, severity
from generator.store import WORK_DIR, read_plans, read_work
from generator.store.git import first_commit_days
from generator.views.agents.atom import FEED
from generator.views.agents.files import SitePage, agent_files
from generator.views.banner import backlinks_line, banner, completed_meta, drop, statements_list, with_banner
from generator.views.bibliography import csl_items, csl_metadata
from generator.views.checks import REPORT, Checked, read_checks
from generator.views.downloads import BIB, JSON, beside, downloads
from generator.views.feeds import SCHEMA, progress, progress_schema
from generator.views.graph import graph_nodes, graph_page
from generator.views.head import alternates, page_head, with_head
from generator.views.index import (
    GRAPH,
    INDEX,
    PROGRESS,
    SOURCES,
    folder_index,
    home_page,
    home_parts,
    index_page,
    shelves,
)
from generator.views.metadata import Site, attribute_text, describe
from generator.views.nav import named_pages, with_tree
from generator.views.placeholder import placeholder
from generator.views.progress import progress_page
from generator.views.references import Extras, cited_text, hrefs
from generator.views.sources import sources_page
from generator.views.statements import has_word, statements
from generator.views.tables import without_empty_headers
from generator.views.words import count
from generator.views.works import uses_by_page, works

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page as MkDocsPage

    from generator.views.csl.page import Shown

log = get_plugin_logger("planbook")

STYLE = "assets/planbook/planbook.css"
DATA = "progress.json"
TWIN = ".twin"
"""What the name of a Markdown twin ends with until it is published."""
CITATIONS = "citations"
"""The stage that finds what pages cite and link to, and shows it."""
ALWAYS_TOLD = frozenset({"K012", "K013"})
"""Problems that a page cannot be shown rightly with: warnings, whatever the ``problems`` option says."""
EXTENSIONS = ("attr_list", "admonition", "sane_lists")
"""What generated pages are written for, and mended lists rest on."""
_LEVELS = {Severity.ERROR: logging.WARNING, Severity.WARNING: logging.WARNING, Severity.INFO: logging.INFO}


class PlanbookConfig(base.Config):
    """The options under ``plugins: - planbook:`` in ``mkdocs.yml``."""

    plans_dir = opt.Type(str, default="plans")
    """Where the plans lie, relative to ``mkdocs.yml``."""
    problems = opt.Choice(("summary", "list", "warn"), default="summary")
    """How Problems reach the log: counted, listed, or as warnings (which end a strict build)."""
    agents = opt.Type(bool, default=True)
    """Whether the site also has Markdown twins of its pages, llms.txt, a feed and badges."""
    mend = opt.Type(bool, default=True)
    """Whether pages get the lists and links that CommonMark and the base's root give."""
    expand = opt.Type(dict, default={})
    """How pages are researched, for `planbook expand`: builds pass over it."""
    citation_style = opt.Optional(opt.Type(str))
    """A CSL file, relative to ``mkdocs.yml``, for citations and references; without one, they are numbered."""


class PlanbookPlugin(BasePlugin[PlanbookConfig]):
    """Reads plans and pages, makes a page for every PART, the INDEX pages, progress, and the nav."""

    has_repeatable_page_events = True
    """Told to planbook-speed, which renders pages ahead: what we do to a page may be done twice, in another process."""
    library: Library
    timings_s: dict[str, float]
    """Seconds spent in each stage of the last build."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Adds our style sheet; refuses a plans folder that is not there."""
        self.timings_s = {}
        self._twins: frozenset[str] = frozenset()
        self._feed = ""
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
        self._plans = self._root / self.config.plans_dir
        if not self._plans.is_dir():
            what = f"plans_dir {self.config.plans_dir!r} is no folder beside mkdocs.yml; make it, or name another"
            raise PluginError(f"planbook: {what}")
        self._show = self._in_style(str(config.theme.get("language") or "en"))
        if STYLE not in config.extra_css:
            config.extra_css.insert(0, STYLE)
        theme = str(resources("generator") / "theme")
        if theme not in config.theme.dirs:  # behind a custom_dir, which is the author's own
            config.theme.dirs.insert(1 if config.theme.custom_dir else 0, theme)
        for extension in EXTENSIONS:
            if extension not in config.markdown_extensions:
                config.markdown_extensions.append(extension)
        return config

    def on_serve(
        self, server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., object]
    ) -> LiveReloadServer:
        """Watches the plans and the citation style."""
        server.watch(str(self._plans))
        if self.config.citation_style:
            server.watch(str(self._root / self.config.citation_style))
        return server

    @event_priority(-50)  # behind plugins that add pages of their own, which belong to the base too
    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Read, parse, link, render, emit: all generated pages, and the nav."""
        with _Stage(self.timings_s, "read"):
            plans, drops = read_plans(self._plans, self.config.plans_dir.strip("/"))
            pages = {f.src_uri: f.content_bytes for f in files.documentation_pages()}
            _refuse_other_encodings(pages, config.docs_dir)
        with _Stage(self.timings_s, "link"):
            library = link_files(Tree(plans, drops, pages, self.config.plans_dir.strip("/")))
        with _Stage(self.timings_s, CITATIONS):
            self.library = cite(library, pages)
            self._known = frozenset(pages) | frozenset(self.library.by_uri)
            self._checks = self._read_checks()
            self._current = {
                uri: checked
                for uri, checked in self._checks.items()
                if uri in pages and fingerprint(pages[uri].decode("utf-8")) == checked.text_sha256
            }
        with _Stage(self.timings_s, "render and emit"):
            files = self._emit(files, config)
        if self.config.agents and self._directory:
            with _Stage(self.timings_s, "agents"):
                files = self._emit_for_agents(FilesEditor(files, config, self._directory.name), files, config)
        self._report(Path(os.path.relpath(config.docs_dir, self._root)).as_posix())
        return files

    @event_priority(50)  # before plugins that read a page's metadata or text
    def on_page_markdown(self, markdown: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
        """Completes the metadata of a PART's page and mends its Markdown; fills the places on the home page."""
        with _Stage(self.timings_s, "pages"):
            entry = self.library.by_uri.get(PageUri(page.file.src_uri))
            if entry:
                page.meta = {
                    **page.meta,
                    **{k: v for k, v in completed_meta(entry).items() if page.meta.get(k) is None},
                }
            if page.meta.get("title") is not None:  # themes show it as HTML, in the navigation of every page
                page.meta["title"] = attribute_text(str(page.meta["title"]))
            if page.file.src_uri in self._base and page.meta.get("description"):
                page.meta["description"] = attribute_text(str(page.meta["description"]))
            if page.is_homepage and "<!-- planbook:" in markdown:
                for name, text in home_parts(self.library).items():
                    markdown = markdown.replace(f"<!-- planbook:{name} -->", text)
            if page.file.src_uri in self._made:
                return markdown
            if self.config.mend:
                markdown = mend(markdown, page.file.src_uri, self._known)
        with _Stage(self.timings_s, CITATIONS):
            return self._cited(markdown, page, files)

    def on_page_content(self, html: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
        """Puts a PART's state above its page's text; below it the pages that lead there, and its drop."""
        with _Stage(self.timings_s, "pages"):
            uri = page.file.src_uri
            entry = self.library.by_uri.get(PageUri(uri))
            url_of = _url_from(uri, files)
            below = backlinks_line(self.library, uri, url_of) if uri in self._base else ""
            above = self._statements(uri)
            if self.config.mend:
                html = without_empty_headers(html)
            if entry is None:
                return with_banner(html, above, below) if above else html + below
            return with_banner(html, banner(entry, url_of) + above, below + drop(entry))

    def on_post_page(self, output: str, page: MkDocsPage, config: MkDocsConfig) -> str:
        """Tells programs in the head of a page's HTML what it is, and where its Markdown and the feed are."""
        output = with_head(output, self._alternates(page))
        known = self.library.page_by_uri.get(page.file.src_uri)
        if known is None or known.uri not in self._base:
            return output
        with _Stage(self.timings_s, CITATIONS):
            site = _site(config)
            cited = [use.item for use in self._uses.get(known.uri, ())]
            entry = self.library.by_uri.get(known.uri)
            return with_head(output, page_head(describe(known, entry, site, page.canonical_url or "", cited)))

    @event_priority(-100)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Removes the temporary files and says what the generator itself cost."""
        self._clean_up()
        total = sum(self.timings_s.values())
        log.debug("own work: %.3f s (%s)", total, ", ".join(f"{k} {v:.3f}" for k, v in self.timings_s.items()))

    def on_build_error(self, error: Exception) -> None:
        """Removes the temporary files of a build that failed."""
        self._clean_up()

    def _alternates(self, page: MkDocsPage) -> str:
        twin = page.file.src_uri
        if twin not in self._twins:
            return ""
        feed = get_relative_url(self._feed, page.file.url) if self._feed else ""
        return alternates(get_relative_url(twin, page.file.url), feed)

    def _in_style(self, language: str) -> Callable[..., Shown] | None:
        """What shows citations in the style that is set, if one is; one that cannot be used ends the build."""
        name = self.config.citation_style
        if not name:
            return None
        path = self._root / name
        if not path.is_file():
            what = "name a CSL file relative to mkdocs.yml, such as one from https://www.zotero.org/styles"
            raise PluginError(f"planbook: citation_style {name!r} is no file; {what}")
        try:
            from generator.views.csl.page import show  # noqa: PLC0415 - needs the extra `csl`
            from generator.views.csl.style import read_style  # noqa: PLC0415 - likewise

            return functools.partial(show, read_style(path.read_bytes(), name, language))
        except ImportError as error:
            how = "python -m pip install 'planbook[csl]'"
            raise PluginError(f"planbook: citation_style needs the package {error.name}: {how}") from error
        except ValueError as error:
            raise PluginError(f"planbook: citation_style {error}") from error

    def _read_checks(self) -> dict[str, Checked]:
        """What ``planbook verify`` found out, by page."""
        checks, wrong = read_checks(read_work(self._root, REPORT))
        if wrong:
            log.warning("%s/%s is passed over: %s; run `planbook verify` again", WORK_DIR, REPORT, wrong)
        return checks

    def _statements(self, uri: str) -> str:
        """How a page of the base was made, and whether it was reviewed and verified; of others only if they say so."""
        page, entry = self.library.page_by_uri.get(uri), self.library.by_uri.get(PageUri(uri))
        checked = self._checks.get(uri)
        if page is None or uri not in self._base or not (entry or has_word(page, checked)):
            return ""
        drop_of_page = entry.drop if entry else None
        return statements_list(statements(page, drop_of_page, checked, is_current=uri in self._current))

    def _cited(self, markdown: str, page: MkDocsPage, files: Files) -> str:
        """A page's text with its citations as links and its References below; its metadata names the works."""
        known = self.library.page_by_uri.get(page.file.src_uri)
        if known is None or not known.references:
            return markdown
        is_shown = page.file.src_uri in self._base or "references" in page.meta
        page.meta["references"] = csl_metadata(page.meta.get("references"), known.references)
        if not is_shown:  # a page beside the base that happens to name works, such as a guide
            return markdown
        citations = find_citations(markdown)
        url_of = _url_from(page.file.src_uri, files)
        links = {r.id: url_of(uri) for r in known.references if (uri := base_uri(r.url, known.uri, self._known))}
        checked = self._current.get(known.uri)
        names = (("BibTeX", BIB), ("CSL-JSON", JSON)) if known.uri in self._uses else ()
        extras = Extras(
            checked.by_id if checked else {}, tuple((said, url_of(beside(known.uri, name))) for said, name in names)
        )
        if self._show is not None:
            items = {item["id"]: item for item in csl_items(page.meta["references"], known.references)}
            try:
                shown = self._show(items, known.references, citations, hrefs(known.references, links))
            except ValueError as error:
                raise PluginError(f"planbook: {known.uri}: {error}") from error
            extras = replace(extras, shown=shown)
        return cited_text(markdown, known.references, citations, links, extras)

    # --- emit and report -----------------------------------------------------------------------------------------

    def _emit(self, files: Files, config: MkDocsConfig) -> Files:
        """All generated files beside the found ones, as temporary files with a path (design, decision 4)."""
        self._directory = tempfile.TemporaryDirectory(prefix="planbook_")
        library, root = self.library, self._root
        every = shelves(library, named_pages(config.nav))
        self._base = frozenset(uri for shelf in every for uri in shelf.uris)
        existing = {f.src_uri for f in files}
        made: dict[str, str] = {str(INDEX): index_page(library, every)}
        if "index.md" not in existing and "README.md" not in existing:
            made["index.md"] = home_page(library, config.site_name, config.site_description or "")
        made |= {
            str(s.index_uri): folder_index(library, s, every) for s in every if s.folder and s.index_uri not in existing
        }
        made |= {str(uri): placeholder(library, e) for uri, e in library.by_uri.items() if uri not in existing}
        editor = FilesEditor(files, config, self._directory.name)
        plan_of = {str(uri): entry.plan.uri for uri, entry in library.by_uri.items()}
        for uri, text in made.items():
            _write(editor, uri, text)
        _write(editor, DATA, json.dumps(progress(library), ensure_ascii=False, indent=1) + "\n")
        _write(editor, SCHEMA, json.dumps(progress_schema(), ensure_ascii=False, indent=1) + "\n")
        _write(editor, str(GRAPH), "# Link graph\n")  # likewise
        _write(editor, str(SOURCES), "# Sources\n")
        _write(editor, str(PROGRESS), "# Progress\n")  # its place must exist before addresses can be made
        with _Stage(self.timings_s, CITATIONS, within="render and emit"):
            self._works = works(library, self._base, self._current)
            self._uses = uses_by_page(self._works)
            for uri, text in downloads(self._works, self._uses):
                if uri not in existing:  # a file of the author's by this name stays
                    _write(editor, uri, text)
        all_files = editor.files
        _write(editor, str(PROGRESS), progress_page(library, _url_from(str(PROGRESS), all_files)))
        nodes = graph_nodes(library, every)
        _write(editor, str(GRAPH), graph_page(nodes, library.edges, _url_from(str(GRAPH), all_files)))
        with _Stage(self.timings_s, CITATIONS, within="render and emit"):
            _write(editor, str(SOURCES), sources_page(self._works, _url_from(str(SOURCES), all_files)))
        self._made = {*made, str(PROGRESS), str(GRAPH), str(SOURCES)}
        self._known |= (
            self._made
        )  # an INDEX that a page links to as `index.md` is that of its folder, not the home page
        for uri in self._made:
            file = all_files.get_file_from_path(uri)
            if file is not None:
                plan = plan_of.get(uri)
                file.edit_uri = os.path.relpath(root / plan, config.docs_dir).replace(os.sep, "/") if plan else None
        home = next((name for name in ("index.md", "README.md") if name in existing or name in made), "")
        config.nav = with_tree(config.nav, every, home)
        self._shelves = every
        return all_files

    def _emit_for_agents(self, editor: FilesEditor, files: Files, config: MkDocsConfig) -> Files:
        """The files that programs read; one of the author's by the same path stays."""
        pages = [
            SitePage(f.src_uri, f.content_string, f.url)
            for f in sorted(files.documentation_pages(), key=lambda f: f.src_uri)
            if f.inclusion.is_included()
        ]
        taken = {file.dest_uri for file in files}
        made = {}
        for path, text in agent_files(self.library, self._shelves, _site(config), pages, self._committed(config)):
            if path not in taken:
                made[f"{path}{TWIN}" if path.endswith(".md") else path] = text
        for name, text in made.items():
            _write(editor, name, text)
        files = editor.files
        self._twins = frozenset(name.removesuffix(TWIN) for name in made if name.endswith(TWIN))
        self._feed = FEED if FEED in made else ""
        for name in made:
            file = files.get_file_from_path(name)
            if file is not None and name.endswith(TWIN):  # MkDocs would take a file by the name itself for a page
                file.dest_uri = name.removesuffix(TWIN)
        return files

    def _committed(self, config: MkDocsConfig) -> Callable[[str], str | None]:
        """A function that gives the day of a page's first commit. Git is asked once, and only if it is wanted."""
        days: list[Mapping[str, str]] = []

        def committed(uri: str) -> str | None:
            if not days:
                days.append(first_commit_days(Path(config.docs_dir).resolve()))
            return days[0].get(uri)

        return committed

    def _report(self, docs_dir: str) -> None:
        """The Problems, as the ``problems`` option asks; those of pages with the path of their folder."""
        found = self.library.problems
        for problem in found:
            is_warning = self.config.problems == "warn" or problem.code in ALWAYS_TOLD
            if self.config.problems == "summary" and not is_warning:
                continue
            level = _LEVELS[severity(problem.code)] if is_warning else logging.INFO
            is_of_page = problem.code.startswith("K") and problem.uri in self.library.page_by_uri
            uri = f"{docs_dir}/{problem.uri}" if is_of_page else problem.uri
            log.log(level, "%s:%d: %s %s", uri, problem.line, problem.code, problem.message)
        parts = sum(len(plan.parts) for plan in self.library.plans)
        pages = sum(entry.page is not None for entry in self.library.by_uri.values())
        counts = [count(len(self.library.plans), "plan"), count(parts, "PART"), f"{count(pages, 'page')} written"]
        tail = f"; {count(len(found), 'remark')} (`planbook check` lists them)" if found else ""
        log.info("%s%s", ", ".join(counts), tail)

    def _clean_up(self) -> None:
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None


class _Stage:
    """Adds the seconds of its block to one stage, and takes them from the stage that it stands within."""

    def __init__(self, timings_s: dict[str, float], name: str, within: str = "") -> None:
        self._timings_s, self._name, self._within = timings_s, name, within

    def __enter__(self) -> None:
        self._begun = time.perf_counter()

    def __exit__(self, *raised: object) -> None:
        spent = time.perf_counter() - self._begun
        self._timings_s[self._name] = self._timings_s.get(self._name, 0.0) + spent
        if self._within:
            self._timings_s[self._within] = self._timings_s.get(self._within, 0.0) - spent


def _refuse_other_encodings(pages: dict[str, bytes], docs_dir: str) -> None:
    """Ends the build with a word on the file, where MkDocs would end it with a traceback."""
    for uri, raw in pages.items():
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            what = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the page as UTF-8"
            raise PluginError(f"planbook: {os.path.relpath(docs_dir)}/{uri}:{line}: {what}") from error


def _site(config: MkDocsConfig) -> Site:
    language = config.theme.get("language") or ""
    about = config.site_description or ""
    return Site(config.site_name, config.site_url or "", config.site_author or "", language, about)


def _write(editor: FilesEditor, uri: str, text: str) -> None:
    with editor.open(uri, "w", newline="\n") as file:
        file.write(text)


def _url_from(page: str, files: Files) -> Callable[[str], str]:
    """A function that gives each page's address as seen from `page`."""
    here = files.get_file_from_path(page)

    def url_of(uri: str) -> str:
        there = files.get_file_from_path(uri)
        return there.url_relative_to(here) if there and here else uri

    return url_of
