"""Forks a process for each build of a row, which has the engine and the plugins: `builder ENGINE PLUGIN...`."""

from __future__ import annotations

import contextlib
import importlib
import sys
from importlib import metadata

from tests.forks import serve


def main(engine: str, *plugins: str) -> None:
    """Import, then build as asked."""
    importlib.import_module(f"{engine}.__main__")  # ProperDocs takes the place of MkDocs for what is imported later
    for point in metadata.entry_points(group="mkdocs.plugins"):
        if point.name in plugins:
            with contextlib.suppress(Exception):  # a build will say so
                point.load()
    serve({engine: f"{engine}.__main__:cli"})


if __name__ == "__main__":
    main(*sys.argv[1:])
