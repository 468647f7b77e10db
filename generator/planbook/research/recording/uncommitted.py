"""Records that a run wrote without a commit.

They are kept until `planbook commit` commits all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from planbook.store import write_work
from planbook.store.files import WORK_DIR, read_own_json

_FILE = "uncommitted.json"
_IF_DAMAGED = "commit the accepted pages yourself (git status), and delete it"
PlainRecord = Mapping[str, Any]
"""A :class:`~planbook.research.recording.record.Record` as plain values."""


class UncommittedRecords:
    """The records of a working tree that no commit has yet.

    Changed while the project's lock is held.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self) -> tuple[PlainRecord, ...]:
        """Return the records, oldest first. Raises RefusedError if they cannot be read."""
        path = self._root / WORK_DIR / _FILE
        return read_own_json(path, tuple[dict[str, Any], ...], _IF_DAMAGED) or ()

    def add(self, records: Iterable[PlainRecord]) -> None:
        """Keep records; an older one of the same page is replaced.

        Raises RefusedError and UnwritableError.
        """
        new = tuple(records)
        if new:
            self._write((*_records_of_other_pages(self.read(), new), *new))

    def remove(self, records: Iterable[PlainRecord]) -> None:
        """Forget records, which are committed. Raises RefusedError and UnwritableError."""
        stored_records = self.read()
        remaining = _records_of_other_pages(stored_records, tuple(records))
        if len(remaining) < len(stored_records):
            self._write(remaining)

    def _write(self, records: Sequence[PlainRecord]) -> None:
        write_work(self._root, _FILE, msgspec.json.encode(records) + b"\n")


def _records_of_other_pages(
    records: Sequence[PlainRecord], selected: Sequence[PlainRecord]
) -> tuple[PlainRecord, ...]:
    """Return the records that are of other pages than the named ones."""
    keys = {_page_key(record) for record in selected}
    return tuple(record for record in records if _page_key(record) not in keys)


def _page_key(record: PlainRecord) -> tuple[object, ...]:
    return record["plan"], record["number"], record["page"]
