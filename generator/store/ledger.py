"""The ledger of `planbook expand`: stages done, files to write, files written. SQLite.

The life of a PART::

    open ─────────> intended ─────────> recorded ─────────> settled
    its stages,     the files are       page, drop and      committed, or left
    one by one      decided             mark are written    to the user to commit

A step is on disk when its method returns. A killed run leaves each PART in one of these states, from which the next
run continues. Large values are stored beside the ledger, as files of the working folder; it contains their names.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from generator.store.files import writing

VERSION = 1
"""The version of the tables below, stored in ``PRAGMA user_version``."""

_TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL, ended TEXT, outcome TEXT
) STRICT;
CREATE TABLE parts (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    plan TEXT NOT NULL, number INTEGER NOT NULL, page TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    brief TEXT NOT NULL,
    standing TEXT NOT NULL DEFAULT 'open',
    record TEXT,
    settled TEXT
) STRICT;
CREATE INDEX parts_by_page ON parts (plan, number, page);
CREATE TABLE attempts (
    part INTEGER NOT NULL REFERENCES parts, number INTEGER NOT NULL, started TEXT NOT NULL, failure TEXT,
    PRIMARY KEY (part, number)
) STRICT;
CREATE TABLE stages (
    part INTEGER NOT NULL, attempt INTEGER NOT NULL, stage TEXT NOT NULL,
    artifact TEXT NOT NULL, requests INTEGER NOT NULL, tokens INTEGER NOT NULL,
    PRIMARY KEY (part, attempt, stage), FOREIGN KEY (part, attempt) REFERENCES attempts
) STRICT;
CREATE TABLE claimed (path TEXT PRIMARY KEY) STRICT;
"""


class LedgerError(Exception):
    """The file is a ledger of another version, or not a ledger."""


class Standing(StrEnum):
    """The progress of a PART through a run."""

    OPEN = "open"
    INTENDED = "intended"
    RECORDED = "recorded"
    SETTLED = "settled"
    DROPPED = "dropped"
    """Abandoned: its plan or the settings changed and it was restarted, or its page's path was taken."""


Key = tuple[str, int, str]
"""The identity of a piece of work: the plan's slug, the PART's number, the page."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run that did not finish."""

    started: str
    pid: int
    host: str


@dataclass(frozen=True, slots=True)
class PartRow:
    """A PART in progress."""

    id: int
    plan: str
    """The plan's slug: moving the plan does not change it."""
    number: int
    page: str
    brief: str
    """The artifact with the brief: the prior knowledge of the base when the PART was begun."""
    record: str | None = None
    """The artifact with the files to write, once it is known."""


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt at a PART."""

    number: int
    started: str
    failure: str | None = None
    """The reason why it ended without a page; ``None`` if it succeeded or has not ended."""


@dataclass(frozen=True, slots=True)
class StageRow:
    """A completed stage."""

    artifact: str
    """The stage's result."""
    requests: int = 0
    tokens: int = 0


class Ledger:
    """A ledger in a file, for use by one thread. Close it with `close`, or use it in a ``with`` statement."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            self._database = sqlite3.connect(path, isolation_level=None)
        try:
            self._open()
        except BaseException as error:
            self._database.close()
            if isinstance(error, sqlite3.DatabaseError):
                what = f"{path} cannot be read ({error}); delete it, and what was unfinished is begun anew"
                raise LedgerError(what) from error
            raise

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def _open(self) -> None:
        self._execute("PRAGMA journal_mode = WAL")
        # In WAL mode a commit is on the disk only with FULL (https://www.sqlite.org/pragma.html#pragma_synchronous).
        self._execute("PRAGMA synchronous = FULL")
        self._execute("PRAGMA foreign_keys = ON")
        with self._change():
            (version,) = self._execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in _TABLES.split(";\n"):
                    self._execute(statement)
                self._execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise LedgerError(
                    f"the ledger in .planbook/ is of version {version}, and this planbook writes version {VERSION}; "
                    "delete .planbook/ledger.sqlite, and what was unfinished is begun anew"
                )

    @contextmanager
    def _change(self) -> Iterator[None]:
        """A transaction: all changes of the block, or none."""
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:  # SQLite may have rolled back by itself, as where the disk is full
                self._execute("ROLLBACK")
            raise

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        with writing(self._path):
            return self._database.execute(sql, values)

    # --- runs ------------------------------------------------------------------------------------------------------

    def begin_run(self, started: str, pid: int, host: str) -> int:
        """Record the start of a run and return its id."""
        found = self._execute("INSERT INTO runs (started, pid, host) VALUES (?, ?, ?)", (started, pid, host))
        return int(found.lastrowid or 0)

    def end_run(self, run: int, ended: str, outcome: str) -> None:
        """Record the end of a run, with its outcome."""
        self._execute("UPDATE runs SET ended = ?, outcome = ? WHERE id = ?", (ended, outcome, run))

    def cut_off(self) -> RunRow | None:
        """Return the last run if it never finished: it was killed, or the machine went down."""
        row = self._execute("SELECT started, pid, host, ended FROM runs ORDER BY id DESC LIMIT 1").fetchone()
        return RunRow(*row[:3]) if row and row[3] is None else None

    # --- PARTs -----------------------------------------------------------------------------------------------------

    def take_part(self, run: int, key: Key, fingerprint: str, brief: str) -> PartRow:
        """Resume an unfinished PART with the same `fingerprint`, or begin it with `brief`."""
        with self._change():
            rows = self._execute(
                "SELECT id, fingerprint, brief FROM parts WHERE plan = ? AND number = ? AND page = ? AND standing = ?",
                (*key, Standing.OPEN),
            ).fetchall()
            same = next((row for row in rows if row[1] == fingerprint), None)
            for row in rows:
                if row is not same:
                    self._stand(row[0], Standing.DROPPED)
            if same:
                return PartRow(same[0], *key, brief=same[2])
            made = self._execute(
                "INSERT INTO parts (run, plan, number, page, fingerprint, brief) VALUES (?, ?, ?, ?, ?, ?)",
                (run, *key, fingerprint, brief),
            )
            return PartRow(int(made.lastrowid or 0), *key, brief=brief)

    def parts(self, standing: Standing) -> tuple[PartRow, ...]:
        """Return the PARTs with a status, in the order in which they were begun."""
        rows = self._execute(
            "SELECT id, plan, number, page, brief, record FROM parts WHERE standing = ? ORDER BY id", (standing,)
        )
        return tuple(PartRow(*row) for row in rows)

    def _stand(self, part: int, standing: Standing) -> None:
        self._execute("UPDATE parts SET standing = ? WHERE id = ?", (standing, part))

    # --- attempts and stages ---------------------------------------------------------------------------------------

    def begin_attempt(self, part: int, number: int, started: str) -> AttemptRow:
        """Return the attempt if it was begun before, else begin it."""
        with self._change():
            values = (part, number, started)
            self._execute("INSERT OR IGNORE INTO attempts (part, number, started) VALUES (?, ?, ?)", values)
            row = self._execute(
                "SELECT number, started, failure FROM attempts WHERE part = ? AND number = ?", values[:2]
            ).fetchone()
        return AttemptRow(*row)

    def end_stage(self, part: int, attempt: int, stage: str, done: StageRow) -> None:
        """Record a completed stage. If it had to be repeated because its result was lost, the last time counts."""
        self._execute(
            "INSERT OR REPLACE INTO stages VALUES (?, ?, ?, ?, ?, ?)",
            (part, attempt, stage, done.artifact, done.requests, done.tokens),
        )

    def stages(self, part: int, attempt: int) -> Mapping[str, StageRow]:
        """Return the completed stages of an attempt."""
        rows = self._execute(
            "SELECT stage, artifact, requests, tokens FROM stages WHERE part = ? AND attempt = ?", (part, attempt)
        )
        return {row[0]: StageRow(*row[1:]) for row in rows}

    def fail_attempt(self, part: int, number: int, failure: str) -> None:
        """Record that an attempt ended without a page."""
        self._execute("UPDATE attempts SET failure = ? WHERE part = ? AND number = ?", (failure, part, number))

    # --- what is written -------------------------------------------------------------------------------------------

    def intend(self, part: int, record: str, paths: Iterable[str]) -> None:
        """Record what will be written: the artifact `record`, and the `paths` it goes to."""
        with self._change():
            self._claim(paths)
            self._execute("UPDATE parts SET record = ? WHERE id = ?", (record, part))
            self._stand(part, Standing.INTENDED)

    def recorded(self, part: int) -> None:
        """Record that page, drop and mark are on disk."""
        self._stand(part, Standing.RECORDED)

    def give_up(self, part: int, paths: Iterable[str]) -> None:
        """Record that the intended files were not written, because `paths` belong to someone else."""
        with self._change():
            for path in paths:
                self._execute("DELETE FROM claimed WHERE path = ?", (path,))
            self._stand(part, Standing.DROPPED)

    def claim(self, paths: Iterable[str]) -> None:
        """Record files about to change, which belong in the commit. Paths are relative to the project's folder."""
        with self._change():
            self._claim(paths)

    def _claim(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._execute("INSERT OR IGNORE INTO claimed VALUES (?)", (path,))

    def claimed(self) -> tuple[str, ...]:
        """Return the files changed since our last commit."""
        return tuple(row[0] for row in self._execute("SELECT path FROM claimed ORDER BY path"))

    def settle(self, how: str) -> None:
        """Record that all recorded PARTs are settled: committed, or left to the user, as `how` says."""
        with self._change():
            self._execute(
                "UPDATE parts SET standing = ?, settled = ? WHERE standing = ?",
                (Standing.SETTLED, how, Standing.RECORDED),
            )
            self._execute("DELETE FROM claimed")
