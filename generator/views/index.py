"""The INDEX of the whole base, the INDEX of each folder, and the parts of the home page, as Markdown."""

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


def index_page(library: Library, folders: Sequence[FolderIndex]) -> str:
    """Return the INDEX of the whole base: the written pages by folder, then the others by plan."""
    about = "Every page of this base: the written pages by folder, then the pages still to be written by plan."
    head = f"{_front_matter('INDEX', about)}# INDEX\n\n{summary(library)} See [progress]({PROGRESS}) for each PART.\n"
    return head + index_body(library, folders)


def index_body(library: Library, folders: Sequence[FolderIndex], *, has_all_pages: bool = True) -> str:
    """Return the lists of the INDEX; without `has_all_pages`, only existing files are links."""
    listed = any(folder.uris for folder in folders)
    text = "" if listed else "\nThere are no pages yet. Add a plan to `plans/` and build again.\n"
    written = _written(library, folders)
    for n, folder in enumerate(written):
        name = f"{verbatim(folder.path)}/" if folder.path else "Top level"
        href = f"[{name}]({folder.index_uri})" if folder.path and has_all_pages else name
        text += "" if n else "\n## Written pages\n"
        text += f"\n### {href}\n\n" if len(written) > 1 else "\n"
        text += "".join(_written_line(library, uri) for uri in folder.uris)
    for title, plans in _unwritten(library, folders):
        text += f"\n## {title}\n"
        for plan, entries in plans:
            text += f"\n### {inline(plan.title)}\n\n{''.join(_open_line(entry, has_all_pages) for entry in entries)}"
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


def _written_line(library: Library, uri: PageUri) -> str:
    """Return a list item for a written page, with the state of its PART unless that is done."""
    entry = library.by_uri.get(uri)
    state = f"{_state(entry)}, " if entry and entry.state is not State.DONE else ""
    about = verbatim(page_description(library, uri))
    name = f"[{inline(page_title(library, uri))}]({uri})"
    return f"- {name} ({state}{page_length(library.page_by_uri[uri].lines)}){f': {about}' if about else ''}\n"


def _open_line(entry: Entry, is_linked: bool) -> str:
    """Return a list item for a page that is not written, with its state if the heading does not say it."""
    title = inline(entry.title)
    name = f"[{title}]({entry.uri})" if is_linked else f"{title} ({code(entry.uri)})"
    about = f": {verbatim(entry.description)}" if entry.description else ""
    is_said = entry.state in {State.OPEN, State.SKIPPED, State.DISABLED}
    return f"- {name}{'' if is_said else f' ({_state(entry)})'}{about}\n"


def _state(entry: Entry) -> str:
    return f"{LABELS[entry.state]}, {verdict(entry)}" if entry.is_amiss else LABELS[entry.state]


def folder_index(library: Library, folder: FolderIndex, folders: Sequence[FolderIndex]) -> str:
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
        text.append(f"\n**[{inline(page.title)}]({relative(page.uri, uri)})**  \n{sections}\n")
    return "".join(text)


def home_parts(library: Library) -> Mapping[str, str]:
    """Return the parts of the home page by placeholder: ``state``, ``newest``, ``next``, ``plans``."""
    has_bar = any(library.counts[state] for state in COUNTED)
    bar = f"{state_bar(library.counts, 'All plans', library.missing(library.plans))}\n\n" if has_bar else ""
    return {
        "state": bar + _state_line(library),
        "newest": _newest_pages(library),
        "next": _next_pages(library),
        "plans": _plans(library),
    }


def home_page(library: Library, name: str, description: str) -> str:
    """Return a home page for a base without one: what can be read, what the base is, and its progress."""
    parts = home_parts(library)
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


def _plans(library: Library) -> str:
    rows = []
    for plan in library.plans:
        topic = inline(plan.meta_value("Topic") or plan.overview or "")
        name = f"[{inline(plan.title)}]({PROGRESS}#{anchor(plan.slug)}){f': {topic}' if topic else ''}"
        rows.append((name, written_of(library, plan)))
    return table(("Plan", "Written"), rows, "lr") if rows else "There are no plans yet.\n"


def _front_matter(title: str, description: str) -> str:
    """Return the front matter of an INDEX, which ranks below the pages that it lists in searches."""
    title, description = (json.dumps(text, ensure_ascii=False) for text in (title, description))  # is YAML, too
    return f"---\ntitle: {title}\ndescription: {description}\nsearch:\n  boost: 0.3\n---\n\n"
