"""Nearness in meaning, by a local word vector model; the only module that uses model2vec. It downloads nothing.

See docs/decisions/0020-embeddings.md. Results are identical on all machines: model2vec only adds and divides vectors
element by element; the remaining products and sums are computed with integers.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from generator.problems import describe_missing

FILES = ("config.json", "model.safetensors", "tokenizer.json")
"""The files of a model."""
_EXTRA = "research,embeddings"
_STEPS = 1 << 20
"""A vector's largest number is scaled to this integer: sums of thousands of products fit into 64 bits."""
_DIGITS = 6
_KEPT = 4
"""Number of PARTs in progress whose passage vectors are cached between two points."""


class MeaningError(ValueError):
    """The model cannot be used; the message, which follows the option's name, gives the reason and the fix."""


def fingerprint(folder: Path) -> str:
    """Return an identifier of the model and of the library that computes with it. Raises :class:`MeaningError`."""
    digest = hashlib.sha256()
    _check_files(folder)
    for name in FILES:
        with (folder / name).open("rb") as file:
            digest.update(f"{name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return f"{digest.hexdigest()} model2vec {version('model2vec')}"


def open_model(folder: Path) -> Similar:
    """Return the similarity function of the model in `folder`. Thread-safe. Raises :class:`MeaningError`."""
    _check_files(folder)
    try:
        import numpy as np  # noqa: PLC0415 - from the extra `embeddings`, and slow to import
        from model2vec import StaticModel  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise MeaningError(describe_missing(error, _EXTRA)) from error

    try:
        # An absolute path: if the folder disappears meanwhile, it is not mistaken for the name of a model to download.
        model = StaticModel.from_pretrained(folder.absolute(), force_download=False)
        is_sound = bool(np.isfinite(model.embedding).all())
    except Exception as error:  # reading its files raises plain `Exception`
        raise MeaningError(f"is {folder.name!r}, whose model cannot be read: {error}; copy it again") from error
    if not is_sound:
        raise MeaningError(f"is {folder.name!r}, whose vectors are not all numbers; copy it again")
    turn = threading.Lock()

    @lru_cache(_KEPT)
    def vectors(texts: tuple[str, ...]) -> Any:
        """Return the vectors of the texts as integers, a row each."""
        with turn:  # model2vec before 0.23 configures its tokenizer at every call, which is not thread-safe
            rows = model.encode(list(texts), normalize=False, use_multiprocessing=False).astype(np.float64)
        largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        return np.rint(rows / np.where(largest > 0, largest, 1.0) * _STEPS).astype(np.int64)

    def similar(text: str, others: Sequence[str]) -> Sequence[float]:
        """Return the cosine similarity of `text` and each other text; 0 if the model knows none of its words."""
        if not others:
            return ()
        (one,), rows = vectors((text,)), vectors(tuple(others))
        products, squares, square = (rows * one).sum(axis=1), (rows * rows).sum(axis=1), int((one * one).sum())
        lengths = (math.sqrt(square) * math.sqrt(int(other)) for other in squares)
        return [
            round(int(product) / length, _DIGITS) if length else 0.0
            for product, length in zip(products, lengths, strict=True)
        ]

    return similar


def _check_files(folder: Path) -> None:
    """Raise :class:`MeaningError` if the folder has no model, or if model2vec is not installed."""
    if find_spec("model2vec") is None:
        raise MeaningError(describe_missing(ModuleNotFoundError(name="model2vec"), _EXTRA))
    if not folder.is_dir():
        raise MeaningError(
            f"must be a folder with a model, relative to mkdocs.yml, and {str(folder)!r} is not a folder; models are "
            "not downloaded: put one there first"
        )
    lacks = ", ".join(name for name in FILES if not (folder / name).is_file())
    if lacks:
        raise MeaningError(f"is {folder.name!r}, which is not a model of model2vec: it lacks {lacks}")


# --- nearness ------------------------------------------------------------------------------------------------------

Similar = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns the similarity in meaning of a text to each of the others, from -1 to 1. Must be deterministic."""

NEAR = 0.5
"""Minimum nearness for a passage to answer by its meaning alone."""


def nearness(likeness: Sequence[float]) -> Mapping[int, float]:
    """Return the nearness of texts by index, from 0 (the median) to 1 (identical); texts at or below 0 are left out.

    The scale starts at the median similarity, because models differ: some find all texts on one subject similar, some
    none. The result is how far a text stands out among the others, whatever the model.
    """
    if not likeness:
        return {}
    start = min(max(median(likeness), 0.0), 1.0)
    if start == 1.0:
        return {}
    found = ((n, round(min((one - start) / (1.0 - start), 1.0), _DIGITS)) for n, one in enumerate(likeness))
    return {n: near for n, near in found if near > 0}
