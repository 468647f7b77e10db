"""The INDEX of the base and of each folder, and other lists of pages.

These are the home page, the navigation, reports of runs, and files for agents. SKILL.md follows the
Agent Skills specification: https://agentskills.io/specification.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import yaml
from markupsafe import escape

from planbook.library import (
    COUNTED,
    INDEX,
    OVERVIEW,
    PROGRESS,
    TOP_PAGES,
    LibraryOf,
    ListedEntry,
    ListedLibrary,
    ListedPage,
    NamedPage,
    group_by,
)
from planbook.library.names import natural_order
from planbook.markdown.document import read_document
from planbook.markdown.escape import verbatim
from planbook.markdown.plain_text import count, number
from planbook.markdown.safe_markdown import code, drop_html, inline, table
from planbook.model import Drop, PageUri, Plan, State
from planbook.views import template

_NOT_LISTED = frozenset(page.uri for page in TOP_PAGES)
FOLDER_INDEXES = ("index.md", "README.md")
"""File names that MkDocs treats as a folder's own page."""


MAX_FLAT = 8
"""The number of pages above which a folder's pages are grouped by plan."""


@dataclass(frozen=True, slots=True)
class FolderIndex:
    """One folder of the base with the pages directly in it, in natural order."""

    path: str
    """Without a slash at the end; empty for the top."""
    title: str
    """Its name for readers."""
    uris: tuple[PageUri, ...]
    index_uri: PageUri
    """Its INDEX: the generated one, or the author's ``index.md`` or ``README.md``."""
    groups: tuple[tuple[str, tuple[PageUri, ...]], ...] = ()
    """The title of each plan with its pages here, in the order of the first page; empty unless
    there are several plans and more than `MAX_FLAT` pages."""


def folder_indexes(
    library: ListedLibrary,
    excluded: frozenset[str] = frozenset(),
    titles: Iterable[tuple[str, str]] = (),
) -> tuple[FolderIndex, ...]:
    """Return the folders of the base with their pages, except the `excluded` ones.

    Those are elsewhere in the nav. `titles` are those of folders, by path.
    """
    given = dict(titles)
    by_folder: dict[str, set[PageUri]] = defaultdict(set)
    uris: list[PageUri] = [page.uri for page in library.pages] + [
        entry.uri for entry in library.entries
    ]
    for uri in uris:
        if uri in excluded or uri in _NOT_LISTED:
            continue
        folder, _, name = uri.rpartition("/")
        if name not in FOLDER_INDEXES:
            by_folder[folder].add(uri)
        elif folder:  # a folder with nothing but its own page is in the navigation, too
            by_folder.setdefault(folder, set())
    for folder in list(by_folder):  # include folders that contain only folders
        for parent in list(PurePosixPath(folder).parents)[:-1]:
            by_folder.setdefault(str(parent), set())
    sorted_uris = {
        folder: tuple(sorted(by_folder[folder], key=natural_order)) for folder in by_folder
    }
    return tuple(
        FolderIndex(
            path=folder,
            title=given.get(folder) or _folder_title(library, folder),
            uris=uris,
            index_uri=_index_uri(library, folder),
            groups=_groups(library, uris),
        )
        for folder, uris in sorted(sorted_uris.items(), key=lambda pair: natural_order(pair[0]))
    )


def _folder_title(library: ListedLibrary, folder: str) -> str:
    """Return the title of the folder's own page, or else its name as MkDocs would show it."""
    own = library.page_by_uri.get(_index_uri(library, folder))
    if folder and own and own.title:
        return own.title
    words = re.sub(r"[-_]+", " ", PurePosixPath(folder).name).strip() or "INDEX"
    return words.capitalize() if words.islower() else words


def by_parent(folders: Sequence[FolderIndex]) -> Mapping[str, Sequence[FolderIndex]]:
    """Return the folders directly in each folder."""
    return group_by(
        (folder for folder in folders if folder.path), lambda folder: folder.path.rpartition("/")[0]
    )


def _groups(
    library: ListedLibrary, uris: Sequence[PageUri]
) -> tuple[tuple[str, tuple[PageUri, ...]], ...]:
    by_plan = group_by(
        (uri for uri in uris if uri in library.by_uri), lambda uri: library.by_uri[uri].plan.title
    )
    return tuple(by_plan.items()) if len(uris) > MAX_FLAT and len(by_plan) > 1 else ()


def tags_page() -> str:
    """Return the page on which Material's plugin `tags` lists the tags, and to which they link."""
    head = list_head("Tags", "The pages of this base by tag.").replace(
        "boost: 0.3", "exclude: true"
    )
    return f"{head}# Tags\n\n<!-- material/tags -->\n"


def messages_page(pages: Sequence[ListedPage]) -> str:
    """Return the index of the messages that `pages` explain, each with its meaning and section."""
    about = "Exact error messages, each with its meaning and the section that explains it."
    pages = sorted(
        (page for page in pages if page.messages), key=lambda page: natural_order(page.uri)
    )
    messages = (
        f"**{count(sum(len(page.messages) for page in pages), 'message')}** on "
        f"{count(len(pages), 'page')}"
    )
    text = [
        list_head("Messages", about),
        f"# Messages\n\n{messages}. Search for the words on your screen.\n",
    ]
    for page in pages:
        links = [
            f"[{verbatim(m.section)}]({template.link(page.uri)}{m.anchor})" for m in page.messages
        ]
        rows = (
            (code(m.text), verbatim(m.meaning), link)
            for m, link in zip(page.messages, links, strict=True)
        )
        text.append(
            f"\n## {inline(page.title)}\n\n{table(('Message', 'It means', 'Explained in'), rows)}"
        )
    return "".join(text)


def page_uris(stems: Iterable[str], existing: Iterable[str]) -> list[PageUri]:
    """Return the uris of generated pages.

    `stems` with ``.md``, and with a number if that page is `existing`. A backslash, with which
    Zensical writes no page, is a hyphen in them.
    """
    written = (stem.replace("\\", "-") for stem in stems)
    names = template.distinct(written, {uri.removesuffix(".md") for uri in existing})
    return [PageUri(f"{name}.md") for name in names]


def base_index(library: ListedLibrary, folders: Sequence[FolderIndex]) -> str:
    """Return the INDEX of the whole base: the written pages by folder, then the others by plan."""
    about = (
        "Every page of this base: the written pages by folder, then the pages still to be written "
        "by plan."
    )
    introduction = f"{summary(library)} [What is here]({OVERVIEW}) shows what is new and open."
    head = f"{list_head('INDEX', about)}# INDEX\n\n{introduction}\n"
    return head + index_body(library, folders)


def index_body(
    library: ListedLibrary, folders: Sequence[FolderIndex], *, has_all_pages: bool = True
) -> str:
    """Return the lists of the INDEX; without `has_all_pages`, only existing files are links."""
    listed = any(folder.uris for folder in folders)
    text = "" if listed else "\nThere are no pages yet. Add a plan to `plans/` and build again.\n"
    written = _written_folders(library, folders)
    for n, folder in enumerate(written):
        name = f"{verbatim(folder.path)}/" if folder.path else "Top level"
        if folder.path and has_all_pages:
            href = f"[{name}]({template.link(folder.index_uri)})"
        else:
            href = name
        text += "" if n else "\n## Written pages\n"
        text += f"\n### {href}\n\n" if len(written) > 1 else "\n"
        text += "".join(_written_line(library, uri) for uri in folder.uris)
    for title, plans in _unwritten(library, folders):
        text += f"\n## {title}\n"
        for plan, entries in plans:
            text += f"\n### {inline(plan.title)}\n\n"
            text += "".join(_open_line(entry, has_all_pages) for entry in entries)
    return text


def _written_folders(library: ListedLibrary, folders: Sequence[FolderIndex]) -> list[FolderIndex]:
    """Return the folders with their written pages only, except folders without any."""
    written = (
        replace(f, uris=tuple(uri for uri in f.uris if uri in library.page_by_uri)) for f in folders
    )
    return [folder for folder in written if folder.uris]


def _unwritten(
    library: ListedLibrary, folders: Sequence[FolderIndex]
) -> Iterator[tuple[str, list[tuple[Plan, list[ListedEntry]]]]]:
    """Yield a heading for each kind of page without a file, with the plans that have such pages."""
    listed = frozenset(uri for folder in folders for uri in folder.uris)
    waiting = [entry for entry in library.by_uri.values() if not entry.page and entry.uri in listed]
    kinds = (
        ("Open pages", None),
        ("Skipped pages", State.SKIPPED),
        ("Pages left out", State.DISABLED),
    )
    for title, state in kinds:
        here = [
            e
            for e in waiting
            if (e.state if e.state in {State.SKIPPED, State.DISABLED} else None) is state
        ]
        by_plan = [
            (plan, [entry for entry in here if entry.plan is plan]) for plan in library.plans
        ]
        if with_entries := [(plan, entries) for plan, entries in by_plan if entries]:
            yield title, with_entries


def _written_line(library: ListedLibrary, uri: PageUri) -> str:
    """Return a list item for a written page, with the state of its PART unless that is done."""
    page, entry = library.page_by_uri[uri], library.by_uri.get(uri)
    facts = []
    if entry and entry.state is not State.DONE:
        facts.append(_state(entry))
    if page.is_collected:
        facts.append("collected passages")
    facts.append(template.reading_time(page.words))
    name = f"[{inline(template.page_title(library, uri))}]({template.link(uri)})"
    line = f"- {name} ({', '.join(facts)})"
    about = verbatim(template.page_description(library, uri))
    return f"{line}: {about}\n" if about else f"{line}\n"


def _open_line(entry: ListedEntry, is_linked: bool) -> str:
    """Return a list item for a page that is not written.

    It has the state if the heading does not say it.
    """
    title = inline(entry.title)
    name = f"[{title}]({template.link(entry.uri)})" if is_linked else f"{title} ({code(entry.uri)})"
    about = f": {verbatim(entry.description)}" if entry.description else ""
    is_said = entry.state in {State.OPEN, State.SKIPPED, State.DISABLED}
    return f"- {name}{'' if is_said else f' ({_state(entry)})'}{about}\n"


def _state(entry: ListedEntry) -> str:
    return (
        f"{entry.state}, {template.difference_on_disk(entry)}"
        if entry.differs
        else entry.state.value
    )


def folder_index(library: ListedLibrary, folder: FolderIndex, below: Sequence[FolderIndex]) -> str:
    """Return the INDEX of one folder.

    It lists the folders `below` it, and its written pages; those of a long one by plan.
    """
    uri = folder.index_uri
    text = [
        f"{list_head(folder.title, f'The contents of {folder.path}/.')}# {verbatim(folder.title)}\n"
    ]
    text.append(
        f"\n{pages_said(library, folder.uris)} [INDEX]({template.link(INDEX, uri)}) lists every "
        "page of the base.\n"
    )
    text += [
        f"\n- [{verbatim(f.title)}]({template.link(f.index_uri, uri)}): "
        f"{pages_said(library, f.uris)}"
        for f in below
    ]
    if below:
        text.append("\n")
    grouped = {uri for _, uris in folder.groups for uri in uris}
    rest = [uri for uri in folder.uris if uri not in grouped]
    for title, uris in (*folder.groups, ("Other pages" if folder.groups else "", rest)):
        pages = [library.page_by_uri[of] for of in uris if of in library.page_by_uri]
        text += [f"\n## {inline(title)}\n"] if title and pages else []
        for page in pages:
            entry = library.by_uri.get(page.uri)
            if entry and entry.description:
                about = verbatim(entry.description)
            else:
                about = " · ".join(map(verbatim, page.sections))
            about = f"Collected passages. {about}" if page.is_collected else about
            text.append(
                f"\n**[{inline(page.title)}]({template.link(page.uri, uri)})**  \n{about}\n"
            )
    return "".join(text)


def fill_home(
    markdown: str,
    library: ListedLibrary,
    trust: Callable[[], str],
    change: Callable[[str], str] = str,
) -> str:
    """Return the author's home page with its placeholders filled.

    They are those of `home_parts`, ``search`` and ``trust``.

    Where a part is empty, its heading goes too. Each part is passed through `change`.
    """
    parts = (
        {"search": search_button(), **home_parts(library)} if "<!-- planbook:" in markdown else {}
    )
    if "<!-- planbook:trust -->" in markdown:
        parts["trust"] = trust()
    for name, text in parts.items():
        place = f"<!-- planbook:{name} -->"
        if not text:
            markdown = re.sub(rf"^#+ .*\n+(?={place})", "", markdown, flags=re.MULTILINE)
        markdown = markdown.replace(place, change(text))
    return markdown


def search_button() -> str:
    """Return the button that opens the search, as HTML; without scripts it is not shown."""
    label = "Search: an error message, a name, a question"
    return (
        f'<button class="pb-open-search" type="button">{label} <kbd>Ctrl</kbd> '
        "<kbd>K</kbd></button>\n"
    )


def home_parts(library: ListedLibrary) -> Mapping[str, str]:
    """Return the parts of the home page by placeholder.

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
        "home.md", name=name, description=description, **home_parts(library)
    )


# --- pieces ---------------------------------------------------------------------------------------


def summary(library: ListedLibrary) -> str:
    """Return the number of planned and written pages, and of plans, in words."""
    if library.plans:
        return pages_said(library, plans=len(library.plans))
    return "There are no plans yet."


def pages_said(library: ListedLibrary, uris: Iterable[str] | None = None, plans: int = 0) -> str:
    """Return how many planned pages there are and how many of them are written.

    Only `uris` are counted, if they are given.
    """
    of = library.by_uri if uris is None else dict.fromkeys(uris)
    entries = [library.by_uri[PageUri(uri)] for uri in of if uri in library.by_uri]
    planned = [entry for entry in entries if entry.state in COUNTED]
    collected = sum(entry.is_collected for entry in planned)
    there = sum(entry.is_there for entry in planned) - collected
    disabled = sum(entry.state is State.DISABLED for entry in entries)
    others = len(of) - len(entries)
    said = []
    if planned or not others:
        are = "is" if 1 in {there, len(planned)} else "are"
        written = f"{number(there)} of {count(len(planned), 'planned page')} {are} written"
        if collected:
            written += f", {number(collected)} {_is_or_are(collected)} collected passages"
        if plans:
            written += f", from {count(plans, 'plan')}"
        said.append(written)
    if others:
        have = "has" if others == 1 else "have"
        said.append(f"{count(others, 'page')} {have} no plan")
    if disabled:
        said.append(f"{number(disabled)} more {_is_or_are(disabled)} left out")
    return f"{'; '.join(said)}."


def _is_or_are(number_of: int) -> str:
    return "is" if number_of == 1 else "are"


def written_of(library: LibraryOf[NamedPage], plan: Plan) -> str:
    """Return ``2 of 4 pages, 1 collected``.

    How many of a plan's counted PARTs have a page, and of what kind.
    """
    counted = library.parts_with_pages(plan)
    of_parts = [library.of(plan, part) for part in counted]
    there = sum(any(entry.page for entry in entries) for entries in of_parts)
    collected = sum(any(entry.is_collected for entry in entries) for entries in of_parts)
    if plan.parts and not counted:
        return "no pages"
    of_pages = f"{there} of {len(counted)} pages"
    return f"{of_pages}, {collected} collected" if collected else of_pages


def anchor(slug: str) -> str:
    """Return the id of a plan's place on the progress page."""
    return "plan-" + "".join(c if c.isalnum() else "-" for c in slug.lower()).strip("-")


def _index_uri(library: ListedLibrary, folder: str) -> PageUri:
    if not folder:
        return INDEX
    own = (PageUri(f"{folder}/{name}") for name in FOLDER_INDEXES)
    return next((uri for uri in own if uri in library.page_by_uri), PageUri(f"{folder}/index.md"))


def _newest_pages(library: ListedLibrary) -> str:
    """Return the five pages that were finished last, as a list."""
    written = sorted(
        (entry for entry in library.by_uri.values() if entry.page),
        key=lambda e: natural_order(e.uri),
    )
    written.sort(key=finished_day, reverse=True)
    days = [template.reader_day(finished_day(entry)) for entry in written[:5]]
    lines = [
        _page_line(entry, f", {day}" if day else "")
        for entry, day in zip(written, days, strict=False)
    ]
    more = f"- [All {number(len(written))} written pages by folder]({INDEX}#written-pages)\n"
    return "".join(lines) + more * (len(written) > 5) or "No planned page has been written yet.\n"


def _next_pages(library: ListedLibrary) -> str:
    """Return the first five pages that are not written yet, as a list; empty if all are written."""
    to_do = {State.OPEN, State.PARTIAL, State.UNMARKED}
    waiting = [e for e in library.by_uri.values() if not e.page and e.state in to_do]
    waiting.sort(key=lambda e: e.state is not State.PARTIAL)
    return "".join(_page_line(e, "") for e in waiting[:5])


def _page_line(entry: ListedEntry, tail: str) -> str:
    about = f" – {verbatim(entry.description)}" if entry.description else ""
    return f"- [{inline(entry.title)}]({template.link(entry.uri)}){tail}{about}\n"


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
        rows.append((name, written_of(library, plan)))
    return table(("Plan", "Written"), rows, "lr") if rows else "There are no plans yet.\n"


def _subjects(library: ListedLibrary) -> str:
    """Return what the plans are about, as a list; a subject leads to its first written page."""
    lines = []
    for plan in library.plans:
        entries = [entry for part in plan.parts for entry in library.of(plan, part)]
        first = next((entry for entry in entries if entry.page), None)
        name = (
            f"[{inline(plan.title)}]({template.link(first.uri)})" if first else inline(plan.title)
        )
        topic = inline(plan.meta_value("Topic") or plan.overview or "")
        lines.append(f"**{name}**{f': {topic}' if topic else ''}\n")
    bullet = "- " if len(lines) > 1 else ""
    return "".join(f"{bullet}{line}" for line in lines)


def list_head(title: str, description: str) -> str:
    """Return the front matter of a page that lists others.

    It ranks below the pages that it lists in searches.
    """
    # A string of JSON is one of YAML.
    title, description = (json.dumps(text, ensure_ascii=False) for text in (title, description))
    return f"---\ntitle: {title}\ndescription: {description}\nsearch:\n  boost: 0.3\n---\n\n"


# --- navigation -----------------------------------------------------------------------------------


PLACE = "INDEX"
"""The entry of a hand-written nav that the tree replaces."""

Nav = list[Any]
"""MkDocs' format: pages, and mappings of one title to a page or a list."""


def named_pages(nav: Nav | None) -> frozenset[str]:
    """Return the pages named in a hand-written nav."""
    return frozenset(uri for uri in _leaves(nav or []) if uri != PLACE)


def with_tree(
    nav: Nav | None,
    folders: Sequence[FolderIndex],
    home: str = "index.md",
    known: Container[str] = (),
) -> Nav:
    """Return `nav` with the tree of `folders` in place of its entry.

    Without a nav, it is `home` and the tree.

    A nav without the entry is returned unchanged. The tree has the pages of tags and of messages if
    they are `known`.
    """
    if nav is None:
        nav = [*([home] if home else []), PLACE]
    named = named_pages(nav)
    tops = [page.uri for page in TOP_PAGES if page.is_always_made or page.uri in known]
    top = [str(uri) for uri in tops if uri not in named]
    pages = [str(uri) for folder in folders if not folder.path for uri in folder.uris]
    filled: Nav = _filled(nav, [*_below("", by_parent(folders)), *pages, *top])  # knowledge first
    return filled


def _below(path: str, inner: Mapping[str, Sequence[FolderIndex]]) -> Nav:
    """Return the folders directly in `path`, each with its INDEX, subfolders and pages."""
    return [
        # themes show titles as HTML
        {str(escape(f.title)): [str(f.index_uri), *_below(f.path, inner), *_pages(f)]}
        for f in inner.get(path, ())
    ]


def _pages(folder: FolderIndex) -> Nav:
    """Return the pages of a folder.

    In a long one, those of each plan stand below its title, then the others follow.
    """
    grouped = {uri for _, uris in folder.groups for uri in uris}
    groups = [{str(escape(title)): list(map(str, uris))} for title, uris in folder.groups]
    return [*groups, *(str(uri) for uri in folder.uris if uri not in grouped)]


def _filled(nav: Any, generated: Nav) -> Any:
    if nav == PLACE:
        return generated
    if isinstance(nav, dict):
        return {title: _filled(value, generated) for title, value in nav.items()}
    if isinstance(nav, list):
        parts = (generated if entry == PLACE else [_filled(entry, generated)] for entry in nav)
        return [entry for part in parts for entry in part]
    return nav


def _leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list | dict):
        for below in nav.values() if isinstance(nav, dict) else nav:
            yield from _leaves(below)


# --- reports of runs ------------------------------------------------------------------------------


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
    entries = (entry for part in plan.parts for entry in library.of(plan, part))
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
    blocks = [
        "---\ntitle: Reports of runs\nhide: [tags]\nsearch:\n  exclude: true\n---\n\n# Reports of "
        "runs\n\n"
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


# --- INDEX.md and SKILL.md in the repository ------------------------------------------------------


SKILL = "SKILL.md"
MAKER = "planbook index"
"""The generator named in both files; a file without it belongs to its author and is not
overwritten."""
INDEX_MARK = f"<!-- Made by `{MAKER}` from plans and pages. Do not edit this file. -->"

MAX_NAME, MAX_DESCRIPTION = 64, 1024
"""Maximum lengths in characters, from the specification."""
_FOLDERS = 12
"""The number of folders that SKILL.md names; the INDEX has all of them."""


def is_made(text: str) -> bool:
    """Return True if this INDEX.md or SKILL.md was generated and may be overwritten."""
    if text.startswith(INDEX_MARK):
        return True
    metadata = read_document(text).meta.get("metadata")
    return isinstance(metadata, dict) and metadata.get("made-by") == MAKER


def repository_index(library: ListedLibrary, folders: Sequence[FolderIndex]) -> str:
    """Return the INDEX of the whole base for readers of the repository.

    No HTML, and links only to files that exist.
    """
    body = index_body(library, folders, has_all_pages=False)
    return f"{INDEX_MARK}\n\n# INDEX\n\n{summary(library)}\n{body}"


def skill(
    library: ListedLibrary, folders: Sequence[FolderIndex], title: str, about: str, docs_dir: str
) -> str:
    """Return SKILL.md: what the base covers, when to use it, and how to read it."""
    written = [uri for folder in folders for uri in folder.uris if uri in library.page_by_uri]
    meta = {
        "name": skill_name(title),
        "description": _description(folders, title, about, len(written)),
        "metadata": {"made-by": MAKER},
    }
    head = yaml.safe_dump(meta, sort_keys=False, allow_unicode=True, width=100)
    docs = docs_dir.strip("/")
    listed = [
        f"{code(f'{docs}/{f.path}/')}: {pages_said(library, f.uris)}" for f in _largest(folders)
    ]
    values = {
        "title": title,
        "about": about,
        "summary": summary(library),
        "docs": docs,
        "folders": listed,
    }
    return template.render_markdown("skill.md", head=head, **values)


def skill_name(title: str) -> str:
    """Return a valid skill name derived from `title`.

    Agents expect the skill's folder to have the same name.
    """
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:MAX_NAME].strip("-") or "knowledge-base"


# --- pieces ---------------------------------------------------------------------------------------


def _description(folders: Sequence[FolderIndex], title: str, about: str, pages: int) -> str:
    topics = ", ".join(
        folder.path.replace("/", ", ").replace("-", " ") for folder in _largest(folders)
    )
    description = about.strip().rstrip(".") or f"The knowledge base {title}".strip()
    on_topics = f" on {topics}" if topics else ""
    text = f"{description}. {count(pages, 'page')} with cited sources{on_topics}. "
    when = "Use for questions on these subjects before searching elsewhere, and when adding a page."
    return " ".join((text[: MAX_DESCRIPTION - len(when) - 1].rstrip() + " " + when).split())


def _largest(folders: Sequence[FolderIndex]) -> tuple[FolderIndex, ...]:
    """Return the folders with the most pages, in the order of the INDEX."""
    named = [folder for folder in folders if folder.path and folder.uris]
    kept = sorted(named, key=lambda folder: -len(folder.uris))[:_FOLDERS]
    return tuple(folder for folder in named if folder in kept)
