"""Fixtures of the tests of the web that these tests use, too."""

from __future__ import annotations

from tests.research.web.conftest import fetcher, make_fetcher, web

__all__ = ["fetcher", "make_fetcher", "web"]
