"""Search for readers: Material's interface, with our index and our worker."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from importlib.resources import files as resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mkdocs.utils import write_file

from generator.cache import CachedCalls, code_version
from generator.views.search import IndexedPage, index_page, search_files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

MATERIAL = "material.plugins.search.plugin"
SEGMENTED = frozenset({"hi", "ja", "ko", "th", "zh"})
"""Languages whose words Material's search finds with dictionaries; they keep its index."""
WORKER = "assets/planbook/search.js"
MATERIALS_WORKER = re.compile(r'("search": ?"[^"]*?)assets/javascripts/workers/search\.\w+\.min\.js"')
BATCH = 200
"""Pages that are in memory at once."""
PLANNED = 0.6
"""The boost of a page that is not written yet."""
HIGHLIGHTED = r"[\s\"]+"
"""Between the words that Material highlights on a page."""


class ReaderIndex:
    """Takes the place of an index of Material's search plugin, and writes its entries in many small files.

    Args:
        index: the index that collects the entries.
        config: MkDocs' configuration.
        calls: the cache of results.
        planned: the addresses of pages that are not written yet.
    """

    version = code_version()
    """Read by planbook-speed, which keeps the files of the last build if no entry has changed."""

    def __init__(self, index: Any, config: MkDocsConfig, calls: CachedCalls, planned: Set[str]) -> None:
        self._index, self._calls = index, CachedCalls(calls.disk, keeps_values=False)
        self._planned = planned
        self._folder = f"{config.site_dir}/search"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def generate_search_index(self, prev: Any) -> str:
        """Write the files, and return what Material's interface still reads: the configuration."""
        made = json.loads(self._index.generate_search_index(prev))
        by_page = {url: list(group) for url, group in groupby(made["docs"], _page_of)}
        tags = {url: entries[0].get("tags", []) for url, entries in by_page.items()}
        boosts = {u: entries[0].get("boost", PLANNED if u in self._planned else 1) for u, entries in by_page.items()}
        for path, text in search_files(self._indexed(by_page, tags), tags, boosts):
            write_file(text.encode(), f"{self._folder}/{path}")
        return json.dumps({"config": made["config"] | {"separator": HIGHLIGHTED}, "docs": []})

    def _indexed(
        self, by_page: Mapping[str, Sequence[Mapping[str, str]]], tags: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[str, IndexedPage]]:
        """Yield each page of the index; those of a batch are made on all cores."""
        urls = list(by_page)
        for start in range(0, len(urls), BATCH):
            batch = urls[start : start + BATCH]
            found = [[(e["location"].partition("#")[2], e["title"], e["text"]) for e in by_page[u]] for u in batch]
            calls = [(entries, tags[url]) for url, entries in zip(batch, found, strict=True)]
            yield from zip(batch, self._calls.map(index_page, calls), strict=True)


def _page_of(entry: Mapping[str, str]) -> str:
    return entry["location"].partition("#")[0]


def take_over(config: MkDocsConfig, calls: CachedCalls, planned: Set[str]) -> str:
    """Replace the index of Material's search plugin; return our worker's address, empty if none was replaced."""
    taken = ""
    plugins: list[Any] = list(config.plugins.values())
    for plugin in plugins:
        if type(plugin).__module__ == MATERIAL and plugin.config.enabled and not SEGMENTED & set(plugin.config.lang):
            plugin.search_index = ReaderIndex(plugin.search_index, config, calls, planned)
            code = (resources("generator") / "theme" / WORKER).read_bytes()
            taken = f"{WORKER}?{hashlib.sha256(code).hexdigest()[:8]}"
    return taken


def with_worker(html: str, worker: str) -> str:
    """Return a page of Material's with `worker` as its search worker."""
    return MATERIALS_WORKER.sub(rf'\g<1>{worker}"', html, count=1) if worker else html
