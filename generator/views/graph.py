"""The link graph page: which page leads to which, drawn as arcs and said again in a table. Markdown with HTML blocks.

A base of few pages is one drawing, every page by name. A larger one is a drawing of its folders, each with its pages
as marks and its most linked page by name, and below it, folded, a drawing of each folder with every page by name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import ceil

from markupsafe import Markup

from generator.library import Library, natural_order
from generator.page.links import Edge
from generator.views.arcs import Arc, Cluster, Dot, every_cluster, every_page, heaviest, shown
from generator.views.index import FolderIndex
from generator.views.labels import count, number
from generator.views.template import render_template

MOST_NAMED = 60
"""Pages in one drawing that has them all by name, and folders in one drawing."""
MOST_ARCS = 60
"""Arcs between folders: the heaviest."""
TABLE_ROWS = 25
"""Rows of the table that are not folded."""

_HEAD = """\
---
title: Link graph
description: Which page of this base leads to which.
hide: [tags, toc]
search:
  boost: 0.3
---

# Link graph
"""


@dataclass(frozen=True, slots=True)
class Node:
    """A page of the base."""

    uri: str
    title: str
    is_written: bool
    """Whether it exists; a planned page may be linked to before it does."""


@dataclass(frozen=True)
class Graph:
    """Pages in natural order of their folders, and the edges between them: one for each pair, none to itself."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def into(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that lead to each page, in the order of their sources."""
        return _by(self.edges, lambda edge: edge.target)

    @cached_property
    def out_of(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that lead from each page."""
        return _by(self.edges, lambda edge: edge.source)

    @cached_property
    def title_of(self) -> Mapping[str, str]:
        """What each page is called."""
        return {node.uri: node.title for node in self.nodes}


@dataclass(frozen=True, slots=True)
class Row:
    """One page, as the table shows it."""

    title: str
    href: str
    is_written: bool
    sources: Sequence[tuple[str, str, bool]]
    """Title and address of each page that leads to it, and whether only a plan says so."""
    targets: int
    """To how many pages it leads."""


def graph_nodes(library: Library, folders: Iterable[FolderIndex]) -> tuple[Node, ...]:
    """The pages of the base that the graph shows: those on the folders, and indexes that the author wrote."""
    found = []
    for folder in folders:
        own = [folder.index_uri] if folder.index_uri in library.page_by_uri else []
        for uri in (*own, *folder.uris):
            page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
            title = page.title if page else entry.title if entry else uri
            found.append(Node(uri, title, page is not None))
    return tuple(found)


def graph_page(nodes: Iterable[Node], edges: Iterable[Edge], url_of: Callable[[str], str]) -> str:
    """The whole page. `url_of` gives a page's address as seen from this page; edges of other pages are left out."""
    graph = graph_of(nodes, edges)
    if not graph.edges:
        return f"{_HEAD}\n{without_links(graph)}"
    clusters = _clusters(graph.nodes)
    url_of = {node.uri: url_of(node.uri) for node in graph.nodes}.__getitem__
    is_small = len(graph.nodes) <= MOST_NAMED
    rows = sorted(_rows(graph, url_of), key=lambda row: (-len(row.sources), -row.targets))
    body = render_template(
        "graph.html",
        drawing=Markup((_pages_drawing if is_small else _folders_drawing)(graph, clusters, url_of)),  # noqa: S704 - ours
        folders=[] if is_small else list(_folder_drawings(graph, clusters, url_of)),
        is_cut=not is_small and len(_between(graph, clusters)) > MOST_ARCS,
        most_arcs=MOST_ARCS,
        has_missing=any(not node.is_written for node in graph.nodes),
        has_plans=any(edge.kind == "plan" for edge in graph.edges),
        has_links=any(edge.kind == "link" for edge in graph.edges),
        rows=rows[:TABLE_ROWS],
        more=rows[TABLE_ROWS:],
        number=number,
    )
    lines = (line for line in body.splitlines() if line.strip())
    table = "The [table](#graph-table) says the same as the drawing.\n"
    return f"{_HEAD}\n{lead(graph)} {table}\n{chr(10).join(lines)}\n"


# --- words -------------------------------------------------------------------------------------------------------


def without_links(graph: Graph) -> str:
    """What is said of a base in which nothing leads anywhere."""
    if not graph.nodes:
        return "There is no page yet, so there is nothing to draw.\n"
    return (
        f"{count(len(graph.nodes), 'page')}, and none of them leads to another yet. A page leads to another when its "
        "text links to it, or when its plan says to read the other one first.\n"
    )


def lead(graph: Graph) -> str:
    """How many pages and links there are, in a few sentences."""
    links = sum(edge.kind == "link" for edge in graph.edges)
    read = len(graph.edges) - links
    alone = sum(node.uri not in graph.into for node in graph.nodes)
    missing = sum(not node.is_written for node in graph.nodes)
    text = f"**{count(len(graph.nodes), 'page')}** with {count(links, 'link')} between them."
    if read:
        text += f" Plans ask {count(read, 'time')} to read one page before another is written."
    if missing:
        text += f" {count(missing, 'page')} {'is' if missing == 1 else 'are'} not written yet."
    if alone:
        text += f" To {count(alone, 'page')} no other page leads."
    return text


def _said(node: Node, graph: Graph) -> str:
    missing = "" if node.is_written else ", not written yet"
    to_it, from_it = len(graph.into.get(node.uri, ())), len(graph.out_of.get(node.uri, ()))
    return f"{shown(node.title)}{missing}: {count(to_it, 'page')} to it, {number(from_it)} from it"


# --- drawings ----------------------------------------------------------------------------------------------------


def _pages_drawing(graph: Graph, clusters: Sequence[_Run], url_of: Callable[[str], str]) -> str:
    place = {node.uri: n for n, node in enumerate(graph.nodes)}
    arcs = [_arc(edge, place) for edge in graph.edges]
    best = max(graph.nodes, key=lambda node: len(graph.into.get(node.uri, ())))
    described = (
        f"{count(len(graph.nodes), 'page')} in {count(len(clusters), 'folder')}, {count(len(arcs), 'arc')}. "
        f"Most lead to {shown(best.title)}: {number(len(graph.into[best.uri]))}."
    )
    return every_page(_drawn(graph, clusters, url_of), arcs, "graph", "Pages and their links", described)


def _folders_drawing(graph: Graph, clusters: Sequence[_Run], url_of: Callable[[str], str]) -> str:
    arcs = heaviest(_between(graph, clusters), MOST_ARCS)
    described = (
        f"{count(len(graph.nodes), 'page')} in {count(len(clusters), 'group')}, {count(len(graph.edges), 'link')}."
    )
    title = "Folders and the links between them"
    return every_cluster(_drawn(graph, clusters, url_of), arcs, "graph", title, described)


def _folder_drawings(
    graph: Graph, clusters: Sequence[_Run], url_of: Callable[[str], str]
) -> Iterator[tuple[str, str, str, Markup]]:
    """The anchor, title, numbers in words and drawing of each folder."""
    drawn = _drawn(graph, clusters, url_of)
    for n, run in enumerate(clusters):
        place = {node.uri: n for n, node in enumerate(run.nodes)}
        every = [edge for node in run.nodes for edge in graph.out_of.get(node.uri, ())]
        arcs = [_arc(edge, place) for edge in every if edge.target in place]
        came = sum(edge.source not in place for node in run.nodes for edge in graph.into.get(node.uri, ()))
        said = (
            f"{count(len(arcs), 'link')} within it {'is' if len(arcs) == 1 else 'are'} drawn; "
            f"{number(len(every) - len(arcs))} to other pages and {number(came)} from other pages are not."
        )
        bare = Cluster("", drawn[n].dots)
        svg = every_page([bare], arcs, f"graph-{n}", f"{shown(run.title)}: pages and their links", said)
        yield f"graph-folder-{n}", f"{shown(run.title)} – {_pages(run)}", said, Markup(svg)  # noqa: S704


def _pages(run: _Run) -> str:
    missing = sum(not node.is_written for node in run.nodes)
    return f"{count(len(run.nodes), 'page')}{f', {number(missing)} not written yet' if missing else ''}"


def _arc(edge: Edge, place: Mapping[str, int]) -> Arc:
    return Arc(place[edge.source], place[edge.target], is_dashed=edge.kind == "plan")


def _drawn(graph: Graph, clusters: Sequence[_Run], url_of: Callable[[str], str]) -> list[Cluster]:
    inside = _inside(graph, clusters)
    return [
        Cluster(
            shown(run.title),
            [
                Dot(
                    shown(node.title),
                    url_of(node.uri),
                    _said(node, graph),
                    len(graph.into.get(node.uri, ())),
                    node.is_written,
                )
                for node in run.nodes
            ],
            f"#graph-folder-{n}",
            f"{shown(run.title)}: {_pages(run)}, {count(inside[n], 'link')} within it",
        )
        for n, run in enumerate(clusters)
    ]


# --- order -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Run:
    """Pages that stand together."""

    title: str
    nodes: tuple[Node, ...]


def graph_of(nodes: Iterable[Node], edges: Iterable[Edge]) -> Graph:
    """The nodes and those of the edges that are between them, in order."""
    ordered = sorted({node.uri: node for node in nodes}.values(), key=lambda node: _place(node.uri))
    place = {node.uri: n for n, node in enumerate(ordered)}
    kept = _distinct(edge for edge in edges if edge.source in place and edge.target in place)
    return Graph(tuple(ordered), tuple(sorted(kept, key=lambda edge: (place[edge.source], place[edge.target]))))


def _place(uri: str) -> tuple[object, object]:
    return natural_order(uri.rpartition("/")[0]), natural_order(uri)


def _distinct(edges: Iterable[Edge]) -> Iterable[Edge]:
    """One edge for each two pages: a link before a plan's word."""
    found: dict[tuple[str, str], Edge] = {}
    for edge in edges:
        pair = edge.source, edge.target
        if edge.source != edge.target and (pair not in found or edge.kind == "link"):
            found[pair] = edge
    return found.values()


def _by(edges: Iterable[Edge], key: Callable[[Edge], str]) -> Mapping[str, tuple[Edge, ...]]:
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        found[key(edge)].append(edge)
    return {uri: tuple(some) for uri, some in found.items()}


def _clusters(nodes: Sequence[Node]) -> list[_Run]:
    """The pages by folder; by top folder, or in one, where there are too many; a large one is cut into equal parts."""
    for depth in (None, 1, 0):
        folders = [
            _Run("/".join(folder) + "/" if folder else "Top level" if depth != 0 else "All pages", tuple(some))
            for folder, some in groupby(nodes, key=lambda node: tuple(node.uri.split("/")[:-1])[:depth])
        ]
        if len(folders) <= MOST_NAMED:
            break
    return [part for folder in folders for part in _parts(folder, max(MOST_NAMED, ceil(len(nodes) / MOST_NAMED)))]


def _parts(run: _Run, most: int) -> Iterator[_Run]:
    parts = ceil(len(run.nodes) / most)
    if parts == 1:
        yield run
        return
    size = ceil(len(run.nodes) / parts)
    for n in range(parts):
        yield _Run(f"{run.title} {n + 1} of {parts}", run.nodes[n * size : (n + 1) * size])


def _cluster_of(clusters: Sequence[_Run]) -> Mapping[str, int]:
    return {node.uri: n for n, run in enumerate(clusters) for node in run.nodes}


def _between(graph: Graph, clusters: Sequence[_Run]) -> Counter[tuple[int, int]]:
    """How many edges lead from one cluster to another."""
    place = _cluster_of(clusters)
    pairs = ((place[edge.source], place[edge.target]) for edge in graph.edges)
    return Counter(pair for pair in pairs if pair[0] != pair[1])


def _inside(graph: Graph, clusters: Sequence[_Run]) -> Counter[int]:
    """How many edges stay within each cluster."""
    place = _cluster_of(clusters)
    return Counter(place[edge.source] for edge in graph.edges if place[edge.source] == place[edge.target])


def _rows(graph: Graph, url_of: Callable[[str], str]) -> Iterator[Row]:
    for node in graph.nodes:
        sources = [
            (shown(graph.title_of[edge.source]), url_of(edge.source), edge.kind == "plan")
            for edge in graph.into.get(node.uri, ())
        ]
        yield Row(shown(node.title), url_of(node.uri), node.is_written, sources, len(graph.out_of.get(node.uri, ())))


__all__ = ["Edge", "Node", "graph_nodes", "graph_page"]
