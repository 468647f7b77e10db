"""Artifacts: results of stages as files, from which a run is continued. Pure: the recorder writes them.

An artifact is ``artifacts/<sha256>.json``, named by its content. The texts of documents are in files of their own,
``snapshots/<sha256>.txt``, which the archive of `web` uses as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from generator.web.archive import text_name
from generator.web.model import Fetched

T = TypeVar("T")
_TEXTS = ("text", "visible")


class ArtifactError(ValueError):
    """An artifact is missing, damaged, or of another version: its stage has to run again."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A value as files of the working folder."""

    name: str
    """The main file."""
    files: Mapping[str, bytes] = field(repr=False)
    """The main file and the texts that it names, by name."""


def encode(value: object) -> Artifact:
    """Return a value of dataclasses, tuples and plain values as an artifact."""
    texts: dict[str, bytes] = {}
    plain = _without_texts(msgspec.to_builtins(value), value, texts)
    raw = msgspec.json.encode({"value": plain, "texts": sorted(texts)}) + b"\n"
    name = f"artifacts/{hashlib.sha256(raw).hexdigest()}.json"
    return Artifact(name, {name: raw, **texts})


def decode(artifact: Artifact, type_: type[T]) -> T:
    """Return the encoded value. Raises :class:`ArtifactError`."""
    try:
        plain = json.loads(artifact.files[artifact.name])["value"]
        return msgspec.convert(_with_texts(plain, artifact.files), type_)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError) as error:
        raise ArtifactError(f"{artifact.name} is damaged, or of another version") from error


def decode_if_whole(artifact: Artifact | None, type_: type[T]) -> T | None:
    """Return the encoded value; ``None`` without an artifact, or if it is damaged."""
    try:
        return decode(artifact, type_) if artifact else None
    except ArtifactError:
        return None


def load(name: str, read: Callable[[str], bytes | None]) -> Artifact:
    """Read the artifact of this name, with its texts. Raises :class:`ArtifactError`."""
    files = {name: read(name) or b""}
    try:
        files |= {text: read(text) or b"" for text in json.loads(files[name])["texts"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(f"{name} is missing or damaged") from error
    for file, content in files.items():
        if hashlib.sha256(content).hexdigest() not in file:
            raise ArtifactError(f"{file} is missing or damaged")
    return Artifact(name, files)


def _without_texts(plain: Any, value: object, texts: dict[str, bytes]) -> Any:
    """Replace the texts of each Fetched in `plain` by their names, and add them to `texts`."""
    if isinstance(value, Fetched):
        for key in _TEXTS:
            content = plain[key].encode("utf-8")
            plain[key] = text_name(hashlib.sha256(content).hexdigest())
            texts[plain[key]] = content
        return {"fetched": plain}
    if isinstance(value, tuple):
        return [_without_texts(one, inner, texts) for one, inner in zip(plain, value, strict=True)]
    return plain


def _with_texts(plain: Any, files: Mapping[str, bytes]) -> Any:
    if isinstance(plain, list):
        return [_with_texts(one, files) for one in plain]
    if isinstance(plain, dict) and set(plain) == {"fetched"}:
        return {**plain["fetched"], **{key: files[plain["fetched"][key]].decode("utf-8") for key in _TEXTS}}
    return plain
