"""The journal's law: wherever a run is cut off, the next one ends as if it had not been."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.expand.events import (
    CancelToken,
    Clock,
    Event,
    EventHandler,
    RunInputs,
    Submit,
)
from generator.expand.options import RunConfig
from generator.expand.run import Run
from generator.expand.worker import run_job
from generator.research.select import Choice
from generator.store import read_settings
from tests.expand.base import NOW, git, make_repository, no_index, report
from tests.expand.stages import World

PAGES = {1: "tea/1.md", 2: "tea/2.md", 3: "tea/3-spoilt.md"}
PLAN = "# Tea\n\n" + "".join(
    f"## PART {n}: Create {page}\n\n- [ ] PART {n}: Create {page}\n\n**Step 0: Check existing knowledge**\n"
    f'- [ ] Grep for "water" in tea/\n\n**Step 1: Web research**\n- [ ] Search: "q{n}"\n- [ ] Search: "r{n}"\n\n'
    "**Step 2: Write the page**\n- [ ] Section 1: Water for tea (~60 lines)\n    - Which water keeps the leaves\n\n"
    for n, page in PAGES.items()
)


class CutOffError(BaseException):
    """The run is killed here."""


def make_world() -> World:
    """PARTs 1 and 2 get their pages, PART 3 gets none."""
    there = World()
    for n in (1, 2, 3):
        there.add(f"q{n}", f"https://a.test/{n}")
        there.add(f"r{n}", f"https://b.test/{n}", f"https://c.test/{n}")
    return there


def run(root: Path, there: World, cut_at: int | None = None) -> None:
    """A run, killed when the event of this number has been heeded."""
    seen = 0

    def watch(event: Event) -> None:
        nonlocal seen
        if event.name in {"StageFinished", "PageRecorded"}:
            if seen == cut_at:
                there.is_cut_off = True
                raise CutOffError
            seen += 1

    @contextmanager
    def workers(inputs: RunInputs, count: int, token: CancelToken, emit: EventHandler) -> Iterator[Submit]:
        context = there.tools(emit)
        with ThreadPoolExecutor(count) as executor:
            yield lambda job: executor.submit(run_job, job, context)

    config = RunConfig(read_settings(root), no_index, "planbook expand", watch=watch, clock=Clock(NOW))
    Run(config, workers, report, parallel=1).fill(Choice())


def files(root: Path) -> dict[str, bytes]:
    """Every file of the base, the working folder and git's own left aside."""
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith((".git/", ".planbook/"))}


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base before any run."""
    return make_repository(
        tmp_path_factory.mktemp("start") / "base", {"plans/tea.md": PLAN, "docs/tea/0.md": "# Water\n\nWater is wet.\n"}
    )


@pytest.fixture(scope="module")
def whole(start: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], World]:
    """What a run that nothing cuts off makes, and what it asks."""
    root = tmp_path_factory.mktemp("whole") / "base"
    shutil.copytree(start, root)
    there = make_world()
    run(root, there)
    return files(root), there


def test_a_run_that_nothing_cuts_off(whole: tuple[dict[str, bytes], World]) -> None:
    """PARTs 1 and 2 have their pages, PART 3 has none, whose writer got a second try."""
    made, there = whole
    assert sorted(name for name in made if name.startswith("docs/tea/")) == [f"docs/tea/{n}.md" for n in (0, 1, 2)]
    marks = re.findall(r"^- \[(.)\] PART", made["plans/tea.md"].decode(), re.MULTILINE)
    assert marks == ["✓", "✓", "/"]
    assert [part for part, _ in there.written] == [1, 2, 3, 3]


@settings(max_examples=max(6, settings().max_examples // 20))  # each is a few runs in a repository
@given(cuts=st.lists(st.integers(0, 20), min_size=1, max_size=4))
def test_any_run_may_be_cut_off_at_any_event(
    start: Path, whole: tuple[dict[str, bytes], World], tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    """However often: the last one ends as one run would have, and has made one commit."""
    root = tmp_path_factory.mktemp("cut") / "base"
    shutil.copytree(start, root)
    expected, _ = whole
    there = make_world()
    for cut in (*cuts, None):
        try:
            run(root, there, cut)
        except CutOffError:
            there.is_cut_off = False
        else:
            break
    assert files(root) == expected
    assert git(root, "log", "--format=%s").splitlines()[-1] == "Begin"
    assert git(root, "status", "--porcelain") == ""
