"""The disk cache: its files, its damage, and what is deleted."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from planbook.model import Page, PageUri
from planbook_cache.disk import DAMAGED_MARK, DATA, FORMAT, INDEX, MARKER, PLACE, DiskCache
from planbook_cache.entries import pack
from planbook_cache.functions import DiskFunctionCache
from tests.cache.values import ENTRY, KEY, OTHER, Toc, counted


def test_a_value_comes_back_for_another_build(tmp_path: Path) -> None:
    """A value is read back as it was put; one pair of files lies in the folder, and git ignores it."""
    DiskCache(tmp_path / "cache").put(KEY, ENTRY)
    cache = DiskCache(tmp_path / "cache")
    assert cache.has(KEY)
    assert cache.get(KEY, Toc) == ENTRY
    assert not cache.has(OTHER)
    assert cache.get(OTHER, Toc) is None
    assert (tmp_path / "cache" / MARKER).is_file()
    assert (tmp_path / "cache" / ".gitignore").read_text("utf-8") == "*\n"
    assert sorted(path.suffix for path in cache.folder.iterdir()) == [DATA, INDEX]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_has_files_of_its_own(tmp_path: Path) -> None:
    """Both write after the fork, and neither into the files of the other; all entries are found."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    child = os.fork()
    if child == 0:
        cache.put(OTHER, ENTRY)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    third = "ef" + 62 * "0"
    cache.put(third, ENTRY)
    assert all(DiskCache(tmp_path).get(key, Toc) == ENTRY for key in (KEY, OTHER, third))
    assert sorted(path.suffix for path in cache.folder.iterdir()) == [DATA, DATA, INDEX, INDEX]


def test_entries_are_written_after_the_folder_was_deleted(tmp_path: Path) -> None:
    """A server goes on after somebody has deleted the cache, whose files it has open."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    shutil.rmtree(cache.folder)
    assert cache.get(KEY, Toc) is None
    cache.put(KEY, ENTRY)
    assert cache.get(KEY, Toc) == DiskCache(tmp_path).get(KEY, Toc) == ENTRY


def test_two_builds_share_a_folder(tmp_path: Path) -> None:
    """Each finds what the other wrote before it looked, while both write, in files of their own."""
    caches = [DiskCache(tmp_path) for _ in range(2)]
    for key, cache in zip((KEY, OTHER), caches, strict=True):
        assert not cache.has(key)
        cache.put(key, ENTRY)
    for cache in caches:
        cache.refresh()
        assert [cache.get(key, Toc) for key in (KEY, OTHER)] == [ENTRY, ENTRY]
    assert len(list(caches[0].folder.glob(f"*{DATA}"))) == 2


def test_a_killed_build_loses_only_its_last_entry(tmp_path: Path) -> None:
    """It writes an entry before its place, so that its index may end at any byte, and its data may go on."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    cache.put(OTHER, ENTRY)
    (path,) = cache.folder.glob(f"*{INDEX}")
    path.write_bytes(path.read_bytes()[:-1])
    assert [DiskCache(tmp_path).get(key, Toc) for key in (KEY, OTHER)] == [ENTRY, None]
    assert not (cache.folder / DAMAGED_MARK).exists()


@pytest.mark.parametrize("end", [DATA, INDEX])
def test_a_missing_file_is_no_entry(tmp_path: Path, end: str) -> None:
    """Another build may have deleted it, which is no damage."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    (path,) = cache.folder.glob(f"*{end}")
    path.unlink()
    assert DiskCache(tmp_path).get(KEY, Toc) is None
    assert not (cache.folder / DAMAGED_MARK).exists()


@pytest.mark.parametrize("at", range(PLACE.size))
def test_a_damaged_place_is_noted(tmp_path: Path, at: int) -> None:
    """Whichever byte of an index is changed: its entries are missing, and its files are deleted."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    cache.put(OTHER, ENTRY)
    (path,) = cache.folder.glob(f"*{INDEX}")
    raw = bytearray(path.read_bytes())
    raw[at] ^= 0x80
    path.write_bytes(raw)
    assert [DiskCache(tmp_path).get(key, Toc) for key in (KEY, OTHER)] == [None, None]
    assert [entry.name for entry in cache.folder.iterdir()] == [DAMAGED_MARK]


def test_a_damaged_cache_that_may_not_be_written_stays(tmp_path: Path) -> None:
    """Its damaged entries are missing, and its files are left."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    (path,) = cache.folder.glob(f"*{DATA}")
    path.write_bytes(path.read_bytes()[:-1])
    before = sorted(cache.folder.iterdir())
    assert DiskCache(tmp_path, is_read_only=True).get(KEY, Toc) is None
    assert sorted(cache.folder.iterdir()) == before


def test_a_value_that_cannot_be_encoded_is_not_kept(tmp_path: Path) -> None:
    """Lone surrogates and huge integers leave no entry, and nothing fails."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, "\ud800")
    cache.put(KEY, 1 << 80)
    assert not cache.has(KEY)
    assert cache.failure == ""


def test_the_entries_not_used_for_longest_are_deleted(tmp_path: Path) -> None:
    """Files are deleted by age until the rest fits; reading one makes it young again. Used entries stay."""
    keys, size = [f"{n:064}" for n in range(4)], len(pack(KEY, 1000 * "x"))
    for n, key in enumerate(keys):
        written = DiskCache(tmp_path)
        written.put(key, 1000 * "x")
        for path in written.folder.glob(f"*{DATA}"):
            if path.stat().st_mtime > 4:
                os.utime(path, (n, n))
    assert DiskCache(tmp_path).get(keys[0], str)
    cache = DiskCache(tmp_path)
    assert cache.has(keys[1])
    cache.prune(size)
    assert [bool(DiskCache(tmp_path).get(key, str)) for key in keys] == [True, True, False, False]
    DiskCache(tmp_path).prune(size)
    assert [DiskCache(tmp_path).has(key) for key in keys] == [False, True, False, False]
    DiskCache(tmp_path).prune(0)
    assert list(cache.folder.iterdir()) == []


def test_other_formats_are_deleted(tmp_path: Path) -> None:
    """Entries of another format are neither read nor left; other folders stay."""
    for name in ("planbook-speed-1", "planbook-cache-0"):
        old = tmp_path / name / "ab"
        old.mkdir(parents=True)
        (old / KEY[2:]).write_bytes(pack(KEY, ENTRY))
    (tmp_path / "other").mkdir()
    cache = DiskCache(tmp_path)
    assert cache.get(KEY, Toc) is None
    cache.prune(10**6)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other"]


def test_a_folder_that_cannot_be_written_is_noted(tmp_path: Path) -> None:
    """Nothing is kept then, and nothing fails."""
    (tmp_path / "file").write_text("in the way", "utf-8")
    cache = DiskCache(tmp_path / "file")
    cache.put(KEY, ENTRY)
    assert cache.failure
    assert cache.get(KEY, Toc) is None
    assert DiskFunctionCache(cache).from_disk((counted, [("abc", str(tmp_path))])) == [[(3, "abc")]]


def test_a_page_comes_back_equal(tmp_path: Path) -> None:
    """The types of the model survive the cache."""
    page = Page(PageUri("a.md"), "A", 3, meta=(("created", "2026-11-20"), ("tags", ["x", {"y": None}])))
    DiskCache(tmp_path).put(KEY, page)
    assert DiskCache(tmp_path).get(KEY, Page) == page
    assert FORMAT in str(DiskCache(tmp_path).folder)
