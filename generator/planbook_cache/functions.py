"""Results of pure functions, kept on disk and, for a server, in memory."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from operator import is_
from typing import Any, TypeVar, TypeVarTuple

from planbook_cache.disk import DiskCache
from planbook_cache.entries import digest_of
from planbook_cache.versions import code_version
from planbook_cache.workers import start_forked

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""
CallBatch = tuple[Callable[..., Any], Sequence[tuple[Any, ...]]]
"""A function, and the arguments of each call."""


class FunctionCache:
    """Calls pure functions; a subclass may return the results of earlier calls instead.

    A function's parameters and its return type must be annotated with types that MessagePack can
    hold, if its results are kept on disk. Nothing that a cache returns may be modified.
    """

    def from_disk(self, *batches: CallBatch) -> list[list[Any]]:
        """Return what each function gives for each of its tuples of arguments.

        A subclass keeps the results by the content of the arguments, also for other processes.
        """
        return [[function(*arguments) for arguments in rows] for function, rows in batches]

    def from_last_build(
        self, function: Callable[[*Ts], T], arguments_by_key: Mapping[Any, tuple[*Ts]]
    ) -> list[T]:
        """Return what `function` gives for each tuple of arguments, by a key of its own.

        A server calls it again only if the arguments of the key are others than in the last build.
        """
        return [function(*arguments) for arguments in arguments_by_key.values()]

    def from_last_build_once(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Return what a function that is called once in a build gives, as `from_last_build`."""
        [result] = self.from_last_build(function, {"": arguments})
        return result


NO_CACHE = FunctionCache()


class DiskFunctionCache(FunctionCache):
    """Keeps results on disk, and those of the current and the last build in memory, too.

    Threads may make different calls at once.
    """

    def __init__(
        self, disk: DiskCache, *, in_parallel: bool = True, keeps_values: bool = True
    ) -> None:
        """Use the entries in `disk`. Without `keeps_values`, nothing is kept in memory."""
        self.disk = disk
        self._in_parallel = in_parallel
        self._keeps_values = keeps_values
        self._last = _Results()
        self._current = _Results()

    def begin_build(self) -> None:
        """Forget the results in memory that the last build did not use."""
        self._last = self._current
        self._current = _Results()

    def from_disk(self, *batches: CallBatch) -> list[list[Any]]:
        """Return what each function gives for each of its tuples of arguments.

        All cores are used if many results are missing.
        """
        calls = [(function, arguments) for function, rows in batches for arguments in rows]
        find = self._from_memory_or_disk if self._keeps_values else self._from_disk_or_call
        results = iter(find(calls))
        return [list(islice(results, len(rows))) for _, rows in batches]

    def _from_memory_or_disk(self, calls: Sequence[Call]) -> list[Any]:
        """Return the results of calls from memory, or else from the disk."""
        keys = [_key_in_memory(call) for call in calls]
        previous = self._last.by_content
        current = self._current.by_content
        results = [
            _MISSING if key is None else current.get(key, previous.get(key, _MISSING))
            for key in keys
        ]
        missing = [n for n, result in enumerate(results) if result is _MISSING]
        made = self._from_disk_or_call([calls[n] for n in missing]) if missing else []
        for n, result in zip(missing, made, strict=True):
            results[n] = result
        for key, result in zip(keys, results, strict=True):
            if key is not None:
                current[key] = result
        return results

    def _from_disk_or_call(self, calls: Sequence[Call]) -> list[Any]:
        """Return the results of calls from the disk; those that are missing are made."""
        keyed = [(call_key(*call), *call) for call in calls]
        if self._in_parallel:
            self._make_in_parallel(keyed)
        return [self._read_or_call(*call) for call in keyed]

    def _make_in_parallel(self, keyed: Sequence[tuple[str | None, *Call]]) -> None:
        """Store the missing results, if there are enough of them for other processes."""
        missing: dict[str, Call] = {}
        for key, function, arguments in keyed:
            if key is not None and not self.disk.has(key):
                missing[key] = function, arguments
        longest_first = sorted(
            missing.items(), key=lambda item: _size_of_arguments(item[1][1]), reverse=True
        )

        def make(item: tuple[str, Call]) -> None:
            """Store the result of a call."""
            key, (function, arguments) = item
            self.disk.put(key, function(*arguments))

        ended: Iterator[Any] | None = start_forked(longest_first, make)
        if ended is not None:
            for _ in ended:
                pass
            self.disk.refresh()

    def _read_or_call(
        self, key: str | None, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:
        """Return one result; without a `key`, it is not stored."""
        if key is None:
            return function(*arguments)
        result = self.disk.get(key, return_type(function), _MISSING)
        if result is _MISSING:
            result = function(*arguments)
            self.disk.put(key, result)
        return result

    def from_last_build(
        self, function: Callable[[*Ts], T], arguments_by_key: Mapping[Any, tuple[*Ts]]
    ) -> list[T]:
        """Return what `function` gives for each tuple of arguments, by a key of its own.

        A result that equals the one before is that one: what depends on it is not computed again.
        """
        if not self._keeps_values:
            return super().from_last_build(function, arguments_by_key)
        previous = self._last.by_key.get(function, {})
        current = self._current.by_key.setdefault(function, {})
        results: list[T] = []
        for key, arguments in arguments_by_key.items():
            last_call = current.get(key) or previous.get(key)
            if last_call is not None and (
                all(map(is_, last_call[0], arguments)) or _are_same(last_call[0], arguments)
            ):
                result = last_call[1]
            else:
                result = function(*arguments)
                if last_call is not None and last_call[1] == result:
                    result = last_call[1]
            current[key] = arguments, result
            results.append(result)
        return results


_MISSING = object()
"""Stands for a result that is not in memory or on disk: ``None`` is a result."""


class _Results:
    """The results in memory that one build has used."""

    def __init__(self) -> None:
        self.by_content: dict[Hashable, Any] = {}
        """By function and arguments."""
        self.by_key: dict[Callable[..., Any], dict[Hashable, tuple[Any, Any]]] = {}
        """By function and key: the arguments and the result."""


_COMPARABLE_TYPES = (str, bytes, int, frozenset)
"""Types of arguments whose equal values are the same for every function."""


def _are_same(last_values: tuple[Any, ...], values: tuple[Any, ...]) -> bool:
    """Return True for the same objects, and for equal texts and numbers.

    Other values may be equal and yet differ for a function, as 1 and True within them do.
    """
    return len(last_values) == len(values) and all(map(_is_same_value, last_values, values))


def _is_same_value(last_value: Any, value: Any) -> bool:
    if last_value is value:
        return True
    if type(last_value) is not type(value):
        return False
    if isinstance(value, tuple):
        return _are_same(last_value, value)
    return isinstance(value, _COMPARABLE_TYPES) and bool(last_value == value)


def _key_in_memory(call: Call) -> Hashable | None:
    """Return the key of a call, for results in memory; ``None`` if there is none for it alone.

    It has the types of the arguments, as 1 equals True.
    """
    try:
        hash(call)
    except TypeError:  # an argument has no hash, such as a dict
        return call_key(*call)
    _, arguments = call
    return call, _types_in(arguments)


def _types_in(values: tuple[object, ...]) -> tuple[object, ...]:
    """Return the types of values, of those in tuples, too."""
    return tuple(_types_in(value) if isinstance(value, tuple) else type(value) for value in values)


def call_key(function: Callable[..., object], arguments: tuple[object, ...]) -> str | None:
    """Return the name of a call's entry; ``None`` if the arguments cannot be encoded."""
    module, name = function.__module__, function.__qualname__
    return digest_of(module, name, code_version(module.partition(".")[0]), arguments) or None


@functools.cache
def return_type(function: Callable[..., T]) -> type[T]:
    """Return the annotated return type of a function."""
    kind: type[T] = typing.get_type_hints(function)["return"]
    return kind


def _size_of_arguments(arguments: tuple[object, ...]) -> int:
    return sum(len(argument) for argument in arguments if isinstance(argument, str | bytes))
