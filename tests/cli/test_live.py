"""The progress of a run: what its events say, and what a terminal shows of it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from planbook.cli.live import RunProgress, format_elapsed
from planbook.research.recording.events import Event
from tests.files import put
from tests.research.expand.small_base import CONFIG, DOCUMENTS, PLAN

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def event(name: str, part: str = "", **details: object) -> Event:
    """An event of a PART."""
    return Event(name, "", part, "", details)


def test_the_block_says_what_each_part_does() -> None:
    """Totals first; then each PART's step, since when, and the host that it waits for in this step."""
    progress = RunProgress(100.0)
    progress.take(event("RunStarted", pages=3), 100.0)
    progress.take(event("PartStarted", "tea PART 1"), 101.0)
    assert progress.lines(102.5) == ["0 of 3 pages, 1 in work, 2 waiting; 2 s", "  tea PART 1: starting 1 s"]
    progress.take(event("StageStarted", "tea PART 1", stage="fetch"), 110.0)
    progress.take(event("HostRequest", "tea PART 1", host="leaf.example"), 111.0)
    progress.take(event("PartStarted", "tea PART 2"), 112.0)
    assert progress.lines(118.0) == [
        "0 of 3 pages, 2 in work, 1 waiting; 18 s",
        "  tea PART 1: fetch 8 s, waiting for leaf.example",
        "  tea PART 2: starting 6 s",
    ]
    progress.take(event("StageStarted", "tea PART 1", stage="extract"), 120.0)
    progress.take(event("PageRecorded", "tea PART 2"), 121.0)
    assert progress.lines(225.0) == [
        "1 of 3 pages, 1 in work, 1 waiting; 2 min 5 s",
        "  tea PART 1: extract 1 min 45 s",
    ]
    assert progress.position == "1 of 3"


def test_times_are_short() -> None:
    """Seconds below a minute, then minutes, too."""
    assert [format_elapsed(seconds) for seconds in (0.4, 59.9, 60, 3_725)] == ["0 s", "59 s", "1 min 0 s", "62 min 5 s"]


def test_a_terminal_shows_the_block_and_then_the_summary(tmp_path: Path) -> None:
    """The block is drawn while the run lasts, and is gone at its end; events stay above it."""
    put(tmp_path, {"mkdocs.yml": CONFIG, "plans/tea.md": PLAN, **DOCUMENTS})
    shown = CONTROL.sub("", in_terminal("-m", "planbook", "expand", "--no-commit", cwd=tmp_path))
    assert re.search(r"0 of 1 page, 1 in work, 0 waiting; \d+ s", shown), shown
    assert "tea PART 1: tea/1.md is written" in shown
    assert "(1 of 1)" in shown
    assert "1 page written" in shown[shown.rindex("(1 of 1)") :]


def in_terminal(*arguments: str, cwd: Path) -> str:
    """Return what a Python program writes to a terminal of 100 columns."""
    ours, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=cwd, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    ) as program:
        os.close(terminal)
        written = b""
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # the program has ended
                break
            written += piece
        assert program.wait(60) is not None
    os.close(ours)
    return written.decode("utf-8", "replace")
