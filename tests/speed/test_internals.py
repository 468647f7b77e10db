"""What planbook-speed needs of other packages' internals was compared with the versions that are installed."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

from generator.speed import internals
from tests.conftest import ROOT


def test_the_versions_are_checked() -> None:
    """With another version of a package: compare `internals` with its code and its changelog, then note the version."""
    assert {name: metadata.version(name) for name in internals.CHECKED} == internals.CHECKED


def test_the_code_of_material_is_known() -> None:
    """The search plugin of the version that we test with is one that ours was compared with."""
    assert internals.code_of_index() in internals.KNOWN_INDEX
    assert internals.code_of_parser() in internals.KNOWN_PARSER


@pytest.mark.parametrize("path", sorted((ROOT / "generator/speed").glob("*.py")), ids=lambda path: path.stem)
def test_private_names_are_used_in_one_module(path: Path) -> None:
    """No other module imports a private name of another package."""
    private = re.findall(r"^from (?!generator)[\w.]+ import .*\b_[a-z]\w*", path.read_text("utf-8"), re.MULTILINE)
    assert private == [] or path.stem == "internals"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\!\[", "!["),
        (r"(?<!\!)\[", "["),
        (r"(?:(?<!\\)((?:\\{2})+)(?=`+)|(?<!\\)`)", "`"),
        (r"<([a-z]+://[^<>]*)>", "://"),
        (r"\*|_", ""),
        (r"(?:ab)?c*", ""),
        (r"(?i)a", ""),
        (r"(?i:a)b", "b"),
    ],
)
def test_the_text_that_a_pattern_requires(pattern: str, text: str) -> None:
    """A pattern is skipped only where no text matches it."""
    assert internals.required_text(re.compile(pattern)) == text
