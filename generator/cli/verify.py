"""`planbook verify`, `refresh`, `audit` and `cite`: pages and reports, and their sources."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from generator import __version__, cache
from generator.citations.identifiers import RepositoryFile, parse_file_url
from generator.citations.references import with_custom, with_references
from generator.citations.report import VERSION, VerifyReport, decode_report, encode_report, merge_report
from generator.cli import project, reading
from generator.cli.project import SEVERITY_COLOURS, escaped, print_json
from generator.library import link_tree, read_page
from generator.library.pages import fingerprint
from generator.markdown.front_matter import FrontMatterError, split_front_matter
from generator.markdown.plain_text import count
from generator.model import REOPENED, Page, PageUri, Problem, Reference, State, format_time
from generator.plan.mark import mark
from generator.problems import Severity, severity
from generator.rules.registry import wanted
from generator.rules.report import as_sarif
from generator.store import Settings, decode_page, git, journal, read_tree, read_work, write_atomic
from generator.store.files import read_report, write_check_report
from generator.store.mirrors import MirrorError
from generator.views.works import bibtex, cited, csl_item, csl_items, csl_json
from generator.web.model import Fetched

if TYPE_CHECKING:
    from rich.console import Console

    from generator.drafts import Excerpt
    from generator.expand.stale import StaleQuote
    from generator.research.audit import AuditFinding, CitedClaim, ReadSource
    from generator.research.verify import Answers, Claim, Verdict
    from generator.rules.evidence import Quotation
    from generator.search.documents import Mirrors


@click.command()
@project.PAGES
@project.ROOT
@click.option("--write", is_flag=True, help="Write the results into the references of each page's front matter.")
@reading.source_options
@project.JSON
@project.needs_extra("research")
def verify(
    *,
    pages: tuple[Path, ...],
    root: Path | None,
    write: bool,
    as_json: bool,
    **options: Unpack[reading.SourceOptions],
) -> None:
    """Check that sources are reachable, contain the quotes, and have not changed.

    PAGES are Markdown files, or folders with all pages below; by default all pages of the project. Works whose files
    are in documents/ are checked there, without a request. The results go to
    planbook-verify.json. Pages change only with --write, and then only the `custom` of their references. Exits with 1
    if a source needs attention.
    """
    settings = project.project_settings(root, pages, needs="docs")
    git.check_working_folder(settings.root)
    paths, calls = project.page_paths(settings, pages), project.cached_calls(settings)
    texts = {uri: project.page_text(path) for uri, path in paths.items()}
    every = [verdict.claim for of_page in judged(texts, {}, calls).values() for verdict in of_page]
    answers = reading.read_claimed(settings, every, options)
    verdicts = judged(texts, answers, calls)
    notes, code = _write_pages(paths, texts, verdicts) if write else ([], project.OK)
    verdicts = judged(texts, answers, calls) if write else verdicts  # includes the results just written
    report = write_report(settings, texts, verdicts, offline=options["offline"])
    if as_json:
        click.echo(encode_report(report), nl=False)
    else:
        _show_verdicts(project.make_console(), verdicts)
    for note in notes:
        click.echo(note, err=as_json)
    sys.exit(code if all(page.well for page in report.pages.values()) else project.FOUND)


def judged(texts: Mapping[str, str], answers: Answers, calls: cache.FunctionCache) -> dict[str, list[Verdict]]:
    """Compare the pages' claims with the fetched sources, by page; skip pages without sources."""
    from generator.research.verify import judge, read_claims

    claims = dict(zip(texts, calls.map(read_claims, [(text, uri) for uri, text in texts.items()]), strict=True))

    def verdict(claim: Claim) -> Verdict:
        """Judge by the mirror's file if there is one, else by the document at the address."""
        return judge(claim, next(iter(claim.find(answers)), None))

    return {uri: [verdict(claim) for claim in of_page] for uri, of_page in claims.items() if of_page}


def _write_pages(
    paths: Mapping[str, Path], texts: dict[str, str], verdicts: Mapping[str, Sequence[Verdict]]
) -> tuple[list[str], int]:
    """Write the results into the pages; return a line on each, and the exit code. `texts` is updated."""
    from generator.citations.references import with_custom
    from generator.markdown.front_matter import FrontMatterError
    from generator.research.verify import found_values

    notes, code = [], project.OK
    for uri, of_page in verdicts.items():
        path, text = paths[uri], texts[uri]
        try:
            if project.page_text(path) != text:
                raise FrontMatterError(1, "the page changed while its sources were read; run the command again")
            new = with_custom(text, {v.claim.reference.id: found_values(v) for v in of_page if v.claim.is_written})
        except FrontMatterError as error:
            notes.append(f"{path}:{error.line}: {error.reason}; not changed")
            code = project.FOUND
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
) -> VerifyReport:
    """Merge the results into the report, keeping those of other pages, and return them; `texts` are the pages.

    A page none of whose sources could be read has no result, and stays as it is in the report.
    """
    from generator.research.verify import report_page

    checked = format_time()
    found = {
        uri: report_page(of_page, checked, fingerprint(texts[uri]), offline=offline)
        for uri, of_page in verdicts.items()
    }
    read = {uri: page for uri, page in found.items() if any(map(_is_read, verdicts[uri]))}
    if read:
        old, _ = decode_report(read_report(settings.root))  # a damaged one is rewritten
        merged = merge_report(old, read, {*read_tree(settings).pages, *found})
        write_check_report(settings.root, encode_report(merged))
    return VerifyReport(VERSION, found)


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
                file = verdict.pinned.file
                console.print(f"  [green]{escaped(reference.id)}[/]  {escaped(verdict.pinned.statement)}")
                place = f"{file.repository} {file.ref[:12]} {file.path}"
                console.print(f"    [dim]{escaped(place)}[/]")
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


_AGE = re.compile(r"(\d{1,5})d")


@click.command()
@project.PAGES
@click.option("--all", "is_all", is_flag=True, help="All pages of the project.")
@click.option(
    "--older-than", metavar="90d", help="Only pages with a source that was last checked at least this long ago."
)
@click.option("--reopen", is_flag=True, help="Mark the PARTs of stale pages [/], so that `planbook expand` takes them.")
@project.ROOT
@reading.source_options
@project.needs_extra("research")
def refresh(
    *,
    pages: tuple[Path, ...],
    is_all: bool,
    older_than: str | None,
    reopen: bool,
    root: Path | None,
    **sources: Unpack[reading.SourceOptions],
) -> None:
    """Report quotes that their sources no longer contain, beside the words that the sources have now.

    PAGES are Markdown files, or folders with all pages below. No page is changed. With --reopen, the PARTs of the
    reported pages are marked [/] in their plans, and `planbook expand` writes these pages anew. Exits with 1 if a quote
    is stale.
    """
    from generator.expand.stale import find_stale
    from generator.web import archive

    age = _AGE.fullmatch(older_than or "0d")
    if age is None or not (pages or is_all or older_than):
        raise click.UsageError("name pages, or use --all or --older-than with a number of days, such as 90d")
    settings = project.project_settings(root, needs="docs")
    git.check_working_folder(settings.root)
    texts = {uri: project.page_text(path) for uri, path in project.page_paths(settings, pages).items()}
    now = datetime.now(UTC)
    claims = _claims(settings, texts, now.date() - timedelta(days=int(age[1])) if older_than else None)
    every = [claim for of_page in claims.values() for claim in of_page]
    answers = reading.read_claimed(settings, every, sources, newer=True)

    def snapshot(claim: Claim) -> str:
        """Return the stored text that the page was written from; empty if there is none."""
        is_hash = re.fullmatch("[0-9a-f]{64}", claim.sha256 or "")
        stored = read_work(settings.root, archive.text_name(claim.sha256 or "")) if is_hash else None
        return (stored or b"").decode("utf-8", "replace")

    stale = {
        uri: [one for c in of_page for one in find_stale(texts[uri], c, c.find(answers), snapshot(c))]
        for uri, of_page in claims.items()
    }
    console = project.make_console()
    for uri, quotes in stale.items():
        for quote in quotes:
            console.print(escaped(_describe(quote, f"{settings.docs_dir.strip('/')}/{uri}")), soft_wrap=True)
    fates = Counter(quote.fate for quotes in stale.values() for quote in quotes)
    unread = sum(bool(claim.url) and not claim.find(answers) for claim in every)
    total = f"{count(len(every), 'source')} of {count(len(claims), 'page')}{f', {unread} not read' if unread else ''}"
    console.print(f"{total}: {', '.join(f'{n} {fate}' for fate, n in fates.items()) or 'nothing is stale'}")
    if reopen:
        with journal.hold(settings.root, "planbook refresh --reopen", format_time(now)):
            for line in _reopen(settings, {uri: quotes for uri, quotes in stale.items() if quotes}, now):
                console.print(escaped(line))
    sys.exit(project.FOUND if fates else project.OK)


def _describe(stale: StaleQuote, place: str) -> str:
    """Return one stale quote as lines of Markdown, the old and the new words below each other."""
    key = f", {stale.key}" if stale.key else ""
    lines = [f"{place}:{stale.line}: @{stale.claim.reference.id}{key}: {stale.fate}: {stale.reason}"]
    lines += [f"- was: “{' '.join(stale.quote.split())}”"] if stale.quote else []
    lines += [f"- now: “{stale.closest}”"] if stale.closest else []
    return "\n".join(lines)


def _reopen(settings: Settings, stale: Mapping[str, Sequence[StaleQuote]], when: datetime) -> Iterable[str]:
    """Mark the finished PARTs of stale pages as partial in their plans; return a line for each."""
    tree = read_tree(settings)
    library = link_tree(tree, project.cached_calls(settings))
    for uri, quotes in stale.items():
        entry = library.by_uri.get(PageUri(uri))
        if entry is None or entry.state is not State.DONE:
            yield f"{uri}: {'belongs to no PART; edit it by hand' if entry is None else f'its PART is {entry.state}'}"
            continue
        path = settings.root / entry.plan.uri
        text = decode_page(path.read_bytes(), str(path))
        reason = f"{REOPENED}, {count(len(quotes), 'quote')} changed at the source"
        write_atomic(path, mark(text, entry.part, State.PARTIAL, when, reason, has_page=True).encode("utf-8"))
        yield f"{entry.plan.uri}:{entry.part.status_line or entry.part.line}: PART {entry.part.number} is open again"


def _claims(settings: Settings, texts: Mapping[str, str], limit: date | None) -> Mapping[str, Sequence[Claim]]:
    """Return the claims of the pages that cite sources; with a `limit`, only of those last checked by that day."""
    from generator.research.verify import read_claims

    tree = read_tree(settings)
    if outside := next((uri for uri in texts if uri not in tree.pages), None):
        raise click.UsageError(f"{outside} is not a page of the project")
    read = project.cached_calls(settings).map(read_claims, [(text, uri) for uri, text in texts.items()])
    claims = {uri: of_page for uri, of_page in zip(texts, read, strict=True) if of_page}
    if limit is None:
        return claims
    checked = {uri: c.time[:10] for uri, c in project.valid_checks(settings, tree, {}).items() if c.is_current}
    days = {uri: checked.get(uri) or _oldest(of_page) for uri, of_page in claims.items()}
    return {uri: of_page for uri, of_page in claims.items() if days[uri] <= limit.isoformat()}


def _oldest(claims: Iterable[Claim]) -> str:
    """Return the day on which the source that was not checked for the longest time was; empty if one never was."""
    return min((claim.checked or claim.reference.accessed or "" for claim in claims if claim.url), default="9999")


_SUFFIXES = frozenset({".md", ".markdown"})


@click.command()
@click.argument("report", metavar="FILE|FOLDER")
@project.ROOT
@reading.source_options
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    help="Output format.",
)
@project.needs_extra("research")
def audit(report: str, *, root: Path | None, format_: str, **options: Unpack[reading.SourceOptions]) -> None:
    """Check the claims of any report against the sources that it cites.

    Reads Markdown with links, footnotes or a list of sources: a file, or a folder with all such files below. Exits with
    1 if a source does not exist, a quote is not in its source, or a source contradicts a claim.
    """
    from generator.expand.context import open_judge
    from generator.research.audit import audit_claims, read_cited_claims, report_findings

    settings = project.project_settings(root, [Path(report)])
    git.check_working_folder(settings.root)
    paths = reading.mirror_paths(settings, options["mirrors"])
    pages = dict(_read_report(report))
    claims = [claim for uri, text in pages.items() for claim in read_cited_claims(text, uri)]
    read = _read_sources(claims, settings, paths, options)
    with open_judge(settings, os.environ, is_offline=options["offline"]) as judge:
        findings = audit_claims(claims, read, _closest, judge)
    problems = [problem for finding in findings for problem in finding.problems]
    if format_ == "json":
        print_json(report_findings(findings))
    elif format_ == "sarif":
        print_json(as_sarif(problems, __version__))
    else:
        _show_findings(findings)
    sys.exit(project.FOUND if any(severity(found.code) is Severity.ERROR for found in problems) else project.OK)


def _read_report(report: str) -> Iterator[tuple[str, str]]:
    """Yield the report's pages, by path. Raises click.ClickException."""
    path = Path(report)
    if not path.exists() or path.suffix.lower() in {".html", ".htm"}:
        how = "save a web page as Markdown first, for example with `pandoc --to gfm`"
        raise click.UsageError(f"{report} is not a Markdown file or a folder of them; {how}")
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if _is_page(file, path))
    for file in files:
        yield file.as_posix(), project.page_text(file)
    if not files:
        raise click.UsageError(f"{report} has no files named {', '.join(sorted(_SUFFIXES))}")


def _is_page(file: Path, folder: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.suffix.lower() in _SUFFIXES and not is_hidden and file.is_file()


def _read_sources(
    claims: Sequence[CitedClaim], settings: Settings, paths: Mapping[str, Path], options: reading.SourceOptions
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
    answers = reading.read_addresses(settings, asked.values(), options)
    texts |= {url: answers[address] for url, address in asked.items() if address in answers}
    return {url: prepared(found[0]) for url, found in texts.items()}


def _mirrored(urls: Sequence[str], paths: Mapping[str, Path]) -> reading.Texts:
    """Return the files of mirrored repositories by address."""
    files = {url: file for url in urls if (file := parse_file_url(url))}
    found = reading.read_mirrored(paths, files.values())
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

    console = project.make_console()
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
@click.option(
    "--pin", is_flag=True, help="Replace branches in addresses of repository files with the commit that was read."
)
@reading.MIRROR
def cite(
    *,
    pages: tuple[Path, ...],
    format_: str,
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
    if format_ == "json":
        print_json([{"uri": path.as_posix(), "references": cited(page.references)} for path, _, page, _ in found])
    elif format_ != "text":
        items = [item for _, text, page, _ in found for item in csl_items(_written(text), page.references)]
        once = {str(item["id"]): item for item in items}
        render = {"csl-json": csl_json, "bibtex": bibtex}[format_]
        click.echo(render(list(once.values())), nl=False)
    else:
        console, selection = project.make_console(), project.project_selection(settings.root)
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
    project.show_problems(console, problems)


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
