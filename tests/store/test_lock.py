"""One run at a time, with two real processes."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planbook.research.git import shared_folder
from planbook.research.journal import HeldError, lock_project
from tests.files import git
from tests.repositories import make_repository

HOLDS = """
import sys, pathlib
from planbook.research.journal import lock_project
with lock_project(pathlib.Path(sys.argv[1]), "planbook expand", "2026-11-20T10:00:00Z"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until its standard input ends."""
    command = [sys.executable, "-c", HOLDS, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        if process.poll() is None:
            process.communicate()


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    """At once, with who holds the lock; when that one has ended, it is free."""
    with another_process(tmp_path) as process:
        with pytest.raises(HeldError) as caught, lock_project(tmp_path, "planbook finish", "later"):
            pass
        told = f"`planbook expand`, process {process.pid} on {platform.node()}, since 2026-11-20T10:00:00Z"
        assert told in str(caught.value)
    with lock_project(tmp_path, "planbook finish", "later"):
        holder = json.loads((shared_folder(tmp_path) / "run.json").read_text())
        assert (holder["pid"], holder["command"]) == (os.getpid(), "planbook finish")


def test_a_process_may_wait(tmp_path: Path) -> None:
    """It says once for whom, and goes on when that one has ended; nobody is invited to stop the other."""
    told: list[str] = []
    with another_process(tmp_path) as process:
        end = threading.Timer(0.3, process.kill)
        end.start()
        with lock_project(tmp_path, "planbook finish", "later", told.append):
            assert process.wait() == -signal.SIGKILL
        end.join()
    assert len(told) == 1
    assert f"process {process.pid} on" in told[0]
    assert "stop" not in told[0]


def test_worktrees_share_the_lock(tmp_path: Path) -> None:
    """A run in one worktree of a repository refuses one in another, and one in another project does not."""
    repository = make_repository(tmp_path / "base")
    repository.commit({"mkdocs.yml": "site_name: Tea\n"})
    git(repository.root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "other"))
    with another_process(repository.root):
        with pytest.raises(HeldError), lock_project(tmp_path / "other", "planbook finish", "later"):
            pass
        (tmp_path / "elsewhere").mkdir()
        with lock_project(tmp_path / "elsewhere", "planbook finish", "later"):
            pass


def test_a_killed_process_lets_go(tmp_path: Path) -> None:
    """What it leaves behind is no obstacle."""
    with another_process(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (shared_folder(tmp_path) / "run.lock").exists()
        with lock_project(tmp_path, "planbook expand", "later"):
            assert json.loads((shared_folder(tmp_path) / "run.json").read_text())["started"] == "later"


def test_the_holder_may_not_be_known(tmp_path: Path) -> None:
    """Between taking the lock and telling its name a process holds it too."""
    with another_process(tmp_path):
        (shared_folder(tmp_path) / "run.json").write_text("{")
        with pytest.raises(HeldError, match="it has not written its name yet"), lock_project(tmp_path, "x", "y"):
            pass


def test_the_lock_is_let_go_of_after_an_error(tmp_path: Path) -> None:
    """The process whose work failed can take the lock again."""
    with pytest.raises(RuntimeError), lock_project(tmp_path, "x", "y"):
        raise RuntimeError
    with lock_project(tmp_path, "x", "y"):
        pass
