"""Canonical text for values: equal for equal values in any process. Values without one are refused."""

from __future__ import annotations

import datetime
import enum
import functools
import hashlib
import os
import types
from collections.abc import Mapping

PLAIN = (bytes, int, float, bool, type(None), datetime.date, datetime.time)


class UnclearError(Exception):
    """A value that no text can represent, such as an object with state of its own."""


def canonical_text(value: object) -> str:  # noqa: PLR0911 - a kind of value each
    """Return the value as text, with the keys of mappings in order; functions and classes by their names.

    Raises:
        UnclearError: part of it has no canonical text.
    """
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, str):
        return f"{len(value)}'{value}"  # delimited by its length: quoting a page's HTML would be slow
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = sorted((canonical_text(key), canonical_text(part)) for key, part in value.items())
        return "{" + ",".join(f"{key}:{part}" for key, part in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical_text, value)) + "]"
    if isinstance(value, set | frozenset):
        return "{" + ",".join(sorted(map(canonical_text, value))) + "}"
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    return _code(value)


def _code(value: object) -> str:
    if isinstance(value, functools.partial):
        return f"partial({_code(value.func)},{canonical_text(value.args)},{canonical_text(value.keywords)})"
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type):
        name = f"{value.__module__}.{value.__qualname__}"
        if "<" not in name and not getattr(value, "__closure__", None):
            return name
    raise UnclearError(f"{type(value).__module__}.{type(value).__qualname__}")


def modules_of(value: object) -> set[str]:
    """Return the modules of all functions and classes in a value."""
    if isinstance(value, Mapping):
        return set().union(*map(modules_of, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return set().union(*map(modules_of, value))
    if isinstance(value, functools.partial):
        return modules_of(value.func) | modules_of(value.args) | modules_of(value.keywords)
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type):
        return {value.__module__}
    return set()


def digest(*parts: str | bytes) -> str:
    """Return the SHA-256 of the parts, delimited by their lengths, as 64 hexadecimal digits."""
    made = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(b"%d:" % len(raw))
        made.update(raw)
    return made.hexdigest()
