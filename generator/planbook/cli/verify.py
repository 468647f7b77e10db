"""`planbook verify`: check the sources of pages."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook.citations.report import VERSION, PageResult, VerifyReport, encode_report
from planbook.cli import parameters, project, terminal
from planbook.cli.cited_claims import cited_claims, report_lost_citations
from planbook.cli.refresh import OLDER_THAN, REOPEN, show_changes
from planbook.cli.terminal import escaped
from planbook.library.pages import fingerprint
from planbook.markdown.plain_text import count
from planbook.model import format_time

if TYPE_CHECKING:
    from rich.console import Console


@click.command()
@parameters.PAGES
@click.option("--changes", is_flag=True, help="Show what the sources say now beside the quotes that changed.")
@OLDER_THAN
@REOPEN
@parameters.ROOT
@parameters.source_options
@parameters.JSON
@project.needs_extra("research")
def verify(
    *,
    pages: tuple[Path, ...],
    changes: bool,
    older_than: str | None,
    reopen: bool,
    root: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Check that sources are reachable, contain the quotes, and have not changed.

    PAGES are Markdown files, or folders with all pages below; by default all pages of the project. Works whose files
    are in documents/ are checked there, without a request. No page changes; the results go to planbook-verify.json.
    Exits with 1 if a source needs attention.

    With --changes, files in mirrors are compared at their newest commit, each quote that a source no longer contains
    is shown beside its words of today, and nothing is written.
    """
    if changes or reopen or older_than:
        if as_json:
            raise click.UsageError("--format json has no form for --changes; leave one of them out")
        show_changes(pages, older_than, root, options, is_reopened=reopen)
    from planbook.research import git
    from planbook.research.proof.sources import save_report
    from planbook.research.proof.verify import report_page

    settings = project.project_settings(root, pages, needs="docs")
    git.check_working_folder(settings.root)
    texts, claims = cited_claims(settings, pages)
    lost = report_lost_citations(settings, texts)
    answers = project.source_reader(settings, options).read_claimed(chain.from_iterable(claims.values()))
    now, offline = format_time(), options["offline"]
    found = {
        uri: report_page(of_page, answers, now, fingerprint(texts[uri]), offline=offline)
        for uri, of_page in claims.items()
    }
    save_report(settings, found)
    if as_json:
        click.echo(encode_report(VerifyReport(VERSION, found)), nl=False)
    else:
        _show_results(terminal.make_console(), found, texts, len(lost))
    sys.exit(project.FOUND if lost or not all(page.well for page in found.values()) else project.OK)


def _show_results(console: Console, pages: Mapping[str, PageResult], texts: Mapping[str, str], lost: int) -> None:
    """Print the results of each page, and the totals; `lost` citations have no source."""
    from planbook.research.proof.refresh import citation_lines

    for uri, page in pages.items():
        console.print(f"[bold]{escaped(uri)}[/]  {count(len(page.references), 'work')} cited")
        for work in page.references:
            for finding in work.findings:
                console.print(f"  [yellow]{escaped(work.id)}[/]  {escaped(finding)}")
            if missing := [key for key, is_there in work.quotes.items() if not is_there]:
                at = citation_lines(texts[uri], work.id)
                lines = ", ".join(f"{key} in line {at[key]}" for key in missing)
                console.print(f"    [dim]cited: {lines}; `planbook verify --changes` shows the closest words there[/]")
            if work.findings and work.url:
                console.print(f"    [dim]{escaped(work.url)}[/]")
            if pin := work.pinned:
                console.print(f"  [green]{escaped(work.id)}[/]  {escaped(pin.statement)}")
                console.print(f"    [dim]{escaped(f'{pin.repository} {pin.commit[:12]} {pin.path}')}[/]")
            if work.copy:
                n = f"{work.quotes_found} of {count(len(work.quotes), 'quote')}" if work.quotes else "no quotes; read"
                colour = "green" if work.well else "yellow"
                console.print(f"  [{colour}]{escaped(work.id)}[/]  {n} in a copy of {work.copy}")
        elsewhere = [work.id for work in page.references if not work.checkable]
        if elsewhere:
            console.print(f"  [dim]not checked, as it has no address and no file: {escaped(', '.join(elsewhere))}[/]")
    console.print(_total(pages.values(), lost))


def _total(pages: Collection[PageResult], lost: int) -> str:
    """Return how many of all cited sources are in order, and how many of all quotes were found."""
    works = [work for page in pages for work in page.references]
    checkable = [work for work in works if work.checkable]
    without = f"{count(lost, 'problem')} in citations" if lost else ""
    if not works:
        return f"no source checked; {without}" if lost else "nothing to check: no page cites a source"
    quotes, found = sum(page.quotes.total for page in pages), sum(work.quotes_found for work in checkable)
    well, pinned = sum(work.well for work in checkable), sum(work.pinned is not None for work in checkable)
    unread, elsewhere = sum(not work.is_read for work in checkable), len(works) - len(checkable)
    said = [f"{well} of {count(len(checkable), 'source')} in order"] if checkable else ["no source checked"]
    said += [f"{found} of {count(quotes, 'quote')} found"] if quotes else ["no quotes"]
    said += [f"{pinned} pinned"] if pinned else []
    said += [f"{count(unread, 'source')} not read"] if unread else []
    said += [f"{count(elsewhere, 'work')} without an address or a file"] if elsewhere else []
    said += [without] if without else []
    return "; ".join(said)
