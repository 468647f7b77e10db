"""A plan's page with the KNOWLEDGE DROPs of its PARTs: reports of runs, each true for its day."""

from __future__ import annotations

import re
from collections.abc import Iterable

from generator.library import Entry, Library
from generator.markdown.safe_markdown import drop_html, inline
from generator.model import Drop, PageUri, Plan
from generator.views.index import PROGRESS, anchor, page_uris
from generator.views.labels import relative
from generator.views.template import render_template

MAX_ELEMENTS = 8_000
"""The number of HTML elements above which a plan's reports are shown as plain text."""
_TITLE = re.compile(r"\A\s*<p class=\"pb-drop-h1\">.*?</p>", re.DOTALL)
_FOR_MARKDOWN = {ord("`"): "&#96;", ord("~"): "&#126;"}
"""Characters that would begin a fence inside the HTML block."""


def report_pages(library: Library, existing: Iterable[str] = ()) -> dict[str, PageUri]:
    """Return the uri of the page of reports of each plan that has any, unlike the `existing` ones."""
    plans = [plan for plan in library.plans if reports_of(library, plan)]
    uris = page_uris((f"reports/{plan.slug}" for plan in plans), existing)
    return {plan.uri: uri for plan, uri in zip(plans, uris, strict=True)}


def reports_of(library: Library, plan: Plan) -> dict[str, tuple[Entry, Drop]]:
    """Return the pages of a plan that have a drop, by its anchor on the page of reports, in the plan's order."""
    entries = (entry for part in plan.parts for entry in library.of(plan, part))
    return {report_anchor(e.drop): (e, e.drop) for e in entries if e.drop and library.by_uri[e.uri] is e}


def report_anchor(drop: Drop) -> str:
    """Return the id of a drop's heading on the page of reports."""
    return re.sub(r"[^a-z0-9]+", "-", drop.name.removesuffix(".md").lower()).strip("-")


def report_page(library: Library, plan: Plan, uri: PageUri) -> str:
    """Return the page of reports of a plan, as Markdown with HTML blocks."""
    found = reports_of(library, plan)
    bodies = {name: _TITLE.sub("", drop_html(drop), count=1) for name, (_, drop) in found.items()}
    if sum(html.count("</") for html in bodies.values()) > MAX_ELEMENTS:
        bodies = {}
    blocks = [
        "---\ntitle: Reports of runs\nhide: [tags]\nsearch:\n  exclude: true\n---\n\n# Reports of runs\n\n"
        f"Plan: [{inline(plan.title)}]({relative(PROGRESS, uri)}#{anchor(plan.slug)}). Each report describes one "
        "run, as of its day. Pages and checks may have changed since: their state is on the pages.\n"
    ]
    for name, (entry, drop) in found.items():
        html = render_template("drop.html", drop=drop, body=bodies.get(name)).translate(_FOR_MARKDOWN)
        page = f"Page: [{inline(entry.title)}]({relative(entry.uri, uri)})"
        blocks.append(
            f"## {inline(drop.title)} {{ #{name} }}\n\n{page}\n\n{html.replace(chr(10) * 2, chr(10) + '&#10;')}\n"
        )
    return "\n".join(blocks)
