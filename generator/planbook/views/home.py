"""The home page: what can be read, what is new and what comes next."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sized
from operator import itemgetter

from planbook.library import (
    COUNTED_STATES,
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
from planbook.model import UNFINISHED_STATES, State
from planbook.views import template
from planbook.views.index import anchor
from planbook.views.written import count_written_pages, summary, unplanned_pages


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
        {"search": search_button(library), **home_sections(library, _heading_of_home(markdown))}
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


def _heading_of_home(markdown: str) -> str:
    heading = re.search(r"^# (.+?)\s*$", markdown, re.MULTILINE)
    return heading[1] if heading else ""


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


def home_sections(library: ListedLibrary, heading: str = "") -> Mapping[str, str]:
    """Return the sections of the home page by placeholder; `heading` is its own.

    ``state``, ``newest``, ``news``, ``next``, ``plans``, ``subjects``.
    """
    links = f"[What is here, and what is open]({OVERVIEW}) · [INDEX of all pages]({INDEX})"
    has_bar = any(library.counts[state] for state in COUNTED_STATES)
    unplanned = len(unplanned_pages(library))
    state = f"{summary(library)} {links}\n" if library.plans else "There are no plans yet.\n"
    if has_bar:
        missing = library.missing(library.plans)
        counts = {kind: library.counts[kind] for kind in COUNTED_STATES}
        counts[State.DONE] += unplanned
        bar = template.state_bar(
            counts,
            "Pages" if unplanned else "Planned pages",
            missing,
            done="written",
            collected=library.collected_parts,
        )
        state = f"{bar}\n\n{state}"
    return {
        "state": state,
        "newest": _newest_pages(library),
        "news": _newest_titles(library),
        "next": _next_pages(library),
        "plans": _plans(library),
        "subjects": _subjects(library, heading),
    }


def home_page(library: ListedLibrary, name: str, description: str) -> str:
    """Return a home page for a base without one.

    What can be read, what the base is, and its progress.
    """
    return template.render_markdown(
        "home.md", name=name, description=description, **home_sections(library)
    )


def _newest_pages(library: ListedLibrary) -> str:
    """Return the five pages that were finished last, as a list with what they are about."""
    written_pages = _written_pages(library)
    lines = [_page_line(page, template.reader_day(day)) for day, page in written_pages[:5]]
    return _list_of_newest(written_pages, lines)


def _newest_titles(library: ListedLibrary) -> str:
    """Return the five pages that were finished last, as a list of titles with their days."""
    written_pages = _written_pages(library)
    lines = [
        f"- [{inline(page.title)}]({template.link(page.uri)})"
        + f" <small>{template.reader_day(day)}</small>" * bool(day)
        + "\n"
        for day, page in written_pages[:5]
    ]
    return _list_of_newest(written_pages, lines)


def _written_pages(library: ListedLibrary) -> list[tuple[str, ListedEntry | ListedPage]]:
    """Return the written pages with their days, those that were finished last first."""
    written_pages: list[tuple[str, ListedEntry | ListedPage]] = [
        (finished_day(entry), entry) for entry in library.by_uri.values() if entry.page
    ]
    written_pages += [(page.created, page) for page in unplanned_pages(library)]
    written_pages.sort(key=lambda dated: natural_order(dated[1].uri))
    written_pages.sort(key=itemgetter(0), reverse=True)
    return written_pages


def _list_of_newest(written_pages: Sized, lines: Iterable[str]) -> str:
    """Return the lines of the newest pages, and a link to all if there are more."""
    link_to_all = (
        f"- [All {number(len(written_pages))} written pages by folder]({INDEX}#written-pages)\n"
    )
    return (
        "".join(lines) + link_to_all * (len(written_pages) > 5)
        or "No planned page has been written yet.\n"
    )


def _next_pages(library: ListedLibrary) -> str:
    """Return the first five pages that are not written yet, as a list; empty if all are written."""
    waiting = [e for e in library.by_uri.values() if not e.page and e.state in UNFINISHED_STATES]
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


def _subjects(library: ListedLibrary, heading: str) -> str:
    """Return what the plans are about, as a list; a subject leads to its first written page.

    Of a plan that the home page is named after, this is its topic alone.
    """
    lines = []
    for plan in library.plans:
        entries = [entry for part in plan.parts for entry in library.entries_of(plan, part)]
        first = next((entry for entry in entries if entry.page), None)
        name = (
            f"[{inline(plan.title)}]({template.link(first.uri)})" if first else inline(plan.title)
        )
        topic = inline(plan.meta_value("Topic") or plan.overview or "")
        if topic and plan.title == heading:
            lines.append(f"{topic.removesuffix('.')}.\n")
        else:
            lines.append(f"**{name}**{f': {topic}' if topic else ''}\n")
    bullet = "- " if len(lines) > 1 else ""
    return "".join(f"{bullet}{line}" for line in lines)
