"""An answer's body: never more of it than allowed, packed or unpacked."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

_GZIP = 16 + zlib.MAX_WBITS
_PEEK_BYTES = 64 * 1024


def read_body(chunks: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """The body, unpacked. Raises :class:`Unfetched` as soon as it is longer than `max_bytes`, or packed in another way.

    A packed body is unpacked piece by piece with a limit to each piece, so that a small one that unpacks to gigabytes
    never stands in memory.
    """
    coding = encoding.strip().lower()
    if coding in {"", "identity"}:
        return _joined(chunks, max_bytes)
    if coding not in {"gzip", "x-gzip"}:
        raise Unfetched(Outcome.WRONG_TYPE, f"it is packed as {coding[:40]!r}, and only gzip was asked for")
    return _joined(_unpacked(chunks, max_bytes), max_bytes)


def peek(chunks: Iterable[bytes], encoding: str) -> bytes:
    """The body of a refusal, where it is short and can be read: its status and headers say what matters."""
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
    """Pieces of at most `max_bytes` + 1 bytes."""
    unpacker = zlib.decompressobj(_GZIP)
    is_empty = True
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                is_empty = False
                if unpacker.eof:  # gzip files may follow one another
                    unpacker = zlib.decompressobj(_GZIP)
                yield unpacker.decompress(rest, max_bytes + 1)
                rest = unpacker.unconsumed_tail or unpacker.unused_data
    except zlib.error as error:
        raise Unfetched(Outcome.FAILED, f"its gzip packing is broken ({error})", is_transient=True) from error
    if not (unpacker.eof or is_empty):
        raise Unfetched(Outcome.FAILED, "its gzip packing is cut off", is_transient=True)


def too_large(max_bytes: int) -> Unfetched:
    """The outcome of a body that is longer than allowed."""
    return Unfetched(Outcome.TOO_LARGE, f"it is longer than {max_bytes:,} bytes")
