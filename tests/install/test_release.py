"""What a release would publish holds what it should, and what it should not publish is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from planbook import __version__
from tests.conftest import ROOT
from tests.install.documented import CHECKS, documented
from tests.install.release import (
    ABOUT,
    NAME,
    build,
    problems_of,
    sdist_problems,
    server_problems,
    tag_problems,
    tracked,
    wheel_problems,
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist and the wheel of this working tree."""
    return build(tmp_path_factory.mktemp("dist"))


@pytest.mark.nightly
def test_what_is_built_can_be_published(built: tuple[Path, Path]) -> None:
    """The files that git knows are in it and no others, and an index takes its metadata."""
    assert problems_of(*built) == []


def test_files_that_are_missing_or_do_not_belong_are_named() -> None:
    """Both the wheel and the sdist are compared with the files that they should have."""
    code = {path.removeprefix("generator/") for path in tracked("generator")}
    wheel = code | {f"{NAME}.dist-info/{name}" for name in ABOUT}
    assert list(wheel_problems(wheel - {"planbook/py.typed"} | {"generator/__init__.py"})) == [
        "wheel: planbook/py.typed is missing",
        "wheel: generator/__init__.py does not belong there",
    ]
    sdist = set(sdist_problems({f"{NAME}/PKG-INFO", f"{NAME}/plans/tea.md"}))
    assert {"sdist: pyproject.toml is missing", "sdist: plans/tea.md does not belong there"} <= sdist


def test_the_mcp_registry_takes_the_server() -> None:
    """The name stands in the README, the versions are the package's; each difference is named."""
    text, readme = (ROOT / "server.json").read_text("utf-8"), (ROOT / "README.md").read_text("utf-8")
    assert list(server_problems(text, readme)) == []
    assert list(server_problems(text, "# Tea")) == [
        "server.json: the README has no comment `mcp-name: io.github.planbook/planbook`"
    ]
    older = text.replace(f'"version": "{__version__}"', '"version": "0.0.9"')
    assert list(server_problems(older, readme)) == [
        f"server.json: the version is 0.0.9, and that of the package is {__version__}"
    ]


def test_each_install_of_the_guide_is_tried() -> None:
    """`make installs` has a check for each command that the Guide gives, and for no other."""
    assert CHECKS.keys() == documented().keys()


def test_a_tag_is_that_of_a_version_with_its_changes() -> None:
    """Another tag is refused, and so is a version that the changelog does not know."""
    assert next(tag_problems("v9.9")).startswith(f"the tag is v9.9, and the version {__version__};")
    assert list(tag_problems(f"v{__version__}")) == [f"CHANGELOG.md has no section [{__version__}]"]
