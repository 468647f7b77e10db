"""Markdown twins of pages, and llms.txt (https://llmstxt.org).

A twin has the same path in the site as its file in the documentation folder, so that links between
files work: ``cuda/10-x.md`` next to ``cuda/10-x/index.html``, whose address is ``cuda/10-x/``.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from planbook.citations.additions import add_references, references_block
from planbook.library import ListedLibrary
from planbook.library.pages import parse_page, render_page
from planbook.markdown import front_matter
from planbook.markdown.plain_text import count
from planbook.model import Page, PageUri
from planbook.views import frame
from planbook.views.bibliography.csl import csl_item
from planbook.views.folders import FolderIndex
from planbook.views.progress import DATA
from planbook.views.template import (
    difference_on_disk,
    page_description,
    page_title,
    reading_time,
    render_template,
)


def twin(text: str, page: Page | None, planned: dict[str, object]) -> str:
    """Return a page's `text` with its facts in its front matter.

    They are title, description, plan and PART (as in `planned`), and works cited. Existing values
    and the body are left unchanged, byte for byte. Unreadable front matter is treated as text.
    """
    meta: dict[str, object] = {}
    if page:
        meta = {"title": page.title, "description": page.description}
    meta |= planned
    works = [csl_item(work) for work in page.references] if page else []
    try:
        return complete_front_matter(
            text, {key: value for key, value in meta.items() if value not in ("", None)}, works
        )
    except ValueError:
        return text


def complete_front_matter(
    text: str, added: Mapping[str, object], works: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Return `text` with what is missing of `added` and `works` in its front matter.

    Works are CSL items. Raises ValueError if the front matter is not YAML.
    """
    meta, _ = front_matter.split_front_matter(text)
    missing = {key: value for key, value in added.items() if key not in meta}
    span = front_matter.front_matter_span(text)
    if meta and not span:  # MultiMarkdown metadata, which other tools do not support
        missing, text = {**meta, **missing}, text[front_matter.body_start(text) :]
    if missing:
        lines = render_page(missing, "").removeprefix("---\n").rpartition("\n---\n")[0] + "\n"
    else:
        lines = ""
    if span:
        newline = "\r\n" if text[: span[0]].endswith("\r\n") else "\n"
        return add_references(
            text[: span[1]] + lines.replace("\n", newline) + text[span[1] :], works
        )
    lines += references_block(works)  # separately, so that it cannot conflict with other keys
    return f"---\n{lines}---\n\n{text.removeprefix(chr(0xFEFF))}" if lines else text


LLMS = "llms.txt"


def llms_txt(
    library: ListedLibrary,
    folders: Sequence[FolderIndex],
    site: frame.Site,
    uris: Container[str],
    other_files: Mapping[str, tuple[str, str]],
) -> str:
    """Return the list of the pages with twins, `uris`.

    `other_files` has title and description of those outside the base.
    """
    planned: list[tuple[str, str, str]] = []
    sections = []
    for folder in folders:
        uris_shown = [uri for uri in folder.uris if uri in uris]
        written_pages = [
            _entry_for_agents(library, uri) for uri in uris_shown if uri in library.page_by_uri
        ]
        planned += [
            _entry_for_agents(library, uri) for uri in uris_shown if uri not in library.page_by_uri
        ]
        sections.append((f"{folder.path}/" if folder.path else "Top level", written_pages))
    optional = [("Progress as JSON", DATA, "what the plans claim and what exists")]
    optional += [(title, uri, about) for uri, (title, about) in other_files.items()]
    sections += [("Planned, not written yet", planned), ("Optional", optional)]
    root = site.url.rstrip("/") + "/" if site.url else ""
    return render_template("llms.txt", site=site, root=root, sections=sections)


def _entry_for_agents(library: ListedLibrary, uri: PageUri) -> tuple[str, str, str]:
    """Return a page's title, uri and description, with its state."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(uri)
    if page:
        number_of_works = page.number_of_works
        works = f", {count(number_of_works, 'work')} cited" if number_of_works else ""
        kind = "collected passages, " if page.is_collected else ""
        state = f"{kind}{reading_time(page.words)}{works}"
    elif entry and entry.differs:
        state = f"marked done, {difference_on_disk(entry)}"
    else:
        state = entry.state.value if entry else ""
    about = page_description(library, uri)
    return (
        page_title(library, uri),
        uri,
        f"{about} ({state})" if about and state else about or state,
    )


def title_and_description(text: str, uri: str) -> tuple[str, str]:
    """Return the title and the description of a page, from its Markdown file."""
    parsed, _ = parse_page(text, uri)
    return parsed.title, parsed.description
