"""Completed plans: they move to ``completed/`` with their drops, and links to them are updated. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath

from generator.library import Library
from generator.model import Plan, Tree
from generator.page.links import written_links
from generator.research.select import is_finished

COMPLETED = "completed"
_MAINS = {"ingestion.md", "plan.md"}


def moves(library: Library, slugs: Collection[str], plans_dir: str, files: Collection[str]) -> Mapping[str, str]:
    """Return the new path of each file of the completed plans of `slugs`, by path from the project's folder.

    `files` are the paths of all files in the plans' folder. A plan with its own folder moves with all of it. A plan
    whose new path is taken stays; if a plan is in ``completed/`` already, only its drops move.
    """
    top = plans_dir.strip("/")
    found: dict[str, str] = {}
    for plan in library.plans:
        if plan.slug not in slugs or not is_finished(library, plan):
            continue
        own = {old: completed_place(old, top) for old in (*_belongings(plan, files), *_drops(library, plan))}
        wanted = {old: new for old, new in own.items() if old != new and old in files}
        if not any(new in files for new in wanted.values()):
            found |= wanted
    return found


def relinked(tree: Tree, docs_dir: str, moved: Mapping[str, str]) -> Mapping[str, bytes]:
    """Return the new content of each file with links that `moved` would break, by present path.

    Paths are relative to the project's folder. Only working links to Markdown files are changed, and no other byte.
    """
    docs = docs_dir.strip("/")
    before = {**tree.plans, **tree.drops, **{f"{docs}/{uri}": raw for uri, raw in tree.pages.items()}}
    changed = {}
    for old, raw in before.items():
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue  # a Problem reports it
        new = _relinked(text, old, moved, before)
        if new != text:
            changed[old] = new.encode("utf-8")
    return changed


def _relinked(text: str, old: str, moved: Mapping[str, str], before: Collection[str]) -> str:
    home = posixpath.dirname(moved.get(old, old)) or "."
    for address in written_links(text):
        path, mark, fragment = address.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(old), path))
        if target not in before or (target not in moved and old not in moved):
            continue
        there = f"{posixpath.relpath(moved.get(target, target), home)}{mark}{fragment}".replace("\\", r"\\")
        pattern = rf"((?:\]\(|^[ ]{{0,3}}\[[^\]\n]+\]:)[ \t]*<?){re.escape(address)}(?=[\s>)])"
        text = re.sub(pattern, rf"\g<1>{there}", text, flags=re.MULTILINE)
    return text


def _belongings(plan: Plan, files: Iterable[str]) -> tuple[str, ...]:
    """Return the plan's own files: itself, or everything in its own folder."""
    path = PurePosixPath(plan.uri)
    if path.name not in _MAINS:
        return (str(plan.uri),)
    folder = f"{path.parent}/"
    return tuple(file for file in files if file.startswith(folder))


def _drops(library: Library, plan: Plan) -> tuple[str, ...]:
    """Return the plan's drops, in any folder."""
    found = {entry.drop.uri for part in plan.parts for entry in library.of(plan, part) if entry.drop}
    return tuple(sorted({*found, *(drop.uri for drop in library.drops if drop.plan == plan.slug)}))


def completed_place(path: str, top: str) -> str:
    """Return the path of a file of a completed plan; `top` is the plans' folder."""
    below = path.removeprefix(f"{top}/")
    return path if below.startswith(f"{COMPLETED}/") else f"{top}/{COMPLETED}/{below}"
