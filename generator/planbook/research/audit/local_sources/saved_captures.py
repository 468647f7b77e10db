"""Pages of the web that are saved beside a report, with their address in them.

An agent that keeps ``raw/steeping.md`` with ``url: https://tea.example/steeping`` cites the web,
and has read the file: it is compared, and the host is not asked. So it is for a page that a browser
saved in any folder, which names its address in a comment or in its head.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from html import unescape
from pathlib import PurePosixPath

from planbook.citations.identifiers import is_web, work_key
from planbook.research.audit.local_sources.local_files import LocalFiles
from planbook.research.web.model import Fetched

_FOLDERS = frozenset({"raw", "_raw"})
"""Folders of sources as they were saved. Notes on sources, in other ones, are in other words."""
_SUFFIXES = frozenset({".md", ".markdown", ".txt"})
_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_HTML_HEAD_CHARS = 32_768
"""Length of the beginning of a saved page that has its address."""
_HTML_ADDRESSES = (
    re.compile(r"<!--\s?saved from url=\(\d{1,5}\)(?P<url>https?://[^\s<>]{1,2000}?)\s?-->"),
    re.compile(r"<!--[^>]{0,200}\burl:\s{0,9}(?P<url>https?://[^\s<>]{1,2000})"),  # SingleFile
    re.compile(
        r"<link\s(?=[^<>]{0,300}\brel=[\"']?canonical\b)[^<>]{0,300}?"
        r"\bhref=[\"']?(?P<url>https?://[^\s\"'<>]{1,2000})",
        re.IGNORECASE,
    ),
    re.compile(
        r"<meta\s(?=[^<>]{0,300}\bproperty=[\"']?og:url\b)[^<>]{0,300}?"
        r"\bcontent=[\"']?(?P<url>https?://[^\s\"'<>]{1,2000})",
        re.IGNORECASE,
    ),
)
"""The address of a page in the comment of the browser that saved it, or in its head; the first one
counts."""
_HEAD_CHARS = 4_000
"""Length of the beginning of a file in which its front matter ends."""
_HEAD = re.compile(r"---\s*\n(?P<fields>.*?)\n---\s*\n", re.DOTALL)
_ADDRESS = re.compile(
    r"^(?:url|link|source|source_url|source_path|original_url|canonical_url)\s*:\s*"
    r"[\"']?(?P<url>https?://[^\s\"']+)[\"']?\s*$",
    re.MULTILINE,
)


class SavedCaptures:
    """The captures among the files of a folder, by their addresses."""

    def __init__(self, files: LocalFiles) -> None:
        self._files = files

    def read(self, urls: Iterable[str]) -> dict[str, Fetched]:
        """Return the text of each address that exactly one file was saved from."""
        paths = {url: self._by_key.get(work_key(url), ()) for url in urls if is_web(url)}
        texts = {
            url: replace(self._files.read_whole(files[0]), url=url, is_local=True)
            for url, files in paths.items()
            if len(files) == 1
        }
        return {url: fetched for url, fetched in texts.items() if fetched.is_read}

    @cached_property
    def _by_key(self) -> dict[str, list[str]]:
        paths = defaultdict(list)
        for path in sorted(self._files.names):
            file = PurePosixPath(path)
            is_source = not _FOLDERS.isdisjoint(file.parts[:-1])
            suffix = file.suffix.lower()
            if suffix in _HTML_SUFFIXES:
                keys = self._keys_of_html(path)
            elif is_source and suffix in _SUFFIXES:
                keys = self._keys_of(path)
            else:
                keys = ()
            for key in keys:
                paths[key].append(path)
        return paths

    def _keys_of_html(self, path: str) -> Iterable[str]:
        """Return what identifies the page that a browser saved; nothing if it does not say."""
        head = self._files.head(path, _HTML_HEAD_CHARS)
        matches = (address.search(head) for address in _HTML_ADDRESSES)
        return tuple(work_key(unescape(match["url"])) for match in matches if match)[:1]

    def _keys_of(self, path: str) -> Iterable[str]:
        head = _HEAD.match(self._files.head(path, _HEAD_CHARS))
        addresses = _ADDRESS.finditer(head["fields"]) if head else ()
        return dict.fromkeys(work_key(address["url"]) for address in addresses)
