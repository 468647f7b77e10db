"""The command line: arguments, what a person sees, exit codes. The only room that prints."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator import __version__
from generator.library import COUNTED, Library, link_tree
from generator.model import Fetched, Grep, Part, Plan, Problem, Reference, State, Tree
from generator.page.front_matter import with_references
from generator.page.references import read_references
from generator.plan.parse import parse_bytes
from generator.problems import Severity, severity
from generator.store import (
    Settings,
    find_root,
    is_drop,
    markdown_files,
    read_plans,
    read_settings,
    read_tree,
    read_work,
    write_atomic,
    write_work,
)
from generator.views.bibliography import bibtex, cited, csl_item, ris
from generator.views.feeds import progress
from generator.views.shown import shown_plan
from generator.views.words import LABELS, against_budget, count

if TYPE_CHECKING:
    from rich.console import Console

    from generator.research.fetch.client import Fetcher
    from generator.research.verify import Verdict

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: all well; something was found; the command was not understood (click's own)."""

COLOURS = {
    State.DONE: "green",
    State.PARTIAL: "yellow",
    State.OPEN: "cyan",
    State.UNMARKED: "magenta",
    State.SKIPPED: "blue",
    State.DISABLED: "bright_black",
}
PIPE_WIDTH = 10_000
"""Columns of what does not go to a terminal."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

SEVERITY_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}

_PATHS = click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs, and nothing else.")
_ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project's folder; by default the nearest one above that holds mkdocs.yml.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="planbook")
def main() -> None:
    """Research plans go in, a cited knowledge site comes out."""


@main.command()
@_PATHS
@click.option("--part", "number", type=int, help="Show only the PARTs with this number, whole.")
@_JSON
def show(paths: tuple[Path, ...], number: int | None, as_json: bool) -> None:
    """Show plans as Planbook reads them.

    PATHS are plans and folders of plans; without any, the project's plans.
    """
    shown = [parse_bytes(raw, uri) for uri, raw in _plans(paths).items()]
    if as_json:
        plans = [shown_plan(plan, problems) for plan, problems in shown]
        if number is not None:
            plans = [{**plan, "parts": [p for p in plan["parts"] if p["number"] == number]} for plan in plans]
        click.echo(json.dumps(plans, ensure_ascii=False, indent=1))
        return
    console = _console()
    for plan, problems in shown:
        _show_plan(console, plan, problems, number)
    if not shown:
        console.print(
            "No plan found. A plan is a Markdown file with headings such as `## PART 1: Create cuda/10-x.md`."
        )


@main.command()
@_PATHS
@_ROOT
@_JSON
def status(paths: tuple[Path, ...], root: Path | None, as_json: bool) -> None:
    """Show how far the base has come: what the plans claim beside what is on disk.

    PATHS are plans and folders of plans; without any, the project's plans.
    """
    settings = _settings(root)
    library = _library(settings, paths)
    if as_json:
        click.echo(json.dumps(progress(library), ensure_ascii=False, indent=1))
        return
    _show_status(_console(), library)


@main.command()
@_PATHS
@_ROOT
def check(paths: tuple[Path, ...], root: Path | None) -> None:
    """Say what is wrong with the plans and pages: a line each, with file and line.

    PATHS are plans and folders of plans; without any, the project's plans and pages. Exits with 1 where an error
    was found; warnings and remarks do not count.
    """
    settings = _settings(root)
    library = _library(settings, paths)
    problems = library.problems
    places = {str(page.uri): f"{settings.docs_dir}/{page.uri}" for page in library.pages}
    console = _console()
    for problem in problems:
        kind = severity(problem.code)
        colour = SEVERITY_COLOURS[kind]
        place = places.get(problem.uri, problem.uri) if problem.code.startswith("K") else problem.uri
        console.print(
            f"{_escaped(place)}:{problem.line}: [{colour}]{kind}[/] {_escaped(problem.message)} [dim]{problem.code}[/]",
            soft_wrap=True,
            highlight=False,
        )
    kinds = Counter(severity(p.code) for p in problems)
    summary = ", ".join(count(kinds[k], k.value) for k in Severity if kinds[k]) or "nothing to remark"
    console.print(summary, highlight=False)
    sys.exit(FOUND if kinds[Severity.ERROR] else OK)


@main.command()
@click.argument("pages", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the works with the lines that cite them, as JSON.")
@click.option("--format", "format_", type=click.Choice(["csl-json", "bibtex", "ris"]), help="Print a bibliography.")
@click.option("--write", is_flag=True, help="Put the works into each page's front matter; nothing else changes.")
def cite(pages: tuple[Path, ...], as_json: bool, format_: str | None, write: bool) -> None:
    """Show the works that pages cite, in their prose and in their front matter.

    PAGES are Markdown files. With --write, works that are missing from a page's front matter are added to its
    `references`; what is there keeps its id. Exits with 1 where a page could not be read or written.
    """
    read = [(page, *_read_page(page)) for page in pages]
    found = [(page, text, *read_references(text, page.as_posix())) for page, text in read]
    if write:
        sys.exit(_write_references(found))
    if as_json:
        listed = [{"uri": page.as_posix(), "references": cited(works)} for page, _, works, _ in found]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=1))
    elif format_:
        click.echo(_bibliography(format_, [work for _, _, works, _ in found for work in works]), nl=False)
    else:
        for page, _, works, problems in found:
            _show_references(_console(), page, works, problems)


@main.command()
@click.argument("pages", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_ROOT
@click.option("--offline", is_flag=True, help="Ask no host: check against the texts that are stored in .planbook/.")
@click.option("--contact", envvar="PLANBOOK_CONTACT", help="Where hosts can complain; by default the site's address.")
@click.option(
    "--pause",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="Seconds between two requests to one host.",
)
@click.option("--allow-loopback", is_flag=True, help="Also ask servers on this machine.")
@_JSON
def verify(
    *,
    pages: tuple[Path, ...],
    root: Path | None,
    offline: bool,
    contact: str | None,
    pause: float,
    allow_loopback: bool,
    as_json: bool,
) -> None:
    """Check sources: are they there, do they hold what was quoted, have they changed?

    PAGES are Markdown files; without any, all pages of the project are checked. No page is changed: the results go to
    .planbook/verify.json. Exits with 1 where something is to be mended or looked at.
    """
    from generator.research.verify import judge, read_claims, report_page

    settings = _settings(root)
    found = {uri: read_claims(text, uri) for uri, text in _page_texts(settings, pages).items()}
    claims = {uri: of_page for uri, of_page in found.items() if of_page}
    urls = sorted({claim.url for of_page in claims.values() for claim in of_page if claim.url})
    if offline:
        answers = _stored(settings, urls)
    else:
        fetcher = _fetcher(contact or settings.site_url, pause, allow_loopback=allow_loopback)
        answers = _asked(settings, urls, fetcher)
    checked = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    verdicts = {uri: [judge(claim, answers.get(claim.url or "")) for claim in claims[uri]] for uri in claims}
    report = {uri: report_page(of_page, checked, offline=offline) for uri, of_page in verdicts.items()}
    written = _write_report(settings, report)
    if as_json:
        click.echo(json.dumps(written, ensure_ascii=False, indent=1))
    else:
        _show_verdicts(_console(), verdicts)
    sys.exit(OK if all(page["well"] for page in report.values()) else FOUND)


# --- reading -----------------------------------------------------------------------------------------------------


def _settings(root: Path | None) -> Settings:
    """Where the project at `root`, or around the working folder, keeps its files."""
    import yaml

    root = root or find_root(Path.cwd())
    try:
        return read_settings(root)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise click.ClickException(f"the configuration in {root} is no YAML: {error}") from error


def _page_texts(settings: Settings, pages: Sequence[Path]) -> dict[str, str]:
    """The pages to check by uri: those at `pages`, or all of the project's; one outside of it has its path as uri."""
    docs = settings.root / settings.docs_dir
    if not pages:
        pages = [docs / uri for uri in read_tree(settings).pages]
    inside = docs.resolve()
    uris = {p: p.resolve().relative_to(inside) if p.resolve().is_relative_to(inside) else p for p in pages}
    return {uri.as_posix(): _read_page(page)[0] for page, uri in uris.items()}


def _stored(settings: Settings, urls: Sequence[str]) -> dict[str, Fetched]:
    """What the addresses gave when they were read last."""
    from generator.research.fetch.snapshots import read_kept

    kept = {url: read_kept(url, lambda name: read_work(settings.root, name)) for url in urls}
    return {url: fetched for url, fetched in kept.items() if fetched}


def _fetcher(contact: str, pause_s: float, *, allow_loopback: bool) -> Fetcher:
    """The client that asks hosts."""
    try:
        from generator.research.fetch.client import Fetcher
        from generator.research.fetch.limits import Limits
    except ImportError as error:
        how = "python -m pip install 'planbook[research]'"
        raise click.ClickException(f"to ask hosts, planbook needs the package {error.name}: {how}") from error
    return Fetcher(Limits(spacing_s=pause_s), contact=contact, allow_loopback=allow_loopback)


def _asked(settings: Settings, urls: Sequence[str], fetcher: Fetcher) -> dict[str, Fetched]:
    """What the addresses give now; each text is stored as it comes."""
    from generator.research.fetch.snapshots import kept_files

    answers = {}
    with fetcher:
        for fetched in fetcher.fetch_all(urls):
            answers[fetched.url] = fetched
            for name, content in kept_files(fetched).items():
                write_work(settings.root, name, content)
            if sys.stderr.isatty():
                click.echo(f"\r{len(answers)} of {len(urls)}", err=True, nl=len(answers) == len(urls))
    return answers


def _write_report(settings: Settings, report: Mapping[str, Any]) -> dict[str, Any]:
    """Puts the results into the report, beside those of other pages; what was found now."""
    from generator.research.verify import REPORT_NAME, REPORT_VERSION, merge_report

    try:
        old = json.loads(read_work(settings.root, REPORT_NAME) or b"null")
    except ValueError:
        old = None  # spoilt, and made anew from here on
    merged = merge_report(old, report, {*read_tree(settings).pages, *report})
    content = json.dumps(merged, ensure_ascii=False, indent=1) + "\n"
    write_work(settings.root, REPORT_NAME, content.encode("utf-8"))
    return {"version": REPORT_VERSION, "pages": report}


def _plans(paths: Sequence[Path]) -> dict[str, bytes]:
    """The plans at `paths`, by path as given; a file named outright is read whatever its name."""
    if not paths:
        settings = _settings(None)
        return read_plans(settings.root / settings.plans_dir, settings.plans_dir.strip("/"))[0]
    found: dict[str, bytes] = {}
    for path in paths:
        if path.is_dir():
            found |= read_plans(path, path.as_posix())[0]
        else:
            found[path.as_posix()] = path.read_bytes()
    return found


def _read_page(page: Path) -> tuple[str]:
    """The page's text, its line ends as they are."""
    try:
        return (page.read_bytes().decode("utf-8"),)
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{page}: byte {error.start} is not UTF-8; save the page as UTF-8") from error


def _write_references(found: Sequence[tuple[Path, str, Sequence[Reference], Sequence[Problem]]]) -> int:
    """Adds missing works to each page's front matter; the exit code."""
    code = OK
    for page, text, works, _ in found:
        try:
            new = with_references(text, [csl_item(work) for work in works])
        except ValueError as error:
            line, _, what = str(error).partition("\x00")
            click.echo(f"{page}:{line}: {what}; left as it is", err=True)
            code = FOUND
            continue
        if new != text:
            write_atomic(page, new.encode("utf-8"))
        click.echo(f"{page}: {'written' if new != text else 'up to date'}, {count(len(works), 'work')}")
    return code


def _bibliography(format_: str, works: Sequence[Reference]) -> str:
    """All works once, by id, in one of the formats that reference managers read."""
    once = list({work.id: work for work in works}.values())
    if format_ == "csl-json":
        return json.dumps([csl_item(work) for work in once], ensure_ascii=False, indent=1) + "\n"
    return bibtex(once) if format_ == "bibtex" else ris(once)


def _library(settings: Settings, paths: Sequence[Path]) -> Library:
    tree = read_tree(settings)
    if not paths:
        return link_tree(tree)
    folders = {path if path.is_dir() else path.parent for path in paths}
    drops = {
        p.as_posix(): p.read_bytes() for folder in sorted(folders) for p in markdown_files(folder) if is_drop(p.name)
    }
    return link_tree(Tree(_plans(paths), drops, tree.pages))


# --- showing -----------------------------------------------------------------------------------------------------


def _console() -> Console:
    from rich.console import Console

    # Piped output is for programs: nothing is folded or cut there.
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(highlight=False, emoji=False, width=width)


def _escaped(text: str) -> str:
    """`text` shown to the letter: no markup, and no sequences that a terminal would obey."""
    from rich.markup import escape

    return escape(_CONTROLS.sub("\ufffd", text))


def _show_plan(console: Console, plan: Plan, problems: Sequence[Problem], number: int | None) -> None:
    from rich.table import Table

    console.print(f"[bold]{_escaped(plan.title)}[/]  [dim]{_escaped(plan.uri)}[/]")
    for key, value in plan.meta:
        console.print(f"  [dim]{_escaped(key)}:[/] {_escaped(value)}", soft_wrap=True)
    if number is not None:
        chosen = [part for part in plan.parts if part.number == number]
        for part in chosen:
            _show_part(console, part)
        if not chosen:
            console.print(f"  no PART {number} in this plan")
        return
    grid = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for title, side in (("PART", "right"), ("state", "left"), ("page", "left"), ("lines", "right")):
        grid.add_column(title, justify=side, overflow="fold")  # type: ignore[arg-type]
    for title in ("queries", "sections"):
        grid.add_column(title, justify="right")
    grid.add_column("completed")
    for part in plan.parts:
        grid.add_row(
            str(part.number),
            f"[{COLOURS[part.state]}]{LABELS[part.state]}[/]",
            _escaped(", ".join(part.targets) or part.title),
            str(part.lines_budget or "–"),
            str(len(part.queries)),
            str(len(part.sections)),
            _escaped(part.completed or ""),
        )
    console.print(grid)
    _show_bar(console, Counter(part.state for part in plan.parts))
    _show_problems(console, problems)
    console.print()


def _show_part(console: Console, part: Part) -> None:
    console.print(f"\n[bold]PART {part.number}: {_escaped(part.title)}[/]")
    console.print(
        f"  [{COLOURS[part.state]}]{LABELS[part.state]}[/] {_escaped(part.completed or '')} "
        f"{_escaped(', '.join(part.targets))}",
        soft_wrap=True,
    )
    console.print(f"  {part.lines_budget or 'no'} lines; drop {_escaped(part.drop or '–')}", soft_wrap=True)
    for title, texts in (
        ("Reads", [read.path for read in part.reads]),
        ("Looks for", [_grep(grep) for grep in part.greps]),
        ("Queries", [f"{query.engine}: {query.text}" for query in part.queries]),
        ("Points", part.points),
        ("Sources wanted", part.sources),
        (
            "Sections",
            [f"{s.title} ({s.lines_budget or 'no'} lines, {count(len(s.points), 'point')})" for s in part.sections],
        ),
    ):
        if texts:
            console.print(f"  [dim]{title}[/]")
        for text in texts:
            console.print(f"    - {_escaped(text)}", soft_wrap=True)


def _grep(grep: Grep) -> str:
    terms = f" {grep.operator} ".join(grep.terms) if grep.operator else ", ".join(grep.terms)
    return f"{terms} in {', '.join(grep.folders) or 'the base'}"


def _show_status(console: Console, library: Library) -> None:
    from rich.table import Table

    grid = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for title in ("plan", "PART", "state", "page", "lines"):
        grid.add_column(title, justify="right" if title == "PART" else "left", overflow="fold")
    for plan in library.plans:
        for n, part in enumerate(plan.parts):
            for entry in library.of(plan, part) or (None,):
                verdict = " [red]≠ disk[/]" if entry and entry.is_amiss else ""
                lines = (
                    against_budget(entry.page.lines, part.lines_budget) if entry and entry.page else "[dim]not there[/]"
                )
                grid.add_row(
                    _escaped(plan.slug) if n == 0 else "",
                    str(part.number),
                    f"[{COLOURS[part.state]}]{LABELS[part.state]}[/]{verdict}",
                    _escaped(entry.uri if entry else part.title),
                    lines,
                )
    console.print(grid)
    _show_bar(console, library.counts)
    counted = [e for e in library.entries if e.state in COUNTED]
    there = len({e.uri for e in counted if e.page})
    total = sum(library.counts[s] for s in COUNTED)
    console.print(f"{there} of {count(total, 'PART')} have their page; {library.counts[State.DONE]} marked done.")
    if library.problems:
        console.print(f"{count(len(library.problems), 'remark')}: planbook check", style="dim")


def _show_bar(console: Console, counts: Counter[State]) -> None:
    from rich.text import Text

    total = sum(counts.values())
    if not total:
        return
    bar, legend, width = Text("  "), Text("  "), min(60, max(10, console.width - 20))
    for state in LABELS:
        if counts[state]:
            bar.append("█" * max(1, round(width * counts[state] / total)), style=COLOURS[state])
            legend.append("■ ", style=COLOURS[state]).append(f"{counts[state]} {LABELS[state]}   ")
    console.print(bar)
    console.print(legend)


def _show_references(console: Console, page: Path, works: Sequence[Reference], problems: Sequence[Problem]) -> None:
    console.print(f"[bold]{_escaped(page.as_posix())}[/]  {count(len(works), 'work')} cited")
    for work in works:
        when = f", accessed {work.accessed}" if work.accessed else ""
        lines = ", ".join(map(str, work.lines))
        console.print(f"  [cyan]{_escaped(work.id)}[/]  {_escaped(work.title)}", soft_wrap=True)
        console.print(f"    [dim]{_escaped(work.url or 'no address')}{when}; lines {lines or '–'}[/]", soft_wrap=True)
    _show_problems(console, problems)


def _show_verdicts(console: Console, pages: Mapping[str, Sequence[Verdict]]) -> None:
    for uri, verdicts in pages.items():
        console.print(f"[bold]{_escaped(uri)}[/]  {count(len(verdicts), 'work')} cited")
        for verdict in verdicts:
            reference = verdict.claim.reference
            for finding in verdict.findings:
                console.print(f"  [yellow]{_escaped(reference.id)}[/]  {_escaped(finding)}", soft_wrap=True)
            if verdict.findings:
                console.print(f"    [dim]{_escaped(reference.url or '')}[/]", soft_wrap=True)
        elsewhere = [verdict.claim.reference.id for verdict in verdicts if not verdict.is_checkable]
        if elsewhere:
            console.print(f"  [dim]not checkable here: {_escaped(', '.join(elsewhere))}[/]", soft_wrap=True)
    every = [verdict for verdicts in pages.values() for verdict in verdicts if verdict.is_checkable]
    quotes = [times for verdict in every for _, times in verdict.quotes]
    wanted = sum(len(verdict.claim.reference.quotes) for verdict in every)
    well = sum(verdict.is_well for verdict in every)
    found = sum(times.is_there for times in quotes)
    console.print(f"{well} of {count(len(every), 'source')} well; {found} of {count(wanted, 'quote')} found")


def _show_problems(console: Console, problems: Sequence[Problem]) -> None:
    for problem in problems:
        colour = SEVERITY_COLOURS[severity(problem.code)]
        console.print(f"  [{colour}]{problem.code}[/] line {problem.line}: {_escaped(problem.message)}", soft_wrap=True)
