"""Checkers of quotes: ours, and those of the package index that run without a model and are installed."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from planbook.citations.quotes import Readings, contains_quote
from planbook.research.audit.comparison.read_source import ReadSource
from planbook.research.web.model import Fetched, Outcome

Check = Callable[[str, str], bool]
"""Returns whether a checker finds a quote in a source."""
_FUZZY = 90
"""Score from which plain fuzzy search calls a quote found."""


def checkers() -> Iterator[tuple[str, Check]]:
    """Yield the name of each checker that can be run, and the checker."""
    yield "planbook verify", _verify
    yield "planbook audit", _audit
    for name, make in _OTHERS.items():
        try:
            yield name, make()
        except ImportError:
            continue


def _verify(quote: str, source: str) -> bool:
    return contains_quote(quote, Readings(source, source))


def _audit(quote: str, source: str) -> bool:
    fetched = Fetched("source", Outcome.OK, text=source, visible=source)
    return ReadSource(fetched, ()).has_quote(quote)


def _gtrex(policy: str) -> Check:
    gtrex: Any = importlib.import_module("gtrex")
    chosen = getattr(gtrex, policy)
    return lambda quote, source: bool(gtrex.Verifier(source, chosen).verify(quote).grounded)


def _krokai() -> Check:
    corpus: Any = importlib.import_module("krokai.corpus")
    verify: Any = importlib.import_module("krokai.verify")
    clean = set(importlib.import_module("krokai.verdicts").CLEAN)

    def check(quote: str, source: str) -> bool:
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            Path(folder, "source.txt").write_text(source, encoding="utf-8")
            found = verify.check(quote, corpus.Corpus([folder]))
        return (found["verdict"] if isinstance(found, dict) else found[0]) in clean

    return check


def _juricode() -> Check:
    juricode: Any = importlib.import_module("juricode_verifier")
    return lambda quote, source: juricode.snap_quote(anchor=quote, body=source) is not None


def _rapidfuzz() -> Check:
    fuzz: Any = importlib.import_module("rapidfuzz.fuzz")
    return lambda quote, source: fuzz.partial_ratio(quote, source) >= _FUZZY


_OTHERS: dict[str, Callable[[], Check]] = {
    "gtrex, DEFAULT": lambda: _gtrex("DEFAULT"),
    "gtrex, PERMISSIVE": lambda: _gtrex("PERMISSIVE"),
    "krokai": _krokai,
    "juricode-verifier": _juricode,
    f"RapidFuzz ≥ {_FUZZY}": _rapidfuzz,
}
