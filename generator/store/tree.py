"""Read a project's plans, drops and pages, as bytes by path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from generator.model import Tree
from generator.store.files import RefusedError
from generator.store.settings import Settings

MAX_PAGE_BYTES = 10_000_000
"""Maximum size of a plan, drop or page."""


def read_tree(settings: Settings) -> Tree:
    """Return the plans, drops and pages of a project. A missing folder counts as empty."""
    plans, drops = read_plans(settings.root / settings.plans_dir, settings.plans_dir.strip("/"))
    docs = settings.root / settings.docs_dir
    pages = {path.relative_to(docs).as_posix(): read_page_bytes(path) for path in markdown_files(docs)}
    return Tree(plans, drops, pages, settings.plans_dir.strip("/"), settings.bases)


def read_plans(folder: Path, prefix: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the plans and drops below `folder`, by path with `prefix`.

    In a folder that holds ``ingestion.md`` or ``plan.md``, no other file is a plan.
    """
    plans: dict[str, bytes] = {}
    drops: dict[str, bytes] = {}
    for path in markdown_files(folder):
        uri = f"{prefix}/{path.relative_to(folder).as_posix()}" if prefix else path.relative_to(folder).as_posix()
        if is_drop(path.name):
            drops[uri] = read_page_bytes(path)
        elif is_plan(path):
            plans[uri] = read_page_bytes(path)
    return plans, drops


def read_page_bytes(path: Path) -> bytes:
    """Return the bytes of a plan, drop or page. Raises RefusedError if there are more than `MAX_PAGE_BYTES`."""
    with path.open("rb") as file:
        raw = file.read(MAX_PAGE_BYTES + 1)
    if len(raw) > MAX_PAGE_BYTES:
        raise RefusedError(f"{path}: it has more than {MAX_PAGE_BYTES:,} bytes; split it, or move it out of its folder")
    return raw


def decode_page(raw: bytes, name: str) -> str:
    """Return the text of a page. Raises RefusedError, which calls the page `name`, if it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the page as UTF-8"
        raise RefusedError(f"{name}:{line}: {what}") from error


def files_below(folder: Path, prefix: str) -> tuple[str, ...]:
    """Return the paths of all files below `folder`, with `prefix`; hidden files and links to folders are skipped."""
    found = []
    for directory, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        below = Path(directory).relative_to(folder)
        found += [(Path(prefix) / below / name).as_posix() for name in sorted(files) if not name.startswith(".")]
    return tuple(found)


def is_drop(name: str) -> bool:
    """Return True if a file of this name is a KNOWLEDGE-DROP."""
    return name.upper().startswith("KNOWLEDGE-DROP")


def is_plan(path: Path) -> bool:
    """Return True if the Markdown file at `path` is a plan, judging by its name and its neighbours."""
    if path.name.upper() in {"README.MD", "INDEX.MD", "SKILL.MD"}:
        return False
    mains = [path.parent / name for name in ("ingestion.md", "plan.md")]
    return path in mains or not any(main.is_file() for main in mains)


def markdown_files(folder: Path) -> Iterator[Path]:
    """Yield every ``.md`` file below `folder`, in path order; hidden files and links to folders are skipped."""
    paths = (folder / name for name in files_below(folder, "") if name.endswith(".md"))
    return filter(Path.is_file, paths)
