"""The targets that links and the navigation can have, by the configuration of the site, and defects in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from planbook import store
from planbook.cli import project
from planbook.model import Problem
from planbook.rules.project import LinkTargets, ThemeFiles
from planbook.store.settings import excluded_files, scan_docs
from planbook.views import agents, works
from planbook.views.index import named_pages
from planbook.views.progress import DATA, SCHEMA

_ADD_NO_FILES = frozenset(
    {"planbook", "planbook-speed", "autorefs", "awesome-nav", "awesome-pages", "exclude", "git-authors"}
    | {"git-committers", "git-revision-date", "git-revision-date-localized", "glightbox", "include-markdown"}
    | {"literate-nav", "macros", "meta", "mermaid2", "minify", "mkdocstrings", "redirects", "section-index", "typeset"}
    | {f"{theme}{name}" for theme in ("", "material/") for name in ("search", "tags", "offline", "info", "privacy")}
)
"""Plugins that add no files that a page could link to."""
_GENERATED = re.compile(r"/|[a-z][a-z0-9+.-]*:|(?:progress|reports|sources|tags)\b", re.IGNORECASE)
"""The beginning of paths in the navigation that are not looked up."""


def theme_files(settings: store.Settings) -> ThemeFiles | None:
    """Return the files that pages of a Material site can name; ``None`` for another theme."""
    material = find_spec("material") if settings.theme.get("name") == "material" else None
    if material is None or not material.submodule_search_locations:
        return None
    folders = [Path(folder) / "templates" for folder in material.submodule_search_locations]
    folders += [settings.root / str(own)] if (own := settings.theme.get("custom_dir")) else []
    has_tags = bool({"tags", "material/tags"} & set(settings.plugins))
    return ThemeFiles(lambda path: any((folder / path).is_file() for folder in folders), has_tags)


def link_targets(settings: store.Settings, pages: Mapping[str, bytes]) -> LinkTargets:
    """Return what links can lead to, as far as a strict build stops if they do not."""
    folder, level, theme = settings.root / settings.docs_dir, settings.validation.get, theme_files(settings)
    may_be_added = bool(settings.hooks) or not set(settings.plugins) <= _ADD_NO_FILES
    is_reported = level("not_found", "warn") == "warn" and not may_be_added
    made = {agents.LLMS, DATA, SCHEMA, works.BIB, works.JSON}
    scan = scan_docs(settings)

    def has_file(path: str) -> bool:
        if not is_reported or path in made:
            return True
        if path.startswith("../"):
            return False
        is_published = (folder / path).is_file() and not scan.has_skipped(path)
        return is_published or bool(theme and theme.has(path))

    return LinkTargets(
        has_file,
        is_reported,
        settings.plugin_options.get("fix_pages") is not False,
        _pages_in_nav(settings),
        pages if level("anchors") == "warn" else {},
        lambda: scan.files,
    )


def _pages_in_nav(settings: store.Settings) -> dict[str, Problem]:
    """Return the Problem of each page in the navigation, if it does not exist; none for pages that may be generated."""
    levels = settings.validation.get("nav")
    if isinstance(levels, dict) and levels.get("not_found", "warn") != "warn":
        return {}
    what = "is in `nav`, but does not exist; correct the path"
    return {
        value: Problem(settings.config, _line_of(settings, value), "K023", f"{value} {what}")
        for value in named_pages(settings.nav)
        if value.endswith(".md") and not _GENERATED.match(value)
    }


def missing_hooks(settings: store.Settings) -> Iterator[Problem]:
    """Yield K005 for each of the `hooks` that does not exist, at which MkDocs stops."""
    for name in settings.hooks:
        if not (settings.root / name).is_file():
            what = f"the script {name} under `hooks` does not exist; correct the path"
            yield Problem(settings.config, _line_of(settings, name), "K005", what)


def second_pages(settings: store.Settings) -> Iterator[Problem]:
    """Yield K003 for each README.md beside an index.md, which MkDocs leaves out with a warning."""
    excluded, docs = excluded_files(settings), settings.docs_dir.strip("/")
    uris = {uri for uri in scan_docs(settings).files if not excluded.match_file(uri)}
    for uri in sorted(uris):
        if uri.endswith("README.md") and f"{uri.removesuffix('README.md')}index.md" in uris:
            what = "MkDocs leaves this page out, as there is an index.md beside it; rename or remove one of them"
            yield Problem(f"{docs}/{uri}", 1, "K003", what)


def _line_of(settings: store.Settings, value: str) -> int:
    """Return the line of the configuration that names `value` first."""
    text = project.old_text(settings.root / settings.config) or ""
    return text.count("\n", 0, max(text.find(value), 0)) + 1
