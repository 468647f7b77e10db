"""The files that a folder has before it becomes a project."""

from __future__ import annotations

import json
import posixpath
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import click

from planbook.markdown import plain_text
from planbook.plan.parse import find_plan_in_page
from planbook.store import (
    Settings,
    markdown_files,
    read_plans,
)
from planbook.store.options import documents_folder
from planbook.store.trees import MAINS, files_below

_FOREIGN_FOLDERS = frozenset({"node_modules", "site", "vendor", "venv"})
"""Folders of files that others made."""
_REPOSITORY_FILES = frozenset(
    {
        "agents",
        "authors",
        "changelog",
        "changes",
        "claude",
        "code_of_conduct",
        "contributing",
        "contributors",
        "copying",
        "gemini",
        "governance",
        "history",
        "index",
        "install",
        "licence",
        "license",
        "maintainers",
        "news",
        "notice",
        "readme",
        "releasing",
        "security",
        "skill",
        "summary",
        "support",
        "todo",
    }
)
"""Names of files about a repository, in lower case.

Many repositories have them, and they make no base.
"""


@dataclass(frozen=True, slots=True)
class Survey:
    """The files that a folder has before it becomes a project."""

    docs_dir: str = "docs"
    pages: int = 0
    plans: int = 0
    plan_paths: tuple[str, ...] = ()
    """The paths for `plans_dir`; none if the default one fits."""
    has_documents: bool = False
    """True if there are documents to search."""
    has_documents_folder: bool = False
    """True if there is a folder for them, with or without documents."""

    @property
    def has_base(self) -> bool:
        """True if somebody has begun a base here."""
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
    root, documents = settings.root, documents_folder(settings)
    if (root / settings.config).is_file():
        docs_dir = settings.docs_dir.strip("/")
    plan_paths = settings.plan_paths or (settings.plans_dir,)
    configured_plans = read_plans(root, plan_paths)[0].keys()
    pages, further_plans = _find_pages_and_plans(settings, docs_dir, configured_plans)
    documents_count, has_folder = 0, False
    if docs_dir != documents:
        has_folder = (root / documents).is_dir()
        documents_count = len(files_below(root / documents, ""))
    plans = len(configured_plans) + len(further_plans)
    if not (plans or pages or documents_count):
        return Survey(docs_dir or "docs", has_documents_folder=has_folder)
    summary = f"{_describe_pages(pages)}, {plain_text.count(plans, 'plan')}"
    if documents_count:
        summary += f", {plain_text.count(documents_count, 'document')} in {documents}/ to search"
    click.echo(f"found: {summary}")
    other_paths = _plan_paths(root, further_plans)
    if other_paths and configured_plans:
        other_paths = [*plan_paths, *other_paths]
    docs_dir = docs_dir or _docs_dir(root, pages)
    has_documents = bool(documents_count)
    return Survey(docs_dir, len(pages), plans, tuple(other_paths), has_documents, has_folder)


def _find_pages_and_plans(
    settings: Settings, docs_dir: str | None, configured_plans: Set[str]
) -> tuple[list[str], set[str]]:
    """Return the pages of a folder, and its plans without those that `plans_dir` names."""
    root, documents = settings.root, documents_folder(settings)
    files = _markdown_below(root)
    plans = {uri for uri in files - configured_plans if _is_plan(root / uri, uri)}
    if docs_dir and (root / settings.config).is_file():  # it says where the pages are
        docs = root / docs_dir
        paths = markdown_files(docs)
        files = {f"{docs_dir}/{path.relative_to(docs).as_posix()}" for path in paths}
    if docs_dir != documents:  # documents are sources, not pages
        files = {uri for uri in files if not uri.startswith(f"{documents}/")}
        plans = {uri for uri in plans if not uri.startswith(f"{documents}/")}
    pages = [
        uri for uri in sorted(files - configured_plans - plans) if not _is_about_repository(uri)
    ]
    return pages, plans


def _markdown_below(root: Path) -> set[str]:
    """Return the Markdown files of a folder that are somebody's own, by path from there."""
    uris = {path.relative_to(root).as_posix() for path in markdown_files(root) if path.exists()}
    return {uri for uri in uris if _FOREIGN_FOLDERS.isdisjoint(uri.split("/"))}


def _is_plan(path: Path, uri: str) -> bool:
    """Return whether a file has PARTs."""
    return bool(find_plan_in_page(path.read_bytes(), uri, ""))


def _is_about_repository(uri: str) -> bool:
    """Return whether a file has the name of one about a repository."""
    return PurePosixPath(uri).stem.lower() in _REPOSITORY_FILES


def _count_by_folder(pages: Sequence[str]) -> Counter[str]:
    """Return the number of pages in each folder at the top, and in `.` beside them."""
    return Counter(uri.split("/")[0] if "/" in uri else "." for uri in pages)


def _describe_pages(pages: Sequence[str]) -> str:
    """Return the number of pages, and those of the three largest folders."""
    total = plain_text.count(len(pages), "page")
    if not pages:
        return total
    largest = _count_by_folder(pages).most_common(3)
    where = ", ".join(f"{page_count} in {folder}" for folder, page_count in largest)
    return f"{total} ({where})"


def _docs_dir(root: Path, pages: Sequence[str]) -> str:
    """Return the folder of the pages.

    That is `docs` or `content`, or else the one that holds most of them.
    """
    folders = _count_by_folder(pages)
    if not folders:
        return "docs"
    usual = {name: folders[name] for name in ("docs", "content") if folders[name]}
    if usual:
        return max(usual, key=usual.__getitem__)
    top, page_count = folders.most_common(1)[0]
    is_most = page_count * 2 > len(pages)
    is_vault = (root / ".obsidian").is_dir()
    if top == "." or is_vault or not is_most:
        defect = f"the pages of {root} are not in one folder, as MkDocs needs them"
        fix = "name their folder with --docs-dir, or take this one, from the folder above"
        command = f"planbook init --docs-dir {shlex.quote(root.resolve().name)} .."
        raise click.ClickException(f"{defect}; {fix}: `{command}`")
    folders_of_pages = [posixpath.dirname(uri) for uri in pages if uri.startswith(f"{top}/")]
    return posixpath.commonpath(folders_of_pages)


def _plan_paths(root: Path, plans: Set[str]) -> list[str]:
    """Return folders, patterns and files for `plans_dir` that name `plans`.

    They name hardly any other file.
    """
    chosen: dict[str, None] = {}
    for uri in sorted(plans):
        if any(uri.startswith(f"{folder}/") for folder in chosen):
            continue
        fitting = (form for form in _forms_of(uri) if _names_plans(root, plans, form))
        chosen[next(fitting, uri)] = None
    return list(chosen)


def _forms_of(uri: str) -> Iterator[str]:
    """Yield what could name a plan and those like it: its folder, or `specs/*/tasks.md`."""
    path = PurePosixPath(uri)
    is_main = path.name in MAINS and len(path.parts) > 2
    folder = path.parent.parent if is_main else path.parent
    if folder.name:
        yield folder.as_posix()
    if is_main:
        yield f"{folder}/*/{path.name}"


def _names_plans(root: Path, plans: Set[str], form: str) -> bool:
    """Return whether a value of `plans_dir` names plans, and hardly any other file."""
    plan_paths = read_plans(root, (form,))[0].keys()
    # In folders of spec-kit, `plan.md` is a text, and `tasks.md` beside it is the plan.
    other_paths = [
        uri for uri in plan_paths - plans if uri.removesuffix("plan.md") + "tasks.md" not in plans
    ]
    is_folder_of_plans = PurePosixPath(form.partition("/*/")[0]).name == "plans"
    return len(other_paths) * 4 <= len(plan_paths) if is_folder_of_plans else not other_paths
