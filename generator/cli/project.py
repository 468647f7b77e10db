"""What commands read: the project around them, its plans, pages and library. And the arguments they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from generator.extras import describe_missing
from generator.library import RESERVED, Library, link_tree
from generator.model import Tree
from generator.store import Settings, find_root, is_drop, markdown_files, read_plans, read_settings, read_tree

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: all well; something was found; the command was not understood (click's own)."""
FAILED, NOTHING, STOPPED, UNREACHED = 3, 4, 5, 6
"""Exit codes of `expand`: PARTs failed; there was nothing to do; it was stopped; nobody could be reached."""

PATHS = click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs, and nothing else.")
ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's folder; by default the nearest one above that holds mkdocs.yml.",
)


def project_settings(root: Path | None) -> Settings:
    """Where the project at `root`, or around the working folder, keeps its files."""
    import yaml

    root = root or find_root(Path.cwd())
    try:
        return read_settings(root)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise click.ClickException(f"the configuration in {root} is no YAML: {error}") from error


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


def page_texts(settings: Settings, pages: Sequence[Path]) -> dict[str, str]:
    """The pages to check by uri: those at `pages`, or all of the project's; one outside of it has its path as uri."""
    return {uri: page_text(path) for uri, path in page_paths(settings, pages).items()}


def page_paths(settings: Settings, pages: Sequence[Path]) -> dict[str, Path]:
    """Where those pages lie, by uri."""
    docs = settings.root / settings.docs_dir
    if not pages:
        pages = [docs / uri for uri in read_tree(settings).pages if uri not in RESERVED]
    inside = docs.resolve()
    uris = {p: p.resolve().relative_to(inside) if p.resolve().is_relative_to(inside) else p for p in pages}
    return {uri.as_posix(): page for page, uri in uris.items()}


def plans_at(paths: Sequence[Path], root: Path | None = None) -> dict[str, bytes]:
    """The plans at `paths`, by path as given, or the project's; a file named outright is read whatever its name."""
    if not paths:
        settings = project_settings(root)
        return read_plans(settings.root / settings.plans_dir, settings.plans_dir.strip("/"))[0]
    found: dict[str, bytes] = {}
    for path in paths:
        if path.is_dir():
            found |= read_plans(path, path.as_posix())[0]
        else:
            found[path.as_posix()] = path.read_bytes()
    return found


def page_text(page: Path) -> str:
    """The page's text, its line ends as they are."""
    try:
        return page.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{page}: byte {error.start} is not UTF-8; save the page as UTF-8") from error


def project_library(settings: Settings, paths: Sequence[Path]) -> Library:
    """The project's plans, or those at `paths`, linked with its pages."""
    return link_tree(project_tree(settings, paths))


def project_tree(settings: Settings, paths: Sequence[Path]) -> Tree:
    """The project's files; with `paths`, only the plans there and the drops beside them, and all pages."""
    tree = read_tree(settings)
    if not paths:
        return tree
    folders = {path if path.is_dir() else path.parent for path in paths}
    drops = {
        p.as_posix(): p.read_bytes() for folder in sorted(folders) for p in markdown_files(folder) if is_drop(p.name)
    }
    return Tree(plans_at(paths), drops, tree.pages, tree.plans_dir)
