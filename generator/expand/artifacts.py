"""Artifacts: results of stages as files of the working folder, from which a run is continued.

An artifact is ``artifacts/<sha256>.json``, named by its content. The texts of documents are in files of their own,
``snapshots/<sha256>.txt``, which the archive of `web` uses as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from generator.store import read_work, write_work
from generator.web.archive import text_name
from generator.web.model import Fetched

T = TypeVar("T")
_TEXTS = ("text", "visible")


class ArtifactError(ValueError):
    """An artifact is missing, damaged, or of another version: its stage has to run again."""


def save(root: Path, value: object) -> str:
    """Write a value of dataclasses, tuples and plain values, and return the name of its artifact."""
    plain = _without_texts(root, msgspec.to_builtins(value), value)
    raw = msgspec.json.encode({"value": plain}) + b"\n"
    name = f"artifacts/{hashlib.sha256(raw).hexdigest()}.json"
    write_work(root, name, raw)
    return name


def load(root: Path, name: str, type_: type[T]) -> T:
    """Return a saved value. Raises :class:`ArtifactError`."""

    def read(file: str) -> bytes:
        """Return the content of a file, which is part of its name."""
        content = read_work(root, file) or b""
        if hashlib.sha256(content).hexdigest() not in file:
            raise ArtifactError(f"{file} is missing or damaged")
        return content

    try:
        return msgspec.convert(_with_texts(json.loads(read(name))["value"], read), type_)
    except ArtifactError:
        raise
    except (KeyError, TypeError, ValueError, msgspec.ValidationError) as error:
        raise ArtifactError(f"{name} is damaged, or of another version") from error


def _without_texts(root: Path, plain: Any, value: object) -> Any:
    """Write the texts of each Fetched in `value`, and replace them by their names in `plain`."""
    if isinstance(value, Fetched):
        for key in _TEXTS:
            content = plain[key].encode("utf-8")
            plain[key] = text_name(hashlib.sha256(content).hexdigest())
            write_work(root, plain[key], content)
        return {"fetched": plain}
    if isinstance(value, tuple):
        return [_without_texts(root, one, inner) for one, inner in zip(plain, value, strict=True)]
    return plain


def _with_texts(plain: Any, read: Callable[[str], bytes]) -> Any:
    if isinstance(plain, list):
        return [_with_texts(one, read) for one in plain]
    if isinstance(plain, dict) and set(plain) == {"fetched"}:
        return {**plain["fetched"], **{key: read(plain["fetched"][key]).decode("utf-8") for key in _TEXTS}}
    return plain
