"""`planbook init`, `new`, `index` and `materialize`: the base as files."""

from __future__ import annotations

import json
import os
import posixpath
import re
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files as resources
from pathlib import Path, PurePosixPath

import click

from planbook.cli import example, parameters, project, terminal
from planbook.cli.engines import zensical_tree
from planbook.cli.terminal import escaped
from planbook.library import link_tree
from planbook.markdown import extensions, plain_text
from planbook.plan.parse import plan_in_page
from planbook.store import (
    Settings,
    decode_page,
    markdown_files,
    output,
    publish_tree,
    read_plans,
    read_tree,
    write_atomic,
)
from planbook.store.files import REPORT
from planbook.store.options import documents_folder
from planbook.store.settings import MAINS, files_below

WORKFLOW = ".github/workflows/pages.yml"
_CHECK, _EXPAND, _SERVE, _NEW, _INDEX = (
    "planbook check        # report problems in plans and pages",
    "planbook expand       # write the planned pages",
    "planbook serve        # preview the site; rebuilds on changes",
    "planbook new SUBJECT  # plan pages of your own",
    "planbook index        # write INDEX.md and SKILL.md without the example",
)
"""The next commands after `init`."""
_NOT_PAGES = frozenset({"node_modules", "site", "vendor", "venv"})
"""Folders of files that others made."""
_ABOUT = frozenset(
    {"agents", "authors", "changelog", "changes", "claude", "code_of_conduct", "contributing", "contributors"}
    | {"copying", "gemini", "governance", "history", "index", "install", "licence", "license", "maintainers", "news"}
    | {"notice", "readme", "releasing", "security", "skill", "summary", "support", "todo"}
)
"""Names of files about a repository, in lower case: many repositories have them, and they make no base."""
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
    survey = _survey(settings, docs_dir)
    proposed = survey.plugin
    if survey.is_own or empty:
        home = [] if survey.pages else ["docs/index.md"]
        kept = {name: texts[name] for name in (*home, ".gitignore", WORKFLOW)}
        texts = {"mkdocs.yml": _configuration(texts["mkdocs.yml"], survey), **kept}
    texts = {name: text for name, text in texts.items() if github or name != WORKFLOW}
    places = {name: settings.root / _own_place(settings, name) for name in texts}
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


_FILL_IN = {
    "people": "replace the words in <angle brackets>, then run `planbook check`",
    "runners": "let your coding agent fill it in as its first lines say, then work through it",
}
"""The next step after a plan's frame is written."""


@click.command()
@click.argument("subject")
@click.option(
    "--for", "author", type=click.Choice(["people", "runners"]), default="people", help="Who fills the plan in."
)
@parameters.ROOT
def new(subject: str, author: str, root: Path | None) -> None:
    """Write a plan to fill in: title, pages, searches, outlines and budgets.

    SUBJECT is a few words such as `rye bread`. The plan is plans/rye-bread.md, and its pages are in rye-bread/. With
    --for runners, it begins with instructions for the coding agent that fills it in.
    """
    settings, slug = project.project_settings(root), re.sub(r"[\W_]+", "-", subject).strip("-").lower()
    place = _own_place(settings, f"plans/{slug}.md")
    path = settings.root / place
    if not slug:
        raise click.UsageError(f"{subject!r} has no letter or digit; name the subject")
    if os.path.lexists(path):
        raise click.ClickException(f"{place} exists; choose another name")
    frame = {"people": "new.md", "runners": "runners.md"}[author]
    text = (resources("planbook.cli") / "starter" / frame).read_text(encoding="utf-8")
    text = text.replace("SLUG", slug).replace("TITLE", _title(subject)).replace("DAY", f"{datetime.now(UTC).date()}")
    write_atomic(path, text.encode("utf-8"))
    click.echo(f"{place}: written; {_FILL_IN[author]}")


def _remove_example(settings: Settings, texts: Mapping[str, str]) -> None:
    """Remove the example's files, and print a line on each."""
    own = {_own_place(settings, name): texts[name] for name in example.FILES}
    library = link_tree(read_tree(settings), project.cached_calls(settings))
    lines = list(example.remove_example([*example.find_example(library, settings, own)], settings))
    click.echo("\n".join(lines) if lines else "there is no example here: nothing is removed")
    if lines:
        click.echo("\n  ".join(["\nNext:", _INDEX, _NEW]))


def starter_files(name: str) -> Mapping[str, str]:
    """Return the files of a new project by their usual paths; `name` is that of its folder, and names the site."""
    folder = resources("planbook.cli") / "starter"
    sources = {
        "mkdocs.yml": "mkdocs.yml",
        "docs/index.md": "home.md",
        "plans/tea.md": "plan.md",
        "docs/tea/01-water.md": "page.md",
        **{path: path for path in sorted(f"documents/{doc.name}" for doc in (folder / "documents").iterdir())},
        REPORT: "verify.json",
        ".gitignore": "gitignore",
        WORKFLOW: "pages.yml",
    }
    texts = {path: folder.joinpath(source).read_text(encoding="utf-8") for path, source in sources.items()}
    return {path: text.replace("My base", _title(name)) for path, text in texts.items()}


def _title(name: str) -> str:
    words = " ".join(re.sub(r"[^\w.+]+|_", " ", name).split()) or "My base"
    return words[0].upper() + words[1:]


@dataclass(frozen=True, slots=True)
class _Survey:
    """The files that a folder has before it becomes a project."""

    docs_dir: str = "docs"
    pages: int = 0
    plans: int = 0
    plan_paths: tuple[str, ...] = ()
    """The paths for `plans_dir`; none if the default one fits."""
    has_documents: bool = False
    """True if there is a folder of documents to search."""

    @property
    def is_own(self) -> bool:
        """Return whether somebody has begun a base here."""
        return bool(self.pages or self.plans or self.has_documents)

    @property
    def options(self) -> tuple[str, ...]:
        """The plugin's options that fit, as YAML."""
        return (f"plans_dir: {json.dumps(self.plan_paths)}",) if self.plan_paths else ()

    @property
    def plugin(self) -> str:
        """The entry for `plugins` that fits."""
        return f"planbook: {{{', '.join(self.options)}}}" if self.options else "planbook"


def _configuration(text: str, survey: _Survey) -> str:
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


def _survey(settings: Settings, docs_dir: str | None) -> _Survey:
    """Report and return what is in the project's folder.

    Raises click.ClickException if MkDocs cannot read the pages from one folder below `mkdocs.yml`.
    """
    root, paths = settings.root, settings.plan_paths or (settings.plans_dir,)
    documents = documents_folder(settings)
    files = {path.relative_to(root).as_posix() for path in markdown_files(root) if path.exists()}
    files = {uri for uri in files if not _NOT_PAGES & set(uri.split("/"))}
    own = read_plans(root, paths)[0].keys()
    plans = {uri for uri in files - own if plan_in_page((root / uri).read_bytes(), uri, "")}
    if (root / settings.config).is_file():
        docs_dir = settings.docs_dir.strip("/")
        files = {
            f"{docs_dir}/{path.relative_to(root / docs_dir).as_posix()}" for path in markdown_files(root / docs_dir)
        }
    if docs_dir != documents:  # documents are sources, not pages
        files = {uri for uri in files if not uri.startswith(f"{documents}/")}
        plans = {uri for uri in plans if not uri.startswith(f"{documents}/")}
    pages = [uri for uri in sorted(files - own - plans) if PurePosixPath(uri).stem.lower() not in _ABOUT]
    number = len(files_below(root / documents, "")) if docs_dir != documents else 0
    if not (plans or own or pages or number):
        return _Survey(docs_dir or "docs")
    folders = Counter(uri.split("/")[0] if "/" in uri else "." for uri in pages)
    where = ", ".join(f"{number} in {folder}" for folder, number in folders.most_common(3))
    found = plain_text.count(len(pages), "page") + (f" ({where})" if pages else "")
    further = f", {plain_text.count(number, 'document')} in {documents}/ to search" if number else ""
    click.echo(f"found: {found}, {plain_text.count(len(own) + len(plans), 'plan')}{further}")
    others = _plan_paths(root, plans)
    return _Survey(
        docs_dir or _docs_dir(root, folders, pages),
        len(pages),
        len(own) + len(plans),
        (*(paths if own else ()), *others) if others else (),
        bool(number),
    )


def _docs_dir(root: Path, folders: Counter[str], pages: Sequence[str]) -> str:
    """Return the folder of the pages: `docs` or `content`, or else the one that holds most of them."""
    usual = {name: folders[name] for name in ("docs", "content") if folders[name]}
    top, number = folders.most_common(1)[0] if folders else ("docs", 1)
    if usual or not folders:
        return max(usual, key=usual.__getitem__, default="docs")
    if top == "." or number * 2 <= len(pages) or (root / ".obsidian").is_dir():
        what = f"the pages of {root} are not in one folder, as MkDocs needs them; name their folder with --docs-dir"
        how = f"planbook init --docs-dir {shlex.quote(root.resolve().name)} .."
        raise click.ClickException(f"{what}, or take this one, from the folder above: `{how}`")
    return posixpath.commonpath([posixpath.dirname(uri) for uri in pages if uri.startswith(f"{top}/")])


def _plan_paths(root: Path, plans: Set[str]) -> list[str]:
    """Return folders, patterns and files for `plans_dir` that name `plans`, and hardly any other file."""
    found = dict[str, None]()
    for uri in sorted(plans):
        if any(uri.startswith(f"{folder}/") for folder in found):
            continue
        path = PurePosixPath(uri)
        is_main = path.name in MAINS and len(path.parts) > 2
        folder = path.parent.parent if is_main else path.parent
        forms = [folder.as_posix()] if folder.name else []
        chosen = uri
        for form in [*forms, f"{folder}/*/{path.name}"] if is_main else forms:
            named = read_plans(root, (form,))[0].keys()
            others = [one for one in named - plans if one.removesuffix("plan.md") + "tasks.md" not in plans]
            if len(others) * 4 <= (len(named) if folder.name == "plans" else 0):
                chosen = form
                break
        found[chosen] = None
    return list(found)


def _own_place(settings: Settings, name: str) -> str:
    """Return the path of a starter file in this project, whose folders may not have the default names."""
    folder, _, rest = name.partition("/")
    own = {"docs": settings.docs_dir, "plans": settings.plans_dir}.get(folder)
    return settings.config if name == "mkdocs.yml" else f"{own}/{rest}" if own and rest else name


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


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; report whether the files are up to date.")
@parameters.ROOT
def index(check: bool, root: Path | None) -> None:
    """Write INDEX.md and SKILL.md, for readers of the base as files.

    INDEX.md goes into the documentation folder, SKILL.md into the project's folder. Files with these names that
    Planbook did not generate are never overwritten. Exits with 1 if a file could not be written or, with --check, is
    not up to date.
    """
    settings = project.project_settings(root)
    console, code = terminal.make_console(), project.OK
    for name, text in project.index_files(
        settings, link_tree(read_tree(settings), project.cached_calls(settings))
    ).items():
        old = project.old_text(settings.root / name)
        why = project.foreign(settings.root / name)
        if why:
            console.print(f"{escaped(name)}: {escaped(why)}")
        elif old == text:
            console.print(f"{escaped(name)}: up to date")
        elif check:
            console.print(f"{escaped(name)}: not up to date; run planbook index")
            code = project.FOUND
        else:
            write_atomic(settings.root / name, text.encode("utf-8"))
            console.print(f"{escaped(name)}: written")
    sys.exit(code)


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--index",
    "index_name",
    type=click.Choice(["index.md", "_index.md", "README.md"]),
    default="index.md",
    help="File name of a folder's own page; Hugo needs _index.md.",
)
@click.option("--force", is_flag=True, help="Write into a folder that contains files Planbook did not write.")
@click.option(
    "--for", "engine", type=click.Choice(["all", "zensical"]), default="all", help="Write plain pages, or Zensical's."
)
@parameters.ROOT
@project.needs_extra("zensical")
def materialize(*, directory: Path, index_name: str, force: bool, engine: str, root: Path | None) -> None:
    """Write the whole tree into DIR as plain Markdown with front matter, for engines that run no plugins.

    With --for=zensical, DIR is a project of Zensical's with the same site as that of MkDocs.

    Exports pages, placeholders, INDEX pages, progress, Sources, the link graph and all other files of the documentation
    folder. DIR must be a separate folder: files from an earlier run are replaced; if it contains other files, the
    command stops.
    """
    settings = project.project_settings(root)
    target = directory.resolve()
    for name in (settings.docs_dir, *settings.plan_folders):  # these are only read
        source = (settings.root / name).resolve()
        if target.is_relative_to(source) or source.is_relative_to(target):
            what = f"{directory} and the project's folder {name} overlap; choose another folder"
            raise click.ClickException(what)
    files = tree_files(settings, index_name) if engine == "all" else zensical_tree(settings, has_twins=False).files()
    written, removed = output.write_owned(directory, files, force=force)
    pages = sum(path.endswith(".md") for path in files)
    said = f"{plain_text.count(pages, 'page')} and {plain_text.count(len(files) - pages, 'other file')}"
    changed = f"{plain_text.number(written)} written, {plain_text.number(removed)} removed"
    terminal.make_console().print(f"{escaped(str(directory))}: {said}; {changed}")


def tree_files(settings: Settings, index_name: str = "index.md") -> dict[str, bytes]:
    """Return the tree's files by path."""
    from planbook.views import frame, portable, progress
    from planbook.views.index import named_pages

    written = read_tree(settings, is_published=True)
    tree = publish_tree(settings, written)
    library = project.project_library(settings, tree)
    docs = settings.docs_dir.strip("/")
    texts = {uri: decode_page(tree.pages[uri], f"{docs}/{uri}") for uri in tree.pages}
    site = frame.Site(settings.site_name, settings.site_url, description=settings.site_description, docs_dir=docs)
    checks = project.valid_checks(settings, written, library.page_by_uri)
    try:
        others = dict(output.other_files(settings))
        form = portable.Form(index_name, extensions.read_syntax(settings.extensions), tuple(others))
        files = portable.portable_tree(library, texts, named_pages(settings.nav), site, form)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    files |= progress.progress_files(library, checks)
    return others | {path: text.encode("utf-8") for path, text in files.items()}
