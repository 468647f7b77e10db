"""The search for readers: it takes the place of the index of Material's search plugin."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from importlib.resources import files as resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mkdocs.utils import write_file

from planbook.views import search
from planbook.views.cards import PageCards, card_files
from planbook_cache.disk import DiskCache
from planbook_cache.entries import digest_of
from planbook_cache.versions import code_version
from planbook_speed.protocols import EntryIndex

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page as MkDocsPage

MATERIAL = "material.plugins.search.plugin"
SEGMENTED_LANGUAGES = frozenset({"hi", "ja", "ko", "th", "zh"})
"""Languages whose words Material's search finds with dictionaries; they keep its index."""
WORKER = "assets/planbook/search-worker.js"
ANSWER_SCRIPT = "assets/planbook/search.js"
"""The script that the worker loads when a reader opens the search."""
PLANNED_BOOST = 0.6
"""The boost of a page that is not written yet."""
HIGHLIGHT_SEPARATOR = r"[\s\"]+"
"""Between the words that Material highlights on a page."""


Words = dict[str, search.WordIndex]


class ReaderIndex:
    """Takes the place of an index of Material's search plugin.

    It writes the entries in many small files.

    Args:
        index: the index that collects the entries: Material's, or that of planbook-speed.
        config: MkDocs' configuration.
        disk: keeps the words of all pages for the next build.
        planned: the addresses of pages that are not written yet.
        words: keeps them in memory for the next build in this process.
        cards: the error messages that pages explain.
        beside: the addresses of pages that are not on the subject of the base.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is an input of its own
        self,
        index: Any,
        config: MkDocsConfig,
        disk: DiskCache,
        planned: Set[str],
        words: Words,
        cards: Sequence[PageCards] = (),
        beside: Set[str] = frozenset(),
    ) -> None:
        self._index, self._disk, self._words = index, disk, words
        self._cards, self._beside = cards, beside
        # A server's first build has the path as given.
        path = os.path.abspath(config.config_file_path or "")  # noqa: PTH100 - links stay
        name = f"search\n{code_version('planbook')}\n{path}"
        self._name = hashlib.sha256(name.encode()).hexdigest()
        self._boosts = dict.fromkeys(planned, PLANNED_BOOST)
        self._folder = f"{config.site_dir}/search"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def digest(self) -> str:
        """Return a digest of all files of the index; empty if its entries have none."""
        entries = self._index.digest() if isinstance(self._index, EntryIndex) else ""
        return entries and digest_of(
            entries,
            code_version("planbook"),
            self._boosts,
            list(card_files(self._cards)),
            sorted(self._beside),
        )

    def prepare(self, page: MkDocsPage) -> None:
        """Index a page ahead; planbook-speed calls this in each of its processes."""
        if isinstance(self._index, EntryIndex):
            self._index.prepare(page, search.index_page)

    def generate_search_index(self, prev: Any) -> str:
        """Write the files, and return what Material's interface still reads: the configuration."""
        index = self._words.get(self._name)
        is_new = index is None
        entries = self._index if isinstance(self._index, EntryIndex) else None
        pages = entries.prepared(search.index_page, search.IndexedPage) if entries else None
        # Without planbook-speed, or if a plugin may have changed the entries, the index that
        # Material's plugin makes is read; else pages were indexed one by one.
        if entries is None or pages is None:
            made = json.loads(self._index.generate_search_index(prev))
            config = made["config"]
            pages = [_indexed_page(group) for group in groupby(made["docs"], _page_of_entry)]
            index = index or search.WordIndex()
            index.update([(name, page) for name, page, _ in pages], lambda _: None)
        else:
            config = entries.settings()
            index = index or self._disk.get(self._name, search.WordIndex) or search.WordIndex()
            earlier = entries.earlier(search.IndexedPage)
            index.update([(name, page) for name, page, _ in pages], earlier)
        write = entries.write if entries else _write_file
        texts = {name: text for name, _, text in pages}
        for file in search.search_files(index, texts, self._boosts, self._cards, self._beside):
            write(f"{self._folder}/{file.path}", file.key, file.make)
        self._words[self._name] = index
        if entries and is_new:
            self._disk.put(self._name, index, is_latest=True)
        return json.dumps({"config": config | {"separator": HIGHLIGHT_SEPARATOR}, "docs": []})


def _indexed_page(
    group: tuple[str, Iterator[Mapping[str, Any]]],
) -> tuple[str, Callable[[], search.IndexedPage], Callable[[], str]]:
    """Return a page's name, which is that of its content, with its words and its text."""
    entries = list(group[1])
    page, text = search.index_page(entries)
    content = json.dumps(entries, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest(), lambda: page, lambda: text


def _write_file(path: str, _key: str, make: Callable[[], str]) -> None:
    write_file(make().encode(), path)


def _page_of_entry(entry: Mapping[str, str]) -> str:
    return entry["location"].partition("#")[0]


def take_over_search(  # noqa: PLR0913, PLR0917 - each is an input of its own
    config: MkDocsConfig,
    disk: DiskCache,
    planned: Set[str],
    words: Words,
    cards: Sequence[PageCards],
    beside: Set[str] = frozenset(),
) -> str:
    """Replace the index of Material's search plugin.

    Return our worker's address, empty if none was replaced.
    """
    worker_address = ""
    plugins: list[Any] = list(config.plugins.values())
    for plugin in plugins:
        if (
            type(plugin).__module__ == MATERIAL
            and plugin.config.enabled
            and not SEGMENTED_LANGUAGES & set(plugin.config.lang)
        ):
            index = ReaderIndex(plugin.search_index, config, disk, planned, words, cards, beside)
            plugin.search_index = index
            theme = resources("planbook") / "theme"
            code = b"".join((theme / script).read_bytes() for script in (WORKER, ANSWER_SCRIPT))
            worker_address = f"{WORKER}?{hashlib.sha256(code).hexdigest()[:8]}"
    return worker_address
