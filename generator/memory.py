"""What pure functions gave for a file, kept until the file changes: while a site is served, most do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Remember(Protocol):
    """Has a function's answer for a file, in one way or another."""

    def __call__(self, uri: str, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """What `function`, which must be pure, gives for `arguments`, which are about the file `uri`."""


def ask(uri: str, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Calls the function each time: where nothing is asked twice, remembering costs more than it saves."""
    return function(*arguments)


class Memory:
    """Answers for functions where it can.

    It holds one answer for each function and file, with the arguments that it was given for; so it does not grow with
    every save. Nothing that it hands out may be changed by whoever gets it.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Callable[..., Any], str], tuple[tuple[Any, ...], Any]] = {}

    def __call__(self, uri: str, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """What `function` gives for `arguments`."""
        known = self._known.get((function, uri))
        if known is None or known[0] != arguments:
            known = arguments, function(*arguments)
            self._known[function, uri] = known
        answer: T = known[1]
        return answer
