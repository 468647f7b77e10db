"""The link graph page: the most linked pages of the base, with the pages that link to them, as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from generator.library import Library, natural_order
from generator.markdown.escape import verbatim
from generator.markdown.plain_text import count, number
from generator.markdown.safe_markdown import table
from generator.views.index import FolderIndex
from generator.views.labels import page_title

MOST_ROWS, MOST_NAMED = 200, 12
"""The number of pages in the table, and of the pages named in each row."""

_HEAD = """\
---
title: Link graph
description: The links between the pages of this base.
hide: [tags, toc]
search:
  boost: 0.3
---

# Link graph

"""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A page of the base with its links; a planned page may have some before it is written."""

    uri: str
    title: str
    is_written: bool
    incoming: tuple[tuple[str, bool], ...]
    """The pages that link to it, and for each, True if only its plan does."""
    outgoing: int
    """The number of pages that it links to."""


def link_graph(library: Library, folders: Iterable[FolderIndex]) -> tuple[GraphNode, ...]:
    """Return the pages that are written or planned, and indexes that the author wrote, the most linked ones first."""
    written, planned = library.page_by_uri, frozenset(entry.uri for entry in library.planned_pages)
    uris = {u for f in folders for u in (f.index_uri, *f.uris) if u in written or (u in planned and u in f.uris)}
    nodes = [
        GraphNode(
            uri,
            page_title(library, uri),
            uri in written,
            tuple((e.source, e.kind == "plan") for e in library.backlinks.get(uri, ()) if e.source in uris - {uri}),
            sum(e.target in uris - {uri} for e in library.onward.get(uri, ())),
        )
        for uri in sorted(uris, key=natural_order)
    ]
    return tuple(sorted(nodes, key=lambda node: (-len(node.incoming), -node.outgoing)))


def graph_page(nodes: tuple[GraphNode, ...]) -> str:
    """Return the whole page."""
    if not any(node.incoming for node in nodes):
        return _HEAD + _without_links(len(nodes))
    links = {node.uri: f"[{verbatim(node.title)}]({node.uri})" for node in nodes}
    rows = []
    for node in nodes[:MOST_ROWS]:
        shown = [links[uri] + (" (by its plan)" if is_plan else "") for uri, is_plan in node.incoming[:MOST_NAMED]]
        left = f" and {number(len(node.incoming) - MOST_NAMED)} more" if len(node.incoming) > MOST_NAMED else ""
        sources = f"{number(len(node.incoming))}: {', '.join(shown)}{left}" if shown else "–"
        state = "" if node.is_written else " (not written yet)"
        rows.append((links[node.uri] + state, sources, number(node.outgoing)))
    shown_rows = table(("Page", "Linked from", "Links to"), rows, "llr")
    more = f"\n{count(len(nodes) - MOST_ROWS, 'page')} with fewer links left out.\n" if len(nodes) > MOST_ROWS else ""
    return f"{_HEAD}{_lead(nodes)}\n\n## Most linked pages {{ data-search-exclude }}\n\n{shown_rows}{more}"


def _without_links(pages: int) -> str:
    if not pages:
        return "There are no pages yet.\n"
    return (
        f"{count(pages, 'page')}, and no links between them yet. A page links to another if its "
        "text links to it, or if its plan builds on it.\n"
    )


def _lead(nodes: tuple[GraphNode, ...]) -> str:
    """Return a summary of the number of pages and links."""
    kinds = [is_plan for node in nodes for _, is_plan in node.incoming]
    alone = sum(not node.incoming for node in nodes)
    missing = sum(not node.is_written for node in nodes)
    text = f"**{count(len(nodes), 'page')}** with {count(len(kinds) - sum(kinds), 'link')} between them."
    if any(kinds):
        text += f" Plans contain {count(sum(kinds), 'reference')} from a PART to a page that it builds on."
    if missing:
        text += f" {count(missing, 'page')} {'is' if missing == 1 else 'are'} not written yet."
    if alone:
        text += f" {count(alone, 'page')} {'has' if alone == 1 else 'have'} no incoming links."
    return f"{text} Each page lists its own links at its end."
