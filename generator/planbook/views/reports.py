"""The pages of reports: the KNOWLEDGE DROPs of each plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from planbook.library import PROGRESS, ListedEntry, ListedLibrary
from planbook.markdown.safe_markdown import drop_html, inline
from planbook.model import Drop, PageUri, Plan
from planbook.views import template
from planbook.views.index import anchor, page_uris
from planbook.views.page_heads import NOT_SEARCHED, generated_head

_TITLE = re.compile(r"\A\s*<p class=\"pb-drop-h1\">.*?</p>", re.DOTALL)


def report_pages(library: ListedLibrary, existing: Iterable[str] = ()) -> dict[str, PageUri]:
    """Return the uri of the page of reports of each plan that has any.

    It is none of the `existing` ones.
    """
    plans = [plan for plan in library.plans if reports_of(library, plan)]
    uris = page_uris((f"reports/{plan.slug}" for plan in plans), existing)
    return {plan.uri: uri for plan, uri in zip(plans, uris, strict=True)}


def reports_of(library: ListedLibrary, plan: Plan) -> dict[str, tuple[ListedEntry, Drop]]:
    """Return the pages of a plan that have a drop, in the plan's order.

    The keys are their anchors on the page of reports.
    """
    entries = (entry for part in plan.parts for entry in library.entries_of(plan, part))
    return {
        report_anchor(e.drop): (e, e.drop) for e in entries if e.drop and library.by_uri[e.uri] is e
    }


def report_anchor(drop: Drop) -> str:
    """Return the id of a drop's heading on the page of reports."""
    return re.sub(r"[^a-z0-9]+", "-", drop.name.removesuffix(".md").lower()).strip("-")


def reports_made(library: ListedLibrary, uris: Mapping[str, PageUri]) -> dict[str, partial[str]]:
    """Return the views of the pages of reports, by uri; `uris` has each plan's."""
    plans = [plan for plan in library.plans if plan.uri in uris]
    by_plan = [
        [(e.uri, e.title, drop) for e, drop in reports_of(library, plan).values()] for plan in plans
    ]
    return {
        str(uris[plan.uri]): partial(reports_page, plan.title, plan.slug, reports, uris[plan.uri])
        for plan, reports in zip(plans, by_plan, strict=True)
    }


def reports_page(
    title: str, slug: str, reports: Sequence[tuple[PageUri, str, Drop]], uri: PageUri
) -> str:
    """Return the page of a plan's reports as Markdown with HTML blocks.

    Each report has uri and title of its page.
    """
    bodies = [_TITLE.sub("", drop_html(drop), count=1) for _, _, drop in reports]
    head = generated_head("title: Reports of runs", "hide: [tags]", NOT_SEARCHED)
    blocks = [
        f"{head}# Reports of runs\n\n"
        f"Plan: [{inline(title)}]({template.link(PROGRESS, uri)}#{anchor(slug)}). Each report "
        "describes one run, as of its day. Pages and checks may have changed since: their state "
        "is on the pages.\n"
    ]
    for (of_page, page_title, drop), body in zip(reports, bodies, strict=True):
        html = template.render_template("drop.html", drop=drop, body=body)
        # They would begin a fence inside the HTML block.
        html = html.replace("`", "&#96;").replace("~", "&#126;")
        page = f"Page: [{inline(page_title)}]({template.link(of_page, uri)})"
        html = html.replace("\n\n", "\n&#10;")
        blocks.append(f"## {inline(drop.title)} {{ #{report_anchor(drop)} }}\n\n{page}\n\n{html}\n")
    return "\n".join(blocks)
