"""Files, folders, plans and PARTs that a user names on the command line."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from planbook import store
from planbook.cli.project import open_cache
from planbook.library import RESERVED_URIS, Library, link_tree
from planbook.model import PageUri, Plan, Tree
from planbook.store.cited_files import MEDIA_TYPES, PDF


@dataclass(frozen=True, slots=True)
class _Target:
    """A file, a folder or a plan that a user names, with the PARTs of the plan that are meant."""

    path: Path
    parts: tuple[int, ...] = ()


def _read_targets(paths: Sequence[Path]) -> list[_Target]:
    """Return what `paths` name: numbers behind a plan are its PARTs, unless files have them."""
    targets: list[_Target] = []
    for path in paths:
        name = str(path)
        is_number = name.isascii() and name.isdigit() and not os.path.lexists(path)
        if is_number and targets:
            plan = targets.pop()
            targets.append(replace(plan, parts=(*plan.parts, int(name))))
        else:
            targets.append(_Target(path))
    return targets


# --- pages ----------------------------------------------------------------------------------------


def page_paths(settings: store.Settings, paths: Sequence[Path]) -> dict[str, Path]:
    """Return the pages at `paths`, or all of the project's, by uri.

    Those outside the project are found by path. A folder selects the pages below it, except those
    that the generator replaces. A plan, by its path or slug, selects the pages of its PARTs, of
    those whose numbers follow it if any do.

    Raises click.UsageError.
    """
    docs = settings.root / settings.docs_dir
    existing: list[Path] = []
    plan_files = _plan_files(settings) if paths else frozenset()
    for target in _read_targets(paths):
        is_plan = bool(target.parts) or target.path.resolve() in plan_files
        if is_plan or not os.path.lexists(target.path):
            existing += _pages_of_plan(settings, target)
        else:
            existing.append(target.path)
    pages_by_uri: dict[str, Path] = {}
    for path in existing if paths else [docs]:
        pages: Iterable[Path] = [path]
        if path.is_dir():
            pages = store.markdown_files(path, settings.bounds, settings.outputs)
        for page in pages:
            uri = _uri_of(page, docs.resolve())
            if page == path or uri not in RESERVED_URIS:
                pages_by_uri.setdefault(uri, page)
    return pages_by_uri


def _plan_files(settings: store.Settings) -> frozenset[Path]:
    """Return the absolute paths of the project's plans."""
    plans = store.read_tree(settings).plans
    return frozenset((settings.root / uri).resolve() for uri in plans)


def _pages_of_plan(settings: store.Settings, target: _Target) -> list[Path]:
    """Return the pages on disk of a plan, or of the named ones of its PARTs.

    Raises click.UsageError.
    """
    library = link_tree(store.read_tree(settings), open_cache(settings))
    plan = _plan_of(library, target.path)
    numbers = {part.number for part in plan.parts}
    for number in target.parts:
        if number not in numbers:
            has = ", ".join(map(str, sorted(numbers)))
            raise click.UsageError(f"{plan.slug} has no PART {number}; its PARTs are {has}")
    uris = [
        entry.uri
        for entry in library.entries
        if entry.plan is plan and (not target.parts or entry.part.number in target.parts)
    ]
    pages = [settings.root / settings.docs_dir / uri for uri in dict.fromkeys(uris)]
    on_disk = [page for page in pages if page.is_file()]
    if target.parts and not on_disk:
        joined_numbers = " and ".join(map(str, target.parts))
        raise click.UsageError(f"{plan.slug} PART {joined_numbers} has no page yet")
    return on_disk


def part_of_page(settings: store.Settings, name: str) -> tuple[str, int] | None:
    """Return the plan, by its path, and the number of the PART whose page is at a path.

    It is ``None`` if no PART has a page there.
    """
    docs = (settings.root / settings.docs_dir).resolve()
    path = Path(name) if Path(name).exists() else settings.root / name
    uri = _uri_of(path, docs)
    library = link_tree(store.read_tree(settings), open_cache(settings))
    entry = library.by_uri.get(PageUri(uri)) if uri.endswith(".md") else None
    return (entry.plan.uri, entry.part.number) if entry else None


def _uri_of(page: Path, docs: Path) -> str:
    """Return the path of a page from the documentation folder, or as it is if it is elsewhere."""
    file = page.resolve()
    return (file.relative_to(docs) if file.is_relative_to(docs) else page).as_posix()


# --- files of any kind ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelectedFiles:
    """A project with the selected files."""

    tree: Tree
    """The whole project and the plans outside it."""
    uris: frozenset[str] | None = None
    """The selected files by path in the project; ``None`` means all."""
    elsewhere: frozenset[str] = frozenset()
    """The plans outside it, by path from the current folder."""

    @property
    def is_empty(self) -> bool:
        """True if no file is selected."""
        if self.uris is not None:
            return not self.uris
        return not (self.tree.plans or self.tree.drops or self.tree.pages)


def named_files(
    settings: store.Settings, paths: Sequence[Path], *, only_plans: bool = False
) -> SelectedFiles:
    """Return the project and the files that `paths` select, all without `paths`.

    A folder selects all plans, drops and pages in it. Files and folders outside the project's plans
    and pages are read as plans. With `only_plans`, no path may be a page or a drop. A path that
    does not exist may be a plan's slug. A plan with numbers behind it selects the pages of these
    PARTs.

    Raises click.UsageError.
    """
    tree = store.read_tree(settings, is_published=True)
    if not paths:
        return SelectedFiles(tree)
    paths = _paths_of_targets(settings, tree, paths, only_plans=only_plans)
    files = _uris_by_file(settings, tree)
    unread = {settings.root.resolve() / problem.uri: problem.uri for problem in tree.unread}
    docs = settings.docs_dir.strip("/")
    folders = [(settings.root / name).resolve() for name in (*settings.plan_folders, docs)]
    uris: set[str] = set()
    elsewhere: dict[str, bytes] = {}
    for path in paths:
        resolved = path.resolve()
        link_path = path.parent.resolve() / path.name  # of a link, not of its target
        if link_path in unread:
            uris.add(unread[link_path])
        elif path.is_dir() and _is_of_project(resolved, folders):
            uris |= {uri for file, uri in files.items() if file.is_relative_to(resolved)}
            uris |= {uri for file, uri in unread.items() if file.is_relative_to(resolved)}
        elif resolved in files:
            if only_plans and files[resolved] not in tree.plans:
                defect = "is a page or a drop, and this command reads plans"
                raise click.UsageError(f"{path} {defect}; `planbook check` reads all of them")
            uris.add(files[resolved])
        else:
            elsewhere |= _unlisted_plans(path, folders)
    tree = replace(tree, plans={**tree.plans, **elsewhere})
    return SelectedFiles(tree, frozenset(uris | elsewhere.keys()), frozenset(elsewhere))


def _paths_of_targets(
    settings: store.Settings, tree: Tree, paths: Sequence[Path], *, only_plans: bool
) -> list[Path]:
    """Return the files and folders that `paths` name. Raises click.UsageError."""
    files: list[Path] = []
    for target in _read_targets(paths):
        if target.parts and only_plans:
            numbers = " ".join(map(str, target.parts))
            defect = f"this command shows whole plans: leave out {numbers} behind {target.path}"
            raise click.UsageError(defect)
        if target.parts:
            files += _pages_of_plan(settings, target)
        elif os.path.lexists(target.path):
            files.append(target.path)
        else:
            library = link_tree(tree, open_cache(settings))
            files.append(settings.root / _plan_of(library, target.path).uri)
    return files


def _plan_of(library: Library, name: Path) -> Plan:
    """Return the plan with this path or slug. Raises click.UsageError if there is none."""
    from planbook.research.selection import NotFoundError, find_plan

    try:
        return find_plan(library, name.as_posix())
    except NotFoundError as error:
        prefix = "" if name.exists() else f"Path {str(name)!r} does not exist, and "
        raise click.UsageError(f"{prefix}{error}") from error


def _uris_by_file(settings: store.Settings, tree: Tree) -> dict[Path, str]:
    """Return the uris of the project's pages, plans and drops, by their places on disk."""
    docs = settings.docs_dir.strip("/")
    pages = {(settings.root / docs / uri).resolve(): f"{docs}/{uri}" for uri in tree.pages}
    other_uris = {(settings.root / uri).resolve(): uri for uri in (*tree.plans, *tree.drops)}
    return pages | other_uris


def _is_of_project(folder: Path, folders: Sequence[Path]) -> bool:
    """Return whether a folder is in one of the project's, or has one of them in it."""
    return any(
        folder.is_relative_to(own_folder) or own_folder.is_relative_to(folder)
        for own_folder in folders
    )


def _unlisted_plans(path: Path, folders: Sequence[Path]) -> dict[str, bytes]:
    """Return the plans at `path`, which is outside the project or is not named like a plan.

    `folders` are those of the project's plans, and that of its pages, which is the last one.
    """
    if MEDIA_TYPES.get(path.suffix.lower()) in {"text/html", PDF}:
        defect = f"{path} is a document, and neither a plan nor a page; both are Markdown"
        raise click.UsageError(f"{defect}; `planbook verify` reads documents")
    if path.is_dir():
        return store.read_plans(Path(), (glob.escape(path.as_posix()),))[0]
    file = path.resolve()
    *_, docs = folders
    is_inside = any(file.is_relative_to(folder) for folder in folders)
    is_named_like_a_plan = path.suffix == ".md" and not path.name.startswith(".")
    if is_inside and (file.is_relative_to(docs) or not is_named_like_a_plan):
        fix = "their names end in .md and do not start with a dot"
        raise click.UsageError(f"{path} is neither a page nor a plan; {fix}")
    return {path.as_posix(): path.read_bytes()}
