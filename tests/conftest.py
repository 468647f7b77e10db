"""What every test may ask for, and what no test may do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock
from hypothesis import settings

from tests.guard.loopback_only import install

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
GUARD = Path(__file__).parent / "guard"
IS_CI = os.environ.get("PLANBOOK_CI") == "1"
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The shell first: it opens a page in a third of the time that a whole browser takes, which makes windows too."""

# A busy machine must not fail a law by its slowness, nor CI by its luck: there, the same examples are tried each time.
settings.register_profile("planbook", deadline=None, derandomize=IS_CI, max_examples=10)
settings.load_profile("planbook")
# For `make laws` and `make test-all`: new examples each time, and more. A failure prints how to repeat it.
settings.register_profile("fresh", deadline=None, max_examples=1_000, print_blob=True)

NO_SHARED = "needs the folder ../shared beside the repository"
"""The one reason for which a test may be skipped in CI: the folder is not ours to publish."""

MARKS = {"chromium": "browser", "shared": "shared"}
"""The mark that a test carries because it uses the fixture."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--nightly` and `--golden`."""
    parser.addoption("--nightly", action="store_true", help="also run the tests marked nightly")
    parser.addoption("--golden", action="store_true", help="rewrite the golden files instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """Guard the network; in CI, let no test go unrun, and refuse `--golden`: it makes every comparison true."""
    guard_network()
    if IS_CI:
        config.pluginmanager.register(NothingUnrun())
        if config.getoption("--golden"):
            raise pytest.UsageError("--golden rewrites what it should compare with: not under PLANBOOK_CI=1")


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by these marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use; leave out nightly tests, unless asked for or named one by one."""
    for test in items:
        for fixture in fixtures_of(test) & MARKS.keys():
            test.add_marker(MARKS[fixture])
    if config.getoption("--golden"):
        items[:] = [test for test in items if "golden" in fixtures_of(test)]
    if not config.getoption("--nightly") and not any("::" in argument for argument in config.args):
        nightly = [test for test in items if test.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=nightly)
        items[:] = [test for test in items if test not in set(nightly)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test with the mark `shared` where the folder is missing, whatever fixtures it has."""
    if item.get_closest_marker("shared"):
        find_shared()


def fixtures_of(test: pytest.Item) -> set[str]:
    """The names of all fixtures the test uses, also through others."""
    return set(getattr(test, "fixturenames", ()))


def guard_network() -> None:
    """Let nothing reach beyond loopback: not this process, nor any Python, git or Chromium that a test starts.

    Children heed `PYTHONPATH` and git's variable unless a test takes them away; Chromium has its own switch for it.
    """
    install()
    paths = [str(GUARD), *filter(None, [os.environ.get("PYTHONPATH")])]
    if os.environ.get("PYTHONPATH", "").partition(os.pathsep)[0] != str(GUARD):
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["GIT_ALLOW_PROTOCOL"] = "file"


class NothingUnrun:
    """Fails the session when a test was skipped or expected to fail, and says which."""

    def __init__(self) -> None:
        self.unrun: dict[str, str] = {}

    def look(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        """Remember the report if it is of a test (or a module of tests) that did not count."""
        expected_to_fail = getattr(report, "wasxfail", None)
        if report.skipped or expected_to_fail is not None:
            skipped = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
            if not skipped.endswith(NO_SHARED):
                self.unrun[report.nodeid] = skipped if expected_to_fail is None else f"xfail: {expected_to_fail}"

    # Under xdist the workers' reports come here, to the process that started them.
    pytest_runtest_logreport = pytest_collectreport = look

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Turn success into failure."""
        if self.unrun and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List them."""
        if self.unrun:
            terminalreporter.section("PLANBOOK_CI=1: the run fails, for these tests did not run", red=True)
            for nodeid, reason in sorted(self.unrun.items()):
                terminalreporter.line(f"{nodeid}: {reason}")


def find_shared() -> Path:
    """Return the folder `../shared`; without it, skip the test, also in CI."""
    return SHARED if SHARED.is_dir() else pytest.skip(NO_SHARED)


def lacks(reason: str) -> NoReturn:
    """Skip the test; in CI, where every program must be there, fail it."""
    if IS_CI:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `../shared`, with real plans and pages that are not ours to publish. The test gets the mark."""
    return find_shared()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium: `$CHROMIUM`, or the first one on the PATH."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    return found or lacks("needs a Chromium: install Debian's `chromium-headless-shell`, or name one in $CHROMIUM")


@pytest.fixture(scope="session")
def pandoc() -> str:
    """The path of Pandoc, which reads our front matter and citations as another tool does."""
    return shutil.which("pandoc") or lacks("needs Pandoc: install Debian's `pandoc`")


@pytest.fixture(scope="session")
def hugo() -> str:
    """The path of Hugo, an engine that knows nothing of us."""
    return shutil.which("hugo") or lacks("needs Hugo: install Debian's `hugo`")


Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """A function that makes a folder by its name once for all workers of the run, and returns it.

    The first worker that asks makes it, the others wait. No test may change what is in it.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, done = shared / f"once-{name}", shared / f"once-{name}.done"
        with FileLock(shared / f"once-{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """A function that compares a text with a golden file; with `--golden` it rewrites the file instead."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.is_file(), f"{path} is missing: run `make golden` and review what it writes"
        assert text == path.read_text(encoding="utf-8")

    return compare
