"""`kill -9` at every step, of the real command: the next run goes on, and ends as one run would have."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.files import git
from tests.research.expand.base import commits
from tests.research.expand.ferry import watched
from tests.research.expand.kills import PLACES, content
from tests.research.expand.loopback import SearchWeb, expand, make_base, start

WAITS = {
    "a search is under way": "/search r1",
    "a page is under way": "/a1",
    "the last page is under way": "/c1",
    "a later PART's page is under way": "/b2",
}
"""What is asked for when it is killed."""

OFTEN = ("the second search is answered", "after the first page", "its mark", "the index", "git commit")
"""Those where one run after another is killed, in `make test`; `make test-all` tries each place by itself."""


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
