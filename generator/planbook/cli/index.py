"""`planbook index`: write INDEX.md and SKILL.md."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from planbook.cli import index_files, parameters, project, terminal
from planbook.cli.terminal import escape_output
from planbook.library import link_tree
from planbook.store import (
    read_tree,
    write_atomic,
)


@click.command()
@click.option(
    "--check", is_flag=True, help="Write nothing; report whether the files are up to date."
)
@parameters.ROOT
def index(check: bool, root: Path | None) -> None:
    """Write INDEX.md and SKILL.md, for readers of the base as files.

    INDEX.md goes into the documentation folder, SKILL.md into the project's folder. Files with
    these names that Planbook did not generate are never overwritten. Exits with 1 if a file could
    not be written or, with --check, is not up to date.
    """
    settings = project.project_settings(root)
    library = link_tree(read_tree(settings), project.open_cache(settings))
    console = terminal.make_console()
    code = project.EXIT_OK
    for name, text in index_files.index_files(settings, library).items():
        why_kept = index_files.why_not_overwritten(settings.root / name)
        if why_kept:
            console.print(f"{escape_output(name)}: {escape_output(why_kept)}")
        elif index_files.old_text(settings.root / name) == text:
            console.print(f"{escape_output(name)}: up to date")
        elif check:
            console.print(f"{escape_output(name)}: not up to date; run planbook index")
            code = project.EXIT_ATTENTION
        else:
            write_atomic(settings.root / name, text.encode("utf-8"))
            console.print(f"{escape_output(name)}: written")
    sys.exit(code)
