"""MkDocs' pages of this build, whose HTML is looked up before it is rendered."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents, get_toc

from planbook_cache.entries import Raw, decode_raw
from planbook_speed.digests import digest
from planbook_speed.page_html import Html, HtmlFile, UnreadHtml, strip_search_attributes
from planbook_speed.page_records import toc_token

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

    from planbook_speed.page_renderer import Renderer


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
        source = None
        if self._speed_renderer is not None:
            source = self._speed_renderer.reused.get(self.file.src_uri)
        if source is None:
            super().read_source(config)
            return
        self.markdown = ""  # only listeners to the next event see it, and they are skipped
        self.meta = dict(source.meta)

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


def digest_html(page: Page) -> str:
    """Return the digest of a page's HTML."""
    if not isinstance(page, CachedPage) or page._speed_html is None:
        return digest(page.content or "")
    html = page._speed_html
    if not html.digest:
        page._speed_file.write(html)
    return html.digest


def kept_html(page: Page) -> Callable[[], str]:
    """Return a function that returns a page's current HTML."""
    if not isinstance(page, CachedPage) or page._speed_html is None:
        content = page.content or ""
        return lambda: content
    return functools.partial(page._speed_file.read, page._speed_html)


def strip_for_search(page: Page) -> None:
    """Remove the attributes for Material's search from a page's HTML.

    From HTML that is in the file, they are removed when it is read.
    """
    if not isinstance(page, CachedPage) or page._speed_html is None:
        page.content = strip_search_attributes(page.content or "")
        return
    html = page._speed_html
    digest_before = digest_html(page)  # reading it finds out if there are such attributes
    if html.is_for_search and not html.is_kept:
        page.content = strip_search_attributes(page.content or "")
    elif html.is_for_search:
        digest_after = digest("stripped", digest_before)
        page._speed_set(Html(None, html.place, digest_after, is_stripped=True, load=html.load))
