"""Links between pages of the base."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from generator.markdown.document import Node, read_document, read_tree

SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
"""The beginning of an address that names a host or protocol."""
MAX_LEVELS = 8
"""Maximum nesting of admonitions that are searched for links."""

_MAYBE_LINK = re.compile(r"\.md\b", re.IGNORECASE)
_INDENTED_BODY = ("!!!", "???", "===")
"""Opening markers of blocks with indented text: admonitions, details, tabs. CommonMark reads that text as code."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A link from one page to another."""

    source: str
    """A page's uri."""
    target: str
    """Another page's."""
    kind: Literal["link", "plan"]
    """``link``: in the page's text. ``plan``: the PART of the source page builds on the target."""


def written_links(text: str) -> tuple[str, ...]:
    """Return the addresses, as written, of a page's links that end in ``.md`` and name no host; code has none."""
    return tuple(dict.fromkeys(_written(read_document(text).tree))) if _MAYBE_LINK.search(text) else ()


def resolved(address: str, uri: str, known: Container[str] = frozenset()) -> str | None:
    """Return the page that `address` on page `uri` refers to; ``None`` if it is outside the base.

    A link is relative to the page's folder. If that page is not in `known`, but the one at the same path from the
    base's root is, the link refers to the latter, as with the option `mend`. A leading slash means the root.
    """
    path = unquote(_path(address))
    from_root = posixpath.normpath(path.lstrip("/"))
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))
    if path.startswith("/") or (beside not in known and from_root in known):
        beside = from_root
    return None if beside.startswith("../") else beside


def rebased_links(links: Iterable[str], uri: str, known: Container[str]) -> dict[str, str]:
    """Return the addresses on page `uri` that are valid only relative to the base's root.

    The values are the addresses relative to the page's own folder.
    """
    folder = posixpath.dirname(uri)
    rebased = {}
    for address in links:
        written, mark, anchor = address.partition("#")
        path = unquote(written)
        from_root = posixpath.normpath(path)
        is_found = posixpath.normpath(posixpath.join(folder, path)) in known
        if path.startswith("/") or is_found or from_root not in known or from_root.startswith(".."):
            continue
        rebased[address] = posixpath.relpath(from_root, folder or ".") + mark + anchor
    return rebased


def _written(tree: Node, level: int = 0) -> Iterator[str]:
    """Yield every link's address; `level` is the number of indented bodies that contain the text."""
    is_indented_body = is_first = False
    for node in tree.descendants():
        if node.name == "Text" and is_first:
            is_indented_body, is_first = node.text.startswith(_INDENTED_BODY), False
        elif node.name == "Link" and _leads_to_page(node.address):
            yield node.address
        elif node.name == "Paragraph":
            is_first = True
        elif node.name == "CodeBlock":
            is_first = False
            if node.info is None and is_indented_body and level < MAX_LEVELS:
                yield from _written(read_tree(node.all_text(), has_footnotes=True), level + 1)


def _leads_to_page(address: str) -> bool:
    return _path(address).endswith(".md") and not SCHEME.match(address)


def _path(address: str) -> str:
    return re.split(r"[#?]", address, maxsplit=1)[0]
