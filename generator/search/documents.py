"""A local folder of documents: its files and their texts. Sends no requests."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

import lxml.html

from generator.markdown.front_matter import split_front_matter
from generator.search.answers import plain, web_address
from generator.web.documents import tidy
from generator.web.model import Fetched, Limits, Outcome
from generator.web.readers import SHARED
from generator.web.responses import HTML, PDF, check_size, decode

MEDIA_TYPES = {
    **dict.fromkeys((".md", ".markdown"), "text/markdown"),
    **dict.fromkeys((".txt", ".text", ".rst"), "text/plain"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "text/html"),
    ".pdf": PDF,
}
"""The files that are read, by suffix in lower case."""
_UNSURE_NS = 2_000_000_000
"""A file modified this recently may change again within one tick of the file system's clock."""

_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d{4}\)(\S{1,2000})\s*-->", re.IGNORECASE)
"""The comment that browsers write on top of a saved page: https://learn.microsoft.com/en-us/previous-versions/ms537628(v=vs.85)."""


def own_address(folder: str, path: str) -> str:
    """Return the address of a document without a source: ``file:///`` and its path from the project's folder.

    It contains no absolute path, so that it is the same for everyone who works on the project.
    """
    return f"file:///{quote(folder.strip('/'))}/{quote(path)}"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of documents."""

    path: Path
    title: str
    """Its path from the project's folder: documents are cited by it."""
    limits: Limits = field(default_factory=Limits)

    def files(self) -> dict[str, str]:
        """Return the version of every readable file by POSIX path: size and time, or empty if they may not be reliable.

        Hidden files and links that point outside the folder are skipped.
        """
        root, now, found = self.path.resolve(), time.time_ns(), {}
        for directory, names, files in os.walk(self.path):
            names[:] = (name for name in names if not name.startswith("."))
            for name in files:
                path = Path(directory, name)
                inner = path.relative_to(self.path).as_posix()
                is_hidden = (
                    name.startswith(".") or not inner.isprintable()
                )  # an address cannot contain its path otherwise
                if is_hidden or path.suffix.lower() not in MEDIA_TYPES:
                    continue
                if path.is_file() and path.resolve().is_relative_to(root):
                    about = path.stat()
                    is_sure = about.st_mtime_ns + _UNSURE_NS < now
                    found[inner] = f"{about.st_size} {about.st_mtime_ns}" if is_sure else ""
        return found

    def read(self, path: str) -> Fetched:
        """Return the text of the file at `path`, cited by the address it names as its source, else its own.

        Raises `Unfetched` and OSError if it cannot be read.
        """
        limits = self.limits
        with (self.path / path).open("rb") as file:
            body = file.read(limits.max_bytes + 1)
        check_size(len(body), limits.max_bytes)
        url = own_address(self.title, path)
        found = Fetched(url, Outcome.OK, media_type=MEDIA_TYPES[Path(path).suffix.lower()])
        if found.media_type == "text/markdown":
            return _read_markdown(path, body, found)
        texts = SHARED.read(
            body, limits.reading_s, media_type=found.media_type, charset=None, url=url, pdf_pages=limits.pdf_pages
        )
        if found.media_type in HTML:
            url = _address_in_html(body) or url
        return replace(found, **{**texts, "url": url, "title": texts["title"] or Path(path).stem})


def _read_markdown(path: str, body: bytes, found: Fetched) -> Fetched:
    text = tidy(decode(body, None, is_html=False))
    try:
        meta, content = split_front_matter(text)
    except ValueError:  # not YAML: part of the text
        meta, content = {}, text
    heading = _HEADING.search(content)
    content = tidy(content)
    return replace(
        found,
        url=next((address for key in ("source_url", "url") if (address := web_address(meta.get(key)))), found.url),
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
