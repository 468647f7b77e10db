"""The INDEX of the whole base, the INDEX of each folder, and the parts of the home page. Markdown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from generator.library import COUNTED, RESERVED, Entry, Library, natural_order
from generator.model import Page, PageUri, Plan, State
from generator.views.charts import state_bar
from generator.views.markdown import escape, inline, table
from generator.views.placeholder import relative
from generator.views.words import LABELS, count, number, size

INDEX = PageUri("INDEX.md")
PROGRESS = PageUri("progress.md")
GRAPH = PageUri("graph.md")
SOURCES = PageUri("sources.md")
FOLDER_INDEXES = ("index.md", "README.md")
"""What MkDocs takes for a folder's own page."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """One folder of the base with the pages that lie directly in it, in natural order."""

    folder: str
    """Its path without a slash at the end; empty for the top."""
    uris: tuple[PageUri, ...]
    index_uri: PageUri
    """Its INDEX: ours, or the author's own ``index.md`` or ``README.md``."""

    @property
    def title(self) -> str:
        """What a reader calls it."""
        return PurePosixPath(self.folder).name or "INDEX"


def shelves(library: Library, excluded: frozenset[str] = frozenset()) -> tuple[Shelf, ...]:
    """The folders of the base with their pages; `excluded` names pages that stand elsewhere in the site."""
    by_folder: dict[str, set[PageUri]] = defaultdict(set)
    uris: list[PageUri] = [page.uri for page in library.pages] + [entry.uri for entry in library.entries]
    for uri in uris:
        if uri not in excluded and uri not in RESERVED and PurePosixPath(uri).name not in FOLDER_INDEXES:
            by_folder[uri.rpartition("/")[0]].add(uri)
    for folder in list(by_folder):  # a folder that holds only folders is one too
        for parent in list(PurePosixPath(folder).parents)[:-1]:
            by_folder.setdefault(str(parent), set())
    return tuple(
        Shelf(folder, tuple(sorted(by_folder[folder], key=natural_order)), _index_uri(library, folder))
        for folder in sorted(by_folder, key=natural_order)
    )


def _index_uri(library: Library, folder: str) -> PageUri:
    if not folder:
        return INDEX
    own = (PageUri(f"{folder}/{name}") for name in FOLDER_INDEXES)
    return next((uri for uri in own if uri in library.page_by_uri), PageUri(f"{folder}/index.md"))


def index_page(library: Library, every: Sequence[Shelf]) -> str:
    """The INDEX of the whole base: every page with description, state and size, by folder."""
    body = [
        f"{_front_matter('INDEX', 'Every page of this base, with its state and size.')}# INDEX\n\n{_summary(library)}\n"
    ]
    for shelf in every:
        if shelf.uris:
            title = f"[{escape(shelf.folder)}/]({shelf.index_uri})" if shelf.folder else "Top level"
            body.append(f"\n## {title}\n\n{_rows(library, shelf.uris, INDEX)}")
    if len(body) == 1:
        body.append("\nThere is no page yet. Write a plan into `plans/` and build again.\n")
    return "".join(body)


def folder_index(library: Library, shelf: Shelf, every: Sequence[Shelf]) -> str:
    """The INDEX of one folder, with the folders below it."""
    uri = shelf.index_uri
    entries = [library.by_uri[u] for u in shelf.uris if u in library.by_uri]
    there = sum(u in library.page_by_uri for u in shelf.uris)
    plans = {e.plan.uri: e.plan for e in entries}
    text = [f"{_front_matter(shelf.title, f'All pages in {shelf.folder}/.')}# {escape(shelf.title)}\n"]
    text.append(f"\n{count(len(shelf.uris), 'page')}, {number(there)} of them written. ")
    text.append(f"[INDEX of the whole base]({relative(INDEX, uri)})\n")
    below = [s for s in every if s.folder.rpartition("/")[0] == shelf.folder and s.folder]
    text += [f"\n- [{escape(s.title)}/]({relative(s.index_uri, uri)}) – {count(len(s.uris), 'page')}" for s in below]
    if below:
        text.append("\n")
    if shelf.uris:
        text.append(f"\n{_rows(library, shelf.uris, uri)}")
    if plans:
        titles = "; ".join(sorted(escape(plan.title) for plan in plans.values()))
        text.append(f"\nPlanned in: {titles}. See [progress]({relative(PROGRESS, uri)}).\n")
    return "".join(text)


def home_parts(library: Library) -> Mapping[str, str]:
    """What the home page shows of the base, by the name of its place: ``state``, ``newest``, ``next``, ``plans``."""
    return {
        "state": _state(library),
        "newest": newest_pages(library),
        "next": next_pages(library),
        "plans": _plans(library),
    }


def home_page(library: Library, name: str, description: str) -> str:
    """A home page for a base whose author wrote none."""
    parts = home_parts(library)
    about = f"{escape(description)}\n\n" if description else ""
    return (
        f"---\ntitle: Home\n---\n\n# {escape(name)}\n\n{about}This is a knowledge base: pages that are researched by "
        "plan, cite their sources, and say how far they have come.\n\n"
        f"## State\n\n{parts['state']}\n## Newest pages\n\n{parts['newest']}\n"
        f"## Next to be written\n\n{parts['next']}\n## Plans\n\n{parts['plans']}"
    )


# --- pieces ------------------------------------------------------------------------------------------------------


def _rows(library: Library, uris: Iterable[PageUri], page: PageUri) -> str:
    return table(("Page", "State", "Size"), (_row(library, uri, page) for uri in uris), "llr")


def _row(library: Library, uri: PageUri, page: PageUri) -> tuple[str, str, str]:
    entry, there = library.by_uri.get(uri), library.page_by_uri.get(uri)
    title = there.title if there else entry.title if entry else uri
    description = there.description if there and there.description else entry.description if entry else ""
    name = f"[{inline(title)}]({relative(uri, page)})"
    about = f"<br><small>{escape(description)}</small>" if description else ""
    return f"{name}{about}", _chip(entry, there), _size(entry, there)


def _chip(entry: Entry | None, page: Page | None) -> str:
    if entry is None:
        return '<span class="pb-chip" data-state="page">page</span>'
    chip = f'<span class="pb-chip" data-state="{entry.state}">{LABELS[entry.state]}</span>'
    verdict = "page missing" if entry.state is State.DONE and not page else "page is there" if entry.is_amiss else ""
    return f'{chip} <strong class="pb-verdict">{verdict}</strong>' if verdict else chip


def _size(entry: Entry | None, page: Page | None) -> str:
    if page:
        return f"{number(page.lines)} lines"
    return size(entry) if entry else ""


def _summary(library: Library) -> str:
    total = sum(library.counts[s] for s in COUNTED)
    written = sum(1 for uri in library.by_uri if uri in library.page_by_uri)
    return (
        f"{count(len(library.plans), 'plan')} with {count(total, 'PART')}; {count(written, 'planned page')} written. "
        f"See [progress]({PROGRESS}) for each PART.\n"
    )


def _state(library: Library) -> str:
    bar = state_bar(library.counts, "All plans", library.missing(library.plans))
    is_planned = any(library.counts[state] for state in COUNTED)
    return f"{bar}\n\n{state_line(library)}" if is_planned else state_line(library)


def state_line(library: Library) -> str:
    """How many of the planned pages are written, in a sentence, with the ways on."""
    total = sum(library.counts[s] for s in COUNTED)
    if not total:
        return "There is no plan yet.\n"
    disabled = library.counts[State.DISABLED]
    there = sum(1 for uri, e in library.by_uri.items() if uri in library.page_by_uri and e.state is not State.DISABLED)
    off = f", and {number(disabled)} switched off" if disabled else ""
    written = f"**{number(there)} of {count(total, 'planned page')}** {'is' if there == 1 else 'are'} written"
    if not there:
        written = f"**No page is written yet**; {count(total, 'page')} {'is' if total == 1 else 'are'} planned"
    return (
        f"{written}, from {count(len(library.plans), 'plan')}{off}. "
        f"[Progress, PART by PART]({PROGRESS}) · [INDEX of all pages]({INDEX})\n"
    )


def newest_pages(library: Library) -> str:
    """The five pages that were finished last, as a list."""
    written = [(_finished(e), e) for e in library.by_uri.values() if e.page]
    if not written:
        return "No planned page is written yet.\n"
    newest = sorted(written, key=lambda pair: natural_order(pair[1].uri))
    newest = sorted(newest, key=lambda pair: pair[0], reverse=True)[:5]
    return "".join(_line(e, f", {date}" if date else "") for date, e in newest)


def next_pages(library: Library) -> str:
    """The first five pages that are still to be written, as a list."""
    to_do = {State.OPEN, State.PARTIAL, State.UNMARKED}
    waiting = [e for e in library.by_uri.values() if not e.page and e.state in to_do]
    if not waiting:
        return "Every planned page is written.\n"
    waiting.sort(key=lambda e: e.state is not State.PARTIAL)
    return "".join(_line(e, "") for e in waiting[:5])


def _line(entry: Entry, tail: str) -> str:
    about = f" – {escape(entry.description)}" if entry.description else ""
    return f"- [{inline(entry.title)}]({entry.uri}){tail}{about}\n"


def _finished(entry: Entry) -> str:
    """The day the page was finished, for sorting and showing: the plan's word, else the page's own."""
    if entry.part.completed:
        return entry.part.completed[:10]
    created = entry.page.meta_value("created") if entry.page else None
    return str(created) if created else ""


def _plans(library: Library) -> str:
    rows = []
    for plan in library.plans:
        topic = plan.meta_value("Topic") or plan.overview
        about = f"<br><small>{inline(topic)}</small>" if topic else ""
        rows.append((f"[{inline(plan.title)}]({PROGRESS}#{anchor(plan.slug)}){about}", written_of(library, plan)))
    return table(("Plan", "Written"), rows, "lr") if rows else "There is no plan yet.\n"


def written_of(library: Library, plan: Plan) -> str:
    """``2 of 4 pages``: how many of a plan's PARTs that count have a page."""
    counted = [part for part in plan.parts if part.state in COUNTED]
    there = sum(any(entry.page for entry in library.of(plan, part)) for part in counted)
    return f"{there} of {len(counted)} pages"


def anchor(slug: str) -> str:
    """The id of a plan's place on the progress page."""
    return "plan-" + "".join(c if c.isalnum() else "-" for c in slug.lower()).strip("-")


def _front_matter(title: str, description: str) -> str:
    """An INDEX's; in a search, the pages that it lists come before it."""
    return f"---\ntitle: {_yaml(title)}\ndescription: {_yaml(description)}\nsearch:\n  boost: 0.3\n---\n\n"


def _yaml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
