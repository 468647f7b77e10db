"""The documents that a worker has read for a page, and those that it may read next. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote, urlsplit

from planbook.citations.identifiers import work_key
from planbook.research.evidence.source_list import make_sources
from planbook.research.search.api_answers import Searched
from planbook.research.search.chain import rank_works
from planbook.research.web.model import Fetched

_TRIES_PER_SOURCE = 4
"""Maximum number of addresses to try per wanted document: all results of a search may be dead."""
_FILE_LINK = re.compile(
    r"(?<!!)\[[^\[\]\n]{1,300}\]\((?![\w+.-]+:|[#/])(?P<path>[^()\s#?]{1,300})[^()\n]{0,300}\)"
)
"""A link of Markdown to a file."""


class ReadingList:
    """The documents that a worker has read, and what is left to read."""

    def __init__(self, searched: Sequence[Searched], wanted: int) -> None:
        self._searched = searched
        self.wanted = wanted
        """The number of documents to read."""
        self.remaining_tries = _TRIES_PER_SOURCE * wanted
        """The number of addresses that may still be tried."""
        self.further: tuple[Searched, ...] = ()
        """The searches that were made meanwhile."""
        self.fetched: list[Fetched] = []
        """All results, in the order of the requests."""
        self.read: list[Fetched] = []
        """Those that can be quoted."""
        self.tried: set[str] = set()
        """The works that were asked for."""
        self.unread: set[str] = set()
        """Those of them that cannot be read, or are duplicates."""

    @property
    def is_complete(self) -> bool:
        """True if enough documents are read, or enough addresses tried."""
        return len(self.read) >= self.wanted or not self.remaining_tries

    @property
    def searched(self) -> tuple[Searched, ...]:
        """All searches."""
        return (*self._searched, *self.further)

    def candidates(self, limit: int) -> list[str]:
        """Return the addresses to read next, the best first."""
        best = rank_works(self.searched, limit, self.unread)
        return [hit.url for hit in best if work_key(hit.url) not in self.tried]

    def add(self, url: str, fetched: Fetched) -> None:
        """Add the result for an address."""
        self.fetched.append(fetched)
        self.tried.add(work_key(url))
        if len(make_sources([*self.read, fetched], ())) > len(self.read):
            self.read.append(fetched)
        else:
            self.unread.add(work_key(url))

    def add_local(self, urls: Sequence[str], fetched: Sequence[Fetched]) -> None:
        """Add the results for local documents."""
        self.fetched += fetched
        self.tried.update(work_key(url) for url in urls)
        self.read = [source.fetched for source in make_sources(self.fetched, ())]


def find_linked_files(fetched: Iterable[Fetched]) -> tuple[str, ...]:
    """Return the addresses of the files to which local documents link, each once.

    They are in the folders of these documents.
    """
    documents = list(fetched)
    urls: dict[str, None] = {}
    for document in documents:
        if urlsplit(document.url).scheme != "file":
            continue
        folder = document.url.rpartition("/")[0]
        for link in _FILE_LINK.finditer(document.text):
            name = quote(unquote(link["path"].removeprefix("./")))
            if "/" not in name:
                urls[f"{folder}/{name}"] = None
    document_urls = {document.url for document in documents}
    return tuple(url for url in urls if url not in document_urls)
