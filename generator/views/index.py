"""The INDEX of the whole base, the INDEX of each folder, and the parts of the home page, as Markdown.

On the site, cells contain some HTML. For engines without our style sheet, and for readers of the repository, the same
tables are plain Markdown (`is_plain`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from generator.library import COUNTED, RESERVED, Entry, Library, natural_order
from generator.markdown.escape import verbatim
from generator.markdown.safe_markdown import code, inline, table
from generator.model import PageUri, Plan, State
from generator.views.charts import state_bar
from generator.views.labels import (
    LABELS,
    count,
    distinct,
    number,
    page_description,
    page_size,
    page_title,
    relative,
    verdict,
)

INDEX = PageUri("INDEX.md")
PROGRESS = PageUri("progress.md")
GRAPH = PageUri("graph.md")
SOURCES = PageUri("sources.md")
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
        if uri not in excluded and uri not in RESERVED and PurePosixPath(uri).name not in FOLDER_INDEXES:
            by_folder[uri.rpartition("/")[0]].add(uri)
    for folder in list(by_folder):  # include folders that contain only folders
        for parent in list(PurePosixPath(folder).parents)[:-1]:
            by_folder.setdefault(str(parent), set())
    return tuple(
        FolderIndex(folder, tuple(sorted(by_folder[folder], key=natural_order)), _index_uri(library, folder))
        for folder in sorted(by_folder, key=natural_order)
    )


def page_uris(stems: Iterable[str], existing: Iterable[str]) -> list[PageUri]:
    """Return the uris of generated pages: `stems` with ``.md``, and with a number if that page is `existing`."""
    names = distinct(stems, {uri.removesuffix(".md") for uri in existing})
    return [PageUri(f"{name}.md") for name in names]


def index_page(library: Library, folders: Sequence[FolderIndex], *, is_plain: bool = False) -> str:
    """Return the INDEX of the whole base: every page with description, state and size, by folder."""
    head = _front_matter("INDEX", "Every page of this base, with its state and size.")
    text = f"{head}# INDEX\n\n{summary(library)} See [progress]({PROGRESS}) for each PART.\n\n"
    tables = folder_tables(
        folders,
        lambda folder: f"[{verbatim(folder.path)}/]({folder.index_uri})",
        lambda uri: page_row(library, uri, INDEX, is_plain=is_plain),
    )
    return text + (tables or "\nThere are no pages yet. Add a plan to `plans/` and build again.\n")


def folder_index(
    library: Library, folder: FolderIndex, folders: Sequence[FolderIndex], *, is_plain: bool = False
) -> str:
    """Return the INDEX of one folder, with the folders below it."""
    uri = folder.index_uri
    plans = {library.by_uri[u].plan.uri: library.by_uri[u].plan.title for u in folder.uris if u in library.by_uri}
    there = sum(u in library.page_by_uri for u in folder.uris)
    text = [f"{_front_matter(folder.title, f'All pages in {folder.path}/.')}# {verbatim(folder.title)}\n"]
    text.append(f"\n{count(len(folder.uris), 'page')}, {number(there)} of them written. ")
    text.append(f"[INDEX of the whole base]({relative(INDEX, uri)})\n")
    below = [f for f in folders if f.path and f.path.rpartition("/")[0] == folder.path]
    text += [f"\n- [{verbatim(f.title)}/]({relative(f.index_uri, uri)}) – {count(len(f.uris), 'page')}" for f in below]
    if below:
        text.append("\n")
    if folder.uris:
        text.append(f"\n{_table(page_row(library, u, uri, is_plain=is_plain) for u in folder.uris)}")
    if plans:
        titles = "; ".join(sorted(map(verbatim, plans.values())))
        text.append(f"\nPlanned in: {titles}. See [progress]({relative(PROGRESS, uri)}).\n")
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
    """Return a home page for a base without one."""
    parts = home_parts(library, is_plain=is_plain)
    about = f"{verbatim(description)}\n\n" if description else ""
    return (
        f"---\ntitle: Home\n---\n\n# {verbatim(name)}\n\n{about}This is a knowledge base of pages researched by "
        "plan, cite their sources, and show their state.\n\n"
        f"## State\n\n{parts['state']}\n## Newest pages\n\n{parts['newest']}\n"
        f"## Next pages to write\n\n{parts['next']}\n## Plans\n\n{parts['plans']}"
    )


# --- pieces ------------------------------------------------------------------------------------------------------


def folder_tables(
    folders: Iterable[FolderIndex],
    heading: Callable[[FolderIndex], str],
    row: Callable[[PageUri], tuple[str, ...]],
) -> str:
    """Return a section for each folder with pages, with their table."""
    return "".join(
        f"\n## {heading(folder) if folder.path else 'Top level'}\n\n{_table(map(row, folder.uris))}"
        for folder in folders
        if folder.uris
    )


def page_row(
    library: Library, uri: PageUri, page: PageUri, *, is_plain: bool = False, is_linked: bool = True
) -> tuple[str, str, str]:
    """Return the cells of one page in a table on `page`: name with description, state, size."""
    entry, size = library.by_uri.get(uri), page_size(library, uri)
    title, about = inline(page_title(library, uri)), verbatim(page_description(library, uri))
    name = f"[{title}]({relative(uri, page)})" if is_linked else f"{title} ({code(uri)})"
    state, label, difference = (entry.state, LABELS[entry.state], verdict(entry)) if entry else ("page", "page", "")
    if is_plain:
        return f"{name}: {about}" if about else name, f"{label}, {difference}" if difference else label, size
    name += f"<br><small>{about}</small>" if about else ""
    chip = f'<span class="pb-chip" data-state="{state}">{label}</span>'
    return name, f'{chip} <strong class="pb-verdict">{difference}</strong>' if difference else chip, size


def summary(library: Library) -> str:
    """Return the number of plans, PARTs and written pages, in words."""
    total = sum(library.counts[state] for state in COUNTED)
    written = sum(uri in library.page_by_uri for uri in library.by_uri)
    return f"{count(len(library.plans), 'plan')} with {count(total, 'PART')}; {count(written, 'planned page')} written."


def written_of(library: Library, plan: Plan) -> str:
    """Return ``2 of 4 pages``: how many of a plan's counted PARTs have a page."""
    counted = [part for part in plan.parts if part.state in COUNTED]
    there = sum(any(entry.page for entry in library.of(plan, part)) for part in counted)
    return f"{there} of {len(counted)} pages"


def anchor(slug: str) -> str:
    """Return the id of a plan's place on the progress page."""
    return "plan-" + "".join(c if c.isalnum() else "-" for c in slug.lower()).strip("-")


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    return table(("Page", "State", "Size"), rows, "llr")


def _index_uri(library: Library, folder: str) -> PageUri:
    if not folder:
        return INDEX
    own = (PageUri(f"{folder}/{name}") for name in FOLDER_INDEXES)
    return next((uri for uri in own if uri in library.page_by_uri), PageUri(f"{folder}/index.md"))


def _state_line(library: Library) -> str:
    """Return a sentence on the number of pages written so far, with links to progress and INDEX."""
    planned = [entry for entry in library.by_uri.values() if entry.state in COUNTED]
    if not library.counted_parts:
        return "There are no plans yet.\n"
    total, there = len(planned), sum(entry.is_there for entry in planned)
    disabled = library.counts[State.DISABLED]
    off = f", and {number(disabled)} disabled" if disabled else ""
    written = f"**{number(there)} of {count(total, 'planned page')}** {'is' if there == 1 else 'are'} written"
    if not there:
        written = f"**No page is written yet**; {count(total, 'page')} {'is' if total == 1 else 'are'} planned"
    return (
        f"{written}, from {count(len(library.plans), 'plan')}{off}. "
        f"[Progress, PART by PART]({PROGRESS}) · [INDEX of all pages]({INDEX})\n"
    )


def _newest_pages(library: Library) -> str:
    """Return the five pages that were finished last, as a list."""
    written = [(_finished_day(e), e) for e in library.by_uri.values() if e.page]
    if not written:
        return "No planned page has been written yet.\n"
    newest = sorted(written, key=lambda pair: natural_order(pair[1].uri))
    newest = sorted(newest, key=lambda pair: pair[0], reverse=True)[:5]
    return "".join(_page_line(e, f", {date}" if date else "") for date, e in newest)


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
        name += ")" if is_plain else f"#{anchor(plan.slug)})" + (f"<br><small>{topic}</small>" if topic else "")
        rows.append((name, written_of(library, plan)))
    return table(("Plan", "Written"), rows, "lr") if rows else "There are no plans yet.\n"


def _front_matter(title: str, description: str) -> str:
    """Return the front matter of an INDEX, which ranks below the pages that it lists in searches."""
    return f"---\ntitle: {_yaml(title)}\ndescription: {_yaml(description)}\nsearch:\n  boost: 0.3\n---\n\n"


def _yaml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
