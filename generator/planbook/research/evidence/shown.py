"""The passages that the holder of a PART's claim was shown: nothing is printed twice to a reader.

`brief` begins the record, `find` and `read` add to it. Without a claim there is no record, and each
command prints its passages whole: nobody knows who reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from planbook.research.drafts import Excerpt
from planbook.research.leases import Lease
from planbook.store import write_atomic

Named = tuple[str, Excerpt]
"""A passage under its id."""


class _Shown(msgspec.Struct, frozen=True):
    """The record as it is stored."""

    reader: str
    passages: tuple[str, ...] = ()


class ShownLog:
    """The passages that were shown to the holder of a lease; an empty record without a lease."""

    def __init__(self, folder: Path, lease: Lease | None) -> None:
        self._lease = lease
        self._reader = f"{lease.runner} {lease.since}" if lease else ""
        key = f"{lease.plan}\0{lease.part}" if lease else ""
        self._path = folder / "shown" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
        self._keys = self._read() if lease else frozenset()

    @property
    def has_reader(self) -> bool:
        """True if somebody has claimed the PART."""
        return self._lease is not None

    def has(self, name: str, excerpt: Excerpt) -> bool:
        """Return whether the passage of this id was shown, with the text that it has now."""
        return _key((name, excerpt)) in self._keys

    def add(self, passages: Iterable[Named]) -> None:
        """Keep that passages were shown. Raises UnwritableError."""
        self._write(self._keys | set(map(_key, passages)))

    def begin(self, passages: Iterable[Named]) -> None:
        """Begin the record with these passages: its reader has nothing else.

        Raises UnwritableError.
        """
        self._write(frozenset(map(_key, passages)))

    def _read(self) -> frozenset[str]:
        """Return what is stored for this reader.

        Nothing, if the record is another reader's or damaged.
        """
        try:
            stored = msgspec.json.decode(self._path.read_bytes(), type=_Shown)
        except (OSError, msgspec.DecodeError):
            return frozenset()
        return frozenset(stored.passages) if stored.reader == self._reader else frozenset()

    def _write(self, keys: frozenset[str]) -> None:
        if self._lease is None:
            return
        self._keys = keys
        content = msgspec.json.encode(_Shown(self._reader, tuple(sorted(keys))))
        write_atomic(self._path, content + b"\n", is_durable=False)


def _key(entry: Named) -> str:
    """Return the id of a passage with the hash of its text.

    A work that is read again may have other passages.
    """
    name, excerpt = entry
    content = excerpt.text.encode("utf-8", "surrogatepass")
    return f"{name} {hashlib.sha256(content).hexdigest()[:12]}"
