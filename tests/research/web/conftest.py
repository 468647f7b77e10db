"""A web on loopback and a client that may ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from planbook.research.web.archive import Archive
from planbook.research.web.client import Fetcher
from planbook.research.web.connection import Resolver, ask_system
from planbook.research.web.github import GitHubEndpoints
from planbook.research.web.model import Limits
from tests.research.web.server import Web

QUICK = {"timeout_s": 5.0, "deadline_s": 10.0, "spacing_s": 0.0, "backoff_s": 0.01, "max_wait_s": 2.0}
"""Limits that make tests short; each test sets those that it is about."""

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
def web() -> Iterator[Web]:
    """A server on loopback."""
    with Web() as running:
        yield running


@pytest.fixture
def make_fetcher() -> Iterator[MakeFetcher]:
    """Makes clients: limits by name, and `names` for what hosts resolve to; loopback is allowed unless said."""
    made = []

    def make(
        names: Resolver | None = None,
        *,
        allow_loopback: bool = True,
        archive: Archive | None = None,
        github: GitHubEndpoints | None = None,
        **limits: Any,
    ) -> Fetcher:
        fetcher = Fetcher(
            Limits(**{**QUICK, **limits}),
            contact="mail@tea.test",
            resolver=names or ask_system,
            allow_loopback=allow_loopback,
            archive=archive,
            github=github,
        )
        made.append(fetcher)
        return fetcher

    yield make
    for fetcher in made:
        fetcher.close()


@pytest.fixture
def fetcher(make_fetcher: MakeFetcher) -> Fetcher:
    """A client that may ask loopback."""
    return make_fetcher()
