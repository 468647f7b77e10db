"""What a page tells programs in the head of its HTML."""

from __future__ import annotations

from markupsafe import Markup

from generator.views.highwire import meta_tags
from generator.views.metadata import Metadata
from generator.views.schema_org import json_ld
from generator.views.template import render_template


def page_head(metadata: Metadata) -> str:
    """The tags for reference managers, and the page as JSON-LD."""
    ld = Markup(json_ld(metadata))  # noqa: S704 - it holds no `<`, `>` or `&`
    return render_template("head.html", tags=meta_tags(metadata), json_ld=ld)


def alternates(twin: str, feed: str = "") -> str:
    """The links to the page's Markdown twin and to the site's feed, by their addresses as seen from the page.

    Material takes each alternate for the site in another language, and asks for a `sitemap.xml` beside it. There is
    none beside a twin, so its link stands in a template: programs that read the file see it, scripts do not.
    """
    link = Markup('<link rel="alternate" type="{}" href="{}"{}>').format
    markdown = Markup("<template>{}</template>\n").format(link("text/markdown", twin, ""))
    atom = link("application/atom+xml", feed, Markup(' title="Finished pages"')) if feed else ""
    return f"{markdown}{atom}\n"


def with_head(html: str, tags: str) -> str:
    """`html`, a whole document, with `tags` at the end of its head; as it is where it has none."""
    before, end, after = html.partition("</head>")
    return f"{before}{tags}{end}{after}" if end else html
