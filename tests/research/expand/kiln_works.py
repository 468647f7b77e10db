"""Documents about a kiln, as works that a page may cite."""

from __future__ import annotations

from planbook.citations.quotes import words
from planbook.research.drafts import Source
from planbook.research.web.model import Fetched, Outcome

TEXT = """\
# Kiln

## Layers

Kiln keeps a layer for each instruction of the build file.

You must not delete cache mounts for pip while a build runs: the build fails.

A layer of a small image is read by all builds that share its base.

## Ovens

Never open an oven that is hot.
"""


def work(name: str = "manual", text: str = TEXT) -> Source:
    """A document."""
    url = f"https://{name}.example/kiln"
    return Source(name, Fetched(url, Outcome.OK, text=text, visible=words(text), media_type="text/markdown"))
