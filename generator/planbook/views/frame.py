"""HTML around the text of a page: its state above, its links below, and its metadata in the head.

Dates come from the page or its plan, never from the build. Zotero and Google Scholar read the
Highwire ``citation_*`` tags. Zotero treats a page with ``citation_title`` as a journal article,
unless ``DC.type`` says that it is a web page and ``og:site_name`` names the site
(https://www.zotero.org/support/dev/exposing_metadata).
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from markupsafe import Markup, escape

from planbook.library import PROGRESS, Entry, LinkedLibrary, ListedEntry
from planbook.model import Page, PageUri
from planbook.views import index
from planbook.views.reports import report_anchor
from planbook.views.statements import Statement, day_of, generated_day
from planbook.views.template import page_title, render_template

MAX_UNFOLDED_NEIGHBOURS = 20
"""The number of neighbours of each kind that are not folded."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page that links to another one, or that it links to."""

    title: str
    href: str
    kind: Literal["link", "plan"]
    is_written: bool = True


def provenance_line(
    entry: Entry | None,
    statements: Sequence[Statement],
    url_of: Callable[[str], str],
    reports: PageUri | None,
) -> str:
    """Return the line below a page's title: its making, review and verification, else its PART.

    The rest is folded.

    `url_of` returns addresses relative to the page, `reports` has the drops of its plan.
    """
    plan_href = f"{url_of(PROGRESS)}#{index.anchor(entry.plan.slug)}" if entry else ""
    drop = entry.drop if entry else None
    report_href = f"{url_of(reports)}#{report_anchor(drop)}" if drop and reports else ""
    return render_template(
        "banner.html",
        entry=entry,
        statements=statements,
        plan_href=plan_href,
        report_href=report_href,
        report_day=day_of(drop.timestamp) if drop else "",
    )


NeighboursByKind: TypeAlias = tuple[tuple[Neighbour, ...], ...]
"""The pages that link to a page, and those that it links to."""


def neighbours(library: LinkedLibrary, uri: str, url_of: Callable[[str], str]) -> NeighboursByKind:
    """Return the pages that link to the page `uri`, and those of the base that it links to."""

    def row(other: str, kind: Literal["link", "plan"]) -> Neighbour:
        """Return a page that a link leads from or to."""
        return Neighbour(
            page_title(library, other), url_of(other), kind, other in library.page_by_uri
        )

    into = tuple(row(edge.source, edge.kind) for edge in library.backlinks.get(uri, ()))
    return into, tuple(row(e.target, e.kind) for e in library.onward.get(uri, ()))


def neighbours_list(neighbours_by_kind: Sequence[Sequence[Neighbour]]) -> str:
    """Return the links to and from a page as HTML; empty if there are none."""
    kinds = list(zip(("Linked from", "Links to"), neighbours_by_kind, strict=False))
    return (
        render_template("neighbours.html", kinds=kinds, most=MAX_UNFOLDED_NEIGHBOURS)
        if any(neighbours_by_kind)
        else ""
    )


def completed_meta(entry: Entry) -> dict[str, object]:
    """Return metadata that the plan and the disk add to a PART's page.

    Values of its author take precedence.

    The title is left to MkDocs, which takes it from the page's first heading.
    """
    return _meta_of_part(entry, entry.page.lines if entry.page else None)


def planned_meta(entry: ListedEntry) -> dict[str, object]:
    """Return metadata of the page of a PART that is not written yet."""
    return _meta_of_part(entry, None)


def _meta_of_part(entry: ListedEntry, lines: int | None) -> dict[str, object]:
    part, budget = entry.part, entry.part.lines_budget
    meta: dict[str, object] = {
        "description": entry.description,
        "plan": entry.plan.slug,
        "part": part.number,
        "state": entry.state.value,
        "lines_budget": [budget.low, budget.high] if budget else None,
        "lines": lines,
        "completed": part.completed,
    }
    return {key: value for key, value in meta.items() if value not in ("", None)}


# --- metadata in the head -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Site:
    """The site that a page belongs to."""

    name: str
    url: str = ""
    author: str = ""
    language: str = ""
    description: str = ""
    docs_dir: str = "docs"
    """The folder of its pages, relative to the project's folder."""
    lists_tags: bool = False
    """True if pages have tags, the theme lists them, and none of the author's pages has that
    list."""
    folder_titles: tuple[tuple[str, str], ...] = ()
    """The titles of folders, by path, as configured."""


def attribute_text(text: str) -> str:
    """Return `text` escaped for attributes, as themes insert it unescaped. Idempotent."""
    return str(escape(html.unescape(text)))


def page_head(page: Page, entry: Entry | None, site: Site, url: str) -> str:
    """Return the tags of a written page for reference managers.

    `entry` is the PART that it was written for.
    """
    return render_template("head.html", tags=meta_tags(page, entry, site, url))


def meta_tags(
    page: Page, entry: Entry | None, site: Site, url: str
) -> tuple[tuple[str, str, str], ...]:
    """Return the tags as ``(attribute, name, content)``.

    ``name`` or ``property``, without empty ones.
    """
    finished = day_of(entry.part.completed) if entry else ""
    day = (day_of(page.meta_value("created")) or generated_day(page) or finished).replace("-", "/")
    authors = _texts_of_value(
        page.meta_value("author") or page.meta_value("authors") or site.author
    )
    about = html.unescape(page.description or (entry.description if entry else ""))
    tags = (
        ("name", "citation_title", page.title),
        *(("name", "citation_author", author) for author in authors),
        ("name", "citation_publication_date", day),
        ("name", "citation_public_url", url),
        ("name", "citation_abstract", about),
        ("name", "citation_language", site.language),
        ("name", "citation_keywords", "; ".join(_texts_of_value(page.meta_value("tags")))),
        ("name", "DC.type", "webpage"),
        ("property", "og:site_name", site.name),
        ("property", "og:type", "article"),
        ("property", "og:title", page.title),
        ("property", "og:description", about),
        ("property", "og:url", url),
        ("property", "og:image", f"{site.url.rstrip('/')}/assets/planbook/card.png" if url else ""),
    )
    return tuple(tag for tag in tags if tag[2])


def _texts_of_value(value: object) -> tuple[str, ...]:
    """Return one or many texts; of mappings, the ``name``."""
    values = value if isinstance(value, list) else [value]
    texts = (item.get("name") if isinstance(item, Mapping) else item for item in values)
    return tuple(" ".join(str(text).split()) for text in texts if text)


def twin_link(address: str) -> str:
    """Return the link to the page's Markdown twin, by its address as seen from the page.

    The result is empty without an address.

    Material treats each alternate as a translation of the site and requests a `sitemap.xml` next to
    it. A twin has none, so its link is inside a template element: programs that read the file see
    it, scripts do not.
    """
    link = Markup(
        '<template><link rel="alternate" type="text/markdown" href="{}"></template>\n'
    ).format(address)
    return str(link) if address else ""
