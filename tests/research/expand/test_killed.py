"""`kill -9` at every step, of the real command: the next run goes on, and ends as one run would have."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.files import git
from tests.research.expand.base import commits
from tests.research.expand.ferry import watched
from tests.research.expand.loopback import SearchWeb, expand, make_base, start

WAITS = {
    "a search is under way": "/search r1",
    "a page is under way": "/a1",
    "the last page is under way": "/c1",
    "a later PART's page is under way": "/b2",
}
"""What is asked for when it is killed."""

JOURNAL = "sync *.planbook/journal.jsonl"
PLACES: dict[str, tuple[str, ...]] = {
    "before anything is written": ("rename *.planbook/.gitignore",),
    "the lock is held": ("rename *planbook/run.json",),  # in the folder that worktrees share
    "the run has begun": (JOURNAL,),
    "the first search is answered": ("rename *.planbook/calls/*",),
    "the second search is answered": ("rename *.planbook/calls/*", "rename *.planbook/calls/*"),
    "a response is kept": ("rename *.planbook/responses/*",),
    "a text is kept": ("rename *.planbook/snapshots/*",),
    "a page is kept": ("rename *.planbook/fetched/*",),
    "the third page is kept": ("rename *.planbook/fetched/*",) * 3,
    "a record is noted": (JOURNAL, JOURNAL),
    "the first page": ("rename * */docs/tea/1.md",),
    "after the first page": ("rename * */docs/tea/1.md", "sync */docs/tea"),
    "its drop": ("rename * */plans/KNOWLEDGE-DROP-1-*",),
    "its mark": ("rename * */plans/tea.md",),
    "after its mark": ("rename * */plans/tea.md", "sync */plans"),
    "it is noted as written": (JOURNAL, JOURNAL, JOURNAL),
    "the second page": ("rename * */docs/tea/2.md",),
    "after the second drop": ("rename * */plans/KNOWLEDGE-DROP-2-*", "sync */plans"),
    "the last mark": ("rename * */plans/tea.md",) * 3,
    "the index": ("rename * */docs/INDEX.md",),
    "after the index": ("rename * */docs/INDEX.md", "sync */docs"),
    "the skill": ("rename * */SKILL.md",),
    "git add": ("run *git * add *",),
    "git commit": ("run *git * commit *",),
    "after the commit": ("run *git * commit *", "run *git * rev-parse --short HEAD"),
}
"""Where a run is killed, see `child/sitecustomize.py`."""
OFTEN = ("the second search is answered", "after the first page", "its mark", "the index", "git commit")
"""Those where one run after another is killed, in `make test`; `make test-all` tries each place by itself."""


def content(root: Path, port: int) -> dict[str, str]:
    """Every file that the run leaves to its user, without ports, times and the number of requests."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith((".git/", ".planbook/", ".cache/")):
            text = re.sub(rf"(?<=[:-]){port}", "PORT", path.read_text())
            text = re.sub(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?|\[\d{4}, \d+, \d+\]", "TIME", text)
            text = re.sub(r"(?<=(?:page|text)_sha256: )[0-9a-f]{64}", "HASH", text)
            text = re.sub(r"(?<=requests: )\d+|\d+(?= requests? to other hosts)", "N", text)
            found[re.sub(r"\d{4}-\d\d-\d\d", "DAY", name)] = text
    return found


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What a run makes that nobody kills."""
    with SearchWeb() as web:
        assert isinstance(web, SearchWeb)
        root = make_base(tmp_path_factory.mktemp("unbroken") / "base", web)
        assert expand(root).returncode == 0
        yield content(root, web.port)


@pytest.mark.parametrize(
    "point", [pytest.param(point, marks=[pytest.mark.nightly] if n else []) for n, point in enumerate(WAITS)]
)
def test_killed_while_it_waits(root: Path, web: SearchWeb, unbroken: dict[str, str], point: str) -> None:
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


@pytest.mark.nightly
@pytest.mark.parametrize("place", PLACES)
def test_killed_at_a_place(root: Path, web: SearchWeb, unbroken: dict[str, str], place: str) -> None:
    """The next run ends with page, drop, mark and commit as one run would have, and asks for no answer twice."""
    killed = expand(root, "--workers", "1", **watched(CHILD_DIES=json.dumps(PLACES[place])))
    assert killed.returncode == -signal.SIGKILL, (killed.stdout, killed.stderr)
    there = content(root, web.port)
    assert all(
        text == unbroken[name] for name, text in there.items() if name.startswith("docs/tea/") and "/." not in name
    )
    done = expand(root)
    assert done.returncode in {0, 4}, done.stderr  # 4: all was done, but for the end of the journal
    check_end(root, web, unbroken, lost=2)


def test_killed_again_and_again(root: Path, web: SearchWeb, unbroken: dict[str, str]) -> None:
    """One run after another, each a little further."""
    for place in OFTEN:
        killed = expand(root, "--workers", "1", **watched(CHILD_DIES=json.dumps(PLACES[place])))
        assert killed.returncode == -signal.SIGKILL, (place, killed.stdout, killed.stderr)
    assert expand(root).returncode == 0
    check_end(root, web, unbroken, lost=2)


def check_end(root: Path, web: SearchWeb, unbroken: dict[str, str], lost: int) -> None:
    """All is as if nobody had killed it, byte for byte, in one commit; all but the `lost` answers came once."""
    assert content(root, web.port) == unbroken
    assert len(commits(root)) == 1
    assert git(root, "status", "--porcelain") == ""
    assert not (root / ".planbook/journal.jsonl").exists()
    again = [path for path, times in (web.pages_asked() + web.searched).items() for _ in range(times - 1)]
    assert len(again) <= lost, again
