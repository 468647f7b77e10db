"""A verbose build says why the pages that planbook generates were generated again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from mkdocs.config import load_config
from mkdocs.structure.files import Files

from planbook.plugin.generated_files import BuildFolder, GeneratedFiles, GroupToMake, WhyRendered
from planbook_cache.disk import DiskCache
from tests.files import put
from tests.plugin.conftest import copied_site
from tests.speed.conftest import Engine

PLAN, OATS = "plans/bread.md", "docs/bread/12-oats.md"


@pytest.fixture(scope="module")
def builds() -> Iterator[Engine]:
    """A process that builds."""
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture
def root(tmp_path: Path, builds: Engine) -> Path:
    """The small complete site, built."""
    root = copied_site(tmp_path / "base")
    config = yaml.safe_load((root / "mkdocs.yml").read_text("utf-8"))
    put(root, {"mkdocs.yml": yaml.safe_dump(config | {"plugins": ["search", "planbook"], "hooks": []})})
    builds.build(root / "mkdocs.yml", root / "site")
    return root


def rename_plan(root: Path) -> None:
    """Change the title of a plan."""
    put(root, {PLAN: (root / PLAN).read_text("utf-8").replace("# The bread plan", "# The loaf plan")})


def change_title(root: Path) -> None:
    """Change the title of a page."""
    lines = (root / OATS).read_text("utf-8").splitlines()
    put(root, {OATS: "\n".join(["# Groats" if line.startswith("# ") else line for line in lines])})


def alter(root: Path) -> None:
    """Change a generated file."""
    folder = next(path for path in (root / ".cache/planbook/generated").iterdir() if path.is_dir())
    (folder / "INDEX.md").write_text("# Altered\n", "utf-8")


CHANGES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "plan": (rename_plan, "progress.md", f"changed: {PLAN}"),
    "page": (change_title, "INDEX.md", "changed: bread/12-oats.md"),
    "file": (alter, "INDEX.md", WhyRendered.NOT_INTACT.value),
    "new": (
        lambda root: put(root, {"plans/cakes.md": "# C\n\n## PART 1: Create cake/a.md\n"}),
        "cake/a.md",
        WhyRendered.NEW.value,
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_input_is_named(root: Path, builds: Engine, change: str) -> None:
    """Files by their paths, and what is no file by its name."""
    act, uri, expected = CHANGES[change]
    act(root)
    outcome = builds.build(root / "mkdocs.yml", root / "site", "-v")
    pairs = [line.partition(": generated again: ") for line in outcome.log if ": generated again: " in line]
    reasons = {left.rpartition("planbook: ")[2]: reason for left, _, reason in pairs}
    assert len(reasons) == len(pairs)
    assert reasons[uri] == expected, reasons
    assert WhyRendered.UNNAMED.value not in reasons.values(), reasons


def test_a_value_without_a_digest_and_one_without_a_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Both are said, and not that nothing has changed."""
    caplog.set_level(logging.DEBUG)
    (tmp_path / "docs").mkdir()
    cache = DiskCache(tmp_path / ".cache")
    config = load_config(
        config_file=None, site_name="Rye", docs_dir=str(tmp_path / "docs"), site_dir=str(tmp_path / "site")
    )
    for value in ("a", "b"):
        folder = BuildFolder(cache, "site")
        generated = GeneratedFiles(Files([]), config, folder, cache)
        groups = [
            GroupToMake("rye", value, lambda: [("rye.md", "# R")]),
            GroupToMake("oat", object(), lambda: [("o.md", "")]),
        ]
        generated.add_all(groups)
        generated.finish()
        folder.release()
    said = [record.getMessage().partition(": generated again: ")[2] for record in caplog.records]
    expected = [WhyRendered.NEW, WhyRendered.NO_DIGEST, WhyRendered.UNNAMED, WhyRendered.NO_DIGEST]
    assert [text for text in said if text] == [reason.value for reason in expected]
