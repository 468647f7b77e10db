"""`planbook init`."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime
from importlib.resources import files as resources
from pathlib import Path

import click

from generator.cli.project import project_settings
from generator.store import Settings, read_plans, write_atomic

WORKFLOW = ".github/workflows/pages.yml"
_NEXT = """
Next:{}
  planbook check              # report problems in plans and pages
  mkdocs serve                # preview the site; rebuilds on changes
  planbook expand --dry-run   # show which requests research would send
"""
_VARIABLE = (
    "set the variable PLANBOOK in the repository's settings to the requirement for pip, such as "
    "`planbook @ git+https://...`"
)


@click.command()
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(file_okay=False, path_type=Path))
@click.option("--github", is_flag=True, help="Also write a workflow that publishes the site to GitHub Pages.")
def init(directory: Path, github: bool) -> None:
    """Start a project in DIR, by default in the current folder.

    Writes mkdocs.yml, a home page, an example plan and .gitignore. Existing files are never overwritten, and a base
    that already has pages or plans gets only the missing files.
    """
    settings = project_settings(directory, [directory])
    texts = starter_files(directory.resolve().name, datetime.now(UTC).date())
    places = _places(settings, texts if github else texts.keys() - {WORKFLOW})
    _refuse_files_as_folders(places.values())
    for name, path in places.items():
        there = _existing(settings, name, path)
        if there is None:
            write_atomic(path, texts[name].encode("utf-8"))
        click.echo(f"{there or path}: {f'kept{_advice(name, there, texts[name])}' if there else 'written'}")
        if name == WORKFLOW and there is None:
            click.echo(f"{path}: {_VARIABLE}")
    step = "" if directory.resolve() == Path.cwd() else f"\n  cd {shlex.quote(str(directory))}"
    click.echo(_NEXT.format(step), nl=False)


def starter_files(name: str, day: date) -> Mapping[str, str]:
    """Return the files of a new project by their usual paths.

    Args:
        name: the name of the project's folder, used as the site's name.
        day: the date of the example plan.
    """
    words = " ".join(re.sub(r"[^\w.+]+|_", " ", name).split()) or "My base"
    title = words[0].upper() + words[1:]
    sources = {
        "mkdocs.yml": "mkdocs.yml",
        "docs/index.md": "index.md",
        "plans/tea.md": "plan.md",
        ".gitignore": "gitignore",
        WORKFLOW: "pages.yml",
    }
    folder = resources("generator.cli") / "starter"
    texts = {path: (folder / source).read_text(encoding="utf-8") for path, source in sources.items()}
    return {path: text.replace("My base", title).replace("2026-11-20", f"{day}") for path, text in texts.items()}


def _places(settings: Settings, names: Collection[str]) -> dict[str, Path]:
    """Return the path of each file in this project, whose folders may not have the default names."""
    own = {
        "mkdocs.yml": settings.config,
        "docs/index.md": f"{settings.docs_dir}/index.md",
        "plans/tea.md": f"{settings.plans_dir}/tea.md",
    }
    return {name: settings.root / own.get(name, name) for name in (*own, ".gitignore", WORKFLOW) if name in names}


def _refuse_files_as_folders(paths: Iterable[Path]) -> None:
    """Raise click.ClickException if a file exists where a folder is needed."""
    for folder in dict.fromkeys(folder for path in paths for folder in path.parents):
        if os.path.lexists(folder) and not folder.is_dir():
            raise click.ClickException(f"{folder} is not a folder; move it, or choose another folder for the project")


def _existing(settings: Settings, name: str, path: Path) -> Path | None:
    """Return the existing file that serves the purpose of the one at `path`."""
    if name == "plans/tea.md":
        found = read_plans(path.parent, "")[0]
        return path.parent / next(iter(found)) if found else None
    others = [path.with_name("README.md")] if name == "docs/index.md" else []
    return next((one for one in (path, *others) if os.path.lexists(one)), None)


def _advice(name: str, there: Path, text: str) -> str:
    """Return advice on what to add to an existing file; empty if nothing is missing."""
    old = there.read_text(encoding="utf-8", errors="replace") if there.is_file() else ""
    if name == "mkdocs.yml" and "planbook" not in old:
        return "; add `- planbook` to its `plugins`"
    missing = [line for line in text.splitlines() if line.startswith("/") and line.strip("/") not in old]
    return f"; add {' and '.join(missing)}" if name == ".gitignore" and missing else ""
