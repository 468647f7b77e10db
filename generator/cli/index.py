"""`planbook index`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from generator.cli.console import escaped, make_console
from generator.cli.project import FOUND, OK, ROOT, cached_calls, project_settings
from generator.library import Library, link_tree
from generator.store import Settings, read_tree, write_atomic


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; say whether the files are up to date.")
@ROOT
def index(check: bool, root: Path | None) -> None:
    """Write INDEX.md and SKILL.md, for those who read the base as files.

    The INDEX lies in the pages' folder, SKILL.md in the project's. A file of these names that someone else wrote stays
    as it is. Exits with 1 where a file could not be written or, with --check, is not up to date.
    """
    from generator.views.skill import skill_problems

    settings = project_settings(root)
    console, code = make_console(), OK
    for name, text in index_files(settings, link_tree(read_tree(settings), cached_calls(settings))).items():
        old = _old(settings.root / name)
        why = foreign(settings.root / name)
        if why:
            problems = list(skill_problems(old or "")) if name.endswith("SKILL.md") else []
            console.print(f"{escaped(name)}: {escaped('; '.join([why, *problems]))}", soft_wrap=True)
            code = FOUND if problems else code
        elif old == text:
            console.print(f"{escaped(name)}: up to date")
        elif check:
            console.print(f"{escaped(name)}: not up to date; run planbook index")
            code = FOUND
        else:
            write_atomic(settings.root / name, text.encode("utf-8"))
            console.print(f"{escaped(name)}: written")
    sys.exit(code)


def index_files(settings: Settings, library: Library) -> Mapping[str, str]:
    """Return the expected content of INDEX.md and SKILL.md, by path from the project's folder."""
    from generator.views.index import INDEX, folder_indexes
    from generator.views.nav import named_pages
    from generator.views.skill import SKILL, repository_index, skill

    every = folder_indexes(library, named_pages(settings.nav))
    title = settings.site_name or settings.root.resolve().name
    return {
        f"{settings.docs_dir.strip('/')}/{INDEX}": repository_index(library, every),
        SKILL: skill(library, every, title, settings.site_description, settings.docs_dir),
    }


def writable_files(settings: Settings, library: Library) -> Mapping[str, str]:
    """Those of `index_files` that nobody else wrote."""
    files = index_files(settings, library)
    return {name: text for name, text in files.items() if foreign(settings.root / name) is None}


def foreign(path: Path) -> str | None:
    """Return a short reason not to overwrite the file at `path`; ``None`` if it is generated or missing."""
    from generator.views.skill import is_made

    if path.is_symlink():
        return "it is a symbolic link; left as it is"
    home = path.with_name(path.name.lower())
    if path.exists() and home != path and home.exists() and path.samefile(home):
        return f"this file system takes it for {home.name}; left as it is"
    text = _old(path)
    return None if text is None or is_made(text) else "someone else wrote it; left as it is"


def _old(path: Path) -> str | None:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
