"""The bytes of an entry."""

from __future__ import annotations

import pytest

from planbook.model import Page
from planbook_cache.entries import pack, unpack
from tests.cache.values import ENTRY, KEY, OTHER, Toc


@pytest.mark.parametrize("at", [0, 15, 20, 40, -1])
def test_a_damaged_entry_is_missing(at: int) -> None:
    """An entry with one byte changed, cut short, or of another key is not read."""
    raw = bytearray(pack(KEY, ENTRY))
    assert unpack(KEY, bytes(raw), Toc) == ENTRY
    assert unpack(OTHER, bytes(raw), Toc) is None
    raw[at] ^= 1
    assert unpack(KEY, bytes(raw), Toc) is None
    assert unpack(KEY, pack(KEY, ENTRY)[:-3], Toc) is None
    assert unpack(KEY, b"", Toc) is None


def test_a_value_of_another_type_is_missing() -> None:
    """An intact entry that does not hold what is expected is not read."""
    assert unpack(KEY, pack(KEY, ["x"]), Toc) is None
    assert unpack(KEY, pack(KEY, {"title": 1, "levels": []}), Toc) is None
    assert unpack(KEY, pack(KEY, ENTRY), Page) is None
