"""The programs that parse code: run side by side, once for each block, and only where they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cache import CachedCalls, DiskCache
from generator.rules.languages import Program, find_programs
from generator.rules.registry import Selection, read_selection
from tests.rules.project import PAGE, SOUND, checked

WATER, TIME = "docs/tea/01-water.md", "docs/tea/02-time.md"
OPEN, SOUND_CODE = "\n```sh\nif true; then\n```\n", "\n```sh\necho a\n```\n"


def counting_bash(folder: Path, before: str = "") -> Program:
    """A bash that leaves a line in `folder`/log each time that it runs, and does `before` first."""
    script = folder / "bash"
    script.write_text(f'#!/bin/sh\ncd {folder}\necho ran >> log\n{before}\nexec {find_programs()["shell"].path} "$@"\n')
    script.chmod(0o755)
    return Program(str(script), "1")


def runs(folder: Path) -> int:
    """How often it ran."""
    log = folder / "log"
    return log.read_text().count("ran") if log.exists() else 0


def test_results_are_cached_by_content(tmp_path: Path) -> None:
    """A block is parsed once, wherever it stands, until it or the program changes; what was found stays the same."""
    bash, disk = counting_bash(tmp_path), DiskCache(tmp_path / "cache")
    files = {**SOUND, WATER: PAGE + OPEN + SOUND_CODE, TIME: SOUND[TIME] + OPEN}
    first = checked(files, programs={"shell": bash}, calls=CachedCalls(disk))
    assert runs(tmp_path) == 2
    assert [p.uri for p in first.problems if p.code == "K030"] == [WATER, TIME]
    moved = {**files, WATER: PAGE + "\nMore.\n" + OPEN + SOUND_CODE}
    again = checked(moved, programs={"shell": bash}, calls=CachedCalls(disk))
    assert runs(tmp_path) == 2
    lines = [[p.line for p in found.problems if p.code == "K030"] for found in (first, again)]
    assert lines == [[lines[1][0] - 2, lines[1][1]], lines[1]]
    assert again.code == first.code
    checked(files, programs={"shell": Program(bash.path, "2")}, calls=CachedCalls(disk))
    assert runs(tmp_path) == 4


@pytest.mark.parametrize(
    "selection", [Selection(ignore=("K030",)), Selection(select=("P",)), Selection(files=frozenset({TIME}))]
)
def test_what_is_not_selected_does_not_run(tmp_path: Path, selection: Selection) -> None:
    """No program runs for a code or for a file that is not told."""
    files = {**SOUND, WATER: PAGE + OPEN}
    found = checked(files, selection, {"shell": counting_bash(tmp_path)})
    assert (runs(tmp_path), found.code.checked) == (0, 0)


def test_programs_run_side_by_side(tmp_path: Path) -> None:
    """Of two blocks, each ends only once the other has begun."""
    wait = "for n in $(seq 200); do [ $(wc -l < log) -lt 2 ] || break; sleep 0.05; done; [ $n -lt 200 ] || exit 9"
    found = checked(
        {**SOUND, WATER: PAGE + SOUND_CODE, TIME: SOUND[TIME] + "\n```sh\necho b\n```\n"},
        programs={"shell": counting_bash(tmp_path, wait)},
    )
    assert (runs(tmp_path), found.problems) == (2, ())


def test_a_program_that_dies_is_asked_again(tmp_path: Path) -> None:
    """It is told of, and not cached."""
    bash, disk = counting_bash(tmp_path, "kill -9 $$"), DiskCache(tmp_path / "cache")
    for n in (1, 2):
        found = checked({**SOUND, WATER: PAGE + SOUND_CODE}, programs={"shell": bash}, calls=CachedCalls(disk))
        assert ["bash did not finish" in p.message for p in found.problems] == [True]
        assert runs(tmp_path) == n


def test_nvcc_is_run_where_the_project_asks_for_it() -> None:
    """`programs` names it; another name is refused."""
    assert "cuda" not in find_programs()
    assert read_selection({"programs": ["nvcc"]}).programs == ("nvcc",)
    for wrong in ("nvcc", ["rustc"], [1], [["nvcc"]]):
        with pytest.raises(ValueError, match="`programs` must be a list of nvcc"):
            read_selection({"programs": wrong})
