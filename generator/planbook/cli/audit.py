"""`planbook audit`: any report, and the sources that it cites."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from planbook.citations.repository_files import parse_file_url
from planbook.cli import parameters, project, terminal
from planbook.cli.terminal import SEVERITY_COLOURS, escape_output, print_json
from planbook.markdown.plain_text import count
from planbook.model import Reference
from planbook.problems import Severity, severity
from planbook.store import RefusedError, Settings, write_atomic
from planbook.store.options import documents_folder
from planbook.store.trees import files_below
from planbook_cache.disk import CACHE_DIR, DiskCache

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.research.audit.claims.cited_claims import ReadReport
    from planbook.research.audit.findings import AuditFinding
    from planbook.research.drafts import Excerpt
    from planbook.research.proof.sentences import Quotation
    from planbook.research.web.model import Fetched

_SUFFIXES = frozenset({".md", ".markdown"})
"""Suffixes of the files of a folder that are read."""
_RAW_FOLDER = "raw"
"""The folder of a wiki whose files are sources as they were saved, and no pages."""
_PIPE_PAUSE_S = 10.0
"""Seconds between two lines of progress in a log."""
_MAX_EARLY_CLAIMS, _EARLY_AFTER_S = 3, 3.0
"""Number of wrong claims that are shown before the end, and seconds before which none is."""
_PASSAGES = 10
"""Number of passages that are shown to the comparison of a claim, which takes the first ones."""


@click.command()
@click.argument("report", metavar="FILE|FOLDER")
@parameters.ROOT
@parameters.source_options
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the results as a Markdown page.",
)
@parameters.JSON
@project.needs_extra("research")
def audit(
    report: str, *, root: Path | None, page: Path | None, as_json: bool, **options: Any
) -> None:
    """Check the claims of any report against the sources that it cites.

    Reads Markdown with links, footnotes or a list of sources: a file, or a folder with all such
    files below. Exits with 1 if a source does not exist, a quote is not in its source, or a source
    contradicts a claim. What did not change since the last audit is not compared again.
    """
    from planbook.research import git
    from planbook.research.audit.audit_page import audit_page, describe_unstated
    from planbook.research.audit.audited_folder import AuditedFolder
    from planbook.research.audit.findings import judge_findings, report_findings
    from planbook.research.audit.local_sources.saved_captures import SavedCaptures
    from planbook.research.audit.unchecked import count_unchecked
    from planbook.research.expand.context import open_judge

    settings = project.project_settings(root, [Path(report)])
    git.check_working_folder(settings.root)
    disk = DiskCache(settings.root / CACHE_DIR)
    documents = f"{documents_folder(settings)}/"
    first = FirstFindings()
    folder = AuditedFolder(_audited_folder(settings, Path(report)), documents, disk, first.watch)
    pages = dict(_read_report(report, page))
    with terminal.progress_line(_PIPE_PAUSE_S) as progress:
        reports = folder.read_pages(pages, progress)
    claims = [claim for read_report in reports.values() for claim in read_report.claims]
    urls = dict.fromkeys(url for claim in claims for url in claim.urls)
    remote_urls = [url for url in urls if not folder.is_local(url)]
    elsewhere = SavedCaptures(folder.files).read(remote_urls)
    unsaved = [url for url in remote_urls if url not in elsewhere]
    elsewhere |= _read_sources(unsaved, settings, options, Path(report))
    with terminal.progress_line(_PIPE_PAUSE_S) as progress:
        compared = folder.compare(reports, elsewhere, _source_passages, _closest_passages, progress)
    with open_judge(settings, os.environ, is_offline=options["offline"]) as judge:
        findings = judge_findings(compared, judge)
    disk.prune()
    statements = {uri: read_report.statements for uri, read_report in reports.items()}
    unstated = sum(read_report.unstated for read_report in reports.values())
    if page:
        # "." has no name of its own.
        title = Path(report).as_posix().strip(".") or Path(report).resolve().name
        text = audit_page(findings, statements, page.parent.as_posix(), title, unstated)
        write_atomic(page, text.encode())
    if as_json:
        counts = {"not_checked": count_unchecked(findings)}
        print_json(report_findings(findings, statements, unstated) | counts)
    else:
        _show_findings(findings, statements, has_page=page is not None)
        if unstated:
            click.echo(describe_unstated(unstated))
        _show_unchanged(folder.unchanged, reports)
    codes = [problem.code for finding in findings for problem in finding.problems]
    has_error = any(severity(code) is Severity.ERROR for code in codes)
    sys.exit(project.EXIT_ATTENTION if has_error else project.EXIT_OK)


def _read_report(report: str, page: Path | None) -> Iterator[tuple[str, str]]:
    """Yield the report's pages, by path, without those that audits wrote.

    A file of a folder that cannot be read is named, and left out. Raises click.ClickException.
    """
    from planbook.research.audit.audit_page import is_audit_page

    path = Path(report)
    if not path.exists() or path.suffix.lower() in {".html", ".htm"}:
        fix = "save a web page as Markdown first, for example with `pandoc --to gfm`"
        raise click.UsageError(f"{report} is not a Markdown file or a folder of them; {fix}")
    files = [path] if path.is_file() else list(_pages_below(path))
    for file in files:
        if page is not None and file.resolve() == page.resolve():
            continue
        try:
            text = project.page_text(file)
        except RefusedError as error:
            if path.is_file():
                raise
            click.echo(f"not checked: {error}", err=True)
        else:
            if path.is_file() or not is_audit_page(text):
                yield file.as_posix(), text
    if not files:
        raise click.UsageError(f"{report} has no files named {', '.join(sorted(_SUFFIXES))}")


def _pages_below(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files of a folder, without saved sources."""
    for name in files_below(folder, ""):
        path = PurePath(name)
        is_markdown = path.suffix.lower() in _SUFFIXES
        is_source = _RAW_FOLDER in path.parts[:-1]
        if is_markdown and not is_source and (folder / name).is_file():
            yield folder / name


def _audited_folder(settings: Settings, report: Path) -> Path:
    """Return the folder whose files a report may cite.

    That is the project, or else the folder of the report.
    """
    folder = report if report.is_dir() else report.parent
    is_inside = folder.resolve().is_relative_to(settings.root.resolve())
    return settings.root if is_inside else folder


def _read_sources(
    urls: Sequence[str], settings: Settings, options: Mapping[str, Any], report: Path
) -> dict[str, Fetched]:
    """Return the sources that are no files of the folder, by address or path.

    They are read as for `verify`. Files of a repository without a mirror are read in the clone that
    the report is in, if it is one of that repository.
    """
    from planbook.research.audit.local_sources.own_clone import read_own_clone
    from planbook.research.proof.verify import CitedReference

    reader = project.source_reader(settings, options)
    pins = {url: pin for url in urls if (pin := parse_file_url(url))}
    mirrored = {name.lower() for name in reader.mirror_paths()}
    unmirrored = {pin for pin in pins.values() if pin.key not in mirrored}
    clone = read_own_clone(report if report.is_dir() else report.parent, unmirrored)
    sources = {url: clone[pin] for url, pin in pins.items() if pin in clone}
    works = {}
    for url in urls:
        if url not in sources:
            reference = Reference(url, url, url, file=url)
            works[url] = CitedReference(reference, pin=pins.get(url))
    answers = reader.read_cited(works.values())
    for url, work in works.items():
        answer = work.find(answers)
        if answer:
            sources[url], *_ = answer
    return sources


def _source_passages(fetched: Fetched) -> Sequence[Excerpt]:
    """Return the passages of a source."""
    from planbook.research.drafts import Source
    from planbook.research.evidence.passages import excerpts

    return excerpts(Source("source", fetched), 0)


def _closest_passages(
    excerpts: Sequence[Excerpt], texts: Sequence[str]
) -> list[list[tuple[Quotation, float]]]:
    """Return the excerpts in the order of their relevance for each text, as for `expand`."""
    from planbook.research.evidence.rank import PointQuery, rank

    rows = rank(excerpts, [PointQuery(text) for text in texts])
    return [
        [(_quotation(ranked.excerpt), ranked.share) for ranked in row[:_PASSAGES]] for row in rows
    ]


def _quotation(excerpt: Excerpt) -> Quotation:
    """Return an excerpt with what a reader of its source sees around it."""
    from planbook.research.evidence.rank import visible
    from planbook.research.proof.sentences import Quotation

    headings = " > ".join(excerpt.headings)
    return Quotation(visible(excerpt), headings, excerpt.term, excerpt.title, excerpt.address)


# --- output ---------------------------------------------------------------------------------------


class FirstFindings:
    """Shows the first wrong claims of a long audit, whose results come at its end."""

    def __init__(self, after_s: float = _EARLY_AFTER_S) -> None:
        """Show them after some seconds: a short audit shows its results at once."""
        self._pending: list[AuditFinding] = []
        self._shown = 0
        self._from_s = time.monotonic() + after_s

    def watch(self, findings: Sequence[AuditFinding]) -> None:
        """Show a line on standard error for each of the first claims that are surely wrong."""
        contradicted = [finding for finding in findings if _colour_of(finding) == "red"]
        self._pending += contradicted[: _MAX_EARLY_CLAIMS - self._shown - len(self._pending)]
        if time.monotonic() < self._from_s:
            return
        for finding in self._pending:
            terminal.print_aside(f"{_place_of(finding)}: {finding.verdict}: {finding.reason}")
        self._shown += len(self._pending)
        self._pending.clear()


def _place_of(finding: AuditFinding) -> str:
    return f"{finding.claim.uri}:{finding.claim.line}"


def _show_findings(
    findings: Sequence[AuditFinding], statements: Mapping[str, int], *, has_page: bool
) -> None:
    """Show a line for each claim, with its problems, and the totals.

    If a page is written, claims that are not judged are only there: they are most, and hide others.
    """
    from planbook.research.audit.findings import AuditVerdict, count_findings

    console = terminal.make_console()
    for finding in findings:
        if not (has_page and finding.verdict is AuditVerdict.NOT_JUDGED):
            _show_finding(console, finding)
    for name, values in count_findings(findings).items():
        totals = Counter(values)
        verdicts = ", ".join(f"{number} {value}" for value, number in totals.most_common())
        if verdicts:
            console.print(f"{count(totals.total(), name.removesuffix('s'))}: {verdicts}")
    if findings:
        _show_unchecked(console, findings)
        _show_files(console, findings, statements)
    else:
        console.print("no claims found that cite the web or a file")


def _show_unchecked(console: Console, findings: Sequence[AuditFinding]) -> None:
    """Show how many claims are not checked for each reason."""
    from planbook.research.audit.unchecked import count_unchecked

    kinds = count_unchecked(findings)
    if kinds:
        reasons = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        console.print(f"not checked: {count(sum(kinds.values()), 'claim')}: {reasons}")


def _show_finding(console: Console, finding: AuditFinding) -> None:
    """Show the verdict on a claim, the problems of its sources, and the closest passage."""
    claim = finding.claim
    location = escape_output(_place_of(finding))
    verdict = f"[{_colour_of(finding)}]{finding.verdict}[/]"
    console.print(f"{location}: {verdict} {escape_output(claim.text)}")
    for problem in finding.problems:
        # Later ones say what the verdict and its reason say.
        if problem.code < "A004":
            kind = SEVERITY_COLOURS[severity(problem.code)]
            console.print(f"  [{kind}]{escape_output(problem.message)}[/] [dim]{problem.code}[/]")
    if finding.reason:
        console.print(f"  {escape_output(finding.reason)}")
    if finding.closest:
        best = finding.closest[0]
        source = escape_output(best.path.removeprefix("file:///"))
        console.print(f"  [dim]closest: {escape_output(best.words)} ({source})[/]")


def _colour_of(finding: AuditFinding) -> str:
    """Return the colour of a verdict: blue if nothing was compared."""
    from planbook.research.audit.findings import AuditVerdict

    if finding.is_absent:
        return "red"
    match finding.verdict:
        case AuditVerdict.QUOTED | AuditVerdict.SUPPORTED:
            return "green"
        case AuditVerdict.DIFFERS:
            return "red"
        case AuditVerdict.INEXACT | AuditVerdict.NOT_FOUND | AuditVerdict.MOVED:
            return "yellow"
        case _:
            return "blue"


def _show_files(
    console: Console, findings: Sequence[AuditFinding], statements: Mapping[str, int]
) -> None:
    """Show the totals of each file if there are several, and how many files cite nothing."""
    from planbook.research.audit.findings import count_files

    files = [totals for totals in count_files(findings, statements) if totals.claims]
    if len(files) > 1:
        titles = (
            " file",
            "claims ",
            "found ",
            "inexact ",
            "wrong ",
            "open ",
            "not read ",
            "no source ",
        )
        rows = []
        for totals in files:
            counts = (
                totals.claims,
                totals.found,
                totals.inexact,
                totals.wrong,
                totals.open,
                totals.unread,
                totals.unsourced,
            )
            rows.append((escape_output(totals.uri), *map(str, counts)))
        terminal.show_rows(console, titles, rows)
    without_findings = statements.keys() - {totals.uri for totals in files}
    if without_findings:
        unread = count(sum(statements[uri] for uri in without_findings), "statement")
        files_without = f"{count(len(without_findings), 'file')} without a citation"
        console.print(f"not checked: {files_without}, with {unread}")


def _show_unchanged(unchanged: Collection[str], reports: Mapping[str, ReadReport]) -> None:
    """Show how many files are as in the last audit."""
    with_claims = [uri for uri, read_report in reports.items() if read_report.claims]
    unchanged_uris = [uri for uri in with_claims if uri in unchanged]
    if unchanged_uris:
        files = count(len(with_claims), "file")
        click.echo(f"{len(unchanged_uris)} of {files} unchanged since an earlier audit")
