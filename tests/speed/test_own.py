"""Our own site, and one with real plans and pages, are the same with planbook-speed and without it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Once
from tests.plugin.conftest import Record, build, hashes, own_builds, own_site, real_builds, real_site, recorded

pytestmark = pytest.mark.nightly


def plain(root: Path) -> Record:
    """What comes of a strict build of a project without planbook-speed."""
    config = root / "mkdocs.yml"
    config.write_text(re.sub(r"(?m)^  - planbook-speed.*\n", "", config.read_text("utf-8")), "utf-8")
    built = build(root, "--strict")
    assert built.returncode == 0, built.log
    return Record(built.log, hashes(built.site))


def lines(record: Record) -> list[str]:
    """What a build says, but for its folder and its time."""
    return re.sub(r"(directory: |built in ).*", "", record.log).splitlines()


def test_our_own_site(once: Once, tmp_path: Path) -> None:
    """The same comes of our plans and pages, and again without a change, and is said of each build."""
    cold, unchanged = recorded(own_builds(once, "mkdocs"))
    without = plain(own_site(tmp_path))
    assert cold.files == unchanged.files == without.files
    assert lines(cold) == lines(unchanged) == lines(without)


def test_our_own_site_with_the_other_engine(once: Once) -> None:
    """A build without a change is as the cold one, which `tests.plugin.test_own` compares with that of MkDocs."""
    cold, unchanged = recorded(own_builds(once, "properdocs"))
    assert cold.files == unchanged.files
    assert lines(cold) == lines(unchanged)


def test_real_pages(once: Once, shared: Path, tmp_path: Path) -> None:
    """Pages by many hands, which planbook fixes and adds to, come out the same, cold and unchanged."""
    cold, unchanged = recorded(real_builds(once, shared))
    without = plain(real_site(tmp_path, shared))
    assert cold.files == unchanged.files == without.files
    assert lines(cold) == lines(unchanged) == lines(without)
