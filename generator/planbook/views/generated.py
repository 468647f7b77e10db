"""Generated pages.

INDEX pages, a home page, the link graph, and placeholders for PARTs with their outline.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from planbook.citations.identifiers import is_web
from planbook.library import (
    COUNTED_STATES,
    LinkedLibrary,
    ListedEntry,
    ListedLibrary,
)
from planbook.library.names import natural_order
from planbook.markdown.escape import verbatim
from planbook.markdown.front_matter import yaml_lines
from planbook.markdown.safe_markdown import code, inline
from planbook.model import PageUri, State
from planbook.views import frame, index
from planbook.views.folders import FOLDER_INDEXES, FolderIndex, group_by_parent
from planbook.views.home import home_page
from planbook.views.template import ENGINES, link, page_title, render_markdown

_NOTICES = {
    State.PARTIAL: (
        "Attempted, not finished",
        "A runner tried to write this page but did not finish.",
    ),
    State.SKIPPED: ("Skipped", "The plan skips this page."),
    State.DISABLED: ("Disabled", "The plan keeps this page for reference only."),
    State.OPEN: ("Not written yet", "This page is planned, and open for you to write."),
    State.UNMARKED: (
        "Not written yet",
        "The plan has no mark for this page, and the page does not exist.",
    ),
}
"""The notice's title and first sentence by state; a missing page that is marked done gets a warning
instead."""


def placeholder(entry: ListedEntry, known: Iterable[str], docs_dir: str) -> str:
    """Return the whole Markdown page for `entry`; `known` are the rows of `known_pages`."""
    part, plan = entry.part, entry.plan
    meta = {"title": entry.title, **frame.planned_meta(entry), "placeholder": True}
    first = next(
        (p for p in plan.parts if p.number == part.number and p.state is not State.DISABLED), part
    )
    return render_markdown(
        "placeholder.md",
        entry=entry,
        part=part,
        plan=plan,
        known=known,
        docs_dir=docs_dir,
        meta=yaml_lines(meta),
        notices=_NOTICES,
        engines=ENGINES,
        has_namesake=first is not part,
        sources=[_requested_source(source) for source in part.sources],
        name=shlex.quote(plan.uri),
    )


def known_pages(library: ListedLibrary, entry: ListedEntry) -> list[str]:
    """Return the pages of the base that the PART builds on, and its searches of the base."""
    rows = [_page_to_read(library, entry, read.path, read.remark) for read in entry.part.reads]
    return [*rows, *(verbatim(grep.text) for grep in entry.part.greps)]


def _page_to_read(library: ListedLibrary, entry: ListedEntry, path: str, remark: str) -> str:
    name = PurePosixPath(path).name
    note = f" – {inline(remark)}" if remark else ""
    if name.upper() == "INDEX.MD" and "/" not in path:
        return f"[INDEX]({link('INDEX.md', entry.uri)}){note}"
    page = library.page_by_uri.get(path)
    planned = library.by_uri.get(PageUri(path))
    if page or planned:
        title = page_title(library, path)
        state = "" if page else " *(not written yet)*"
        about = ""
        if page and page.description and not note:
            about = f": {verbatim(page.description)}"
        return f"[{inline(title)}]({link(path, entry.uri)}){state}{note}{about}"
    return f"{code(path)} *(not in this base)*{note}"


def _requested_source(source: str) -> str:
    is_address = is_web(source) and not set(source) & set(" <>\"'{}|")
    return f"<{source}>" if is_address else inline(source)


def generated_pages(
    library: ListedLibrary,
    folders: Sequence[FolderIndex],
    existing: Container[str],
    site: frame.Site,
) -> dict[str, partial[str]]:
    """Return the views of indexes and of planned pages to add to the `existing` pages, by uri.

    Each comes with the values that it renders. Pages at the top are in `top_pages`.
    """
    inner_folders = group_by_parent(folders)
    made = dict[str, partial[str]]()
    if not any(uri in existing for uri in FOLDER_INDEXES):
        made["index.md"] = partial(home_page, library, site.name, site.description)
    for folder in folders:
        if folder.path and folder.index_uri not in existing:
            made[str(folder.index_uri)] = partial(
                index.folder_index, library, folder, inner_folders.get(folder.path, ())
            )
    for uri, entry in library.by_uri.items():
        if uri not in existing:
            made[str(uri)] = partial(placeholder, entry, known_pages(library, entry), site.docs_dir)
    return made


# --- the link graph -------------------------------------------------------------------------------


MAX_ROWS, MAX_NAMED_PAGES = 200, 12
"""The number of pages in the table, and of the pages named in each row."""


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


def link_graph(library: LinkedLibrary, folders: Iterable[FolderIndex]) -> tuple[GraphNode, ...]:
    """Return the pages that are written or planned, the most linked ones first.

    Indexes that the author wrote are among them.
    """
    written_pages = library.page_by_uri
    planned = frozenset(
        uri for uri, entry in library.by_uri.items() if entry.state in COUNTED_STATES
    )
    uris = set()
    for folder in folders:
        uris |= {uri for uri in folder.uris if uri in written_pages or uri in planned}
        if folder.index_uri in written_pages:
            uris.add(folder.index_uri)
    nodes = []
    for uri in sorted(uris, key=natural_order):
        # Links of a page to itself, and those from and to pages outside the base, do not count.
        incoming = tuple(
            (edge.source, edge.kind == "plan")
            for edge in library.backlinks.get(uri, ())
            if edge.source in uris and edge.source != uri
        )
        targets = (edge.target for edge in library.onward.get(uri, ()))
        outgoing = sum(target in uris and target != uri for target in targets)
        title = page_title(library, uri)
        nodes.append(GraphNode(uri, title, uri in written_pages, incoming, outgoing))
    return tuple(sorted(nodes, key=lambda node: (-len(node.incoming), -node.outgoing)))


def graph_page(nodes: tuple[GraphNode, ...]) -> str:
    """Return the whole page."""
    links = {node.uri: f"[{verbatim(node.title)}]({link(node.uri)})" for node in nodes}
    return render_markdown(
        "graph.md", nodes=nodes, links=links, max_rows=MAX_ROWS, max_named=MAX_NAMED_PAGES
    )
