"""INDEX pages, progress, Sources, the link graph and the home page's places, as tables and lists without HTML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.library import COUNTED, Entry, Library
from generator.model import PageUri, State
from generator.page.render import render_page
from generator.views.downloads import BIB, JSON
from generator.views.graph import graph_nodes, graph_of, lead, without_links
from generator.views.index import (
    GRAPH,
    INDEX,
    PROGRESS,
    SOURCES,
    Shelf,
    newest_pages,
    next_pages,
    state_line,
    written_of,
)
from generator.views.markdown import bullets, code, escape, inline, table
from generator.views.placeholder import relative
from generator.views.portable.citations import linked
from generator.views.progress import length_of, progress_line, verdict
from generator.views.words import LABELS, MEANINGS, count, number, size
from generator.views.works import NO_SITE, Work


def index_page(library: Library, every: Sequence[Shelf]) -> str:
    """The INDEX of the whole base: every page with description, state and size, by folder."""
    total = sum(library.counts[state] for state in COUNTED)
    written = sum(uri in library.page_by_uri for uri in library.by_uri)
    blocks = [
        f"{count(len(library.plans), 'plan')} with {count(total, 'PART')}; {count(written, 'planned page')} written. "
        f"See [progress]({PROGRESS}) for each PART.\n"
    ]
    for shelf in every:
        if shelf.uris:
            title = f"[{escape(shelf.folder)}/]({shelf.index_uri})" if shelf.folder else "Top level"
            blocks += [f"## {title}\n", _rows(library, shelf.uris, INDEX)]
    return _page("INDEX", "Every page of this base, with its state and size.", blocks)


def folder_index(library: Library, shelf: Shelf, every: Sequence[Shelf]) -> str:
    """The INDEX of one folder, with the folders below it."""
    uri = shelf.index_uri
    written = sum(page in library.page_by_uri for page in shelf.uris)
    blocks = [
        f"{count(len(shelf.uris), 'page')}, {number(written)} of them written. "
        f"[INDEX of the whole base]({relative(INDEX, uri)})\n"
    ]
    below = [one for one in every if one.folder and one.folder.rpartition("/")[0] == shelf.folder]
    if below:
        blocks.append(bullets(f"[{escape(one.title)}/]({relative(one.index_uri, uri)})" for one in below))
    if shelf.uris:
        blocks.append(_rows(library, shelf.uris, uri))
    return _page(shelf.title, f"All pages in {shelf.folder}/.", blocks)


def progress_page(library: Library) -> str:
    """What the plans claim, PART by PART, beside what is on the disk."""
    blocks = [progress_line(library, sum(library.counts[state] for state in COUNTED))]
    for plan in library.plans:
        topic = plan.meta_value("Topic") or plan.overview
        about = f": {inline(topic)}" if topic else ""
        blocks += [f"## {inline(plan.title)}\n", f"{code(plan.uri)}, {written_of(library, plan)}{about}\n"]
        rows = [
            (
                str(part.number),
                f"[{inline(entry.title)}]({entry.uri})" if entry else inline(part.title),
                ": ".join(filter(None, (LABELS[part.state], verdict(part, entry)))),
                escape(part.completed or "") or "–",
                length_of(entry) or "–",
            )
            for part in plan.parts
            for entry in library.of(plan, part) or (None,)
        ]
        if rows:
            blocks.append(table(("PART", "Page", "State", "Completed", "Lines"), rows, "rlllr"))
    blocks += ["## What the states mean\n", bullets(f"**{LABELS[s]}**: {MEANINGS[s]}" for s in LABELS)]
    return _page("Progress", "What is planned, what is written, what differs.", blocks)


def sources_page(works: Sequence[Work]) -> str:
    """Every work that is cited anywhere in the base, by site, with the pages that cite it."""
    about = "Every work that this base cites, and the pages that cite it."
    if not works:
        return _page("Sources", about, ["No page of this base cites a work yet.\n"])
    by_site: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        by_site[work.site].append(work)
    blocks = [
        f"{count(len(works), 'work')} at {count(len(by_site), 'site')}. "
        f"All of them as [BibTeX]({BIB}) or [CSL-JSON]({JSON}).\n"
    ]
    for site in sorted(by_site, key=lambda name: (name == NO_SITE, -len(by_site[name]), name)):
        found = sorted(by_site[site], key=lambda work: (-len(work.uses), work.reference.title.casefold()))
        blocks += [f"## {escape(site)}\n", bullets(_work(work) for work in found)]
    return _page("Sources", about, blocks)


def graph_page(library: Library, every: Sequence[Shelf]) -> str:
    """Which page leads to which, as a table."""
    about = "Which page of this base leads to which."
    graph = graph_of(graph_nodes(library, every), library.edges)
    if not graph.edges:
        return _page("Link graph", about, [without_links(graph)])
    rows = []
    for node in sorted(graph.nodes, key=lambda node: -len(graph.into.get(node.uri, ()))):
        sources = [f"[{escape(graph.title_of[edge.source])}]({edge.source})" for edge in graph.into.get(node.uri, ())]
        missing = "" if node.is_written else " (not written yet)"
        name = f"[{escape(node.title)}]({node.uri}){missing}"
        rows.append((name, ", ".join(sources) or "–", number(len(graph.out_of.get(node.uri, ())))))
    return _page("Link graph", about, [f"{lead(graph)}\n", table(("Page", "Led to by", "Leads to"), rows, "llr")])


def home_parts(library: Library) -> Mapping[str, str]:
    """What the home page shows of the base, by the name of its place."""
    rows = [(f"[{inline(plan.title)}]({PROGRESS})", written_of(library, plan)) for plan in library.plans]
    return {
        "state": state_line(library),
        "newest": newest_pages(library),
        "next": next_pages(library),
        "plans": table(("Plan", "Written"), rows, "lr") if rows else "There is no plan yet.\n",
    }


def home_page(library: Library, name: str, about: str) -> str:
    """A home page for a base whose author wrote none."""
    parts = home_parts(library)
    blocks = [f"{escape(about)}\n"] if about else []
    blocks += ["## State\n", parts["state"], "## Newest pages\n", parts["newest"]]
    blocks += ["## Next to be written\n", parts["next"], "## Plans\n", parts["plans"]]
    return _page(name or "Home", about, blocks)


def top_pages(library: Library, every: Sequence[Shelf], works: Sequence[Work]) -> Iterator[tuple[PageUri, str]]:
    """The pages about the base as a whole, by uri."""
    yield INDEX, index_page(library, every)
    yield PROGRESS, progress_page(library)
    yield SOURCES, sources_page(works)
    yield GRAPH, graph_page(library, every)


def _page(title: str, about: str, blocks: Iterable[str]) -> str:
    meta = {"title": title, "description": about}
    body = "\n".join([f"# {escape(title)}\n", *blocks])
    return render_page({key: value for key, value in meta.items() if value}, body)


def _rows(library: Library, uris: Iterable[PageUri], page: PageUri) -> str:
    return table(("Page", "State", "Size"), (_row(library, uri, page) for uri in uris), "llr")


def _row(library: Library, uri: PageUri, page: PageUri) -> tuple[str, str, str]:
    entry, there = library.by_uri.get(uri), library.page_by_uri.get(uri)
    title = there.title if there else entry.title if entry else uri
    about = there.description if there and there.description else entry.description if entry else ""
    name = f"[{inline(title)}]({relative(uri, page)})" + (f": {escape(about)}" if about else "")
    return name, _state(entry), f"{number(there.lines)} lines" if there else size(entry) if entry else ""


def _state(entry: Entry | None) -> str:
    if entry is None:
        return "page"
    missing = entry.state is State.DONE and not entry.page
    return LABELS[entry.state] + (", page missing" if missing else ", page is there" if entry.is_amiss else "")


def _work(work: Work) -> str:
    reference = work.reference
    is_web = (reference.url or "").startswith(("http://", "https://"))
    by = ", ".join(escape(part) for part in (reference.author, reference.publisher) if part)
    facts = [by] if by else []
    facts += [escape(reference.issued)] if reference.issued else []
    facts += [f"accessed {escape(reference.accessed)}"] if reference.accessed else []
    cited = ", ".join(
        f"[{escape(page.title)}]({page.uri})" for page in {page.uri: page for page in work.pages}.values()
    )
    return " · ".join([linked(reference.title, reference.url or "" if is_web else ""), *facts, f"cited by {cited}"])
