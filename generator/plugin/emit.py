"""Write the generated pages and files into the build (design, decision 4)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs_gen_files.editor import FilesEditor

from generator.library import Entry, Library
from generator.plugin.build import Build
from generator.views.agents.files import SitePage, agent_files
from generator.views.agents.twins import twin
from generator.views.banner import completed_meta
from generator.views.downloads import downloads
from generator.views.graph import graph_nodes, graph_page
from generator.views.index import GRAPH
from generator.views.metadata import Site
from generator.views.progress import progress_pages
from generator.views.progress_json import SCHEMA, progress_schema, progress_to_json
from generator.views.sources import sources_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from generator.cache import FunctionCache

DATA = "progress.json"
TWIN = ".twin"
"""The suffix of a Markdown twin's name until it is published."""


class Emitter:
    """Writes files of the site, as temporary files with a path."""

    def __init__(self, files: Files, config: MkDocsConfig, folder: str) -> None:
        self._editor = FilesEditor(files, config, folder)
        self._existing = {file.src_uri for file in files}
        self._config = config

    @property
    def files(self) -> Files:
        """The site's files, including those written here; sorted again on every access."""
        return self._editor.files

    def write(self, uri: str, text: str) -> None:
        """Write a file, replacing an earlier one of the same name."""
        with self._editor.open(uri, "w", newline="\n") as file:
            file.write(text)

    def pages(self, build: Build, root: Path) -> None:
        """Write all generated pages, and the progress as data."""
        library = build.library
        for uri, text in build.made.items():
            self.write(uri, text)
        self.write(DATA, json.dumps(progress_to_json(library), ensure_ascii=False, indent=1) + "\n")
        self.write(SCHEMA, json.dumps(progress_schema(), ensure_ascii=False, indent=1) + "\n")
        for uri in build.late:  # their places must exist before addresses can be made
            self.write(uri, "")
        files = self.files
        url_of_page = partial(url_from, files=files)
        for uri, text in progress_pages(library, url_of_page, build.plan_pages).items():
            self.write(uri, text)
        nodes = graph_nodes(library, build.folders)
        self.write(str(GRAPH), graph_page(nodes, library.edges, url_of_page(str(GRAPH))))
        self._tell_sources(library, build, files, root)

    def citations(self, build: Build) -> None:
        """Write the Sources page and downloads of works cited; an author's file of the same name takes precedence."""
        for uri, text in downloads(build.works, build.uses):
            if uri not in self._existing:
                self.write(uri, text)
        files = self.files
        for page, text in sources_pages(build.works, build.source_pages, partial(url_from, files=files)).items():
            self.write(page, text)
        files = self.files  # a page that is written again is another file
        for uri in build.late[3:]:  # the progress page and Sources lead to these
            if (file := files.get_file_from_path(uri)) is not None:
                file.inclusion = type(file.inclusion).NOT_IN_NAV

    def for_agents(
        self, build: Build, site: Site, committed: Callable[[str], str | None], calls: FunctionCache
    ) -> frozenset[str]:
        """Write the files for programs and return their names.

        A file of the author's by the same path stays.
        """
        files = self.files
        found = [f for f in files.documentation_pages() if f.inclusion.is_included()]
        found.sort(key=lambda file: file.src_uri)
        twins = calls.map(
            twin, [(f.content_string, build.page(f.src_uri), _meta(build.entry(f.src_uri))) for f in found]
        )
        pages = [SitePage(f.src_uri, f.content_string, f.url, text) for f, text in zip(found, twins, strict=True)]
        taken = {file.dest_uri for file in files}
        every = agent_files(build.library, build.folders, site, pages, committed)
        made = {path: text for path, text in every if path not in taken}
        for path, text in made.items():
            self.write(f"{path}{TWIN}" if path.endswith(".md") else path, text)
        files = self.files
        for path in made:
            file = files.get_file_from_path(f"{path}{TWIN}") if path.endswith(".md") else None
            if file is not None:  # MkDocs would take a file by the name itself for a page
                file.dest_uri = path
        return frozenset(made)

    def _tell_sources(self, library: Library, build: Build, files: Files, root: Path) -> None:
        """Point "edit this page" to the plan that a page was made from, or remove it."""
        plan_of = {str(uri): entry.plan.uri for uri, entry in library.by_uri.items()}
        for uri in build.generated:
            file = files.get_file_from_path(uri)
            if file is not None:
                plan = plan_of.get(uri)
                beside = os.path.relpath(root / plan, self._config.docs_dir).replace(os.sep, "/") if plan else None
                file.edit_uri = beside


def _meta(entry: Entry | None) -> dict[str, object]:
    return completed_meta(entry) if entry else {}


def url_from(page: str, files: Files) -> Callable[[str], str]:
    """Return a function that returns each page's address relative to `page`."""
    here = files.get_file_from_path(page)

    def url_of(uri: str) -> str:
        """Return the address of the page `uri`."""
        there = files.get_file_from_path(uri)
        return there.url_relative_to(here) if there and here else uri

    return url_of
