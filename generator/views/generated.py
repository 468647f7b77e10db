"""Generated pages: INDEX pages, a home page, the link graph, and placeholders for PARTs with their outline."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import PurePosixPath

import yaml

from generator.citations.identifiers import is_web
from generator.library import Entry, Library, natural_order
from generator.markdown.escape import verbatim
from generator.markdown.plain_text import count, number
from generator.markdown.safe_markdown import bullets, code, inline, table
from generator.model import Grep, Page, PageUri, Query, Section, State
from generator.views import frame, index
from generator.views.template import page_title, relative

MOST_KNOWN = 5
"""Maximum number of pages shown for a search of the base."""
_ENGINES = {"github": "GitHub", "arxiv": "arXiv", "scholar": "Google Scholar", "wikipedia": "Wikipedia"}

_NOTICES = {
    State.PARTIAL: ("Attempted, not finished", "A runner tried to write this page but did not finish."),
    State.SKIPPED: ("Skipped", "The plan skips this page."),
    State.DISABLED: ("Disabled", "The plan keeps this page for reference only."),
    State.OPEN: ("Not written yet", "This page is planned, and open for you to write."),
    State.UNMARKED: ("Not written yet", "The plan has no mark for this page, and the page does not exist."),
}
"""The notice's title and first sentence by state; a missing page that is marked done gets a warning instead."""
_INVITATION = "Its outline and [the commands that fill it](#fill-this-page) are below."


def placeholder(entry: Entry, known: Iterable[str], docs_dir: str) -> str:
    """Return the whole Markdown page for `entry`; `known` are the blocks of `known_pages`."""
    kind, title, text = _notice(entry)
    blocks = [_front_matter(entry), f"# {inline(entry.title)}\n", f'!!! {kind} "{title}"\n\n    {text}\n']
    if entry.part.goal:
        blocks.append(f"**Goal**: {inline(entry.part.goal)}\n")
    blocks += _outline(entry)
    blocks += _points(entry)
    blocks += known
    blocks += _research(entry)
    blocks.append("## Fill this page { data-search-exclude }\n")
    blocks += _how_to_fill(entry, docs_dir)
    return "\n".join(blocks)


def _front_matter(entry: Entry) -> str:
    meta = {"title": entry.title, **frame.completed_meta(entry), "placeholder": True}
    return f"---\n{yaml.safe_dump(meta, sort_keys=False, allow_unicode=True, width=10_000)}---\n"


def _notice(entry: Entry) -> tuple[str, str, str]:
    part = entry.part
    if entry.state is State.DONE:
        text = (
            f"The plan marks this page as done{f' ({verbatim(part.completed)})' if part.completed else ''}, "
            f"but the page does not exist. {_INVITATION}"
        )
        return "warning", "Marked done, but missing", text
    title, text = _NOTICES[entry.state]
    reason = f" {verbatim(part.note)}." if part.note else ""
    if entry.state in {State.DISABLED, State.SKIPPED}:
        return "note", title, f"{text}{reason} {_INVITATION}"
    budget = f" Target length: about {part.lines_budget} lines." if part.lines_budget else ""
    return "note", title, f"{text}{reason}{budget} {_INVITATION}"


def _outline(entry: Entry) -> Iterator[str]:
    if not entry.part.sections:
        return
    yield "## What this page will cover\n"
    yield "".join(_section(n, section) for n, section in enumerate(entry.part.sections, 1))


def _section(n: int, section: Section) -> str:
    budget = f" (~{section.lines_budget} lines)" if section.lines_budget else ""
    lines = [inline(point) for point in section.points]
    lines += [f"*include* {inline(text)}" for text in section.include]
    lines += [f"*cite* {inline(text)}" for text in section.cite]
    return f"{n}. **{inline(section.title)}**{budget}\n{bullets(lines, indent='    ')}"


def _points(entry: Entry) -> Iterator[str]:
    if entry.part.points:
        yield "## Points to research\n"
        yield bullets(inline(point) for point in entry.part.points)


def known_pages(library: Library, entry: Entry) -> Iterator[str]:
    """Return the pages of the base that the PART builds on, and those with its search terms in their headings."""
    rows = [_read(library, entry, read.path, read.remark) for read in entry.part.reads]
    for grep in entry.part.greps:
        terms = f" {grep.operator or 'or'} ".lower().join(f"“{verbatim(term)}”" for term in grep.terms)
        where = ", ".join(code(folder) for folder in grep.folders)
        found = [f"[{inline(page.title)}]({relative(page.uri, entry.uri)})" for page in _on(library, entry, grep)]
        pages = f": {', '.join(found)}" if found else " (no page has a heading on it yet)"
        rows.append(f"{terms}{f' in {where}' if where else ''}{pages}")
    if rows:
        yield "## What the base already covers\n"
        yield bullets(rows)
    if entry.part.gaps:
        gaps = "; ".join(inline(gap) for gap in entry.part.gaps)
        yield f"Open questions: {gaps}{'' if gaps.endswith(('.', '?', '!')) else '.'}\n"


def _on(library: Library, entry: Entry, grep: Grep) -> list[Page]:
    """Return the written pages whose title or section titles contain the terms of a search of the base."""
    enough = all if grep.operator == "AND" else any
    terms, folders = [term.casefold() for term in grep.terms], [folder.strip("/") for folder in grep.folders]
    found = (
        page
        for page, titles in library.folded_titles
        if enough(map(titles.__contains__, terms))
        and page.uri != entry.uri
        and (not folders or any(folder in page.uri for folder in folders))
    )
    return list(islice(found, MOST_KNOWN))


def _read(library: Library, entry: Entry, path: str, remark: str) -> str:
    name = PurePosixPath(path).name
    note = f" – {inline(remark)}" if remark else ""
    if name.upper() == "INDEX.MD" and "/" not in path:
        return f"[INDEX]({relative('INDEX.md', entry.uri)}){note}"
    known = library.page_by_uri.get(path)
    planned = library.by_uri.get(PageUri(path))
    if known or planned:
        title = known.title if known else planned.title if planned else path
        state = "" if known else " *(not written yet)*"
        about = f": {verbatim(known.description)}" if known and known.description and not note else ""
        return f"[{inline(title)}]({relative(path, entry.uri)}){state}{note}{about}"
    return f"{code(path)} *(not in this base)*{note}"


def _research(entry: Entry) -> Iterator[str]:
    part = entry.part
    if part.sources:
        yield "## Sources wanted\n"
        yield bullets(_source(source) for source in part.sources)
    if part.queries:
        yield "## Planned searches\n"
        yield bullets(_query(query) for query in part.queries)


def _query(query: Query) -> str:
    where = "" if query.engine == "web" else f" on {_ENGINES.get(query.engine, query.engine)}"
    return f"{code(query.text)}{where}"


def _source(source: str) -> str:
    is_address = is_web(source) and not set(source) & set(" <>\"'{}|")
    return f"<{source}>" if is_address else inline(source)


def _how_to_fill(entry: Entry, docs_dir: str) -> Iterator[str]:
    """Return the commands that fill the page, and changes to the plan that they require."""
    part, plan = entry.part, entry.plan
    if entry.state is State.DISABLED:
        yield f"PART {part.number} is under a DISABLED heading of {code(plan.uri)}. Move it above that heading first.\n"
    elif entry.state is State.SKIPPED:
        yield f"The plan skips PART {part.number}. Change its mark in {code(plan.uri)} to `[ ]` first.\n"
    first = next((p for p in plan.parts if p.number == part.number and p.state is not State.DISABLED), part)
    if first is not part:
        yield f"{code(plan.uri)} has another PART {part.number}. Give this one a unique number first.\n"
    name, redo = shlex.quote(plan.uri), " --redo" if entry.state is State.DONE else ""
    yield "Let Planbook research and write it, with quotes from the sources that it finds:\n"
    yield f"```sh\nplanbook expand --plan {name} --part {part.number}{redo}\n```\n"
    yield (
        f"Or write it yourself: `brief` prints the requirements; write {code(f'{docs_dir}/{entry.uri}')}; `finish` "
        f"checks it, marks PART {part.number} as done and writes the report:\n"
    )
    yield f"```sh\nplanbook brief {name} {part.number}\nplanbook finish {name} {part.number}\n```\n"


def generated_pages(
    library: Library, folders: Sequence[index.FolderIndex], existing: Container[str], site: frame.Site
) -> dict[str, partial[str]]:
    """Return the views to add to the `existing` pages, by uri, each with the values that it renders."""
    listed = library.listed
    made = {str(index.INDEX): partial(index.index_page, listed, folders)}
    if site.lists_tags and index.TAGS not in existing and any(page.meta_value("tags") for page in library.pages):
        made[index.TAGS] = partial(index.tags_page)
    if not any(uri in existing for uri in index.FOLDER_INDEXES):
        made["index.md"] = partial(index.home_page, listed, site.name, site.description)
    for folder in folders:
        if folder.path and folder.index_uri not in existing:
            made[str(folder.index_uri)] = partial(index.folder_index, listed, folder, folders)
    for uri, entry in library.by_uri.items():
        if uri not in existing:
            made[str(uri)] = partial(placeholder, entry, list(known_pages(library, entry)), site.docs_dir)
    return made


# --- the link graph ------------------------------------------------------------------------------------------------


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


def link_graph(library: Library, folders: Iterable[index.FolderIndex]) -> tuple[GraphNode, ...]:
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
