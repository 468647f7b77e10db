"""Digests of values: one text for each, whatever the process."""

from __future__ import annotations

import datetime
import enum
import functools
import hashlib
import importlib
import os
import types
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


InputDigests: TypeAlias = Mapping[str, str]
"""The digest of each input, by the name that a verbose build says."""
PLAIN_TYPES = (bytes, int, float, bool, type(None), datetime.date, datetime.time)


class UnclearError(Exception):
    """A value without canonical text, such as an object with internal state."""


_COMMON_TYPES = frozenset({str, *PLAIN_TYPES})
"""The types of most parts of values: looking for them first spares tests of abstract classes."""
MAX_PARTS, MAX_LEVELS = 200_000, 200
"""Parts and levels of a value that is compared: aliases of YAML may repeat parts without end, or
contain themselves."""


def require_finite(value: object) -> None:
    """Raise UnclearError for a value that is too large or too deep to be compared.

    One that contains itself is too deep.
    """
    level = [value]
    seen = 0
    for _ in range(MAX_LEVELS):
        below: list[object] = []
        for part in level:
            if type(part) in _COMMON_TYPES:
                continue
            if isinstance(part, Mapping):
                below += part.keys()
                below += part.values()
            elif isinstance(part, list | tuple | set | frozenset):
                below += part
            if seen + len(below) > MAX_PARTS:
                raise UnclearError("a value with too many parts")
        if not below:
            return
        seen += len(below)
        level = below
    raise UnclearError("a value that contains itself, or has too many levels")


def canonical_text(value: object) -> str:
    """Return the value as text, with the keys of mappings in order.

    Functions and classes by their names.

    Raises:
        UnclearError: part of it has no canonical text.
    """
    require_finite(value)
    return _text_of_value(value)


def _text_of_value(value: object) -> str:  # noqa: PLR0911 - a kind of value each
    kind = type(value)
    if kind is not str and isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value.name}"
    if isinstance(value, str):
        # Delimited by its length: quoting a page's HTML would be slow.
        return f"{len(value)}'{value}"
    if isinstance(value, PLAIN_TYPES):
        return repr(value)
    if isinstance(value, dict | Mapping):
        pairs = sorted((_text_of_value(key), _text_of_value(part)) for key, part in value.items())
        return "{" + ",".join(f"{key}:{part}" for key, part in pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text_of_value, value)) + "]"
    if isinstance(value, set | frozenset):
        return "{" + ",".join(sorted(map(_text_of_value, value))) + "}"
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    return _code(value)


def _code(value: object) -> str:
    """Return the name of a function or a class. Raises UnclearError for any other object."""
    if isinstance(value, functools.partial):
        arguments = canonical_text(value.args)
        keywords = canonical_text(value.keywords)
        return f"partial({_code(value.func)},{arguments},{keywords})"
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


def digest(*texts: str | bytes) -> str:
    """Return the SHA-256 of the texts, delimited by their lengths, as 64 hexadecimal digits."""
    made = hashlib.sha256()
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        made.update(b"%d:" % len(raw))
        made.update(raw)
    return made.hexdigest()


def digest_of_inputs(inputs: InputDigests) -> str:
    """Return the digest of all inputs with their names."""
    return digest(*(text for name_and_digest in inputs.items() for text in name_and_digest))


def config_path(config: MkDocsConfig) -> str:
    """Return the absolute path of the configuration file."""
    return str(Path(config.config_file_path or "mkdocs.yml").resolve())


def code_digest(module: str) -> bytes:
    """Return the digest of a module's code; of a package's, all its modules."""
    path = Path(importlib.import_module(module).__file__ or "")
    paths = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in paths)).digest()
