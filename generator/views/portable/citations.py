"""Citations, References and the generated lists without HTML, for other site generators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from generator.citations.identifiers import is_web
from generator.citations.in_text import Citation, citation_groups, find_citations, numbered, quoted, with_shown
from generator.library import Library
from generator.markdown.document import edited
from generator.markdown.escape import inline_text, verbatim
from generator.markdown.front_matter import split_front_matter
from generator.markdown.lists import read_blocks
from generator.markdown.plain_text import count
from generator.markdown.safe_markdown import bullets, code, inline, table
from generator.model import Reference
from generator.page.render import render_page
from generator.views.agents import with_front_matter
from generator.views.graph import graph_page, link_graph
from generator.views.index import GRAPH, PROGRESS, SOURCES, FolderIndex, written_of
from generator.views.labels import LABELS, MEANINGS, length_of
from generator.views.progress import claim_of, progress_line
from generator.views.references import list_title, quote_link
from generator.views.works import BIB, JSON, CitedWork, by_line, by_site


def numbered_text(text: str, references: Sequence[Reference], links: Mapping[str, str]) -> str:
    """Return `text` with each citation as the number of its work, and a list of the works at the end.

    `links` has the address of each reference that is a page of the base, by id.
    """
    citations = find_citations(text)
    numbers = numbered(references, citations)
    title = list_title(text)
    anchor = title.lower().replace(" ", "-")  # as every engine generates it
    by_id = {reference.id: reference for reference in references}
    groups = [_group(group, by_id, numbers, anchor) for group in citation_groups(citations)]
    ordered = sorted(references, key=lambda reference: numbers[reference.id])
    entries = "".join(_entry(n, reference, links) for n, reference in enumerate(ordered, 1))
    return f"{with_shown(text, citations, groups).rstrip()}\n\n## {title}\n\n{entries}"


def _group(group: Sequence[Citation], by_id: Mapping[str, Reference], numbers: Mapping[str, int], anchor: str) -> str:
    shown = []
    for citation in group:
        reference = by_id.get(citation.reference)
        if reference is None:
            shown.append(inline_text(f"@{citation.reference}?"))
            continue
        locator = None if quoted(reference, citation) else citation.locator
        shown.append(f"{numbers[reference.id]}{f', {inline_text(locator)}' if locator else ''}")
    return f"[&#91;{'; '.join(shown)}&#93;](#{anchor})"


def _entry(n: int, reference: Reference, links: Mapping[str, str]) -> str:
    """Return one work as a list item, with its quotes below it."""
    href = reference.url or "" if is_web(reference.url) else links.get(reference.id, "")
    name = linked(reference.title, href)
    path = "" if href or not reference.url or reference.url == reference.title else f" {code(reference.url)}"
    has_copy = reference.archive and reference.archive.startswith("https://")
    copy = [linked("archived copy", reference.archive or "")] if has_copy else []
    lines = [f"{n}. {' · '.join([name + path, *facts(reference), *copy])}\n"]
    for key, words in reference.quotes:
        place = quote_link(reference, key, words)
        very = f" ({linked('the exact quote', place)})" if place else ""
        indent = " " * max(4, len(f"{n}. "))  # four for Python-Markdown, the text's column for CommonMark
        lines.append(f"{indent}- “{verbatim(' '.join(words.split()))}”{very}\n")
    return "".join(lines)


def facts(reference: Reference) -> list[str]:
    """Return a work's details other than title and address: people, date, access date."""
    day = f"accessed {reference.accessed}" if reference.accessed else ""
    return [verbatim(fact) for fact in (by_line(reference), reference.issued, day) if fact]


def linked(text: str, href: str) -> str:
    """Return plain `text` as a link; without an address, as text."""
    shown = verbatim(" ".join(text.split()))
    return f"[{shown}](<{quote(href, safe=_KEPT)}>)" if href else shown


_KEPT = "".join(chr(n) for n in range(0x21, 0x7F) if chr(n) not in '<>"\\`{|}^')
"""Characters that an address may contain unescaped."""


_FENCE = re.compile(r"(?P<ticks>`{3,}|~{3,})[ \t]*(?P<language>[\w#.+-]+)[ \t]+(?P<rest>[^\n]*)")
_OPTION = re.compile(r'[\w-]+="[^"\n]*"')


def pandoc_text(text: str, *, has_works: bool) -> str:
    """Return `text` with unchanged citations, and at the end, if there are works, the place where Pandoc lists them.

    Fence titles and options are converted to Pandoc's syntax: it treats fences with other info strings as running text,
    including anything that looks like a citation in them.
    """
    fences = (_FENCE.match(text, start) for start, _ in read_blocks(text).fences)
    shown = edited(text, ((*fence.span(), _pandoc_fence(fence)) for fence in fences if fence))
    return f"{shown.rstrip()}\n\n## {list_title(text)}\n\n::: {{#refs}}\n:::\n" if has_works else shown


def _pandoc_fence(fence: re.Match[str]) -> str:
    classes = " ".join([f".{fence['language']}", *_OPTION.findall(fence["rest"])])
    return f"{fence['ticks']} {{{classes}}}"


def pandoc_head(head: str) -> str:
    """Return the front matter of a page with works: all are listed, and ``@`` in their texts is escaped."""
    head = with_front_matter(head, {"nocite": "@*"})
    meta, _ = split_front_matter(head)
    references = meta.get("references")
    escaped = _escaped(references)
    if escaped == references:
        return head
    return render_page({**meta, "references": escaped}, "").rstrip("\n") + "\n"


def _escaped(value: object, key: str = "") -> object:
    """Return a part of a work with each ``@`` escaped for Pandoc, in addresses as ``%40``; ids are unchanged."""
    if isinstance(value, Mapping):
        return {name: _escaped(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_escaped(inner, key) for inner in value]
    if not isinstance(value, str) or key == "id":
        return value
    is_address = re.match(r"[a-z][a-z0-9+.-]*://\S+$", value, re.IGNORECASE)
    return value.replace("@", "%40") if is_address else re.sub(r"\\?@", r"\\@", value)


# --- progress, Sources and the link graph ----------------------------------------------------------------------------


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


def top_pages(library: Library, folders: Sequence[FolderIndex], works: Sequence[CitedWork]) -> dict[str, str]:
    """Return the pages about the base as a whole, by uri."""
    pages = {
        PROGRESS: progress_page(library),
        SOURCES: sources_page(works),
        GRAPH: graph_page(link_graph(library, folders)),
    }
    return {str(uri): text for uri, text in pages.items()}


def _page(title: str, about: str, blocks: Iterable[str]) -> str:
    return render_page({"title": title, "description": about}, "\n".join([f"# {verbatim(title)}\n", *blocks]))


def _work(work: CitedWork) -> str:
    pages = {page.uri: f"[{verbatim(page.title)}]({page.uri})" for page in work.pages}
    name = linked(work.reference.title, work.reference.url or "" if work.is_web else "")
    return " · ".join([name, *facts(work.reference), f"cited by {', '.join(pages.values())}"])
