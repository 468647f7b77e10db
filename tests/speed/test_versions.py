"""Builds with versions of other packages that planbook-speed was not tested with: slower, and the same."""

from __future__ import annotations

import importlib
import os
import shutil
from importlib import metadata
from pathlib import Path

import pytest

from planbook_speed import internals
from tests.speed.conftest import Engine, Site

HIDDEN = {
    "Markdown": ("markdown", "DelimiterProcessor"),
    "Pygments": ("pygments", "html_escape"),
}
"""The module of a package, and a name in it that our replacements need and other releases lack."""


def other_release(folder: Path, name: str, version: str) -> Path:
    """A folder with a package of a version that calls a part of itself by another name."""
    module, part = HIDDEN[name]
    source = Path(str(importlib.import_module(module).__file__)).parent
    shutil.copytree(source, folder / module, ignore=shutil.ignore_patterns("__pycache__"))
    facts = metadata.distribution(name)
    shutil.copytree(Path(str(facts._path)), folder / f"{module}-{version}.dist-info")  # type: ignore[attr-defined]
    installed = facts.version
    replace(folder / f"{module}-{version}.dist-info/METADATA", f"Version: {installed}", f"Version: {version}")
    if name == "Markdown":
        old, new = (", ".join(release.split(".")[:3]) for release in (installed, f"{version}.0"))
        replace(folder / "markdown/__meta__.py", f"__version_info__ = ({old},", f"__version_info__ = ({new},")
    else:
        replace(folder / "pygments/__init__.py", installed, version)
    for path in (folder / module).rglob("*.py"):
        text = path.read_text("utf-8")
        if part in text:
            path.write_text(text.replace(part, f"other_{part}"), "utf-8")
    return folder


def replace(path: Path, old: str, new: str) -> None:
    """Replace a text of a file."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize(
    ("name", "version", "reason"),
    [
        ("Markdown", "3.10.0", "Markdown 3.10 was not tested"),
        ("Pygments", "2.20.0", "Pygments 2.20.0 was not tested"),
        ("Markdown", "", "a part of Python-Markdown or Pygments is missing"),
        ("Pygments", "", "a part of Python-Markdown or Pygments is missing"),
    ],
)
def test_a_release_without_a_part_builds_the_same_site(
    site: Site, tmp_path: Path, name: str, version: str, reason: str
) -> None:
    """Nothing is replaced in a release that was not tested, or that lacks a part, and one line of the log says so."""
    package = other_release(tmp_path / "other", name, version or internals.TESTED[name])
    paths = [os.environ.get("PYTHONPATH", ""), str(package)]
    site.engine = Engine(PYTHONPATH=os.pathsep.join(filter(None, paths)))
    try:
        cold = site.assert_same()
        unchanged = site.assert_same()
        site.write("docs/1.md", "# Another\n\n```python\nx = 1\n```\n")
        edited = site.assert_same()
    finally:
        site.engine.close()
    assert [reason in line for line in cold.untested] == [True]
    assert [*cold.said, *unchanged.said, *edited.said] == []
