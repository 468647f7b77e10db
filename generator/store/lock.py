"""The lock: one run at a time writes to a project."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from generator.store.files import writing
from generator.store.work import read_work, work_path, write_work

LOCK = "run.lock"
HOLDER = "run.json"
"""Who holds the lock, or held it last."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock."""

    command: str
    pid: int
    host: str
    started: str
    """When, in UTC."""

    def __str__(self) -> str:
        return f"`{self.command}`, process {self.pid} on {self.host}, since {self.started}"


class HeldError(Exception):
    """Another run holds the lock; the message says who."""


@contextmanager
def hold(root: Path, command: str, started: str) -> Iterator[Holder]:
    """Holds the project's lock. Raises :class:`HeldError` at once where another process holds it.

    The operating system lets go of it when its process ends, however that is: what a killed run leaves behind does not
    stand in the way.
    """
    path = work_path(root, LOCK)
    lock = FileLock(path)
    with writing(path):
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            raise HeldError(f"another run is at work here: {_holder(root)}; wait until it ends, or stop it") from error
    try:
        holder = Holder(command, os.getpid(), platform.node(), started)
        write_work(root, HOLDER, json.dumps(asdict(holder), indent=1).encode() + b"\n")
        yield holder
    finally:
        lock.release()


def _holder(root: Path) -> str:
    try:
        return str(Holder(**json.loads(read_work(root, HOLDER) or b"")))
    except (TypeError, ValueError):
        return "it has not told its name yet"
