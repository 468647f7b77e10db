"""Material's search index, with cached entries and a faster HTML parser.

`search_sections` parses a page's HTML; where it returns ``None``, Material's parser is used.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from mkdocs.utils import write_file

from planbook_cache.disk import DiskCache
from planbook_cache.entries import Raw
from planbook_cache.versions import code_version
from planbook_speed import digests, internals
from planbook_speed.cached_page import digest_html, kept_html, strip_for_search
from planbook_speed.internals import material_search
from planbook_speed.page_html import strip_search_attributes
from planbook_speed.search_sections import SearchSection, parse_sections
from planbook_speed.site_files import SEARCH, SiteFiles

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page
    from mkdocs.utils.templates import TemplateContext

T = TypeVar("T")

INDEX = f"{SEARCH}search_index.json"


@dataclass(frozen=True, slots=True)
class AddedPage:
    """A page of the index."""

    key: str
    """The name of its entries in the cache."""
    page: Page
    html: Callable[[], str]
    """Returns its HTML as it was when it was added."""


class PageIndex(internals.SearchIndex):  # type: ignore[misc]
    """An index whose entries are cached by page, as JSON, and loaded when they are needed.

    Another plugin may index the entries in its own way, with a function that returns a value for
    the page and a text.
    """

    def __init__(self, config: Any, cache: DiskCache) -> None:
        self.config = config
        self.site: SiteFiles | None = None
        """The files of the site, once the build writes any."""
        self._cache = cache
        self._pages: list[AddedPage] = []
        self._loaded: list[Any] | None = None
        """The entries, once another plugin has asked for them: it may change them."""

    @property
    def entries(self) -> list[Any]:
        """The entries of all pages in Material's format; another plugin may change them."""
        if self._loaded is None:
            self._loaded = json.loads(f"[{','.join(self._json())}]")
        return self._loaded

    @entries.setter
    def entries(self, entries: list[Any]) -> None:
        self._loaded = entries

    def add_entry_from_context(self, page: Page) -> None:
        """Add a page."""
        if (page.meta.get("search") or {}).get("exclude"):
            return
        key = self.name_of(page)
        if key and self._loaded is None:
            self._pages.append(AddedPage(key, page, kept_html(page)))
        else:
            self.entries.extend(self._entries_of(page, page.content or ""))

    def write_into(self, site: SiteFiles) -> None:
        """Reuse files of the last build from now on, and record those of this one."""
        self.site = site

    def clear(self) -> None:
        """Forget all pages, which are to be added again."""
        self._pages = []
        self._loaded = None

    def prepare(
        self, page: Page, function: Callable[[list[Any]], tuple[object, str]] | None = None
    ) -> None:
        """Cache a page's entries, or what `function` returns for them."""
        key = self.name_of(page)
        if not key:
            return
        if function is None:
            self._cache.put(key, self._json_of(page, page.content or ""))
        elif not (page.meta.get("search") or {}).get("exclude"):
            self._index_page(key, function, page, page.content or "")

    def prepared(
        self, function: Callable[[list[Any]], tuple[T, str]], kind: type[T]
    ) -> list[tuple[str, Callable[[], T | None], Callable[[], str]]] | None:
        """Return the name, the value and the text of each page; see `EntryIndex`."""
        if self._loaded is not None:
            return None
        return [
            (
                page.key,
                partial(self._value_of, function, kind, page),
                partial(self._text_of, function, page),
            )
            for page in self._pages
        ]

    def earlier(self, kind: type[T]) -> Callable[[str], T | None]:
        """Return a function from the name of any build's content to its value.

        The value is ``None`` if it is not cached any more.
        """

        def value_of(key: str) -> T | None:
            """Return the value of a content."""
            pair = self._cache.get(_name_of_key(key), _first_of_pair(kind))
            return None if pair is None else pair[0]

        return value_of

    def _value_of(
        self, function: Callable[[list[Any]], tuple[T, str]], kind: type[T], page: AddedPage
    ) -> T | None:
        """Return the value that `function` returns for a page, from the cache if possible."""
        pair = self._cache.get(_name_of_key(page.key), _first_of_pair(kind))
        if pair is None:
            pair = self._index_page(page.key, function, page.page, page.html())
        return None if pair is None else pair[0]

    def _text_of(self, function: Callable[[list[Any]], tuple[object, str]], page: AddedPage) -> str:
        """Return the text that `function` returns for a page, from the cache if possible.

        Empty if the whole page is excluded.
        """
        pair = self._cache.get(_name_of_key(page.key), tuple[Raw, str])
        if pair is not None:
            return pair[1]
        made = self._index_page(page.key, function, page.page, page.html())
        return "" if made is None else made[1]

    def _index_page(
        self, key: str, function: Callable[[list[Any]], tuple[T, str]], page: Page, content: str
    ) -> tuple[T, str] | None:
        """Call `function` for a page and cache what it returns.

        ``None`` if the whole page is excluded.
        """
        entries = self._entries_of(page, content)
        if not entries:
            return None
        pair = function(entries)
        self._cache.put(_name_of_key(key), pair)
        return pair

    def name_of(self, page: Page) -> str:
        """Return the name of a page's cache entry; empty if it cannot be cached."""
        indexed = [
            page.url,
            str(page.meta.get("title", page.title)),
            page.meta.get("tags"),
            page.meta.get("search"),
        ]
        try:
            return digests.digest(
                "search", code_of_search(), digest_html(page), digests.canonical_text(indexed)
            )
        except digests.UnclearError:
            return ""

    def digest(self) -> str:
        """Return a digest of the index; empty if other plugins accessed its entries."""
        if self._loaded is not None:
            return ""
        return digests.digest(self._frame, *(page.key for page in self._pages))

    def settings(self) -> dict[str, Any]:
        """Return the settings of Material's search, which its index begins with."""
        settings: dict[str, Any] = json.loads(self._frame)["config"]
        return settings

    def write(self, path: str, key: str, make: Callable[[], str]) -> None:
        """Write a file of the index, unless the last build's has the same `key`."""
        if self.site is None:
            write_file(make().encode(), path)
            return
        dest_uri = path.removeprefix(f"{self.site.folder}/")
        if not self.site.reuse_if_same(dest_uri, key):
            write_file(make().encode(), path)
            self.site.add_of_search(dest_uri, key)

    def generate_search_index(self, prev: Any) -> str:
        """Return the index as JSON in Material's format."""
        if self._loaded is not None:
            return str(super().generate_search_index(prev))
        return f"{self._frame.removesuffix(']}')}{','.join(self._json())}]}}"

    @cached_property
    def _frame(self) -> str:
        """The index as JSON without entries: its end is their place."""
        empty = material_search.SearchIndex()
        empty.config = self.config
        return str(empty.generate_search_index(None))

    def _json(self) -> Iterator[str]:
        """Yield the entries of each page as JSON, without the brackets around them."""
        for page in self._pages:
            entries = self._cache.get(page.key, str)
            if entries is None:  # they were never written, or were damaged
                entries = self._json_of(page.page, page.html())
                self._cache.put(page.key, entries)
            if entries:
                yield entries

    def _json_of(self, page: Page, content: str) -> str:
        """Return the entries of a page as JSON, without the brackets around them."""
        entries = self._entries_of(page, content)
        return json.dumps(entries, separators=(",", ":"), default=str)[1:-1]

    def _entries_of(self, page: Page, content: str) -> list[Any]:
        """Return the entries of a page as Material's index makes them."""
        index = material_search.SearchIndex()
        for section in read_sections(content):
            if not section.is_excluded:
                # Material searches the table of contents for a heading's address, which is known
                # anyway.
                index.create_entry_for_section(section, (), page.url, page)
        entries: list[Any] = index.entries
        return entries


@functools.cache
def code_of_search() -> str:
    """Return the digest of the code of Material's search index and of its parser of pages."""
    definitions = (
        material_search.SearchPlugin.on_page_context,
        material_search.SearchPlugin.on_post_build,
        material_search.SearchIndex,
        material_search.Parser,
        material_search.Section,
        material_search.Element,
    )
    return digests.digest(*map(inspect.getsource, definitions), repr(sorted(material_search.void)))


def _name_of_key(key: str) -> str:
    return digests.digest(key, code_version("planbook_speed"))


def _first_of_pair(kind: type[T]) -> type[tuple[T, Any]]:
    """Return the type of a cached pair of which only the first part is read."""
    return tuple[kind, Raw]  # type: ignore[valid-type]


class CachedSearch:
    """The events of Material's search plugin, with a `PageIndex`.

    Args:
        plugin: Material's plugin.
        cache: has the entries of pages.
        is_nested: returns True in a build within this one.
    """

    def __init__(self, plugin: Any, cache: DiskCache, is_nested: Callable[[], bool]) -> None:
        self._is_nested = is_nested
        self._plugin = plugin
        self._add = plugin.on_page_context
        self._write = plugin.on_post_build
        self.index = PageIndex(plugin.search_index.config, cache)
        plugin.search_index = self.index

    def prepare(self, page: Page) -> None:
        """Index a page ahead, in a worker."""
        self._plugin.search_index.prepare(page)

    def write_ahead(self, pages: Iterable[Page], config: MkDocsConfig) -> None:
        """Write the index of `pages` ahead, in a worker."""
        for page in pages:
            self.index.add_entry_from_context(page)
        self.on_post_build(config=config)

    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Add a page to the index, and remove search attributes from its HTML.

        Material's plugin does so, too.
        """
        if self._is_nested():  # that build has an index of its own
            self._add(context, page=page, config=config, nav=nav)
            return
        self.index.add_entry_from_context(page)
        strip_for_search(page)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the index, unless it is that of the last build.

        Then its files are there for the plugins to come.
        """
        if self._is_nested():  # that build has an index of its own
            self._write(config=config)
            return
        site = self.index.site
        if site is None:
            self._write(config=config)
            return
        self._write_or_reuse(site, config)
        if not site.previous_site.is_exclusive:
            site.previous_site.restore_approved()

    def _write_or_reuse(self, site: SiteFiles, config: MkDocsConfig) -> None:
        digest = _digest_of(self._plugin.search_index)
        if not digest:  # another plugin may have changed the entries
            self._write(config=config)
            return
        key = _name_of_key(digest)
        site.ready.receive(INDEX)
        previous = site.previous(INDEX)
        if previous is not None and previous.key == key:
            files = site.previous_search_files()
            if all(site.reuse_if_same(dest_uri, file.key) for dest_uri, file in files.items()):
                return
        self._write(config=config)
        site.add_of_search(INDEX, key)


def _digest_of(index: Any) -> str:
    """Return the digest of an index; empty for one of another plugin's that has none."""
    digest = getattr(index, "digest", None)
    return str(digest()) if callable(digest) else ""


def take_over(
    config: MkDocsConfig, cache: DiskCache, is_nested: Callable[[], bool]
) -> list[CachedSearch]:
    """Replace the indexing of pages in Material's search plugins, if the result is the same."""
    searches: list[CachedSearch] = []
    if internals.SEARCH.why_not:
        return searches
    for listener in list(config.plugins.events["page_context"]):
        plugin: Any = getattr(listener, "__self__", None)
        if _is_usual_search(plugin, config):
            write = plugin.on_post_build
            search = CachedSearch(plugin, cache, is_nested)
            internals.replace_listener(config, "page_context", listener, search.on_page_context)
            internals.replace_listener(config, "post_build", write, search.on_post_build)
            searches.append(search)
    return searches


def _is_usual_search(plugin: Any, config: MkDocsConfig) -> bool:
    """Return True for Material's search plugin whose index is as ours."""
    if type(plugin) is not material_search.SearchPlugin or not plugin.config.enabled:
        return False
    if type(plugin.search_index) is not material_search.SearchIndex:  # another plugin's
        return False
    if plugin.on_post_build not in config.plugins.events["post_build"]:
        return False
    if material_search.jieba is not None:  # its word segmentation depends on dictionaries
        return False
    return indexes_as_material()


SAMPLE = """<h1 id="a">A &amp; <code>b</code></h1>
<p>One <em>two</em> <a href="x#y" class="z">three</a><br>four &lt;five&gt;, \
<sub>6</sub> <img alt="seven" src="8"></p>
<ul>
<li>nine<ol><li>ten</li></ol></li>
</ul>
<div class="highlight"><pre><span></span><code><span class="k">def</span> f():
    <span class="n">pass</span>
</code></pre></div>
<h2 data-search-exclude="" id="b">Left out\
<a class="headerlink" href="#b" title="Permanent link">#</a></h2>
<p>No one finds this.</p>
<h2 id="c"><strong>C</strong><a class="headerlink" href="#c" title="Permanent link">#</a></h2>
<div data-search-exclude=""><p>Nor this.</p></div>
<table><thead><tr><th>h</th></tr></thead><tbody><tr><td>cell</td></tr></tbody></table>
<h3 id="d">D</h3>
<blockquote><p>Quoted — “words”.</p></blockquote>
"""
"""A page with everything that the index treats in a way of its own."""


@functools.cache
def indexes_as_material() -> bool:
    """Return True if we make the same of a sample page as the installed Material's search."""
    meta = {"tags": ["t", 1], "search": {"boost": 2}}
    page: Any = SimpleNamespace(url="u/", title="T", meta=meta, toc=(), content=SAMPLE)
    theirs = material_search.SearchIndex()
    listener = SimpleNamespace(config=SimpleNamespace(enabled=True), search_index=theirs)
    ours = PageIndex({}, DiskCache(Path()))._entries_of(page, SAMPLE)
    try:
        material_search.SearchPlugin.on_page_context(listener, {}, page=page, config=None, nav=None)
    except (AttributeError, TypeError, KeyError):  # it needs something else now
        return False
    return (
        parse_sections(SAMPLE) is not None
        and ours == theirs.entries
        and page.content == strip_search_attributes(SAMPLE)
    )


def read_sections(content: str) -> list[SearchSection]:
    """Return all sections of a page's HTML.

    Our parser reads them if its result certainly matches Material's.
    """
    own_sections = parse_sections(content)
    if own_sections is not None:
        return own_sections
    parser = material_search.Parser()
    parser.feed(content)
    parser.close()
    return [SearchSection("", 0, s.is_excluded(), s.id, s.title, s.text) for s in parser.data]
