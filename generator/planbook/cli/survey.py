"""The files that a folder has before it becomes a project."""

from __future__ import annotations

import json
import posixpath
import shlex
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import click

from planbook.markdown import plain_text
from planbook.plan.parse import plan_in_page
from planbook.store import (
    Settings,
    markdown_files,
    read_plans,
)
from planbook.store.options import documents_folder
from planbook.store.settings import MAINS, files_below

_NOT_PAGES = frozenset({"node_modules", "site", "vendor", "venv"})
"""Folders of files that others made."""
_ABOUT = frozenset(
    {"agents", "authors", "changelog", "changes", "claude", "code_of_conduct", "contributing", "contributors"}
    | {"copying", "gemini", "governance", "history", "index", "install", "licence", "license", "maintainers", "news"}
    | {"notice", "readme", "releasing", "security", "skill", "summary", "support", "todo"}
)
"""Names of files about a repository, in lower case: many repositories have them, and they make no base."""


@dataclass(frozen=True, slots=True)
class Survey:
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


def survey_folder(settings: Settings, docs_dir: str | None) -> Survey:
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
        return Survey(docs_dir or "docs")
    folders = Counter(uri.split("/")[0] if "/" in uri else "." for uri in pages)
    where = ", ".join(f"{number} in {folder}" for folder, number in folders.most_common(3))
    found = plain_text.count(len(pages), "page") + (f" ({where})" if pages else "")
    further = f", {plain_text.count(number, 'document')} in {documents}/ to search" if number else ""
    click.echo(f"found: {found}, {plain_text.count(len(own) + len(plans), 'plan')}{further}")
    others = _plan_paths(root, plans)
    return Survey(
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
