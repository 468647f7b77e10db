"""`kill -9` at every stage, of the real command: the next run goes on, and ends as one run would have."""

from __future__ import annotations

import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.research.expand.base import commits, git
from tests.research.expand.loopback import SearchWeb, expand, make_base, start

Reached = Callable[[Path, SearchWeb], bool]
"""Whether a run has come to a point."""


def asks(path: str) -> Reached:
    """The path, which is held back, was asked for."""
    return lambda root, web: web.asked_for[path] > 0


def has_ended(stage: str, times: int = 1) -> Reached:
    """So many attempts have this stage behind them."""

    def reached(root: Path, web: SearchWeb) -> bool:
        return count(root, "SELECT count(*) FROM stages WHERE stage = ?", stage) >= times

    return reached


def stands(standing: str) -> Reached:
    """The ledger says so of a PART."""
    return lambda root, web: count(root, "SELECT count(*) FROM parts WHERE standing = ?", standing) > 0


def is_there(name: str) -> Reached:
    """A file of this name, which may hold a star, is there."""
    return lambda root, web: any(root.glob(name))


def count(root: Path, question: str, *given: str) -> int:
    """What the ledger answers; 0 as long as there is none."""
    path = root / ".planbook/ledger.sqlite"
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as ledger:
            return int(ledger.execute(question, given).fetchone()[0])
    except sqlite3.Error:
        return 0


POINTS: dict[str, tuple[Reached, str | None]] = {
    "a search is under way": (asks("/search r1"), "/search r1"),
    "a page is under way": (asks("/a1"), "/a1"),
    "the last page is under way": (asks("/c1"), "/c1"),
    "a later PART's page is under way": (asks("/b2"), "/b2"),
    "search has ended": (has_ended("search"), None),
    "fetch has ended": (has_ended("fetch"), None),
    "extract has ended": (has_ended("extract"), None),
    "compose has ended": (has_ended("compose"), None),
    "gates have ended": (has_ended("gates", 2), None),
    "what is to be written is fixed": (stands("intended"), None),
    "the page is there": (is_there("docs/tea/1.md"), None),
    "the drop is there": (is_there("plans/KNOWLEDGE-DROP-2-*"), None),
    "all is recorded": (has_ended("gates", 3), None),
    "the plan has moved": (is_there("plans/completed/tea.md"), None),
    "the skill is there": (is_there("SKILL.md"), None),
}
"""Where to kill; with the path that is held back, so that the run stays there."""


def pages(root: Path) -> dict[str, str]:
    """The pages, with each day as one: a test may run over midnight."""
    day = re.compile(r"\d{4}-\d\d-\d\d|\[\d{4}, \d+, \d+\]")
    return {path.name: day.sub("DAY", path.read_text()) for path in (root / "docs/tea").iterdir()}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """What a run makes that nobody kills, and the port of its web, which stands in its pages."""
    with SearchWeb() as web:
        assert isinstance(web, SearchWeb)
        root = make_base(tmp_path_factory.mktemp("unbroken") / "base", web)
        assert expand(root).returncode == 0
        yield root, web.port


@pytest.mark.parametrize("point", POINTS)
def test_killed(root: Path, web: SearchWeb, unbroken: tuple[Path, int], point: str) -> None:
    """No finished PART is lost or done twice, no file is half written, no request that was answered is made again."""
    reached, path = POINTS[point]
    held = web.hold(path) if path else None
    run = start(root, "--workers", "1")
    while not reached(root, web):
        assert run.poll() is None, run.communicate()
        time.sleep(0.002)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    if held:
        held.set()
        del web.held[str(path)]

    done = expand(root)
    assert done.returncode in {0, 4}, done.stdout + done.stderr  # 4: it was killed when all was done
    expected, port = unbroken
    assert pages(root) == {name: text.replace(str(port), str(web.port)) for name, text in pages(expected).items()}
    plan = (root / "plans/completed/tea.md").read_text()
    assert plan.count("- [✓] PART") == plan.count("(Completed ") == 3
    drops = [path.name[:18] for path in (root / "plans/completed").glob("KNOWLEDGE-DROP-*")]
    assert sorted(drops) == ["KNOWLEDGE-DROP-1-2", "KNOWLEDGE-DROP-2-2", "KNOWLEDGE-DROP-3-2"]
    assert len(commits(root)) == 1
    assert git(root, "status", "--porcelain") == ""
    assert [path.name for folder in ("docs", "plans") for path in (root / folder).rglob(".*")] == []
    again = [path for path, times in (web.pages_asked() + web.searched).items() for _ in range(times - 1)]
    assert len(again) <= 1, again  # what was under way when it was killed
