"""What a reader finds on a page of HTML, whoever made it: its headings, links, pictures, and the works it lists."""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_HEADING = re.compile(r"h[1-6]")
_MARKS = re.compile(r"[¶#\s]+$")


class Reading(HTMLParser):
    """One page, read from its first ``<h1>`` on; what stands before it is the engine's."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.links: list[str] = []
        self.works: list[str | None] = []
        """The address that each listed work leads to; ``None`` where it leads nowhere."""
        self._open: list[str] = []
        self._heading: list[str] | None = None
        self._lists = 0
        """How many lists are open in the section of the works; 0 outside of it."""
        self._is_listing = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a heading's beginning, a link, a picture, or a work."""
        values = dict(attrs)
        if _HEADING.fullmatch(tag):
            self._heading = []
            self._is_listing = False
        elif tag == "a" and self.headings and values.get("href"):
            self.links.append(str(values["href"]))
            if self._lists == 1 and self.works and self.works[-1] is None and self._heading is None:
                self.works[-1] = values["href"]
        elif tag == "img" and self.headings:
            self.links.append(values.get("src") or "")
        elif tag in {"ol", "ul"} and self._is_listing:
            self._lists += 1
        elif tag == "li" and self._lists == 1:
            self.works.append(None)

    def handle_endtag(self, tag: str) -> None:
        """Take a heading's end, or a list's."""
        if _HEADING.fullmatch(tag) and self._heading is not None:
            title = _MARKS.sub("", " ".join("".join(self._heading).split()))
            self.headings.append(title)
            self._heading = None
            self._is_listing = title in {"References", "Works cited"}
            if self._is_listing:
                self.works = []  # of two such sections, the last one is ours
        elif tag in {"ol", "ul"} and self._lists:
            self._lists -= 1

    def handle_data(self, data: str) -> None:
        """Take the words of a heading."""
        if self._heading is not None:
            self._heading.append(data)


def broken_links(site: Path, page: Path, reading: Reading) -> list[str]:
    """The page's links to files of the site that are not there."""
    broken = []
    for link in reading.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or not parts.path:
            continue
        below = "" if parts.path.startswith("/") else page.parent.relative_to(site).as_posix()
        path = site / posixpath.normpath(posixpath.join(below, unquote(parts.path).lstrip("/")))
        if not (path / "index.html" if path.is_dir() else path).is_file():
            broken.append(link)
    return broken
