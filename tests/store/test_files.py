"""Moving files and making lists of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from planbook.store.files import (
    UnwritableError,
    append_work,
    read_work,
    remove_empty_folders,
    remove_unwritten,
    work_path,
    write_atomic,
    write_work,
    writing,
)
from planbook.store.trees import files_below
from tests.files import put


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    """The rest of the file that it was writing goes, and no other file."""
    for name in (".a[1].md.planbook-x1", ".a[1].md.planbook-x2", ".a1.md.planbook-x", "a[1].md", ".a[1].md.other"):
        (tmp_path / name).write_text("")
    remove_unwritten(tmp_path / "a[1].md")
    remove_unwritten(tmp_path / "none" / "a.md")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a1.md.planbook-x", ".a[1].md.other", "a[1].md"]


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With the system's reason and with what to do, whatever writes it."""
    (tmp_path / "a").write_text("a file")
    writes: tuple[Callable[[], object], ...] = (
        lambda: write_atomic(tmp_path / "a" / "b.md", b""),
        lambda: append_work(tmp_path / "a", "log", "line"),
    )
    for write in writes:
        with pytest.raises(UnwritableError, match=r"^\S+/a/\S+: cannot be written \(.+\); .+ the same command again$"):
            write()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_other_errors_of_a_database_stay_what_they_are() -> None:
    """A broken one is no full disk."""
    with pytest.raises(sqlite3.OperationalError, match="syntax error"), writing(Path("a.sqlite")):
        sqlite3.connect(":memory:").execute("no sql")


def test_empty_folders_go(tmp_path: Path) -> None:
    """Up to the first that holds something, and never the top."""
    deep = tmp_path / "plans" / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (tmp_path / "plans" / "a" / "kept.md").write_text("")
    remove_empty_folders(deep, tmp_path / "plans")
    assert [path.name for path in (tmp_path / "plans" / "a").iterdir()] == ["kept.md"]
    (tmp_path / "plans" / "a" / "kept.md").unlink()
    remove_empty_folders(tmp_path / "plans" / "a", tmp_path / "plans")
    assert list((tmp_path / "plans").iterdir()) == []


def test_files_below_are_listed_in_order(tmp_path: Path) -> None:
    """Each has the prefix in front; hidden ones are passed over."""
    put(tmp_path, dict.fromkeys(("b.md", "a/x.png", "a/.hidden", ".git/config"), ""))
    assert files_below(tmp_path, "plans") == ("plans/b.md", "plans/a/x.png")
    assert files_below(tmp_path / "none", "plans") == ()


def test_the_working_folder_is_passed_over_by_git(tmp_path: Path) -> None:
    """Git passes it over whatever is put there first; a log grows by lines."""
    append_work(tmp_path, "logs/a.jsonl", "one")
    append_work(tmp_path, "logs/a.jsonl", "two")
    write_work(tmp_path, "x/y.json", b"{}")
    assert (tmp_path / ".planbook" / ".gitignore").read_text() == "*\n"
    assert read_work(tmp_path, "logs/a.jsonl") == b"one\ntwo\n"
    assert work_path(tmp_path, "x/y.json").read_bytes() == b"{}"
    assert read_work(tmp_path, "none") is None
