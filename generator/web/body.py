"""Read a response body within a size limit, compressed or not."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

_GZIP = 16 + zlib.MAX_WBITS
_PEEK_BYTES = 64 * 1024


def read_body(chunks: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """Return the decompressed body.

    It is decompressed in chunks of limited size, so that a decompression bomb is never held in memory.

    Raises:
        Unfetched: The body is longer than `max_bytes`, or its encoding is not supported.
    """
    coding = encoding.strip().lower()
    if coding in {"", "identity"}:
        return _joined(chunks, max_bytes)
    if coding not in {"gzip", "x-gzip"}:
        raise Unfetched(Outcome.WRONG_TYPE, f"it is packed as {coding[:40]!r}, and only gzip was asked for")
    return _joined(_unpacked(chunks, max_bytes), max_bytes)


def peek(chunks: Iterable[bytes], encoding: str) -> bytes:
    """Return an error body if it is short and readable, else nothing: the status and headers say what matters."""
    try:
        return read_body(chunks, encoding, _PEEK_BYTES)
    except Unfetched:
        return b""


def _joined(chunks: Iterable[bytes], max_bytes: int) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise too_large(max_bytes)
    return bytes(body)


def _unpacked(chunks: Iterable[bytes], max_bytes: int) -> Iterable[bytes]:
    """Yield chunks of at most `max_bytes` + 1 bytes."""
    unpacker = zlib.decompressobj(_GZIP)
    is_empty = True
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                is_empty = False
                if unpacker.eof:  # a gzip stream may have several members
                    unpacker = zlib.decompressobj(_GZIP)
                yield unpacker.decompress(rest, max_bytes + 1)
                rest = unpacker.unconsumed_tail or unpacker.unused_data
    except zlib.error as error:
        raise Unfetched(Outcome.FAILED, f"its gzip packing is broken ({error})", is_transient=True) from error
    if not (unpacker.eof or is_empty):
        raise Unfetched(Outcome.FAILED, "its gzip packing is cut off", is_transient=True)


def too_large(max_bytes: int) -> Unfetched:
    """Return the error for a body over the size limit."""
    return Unfetched(Outcome.TOO_LARGE, f"it is longer than {max_bytes:,} bytes")
