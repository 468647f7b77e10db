"""What a stage gave, as files to go on from. Pure: `store` writes them, and what it reads comes back here.

An artifact lies at ``artifacts/<sha256>.json``, named by its own bytes. Texts of sources are not repeated in it: they
lie at ``snapshots/<sha256>.txt``, where `research.fetch` keeps them too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from cattrs.preconf.json import JsonConverter, make_converter

from generator.web.model import Fetched
from generator.web.snapshots import text_name

T = TypeVar("T")
_TEXTS = ("text", "visible")


class ArtifactError(ValueError):
    """An artifact is gone, spoilt, or of another version: its stage has to be done again."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A stage's value as files of the working folder."""

    name: str
    """Of the file that holds it."""
    files: Mapping[str, bytes] = field(repr=False)
    """That file, and the texts that it names, by name."""


def encode(value: object) -> Artifact:
    """`value`, of dataclasses, tuples and plain values, as an artifact."""
    texts: dict[str, bytes] = {}
    plain = _without_texts(_converter().unstructure(value), value, texts)
    raw = json.dumps({"value": plain, "texts": sorted(texts)}, ensure_ascii=False, indent=1).encode() + b"\n"
    name = f"artifacts/{hashlib.sha256(raw).hexdigest()}.json"
    return Artifact(name, {name: raw, **texts})


def decode(artifact: Artifact, type_: type[T]) -> T:
    """The value that was encoded. Raises :class:`ArtifactError`."""
    try:
        plain = json.loads(artifact.files[artifact.name])["value"]
        value = _converter().structure(_with_texts(plain, artifact.files), type_)
    except (KeyError, TypeError, ValueError, ExceptionGroup) as error:
        raise ArtifactError(f"{artifact.name} does not hold what it should") from error
    return value


def plain_value(value: object) -> Any:
    """`value` as JSON data."""
    return _converter().unstructure(value)


def load(name: str, read: Callable[[str], bytes | None]) -> Artifact:
    """The artifact of this name, with its texts. Raises :class:`ArtifactError`."""
    files = {name: read(name) or b""}
    try:
        files |= {text: read(text) or b"" for text in json.loads(files[name])["texts"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(f"{name} is gone or spoilt") from error
    for file, content in files.items():
        if hashlib.sha256(content).hexdigest() not in file:
            raise ArtifactError(f"{file} is gone or spoilt")
    return Artifact(name, files)


@cache
def _converter() -> JsonConverter:
    return make_converter()


def _without_texts(plain: Any, value: object, texts: dict[str, bytes]) -> Any:
    """`plain`, where each Fetched names its texts instead of holding them; they go to `texts`."""
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
