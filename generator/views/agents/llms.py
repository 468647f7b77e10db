"""llms.txt and llms-full.txt: the site's contents for language models (https://llmstxt.org)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import escape as escape_html

from generator.library import Library
from generator.markdown.escape import verbatim
from generator.model import PageUri
from generator.views.index import FolderIndex
from generator.views.labels import LABELS, count, number, page_description, page_title, verdict

_HOW = (
    "Each page is Markdown with front matter: what it is, the plan that asked for it, and the works that it cites "
    "(`references`, CSL). `[@id]` in a text cites the work with this id. A planned page says what is to be "
    "researched, and holds no findings yet.\n"
)


@dataclass(frozen=True, slots=True)
class LlmsLink:
    """One page as it is listed."""

    title: str
    address: str
    """Of its Markdown twin."""
    about: str = ""


LlmsSection = tuple[str, Sequence[LlmsLink]]
"""A title and the pages below it."""


def llms_txt(name: str, about: str, sections: Sequence[LlmsSection]) -> str:
    """Return the site's contents, a link with a line on each page."""
    blocks = [*_head(name, about), _HOW]
    blocks += [f"## {_line(title)}\n\n{''.join(_rows(listed))}" for title, listed in sections if listed]
    return "\n".join(blocks)


def llms_sections(
    library: Library, folders: Sequence[FolderIndex], address: Mapping[str, str]
) -> tuple[LlmsSection, ...]:
    """Return the written pages by folder, and the planned ones; `address` gives a page's twin by its uri."""
    found: list[LlmsSection] = []
    planned: list[LlmsLink] = []
    for folder in folders:
        listed = {uri: _link(library, uri, address[uri]) for uri in folder.uris if uri in address}
        written = [listed[uri] for uri in listed if uri in library.page_by_uri]
        planned += [listed[uri] for uri in listed if uri not in library.page_by_uri]
        found.append((f"{folder.path}/" if folder.path else "Top level", written))
    return (*found, ("Planned, not written yet", planned))


def llms_full_txt(name: str, about: str, pages: Sequence[tuple[LlmsLink, str]]) -> str:
    """Return all written pages in one file, each whole, after a line with its title and address."""
    words = count(sum(len(text.split()) for _, text in pages), "word")
    blocks = [*_head(name, about), f"{count(len(pages), 'page')}, {words}.\n"]
    for link, text in pages:
        title, address = escape_html(_line(link.title)), escape_html(link.address)
        blocks.append(f'\n<document title="{title}" address="{address}">\n')
        blocks.append(f"{text.strip()}\n\n</document>\n")
    return "\n".join(blocks)


def _link(library: Library, uri: PageUri, address: str) -> LlmsLink:
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
    if page:
        works = f", {count(len(page.references), 'work')} cited" if page.references else ""
        state = f"{number(page.lines)} lines{works}"
    else:
        state = f"marked done, {verdict(entry)}" if entry and entry.is_amiss else LABELS[entry.state] if entry else ""
    about = page_description(library, uri)
    return LlmsLink(page_title(library, uri), address, f"{about} ({state})" if about and state else about or state)


def _head(name: str, about: str) -> list[str]:
    return [f"# {_line(name)}\n", *([f"> {_line(about)}\n"] if about else ())]


def _rows(listed: Sequence[LlmsLink]) -> Iterator[str]:
    for link in listed:
        about = f": {_line(link.about)}" if link.about else ""
        yield f"- [{verbatim(_line(link.title))}]({link.address}){about}\n"


def _line(text: str) -> str:
    return " ".join(text.split())
