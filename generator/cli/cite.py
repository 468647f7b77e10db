"""`planbook cite`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.citations.pins import RepositoryFile, parse_file_url
from generator.citations.references import with_custom, with_references
from generator.cli import project, reading
from generator.cli.console import escaped, make_console, print_json, show_problems
from generator.library.linking import read_page
from generator.markdown.front_matter import FrontMatterError, split_front_matter
from generator.markdown.plain_text import count
from generator.model import Page, Problem, Reference
from generator.rules.registry import wanted
from generator.store import Settings, write_atomic
from generator.store.mirrors import MirrorError
from generator.views.works import bibtex, cited, csl_item, csl_items, csl_json

if TYPE_CHECKING:
    from rich.console import Console

    from generator.search.documents import Mirrors

Read = tuple[Path, str, Page, Sequence[Problem]]
"""A page's path, text and content, and the Problems of its citations."""


@click.command()
@click.argument("pages", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the works with the lines that cite them, as JSON.")
@click.option("--format", "format_", type=click.Choice(["csl-json", "bibtex"]), help="Print a bibliography.")
@click.option("--write", is_flag=True, help="Add the works to each page's front matter; change nothing else.")
@click.option(
    "--pin", is_flag=True, help="Replace branches in addresses of repository files with the commit that was read."
)
@reading.MIRROR
def cite(
    *,
    pages: tuple[Path, ...],
    as_json: bool,
    format_: str | None,
    write: bool,
    pin: bool,
    mirrors: tuple[str, ...],
) -> None:
    """Show the works that pages cite, in prose and in front matter.

    PAGES are Markdown files, or folders with all pages below. With --write, works that are missing from a page's front
    matter are added to its `references`; existing entries keep their ids. With --pin, addresses of files on a branch or
    tag are replaced with permalinks. Exits with 1 if a page could not be read or written, or an address could not be
    pinned.
    """
    settings = project.project_settings(None, pages)
    paths = project.page_paths(settings, pages)
    texts = [project.page_text(page) for page in paths.values()]
    read = project.cached_calls(settings).map(
        read_page, [(text.encode(), uri, False) for uri, text in zip(paths, texts, strict=True)]
    )
    found = [(path, text, *one) for path, text, one in zip(paths.values(), texts, read, strict=True)]
    if pin:
        sys.exit(_pin_pages(settings, found, mirrors))
    if write:
        sys.exit(_write_references(found))
    if as_json:
        print_json([{"uri": path.as_posix(), "references": cited(page.references)} for path, _, page, _ in found])
    elif format_:
        items = [item for _, text, page, _ in found for item in csl_items(_written(text), page.references)]
        once = {str(item["id"]): item for item in items}
        render = {"csl-json": csl_json, "bibtex": bibtex}[format_]
        click.echo(render(list(once.values())), nl=False)
    else:
        console, selection = make_console(), project.project_selection(settings.root)
        for path, text, page, problems in found:
            shown = list(wanted(problems, selection, {problem.uri: text for problem in problems}))
            _show_references(console, path, page.references, shown)


def _write_references(found: Sequence[Read]) -> int:
    """Add missing works to each page's front matter, and return the exit code."""
    code = project.OK
    for path, text, page, _ in found:
        try:
            new = with_references(text, [csl_item(work) for work in page.references])
        except FrontMatterError as error:
            click.echo(f"{path}:{error.line}: {error.reason}; not changed", err=True)
            code = project.FOUND
            continue
        if new != text:
            write_atomic(path, new.encode("utf-8"))
        click.echo(f"{path}: {'written' if new != text else 'up to date'}, {count(len(page.references), 'work')}")
    return code


def _written(text: str) -> object:
    """Return the works in the page's front matter; empty if it is not a YAML mapping."""
    try:
        return split_front_matter(text)[0].get("references")
    except ValueError:
        return None


def _show_references(console: Console, page: Path, works: Sequence[Reference], problems: Sequence[Problem]) -> None:
    console.print(f"[bold]{escaped(page.as_posix())}[/]  {count(len(works), 'work')} cited")
    for work in works:
        when = f", accessed {work.accessed}" if work.accessed else ""
        lines = ", ".join(map(str, work.lines))
        console.print(f"  [cyan]{escaped(work.id)}[/]  {escaped(work.title)}")
        console.print(f"    [dim]{escaped(work.url or 'no address')}{when}; lines {lines or '–'}[/]")
    show_problems(console, problems)


# --- pinning ---------------------------------------------------------------------------------------------------------


def _pin_pages(settings: Settings, found: Sequence[Read], named: Sequence[str]) -> int:
    """Pin the addresses on pages; report each, and return the exit code."""
    with project.needs_extra("research"):
        from generator.search.documents import Mirrors

        paths = reading.mirror_paths(settings, named)
    code = project.OK
    with closing(Mirrors(paths)) as mirrors:
        for path, text, page, _ in found:
            click.echo(path)
            new = text
            for reference in page.references:
                file = parse_file_url(reference.url or "")
                if file is None or file.is_pinned:
                    continue
                try:
                    pinned = _commit_read(settings, mirrors, reference, file)
                    new = _with_permalink(new, reference, pinned)
                    click.echo(f"  {reference.id}: {file.ref} is pinned to {pinned.ref[:12]}")
                except (MirrorError, FrontMatterError) as error:
                    code = project.FOUND
                    click.echo(f"  {reference.id}: not pinned: {error}")
            if new != text:
                write_atomic(path, new.encode("utf-8"))
    return code


def _commit_read(settings: Settings, mirrors: Mirrors, reference: Reference, file: RepositoryFile) -> RepositoryFile:
    """Return the file at the commit that was read when the page was written. Raises MirrorError.

    It is the commit recorded when the address was fetched, else the last one in a mirror before the access date that
    has every quote.
    """
    from generator.web.archive import Archive

    kept = Archive(settings.root).get((reference.url or "").partition("#")[0])
    if kept and kept.origin and kept.origin.commit:
        return file.at(kept.origin.ref, kept.origin.commit)
    return mirrors.find_version(file, [quote for _, quote in reference.quotes], reference.accessed or "")


def _with_permalink(text: str, reference: Reference, pinned: RepositoryFile) -> str:
    """Replace all occurrences of the address in the page, with or without lines, and record the origin."""
    address = (reference.url or "").partition("#")[0]
    new = re.sub(rf"{re.escape(address)}(?![\w/%.~-]*[\w/%~-])", pinned.base_url, text)
    if new == text:
        raise MirrorError("its address does not occur literally on the page")
    origin = {"repository": pinned.repository, "path": pinned.path, "commit": pinned.ref}
    return with_custom(new, {reference.id: origin})
