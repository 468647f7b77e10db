"""The files of a base for answers to agents, read again when they change."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import cast

from planbook.cli.brief import compose_briefs
from planbook.cli.chosen_parts import lease_of, shown_log
from planbook.cli.project import project_library, valid_checks
from planbook.model import Tree
from planbook.research import selection
from planbook.research.evidence.brief import DEFAULT_TOKENS
from planbook.research.evidence.dossier import DossierStore
from planbook.research.git import shared_folder
from planbook.store import Settings, file_stamps, publish_tree, read_tree
from planbook.views.answers.base_answers import Base
from planbook.views.answers.base_search import search
from planbook.views.answers.page_texts import index_text, read_text
from planbook.views.search import IndexedPage, WordIndex
from planbook_cache.disk import CACHE_DIR, DiskCache
from planbook_cache.functions import DiskFunctionCache, call_key


class BaseReader:
    """Reads a project's files for answers, again when they have changed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # One process: this one has threads, and a fork would copy their locks.
        disk = DiskCache(settings.root / CACHE_DIR)
        self._cache = DiskFunctionCache(disk, in_parallel=False)
        self._seen: object = None
        self._index: WordIndex | None = None
        self._base: Base

    def read(self) -> Base:
        """Return the base as it is on disk now.

        Files are read again only if their times or sizes have changed.
        """
        seen = file_stamps(self._settings)
        if self._seen != seen:
            self._base = self._read_base()
            self._seen = seen
            gc.freeze()  # it stays
        return self._base

    def _read_base(self) -> Base:
        """Return the base, with the texts of its pages, the results of checks, and the briefs."""
        settings, cache = self._settings, self._cache
        raw_tree = _omit_outside_links(settings, read_tree(settings, is_published=True))
        tree = publish_tree(settings, raw_tree)
        cache.begin_build()
        pairs = [(raw.decode("utf-8", errors="replace"), uri) for uri, raw in tree.pages.items()]
        [page_texts] = cache.from_disk((read_text, pairs))
        texts = {uri: text for (_, uri), text in zip(pairs, page_texts, strict=True)}
        library = project_library(settings, tree, cache)
        checks = valid_checks(settings, raw_tree, library)

        def brief_of(plan: str, part: int) -> str:
            """Return the briefs of a PART."""
            briefs = selection.briefs_of(library, plan, part, datetime.now(UTC))
            dossiers = DossierStore(shared_folder(settings.root))
            lease = lease_of(settings, briefs[0])
            composed = compose_briefs(settings, briefs, lease, dossiers.load, DEFAULT_TOKENS)
            shown_log(settings, briefs[0]).begin(composed.passages)
            return composed.text

        return Base(
            library,
            texts,
            self._index_pages(pairs),
            checks,
            partial(selection.find_plan, library),
            brief_of,
        )

    def _index_pages(self, pairs: Sequence[tuple[str, str]]) -> WordIndex:
        """Return the words of all pages, with those of changed pages replaced."""
        disk = self._cache.disk
        key = call_key(search, (self._settings.docs_dir,)) or ""
        index = self._index or disk.get(key, WordIndex) or WordIndex()
        names = [call_key(index_text, pair) or "" for pair in pairs]
        is_changed = names != [name for name, _ in index.pages]
        functions = [partial(self._index_text, *pair) for pair in pairs]
        functions_by_name = list(zip(names, functions, strict=True))
        index.update(functions_by_name, lambda name: disk.get(name, IndexedPage))
        if is_changed:
            disk.put(key, index, is_latest=True)
        self._index = index
        return index

    def _index_text(self, text: str, uri: str) -> IndexedPage:
        """Return the words of one page."""
        [[indexed]] = self._cache.from_disk((index_text, [(text, uri)]))
        return cast("IndexedPage", indexed)


def _omit_outside_links(settings: Settings, tree: Tree) -> Tree:
    """Return the pages, plans and drops without links that lead out of their folders."""
    root, docs = settings.root, settings.root / settings.docs_dir
    plan_folders = [root / folder for folder in settings.plan_folders]
    return replace(
        tree,
        pages=_files_inside(tree.pages, docs, [docs]),
        plans=_files_inside(tree.plans, root, plan_folders),
        drops=_files_inside(tree.drops, root, plan_folders),
    )


def _files_inside(
    files: Mapping[str, bytes], base: Path, folders: Sequence[Path]
) -> dict[str, bytes]:
    """Return the files below `base` that are in one of `folders` once links are followed."""
    tops = [folder.resolve() for folder in folders]
    inside = {}
    for uri, raw in files.items():
        file = (base / uri).resolve()
        if any(file.is_relative_to(top) for top in tops):
            inside[uri] = raw
    return inside
