"""Find the documents of a folder that have an address of the web, by that address.

It sends no requests. ::

    <link rel="canonical" href="https://kiln.example/manual">    in the head of a saved page
    <!-- saved from url=(0027)https://kiln.example/manual -->    above a page saved by a browser
    source_url: https://kiln.example/manual                      in the front matter of Markdown

Only the beginnings of files are read, so that thousands of documents need no index.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from planbook.citations.identifiers import work_key
from planbook.research.search.document_folder import Folder
from planbook.research.web.model import Fetched, Unfetched
from planbook.research.web.responses import HTML, decode
from planbook.store.cited_files import MEDIA_TYPES

_HEAD = 65_536
"""Number of bytes in which a document names its address."""
_LINK = re.compile(r"<link\b[^<>]{0,2000}>", re.IGNORECASE)
_CANONICAL = re.compile(r"\brel\s*=\s*[\"']?canonical\b", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d{4}\)(\S{1,2000})", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"^(?:source_url|url)[ \t]*:[ \t]*[\"']?([^\s\"']+)", re.MULTILINE)


def documents_at(folder: Folder, urls: Collection[str]) -> dict[str, Fetched]:
    """Return the documents that have one of these addresses, by the address as it was asked for.

    Of several documents with one address, the first by path is returned, as in searches.
    """
    wanted: dict[str, list[str]] = defaultdict(list)
    for url in urls:
        wanted[work_key(url)].append(url)
    documents: dict[str, Fetched] = {}
    if not wanted:
        return {}
    for path in sorted(folder.files()):
        keys = {work_key(address) for address in _addresses(folder.path / path)}
        missing = [key for key in keys & wanted.keys() if wanted[key][0] not in documents]
        document = _read_document(folder, path) if missing else None
        key = work_key(document.url) if document else ""
        if document and key in missing:
            documents |= dict.fromkeys(wanted[key], document)
    return documents


def _addresses(path: Path) -> Iterator[str]:
    """Yield what looks like the document's own address.

    Reading the document tells whether it is.
    """
    media_type = MEDIA_TYPES[path.suffix.lower()]
    is_html = media_type in HTML
    if not is_html and media_type != "text/markdown":
        return
    try:
        with path.open("rb") as file:
            head = decode(file.read(_HEAD), None, is_html=is_html)
    except OSError:
        return
    if is_html:
        for link in filter(_CANONICAL.search, _LINK.findall(head)):
            href = _HREF.search(link)
            if href:
                written = href[1] or href[2] or href[3] or ""  # by the kind of its quotes
                yield html.unescape(written).strip()
        yield from _SAVED_FROM.findall(head)
    elif head.startswith("---"):
        yield from _FRONT_MATTER.findall(head)


def _read_document(folder: Folder, path: str) -> Fetched | None:
    """Return a document of the folder; ``None`` if it cannot be read."""
    try:
        return folder.read(path)
    except (OSError, Unfetched):  # the address is asked instead
        return None
