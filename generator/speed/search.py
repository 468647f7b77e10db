"""Material's search index, with cached entries and a faster HTML parser.

Material uses Python's HTML parser for each page. Python-Markdown's output is nearly always simple: here, HTML is split
at angle brackets, and repeated tags are parsed once. For more complex HTML, `sections` returns ``None``, and Material's
parser is used.
"""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from mkdocs.utils import write_file

from generator.cache import DiskCache, Raw, code_version
from generator.speed import internals, pages
from generator.speed.internals import material_search
from generator.speed.outputs import SEARCH, Outputs, Written, stamp

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page
    from mkdocs.utils.templates import TemplateContext

T = TypeVar("T")

INDEX = f"{SEARCH}search_index.json"


class PageIndex(material_search.SearchIndex):  # type: ignore[misc]
    """An index whose entries are cached by page, as JSON, and loaded when they are needed.

    Another plugin may index the entries in its own way, with a function that returns a value for the page and a text.
    """

    def __init__(self, config: Any, cache: DiskCache) -> None:
        self.config = config
        self.outputs: Outputs | None = None
        self._cache = cache
        self._pages: list[tuple[str, Page, Callable[[], str]]] = []
        """The name of each page's cache entry, and its HTML as it was when it was added."""
        self._loaded: list[Any] | None = None

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
            self._pages.append((key, page, pages.kept_html(page)))
        else:
            self.entries.extend(self._made(page, page.content or ""))

    def prepare(self, page: Page, function: Callable[[list[Any]], tuple[object, str]] | None = None) -> None:
        """Cache a page's entries, or what `function` returns for them."""
        key = self.name_of(page)
        if key and function is None:
            self._cache.put(key, self._made_json(page, page.content or ""))
        elif key and function is not None and not (page.meta.get("search") or {}).get("exclude"):
            self._indexed(key, function, page, page.content or "")

    def prepared(
        self, function: Callable[[list[Any]], tuple[T, str]], kind: type[T]
    ) -> list[tuple[str, Callable[[], T | None], Callable[[], str]]] | None:
        """Return the name, the value and the text of each page; see `EntryIndex`."""
        if self._loaded is not None:
            return None
        value, text = partial(self._part, function, 0, _first(kind)), partial(self._part, function, 1, tuple[Raw, str])
        return [(page[0], partial(value, *page), partial(text, *page)) for page in self._pages]

    def earlier(self, kind: type[T]) -> Callable[[str], T | None]:
        """Return a function that returns the value for the name of any build's content, if it is still cached."""
        return lambda key: (self._cache.get(_name(key), _first(kind)) or (None,))[0]

    def _part(  # noqa: PLR0913, PLR0917 - what it needs of a page
        self,
        function: Callable[[list[Any]], tuple[object, str]],
        number: int,
        kind: type[tuple[Any, Any]],
        key: str,
        page: Page,
        html: Callable[[], str],
    ) -> Any:
        found = self._cache.get(_name(key), kind) or self._indexed(key, function, page, html())
        return found and found[number]

    def _indexed(
        self, key: str, function: Callable[[list[Any]], tuple[T, str]], page: Page, content: str
    ) -> tuple[T, str] | None:
        """Call `function` for a page and cache what it returns; ``None`` if the whole page is excluded."""
        entries = self._made(page, content)
        if not entries:
            return None
        found = function(entries)
        self._cache.put(_name(key), found)
        return found

    def name_of(self, page: Page) -> str:
        """Return the name of a page's cache entry; empty if it cannot be cached."""
        facts = [page.url, str(page.meta.get("title", page.title)), page.meta.get("tags"), page.meta.get("search")]
        try:
            return internals.digest(
                "search", internals.code_of_search(), pages.html_digest(page), internals.canonical_text(facts)
            )
        except internals.UnclearError:
            return ""

    def digest(self) -> str:
        """Return a digest of the index; empty if other plugins accessed its entries."""
        return "" if self._loaded is not None else internals.digest(self._frame, *(key for key, _, _ in self._pages))

    def settings(self) -> dict[str, Any]:
        """Return the settings of Material's search, which its index begins with."""
        settings: dict[str, Any] = json.loads(self._frame)["config"]
        return settings

    def write(self, path: str, key: str, make: Callable[[], str]) -> None:
        """Write a file of the index, unless the last build's has the same `key`."""
        uri = path.removeprefix(f"{self.outputs.site}/") if self.outputs is not None else ""
        if self.outputs is None:
            write_file(make().encode(), path)
        elif not self.outputs.reuse(uri, key):
            write_file(make().encode(), path)
            self.outputs.now[uri] = Written(key, stamp=stamp(path) or [])

    def generate_search_index(self, prev: Any) -> str:
        """Return the index as JSON in Material's format."""
        if self._loaded is not None:
            return str(super().generate_search_index(prev))
        return f"{self._frame.removesuffix(']}')}{','.join(self._json())}]}}"

    @cached_property
    def _frame(self) -> str:
        empty = material_search.SearchIndex()
        empty.config = self.config
        return str(empty.generate_search_index(None))

    def _json(self) -> Iterator[str]:
        for key, page, html_of_page in self._pages:
            made = self._cache.get(key, str)
            if made is None:  # it was never written, or was damaged
                made = self._made_json(page, html_of_page())
                self._cache.put(key, made)
            if made:
                yield made

    def _made_json(self, page: Page, content: str) -> str:
        return json.dumps(self._made(page, content), separators=(",", ":"), default=str)[1:-1]

    def _made(self, page: Page, content: str) -> list[Any]:
        made = material_search.SearchIndex()
        for section in read_sections(content):
            if not section.is_excluded:
                # Material searches the table of contents for a heading's address, which is known anyway.
                made.create_entry_for_section(section, (), page.url, page)
        found: list[Any] = made.entries
        return found


def _name(key: str) -> str:
    return internals.digest(key, code_version())


def _first(kind: type[T]) -> type[tuple[T, Any]]:
    """Return the type of a cached pair of which only the first part is read."""
    return tuple[kind, Raw]  # type: ignore[valid-type]


class CachedSearch:
    """The events of Material's search plugin, with a `PageIndex`."""

    def __init__(self, plugin: Any, cache: DiskCache) -> None:
        self._plugin, self._write = plugin, plugin.on_post_build
        self.index = plugin.search_index = PageIndex(plugin.search_index.config, cache)

    def prepare(self, page: Page) -> None:
        """Index a page ahead, in a worker."""
        self._plugin.search_index.prepare(page)

    def write_ahead(self, pages: Iterable[Page], config: MkDocsConfig) -> None:
        """Write the index of `pages` ahead, in a worker."""
        for page in pages:
            self.index.add_entry_from_context(page)
        self.on_post_build(config=config)

    def on_page_context(self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
        """Add a page to the index, and remove search attributes from its HTML, as Material's plugin does."""
        self.index.add_entry_from_context(page)
        pages.strip_for_search(page)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the index, unless it is that of the last build."""
        key, outputs = self.index.digest(), self.index.outputs
        if not key or outputs is None:
            self._write(config=config)
            return
        key = _name(key)
        outputs.receive(INDEX)
        last = outputs.last.files.get(INDEX)
        if last is not None and last.key == key:
            every = {uri: written.key for uri, written in outputs.last.files.items() if uri.startswith(SEARCH)}
            if all(outputs.reuse(uri, of_file) for uri, of_file in every.items()):
                return
        self._write(config=config)
        outputs.now[INDEX] = Written(key, stamp=stamp(str(Path(config.site_dir) / INDEX)) or [])


def take_over(config: MkDocsConfig, cache: DiskCache) -> list[CachedSearch]:
    """Replace the indexing of pages in each of Material's search plugins, if the result is the same."""
    taken = []
    for method in list(config.plugins.events["page_context"]):
        plugin: Any = getattr(method, "__self__", None)
        is_search = type(plugin) is material_search.SearchPlugin and plugin.config.enabled
        if (
            is_search
            and type(plugin.search_index) is material_search.SearchIndex
            and plugin.on_post_build in config.plugins.events["post_build"]
            and material_search.jieba is None  # its word segmentation depends on dictionaries
            and indexes_as_material()
        ):
            write = plugin.on_post_build
            search = CachedSearch(plugin, cache)
            internals.replace_listener(config, "page_context", method, search.on_page_context)
            internals.replace_listener(config, "post_build", write, search.on_post_build)
            taken.append(search)
    return taken


SAMPLE = """<h1 id="a">A &amp; <code>b</code></h1>
<p>One <em>two</em> <a href="x#y" class="z">three</a><br>four &lt;five&gt;, <sub>6</sub> <img alt="seven" src="8"></p>
<ul>
<li>nine<ol><li>ten</li></ol></li>
</ul>
<div class="highlight"><pre><span></span><code><span class="k">def</span> f():
    <span class="n">pass</span>
</code></pre></div>
<h2 data-search-exclude="" id="b">Left out<a class="headerlink" href="#b" title="Permanent link">#</a></h2>
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
    """Return True if we make the same of a sample page as the installed version of Material's search."""
    meta = {"tags": ["t", 1], "search": {"boost": 2}}
    page: Any = SimpleNamespace(url="u/", title="T", meta=meta, toc=(), content=SAMPLE)
    theirs = material_search.SearchIndex()
    listener = SimpleNamespace(config=SimpleNamespace(enabled=True), search_index=theirs)
    ours = PageIndex({}, DiskCache(Path()))._made(page, SAMPLE)
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
    """Return all sections of a page's HTML, by our parser if its result certainly matches Material's."""
    found = sections(content)
    if found is not None:
        return found
    parser = material_search.Parser()
    parser.feed(content)
    parser.close()
    return [SearchSection("", 0, s.is_excluded(), s.id, s.title, s.text) for s in parser.data]


HEAD = re.compile(r'([a-z][a-z0-9]*)((?:[ \n\t]+[a-zA-Z_:@][-a-zA-Z0-9_:.@]*(?:="[^"]*")?)*)[ \n\t]*(/?)', re.ASCII)
ATTRIBUTE = re.compile(r'([a-zA-Z_:@][-a-zA-Z0-9_:.@]*)(?:="([^"]*)")?', re.ASCII)
LINK = re.compile(r'(a(?: class="headerlink")?) href="[^"]*"')
TAIL = re.compile(r"/([a-z][a-z0-9]*)", re.ASCII)

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
INDEXED_TAGS = frozenset({"p", "code", "pre", "li", "ol", "ul", "sub", "sup"})
"""Tags that the index preserves."""
VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905 - easier to read
)
RAW = frozenset("iframe noembed noframes noscript plaintext script style textarea title xmp".split())  # noqa: SIM905
"""Elements whose contents are not markup, or are not treated as markup by some versions of Python."""
SIMPLE_RAW = frozenset({"script", "style", "title"})
"""Those of them that are parsed here if they contain only text."""

CODE = re.compile("<pre>.*?</pre>", re.DOTALL)
SPAN = re.compile(r'<span class="(?!linenodiv)[\w -]*">([^<>]*)</span>', re.ASCII)
"""The markup of a token in such a block, of which the index preserves the text alone."""
_FIRST_GROUP = itemgetter(1)
"""The replacement ``\\1``, which Python would expand by a slower function for every match."""


@dataclass(slots=True)
class SearchSection:
    """A heading and the text below it."""

    tag: str
    depth: float
    is_excluded: bool = False
    id: str | None = None
    title: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tag:
    """A start tag or an end tag."""

    name: str
    is_end: bool = False
    is_closed: bool = False
    """True if the tag is self-closing."""
    id: str | None = None
    is_permalink: bool = False
    is_excluded: bool = False
    is_skipped: bool = False
    """True if the element's contents are skipped."""
    is_raw: bool = False
    """True if the element's contents must be text."""


class NotPlainError(Exception):
    """The HTML is too complex for this module."""


def sections(page: str) -> list[SearchSection] | None:
    """Return the sections of a page's HTML, or ``None`` if it is too complex."""
    try:
        return _SectionParser().read(page)
    except (
        NotPlainError,
        ValueError,
    ):  # ValueError: an end tag without a start tag, on which Material's parser fails too
        return None


COMMENT = re.compile(r"<!--(?:[^-<>]|-(?!-))*-->")
"""A comment that every version of Python's parser reads alike; Material's ignores it, but not what it separates."""
_TAGS: dict[str, Tag] = {"!----": Tag("br")}
_TAGS_AT_MOST = 10_000


def _tag(head: str) -> Tag:
    """Return the tag with the text between its angle brackets.

    Raises:
        NotPlainError: it is not a tag with quoted attributes.
    """
    if link := LINK.match(head):
        head = link[1] + head[link.end() :]
    tag = _TAGS.get(head)
    if tag is None:
        tag = _read_tag(head)
        if len(_TAGS) < _TAGS_AT_MOST and tag.id is None:
            _TAGS[head] = tag
    return tag


def _read_tag(head: str) -> Tag:
    if match := TAIL.fullmatch(head):
        return Tag(match[1], is_end=True)
    match = HEAD.fullmatch(head)
    if not match or match[1] in RAW - SIMPLE_RAW or (match[1] in RAW and match[3]):
        raise NotPlainError
    found = ATTRIBUTE.findall(match[2])
    attributes = {name.lower(): value for name, value in found}
    names = [name.lower() for name, _ in found]
    if len(attributes) != len(names):
        raise NotPlainError
    anchor = attributes.get("id")
    if anchor is not None and ("&" in anchor or not anchor or match[1] not in HEADINGS):
        if match[1] in HEADINGS:
            raise NotPlainError
        anchor = None
    # Of the significant attributes, the first counts: both mean the same.
    is_skipped = "data-search-exclude" in attributes or attributes.get("class") == "linenodiv"
    return Tag(
        match[1],
        is_closed=bool(match[3]),
        id=anchor,
        is_permalink=match[1] == "a" and attributes.get("class") == "headerlink",
        is_excluded="data-search-exclude" in attributes,
        is_skipped=is_skipped,
        is_raw=match[1] in RAW,
    )


class _SectionParser:
    """The state of the parser on one page."""

    def __init__(self) -> None:
        self.found: list[SearchSection] = []
        self.section = SearchSection("", 0)
        self.pieces: list[str] = []
        """The pieces that the current text is added to: those of the section's title, or of its text."""
        self.open: list[str] = []
        """The names of the open elements."""
        self.permalink = 0
        """The depth of an open permalink."""
        self.skipped = {"object", "script", "style"}
        self.skips = 0
        """The number of open elements that are skipped."""

    def read(self, page: str) -> list[SearchSection]:
        """Return the sections of a page's HTML."""
        page = COMMENT.sub("<!---->", page) if "<!--" in page else page
        page = CODE.sub(lambda block: SPAN.sub(_FIRST_GROUP, block[0]), page)
        if "&" in self.markup(page):  # at the end, Python's parser waits for the rest of a character reference
            raise NotPlainError
        return self.found

    def markup(self, page: str) -> str:
        """Read tags and text; return the text after the last tag."""
        text, *parts = page.split("<")
        if text:
            self.data(text)
        raw = ""
        for part in parts:
            head, text = part.split(">", 1)
            tag = _TAGS.get(head) or _tag(head)
            if raw or tag.is_raw:
                if (raw and not (tag.is_end and tag.name == raw)) or (tag.is_raw and "&" in text):
                    raise NotPlainError
                raw = tag.name if tag.is_raw else ""
            if tag.is_end:
                self.end(tag.name)
            elif tag.name not in VOID:
                self.start(tag)
                if tag.is_closed:
                    self.end(tag.name)
            if text:
                self.data(text)
        if raw:
            raise NotPlainError
        return text if parts else ""

    def start(self, tag: Tag) -> None:
        """Process a start tag."""
        name = tag.name
        self.open.append(name)
        if tag.id is not None:
            if name != "h1" and not self.found:
                self.begin(SearchSection("hx", len(self.open)))
            self.begin(SearchSection(name, len(self.open), tag.is_excluded, tag.id if self.found else None))
        elif not self.found:
            self.begin(SearchSection("hx", 0))
        elif name in HEADINGS:
            self.enter(self.section)
        if tag.is_permalink and not self.permalink:
            self.permalink = len(self.open)
        if name in self.skipped:
            self.skips += 1
        elif tag.is_skipped:
            self.skipped.add(name)
            self.skips += self.open.count(name)
        elif name in INDEXED_TAGS and not self.skips:
            self.pieces.append(f"<{name}>")

    def begin(self, section: SearchSection) -> None:
        """Begin a section."""
        self.found.append(section)
        self.enter(section)

    def enter(self, section: SearchSection) -> None:
        """Add what follows to `section`: to its title while its heading is open, or to its text."""
        self.section = section
        self.pieces = section.title if section.tag in self.open else section.text

    def end(self, name: str) -> None:
        """Process an end tag."""
        depth, section = len(self.open), self.section
        if not depth or self.open[-1] != name:
            return
        if section.depth > depth:
            above = next((above for above in reversed(self.found) if above.depth <= depth), None)
            if above is not None:
                section.depth, section = float("inf"), above
        self.open.pop()
        if section is not self.section or name in HEADINGS:
            self.enter(section)
        if depth == self.permalink:
            self.permalink = 0
        if name in self.skipped:
            self.skips -= 1
            if name not in {"script", "style", "object"}:
                self.skipped.remove(name)
                self.skips -= self.open.count(name)
        elif name in INDEXED_TAGS and not self.skips:
            start = self.pieces.index(f"<{name}>")
            if all(map(str.isspace, islice(self.pieces, start + 1, None))):
                del self.pieces[start:]
            else:
                self.pieces.append(f"</{name}>")

    def data(self, text: str) -> None:
        """Process text between tags."""
        if self.skips:
            return
        if "&" in text or ">" in text:
            text = html.escape(html.unescape(text), quote=False)
        is_space = text.isspace()
        is_code = (is_space or "\n" in text) and "pre" in self.open
        if not is_code:
            text = " " if is_space else text.replace("\n", " ")
        if not self.found:
            self.begin(SearchSection("hx", 0))
        is_title = self.pieces is self.section.title
        if is_title and self.permalink:
            return
        if is_title or is_code or not is_space or not self.pieces or not self.pieces[-1].isspace():
            self.pieces.append(text)
