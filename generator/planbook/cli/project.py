"""The project that a command works on: its settings, library and checks, and the named files."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import problems, store
from planbook.citations.report import decode_report, unread_files
from planbook.cli import terminal
from planbook.library import INDEX, RESERVED, Library, link_tree
from planbook.library.acceptances import accepted_texts
from planbook.model import Drop, Page, PageUri, Plan, Tree
from planbook.rules.project import CodeFilter, Project, SourceFiles, read_code_filter
from planbook.rules.registry import apply_common_rules, error_checks
from planbook.store.cited_files import MEDIA_TYPES, PDF, CitedFiles
from planbook.store.files import read_report
from planbook.store.options import documents_folder
from planbook.store.own_files import OwnFiles
from planbook.views.checks import PageCheck, doubts_of, read_checks, still_valid_checks
from planbook_cache.disk import CACHE_DIR, DiskCache
from planbook_cache.functions import UNCACHED, DiskFunctionCache, FunctionCache

if TYPE_CHECKING:
    from planbook.research.expand.config import RunConfig
    from planbook.research.proof.source_reader import SourceReader
    from planbook.store.options import Options

OK, ATTENTION, USAGE = 0, 1, 2
"""Exit codes: success; the result needs attention, such as Problems, a file that was kept, or a
question without an answer; usage error (click's own)."""
FAILED, NOTHING, STOPPED, UNREACHED = 3, 4, 5, 6
"""Exit codes of `expand`: PARTs failed; nothing to do; stopped; no host could be reached."""

NO_PLAN = (
    "No plan found. A plan is a Markdown file with headings such as "
    "`## PART 1: Create cuda/10-x.md`."
)


class NoProjectError(click.ClickException):
    """No project was found; the message says what is missing and how to start."""

    exit_code = USAGE


def project_settings(
    root: Path | None, paths: Sequence[Path] = (), *, needs: str = "plans"
) -> store.Settings:
    """Return the settings of the project at `root`, or of the one that contains the working folder.

    Args:
        root: the project's folder.
        paths: files to work on, which may be outside any project.
        needs: the folder to work on by default, ``plans`` or ``docs``.

    Raises:
        NoProjectError: there is no project, or the folder that the command needs is missing.
        RefusedError: its configuration is not valid.
    """
    root = root or store.find_root(Path.cwd())
    settings = store.read_settings(root)
    folder = {"plans": settings.plans_dir, "docs": settings.docs_dir}[needs]
    config = root / settings.config
    if paths or (root / folder).is_dir() or _is_unplanned(settings):
        return settings
    if not config.is_file():
        defect = f"no {config.name} here or in a folder above"
        has = f"a project is a folder with {config.name}, pages in docs/ and plans in plans/"
        fix = f"{has}; run `planbook init` to start one, or name one with --root"
        raise NoProjectError(f"{root}: no project: {defect}; {fix}")
    start = f"planbook init {shlex.quote(str(root))}"
    fix = f"create it, name another folder as `{needs}_dir`, or run `{start}`"
    raise NoProjectError(f"{config}: the project has no folder {folder}/; {fix}")


def _is_unplanned(settings: store.Settings) -> bool:
    """Return whether a project has pages, and names no folder of plans."""
    has_default = settings.plans_dir == "plans"
    has_config = (settings.root / settings.config).is_file()
    return has_default and has_config and (settings.root / settings.docs_dir).is_dir()


def project_code_filter(root: Path) -> CodeFilter:
    """Return the filter of codes configured for the project at `root`.

    Raises click.UsageError.
    """
    try:
        return read_code_filter(store.read_check_options(root))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Report a failed import as a missing optional dependency; also a decorator for commands."""
    try:
        yield
    except ImportError as error:
        # A module of ours that is missing is a defect, not an extra.
        if (error.name or "").startswith(("planbook.", "planbook_cache.", "planbook_speed.")):
            raise
        command = click.get_current_context().command_path
        lack = problems.describe_missing(error, extra)
        raise click.ClickException(f"{command} {lack}") from error


def run_config(
    root: Path | None, command: str, verb: str, /, *, no_commit: bool, **option_values: object
) -> tuple[RunConfig, Options]:
    """Return the setup of a run of `command`, and the project's options.

    `option_values` override the project's.
    """
    from planbook.research.expand.config import RunConfig
    from planbook.store.options import read_options

    settings = project_settings(root)
    options = read_options(settings, option_values)
    is_committed = options.commit and not no_commit
    files = partial(writable_files, settings)
    cache = open_cache(settings)
    return RunConfig(settings, files, command, is_committed, verb=verb, cache=cache), options


def open_cache(settings: store.Settings, *, is_read_only: bool = False) -> FunctionCache:
    """Return the cache that the project's builds use; outside a project, nothing is cached."""
    if not (settings.root / settings.config).is_file():
        return UNCACHED
    disk = DiskCache(settings.root / CACHE_DIR, is_read_only=is_read_only)
    return DiskFunctionCache(disk, in_parallel=not is_read_only)


def source_reader(settings: store.Settings, options: Mapping[str, Any]) -> SourceReader:
    """Return the reader of sources with the values of the `options` of a command."""
    from planbook.research.proof.source_reader import SourceReader

    return SourceReader(settings, partial(click.echo, err=True), terminal.progress_line, **options)


def valid_checks(settings: store.Settings, tree: Tree, library: Library) -> dict[str, PageCheck]:
    """Return the results of `planbook verify` that are still valid.

    `library` has the pages of the tree.
    """
    return _valid_checks(settings, tree, library.page_by_uri, accepted_texts(library))


def _valid_checks(
    settings: store.Settings,
    tree: Tree,
    pages: Mapping[str, Page],
    accepted: Mapping[PageUri, Drop],
) -> dict[str, PageCheck]:
    """Return the results of `planbook verify` for some pages that are still valid."""
    works = [work for page in pages.values() for work in page.references]
    names = sorted({work.file for work in works if work.file})
    files = cited_files(settings).states(names)
    checks, _ = read_checks(read_report(settings.root))
    return still_valid_checks(checks, tree.pages, pages, files=files, accepted=accepted)


def doubts(
    settings: store.Settings, tree: Tree, pages: Mapping[str, Page]
) -> dict[str, dict[str, str]]:
    """Return why sources that `planbook verify` read are doubtful, by page and reference."""
    checks, _ = read_checks(read_report(settings.root))
    doubted = {uri: pages[uri] for uri in doubts_of(checks) if uri in pages}
    return doubts_of(_valid_checks(settings, tree, doubted, {})) if doubted else {}


def cited_files(settings: store.Settings) -> CitedFiles:
    """Return the local documents that references may name."""
    report, _ = decode_report(read_report(settings.root))
    return CitedFiles(settings.root, documents_folder(settings), unread=unread_files(report))


def local_sources(settings: store.Settings) -> SourceFiles:
    """Return the local files that references may name, for rules."""
    docs_dir = settings.docs_dir.strip("/")
    documents = cited_files(settings)
    pages = CitedFiles(settings.root, docs_dir)
    files = OwnFiles(settings.root, docs_dir, documents.folder)
    return SourceFiles(
        documents.folder,
        documents.defect,
        pages.has_in_folder,
        documents.has,
        files.read,
        documents.names,
    )


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
            if page == path or uri not in RESERVED:
                pages_by_uri.setdefault(uri, page)
    return pages_by_uri


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


def page_text(page: Path) -> str:
    """Return the page's text with its original line endings. Raises RefusedError."""
    return store.decode_page(store.read_page_bytes(page), str(page))


def project_library(
    settings: store.Settings, tree: Tree, cache: FunctionCache | None = None
) -> Library:
    """Return the files of a project, linked, with the Problems that every command reports."""
    cache = cache or open_cache(settings)
    code_filter = project_code_filter(settings.root)
    library = link_tree(tree, cache, error_checks(tree, code_filter))
    linked = Project(
        tree=tree,
        library=library,
        code_filter=code_filter,
        cache=cache,
        sources=local_sources(settings),
    )
    return apply_common_rules(replace(linked, doubts=doubts(settings, tree, library.page_by_uri)))


# --- files named on the command line --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Named:
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
) -> Named:
    """Return the project and the files that `paths` select, all without `paths`.

    A folder selects all plans, drops and pages in it. Files and folders outside the project's plans
    and pages are read as plans. With `only_plans`, no path may be a page or a drop. A path that
    does not exist may be a plan's slug. A plan with numbers behind it selects the pages of these
    PARTs.

    Raises click.UsageError.
    """
    tree = store.read_tree(settings, is_published=True)
    if not paths:
        return Named(tree)
    paths = _paths_of_targets(settings, tree, paths, only_plans=only_plans)
    files = _places_of_files(settings, tree)
    unread = {settings.root.resolve() / problem.uri: problem.uri for problem in tree.unread}
    docs = settings.docs_dir.strip("/")
    folders = [(settings.root / name).resolve() for name in (*settings.plan_folders, docs)]
    uris: set[str] = set()
    elsewhere: dict[str, bytes] = {}
    for path in paths:
        resolved = path.resolve()
        own_place = path.parent.resolve() / path.name  # of a link, not of its target
        if own_place in unread:
            uris.add(unread[own_place])
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
    return Named(tree, frozenset(uris | elsewhere.keys()), frozenset(elsewhere))


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


def _places_of_files(settings: store.Settings, tree: Tree) -> dict[Path, str]:
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


# --- INDEX.md and SKILL.md ------------------------------------------------------------------------


def index_files(settings: store.Settings, library: Library) -> Mapping[str, str]:
    """Return the expected content of INDEX.md and SKILL.md, by path from the project's folder."""
    from planbook.views.folders import folder_indexes
    from planbook.views.navigation import named_pages
    from planbook.views.skill import SKILL, repository_index, skill

    folders = folder_indexes(library, named_pages(settings.nav), settings.folder_titles.items())
    title = settings.site_name or settings.root.resolve().name
    return {
        f"{settings.docs_dir.strip('/')}/{INDEX}": repository_index(library, folders),
        SKILL: skill(library, folders, title, settings.site_description, settings.docs_dir),
    }


def writable_files(settings: store.Settings, library: Library) -> Mapping[str, str]:
    """Return those of `index_files` that Planbook may write."""
    files = index_files(settings, library)
    return {
        name: text
        for name, text in files.items()
        if why_not_overwritten(settings.root / name) is None
    }


def why_not_overwritten(path: Path) -> str | None:
    """Return why the file at `path` must not be overwritten.

    The result is ``None`` if it is generated, or if there is none.
    """
    from planbook.views.skill import is_made

    if path.is_symlink():
        return "it is a symbolic link; kept"
    # On a file system that ignores case, INDEX.md may be the author's index.md.
    home = path.with_name(path.name.lower())
    if path.exists() and home != path and home.exists() and path.samefile(home):
        return f"on this file system it is the same file as {home.name}; not changed"
    text = old_text(path)
    is_own = text is None or is_made(text)
    return None if is_own else "not generated by Planbook; kept"


def old_text(path: Path) -> str | None:
    """Return the text of a file; ``None`` if there is none."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
