"""The disk cache, and function results kept in it."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from planbook.model import Page, PageUri
from planbook_speed.cache import DAMAGED, DATA, FORMAT, INDEX, MARKER, PLACE, DiskCache, DiskFunctionCache, pack, unpack

KEY, OTHER = "ab" + 62 * "0", "cd" + 62 * "0"


@dataclass(frozen=True, slots=True)
class Toc:
    """A value of some depth."""

    title: str
    levels: tuple[int | None, ...]


ENTRY = Toc("Käse\n\x00", (1, None))


def counted(text: str, folder: str) -> tuple[int, str]:
    """Return a length; leave a file in `folder` for every real call."""
    calls = Path(folder)
    (calls / f"{len(list(calls.iterdir()))}-{os.getpid()}").touch()
    return len(text), text[:3]


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
    assert not (cache.folder / DAMAGED).exists()


@pytest.mark.parametrize("end", [DATA, INDEX])
def test_a_missing_file_is_no_entry(tmp_path: Path, end: str) -> None:
    """Another build may have deleted it, which is no damage."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    (path,) = cache.folder.glob(f"*{end}")
    path.unlink()
    assert DiskCache(tmp_path).get(KEY, Toc) is None
    assert not (cache.folder / DAMAGED).exists()


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
    assert [entry.name for entry in cache.folder.iterdir()] == [DAMAGED]


def test_a_damaged_cache_that_may_not_be_written_stays(tmp_path: Path) -> None:
    """Its damaged entries are missing, and its files are left."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, ENTRY)
    (path,) = cache.folder.glob(f"*{DATA}")
    path.write_bytes(path.read_bytes()[:-1])
    before = sorted(cache.folder.iterdir())
    assert DiskCache(tmp_path, is_read_only=True).get(KEY, Toc) is None
    assert sorted(cache.folder.iterdir()) == before


def test_a_value_of_another_type_is_missing() -> None:
    """An intact entry that does not hold what is expected is not read."""
    assert unpack(KEY, pack(KEY, ["x"]), Toc) is None
    assert unpack(KEY, pack(KEY, {"title": 1, "levels": []}), Toc) is None
    assert unpack(KEY, pack(KEY, ENTRY), Page) is None


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


def test_a_function_is_called_once_for_equal_arguments(tmp_path: Path) -> None:
    """The second call, also in another process' cache object, finds the result; other arguments do not."""
    calls = tmp_path / "calls"
    calls.mkdir()
    cached = DiskFunctionCache(DiskCache(tmp_path / "cache"))
    other = DiskFunctionCache(DiskCache(tmp_path / "cache"))
    bread = (counted, [("rye bread", str(calls))])
    assert cached.from_disk(bread) == cached.from_disk(bread) == other.from_disk(bread) == [[(9, "rye")]]
    assert len(list(calls.iterdir())) == 1
    assert cached.from_disk((counted, [("rye", str(calls))])) == [[(3, "rye")]]
    assert len(list(calls.iterdir())) == 2


def test_arguments_without_a_hash_are_stored_too(tmp_path: Path) -> None:
    """A mapping is an argument like others."""
    for cached in (DiskFunctionCache(DiskCache(tmp_path)), DiskFunctionCache(DiskCache(tmp_path))):
        assert cached.from_disk((sorted_keys, [({"b": 1, "a": 2},)])) == [[["a", "b"]]]


def sorted_keys(values: dict[str, int]) -> list[str]:
    """Return the keys of a mapping."""
    return sorted(values)


class Kitchen:
    """A function to remember, and the arguments of its calls."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    def first(self, value: tuple[object, ...], name: str = "") -> object:
        """Return the first part of a value."""
        self.calls.append((value, name))
        return value[0]


@pytest.mark.parametrize(
    ("before", "now", "calls"),
    [
        ((["rye"], "a"), (["rye"], "b"), 2),
        ((("rye", 1), "a"), (("rye", 1), "a"), 1),
        ((("rye", 1), "a"), (("rye", True), "a"), 2),
        ((("rye", 1), "a"), (("rye", 1, 2), "a"), 2),
        ((("rye", frozenset("a")), "a"), (("rye", frozenset("a")), "a"), 1),
    ],
    ids=["another text", "equal texts and numbers", "a number of another type", "more parts", "equal sets"],
)
def test_what_is_the_same_for_a_server(
    tmp_path: Path, before: tuple[Any, ...], now: tuple[Any, ...], calls: int
) -> None:
    """Arguments that are equal texts, numbers or sets of them, also within tuples, are the same in the next build."""
    cached, kitchen = DiskFunctionCache(DiskCache(tmp_path)), Kitchen()
    first = kitchen.first
    for arguments in (before, now):
        cached.begin_build()
        cached.from_last_build(first, {"a key": arguments})
    assert len(kitchen.calls) == calls


def test_an_equal_object_is_another_one(tmp_path: Path) -> None:
    """Objects may be equal and have parts that a function shows differently."""
    cached, kitchen = DiskFunctionCache(DiskCache(tmp_path)), Kitchen()
    first = kitchen.first
    for levels in ((1,), (True,)):
        cached.begin_build()
        cached.from_last_build(first, {"a key": ((Toc("rye", levels),),)})
    assert len(kitchen.calls) == 2


def test_a_result_that_is_equal_stays_the_one_before(tmp_path: Path) -> None:
    """What depends on it is the same in the next build."""
    cached = DiskFunctionCache(DiskCache(tmp_path))
    results = []
    for title in ("rye", "oats"):
        cached.begin_build()
        results += cached.from_last_build(levels_of, {"a key": (Toc(title, (1, 2)),)})
    assert results[0] is results[1]


def levels_of(toc: Toc) -> list[int | None]:
    """Return the levels of a table of contents."""
    return [*toc.levels]


def test_without_a_server_nothing_is_remembered(tmp_path: Path) -> None:
    """Each build is the only one of its process, and memory is short."""
    cached, kitchen = DiskFunctionCache(DiskCache(tmp_path), keeps_values=False), Kitchen()
    first = kitchen.first
    for _ in range(2):
        assert cached.from_last_build(first, {"a key": (("rye",),)}) == ["rye"]
    assert len(kitchen.calls) == 2


def compute_many(folder: Path) -> int:
    """Call `counted` for many texts and check the results; return the id of this process."""
    texts = [n * "x" for n in range(40)]
    calls = [(text, str(folder / "calls")) for text in texts]
    [found] = DiskFunctionCache(DiskCache(folder / "cache")).from_disk((counted, calls))
    assert found == [(n, texts[n][:3]) for n in range(40)]
    return os.getpid()


def test_many_missing_results_are_computed_by_processes(tmp_path: Path) -> None:
    """Results of many calls come in order, and from processes where there is more than one core."""
    (tmp_path / "calls").mkdir()
    with ProcessPoolExecutor(1, get_context("spawn")) as new:  # this process may have threads, and then does not fork
        pid = new.submit(compute_many, tmp_path).result()
    if len(os.sched_getaffinity(0)) > 1:
        workers = {path.name.partition("-")[2] for path in (tmp_path / "calls").iterdir()}
        assert str(pid) not in workers


def test_a_page_comes_back_equal(tmp_path: Path) -> None:
    """The types of the model survive the cache."""
    page = Page(PageUri("a.md"), "A", 3, meta=(("created", "2026-11-20"), ("tags", ["x", {"y": None}])))
    DiskCache(tmp_path).put(KEY, page)
    assert DiskCache(tmp_path).get(KEY, Page) == page
    assert FORMAT in str(DiskCache(tmp_path).folder)
