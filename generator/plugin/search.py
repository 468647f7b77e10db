"""Search for readers, with our index and our worker, and templates without indentation."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Set
from importlib.resources import files as resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mkdocs.utils import write_file

from generator.cache import DiskCache, code_version
from generator.speed.protocol import EntryIndex, PureExtension
from generator.views.search import IndexedPage, WordIndex, index_page, search_files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page as MkDocsPage


MATERIAL = "material.plugins.search.plugin"
SEGMENTED = frozenset({"hi", "ja", "ko", "th", "zh"})
"""Languages whose words Material's search finds with dictionaries; they keep its index."""
WORKER = "assets/planbook/search.js"
MATERIALS_WORKER = "assets/javascripts/workers/search."
"""The beginning of the address of Material's worker, in the settings that each page ends with."""
PLANNED = 0.6
"""The boost of a page that is not written yet."""
HIGHLIGHTED = r"[\s\"]+"
"""Between the words that Material highlights on a page."""


class ReaderIndex:
    """Takes the place of an index of Material's search plugin, and writes its entries in many small files.

    Args:
        index: the index that collects the entries: Material's, or that of planbook-speed.
        config: MkDocs' configuration.
        disk: keeps the words of all pages for the next build.
        planned: the addresses of pages that are not written yet.
    """

    version = code_version()
    """A digest of our code, as of a `VersionedIndex`."""

    def __init__(self, index: Any, config: MkDocsConfig, disk: DiskCache, planned: Set[str]) -> None:
        self._index, self._disk = index, disk
        name = f"search\n{code_version()}\n{config.config_file_path}"
        self._name = hashlib.sha256(name.encode()).hexdigest()
        self._boosts = dict.fromkeys(planned, PLANNED)
        self._folder = f"{config.site_dir}/search"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def prepare(self, page: MkDocsPage) -> None:
        """Index a page ahead; planbook-speed calls this in each of its processes."""
        if isinstance(self._index, EntryIndex):
            self._index.prepare(page, index_page)

    def generate_search_index(self, prev: Any) -> str:
        """Write the files, and return what Material's interface still reads: the configuration."""
        entries = self._index if isinstance(self._index, EntryIndex) else None
        pages = entries.prepared(index_page, IndexedPage) if entries else None
        index = (self._disk.get(self._name, WordIndex) if pages else None) or WordIndex()
        if pages is None or entries is None:
            made = json.loads(self._index.generate_search_index(prev))
            config, pages = made["config"], [_indexed(group) for group in groupby(made["docs"], _page_of)]
            index.update([(name, page) for name, page, _ in pages], lambda _: None)
        else:
            config = entries.settings()
            index.update([(name, page) for name, page, _ in pages], entries.earlier(IndexedPage))
        write = entries.write if entries else _write
        for file in search_files(index, {name: text for name, _, text in pages}, self._boosts):
            write(f"{self._folder}/{file.path}", file.key, file.make)
        if entries:
            self._disk.put(self._name, index)
        return json.dumps({"config": config | {"separator": HIGHLIGHTED}, "docs": []})


def _indexed(
    group: tuple[str, Iterator[Mapping[str, Any]]],
) -> tuple[str, Callable[[], IndexedPage], Callable[[], str]]:
    page, text = index_page(list(group[1]))
    return group[0], lambda: page, lambda: text


def _write(path: str, _key: str, make: Callable[[], str]) -> None:
    write_file(make().encode(), path)


def _page_of(entry: Mapping[str, str]) -> str:
    return entry["location"].partition("#")[0]


def take_over(config: MkDocsConfig, disk: DiskCache, planned: Set[str]) -> str:
    """Replace the index of Material's search plugin; return our worker's address, empty if none was replaced."""
    taken = ""
    plugins: list[Any] = list(config.plugins.values())
    for plugin in plugins:
        if type(plugin).__module__ == MATERIAL and plugin.config.enabled and not SEGMENTED & set(plugin.config.lang):
            plugin.search_index = ReaderIndex(plugin.search_index, config, disk, planned)
            code = (resources("generator") / "theme" / WORKER).read_bytes()
            taken = f"{WORKER}?{hashlib.sha256(code).hexdigest()[:8]}"
    return taken


def with_worker(html: str, worker: str) -> str:
    """Return a page of Material's with `worker` as its search worker."""
    at = html.rfind(MATERIALS_WORKER) if worker else -1
    begin, end = html.rfind('"', 0, at) + 1, html.find('"', at)
    if at < 0 or not html[:begin].endswith(('"search": "', '"search":"')):
        return html
    return f"{html[:at]}{worker}{html[end:]}"


# --- templates -----------------------------------------------------------------------------------------------------


INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
LINE_OF_TAG = re.compile(
    r"\n\{%(?![-+])(\s*(?:if|elif|else|endif|for|endfor|set|with|endwith|macro|endmacro|import|from)\b"
    r"(?:(?!%\}).)*(?<![-+]))%\}(?=\n)"
)
"""A tag alone on its line. The line's end stays: it may separate two words, or two attributes of an element."""
KEEPS_BLANKS = ("<pre", "<textarea")


class CompactTemplates(PureExtension):
    """Compiles templates without the blanks that only make them easier to read."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template that is compiled. Its lines keep their numbers."""
        if any(tag in source for tag in KEEPS_BLANKS):
            return source
        return LINE_OF_TAG.sub(r"\n{%-\1%}", INDENTATION.sub("", source))
