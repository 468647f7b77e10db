"""Paths of pages in the exported tree, and links rewritten to them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from generator.markdown.lists import read_blocks
from generator.page.links import resolved
from generator.views.index import FOLDER_INDEXES, INDEX

_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*<?(?P<address>[^\s<>]+)", re.MULTILINE)
"""The address in a link reference definition (``[water]: ../tea/01-water.md``)."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_OF_HUGO = "_index.md"
_INDEX_IN_HUGO = "all-pages.md"
"""Hugo since 0.123 takes `INDEX.md` for an `index.md`, which would make all other pages its attachments."""

_Edit = tuple[int, int, str]
"""A replacement: ``(start, end, new)``."""


def places(uris: Iterable[str], index: str) -> dict[str, str]:
    """Return the path of each page by its uri: the same, except for a folder's own page, which is called `index`.

    Raises ValueError if two pages would have the same path.
    """
    place: dict[str, str] = {}
    taken: dict[str, str] = {}
    for uri in sorted(uris):
        folder, slash, name = uri.rpartition("/")
        path = f"{folder}{slash}{index}" if name in FOLDER_INDEXES else uri
        if uri == INDEX and index == _OF_HUGO:
            path = _INDEX_IN_HUGO
        if path in taken:
            raise ValueError(f"{uri} and {taken[path]} would both be {path}; rename or remove one of them")
        place[uri], taken[path] = path, uri
    return place


def relinked(text: str, uri: str, place: Mapping[str, str]) -> str:
    """Rewrite the links in `text`, the Markdown of page `uri`, for the new paths in `place`.

    Links are made relative to the page's own path; correct links, and links to other targets, are left unchanged.
    """
    if ".md" not in text:
        return text
    edits = sorted(set(_edits(text, uri, place)))
    pieces, at = [], 0
    for start, end, new in edits:
        if start >= at:
            pieces += [text[at:start], new]
            at = end
    return "".join([*pieces, text[at:]])


def _edits(text: str, uri: str, place: Mapping[str, str]) -> Iterator[_Edit]:
    blocks = read_blocks(text)
    for start, end, address in blocks.links:
        new = _address(address, uri, place)
        at = text.rfind(address, start, end)
        if new is not None and at > 0 and text[at - 1] in "(< ":
            yield at, at + len(address), new
    for found in _DEFINITION.finditer(text):
        is_code = any(start <= found.start() < end for start, end in blocks.fences)
        new = None if is_code else _address(found["address"], uri, place)
        if new is not None:
            yield *found.span("address"), new


def _address(address: str, uri: str, place: Mapping[str, str]) -> str | None:
    """Return the new address of a link; ``None`` if it is correct already, or leads to no page of the tree."""
    if _SCHEME.match(address) or ".md" not in address:
        return None
    path = re.split(r"[#?]", address, maxsplit=1)[0]
    target = resolved(address, uri, place)
    if target is None or target not in place:
        return None
    here = posixpath.dirname(place.get(uri, uri))
    if not path.startswith("/") and posixpath.normpath(posixpath.join(here, path)) == place[target]:
        return None
    return posixpath.relpath(place[target], here or ".").replace(" ", "%20") + address[len(path) :]
