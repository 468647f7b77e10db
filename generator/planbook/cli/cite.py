"""`planbook cite`: the works that pages cite."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from planbook.citations.additions import with_references
from planbook.cli import project, terminal
from planbook.cli.terminal import SEVERITY_COLOURS, escaped, print_json
from planbook.library.pages import read_page
from planbook.markdown.front_matter import FrontMatterError
from planbook.markdown.plain_text import count
from planbook.model import Page, Problem
from planbook.problems import severity
from planbook.rules.project import wanted
from planbook.store import write_atomic
from planbook.views.works import bibtex, cited, csl_item, csl_items, csl_json

Read = tuple[Path, str, Page, Sequence[Problem]]
"""A page's path, text and content, and the Problems of its citations."""


@click.command()
@click.argument("pages", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "csl-json", "bibtex"]),
    default="text",
    help="Output format: works with the lines that cite them, or a bibliography.",
)
@click.option("--write", is_flag=True, help="Add the works to each page's front matter; change nothing else.")
def cite(*, pages: tuple[Path, ...], format_: str, write: bool) -> None:
    """Show the works that pages cite, in prose and in front matter.

    PAGES are Markdown files, or folders with all pages below. With --write, works that are missing from a page's front
    matter are added to its `references`; existing entries keep their ids. Exits with 1 if a page could not be read or
    written.
    """
    settings = project.project_settings(None, pages)
    paths = project.page_paths(settings, pages)
    texts = [project.page_text(page) for page in paths.values()]
    calls = [(text.encode(), uri, False) for uri, text in zip(paths, texts, strict=True)]
    [read] = project.cached_calls(settings).stored((read_page, calls))
    found = [(path, text, *one) for path, text, one in zip(paths.values(), texts, read, strict=True)]
    if not found:
        where = ", ".join(path.as_posix() for path in pages)
        click.echo(f"no pages found in {where}; name Markdown files, or folders with some", err=True)
    if write:
        sys.exit(_write_references(found))
    if format_ == "json":
        print_json([{"uri": path.as_posix(), "references": cited(page.references)} for path, _, page, _ in found])
    elif format_ != "text":
        items = [i for *_, page, _ in found for i in csl_items(page.meta_value("references"), page.references)]
        once = {str(item["id"]): item for item in items}
        render = {"csl-json": csl_json, "bibtex": bibtex}[format_]
        click.echo(render(list(once.values())), nl=False)
    else:
        console, selection = terminal.make_console(), project.project_selection(settings.root)
        for path, text, page, problems in found:
            shown = list(wanted(problems, selection, {problem.uri: text.encode() for problem in problems}))
            console.print(f"[bold]{escaped(path.as_posix())}[/]  {count(len(page.references), 'work')} cited")
            for work in page.references:
                when = f", accessed {work.accessed}" if work.accessed else ""
                lines = ", ".join(map(str, work.lines))
                console.print(f"  [cyan]{escaped(work.id)}[/]  {escaped(work.title)}")
                console.print(f"    [dim]{escaped(work.url or 'no address')}{when}; lines {lines or '–'}[/]")
            for problem in shown:
                kind = SEVERITY_COLOURS[severity(problem.code)]
                line = f"  [{kind}]{problem.code}[/] line {problem.line}: {escaped(problem.message)}"
                console.print(line, soft_wrap=False)


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
