"""Material's search index, with cached entries and a faster HTML parser.

Material uses Python's HTML parser for each page. Python-Markdown's output is nearly always simple:
here, HTML is split at angle brackets, and repeated tags are parsed once. For more complex HTML,
`sections` returns ``None``, and Material's parser is used.
"""

from __future__ import annotations

import functools
import html
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from mkdocs.utils import write_file

from planbook_speed import digests, internals, pages
from planbook_speed.cache import DiskCache, Raw, code_version
from planbook_speed.internals import material_search
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
            self._pages.append(AddedPage(key, page, pages.kept_html(page)))
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
            self._indexed(key, function, page, page.content or "")

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
            pair = self._indexed(page.key, function, page.page, page.html())
        return None if pair is None else pair[0]

    def _text_of(self, function: Callable[[list[Any]], tuple[object, str]], page: AddedPage) -> str:
        """Return the text that `function` returns for a page, from the cache if possible.

        Empty if the whole page is excluded.
        """
        pair = self._cache.get(_name_of_key(page.key), tuple[Raw, str])
        if pair is not None:
            return pair[1]
        made = self._indexed(page.key, function, page.page, page.html())
        return "" if made is None else made[1]

    def _indexed(
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
        facts = [
            page.url,
            str(page.meta.get("title", page.title)),
            page.meta.get("tags"),
            page.meta.get("search"),
        ]
        try:
            return digests.digest(
                "search", code_of_search(), pages.html_digest(page), digests.canonical_text(facts)
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
        uri = path.removeprefix(f"{self.site.folder}/")
        if not self.site.reuse_if_same(uri, key):
            write_file(make().encode(), path)
            self.site.add(uri, key)

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
    parts = (
        material_search.SearchPlugin.on_page_context,
        material_search.SearchPlugin.on_post_build,
        material_search.SearchIndex,
        material_search.Parser,
        material_search.Section,
        material_search.Element,
    )
    return digests.digest(*map(inspect.getsource, parts), repr(sorted(material_search.void)))


def _name_of_key(key: str) -> str:
    return digests.digest(key, code_version())


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
        pages.strip_for_search(page)

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
        if not site.last_site.all_files:
            site.last_site.flush()

    def _write_or_reuse(self, site: SiteFiles, config: MkDocsConfig) -> None:
        digest = _digest_of(self._plugin.search_index)
        if not digest:  # another plugin may have changed the entries
            self._write(config=config)
            return
        key = _name_of_key(digest)
        site.ready.receive(INDEX)
        last = site.last(INDEX)
        if last is not None and last.key == key:
            files = site.last_of_search()
            if all(site.reuse_if_same(uri, file.key) for uri, file in files.items()):
                return
        self._write(config=config)
        site.add(INDEX, key)


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
        sections(SAMPLE) is not None
        and ours == theirs.entries
        and page.content == pages.without_search_attributes(SAMPLE)
    )


def read_sections(content: str) -> list[SearchSection]:
    """Return all sections of a page's HTML.

    Our parser reads them if its result certainly matches Material's.
    """
    own_sections = sections(content)
    if own_sections is not None:
        return own_sections
    parser = material_search.Parser()
    parser.feed(content)
    parser.close()
    return [SearchSection("", 0, s.is_excluded(), s.id, s.title, s.text) for s in parser.data]


HEAD = re.compile(
    r'<([a-z][a-z0-9]*)((?:[ \t]+[a-zA-Z_:@][-a-zA-Z0-9_:.@]*(?:="[^"]*")?)*)[ \t]*(/?)', re.ASCII
)
ATTRIBUTE = re.compile(r'([a-zA-Z_:@][-a-zA-Z0-9_:.@]*)(?:="([^"]*)")?', re.ASCII)
TAIL = re.compile(r"</([a-z][a-z0-9]*)", re.ASCII)
TAG = re.compile(r"(<[^<>]*)>")
LINK = re.compile('<a href="[^"<>]*"')
PERMALINK = re.compile('<a class="headerlink" href="[^"<>]*"')
COMMENT = re.compile(r"<!--(?:[^-<>]|-(?!-))*-->")
"""A comment that every version of Python's parser reads alike; Material's ignores it, but not what
it separates."""
UNUSUAL = re.compile("&(?!(?:amp|lt|gt|quot|#39|para);)")
"""The start of a character reference that Python-Markdown and Pygments do not write."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
SKIPPED = frozenset({"object", "script", "style"})
INDEXED_TAGS = ("p", "code", "pre", "li", "ol", "ul", "sub", "sup")
"""Tags that the index preserves."""
EMPTY = re.compile(rf"<({'|'.join(INDEXED_TAGS)})>[\s\0]*</\1>")
VOID = frozenset(
    re.findall(r"\w+", "area base br col embed hr img input link meta param source track wbr")
)
RAW = frozenset(
    re.findall(r"\w+", "iframe noembed noframes noscript plaintext script style textarea title xmp")
)
"""Elements whose contents are not markup, or are not treated as markup by some versions of
Python."""
SIMPLE_RAW = frozenset({"script", "style", "title"})
"""Those of them that are parsed here if they contain only text."""

SPAN = re.compile(r'<span class="(?!linenodiv)[\w -]*">([^<>]*)</span>', re.ASCII)
"""The markup of a token in such a block, of which the index preserves the text alone."""
SPACE = "\x1c"
"""In place of white space between two tags."""
LINE_END = "\x1d"
"""In place of the end of a line of code."""
KEPT = "\0"
"""Before white space in code, which the index preserves."""
SPACES = re.compile(f"{SPACE}{SPACE}+")
SPACE_IN_CODE = re.compile(r">(?=[\s&])")


@dataclass(slots=True)
class SearchSection:
    """A heading and the text below it."""

    tag: str
    depth: float
    is_excluded: bool = False
    id: str | None = None
    title: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Tag:
    """A start tag or an end tag."""

    name: str
    step: int = 0
    """The number of elements that it opens."""
    piece: str = ""
    """The tag in the index."""
    is_special: bool = False
    """True for the start of a heading, a permalink, and an element whose contents are skipped or
    must be text."""
    id: str | None = None
    is_permalink: bool = False
    is_excluded: bool = False
    is_skipped: bool = False
    """True if the element's contents are skipped."""


class NotPlainError(Exception):
    """The HTML is too complex for this module."""


def sections(page: str) -> list[SearchSection] | None:
    """Return the sections of a page's HTML, or ``None`` if it is too complex."""
    try:
        return _SectionParser(page).read()
    except (NotPlainError, ValueError):  # ValueError: an element without an end
        return None


_IGNORED = Tag("br")
"""A tag that opens no element and is not in the index."""
_MOST_TAGS = 10_000
"""The number of tags that are remembered."""


class _Tags(dict[str, Tag]):
    """Tags by their text without the last bracket."""

    def __missing__(self, head: str) -> Tag:
        tag = _read_tag(head)
        if len(self) < _MOST_TAGS and tag.id is None:
            self[head] = tag
        return tag


_TAGS = _Tags({"<!----": _IGNORED})


def _read_tag(head: str) -> Tag:
    """Return a tag.

    Raises:
        NotPlainError: it is not a tag with quoted attributes.
    """
    tail = TAIL.fullmatch(head)
    if tail:
        return Tag(tail[1], -1, f"{head}>" if tail[1] in INDEXED_TAGS else "")
    match = HEAD.fullmatch(head)
    if not match or match[1] in RAW - SIMPLE_RAW:
        raise NotPlainError
    name = match[1]
    attributes = _read_attributes(match[2])
    is_closed_at_once = bool(match[3])
    if name in VOID:
        return _IGNORED
    return _opening_tag(name, attributes, is_closed_at_once=is_closed_at_once)


def _opening_tag(name: str, attributes: Mapping[str, str], *, is_closed_at_once: bool) -> Tag:
    """Return the tag that opens an element. Raises NotPlainError."""
    anchor = _require_plain_anchor(name, attributes)
    # Of the significant attributes, the first counts: both mean the same.
    is_excluded = "data-search-exclude" in attributes
    is_skipped = is_excluded or attributes.get("class") == "linenodiv" or name in SKIPPED
    is_permalink = name == "a" and attributes.get("class") == "headerlink"
    is_special = is_skipped or is_permalink or name in HEADINGS or name in RAW
    if is_closed_at_once and (is_special or name in INDEXED_TAGS):
        raise NotPlainError
    piece = f"<{name}>" if name in INDEXED_TAGS else ""
    opens = not is_closed_at_once
    return Tag(name, opens, piece, is_special, anchor, is_permalink, is_excluded, is_skipped)


def _require_plain_anchor(name: str, attributes: Mapping[str, str]) -> str | None:
    """Return a heading's id. Raises NotPlainError if Material's parser reads it differently."""
    anchor = attributes.get("id") if name in HEADINGS else None
    if anchor is not None and (not anchor or "&" in anchor or " " in anchor):
        raise NotPlainError
    return anchor


def _read_attributes(written: str) -> dict[str, str]:
    """Return a tag's attributes. Raises NotPlainError if one is there twice."""
    pairs = ATTRIBUTE.findall(written)
    attributes = {key.lower(): value for key, value in pairs}
    if len(attributes) != len(pairs):
        raise NotPlainError
    return attributes


def _code_and_text(page: str) -> Iterator[str]:
    """Yield the parts of a page.

    These are blocks of code without the markup of tokens, and other text without line ends.

    Raises:
        NotPlainError: blocks have no end, or are in each other.
    """
    before, *blocks = page.split("<pre")
    yield before.replace("\n", " ")
    for block in blocks:
        code, end, after = block.partition("</pre>")
        if not end:
            raise NotPlainError
        code = SPACE_IN_CODE.sub(f">{KEPT}", "".join(SPAN.split(code)))
        yield f"<pre{code.replace(chr(10), LINE_END)}</pre>{after.replace(chr(10), ' ')}"


def _as_indexed(text: str) -> str:
    """Return text as it is in the index, without elements that contain only white space.

    Of those with one name, Material leaves out the first ones of a section.
    """
    places: dict[str, int] = {}

    def without_first(match: re.Match[str]) -> str:
        """Return an empty element if it stays: there is another of its name before it."""
        name = match[1]
        first = text.find(f"<{name}>", places.get(name, 0))
        if first != match.start():
            places[name] = first
            return match[0]
        places[name] = first + 1
        return ""

    # An element that contains only empty ones is empty when they are gone.
    while (shorter := EMPTY.sub(without_first, text)) != text:
        text = shorter
        places = {}
    text = SPACES.sub(SPACE, text).replace(SPACE, " ").replace(LINE_END, "\n").replace(KEPT, "")
    if "&" not in text:
        return text
    return text.replace("&quot;", '"').replace("&#39;", "'").replace("&para;", "¶")


class _SectionParser:
    """Reads a page's HTML.

    Text and tags are read at once, and tags that do more than occur one by one.
    """

    def __init__(self, page: str) -> None:
        if SPACE in page or LINE_END in page or KEPT in page:
            raise NotPlainError
        if "<!--" in page:
            page = COMMENT.sub("<!---->", page)
        page = "".join(_code_and_text(page))
        page = PERMALINK.sub('<a class="headerlink"', LINK.sub("<a", page))
        is_plain = page.count("<") == page.count(">")
        parts = page.replace("<", "><").split(">") if is_plain else TAG.split(page)
        if page.count("<") != len(parts) // 2 or "&" in parts[-1]:
            # At the end, Python's parser waits for the rest of a character reference.
            raise NotPlainError
        if not is_plain or UNUSUAL.search(page):
            parts[::2] = [
                html.escape(html.unescape(text), quote=False)
                if "&" in text or ">" in text
                else text
                for text in parts[::2]
            ]
        self.tags = list(map(_TAGS.__getitem__, parts[1::2]))
        self.close()
        if not page.count("<pre") == page.count("</pre>") == self.tags.count(_TAGS["</pre"]):
            raise NotPlainError
        self.depths = list(accumulate([tag.step for tag in self.tags]))
        """The number of open elements after each tag."""
        parts[::2] = [SPACE if text.isspace() else text for text in parts[::2]]
        parts[1::2] = [tag.piece for tag in self.tags]
        self.parts = parts
        """The text before each tag, and the tag."""

    def close(self) -> None:
        """Ignore end tags of elements that are not the last one opened."""
        names: list[str] = []
        for n, tag in enumerate(self.tags):
            if tag.step > 0:
                names.append(tag.name)
            elif tag.step:
                if names and names[-1] == tag.name:
                    names.pop()
                else:
                    self.tags[n] = _IGNORED

    def read(self) -> list[SearchSection]:
        """Return the sections.

        Tags are counted by themselves, and among the parts, where texts are between them::

            index   0     1    2     3    4     5    6
            parts   text  tag  text  tag  text  tag  text
            tag n         0          1          2              count = 3

        So tag ``n`` is part ``2 * n + 1`` (`_part`), and the parts on both sides of it are texts.
        """
        count = len(self.tags)
        headings = [*self._remove_skipped(), (count, 0)]
        sections = self._section_above(headings[0][0])
        section = sections[-1] if sections else SearchSection("", 0)
        begin = at = 0
        """The first part and the first tag that are in no section yet."""
        for n, end in headings:
            # A section ends with the element that it is in; the one around it goes on.
            while section.depth > 1:
                closing = self._end_of_element(at, n, section.depth)
                above = _section_around(section, sections)
                if closing == n or above is None:
                    break
                section.text.append(self._text(begin, closing))
                section.depth = float("inf")
                section = above
                begin = _part(closing)  # the closing tag is part of the section around
                at = closing + 1
            section.text.append(self._text(begin, n))
            if n < count:
                tag = self.tags[n]
                anchor = tag.id if sections else None
                section = SearchSection(tag.name, self.depths[n], tag.is_excluded, anchor)
                title = _as_indexed(self._text(_part(n) + 1, end).replace(SPACE, " "))
                if title:
                    section.title.append(title)
                sections.append(section)
                begin = _part(end) + 1  # behind the heading's end tag
                at = n + 1
        self._join_texts(sections)
        return sections

    def _remove_skipped(self) -> list[tuple[int, int]]:
        """Remove what the index skips; return the start and the end tag of each heading in it.

        A heading in the index has an address.
        """
        tags = self.tags
        depths = self.depths
        headings: list[tuple[int, int]] = []
        names = set[str]()
        after = title = 0
        """The end of the special elements so far, and of the last heading with an address."""
        for n in [n for n, tag in enumerate(tags) if tag.is_special]:
            tag = tags[n]
            end = depths.index(depths[n] - 1, n + 1)  # the tag that closes it
            if tag.name in RAW and (end != n + 1 or "&" in self.parts[_part(end) - 1]):
                raise NotPlainError
            # A heading within another special element, or one without an address below others.
            is_nested = n < after if tag.id is not None else tag.name in names
            if is_nested:
                raise NotPlainError
            after = max(after, end)
            if tag.id is not None:
                title = end
                headings.append((n, end))
                names.add(tag.name)
            if tag.is_skipped:
                self._remove_element(n, end)
            elif tag.is_permalink and n < title:
                self._remove_texts(n, end)
        return headings

    def _remove_element(self, n: int, end: int) -> None:
        """Remove an element that the index skips, with its tags. Raises NotPlainError.

        Material's parser does not skip any more after the end of another element with its name.
        """
        tag = self.tags[n]
        stop = end if tag.name in SKIPPED else self.tags.index(_TAGS[f"</{tag.name}"], n)
        if stop != end and (tag.piece or self.depths[stop] != self.depths[n]):
            raise NotPlainError
        removed = slice(_part(n), _part(stop) + 1)
        self.parts[removed] = [""] * len(self.parts[removed])

    def _remove_texts(self, n: int, end: int) -> None:
        """Remove the texts between two tags; the tags stay."""
        texts = slice(_part(n) + 1, _part(end), 2)
        self.parts[texts] = [""] * (end - n)

    def _section_above(self, first: int) -> list[SearchSection]:
        """Return a section for what is above the first heading, the tag `first`, if any."""
        tags_above = self.tags[:first]
        has_content = any(tag is not _IGNORED for tag in tags_above)
        has_text = any(self.parts[: _part(first) : 2])
        if has_content or has_text:
            return [SearchSection("hx", 0)]
        if first < len(self.tags) and self.tags[first].name != "h1":
            return [SearchSection("hx", self.depths[first])]
        return []

    def _text(self, begin: int, end: int) -> str:
        """Return the parts from `begin` up to the text before the tag `end`."""
        return "".join(self.parts[begin : _part(end)])

    def _end_of_element(self, begin: int, end: int, depth: float) -> int:
        """Return the first tag from `begin` on that closes the element of a section, else `end`."""
        tags = range(begin, end)
        return next((n for n in tags if self.depths[n] < depth - 1), end)

    def _join_texts(self, sections: Sequence[SearchSection]) -> None:
        """Join the texts of each section. Raises NotPlainError if elements overlap sections."""
        is_nested = any(section.depth > 1 for section in sections)
        for section in sections:
            text = "".join(section.text)
            if is_nested and not _is_whole(text):
                raise NotPlainError
            section.text = [_as_indexed(text)]


def _part(n: int) -> int:
    """Return the place of a tag among the parts."""
    return 2 * n + 1


def _section_around(
    section: SearchSection, sections_before: Sequence[SearchSection]
) -> SearchSection | None:
    """Return the last section whose element is around that of `section`."""
    return next((other for other in reversed(sections_before) if other.depth < section.depth), None)


def _is_whole(text: str) -> bool:
    """Return True if elements of a section end in it, and none is empty."""
    places = [(text.find(f"<{name}>"), text.find(f"</{name}>")) for name in INDEXED_TAGS]
    return all(end < 0 or 0 <= start < end for start, end in places) and not EMPTY.search(text)
