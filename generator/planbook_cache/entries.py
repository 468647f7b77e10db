"""The bytes of an entry: a value in MessagePack behind a digest of its key and of itself."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Hashable
from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")
D = TypeVar("D")

Raw = msgspec.Raw
"""A part of a value that is kept encoded, because it is not needed."""
UNENCODABLE = (UnicodeEncodeError, OverflowError, TypeError, RecursionError)
"""The errors of MessagePack for lone surrogates, huge integers, other types, and values that
contain themselves."""
DIGEST_BYTES = hashlib.sha256().digest_size


def pack(key: str, value: object) -> bytes:
    """Return an entry's bytes: the digest of its key and its body, and the body."""
    body = msgspec.msgpack.encode(value)
    return _entry_digest(key, body) + body


def unpack(key: str, raw: bytes, kind: type[T]) -> T | None:
    """Return the value that `pack` wrote.

    ``None`` if the bytes are damaged, of another key or not a `kind`.
    """
    return decode_raw(memoryview(raw)[DIGEST_BYTES:], kind) if is_intact(key, raw) else None


def is_intact(key: str, raw: bytes) -> bool:
    """Return True if the bytes are what `pack` wrote for a key."""
    return raw[:DIGEST_BYTES] == _entry_digest(key, memoryview(raw)[DIGEST_BYTES:])


def decode_raw(body: memoryview | msgspec.Raw, kind: type[T]) -> T | None:
    """Return the value in an entry's body; ``None`` if it is not a `kind`."""
    return decode_or(body, kind, None)


def decode_or(body: memoryview | msgspec.Raw, kind: type[T], default: D) -> T | D:
    """Return the value in an entry's body; `default` if it is not a `kind`."""
    try:
        value: T = _decoder(cast("Hashable", kind)).decode(body)
    except msgspec.DecodeError:
        return default
    return value


def encode_raw(value: object) -> Raw:
    """Return a value as part of another one that is read as `Raw`."""
    return Raw(msgspec.msgpack.encode(value))


class Incomparable:
    """Stands for a value that cannot be compared: each is equal to itself alone.

    Values that contain one have no digest, so that nothing made of them is reused.
    """


def digest_of(*values: object) -> str:
    """Return the SHA-256 of values; empty if they cannot be encoded."""
    try:
        return hashlib.sha256(msgspec.msgpack.encode(values)).hexdigest()
    except UNENCODABLE:
        return ""


def _entry_digest(key: str, body: bytes | memoryview) -> bytes:
    made = hashlib.sha256(key.encode())
    made.update(body)
    return made.digest()


@functools.cache
def _decoder(kind: Hashable) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)
