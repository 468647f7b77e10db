"""The INDEX of the whole base, the INDEX of each folder, and the parts of the home page, as Markdown.

On the site, cells contain some HTML. For engines without our style sheet, and for readers of the repository, the same
tables are plain Markdown (`is_plain`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from generator.library import COUNTED, RESERVED, Entry, Library, natural_order
from generator.markdown.escape import verbatim
from generator.markdown.plain_text import count, number
from generator.markdown.safe_markdown import code, inline, table
from generator.model import PageUri, Plan, State
from generator.views.charts import state_bar
from generator.views.labels import (
    LABELS,
    distinct,
    page_description,
    page_length,
    page_title,
    relative,
    verdict,
)

INDEX = PageUri("INDEX.md")
PROGRESS = PageUri("progress.md")
GRAPH = PageUri("graph.md")
SOURCES = PageUri("sources.md")
TAGS = PageUri("tags.md")
MOST_DETAILED, MOST_LISTED = 600, 1_200
"""The numbers of pages up to which the site's INDEX has their descriptions, and their titles."""
FOLDER_INDEXES = ("index.md", "README.md")
"""File names that MkDocs treats as a folder's own page."""


@dataclass(frozen=True, slots=True)
class FolderIndex:
    """One folder of the base with the pages directly in it, in natural order."""

    path: str
    """Without a slash at the end; empty for the top."""
    uris: tuple[PageUri, ...]
    index_uri: PageUri
    """Its INDEX: the generated one, or the author's ``index.md`` or ``README.md``."""

    @property
    def title(self) -> str:
        """Its name for readers."""
        return PurePosixPath(self.path).name or "INDEX"


def folder_indexes(library: Library, excluded: frozenset[str] = frozenset()) -> tuple[FolderIndex, ...]:
    """Return the folders of the base with their pages, except the `excluded` ones, which are elsewhere in the nav."""
    by_folder: dict[str, set[PageUri]] = defaultdict(set)
    uris: list[PageUri] = [page.uri for page in library.pages] + [entry.uri for entry in library.entries]
    for uri in uris:
        if uri not in excluded and uri not in {*RESERVED, TAGS} and PurePosixPath(uri).name not in FOLDER_INDEXES:
            by_folder[uri.rpartition("/")[0]].add(uri)
    for folder in list(by_folder):  # include folders that contain only folders
        for parent in list(PurePosixPath(folder).parents)[:-1]:
            by_folder.setdefault(str(parent), set())
    return tuple(
        FolderIndex(folder, tuple(sorted(by_folder[folder], key=natural_order)), _index_uri(library, folder))
        for folder in sorted(by_folder, key=natural_order)
    )


def tags_page() -> str:
    """Return the page on which Material's plugin `tags` lists the tags, and to which they link."""
    head = _front_matter("Tags", "The pages of this base by tag.").replace("boost: 0.3", "exclude: true")
    return f"{head}# Tags\n\n<!-- material/tags -->\n"


def page_uris(stems: Iterable[str], existing: Iterable[str]) -> list[PageUri]:
    """Return the uris of generated pages: `stems` with ``.md``, and with a number if that page is `existing`."""
    names = distinct(stems, {uri.removesuffix(".md") for uri in existing})
    return [PageUri(f"{name}.md") for name in names]


def index_page(library: Library, folders: Sequence[FolderIndex], *, is_plain: bool = False) -> str:
    """Return the INDEX of the whole base: the written pages by folder, then the others by plan."""
    about = "Every page of this base: the written pages by folder, then the pages still to be written by plan."
    text = f"{_front_matter('INDEX', about)}# INDEX\n\n{summary(library)} See [progress]({PROGRESS}) for each PART.\n"
    pages = sum(len(folder.uris) for folder in folders)
    if is_plain or pages <= MOST_DETAILED:
        return text + index_body(library, folders, is_plain=is_plain)
    return text + (_titles(library, folders) if pages <= MOST_LISTED else _numbers(library, folders))


def index_body(
    library: Library, folders: Sequence[FolderIndex], *, is_plain: bool = False, has_all_pages: bool = True
) -> str:
    """Return the lists of the INDEX; without `has_all_pages`, only existing files are links."""
    listed = any(folder.uris for folder in folders)
    text = "" if listed else "\nThere are no pages yet. Add a plan to `plans/` and build again.\n"
    written = _written(library, folders)
    for n, folder in enumerate(written):
        name = f"{verbatim(folder.path)}/" if folder.path else "Top level"
        href = f"[{name}]({folder.index_uri})" if folder.path and has_all_pages else name
        text += "" if n else "\n## Written pages\n"
        text += f"\n### {href}\n\n" if len(written) > 1 else "\n"
        rows = (_written_row(library, uri, is_plain=is_plain) for uri in folder.uris)
        text += table(("Page", "Size"), rows, "lr")
    for title, plans in _unwritten(library, folders):
        text += f"\n## {title}\n"
        for plan, entries in plans:
            lines = "".join(_open_line(entry, is_plain, has_all_pages) for entry in entries)
            text += f"\n### {inline(plan.title)}\n\n{lines}"
    return text


def _titles(library: Library, folders: Sequence[FolderIndex]) -> str:
    """Return the lists of the INDEX of a large base: a link for each page, without its description and size."""
    text = "\n## Written pages\n\nFollow a folder's link for the sections of its pages.\n\n"
    for folder in _written(library, folders):
        text += f"- [{verbatim(folder.path)}/]({folder.index_uri})\n" if folder.path else "- Top level\n"
        text += "".join(f"    - {_linked(library, uri, is_plain=False)}\n" for uri in folder.uris)
    for title, plans in _unwritten(library, folders):
        text += f"\n## {title}\n\n"
        for plan, entries in plans:
            lines = "".join(f"    - [{inline(entry.title)}]({entry.uri})\n" for entry in entries)
            text += f"- {inline(plan.title)}\n{lines}"
    return text


def _numbers(library: Library, folders: Sequence[FolderIndex]) -> str:
    """Return the lists of the INDEX of a very large base: its folders and plans, with their numbers of pages."""
    text = "\n## Written pages\n\nFollow a folder's link for its pages.\n\n"
    for folder in _written(library, folders):
        if folder.path:
            text += f"- [{verbatim(folder.path)}/]({folder.index_uri}): {count(len(folder.uris), 'page')}\n"
        else:
            text += "".join(f"- {_linked(library, uri, is_plain=False)}\n" for uri in folder.uris)
    for title, plans in _unwritten(library, folders):
        text += f"\n## {title}\n\nFollow a plan's link for its pages.\n\n"
        for plan, entries in plans:
            text += f"- [{inline(plan.title)}]({PROGRESS}#{anchor(plan.slug)}): {count(len(entries), 'page')}\n"
    return text


def _written(library: Library, folders: Sequence[FolderIndex]) -> list[FolderIndex]:
    """Return the folders with their written pages only, except folders without any."""
    written = (replace(f, uris=tuple(uri for uri in f.uris if uri in library.page_by_uri)) for f in folders)
    return [folder for folder in written if folder.uris]


def _unwritten(
    library: Library, folders: Sequence[FolderIndex]
) -> Iterator[tuple[str, list[tuple[Plan, list[Entry]]]]]:
    """Yield a heading for each kind of page without a file, with the plans that have such pages."""
    listed = frozenset(uri for folder in folders for uri in folder.uris)
    waiting = [entry for entry in library.by_uri.values() if not entry.page and entry.uri in listed]
    kinds = (("Open pages", None), ("Skipped pages", State.SKIPPED), ("Disabled pages", State.DISABLED))
    for title, state in kinds:
        here = [e for e in waiting if (e.state if e.state in {State.SKIPPED, State.DISABLED} else None) is state]
        by_plan = [(plan, [entry for entry in here if entry.plan is plan]) for plan in library.plans]
        if found := [(plan, entries) for plan, entries in by_plan if entries]:
            yield title, found


def _written_row(library: Library, uri: PageUri, *, is_plain: bool) -> tuple[str, str]:
    """Return the cells of a written page: its name with its description, and its size."""
    about, name = verbatim(page_description(library, uri)), _linked(library, uri, is_plain=is_plain)
    shown = (f": {about}" if is_plain else f" <small>{about}</small>") if about else ""
    return name + shown, page_length(library.page_by_uri[uri].lines)


def _linked(library: Library, uri: PageUri, *, is_plain: bool) -> str:
    """Return a link to a written page, with the state of its PART unless that is done."""
    entry = library.by_uri.get(uri)
    state = _state(entry, is_plain=is_plain) if entry and entry.state is not State.DONE else ""
    return f"[{inline(page_title(library, uri))}]({uri}){state}"


def _open_line(entry: Entry, is_plain: bool, is_linked: bool) -> str:
    """Return a list item for a page that is not written, with its state if the heading does not say it."""
    title = inline(entry.title)
    name = f"[{title}]({entry.uri})" if is_linked else f"{title} ({code(entry.uri)})"
    about = f": {verbatim(entry.description)}" if entry.description else ""
    is_said = entry.state in {State.OPEN, State.SKIPPED, State.DISABLED}
    return f"- {name}{'' if is_said else _state(entry, is_plain=is_plain)}{about}\n"


def _state(entry: Entry, *, is_plain: bool) -> str:
    label = f"{LABELS[entry.state]}, {verdict(entry)}" if entry.is_amiss else LABELS[entry.state]
    return f" ({label})" if is_plain else f' <span class="pb-chip" data-state="{entry.state}">{label}</span>'


def folder_index(
    library: Library, folder: FolderIndex, folders: Sequence[FolderIndex], *, is_plain: bool = False
) -> str:
    """Return the INDEX of one folder: the sections of its written pages, and the folders below it."""
    uri = folder.index_uri
    written = [library.page_by_uri[u] for u in folder.uris if u in library.page_by_uri]
    text = [f"{_front_matter(folder.title, f'The contents of {folder.path}/.')}# {verbatim(folder.title)}\n"]
    text.append(f"\n{pages_said(library, folder.uris)} [INDEX]({relative(INDEX, uri)}) lists every page of the base.\n")
    below = [f for f in folders if f.path and f.path.rpartition("/")[0] == folder.path]
    text += [f"\n- [{verbatim(f.title)}/]({relative(f.index_uri, uri)}): {pages_said(library, f.uris)}" for f in below]
    if below:
        text.append("\n")
    for page in written:
        sections = " · ".join(map(verbatim, page.sections))
        text.append(
            f"\n**[{inline(page.title)}]({relative(page.uri, uri)})**{'  ' if is_plain else '<br>'}\n{sections}\n"
        )
    return "".join(text)


def home_parts(library: Library, *, is_plain: bool = False) -> Mapping[str, str]:
    """Return the parts of the home page by placeholder: ``state``, ``newest``, ``next``, ``plans``."""
    has_bar = not is_plain and any(library.counts[state] for state in COUNTED)
    bar = f"{state_bar(library.counts, 'All plans', library.missing(library.plans))}\n\n" if has_bar else ""
    return {
        "state": bar + _state_line(library),
        "newest": _newest_pages(library),
        "next": _next_pages(library),
        "plans": _plans(library, is_plain=is_plain),
    }


def home_page(library: Library, name: str, description: str, *, is_plain: bool = False) -> str:
    """Return a home page for a base without one: what can be read, what the base is, and its progress."""
    parts = home_parts(library, is_plain=is_plain)
    about = f"{verbatim(description)}\n\n" if description else ""
    return (
        f"---\ntitle: Home\n---\n\n# {verbatim(name)}\n\n{about}## Latest pages\n\n{parts['newest']}\n## About\n\n"
        "This is a knowledge base: its pages are planned, researched and written with their sources. A PART is the "
        "section of a plan that describes one page: what to find out, where to search, and what the page covers.\n\n"
        f"## Progress\n\n{parts['state']}\n## Next pages to write\n\n{parts['next']}\n## Plans\n\n{parts['plans']}"
    )


# --- pieces ------------------------------------------------------------------------------------------------------


def summary(library: Library) -> str:
    """Return the number of planned and written pages, and of plans, in words."""
    return pages_said(library, plans=len(library.plans)) if library.plans else "There are no plans yet."


def pages_said(library: Library, uris: Iterable[str] | None = None, plans: int = 0) -> str:
    """Return how many planned pages there are and how many of them are written, among all or among `uris`."""
    of = frozenset(library.by_uri if uris is None else uris)
    planned = [entry.is_there for entry in library.planned_pages if entry.uri in of]
    disabled = sum(entry.state is State.DISABLED for uri, entry in library.by_uri.items() if uri in of)
    others = len(of - library.by_uri.keys())
    are = "is" if 1 in {sum(planned), len(planned)} else "are"
    written = f"{number(sum(planned))} of {count(len(planned), 'planned page')} {are} written"
    origin = f", from {count(plans, 'plan')}" if plans else ""
    said = [written + origin] if planned or not others else []
    said += [f"{count(others, 'page')} {'has' if others == 1 else 'have'} no plan"] if others else []
    said += [f"{number(disabled)} more {'is' if disabled == 1 else 'are'} disabled"] if disabled else []
    return f"{'; '.join(said)}."


def written_of(library: Library, plan: Plan) -> str:
    """Return ``2 of 4 pages``: how many of a plan's counted PARTs have a page."""
    counted = [part for part in plan.parts if part.state in COUNTED]
    there = sum(any(entry.page for entry in library.of(plan, part)) for part in counted)
    return f"{there} of {len(counted)} pages"


def anchor(slug: str) -> str:
    """Return the id of a plan's place on the progress page."""
    return "plan-" + "".join(c if c.isalnum() else "-" for c in slug.lower()).strip("-")


def _index_uri(library: Library, folder: str) -> PageUri:
    if not folder:
        return INDEX
    own = (PageUri(f"{folder}/{name}") for name in FOLDER_INDEXES)
    return next((uri for uri in own if uri in library.page_by_uri), PageUri(f"{folder}/index.md"))


def _state_line(library: Library) -> str:
    """Return the number of pages written so far, with links to progress and INDEX."""
    links = f"[Progress, PART by PART]({PROGRESS}) · [INDEX of all pages]({INDEX})"
    return f"{summary(library)} {links}\n" if library.plans else "There are no plans yet.\n"


def _newest_pages(library: Library) -> str:
    """Return the five pages that were finished last, as a list."""
    written = [(_finished_day(e), e) for e in library.by_uri.values() if e.page]
    if not written:
        return "No planned page has been written yet.\n"
    newest = sorted(written, key=lambda pair: natural_order(pair[1].uri))
    newest = sorted(newest, key=lambda pair: pair[0], reverse=True)[:5]
    lines = "".join(_page_line(e, f", {date}" if date else "") for date, e in newest)
    more = f"- [All {number(len(written))} written pages]({INDEX}#written-pages)\n" if len(written) > 5 else ""
    return lines + more


def _next_pages(library: Library) -> str:
    """Return the first five pages that are not written yet, as a list."""
    to_do = {State.OPEN, State.PARTIAL, State.UNMARKED}
    waiting = [e for e in library.by_uri.values() if not e.page and e.state in to_do]
    if not waiting:
        return "All planned pages are written.\n"
    waiting.sort(key=lambda e: e.state is not State.PARTIAL)
    return "".join(_page_line(e, "") for e in waiting[:5])


def _page_line(entry: Entry, tail: str) -> str:
    about = f" – {verbatim(entry.description)}" if entry.description else ""
    return f"- [{inline(entry.title)}]({entry.uri}){tail}{about}\n"


def _finished_day(entry: Entry) -> str:
    """Return the day on which the page was finished, from its plan or its front matter."""
    if entry.part.completed:
        return entry.part.completed[:10]
    created = entry.page.meta_value("created") if entry.page else None
    return str(created) if created else ""


def _plans(library: Library, *, is_plain: bool) -> str:
    rows = []
    for plan in library.plans:
        topic = inline(plan.meta_value("Topic") or plan.overview or "")
        name = f"[{inline(plan.title)}]({PROGRESS}"
        name += ")" if is_plain else f"#{anchor(plan.slug)})" + (f" <small>{topic}</small>" if topic else "")
        rows.append((name, written_of(library, plan)))
    return table(("Plan", "Written"), rows, "lr") if rows else "There are no plans yet.\n"


def _front_matter(title: str, description: str) -> str:
    """Return the front matter of an INDEX, which ranks below the pages that it lists in searches."""
    title, description = (json.dumps(text, ensure_ascii=False) for text in (title, description))  # is YAML, too
    return f"---\ntitle: {title}\ndescription: {description}\nsearch:\n  boost: 0.3\n---\n\n"
