"""`kill -9` at every step, of the real command: the next run goes on, and ends as one run would have."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.expand.base import commits, git
from tests.expand.ferry import watched
from tests.expand.loopback import SearchWeb, expand, make_base, start

WAITS = {
    "a search is under way": "/search r1",
    "a page is under way": "/a1",
    "the last page is under way": "/c1",
    "a later PART's page is under way": "/b2",
}
"""What is asked for when it is killed."""

NEXT_STAGE = ("rename *.planbook/artifacts/*", "rename *.planbook/artifacts/*")
"""One more artifact is kept, and the one after it is written, and has no name yet."""
STEPS: tuple[tuple[str, ...], ...] = (
    ("rename *.planbook/.gitignore",),
    ("rename *.planbook/run.json",),
    ("rename *.planbook/artifacts/*",),
    ("rename *.planbook/calls/*",),
    ("rename *.planbook/artifacts/*",),
    ("rename *.planbook/snapshots/*",),
    ("rename *.planbook/fetched/*",),
    *(NEXT_STAGE for _ in ("fetch", "extract", "compose", "gates")),
    ("rename * */docs/tea/1.md",),
    ("rename * */plans/KNOWLEDGE-DROP-1-*",),
    ("rename * */plans/tea.md",),
    ("rename * */docs/tea/2.md", "sync */docs/tea"),
    ("rename * */plans/tea.md", "sync */plans"),
    ("rename * */plans/completed/*",),
    ("rename * */plans/completed/*", "rename * */plans/completed/*"),
    ("rename * */docs/INDEX.md",),
    ("rename * */SKILL.md",),
    ("run *git * add *",),
    ("run *git * commit *",),
    ("run *git * commit *", "run *git * rev-parse --short HEAD"),
)
"""Where one run after another is killed, see `child/sitecustomize.py`: each comes a little further."""


Unbroken = tuple[Path, int]


def pages(root: Path) -> dict[str, str]:
    """The pages, with each day as one: a test may run over midnight."""
    day = re.compile(r"\d{4}-\d\d-\d\d|\[\d{4}, \d+, \d+\]")
    there = (path for path in (root / "docs").glob("tea/*.md") if not path.name.startswith("."))
    return {path.name: day.sub("DAY", path.read_text()) for path in there}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Unbroken]:
    """What a run makes that nobody kills, and the port of its web, which stands in its pages."""
    with SearchWeb() as web:
        assert isinstance(web, SearchWeb)
        root = make_base(tmp_path_factory.mktemp("unbroken") / "base", web)
        assert expand(root).returncode == 0
        yield root, web.port


@pytest.mark.parametrize(
    "point", [pytest.param(point, marks=[pytest.mark.nightly] if n else []) for n, point in enumerate(WAITS)]
)
def test_killed_while_it_waits(root: Path, web: SearchWeb, unbroken: Unbroken, point: str) -> None:
    """Only what each of the two hosts was answering is requested again, and the next run ends as one run would have."""
    held = web.hold(WAITS[point])
    run = start(root, "--workers", "1")
    while web.asked_for[WAITS[point]] == 0:
        assert run.poll() is None, run.communicate()
        time.sleep(0.002)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    held.set()
    del web.held[WAITS[point]]
    assert expand(root).returncode == 0
    check_end(root, web, unbroken, lost=2)


def test_killed_at_every_step(root: Path, web: SearchWeb, unbroken: Unbroken) -> None:
    """Again and again, at each thing that is written: no finished PART is lost, no file is half written."""
    whole = at_port(web.port, unbroken)
    for step in STEPS:
        killed = expand(root, "--workers", "1", **watched(CHILD_DIES=json.dumps(step)))
        assert killed.returncode == -signal.SIGKILL, (step, killed.stdout, killed.stderr)
        there = pages(root)
        assert there == {name: whole[name] for name in there}, step
        for number in marked(root):
            assert f"{number}.md" in there, step
            assert [*(root / "plans").rglob(f"KNOWLEDGE-DROP-{number}-*")], step
    done = expand(root)
    assert done.returncode in {0, 4}, done.stderr  # 4: all was done, but for a word in the ledger
    check_end(root, web, unbroken, lost=5)  # what was about to be kept: a search, and twice a page of each host


def at_port(here: int, unbroken: Unbroken) -> dict[str, str]:
    """The pages of the run that nobody killed, as a web at another port gives them."""
    root, port = unbroken
    return {name: re.sub(rf"(?<=[:-]){port}", str(here), text) for name, text in pages(root).items()}


def marked(root: Path) -> list[str]:
    """The PARTs that are marked as done."""
    (plan,) = (root / "plans").rglob("tea.md")
    return re.findall(r"^- \[✓\] PART (\d)", plan.read_text(), re.MULTILINE)


def check_end(root: Path, web: SearchWeb, unbroken: Unbroken, lost: int) -> None:
    """All is as if nobody had killed it: pages, marks, drops, one commit; all but the `lost` answers came once."""
    assert pages(root) == at_port(web.port, unbroken)
    plan = (root / "plans/completed/tea.md").read_text()
    assert plan.count("- [✓] PART") == plan.count("(Completed ") == 3
    drops = [path.name[:18] for path in (root / "plans/completed").glob("KNOWLEDGE-DROP-*")]
    assert sorted(drops) == ["KNOWLEDGE-DROP-1-2", "KNOWLEDGE-DROP-2-2", "KNOWLEDGE-DROP-3-2"]
    assert len(commits(root)) == 1
    assert git(root, "status", "--porcelain") == ""
    assert [path.name for folder in ("docs", "plans") for path in (root / folder).rglob(".*")] == []
    again = [path for path, times in (web.pages_asked() + web.searched).items() for _ in range(times - 1)]
    assert len(again) <= lost, again
