"""The base as an agent meets it in the repository: its INDEX as plain Markdown, and SKILL.md.

SKILL.md has the form of Agent Skills: https://agentskills.io/specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import yaml

from generator.library import COUNTED, Library
from generator.markdown.front_matter import split_front_matter
from generator.model import PageUri, State
from generator.views.index import Shelf
from generator.views.markdown import code, escape, inline, table
from generator.views.words import LABELS, count, number, size

SKILL = "SKILL.md"
MAKER = "planbook index"
"""What both files name as their maker; a file that does not is its author's, and stays."""
INDEX_MARK = f"<!-- Made by `{MAKER}` from plans and pages: change those, not this file. -->"

MAX_NAME, MAX_DESCRIPTION = 64, 1024
"""Characters, by the specification."""
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FOLDERS = 12
"""How many folders SKILL.md names; all of them stand in the INDEX."""


def is_made(text: str) -> bool:
    """Whether this text of an INDEX.md or SKILL.md was made here, and may be made anew."""
    if text.startswith(INDEX_MARK):
        return True
    metadata = _front_matter(text).get("metadata")
    return isinstance(metadata, dict) and metadata.get("made-by") == MAKER


def repository_index(library: Library, shelves: Sequence[Shelf]) -> str:
    """The INDEX of the whole base, for readers of the repository: no HTML, and links that lead to files."""
    blocks = [f"{INDEX_MARK}\n\n# INDEX\n\n{_summary(library)}\n"]
    for shelf in shelves:
        if shelf.uris:
            blocks.append(f"\n## {escape(shelf.folder)}/\n\n" if shelf.folder else "\n## Top level\n\n")
            blocks.append(table(("Page", "State", "Size"), (_row(library, uri) for uri in shelf.uris), "llr"))
    if len(blocks) == 1:
        blocks.append("\nThere is no page yet.\n")
    return "".join(blocks)


def skill(library: Library, shelves: Sequence[Shelf], title: str, about: str, docs_dir: str) -> str:
    """SKILL.md: what the base knows, when to look into it, and how to read it."""
    written = [uri for shelf in shelves for uri in shelf.uris if uri in library.page_by_uri]
    meta = {
        "name": skill_name(title),
        "description": _description(shelves, title, about, len(written)),
        "metadata": {"made-by": MAKER},
    }
    head = yaml.safe_dump(meta, sort_keys=False, allow_unicode=True, width=100)
    docs = docs_dir.strip("/")
    folders = "".join(_folder(library, shelf, docs) for shelf in _largest(shelves))
    return (
        f"---\n{head}---\n\n# {escape(title) or 'Knowledge base'}\n\n{escape(about) + chr(10) * 2 if about else ''}"
        f"{_summary(library)}\n\n## How to read it\n\n"
        f"1. Read `{docs}/INDEX.md`: every page with one line on what it says, its state and its size.\n"
        f"2. Open the pages that fit. A page that is not there yet is planned; its outline stands in its plan.\n"
        "3. `[@id]` in a page cites the entry `id` of the `references` in its front matter, with address and date. "
        "`[@id, q1]` cites the words under `quotes`, which stand in the source exactly.\n"
        "4. Cite the source that a page names, not the page.\n\n"
        "## How to add to it\n\n"
        "1. `planbook brief PLAN PART` prints what a page is to say and what the base says already.\n"
        f"2. Write the page below `{docs}/`, where the brief says, with its sources as `references`.\n"
        "3. `planbook finish PLAN PART` checks it, leaves a report beside the plan, and marks the PART.\n"
        f"{f'{chr(10)}## Folders{chr(10)}{chr(10)}{folders}' if folders else ''}"
    )


def skill_name(title: str) -> str:
    """A name by the specification, made of `title`; an agent's tool wants the skill's folder to be called so."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:MAX_NAME].strip("-") or "knowledge-base"


def skill_problems(text: str) -> Iterator[str]:
    """What is wrong with the name and the description of a SKILL.md, by the specification."""
    meta = _front_matter(text)
    name, description = meta.get("name"), meta.get("description")
    if not isinstance(name, str) or len(name) > MAX_NAME or not _NAME.fullmatch(name):
        yield (
            f"its name is {name!r}; it must be at most {MAX_NAME} lower-case letters, digits and single hyphens, "
            "such as `tea-base`"
        )
    if not isinstance(description, str) or not description.strip() or len(description) > MAX_DESCRIPTION:
        long = f" has {number(len(description))} characters" if isinstance(description, str) else " is missing"
        yield f"its description{long}; it must have from 1 to {number(MAX_DESCRIPTION)}"


# --- pieces ------------------------------------------------------------------------------------------------------


def _front_matter(text: str) -> dict[str, object]:
    try:
        return split_front_matter(text)[0]
    except ValueError:
        return {}


def _summary(library: Library) -> str:
    total = sum(library.counts[state] for state in COUNTED)
    written = sum(uri in library.page_by_uri for uri in library.by_uri)
    return f"{count(len(library.plans), 'plan')} with {count(total, 'PART')}; {count(written, 'planned page')} written."


def _row(library: Library, uri: PageUri) -> tuple[str, str, str]:
    entry, page = library.by_uri.get(uri), library.page_by_uri.get(uri)
    title = page.title if page else entry.title if entry else uri
    about = page.description if page and page.description else entry.description if entry else ""
    name = f"[{inline(title)}]({uri})" if page else f"{inline(title)} ({code(uri)})"
    lines = f"{number(page.lines)} lines" if page else size(entry) if entry else ""
    state = "page" if entry is None else LABELS[entry.state]
    if entry and entry.state is State.DONE and not page:
        state += ", page missing"
    return name + (f": {escape(about)}" if about else ""), state, lines


def _description(shelves: Sequence[Shelf], title: str, about: str, pages: int) -> str:
    topics = ", ".join(shelf.folder.replace("/", ", ").replace("-", " ") for shelf in _largest(shelves))
    what = about.strip().rstrip(".") or f"The knowledge base {title}".strip()
    text = f"{what}. {count(pages, 'page')} with cited sources{f' on {topics}' if topics else ''}. "
    when = "Use when a question touches these subjects, before searching elsewhere, and when adding a page."
    return " ".join((text[: MAX_DESCRIPTION - len(when) - 1].rstrip() + " " + when).split())


def _largest(shelves: Sequence[Shelf]) -> tuple[Shelf, ...]:
    """The folders with the most pages, in the order of the INDEX."""
    named = [shelf for shelf in shelves if shelf.folder and shelf.uris]
    kept = sorted(named, key=lambda shelf: -len(shelf.uris))[:_FOLDERS]
    return tuple(shelf for shelf in named if shelf in kept)


def _folder(library: Library, shelf: Shelf, docs: str) -> str:
    written = sum(uri in library.page_by_uri for uri in shelf.uris)
    return f"- {code(f'{docs}/{shelf.folder}/')}: {count(len(shelf.uris), 'page')}, {number(written)} of them written\n"
