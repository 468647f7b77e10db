"""llms.txt and llms-full.txt: the site's contents for language models (https://llmstxt.org)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.library import Library
from generator.model import PageUri, State
from generator.views.index import FolderIndex
from generator.views.labels import LABELS, count, number

_HOW = (
    "Each page is Markdown with front matter: what it is, the plan that asked for it, and the works that it cites "
    "(`references`, CSL). `[@id]` in a text cites the work with this id. A planned page says what is to be "
    "researched, and holds no findings yet.\n"
)


@dataclass(frozen=True, slots=True)
class Document:
    """One page as it is listed."""

    title: str
    address: str
    """Of its Markdown twin."""
    about: str = ""


Section = tuple[str, Sequence[Document]]
"""A title and what stands below it."""


def llms_txt(name: str, about: str, sections: Sequence[Section]) -> str:
    """What the site holds, a link with a line on each page."""
    blocks = [f"# {_line(name)}\n", f"> {_line(about)}\n" if about else "", _HOW]
    blocks += [f"## {_line(title)}\n\n{''.join(_rows(listed))}" for title, listed in sections if listed]
    return "\n".join(block for block in blocks if block)


def sections(library: Library, folders: Sequence[FolderIndex], address: Mapping[str, str]) -> tuple[Section, ...]:
    """The written pages by folder, and those that are planned; `address` gives a page's twin by its uri."""
    found: list[Section] = []
    planned: list[Document] = []
    for folder in folders:
        listed = {uri: document(library, uri, address[uri]) for uri in folder.uris if uri in address}
        written = [listed[uri] for uri in listed if uri in library.page_by_uri]
        planned += [listed[uri] for uri in listed if uri not in library.page_by_uri]
        found.append((f"{folder.path}/" if folder.path else "Top level", written))
    return (*found, ("Planned, not written yet", planned))


def llms_full_txt(name: str, about: str, pages: Sequence[tuple[Document, str]]) -> str:
    """All written pages in one file: each whole, behind a line that says which it is and where it stands."""
    words = count(sum(len(text.split()) for _, text in pages), "word")
    blocks = [f"# {_line(name)}\n", f"> {_line(about)}\n" if about else "", f"{count(len(pages), 'page')}, {words}.\n"]
    for document, text in pages:
        blocks.append(f"\n<document title={_quoted(document.title)} address={_quoted(document.address)}>\n")
        blocks.append(f"{text.strip()}\n\n</document>\n")
    return "\n".join(block for block in blocks if block)


def document(library: Library, uri: PageUri, address: str) -> Document:
    """A page of the base, written or planned."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
    title = page.title if page else entry.title if entry else uri
    about = page.description if page and page.description else entry.description if entry else ""
    return Document(title, address, f"{about}{_state(library, uri)}" if about else _state(library, uri).strip(" ()"))


def _state(library: Library, uri: PageUri) -> str:
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
    if page is None:
        said = (
            "marked done, page missing" if entry and entry.state is State.DONE else LABELS[entry.state] if entry else ""
        )
        return f" ({said})" if said else ""
    works = f", {count(len(page.references), 'work')} cited" if page.references else ""
    return f" ({number(page.lines)} lines{works})"


def _section(title: str, listed: Sequence[Document]) -> str:
    return f"## {_line(title)}\n\n" + "".join(_rows(listed))


def _rows(listed: Sequence[Document]) -> Iterator[str]:
    for document in listed:
        about = f": {_line(document.about)}" if document.about else ""
        title = re.sub(r"([\[\]\\])", r"\\\1", _line(document.title))
        yield f"- [{title}]({document.address}){about}\n"


def _line(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return '"' + _line(text).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;") + '"'
