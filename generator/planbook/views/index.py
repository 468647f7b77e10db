"""The INDEX of the base and of each folder, and the page of tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from planbook.library import (
    INDEX,
    OVERVIEW,
    ListedEntry,
    ListedLibrary,
    ListedPage,
)
from planbook.markdown.escape import verbatim
from planbook.markdown.safe_markdown import code, inline
from planbook.model import EXCLUDED_STATES, PageUri, Plan, State
from planbook.views import template
from planbook.views.folders import FolderIndex
from planbook.views.page_heads import NOT_SEARCHED, list_head
from planbook.views.written import describe_pages, summary

MAX_GROUPS = 100
"""The number of plans in all folders up to which each is a heading there."""


def tags_page() -> str:
    """Return the page on which Material's plugin `tags` lists the tags, and to which they link."""
    head = list_head("Tags", "The pages of this base by tag.", NOT_SEARCHED)
    return f"{head}# Tags\n\n<!-- material/tags -->\n"


def page_uris(stems: Iterable[str], existing: Iterable[str]) -> list[PageUri]:
    """Return the uris of generated pages.

    `stems` with ``.md``, and with a number if that page is `existing`. A backslash, with which
    Zensical writes no page, is a hyphen in them.
    """
    safe_stems = (stem.replace("\\", "-") for stem in stems)
    names = template.distinct(safe_stems, {uri.removesuffix(".md") for uri in existing})
    return [PageUri(f"{name}.md") for name in names]


def base_index(library: ListedLibrary, folders: Sequence[FolderIndex]) -> str:
    """Return the INDEX of the whole base: the written pages by folder, the others by plan."""
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
    has_pages = any(folder.uris for folder in folders)
    text = (
        "" if has_pages else "\nThere are no pages yet. Add a plan to `plans/` and build again.\n"
    )
    written_folders = _written_folders(library, folders)
    if sum(len(folder.groups) for folder in written_folders) > MAX_GROUPS:
        written_folders = [replace(folder, groups=()) for folder in written_folders]
    for n, folder in enumerate(written_folders):
        name = f"{verbatim(folder.path)}/" if folder.path else "Top level"
        if folder.path and has_all_pages:
            href = f"[{name}]({template.link(folder.index_uri)})"
        else:
            href = name
        text += "" if n else "\n## Written pages\n"
        are_several = len(written_folders) > 1
        text += f"\n### {href}\n" if are_several else ""
        text += _list_folder(library, folder, "####" if are_several else "###")
    for title, plans in _unwritten_pages(library, folders):
        text += f"\n## {title}\n"
        for plan, entries in plans:
            text += f"\n### {inline(plan.title)}\n\n"
            text += "".join(_open_line(entry, has_all_pages) for entry in entries)
    return text


def _written_folders(library: ListedLibrary, folders: Sequence[FolderIndex]) -> list[FolderIndex]:
    """Return the folders with their written pages only, except folders without any."""
    folders_of_written = (
        replace(f, uris=tuple(uri for uri in f.uris if uri in library.page_by_uri)) for f in folders
    )
    return [folder for folder in folders_of_written if folder.uris]


def _list_folder(library: ListedLibrary, folder: FolderIndex, level: str) -> str:
    """Return the list of a folder's written pages; that of a long one by plan."""
    written = set(folder.uris)
    groups = [(title, [uri for uri in uris if uri in written]) for title, uris in folder.groups]
    in_groups = {uri for _, uris in groups for uri in uris}
    remaining = [uri for uri in folder.uris if uri not in in_groups]
    text = ""
    for title, uris in (*groups, ("Other pages" if groups else "", remaining)):
        heading = f"\n{level} {inline(title)}\n" if title else ""
        lines = "".join(_written_line(library, uri) for uri in uris)
        text += f"{heading}\n{lines}" if lines else ""
    return text


def _unwritten_pages(
    library: ListedLibrary, folders: Sequence[FolderIndex]
) -> Iterator[tuple[str, list[tuple[Plan, list[ListedEntry]]]]]:
    """Yield a heading for each kind of page without a file, with the plans that have such pages."""
    in_folders = frozenset(uri for folder in folders for uri in folder.uris)
    waiting = [
        entry for entry in library.by_uri.values() if not entry.page and entry.uri in in_folders
    ]
    kinds = (
        ("Open pages", None),
        ("Skipped pages", State.SKIPPED),
        ("Pages left out", State.DISABLED),
    )
    for title, state in kinds:
        of_kind = [e for e in waiting if (e.state if e.state in EXCLUDED_STATES else None) is state]
        by_plan = [
            (plan, [entry for entry in of_kind if entry.plan is plan]) for plan in library.plans
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
    head = list_head(folder.title, f"The contents of {folder.path}/.")
    text = [
        f"{head}# {verbatim(folder.title)}\n",
        f"\n{describe_pages(library, folder.uris)} "
        f"[INDEX]({template.link(INDEX, uri)}) lists every page of the base.\n",
    ]
    text += [
        f"\n- [{verbatim(f.title)}]({template.link(f.index_uri, uri)}): "
        f"{describe_pages(library, f.uris)}"
        for f in below
    ]
    if below:
        text.append("\n")
    grouped = {uri for _, uris in folder.groups for uri in uris}
    rest = tuple(uri for uri in folder.uris if uri not in grouped)
    for title, uris in (*folder.groups, ("Other pages" if folder.groups else "", rest)):
        pages = [library.page_by_uri[of] for of in uris if of in library.page_by_uri]
        if title and pages:
            text.append(f"\n## {inline(title)}\n")
        text += [_line_of_page(library, page, uri) for page in pages]
    return "".join(text)


def _line_of_page(library: ListedLibrary, page: ListedPage, uri: PageUri) -> str:
    """Return a page as the INDEX of a folder lists it: a link, and what it is about."""
    entry = library.by_uri.get(page.uri)
    if entry and entry.description:
        about = verbatim(entry.description)
    else:
        about = " · ".join(map(verbatim, page.sections))
    if page.is_collected:
        about = f"Collected passages. {about}"
    return f"\n**[{inline(page.title)}]({template.link(page.uri, uri)})**  \n{about}\n"


# --- pieces ---------------------------------------------------------------------------------------


def anchor(slug: str) -> str:
    """Return the id of a plan's place on the progress page."""
    return "plan-" + "".join(c if c.isalnum() else "-" for c in slug.lower()).strip("-")
