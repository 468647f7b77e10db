"""`planbook materialize`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from generator.cli.console import escaped, make_console
from generator.cli.project import ROOT, project_library, project_settings, valid_checks
from generator.markdown.extensions import read_syntax
from generator.markdown.plain_text import count, number
from generator.store import Settings, decode_page, read_tree
from generator.store.output import other_files, published, write_owned


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--citations",
    type=click.Choice(["numbered", "keep"]),
    default="numbered",
    help="Cite with numbers and list the works on each page, or keep [@id] for Pandoc and Quarto.",
)
@click.option(
    "--index",
    "index_name",
    type=click.Choice(["index.md", "_index.md", "README.md"]),
    default="index.md",
    help="File name of a folder's own page; Hugo needs _index.md.",
)
@click.option("--force", is_flag=True, help="Write into a folder that contains files Planbook did not write.")
@ROOT
def materialize(*, directory: Path, citations: str, index_name: str, force: bool, root: Path | None) -> None:
    """Write the whole tree into DIR as plain Markdown with front matter, for engines that run no plugins.

    Exports pages, placeholders, INDEX pages, progress, Sources, the link graph and all other files of the documentation
    folder. DIR must be a separate folder: files from an earlier run are replaced; if it contains other files, the
    command stops.
    """
    settings = project_settings(root)
    _refuse_project(settings, directory)
    files = tree_files(settings, citations, index_name)
    written, removed = write_owned(directory, files, force=force)
    pages = sum(path.endswith(".md") for path in files)
    said = f"{count(pages, 'page')} and {count(len(files) - pages, 'other file')}"
    changed = f"{number(written)} written, {number(removed)} removed"
    make_console().print(f"{escaped(str(directory))}: {said}; {changed}")


def tree_files(settings: Settings, citations: str = "numbered", index_name: str = "index.md") -> dict[str, bytes]:
    """Return the tree's files by path."""
    from generator.views.frame import Site
    from generator.views.index import named_pages
    from generator.views.portable import Citations, Form, portable_tree
    from generator.views.progress import progress_files

    tree = read_tree(settings)
    pages = published(settings, tree.pages)
    library = project_library(settings, replace(tree, pages={uri: tree.pages[uri] for uri in pages}))
    docs = settings.docs_dir.strip("/")
    texts = {uri: decode_page(tree.pages[uri], f"{docs}/{uri}") for uri in pages}
    site = Site(settings.site_name, settings.site_url, description=settings.site_description, docs_dir=docs)
    checks = valid_checks(settings, tree, library.page_by_uri)
    try:
        form = Form(Citations(citations), index_name, read_syntax(settings.extensions))
        files = portable_tree(library, texts, named_pages(settings.nav), site, form)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    files |= progress_files(library, checks)
    return dict(other_files(settings)) | {path: text.encode("utf-8") for path, text in files.items()}


def _refuse_project(settings: Settings, directory: Path) -> None:
    """Reject a folder that contains the project's plans or pages, or is inside their folders: those are only read."""
    target = directory.resolve()
    for name in (settings.docs_dir, settings.plans_dir):
        source = (settings.root / name).resolve()
        if target.is_relative_to(source) or source.is_relative_to(target):
            what = f"{directory} and the project's folder {name} overlap; choose another folder"
            raise click.ClickException(what)
