"""`planbook check`."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import click

from generator import __version__
from generator.cli.console import SEVERITY_COLOURS, escaped, make_console, print_json, progress_line
from generator.cli.project import (
    FOUND,
    OK,
    PATHS,
    ROOT,
    Named,
    cached_calls,
    named_files,
    project_selection,
    project_settings,
)
from generator.expand import installed_option_problems
from generator.library import link_tree
from generator.library.linking import moved_pages
from generator.markdown.extensions import read_syntax
from generator.markdown.plain_text import count
from generator.model import Problem
from generator.problems import Severity, severity
from generator.rules.languages import find_programs
from generator.rules.pages import ThemeFiles
from generator.rules.registry import Checked, Selection, check, fix_page, fix_plan, parse_codes
from generator.rules.report import as_github, as_json, as_sarif, read_baseline, without_baseline
from generator.store import Settings, write_atomic


@click.command("check")
@PATHS
@ROOT
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "github", "sarif"]), default="text", help="Output format."
)
@click.option("--select", metavar="CODES", help="Report only these codes or prefixes: P,K02.")
@click.option("--ignore", metavar="CODES", help="Do not report these codes or prefixes.")
@click.option(
    "--baseline",
    type=click.File("rb"),
    help="Report only Problems that are not in FILE, an earlier --format json report.",
)
@click.option("--fix", is_flag=True, help="Fix what is safe to fix, and report the rest.")
def check_command(
    *,
    paths: tuple[Path, ...],
    root: Path | None,
    format_: str,
    select: str | None,
    ignore: str | None,
    baseline: BinaryIO | None,
    fix: bool,
) -> None:
    """Report problems in plans and pages, one per line, with file, line and column.

    PATHS are files or folders: pages inside the documentation folder, plans elsewhere. They are checked as part of the
    whole base, but only their own problems are reported. Without PATHS, all plans and pages are checked. Exits with 1
    if there is an error (with --baseline, a new error); warnings and notes do not affect the exit code.
    """
    settings = project_settings(root, paths)
    named = named_files(settings, paths)
    selection = replace(_selection(settings, select, ignore), files=named.uris)
    known = _known(baseline) if baseline else Counter()
    if fix:
        fixed = _fix(settings, named, selection)
        click.echo(f"{count(fixed, 'file')} fixed", err=True)
        named = named_files(settings, paths)  # as it is now
    now = datetime.now(UTC)
    syntax = read_syntax(settings.extensions)
    programs, docs_dir = find_programs(selection.programs), settings.docs_dir.strip("/")
    with progress_line() as progress:
        found = check(
            named.tree,
            docs_dir,
            selection,
            now,
            programs,
            cached_calls(settings),
            syntax,
            theme_files(settings),
            progress,
        )
    if named.uris is None:
        of_options = (problem for problem in installed_option_problems(settings) if selection.has(problem.code))
        found = replace(found, problems=(*of_options, *found.problems))
    found = replace(found, problems=without_baseline(found.problems, known))
    if format_ == "json":
        print_json(as_json(found.problems, found.code))
    elif format_ == "sarif":
        print_json(as_sarif(found.problems, __version__))
    elif format_ == "github":
        for problem in found.problems:
            click.echo(as_github(problem))
    elif named.is_empty:
        click.echo("nothing to check: no plans or pages found")
    else:
        _show(found)
    sys.exit(FOUND if any(severity(p.code) is Severity.ERROR for p in found.problems) else OK)


def theme_files(settings: Settings) -> ThemeFiles | None:
    """Return the files that pages of a Material site can name; ``None`` for another theme."""
    material = find_spec("material") if settings.theme.get("name") == "material" else None
    if material is None or not material.submodule_search_locations:
        return None
    folders = [Path(folder) / "templates" for folder in material.submodule_search_locations]
    folders += [settings.root / str(own)] if (own := settings.theme.get("custom_dir")) else []
    has_tags = bool({"tags", "material/tags"} & set(settings.plugins))
    return ThemeFiles(lambda path: any((folder / path).is_file() for folder in folders), has_tags)


def _known(baseline: BinaryIO) -> Counter[tuple[object, ...]]:
    try:
        return read_baseline(baseline.read())
    except ValueError as error:
        what = f"{baseline.name} is not a report of `planbook check --format json`: {error}"
        raise click.BadParameter(what, param_hint="--baseline") from error


def _selection(settings: Settings, select: str | None, ignore: str | None) -> Selection:
    """Return the configured selection; command-line options override it."""
    configured = project_selection(settings.root)
    try:
        return replace(
            configured,
            select=configured.select if select is None else parse_codes(select, "--select"),
            ignore=configured.ignore if ignore is None else parse_codes(ignore, "--ignore"),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _fix(settings: Settings, named: Named, selection: Selection) -> int:
    """Fix files in place and return how many changed. Files that are not UTF-8 are left alone."""
    syntax = read_syntax(settings.extensions)
    moved: dict[str, dict[str, str]] = defaultdict(dict)
    for (plan, written), moved_to in moved_pages(link_tree(named.tree, cached_calls(settings))).items():
        moved[plan][written] = moved_to
    pages = {f"{settings.docs_dir.strip('/')}/{page}": raw for page, raw in named.tree.pages.items()}
    fixed = 0
    for uri, raw in {**pages, **named.tree.plans}.items():
        if not selection.has_file(uri):
            continue
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue  # reported as P001 or K002
        is_plan = uri in named.tree.plans
        new = fix_plan(text, uri, selection, moved[uri]) if is_plan else fix_page(text, selection, syntax)
        if new != text:
            write_atomic(Path(uri) if uri in named.elsewhere else settings.root / uri, new.encode("utf-8"))
            fixed += 1
    return fixed


def _show(found: Checked) -> None:
    console = make_console()
    for problem in found.problems:
        console.print(_line(problem))
    kinds = Counter(severity(p.code) for p in found.problems)
    summary = ", ".join(count(kinds[k], k.value) for k in Severity if kinds[k]) or "no problems found"
    unchecked = ", ".join(f"{n} {language}" for language, n in found.code.unchecked)
    parsed = f"; {count(found.code.checked, 'code block')} checked" if found.code.checked else ""
    tail = f"; not checked: {unchecked}" if unchecked else ""
    console.print(f"{summary}{parsed}{tail}")


def _line(problem: Problem) -> str:
    kind = severity(problem.code)
    place = f"{escaped(problem.uri)}:{problem.line}:{problem.column}"
    return f"{place}: [{SEVERITY_COLOURS[kind]}]{kind}[/] {escaped(problem.message)} [dim]{problem.code}[/]"
