"""`planbook init`: start a project, with an example, or in a folder that has files."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import click

from planbook.cli import example, project
from planbook.cli.starter_files import EXAMPLE, WORKFLOW, place_in_project, starter_files
from planbook.cli.survey import Survey, survey_folder
from planbook.library import link_tree
from planbook.store import (
    Settings,
    read_tree,
    write_atomic,
)

# The next commands after `init`.
_CHECK = "planbook check        # report problems in plans and pages"
_EXPAND = "planbook expand       # write the planned pages"
_SERVE = "planbook serve        # preview the site; rebuilds on changes"
_NEW_COMMAND = "planbook new SUBJECT  # plan pages of your own"
_INDEX = "planbook index        # write INDEX.md and SKILL.md without the example"

_PLUGIN_ENTRY = re.compile(r"^  - planbook:\n(?: {6}.*\n)+", re.MULTILINE)
"""The plugin with its options in the starter's `mkdocs.yml`."""
_NAV = re.compile(r"^\nnav:\n(?: .*\n)+|^ +- navigation\.tabs\n", re.MULTILINE)
"""The navigation with tabs in the starter's `mkdocs.yml`, for a home page of its own."""
_VARIABLE = (
    "set the variable PLANBOOK in the repository's settings to the requirement for pip, such as "
    "`planbook @ git+https://...`"
)


@click.command()
@click.argument(
    "directory", metavar="[DIR]", default=".", type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "--github", is_flag=True, help="Also write a workflow that publishes the site to GitHub Pages."
)
@click.option(
    "--docs-dir", metavar="FOLDER", help="The folder of the pages in DIR, for a new mkdocs.yml."
)
@click.option("--empty", is_flag=True, help="Write no example.")
@click.option(
    "--remove-example", is_flag=True, help="Remove the example, with what `expand` made of it."
)
def init(
    directory: Path, github: bool, docs_dir: str | None, empty: bool, remove_example: bool
) -> None:
    """Start a project in DIR, by default in the current folder.

    Writes mkdocs.yml, a home page, .gitignore and an example: a plan, four documents, and a page
    that quotes them. Existing files are never overwritten. A folder that already has pages, plans
    or documents/ gets no example: the command says what it found there, and the configuration fits
    it. Files of the example that were edited or are cited by other pages are not removed.
    """
    settings = project.project_settings(directory, [directory])
    starter = starter_files(directory.resolve().name)
    if remove_example:
        _remove_example(settings, starter)
        return
    survey = survey_folder(settings, docs_dir)
    if empty:
        survey = replace(survey, has_documents=survey.has_documents_folder)
    if survey.has_base or empty:
        starter = starter_files(directory.resolve().name, has_example=False)
        starter = _omit_example(starter, survey)
    texts = {name: text for name, text in starter.items() if github or name != WORKFLOW}
    places = {name: settings.root / place_in_project(settings, name) for name in texts}
    _check_folders(places.values())
    for name, path in places.items():
        _write_starter_file(name, path, texts[name], survey)
    has_plan = survey.plans > 0 or "plans/tea.md" in texts
    steps = [_CHECK, _EXPAND, _SERVE, _NEW_COMMAND] if has_plan else [_NEW_COMMAND, _CHECK, _SERVE]
    if directory.resolve() != Path.cwd():
        steps.insert(0, f"cd {shlex.quote(str(directory))}")
    click.echo("\n  ".join(["\nNext:", *steps]))


def _omit_example(starter: Mapping[str, str], survey: Survey) -> Mapping[str, str]:
    """Return the starter files of a base without the example, by their usual paths."""
    file_names = (
        [".gitignore", WORKFLOW] if survey.pages else ["docs/index.md", ".gitignore", WORKFLOW]
    )
    configuration = _own_configuration(starter["mkdocs.yml"], survey)
    return {"mkdocs.yml": configuration, **{name: starter[name] for name in file_names}}


def _check_folders(paths: Iterable[Path]) -> None:
    """Raise click.ClickException if a file is where a folder is to be."""
    for folder in dict.fromkeys(folder for path in paths for folder in path.parents):
        if os.path.lexists(folder) and not folder.is_dir():
            fix = "move it, or choose another folder for the project"
            raise click.ClickException(f"{folder} is not a folder; {fix}")


def _write_starter_file(name: str, path: Path, text: str, survey: Survey) -> None:
    """Write a starter file unless one with its purpose is there, and print a line on it."""
    same_purpose = [path]
    if name == "docs/index.md":
        same_purpose.append(path.with_name("README.md"))
    existing_file = next((other for other in same_purpose if os.path.lexists(other)), None)
    if existing_file is not None:
        click.echo(f"{existing_file}: kept{_advice(name, existing_file, text, survey.plugin)}")
        return
    write_atomic(path, text.encode("utf-8"))
    click.echo(f"{path}: written")
    if name == WORKFLOW:
        click.echo(f"{path}: {_VARIABLE}")


def _remove_example(settings: Settings, texts: Mapping[str, str]) -> None:
    """Remove the example's files, and print a line on each."""
    texts_by_path = {place_in_project(settings, name): texts[name] for name in example.FILES}
    library = link_tree(read_tree(settings), project.open_cache(settings))
    # All files are found before the first one is removed: what cites a file counts.
    example_files = list(example.find_example(library, settings, texts_by_path))
    lines = list(example.remove_example(example_files, settings))
    if not lines:
        click.echo("there is no example here: nothing is removed")
        return
    click.echo("\n".join(lines))
    click.echo("\n  ".join(["\nNext:", *_steps_of_name(settings), _INDEX, _NEW_COMMAND]))


def _steps_of_name(settings: Settings) -> list[str]:
    """Return what to do about a site that is still named after the example."""
    path = settings.root / place_in_project(settings, "mkdocs.yml")
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    is_of_example = f'site_name: "{EXAMPLE}"' in text
    home = place_in_project(settings, "docs/index.md")
    return [f"edit {path.name} {home}  # name the site"] if is_of_example else []


def _own_configuration(text: str, survey: Survey) -> str:
    """Return the starter's `mkdocs.yml` for another base than the example."""
    options = [*survey.options, "markdown: github"]
    note = ""
    if survey.has_documents:
        options.append("expand: {search: {providers: [local]}}")
        note = " # `local` searches documents/ only; without `expand`, the web is searched, too"
    entry = f"planbook: {{{', '.join(options)}}}{note}"
    text = _PLUGIN_ENTRY.sub(lambda _: f"  - {entry}\n", text)
    if survey.pages:
        text = _NAV.sub("", text)
    if survey.pages or survey.docs_dir != "docs":
        docs_dir = f"docs_dir: {json.dumps(survey.docs_dir)}\n"
        text = text.replace("\ntheme:", f"{docs_dir}\ntheme:", 1)
    return text


def _advice(name: str, existing_file: Path, text: str, proposed: str) -> str:
    """Return advice on what to add to an existing file; empty if nothing is missing."""
    old = (
        existing_file.read_text(encoding="utf-8", errors="replace")
        if existing_file.is_file()
        else ""
    )
    match name:
        case "mkdocs.yml":
            return _advice_on_plugins(old, proposed)
        case ".gitignore":
            folders = [line for line in text.splitlines() if line.startswith("/")]
            missing = [line for line in folders if line.strip("/") not in old]
            return f"; add {' and '.join(missing)}" if missing else ""
        case _:
            return ""


def _advice_on_plugins(old: str, proposed: str) -> str:
    """Return advice on the `plugins` of an existing mkdocs.yml.

    `proposed` is the plugin's entry.
    """
    has_options = ":" in proposed
    if "planbook" in old and has_options:
        return f"; there are more plans: write `- {proposed}` in its `plugins`"
    if "planbook" in old:
        return ""
    if re.search(r"^plugins:", old, re.MULTILINE):
        return f"; add `- {proposed}` to its `plugins`"
    return f"; add `plugins: [search, {proposed}]`"
