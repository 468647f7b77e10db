"""The full-text index of a folder of documents, and the provider that searches it.

It is SQLite FTS5 in one file, which can be rebuilt at any time. https://www.sqlite.org/fts5.html
"""

from __future__ import annotations

import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import distributions
from pathlib import Path

import msgspec

from planbook.citations.identifiers import work_key
from planbook.model import Query, format_time
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.search.document_folder import Folder
from planbook.research.search.provider import ENGINES, terms
from planbook.research.web.model import Fetched, Outcome, Unfetched
from planbook.store.files import RefusedError, writing
from planbook.store.options import LOCAL

_LAYOUT = 2
_TABLES = """
DROP TABLE IF EXISTS documents; DROP TABLE IF EXISTS words;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, version TEXT NOT NULL, sha256 TEXT NOT NULL,
    fetched TEXT NOT NULL, trouble TEXT, work TEXT, about TEXT NOT NULL, visible TEXT
) STRICT;
CREATE INDEX documents_by_work ON documents (work);
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, tokenize = 'porter unicode61 remove_diacritics 2'
);
"""
_MAX_TERMS = 16
TOLD_EVERY_S = 10.0
"""Seconds between two messages on how far an index is: without one, nothing seems to happen."""
_KEPT_EVERY_S = 1.0
"""Seconds between commits.

A run that is killed while reading a thousand PDFs continues where it was.
"""


class UnreadableIndexError(RefusedError):
    """The file is not an index, or is locked by another program; the message says what to do."""


class LocalIndex(ABC):
    """A local index as a search provider for queries to any engine."""

    name: str
    engines = ENGINES
    fallback_for: frozenset[str] = frozenset()

    def __init__(self, index: Path, tables: str, version: int) -> None:
        """Open the index at `index`; if it is not of this `version`, empty it.

        Raises UnreadableIndexError.
        """
        self._index = index
        self._lock = threading.RLock()
        with writing(index):
            self._database = sqlite3.connect(
                index, timeout=60.0, isolation_level=None, check_same_thread=False
            )
        try:
            with writing(index):
                self._make_tables(tables, version)
        except sqlite3.Error as error:
            self._database.close()
            message = f"{index} cannot be read ({error}); delete it to rebuild it"
            raise UnreadableIndexError(message) from error
        except BaseException:
            self._database.close()
            raise

    def _make_tables(self, tables: str, version: int) -> None:
        """Make empty tables, unless those of this version are there."""
        if self._database.execute("PRAGMA user_version").fetchone()[0] != version:
            self._database.executescript(
                f"BEGIN IMMEDIATE; {tables} PRAGMA user_version = {version}; COMMIT;"
            )

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Make the changes of the block a transaction."""
        try:
            with writing(self._index):
                self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise UnreadableIndexError(f"{self._index} cannot be written ({error})") from error
        with self._database:  # commits, or rolls back
            yield

    @abstractmethod
    def find(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return at most `limit` documents, best first.

        They hold at least half of the query's terms.
        """

    def search(self, query: Query, limit: int) -> Searched:
        """See :class:`~planbook.research.search.provider.Provider`."""
        try:
            hits = self.find(query.text, limit)
        except sqlite3.Error as error:
            reason = f"the index cannot be read ({error})"
            return Searched(query, self.name, Outcome.FAILED, (), reason)
        reason = "" if hits else "no document contains half of its terms"
        return Searched(query, self.name, Outcome.OK, hits, reason)


class Documents(LocalIndex):
    """Documents and their index in a file. Thread-safe; call :meth:`close` at the end."""

    name = LOCAL

    def __init__(self, index: Path, source: Folder) -> None:
        super().__init__(index, _TABLES, _LAYOUT)
        self.source = source

    # --- reading the files ------------------------------------------------------------------------

    def refresh(
        self, tell: Callable[[str], None] = lambda message: None, every_s: float = TOLD_EVERY_S
    ) -> None:
        """Index new and changed files, and remove deleted ones.

        Called once at the start of a run.

        Args:
            tell: receives how far it is, such as ``300 of 1169 documents read``.
            every_s: seconds between two such messages.
        """
        # The versions of the text readers, ours first: if they change, all documents are read
        # again.
        libraries = [*distributions(name="trafilatura"), *distributions(name="pypdf")]
        readers = " ".join(["3", *(library.version for library in libraries)])
        with self._lock, writing(self._index):
            pending = self.source.files()
            for path, version in pending.items():
                if version:
                    pending[path] = f"{readers} {version}"
            with self._change():
                for path in self._versions().keys() - pending.keys():
                    self._forget(path)
            total, told = len(pending), time.monotonic()
            while pending:
                if time.monotonic() - told >= every_s:
                    tell(f"{total - len(pending)} of {total} documents read")
                    told = time.monotonic()
                until = time.monotonic() + _KEPT_EVERY_S
                with self._change():
                    known = self._versions()
                    while pending and time.monotonic() < until:
                        path, version = pending.popitem()
                        if not version or known.get(path) != version:
                            self._read(path, version)

    @property
    def troubles(self) -> tuple[tuple[str, str], ...]:
        """Return the files that could not be read, by path, with the reason."""
        unread = "SELECT path, trouble FROM documents WHERE trouble IS NOT NULL ORDER BY path"
        with self._lock:
            return tuple(self._database.execute(unread).fetchall())

    def _versions(self) -> Mapping[str, str]:
        return dict(self._database.execute("SELECT path, version FROM documents").fetchall())

    def _read(self, path: str, version: str) -> None:
        """Index a file.

        If it cannot be read, store no version, so that the next run tries again.
        """
        try:
            text = self.source.read(path)
        except Unfetched as error:
            text = Fetched("", error.outcome, error.reason)
        except OSError as error:
            text = Fetched("", Outcome.FAILED, error.strerror or type(error).__name__)
        sha256 = text.sha256 or ""
        old_sha256, fetched = self._forget(path)
        if not fetched or sha256 != old_sha256:
            fetched = format_time()
        about = msgspec.json.encode(replace(text, text="", visible="")).decode()
        visible = text.visible if text.visible != text.text else None
        is_read = not text.reason
        made = self._database.execute(
            "INSERT INTO documents (path, version, trouble, work, sha256, fetched, about, visible) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                path,
                version if is_read else "",
                None if is_read else text.reason,
                work_key(text.url) if is_read else None,
                sha256,
                fetched,
                about,
                visible,
            ),
        )
        words = (made.lastrowid, text.title or "", text.text)
        self._database.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", words)

    def _forget(self, path: str) -> tuple[str, str]:
        """Remove a file; return its hash, and when that version was first read.

        Both are empty for a new file.
        """
        removed = "DELETE FROM documents WHERE path = ? RETURNING id, sha256, fetched"
        row = self._database.execute(removed, (path,)).fetchone()
        if row is None:
            return "", ""
        self._database.execute("DELETE FROM words WHERE rowid = ?", row[:1])
        return row[1], row[2]

    # --- finding ----------------------------------------------------------------------------------

    def find(self, query: str, limit: int) -> tuple[Hit, ...]:
        """See :class:`LocalIndex`; hits are ranked by BM25."""
        wanted = quoted_terms(query)
        if not wanted:
            return ()
        with self._lock:
            held = count_held(self._database, wanted)
            rows = self._database.execute(
                "SELECT words.rowid, documents.about "
                "FROM words JOIN documents ON documents.id = words.rowid WHERE words MATCH ? "
                # A word of the title counts as four of the text.
                "ORDER BY bm25(words, 4.0, 1.0), documents.path",
                (" OR ".join(wanted),),
            ).fetchall()
        enough = (len(wanted) + 1) // 2
        best = [about for rowid, about in rows if held[rowid] >= enough][:limit]
        documents = [msgspec.json.decode(about, type=Fetched) for about in best]
        return tuple(Hit(document.url, document.title or "") for document in documents)

    def read_local(self, url: str) -> Fetched | None:
        """Return the document that is cited by `url`; ``None`` if there is none. Sends no requests.

        Its fetch time is that of the first read of this version, so that runs are reproducible.
        """
        with self._lock:
            row = self._database.execute(
                "SELECT documents.about, documents.fetched, documents.visible, words.text "
                "FROM documents JOIN words ON words.rowid = documents.id "
                "WHERE documents.work = ? ORDER BY documents.path LIMIT 1",
                (work_key(url),),
            ).fetchone()
        if row is None:
            return None
        about, fetched, visible, text = row
        document = msgspec.json.decode(about, type=Fetched)
        if visible is None:  # it is the same as the text
            visible = text
        return replace(document, text=text, visible=visible, fetched=fetched)


def quoted_terms(query: str) -> list[str]:
    """Return the terms of a query as quoted FTS5 strings, which contain no operators."""
    quotable = [term.replace('"', " ") for term in terms(query)[:_MAX_TERMS]]
    return [f'"{term}"' for term in quotable if any(map(str.isalnum, term))]


def count_held(database: sqlite3.Connection, wanted: Sequence[str]) -> Counter[int]:
    """Count the terms in each row of the table ``words``."""
    held: Counter[int] = Counter()
    for term in wanted:
        rows = database.execute("SELECT rowid FROM words WHERE words MATCH ?", (term,))
        held.update(rowid for (rowid,) in rows)
    return held
