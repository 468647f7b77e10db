"""`planbook audit`: any report, and the sources that it cites."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from planbook.citations.repository_files import parse_file_url
from planbook.cli import parameters, project, terminal
from planbook.cli.terminal import SEVERITY_COLOURS, escaped, print_json
from planbook.markdown.plain_text import count
from planbook.model import Reference
from planbook.problems import Severity, severity
from planbook.store import RefusedError, Settings, write_atomic
from planbook.store.options import documents_folder
from planbook.store.settings import files_below
from planbook_speed import cache

if TYPE_CHECKING:
    from planbook.research.drafts import Excerpt
    from planbook.research.proof.cited_claims import ReadReport
    from planbook.research.proof.findings import AuditFinding
    from planbook.research.proof.sentences import Quotation
    from planbook.research.web.model import Fetched

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
