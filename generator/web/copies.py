"""Saved copies of pages: WARC files, and folders with a manifest. Sends no requests."""

from __future__ import annotations

import csv
import mimetypes
import re
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from generator.store import RefusedError
from generator.web.model import Fetched, Limits, Outcome, Unfetched
from generator.web.readers import SHARED
from generator.web.responses import check_media_type, check_size

_LIMITS = Limits()
MANIFEST = "manifest.csv"
"""A table with the columns ``address``, ``date`` and ``file``."""


class CopiesError(RefusedError):
    """A folder of copies cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class SavedCopy:
    """A copy of a page."""

    url: str
    day: str
    """Its date, or date and time."""
    content_type: str
    body: bytes

    def __post_init__(self) -> None:
        try:
            date.fromisoformat(self.day[:10])
        except ValueError as error:
            raise CopiesError(
                f"the copy of {self.url} has no date such as 2026-11-02, but {self.day[:40]!r}"
            ) from error


def read_copies(folder: Path, urls: Collection[str], *, keeps_links: bool = False) -> dict[str, Fetched]:
    """Return the newest copy of each of `urls` in the WARC files and the manifest of `folder`. Raises CopiesError.

    With `keeps_links`, the text of HTML is all that is visible, with its links.
    """
    if not folder.is_dir():
        raise CopiesError(f"there is no folder {folder}")
    wanted = {_key(url): url for url in urls}
    newest: dict[str, SavedCopy] = {}
    for copy in (*_archived(folder, wanted.keys()), *_listed(folder, wanted.keys())):
        url = wanted[_key(copy.url)]
        if url not in newest or newest[url].day <= copy.day:
            newest[url] = copy
    return {url: _read(url, copy, keeps_links=keeps_links) for url, copy in newest.items()}


def _key(url: str) -> str:
    """Return an address without scheme, ``www.``, fragment and trailing slash."""
    return re.sub(r"^https?://(?:www\.)?", "", url.partition("#")[0]).rstrip("/")


def _archived(folder: Path, wanted: Collection[str]) -> Iterator[SavedCopy]:
    for path in sorted([*folder.rglob("*.warc"), *folder.rglob("*.warc.gz")]):
        try:
            with path.open("rb") as file:
                for record in ArchiveIterator(file):
                    about, http = record.rec_headers, record.http_headers
                    url = about.get_header("WARC-Target-URI") or ""
                    is_page = record.rec_type == "response" and http and http.get_statuscode() == "200"
                    if _key(url) in wanted and (is_page or record.rec_type == "resource"):
                        kind = (http or about).get_header("Content-Type") or ""
                        body = record.content_stream().read(_LIMITS.max_bytes + 1)
                        yield SavedCopy(url, about.get_header("WARC-Date") or "", kind, body)
        except (ArchiveLoadFailed, OSError, EOFError) as error:
            raise CopiesError(f"{path} cannot be read as WARC: {error}") from error


def _listed(folder: Path, wanted: Collection[str]) -> Iterator[SavedCopy]:
    manifest = folder / MANIFEST
    with manifest.open(encoding="utf-8-sig", newline="") if manifest.is_file() else nullcontext(()) as file:
        for row in csv.DictReader(file):
            address, day, name = ((row.get(column) or "").strip() for column in ("address", "date", "file"))
            path = folder / name
            if not (address and path.is_file() and path.resolve().is_relative_to(folder.resolve())):
                raise CopiesError(
                    f"{manifest}: {name!r} is not a file in this folder; the columns are address, date, file"
                )
            if _key(address) in wanted:
                with path.open("rb") as page:
                    body = page.read(_LIMITS.max_bytes + 1)
                yield SavedCopy(address, day, mimetypes.guess_type(name)[0] or "text/plain", body)


def _read(url: str, copy: SavedCopy, *, keeps_links: bool) -> Fetched:
    media_type, _, parameters = (part.strip() for part in copy.content_type.lower().partition(";"))
    found = Fetched(url, Outcome.OK, fetched=copy.day, final_url=copy.url, media_type=media_type, is_copy=True)
    charset = parameters.partition("charset=")[2].partition(";")[0]
    about: dict[str, Any] = {"media_type": media_type, "charset": charset, "url": url, "keeps_links": keeps_links}
    try:
        check_media_type(media_type)
        check_size(len(copy.body), _LIMITS.max_bytes)
        return replace(found, **SHARED.read(copy.body, _LIMITS, **about))
    except Unfetched as error:
        return replace(found, outcome=error.outcome, reason=error.reason)
