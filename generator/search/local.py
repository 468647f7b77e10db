"""The provider that looks into a folder of documents on this machine. Nobody is asked."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

from generator.model import Query
from generator.search.index import Documents
from generator.search.model import Found, Searched
from generator.search.provider import ENGINES
from generator.search.repositories import RepositoryIndex

NAME = "local"


@dataclass(frozen=True, slots=True)
class Local:
    """Finds documents of the folder, whatever engine a query names."""

    documents: Documents | RepositoryIndex
    name: str = NAME
    engines: frozenset[str] = ENGINES
    stands_in: frozenset[str] = frozenset()

    def search(self, query: Query, limit: int) -> Searched:
        """See :class:`~generator.search.provider.Provider`."""
        try:
            found = self.documents.find(query.text, limit)
        except sqlite3.Error as error:
            return Searched(query, self.name, Found.FAILED, (), f"its index cannot be read ({error})")
        hits = tuple(replace(hit, provider=self.name, query=query.text) for hit in found)
        if hits:
            return Searched(query, self.name, Found.FOUND, hits)
        return Searched(query, self.name, Found.EMPTY, (), "no document holds half of its terms")
