"""`planbook expand --dask`: a real scheduler and real workers on loopback, one of which is killed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from planbook.research.expand.cluster import is_safe
from tests.files import git
from tests.research.expand.base import commits, files_of
from tests.research.expand.loopback import SearchWeb, environment, expand, make_base, start, until

DASK = Path(sys.executable).with_name("dask")
QUIET = ("--dashboard-address", "127.0.0.1:0")
"""Its page of diagnostics on loopback, too."""


class Processes:
    """A scheduler and its workers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held = ExitStack()
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"
        )
        self.address = self._told("scheduler", self.scheduler, r"Scheduler at:\s+(tcp://\S+)")

    def worker(self, name: str, **more: str) -> subprocess.Popen[bytes]:
        """A worker that runs one PART at a time, once the scheduler knows it."""
        process = self._start(
            "worker", self.address, "--name", name, "--nthreads", "1", "--no-nanny", *QUIET,
            "--host", "127.0.0.1", "--local-directory", str(self._folder / name), log=name, **more,
        )  # fmt: skip
        self._told(name, process, r"Registered to:\s+(\S+)")
        return process

    def _told(self, name: str, process: subprocess.Popen[bytes], pattern: str) -> str:
        """What a process says in its log, once it says it."""
        log = self._folder / f"{name}.log"
        until(lambda: bool(re.search(pattern, log.read_text())) or process.poll() is not None)
        found = re.search(pattern, log.read_text())
        assert found, log.read_text()
        return found[1]

    def _start(self, *args: str, log: str = "scheduler", **more: str) -> subprocess.Popen[bytes]:
        file = self._held.enter_context((self._folder / f"{log}.log").open("wb"))
        env = {**environment(), "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s", **more}
        process = subprocess.Popen([DASK, *args], stdout=file, stderr=subprocess.STDOUT, env=env)
        self._held.callback(process.wait)
        self._held.callback(process.kill)
        return process

    def close(self) -> None:
        """Ends them all."""
        self._held.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Processes]:
    """A scheduler without workers."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    processes = Processes(folder)
    yield processes
    processes.close()


def pages(root: Path) -> list[bytes]:
    """The pages' bytes."""
    return [(root / f"docs/tea/{n}.md").read_bytes() for n in (1, 2, 3)]


def held_worker(cluster: Processes, folders: dict[str, subprocess.Popen[bytes]], web: SearchWeb) -> str:
    """The worker that waits for a page which is held back: the one whose client asked for it."""
    port = int(web.url("").rstrip("/").rpartition(":")[2])
    for name, process in folders.items():
        if _has_connection(process.pid, port):
            return name
    raise AssertionError("no worker waits")


def _has_connection(pid: int, port: int) -> bool:
    """Whether the process is connected to that port on this machine."""
    inodes = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(fd.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return any(row[9] in inodes and int(row[2].rpartition(":")[2], 16) == port and row[3] == "01" for row in rows)


@pytest.mark.nightly
def test_workers_fill_the_parts_as_threads_do(
    tmp_path: Path, root: Path, web: SearchWeb, cluster: Processes, make: Callable[[str], Path]
) -> None:
    """The same pages, byte for byte; one commit; the plan marked; workers wrote nothing into the project."""
    cluster.worker("a")
    cluster.worker("b")
    done = expand(root, "--dask", cluster.address, "--format=json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [page["end"] for page in told["pages"]] == ["done"] * 3
    assert told["requests"] >= 15
    assert len(commits(root)) == 1
    assert git(root, "status", "--porcelain") == ""
    other = make("other")
    assert expand(other).returncode == 0
    assert pages(root) == pages(other)
    assert files_of(root) == files_of(other)
    ran = {name: (tmp_path / f"cluster/{name}").rglob("*.warc*") for name in ("a", "b")}
    assert any(list(found) for found in ran.values())


@pytest.mark.nightly
def test_a_worker_that_is_killed_loses_no_part(root: Path, web: SearchWeb, cluster: Processes) -> None:
    """Its PART is done by another; nothing is done twice on the disk, and the attempt does not count as failed."""
    workers = {name: cluster.worker(name) for name in ("a", "b")}
    page = web.hold("/a2")
    run = start(root, "--dask", cluster.address, "--format=json")
    until(lambda: web.asked_for["/a2"] == 1)
    workers[held_worker(cluster, workers, web)].kill()
    until(lambda: web.asked_for["/a2"] == 2)
    page.set()
    out, err = run.communicate()
    assert run.returncode == 0, err
    told = json.loads(out)
    assert [page["end"] for page in told["pages"]] == ["done"] * 3
    assert len(commits(root)) == 1
    assert len(list((root / "plans").rglob("KNOWLEDGE-DROP-*"))) == 3


@pytest.mark.nightly
def test_a_scheduler_that_is_lost_stops_the_run(root: Path, web: SearchWeb, cluster: Processes) -> None:
    """No PART has failed; the next run goes on without it."""
    cluster.worker("a")
    page = web.hold("/a2")
    run = start(root, "--dask", cluster.address, "--workers", "1")
    until(lambda: web.asked_for["/a2"] == 1)
    cluster.scheduler.kill()
    out, err = run.communicate()
    page.set()
    assert run.returncode == 5, err
    assert "Stopped: the workers are no longer reachable." in out
    plan = next((root / "plans").rglob("tea.md")).read_text()
    assert "[/]" not in plan
    assert expand(root).returncode == 0


@pytest.mark.nightly
def test_hosts_are_asked_no_more_often(tmp_path: Path, web: SearchWeb, cluster: Processes) -> None:
    """Two workers each leave twice the pause, so that both together keep it."""
    root = make_base(tmp_path / "slow", web)
    config = root / "mkdocs.yml"
    config.write_text(config.read_text().replace("pause: 0", "pause: 0.4"))
    git(root, "commit", "--quiet", "-am", "Pause")
    cluster.worker("a")
    cluster.worker("b")
    assert expand(root, "--dask", cluster.address).returncode == 0
    times = [seen.began for seen in web.seen if seen.path != "/robots.txt" and seen.host.startswith("127")]
    assert len(times) >= 6
    assert (times[-1] - times[0]) / (len(times) - 1) >= 0.4 * 0.8


@pytest.mark.nightly
def test_keys_are_those_of_the_workers(root: Path, web: SearchWeb, cluster: Processes) -> None:
    """A key of the machine that commands is sent nowhere; it stands in no file of a worker."""
    cluster.worker("a")
    done = expand(root, "--dask", cluster.address, "--limit", "1", TAVILY_API_KEY="tvly-commander-key-1")
    assert done.returncode == 0, done.stderr
    folder = root.parent / "cluster"
    assert [p for p in folder.rglob("*") if p.is_file() and b"tvly-commander-key-1" in p.read_bytes()] == []


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("tcp://192.0.2.7:8786", "is on another machine, and without tls:// anyone there could run code"),
        ("tcp://127.0.0.1:9", "no scheduler answers at tcp://127.0.0.1:9"),
    ],
)
def test_a_cluster_that_cannot_be_used(root: Path, web: SearchWeb, address: str, told: str) -> None:
    """It is told before anybody is asked."""
    done = expand(root, "--dask", address)
    assert (done.returncode, web.seen) == (1, [])
    assert told in done.stderr


@pytest.mark.nightly
def test_a_cluster_without_workers(root: Path, web: SearchWeb, cluster: Processes) -> None:
    """It is told how to start one, instead of waiting for ever."""
    done = expand(root, "--dask", cluster.address)
    assert (done.returncode, web.seen) == (1, [])
    assert f"has no workers; start one: dask worker {cluster.address}" in done.stderr


def test_programs_are_not_run_elsewhere(root: Path) -> None:
    """They work in a worktree of this repository."""
    done = expand(root, "--dask", "tcp://127.0.0.1:9", "--writer", "command")
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("tcp://127.0.0.1:8786", True),
        ("tcp://[::1]:8786", True),
        ("localhost:8786", True),
        ("tls://10.0.0.1:8786", True),
        ("tcp://10.0.0.1:8786", False),
        ("ucx://example.test:8786", False),
        ("tcp://localhost.evil.test:1", False),
        ("", False),
    ],
)
def test_what_is_safe(address: str, expected: bool) -> None:
    """A scheduler is safe on this machine, or if its connection has TLS."""
    assert is_safe(address) is expected
