"""Files that a page names without their folders: one of several, one in other letters, one of another tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbook.cli import main
from tests.files import put

KETTLE = "def heat_water(seconds):\n    return seconds\n\n\ndef pour_water(cups):\n    return cups\n"
POINTS_AT = "The kettle stops when `boil_water` returns to its caller"


def audited(root: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], page: str) -> list[dict[str, Any]]:
    """The claims of a page in a folder of notes."""
    put(root, {**files, "docs/tea/page.md": page})
    monkeypatch.chdir(root)
    arguments = ["audit", "docs/tea/page.md", "--root", ".", "--offline", "--format", "json"]
    claims: list[dict[str, Any]] = json.loads(CliRunner().invoke(main, arguments).stdout)["claims"]
    return claims


WHOLE = "The lid of the kettle is closed (`src/shop/kettle.py:1`).\n\n"
GONE = "The shop opens at noon (`shop/door.py:3`).\n\nThe till is old (`shop/till.py:4`).\n\n"

# Files, page and the verdict on its last claim.
GUESSES = {
    "the only file of this name": (
        {"src/shop/kettle.py": KETTLE},
        f"{POINTS_AT} (`kettle.py:90`).\n",
        "not found",
    ),
    "one of two, below a folder that may be of sources": (
        {"src/transcripts/kettle.py": KETTLE, "src/shop/kettle.py": KETTLE},
        f"{POINTS_AT} (`kettle.py:90`).\n",
        "unreadable",
    ),
    "one of two, in which the text is": (
        {"src/transcripts/kettle.py": KETTLE, "src/shop/kettle.py": KETTLE},
        "They write `return seconds` there, it says (`kettle.py:2`).\n",
        "not judged",
    ),
    "other letters": (
        {"docs/ui/agents.md": "# Agents\n"},
        f"{POINTS_AT} (`AGENTS.md:90`).\n",
        "unreadable",
    ),
    "of the page's own whole path": (
        {"src/transcripts/kettle.py": KETTLE, "src/shop/kettle.py": KETTLE},
        f"{WHOLE}{POINTS_AT} (`kettle.py:90`).\n",
        "not found",
    ),
    "of two whole paths of the page": (
        {"src/transcripts/kettle.py": KETTLE, "src/shop/kettle.py": KETTLE},
        f"{WHOLE}The other one is src/transcripts/kettle.py.\n\n{POINTS_AT} (`kettle.py:90`).\n",
        "unreadable",
    ),
    "a page on another tree": (
        {"package.json": "{}\n"},
        f"{GONE}{POINTS_AT} (`package.json:90`).\n",
        "unreadable",
    ),
    "a page on this tree": (
        {"package.json": "{}\n", "shop/door.py": KETTLE, "shop/till.py": KETTLE},
        f"{GONE}{POINTS_AT} (`package.json:90`).\n",
        "not found",
    ),
}


@pytest.mark.parametrize(("files", "page", "verdict"), GUESSES.values(), ids=GUESSES)
def test_what_a_guessed_file_lacks_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], page: str, verdict: str
) -> None:
    """The page may mean another file; what is there counts."""
    found = audited(tmp_path, monkeypatch, files, page)[-1]
    assert found["verdict"] == verdict, found["reason"]
    assert verdict != "unreadable" or "may mean another file" in found["reason"]


def test_a_guessed_file_without_the_lines_is_not_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not read: the exit status is that of an audit without an error."""
    files = {"docs/ui/agents.md": "# Agents\n"}
    (found,) = audited(tmp_path, monkeypatch, files, f"{POINTS_AT} (`AGENTS.md:90`).\n")
    assert [source["state"] for source in found["sources"]] == ["not read"]
    assert "A001" not in found["codes"]


def test_a_whole_path_of_the_page_is_read_for_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two files of the name, that which the page cites in full."""
    files = {"src/shop/kettle.py": KETTLE, "src/store/kettle.py": "\n"}
    found = audited(tmp_path, monkeypatch, files, f"{WHOLE}{POINTS_AT} (`kettle.py:2`).\n")
    assert [source["URL"] for source in found[-1]["sources"]] == ["src/shop/kettle.py#L2-L2"]
