"""The targets of links and of the navigation, by the site's configuration, and defects in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from planbook import store
from planbook.cli import index_files
from planbook.model import Problem
from planbook.rules.project import LinkTargets, ThemeFiles
from planbook.store.trees import excluded_files, scan_docs
from planbook.views import agents
from planbook.views.bibliography import works
from planbook.views.navigation import named_pages
from planbook.views.progress import DATA, SCHEMA

_ADD_NO_FILES = frozenset(
    {
        "planbook",
        "planbook-speed",
        "autorefs",
        "awesome-nav",
        "awesome-pages",
        "exclude",
        "git-authors",
        "git-committers",
        "git-revision-date",
        "git-revision-date-localized",
        "glightbox",
        "include-markdown",
        "literate-nav",
        "macros",
        "meta",
        "mermaid2",
        "minify",
        "mkdocstrings",
        "redirects",
        "section-index",
        "typeset",
        "info",
        "material/info",
        "offline",
        "material/offline",
        "privacy",
        "material/privacy",
        "search",
        "material/search",
        "tags",
        "material/tags",
    }
)
"""Plugins that add no files that a page could link to."""
_GENERATED_PATH = re.compile(
    r"/|[a-z][a-z0-9+.-]*:|(?:progress|reports|sources|tags)\b", re.IGNORECASE
)
"""The beginning of paths in the navigation that are not looked up."""


def theme_files(settings: store.Settings) -> ThemeFiles | None:
    """Return the files that pages of a Material site can name; ``None`` for another theme."""
    material = find_spec("material") if settings.theme.get("name") == "material" else None
    if material is None or not material.submodule_search_locations:
        return None
    folders = [Path(folder) / "templates" for folder in material.submodule_search_locations]
    custom_dir = settings.theme.get("custom_dir")
    if custom_dir:
        folders.append(settings.root / str(custom_dir))

    def has_file(path: str) -> bool:
        """Return whether the theme or the project's overrides have a file."""
        return any((folder / path).is_file() for folder in folders)

    has_tags = not {"tags", "material/tags"}.isdisjoint(settings.plugins)
    return ThemeFiles(has_file, has_tags)


def link_targets(settings: store.Settings, pages: Mapping[str, bytes]) -> LinkTargets:
    """Return what links can lead to, as far as a strict build stops if they do not."""
    folder = settings.root / settings.docs_dir
    theme = theme_files(settings)
    scan = scan_docs(settings)
    generated = {agents.LLMS, DATA, SCHEMA, works.BIB, works.JSON}
    # Hooks and unknown plugins may add any file to the site.
    may_be_added = bool(settings.hooks) or not _ADD_NO_FILES.issuperset(settings.plugins)
    is_reported = settings.validation.get("not_found", "warn") == "warn" and not may_be_added
    has_strict_anchors = settings.validation.get("anchors") == "warn"

    def has_file(path: str) -> bool:
        """Return whether the site has a file, or may have it."""
        if not is_reported or path in generated:
            return True
        if path.startswith("../"):
            return False
        is_published = (folder / path).is_file() and not scan.has_skipped(path)
        return is_published or bool(theme and theme.has(path))

    return LinkTargets(
        has_file,
        is_reported,
        settings.plugin_options.get("fix_pages") is not False,
        _missing_in_nav(settings),
        pages if has_strict_anchors else {},
        lambda: scan.files,
    )


def _missing_in_nav(settings: store.Settings) -> dict[str, Problem]:
    """Return the Problem that each page in the navigation is, if it does not exist.

    Pages that may be generated have none.
    """
    levels = settings.validation.get("nav")
    if isinstance(levels, dict) and levels.get("not_found", "warn") != "warn":
        return {}
    defect = "is in `nav`, but does not exist; correct the path"
    return {
        value: Problem(
            settings.config, _line_in_configuration(settings, value), "K023", f"{value} {defect}"
        )
        for value in named_pages(settings.nav)
        if value.endswith(".md") and not _GENERATED_PATH.match(value)
    }


def missing_hooks(settings: store.Settings) -> Iterator[Problem]:
    """Yield K005 for each of the `hooks` that does not exist, at which MkDocs stops."""
    for name in settings.hooks:
        if not (settings.root / name).is_file():
            defect = f"the script {name} under `hooks` does not exist; correct the path"
            yield Problem(settings.config, _line_in_configuration(settings, name), "K005", defect)


def missing_plan_folders(settings: store.Settings) -> Iterator[Problem]:
    """Yield K005 for each path of `plans_dir` that names no folder, at which a build stops."""
    line = settings.plugin_lines.get("plans_dir", 1)
    for path in store.missing_plans(settings.root, settings.plan_paths):
        defect = f"`plans_dir` {path!r} is not a folder next to {settings.config}"
        yield Problem(settings.config, line, "K005", f"{defect}; create it, or set another one")


def second_pages(settings: store.Settings) -> Iterator[Problem]:
    """Yield K003 for each README.md beside an index.md, which MkDocs leaves out with a warning."""
    excluded = excluded_files(settings)
    docs = settings.docs_dir.strip("/")
    uris = {uri for uri in scan_docs(settings).files if not excluded.match_file(uri)}
    defect = "MkDocs leaves this page out, as there is an index.md beside it"
    for uri in sorted(uris):
        if uri.endswith("README.md") and f"{uri.removesuffix('README.md')}index.md" in uris:
            yield Problem(f"{docs}/{uri}", 1, "K003", f"{defect}; rename or remove one of them")


def _line_in_configuration(settings: store.Settings, value: str) -> int:
    """Return the line of the configuration that names `value` first."""
    text = index_files.old_text(settings.root / settings.config) or ""
    return text.count("\n", 0, max(text.find(value), 0)) + 1
