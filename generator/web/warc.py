"""Responses as WARC, the format of web archives: https://iipc.github.io/warc-specifications/. Pure.

A file holds the redirects and the final response, each as a separately compressed record. Any web archive tool can read
it, and concatenated files are a valid file.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from uuid import NAMESPACE_URL, uuid5

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

_ENCODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that describe the body in transit only: here it is decompressed."""
_LEFT_OUT = frozenset({"set-cookie"})
"""They would let others continue our session."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request for a URL, and the response."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """Decompressed."""
    asked: str
    """Time of the request, in UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the body."""
        return hashlib.sha256(self.body).hexdigest()


def write_warc(exchanges: Sequence[Exchange]) -> bytes:
    """Return the responses as a WARC file; the same ones give the same bytes."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    for exchange in exchanges:
        kept = [(name, value) for name, value in exchange.headers if name.lower() not in _ENCODED | _LEFT_OUT]
        packed = [(f"X-Archive-Orig-{name}", value) for name, value in exchange.headers if name.lower() in _ENCODED]
        length = [("Content-Length", str(len(exchange.body)))]
        phrase = HTTPStatus(exchange.status).phrase if exchange.status in set(HTTPStatus) else "Unknown"
        http = StatusAndHeaders(f"{exchange.status} {phrase}", kept + packed + length, protocol="HTTP/1.1")
        name = uuid5(NAMESPACE_URL, f"{exchange.url} {exchange.asked} {exchange.status} {exchange.sha256}")
        about = {
            "WARC-Record-ID": f"<urn:uuid:{name}>",
            "WARC-Date": exchange.asked,
            "WARC-Payload-Digest": f"sha256:{exchange.sha256}",
        }
        payload = io.BytesIO(exchange.body)
        record = writer.create_warc_record(
            exchange.url,
            "response",
            payload=payload,
            length=len(exchange.body),
            http_headers=http,
            warc_headers_dict=about,
        )
        writer.write_record(record)
    return out.getvalue()


def read_warc(raw: bytes) -> list[Exchange]:
    """Return the responses in a WARC file."""
    found = []
    for record in ArchiveIterator(io.BytesIO(raw)):
        if record.rec_type != "response":
            continue
        found.append(
            Exchange(
                record.rec_headers.get_header("WARC-Target-URI"),
                int(record.http_headers.get_statuscode()),
                tuple(record.http_headers.headers),
                record.content_stream().read(),
                record.rec_headers.get_header("WARC-Date"),
            )
        )
    return found
