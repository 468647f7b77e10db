"""Cached rendering of pages: MkDocs' result is reused as long as all its inputs are the same.

MkDocs keeps the HTML of all pages in memory until the last one is written. Here, only one page's
HTML is in memory; the rest is in a temporary file.

A page has four forms, in the order in which it goes through them::

    CachedPage      MkDocs' page of this build, whose HTML is looked up before it is rendered
    RenderedPage    what rendering sets on it; an entry of the cache, found by its text
    KeptPage        the page after its events, in memory; the next build of this process compares
                    its inputs, and needs neither its text nor its events
    StoredPage      the same on the disk, for the next build of another process
"""

from __future__ import annotations

import contextlib
import copy
import datetime
import functools
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from markupsafe import Markup
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents, get_toc

from planbook_cache.disk import DiskCache
from planbook_cache.entries import Raw, decode_raw, encode_raw
from planbook_speed import reasons
from planbook_speed.digests import UnclearError, digest, options_of_page, require_finite
from planbook_speed.highlighting import QuickHighlight
from planbook_speed.internals import SET_BY_RENDERING
from planbook_speed.logs import LogRecorder, is_verbose, log_again

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

FoundFile: TypeAlias = tuple[str, str, bool]
"""A file that a rendering looked up: its ``src_uri``, its address, True if it is excluded."""
LogRecord: TypeAlias = tuple[str, int, str]
"""The logger's name, the level and the message."""
FOR_SEARCH = re.compile(r"data-search-\w+=\"[^\"]+\"")
"""The attributes that Material's search reads and removes, with a blank before each; the pattern is
from its plugin."""


def without_search_attributes(html: str) -> str:
    """Return HTML as Material's search leaves it.

    Its pattern begins with the blank, and is tried at each character.
    """
    *parts, last = FOR_SEARCH.split(html)
    return "".join([*(part[:-1] if part[-1:].isspace() else part for part in parts), last])


@dataclass(slots=True)
class Html:
    """The HTML of a page, in memory or in a file."""

    text: str | None
    place: tuple[int, int] | None = None
    """Its offset and length in the file, once it is written."""
    digest: str = ""
    is_for_search: bool = False
    """True if it may have attributes that Material's search removes."""
    is_stripped: bool = False
    """True if these must be removed from the HTML in the file."""
    load: Callable[[], str] | None = None
    """Returns the HTML of a reused page, which is in no file yet."""

    @property
    def is_kept(self) -> bool:
        """True if the text need not be in memory."""
        return self.place is not None or self.load is not None


class HtmlFile:
    """A temporary file for the HTML of all pages but the last one used."""

    def __init__(self) -> None:
        self.is_closed = False
        """True in a worker, which shares the file and may not write to it."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the pages
        self._end = 0
        self._in_memory: CachedPage | None = None
        """The page whose HTML was used last."""

    def text(self, page: CachedPage, html: Html) -> str:
        """Return a page's HTML, and keep it in memory until another page's is used."""
        if html.text is None:
            html.text = self.read(html)
            self.use(page)
        return html.text

    def read(self, html: Html) -> str:
        """Return HTML that may be in the file, or was not needed so far."""
        if html.text is not None:
            return html.text
        if html.place is not None:
            offset, length = html.place
            if hasattr(os, "pread"):  # workers share the file and its position: do not move it
                raw = os.pread(self._file.fileno(), length, offset)
            else:
                self._file.seek(offset)
                raw = self._file.read(length)
            text = raw.decode("utf-8", "surrogatepass")
        else:
            text = html.load() if html.load is not None else ""
        return without_search_attributes(text) if html.is_stripped else text

    def use(self, page: CachedPage) -> None:
        """Keep this page's HTML in memory; move that of the page used before to the file."""
        earlier = self._in_memory
        self._in_memory = page
        if earlier is None or earlier is page:
            return
        html = earlier._speed_html
        if html is None or html.text is None:
            return
        # Of a page without a title, MkDocs reads the HTML to find one.
        has_title = (
            earlier._title_from_render or "title" in earlier.meta or "title" in vars(earlier)
        )
        if has_title and (html.is_kept or self.write(html)):
            html.text = None

    def write(self, html: Html) -> bool:
        """Write HTML to the file and record its digest; return False if that failed."""
        raw = (html.text or "").encode("utf-8", "surrogatepass")
        html.digest = digest(raw)
        html.is_for_search = b"data-search-" in raw
        if not self.is_closed:
            with contextlib.suppress(OSError):  # there is no space: the HTML stays in memory
                self._file.seek(self._end)
                self._file.write(raw)
                self._file.flush()
                html.place = (self._end, len(raw))
                self._end += len(raw)
        return html.place is not None


class UnreadHtml(str):
    """Stands for the HTML of a reused page, which no listener reads, until all pages are read."""

    __slots__ = ()


class CachedPage(Page):
    """A page that is looked up in the cache before rendering.

    MkDocs' pages are converted before they are read.

    Plugins set attributes of their own on pages, such as `html`: what is not MkDocs' has names that
    nobody else gives.
    """

    _speed_file: ClassVar[HtmlFile]
    _speed_renderer: ClassVar[Renderer | None]

    def read_source(self, config: MkDocsConfig) -> None:
        """Set the page's text and metadata, from the last build if the page is reused."""
        kept = None
        if self._speed_renderer is not None:
            kept = self._speed_renderer.reused.get(self.file.src_uri)
        if kept is None:
            super().read_source(config)
            return
        self.markdown = ""  # only listeners to the next event see it, and they are skipped
        self.meta = dict(kept.meta)

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Set the page's HTML and the attributes derived from it, from the cache if possible."""
        if self._speed_renderer is None:
            super().render(config, files)
        else:
            self._speed_renderer.render(self, config, files)

    @property
    def _speed_html(self) -> Html | None:
        """The page's HTML, from memory or the file."""
        html = vars(self).get("content")
        return html if isinstance(html, Html) else None

    @property
    def content(self) -> str | None:
        """The HTML."""
        renderer = self._speed_renderer
        if renderer is not None and renderer.is_reading and self.file.src_uri in renderer.reused:
            # MkDocs passes it to `on_page_content`, whose listeners are skipped for this page.
            return UnreadHtml()
        html = self._speed_html
        return None if html is None else self._speed_file.text(self, html)

    @content.setter
    def content(self, text: str | None) -> None:
        if not isinstance(text, UnreadHtml):  # MkDocs sets what the event returned
            self._speed_set(None if text is None else Html(text))

    @property
    def toc(self) -> TableOfContents:
        """The table of contents, from tokens when it is first read."""
        toc: TableOfContents | Raw = vars(self)["toc"]
        if isinstance(toc, Raw):
            toc = vars(self)["toc"] = get_toc(self._speed_tokens)
        return toc

    @toc.setter
    def toc(self, toc: TableOfContents | Raw) -> None:
        vars(self)["toc"] = toc

    @property
    def _speed_tokens(self) -> list[Any]:
        """The entries of the table of contents as plain data.

        ``None`` for one that a plugin extended.
        """
        toc: TableOfContents | Raw = vars(self)["toc"]
        if isinstance(toc, Raw):
            return decode_raw(toc, list[Any]) or []
        return list(map(toc_token, toc))

    @property
    def present_anchor_ids(self) -> set[str] | None:
        """The anchors, for which MkDocs asks only on pages that others link to."""
        anchors: set[str] | Raw | None = vars(self)["present_anchor_ids"]
        if isinstance(anchors, Raw):
            anchors = cast("set[str]", decode_raw(anchors, set[str | None]))
            vars(self)["present_anchor_ids"] = anchors
        return anchors

    @present_anchor_ids.setter
    def present_anchor_ids(self, anchors: set[str] | Raw | None) -> None:
        vars(self)["present_anchor_ids"] = anchors

    def _speed_set(self, html: Html | None) -> None:
        """Replace the HTML, without keeping HTML in memory that is in the file."""
        old = self._speed_html
        if old is not None and old.is_kept:
            old.text = None
        vars(self)["content"] = html  # the property of this name returns its text
        self._speed_file.use(self)


def page_class(renderer: Renderer | None, html: HtmlFile) -> type[CachedPage]:
    """Return the class of pages for one build; templates may show its name."""
    return type(Page.__name__, (CachedPage,), {"_speed_renderer": renderer, "_speed_file": html})


def is_plain(page: Page) -> bool:
    """Return True for MkDocs' own pages, as it made them."""
    return type(page) is Page and "render" not in vars(page) and page.content is None


def html_digest(page: Page) -> str:
    """Return the digest of a page's HTML."""
    html = page._speed_html if isinstance(page, CachedPage) else None
    if html is None or not isinstance(page, CachedPage):
        return digest(page.content or "")
    if not html.digest:
        page._speed_file.write(html)
    return html.digest


def kept_html(page: Page) -> Callable[[], str]:
    """Return a function that returns a page's current HTML."""
    html = page._speed_html if isinstance(page, CachedPage) else None
    if html is None or not isinstance(page, CachedPage):
        content = page.content or ""
        return lambda: content
    return functools.partial(page._speed_file.read, html)


def strip_for_search(page: Page) -> None:
    """Remove the attributes for Material's search from a page's HTML.

    From HTML that is in the file, they are removed when it is read.
    """
    html = page._speed_html if isinstance(page, CachedPage) else None
    if html is None or not isinstance(page, CachedPage):
        page.content = without_search_attributes(page.content or "")
        return
    digest_before = html_digest(page)  # reading it finds out if there are such attributes
    if html.is_for_search and not html.is_kept:
        page.content = without_search_attributes(page.content or "")
    elif html.is_for_search:
        digest_after = digest("stripped", digest_before)
        page._speed_set(Html(None, html.place, digest_after, is_stripped=True, load=html.load))


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """The attributes that rendering sets on a page."""

    content: str
    title: str | None
    toc: Raw
    """Tokens as Python-Markdown's extension ``toc`` gives them: a list, which few pages need in
    this process."""
    anchors: Raw
    links: dict[str, Any] | None
    """Links to anchors of other pages, by ``src_uri``."""
    files: dict[str, FoundFile | None]
    """The files that were looked up, by path."""
    records: list[LogRecord]


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page after its events, for the next build of this process."""

    inputs: list[str]
    """A digest of each input that it depends on, besides files that its rendering looked up."""
    key: str
    meta: dict[str, Any]
    rendered: RenderedPage
    """Without the HTML."""
    html: str
    """The digest of the HTML."""
    is_for_search: bool
    """True if the HTML may have attributes that Material's search removes."""


TypedValue: TypeAlias = tuple[list[str | int], str]
"""The place of a value in metadata, and the name of its type."""
TYPES: Mapping[str, Callable[[str], Any]] = {"Markup": Markup, "date": datetime.date.fromisoformat}
"""Functions that return values of types which are stored as text."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A `KeptPage` on the disk, for the next build of another process."""

    source: str
    """The digest of its file."""
    key: str
    """The name of its entry in the cache."""
    kept: Raw
    """The `KeptPage` with places of typed values, or nothing."""

    @staticmethod
    def of(source: str, key: str, page: KeptPage | None) -> StoredPage:
        """Return a page as it is stored, without what is kept of it if that cannot be restored."""
        raw = encode_raw(None)
        if page is not None:
            typed: list[TypedValue] = []
            with contextlib.suppress(UnclearError, UnicodeEncodeError, OverflowError):
                require_finite(page.meta)
                plain = replace(page, meta=_as_plain(page.meta, [], typed))
                raw = encode_raw((plain, typed))
        return StoredPage(source, key, raw)

    def page(self) -> KeptPage | None:
        """Return what is kept of the page."""
        stored = decode_raw(self.kept, tuple[KeptPage, list[TypedValue]])
        if stored is None:
            return None
        page, typed = stored
        for (*above, last), kind in typed:
            holder: Any = page.meta
            for key in above:
                holder = holder[key]
            holder[last] = TYPES[kind](holder[last])
        return page


def _as_plain(value: Any, place: list[str | int], typed: list[TypedValue]) -> Any:
    """Return a value of metadata with text in place of values of `TYPES`.

    They are added to `typed`.
    """
    kind = type(value)
    if kind is list:
        return [_as_plain(part, [*place, n], typed) for n, part in enumerate(value)]
    if kind is dict and all(type(key) is str for key in value):
        return {key: _as_plain(part, [*place, key], typed) for key, part in value.items()}
    if kind in {Markup, datetime.date}:
        typed.append((place, kind.__name__))
        return str(value)
    if kind not in {str, int, float, bool, type(None)}:
        raise UnclearError(kind.__name__)
    return value


class Renderer:
    """Renders pages, or finds them in the cache.

    Args:
        cache: has the pages, by what they depend on.
        inputs_digest: the digest of the inputs that all pages share.
        reuses: True if pages are kept for the next build, and taken from the last one.
        populate: reads and renders a page as MkDocs does.
        explain: says of a page (``src_uri``) why it is rendered again, if anybody wants to know.
    """

    def __init__(
        self,
        cache: DiskCache,
        inputs_digest: str,
        *,
        reuses: bool,
        populate: Callable[[Page], object],
        explain: Callable[[str, str], None] | None,
    ) -> None:
        self.inputs_digest = inputs_digest
        self.keys: dict[str, str] = {}
        """The name in the cache of each page's entry, by ``src_uri``."""
        self.reused: dict[str, KeptPage] = {}
        """The pages that are taken from the last build, by ``src_uri``."""
        self.is_reading = True
        """True until all pages are read."""
        self._cache = cache
        self._reuses = reuses
        self._populate = populate
        self._explain_to = explain
        self._rendered: dict[str, RenderedPage] = {}
        """The pages that are rendered or found in this build, by ``src_uri``, without HTML."""
        self._texts: dict[str, str] = {}
        """The text of each page after all plugins that declare what they read, by ``src_uri``."""

    def reuse(self, src_uri: str, kept: KeptPage, files: Files) -> str:
        """Reuse a page whose inputs are the same, if the files that it looked up are.

        Return why not.
        """
        if not (self._cache.has(kept.html) and self._cache.has(kept.key)):
            return reasons.NEW
        if not _is_current(kept.rendered, files):
            return reasons.changed(_other_files(kept.rendered, files))
        self.reused[src_uri] = kept
        self.keys[src_uri] = kept.key
        return ""

    def record_text(self, src_uri: str, text: str) -> None:
        """Record a page's text, which is compared with that after all other plugins."""
        if self._reuses:
            self._texts[src_uri] = text

    def end_reading(self) -> None:
        """Have pages show their HTML from now on: all are read."""
        self.is_reading = False

    def keep(self, page: CachedPage, inputs: list[str]) -> KeptPage | None:
        """Return a page for the next build.

        ``None`` if other plugins changed its text, or it cannot be kept.
        """
        src_uri = page.file.src_uri
        if src_uri in self.reused:
            return self.reused[src_uri]
        digest_of_html = html_digest(page)
        html = page._speed_html
        text = self._texts.pop(src_uri, None)
        is_as_declared = bool(text) and page.markdown == text
        if html is None or src_uri not in self._rendered or not is_as_declared:
            return None
        self._cache.put(digest_of_html, page.content)
        return KeptPage(
            inputs=inputs,
            key=self.keys[src_uri],
            meta=dict(page.meta),
            rendered=self._rendered[src_uri],
            html=digest_of_html,
            is_for_search=html.is_for_search,
        )

    def load(self, page: CachedPage, digest_of_html: str = "") -> str:
        """Return the HTML of a page that is reused without it.

        Unless it is found by its digest, read the text, too.
        """
        text = self._cache.get(digest_of_html, str)
        if text is None:
            html = page._speed_html
            self.reused.pop(page.file.src_uri, None)
            self._populate(page)
            text = page.content or ""
            vars(page)["content"] = html  # the caller decides where the text is kept
        return text

    def render(self, page: CachedPage, config: MkDocsConfig, files: Files) -> None:
        """Do the same as `Page.render`, from the cache if possible."""
        if page.markdown is None:  # MkDocs raises an error for this
            Page.render(page, config, files)
            return
        file = page.file
        kept = self.reused.get(file.src_uri)
        if kept is not None:
            load = functools.partial(self.load, page, kept.html)
            page._speed_set(Html(None, None, kept.html, kept.is_for_search, load=load))
            _fill(page, kept.rendered, files)
            log_again(kept.rendered.records)
            return
        places = f"{file.src_uri}\n{file.url}\n{file.inclusion.is_excluded()}"
        try:
            key = digest("page", self.inputs_digest, places, options_of_page(config), page.markdown)
        except UnclearError:
            Page.render(page, config, files)
            return
        self.keys[file.src_uri] = key
        rendered = self._cache.get(key, RenderedPage)
        if rendered is None or not _is_current(rendered, files):
            self._explain(file.src_uri, rendered, files)
            self._render(key, page, self._with_highlighter(config), files)
        else:
            page.content = rendered.content
            _fill(page, rendered, files)
            if self.is_reading or not self._reuses:  # else a reused page, which has logged them
                log_again(rendered.records)
            self._record(file.src_uri, rendered)

    def _explain(self, src_uri: str, rendered: RenderedPage | None, files: Files) -> None:
        """Say why a page is rendered again."""
        if self._explain_to is None or not self.is_reading:
            return
        if rendered is None:
            reason = reasons.NO_HTML
        else:
            reason = reasons.changed(_other_files(rendered, files))
        self._explain_to(src_uri, f"rendered again: {reason}")

    def _with_highlighter(self, config: MkDocsConfig) -> MkDocsConfig:
        """Return the configuration for the rendering of one page.

        It has our highlighter for its code.
        """
        of_page = copy.copy(config)  # plugins see theirs
        of_page["markdown_extensions"] = [*config.markdown_extensions, QuickHighlight(self._cache)]
        return of_page

    def _render(self, key: str, page: Page, config: MkDocsConfig, files: Files) -> None:
        lookups = _LookedUpFiles(files)
        before = dict(vars(page))
        with LogRecorder() as recorder:
            Page.render(page, config, cast("Files", lookups))
        changed = {
            name
            for name, value in vars(page).items()
            if name not in before or value is not before[name]
        }
        rendered = _rendered(page, lookups.answers, recorder.records)
        sets_more = not changed <= SET_BY_RENDERING
        is_clear = not (sets_more or lookups.has_others or recorder.has_warned)
        if rendered is not None and is_clear and not is_verbose():
            self._cache.put(key, rendered)
            self._record(page.file.src_uri, rendered)

    def _record(self, src_uri: str, rendered: RenderedPage) -> None:
        if self._reuses and self.is_reading:
            self._rendered[src_uri] = replace(rendered, content="")


class _LookedUpFiles:
    """The site's files; records each file that the rendering of a page looks up."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.answers: dict[str, FoundFile | None] = {}
        """The answers so far, by path."""
        self.has_others = False
        """True after a lookup whose answer is not recorded."""

    def get_file_from_path(self, path: str) -> File | None:
        """Return the file with a path, as `Files` does."""
        file = self._files.get_file_from_path(path)
        self.answers[path] = _answer(file)
        return file

    def __getattr__(self, name: str) -> Any:
        self.has_others = True
        return getattr(self._files, name)


def _answer(file: File | None) -> FoundFile | None:
    return None if file is None else (file.src_uri, file.url, file.inclusion.is_excluded())


def _is_current(rendered: RenderedPage, files: Files) -> bool:
    """Return True if each file that the rendering looked up is still the same."""
    return next(_other_files(rendered, files), None) is None


def _other_files(rendered: RenderedPage, files: Files) -> Iterator[str]:
    """Yield the paths that the rendering looked up and that lead to another file now."""
    by_src_uri = files.src_uris
    for path, then in rendered.files.items():
        if _answer(by_src_uri.get(path) or files.get_file_from_path(path)) != then:
            yield f"where a link to {path} leads"


def _rendered(
    page: Page, files: dict[str, FoundFile | None], records: list[LogRecord]
) -> RenderedPage | None:
    """Return the attributes that rendering set on a page; ``None`` if they cannot be serialized."""
    links = page.links_to_anchors
    by_src_uri = (
        None if links is None else {file.src_uri: anchors for file, anchors in links.items()}
    )
    toc = [toc_token(item) for item in page.toc]
    if None in toc or not isinstance(page.toc, TableOfContents):
        return None
    title = None if page._title_from_render is None else str(page._title_from_render)
    anchors = sorted(page.present_anchor_ids or (), key=str)  # an `id` without a value is `None`
    try:
        return RenderedPage(
            content=page.content or "",
            title=title,
            toc=encode_raw(toc),
            anchors=encode_raw(anchors),
            links=by_src_uri,
            files=files,
            records=records,
        )
    except UnicodeEncodeError:  # lone surrogates
        return None


def toc_token(item: AnchorLink) -> dict[str, object] | None:
    """Return an entry of a table of contents as plain data; ``None`` if a plugin extended it."""
    if vars(item).keys() - {"title", "id", "level", "children", "active"}:
        return None
    children = [toc_token(child) for child in item.children]
    if None in children:
        return None
    return {"name": item.title, "id": item.id, "level": item.level, "children": children}


def _fill(page: CachedPage, rendered: RenderedPage, files: Files) -> None:
    """Set what rendering sets on a page, besides its HTML."""
    page.toc = rendered.toc
    page.present_anchor_ids = rendered.anchors
    page._title_from_render = rendered.title
    if rendered.links is None or is_verbose():  # MkDocs' verbose build does not check anchors
        return
    by_file = {files.src_uris.get(src_uri): anchors for src_uri, anchors in rendered.links.items()}
    page.links_to_anchors = {file: anchors for file, anchors in by_file.items() if file is not None}
