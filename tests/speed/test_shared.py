"""Builds that share a cache, and builds with other versions of what renders."""

from __future__ import annotations

import os
import shutil
from importlib import metadata
from pathlib import Path

import pygments
import pytest

from tests.speed.conftest import Engine, Site


@pytest.fixture
def other_pygments(tmp_path: Path) -> Path:
    """A folder with a Pygments of another version, which writes another class for names."""
    there = tmp_path / "other"
    shutil.copytree(Path(pygments.__file__).parent, there / "pygments", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(Path(str(metadata.distribution("pygments")._path)), there / "pygments-99.0.dist-info")  # type: ignore[attr-defined]
    for path, old, new in (
        (there / "pygments/__init__.py", pygments.__version__, "99.0"),
        (there / "pygments-99.0.dist-info/METADATA", f"Version: {pygments.__version__}", "Version: 99.0"),
        (there / "pygments/token.py", "'nf',", "'other-name',"),
    ):
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")
    return there


def test_another_version_of_pygments(site: Site, other_pygments: Path) -> None:
    """What one version rendered is not used by a build with another."""
    site.quick()
    first, site.engine = (
        site.engine,
        Engine(PYTHONPATH=os.pathsep.join([os.environ["PYTHONPATH"], str(other_pygments)])),
    )
    try:
        site.assert_same()
        assert 'class="other-name"' in (site.root / "site/1/index.html").read_text("utf-8")
    finally:
        site.engine.close()
    site.engine = first
    site.assert_same()
    assert 'class="other-name"' not in (site.root / "site/1/index.html").read_text("utf-8")
