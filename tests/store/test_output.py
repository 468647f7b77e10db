"""A folder that is all ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.store.output import MARKER, NotOursError, write_owned


def files_in(folder: Path) -> dict[str, bytes]:
    """Each file below the folder, but for the list."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != MARKER)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_new_folder_holds_what_was_given(tmp_path: Path) -> None:
    """All of it, and a second run writes nothing."""
    files = {"a.md": b"A\n", "b/c.md": b"C\n"}
    assert write_owned(tmp_path / "out", files) == (2, 0)
    assert files_in(tmp_path / "out") == files
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    assert write_owned(tmp_path / "out", files) == (0, 0)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before


NAMES = st.sampled_from(["a.md", "b/a.md", "b/c/a.md", "d.svg", "b/d.md"])
TREES = st.dictionaries(NAMES, st.binary(max_size=3), max_size=4)


@given(st.lists(TREES, min_size=1, max_size=4))
def test_only_the_last_run_counts(tmp_path_factory: pytest.TempPathFactory, runs: list[dict[str, bytes]]) -> None:
    """Whatever ran before, the folder holds what the last run was given, its list too, and no empty folder."""
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    for run in runs:
        write_owned(one, run)
    write_owned(other, runs[-1])
    assert files_in(one) == files_in(other) == runs[-1]
    assert (one / MARKER).read_bytes() == (other / MARKER).read_bytes()
    assert [path for path in one.rglob("*") if path.is_dir() and not any(path.iterdir())] == []


def test_a_folder_of_someone_else_is_refused(tmp_path: Path) -> None:
    """Nothing in it changes; with force it is written into, and what is theirs stays."""
    (tmp_path / "theirs.txt").write_text("theirs")
    with pytest.raises(NotOursError, match=r"is not empty, .*--force"):
        write_owned(tmp_path, {"a.md": b"A"})
    assert files_in(tmp_path) == {"theirs.txt": b"theirs"}
    write_owned(tmp_path, {"a.md": b"A"}, force=True)
    write_owned(tmp_path, {})
    assert files_in(tmp_path) == {"theirs.txt": b"theirs"}


def test_a_file_of_someone_else_stays(tmp_path: Path) -> None:
    """Beside ours it is left alone; where ours would go it is refused, before anything is written."""
    write_owned(tmp_path, {"a.md": b"A"})
    (tmp_path / "b.md").write_text("theirs")
    write_owned(tmp_path, {"a.md": b"B"})
    with pytest.raises(NotOursError, match=r"b\.md exists, and Planbook did not write it"):
        write_owned(tmp_path, {"a.md": b"C", "b.md": b"C"})
    assert files_in(tmp_path) == {"a.md": b"B", "b.md": b"theirs"}
    write_owned(tmp_path, {"b.md": b"C"}, force=True)
    assert files_in(tmp_path) == {"b.md": b"C"}


@pytest.mark.parametrize("path", ["../x.md", "a/../../x.md", "/tmp/x.md", "", ".", "a\\..\\x.md", "a/\0.md"])  # noqa: S108
def test_no_path_leaves_the_folder(tmp_path: Path, path: str) -> None:
    """Neither one that is given nor one that a list names, which anybody may have written."""
    out = tmp_path / "out"
    with pytest.raises(NotOursError, match="is not in"):
        write_owned(out, {path: b"x"})
    out.mkdir()
    (out / MARKER).write_text(json.dumps({"files": [path]}))
    (tmp_path / "x.md").write_text("theirs")
    with pytest.raises(NotOursError, match="is not in"):
        write_owned(out, {})
    assert (tmp_path / "x.md").read_text() == "theirs"


@pytest.mark.parametrize("force", [False, True])
def test_no_link_leads_out_of_the_folder(tmp_path: Path, *, force: bool) -> None:
    """A link to a folder or file elsewhere is refused, when files are written and when they are removed."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.md").write_text("theirs")
    out = tmp_path / "out"
    write_owned(out, {"b/a.md": b"A", "c.md": b"C"})
    (out / "b/a.md").unlink()
    (out / "b").rmdir()
    (out / "b").symlink_to(tmp_path / "elsewhere")
    for files in ({"b/a.md": b"x"}, {}):
        with pytest.raises(NotOursError, match="is a link"):
            write_owned(out, files, force=force)
    (out / "b").unlink()
    (out / "c.md").unlink()
    (out / "c.md").symlink_to(tmp_path / "elsewhere/a.md")
    with pytest.raises(NotOursError, match="is a link"):
        write_owned(out, {"c.md": b"x"}, force=force)
    assert (tmp_path / "elsewhere/a.md").read_text() == "theirs"


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    """A folder where a file goes, a file where a folder goes, a file in the place of the folder itself."""
    out = tmp_path / "out"
    write_owned(out, {"a.md": b"A"})
    (out / "b.md").mkdir()
    with pytest.raises(NotOursError, match=r"b\.md is not a file"):
        write_owned(out, {"b.md": b"B"})
    with pytest.raises(NotOursError, match=r"a\.md is not a folder"):
        write_owned(out, {"a.md/b.md": b"B"})
    with pytest.raises(NotOursError, match="is not empty"):
        write_owned(out / "a.md", {"b.md": b"B"})


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"files": 1}', '{"files": [1]}', "\xff"])
def test_a_list_that_is_none_is_told(tmp_path: Path, text: str) -> None:
    """Nothing is removed by it."""
    (tmp_path / MARKER).write_bytes(text.encode("latin-1"))
    with pytest.raises(NotOursError, match=r"planbook-tree\.json"):
        write_owned(tmp_path, {"a.md": b"A"})


def test_a_killed_run_is_gone_on_with(tmp_path: Path) -> None:
    """What it had listed but not written, or written but not removed, is set right by the next run."""
    write_owned(tmp_path, {"a.md": b"A", "b.md": b"B"})
    listed = {"maker": "planbook materialize", "files": ["a.md", "b.md", "c.md"]}
    (tmp_path / MARKER).write_text(json.dumps(listed))
    (tmp_path / "b.md").unlink()
    assert write_owned(tmp_path, {"c.md": b"C"}) == (1, 2)
    assert files_in(tmp_path) == {"c.md": b"C"}


def test_two_names_of_one_file_are_told(tmp_path: Path) -> None:
    """A file system that takes INDEX.md and index.md for one file would lose one of them."""
    write_owned(tmp_path, {"INDEX.md": b"A", "index.md": b"B"})
    (tmp_path / "index.md").unlink()
    (tmp_path / "index.md").hardlink_to(tmp_path / "INDEX.md")  # what such a file system looks like from here
    with pytest.raises(NotOursError, match=r"index\.md and INDEX\.md are one file on this file system; .* README\.md"):
        write_owned(tmp_path, {"INDEX.md": b"A", "index.md": b"B"})
