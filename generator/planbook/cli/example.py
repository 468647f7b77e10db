"""The example of a new project: its removal, once somebody plans pages of their own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from planbook.library import Library
from planbook.store import Settings
from planbook.store.files import REPORT, remove_file
from planbook.store.options import documents_folder
from planbook.store.report_changes import remove_from_report

PLAN = "plans/tea.md"
PAGE = "docs/tea/01-water.md"
FILES = (
    PLAN,
    PAGE,
    "docs/tea/03-pot.md",
    "documents/caffeine.md",
    "documents/hardness.md",
    "documents/steeping.md",
    "documents/temperature.md",
)
"""The files of the example, by their usual paths.

The other starter files belong to every project.
"""
_STATE = re.compile(
    r"^([^\S\n]*- \[)[^\]\n](\] [^\n]*?)(?: \((?:Completed|Failed) [^)\n]*\))?$", re.MULTILINE
)
"""A box with its note: ``- [x] PART 1: Create tea/01.md (Completed 2026-11-20)``.

Filling the plan changes it, and nothing else of the plan.
"""
_EDITED_NOTE = "it was edited; remove it if you do not need it"


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """A file of the example as it is in a project."""

    path: Path
    reason: str = ""
    """Why it is kept; empty if it can be removed."""


def find_example(
    library: Library, settings: Settings, texts: Mapping[str, str]
) -> Iterator[ExampleFile]:
    """Yield the example's files that are in a project, and what `planbook expand` made of its plan.

    Args:
        library: the project's plans, pages and drops.
        settings: the project.
        texts: the starter's text of each of `FILES`, by its path in the project.
    """
    present = {name: settings.root / name for name in texts if (settings.root / name).is_file()}
    edited = {name for name, path in present.items() if not _is_as_written(path, texts[name])}
    is_own_plan = any(name.endswith(PurePosixPath(PLAN).name) for name in edited)
    made = set() if is_own_plan else set(_results_of_example(library, settings))
    citing = _pages_citing_example(library, settings, {*present.values(), *made})
    for name, path in present.items():
        reason = ""
        if name in edited:
            reason = _EDITED_NOTE
        elif name in citing:
            reason = f"{citing[name]} cites it"
        yield ExampleFile(path, reason)
    for path in sorted(made):
        yield ExampleFile(path)


def _is_as_written(path: Path, text: str) -> bool:
    """Return whether a file has the starter's text, whatever became of its PARTs."""
    written_text = path.read_bytes().decode("utf-8", errors="replace")
    return _strip_state(written_text) == _strip_state(text)


def _pages_citing_example(
    library: Library, settings: Settings, example: set[Path]
) -> dict[str, str]:
    """Return a page outside the example for each file that such pages cite."""
    docs = settings.root / settings.docs_dir
    own_pages = [page for page in library.pages if docs / page.uri not in example]
    return {work.file: page.uri for page in own_pages for work in page.references if work.file}


def _results_of_example(library: Library, settings: Settings) -> Iterator[Path]:
    """Yield the drops of the example's plan, and the pages that they report.

    A page that somebody has edited since is left out.
    """
    docs = settings.root / settings.docs_dir
    for drop in library.drops:
        if drop.plan != PurePosixPath(PLAN).stem:
            continue
        yield settings.root / drop.uri
        is_page = drop.page in library.page_by_uri and drop.page != PAGE.removeprefix("docs/")
        page = docs / str(drop.page)
        if is_page and hashlib.sha256(page.read_bytes()).hexdigest() == drop.page_sha256:
            yield page


def remove_example(files: Sequence[ExampleFile], settings: Settings) -> Iterator[str]:
    """Remove the files that have no reason to be kept, and yield a line on each file."""
    removed = []
    for file in files:
        name = file.path.relative_to(settings.root).as_posix()
        if file.reason:
            yield f"{name}: kept: {file.reason}"
            continue
        remove_file(file.path, _folder_to_keep(file.path, settings))
        removed.append(name)
        yield f"{name}: removed"
    docs = f"{settings.docs_dir.strip('/')}/"
    pages = {name.removeprefix(docs) for name in removed if name.startswith(docs)}
    if remove_from_report(settings.root, pages):
        yield f"{REPORT}: the checks of these pages are removed"


def _folder_to_keep(path: Path, settings: Settings) -> Path:
    """Return the folder above a file that stays: one that the configuration names, else the root.

    Plans and documents of one's own are put into it next.
    """
    names = (*settings.plan_folders, documents_folder(settings), settings.docs_dir)
    folders = [settings.root / name.strip("/") for name in names if name]
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=settings.root)


def _strip_state(text: str) -> str:
    """Return a plan with empty boxes, and without the notes behind them."""
    return _STATE.sub(r"\1 \2", text)
