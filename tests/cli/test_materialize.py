"""`planbook materialize` as a shell sees it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planbook.cli import main
from planbook.library import RESERVED_URIS
from planbook_cache.disk import CACHE_DIR
from tests.plugin.cited import cited_site
from tests.plugin.conftest import command, hashes


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with pages of every kind."""
    return cited_site(tmp_path / "project")


def sources(root: Path) -> dict[str, str]:
    """The project's files with their hashes, without the cache, which every command may write."""
    return {uri: digest for uri, digest in hashes(root).items() if not uri.startswith(f"{CACHE_DIR}/")}


def materialize(folder: Path, root: Path, *options: str) -> Result:
    """The command."""
    return CliRunner().invoke(main, ["materialize", str(folder), "--root", str(root), *options])


@pytest.mark.parametrize("options", [["--index", "_index.md"], pytest.param([], marks=pytest.mark.nightly)])
def test_two_runs_are_the_same(tmp_path: Path, root: Path, options: list[str]) -> None:
    """Byte for byte, in another folder, and in another process with another order of sets; a third writes nothing."""
    before = sources(root)
    one, other = tmp_path / "one", tmp_path / "other"
    assert materialize(one, root, *options).exit_code == 0
    arguments = [command("planbook"), "materialize", str(other), "--root", str(root), *options]
    subprocess.run(arguments, check=True, capture_output=True, timeout=120)
    assert hashes(one) == hashes(other)
    again = materialize(one, root, *options)
    assert again.output.endswith("; 0 written, 0 removed\n")
    assert sources(root) == before


def test_the_tree_holds_every_page_and_file(tmp_path: Path, root: Path) -> None:
    """Pages, placeholders, INDEX pages, progress, Sources, data and assets; nothing excluded or hidden."""
    (root / "docs" / ".hidden.svg").write_text("x")
    done = materialize(tmp_path / "tree", root)
    names = set(hashes(tmp_path / "tree"))
    files = names - {".planbook-tree.json"}
    pages = {name for name in files if name.endswith(".md")}
    said = f"{len(pages)} pages and {len(files - pages)} other files; {len(files)} written, 0 removed"
    assert done.output == f"{tmp_path / 'tree'}: {said}\n"
    assert len(files - pages) == 5
    assert set(RESERVED_URIS) <= pages
    assert {"index.md", "old/index.md", "harm/index.md"} <= names
    assert {"progress.json", "progress.schema.json", "references.bib", "references.json", "assets/oats.svg"} <= names
    assert {"bread/13-barley.md", "bread/12-oats.md", "about.md", ".planbook-tree.json"} <= names
    assert not [name for name in names if "secret" in name or "hidden" in name or "README" in name]
    for page in (tmp_path / "tree").rglob("*.md"):
        assert page.read_text("utf-8").startswith("---\ntitle: "), page


def test_what_is_gone_from_the_project_goes_from_the_tree(tmp_path: Path, root: Path) -> None:
    """Folders that get empty go, too; what someone else put there stays."""
    tree = tmp_path / "tree"
    materialize(tree, root)
    (tree / "hugo.toml").write_text("theirs")
    for path in (root / "docs" / "old").iterdir():
        path.unlink()
    done = materialize(tree, root)
    assert done.exit_code == 0
    assert "2 removed" in done.output
    assert not (tree / "old").exists()
    assert (tree / "hugo.toml").read_text() == "theirs"


def test_other_folders_are_refused(tmp_path: Path, root: Path) -> None:
    """One that someone else filled, without --force; one among the plans and pages, or around them, in any case."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "x.txt").write_text("x")
    done = materialize(theirs, root)
    assert done.exit_code == 1
    assert "is not empty, and was not created by planbook materialize" in done.output
    assert set(hashes(theirs)) == {"x.txt"}
    assert materialize(theirs, root, "--force").exit_code == 0
    assert (theirs / "x.txt").read_text() == "x"
    before = sources(root)
    (tmp_path / "link").symlink_to(root / "docs")
    for folder in (root, root / "docs", root / "docs" / "new", root / "plans", tmp_path, tmp_path / "link" / "x"):
        done = materialize(folder, root, "--force")
        assert done.exit_code == 1, folder
        assert "overlap; choose another folder" in done.output
    assert sources(root) == before


def test_a_page_that_is_not_utf_8_is_told(tmp_path: Path, root: Path) -> None:
    """With its file and line, as a build does; nothing is written."""
    (root / "docs" / "bread" / "21-rose.md").write_bytes("# Bread\n\nà la rose\n".encode("latin-1"))
    done = materialize(tmp_path / "tree", root)
    assert done.exit_code == 1
    assert "docs/bread/21-rose.md:3: byte 0xe0 is not UTF-8" in done.output
    assert not (tmp_path / "tree").exists()


def test_two_pages_at_one_place_are_told(tmp_path: Path, root: Path) -> None:
    """A page that is called as folders' own pages are to be called."""
    (root / "docs" / "old" / "_index.md").write_text("# Mine\n")
    done = materialize(tmp_path / "tree", root, "--index", "_index.md")
    assert done.exit_code == 1
    assert "would both be old/_index.md" in done.output
    assert not (tmp_path / "tree").exists()
