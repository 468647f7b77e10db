"""Output on a narrow terminal: rows stack, paths stay whole, states are told apart without colour, help fits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planbook.cli.terminal import progress_line
from tests.cli.terminal import on_terminal

PLAN = """# Mills

""" + "".join(
    f"## PART {n}: Create a-folder-of-mills/{n:02}-a-page-with-a-name-of-length.md\n\n"
    f"- [{mark}] PART {n}: Create a-folder-of-mills/{n:02}-a-page-with-a-name-of-length.md{end}\n\n"
    for n, (mark, end) in enumerate(
        [("✓", " (Completed 2026-11-03)"), ("/", " (Failed 2026-11-03: no source)"), (" ", "")], 1
    )
)
"""A PART that is done, one that is partial, and one that is open."""


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the plan."""
    (tmp_path / "mkdocs.yml").write_text("site_name: Mills\nplugins: [planbook]\n", encoding="utf-8")
    for folder in ("docs", "plans"):
        (tmp_path / folder).mkdir()
    (tmp_path / "plans" / "mills.md").write_text(PLAN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(*arguments: str, columns: int = 60) -> str:
    """What the command prints on a terminal of that width, without colours."""
    printed = on_terminal(*arguments, cwd=Path.cwd(), columns=columns)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed).replace("\r\n", "\n")


def test_rows_stack_and_paths_stay_whole(base: Path) -> None:
    """At 60 columns, each page is on a line of its own, and no line is wider than the terminal."""
    lines = shown("status").splitlines()
    for n in (1, 2, 3):
        assert f"    a-folder-of-mills/{n:02}-a-page-with-a-name-of-length.md" in lines
    assert max(map(len, lines)) <= 60


def test_states_are_told_apart_without_colour(base: Path) -> None:
    """Each is named, in the table and in the totals."""
    printed = shown("status", columns=140)
    assert "Marked: 1 done, 1 partial, 1 open." in printed
    assert re.search(r"PART +state +page", printed)


def test_progress_in_a_log_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever asks for none there gets none."""
    with progress_line(pipe_pause_s=0.0) as progress:
        progress("page 1 of 2")
        progress("page 2 of 2")
    with progress_line(pipe_pause_s=600.0) as progress:
        progress("an early page")
    with progress_line() as progress:
        progress("nothing in a log")
    assert capsys.readouterr() == ("", "page 1 of 2\npage 2 of 2\n")
