"""The base as an agent meets it in the repository: its INDEX as plain Markdown, and SKILL.md.

SKILL.md has the form of Agent Skills: https://agentskills.io/specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import yaml

from generator.library import Library
from generator.markdown.document import read_document
from generator.markdown.escape import verbatim
from generator.markdown.safe_markdown import code
from generator.views.index import INDEX, FolderIndex, folder_tables, page_row, summary
from generator.views.labels import count, number

SKILL = "SKILL.md"
MAKER = "planbook index"
"""The generator named in both files; a file without it belongs to its author and is not overwritten."""
INDEX_MARK = f"<!-- Made by `{MAKER}` from plans and pages: change those, not this file. -->"

MAX_NAME, MAX_DESCRIPTION = 64, 1024
"""Characters, by the specification."""
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FOLDERS = 12
"""The number of folders that SKILL.md names; the INDEX has all of them."""


def is_made(text: str) -> bool:
    """Return True if this INDEX.md or SKILL.md was generated and may be overwritten."""
    if text.startswith(INDEX_MARK):
        return True
    metadata = read_document(text).meta.get("metadata")
    return isinstance(metadata, dict) and metadata.get("made-by") == MAKER


def repository_index(library: Library, folders: Sequence[FolderIndex]) -> str:
    """Return the INDEX of the whole base for readers of the repository: no HTML, and links only to files that exist."""
    tables = folder_tables(
        folders,
        lambda folder: f"{verbatim(folder.path)}/",
        lambda uri: page_row(library, uri, INDEX, is_plain=True, is_linked=uri in library.page_by_uri),
    )
    return f"{INDEX_MARK}\n\n# INDEX\n\n{summary(library)}\n" + (tables or "\nThere is no page yet.\n")


def skill(library: Library, folders: Sequence[FolderIndex], title: str, about: str, docs_dir: str) -> str:
    """SKILL.md: what the base knows, when to look into it, and how to read it."""
    written = [uri for folder in folders for uri in folder.uris if uri in library.page_by_uri]
    meta = {
        "name": skill_name(title),
        "description": _description(folders, title, about, len(written)),
        "metadata": {"made-by": MAKER},
    }
    head = yaml.safe_dump(meta, sort_keys=False, allow_unicode=True, width=100)
    docs = docs_dir.strip("/")
    listed = "".join(_folder(library, folder, docs) for folder in _largest(folders))
    return (
        f"---\n{head}---\n\n# {verbatim(title) or 'Knowledge base'}\n\n{verbatim(about) + chr(10) * 2 if about else ''}"
        f"{summary(library)}\n\n## How to read it\n\n"
        f"1. Read `{docs}/INDEX.md`: every page with one line on what it says, its state and its size.\n"
        f"2. Open the pages that fit. A page that is not there yet is planned; its outline stands in its plan.\n"
        "3. `[@id]` in a page cites the entry `id` of the `references` in its front matter, with address and date. "
        "`[@id, q1]` cites the words under `quotes`, which stand in the source exactly.\n"
        "4. Cite the source that a page names, not the page.\n\n"
        "## How to add to it\n\n"
        "1. `planbook brief PLAN PART` prints what a page is to say and what the base says already.\n"
        f"2. Write the page below `{docs}/`, where the brief says, with its sources as `references`.\n"
        "3. `planbook finish PLAN PART` checks it, leaves a report beside the plan, and marks the PART.\n"
        f"{f'{chr(10)}## Folders{chr(10)}{chr(10)}{listed}' if listed else ''}"
    )


def skill_name(title: str) -> str:
    """A name by the specification, made of `title`; an agent's tool wants the skill's folder to be called so."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:MAX_NAME].strip("-") or "knowledge-base"


def skill_problems(text: str) -> Iterator[str]:
    """Yield the violations of the specification in the name and description of a SKILL.md."""
    meta = read_document(text).meta
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


def _description(folders: Sequence[FolderIndex], title: str, about: str, pages: int) -> str:
    topics = ", ".join(folder.path.replace("/", ", ").replace("-", " ") for folder in _largest(folders))
    what = about.strip().rstrip(".") or f"The knowledge base {title}".strip()
    text = f"{what}. {count(pages, 'page')} with cited sources{f' on {topics}' if topics else ''}. "
    when = "Use when a question touches these subjects, before searching elsewhere, and when adding a page."
    return " ".join((text[: MAX_DESCRIPTION - len(when) - 1].rstrip() + " " + when).split())


def _largest(folders: Sequence[FolderIndex]) -> tuple[FolderIndex, ...]:
    """The folders with the most pages, in the order of the INDEX."""
    named = [folder for folder in folders if folder.path and folder.uris]
    kept = sorted(named, key=lambda folder: -len(folder.uris))[:_FOLDERS]
    return tuple(folder for folder in named if folder in kept)


def _folder(library: Library, folder: FolderIndex, docs: str) -> str:
    written = sum(uri in library.page_by_uri for uri in folder.uris)
    return f"- {code(f'{docs}/{folder.path}/')}: {count(len(folder.uris), 'page')}, {number(written)} of them written\n"
