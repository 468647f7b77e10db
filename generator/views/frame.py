"""HTML around the text of a page: its state above, its links below, and its metadata in the head.

Dates come from the page or its plan, never from the build. Zotero and Google Scholar read the Highwire ``citation_*``
tags. Zotero treats a page with ``citation_title`` as a journal article, unless ``DC.type`` says that it is a web page
and ``og:site_name`` names the site (https://www.zotero.org/support/dev/exposing_metadata).
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup, escape

from generator.citations.identifiers import is_web
from generator.library import Entry, Library
from generator.model import Page, PageUri, State
from generator.views import checks, index
from generator.views.template import against_budget, page_title, render_template
from generator.views.works import Item, text_of

MOST_SHOWN = 20
"""The number of neighbours of each kind that are not folded."""


@dataclass(frozen=True, slots=True)
class BannerValues:
    """The facts that a banner shows."""

    state: State
    is_amiss: bool
    has_page: bool
    number: int
    plan_title: str
    plan_href: str
    length: str
    completed: str | None
    report_href: str
    """The address of the report of its last run; empty if there is none."""
    report_day: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page that links to another one, or that it links to."""

    title: str
    href: str
    kind: Literal["link", "plan"]
    is_written: bool = True


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The pages around a page."""

    incoming: tuple[Neighbour, ...]
    outgoing: tuple[Neighbour, ...]


def banner_values(entry: Entry, url_of: Callable[[str], str], reports: PageUri | None = None) -> BannerValues:
    """Return the facts on a page's PART; `url_of` returns addresses relative to it, `reports` has the plan's drops."""
    part, page, drop = entry.part, entry.page, entry.drop
    return BannerValues(
        entry.state,
        entry.is_amiss,
        page is not None,
        part.number,
        entry.plan.title,
        f"{url_of(index.PROGRESS)}#{index.anchor(entry.plan.slug)}",
        against_budget(page.lines, part.lines_budget) if page else "",
        part.completed,
        f"{url_of(reports)}#{index.report_anchor(drop)}" if drop and reports else "",
        checks.day_of(drop.timestamp) if drop else "",
    )


def page_status(values: BannerValues | None, said: Sequence[checks.Statement]) -> str:
    """Return the line below a page's title: its making, review and verification, else its PART; the rest is folded."""
    return render_template("banner.html", values=values, statements=said)


def neighbours(library: Library, uri: str, url_of: Callable[[str], str]) -> Neighbours:
    """Return the pages that link to the page `uri`, and those of the base that it links to."""

    def row(other: str, kind: Literal["link", "plan"]) -> Neighbour:
        return Neighbour(page_title(library, other), url_of(other), kind, other in library.page_by_uri)

    into = tuple(row(edge.source, edge.kind) for edge in library.backlinks.get(uri, ()))
    return Neighbours(into, tuple(row(e.target, e.kind) for e in library.onward.get(uri, ())))


def neighbours_list(around: Neighbours) -> str:
    """Return the links to and from a page as HTML; empty if there are none."""
    kinds = [("Linked from", around.incoming), ("Links to", around.outgoing)]
    return render_template("neighbours.html", kinds=kinds, most=MOST_SHOWN) if any(rows for _, rows in kinds) else ""


def with_banner(body: str, above: str, below: str) -> str:
    """Return `body`, a page's HTML, with `above` after its first heading, or at the start, and `below` at the end."""
    title, end, text = body.partition("</h1>")
    return f"{title}{end}\n{above}{text}{below}" if end else f"\n{above}{body}{below}"


def completed_meta(entry: Entry) -> dict[str, object]:
    """Return metadata that the plan and the disk add to a PART's page; values of its author take precedence.

    The title is left to MkDocs, which takes it from the page's first heading.
    """
    part = entry.part
    meta: dict[str, object] = {
        "description": entry.description,
        "plan": entry.plan.slug,
        "part": part.number,
        "state": entry.state.value,
    }
    if part.lines_budget:
        meta["lines_budget"] = [part.lines_budget.low, part.lines_budget.high]
    if entry.page:
        meta["lines"] = entry.page.lines
    if part.completed:
        meta["completed"] = part.completed
    return {key: value for key, value in meta.items() if value not in ("", None)}


# --- metadata in the head ------------------------------------------------------------------------------------------


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
    """True if the theme lists tags and none of the author's pages has that list."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """One page, described."""

    title: str
    site: Site
    url: str = ""
    """The absolute address; empty if the site's is not configured."""
    description: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    """``YYYY-MM-DD``, or empty."""
    modified: str = ""
    """Likewise, and later than `published`."""
    tags: tuple[str, ...] = ()
    works: tuple[Mapping[str, Any], ...] = ()
    """The cited works, as CSL-JSON."""


def describe(
    page: Page, entry: Entry | None, site: Site, url: str, works: Sequence[Mapping[str, Any]] = ()
) -> Metadata:
    """The metadata of a written page; `entry` is the PART that it was written for."""
    finished = checks.day_of(entry.part.completed) if entry else ""
    generated = checks.generated_day(page)
    published = checks.day_of(page.meta_value("created")) or generated or finished
    modified = checks.day_of(page.meta_value("updated")) or generated
    return Metadata(
        page.title,
        site,
        url,
        html.unescape(page.description or (entry.description if entry else "")),
        _texts(page.meta_value("author") or page.meta_value("authors") or site.author),
        published,
        modified if modified > published else "",
        _texts(page.meta_value("tags")),
        tuple(works),
    )


def attribute_text(text: str) -> str:
    """Return `text` escaped for attributes, as themes insert it unescaped. Idempotent."""
    return str(escape(html.unescape(text)))


def _texts(value: object) -> tuple[str, ...]:
    """Return one or many texts; of mappings, the ``name``."""
    values = value if isinstance(value, list) else [value]
    texts = (given.get("name") if isinstance(given, Mapping) else given for given in values)
    return tuple(" ".join(str(text).split()) for text in texts if text)


def tech_article(metadata: Metadata) -> dict[str, Any]:
    """Return the page's known properties, without guesses."""
    site = metadata.site
    return {
        "@context": "https://schema.org",
        **_known(
            {
                "@type": "TechArticle",
                "@id": metadata.url,
                "headline": metadata.title,
                "description": metadata.description,
                "url": metadata.url,
                "inLanguage": site.language,
                "author": [{"@type": "Person", "name": name} for name in metadata.authors],
                "datePublished": metadata.published,
                "dateModified": metadata.modified,
                "keywords": list(metadata.tags),
                "isPartOf": _known({"@type": "WebSite", "@id": site.url, "name": site.name, "url": site.url}),
                "citation": [cited_work(item) for item in metadata.works],
            }
        ),
    }


def cited_work(item: Item) -> dict[str, str]:
    """Return a cited work's DOI or address, else its title. Its details are in the page's list and downloads."""
    url, doi = text_of(item, "URL"), text_of(item, "DOI")
    if doi or is_web(url):
        return {"@id": f"https://doi.org/{doi}" if doi else url}
    return {"name": text_of(item, "title") or text_of(item, "id")}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value}


def page_head(metadata: Metadata) -> str:
    """Return the tags for reference managers, and the page as JSON-LD."""
    return render_template("head.html", tags=meta_tags(metadata), article=tech_article(metadata))


def meta_tags(metadata: Metadata) -> tuple[tuple[str, str, str], ...]:
    """Return the tags as ``(attribute, name, content)``: ``name`` or ``property``, without empty ones."""
    day = metadata.published.replace("-", "/")
    tags = (
        ("name", "citation_title", metadata.title),
        *(("name", "citation_author", author) for author in metadata.authors),
        ("name", "citation_publication_date", day),
        ("name", "citation_online_date", day),
        ("name", "citation_public_url", metadata.url),
        ("name", "citation_abstract", metadata.description),
        ("name", "citation_language", metadata.site.language),
        ("name", "citation_keywords", "; ".join(metadata.tags)),
        ("name", "DC.type", "webpage"),
        ("property", "og:site_name", metadata.site.name),
    )
    return tuple(tag for tag in tags if tag[2])


def alternates(twin: str, feed: str = "") -> str:
    """Return the links to the page's Markdown twin and to the site's feed, by their addresses as seen from the page.

    Material treats each alternate as a translation of the site and requests a `sitemap.xml` next to it. A twin has
    none, so its link is inside a template element: programs that read the file see it, scripts do not.
    """
    link = Markup('<link rel="alternate" type="{}" href="{}"{}>').format
    markdown = Markup("<template>{}</template>\n").format(link("text/markdown", twin, ""))
    atom = link("application/atom+xml", feed, Markup(' title="Finished pages"')) if feed else ""
    return f"{markdown}{atom}\n"


def with_head(html: str, tags: str) -> str:
    """Return `html`, a whole document, with `tags` at the end of its head; unchanged if it has no head."""
    before, end, after = html.partition("</head>")
    return f"{before}{tags}{end}{after}" if end else html
