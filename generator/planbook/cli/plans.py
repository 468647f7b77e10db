"""`planbook check`, `status`, `show` and `brief`: plans and pages as they are."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbook import store
from planbook.cli import parameters, project, terminal
from planbook.cli.terminal import SEVERITY_COLOURS, STATE_COLOURS, escaped
from planbook.library import Library, link_tree
from planbook.markdown import extensions, plain_text
from planbook.model import PlanUri, Problem
from planbook.plan.parse import parse_bytes
from planbook.problems import Severity, severity
from planbook.rules import registry
from planbook.rules.project import LinkTargets, Project, Selection, ThemeFiles, parse_codes
from planbook.store.documents import unread_documents
from planbook.store.files import replace_file
from planbook.store.options import documents_folder, option_problems
from planbook.store.own_files import OwnFiles
from planbook.store.settings import excluded_files, scan_docs
from planbook.views import agents, template, works
from planbook.views.index import named_pages
from planbook.views.progress import DATA, SCHEMA, plan_to_json, progress_to_json

if TYPE_CHECKING:
    from rich.console import Console


_ADD_NO_FILES = frozenset(
    {"planbook", "planbook-speed", "autorefs", "awesome-nav", "awesome-pages", "exclude", "git-authors"}
    | {"git-committers", "git-revision-date", "git-revision-date-localized", "glightbox", "include-markdown"}
    | {"literate-nav", "macros", "meta", "mermaid2", "minify", "mkdocstrings", "redirects", "section-index", "typeset"}
    | {f"{theme}{name}" for theme in ("", "material/") for name in ("search", "tags", "offline", "info", "privacy")}
)
"""Plugins that add no files that a page could link to."""
_GENERATED = re.compile(r"/|[a-z][a-z0-9+.-]*:|(?:progress|reports|sources|tags)\b", re.IGNORECASE)
"""The beginning of paths in the navigation that are not looked up."""


@click.command("check")
@parameters.PATHS
@parameters.ROOT
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", help="Output format."
)
@click.option("--select", metavar="CODES", help="Report only these codes or prefixes: P,K02.")
@click.option("--ignore", metavar="CODES", help="Do not report these codes or prefixes.")
@click.option("--fix", is_flag=True, help="Fix what is safe to fix, and report the rest.")
@click.option("--markdown", is_flag=True, help="List what `markdown: github` would change on pages, and nothing else.")
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
    fix: bool,
    markdown: bool,
    stdin_filename: Path | None,
) -> None:
    """Report problems in plans and pages, one per line, with file, line and column.

    PATHS are files or folders: pages inside the documentation folder, plans elsewhere. They are checked as part of the
    whole base, but only their own problems are reported. Without PATHS, all plans and pages are checked. Exits with 1
    if there is an error; warnings and notes do not affect the exit code.
    """
    if stdin_filename and (fix or paths):
        raise click.UsageError("--stdin-filename checks one text, and takes neither PATHS nor --fix")
    settings = project.project_settings(root, paths)
    named = _on_stdin(settings, stdin_filename) if stdin_filename else project.named_files(settings, paths)
    if markdown:
        _show_readings(settings, named, as_json=format_ == "json")
        return
    selection = replace(_selection(settings, select, ignore), files=named.uris)
    found = _check(settings, named, selection)
    if fix:
        click.echo(f"{plain_text.count(_fix(settings, named, found), 'file')} fixed", err=True)
        named = project.named_files(settings, paths)  # as it is now
        found = _check(settings, named, selection)
    if named.uris is None:
        of_options = (*_missing_hooks(settings), *_second_pages(settings), *option_problems(settings))
        further = (*of_options, *unread_documents(settings.root, documents_folder(settings)))
        found = (*(one for one in further if selection.has(one.code)), *found)
    if format_ == "json":
        terminal.print_json(registry.as_json(found))
    elif format_ == "github":
        folder = OwnFiles(settings.root, settings.docs_dir, "").folder
        for problem in found:
            click.echo(registry.as_github(problem, folder))
    elif named.is_empty:
        click.echo("nothing to check: no plans or pages found")
    else:
        _show_problems(found)
    sys.exit(project.FOUND if any(severity(p.code) is Severity.ERROR for p in found) else project.OK)


def _show_readings(settings: store.Settings, named: project.Named, *, as_json: bool) -> None:
    """Print the blocks that GitHub and Python-Markdown read differently, with place and both readings."""
    from planbook.plugin.readings import MarkdownReaders

    docs = settings.docs_dir.strip("/")
    pages = {uri: raw for uri, raw in named.tree.pages.items() if named.uris is None or f"{docs}/{uri}" in named.uris}
    with terminal.progress_line() as progress:
        progress("rendering pages by both readers")
        found = list(MarkdownReaders.of_project(settings.root / settings.config).differences(pages))
    if as_json:
        terminal.print_json([{"file": f"{docs}/{uri}", **asdict(difference)} for uri, difference in found])
        return
    for uri, difference in found:
        readings = f"GitHub: {difference.github}; Python-Markdown: {difference.python}"
        click.echo(f"{docs}/{uri}:{difference.line}: {readings}")
    differing = len({uri for uri, _ in found})
    click.echo(f"{differing} of {plain_text.count(len(pages), 'page')} differ", err=True)


def _check(settings: store.Settings, named: project.Named, selection: Selection) -> tuple[Problem, ...]:
    with terminal.progress_line() as progress:
        progress("checking plans and pages")
        library = link_tree(named.tree, project.cached_calls(settings))
        checked = Project(
            tree=named.tree,
            library=library,
            selection=selection,
            docs_dir=settings.docs_dir.strip("/"),
            calls=project.cached_calls(settings),
            syntax=extensions.read_syntax(settings.extensions),
            is_vault=settings.is_vault,
            theme=theme_files(settings),
            targets=_link_targets(settings, named.tree.pages),
            sources=project.local_sources(settings),
            doubts=project.doubts(settings, named.tree, library.page_by_uri),
        )
        return registry.check(checked)


def _fix(settings: store.Settings, named: project.Named, found: Sequence[Problem]) -> int:
    """Fix files in place and return how many changed. Links to them stay links; read-only files are refused."""
    syntax, docs = extensions.read_syntax(settings.extensions), settings.docs_dir.strip("/")
    files = {f"{docs}/{page}": raw for page, raw in named.tree.pages.items()} | dict(named.tree.plans)
    fixed = 0
    for uri, problems in groupby(found, key=lambda problem: problem.uri):
        new = registry.fix_file(raw := files.get(uri, b""), [*problems], syntax)
        if new != raw:
            replace_file(Path(uri) if uri in named.elsewhere else settings.root / uri, new)
            fixed += 1
    return fixed


def _on_stdin(settings: store.Settings, path: Path) -> project.Named:
    """Return the project with standard input in place of the file at `path`, which is selected."""
    tree, text, place = store.read_tree(settings), sys.stdin.buffer.read(), path.resolve()
    docs = (settings.root / settings.docs_dir).resolve()
    if place.is_relative_to(docs):
        page = place.relative_to(docs).as_posix()
        uri = f"{settings.docs_dir.strip('/')}/{page}"
        return project.Named(replace(tree, pages={**tree.pages, page: text}), frozenset({uri}))
    is_inside = place.is_relative_to(settings.root.resolve())
    uri = place.relative_to(settings.root.resolve()).as_posix() if is_inside else path.as_posix()
    if uri in tree.drops:
        return project.Named(replace(tree, drops={**tree.drops, uri: text}), frozenset({uri}))
    return project.Named(replace(tree, plans={**tree.plans, uri: text}), frozenset({uri}))


def theme_files(settings: store.Settings) -> ThemeFiles | None:
    """Return the files that pages of a Material site can name; ``None`` for another theme."""
    material = find_spec("material") if settings.theme.get("name") == "material" else None
    if material is None or not material.submodule_search_locations:
        return None
    folders = [Path(folder) / "templates" for folder in material.submodule_search_locations]
    folders += [settings.root / str(own)] if (own := settings.theme.get("custom_dir")) else []
    has_tags = bool({"tags", "material/tags"} & set(settings.plugins))
    return ThemeFiles(lambda path: any((folder / path).is_file() for folder in folders), has_tags)


def _link_targets(settings: store.Settings, pages: Mapping[str, bytes]) -> LinkTargets:
    """Return what links can lead to, as far as a strict build stops if they do not."""
    folder, level, theme = settings.root / settings.docs_dir, settings.validation.get, theme_files(settings)
    may_be_added = bool(settings.hooks) or not set(settings.plugins) <= _ADD_NO_FILES
    is_reported = level("not_found", "warn") == "warn" and not may_be_added
    made = {agents.LLMS, DATA, SCHEMA, works.BIB, works.JSON}
    scan = scan_docs(settings)

    def has_file(path: str) -> bool:
        if not is_reported or path in made:
            return True
        if path.startswith("../"):
            return False
        is_published = (folder / path).is_file() and not scan.has_skipped(path)
        return is_published or bool(theme and theme.has(path))

    return LinkTargets(
        has_file,
        is_reported,
        settings.plugin_options.get("fix_pages") is not False,
        _pages_in_nav(settings),
        pages if level("anchors") == "warn" else {},
        lambda: scan.files,
    )


def _pages_in_nav(settings: store.Settings) -> dict[str, Problem]:
    """Return the Problem of each page in the navigation, if it does not exist; none for pages that may be generated."""
    levels = settings.validation.get("nav")
    if isinstance(levels, dict) and levels.get("not_found", "warn") != "warn":
        return {}
    what = "is in `nav`, but does not exist; correct the path"
    return {
        value: Problem(settings.config, _line_of(settings, value), "K023", f"{value} {what}")
        for value in named_pages(settings.nav)
        if value.endswith(".md") and not _GENERATED.match(value)
    }


def _missing_hooks(settings: store.Settings) -> Iterator[Problem]:
    """Yield K005 for each of the `hooks` that does not exist, at which MkDocs stops."""
    for name in settings.hooks:
        if not (settings.root / name).is_file():
            what = f"the script {name} under `hooks` does not exist; correct the path"
            yield Problem(settings.config, _line_of(settings, name), "K005", what)


def _second_pages(settings: store.Settings) -> Iterator[Problem]:
    """Yield K003 for each README.md beside an index.md, which MkDocs leaves out with a warning."""
    excluded, docs = excluded_files(settings), settings.docs_dir.strip("/")
    uris = {uri for uri in scan_docs(settings).files if not excluded.match_file(uri)}
    for uri in sorted(uris):
        if uri.endswith("README.md") and f"{uri.removesuffix('README.md')}index.md" in uris:
            what = "MkDocs leaves this page out, as there is an index.md beside it; rename or remove one of them"
            yield Problem(f"{docs}/{uri}", 1, "K003", what)


def _line_of(settings: store.Settings, value: str) -> int:
    """Return the line of the configuration that names `value` first."""
    text = project.old_text(settings.root / settings.config) or ""
    return text.count("\n", 0, max(text.find(value), 0)) + 1


def _selection(settings: store.Settings, select: str | None, ignore: str | None) -> Selection:
    """Return the configured selection; command-line options override it."""
    configured = project.project_selection(settings.root)
    try:
        return replace(
            configured,
            select=configured.select if select is None else parse_codes(select, "--select"),
            ignore=configured.ignore if ignore is None else parse_codes(ignore, "--ignore"),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _show_problems(found: Sequence[Problem]) -> None:
    console = terminal.make_console()
    if found:  # at once: rich takes longer for each text than for its words
        console.print("\n".join(map(_line, found)))
    kinds = Counter(severity(problem.code) for problem in found)
    summary = ", ".join(plain_text.count(kinds[kind], kind.value) for kind in Severity if kinds[kind])
    console.print(summary or "no problems found")


def _line(problem: Problem) -> str:
    kind = severity(problem.code)
    place = f"{escaped(problem.uri)}:{problem.line}:{problem.column}"
    return f"{place}: [{SEVERITY_COLOURS[kind]}]{kind}[/] {escaped(problem.message)} [dim]{problem.code}[/]"


PAUSE_S = 1.0
"""Seconds between two looks of `status --watch`."""


@click.command()
@parameters.PATHS
@click.option("--watch", is_flag=True, help="Show who works on what, until no PART is left.")
@parameters.ROOT
@parameters.JSON
def status(paths: tuple[Path, ...], watch: bool, root: Path | None, as_json: bool) -> None:
    """Show progress: what the plans claim next to what is on disk.

    PATHS are plans and folders of plans; by default all of the project's plans. With --watch, a terminal shows the
    PARTs that are in work or left, and a pipe gets a line for each event.
    """
    settings = project.project_settings(root, paths)
    if watch:
        from planbook.cli.watch import watch_parts

        watch_parts(settings, paths, PAUSE_S)
        return
    named = project.named_files(settings, paths, only_plans=True)
    library = project.project_library(settings, named.tree)
    for problem in named.tree.unread:
        click.echo(f"{problem.uri}:{problem.line}: {problem.code} {problem.message}", err=True)
    if named.uris is not None:
        library = library.narrowed(named.uris)
    if as_json:
        terminal.print_json(progress_to_json(library, project.valid_checks(settings, named.tree, library.page_by_uri)))
        return
    console = terminal.make_console()
    if not library.plans:
        console.print(project.NO_PLAN)
        return
    _show_status(console, library)
    _show_claims(console, settings, library)
    if library.plan_problems:
        found = plain_text.count(len(library.plan_problems), "problem")
        where = ["--root", str(root)] if root else []
        plans = paths or [Path(os.path.relpath(settings.root / folder)) for folder in settings.plan_folders]
        console.print(f"{found}: {shlex.join(['planbook', 'check', *where, *map(str, plans)])}", style="dim")


def _show_status(console: Console, library: Library) -> None:
    rows = []
    for plan in library.plans:
        for n, part in enumerate(plan.parts):
            for entry in library.of(plan, part) or (None,):
                verdict = " [red]≠ disk[/]" if entry and entry.is_amiss else ""
                page = entry.page if entry else None
                unwritten = "[dim]not written[/]" if entry or not part.is_group else "[dim]no page[/]"
                lines = template.against_budget(page.lines, part.lines_budget) if page else unwritten
                kind = " [yellow]collected[/]" if entry and entry.is_collected else ""
                state = f"[{STATE_COLOURS[part.state]}]{part.state}[/]{kind}{verdict}"
                plan_name = escaped(plan.slug) if n == 0 else ""
                rows.append((plan_name, str(part.number), state, escaped(entry.uri if entry else part.title), lines))
    terminal.show_rows(console, ("plan", "PART ", "state", " page", "lines"), rows)
    total = plain_text.count(len(library.counted_parts), "PART")
    states = [(library.counts[state], state) for state in template.MEANINGS if library.counts[state]]
    marked = ", ".join(f"{number} {state}" for number, state in states) or "none"
    console.print(f"{library.written_parts} of {total} have a page. Marked: {marked}.")
    if library.collected:
        pages = plain_text.count(library.collected, "page")
        consists = "consists" if library.collected == 1 else "consist"
        what = f"{pages} {consists} of collected passages, which nobody has written up"
        console.print(f"{what}: planbook expand --rewrite collected", style="dim")


def _show_claims(console: Console, settings: store.Settings, library: Library) -> None:
    """Print who works on which PART, since when, and how often a page was refused."""
    from planbook.research.claims import LeaseBook

    slugs = {plan.slug for plan in library.plans}
    for lease in LeaseBook(settings.root).current(datetime.now(UTC)).values():
        if lease.plan in slugs:
            console.print(escaped(f"{lease.plan} PART {lease.part}: {lease}, since {lease.since}"))


@click.command()
@parameters.PATHS
@parameters.ROOT
@click.option("--format", type=click.Choice(["json"]), default="json", expose_value=False, help="Output format.")
def show(paths: tuple[Path, ...], root: Path | None) -> None:
    """Print plans as JSON, as Planbook reads them.

    PATHS are plans and folders of plans; by default all of the project's plans. `planbook status` shows them to people.
    """
    settings = project.project_settings(root, paths)
    named = project.named_files(settings, paths, only_plans=True)
    # Problems of a plan depend on which pages exist, not on their contents.
    tree = replace(named.tree, pages=dict.fromkeys(named.tree.pages, b""))
    library = project.project_library(settings, tree)
    linked = {plan.uri: plan for plan in library.plans}  # without templates
    uris = [PlanUri(uri) for uri in tree.plans if named.uris is None or uri in named.uris]
    plans = [linked.get(uri) or parse_bytes(tree.plans[uri], uri)[0] for uri in uris]
    terminal.print_json([plan_to_json(plan, library.problems_by_uri.get(plan.uri, ())) for plan in plans])
