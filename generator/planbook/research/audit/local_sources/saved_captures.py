"""Pages of the web that a wiki saved among its sources, with their address in the front matter.

An agent that keeps ``raw/steeping.md`` with ``url: https://tea.example/steeping`` cites the web,
and has read the file: it is compared, and the host is not asked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath

from planbook.citations.identifiers import is_web, work_key
from planbook.research.audit.local_sources.local_files import LocalFiles
from planbook.research.web.model import Fetched

_FOLDERS = frozenset({"raw", "_raw"})
"""Folders of sources as they were saved. Notes on sources, in other ones, are in other words."""
_SUFFIXES = frozenset({".md", ".markdown", ".txt"})
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
            if is_source and file.suffix.lower() in _SUFFIXES:
                for key in self._keys_of(path):
                    paths[key].append(path)
        return paths

    def _keys_of(self, path: str) -> Iterable[str]:
        head = _HEAD.match(self._files.head(path, _HEAD_CHARS))
        addresses = _ADDRESS.finditer(head["fields"]) if head else ()
        return dict.fromkeys(work_key(address["url"]) for address in addresses)
