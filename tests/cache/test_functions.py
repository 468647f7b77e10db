"""Results of functions, on disk and in memory."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from planbook_cache.disk import DiskCache
from planbook_cache.functions import DiskFunctionCache
from tests.cache.values import Toc, counted


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


def test_arguments_that_cannot_be_encoded_are_no_others(tmp_path: Path) -> None:
    """What has neither a hash nor an encoding is computed each time, and is not the result of another call."""
    cached = DiskFunctionCache(DiskCache(tmp_path))
    for name in ("a\ud800", "b\ud800"):
        assert cached.from_disk((sorted_keys, [({name: 1},)])) == [[[name]]]


@pytest.mark.parametrize("pair", [(1, True), (0, 0.0), ((1, "a"), (True, "a"))])
def test_equal_arguments_of_two_types_are_two_calls(tmp_path: Path, pair: tuple[object, object]) -> None:
    """`1 == True`, and a function may tell one from the other."""
    cached = DiskFunctionCache(DiskCache(tmp_path))
    for value in pair:
        assert cached.from_disk((shown_value, [(value,)])) == [[repr(value)]]


def test_none_is_a_result_like_others(tmp_path: Path) -> None:
    """It is on the disk, too, and the function is not called again."""
    calls = tmp_path / "calls"
    calls.mkdir()
    for _ in range(2):
        cached = DiskFunctionCache(DiskCache(tmp_path / "cache"))
        assert cached.from_disk((no_title, [("rye", str(calls))])) == [[None]]
    assert len(list(calls.iterdir())) == 1


def no_title(text: str, folder: str) -> str | None:
    """Return no title of a text; leave a file in `folder` for every real call."""
    counted(text, folder)
    return None


def shown_value(value: Any) -> str:
    """Return how a value is written in Python."""
    return repr(value)


def test_none_is_a_result(tmp_path: Path) -> None:
    """A server calls a function that returned `None` once."""
    cached = DiskFunctionCache(DiskCache(tmp_path))
    calls = tmp_path / "calls"
    for _ in range(2):
        assert cached.from_disk((nothing_called, [(str(calls),)])) == [[None]]
    assert calls.read_text() == "."


def nothing_called(log: str) -> None:
    """Add a dot to a file."""
    with Path(log).open("a", encoding="utf-8") as file:
        file.write(".")


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
