"""Cached rendering of pages: MkDocs' result is reused as long as all its inputs are the same.

A page has four forms, in the order in which it goes through them::

    CachedPage      MkDocs' page of this build, whose HTML is looked up before it is rendered
    RenderedPage    what rendering sets on it; an entry of the cache, found by its text
    KeptPage        the page after its events, in memory; the next build of this process compares
                    its inputs, and needs neither its text nor its events
    StoredPage      the same on the disk, for the next build of another process
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents

from planbook_cache.disk import DiskCache
from planbook_cache.entries import encode_raw
from planbook_speed import reasons
from planbook_speed.cached_page import CachedPage, digest_html
from planbook_speed.digests import UnclearError, digest
from planbook_speed.event_inputs import EventInputs
from planbook_speed.highlighting import QuickHighlight
from planbook_speed.internals import SET_BY_RENDERING, drops_links, keep_links
from planbook_speed.logs import LogRecorder, log_again
from planbook_speed.page_html import Html
from planbook_speed.page_records import (
    FoundFile,
    KeptPage,
    LogRecord,
    NamedDigests,
    RenderedPage,
    toc_token,
)
from planbook_speed.reasons import NotKept, Reason
from planbook_speed.rendering_inputs import options_of_page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


class Renderer:
    """Renders pages, or finds them in the cache.

    Args:
        cache: has the pages, by what they depend on.
        rendering_digest: the digest of the inputs that the rendering of all pages shares.
        reuses: True if pages are kept for the next build, and taken from the last one.
        populate: reads and renders a page as MkDocs does.
        explain: says of a page (``src_uri``) why it is rendered again, if anybody wants to know.
    """

    def __init__(
        self,
        cache: DiskCache,
        rendering_digest: str,
        *,
        reuses: bool,
        populate: Callable[[Page], object],
        explain: Callable[[str, str], None] | None,
    ) -> None:
        self.rendering_digest = rendering_digest
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
        self._rendered: dict[str, RenderedPage | NotKept] = {}
        """The pages that are rendered or found in this build, without HTML, or the cause for which
        they cannot be kept; by ``src_uri``."""
        self._texts: dict[str, str] = {}
        """The text of each page after all plugins that declare what they read, by ``src_uri``."""

    def why_not_reused(self, kept_page: KeptPage, files: Files) -> str:
        """Return why a page of the same inputs must be read again; empty if it can be reused."""
        if not (self._cache.has(kept_page.html_digest) and self._cache.has(kept_page.key)):
            return Reason.HTML_IS_GONE.of()
        return reasons.describe_changed_inputs(_other_files(kept_page.rendered, files))

    def reuse(self, src_uri: str, kept_page: KeptPage) -> None:
        """Take a page from the last build."""
        self.reused[src_uri] = kept_page
        self.keys[src_uri] = kept_page.key

    def record_text(self, src_uri: str, text: str) -> None:
        """Record a page's text, which is compared with that after all other plugins."""
        if self._reuses:
            self._texts[src_uri] = text

    def end_reading(self) -> None:
        """Have pages show their HTML from now on: all are read."""
        self.is_reading = False

    def keep(
        self, page: CachedPage, event_inputs: EventInputs, named_inputs: NamedDigests
    ) -> KeptPage | NotKept:
        """Return a page for the next build, or the cause for which it cannot be kept."""
        src_uri = page.file.src_uri
        if src_uri in self.reused:
            return self.reused[src_uri]
        text = self._texts.pop(src_uri, None)
        rendered = self._rendered.get(src_uri, NotKept.UNCLEAR)
        html = page._speed_html
        if not text:
            return NotKept.NO_TEXT
        if page.markdown != text:
            return NotKept.OTHER_TEXT
        if html is None:
            return NotKept.NO_HTML
        if isinstance(rendered, NotKept):
            return rendered
        html_digest = digest_html(page)  # finds out if the HTML is for searches, too
        self._cache.put(html_digest, page.content)
        return KeptPage(
            event_inputs=event_inputs,
            key=self.keys[src_uri],
            meta=dict(page.meta),
            rendered=rendered,
            html_digest=html_digest,
            is_for_search=html.is_for_search,
            named_inputs=named_inputs,
        )

    def read_html(self, page: CachedPage, html_digest: str) -> str:
        """Return the HTML of a reused page; if it is not found by its digest, render the page."""
        text = self._cache.get(html_digest, str)
        return self.read_again(page) if text is None else text

    def read_again(self, page: CachedPage) -> str:
        """Read and render a page that was to be reused, and return its HTML.

        The page holds the HTML as before: the caller decides where the text is kept.
        """
        html = page._speed_html
        self.reused.pop(page.file.src_uri, None)
        self._populate(page)
        text = page.content or ""
        vars(page)["content"] = html
        return text

    def render(self, page: CachedPage, config: MkDocsConfig, files: Files) -> None:
        """Do the same as `Page.render`, from the cache if possible."""
        if page.markdown is None:  # MkDocs raises an error for this
            Page.render(page, config, files)
            return
        kept_page = self.reused.get(page.file.src_uri)
        if kept_page is not None:
            self._fill_as_kept(page, kept_page, files)
            return
        key = self._key_of(page, page.markdown, config)
        if key is None:
            self._explain(page.file.src_uri, Reason.UNCLEAR_OPTIONS.of())
            Page.render(page, config, files)
            return
        self.keys[page.file.src_uri] = key
        rendered = self._cache.get(key, RenderedPage)
        if rendered is None or not _is_current(rendered, files):
            self._explain(page.file.src_uri, _why_rendered(rendered, files))
            self._render(key, page, config, files)
        else:
            self._fill_as_rendered(page, rendered, files)

    def _key_of(self, page: CachedPage, markdown: str, config: MkDocsConfig) -> str | None:
        """Return the name of a page's entry in the cache; ``None`` if an option is unclear."""
        file = page.file
        places = f"{file.src_uri}\n{file.url}\n{file.inclusion.is_excluded()}"
        try:
            return digest("page", self.rendering_digest, places, options_of_page(config), markdown)
        except UnclearError:
            return None

    def _fill_as_kept(self, page: CachedPage, kept_page: KeptPage, files: Files) -> None:
        """Make a page as the last build left it; its HTML is read when it is needed."""
        load = functools.partial(self.read_html, page, kept_page.html_digest)
        page._speed_set(Html(None, None, kept_page.html_digest, kept_page.is_for_search, load=load))
        _fill(page, kept_page.rendered, files)
        log_again(kept_page.rendered.records)

    def _fill_as_rendered(self, page: CachedPage, rendered: RenderedPage, files: Files) -> None:
        """Make a page as an earlier build rendered the same text."""
        page.content = rendered.content
        _fill(page, rendered, files)
        if self.is_reading or not self._reuses:  # else a reused page, which has logged them
            log_again(rendered.records)
        self._record(page.file.src_uri, rendered)

    def _explain(self, src_uri: str, reason: str) -> None:
        """Say why a page is rendered again."""
        if self._explain_to is not None and self.is_reading:
            self._explain_to(src_uri, f"rendered again: {reason}")

    def _render(self, key: str, page: Page, config: MkDocsConfig, files: Files) -> None:
        lookups = _LookedUpFiles(files)
        attributes = dict(vars(page))
        of_page = copy.copy(config)  # plugins see theirs
        with LogRecorder() as recorder, keep_links() as keeping:
            listeners = (QuickHighlight(self._cache), keeping)
            of_page["markdown_extensions"] = [*config.markdown_extensions, *listeners]
            Page.render(page, of_page, cast("Files", lookups))
        rendered = _why_not_kept(page, attributes, lookups, recorder) or _read_page_attributes(
            page, lookups.answers, recorder.records
        )
        if not isinstance(rendered, NotKept):
            self._cache.put(key, rendered)
        self._record(page.file.src_uri, rendered)
        if drops_links():
            page.links_to_anchors = None

    def _record(self, src_uri: str, rendered: RenderedPage | NotKept) -> None:
        if not self._reuses or not self.is_reading:
            return
        if isinstance(rendered, RenderedPage):
            rendered = replace(rendered, content="")
        self._rendered[src_uri] = rendered


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


def _why_rendered(rendered: RenderedPage | None, files: Files) -> str:
    """Return the reason why a page is rendered again that is not in the cache as it is now."""
    if rendered is None:
        return Reason.NO_HTML.of()
    return reasons.describe_changed_inputs(_other_files(rendered, files))


def _why_not_kept(
    page: Page, attributes: Mapping[str, object], lookups: _LookedUpFiles, recorder: LogRecorder
) -> NotKept | None:
    """Return the cause for which nothing is kept of a rendering; ``None`` if it may be kept.

    Args:
        page: the page, rendered.
        attributes: those of the page before.
        lookups: the files that the rendering looked up.
        recorder: what was logged meanwhile.
    """
    changed = {
        name
        for name, value in vars(page).items()
        if name not in attributes or value is not attributes[name]
    }
    if recorder.has_warned:
        return NotKept.WARNING
    if not changed <= SET_BY_RENDERING:
        return NotKept.MORE_SET
    if lookups.has_others:
        return NotKept.MORE_READ
    has_links = page.links_to_anchors is not None or not drops_links()
    return None if has_links else NotKept.LINKS_DROPPED


def _read_page_attributes(
    page: Page, files: dict[str, FoundFile | None], records: list[LogRecord]
) -> RenderedPage | NotKept:
    """Return the attributes that rendering set on a page, or why they cannot be stored."""
    links = page.links_to_anchors
    by_src_uri = (
        None if links is None else {file.src_uri: anchors for file, anchors in links.items()}
    )
    toc = [toc_token(item) for item in page.toc]
    if None in toc or not isinstance(page.toc, TableOfContents):
        return NotKept.EXTENDED_CONTENTS
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
        return NotKept.CHARACTERS


def _fill(page: CachedPage, rendered: RenderedPage, files: Files) -> None:
    """Set what rendering sets on a page, besides its HTML."""
    page.toc = rendered.toc
    page.present_anchor_ids = rendered.anchors
    page._title_from_render = rendered.title
    if rendered.links is None or drops_links():
        return
    by_file = {files.src_uris.get(src_uri): anchors for src_uri, anchors in rendered.links.items()}
    page.links_to_anchors = {file: anchors for file, anchors in by_file.items() if file is not None}
