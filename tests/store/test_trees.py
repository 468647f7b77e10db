"""Reading trees and writing files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from planbook.store import markdown_files, plans_folder, read_plans, read_settings, read_tree, write_atomic
from tests.files import put as put_files


def put(root: Path, *uris: str) -> None:
    """Write each file, with its own path as text."""
    put_files(root, {uri: uri for uri in uris})


def test_plans_and_drops_are_told_apart(tmp_path: Path) -> None:
    """In folders of plans, and in folders that are one plan; only a main file's folder holds other files."""
    put(
        tmp_path,
        *("plans/b.md", "plans/a.md", "plans/README.md", "plans/index.md", "plans/notes.txt", "plans/.hidden.md"),
        *("plans/KNOWLEDGE-DROP-a-2024-05-06.md", "plans/knowledge-drop-b.md", "plans/.git/c.md"),
        *("plans/done/big/ingestion.md", "plans/done/big/notes.md", "plans/done/big/KNOWLEDGE-DROP-big.md"),
        *("plans/done/other/plan.md", "plans/done/loose.md"),
    )
    plans, drops, _ = read_plans(tmp_path, ["plans"])
    assert list(plans) == [
        *("plans/a.md", "plans/b.md", "plans/done/loose.md", "plans/done/big/ingestion.md"),
        "plans/done/other/plan.md",
    ]
    assert list(drops) == [
        *("plans/KNOWLEDGE-DROP-a-2024-05-06.md", "plans/knowledge-drop-b.md"),
        "plans/done/big/KNOWLEDGE-DROP-big.md",
    ]
    assert plans["plans/a.md"] == b"plans/a.md"


def test_plans_of_several_folders_and_patterns(tmp_path: Path) -> None:
    """A pattern names files or folders; a folder with `tasks.md` is one plan, with all that is below it."""
    put(
        tmp_path,
        *("plans/a.md", "plans/tasks.md", "docs/x/plans/b.md", "docs/x/page.md", ".kiro/specs/c/tasks.md"),
        *("specs/001/plan.md", "specs/001/tasks.md", "specs/001/research.md", "specs/001/checklists/d.md"),
        *("work/e/ingestion.md", "work/e/notes/page.md", "work/e/old/plan.md", "notes/f-plan.md", "notes/g.md"),
    )
    paths = ["plans", "docs/*/plans", "specs", "work", "notes/*-plan.md", ".kiro/specs/*/tasks.md"]
    assert list(read_plans(tmp_path, paths)[0]) == [
        *("plans/a.md", "plans/tasks.md", "docs/x/plans/b.md", "specs/001/plan.md", "specs/001/tasks.md"),
        *("work/e/ingestion.md", "work/e/old/plan.md", "notes/f-plan.md", ".kiro/specs/c/tasks.md"),
    ]
    assert [plans_folder(path) for path in paths] == ["plans", "docs", "specs", "work", "notes", ".kiro/specs"]


def test_a_plan_in_the_documentation_is_no_page(tmp_path: Path) -> None:
    """What `plans_dir` names is a plan or drop, not a page; files beside a plan stay pages."""
    put(
        tmp_path,
        *("docs/index.md", "docs/plans/a.md", "docs/plans/KNOWLEDGE-DROP-a.md", "docs/plans/README.md"),
        *("docs/plans/b/plan.md", "docs/plans/b/notes.md"),
    )
    config = "plugins:\n  - planbook:\n      plans_dir: [plans, docs/plans]\n"
    (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
    tree = read_tree(read_settings(tmp_path))
    assert [*tree.plans, *tree.drops] == [
        *("docs/plans/a.md", "docs/plans/b/plan.md", "docs/plans/KNOWLEDGE-DROP-a.md")
    ]
    assert list(tree.pages) == ["index.md", "plans/README.md", "plans/b/notes.md"]


def test_links_are_no_trap(tmp_path: Path) -> None:
    """A link to a folder above and a link to nothing are reported, and not followed."""
    put(tmp_path, "plans/a.md")
    (tmp_path / "plans" / "up").symlink_to(tmp_path)
    (tmp_path / "plans" / "gone.md").symlink_to(tmp_path / "none.md")
    assert [path.name for path in markdown_files(tmp_path / "plans")] == ["a.md"]
    plans, _, unread = read_plans(tmp_path, ["plans"])
    assert list(plans) == ["plans/a.md"]
    assert [(problem.uri, problem.code) for problem in unread] == [("plans/gone.md", "K007"), ("plans/up", "K007")]


@pytest.mark.parametrize("name", ["README.md", "readme.md", "INDEX.md", "SKILL.md"])
def test_files_about_the_folder_are_no_plans(tmp_path: Path, name: str) -> None:
    """What tells of a folder plans nothing."""
    put(tmp_path, name)
    assert read_plans(tmp_path, ["."]) == ({}, {}, ())


@pytest.mark.parametrize(
    ("text", "docs", "plans"),
    [
        ("", "docs", "plans"),
        ("site_name: x\n", "docs", "plans"),
        ("docs_dir: pages\nplugins: [search, planbook]\n", "pages", "plans"),
        ("plugins:\n  - planbook:\n      plans_dir: work\n", "docs", "work"),
        ("plugins:\n  planbook:\n    plans_dir: work\n", "docs", "work"),
        ("plugins:\n  - planbook:\n", "docs", "plans"),
        ("a: !ENV [X, y]\nb: !!python/name:os.system\ndocs_dir: pages\n", "pages", "plans"),
        ("- a list\n", "docs", "plans"),
    ],
)
def test_settings(tmp_path: Path, text: str, docs: str, plans: str) -> None:
    """Read from the configuration in any of its forms; tags that only MkDocs knows run nothing."""
    (tmp_path / "mkdocs.yml").write_text(text)
    settings = read_settings(tmp_path)
    assert (settings.docs_dir, settings.plans_dir) == (docs, plans)


def test_write_atomic(tmp_path: Path) -> None:
    """The content is there with folders made for it, and nothing else; what was there keeps its mode."""
    path = tmp_path / "a" / "b.md"
    write_atomic(path, b"one")
    assert path.read_bytes() == b"one"
    path.chmod(0o640)
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(path.parent) == ["b.md"]  # noqa: PTH208 - hidden files too
