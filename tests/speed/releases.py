"""Other releases of packages that planbook-speed builds on: copies of the installed ones, in which parts differ."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.speed.conftest import Engine, Site


def other_release(folder: Path, package: str, changes: Mapping[str, str]) -> None:
    """Make a package in a folder whose modules have other texts than the installed one; what is no code is linked."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    source, unused = Path(spec.origin).parent, dict(changes)
    for path in sorted(source.rglob("*.py")):
        text = path.read_text("utf-8")
        for old, new in changes.items():
            if old in text:
                text = text.replace(old, new)
                unused.pop(old, None)
        copy = folder / package / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, "utf-8")
    assert not unused
    _link_others(source, folder / package)


def _link_others(source: Path, copy: Path) -> None:
    """Link all files and folders of a package that have no copy yet."""
    for path in source.iterdir():
        place = copy / path.name
        if place.is_dir():
            _link_others(path, place)
        elif not place.exists() and path.name != "__pycache__":
            place.symlink_to(path)


@contextlib.contextmanager
def building_with(site: Site, folder: Path, package: str, changes: Mapping[str, str]) -> Iterator[None]:
    """Have a site be built with another release of a package, both ways."""
    other_release(folder, package, changes)
    before, site.engine = site.engine, Engine(PYTHONPATH=path_with(folder))
    try:
        yield
    finally:
        site.engine.close()
        site.engine = before


def path_with(folder: Path) -> str:
    """The path of Python with a folder before all others."""
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))


def assert_same_after_changes(site: Site) -> None:
    """A site is built as without planbook-speed: first, unchanged, and after a page was edited, added and removed."""
    site.assert_same()
    site.assert_same()
    site.write("docs/1.md", "# Another\n\n```python\nx = 1\n```\n\n[Rye](rye/0.md)\n")
    site.assert_same()
    site.write("docs/wheat/9.md", "# Added\n")
    (site.root / "docs/0.md").unlink()
    site.assert_same()
