"""The lock of a project, and the journal of its run: which records and files no commit has yet.

The journal is a file of JSON lines. A line is on disk before the files that it names change, so a
killed run leaves at most one record unfinished, the last one, and the next run completes it::

    {"run": "2026-11-20T09:05:00Z"}
    {"record": {...}, "paths": ["docs/tea/01.md", ...]}     about to be written
    {"written": true}                                       it is; false if it was given up
    {"paths": ["docs/INDEX.md"]}                            about to be written too
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from planbook.research.git import shared_folder
from planbook.store.files import WORK_DIR, RefusedError, read_work, work_path, write_atomic, writing

JOURNAL = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A record, which was or is about to be written."""

    record: Any
    """As plain values."""
    paths: tuple[str, ...]
    """Its files, relative to the project's folder."""
    is_complete: bool | None = None
    """False if nothing of it was written, as its page was changed meanwhile; ``None`` if the run
    was killed before its end."""


class Journal:
    """The journal of the project at `root`.

    Used by one thread, while the lock is held. Raises RefusedError.
    """

    def __init__(self, root: Path) -> None:
        self.started = ""
        """The start of the first run whose work is not finished; empty if all is."""
        self.entries: list[JournalEntry] = []
        self._paths: list[str] = []
        self._path = work_path(root, JOURNAL)
        lines = (read_work(root, JOURNAL) or b"").splitlines(keepends=True)
        # A killed run was writing an unfinished line, and had not acted on it.
        if lines and not lines[-1].endswith(b"\n"):
            lines = lines[:-1]
            write_atomic(self._path, b"".join(lines))
        try:
            for line in lines:
                self._take(**json.loads(line))
        except (ValueError, TypeError, IndexError) as error:
            raise RefusedError(
                f"{WORK_DIR}/{JOURNAL} cannot be read ({error}); "
                "commit or undo what the last run wrote (git status), "
                "delete this file, and run the same command again"
            ) from error

    @property
    def paths(self) -> tuple[str, ...]:
        """The files to commit, without those of records that were given up."""
        complete_entries = [entry for entry in self.entries if entry.is_complete is not False]
        paths = [path for entry in complete_entries for path in entry.paths]
        return tuple(dict.fromkeys([*paths, *self._paths]))

    def begin_run(self, started: str) -> None:
        """Note the start of a run, if it does not continue another."""
        if not self.started:
            self._append(run=started)

    def begin_record(self, record: object, paths: Iterable[str]) -> None:
        """Note a record, before any of its files is written."""
        self._append(record=record, paths=[*paths])

    def end_record(self, *, is_complete: bool) -> None:
        """Note that the last record is written, or that something else wrote its page."""
        self._append(written=is_complete)

    def add_paths(self, paths: Iterable[str]) -> None:
        """Note further files for the commit, before they change."""
        if new := [path for path in paths if path not in self.paths]:
            self._append(paths=new)

    def settle(self, *, is_continued: bool) -> None:
        """Forget records and files: they are committed, or left to the user."""
        if is_continued:
            write_atomic(self._path, _journal_line(run=self.started))
        else:
            with writing(self._path):
                self._path.unlink(missing_ok=True)
        self.entries = []
        self._paths = []

    def _append(self, **line: Any) -> None:
        with writing(self._path), self._path.open("ab") as file:
            file.write(_journal_line(**line))
            file.flush()
            os.fsync(file.fileno())
        self._take(**line)

    def _take(
        self,
        run: str = "",
        record: Any = None,
        paths: Iterable[str] = (),
        written: bool | None = None,
    ) -> None:
        """Read a line of the journal, whose keys are the parameters."""
        self.started = run or self.started
        if record is not None:
            self.entries.append(JournalEntry(record, tuple(paths)))
        elif written is not None:
            self.entries[-1] = replace(self.entries[-1], is_complete=written)
        else:
            self._paths += paths


def _journal_line(**values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"


# --- lock -----------------------------------------------------------------------------------------


LOCK = "run.lock"
HOLDER = "run.json"
"""The current or last holder of the lock."""


class HeldError(RefusedError):
    """Another run holds the lock; the message says who."""


@contextmanager
def lock_project(
    root: Path, command: str, started: str, on_wait: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Hold the project's lock, which all worktrees of its repository share.

    The operating system releases it when the process ends, so that a killed run does not block the
    next one.

    Args:
        root: the project's folder.
        command: who holds it, for the messages of others.
        started: since when, in UTC.
        on_wait: receives a message if another process holds the lock; then this one waits. ``None``
            does not wait.

    Raises:
        HeldError: another process holds it, and this one does not wait.
        UnwritableError: the lock's file cannot be written.
    """
    work_path(root, JOURNAL)  # makes the working folder, for what follows
    folder = shared_folder(root)
    path = folder / LOCK
    lock = FileLock(path)
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            active = f"another run is active: {_describe_lock_holder(folder)}"
            if on_wait is None:
                message = f"{active}; run the same command again when it has ended"
                raise HeldError(message) from error
            on_wait(f"{active}; waiting for it to end")
            lock.acquire(poll_interval=_POLL_S)
    try:
        this_process = {"pid": os.getpid(), "host": platform.node()}
        holder = {"command": command, **this_process, "started": started}
        content = json.dumps(holder, indent=1).encode() + b"\n"
        write_atomic(folder / HOLDER, content, is_durable=False)
        yield
    finally:
        lock.release()


_POLL_S = 0.1
"""Seconds between two attempts to take the lock."""


def _describe_lock_holder(folder: Path) -> str:
    """Return who holds the lock, for a message."""
    try:
        holder = json.loads((folder / HOLDER).read_bytes())
        return "`{command}`, process {pid} on {host}, since {started}".format(**holder)
    except (KeyError, TypeError, ValueError, OSError):
        return "it has not written its name yet"
