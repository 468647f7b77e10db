"""A page, read once: front matter as MkDocs reads it, body, and the body's tree."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from generator.markdown.fences import without_front_matter
from generator.markdown.front_matter import FrontMatterError, lines_above, split_front_matter
from generator.markdown.positions import line_starts
from generator.markdown.tree import Node, read_tree


@dataclass(frozen=True, slots=True)
class Document:
    """A page's front matter and body; front matter that is not a YAML mapping is part of the body."""

    meta: Mapping[str, object]
    body: str = field(repr=False)
    lines_above: int
    """Lines of the file above the body."""
    error: FrontMatterError | None = None
    """Set where the front matter is not a YAML mapping."""

    @property
    def tree(self) -> Node:
        """The body's tree; places are offsets in the body."""
        return read_tree(self.body)


def read_document(text: str) -> Document:
    """Return the document in a page's `text`. Never raises."""
    try:
        meta, body = split_front_matter(text)
    except FrontMatterError as error:
        return Document({}, text, 0, error)
    return Document(meta, body, lines_above(text, body))


def link_places(text: str) -> tuple[tuple[str, int, int], ...]:
    """Return the address, line and column of each link in a page's `text`, front matter left out."""
    text = without_front_matter(text)
    starts = line_starts(text.split("\n"))
    links = [(node.address, node.start) for node in read_tree(text).descendants() if node.name == "Link"]
    lines = [bisect_right(starts, start) for _, start in links]
    return tuple((address, n, start - starts[n - 1] + 1) for (address, start), n in zip(links, lines, strict=True))
