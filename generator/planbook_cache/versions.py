"""The version of everything that a kept result depends on besides its arguments."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import platform
from pathlib import Path

DEPENDENCIES = (
    "jinja2",
    "markdown-it-py",
    "markupsafe",
    "msgspec",
    "pyromark",
    "python-frontmatter",
    "pyyaml",
)
"""Packages whose version may change what a cached function returns."""
OWN_PACKAGES = ("planbook_cache", "planbook_speed")
"""Our packages whose code functions of the others run, too."""


@functools.cache
def code_version(package: str) -> str:
    """Return a digest of everything besides arguments that a result of `package` depends on.

    That is the code of the package and of `OWN_PACKAGES`, Python, and `DEPENDENCIES`.
    """
    made = hashlib.sha256(platform.python_version().encode())
    for name in DEPENDENCIES:
        made.update(importlib.metadata.version(name).encode())
    for name in dict.fromkeys((*OWN_PACKAGES, package)):
        for path in sorted(_code_folder(name).rglob("*")):
            if path.suffix == ".py" or path.parent.name == "templates":
                made.update(path.read_bytes())
    return made.hexdigest()


def _code_folder(package: str) -> Path:
    """Return the folder of an importable package. Raises ModuleNotFoundError."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{package} is not a package", name=package)
    return Path(spec.submodule_search_locations[0])
