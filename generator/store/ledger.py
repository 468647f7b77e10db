"""The ledger of `planbook expand`, in SQLite: finished stages, records to write, and files to commit.

The states of a page::

    open ─────────> intended ─────────> recorded ─────────> settled
    its stages,     the record is       page, drop and      committed, or left
    one by one      fixed               mark are written    to the user

A change is on disk when its method returns. A killed run leaves its pages in one of these states, and the next run
continues from there. Large values are files of the working folder; the ledger holds their names.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from generator.store.files import RefusedError, read_work, work_path, write_work, writing

VERSION = 2
"""The version of the tables below, stored in ``PRAGMA user_version``. Version 1 had another name for `status`."""

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
    status TEXT NOT NULL DEFAULT 'open',
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


class LedgerError(RefusedError):
    """The ledger is damaged or of another version; the message says what to delete."""


class PartStatus(StrEnum):
    """The state of a page."""

    OPEN = "open"
    INTENDED = "intended"
    RECORDED = "recorded"
    SETTLED = "settled"
    DROPPED = "dropped"
    """Abandoned: its plan or the settings changed, so it started over; or someone else wrote the page."""


Key = tuple[str, int, str]
"""The key of a page: the plan's slug, the PART's number, the page's uri."""


@dataclass(frozen=True, slots=True)
class PartRow:
    """A page in work."""

    id: int
    plan: str
    """The plan's slug, which does not change when the plan moves."""
    number: int
    page: str
    brief: str
    """The artifact with the prior knowledge of the time when the page was begun."""
    record: str | None = None
    """The artifact with the record, once it is fixed."""


@dataclass(frozen=True, slots=True)
class StageRow:
    """A finished stage."""

    artifact: str
    """The artifact with its result."""
    requests: int = 0
    tokens: int = 0


class Ledger:
    """A ledger in a file. Used by one thread at a time; a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            self._open()
        except BaseException as error:
            self._database.close()
            if isinstance(error, sqlite3.DatabaseError):
                what = f"{path} cannot be read ({error}); delete it; unfinished PARTs start over"
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
            elif version == 1:
                self._execute("ALTER TABLE parts RENAME COLUMN standing TO status")
                self._execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise LedgerError(
                    f"the ledger in .planbook/ is of version {version}, and this planbook writes version {VERSION}; "
                    "delete .planbook/ledger.sqlite; unfinished PARTs start over"
                )

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Make the changes of the block a transaction."""
        with writing(self._path), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        with writing(self._path):
            return self._database.execute(sql, values)

    # --- runs ------------------------------------------------------------------------------------------------------

    def begin_run(self, started: str, pid: int, host: str) -> int:
        """Add a run and return its id."""
        found = self._execute("INSERT INTO runs (started, pid, host) VALUES (?, ?, ?)", (started, pid, host))
        return int(found.lastrowid or 0)

    def end_run(self, run: int, ended: str, outcome: str) -> None:
        """Record the end of a run."""
        self._execute("UPDATE runs SET ended = ?, outcome = ? WHERE id = ?", (ended, outcome, run))

    def interrupted(self) -> str | None:
        """Return the start of the last run if it was interrupted: killed, for example."""
        row = self._execute("SELECT started, ended FROM runs ORDER BY id DESC LIMIT 1").fetchone()
        return row[0] if row and row[1] is None else None

    # --- PARTs -----------------------------------------------------------------------------------------------------

    def take_part(self, run: int, key: Key, fingerprint: str, brief: str) -> PartRow:
        """Return the unfinished page if it has the same `fingerprint`, or else begin it with `brief`."""
        with self._change():
            rows = self._execute(
                "SELECT id, fingerprint, brief FROM parts WHERE plan = ? AND number = ? AND page = ? AND status = ?",
                (*key, PartStatus.OPEN),
            ).fetchall()
            same = next((row for row in rows if row[1] == fingerprint), None)
            for row in rows:
                if row is not same:
                    self._set_status(row[0], PartStatus.DROPPED)
            if same:
                return PartRow(same[0], *key, brief=same[2])
            made = self._execute(
                "INSERT INTO parts (run, plan, number, page, fingerprint, brief) VALUES (?, ?, ?, ?, ?, ?)",
                (run, *key, fingerprint, brief),
            )
            return PartRow(int(made.lastrowid or 0), *key, brief=brief)

    def parts(self, status: PartStatus) -> tuple[PartRow, ...]:
        """Return the pages in a state, in the order in which they were begun."""
        rows = self._execute(
            "SELECT id, plan, number, page, brief, record FROM parts WHERE status = ? ORDER BY id", (status,)
        )
        return tuple(PartRow(*row) for row in rows)

    def _set_status(self, part: int, status: PartStatus) -> None:
        self._execute("UPDATE parts SET status = ? WHERE id = ?", (status, part))

    # --- attempts and stages ---------------------------------------------------------------------------------------

    def begin_attempt(self, part: int, number: int, started: str) -> tuple[str, str | None]:
        """Return when the attempt started, and why it failed, if it did; create it if necessary."""
        with self._change():
            values = (part, number, started)
            self._execute("INSERT OR IGNORE INTO attempts (part, number, started) VALUES (?, ?, ?)", values)
            row: tuple[str, str | None] = self._execute(
                "SELECT started, failure FROM attempts WHERE part = ? AND number = ?", values[:2]
            ).fetchone()
        return row

    def end_stage(self, part: int, attempt: int, stage: str, done: StageRow) -> None:
        """Record a finished stage. If it ran again because its result was lost, the last result counts."""
        self._execute(
            "INSERT OR REPLACE INTO stages VALUES (?, ?, ?, ?, ?, ?)",
            (part, attempt, stage, done.artifact, done.requests, done.tokens),
        )

    def stages(self, part: int, attempt: int) -> Mapping[str, StageRow]:
        """Return the finished stages of an attempt."""
        rows = self._execute(
            "SELECT stage, artifact, requests, tokens FROM stages WHERE part = ? AND attempt = ?", (part, attempt)
        )
        return {row[0]: StageRow(*row[1:]) for row in rows}

    def fail_attempt(self, part: int, number: int, failure: str) -> None:
        """Record that an attempt failed."""
        self._execute("UPDATE attempts SET failure = ? WHERE part = ? AND number = ?", (failure, part, number))

    # --- written files ---------------------------------------------------------------------------------------------

    def intend(self, part: int, record: str, paths: Iterable[str]) -> None:
        """Fix the record of a page: the artifact `record`, whose files are `paths`."""
        with self._change():
            self._claim(paths)
            self._execute("UPDATE parts SET record = ? WHERE id = ?", (record, part))
            self._set_status(part, PartStatus.INTENDED)

    def recorded(self, part: int) -> None:
        """Record that page, drop and mark are written."""
        self._set_status(part, PartStatus.RECORDED)

    def give_up(self, part: int, paths: Iterable[str]) -> None:
        """Abandon a record: something else wrote `paths`."""
        with self._change():
            self._database.executemany("DELETE FROM claimed WHERE path = ?", ((path,) for path in paths))
            self._set_status(part, PartStatus.DROPPED)

    def claim(self, paths: Iterable[str]) -> None:
        """Add files to the next commit, before they change. Paths are relative to the project's folder."""
        with self._change():
            self._claim(paths)

    def _claim(self, paths: Iterable[str]) -> None:
        self._database.executemany("INSERT OR IGNORE INTO claimed VALUES (?)", ((path,) for path in paths))

    def claimed(self) -> tuple[str, ...]:
        """Return the files that were changed since the last commit of a run."""
        return tuple(row[0] for row in self._execute("SELECT path FROM claimed ORDER BY path"))

    def settle(self, how: str) -> None:
        """Settle all recorded pages: committed, or left to the user, as `how` says."""
        with self._change():
            self._execute(
                "UPDATE parts SET status = ?, settled = ? WHERE status = ?",
                (PartStatus.SETTLED, how, PartStatus.RECORDED),
            )
            self._execute("DELETE FROM claimed")


# --- lock ------------------------------------------------------------------------------------------------------------


LOCK = "run.lock"
HOLDER = "run.json"
"""The current or last holder of the lock."""


class HeldError(RefusedError):
    """Another run holds the lock; the message says who."""


@contextmanager
def hold(root: Path, command: str, started: str) -> Iterator[None]:
    """Hold the project's lock; raise :class:`HeldError` at once if another process holds it.

    The operating system releases it when the process ends, so that a killed run does not block the next one.
    """
    path = work_path(root, LOCK)
    lock = FileLock(path)
    with writing(path):
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            raise HeldError(f"another run is active: {_holder(root)}; wait until it ends, or stop it") from error
    try:
        holder = {"command": command, "pid": os.getpid(), "host": platform.node(), "started": started}
        write_work(root, HOLDER, json.dumps(holder, indent=1).encode() + b"\n")
        yield
    finally:
        lock.release()


def _holder(root: Path) -> str:
    try:
        holder = json.loads(read_work(root, HOLDER) or b"")
        return "`{command}`, process {pid} on {host}, since {started}".format(**holder)
    except (KeyError, TypeError, ValueError):
        return "it has not written its name yet"
