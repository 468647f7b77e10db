"""A web with a search engine, and a base that can be filled from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.research.expand.loopback import SearchWeb, make_base


@pytest.fixture
def web() -> Iterator[SearchWeb]:
    """A server on loopback."""
    running = SearchWeb()
    with running:
        yield running


@pytest.fixture
def root(tmp_path: Path, web: SearchWeb) -> Path:
    """The base's folder."""
    return make_base(tmp_path / "base", web)


@pytest.fixture
def make(tmp_path: Path, web: SearchWeb) -> Callable[[str], Path]:
    """Makes further bases like it, by name."""
    return lambda name: make_base(tmp_path / name, web)
