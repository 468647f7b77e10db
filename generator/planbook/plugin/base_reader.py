"""Reads the base of one build: its files are parsed, linked and checked.

Read `SiteBaseReader.read` first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger

from planbook import store
from planbook.citations.report import FileState, decode_report, unread_files
from planbook.library import Library, link_tree
from planbook.library.acceptances import accepted_texts, describe_changed
from planbook.model import Tree
from planbook.plugin.list_views import choose_views
from planbook.plugin.site_base import SiteBase
from planbook.plugin.tree_reader import TreeReader, read_changed, read_file_bytes
from planbook.problems import NOT_UTF8
from planbook.rules.project import Project, SourceFiles, ThemeFiles
from planbook.rules.registry import apply_common_rules, error_checks
from planbook.store.cited_files import CitedFiles
from planbook.store.files import REPORT, read_report
from planbook.store.options import documents_folder
from planbook.store.working_tree import WorkingTree
from planbook.views import frame
from planbook.views.bibliography.document_pages import document_page, document_uri, is_text
from planbook.views.checks import PageCheck, doubts_of, read_checks, still_valid_checks
from planbook.views.navigation import named_pages

if TYPE_CHECKING:
    from planbook.plugin.build_context import BuildContext


log = get_plugin_logger("planbook")

TAGS_LIST = b"<!-- material/tags"
"""The place on a page for the list of Material's plugin `tags`."""


@dataclass(frozen=True)
class SiteBaseReader:
    """Reads the base of one build: its files, the results of checks, and the pages to generate."""

    context: BuildContext

    @cached_property
    def tree_reader(self) -> TreeReader:
        """Reads the plans, drops and pages."""
        return TreeReader(self.context)

    def read(self) -> tuple[Mapping[str, bytes], SiteBase]:
        """Return the pages' content, by uri, and the base.

        Raises PluginError for a plan or page that cannot be read.
        """
        try:
            tree, raw_pages = self.tree_reader.read()
            checks_of_errors = error_checks(tree, self.context.setup.code_filter)
            linked = link_tree(tree, self.context.cache, checks_of_errors)
            self._require_utf8(tree, linked)
        except store.RefusedError as error:
            raise PluginError(f"planbook: {error}") from error
        report = read_report(self.context.setup.root)
        documents = self._documents(report)
        states = documents.states(_cited_files(linked))
        checks = self._valid_checks(report, raw_pages, linked, states)
        library = self._check_library(tree, linked, documents, states, checks)
        base = self._site_base(tree, library, checks)
        return tree.pages, self._with_documents(base, documents, states)

    def _require_utf8(self, tree: Tree, linked: Library) -> None:
        """Raise RefusedError for a page that MkDocs could not decode."""
        docs = os.path.relpath(self.context.config.docs_dir)
        undecodable = {problem.uri for problem in linked.problems if problem.code == NOT_UTF8}
        for uri in undecodable & tree.pages.keys():
            store.decode_page(tree.pages[uri], f"{docs}/{uri}")

    # --- checks -----------------------------------------------------------------------------------

    def _documents(self, report: bytes | None) -> CitedFiles:
        """Return the local documents that pages cite."""
        root = self.context.setup.root
        verified, _ = decode_report(report)
        folder = documents_folder(store.Settings(root, expand=self.context.options.expand))
        return CitedFiles(root, folder, self.context.cache, unread_files(verified))

    def _valid_checks(
        self,
        report: bytes | None,
        raw_pages: Mapping[str, bytes],
        linked: Library,
        states: Mapping[str, FileState],
    ) -> dict[str, PageCheck]:
        """Return the results of ``planbook verify`` that still hold, by page."""
        checks, error = read_checks(report)
        if error:
            log.warning("%s is skipped: %s; run `planbook verify` again", REPORT, error)
        valid = still_valid_checks(
            checks,
            raw_pages,
            linked.page_by_uri,
            self.context.cache,
            states,
            accepted_texts(linked),
        )
        unproven = [uri for uri, check in valid.items() if not check.is_accepted]
        if unproven:
            changed = describe_changed(unproven, self.context.docs_dir)
            log.info("%s", changed)
        return valid

    def _check_library(
        self,
        tree: Tree,
        linked: Library,
        documents: CitedFiles,
        states: Mapping[str, FileState],
        checks: Mapping[str, PageCheck],
    ) -> Library:
        """Return the library with the Problems of all rules."""

        def defect(name: str) -> str:
            """Return why a local document cannot be read; empty if it can."""
            return states[name].defect if name in states else documents.defect(name)

        def is_in_site(path: str) -> bool:
            """Return True for a file of the site."""
            return path in self.context.files.src_uris

        working_tree = WorkingTree(self.context.setup.root, self.context.docs_dir, documents.folder)
        sources = SourceFiles(
            documents.folder, defect, is_in_site, documents.has, working_tree.read, documents.names
        )
        project = Project(
            tree=tree,
            library=linked,
            code_filter=self.context.setup.code_filter,
            cache=self.context.cache,
            theme=self._theme_files(),
            sources=sources,
            doubts=doubts_of(checks),
        )
        return apply_common_rules(project)

    def _theme_files(self) -> ThemeFiles | None:
        """Return the files of Material; ``None`` for another theme."""
        theme = self.context.config.theme
        if theme.name != "material":
            return None

        def is_there(path: str) -> bool:
            """Return True for a file of the theme."""
            return any((Path(folder) / path).is_file() for folder in theme.dirs)

        return ThemeFiles(is_there, "material/tags" in self.context.config.plugins)

    # --- views ------------------------------------------------------------------------------------

    def _site_base(self, tree: Tree, library: Library, checks: Mapping[str, PageCheck]) -> SiteBase:
        """Return the base with its generated pages."""
        cache = self.context.cache
        lists_tags = self._lists_tags(tree, library)
        values = astuple(replace(self.context.site, lists_tags=lists_tags))
        site = cache.from_last_build_once(frame.Site, *values)
        uris = (file.src_uri for file in self.context.files)
        existing = frozenset({*uris, *self.tree_reader.blogs.entries})
        in_nav = named_pages(self.context.config.nav)
        listed_library = library.listed(cache)
        list_views = cache.from_last_build_once(
            choose_views, listed_library, in_nav, existing, site
        )
        return SiteBase(
            library=library,
            listed=listed_library,
            linked=library.linked(cache),
            counted=library.counted(cache),
            folders=list_views.folders,
            top_pages=list_views.top_pages,
            view_by_uri=list_views.view_by_uri,
            plan_pages=list_views.plan_pages,
            report_pages=list_views.report_pages,
            existing=frozenset(tree.pages),
            checks=checks,
            has_twins=self.context.options.agents,
        )

    def _with_documents(
        self, base: SiteBase, documents: CitedFiles, states: Mapping[str, FileState]
    ) -> SiteBase:
        """Return the base with a page for each cited document that is text, if they are wanted."""
        names = [name for name, state in states.items() if not state.defect]
        if not self.context.options.publish_documents:
            names = []
        paths_within = {name: documents.inner(name) for name in names}
        paths_within = {name: path for name, path in paths_within.items() if is_text(path)}
        folder = self.context.setup.root / documents.folder
        paths = [str(folder / path) for path in paths_within.values()]
        raw = read_changed(self.context.cache, read_file_bytes, paths)
        texts = dict(zip(paths_within, raw, strict=True))
        uris = {name: document_uri(path) for name, path in paths_within.items()}
        views = {
            str(uri): partial(
                document_page,
                f"{documents.folder}/{paths_within[name]}",
                paths_within[name],
                texts[name],
                _pages_citing_document(base.library, name),
            )
            for name, uri in uris.items()
            if uri not in base.known
        }
        published = {name: uri for name, uri in uris.items() if str(uri) in views}
        return base.with_documents(published, views)

    def _lists_tags(self, tree: Tree, library: Library) -> bool:
        """Return True if tags need a page of their own: the theme lists them, and no page does."""
        if "material/tags" not in self.context.config.plugins:
            return False
        has_tags = any(
            name == "tags" and value for page in library.pages for name, value in page.meta
        )
        texts = {uri: (raw,) for uri, raw in tree.pages.items()}
        has_list = any(self.context.cache.from_last_build(_has_tags_list, texts))
        return has_tags and not has_list


def _pages_citing_document(library: Library, file: str) -> tuple[tuple[str, str], ...]:
    """Return uri and title of each page that cites a local document."""
    return tuple(
        (str(page.uri), page.title)
        for page in library.pages
        if any(work.file == file for work in page.references)
    )


def _cited_files(library: Library) -> list[str]:
    """Return the names of the local documents that pages cite."""
    works = (work for page in library.pages for work in page.references)
    return sorted({work.file for work in works if work.file})


def _has_tags_list(raw: bytes) -> bool:
    return TAGS_LIST in raw
