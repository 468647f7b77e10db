"""The archive: fetched texts and API replies, stored in the project's working folder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from generator.store import read_work, work_path, write_work
from generator.web.model import Call, Fetched, Outcome, Reply
from generator.web.snapshots import (
    RESPONSES,
    kept_files,
    kept_reply,
    read_kept,
    read_reply,
    record_name,
    reply_name,
)
from generator.web.warc import Exchange


class Archive:
    """Store fetched texts and API replies, and look them up. Safe for many threads and processes at once.

    Each file is written atomically, and the record that names the others comes last: whatever is found is complete,
    even if writing was interrupted.
    """

    def __init__(self, root: Path, *, max_age_s: float | None = None) -> None:
        self.root = root
        self._max_age_s = max_age_s
        """Maximum age of an entry in seconds; ``None`` accepts any age, 0 none."""

    @property
    def cache_file(self) -> Path | None:
        """Path of the HTTP cache; ``None`` if only fresh responses are accepted."""
        is_bypassed = self._max_age_s is not None and self._max_age_s <= 0
        return None if is_bypassed else work_path(self.root, "http.db")

    def get(self, url: str) -> Fetched | None:
        """Return the last text fetched from `url`; ``None`` if there is none or it is too old."""
        kept = read_kept(url, self._read)
        return kept if kept and self._is_fresh(kept.fetched) else None

    def put(self, fetched: Fetched, exchanges: Sequence[Exchange] = ()) -> None:
        """Store a text and the responses that led to it. Without a text, the previous entry stays."""
        files = dict(kept_files(fetched, exchanges))
        there = read_kept(fetched.moved_to, self._read) if fetched.moved_to else None
        if there and there.sha256 == fetched.sha256:  # this was read there too, and its record stays
            files.pop(record_name(there.url), None)
        for name, content in files.items():
            # A response that is already stored holds the same body, and its date is that of the first read.
            if not (name.startswith(RESPONSES) and self._read(name) is not None):
                write_work(self.root, name, content)

    def get_reply(self, call: Call) -> Reply | None:
        """Return the stored reply to the same call, whatever its key; ``None`` if there is none or it is too old."""
        kept = read_reply(read_work(self.root, reply_name(call)))
        return kept[0] if kept and self._is_fresh(kept[1]) else None

    def put_reply(self, call: Call, reply: Reply) -> None:
        """Store an API's reply if it was successful."""
        if reply.outcome is Outcome.OK:
            asked = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            write_work(self.root, reply_name(call), kept_reply(reply, asked))

    def _read(self, name: str) -> bytes | None:
        return read_work(self.root, name)

    def _is_fresh(self, fetched: str) -> bool:
        if self._max_age_s is None:
            return True
        try:
            then = datetime.fromisoformat(fetched)
        except ValueError:
            return False
        return 0 <= (datetime.now(UTC) - then).total_seconds() < self._max_age_s
