"""A provider of the whole web."""

from __future__ import annotations

from planbook.model import Query


def web(text: str) -> Query:
    """A query."""
    return Query("web", text)
