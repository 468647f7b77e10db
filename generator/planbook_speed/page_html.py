"""The HTML of pages: one page's in memory, and that of the others in a temporary file.

MkDocs keeps the HTML of all pages in memory until the last one is written.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planbook_speed.digests import digest

if TYPE_CHECKING:
    from planbook_speed.cached_page import CachedPage

SEARCH_ATTRIBUTE = re.compile(r"data-search-\w+=\"[^\"]+\"")
"""The attributes that Material's search reads and removes, with a blank before each; the pattern is
from its plugin."""


def strip_search_attributes(html: str) -> str:
    """Return HTML as Material's search leaves it.

    Its pattern begins with the blank, and is tried at each character.
    """
    *parts, last = SEARCH_ATTRIBUTE.split(html)
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
        self.is_read_only = False
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
        return strip_search_attributes(text) if html.is_stripped else text

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
        if not self.is_read_only:
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
