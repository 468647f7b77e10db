"""The archive: what addresses gave, kept in the project's working folder and read from there."""

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
    """Keeps and finds what addresses gave. Used by many threads, and by many processes at once.

    Each file is written whole or not at all, and the one that names the others comes last. So what is found is whole,
    whenever the writing ended.
    """

    def __init__(self, root: Path, *, max_age_s: float | None = None) -> None:
        self.root = root
        self._max_age_s = max_age_s
        """How old may be what is found; ``None`` is any age, and 0 finds nothing."""

    @property
    def cache_file(self) -> Path | None:
        """Where the answers of hosts are cached; ``None`` where nothing is to be found but what hosts say now."""
        is_bypassed = self._max_age_s is not None and self._max_age_s <= 0
        return None if is_bypassed else work_path(self.root, "http.db")

    def get(self, url: str) -> Fetched | None:
        """What `url` gave when it last gave a text, as if nobody had been asked; ``None`` where that is too old."""
        kept = read_kept(url, self._read)
        return kept if kept and self._is_fresh(kept.fetched) else None

    def put(self, fetched: Fetched, exchanges: Sequence[Exchange] = ()) -> None:
        """Keeps a text, and the responses that it was found in; what gave no text leaves the last one that did."""
        files = dict(kept_files(fetched, exchanges))
        there = read_kept(fetched.moved_to, self._read) if fetched.moved_to else None
        if there and there.sha256 == fetched.sha256:  # it was read there too, and what is told of that stays
            files.pop(record_name(there.url), None)
        for name, content in files.items():
            # One that is there holds the same body, and tells when it was first read.
            if not (name.startswith(RESPONSES) and self._read(name) is not None):
                write_work(self.root, name, content)

    def get_reply(self, call: Call) -> Reply | None:
        """What an API answered to the same call, with whatever key; ``None`` where that is not kept, or too old."""
        kept = read_reply(read_work(self.root, reply_name(call)))
        return kept[0] if kept and self._is_fresh(kept[1]) else None

    def put_reply(self, call: Call, reply: Reply) -> None:
        """Keeps a good answer of an API."""
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
