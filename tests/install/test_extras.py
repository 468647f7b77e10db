"""Optional dependencies: what a command tells a user who lacks one, or has one that cannot be imported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from planbook.cli import COMMANDS, EXTRAS, FORMER_COMMANDS
from planbook.problems import describe_missing
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


RUN = """
import sys
sys.modules.update(dict.fromkeys({hidden!r}))
if {name!r} == "mkdocs":
    from mkdocs.__main__ import cli as main
else:
    from planbook.cli import main
for args in sys.argv[1:]:
    try:
        main(args.split(), prog_name={name!r})
    except SystemExit as end:
        print(f"{{args}} ends with {{end.code}}", file=sys.stderr, flush=True)
"""


def told(root: Path, *lines: str, hidden: Iterable[str] = (), name: str = "planbook") -> list[str]:
    """The last line that each command says, with its exit code, where some packages are not installed.

    Packages beside the project come first.
    """
    places = [str(root.parent / "packages"), str(ROOT / "generator"), *filter(None, [os.environ.get("PYTHONPATH")])]
    more = {"PYTHONPATH": os.pathsep.join(places), "COLUMNS": "400"}
    quiet = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    code = RUN.format(hidden=list(hidden), name=name)
    done = subprocess.run(
        [sys.executable, "-c", code, *lines],
        cwd=root,
        env=os.environ | more | quiet,
        capture_output=True,
        text=True,
        check=False,
    )
    pieces = re.split(r"^(.*) ends with (\d+)$", done.stderr, flags=re.MULTILINE)
    assert [pieces[1::3], pieces[-1].strip()] == [list(lines), ""], done.stderr
    return [f"{code} {text.strip()}".strip() for text, code in zip(pieces[::3], pieces[2::3], strict=False)]


def test_a_plain_install_is_enough_to_build(tea: Path) -> None:
    """Sites are built, and plans and pages checked, with the required dependencies alone: all others are hidden."""
    needed = required(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"])
    owners = {name: {canonicalize_name(owner) for owner in of} for name, of in packages_distributions().items()}
    hidden = sorted(name for name, of in owners.items() if not of & (needed | {"planbook", "setuptools"}))
    assert {"lxml", "pytest", "warcio"} <= set(hidden)
    (tea / "docs" / "index.md").write_text("# Tea\n\nSee [a source](https://example.org/tea).\n", encoding="utf-8")
    plugins = "plugins: [{planbook: {expand: {workers: 2}}}, planbook-speed, search]\n"
    options = f"theme: material\nvalidation: {{nav: {{omitted_files: info}}}}\n{plugins}"
    (tea / "mkdocs.yml").write_text(f"site_name: Tea\n{options}", encoding="utf-8")
    assert told(tea, "build --strict --quiet", hidden=hidden, name="mkdocs") == ["0"]
    assert told(tea, "status", "check", "cite docs", "brief tea 1", hidden=hidden) == ["0"] * 4


def test_a_missing_package_is_named_with_the_command_that_installs_it(tea: Path) -> None:
    """Each command that asks hosts or reads sources says so in one line; the package is named as it is installed."""
    for package in ("warcio", "protego", "trafilatura"):
        said = told(tea, *RESEARCHING, hidden=[package])
        for line, command in zip(said, RESEARCHING, strict=True):
            name = command.split(maxsplit=1)[0]
            missing = f"1 Error: planbook {name} needs the package {package}; run: {INSTALL_RESEARCH}"
            assert line == missing or (package != "warcio" and line.startswith("0"))


def test_a_server_needs_an_extra_of_its_own(tea: Path) -> None:
    """In one sentence that says what to install."""
    install = "python -m pip install 'path/to/planbook[mcp]'"
    assert told(tea, "mcp", hidden=["mcp"]) == [f"1 Error: planbook mcp needs the package mcp; run: {install}"]


def test_a_package_that_cannot_be_imported_speaks_for_itself(tea: Path) -> None:
    """An error that names no package is printed itself: nothing is missing that has a name."""
    (tea.parent / "packages" / "trafilatura.py").write_text(BROKEN, encoding="utf-8")
    what = f"needs a package that cannot be imported ({WHAT_IT_SAYS})"
    names = [command.split(maxsplit=1)[0] for command in RESEARCHING]
    assert told(tea, *RESEARCHING) == [f"1 Error: planbook {name} {what}; run: {INSTALL_RESEARCH}" for name in names]


def test_a_module_of_our_own_is_no_optional_dependency(tea: Path) -> None:
    """What is missing inside Planbook is an error to report, not a package to install."""
    with pytest.raises(AssertionError, match="ModuleNotFoundError: import of planbook"):
        told(tea, "expand", hidden=["planbook.research.selection"])


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


def test_the_help_names_each_extra_and_the_commands_that_need_it() -> None:
    """The commands below an extra are those that `needs_extra` guards with it; each extra is named."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert EXTRAS.keys() == extras.keys()
    guarded: dict[str, set[str]] = {}
    for path in (ROOT / "generator" / "planbook" / "cli").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for extra, name in re.findall(r'@project\.needs_extra\("(\w+)"\)\ndef (\w+?)(?:_command)?\(', text):
            guarded.setdefault(extra, set()).add(name)
    for extra, names in guarded.items():
        assert names - FORMER_COMMANDS.keys() == set(
            re.findall(r"\b(?:" + "|".join(COMMANDS) + r")\b", EXTRAS[extra])
        ), extra
