"""Project discovery for commands: its plans, pages and library; and arguments that commands share."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import click

from generator.cache import CACHE_DIR, UNCACHED, CachedCalls, DiskCache, FunctionCache
from generator.extras import describe_missing
from generator.library import RESERVED, Library, link_tree
from generator.model import Tree
from generator.rules.registry import Selection, read_selection, with_problems
from generator.store import Settings, find_root, markdown_files, read_check_options, read_settings

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: all well; something was found; the command was not understood (click's own)."""
FAILED, NOTHING, STOPPED, UNREACHED = 3, 4, 5, 6
"""Exit codes of `expand`: PARTs failed; there was nothing to do; it was stopped; nobody could be reached."""

NO_PLAN = "No plan found. A plan is a Markdown file with headings such as `## PART 1: Create cuda/10-x.md`."

PAGES = click.argument("pages", nargs=-1, type=click.Path(exists=True, path_type=Path))
PATHS = click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs, and nothing else.")
ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's folder; by default the nearest one above that holds mkdocs.yml.",
)


class NoProjectError(click.ClickException):
    """No project was found; the message says what is missing and how to start."""

    exit_code = USAGE


def project_settings(root: Path | None, paths: Sequence[Path] = (), *, needs: str = "plans") -> Settings:
    """Return where the project at `root`, or around the working folder, keeps its files.

    Args:
        root: the project's folder.
        paths: files to work on, which may lie outside of any project.
        needs: what the command works on without them, ``plans`` or ``docs``.

    Raises:
        NoProjectError: there is no project, or what the command needs is not there.
        click.ClickException: its configuration is not valid.
    """
    root = root or find_root(Path.cwd())
    try:
        settings = read_settings(root)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    folder = {"plans": settings.plans_dir, "docs": settings.docs_dir}[needs]
    if paths or (root / folder).is_dir():
        return settings
    config = root / settings.config
    if not config.is_file():
        how = "run `planbook init` to start a project, or name one with --root"
        raise NoProjectError(f"{root}: no project: no {config.name} here or in a folder above, and no {folder}/; {how}")
    how = f"create it, name another folder as `{needs}_dir`, or run `planbook init {shlex.quote(str(root))}`"
    raise NoProjectError(f"{config}: the project has no folder {folder}/; {how}")


def project_selection(root: Path) -> Selection:
    """Return which Problems the project at `root` wants to be reported. Raises click.UsageError."""
    try:
        return read_selection(read_check_options(root))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Report an import that fails as the lack of an optional dependency; also a decorator of commands."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("generator."):
            raise
        command = click.get_current_context().command_path
        raise click.ClickException(f"{command} {describe_missing(error, extra)}") from error


def cached_calls(settings: Settings) -> FunctionCache:
    """Return the cache that the project's builds use; outside a project, nothing is cached."""
    is_project = (settings.root / settings.config).is_file()
    return CachedCalls(DiskCache(settings.root / CACHE_DIR)) if is_project else UNCACHED


def page_paths(settings: Settings, paths: Sequence[Path]) -> dict[str, Path]:
    """Return the pages at `paths`, or all of the project's, by uri; a page outside of the project has its path as uri.

    A folder stands for the pages below it, without those that the generator replaces.
    """
    docs = settings.root / settings.docs_dir
    inside, found = docs.resolve(), dict[str, Path]()
    for path in paths or [docs]:
        for page in markdown_files(path) if path.is_dir() else [path]:
            place = page.resolve()
            uri = (place.relative_to(inside) if place.is_relative_to(inside) else page).as_posix()
            if page == path or uri not in RESERVED:
                found.setdefault(uri, page)
    return found


def page_text(page: Path) -> str:
    """The page's text, its line ends as they are."""
    try:
        return page.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{page}: byte {error.start} is not UTF-8; save the page as UTF-8") from error


def project_library(settings: Settings, tree: Tree, now: datetime | None = None) -> Library:
    """Return the files of a project, linked, with the Problems that every command reports."""
    calls = cached_calls(settings)
    return with_problems(link_tree(tree, calls), tree, project_selection(settings.root), now, calls)
