"""Output for programs: Markdown twins of pages, llms.txt (https://llmstxt.org), and an Atom feed (RFC 4287).

A twin has the same path in the site as its file in the documentation folder, so that links between files work:
``cuda/10-x.md`` next to ``cuda/10-x/index.html``, whose address is ``cuda/10-x/``. Dates in the feed come from plans
and git, never from the build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import escape as escape_html

from generator.citations.references import references_block, with_references
from generator.library import Entry, Library
from generator.library.pages import parse_page, render_page
from generator.markdown import escape, front_matter
from generator.markdown.plain_text import count
from generator.model import Page, PageUri, State
from generator.views import checks, frame, index
from generator.views.template import LABELS, page_description, page_length, page_title, render_template, verdict
from generator.views.works import csl_item


def twin(text: str, page: Page | None, planned: dict[str, object]) -> str:
    """Return a page's `text` with title, description, plan, PART (as in `planned`) and works cited in its front matter.

    Existing values and the body are left unchanged, byte for byte. Unreadable front matter is treated as text.
    """
    meta: dict[str, object] = {}
    if page:
        meta = {"title": page.title, "description": page.description}
    meta |= planned
    works = [csl_item(work) for work in page.references] if page else []
    try:
        return with_front_matter(text, {key: value for key, value in meta.items() if value not in ("", None)}, works)
    except ValueError:
        return text


def with_front_matter(text: str, added: Mapping[str, object], works: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return `text` with missing keys of `added` and missing `works`, CSL items, added to its front matter.

    Raises ValueError if the front matter is not YAML.
    """
    meta, _ = front_matter.split_front_matter(text)
    missing = {key: value for key, value in added.items() if key not in meta}
    span = front_matter.front_matter_span(text)
    if meta and not span:  # MultiMarkdown metadata, which other tools do not support
        missing, text = {**meta, **missing}, text[front_matter.body_start(text) :]
    lines = render_page(missing, "").removeprefix("---\n").rpartition("\n---\n")[0] + "\n" if missing else ""
    if span:
        newline = "\r\n" if text[: span[0]].endswith("\r\n") else "\n"
        return with_references(text[: span[1]] + lines.replace("\n", newline) + text[span[1] :], works)
    lines += references_block(works)  # separately, so that it cannot conflict with other keys
    return f"---\n{lines}---\n\n{text.removeprefix(chr(0xFEFF))}" if lines else text


FEED = "feed.xml"
MAX_ENTRIES = 100

FeedEntry = tuple[Entry, str]
"""A finished page, and the day on which it was finished, ``YYYY-MM-DD``."""


def feed_entries(library: Library, committed: Callable[[str], str | None] = lambda uri: None) -> tuple[FeedEntry, ...]:
    """Return the PARTs that are marked done and whose page exists, newest first.

    Dates come from the plan, otherwise from `committed`, the day of a page's first commit by uri. Pages without a date
    are omitted.
    """
    finished = [entry for entry in library.by_uri.values() if entry.state is State.DONE and entry.page]
    dated = [(entry, checks.day_of(entry.part.completed) or checks.day_of(committed(entry.uri))) for entry in finished]
    by_uri = sorted((pair for pair in dated if pair[1]), key=lambda pair: pair[0].uri)
    return tuple(sorted(by_uri, key=lambda pair: pair[1], reverse=True))


def feed(name: str, about: str, site_url: str, entries: Sequence[FeedEntry], url_of: Callable[[str], str]) -> str:
    """Return the feed as XML; empty without entries. `url_of` returns a page's address.

    An entry's id is its page's address, or a ``tag:`` URI with the page's path if the site's address is unknown.
    """
    if not entries:
        return ""
    base = site_url.rstrip("/") + "/" if site_url else ""
    tag, entries = "tag:planbook.invalid,2025:", entries[:MAX_ENTRIES]
    text = render_template("feed.xml", name=name, about=about, base=base, tag=tag, entries=entries, url_of=url_of)
    return f"{text}\n"


_HOW = (
    "Each page is Markdown with front matter: title, description, plan, and the works that it cites "
    "(`references`, CSL). `[@id]` in a text cites the work with this id. A planned page lists what will be "
    "researched and has no findings yet.\n"
)


@dataclass(frozen=True, slots=True)
class LlmsLink:
    """One listed page."""

    title: str
    address: str
    """The address of its Markdown twin."""
    about: str = ""


LlmsSection = tuple[str, Sequence[LlmsLink]]
"""A title and the pages below it."""


def llms_sections(
    library: Library, folders: Sequence[index.FolderIndex], address: Mapping[str, str]
) -> tuple[LlmsSection, ...]:
    """Return the written pages by folder, and the planned ones; `address` returns the address of a page's twin."""
    found: list[LlmsSection] = []
    planned: list[LlmsLink] = []
    for folder in folders:
        listed = {uri: _link(library, uri, address[uri]) for uri in folder.uris if uri in address}
        written = [listed[uri] for uri in listed if uri in library.page_by_uri]
        planned += [listed[uri] for uri in listed if uri not in library.page_by_uri]
        found.append((f"{folder.path}/" if folder.path else "Top level", written))
    return (*found, ("Planned, not written yet", planned))


def _link(library: Library, uri: PageUri, address: str) -> LlmsLink:
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
    if page:
        works = f", {count(len(page.references), 'work')} cited" if page.references else ""
        state = f"{page_length(page.lines)}{works}"
    else:
        state = f"marked done, {verdict(entry)}" if entry and entry.is_amiss else LABELS[entry.state] if entry else ""
    about = page_description(library, uri)
    return LlmsLink(page_title(library, uri), address, f"{about} ({state})" if about and state else about or state)


def _head(site: frame.Site) -> list[str]:
    return [f"# {_line(site.name)}\n", *([f"> {_line(site.description)}\n"] if site.description else ())]


def _row(link: LlmsLink) -> str:
    about = f": {_line(link.about)}" if link.about else ""
    return f"- [{escape.verbatim(_line(link.title))}]({link.address}){about}\n"


def _line(text: str) -> str:
    return " ".join(text.split())


LLMS, LLMS_FULL = "llms.txt", "llms-full.txt"


@dataclass(frozen=True, slots=True)
class SitePage:
    """One page of the site, whether it belongs to the base or not."""

    uri: str
    url: str
    """Its address from the site's root."""
    about: Callable[[], tuple[str, str]]
    """Returns its title and description."""
    twin: Callable[[], str]
    """Reads its Markdown twin, as `generator.views.agents` makes it."""


def listing_files(
    library: Library,
    folders: Sequence[index.FolderIndex],
    site: frame.Site,
    pages: Sequence[SitePage],
    finished: Sequence[FeedEntry],
) -> Iterator[tuple[str, str]]:
    """Yield the files that list the site's pages; `finished` are the entries of the feed, the newest first."""
    root = _root(site)
    address, urls = {page.uri: root + page.uri for page in pages}, {page.uri: root + page.url for page in pages}
    base = {uri for folder in folders for uri in folder.uris}
    xml = feed(site.name, site.description, site.url, finished, lambda uri: urls.get(uri, uri))
    optional = [
        LlmsLink("All written pages in one file", root + LLMS_FULL),
        LlmsLink("Progress as JSON", f"{root}progress.json", "what the plans claim and what exists"),
        *([LlmsLink("Feed of finished pages", f"{root}{FEED}", "Atom")] if xml else ()),
        *(_beside(page, address[page.uri]) for page in pages if page.uri not in base),
    ]
    sections = (*llms_sections(library, folders, address), ("Optional", optional))
    blocks = [*_head(site), _HOW]
    blocks += [f"## {_line(title)}\n\n{''.join(map(_row, listed))}" for title, listed in sections if listed]
    yield LLMS, "\n".join(blocks)
    if xml:
        yield FEED, xml


def whole_text(library: Library, base: frozenset[str], site: frame.Site, pages: Sequence[SitePage]) -> tuple[str, str]:
    """Return path and text of the file with the twins of all written pages of the `base`, with title and address."""
    known = library.page_by_uri
    blocks, words, number = list[str](), 0, 0
    for page in pages:
        if page.uri in base and page.uri in known:
            text = page.twin()
            words, number = words + len(text.split()), number + 1
            title, address = escape_html(_line(known[page.uri].title)), escape_html(_root(site) + page.uri)
            blocks += [f'\n<document title="{title}" address="{address}">\n', f"{text.strip()}\n\n</document>\n"]
    return LLMS_FULL, "\n".join([*_head(site), f"{count(number, 'page')}, {count(words, 'word')}.\n", *blocks])


def _root(site: frame.Site) -> str:
    return site.url.rstrip("/") + "/" if site.url else ""


def _beside(page: SitePage, address: str) -> LlmsLink:
    title, about = page.about()
    return LlmsLink(title, address, about)


def title_and_description(text: str, uri: str) -> tuple[str, str]:
    """Return the title and the description of a page, from its Markdown file."""
    parsed, _ = parse_page(text, uri)
    return parsed.title, parsed.description
