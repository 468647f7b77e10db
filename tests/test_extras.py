"""Optional dependencies: what a command tells a user who lacks one, or has one that cannot be imported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from generator.problems import describe_missing
from tests.conftest import ROOT

PLAN = "# Tea\n\n## PART 1: Create tea/a.md\n\n- [ ] PART 1: Create tea/a.md\n"
RESEARCHING = ("expand", "verify", "finish plans/tea.md 1")
INSTALL_RESEARCH = "python -m pip install 'path/to/planbook[research]'"
BROKEN = "raise ImportError('lxml.html.clean module is now a separate project lxml_html_clean.\\nInstall it directly.')"
WHAT_IT_SAYS = "lxml.html.clean module is now a separate project lxml_html_clean. Install it directly."


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    """A project with one open PART, beside a folder from which packages are imported first."""
    root = tmp_path / "tea"
    (root / "docs").mkdir(parents=True)
    (root / "plans").mkdir()
    (root / "mkdocs.yml").write_text("site_name: Tea\n", encoding="utf-8")
    (root / "plans" / "tea.md").write_text(PLAN, encoding="utf-8")
    (tmp_path / "packages").mkdir()
    return root


def required(names: list[str]) -> set[str]:
    """The canonical names of these requirements and of all that they require without extras, on this machine."""
    found: set[str] = set()
    waiting = [Requirement(name) for name in names]
    while waiting:
        wanted = waiting.pop()
        if (name := canonicalize_name(wanted.name)) in found:
            continue
        found.add(name)
        further = [Requirement(line) for line in distribution(name).requires or ()]
        extras = [{"extra": extra} for extra in wanted.extras] or [{"extra": ""}]
        waiting += [r for r in further if r.marker is None or any(map(r.marker.evaluate, extras))]
    return found


@pytest.mark.parametrize(
    "command",
    ["mkdocs build --strict", "planbook status", "planbook check", "planbook cite docs", "planbook brief tea 1"],
)
def test_a_plain_install_is_enough_to_build(tea: Path, command: str) -> None:
    """Sites are built, and plans and pages checked, with the required dependencies alone: all others are hidden."""
    needed = required(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"])
    owners = {name: {canonicalize_name(owner) for owner in of} for name, of in packages_distributions().items()}
    hidden = sorted(name for name, of in owners.items() if not of & (needed | {"planbook", "setuptools"}))
    assert {"lxml", "pytest", "warcio"} <= set(hidden)
    (tea / "docs" / "index.md").write_text("# Tea\n\nSee [a source](https://example.org/tea).\n", encoding="utf-8")
    plugins = "plugins: [{planbook: {expand: {workers: 2}}}, planbook-speed, search]\n"
    options = f"theme: material\nvalidation: {{nav: {{omitted_files: info}}}}\n{plugins}"
    (tea / "mkdocs.yml").write_text(f"site_name: Tea\n{options}", encoding="utf-8")
    name, _, args = command.partition(" ")
    run = "from mkdocs.__main__ import cli as main" if name == "mkdocs" else "from generator.cli import main"
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden!r})); {run}; main(prog_name={name!r})"
    done = subprocess.run(
        [sys.executable, "-c", code, *args.split()],
        cwd=tea,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def planbook(root: Path, args: str, hidden: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command where the package `hidden` is not installed, and those beside the project come first."""
    hide = f"sys.modules[{hidden!r}] = None; " if hidden else ""
    code = f"import sys; {hide}from generator.cli import main; main(prog_name='planbook')"
    places = [str(root.parent / "packages"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-c", code, *args.split()],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("args", RESEARCHING)
def test_a_missing_package_is_named_with_the_command_that_installs_it(tea: Path, args: str) -> None:
    """Each command that asks hosts or reads sources says so in one line; the package is named as it is installed."""
    done = planbook(tea, args, hidden="warcio")
    assert done.returncode == 1
    assert (
        done.stderr
        == f"Error: planbook {args.split(maxsplit=1)[0]} needs the package warcio; run: {INSTALL_RESEARCH}\n"
    )


def test_a_server_needs_an_extra_of_its_own(tea: Path) -> None:
    """In one sentence that says what to install."""
    done = planbook(tea, "mcp", hidden="mcp")
    assert done.returncode == 1
    install = "python -m pip install 'path/to/planbook[mcp]'"
    assert done.stderr == f"Error: planbook mcp needs the package mcp; run: {install}\n"


@pytest.mark.parametrize("args", ["expand", "verify", "finish plans/tea.md 1"])
def test_a_package_that_cannot_be_imported_speaks_for_itself(tea: Path, args: str) -> None:
    """An error that names no package is printed itself: nothing is missing that has a name."""
    (tea.parent / "packages" / "trafilatura.py").write_text(BROKEN, encoding="utf-8")
    done = planbook(tea, args)
    assert done.returncode == 1
    what = f"needs a package that cannot be imported ({WHAT_IT_SAYS})"
    assert done.stderr == f"Error: planbook {args.split(maxsplit=1)[0]} {what}; run: {INSTALL_RESEARCH}\n"


@pytest.mark.parametrize("package", ["protego", "trafilatura"])
def test_no_command_ends_in_a_traceback(tea: Path, package: str) -> None:
    """Whichever package is missing, and whenever a command comes to need it."""
    for args in RESEARCHING:
        done = planbook(tea, args, hidden=package)
        assert "Traceback" not in done.stderr
        assert done.returncode == 0 or f"needs the package {package}; run: {INSTALL_RESEARCH}" in done.stderr


def test_a_module_of_our_own_is_no_optional_dependency(tea: Path) -> None:
    """What is missing inside Planbook is an error to report, not a package to install."""
    assert "Traceback" in planbook(tea, "expand", hidden="generator.research.select").stderr


def test_advice_is_what_the_guide_says() -> None:
    """Each command that a message gives stands in the Guide, and each extra has one."""
    guide = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "guide").glob("*.md"))
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "generator").rglob("*.py"))
    advised = set(re.findall(r"(?:_extra\(|describe_missing\(\w+, |_EXTRA = )[\"']([\w,]+)[\"']", sources))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {name for extra in advised for name in extra.split(",")} == extras.keys()
    for extra in advised:
        command = describe_missing(ModuleNotFoundError(name="x"), extra).partition("run: ")[2]
        assert f"\n{command}\n" in guide
