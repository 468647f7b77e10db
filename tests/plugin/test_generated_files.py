"""Generated files between builds: what is rendered again, and what of the last build stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mkdocs.config import load_config
from mkdocs.structure.files import Files

from planbook.plugin.generated_files import BuildFolder, GeneratedFiles, GroupToMake
from planbook_cache.disk import DiskCache


@contextmanager
def folder_of_build(root: Path) -> Iterator[BuildFolder]:
    """The folder of one build, and its lock, until the build ends."""
    folder = BuildFolder(DiskCache(root / ".cache" / "planbook"), "site")
    try:
        yield folder
    finally:
        folder.release()


def build(root: Path, **texts_by_input: str) -> dict[str, str]:
    """The files of a build: each group is a page that is rendered from its name, and has a text of its own."""
    (root / "docs").mkdir(exist_ok=True)
    config = load_config(config_file=None, site_name="Rye", docs_dir=str(root / "docs"), site_dir=str(root / "site"))
    cache = DiskCache(root / ".cache" / "planbook")
    groups = [
        GroupToMake(name, name, lambda name=name, text=text: [(f"{name}.md", text)])  # type: ignore[misc]
        for name, text in texts_by_input.items()
    ]
    with folder_of_build(root) as folder:
        generated = GeneratedFiles(Files([]), config, folder, cache)
        generated.add_all(groups)
        files = generated.finish()
        return {file.src_uri: file.content_string for file in files}


def test_a_group_with_the_same_inputs_is_not_rendered_again(tmp_path: Path) -> None:
    """Its file is the last build's, whatever it would be rendered to now."""
    assert build(tmp_path, rye="old", ash="old") == {"ash.md": "old", "rye.md": "old"}
    assert build(tmp_path, rye="new", oak="new") == {"oak.md": "new", "rye.md": "old"}


def test_a_file_that_no_group_has_any_more_is_removed(tmp_path: Path) -> None:
    """It is removed from the folder as well as from the site."""
    build(tmp_path, rye="a", ash="b")
    assert build(tmp_path, rye="a") == {"rye.md": "a"}
    assert [path.name for path in tmp_path.rglob("*.md")] == ["rye.md"]


@pytest.mark.parametrize("damage", ["changed", None])
def test_a_file_that_is_not_as_it_was_written_is_rendered_again(tmp_path: Path, damage: str | None) -> None:
    """One that was changed or removed between two builds."""
    build(tmp_path, rye="right")
    (file,) = tmp_path.rglob("rye.md")
    if damage is None:
        file.unlink()
    else:
        file.write_text(damage)
    assert build(tmp_path, rye="right again") == {"rye.md": "right again"}


def test_a_second_build_at_the_same_time_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """It does not write into the files of the first one, and leaves nothing behind."""
    with folder_of_build(tmp_path) as first, folder_of_build(tmp_path) as second:
        assert (first.is_kept, second.is_kept) == (True, False)
        assert first.path != second.path
    assert not second.path.exists()


def test_the_files_of_a_killed_build_are_not_reused(tmp_path: Path) -> None:
    """A build that ended before `commit` may have written half of a file."""
    with folder_of_build(tmp_path) as killed:
        (killed.path / "rye.md").write_text("half")
    with folder_of_build(tmp_path) as after:
        assert list(after.path.iterdir()) == []
