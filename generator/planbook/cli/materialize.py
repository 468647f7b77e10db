"""`planbook materialize`: the whole tree as plain Markdown."""

from __future__ import annotations

from pathlib import Path

import click

from planbook.cli import parameters, project, terminal
from planbook.cli.engines import zensical_tree
from planbook.cli.terminal import escape_output
from planbook.markdown import extensions, plain_text
from planbook.store import (
    Settings,
    decode_page,
    output,
    publish_tree,
    read_tree,
)


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--index",
    "index_name",
    type=click.Choice(["index.md", "_index.md", "README.md"]),
    default="index.md",
    help="File name of a folder's own page; Hugo needs _index.md.",
)
@click.option(
    "--force", is_flag=True, help="Write into a folder that contains files Planbook did not write."
)
@click.option(
    "--for",
    "engine",
    type=click.Choice(["all", "zensical"]),
    default="all",
    help="Write plain pages, or Zensical's.",
)
@parameters.ROOT
@project.needs_extra("zensical")
def materialize(
    *, directory: Path, index_name: str, force: bool, engine: str, root: Path | None
) -> None:
    """Write the whole tree into DIR as plain Markdown with front matter, for engines that run no
    plugins.

    With --for=zensical, DIR is a project of Zensical's with the same site as that of MkDocs.

    Exports pages, placeholders, INDEX pages, progress, Sources, the link graph and all other files
    of the documentation folder. DIR must be a separate folder: files from an earlier run are
    replaced; if it contains other files, the command stops.
    """  # noqa: D205 - click prints the first paragraph, which is longer than a line
    settings = project.project_settings(root)
    target = directory.resolve()
    for name in (settings.docs_dir, *settings.plan_folders):  # these are only read
        source = (settings.root / name).resolve()
        if target.is_relative_to(source) or source.is_relative_to(target):
            defect = f"{directory} and the project's folder {name} overlap; choose another folder"
            raise click.ClickException(defect)
    if engine == "all":
        files = tree_files(settings, index_name)
    else:
        files = zensical_tree(settings, has_twins=False).files()
    written_count, removed = output.write_owned(directory, files, force=force)
    pages = sum(path.endswith(".md") for path in files)
    other_count = len(files) - pages
    contents = (
        f"{plain_text.count(pages, 'page')} and {plain_text.count(other_count, 'other file')}"
    )
    changed = f"{plain_text.number(written_count)} written, {plain_text.number(removed)} removed"
    terminal.make_console().print(f"{escape_output(str(directory))}: {contents}; {changed}")


def tree_files(settings: Settings, index_name: str = "index.md") -> dict[str, bytes]:
    """Return the tree's files by path."""
    from planbook.views import frame, portable, progress
    from planbook.views.navigation import named_pages

    raw_tree = read_tree(settings, is_published=True)
    tree = publish_tree(settings, raw_tree)
    library = project.project_library(settings, tree)
    docs = settings.docs_dir.strip("/")
    texts = {uri: decode_page(tree.pages[uri], f"{docs}/{uri}") for uri in tree.pages}
    site = frame.Site(
        settings.site_name,
        settings.site_url,
        description=settings.site_description,
        docs_dir=docs,
        folder_titles=tuple(settings.folder_titles.items()),
    )
    checks = project.valid_checks(settings, raw_tree, library)
    try:
        other_files = dict(output.other_files(settings))
        form = portable.Form(
            index_name, extensions.read_syntax(settings.extensions), tuple(other_files)
        )
        files = portable.portable_tree(library, texts, named_pages(settings.nav), site, form)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    files |= progress.progress_files(library, checks)
    return other_files | {path: text.encode("utf-8") for path, text in files.items()}
