"""A full-text index of files in local mirrors, at one commit of each repository.

It is SQLite FTS5 without the texts: those stay in the mirrors, addressed by their hashes. The index
can be deleted at any time.
"""

from __future__ import annotations

import mimetypes
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

import lxml.html
from lxml.etree import LxmlError
from pathspec.gitignore import GitIgnoreSpec

from planbook.citations.repository_files import RepositoryFile, parse_file_url
from planbook.research.mirrors import Mirror, MirrorError, MirrorFile
from planbook.research.search.api_answers import Hit
from planbook.research.search.document_folder import (
    DOCUMENTS,
    Mirrors,
    file_text,
    file_title,
    read_file,
)
from planbook.research.search.full_text_index import (
    LocalIndex,
    UnreadableIndexError,
    count_held,
    quoted_terms,
)
from planbook.research.web.model import Fetched, Unfetched
from planbook.store.files import writing
from planbook.store.options import REPOSITORIES, RepositoryOptions

_NAMES = frozenset({"README", "INSTALL", "CONTRIBUTING"})
_LEFT_OUT = re.compile(
    r"(?:^|/)(?:\.|node_modules/|vendor/)|\.(?:csv|jsonl?|lock|map|min\.js|parquet|po|svg|tsv|zip)$"
)
_NO_TEXT = (
    "application/octet",
    "application/pdf",
    "application/x-tar",
    "audio/",
    "font/",
    "image/",
    "video/",
)
_MAX_BYTES = 1_000_000
_MAX_CANDIDATES = 2_000
_SOURCE_WEIGHT = 0.5
"""Weight of programs, whose words repeat more often than those of documentation."""
_IDENTIFIER = re.compile(
    r"(?=\w{0,100}(?:_|[a-z][A-Z]|(?:::|->|\.)\w))[^\W\d]\w*(?:(?:::|->|\.)\w+)*"
)
"""A name of a program: ``wmma::load_matrix_sync``, ``cudaMalloc``."""
_TRANSACTION_FILES = 1_000
_VERSION = 1
_TABLES = """
DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS words;
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, repository TEXT NOT NULL, path TEXT NOT NULL,
    blob TEXT NOT NULL, title TEXT NOT NULL,
    UNIQUE (repository, path)
) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (
    path, title, text,
    content = '', tokenize = "porter unicode61 remove_diacritics 2 tokenchars '_'"
);
"""
_README = re.compile(r"readme[^/]*\Z", re.IGNORECASE)
_ROOT = re.compile(
    r"https?://(?:www\.)?(?P<host>[\w.-]+)/(?P<name>[\w.-]+/[\w./-]*?[\w-])(?:\.git)?/?"
)


class RepositoryIndex(LocalIndex):
    """The files of repositories and their index in a file. Thread-safe; close it after use."""

    name = REPOSITORIES

    def __init__(self, index: Path, root: Path, options: Mapping[str, RepositoryOptions]) -> None:
        super().__init__(index, _TABLES, _VERSION)
        self._options = options
        self._mirrors = Mirrors({name: root / option.path for name, option in options.items()})
        self._commits: dict[str, str] = {}

    def close(self) -> None:
        """Close the index and the mirrors."""
        super().close()
        self._mirrors.close()

    # --- following the mirrors --------------------------------------------------------------------

    def refresh(self, report: Callable[[str], None] = lambda message: None) -> None:
        """Index the files that are new or changed at the commits. Raises UnreadableIndexError."""
        try:
            for name, option in self._options.items():
                mirror = self._mirrors.find(_file(name, "", ""))
                commit = mirror.resolve(option.ref) if mirror else None
                if mirror is None or commit is None:
                    ref = option.ref or "main branch; name a `ref`"
                    raise UnreadableIndexError(f"the mirror of {name} has no {ref}")
                self._commits[name] = commit
                files = _select_files(mirror.files(commit), option.files)
                with self._lock, writing(self._index):
                    self._update(name, mirror, files, report)
        except (MirrorError, sqlite3.OperationalError) as error:
            raise UnreadableIndexError(str(error)) from error

    def _update(
        self, name: str, mirror: Mirror, files: Sequence[MirrorFile], report: Callable[[str], None]
    ) -> None:
        """Remove changed and deleted files, and add new ones.

        Transactions are so short that a killed run loses little. The words of removed files stay
        in the index, but match no file.
        """
        query = "SELECT path, blob, id FROM files WHERE repository = ?"
        rows = self._database.execute(query, (name,)).fetchall()
        gone = {(path, blob): (rowid,) for path, blob, rowid in rows}
        new = [file for file in files if (file.path, file.blob) not in gone]
        for file in files:
            gone.pop((file.path, file.blob), None)
        with self._change():
            self._database.executemany("DELETE FROM files WHERE id = ?", gone.values())
        if len(new) > _TRANSACTION_FILES:
            report(f"indexing {len(new):,} files of {name}")
        for start in range(0, len(new), _TRANSACTION_FILES):
            with self._change():
                for file, body in mirror.blobs(new[start : start + _TRANSACTION_FILES]):
                    self._add(name, file, body)

    def _add(self, name: str, file: MirrorFile, body: bytes) -> None:
        """Add a file of the repository of this name, with its words."""
        title, text = _title_and_text(file.path, body)
        added = self._database.execute(
            "INSERT INTO files (repository, path, blob, title) VALUES (?, ?, ?, ?)",
            (name, file.path, file.blob, title),
        )
        self._database.execute(
            "INSERT INTO words (rowid, path, title, text) VALUES (?, ?, ?, ?)",
            (added.lastrowid, file.path, title, text),
        )

    # --- finding ----------------------------------------------------------------------------------

    def find(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return at most `limit` files that answer a query.

        They contain an identifier of the query or at least half of its terms.

        Those with the most identifiers come first, then those with the best BM25.
        """
        wanted = quoted_terms(query)
        names = [f'"{name}"' for name in _IDENTIFIER.findall(query)]
        if not wanted:
            return ()
        with self._lock:
            rows = self._database.execute(
                "SELECT files.id, repository, files.path, files.title, "
                "bm25(words, 2.0, 4.0, 1.0) AS rank "
                "FROM words JOIN files ON files.id = words.rowid WHERE words MATCH ? "
                "ORDER BY rank, repository, files.path LIMIT ?",
                (" OR ".join([*wanted, *names]), _MAX_CANDIDATES),
            ).fetchall()
            held = count_held(self._database, wanted)
            counts = count_held(self._database, names)
        enough = (len(wanted) + 1) // 2
        good: list[tuple[int, float, str, str, str]] = []
        for rowid, name, path, title, rank in rows:
            has_enough = counts[rowid] or held[rowid] >= enough
            if not has_enough or name not in self._commits:
                continue
            is_preferred = counts[rowid] or _is_document(path)
            weighted = rank * (1.0 if is_preferred else _SOURCE_WEIGHT)
            good.append((-counts[rowid], weighted, name, path, title))
        good.sort(key=lambda row: row[:2])
        return tuple(
            Hit(_file(name, self._commits[name], path).base_url, title or path)
            for *_, name, path, title in good[:limit]
        )

    def read_local(self, url: str) -> Fetched | None:
        """Return the file at an address, at its commit or that of its branch.

        The result is ``None`` if no mirror has it. A repository's own address is that of its
        README. Sends no requests.
        """
        file = parse_file_url(url) or _whole_file(url)
        with self._lock:
            mirror = self._mirrors.find(file) if file else None
            if file is None or mirror is None:
                return None
            if file.is_pinned:
                return next(fetched for _, fetched in self._mirrors.read_pins([file]))
            name = next(name for name in self._options if name.lower() == file.key)
            is_main = file.ref in {"HEAD", ""}
            commit = self._commits.get(name) if is_main else mirror.resolve(file.ref)
            if commit is None:
                return None
            path = file.path or _path_of_readme(mirror, commit)
            return read_file(mirror, _file(name, commit, path)) if path else None


def _path_of_readme(mirror: Mirror, commit: str) -> str:
    """Return the path of a repository's README; empty if it has none."""
    for file in mirror.files(commit):
        if _README.match(file.path):
            return file.path
    return ""


def _whole_file(url: str) -> RepositoryFile | None:
    """Return the repository at an address, as a file without a path."""
    root = _ROOT.fullmatch(url.partition("#")[0])
    if not root:
        return None
    host, name = root["host"], root["name"]
    return _file(name if host == "github.com" else f"{host}/{name}", "HEAD", "")


def _file(repository: str, commit: str, path: str) -> RepositoryFile:
    return RepositoryFile(
        repository, commit, path, is_gitlab="gitlab" in repository.partition("/")[0]
    )


def _select_files(files: Sequence[MirrorFile], patterns: Sequence[str]) -> list[MirrorFile]:
    """Return the files to index: those that `patterns` name, by default all.

    Files that cannot be text are left out.
    """
    if patterns:
        spec = GitIgnoreSpec.from_lines(patterns)
        chosen = [file for file in files if spec.match_file(file.path)]
    else:
        chosen = [file for file in files if not _LEFT_OUT.search(file.path)]
    return [file for file in chosen if file.size <= _MAX_BYTES and _may_be_text(file.path)]


def _may_be_text(path: str) -> bool:
    """Return whether a file may be text, as far as its name tells."""
    media_type, _ = mimetypes.guess_type(path)
    return not (media_type or "").startswith(_NO_TEXT)


def _is_document(path: str) -> bool:
    """Return whether a file is documentation, and not a program."""
    name = PurePosixPath(path)
    return name.suffix.lower() in DOCUMENTS or name.name in _NAMES


def _title_and_text(path: str, body: bytes) -> tuple[str, str]:
    """Return title and text of a file; the same content gives the same words."""
    if path.endswith((".html", ".htm")):
        text = "\n".join(_html_texts(body))
    else:
        try:
            text = file_text(path, body)[0]
        except Unfetched:  # not text
            text = ""
    return file_title(path, text), text


def _html_texts(body: bytes) -> Iterator[str]:
    """Yield the texts of a page; the main text is extracted when it is read."""
    try:
        tree = lxml.html.document_fromstring(body)
    except (LxmlError, ValueError):
        return
    yield from (
        str(text) for text in tree.xpath("//text()[not(ancestor::script or ancestor::style)]")
    )
