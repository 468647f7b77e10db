"""The home page: what can be read, what is new and what comes next."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from operator import itemgetter

from planbook.library import (
    COUNTED,
    INDEX,
    OVERVIEW,
    PROGRESS,
    ListedEntry,
    ListedLibrary,
    ListedPage,
)
from planbook.library.names import natural_order
from planbook.markdown.escape import verbatim
from planbook.markdown.plain_text import number
from planbook.markdown.safe_markdown import inline, table
from planbook.model import State
from planbook.views import template
from planbook.views.index import anchor
from planbook.views.written import count_written_pages, summary


def fill_home(
    markdown: str,
    library: ListedLibrary,
    trust: Callable[[], str],
    change: Callable[[str], str] = str,
) -> str:
    """Return the author's home page with its placeholders filled.

    They are those of `home_sections`, ``search`` and ``trust``.

    Where a section is empty, its heading goes too. Each section is passed through `change`.
    """
    sections = (
        {"search": search_button(library), **home_sections(library)}
        if "<!-- planbook:" in markdown
        else {}
    )
    if "<!-- planbook:trust -->" in markdown:
        sections["trust"] = trust()
    for name, text in sections.items():
        marker = f"<!-- planbook:{name} -->"
        if not text:
            heading = rf"^#+ .*\n+(?=(?:<div [^<>\n]*>\n+)?{marker})"
            markdown = re.sub(heading, "", markdown, flags=re.MULTILINE)
        markdown = markdown.replace(marker, change(text))
    return markdown


def search_button(library: ListedLibrary) -> str:
    """Return the button that opens the search, as HTML; without scripts it is not shown.

    It names messages only where pages of the base explain some.
    """
    has_messages = any(page.messages for page in library.pages)
    example = "an error message" if has_messages else "a word"
    label = f"Search: {example}, a name, a question"
    return (
        f'<button class="pb-open-search" type="button">{label} <kbd>Ctrl</kbd> '
        "<kbd>K</kbd></button>\n"
    )


def home_sections(library: ListedLibrary) -> Mapping[str, str]:
    """Return the sections of the home page by placeholder.

    ``state``, ``newest``, ``next``, ``plans``, ``subjects``.
    """
    links = f"[What is here, and what is open]({OVERVIEW}) · [INDEX of all pages]({INDEX})"
    has_bar = any(library.counts[state] for state in COUNTED)
    state = f"{summary(library)} {links}\n" if library.plans else "There are no plans yet.\n"
    if has_bar:
        missing = library.missing(library.plans)
        counts = {kind: library.counts[kind] for kind in COUNTED}
        bar = template.state_bar(
            counts, "Planned pages", missing, done="written", collected=library.collected_parts
        )
        state = f"{bar}\n\n{state}"
    return {
        "state": state,
        "newest": _newest_pages(library),
        "next": _next_pages(library),
        "plans": _plans(library),
        "subjects": _subjects(library),
    }


def home_page(library: ListedLibrary, name: str, description: str) -> str:
    """Return a home page for a base without one.

    What can be read, what the base is, and its progress.
    """
    return template.render_markdown(
        "home.md", name=name, description=description, **home_sections(library)
    )


def _newest_pages(library: ListedLibrary) -> str:
    """Return the five pages that were finished last, as a list."""
    written_pages: list[tuple[str, ListedEntry | ListedPage]] = [
        (finished_day(entry), entry) for entry in library.by_uri.values() if entry.page
    ]
    written_pages += [(page.created, page) for page in unplanned_pages(library)]
    written_pages.sort(key=lambda dated: natural_order(dated[1].uri))
    written_pages.sort(key=itemgetter(0), reverse=True)
    days = [template.reader_day(day) for day, _ in written_pages[:5]]
    lines = [_page_line(page, day) for (_, page), day in zip(written_pages, days, strict=False)]
    link_to_all = (
        f"- [All {number(len(written_pages))} written pages by folder]({INDEX}#written-pages)\n"
    )
    return (
        "".join(lines) + link_to_all * (len(written_pages) > 5)
        or "No planned page has been written yet.\n"
    )


def unplanned_pages(library: ListedLibrary) -> list[ListedPage]:
    """Return the pages that cite works, have a day, and stand beside planned ones, in no plan."""
    folders = {posixpath.dirname(uri) for uri in library.by_uri}
    return [
        page
        for page in library.pages
        if page.uri not in library.by_uri
        and posixpath.dirname(page.uri) in folders
        and page.created
        and page.number_of_works
    ]


def _next_pages(library: ListedLibrary) -> str:
    """Return the first five pages that are not written yet, as a list; empty if all are written."""
    to_do = {State.OPEN, State.PARTIAL, State.UNMARKED}
    waiting = [e for e in library.by_uri.values() if not e.page and e.state in to_do]
    waiting.sort(key=lambda e: e.state is not State.PARTIAL)
    return "".join(_page_line(e, "") for e in waiting[:5])


def _page_line(entry: ListedEntry | ListedPage, day: str) -> str:
    """Return the line of a page: its title, and below it what it is about and its day."""
    about = verbatim(entry.description).rstrip(".") if entry.description else ""
    below = " ".join(filter(None, (about, f"<small>{day}</small>" if day else "")))
    title = f"[{inline(entry.title)}]({template.link(entry.uri)})"
    return f"- {title}{f'<br>{below}' if below else ''}\n"


def finished_day(entry: ListedEntry) -> str:
    """Return the day on which the page was finished, from its plan or its front matter."""
    if entry.part.completed:
        return entry.part.completed[:10]
    return entry.page.created if entry.page else ""


def _plans(library: ListedLibrary) -> str:
    rows = []
    for plan in library.plans:
        topic = inline(plan.meta_value("Topic") or plan.overview or "")
        name = (
            f"[{inline(plan.title)}]({PROGRESS}#{anchor(plan.slug)}){f': {topic}' if topic else ''}"
        )
        rows.append((name, count_written_pages(library, plan)))
    return table(("Plan", "Written"), rows, "lr") if rows else "There are no plans yet.\n"


def _subjects(library: ListedLibrary) -> str:
    """Return what the plans are about, as a list; a subject leads to its first written page."""
    lines = []
    for plan in library.plans:
        entries = [entry for part in plan.parts for entry in library.entries_of(plan, part)]
        first = next((entry for entry in entries if entry.page), None)
        name = (
            f"[{inline(plan.title)}]({template.link(first.uri)})" if first else inline(plan.title)
        )
        topic = inline(plan.meta_value("Topic") or plan.overview or "")
        lines.append(f"**{name}**{f': {topic}' if topic else ''}\n")
    bullet = "- " if len(lines) > 1 else ""
    return "".join(f"{bullet}{line}" for line in lines)
