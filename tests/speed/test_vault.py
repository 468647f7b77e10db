"""What was made before is read when it is whole, passed over when it is not, and never grows without bounds."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from generator.speed.vault import MARKER, Entry, Vault, packed, unpacked

KEY = "ab" + 62 * "0"
ENTRY = Entry({"title": "Käse", "toc": [1, None]}, "<p>\ud800 ä</p>\nmore\n")


def test_an_entry_comes_back(tmp_path: Path) -> None:
    """Facts and text are what was put, also for another build; nothing but whole entries lies in the folder."""
    Vault(tmp_path / "cache").put(KEY, ENTRY)
    vault = Vault(tmp_path / "cache")
    assert vault.has(KEY)
    assert vault.get(KEY) == ENTRY
    assert not vault.has("cd")
    assert vault.get("cd") is None
    assert (tmp_path / "cache" / MARKER).is_file()
    assert [path.name for path in vault.folder.glob("*/*")] == [KEY[2:]]


@pytest.mark.parametrize("at", [0, 15, 30, 90, -1])
def test_a_broken_entry_is_passed_over(at: int) -> None:
    """One byte that is another, and it is no entry; cut short, neither."""
    raw = bytearray(packed(ENTRY))
    assert unpacked(bytes(raw)) == ENTRY
    raw[at] ^= 1
    assert unpacked(bytes(raw)) is None
    assert unpacked(packed(ENTRY)[:-9]) is None
    assert unpacked(b"") is None


def test_only_what_is_new_is_found(tmp_path: Path) -> None:
    """A build that is to do everything anew finds its own entries only."""
    vault = Vault(tmp_path)
    vault.put(KEY, ENTRY)
    late = Vault(tmp_path, since_s=time.time() + 60)
    assert not late.has(KEY)
    assert late.get(KEY) is None
    early = Vault(tmp_path, since_s=time.time() - 60)
    assert early.get(KEY) == ENTRY


def test_the_oldest_go_first(tmp_path: Path) -> None:
    """What was not read for longest is deleted until the rest fits; what is read is young again."""
    vault = Vault(tmp_path)
    keys = [f"{n:064}" for n in range(4)]
    for n, key in enumerate(keys):
        vault.put(key, Entry(None, 1000 * "x"))
        os.utime(vault.folder / key[:2] / key[2:], (n, n))
    assert vault.get(keys[0])
    vault.bound(2 * len(packed(Entry(None, 1000 * "x"))))
    assert [vault.has(key) for key in keys] == [True, False, False, True]


def test_another_version_goes(tmp_path: Path) -> None:
    """Entries of another format are not read, and deleted."""
    old = tmp_path / "planbook-speed-0" / "ab"
    old.mkdir(parents=True)
    (old / KEY[2:]).write_bytes(packed(ENTRY))
    (tmp_path / "other").mkdir()
    vault = Vault(tmp_path)
    assert vault.get(KEY) is None
    vault.bound(10**6)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Nothing is kept then, and nothing fails."""
    (tmp_path / "file").write_text("in the way", "utf-8")
    vault = Vault(tmp_path / "file")
    vault.put(KEY, ENTRY)
    assert vault.broken
    assert vault.get(KEY) is None
