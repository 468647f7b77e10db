"""Progress, Sources and the link graph as tables and lists without HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from generator.library import Library
from generator.markdown.escape import verbatim
from generator.markdown.safe_markdown import bullets, code, inline, table
from generator.page.render import render_page
from generator.views.graph import graph_nodes, graph_of, lead, without_links
from generator.views.index import GRAPH, PROGRESS, SOURCES, FolderIndex, written_of
from generator.views.labels import LABELS, MEANINGS, count, length_of, number
from generator.views.portable.citations import facts, linked
from generator.views.progress import claim_of, progress_line
from generator.views.works import BIB, JSON, CitedWork, by_site


def progress_page(library: Library) -> str:
    """Return the progress page: for each PART, the state in the plan and on disk."""
    blocks = [progress_line(library)]
    for plan in library.plans:
        topic = plan.meta_value("Topic") or plan.overview
        about = f": {inline(topic)}" if topic else ""
        blocks += [f"## {inline(plan.title)}\n", f"{code(plan.uri)}, {written_of(library, plan)}{about}\n"]
        rows = [
            (
                str(part.number),
                f"[{inline(entry.title)}]({entry.uri})" if entry else inline(part.title),
                ": ".join(filter(None, (LABELS[part.state], claim_of(part, entry)))),
                verbatim(part.completed or "") or "–",
                (length_of(entry) if entry else "") or "–",
            )
            for part in plan.parts
            for entry in library.of(plan, part) or (None,)
        ]
        if rows:
            blocks.append(table(("PART", "Page", "State", "Completed", "Lines"), rows, "rlllr"))
    blocks += ["## States\n", bullets(f"**{LABELS[s]}**: {MEANINGS[s]}" for s in LABELS)]
    return _page("Progress", "Planned and written pages, and the differences.", blocks)


def sources_page(works: Sequence[CitedWork]) -> str:
    """Return the page of all works cited in the base, by site, with the pages that cite them."""
    about = "All works cited in this base, and the pages that cite them."
    if not works:
        return _page("Sources", about, ["No works are cited in this base yet.\n"])
    sites = by_site(works)
    downloads = f"Download as [BibTeX]({BIB}) or [CSL-JSON]({JSON})."
    blocks = [f"{count(len(works), 'work')} at {count(len(sites), 'site')}. {downloads}\n"]
    for site, found in sites:
        blocks += [f"## {verbatim(site)}\n", bullets(_work(work) for work in found)]
    return _page("Sources", about, blocks)


def graph_page(library: Library, every: Sequence[FolderIndex]) -> str:
    """Return the page of the link graph, as a table of links between pages."""
    about = "The links between the pages of this base."
    graph = graph_of(graph_nodes(library, every), library.edges)
    if not graph.edges:
        return _page("Link graph", about, [without_links(graph)])
    rows = []
    titles = {node.uri: verbatim(node.title) for node in graph.nodes}
    for node in graph.most_linked:
        sources = [f"[{titles[edge.source]}]({edge.source})" for edge in graph.into[node.uri]]
        missing = "" if node.is_written else " (not written yet)"
        name = f"[{titles[node.uri]}]({node.uri}){missing}"
        rows.append((name, ", ".join(sources) or "–", number(len(graph.out_of[node.uri]))))
    return _page("Link graph", about, [f"{lead(graph)}\n", table(("Page", "Linked from", "Links to"), rows, "llr")])


def top_pages(library: Library, folders: Sequence[FolderIndex], works: Sequence[CitedWork]) -> dict[str, str]:
    """Return the pages about the base as a whole, by uri."""
    pages = {PROGRESS: progress_page(library), SOURCES: sources_page(works), GRAPH: graph_page(library, folders)}
    return {str(uri): text for uri, text in pages.items()}


def _page(title: str, about: str, blocks: Iterable[str]) -> str:
    meta = {"title": title, "description": about}
    body = "\n".join([f"# {verbatim(title)}\n", *blocks])
    return render_page({key: value for key, value in meta.items() if value}, body)


def _work(work: CitedWork) -> str:
    pages = {page.uri: f"[{verbatim(page.title)}]({page.uri})" for page in work.pages}
    name = linked(work.reference.title, work.reference.url or "" if work.is_web else "")
    return " · ".join([name, *facts(work.reference), f"cited by {', '.join(pages.values())}"])
