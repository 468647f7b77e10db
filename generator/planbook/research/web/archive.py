"""The archive in the project's working folder: fetched texts, their responses, and API replies.

A text is stored at ``snapshots/<sha256>.txt``, named by its content: stored once, and no file ever
changes. The response it was extracted from is at ``responses/<sha256 of the body>.warc.gz``, so
that it can be extracted again. The last result for a URL is at ``fetched/<sha256 of the
URL>.json``, and names the others; a page that has moved permanently is recorded under its new URL
too. An API's reply to a call is at ``calls/<sha256 of the call>.json``.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

import msgspec
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from planbook.model import format_time
from planbook.research.web.model import Call, Fetched, Limits, Outcome, Reply, Unfetched
from planbook.research.web.readers import SHARED_READERS
from planbook.research.web.responses import check_media_type, check_size
from planbook.store import RefusedError, read_work, write_work

_RESPONSES = "responses/"
_LEFT_OUT = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie"})
"""Headers that describe the body in transit only, or continue a session.

The body is archived decompressed.
"""

ReadRecord = Callable[[str], bytes | None]
"""Returns an archived file by its name, or ``None`` if there is none."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request for a URL, and the response."""

    url: str
    status_code: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """Decompressed."""
    asked: str
    """Time of the request, in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the body."""
        return _sha256_hex(self.body)


class Archive:
    """Store fetched texts and API replies, and look them up.

    Safe for many threads and processes at once.

    Each file is written atomically, and the record that names the others comes last: whatever is
    found is complete, even if writing was interrupted.
    """

    def __init__(self, root: Path, *, max_age_s: float | None = None, since: str = "") -> None:
        self.root = root
        self._max_age_s = max_age_s
        """Maximum age of an entry in seconds; ``None`` accepts any age, 0 none."""
        self._since = since
        """Entries from then on, as ``YYYY-MM-DDTHH:MM:SSZ``, are accepted whatever their age."""

    def get(self, url: str) -> Fetched | None:
        """Return the last text fetched from `url`; ``None`` if there is none or it is too old."""
        saved = read_kept(url, self._read)
        return saved if saved and self._is_fresh(saved.fetched) else None

    def put(self, fetched: Fetched, exchanges: Sequence[Exchange] = ()) -> None:
        """Store a text and the responses that led to it.

        Without a text, the previous entry stays.
        """
        files = kept_files(fetched, exchanges)
        kept_at_target = read_kept(fetched.moved_to, self._read) if fetched.moved_to else None
        is_there_too = kept_at_target is not None and kept_at_target.sha256 == fetched.sha256
        if kept_at_target and is_there_too:  # it was read there, and its record stays
            files.pop(record_name(kept_at_target.url), None)
        for name, content in files.items():
            # A response that is already stored holds the same body, and its date is that of the
            # first read.
            if not (name.startswith(_RESPONSES) and self._read(name) is not None):
                write_work(self.root, name, content)

    def get_reply(self, call: Call) -> Reply | None:
        """Return the stored reply to the same call, whatever its key.

        The result is ``None`` if there is none or it is too old.
        """
        saved = read_reply(self._read(reply_name(call)))
        if saved is None:
            return None
        reply, fetched = saved
        return reply if self._is_fresh(fetched) else None

    def put_reply(self, call: Call, reply: Reply) -> None:
        """Store an API's reply if it was successful.

        Of its headers, only those that describe the body are stored.
        """
        if reply.outcome is Outcome.OK:
            kind = {name: value for name, value in reply.headers.items() if name == "content-type"}
            saved = replace(reply, headers=kind, requests=0)
            write_work(self.root, reply_name(call), msgspec.json.encode((saved, format_time())))

    def _read(self, name: str) -> bytes | None:
        return read_work(self.root, name)

    def _is_fresh(self, fetched: str) -> bool:
        """Return whether an entry of this time is accepted."""
        if self._max_age_s is None or (self._since and fetched >= self._since):
            return True
        try:
            then = datetime.fromisoformat(fetched)
        except ValueError:
            return False
        return 0 <= (datetime.now(UTC) - then).total_seconds() < self._max_age_s


# --- files: pure ----------------------------------------------------------------------------------


def record_name(url: str) -> str:
    """Return the path of the record of `url`."""
    return f"fetched/{_sha256_hex(url.partition('#')[0].encode('utf-8'))}.json"


def text_name(sha256: str) -> str:
    """Return the path of the text with this hash."""
    return f"snapshots/{sha256}.txt"


def stored_text(root: Path, sha256: str) -> str:
    """Return the stored text with this hash; empty if there is none, or if the file was damaged."""
    if not re.fullmatch("[0-9a-f]{64}", sha256):
        return ""
    text = read_work(root, text_name(sha256)) or b""
    return text.decode("utf-8", "replace") if _sha256_hex(text) == sha256 else ""


def response_name(sha256: str) -> str:
    """Return the path of the response whose body has this hash."""
    return f"{_RESPONSES}{sha256}.warc.gz"


def reply_name(call: Call) -> str:
    """Return the path of the reply to this call.

    It depends on the host and the request, but not on the key.
    """
    body = None if call.body is None else dict(call.body)
    forms = [value for name, value in call.headers if name.lower() == "accept"]
    asked = json.dumps([call.method, call.url, call.params, body, forms], sort_keys=True)
    return f"calls/{_sha256_hex(asked.encode('ascii'))}.json"


def kept_files(fetched: Fetched, exchanges: Sequence[Exchange] = ()) -> dict[str, bytes]:
    """Return the files to store by name, the one that names the others last.

    It is empty if there is no text.
    """
    if not fetched.text:
        return {}
    files = {}
    if exchanges:
        files[response_name(exchanges[-1].sha256)] = write_warc(exchanges)
    names = {}
    for field, text in (("text", fetched.text), ("visible", fetched.visible)):
        content = text.encode("utf-8")
        names[field] = _sha256_hex(content)
        files[text_name(names[field])] = content
    if fetched.moved_to:  # pages cite the new URL, so it must be found there
        new_url = fetched.moved_to.partition("#")[0]
        moved = replace(fetched, url=new_url, outcome=Outcome.OK, moved_to=None)
        files[record_name(new_url)] = _record(moved, names)
    files[record_name(fetched.url)] = _record(fetched, names)
    return files


def _record(fetched: Fetched, names: Mapping[str, str]) -> bytes:
    """Return the record of a document as it is stored, with its texts by their hashes."""
    fields = {**asdict(fetched), **names}
    lines = json.dumps(fields, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{lines}\n".encode()


def read_kept(url: str, read: ReadRecord) -> Fetched | None:
    """Return the last text recorded for `url`; ``None`` if there is none or it is incomplete."""
    raw = read(record_name(url))
    try:
        record = msgspec.json.decode(raw or b"", type=Fetched)
        text = read(text_name(record.text)) or b""
        visible = read(text_name(record.visible)) or b""
        if _sha256_hex(text) != record.text or _sha256_hex(visible) != record.visible:
            return None
        return replace(record, text=text.decode("utf-8"), visible=visible.decode("utf-8"))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # written by another version, or corrupt: the same as missing


def read_reply(raw: bytes | None) -> tuple[Reply, str] | None:
    """Return an archived reply and its time; ``None`` if it cannot be read."""
    try:
        return msgspec.json.decode(raw or b"", type=tuple[Reply, str])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _sha256_hex(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# --- WARC, the format of web archives: https://iipc.github.io/warc-specifications/ ----------------


def write_warc(exchanges: Sequence[Exchange]) -> bytes:
    """Return the redirects and the final response as a WARC file.

    Each is a separately compressed record: any web archive tool can read the file, and concatenated
    files are valid.
    """
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    for exchange in exchanges:
        headers = [
            (name, value) for name, value in exchange.headers if name.lower() not in _LEFT_OUT
        ]
        headers.append(("Content-Length", str(len(exchange.body))))
        phrase = (
            HTTPStatus(exchange.status_code).phrase
            if exchange.status_code in set(HTTPStatus)
            else "Unknown"
        )
        record = writer.create_warc_record(
            exchange.url,
            "response",
            payload=io.BytesIO(exchange.body),
            length=len(exchange.body),
            http_headers=StatusAndHeaders(
                f"{exchange.status_code} {phrase}", headers, protocol="HTTP/1.1"
            ),
            warc_headers_dict={
                "WARC-Date": exchange.asked,
                "WARC-Payload-Digest": f"sha256:{exchange.sha256}",
            },
        )
        writer.write_record(record)
    return out.getvalue()


# --- saved copies ---------------------------------------------------------------------------------

_LIMITS = Limits()


class CopiesError(RefusedError):
    """A folder of copies cannot be used; the message says why."""


def read_copies(folder: Path, urls: Collection[str]) -> dict[str, Fetched]:
    """Return the newest copy of each of `urls` in the WARC files of `folder`.

    Raises CopiesError.
    """
    if not folder.is_dir():
        raise CopiesError(f"there is no folder {folder}")
    wanted = {_address_key(url): url for url in urls}
    newest: dict[str, tuple[Fetched, str, bytes]] = {}
    for copy in _read_archive(folder, wanted.keys()):
        url = wanted[_address_key(copy[0].final_url)]
        if url not in newest or newest[url][0].fetched <= copy[0].fetched:
            newest[url] = copy
    return {
        url: _read_copy(replace(copy, url=url), media_type, body)
        for url, (copy, media_type, body) in newest.items()
    }


def _address_key(url: str) -> str:
    """Return an address without scheme, ``www.``, fragment and trailing slash."""
    return re.sub(r"^https?://(?:www\.)?", "", url.partition("#")[0]).rstrip("/")


def _read_archive(folder: Path, wanted: Collection[str]) -> Iterator[tuple[Fetched, str, bytes]]:
    """Yield the copies of the `wanted` pages, without their texts.

    Each comes with its content type and body.
    """
    for path in sorted([*folder.rglob("*.warc"), *folder.rglob("*.warc.gz")]):
        try:
            with path.open("rb") as file:
                for record in ArchiveIterator(file, check_digests=True):
                    url = record.rec_headers.get_header("WARC-Target-URI") or ""
                    if _address_key(url) in wanted and _is_page(record):
                        yield _copy_in(record, url, path)
        # AttributeError: a record that is cut off.
        except (ArchiveLoadFailed, AttributeError, OSError, EOFError) as error:
            raise CopiesError(f"{path} cannot be read as WARC: {error}") from error


def _is_page(record: ArcWarcRecord) -> bool:
    """Return whether a record holds a page, and not a redirect or an error."""
    if record.rec_type == "resource":
        return True
    http = record.http_headers
    return bool(record.rec_type == "response" and http and http.get_statuscode() == "200")


def _copy_in(record: ArcWarcRecord, url: str, path: Path) -> tuple[Fetched, str, bytes]:
    """Return the copy in a record, its content type and its body. Raises CopiesError."""
    about = record.rec_headers
    media_type = (record.http_headers or about).get_header("Content-Type") or ""
    body = record.content_stream().read(_LIMITS.max_bytes + 1)
    fits_limit = len(body) <= _LIMITS.max_bytes
    damage = _damage(record) if fits_limit else ""
    if damage:
        raise CopiesError(f"{path}: the copy of {url} is damaged ({damage}); save it again")
    day = about.get_header("WARC-Date") or ""
    if not re.match(r"\d{4}-\d\d-\d\d", day):
        message = f"the copy of {url} has no date such as 2026-11-02, but {day[:40]!r}"
        raise CopiesError(message)
    copy = Fetched(url, Outcome.OK, fetched=day, final_url=url, is_copy=True)
    return copy, media_type, body


def _damage(record: ArcWarcRecord) -> str:
    """Return how a record, whose content was read, differs from what its headers say.

    The result is empty if it does not. Programs disagree on the payload of a chunked response, so
    that its digest says nothing.
    """
    record.raw_stream.read()
    if record.raw_stream.limit > 0:
        return "its end is missing"
    is_chunked = bool(record.http_headers and record.http_headers.get_header("Transfer-Encoding"))
    for problem in record.digest_checker.problems:
        is_of_payload = is_chunked and "payload" in problem
        if "failed" in problem and not is_of_payload:
            return str(problem)
    return ""


def _read_copy(copy: Fetched, content_type: str, body: bytes) -> Fetched:
    """Return a copy with its text, or with the reason why it has none."""
    media_type, _, parameters = (text.strip() for text in content_type.lower().partition(";"))
    fetched = replace(copy, media_type=media_type)
    charset = parameters.partition("charset=")[2].partition(";")[0]
    try:
        check_media_type(media_type)
        check_size(len(body), _LIMITS.max_bytes)
        converted = SHARED_READERS.read(
            body, _LIMITS, media_type=media_type, charset=charset, url=copy.url
        )
        return replace(fetched, **converted)
    except Unfetched as error:
        return replace(fetched, outcome=error.outcome, reason=error.reason)
