"""A folder of documents with its index."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from planbook.research.search.full_text_index import Documents
from planbook.research.web.model import Fetched
from tests.files import put

FILES = {
    "water.md": "# Water for tea\n\nSoft water makes a clear tea.\n\n## Hardness\n\nHard water makes a dull one.\n",
    "leaves/oolong.md": (
        "---\ntitle: Oolong\nsource_url: https://tea.example/oolong\n"
        "author: A. Author\ndate: 2026-01-06\nlang: en\n---\n"
        "Oolong is half oxidised.\n"
    ),
    "leaves/green.txt": "Green leaves want water of 80 degrees.\r\n",
    "kettle.html": (
        '<!doctype html><html lang="en"><head><title>Kettles compared</title>'
        '<link rel="canonical" href="https://kettle.example/guide/"></head><body><main><h1>Kettles compared</h1>'
        "<p>A kettle with a thermostat holds the water at one temperature, which green leaves need most of all. "
        "We boiled forty litres in each of them to see how long it takes.</p></main></body></html>"
    ),
}


OpenDocuments = Callable[..., Documents]


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    """Writes files, some days old, so that the index can be sure of them."""
    put(folder, files)
    for name in files:
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))


def found(documents: Documents, text: str, limit: int = 9) -> list[str]:
    """The addresses of what is found."""
    return [hit.url for hit in documents.find(text, limit)]


def read(documents: Documents, url: str) -> Fetched:
    """The document at this address, which must be there."""
    fetched = documents.read_local(url)
    assert fetched is not None
    return fetched
