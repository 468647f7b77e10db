"""Search for readers: Material's interface, with our index and our worker."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files as resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mkdocs.utils import write_file

from generator.cache import FunctionCache, code_version
from generator.views.search import index_page, search_files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

MATERIAL = "material.plugins.search.plugin"
SEGMENTED = frozenset({"hi", "ja", "ko", "th", "zh"})
"""Languages whose words Material's search finds with dictionaries; they keep its index."""
WORKER = "assets/planbook/search.js"
MATERIALS_WORKER = re.compile(r'("search": ?"[^"]*?)assets/javascripts/workers/search\.\w+\.min\.js"')
HIGHLIGHTED = r"[\s\"]+"
"""Between the words that Material highlights on a page."""


class ReaderIndex:
    """Takes the place of an index of Material's search plugin, and writes its entries in many small files.

    Args:
        index: the index that collects the entries.
        config: MkDocs' configuration.
        calls: the cache of results.
    """

    version = code_version()
    """Read by planbook-speed, which keeps the files of the last build if no entry has changed."""

    def __init__(self, index: Any, config: MkDocsConfig, calls: FunctionCache) -> None:
        self._index, self._calls = index, calls
        self._folder = f"{config.site_dir}/search"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def generate_search_index(self, prev: Any) -> str:
        """Write the files, and return what Material's interface still reads: the configuration."""
        made = json.loads(self._index.generate_search_index(prev))
        urls, pages, tags, boosts = [], [], {}, {}
        for url, group in groupby(made["docs"], lambda entry: entry["location"].partition("#")[0]):
            entries = list(group)
            urls.append(url)
            tags[url] = entries[0].get("tags", [])
            boosts[url] = entries[0].get("boost", 1)
            pages.append(([(e["location"].partition("#")[2], e["title"], e["text"]) for e in entries], tags[url]))
        indexed = self._calls.map(index_page, pages)
        for path, text in search_files(list(zip(urls, indexed, strict=True)), tags, boosts).items():
            write_file(text.encode(), f"{self._folder}/{path}")
        return json.dumps({"config": made["config"] | {"separator": HIGHLIGHTED}, "docs": []})


def take_over(config: MkDocsConfig, calls: FunctionCache) -> str:
    """Replace the index of Material's search plugin; return the address of our worker, empty if nothing was replaced."""
    taken = ""
    plugins: list[Any] = list(config.plugins.values())
    for plugin in plugins:
        if type(plugin).__module__ == MATERIAL and plugin.config.enabled and not SEGMENTED & set(plugin.config.lang):
            plugin.search_index = ReaderIndex(plugin.search_index, config, calls)
            code = (resources("generator") / "theme" / WORKER).read_bytes()
            taken = f"{WORKER}?{hashlib.sha256(code).hexdigest()[:8]}"
    return taken


def with_worker(html: str, worker: str) -> str:
    """Return a page of Material's with `worker` as its search worker."""
    return MATERIALS_WORKER.sub(rf'\g<1>{worker}"', html, count=1) if worker else html
