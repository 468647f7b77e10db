"""`planbook check`: report and fix problems in plans and pages."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, groupby
from pathlib import Path

import click

from planbook import store
from planbook.cli import parameters, project, targets, terminal
from planbook.cli.link_targets import (
    link_targets,
    missing_hooks,
    missing_plan_folders,
    second_pages,
    theme_files,
)
from planbook.cli.terminal import SEVERITY_COLOURS, escape_output
from planbook.library import link_tree
from planbook.markdown import extensions, plain_text
from planbook.model import Problem
from planbook.problems import Severity, severity
from planbook.rules import registry
from planbook.rules.project import CodeFilter, Project, parse_codes
from planbook.rules.ungrounded import ungrounded_sentences
from planbook.store.cited_files import unread_documents
from planbook.store.files import replace_file
from planbook.store.options import documents_folder, option_problems
from planbook.store.working_tree import WorkingTree


@click.command("check")
@parameters.PATHS
@parameters.ROOT
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="Output format.",
)
@click.option("--select", metavar="CODES", help="Report only these codes or prefixes: P,K02.")
@click.option("--ignore", metavar="CODES", help="Do not report these codes or prefixes.")
@click.option(
    "--deny", metavar="CODES", help="Exit with 1 for these codes or prefixes, too, as for errors."
)
@click.option("--fix", is_flag=True, help="Fix what is safe to fix, and report the rest.")
@click.option(
    "--markdown",
    is_flag=True,
    help="List what `markdown: github` would change on pages, and nothing else.",
)
@click.option(
    "--stdin-filename",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Check the text on standard input as if it were saved in this file of the base.",
)
def check_command(
    *,
    paths: tuple[Path, ...],
    root: Path | None,
    format_: str,
    select: str | None,
    ignore: str | None,
    deny: str | None,
    fix: bool,
    markdown: bool,
    stdin_filename: Path | None,
) -> None:
    """Report problems in plans and pages, one per line, with file, line and column.

    PATHS are files or folders: pages inside the documentation folder, plans elsewhere, which may be
    named by their slugs, too; a number behind a plan is the page of that PART. They are checked as
    part of the whole base, but only their own problems are reported. Without PATHS, all plans and
    pages are checked. Exits with 1 if there is an error or a problem that --deny names; other
    warnings and notes do not affect the exit code.
    """
    if stdin_filename and (fix or paths):
        defect = "--stdin-filename checks one text, and takes neither PATHS nor --fix"
        raise click.UsageError(defect)
    settings = project.project_settings(root, paths)
    selection = _named_files(settings, paths, stdin_filename)
    if markdown:
        _show_readings(settings, selection, as_json=format_ == "json")
        return
    code_filter = replace(_chosen_codes(settings, select, ignore), files=selection.uris)
    denied = _denied_codes(deny)
    if fix:
        _, fixable = _check_files(settings, selection, code_filter)
        fixed = _fix_files(settings, selection, fixable)
        click.echo(f"{plain_text.count(fixed, 'file')} fixed", err=True)
        selection = targets.named_files(settings, paths)  # as it is now
    result = _check_base(settings, selection, code_filter)
    _print_result(result, settings, format_)
    is_failure = any(
        severity(problem.code) is Severity.ERROR or problem.code.startswith(denied)
        for problem in result.problems
    )
    sys.exit(project.EXIT_ATTENTION if is_failure else project.EXIT_OK)


@dataclass(frozen=True, slots=True)
class _CheckResult:
    """The Problems of some files of a project, or of all of them."""

    project: Project
    problems: tuple[Problem, ...]
    is_empty: bool
    """True if there is no plan and no page."""


def _check_base(
    settings: store.Settings, selection: targets.SelectedFiles, code_filter: CodeFilter
) -> _CheckResult:
    """Return the Problems of the selected files; of all of them, with those of the project."""
    checked, problems = _check_files(settings, selection, code_filter)
    if selection.uris is None:
        problems = (*_project_problems(settings, code_filter), *problems)
    return _CheckResult(checked, problems, selection.is_empty)


def _print_result(result: _CheckResult, settings: store.Settings, format_: str) -> None:
    match format_:
        case "json":
            _print_json(result)
        case "github":
            _print_workflow_commands(settings, result.problems)
        case _ if result.is_empty:
            click.echo("nothing to check: no plans or pages found")
        case _:
            _show_problems(result.problems)


def _named_files(
    settings: store.Settings, paths: tuple[Path, ...], stdin_filename: Path | None
) -> targets.SelectedFiles:
    if stdin_filename:
        return _named_on_stdin(settings, stdin_filename)
    return targets.named_files(settings, paths)


def _project_problems(settings: store.Settings, code_filter: CodeFilter) -> list[Problem]:
    """Return the selected Problems of the project that no file of the base has."""
    problems = chain(
        missing_hooks(settings),
        missing_plan_folders(settings),
        second_pages(settings),
        option_problems(settings),
        unread_documents(settings.root, documents_folder(settings)),
    )
    return [problem for problem in problems if code_filter.has(problem.code)]


def _show_readings(
    settings: store.Settings, selection: targets.SelectedFiles, *, as_json: bool
) -> None:
    """Print the blocks that GitHub and Python-Markdown read differently.

    Each has its place, and both readings.
    """
    from planbook.plugin.readings import MarkdownReaders

    docs = settings.docs_dir.strip("/")
    pages = {
        uri: raw
        for uri, raw in selection.tree.pages.items()
        if selection.uris is None or f"{docs}/{uri}" in selection.uris
    }
    with terminal.progress_line() as progress:
        progress("rendering pages by both readers")
        differences_by_uri = list(
            MarkdownReaders.of_project(settings.root / settings.config).differences(pages)
        )
    if as_json:
        rows = [
            {"file": f"{docs}/{uri}", **asdict(difference)}
            for uri, difference in differences_by_uri
        ]
        terminal.print_json(rows)
        return
    for uri, difference in differences_by_uri:
        readings = f"GitHub: {difference.github}; Python-Markdown: {difference.python}"
        click.echo(f"{docs}/{uri}:{difference.line}: {readings}")
    differing = len({uri for uri, _ in differences_by_uri})
    click.echo(f"{differing} of {plain_text.count(len(pages), 'page')} differ", err=True)


def _check_files(
    settings: store.Settings, selection: targets.SelectedFiles, code_filter: CodeFilter
) -> tuple[Project, tuple[Problem, ...]]:
    """Return the project, and the Problems of the selected files."""
    with terminal.progress_line() as progress:
        progress("checking plans and pages")
        library = link_tree(selection.tree, project.open_cache(settings))
        checked = Project(
            tree=selection.tree,
            library=library,
            code_filter=code_filter,
            docs_dir=settings.docs_dir.strip("/"),
            cache=project.open_cache(settings),
            syntax=extensions.read_syntax(settings.extensions),
            is_vault=settings.is_vault,
            theme=theme_files(settings),
            targets=link_targets(settings, selection.tree.pages),
            sources=project.local_sources(settings),
            doubts=project.read_doubts(settings, selection.tree, library.page_by_uri),
        )
        return checked, registry.check(checked)


def _fix_files(
    settings: store.Settings, selection: targets.SelectedFiles, every_problem: Sequence[Problem]
) -> int:
    """Fix files in place and return how many changed.

    Links to them stay links; read-only files are refused.
    """
    syntax = extensions.read_syntax(settings.extensions)
    docs = settings.docs_dir.strip("/")
    pages = {f"{docs}/{page}": raw for page, raw in selection.tree.pages.items()}
    files = {**pages, **selection.tree.plans}
    fixed = 0
    for uri, problems in groupby(every_problem, key=lambda problem: problem.uri):
        raw = files.get(uri, b"")
        new = registry.fix_file(raw, [*problems], syntax)
        if new != raw:
            path = Path(uri) if uri in selection.elsewhere else settings.root / uri
            replace_file(path, new)
            fixed += 1
    return fixed


def _named_on_stdin(settings: store.Settings, path: Path) -> targets.SelectedFiles:
    """Return the project with standard input in place of the file at `path`, which is selected."""
    tree = store.read_tree(settings)
    text = sys.stdin.buffer.read()
    file = path.resolve()
    root = settings.root.resolve()
    docs = (settings.root / settings.docs_dir).resolve()
    if file.is_relative_to(docs):
        page = file.relative_to(docs).as_posix()
        uri = f"{settings.docs_dir.strip('/')}/{page}"
        tree = replace(tree, pages={**tree.pages, page: text})
        return targets.SelectedFiles(tree, frozenset({uri}))
    uri = file.relative_to(root).as_posix() if file.is_relative_to(root) else path.as_posix()
    if uri in tree.drops:
        tree = replace(tree, drops={**tree.drops, uri: text})
    else:
        tree = replace(tree, plans={**tree.plans, uri: text})
    return targets.SelectedFiles(tree, frozenset({uri}))


def _chosen_codes(settings: store.Settings, select: str | None, ignore: str | None) -> CodeFilter:
    """Return the configured filter of codes; command-line options override it."""
    code_filter = project.project_code_filter(settings.root)
    try:
        if select is not None:
            code_filter = replace(code_filter, select=parse_codes(select, "--select"))
        if ignore is not None:
            code_filter = replace(code_filter, ignore=parse_codes(ignore, "--ignore"))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return code_filter


def _denied_codes(deny: str | None) -> tuple[str, ...]:
    """Return the codes for which the command fails as for errors."""
    try:
        return parse_codes(deny, "--deny") if deny else ()
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _print_json(result: _CheckResult) -> None:
    ungrounded = [asdict(sentence) for sentence in ungrounded_sentences(result.project)]
    terminal.print_json({**registry.problems_to_json(result.problems), "ungrounded": ungrounded})


def _print_workflow_commands(settings: store.Settings, problems: Sequence[Problem]) -> None:
    """Print the Problems as GitHub reads them in the log of a workflow."""
    folder = WorkingTree(settings.root, settings.docs_dir, "").folder
    for problem in problems:
        click.echo(registry.problem_to_github(problem, folder))


def _show_problems(problems: Sequence[Problem]) -> None:
    """Print a line for each Problem, and how many there are of each kind."""
    console = terminal.make_console()
    if problems:  # at once: rich takes longer for each text than for its words
        console.print("\n".join(map(_problem_line, problems)))
    kinds = Counter(severity(problem.code) for problem in problems)
    totals = [plain_text.count(kinds[kind], kind.value) for kind in Severity if kinds[kind]]
    console.print(", ".join(totals) or "no problems found")


def _problem_line(problem: Problem) -> str:
    """Return a Problem in one line, as markup for a console."""
    kind = severity(problem.code)
    location = f"{escape_output(problem.uri)}:{problem.line}:{problem.column}"
    coloured = f"[{SEVERITY_COLOURS[kind]}]{kind}[/]"
    return f"{location}: {coloured} {escape_output(problem.message)} [dim]{problem.code}[/]"
