"""The ledger of `planbook expand`: which stages are done, what is to be written, what was written. SQLite.

The way of a PART::

    open ─────────> intended ─────────> recorded ─────────> settled
    its stages,     what will be        page, drop and      committed, or left
    one by one      written is fixed    mark are written    to be so by hand

A step is on the disk when its method returns. What a killed run leaves behind is a PART in one of these standings: the
next run goes on from there. Large values lie beside the ledger, as files of the working folder; it holds their names.
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
"""Of the tables below, kept in ``PRAGMA user_version``."""

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
    """The ledger is of another version, or no ledger."""


class Standing(StrEnum):
    """How far a PART has come."""

    OPEN = "open"
    INTENDED = "intended"
    RECORDED = "recorded"
    SETTLED = "settled"
    DROPPED = "dropped"
    """Given up: its plan or the settings have changed, and it was begun anew; or its page's place was taken."""


Key = tuple[str, int, str]
"""What tells a piece of work from others: the plan's slug, the PART's number, the page."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run that did not come to its end."""

    started: str
    pid: int
    host: str


@dataclass(frozen=True, slots=True)
class PartRow:
    """A PART in work."""

    id: int
    plan: str
    """The plan's slug: moving the plan does not change it."""
    number: int
    page: str
    brief: str
    """The artifact that holds what the base knew when the PART was begun."""
    record: str | None = None
    """The artifact that holds what is to be written, once that is known."""


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt at a PART."""

    number: int
    started: str
    failure: str | None = None
    """Why it ended without a page; ``None`` where it has not ended, or well."""


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage that is done."""

    artifact: str
    """What it gave."""
    requests: int = 0
    tokens: int = 0


class Ledger:
    """A ledger in a file. Used by one thread; give it back with `close`, or use it in a ``with``."""

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
        """Ends the connection."""
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
        """All changes of the block, or none."""
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
        """The new run's id."""
        found = self._execute("INSERT INTO runs (started, pid, host) VALUES (?, ?, ?)", (started, pid, host))
        return int(found.lastrowid or 0)

    def end_run(self, run: int, ended: str, outcome: str) -> None:
        """The run came to its end, whatever it was."""
        self._execute("UPDATE runs SET ended = ?, outcome = ? WHERE id = ?", (ended, outcome, run))

    def cut_off(self) -> RunRow | None:
        """The last run, where it never came to its end: it was killed, or the machine went down."""
        row = self._execute("SELECT started, pid, host, ended FROM runs ORDER BY id DESC LIMIT 1").fetchone()
        return RunRow(*row[:3]) if row and row[3] is None else None

    # --- PARTs -----------------------------------------------------------------------------------------------------

    def take_part(self, run: int, key: Key, fingerprint: str, brief: str) -> PartRow:
        """The PART as it was begun and not ended, if by the same `fingerprint`; else begun now, with `brief`."""
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
        """All PARTs of a standing, in the order in which they were begun."""
        rows = self._execute(
            "SELECT id, plan, number, page, brief, record FROM parts WHERE standing = ? ORDER BY id", (standing,)
        )
        return tuple(PartRow(*row) for row in rows)

    def _stand(self, part: int, standing: Standing) -> None:
        self._execute("UPDATE parts SET standing = ? WHERE id = ?", (standing, part))

    # --- attempts and stages ---------------------------------------------------------------------------------------

    def begin_attempt(self, part: int, number: int, started: str) -> AttemptRow:
        """The attempt as it was begun before, else begun now."""
        with self._change():
            values = (part, number, started)
            self._execute("INSERT OR IGNORE INTO attempts (part, number, started) VALUES (?, ?, ?)", values)
            row = self._execute(
                "SELECT number, started, failure FROM attempts WHERE part = ? AND number = ?", values[:2]
            ).fetchone()
        return AttemptRow(*row)

    def end_stage(self, part: int, attempt: int, stage: str, done: StageRow) -> None:
        """The stage is done. Done twice, because what it gave was lost, the last time counts."""
        self._execute(
            "INSERT OR REPLACE INTO stages VALUES (?, ?, ?, ?, ?, ?)",
            (part, attempt, stage, done.artifact, done.requests, done.tokens),
        )

    def stages(self, part: int, attempt: int) -> Mapping[str, StageRow]:
        """The stages of an attempt that are done."""
        rows = self._execute(
            "SELECT stage, artifact, requests, tokens FROM stages WHERE part = ? AND attempt = ?", (part, attempt)
        )
        return {row[0]: StageRow(*row[1:]) for row in rows}

    def fail_attempt(self, part: int, number: int, failure: str) -> None:
        """The attempt ended without a page."""
        self._execute("UPDATE attempts SET failure = ? WHERE part = ? AND number = ?", (failure, part, number))

    # --- what is written -------------------------------------------------------------------------------------------

    def intend(self, part: int, record: str, paths: Iterable[str]) -> None:
        """What is to be written is fixed: it lies in the artifact `record`, and goes to `paths`."""
        with self._change():
            self._claim(paths)
            self._execute("UPDATE parts SET record = ? WHERE id = ?", (record, part))
            self._stand(part, Standing.INTENDED)

    def recorded(self, part: int) -> None:
        """Page, drop and mark are on the disk."""
        self._stand(part, Standing.RECORDED)

    def give_up(self, part: int, paths: Iterable[str]) -> None:
        """What was intended was not written: `paths` are someone else's."""
        with self._change():
            for path in paths:
                self._execute("DELETE FROM claimed WHERE path = ?", (path,))
            self._stand(part, Standing.DROPPED)

    def claim(self, paths: Iterable[str]) -> None:
        """These files are about to change, and belong into the commit. Paths are relative to the project's folder."""
        with self._change():
            self._claim(paths)

    def _claim(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._execute("INSERT OR IGNORE INTO claimed VALUES (?)", (path,))

    def claimed(self) -> tuple[str, ...]:
        """The files that were changed since the last commit of ours."""
        return tuple(row[0] for row in self._execute("SELECT path FROM claimed ORDER BY path"))

    def settle(self, how: str) -> None:
        """All that is recorded is settled: committed, or left to the user; `how` says which."""
        with self._change():
            self._execute(
                "UPDATE parts SET standing = ?, settled = ? WHERE standing = ?",
                (Standing.SETTLED, how, Standing.RECORDED),
            )
            self._execute("DELETE FROM claimed")
