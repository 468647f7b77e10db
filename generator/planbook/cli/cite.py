"""`planbook cite`: the works that pages cite."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from planbook.citations.additions import add_references
from planbook.cli import project, targets, terminal
from planbook.cli.terminal import SEVERITY_COLOURS, escape_output, print_json
from planbook.library.pages import read_page
from planbook.markdown.front_matter import FrontMatterError
from planbook.markdown.plain_text import count
from planbook.model import Page, Problem
from planbook.problems import severity
from planbook.rules.project import CodeFilter, select_problems
from planbook.store import Settings, write_atomic
from planbook.views.bibliography.bibtex import bibtex
from planbook.views.bibliography.csl import cited_items, csl_item, csl_items, csl_json


@dataclass(frozen=True, slots=True)
class _CitingPage:
    """A page whose works are listed."""

    path: Path
    text: str
    page: Page
    problems: Sequence[Problem]
    """Those of its citations."""


@click.command()
@click.argument("pages", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "csl-json", "bibtex"]),
    default="text",
    help="Output format: works with the lines that cite them, or a bibliography.",
)
@click.option(
    "--write", is_flag=True, help="Add the works to each page's front matter; change nothing else."
)
def cite(*, pages: tuple[Path, ...], format_: str, write: bool) -> None:
    """Show the works that pages cite, in prose and in front matter.

    PAGES are Markdown files, or folders with all pages below. With --write, works that are missing
    from a page's front matter are added to its `references`; existing entries keep their ids. Exits
    with 1 if a page could not be read or written.
    """
    settings = project.project_settings(None, pages)
    citing_pages = _read_citing_pages(settings, pages)
    if not citing_pages:
        where = ", ".join(path.as_posix() for path in pages)
        fix = "name Markdown files, or folders with some"
        click.echo(f"no pages found in {where}; {fix}", err=True)
    if write:
        sys.exit(_write_references(citing_pages))
    match format_:
        case "json":
            print_json(
                [
                    {
                        "uri": citing.path.as_posix(),
                        "references": cited_items(citing.page.references),
                    }
                    for citing in citing_pages
                ]
            )
        case "csl-json":
            click.echo(csl_json(_all_works(citing_pages)), nl=False)
        case "bibtex":
            click.echo(bibtex(_all_works(citing_pages)), nl=False)
        case _:
            _show_works(citing_pages, project.project_code_filter(settings.root))


def _read_citing_pages(settings: Settings, pages: Sequence[Path]) -> list[_CitingPage]:
    """Return the named pages, with the Problems of their citations."""
    paths = targets.page_paths(settings, pages)
    texts = [project.page_text(path) for path in paths.values()]
    calls = [(text.encode(), uri, False) for uri, text in zip(paths, texts, strict=True)]
    [parsed_pages] = project.open_cache(settings).from_disk((read_page, calls))
    return [
        _CitingPage(path, text, page, problems)
        for path, text, (page, problems) in zip(paths.values(), texts, parsed_pages, strict=True)
    ]


def _all_works(citing_pages: Sequence[_CitingPage]) -> list[dict[str, Any]]:
    """Return the works of all pages as CSL items; of those with the same id, the last one."""
    by_id = {}
    for citing in citing_pages:
        page = citing.page
        for item in csl_items(page.meta_value("references"), page.references):
            by_id[str(item["id"])] = item
    return list(by_id.values())


def _show_works(citing_pages: Sequence[_CitingPage], code_filter: CodeFilter) -> None:
    """Print the works of each page with the lines that cite them, and the Problems of citations."""
    console = terminal.make_console()
    for citing in citing_pages:
        works = citing.page.references
        name = escape_output(citing.path.as_posix())
        console.print(f"[bold]{name}[/]  {count(len(works), 'work')} cited")
        for work in works:
            when = f", accessed {work.accessed}" if work.accessed else ""
            lines = ", ".join(map(str, work.lines)) or "–"
            console.print(f"  [cyan]{escape_output(work.id)}[/]  {escape_output(work.title)}")
            console.print(
                f"    [dim]{escape_output(work.url or 'no address')}{when}; lines {lines}[/]"
            )
        raw = {problem.uri: citing.text.encode() for problem in citing.problems}
        for problem in select_problems(citing.problems, code_filter, raw):
            code = f"[{SEVERITY_COLOURS[severity(problem.code)]}]{problem.code}[/]"
            line = f"  {code} line {problem.line}: {escape_output(problem.message)}"
            console.print(line, soft_wrap=False)


def _write_references(citing_pages: Sequence[_CitingPage]) -> int:
    """Add missing works to each page's front matter, and return the exit code."""
    code = project.EXIT_OK
    for citing in citing_pages:
        works = citing.page.references
        try:
            new = add_references(citing.text, [csl_item(work) for work in works])
        except FrontMatterError as error:
            click.echo(f"{citing.path}:{error.line}: {error.reason}; not changed", err=True)
            code = project.EXIT_ATTENTION
            continue
        is_changed = new != citing.text
        if is_changed:
            write_atomic(citing.path, new.encode("utf-8"))
        outcome = "written" if is_changed else "up to date"
        click.echo(f"{citing.path}: {outcome}, {count(len(works), 'work')}")
    return code
