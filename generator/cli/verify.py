"""`planbook verify`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from generator.cache import FunctionCache
from generator.cli.console import escaped, make_console, print_json
from generator.cli.project import (
    FOUND,
    JSON,
    OK,
    PAGES,
    ROOT,
    cached_calls,
    needs_extra,
    page_paths,
    page_text,
    project_settings,
)
from generator.cli.reading import SourceOptions, read_claimed, source_options
from generator.library.pages import fingerprint
from generator.markdown.plain_text import count
from generator.store import Settings, read_tree, write_atomic
from generator.store.files import read_report, write_check_report
from generator.store.git import check_working_folder

if TYPE_CHECKING:
    from rich.console import Console

    from generator.research.verify import Answers, Claim, Verdict


@click.command()
@PAGES
@ROOT
@click.option("--write", is_flag=True, help="Write the results into the references of each page's front matter.")
@click.option(
    "--newer", is_flag=True, help="Also check whether the cited text has changed in each mirror's newest commit."
)
@source_options
@JSON
@needs_extra("research")
def verify(
    *,
    pages: tuple[Path, ...],
    root: Path | None,
    write: bool,
    newer: bool,
    as_json: bool,
    **options: Unpack[SourceOptions],
) -> None:
    """Check that sources are reachable, contain the quotes, and have not changed.

    PAGES are Markdown files, or folders with all pages below; by default all pages of the project. Works whose files
    are in documents/ are checked there, without a request. The results go to
    planbook-verify.json. Pages change only with --write, and then only the `custom` of their references. Exits with 1
    if a source needs attention.
    """
    settings = project_settings(root, pages, needs="docs")
    check_working_folder(settings.root)
    paths, calls = page_paths(settings, pages), cached_calls(settings)
    texts = {uri: page_text(path) for uri, path in paths.items()}
    every = [verdict.claim for of_page in judged(texts, {}, calls).values() for verdict in of_page]
    answers = read_claimed(settings, every, options, newer=newer)
    verdicts = judged(texts, answers, calls)
    notes, code = _write_pages(paths, texts, verdicts) if write else ([], OK)
    verdicts = judged(texts, answers, calls) if write else verdicts  # includes the results just written
    report = write_report(settings, texts, verdicts, offline=options["offline"])
    if as_json:
        print_json(report)
    else:
        _show_verdicts(make_console(), verdicts)
    for note in notes:
        click.echo(note, err=as_json)
    sys.exit(code if all(page["well"] for page in report["pages"].values()) else FOUND)


def judged(texts: Mapping[str, str], answers: Answers, calls: FunctionCache) -> dict[str, list[Verdict]]:
    """Compare the pages' claims with the fetched sources, by page; skip pages without sources."""
    from generator.research.verify import judge, read_claims, with_newer

    claims = dict(zip(texts, calls.map(read_claims, [(text, uri) for uri, text in texts.items()]), strict=True))

    def verdict(claim: Claim) -> Verdict:
        """Judge by the mirror's file if there is one, else by the document at the address."""
        found = claim.find(answers)
        judged = judge(claim, next(iter(found), None))
        return with_newer(judged, *found) if found[1:] else judged

    return {uri: [verdict(claim) for claim in of_page] for uri, of_page in claims.items() if of_page}


def _write_pages(
    paths: Mapping[str, Path], texts: dict[str, str], verdicts: Mapping[str, Sequence[Verdict]]
) -> tuple[list[str], int]:
    """Write the results into the pages; return a line on each, and the exit code. `texts` is updated."""
    from generator.citations.references import with_custom
    from generator.markdown.front_matter import FrontMatterError
    from generator.research.verify import found_values

    notes, code = [], OK
    for uri, of_page in verdicts.items():
        path, text = paths[uri], texts[uri]
        try:
            if page_text(path) != text:
                raise FrontMatterError(1, "the page changed while its sources were read; run the command again")
            new = with_custom(text, {v.claim.reference.id: found_values(v) for v in of_page if v.claim.is_written})
        except FrontMatterError as error:
            notes.append(f"{path}:{error.line}: {error.reason}; not changed")
            code = FOUND
            continue
        if new != text:
            write_atomic(path, new.encode("utf-8"))
            texts[uri] = new
        prose = sum(verdict.is_checkable and not verdict.claim.is_written for verdict in of_page)
        hint = f"; {count(prose, 'source')} only in its text; `planbook cite --write` adds them to the front matter"
        notes.append(f"{path}: {'written' if new != text else 'up to date'}{hint if prose else ''}")
    return notes, code


def write_report(
    settings: Settings, texts: Mapping[str, str], verdicts: Mapping[str, Sequence[Verdict]], *, offline: bool
) -> dict[str, Any]:
    """Merge the results into the report, keeping those of other pages, and return them; `texts` are the pages.

    A page none of whose sources could be read has no result, and stays as it is in the report.
    """
    from generator.research.verify import REPORT_VERSION, merge_report, report_page

    checked = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    report = {
        uri: report_page(of_page, checked, fingerprint(texts[uri]), offline=offline)
        for uri, of_page in verdicts.items()
    }
    try:
        old = json.loads(read_report(settings.root) or b"null")
    except ValueError:
        old = None  # damaged: rewrite it
    read = {uri: page for uri, page in report.items() if any(map(_is_read, verdicts[uri]))}
    if read:
        merged = merge_report(old, read, {*read_tree(settings).pages, *report})
        content = json.dumps(merged, ensure_ascii=False, indent=1) + "\n"
        write_check_report(settings.root, content.encode("utf-8"))
    return {"version": REPORT_VERSION, "pages": report}


def _is_read(verdict: Verdict) -> bool:
    """Return whether a host answered for a source, or its stored text, file or copy was read."""
    return verdict.is_checkable and bool(verdict.outcome or verdict.pinned or verdict.copied)


def _show_verdicts(console: Console, pages: Mapping[str, Sequence[Verdict]]) -> None:
    for uri, verdicts in pages.items():
        console.print(f"[bold]{escaped(uri)}[/]  {count(len(verdicts), 'work')} cited")
        for verdict in verdicts:
            reference = verdict.claim.reference
            for finding in verdict.findings:
                console.print(f"  [yellow]{escaped(reference.id)}[/]  {escaped(finding)}")
            if verdict.findings:
                console.print(f"    [dim]{escaped(reference.url or '')}[/]")
            if verdict.pinned:
                file, later = verdict.pinned.file, verdict.pinned.newer
                console.print(f"  [green]{escaped(reference.id)}[/]  {escaped(verdict.pinned.statement)}")
                place = f"{file.repository} {file.ref[:12]} {file.path}"
                console.print(f"    [dim]{escaped(place)}{f'; {escaped(later)}' if later else ''}[/]")
            if verdict.copied:
                n = f"{sum(t.is_there for _, t in verdict.quotes)} of {count(len(verdict.quotes), 'quote')}"
                console.print(f"  [green]{escaped(reference.id)}[/]  {n} in a copy of {verdict.copied}")
        inexact = [link.key for verdict in verdicts for link in verdict.links if link.better and not link.is_amiss]
        if inexact:
            what = f"{count(len(inexact), 'quote')} not unique by its words alone; --write stores the surrounding text"
            console.print(f"  [dim]{escaped(what)}[/]")
        elsewhere = [verdict.claim.reference.id for verdict in verdicts if not verdict.is_checkable]
        if elsewhere:
            console.print(f"  [dim]not checkable here: {escaped(', '.join(elsewhere))}[/]")
    checkable = [verdict for verdicts in pages.values() for verdict in verdicts if verdict.is_checkable]
    every = [verdict for verdict in checkable if _is_read(verdict)]
    quotes = [times for verdict in every for _, times in verdict.quotes]
    wanted = sum(len(verdict.claim.reference.quotes) for verdict in every)
    well = sum(verdict.is_well for verdict in every)
    found = sum(times.is_there for times in quotes)
    pinned = sum(verdict.pinned is not None for verdict in every)
    held = f"{well} of {count(len(every), 'source')} in order; {found} of {count(wanted, 'quote')} found"
    held += f"; {pinned} pinned" if pinned else ""
    unread = len(checkable) - len(every)
    console.print(f"{held}; {count(unread, 'source')} not read" if unread else held)
