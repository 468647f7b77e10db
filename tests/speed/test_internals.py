"""What planbook-speed needs of other packages' internals was compared with the versions that are installed."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

from planbook_speed.search import indexes_as_material
from tests.conftest import ROOT

CHECKED = {
    **{"mkdocs": "1.6.1", "properdocs": "1.6.7", "mkdocs-material": "9.8.1", "Jinja2": "3.1.6"},
}
"""The versions that this module was checked against."""


def test_the_versions_are_checked() -> None:
    """With another version of a package: compare `internals` with its code and its changelog, then note the version."""
    assert {name: metadata.version(name) for name in CHECKED} == CHECKED


def test_the_code_of_material_is_known() -> None:
    """Our index of a page is that of Material's version that we test with."""
    assert indexes_as_material()


@pytest.mark.parametrize("path", sorted((ROOT / "generator/planbook_speed").glob("*.py")), ids=lambda path: path.stem)
def test_private_names_are_used_in_one_module(path: Path) -> None:
    """No other module imports a private name of another package."""
    private = re.findall(r"^from (?!planbook)[\w.]+ import .*\b_[a-z]\w*", path.read_text("utf-8"), re.MULTILINE)
    assert private == [] or path.stem == "internals"
