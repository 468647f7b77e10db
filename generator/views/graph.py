"""The link graph page: the links between pages, drawn as arcs and listed in a table, as Markdown with HTML blocks.

A small base is one drawing with all pages by name. A larger one is a drawing of its folders. Each page has a small
graph of its own links.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from types import MappingProxyType

from markupsafe import Markup

from generator.library import Library, natural_order
from generator.markdown.plain_text import count, number
from generator.page.links import Edge
from generator.views.arcs import Arc, ArcGroup, Dot, arc_diagram
from generator.views.index import INDEX, FolderIndex
from generator.views.labels import page_title, printable
from generator.views.template import render_block

MOST_NAMED = 60
"""Maximum number of pages in a drawing with all names, and of folders in a drawing."""
MOST_ARCS = 60
"""Maximum number of arcs between folders."""
TABLE_ROWS = 25
"""Number of table rows that are not folded."""

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
    """A page of the base."""

    uri: str
    title: str
    is_written: bool
    """True if the page exists; a planned page may have links before it does."""


@dataclass(frozen=True)
class LinkGraph:
    """Pages in natural order of their folders, and the edges between them: one for each pair, none to itself."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def into(self) -> Mapping[str, Sequence[Edge]]:
        """The incoming edges of each page, in the order of their sources."""
        return _by(self.edges, lambda edge: edge.target)

    @cached_property
    def out_of(self) -> Mapping[str, Sequence[Edge]]:
        """The outgoing edges of each page."""
        return _by(self.edges, lambda edge: edge.source)

    @cached_property
    def most_linked(self) -> list[GraphNode]:
        """The pages by number of incoming links, then of outgoing links."""
        return sorted(self.nodes, key=lambda node: (-len(self.into[node.uri]), -len(self.out_of[node.uri])))


def graph_nodes(library: Library, folders: Iterable[FolderIndex]) -> tuple[GraphNode, ...]:
    """Return the pages that the graph shows: those that are written or planned, and indexes that the author wrote."""
    written, planned = library.page_by_uri, frozenset(entry.uri for entry in library.planned_pages)
    uris = [u for f in folders for u in (f.index_uri, *f.uris) if u in written or (u in planned and u in f.uris)]
    return tuple(GraphNode(uri, page_title(library, uri), uri in written) for uri in uris)


def graph_of(nodes: Iterable[GraphNode], edges: Iterable[Edge]) -> LinkGraph:
    """Return the nodes and the edges between them, in order; a link takes precedence over a plan's reference."""
    ordered = sorted({node.uri: node for node in nodes}.values(), key=lambda node: _place(node.uri))
    place = {node.uri: n for n, node in enumerate(ordered)}
    kept: dict[tuple[int, int], Edge] = {}
    for edge in edges:
        if edge.source in place and edge.target in place and edge.source != edge.target:
            pair = place[edge.source], place[edge.target]
            if pair not in kept or edge.kind == "link":
                kept[pair] = edge
    return LinkGraph(tuple(ordered), tuple(kept[pair] for pair in sorted(kept)))


def graph_page(
    nodes: Iterable[GraphNode],
    edges: Iterable[Edge],
    url_of: Callable[[str], str],
    indexes: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the whole page.

    Args:
        nodes: the pages.
        edges: the links; those of other pages are omitted.
        url_of: returns a page's address as seen from this one.
        indexes: the index page of each folder, by path without a slash at the end.
    """
    graph = graph_of(nodes, edges)
    if not graph.edges:
        return f"{_HEAD}\n{without_links(graph)}"
    groups = _groups(graph.nodes)
    is_small = len(graph.nodes) <= MOST_NAMED
    place = {node.uri: n for n, group in enumerate(groups.values()) for node in group}
    counts = Counter((place[edge.source], place[edge.target]) for edge in graph.edges)
    if is_small:
        drawing = _pages_drawing(graph, groups, url_of)
    else:
        drawing = _folders_drawing(graph, groups, counts, lambda node: url_of(indexes.get(_folder(node), INDEX)))
    body = render_block(
        "graph.html",
        drawing=Markup(drawing),  # noqa: S704 - ours
        is_small=is_small,
        is_cut=sum(a != b for a, b in counts) > MOST_ARCS,
        most_arcs=MOST_ARCS,
        has_missing=any(not node.is_written for node in graph.nodes),
        kinds={edge.kind for edge in graph.edges},
        graph=graph,
        titles={node.uri: printable(node.title) for node in graph.nodes},
        url_of=url_of,
        rows=graph.most_linked[:TABLE_ROWS],
        more=graph.most_linked[TABLE_ROWS:] if is_small else [],
    )
    data = "shows the same data" if is_small else f"lists the {TABLE_ROWS} most linked pages; each page shows its links"
    return f"{_HEAD}\n{lead(graph)} The [table](#graph-table) {data}.\n\n{body}"


# --- sentences ---------------------------------------------------------------------------------------------------


def without_links(graph: LinkGraph) -> str:
    """Return the text for a base without links between pages."""
    if not graph.nodes:
        return "There are no pages yet.\n"
    return (
        f"{count(len(graph.nodes), 'page')}, and no links between them yet. A page links to another if its "
        "text links to it, or if its plan builds on it.\n"
    )


def lead(graph: LinkGraph) -> str:
    """Return a summary of the number of pages and links."""
    links = sum(edge.kind == "link" for edge in graph.edges)
    read = len(graph.edges) - links
    alone = sum(not graph.into[node.uri] for node in graph.nodes)
    missing = sum(not node.is_written for node in graph.nodes)
    text = f"**{count(len(graph.nodes), 'page')}** with {count(links, 'link')} between them."
    if read:
        text += f" Plans contain {count(read, 'reference')} from a PART to a page that it builds on."
    if missing:
        text += f" {count(missing, 'page')} {'is' if missing == 1 else 'are'} not written yet."
    if alone:
        text += f" {count(alone, 'page')} {'has' if alone == 1 else 'have'} no incoming links."
    return text


# --- drawings ----------------------------------------------------------------------------------------------------


Groups = Mapping[str, Sequence[GraphNode]]
"""Pages that are drawn as a group, by its title."""


def _pages_drawing(graph: LinkGraph, groups: Groups, url_of: Callable[[str], str]) -> str:
    place = {node.uri: n for n, node in enumerate(graph.nodes)}
    arcs = [Arc(place[edge.source], place[edge.target], is_dashed=edge.kind == "plan") for edge in graph.edges]
    drawn = [ArcGroup(printable(title), [_dot(node, graph, url_of) for node in some]) for title, some in groups.items()]
    best = graph.most_linked[0]
    described = (
        f"{count(len(graph.nodes), 'page')} in {count(len(groups), 'folder')}, {count(len(arcs), 'arc')}. "
        f"The most linked page is {printable(best.title)}, with {number(len(graph.into[best.uri]))}."
    )
    return arc_diagram(drawn, arcs, "Pages and their links", described)


def _dot(node: GraphNode, graph: LinkGraph, url_of: Callable[[str], str]) -> Dot:
    into, title = len(graph.into[node.uri]), printable(node.title)
    said = f"{title}{'' if node.is_written else ', not written yet'}: {number(into)} incoming"
    said += f", {number(len(graph.out_of[node.uri]))} outgoing links"
    return Dot(title, url_of(node.uri), said, into, node.is_written)


def _folders_drawing(
    graph: LinkGraph,
    groups: Groups,
    counts: Counter[tuple[int, int]],
    href_of: Callable[[GraphNode], str],
) -> str:
    """Return a drawing with a row for each group, which links to the address for its first page.

    `counts` has the number of links from one group to another.
    """
    rows = []
    for n, (group, nodes) in enumerate(groups.items()):
        title, size, missing = printable(group), count(len(nodes), "page"), sum(not node.is_written for node in nodes)
        unwritten = f", {number(missing)} not written yet" if missing else ""
        said = f"{title}: {size}{unwritten}, {count(counts[n, n], 'link')} within it"
        rows.append(Dot(f"{title} ({size})", href_of(nodes[0]), said, len(nodes) // 4, is_written=True))
    between = {(a, b): n for (a, b), n in counts.items() if a != b}
    heaviest = sorted(between, key=lambda pair: (-between[pair], pair))[:MOST_ARCS]
    top = max(between.values(), default=1)
    arcs = [Arc(source, target, between[source, target] / top) for source, target in sorted(heaviest)]
    described = f"{count(len(graph.nodes), 'page')} in {count(len(rows), 'group')}, {count(len(graph.edges), 'link')}."
    return arc_diagram([ArcGroup("", rows)], arcs, "Folders and the links between them", described)


# --- order -------------------------------------------------------------------------------------------------------


def _groups(nodes: Sequence[GraphNode]) -> Groups:
    """Return the pages by folder; adjacent folders are merged if there are too many, and named from first to last."""
    folders = [(f"{name}/" if name else "Top level", list(some)) for name, some in groupby(nodes, _folder)]
    if len(folders) <= MOST_NAMED:
        return dict(folders)
    runs: list[tuple[str, str, list[GraphNode]]] = []
    for title, some in folders:
        if runs and len(runs[-1][2]) + len(some) <= max(MOST_NAMED, len(nodes) / MOST_NAMED):
            first, _, before = runs.pop()
            runs.append((first, title, before + some))
        else:
            runs.append((title, title, some))
    return {first if first == last else f"{first} to {last}": some for first, last, some in runs}


def _folder(node: GraphNode) -> str:
    return node.uri.rpartition("/")[0]


def _place(uri: str) -> tuple[object, str, object]:
    folder = uri.rpartition("/")[0]
    return natural_order(folder), folder, natural_order(uri)


def _by(edges: Iterable[Edge], key: Callable[[Edge], str]) -> Mapping[str, Sequence[Edge]]:
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        found[key(edge)].append(edge)
    return found
