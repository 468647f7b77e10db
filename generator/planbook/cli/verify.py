"""`planbook verify`: check the sources of pages."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook.citations.report import (
    VERSION,
    PageResult,
    SourceResult,
    VerifyReport,
    decode_report,
    encode_report,
)
from planbook.cli import parameters, project, terminal
from planbook.cli.cited_references import cited_references, report_lost_citations
from planbook.cli.refresh import OLDER_THAN, REOPEN, show_changes
from planbook.cli.terminal import escape_output
from planbook.library.acceptances import describe_changed, find_changed
from planbook.library.pages import fingerprint
from planbook.markdown.plain_text import count
from planbook.model import format_time
from planbook.store import Settings, read_tree
from planbook.store.files import read_report

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.research.proof.source_reader import SourceReader
    from planbook.research.proof.verify import CitedReference


@click.command()
@parameters.PAGES
@click.option(
    "--changes", is_flag=True, help="Show what the sources say now beside the quotes that changed."
)
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

    PAGES are Markdown files, folders with all pages below, or plans, by path or slug, with the
    pages of their PARTs, as `planbook verify PLAN 1 2` for some; by default all pages.
    Works whose files are in documents/ are checked there, without a request. No page changes; the
    results go to planbook-verify.json. Exits with 1 if a source needs attention.

    With --changes, files in mirrors are compared at their newest commit, each quote that a source
    no longer contains is shown beside its words of today, and nothing is written.
    """
    if changes or reopen or older_than:
        if as_json:
            raise click.UsageError("--format json has no form for --changes; leave one of them out")
        show_changes(pages, older_than, root, options, is_reopened=reopen)
    from planbook.research import git
    from planbook.research.proof.source_reader import save_report

    settings = project.project_settings(root, pages, needs="docs")
    git.check_working_folder(settings.root)
    texts, references = cited_references(settings, pages)
    lost = report_lost_citations(settings, texts)
    reader = project.source_reader(settings, options)
    results = _verify_pages(settings, reader, texts, references, is_offline=options["offline"])
    save_report(settings, results)
    if as_json:
        click.echo(encode_report(VerifyReport(VERSION, results)), nl=False)
    else:
        _show_results(terminal.make_console(), results, texts, len(lost))
        _show_changed(settings, results)
    is_well = all(page.well for page in results.values()) and not lost
    sys.exit(project.EXIT_OK if is_well else project.EXIT_ATTENTION)


def _verify_pages(
    settings: Settings,
    reader: SourceReader,
    texts: Mapping[str, str],
    references: Mapping[str, Sequence[CitedReference]],
    *,
    is_offline: bool,
) -> dict[str, PageResult]:
    """Read the sources of pages, and return what became of each page's references."""
    from planbook.research.proof.verify import note_copies, report_page

    answers = reader.read_cited(chain.from_iterable(references.values()))
    now = format_time()
    earlier = decode_report(read_report(settings.root))[0].pages
    return {
        uri: report_page(
            note_copies(of_page, earlier.get(uri)),
            answers,
            now,
            fingerprint(texts[uri]),
            offline=is_offline,
        )
        for uri, of_page in references.items()
    }


def _show_changed(settings: Settings, results: Collection[str]) -> None:
    """Print which pages were changed since they were accepted: their sentences are not compared."""
    tree = read_tree(settings)
    library = project.project_library(settings, tree)
    changed = [uri for uri, _ in find_changed(library, tree.pages) if uri in results]
    if changed:
        description = describe_changed(changed, settings.docs_dir.strip("/"))
        click.echo(f"{description}. Here, quotes were looked for, and sentences not compared")


def _show_results(
    console: Console, pages: Mapping[str, PageResult], texts: Mapping[str, str], lost: int
) -> None:
    """Print the results of each page, and the totals; `lost` citations have no source."""
    for uri, page in pages.items():
        console.print(f"[bold]{escape_output(uri)}[/]  {count(len(page.references), 'work')} cited")
        for work in page.references:
            _show_work(console, work, texts[uri])
        elsewhere = [work.id for work in page.references if not work.checkable]
        if elsewhere:
            reason = "not checked, as it has no address and no file"
            console.print(f"  [dim]{reason}: {escape_output(', '.join(elsewhere))}[/]")
    console.print(_verify_total(pages.values(), lost))


def _show_work(console: Console, work: SourceResult, text: str) -> None:
    """Print what was found in a work; nothing if all is well and there is no proof to show."""
    from planbook.research.proof.refresh import citation_lines

    name = escape_output(work.id)
    for finding in work.findings:
        console.print(f"  [yellow]{name}[/]  {escape_output(finding)}")
    missing = [key for key, is_found in work.quotes.items() if not is_found]
    if missing:
        line_of = citation_lines(text, work.id)
        lines = ", ".join(f"{key} in line {line_of[key]}" for key in missing)
        fix = "`planbook verify --changes` shows the closest words there"
        console.print(f"    [dim]cited: {lines}; {fix}[/]")
    if work.findings and work.url:
        console.print(f"    [dim]{escape_output(work.url)}[/]")
    if pin := work.pinned:
        pinned_file = f"{pin.repository} {pin.commit[:12]} {pin.path}"
        console.print(f"  [green]{name}[/]  {escape_output(pin.statement)}")
        console.print(f"    [dim]{escape_output(pinned_file)}[/]")
    if work.copy:
        quotes = "no quotes; read"
        if work.quotes:
            quotes = f"{work.quotes_found} of {count(len(work.quotes), 'quote')}"
        colour = "green" if work.well else "yellow"
        console.print(f"  [{colour}]{name}[/]  {quotes} in a copy of {work.copy}")


def _verify_total(pages: Collection[PageResult], lost: int) -> str:
    """Return how many of all cited sources are in order, and how many of all quotes were found."""
    works = [work for page in pages for work in page.references]
    facts = _totals_of_works(pages, works) if works else []
    if lost:
        facts = facts or ["no source checked"]
        facts.append(f"{count(lost, 'problem')} in citations")
    return "; ".join(facts) or "nothing to check: no page cites a source"


def _totals_of_works(pages: Collection[PageResult], works: Sequence[SourceResult]) -> list[str]:
    """Return the totals of all works that pages cite, those of which there are none left out."""
    checkable = [work for work in works if work.checkable]
    well = sum(work.well for work in checkable)
    quotes = sum(page.quotes.total for page in pages)
    quotes_found = sum(work.quotes_found for work in checkable)
    pinned = sum(work.pinned is not None for work in checkable)
    unread = sum(not work.is_read for work in checkable)
    elsewhere = len(works) - len(checkable)
    facts = ["no source checked"]
    if checkable:
        facts = [f"{well} of {count(len(checkable), 'source')} in order"]
    facts.append(f"{quotes_found} of {count(quotes, 'quote')} found" if quotes else "no quotes")
    if pinned:
        facts.append(f"{pinned} pinned")
    if unread:
        facts.append(f"{count(unread, 'source')} not read")
    if elsewhere:
        facts.append(f"{count(elsewhere, 'work')} without an address or a file")
    return facts
