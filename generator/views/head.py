"""What a page tells programs in the head of its HTML."""

from __future__ import annotations

from markupsafe import Markup

from generator.views.highwire import meta_tags
from generator.views.metadata import Metadata
from generator.views.progress import render_template
from generator.views.schema_org import json_ld


def page_head(metadata: Metadata) -> str:
    """The tags for reference managers, and the page as JSON-LD."""
    ld = Markup(json_ld(metadata))  # noqa: S704 - it holds no `<`, `>` or `&`
    return render_template("head.html", tags=meta_tags(metadata), json_ld=ld)


def alternates(twin: str, feed: str = "") -> str:
    """The links to the page's Markdown twin and to the site's feed, by their addresses as seen from the page.

    Material takes each link whose whole ``rel`` is ``alternate`` for the site in another language, and asks for a
    `sitemap.xml` beside it, also after instant navigation. There is none beside a twin, which is also what the page was
    converted from (https://www.iana.org/assignments/link-relations), and says so.
    """
    link = Markup('<link rel="{}" type="{}" href="{}"{}>').format
    markdown = link("alternate convertedfrom", "text/markdown", twin, "")
    atom = link("alternate", "application/atom+xml", feed, Markup(' title="Finished pages"')) if feed else ""
    return f"{markdown}\n{atom}\n"


def with_head(html: str, tags: str) -> str:
    """`html`, a whole document, with `tags` at the end of its head; as it is where it has none."""
    before, end, after = html.partition("</head>")
    return f"{before}{tags}{end}{after}" if end else html
