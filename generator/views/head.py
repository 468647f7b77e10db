"""Metadata tags in the head of a page's HTML.

Zotero and Google Scholar read the Highwire ``citation_*`` tags. Zotero takes what has a ``citation_title`` for an
article in a journal, unless ``DC.type`` says that it is a web page, and ``og:site_name`` of which site
(https://www.zotero.org/support/dev/exposing_metadata).
"""

from __future__ import annotations

from markupsafe import Markup

from generator.views.metadata import Metadata
from generator.views.schema_org import tech_article
from generator.views.template import render_template


def page_head(metadata: Metadata) -> str:
    """Return the tags for reference managers, and the page as JSON-LD."""
    return render_template("head.html", tags=meta_tags(metadata), article=tech_article(metadata))


def meta_tags(metadata: Metadata) -> tuple[tuple[str, str, str], ...]:
    """Return the tags as ``(attribute, name, content)``: ``name`` or ``property``, and neither of the others empty."""
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

    Material takes each alternate for the site in another language, and asks for a `sitemap.xml` beside it. There is
    none beside a twin, so its link is in a template: programs that read the file see it, scripts do not.
    """
    link = Markup('<link rel="alternate" type="{}" href="{}"{}>').format
    markdown = Markup("<template>{}</template>\n").format(link("text/markdown", twin, ""))
    atom = link("application/atom+xml", feed, Markup(' title="Finished pages"')) if feed else ""
    return f"{markdown}{atom}\n"


def with_head(html: str, tags: str) -> str:
    """Return `html`, a whole document, with `tags` at the end of its head; unchanged if it has no head."""
    before, end, after = html.partition("</head>")
    return f"{before}{tags}{end}{after}" if end else html
