"""The benchmark measures what it says: sound bases, the same every time, and limits that are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.utils.yaml import yaml_load

from generator.library import link_tree
from generator.problems import Severity, severity
from generator.store import Settings, read_tree
from tests.bench.__main__ import Report
from tests.bench.base import PAGE_BYTES, make_base
from tests.bench.measure import name_of, prepare
from tests.page.outline import commonmark, lists_of
from tests.site.conftest import hashes


def test_a_base_is_sound(tmp_path: Path) -> None:
    """Each page is named by one PART, is about as large as promised, and no Problem is an error."""
    make_base(tmp_path, 12)
    found = link_tree(read_tree(Settings(tmp_path)))
    pages = {page.uri for page in found.pages if page.uri != "index.md"}
    assert len(pages) == 12
    assert sorted(entry.uri for entry in found.entries) == sorted(pages)
    assert not [p for p in found.problems if severity(p.code) is Severity.ERROR]
    for uri in pages:
        text = (tmp_path / "docs" / uri).read_text("utf-8")
        assert PAGE_BYTES <= len(text.encode()) < 1.3 * PAGE_BYTES
        assert len(lists_of(commonmark(text))) > 10


def test_a_base_is_the_same_every_time(tmp_path: Path) -> None:
    """The same numbers give the same bytes; another size gives others."""
    for name, pages in (("a", 7), ("b", 7), ("c", 8)):
        make_base(tmp_path / name, pages)
    assert hashes(tmp_path / "a") == hashes(tmp_path / "b") != hashes(tmp_path / "c")


def test_plain_is_plain(tmp_path: Path) -> None:
    """Neither build has planbook-speed; they differ by planbook alone."""
    prepare(tmp_path, 2)
    plain, ours = (
        yaml_load((tmp_path / f"{name}.yml").read_text("utf-8"))["plugins"] for name in ("plain", "planbook")
    )
    names = [name_of(plugin) for plugin in ours]
    assert "planbook-speed" not in names
    assert [name for name in names if name != "planbook"] == [name_of(plugin) for plugin in plain]
    assert "planbook" in names


def test_an_exceeded_limit_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """It is marked, and remembered for the exit status."""
    report = Report()
    told = []
    for name, value in (("good", 0.04), ("bad", 0.06), ("good again", 0.01)):
        report.ratio(name, value, 0.05)
        told.append(report.is_exceeded)
    assert told == [False, True, True]
    assert [line.endswith("EXCEEDED") for line in capsys.readouterr().out.splitlines()] == [False, True, False]
