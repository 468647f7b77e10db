"""The guards around the tests hold: nothing unrun in CI, nothing beyond loopback."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from planbook.research.git import reduce_environment
from tests.conftest import GUARD, ROOT

GIT = shutil.which("git") or ""
UNRUN = {
    "test_skip.py": "@pytest.mark.skip(reason='because')\ndef test_it(): pass",
    "test_skip_in_body.py": "def test_it(): pytest.skip('because')",
    "test_skip_of_module.py": "pytest.skip('because', allow_module_level=True)",
    "test_skip_of_import.py": "pytest.importorskip('no_such_module', reason='because')",
    "test_xfail.py": "@pytest.mark.xfail(reason='because')\ndef test_it(): assert False",
}
RUN = {"test_run.py": "def test_it(): pass"}


def run_pytest(folder: Path, tests: dict[str, str], *args: str, ci: str) -> subprocess.CompletedProcess[str]:
    """Run the modules of tests under this project's own conftest."""
    for name, body in tests.items():
        (folder / name).write_text(f"import pytest\n{body}\n", encoding="utf-8")
    options = ["-p", "tests.conftest", f"--rootdir={folder}", *args]
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    env = {**os.environ, "PLANBOOK_CI": ci, "PYTEST_ADDOPTS": "", "CHROMIUM": ""}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


WITHOUT = "import tests.conftest\ntests.conftest.SHARED /= 'none'\ntests.conftest.CHROMIUMS = ()"
"""A machine without Chromium, and nothing beside the clone."""
OF_THE_FOLDER = """
def test_fixture(shared): pass
@pytest.mark.shared
def test_mark(): assert False
@pytest.mark.parametrize("name", [pytest.param("shared", marks=pytest.mark.shared)])
def test_parameter(request, name): request.getfixturevalue(name)
"""
SOUND = {"test_of_the_folder.py": OF_THE_FOLDER, "conftest.py": WITHOUT} | RUN
OF_A_PROGRAM = {"test_program.py": "def test_it(chromium): pass"}
NIGHTLY = {"test_night.py": "def test_day(): pass\n@pytest.mark.nightly\ndef test_night(): assert False"}


@pytest.mark.parametrize("processes", ["0", pytest.param("2", marks=pytest.mark.nightly)])
def test_unrun_tests_fail_ci(tmp_path: Path, processes: str) -> None:
    """In CI a skip or an expected failure fails the run and is listed, with and without xdist."""
    run = run_pytest(tmp_path, UNRUN | SOUND, "-n", processes, ci="1")
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout + run.stderr
    listed = run.stdout.partition("PLANBOOK_CI=1: the run fails")[2].splitlines()
    told = {line.partition(":")[0] for line in listed if line.endswith("because")}
    assert told == UNRUN.keys()


def test_missing_program_fails_ci(tmp_path: Path) -> None:
    """A program that a test needs and does not find is a failure in CI."""
    run = run_pytest(tmp_path, OF_A_PROGRAM | {"conftest.py": WITHOUT}, ci="1")
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout + run.stderr


def test_ci_passes_when_all_ran(tmp_path: Path) -> None:
    """Without ../shared no test runs that uses it or has its mark; that and what runs at night fail nothing in CI."""
    run = run_pytest(tmp_path, SOUND | NIGHTLY, "-rs", ci="1")
    assert run.returncode == pytest.ExitCode.OK, run.stdout + run.stderr
    assert "2 passed, 3 skipped, 1 deselected" in run.stdout
    assert "needs the folder ../shared" in run.stdout


def test_unrun_tests_pass_elsewhere(tmp_path: Path) -> None:
    """On a developer's machine unrun tests fail nothing, and the reason is told."""
    run = run_pytest(tmp_path, UNRUN | SOUND | OF_A_PROGRAM, "-rs", ci="")
    assert run.returncode == pytest.ExitCode.OK, run.stdout + run.stderr
    assert "needs a Chromium" in run.stdout


def test_only_the_fixture_names_the_folder() -> None:
    """No test reads ../shared but through the fixture, which gives the test its mark."""
    paths = set((ROOT / "tests").rglob("*.py")) - {ROOT / "tests" / "conftest.py", Path(__file__)}
    assert [path for path in paths if re.search(r"\bSHARED\b|/ [\"']shared\b", path.read_text("utf-8"))] == []


REACHING = {
    "a look-up": "import socket; socket.getaddrinfo('example.org', 443)",
    "a look-up of a name": "import socket; socket.gethostbyaddr('192.0.2.1')",
    "a connection": "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)",
    "a datagram": "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 53))",
    "urllib": "from urllib.request import urlopen; urlopen('http://192.0.2.1/', timeout=1)",
    "asyncio": "import asyncio; asyncio.run(asyncio.wait_for(asyncio.open_connection('192.0.2.1', 80), 1))",
    "a child of it": "import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', "
    "\"import socket; socket.getaddrinfo('example.org', 1)\"]))",
}


TRY = """
import sys
for code in sys.argv[1:]:
    try:
        exec(code)
    except BaseException as error:
        print(type(error).__name__, getattr(error, "code", None))
"""


@pytest.mark.parametrize(
    "flags",
    [(), *(pytest.param(flags, marks=pytest.mark.nightly) for flags in (("-P",), ("-X", "utf8")))],
    ids=" ".join,
)
def test_children_are_guarded(flags: tuple[str, ...]) -> None:
    """A Python that a test starts reaches no other host either, whatever it asks with."""
    command = [sys.executable, *flags, "-c", TRY, *REACHING.values()]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout.splitlines() == ["BeyondLoopbackError None"] * (len(REACHING) - 1) + ["SystemExit 1"]
    assert "BeyondLoopbackError" in run.stderr  # the child's


def test_the_processes_that_read_documents_are_guarded() -> None:
    """They keep the path that the guard stands on."""
    assert str(GUARD) in reduce_environment(os.environ, ["PYTHONPATH"])["PYTHONPATH"].split(os.pathsep)


def test_git_asks_no_host(tmp_path: Path) -> None:
    """It clones folders, and nothing else."""
    for url in ("https://127.0.0.1:9/tea.git", "git://127.0.0.1:9/tea.git", "ssh://127.0.0.1:9/tea.git"):
        run = subprocess.run([GIT, "clone", url, str(tmp_path / "x")], capture_output=True, text=True, check=False)
        assert "not allowed" in run.stderr
