"""`planbook audit`."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from generator import __version__
from generator.citations.pins import parse_file_url
from generator.cli.console import SEVERITY_COLOURS, escaped, make_console, print_json
from generator.cli.project import FOUND, OK, ROOT, needs_extra, page_text, project_settings
from generator.cli.reading import SourceOptions, Texts, mirror_paths, read_addresses, read_mirrored, source_options
from generator.markdown.plain_text import count
from generator.problems import Severity, severity
from generator.rules.report import as_sarif
from generator.store import Settings
from generator.store.git import check_working_folder
from generator.web.model import Fetched, Outcome

if TYPE_CHECKING:
    from generator.drafts import Excerpt
    from generator.research.audit import AuditFinding, CitedClaim, ReadSource
    from generator.rules.evidence import Quotation

_HTML = frozenset({".html", ".htm"})
_SUFFIXES = frozenset({".md", ".markdown", *_HTML})


@click.command()
@click.argument("report", metavar="FILE|FOLDER|ADDRESS")
@ROOT
@source_options
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "markdown", "sarif"]),
    default="text",
    help="Output format.",
)
@needs_extra("research")
def audit(report: str, *, root: Path | None, format_: str, **options: Unpack[SourceOptions]) -> None:
    """Check the claims of any report against the sources that it cites.

    Reads Markdown or HTML with links, footnotes or a list of sources: a file, a folder with all such files below, or an
    address. Exits with 1 if a source does not exist, a quote is not in its source, or a source contradicts a claim.
    """
    from generator.expand.context import open_judge
    from generator.research.audit import audit_claims, findings_table, read_cited_claims, report_findings

    settings = project_settings(root, [Path(report)])
    check_working_folder(settings.root)
    paths = mirror_paths(settings, options["mirrors"])
    pages = dict(_read_report(report, settings, paths, options))
    claims = [claim for uri, text in pages.items() for claim in read_cited_claims(text, uri)]
    read = _read_sources(claims, settings, paths, options)
    with open_judge(settings, os.environ, is_offline=options["offline"]) as judge:
        findings = audit_claims(claims, read, _closest, judge)
    problems = [problem for finding in findings for problem in finding.problems]
    if format_ == "json":
        print_json(report_findings(findings))
    elif format_ == "sarif":
        print_json(as_sarif(problems, __version__))
    elif format_ == "markdown":
        click.echo(findings_table(findings))
    else:
        _show_findings(findings)
    sys.exit(FOUND if any(severity(found.code) is Severity.ERROR for found in problems) else OK)


def _read_report(
    report: str, settings: Settings, paths: Mapping[str, Path], options: SourceOptions
) -> Iterator[tuple[str, str]]:
    """Yield the report's pages as Markdown, by path or address. Raises click.ClickException."""
    if re.match(r"https?://", report):
        found = _mirrored([report], paths).get(report) or read_addresses(settings, [report], options).get(report)
        fetched = found[0] if found else Fetched(report, Outcome.FAILED, "no stored text")
        if not fetched.text:
            raise click.ClickException(f"{report}: {fetched.reason}")
        yield report, _with_links(fetched, settings, options)
        return
    path = Path(report)
    if not path.exists():
        raise click.UsageError(f"{report} is not a file, folder or address; addresses begin with https://")
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if _is_page(file, path))
    for file in files:
        text = page_text(file)
        if file.suffix.lower() in _HTML:
            text = _to_markdown(text.encode(), file.as_uri() if file.is_absolute() else "")
        yield file.as_posix(), text
    if not files:
        raise click.UsageError(f"{report} has no files named {', '.join(sorted(_SUFFIXES))}")


def _is_page(file: Path, folder: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.suffix.lower() in _SUFFIXES and not is_hidden and file.is_file()


def _with_links(fetched: Fetched, settings: Settings, options: SourceOptions) -> str:
    """Return the text of a page that was read at an address, with its links."""
    from generator.web.archive import Archive
    from generator.web.copies import read_copies
    from generator.web.responses import HTML

    if fetched.is_copy and options["copies"]:
        return read_copies(options["copies"], [fetched.url], keeps_links=True)[fetched.url].text
    body = Archive(settings.root).get_body(fetched) if fetched.media_type in HTML else None
    return _to_markdown(body, fetched.final_url) if body else fetched.text


def _to_markdown(body: bytes, url: str) -> str:
    from generator.web.model import Limits, Unfetched
    from generator.web.readers import SHARED

    try:
        found = SHARED.read(body, Limits(), media_type="text/html", url=url, keeps_links=True)
    except Unfetched as error:
        raise click.ClickException(f"{url or 'the page'}: {error.reason}") from error
    return str(found["text"])


def _read_sources(
    claims: Sequence[CitedClaim], settings: Settings, paths: Mapping[str, Path], options: SourceOptions
) -> dict[str, ReadSource | Fetched | None]:
    """Return the sources of the claims by address: from a mirror if there is one, else from a copy or the web."""
    from generator.drafts import Source
    from generator.research.audit import ReadSource
    from generator.research.passages import excerpts

    def prepared(fetched: Fetched) -> ReadSource | Fetched:
        """Return a text for comparisons, or the reason why there is none."""
        return ReadSource(fetched, excerpts(Source("source", fetched), 0)) if fetched.text else fetched

    urls = list(dict.fromkeys(url for claim in claims for url in claim.urls))
    texts = _mirrored(urls, paths)
    asked = {url: url.partition("#")[0] for url in urls if url not in texts}
    answers = read_addresses(settings, asked.values(), options)
    texts |= {url: answers[address] for url, address in asked.items() if address in answers}
    return {url: prepared(found[0]) for url, found in texts.items()}


def _mirrored(urls: Sequence[str], paths: Mapping[str, Path]) -> Texts:
    """Return the files of mirrored repositories by address."""
    files = {url: file for url in urls if (file := parse_file_url(url))}
    found = read_mirrored(paths, files.values())
    return {url: found[file] for url, file in files.items() if file in found}


def _closest(every: Sequence[Excerpt], text: str) -> list[tuple[Quotation, float]]:
    """Return the excerpts in the order of their relevance for a text, as for `planbook expand`."""
    from generator.research.rank import PointQuery, rank, visible
    from generator.rules.evidence import Quotation

    return [
        (Quotation(visible(one), " > ".join(one.headings), one.term, one.title, one.address), ranked.share)
        for ranked in rank(every, [PointQuery(text)])[0]
        for one in [ranked.excerpt]
    ]


def _show_findings(findings: Sequence[AuditFinding]) -> None:
    """Show a line for each claim, with its problems, and the totals."""
    from generator.research.audit import AuditVerdict, count_findings

    console = make_console()
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
            console.print(f"  [dim]closest: {escaped(best.words)} ({escaped(best.path)})[/]")
    counts = {name: Counter(values) for name, values in count_findings(findings).items()}
    for name, values in counts.items():
        listed = ", ".join(f"{n} {value}" for value, n in values.most_common())
        if listed:
            console.print(f"{count(values.total(), name.removesuffix('s'))}: {listed}")
    if not findings:
        console.print("no claims with citations found")
