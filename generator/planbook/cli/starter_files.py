"""The files of a new project, and their places in one whose folders have other names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files as resources

from planbook.store import (
    Settings,
)
from planbook.store.files import REPORT

WORKFLOW = ".github/workflows/pages.yml"
"""Publishes the site to GitHub Pages."""


EXAMPLE = "Brewing tea"
"""The subject of the example, which names a site whose folder does not."""
_GENERIC_FOLDERS = frozenset(
    [
        "base",
        "book",
        "code",
        "data",
        "demo",
        "docs",
        "example",
        "knowledge",
        "knowledge-base",
        "main",
        "new",
        "notes",
        "off",
        "planbook",
        "project",
        "repo",
        "research",
        "site",
        "sites",
        "src",
        "starter",
        "start",
        "temp",
        "test",
        "tests",
        "tmp",
        "web",
        "website",
        "wiki",
        "work",
        "workspace",
    ]
)
"""Names of folders that say nothing of what is in them."""
_MIN_LETTERS = 3


def starter_files(name: str, *, has_example: bool = True) -> Mapping[str, str]:
    """Return the files of a new project by their usual paths.

    `name` is that of its folder, which names the site if it says what the base is about.
    """
    folder = resources("planbook.cli") / "starter"
    documents = sorted(f"documents/{file.name}" for file in (folder / "documents").iterdir())
    sources = {
        "mkdocs.yml": "mkdocs.yml",
        "docs/index.md": "home.md",
        "plans/tea.md": "plan.md",
        "docs/tea/01-water.md": "page.md",
        "docs/tea/03-pot.md": "pot.md",
        **{path: path for path in documents},
        REPORT: "verify.json",
        ".gitignore": "gitignore",
        WORKFLOW: "pages.yml",
    }
    texts = {}
    for path, source in sources.items():
        text = folder.joinpath(source).read_text(encoding="utf-8")
        texts[path] = text.replace("My base", _site_name(name, has_example))
    return texts


def title_of(name: str) -> str:
    """Return a name as a title: ``rye-bread`` is *Rye bread*."""
    words = " ".join(re.sub(r"[^\w.+]+|_", " ", name).split())
    return words[:1].upper() + words[1:]


def _site_name(folder: str, has_example: bool) -> str:
    """Return the name of the site in a folder.

    That of the folder, but for such as ``st`` or ``docs``; else that of the example.
    """
    title = title_of(folder)
    has_letters = len(re.findall(r"[^\W\d_]", title)) >= _MIN_LETTERS
    if has_letters and folder.lower() not in _GENERIC_FOLDERS:
        return title
    return EXAMPLE if has_example else "Handbook"


def place_in_project(settings: Settings, name: str) -> str:
    """Return the path of a starter file in this project.

    Its folders may not have the default names.
    """
    if name == "mkdocs.yml":
        return settings.config
    folder, _, rest = name.partition("/")
    configured_folder = {"docs": settings.docs_dir, "plans": settings.plans_dir}.get(folder)
    return f"{configured_folder}/{rest}" if configured_folder and rest else name
