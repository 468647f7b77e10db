"""A folder of documents on this machine: where each file stands, and what it says. Reads files, asks nobody."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import lxml.html

from generator.markdown.front_matter import split_front_matter
from generator.search.answers import plain, web_address
from generator.web.documents import tidy
from generator.web.model import Limits
from generator.web.readers import SHARED
from generator.web.responses import HTML, PDF, decode

MEDIA_TYPES = {
    **dict.fromkeys((".md", ".markdown"), "text/markdown"),
    **dict.fromkeys((".txt", ".text", ".rst"), "text/plain"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "text/html"),
    ".pdf": PDF,
}
"""The files that are read, by suffix in lower case."""

_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d{4}\)(\S{1,2000})\s*-->", re.IGNORECASE)
"""The comment that browsers write on top of a saved page: https://learn.microsoft.com/en-us/previous-versions/ms537628(v=vs.85)."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the folder."""

    path: str
    """POSIX, relative to the folder."""
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, with its metadata."""

    url: str
    """The address that cites it: the one it names as its source, else :func:`own_address`."""
    media_type: str
    text: str
    visible: str
    title: str | None = None
    author: str | None = None
    date: str | None = None
    language: str | None = None


def own_address(folder: str, path: str) -> str:
    """Return the address of a document without a source: ``file:///`` and its path from the project's folder.

    It names no folder of this machine, so that it is the same for everybody who works on the project.
    """
    return f"file:///{quote(folder.strip('/'))}/{quote(path)}"


def files_in(folder: Path) -> Iterator[File]:
    """Every file that can be read, in path order; not hidden ones, nor links that lead out of the folder."""
    root = folder.resolve()
    for directory, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            path = Path(directory, name)
            if not _is_named(path.relative_to(folder)) or path.suffix.lower() not in MEDIA_TYPES:
                continue
            if path.is_file() and path.resolve().is_relative_to(root):
                about = path.stat()
                yield File(path.relative_to(folder).as_posix(), about.st_size, about.st_mtime_ns)


def _is_named(path: Path) -> bool:
    """Return whether the file is visible, and its path can be written in an address."""
    return not path.name.startswith(".") and str(path).isprintable()


def read_text(path: str, body: bytes, folder: str, limits: Limits) -> Text:
    """Return the text of the file at `path`. Raises `Unfetched` if it cannot be read."""
    media_type = MEDIA_TYPES["." + path.rpartition(".")[2].lower()]
    url = own_address(folder, path)
    if media_type == "text/markdown":
        return _read_markdown(path, body, url)
    found = SHARED.read(
        body, limits.reading_s, media_type=media_type, charset=None, url=url, pdf_pages=limits.pdf_pages
    )
    if media_type in HTML:
        url = _address_in_html(body) or url
    return Text(**{**found, "url": url, "media_type": media_type, "title": found["title"] or Path(path).stem})


def _read_markdown(path: str, body: bytes, url: str) -> Text:
    text = tidy(decode(body, None, is_html=False))
    try:
        meta, content = split_front_matter(text)
    except ValueError:  # no YAML: then it is text like the rest
        meta, content = {}, text
    heading = _HEADING.search(content)
    content = tidy(content)
    return Text(
        url=next((address for key in ("source_url", "url") if (address := web_address(meta.get(key)))), url),
        media_type="text/markdown",
        text=content,
        visible=content,
        title=_said(meta, "title") or (plain(heading[1], 300) if heading else "") or Path(path).stem,
        author=_said(meta, "author"),
        date=_said(meta, "date"),
        language=_said(meta, "lang") or _said(meta, "language"),
    )


def _said(meta: Mapping[str, object], key: str) -> str | None:
    value = meta.get(key)
    values = value if isinstance(value, list) else [value]
    return plain(", ".join(str(one) for one in values if one is not None), 300) or None


def _address_in_html(body: bytes) -> str:
    """Return the source of a saved page: its canonical link, else the browser's comment."""
    try:
        links = lxml.html.document_fromstring(body).xpath("//link[@rel='canonical']/@href")
    except (ValueError, lxml.etree.LxmlError):
        links = []
    noted = _SAVED_FROM.search(body[:4096])
    named = [*(str(link) for link in links), noted[1].decode("ascii", "replace") if noted else ""]
    return next((address for link in named if (address := web_address(link))), "")
