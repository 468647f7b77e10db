"""The kinds of changes between two builds of a site."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.files import put
from tests.install.neighbours.projects import SITE, Neighbour

SETTINGS = "settings.json"
"""Options of MkDocs, as a change may set them."""
TEMPLATE = SITE["theme/main.html"].replace("config.extra.data }}", "config.extra.data }} 2")


def make(root: Path, neighbour: Neighbour) -> None:
    """Make the project of a row."""
    shutil.rmtree(root, ignore_errors=True)
    put(root, {**SITE, **neighbour.files, SETTINGS: json.dumps({"site_name": "S"}), ".gitignore": "site-*\n.cache\n"})


def with_option(root: Path, _: Neighbour) -> None:
    """Change an option of MkDocs."""
    settings = json.loads((root / SETTINGS).read_text("utf-8"))
    put(root, {SETTINGS: json.dumps(settings | {"site_name": "Other"})})


def edit_hook(root: Path, _: Neighbour) -> None:
    """Change the code of a hook."""
    for path in root.glob("hook.py"):
        path.write_text(path.read_text("utf-8") + "\n# edited\n", "utf-8")


CHANGES: dict[str, Callable[[Path, Neighbour], object]] = {
    "cold": lambda *_: None,
    "unchanged": lambda *_: None,
    "page": lambda root, _: put(root, {"docs/a.md": "# A2\n\nOther *words*, and `code`.\n"}),
    "include": lambda root, _: put(root, {"part.txt": "Another part.\n"}),
    "template": lambda root, _: put(root, {"theme/main.html": TEMPLATE}),
    "data": lambda root, neighbour: put(root, {"data.txt": "more data\n", **neighbour.data}),
    "hook": edit_hook,
    "option": with_option,
    "static": lambda root, _: put(root, {"docs/image.svg": SITE["docs/image.svg"].replace("/>", " />")}),
    "delete": lambda root, _: (root / "docs/b/d.md").unlink(),
    "rename": lambda root, _: (root / "docs/b/c.md").rename(root / "docs/b/e.md"),
}
"""By name, in their order."""
