"""The full-text index of a folder of documents: SQLite FTS5 in one file, which can be made anew at any time.

https://www.sqlite.org/fts5.html
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from generator.citations.identifiers import work_key
from generator.search.answers import plain
from generator.search.documents import File, Text, files_in, read_text
from generator.search.model import Hit
from generator.search.words import terms
from generator.store.files import writing
from generator.web.model import Fetched, Limits, Outcome, Unfetched

_TABLES = """
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, seen_ns INTEGER NOT NULL, sha256 TEXT NOT NULL,
    stamp TEXT NOT NULL, fetched TEXT NOT NULL, trouble TEXT, work TEXT, said TEXT, visible TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS documents_by_work ON documents (work);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, text, tokenize = 'porter unicode61 remove_diacritics 2');
"""
_LAYOUT = 1
"""Of what is kept of a document. With the versions of what reads texts, its stamp: with another, it is read again."""
_UNSURE_NS = 2_000_000_000
"""A file that was changed so shortly before it was read may have been changed again within one tick of its clock."""
_MOST_TERMS = 16
_KEPT_EVERY_S = 1.0
"""Seconds between commits, so that a run killed while reading a thousand PDFs continues where it was."""


class UnreadableIndexError(Exception):
    """The file is no index, or another program holds it; the message says what to do."""


@dataclass(frozen=True, slots=True)
class _IndexedFile:
    id: int
    size: int
    mtime_ns: int
    seen_ns: int
    sha256: str
    stamp: str
    fetched: str
    trouble: str | None

    def is_sure(self, file: File) -> bool:
        """Return whether the file is surely unchanged; one that could not be read may have been fixed."""
        return (
            self.trouble is None
            and (file.size, file.mtime_ns) == (self.size, self.mtime_ns)
            and self.mtime_ns + _UNSURE_NS < self.seen_ns
        )


class Documents:
    """A folder of documents and its index in a file. Used by many threads; give it back with :meth:`close`.

    `name` is the folder's path from the project's folder: documents are cited by it.
    """

    def __init__(self, index: Path, folder: Path, name: str, limits: Limits | None = None) -> None:
        self.folder = folder
        self._name = name
        self._limits = limits or Limits()
        self._lock = threading.Lock()
        self._index = index
        with writing(index):
            self._database = sqlite3.connect(index, timeout=60.0, isolation_level=None, check_same_thread=False)
        try:
            with writing(index):
                self._database.executescript(_TABLES)
        except BaseException as error:
            self._database.close()
            if isinstance(error, sqlite3.Error):
                what = f"{index} cannot be read ({error}); delete it, and it is made anew"
                raise UnreadableIndexError(what) from error
            raise

    def __enter__(self) -> Documents:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._database.close()

    # --- reading the folder ----------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Reads the files that are new or changed, and forgets those that are gone. A run does it once, first."""
        stamp = _stamp()
        with self._lock, writing(self._index):
            left = list(files_in(self.folder))
            with self._change():
                paths = {file.path for file in left}
                for path, row in self._rows().items():
                    if path not in paths:
                        self._forget(row)
            while left:
                until = time.monotonic() + _KEPT_EVERY_S
                with self._change():
                    rows = self._rows()
                    while left and time.monotonic() < until:
                        file = left.pop()
                        old = rows.get(file.path)
                        if old is None or old.stamp != stamp or not old.is_sure(file):
                            self._read(file, old, stamp)

    @property
    def troubles(self) -> tuple[tuple[str, str], ...]:
        """The files that could not be read, by path, and why."""
        with self._lock:
            found = self._database.execute(
                "SELECT path, trouble FROM documents WHERE trouble IS NOT NULL ORDER BY path"
            )
            return tuple(found.fetchall())

    def __len__(self) -> int:
        with self._lock:
            found = self._database.execute("SELECT count(*) FROM documents WHERE trouble IS NULL")
            return int(found.fetchone()[0])

    def _rows(self) -> dict[str, _IndexedFile]:
        rows = self._database.execute(
            "SELECT path, id, size, mtime_ns, seen_ns, sha256, stamp, fetched, trouble FROM documents"
        )
        return {path: _IndexedFile(*values) for path, *values in rows}

    def _read(self, file: File, row: _IndexedFile | None, stamp: str) -> None:
        seen_ns = time.time_ns()
        trouble: str | None = None
        text: Text | None = None
        body = b""
        try:
            if file.size > self._limits.max_bytes:
                raise Unfetched(Outcome.TOO_LARGE, f"it is longer than {self._limits.max_bytes:,} bytes")
            body = (self.folder / file.path).read_bytes()
            sha256 = hashlib.sha256(body).hexdigest()
            if row and (row.sha256, row.stamp, row.trouble) == (sha256, stamp, None):
                self._database.execute(
                    "UPDATE documents SET size = ?, mtime_ns = ?, seen_ns = ? WHERE id = ?",
                    (file.size, file.mtime_ns, seen_ns, row.id),
                )
                return
            text = read_text(file.path, body, self._name, self._limits)
        except Unfetched as error:
            trouble = error.reason
        except OSError as error:
            trouble = error.strerror or type(error).__name__
        sha256 = hashlib.sha256(body).hexdigest()
        is_same = row is not None and row.sha256 == sha256
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fetched = row.fetched if row and is_same else now
        if row:
            self._forget(row)
        self._keep((file.path, file.size, file.mtime_ns, seen_ns, sha256, stamp, fetched, trouble), text)

    def _keep(self, facts: tuple[object, ...], text: Text | None) -> None:
        said = visible = None
        if text:
            said = json.dumps({k: v for k, v in asdict(text).items() if k not in {"text", "visible"}})
            visible = text.visible if text.visible != text.text else None
        made = self._database.execute(
            "INSERT INTO documents "
            "(path, size, mtime_ns, seen_ns, sha256, stamp, fetched, trouble, work, said, visible) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*facts, work_key(text.url) if text else None, said, visible),
        )
        if text:
            values = (made.lastrowid, text.title or "", text.text)
            self._database.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", values)

    def _forget(self, row: _IndexedFile) -> None:
        self._database.execute("DELETE FROM documents WHERE id = ?", (row.id,))
        self._database.execute("DELETE FROM words WHERE rowid = ?", (row.id,))

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Make all changes of the block, or none."""
        try:
            with writing(self._index):
                self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise UnreadableIndexError(f"the index of {self._name}/ cannot be written ({error})") from error
        with self._database:  # commits, or rolls back
            yield

    # --- finding ---------------------------------------------------------------------------------------------------

    def find(self, query: str, limit: int) -> tuple[Hit, ...]:
        """At most `limit` documents that hold at least half of the query's terms, best first (BM25)."""
        wanted = [
            f'"{term.replace(chr(34), " ")}"' for term in terms(query)[:_MOST_TERMS] if any(map(str.isalnum, term))
        ]
        if not wanted:
            return ()
        with self._lock:
            held = self._held(wanted)
            rows = self._database.execute(
                "SELECT words.rowid, documents.said, snippet(words, 1, '', '', '…', 40) "
                "FROM words JOIN documents ON documents.id = words.rowid WHERE words MATCH ? "
                "ORDER BY bm25(words, 4.0, 1.0), documents.path",  # a word of the title counts as four of the text
                (" OR ".join(wanted),),
            ).fetchall()
        enough = (len(wanted) + 1) // 2
        found = [(json.loads(said), snippet) for rowid, said, snippet in rows if held[rowid] >= enough]
        return tuple(Hit(said["url"], said["title"] or "", plain(snippet, 600)) for said, snippet in found[:limit])

    def _held(self, wanted: Sequence[str]) -> Counter[int]:
        """Count the terms in each document."""
        held: Counter[int] = Counter()
        for term in wanted:
            held.update(
                rowid for (rowid,) in self._database.execute("SELECT rowid FROM words WHERE words MATCH ?", (term,))
            )
        return held

    def read_local(self, url: str) -> Fetched | None:
        """Return the document that is cited by `url`; ``None`` if the folder has none. Nobody is asked.

        `fetched` is when this version of it was first read, so that a second run gives the same.
        """
        with self._lock:
            row = self._database.execute(
                "SELECT documents.said, documents.fetched, documents.visible, words.text "
                "FROM documents JOIN words ON words.rowid = documents.id "
                "WHERE documents.work = ? ORDER BY documents.path LIMIT 1",
                (work_key(url),),
            ).fetchone()
        if row is None:
            return None
        said, fetched, visible, text = row
        about = json.loads(said)
        return Fetched(
            url=about.pop("url"),
            outcome=Outcome.OK,
            text=text,
            visible=text if visible is None else visible,
            fetched=fetched,
            **about,
        )


def has_fts5() -> bool:
    """Return whether this Python's SQLite has full-text search."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute("CREATE VIRTUAL TABLE x USING fts5 (y)")
        except sqlite3.OperationalError:
            return False
    return True


def _stamp() -> str:
    versions = []
    for package in ("trafilatura", "pypdf"):
        try:
            versions.append(version(package))
        except PackageNotFoundError:
            versions.append("none")
    return " ".join([str(_LAYOUT), *versions])
