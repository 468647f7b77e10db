"""`planbook init`: start a project, with an example, or in a folder that has files."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import click

from planbook.cli import example, project
from planbook.cli.starter_files import WORKFLOW, own_place, starter_files
from planbook.cli.survey import Survey, survey_folder
from planbook.library import link_tree
from planbook.store import (
    Settings,
    read_tree,
    write_atomic,
)

_CHECK, _EXPAND, _SERVE, _NEW, _INDEX = (
    "planbook check        # report problems in plans and pages",
    "planbook expand       # write the planned pages",
    "planbook serve        # preview the site; rebuilds on changes",
    "planbook new SUBJECT  # plan pages of your own",
    "planbook index        # write INDEX.md and SKILL.md without the example",
)
"""The next commands after `init`."""
_VARIABLE = (
    "set the variable PLANBOOK in the repository's settings to the requirement for pip, such as "
    "`planbook @ git+https://...`"
)


@click.command()
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(file_okay=False, path_type=Path))
@click.option("--github", is_flag=True, help="Also write a workflow that publishes the site to GitHub Pages.")
@click.option("--docs-dir", metavar="FOLDER", help="The folder of the pages in DIR, for a new mkdocs.yml.")
@click.option("--empty", is_flag=True, help="Write no example.")
@click.option("--remove-example", is_flag=True, help="Remove the example, with what `expand` made of it.")
def init(directory: Path, github: bool, docs_dir: str | None, empty: bool, remove_example: bool) -> None:
    """Start a project in DIR, by default in the current folder.

    Writes mkdocs.yml, a home page, .gitignore and an example: a plan, four documents, and a page that quotes them.
    Existing files are never overwritten. A folder that already has pages, plans or documents/ gets no example: the
    command says what it found there, and the configuration fits it. Files of the example that were edited or are cited
    by other pages are not removed.
    """
    settings = project.project_settings(directory, [directory])
    texts = starter_files(directory.resolve().name)
    if remove_example:
        _remove_example(settings, texts)
        return
    survey = survey_folder(settings, docs_dir)
    proposed = survey.plugin
    if survey.is_own or empty:
        home = [] if survey.pages else ["docs/index.md"]
        kept = {name: texts[name] for name in (*home, ".gitignore", WORKFLOW)}
        texts = {"mkdocs.yml": _configuration(texts["mkdocs.yml"], survey), **kept}
    texts = {name: text for name, text in texts.items() if github or name != WORKFLOW}
    places = {name: settings.root / own_place(settings, name) for name in texts}
    for folder in dict.fromkeys(folder for path in places.values() for folder in path.parents):
        if os.path.lexists(folder) and not folder.is_dir():
            raise click.ClickException(f"{folder} is not a folder; move it, or choose another folder for the project")
    for name, path in places.items():
        others = [path.with_name("README.md")] if name == "docs/index.md" else []
        there = next((one for one in (path, *others) if os.path.lexists(one)), None)  # it serves the same purpose
        if there is None:
            write_atomic(path, texts[name].encode("utf-8"))
        click.echo(f"{there or path}: {f'kept{_advice(name, there, texts[name], proposed)}' if there else 'written'}")
        if name == WORKFLOW and there is None:
            click.echo(f"{path}: {_VARIABLE}")
    has_plan = survey.plans > 0 or "plans/tea.md" in texts
    step = [] if directory.resolve() == Path.cwd() else [f"cd {shlex.quote(str(directory))}"]
    steps = [_CHECK, _EXPAND, _SERVE, _NEW] if has_plan else [_NEW, _CHECK, _SERVE]
    click.echo("\n  ".join(["\nNext:", *step, *steps]))


def _remove_example(settings: Settings, texts: Mapping[str, str]) -> None:
    """Remove the example's files, and print a line on each."""
    own = {own_place(settings, name): texts[name] for name in example.FILES}
    library = link_tree(read_tree(settings), project.cached_calls(settings))
    lines = list(example.remove_example([*example.find_example(library, settings, own)], settings))
    click.echo("\n".join(lines) if lines else "there is no example here: nothing is removed")
    if lines:
        click.echo("\n  ".join(["\nNext:", _INDEX, _NEW]))


def _configuration(text: str, survey: Survey) -> str:
    """Return the starter's `mkdocs.yml` for another base than the example."""
    options = [*survey.options, "markdown: github"]
    note = ""
    if survey.has_documents:
        options.append("expand: {search: {providers: [local]}}")
        note = " # `local` searches documents/ only; without `expand`, the web is searched, too"
    entry = f"planbook: {{{', '.join(options)}}}{note}"
    text = re.sub(r"^  - planbook:\n(?: {6}.*\n)+", lambda _: f"  - {entry}\n", text, flags=re.MULTILINE)
    docs_dir = "" if survey.docs_dir == "docs" and not survey.pages else f"docs_dir: {json.dumps(survey.docs_dir)}\n"
    return text.replace("\ntheme:", f"{docs_dir}\ntheme:", 1)


def _advice(name: str, there: Path, text: str, proposed: str) -> str:
    """Return advice on what to add to an existing file; empty if nothing is missing."""
    old = there.read_text(encoding="utf-8", errors="replace") if there.is_file() else ""
    if name == "mkdocs.yml" and "planbook" in old:
        return f"; there are more plans: write `- {proposed}` in its `plugins`" if ":" in proposed else ""
    if name == "mkdocs.yml":
        has_plugins = re.search(r"^plugins:", old, re.MULTILINE)
        return f"; add `- {proposed}` to its `plugins`" if has_plugins else f"; add `plugins: [search, {proposed}]`"
    missing = [line for line in text.splitlines() if line.startswith("/") and line.strip("/") not in old]
    return f"; add {' and '.join(missing)}" if name == ".gitignore" and missing else ""
