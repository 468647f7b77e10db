"""Saved copies of pages: WARC files, and folders with a manifest. No host is asked."""

from __future__ import annotations

import csv
import mimetypes
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from generator.web.limits import Limits
from generator.web.media_types import check_media_type
from generator.web.model import Fetched, Outcome
from generator.web.outcomes import Unfetched
from generator.web.readers import SHARED

MANIFEST = "manifest.csv"
"""A table with the columns ``address``, ``date`` and ``file``."""
_OK = "200"


class CopiesError(Exception):
    """A folder of copies cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class _Copy:
    url: str
    day: str
    media_type: str
    charset: str
    body: bytes


def read_copies(folder: Path, urls: Collection[str], limits: Limits | None = None) -> dict[str, Fetched]:
    """Return the newest copy of each of `urls` in the WARC files and the manifest of `folder`. Raises CopiesError."""
    if not folder.is_dir():
        raise CopiesError(f"there is no folder {folder}")
    wanted = {_key(url): url for url in urls}
    newest: dict[str, _Copy] = {}
    limits = limits or Limits()
    for copy in (*_archived(folder, wanted.keys(), limits.max_bytes), *_listed(folder, wanted.keys())):
        key = _key(copy.url)
        if key not in newest or newest[key].day <= copy.day:
            newest[key] = copy
    return {wanted[key]: _read(wanted[key], copy, limits) for key, copy in newest.items()}


def _key(url: str) -> str:
    """Return an address without scheme, ``www.``, fragment and trailing slash."""
    return re.sub(r"^https?://(?:www\.)?", "", url.partition("#")[0]).rstrip("/")


def _archived(folder: Path, wanted: Collection[str], max_bytes: int) -> Iterator[_Copy]:
    for path in sorted(path for path in folder.rglob("*.warc*") if path.name.endswith((".warc", ".warc.gz"))):
        try:
            with path.open("rb") as file:
                for record in ArchiveIterator(file):
                    url = record.rec_headers.get_header("WARC-Target-URI") or ""
                    if record.rec_type not in {"response", "resource"} or _key(url) not in wanted:
                        continue
                    http = record.http_headers
                    if record.rec_type == "response" and (http is None or http.get_statuscode() != _OK):
                        continue
                    kind = (http or record.rec_headers).get_header("Content-Type") or ""
                    body = record.content_stream().read(max_bytes)
                    yield _copy(url, record.rec_headers.get_header("WARC-Date") or "", kind, body)
        except (ArchiveLoadFailed, OSError, EOFError) as error:
            raise CopiesError(f"{path} cannot be read as WARC: {error}") from error


def _listed(folder: Path, wanted: Collection[str]) -> Iterator[_Copy]:
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return
    with manifest.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            values = [(row.get(name) or "").strip() for name in ("address", "date", "file")]
            if not all(values):
                raise CopiesError(f"{manifest}: a row lacks an address, a date or a file; the columns are so called")
            address, day, name = values
            path = folder / name
            if not (path.is_file() and path.resolve().is_relative_to(folder.resolve())):
                raise CopiesError(f"{manifest}: {name} is no file in this folder")
            if _key(address) in wanted:
                yield _copy(address, day, mimetypes.guess_type(name)[0] or "text/plain", path.read_bytes())


def _copy(url: str, day: str, kind: str, body: bytes) -> _Copy:
    try:
        date.fromisoformat(day[:10])
    except ValueError as error:
        raise CopiesError(f"the copy of {url} has no date such as 2026-11-02, but {day[:40]!r}") from error
    charset = kind.lower().partition("charset=")[2].partition(";")[0]
    return _Copy(url, day, kind.partition(";")[0].strip().lower(), charset, body)


def _read(url: str, copy: _Copy, limits: Limits) -> Fetched:
    found = Fetched(url, Outcome.OK, fetched=copy.day, final_url=copy.url, media_type=copy.media_type, is_copy=True)
    try:
        check_media_type(copy.media_type)
        document = SHARED.read(
            copy.body,
            limits.reading_s,
            media_type=copy.media_type,
            charset=copy.charset,
            url=url,
            pdf_pages=limits.pdf_pages,
        )
    except Unfetched as error:
        return replace(found, outcome=error.outcome, reason=error.reason)
    return replace(found, **document)
