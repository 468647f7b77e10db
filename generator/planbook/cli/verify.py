"""`planbook verify`, `audit` and `cite`: pages and reports, and their sources."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NoReturn

import click

from planbook.citations.additions import with_references
from planbook.citations.report import VERSION, PageResult, SourceStatus, VerifyReport, encode_report
from planbook.citations.repository_files import parse_file_url
from planbook.cli import parameters, project, terminal
from planbook.cli.terminal import SEVERITY_COLOURS, escaped, print_json
from planbook.library.pages import fingerprint, read_page
from planbook.markdown.front_matter import FrontMatterError
from planbook.markdown.plain_text import count
from planbook.model import Page, Problem, Reference, format_time
from planbook.problems import Severity, severity
from planbook.rules.project import wanted
from planbook.store import RefusedError, Settings, read_tree, write_atomic
from planbook.store.options import documents_folder
from planbook.store.settings import files_below
from planbook.views.works import bibtex, cited, csl_item, csl_items, csl_json
from planbook_speed import cache

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.research.drafts import Excerpt
    from planbook.research.proof.cited_claims import ReadReport
    from planbook.research.proof.findings import AuditFinding
    from planbook.research.proof.refresh import Comparison, StaleQuote
    from planbook.research.proof.sentences import Quotation
    from planbook.research.proof.verify import Claim
    from planbook.research.web.model import Fetched


_OLDER_THAN = click.option(
    "--older-than", metavar="90d", help="Like --changes, for pages with a source that was last checked so long ago."
)
_REOPEN = click.option(
    "--reopen",
    is_flag=True,
    help="Like --changes; also mark the PARTs of stale pages [/], so that `planbook expand` takes them.",
)


@click.command()
@parameters.PAGES
@click.option("--changes", is_flag=True, help="Show what the sources say now beside the quotes that changed.")
@_OLDER_THAN
@_REOPEN
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
        _show_changes(pages, older_than, root, options, is_reopened=reopen)
    from planbook.research import git
    from planbook.research.proof.sources import save_report
    from planbook.research.proof.verify import report_page

    settings = project.project_settings(root, pages, needs="docs")
    git.check_working_folder(settings.root)
    texts, claims = _claims(settings, pages)
    lost = _citations_without_source(settings, texts)
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


def _claims(settings: Settings, pages: Sequence[Path]) -> tuple[Mapping[str, str], Mapping[str, Sequence[Claim]]]:
    """Return the texts of pages, and the claims of those that cite sources."""
    from planbook.research.proof.verify import read_claims

    texts = {uri: project.page_text(path) for uri, path in project.page_paths(settings, pages).items()}
    calls = [(text, uri) for uri, text in texts.items()]
    [read] = project.cached_calls(settings).stored((read_claims, calls))
    return texts, {uri: of_page for uri, of_page in zip(texts, read, strict=True) if of_page}


def _citations_without_source(settings: Settings, texts: Mapping[str, str]) -> Sequence[Problem]:
    """Return the Problems by which a citation has no source that can be read, and print them on standard error.

    A page's references are unknown if its front matter is not valid (K001); others are missing from it (K012).
    """
    raw = {uri: text.encode() for uri, text in texts.items()}
    calls = [(raw[uri], uri, False) for uri in texts]
    [read] = project.cached_calls(settings).stored((read_page, calls))
    every = [problem for _, problems in read for problem in problems if problem.code in {"K001", "K012"}]
    found, docs = wanted(every, project.project_selection(settings.root), raw), settings.docs_dir.strip("/")
    for problem in found:
        click.echo(f"{docs}/{problem.uri}:{problem.line}: {problem.message} {problem.code}", err=True)
    return found


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


_AGE = re.compile(r"(\d{1,5})d")


@click.command(hidden=True)
@parameters.PAGES
@_OLDER_THAN
@_REOPEN
@parameters.ROOT
@parameters.source_options
@project.needs_extra("research")
def refresh(
    *, pages: tuple[Path, ...], older_than: str | None, reopen: bool, root: Path | None, **options: Any
) -> None:
    """Do what `planbook verify --changes` does, under its former name."""
    _show_changes(pages, older_than, root, options, is_reopened=reopen)


def _show_changes(
    pages: Sequence[Path], older_than: str | None, root: Path | None, options: Mapping[str, Any], *, is_reopened: bool
) -> NoReturn:
    """Show quotes that their sources no longer contain, beside the words that the sources have now, and exit.

    The status is 1 if a quote is stale, or if a source could not be read.
    """
    from planbook.research import git, journal
    from planbook.research.proof.refresh import checked_until, citation_lines, compare, reopen_parts

    age = _AGE.fullmatch(older_than or "0d")
    if age is None:
        raise click.UsageError("--older-than takes a number of days, such as 90d")
    settings, now = project.project_settings(root, needs="docs"), datetime.now(UTC)
    git.check_working_folder(settings.root)
    texts, claims = _claims(settings, pages)
    if outside := next((uri for uri in texts if uri not in read_tree(settings).pages), None):
        raise click.UsageError(f"{outside} is not a page of the project")
    lost = _citations_without_source(settings, texts)
    if older_than:
        claims = checked_until(settings, claims, texts, f"{now.date() - timedelta(days=int(age[1]))}")
    answers = project.source_reader(settings, options).read_claimed(chain.from_iterable(claims.values()), newer=True)
    stale: dict[str, list[StaleQuote]] = {}
    comparisons = {
        uri: [compare(settings, texts[uri], claim, answers) for claim in of_page] for uri, of_page in claims.items()
    }
    for uri, of_page in comparisons.items():
        if found := [quote for comparison in of_page for quote in comparison.stale]:
            stale[uri] = found
    console, docs = terminal.make_console(), settings.docs_dir.strip("/")
    for uri, quotes in stale.items():
        for quote in quotes:
            console.print(escaped(_describe(quote, f"{docs}/{uri}")), soft_wrap=True)
    for uri, of_page in comparisons.items():
        for comparison in of_page:
            if comparison.is_unread:
                place = f"{docs}/{uri}:{citation_lines(texts[uri], comparison.id)['']}"
                what = f"{place}: @{comparison.id}: not compared: {comparison.reason}"
                console.print(escaped(what), soft_wrap=True)
    every = list(chain.from_iterable(comparisons.values()))
    fates = Counter(quote.fate for quotes in stale.values() for quote in quotes)
    console.print(_refresh_total(every, fates, len(claims), len(lost)))
    if is_reopened:
        with journal.hold(settings.root, "planbook verify --reopen", format_time(now)):
            for line in reopen_parts(settings, stale, now, project.cached_calls(settings)):
                console.print(escaped(line))
    is_unread = any(comparison.is_unread for comparison in every)
    sys.exit(project.FOUND if fates or is_unread or lost else project.OK)


def _refresh_total(every: Sequence[Comparison], fates: Mapping[SourceStatus, int], pages: int, lost: int) -> str:
    """Return how many of all cited sources of the pages were compared, and what was found."""
    without = f"{count(lost, 'problem')} in citations" if lost else ""
    if not every:
        return f"nothing was compared; {without}" if lost else "nothing to compare: no selected page cites a source"
    checkable = [comparison for comparison in every if not comparison.is_elsewhere]
    unread, elsewhere = sum(one.is_unread for one in checkable), len(every) - len(checkable)
    compared = sum(one.is_compared for one in every)
    said = f"{count(len(checkable), 'source')} of {count(pages, 'page')}"
    said = said if compared == len(checkable) else f"{compared} of {said} compared"
    said += f", {count(elsewhere, 'work')} without an address or a file" if elsewhere else ""
    found = [f"{n} {fate}" for fate, n in fates.items()]
    found += [f"{unread} could not be read"] if unread else []
    result = ", ".join(found) or ("nothing is stale" if compared else "nothing was compared")
    return f"{said}: {result}; {without}" if without else f"{said}: {result}"


_LONG, _MOST_DIFFERENCES = 25, 6
"""Number of words from which the differences of a quote are listed, and how many are at most."""


def _describe(stale: StaleQuote, place: str) -> str:
    """Return one stale quote as lines of Markdown: the old words, the new ones, and of a long quote the differences."""
    from planbook.research.proof.refresh import find_differences

    key = f", {stale.key}" if stale.key else ""
    lines = [f"{place}:{stale.line}: @{stale.claim.reference.id}{key}: {stale.fate}: {stale.reason}"]
    lines += [f"- was: “{' '.join(stale.quote.split())}”"] if stale.quote else []
    lines += [f"- now: “{stale.closest}”"] if stale.closest else []
    differences = list(find_differences(stale.quote, stale.closest)) if stale.closest else []
    if len(stale.quote.split()) >= _LONG and len(differences) <= _MOST_DIFFERENCES:
        lines.append(f"- differs: {'; '.join(_difference(old, new) for old, new in differences)}")
    return "\n".join(lines)


def _difference(old: str, new: str) -> str:
    if old and new:
        return f"“{old}” is now “{new}”"
    return f"“{old}” is gone" if old else f"“{new}” is new"


_SUFFIXES = frozenset({".md", ".markdown"})
_RAW = "raw"
"""The folder of a wiki whose files are sources as they were saved, and no pages."""


@click.command()
@click.argument("report", metavar="FILE|FOLDER")
@parameters.ROOT
@parameters.source_options
@click.option("--page", type=click.Path(path_type=Path), metavar="FILE", help="Write the results as a Markdown page.")
@parameters.JSON
@project.needs_extra("research")
def audit(report: str, *, root: Path | None, page: Path | None, as_json: bool, **options: Any) -> None:
    """Check the claims of any report against the sources that it cites.

    Reads Markdown with links, footnotes or a list of sources: a file, or a folder with all such files below. Exits with
    1 if a source does not exist, a quote is not in its source, or a source contradicts a claim. What did not change
    since the last audit is not compared again.
    """
    from planbook.research import git
    from planbook.research.expand.context import open_judge
    from planbook.research.proof.audit_page import audit_page
    from planbook.research.proof.audited_folder import AuditedFolder
    from planbook.research.proof.findings import judge_findings, report_findings

    settings = project.project_settings(root, [Path(report)])
    git.check_working_folder(settings.root)
    disk = cache.DiskCache(settings.root / cache.CACHE_DIR)
    folder = AuditedFolder(_audited_folder(settings, Path(report)), f"{documents_folder(settings)}/", disk)
    reports = folder.read_pages(dict(_read_report(report, page)))
    named = dict.fromkeys(url for one in reports.values() for claim in one.claims for url in claim.urls)
    elsewhere = _read_sources([url for url in named if not folder.is_local(url)], settings, options)
    compared = folder.compare(reports, elsewhere, _passages, _closest)
    with open_judge(settings, os.environ, is_offline=options["offline"]) as judge:
        findings = judge_findings(compared, judge)
    disk.prune()
    statements = {uri: one.statements for uri, one in reports.items()}
    if page:
        title, place = Path(report).as_posix().strip(".") or Path(report).resolve().name, page.parent.as_posix()
        write_atomic(page, audit_page(findings, statements, place, title).encode())
    if as_json:
        print_json(report_findings(findings, statements))
    else:
        _show_findings(findings, statements)
        _show_unchanged(folder.unchanged, reports)
    problems = [problem for finding in findings for problem in finding.problems]
    sys.exit(project.FOUND if any(severity(found.code) is Severity.ERROR for found in problems) else project.OK)


def _read_report(report: str, page: Path | None) -> Iterator[tuple[str, str]]:
    """Yield the report's pages, by path, without the `page` that an audit writes.

    A file of a folder that cannot be read is named, and left out. Raises click.ClickException.
    """
    path = Path(report)
    if not path.exists() or path.suffix.lower() in {".html", ".htm"}:
        how = "save a web page as Markdown first, for example with `pandoc --to gfm`"
        raise click.UsageError(f"{report} is not a Markdown file or a folder of them; {how}")
    names = (name for name in files_below(path, "") if _RAW not in PurePath(name).parts[:-1])
    below = (path / name for name in names if PurePath(name).suffix.lower() in _SUFFIXES)
    files = [path] if path.is_file() else list(filter(Path.is_file, below))
    for file in files:
        if page is not None and file.resolve() == page.resolve():
            continue
        try:
            yield file.as_posix(), project.page_text(file)
        except RefusedError as error:
            if path.is_file():
                raise
            click.echo(f"not checked: {error}", err=True)
    if not files:
        raise click.UsageError(f"{report} has no files named {', '.join(sorted(_SUFFIXES))}")


def _audited_folder(settings: Settings, report: Path) -> Path:
    """Return the folder whose files a report may cite: the project, or else the folder of the report."""
    own = report if report.is_dir() else report.parent
    is_inside = own.resolve().is_relative_to(settings.root.resolve())
    return settings.root if is_inside else own


def _read_sources(urls: Sequence[str], settings: Settings, options: Mapping[str, Any]) -> dict[str, Fetched]:
    """Return the sources that are no files of the folder, by address or path, read as for `verify`."""
    from planbook.research.proof.verify import Claim

    works = {url: Claim(Reference(url, url, url, file=url), pin=parse_file_url(url)) for url in urls}
    answers = project.source_reader(settings, options).read_claimed(works.values())
    return {url: found[0] for url, work in works.items() if (found := work.find(answers))}


def _passages(fetched: Fetched) -> Sequence[Excerpt]:
    """Return the passages of a source."""
    from planbook.research.drafts import Source
    from planbook.research.evidence.passages import excerpts

    return excerpts(Source("source", fetched), 0)


def _closest(every: Sequence[Excerpt], text: str) -> list[tuple[Quotation, float]]:
    """Return the excerpts in the order of their relevance for a text, as for `planbook expand`."""
    from planbook.research.evidence.rank import PointQuery, rank, visible
    from planbook.research.proof.sentences import Quotation

    return [
        (Quotation(visible(one), " > ".join(one.headings), one.term, one.title, one.address), ranked.share)
        for ranked in rank(every, [PointQuery(text)])[0]
        for one in [ranked.excerpt]
    ]


def _show_findings(findings: Sequence[AuditFinding], statements: Mapping[str, int]) -> None:
    """Show a line for each claim, with its problems, and the totals."""
    from planbook.research.proof.findings import AuditVerdict, count_files, count_findings

    console = terminal.make_console()
    colours = {AuditVerdict.QUOTED: "green", AuditVerdict.SUPPORTED: "green", AuditVerdict.DIFFERS: "red"}
    for finding in findings:
        claim, colour = finding.claim, "red" if finding.is_absent else colours.get(finding.verdict, "blue")
        place = f"{escaped(claim.uri)}:{claim.line}"
        console.print(f"{place}: [{colour}]{finding.verdict}[/] {escaped(claim.text)}")
        for problem in finding.problems:
            if problem.code < "A004":
                kind = SEVERITY_COLOURS[severity(problem.code)]
                console.print(f"  [{kind}]{escaped(problem.message)}[/] [dim]{problem.code}[/]")
        if finding.reason:
            console.print(f"  {escaped(finding.reason)}")
        if finding.evidence:
            best = finding.evidence[0]
            console.print(f"  [dim]closest: {escaped(best.words)} ({escaped(best.path.removeprefix('file:///'))})[/]")
    counts = {name: Counter(values) for name, values in count_findings(findings).items()}
    for name, values in counts.items():
        listed = ", ".join(f"{n} {value}" for value, n in values.most_common())
        if listed:
            console.print(f"{count(values.total(), name.removesuffix('s'))}: {listed}")
    if not findings:
        console.print("no claims found that cite the web or a file")
    files = [one for one in count_files(findings, statements) if one.claims]
    if len(files) > 1:
        titles = (" file", "claims ", "found ", "wrong ", "open ", "not read ", "no source ")
        rows = [
            (escaped(one.uri), *map(str, (one.claims, one.found, one.wrong, one.open, one.unread, one.unsourced)))
            for one in files
        ]
        terminal.show_rows(console, titles, rows)
    silent = sum(n for uri, n in statements.items() if uri not in {one.uri for one in files})
    others = len(statements) - len(files)
    if others and findings:
        console.print(f"not checked: {count(others, 'file')} without a citation, with {count(silent, 'statement')}")


def _show_unchanged(unchanged: Collection[str], reports: Mapping[str, ReadReport]) -> None:
    """Show how many files are as in the last audit."""
    with_claims = [uri for uri, one in reports.items() if one.claims]
    kept = [uri for uri in with_claims if uri in unchanged]
    if kept:
        click.echo(f"{len(kept)} of {count(len(with_claims), 'file')} unchanged since an earlier audit")


# --- works that pages cite --------------------------------------------------------------------------------------------


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
