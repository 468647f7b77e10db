"""`planbook check`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from generator.cli.console import SEVERITY_COLOURS, escaped, make_console
from generator.cli.project import FOUND, OK, PATHS, ROOT, project_library, project_settings
from generator.problems import Severity, severity
from generator.views.words import count


@click.command()
@PATHS
@ROOT
def check(paths: tuple[Path, ...], root: Path | None) -> None:
    """Say what is wrong with the plans and pages: a line each, with file and line.

    PATHS are plans and folders of plans; without any, the project's plans and pages. Exits with 1 where an error
    was found; warnings and remarks do not count.
    """
    settings = project_settings(root)
    library = project_library(settings, paths)
    problems = library.problems
    places = {str(page.uri): f"{settings.docs_dir}/{page.uri}" for page in library.pages}
    console = make_console()
    for problem in problems:
        kind = severity(problem.code)
        colour = SEVERITY_COLOURS[kind]
        place = places.get(problem.uri, problem.uri) if problem.code.startswith("K") else problem.uri
        console.print(
            f"{escaped(place)}:{problem.line}: [{colour}]{kind}[/] {escaped(problem.message)} [dim]{problem.code}[/]",
            soft_wrap=True,
            highlight=False,
        )
    kinds = Counter(severity(p.code) for p in problems)
    summary = ", ".join(count(kinds[k], k.value) for k in Severity if kinds[k]) or "nothing to remark"
    console.print(summary, highlight=False)
    sys.exit(FOUND if kinds[Severity.ERROR] else OK)
