"""A disk that is full, a folder that cannot be written: the run says which file, and the next run loses nothing."""

from __future__ import annotations

import json
import re
import resource
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.files import git
from tests.modes import obey_modes
from tests.research.expand.base import commits
from tests.research.expand.ferry import watched
from tests.research.expand.kills import JOURNAL, PLACES, content
from tests.research.expand.loopback import PLANBOOK, SearchWeb, environment, expand, make_base

FEW_SOURCES = "        sources: 2\n"
"""So few that each step is reached soon."""
ERRORS = ("ENOSPC", "EROFS", "EACCES", "EDQUOT")
REACHED = PLACES | {
    "the third page is kept": ("rename *.planbook/fetched/*",) * 2,
    "a record is noted": (JOURNAL,),
    "it is noted as written": (JOURNAL,),
    "the last mark": ("rename * */docs/tea/3.md", "rename * */plans/tea.md"),
}
"""The places as a run comes to them that goes on where the last one ended, with few sources."""
WRITES = [step for step in REACHED.values() if step[-1].startswith(("rename", "sync"))]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What a run leaves that writes all it wants."""
    with SearchWeb() as web:
        assert isinstance(web, SearchWeb)
        root = make_base(tmp_path_factory.mktemp("undisturbed") / "base", web, FEW_SOURCES)
        assert expand(root, "--workers", "1").returncode == 0
        yield content(root, web.port)


@pytest.fixture
def base(tmp_path: Path, web: SearchWeb) -> Path:
    """A base like the undisturbed one."""
    return make_base(tmp_path / "base", web, FEW_SOURCES)


def check_end(root: Path, web: SearchWeb, undisturbed: dict[str, str]) -> None:
    """All is as if nothing had been refused: every byte, one commit, nothing half written."""
    there = content(root, web.port)
    assert there == undisturbed, [name for name in there if there[name] != undisturbed.get(name)]
    assert len(commits(root)) == 1
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.nightly), 5])
def test_a_write_that_is_refused_at_every_step(
    base: Path, web: SearchWeb, undisturbed: dict[str, str], every: int
) -> None:
    """Each run names the file, the reason and what to do, and exits with 1; the last one ends as one run would have."""
    for n, step in enumerate(WRITES[::every]):
        error = ERRORS[n % len(ERRORS)]
        done = expand(base, "--workers", "1", **watched(CHILD_DIES=json.dumps(step), CHILD_FAILS=error))
        said = done.stderr.strip().splitlines()[-1]
        assert (done.returncode, "Traceback" in done.stderr) == (1, False), (step, done.stdout, done.stderr)
        assert re.match(rf"Error: {base}/\S+: cannot be written \(.+\); .+, then run the same command again$", said), (
            said
        )
        for name, text in content(base, web.port).items():
            assert "/." in f"/{name}" or text == undisturbed.get(name) or name.startswith("plans/"), (step, name)
    assert expand(base, "--workers", "1").returncode in {0, 4}
    check_end(base, web, undisturbed)


@pytest.mark.nightly
def test_files_that_may_not_grow(base: Path, web: SearchWeb, undisturbed: dict[str, str]) -> None:
    """Databases and logs too: with more room each time, one run after another goes on, until there is enough."""
    room, codes = 0, [1]
    while codes[-1] == 1:
        command: list[str | Path] = [PLANBOOK, "expand", "--root", base, "--workers", "1"]
        limit = (room, resource.RLIM_INFINITY)
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            env=environment(),
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, limit),
        )
        codes.append(done.returncode)
        told = done.stdout + done.stderr
        assert "Traceback" not in told, (room, told)
        assert done.returncode != 1 or f"{base}/" in told or "the next run commits them" in told, (room, told)
        room = room * 2 or 4096
    assert (codes[-1] in {0, 4}, codes.count(1) > 2) == (True, True)
    check_end(base, web, undisturbed)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (".planbook", "/base/.planbook/.gitignore: cannot be written (Permission denied); make it and its folder"),
        ("docs", "docs: it is not writable; change its permissions"),
        *(
            pytest.param(*row, marks=pytest.mark.nightly)
            for row in (
                (".", "/base/.planbook/.gitignore: cannot be written (Permission denied); make it and its folder"),
                ("plans", "plans: it is not writable; change its permissions"),
                (".git", "Permission denied"),
            )
        ),
    ],
)
def test_a_folder_that_cannot_be_written(
    base: Path, web: SearchWeb, undisturbed: dict[str, str], name: str, told: str
) -> None:
    """Nobody is asked before it can be; then the run ends as one run would have."""
    folder = base / name
    folder.mkdir(exist_ok=True)
    folder.chmod(0o500)
    command: list[str | Path] = [PLANBOOK, "expand", "--root", base, "--workers", "1"]
    refused = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment(), preexec_fn=obey_modes
    )
    folder.chmod(0o755)
    assert (refused.returncode, "Traceback" in refused.stderr) == (1, False), refused.stderr
    assert told in refused.stderr
    assert not web.searched
    assert expand(base, "--workers", "1").returncode == 0
    check_end(base, web, undisturbed)
