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
    return {path: text.replace("My base", title_of(name)) for path, text in texts.items()}


def title_of(name: str) -> str:
    """Return a name as a title: ``rye-bread`` is *Rye bread*."""
    words = " ".join(re.sub(r"[^\w.+]+|_", " ", name).split()) or "My base"
    return words[0].upper() + words[1:]


def own_place(settings: Settings, name: str) -> str:
    """Return the path of a starter file in this project, whose folders may not have the default names."""
    folder, _, rest = name.partition("/")
    own = {"docs": settings.docs_dir, "plans": settings.plans_dir}.get(folder)
    return settings.config if name == "mkdocs.yml" else f"{own}/{rest}" if own and rest else name
