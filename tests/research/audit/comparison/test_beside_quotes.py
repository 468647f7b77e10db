"""What stands beside a quote that is in its source: figures, short quotes, names, and lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.research.proof.quantities import read_quantities
from tests.files import put

TEA = """# Tea

The shop calls it "the first kettle of steel that sings" with up to 70% less noise in the room.

Steep the leaf of the green bush. Read [it](https://tea.test/7d442ec4-77cd-4a46-8eb1-122aab6edc7e).

Water at 80 degrees keeps the catechins in the leaf, plus the one of the lid, and nothing else of the pot.
"""
OATS = "# Oats\n\nOats are sown in the spring, and 30% of them in the autumn, 41 days later.\n"
KETTLE = """def boil_water(seconds):
    raise ValueError("The kettle of steel is not filled with water, "
                     f"but has {seconds} seconds of heat")


def pour_water(cups):
    return atomic_pour(cups)


def clean():
    pass  # wash the kettle with vinegar once a week, and rinse it after
"""
FILES = {"raw/tea.md": TEA, "raw/oats.md": OATS, "src/kettle.py": KETTLE}
QUOTE = '"the first kettle of steel that sings"'
HEAD = "---\nsources: [raw/tea.md, raw/oats.md]\n---\n"
LINES = "`src/kettle.py:7-8`"
VINEGAR = "wash the kettle with vinegar once a week, rinse it after"


def audited(root: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> dict[str, Any]:
    """The only claim of a page beside some files."""
    put(root, {**FILES, "page.md": page})
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (claim,) = json.loads(done.stdout)["claims"]
    assert isinstance(claim, dict)
    return claim


CLAIMS = {
    "its figure": (f"{HEAD}The shop calls it {QUOTE} with up to 70% less noise.", "found verbatim"),
    "a figure of another source of the page": (
        f"{HEAD}The shop calls it {QUOTE} with up to 30% less noise.",
        "figures differ",
    ),
    "such a figure of something else": (f"{HEAD}The shop calls it {QUOTE} for 41 people.", "not judged"),
    "a figure of no source": (f"{HEAD}The shop calls it {QUOTE} for 433 people.", "not found"),
    "digits of an address": (
        f"{HEAD}The shop calls it {QUOTE} with up to 77% less noise.",
        "not found",
    ),
    "a short quote": (f'The shop calls it {QUOTE} of "the green bush". ^[raw/tea.md]', "found verbatim"),
    "a short quote of other words": (f'The shop calls it {QUOTE} of "the red bush". ^[raw/tea.md]', "not judged"),
    "a name in the cited lines": (
        'It says "def boil_water(seconds): raise ValueError" in `boil_water` (`src/kettle.py:1-2`).',
        "not judged",
    ),
    "a name in other lines": (
        f'It says "pass # wash the kettle with vinegar once a week, and rinse it after" (`src/kettle.py:11`), '
        f"and fills by `boil_water` ({LINES}).",
        "not judged",
    ),
    "a name in these lines": (
        f'It says "pass # wash the kettle with vinegar once a week, and rinse it after" (`src/kettle.py:11`), '
        f"and fills by `atomic_pour` ({LINES}).",
        "found verbatim",
    ),
    "two strings of a program": (
        'It says "The kettle of steel is not filled with water, but has {seconds} seconds of heat". ^[src/kettle.py]',
        "found verbatim",
    ),
    "similar words in the cited lines": (f'It says "{VINEGAR}" (`src/kettle.py:11`).', "inexact quote"),
    "similar words in other lines": (f'It says "{VINEGAR}" (`src/kettle.py:1-3`).', "not judged"),
    "a limit put in": (
        'It says "Water at 80 degrees keeps exactly the catechins in the leaf". ^[raw/tea.md]',
        "not judged",
    ),
    "a limit left out": (
        'It says "keeps the catechins in the leaf, the one of the lid, and of the pot". ^[raw/tea.md]',
        "not judged",
    ),
}


@pytest.mark.parametrize(("page", "verdict"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim_is_found_with_all_that_stands_beside_its_quote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, verdict: str
) -> None:
    """Else its figures differ, or a reader has to look."""
    found = audited(tmp_path, monkeypatch, f"{page}\n")
    assert found["verdict"] == verdict, found["reason"]


def test_a_file_that_begins_a_sentence_is_of_this_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no source of the sentence before it, as a number or a footnote would be."""
    page = "The water is poured in the room by hand. `src/kettle.py:7` already pours the water by itself.\n"
    found = audited(tmp_path, monkeypatch, page)
    assert found["claim"] == "already pours the water by itself."


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("see 7d442ec4-77cd-4a46-8eb1-122aab6edc7e", []),
        ("at 4a5bd9117c0e44aa15d99c4077a3d5e1f0a1b2c3", []),
        ("from 2026-06-09-2026-06-10", ["2026", "6", "9", "2026", "6", "10"]),
        ("ISBN 978-3-16-148410-0", ["978", "3", "16", "148410", "0"]),
    ],
)
def test_the_digits_of_a_hash_are_no_figures(text: str, digits: list[str]) -> None:
    """Dates and numbers of books have no letters."""
    assert [quantity.text for quantity in read_quantities(text)] == digits
