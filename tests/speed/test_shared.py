"""Builds that share a cache, and builds with other versions of what renders."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pygments
import pytest

from tests.plugin.conftest import ENVIRONMENT, command, hashes
from tests.speed.conftest import Engine, Site


@pytest.mark.nightly  # by day, `tests.plugin.test_changes` does so with both plugins
def test_two_builds_at_once(site: Site, tmp_path: Path) -> None:
    """Both give what a build alone gives, cold and warm."""
    plain = site.plain()
    for _ in range(2):
        builds = [
            subprocess.Popen(
                [command("mkdocs"), "build", "--quiet", "-f", str(site.root / "speed.yml"), "-d", str(tmp_path / name)],
                env=ENVIRONMENT,
                stderr=subprocess.DEVNULL,
            )
            for name in ("one", "two")
        ]
        assert [build.wait(300) for build in builds] == [0, 0]
        assert hashes(tmp_path / "one") == hashes(tmp_path / "two") == plain.files


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
