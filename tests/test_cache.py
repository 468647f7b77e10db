"""The disk cache, function results kept in it, and work in forked processes, whose results come back."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pytest

from generator.cache import FEWEST, FORMAT, MARKER, PACK_KEY, CachedCalls, DiskCache, pack, run_forked, unpack
from generator.model import Page, PageUri

KEY = "ab" + 62 * "0"


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
    """A value is read back as it was put; only whole entries lie in the folder, and git ignores it."""
    DiskCache(tmp_path / "cache").put(KEY, ENTRY)
    cache = DiskCache(tmp_path / "cache")
    assert cache.has(KEY)
    assert cache.get(KEY, Toc) == ENTRY
    assert not cache.has("cd")
    assert cache.get("cd", Toc) is None
    assert (tmp_path / "cache" / MARKER).is_file()
    assert (tmp_path / "cache" / ".gitignore").read_text("utf-8") == "*\n"
    assert [path.name for path in cache.folder.glob("*/*")] == [KEY[2:]]


@pytest.mark.parametrize("at", [0, 15, 20, 40, -1])
def test_a_damaged_entry_is_missing(at: int) -> None:
    """An entry with one byte changed, or cut short, is not read."""
    raw = bytearray(pack(ENTRY))
    assert unpack(bytes(raw), Toc) == ENTRY
    raw[at] ^= 1
    assert unpack(bytes(raw), Toc) is None
    assert unpack(pack(ENTRY)[:-3], Toc) is None
    assert unpack(b"", Toc) is None


def test_a_value_of_another_type_is_missing() -> None:
    """An intact entry that does not hold what is expected is not read."""
    assert unpack(pack(["x"]), Toc) is None
    assert unpack(pack({"title": 1, "levels": []}), Toc) is None
    assert unpack(pack(ENTRY), Page) is None


def test_a_value_that_cannot_be_encoded_is_not_kept(tmp_path: Path) -> None:
    """Lone surrogates and huge integers leave no entry, and nothing fails."""
    cache = DiskCache(tmp_path)
    cache.put(KEY, "\ud800")
    cache.put(KEY, 1 << 80)
    assert not cache.has(KEY)
    assert cache.failure == ""


def test_the_entries_not_used_for_longest_are_deleted(tmp_path: Path) -> None:
    """Entries are deleted by age until the rest fits; reading one makes it young again."""
    cache = DiskCache(tmp_path)
    keys = [f"{n:064}" for n in range(4)]
    for n, key in enumerate(keys):
        cache.put(key, 1000 * "x")
        os.utime(cache.folder / key[:2] / key[2:], (n, n))
    assert cache.get(keys[0], str)
    cache.prune(2 * len(pack(1000 * "x")))
    assert [cache.has(key) for key in keys] == [True, False, False, True]


def test_other_formats_are_deleted(tmp_path: Path) -> None:
    """Entries of another format are neither read nor left; other folders stay."""
    for name in ("planbook-speed-1", "planbook-cache-0"):
        old = tmp_path / name / "ab"
        old.mkdir(parents=True)
        (old / KEY[2:]).write_bytes(pack(ENTRY))
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
    assert CachedCalls(cache).call(counted, "abc", str(tmp_path)) == (3, "abc")


def test_a_function_is_called_once_for_equal_arguments(tmp_path: Path) -> None:
    """The second call, also in another process' cache object, finds the result; other arguments do not."""
    calls = tmp_path / "calls"
    calls.mkdir()
    cached = CachedCalls(DiskCache(tmp_path / "cache"))
    assert cached.call(counted, "rye bread", str(calls)) == (9, "rye")
    assert cached.call(counted, "rye bread", str(calls)) == (9, "rye")
    assert CachedCalls(DiskCache(tmp_path / "cache")).call(counted, "rye bread", str(calls)) == (9, "rye")
    assert len(list(calls.iterdir())) == 1
    assert cached.call(counted, "rye", str(calls)) == (3, "rye")
    assert len(list(calls.iterdir())) == 2


def compute_many(folder: Path) -> int:
    """Call `counted` for many texts and check the results; return the id of this process."""
    texts = [n * "x" for n in range(40)]
    found = CachedCalls(DiskCache(folder / "cache")).map(counted, [(text, str(folder / "calls")) for text in texts])
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


def test_small_results_are_read_from_one_entry(tmp_path: Path) -> None:
    """A build finds the results of the last one without their own entries, and forgets those that it did not use."""
    folder, cache = tmp_path / "calls", tmp_path / "cache"
    folder.mkdir()
    for texts, made in (("ab", 2), ("ab", 2), ("a", 2), ("ab", 3)):
        calls = CachedCalls(DiskCache(cache), keeps_values=False)
        calls.begin_build()
        assert [calls.call(counted, text, str(folder)) for text in texts] == [(1, text) for text in texts]
        assert len(list(folder.iterdir())) == made
        calls.end_build()
        for path in DiskCache(cache).folder.glob("??/*"):
            if not path.samefile(DiskCache(cache)._path(PACK_KEY)):
                path.unlink()


# --- work in forked processes ---------------------------------------------------------------------------------------

ITEMS = range(5 * FEWEST)
LARGE = 200_000
"""More than a pipe holds."""


def alone(check: Callable[[], None]) -> None:
    """Run `check` in a new process: one that has had a browser, say, has threads, and is not forked."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(check).result()


def test_results_are_received_with_their_items() -> None:
    """Each once, from other processes, and large ones too; without a result nothing is received."""
    alone(receive_results)


def receive_results() -> None:
    """Send large results, and none for one item."""
    found: dict[int, tuple[int, str]] = {}
    assert run_forked(
        ITEMS,
        lambda item: None if item == 3 else (os.getpid(), f"{item}" * LARGE),
        receive=found.setdefault,
        processes=2,
    )
    assert found.keys() == {*ITEMS} - {3}
    assert all(text == f"{item}" * LARGE for item, (_, text) in found.items())
    assert os.getpid() not in {process for process, _ in found.values()}


def test_what_a_worker_could_not_do_is_missing() -> None:
    """It raised an error, its result cannot be sent, or the whole worker died: the others' results are there."""
    alone(lose_results)


def lose_results() -> None:
    """Fail in three ways."""

    def work(item: int) -> object:
        if item == 0:
            raise ValueError
        if item == 2:
            os._exit(1)
        return (lambda: item) if item == 1 else item

    found = []
    assert run_forked(ITEMS, work, receive=lambda item, _: found.append(item), processes=2)
    assert sorted(found) == list(ITEMS)[3:]
