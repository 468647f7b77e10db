"""What was made before, a file for each: named by what it was made of, whole or not there at all.

Two builds may share a folder: an entry is written beside its place and renamed into it, and one name stands for one
content. An entry that is cut short, altered or of another format is passed over like one that is missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORMAT = "planbook-speed 1"
"""Goes into every entry and the folder's name: a build reads only what its own version wrote."""
MARKER = "CACHEDIR.TAG"
"""https://bford.info/cachedir/: backup programs pass over the folder."""
SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by planbook-speed; may be deleted at any time.\n"
SEEN_AGAIN_S = 3600.0
"""An entry's time is set anew when it is read after this many seconds, so that the oldest are those not used."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece of text and what is known of it."""

    facts: Any
    """Of the values that JSON has."""
    text: str = ""


class Vault:
    """The entries in one folder."""

    def __init__(self, folder: Path, *, since_s: float = 0.0) -> None:
        """Entries below `folder`, which is made when the first is written; found are those written since a time."""
        self.folder = folder / FORMAT.replace(" ", "-")
        self._top = folder
        self._since_s = since_s
        self._is_ready = False
        self.broken = ""
        """Why the last entry could not be written, if one could not."""

    def has(self, key: str) -> bool:
        """Whether there is an entry, whole or not."""
        try:
            return self._path(key).stat().st_mtime >= self._since_s
        except OSError:
            return False

    def get(self, key: str) -> Entry | None:
        """The entry, if it is there and whole."""
        path = self._path(key)
        try:
            written_s = path.stat().st_mtime
            if written_s < self._since_s:
                return None
            raw = path.read_bytes()
            if time.time() - written_s > SEEN_AGAIN_S:
                os.utime(path)
        except OSError:
            return None
        return unpacked(raw)

    def put(self, key: str, entry: Entry) -> None:
        """Keep an entry; a disk that is full or read-only is remembered in :attr:`broken`, and costs nothing else."""
        try:
            self._write(self._path(key), packed(entry))
        except OSError as error:
            self.broken = str(error)

    def bound(self, max_bytes: int) -> None:
        """Delete the entries not used for longest until what remains fits; and what other versions left."""
        for folder in self._top.glob("planbook-speed-*"):
            if folder != self.folder:
                shutil.rmtree(folder, ignore_errors=True)
        found = []
        for path in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):  # another build may delete it first
                stat = path.stat()
                found.append((stat.st_mtime, stat.st_size, path))
        excess = sum(size for _, size, _ in found) - max_bytes
        for _, size, path in sorted(found):
            if excess <= 0:
                break
            with contextlib.suppress(OSError):
                path.unlink()
            excess -= size

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]

    def _write(self, path: Path, raw: bytes) -> None:
        if not self._is_ready:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self._top / MARKER).write_text(SIGNATURE, encoding="utf-8")
            self._is_ready = True
        path.parent.mkdir(exist_ok=True)
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        beside.write_bytes(raw)
        beside.replace(path)


def packed(entry: Entry) -> bytes:
    """An entry as bytes: a line with their own hash, a line of JSON, the text."""
    facts = json.dumps(entry.facts, separators=(",", ":")).encode()
    body = facts + b"\n" + entry.text.encode("utf-8", "surrogatepass")
    return f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body


def unpacked(raw: bytes) -> Entry | None:
    """The entry that the bytes hold, if they are whole and of this format."""
    head, _, body = raw.partition(b"\n")
    if head.decode("latin-1") != f"{FORMAT} {hashlib.sha256(body).hexdigest()}":
        return None
    facts, _, text = body.partition(b"\n")
    return Entry(json.loads(facts), text.decode("utf-8", "surrogatepass"))
