"""The project that a command works on: its settings, library and checks."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import problems, store
from planbook.citations.report import decode_report, unread_files
from planbook.cli import index_files, terminal
from planbook.library import Library, link_tree
from planbook.library.acceptances import accepted_texts
from planbook.model import Drop, Page, PageUri, Tree
from planbook.rules.project import CodeFilter, Project, SourceFiles, read_code_filter
from planbook.rules.registry import apply_common_rules, error_checks
from planbook.store.cited_files import CitedFiles
from planbook.store.files import read_report
from planbook.store.options import documents_folder
from planbook.store.working_tree import WorkingTree
from planbook.views.checks import PageCheck, doubts_of, read_checks, still_valid_checks
from planbook_cache.disk import CACHE_DIR, DiskCache
from planbook_cache.functions import NO_CACHE, DiskFunctionCache, FunctionCache

if TYPE_CHECKING:
    from planbook.research.proof.source_reader import SourceReader
    from planbook.research.recording.config import RecordingConfig
    from planbook.store.options import Options

EXIT_OK, EXIT_ATTENTION, EXIT_USAGE = 0, 1, 2
"""Exit codes: success; the result needs attention, such as Problems, a file that was kept, or a
question without an answer; usage error (click's own)."""
EXIT_FAILED, EXIT_NOTHING, EXIT_STOPPED, EXIT_UNREACHED = 3, 4, 5, 6
"""Exit codes of `expand`: PARTs failed; nothing to do; stopped; no host could be reached."""

NO_PLAN = (
    "No plan found. A plan is a Markdown file with headings such as "
    "`## PART 1: Create cuda/10-x.md`."
)


class NoProjectError(click.ClickException):
    """No project was found; the message says what is missing and how to start."""

    exit_code = EXIT_USAGE


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
) -> tuple[RecordingConfig, Options]:
    """Return the setup of a run of `command`, and the project's options.

    `option_values` override the project's.
    """
    from planbook.research.recording.config import RecordingConfig
    from planbook.store.options import read_options

    settings = project_settings(root)
    options = read_options(settings, option_values)
    is_committed = options.commit and not no_commit
    files = partial(index_files.writable_files, settings)
    cache = open_cache(settings)
    return RecordingConfig(settings, files, command, is_committed, verb=verb, cache=cache), options


def open_cache(settings: store.Settings, *, is_read_only: bool = False) -> FunctionCache:
    """Return the cache that the project's builds use; outside a project, nothing is cached."""
    if not (settings.root / settings.config).is_file():
        return NO_CACHE
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


def read_doubts(
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
    files = WorkingTree(settings.root, docs_dir, documents.folder)
    return SourceFiles(
        documents.folder,
        documents.defect,
        pages.has_in_folder,
        documents.has,
        files.read,
        documents.names,
    )


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
    return apply_common_rules(
        replace(linked, doubts=read_doubts(settings, tree, library.page_by_uri))
    )
