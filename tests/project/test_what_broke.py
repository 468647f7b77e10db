"""The page on what broke: each row names a release, and so does its evidence."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import frontmatter
import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "overview" / "what-broke.md"
EXPERIMENTS = ROOT / "docs" / "assets" / "experiments"
RELEASES = EXPERIMENTS / "results" / "torch_releases.json"

CITED = re.compile(r"@([\w-]+), (q\d+)")
RELEASE = re.compile(r"\b\d+\.\d+\b")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of changes: the releases that it claims, and the quotes that it cites."""

    releases: tuple[str, ...]
    quotes: tuple[str, ...]
    text: str


def rows_of(text: str) -> Iterator[Row]:
    """Yield the rows of the tables whose first column is headed "From"."""
    page = frontmatter.loads(text)
    references = cast("list[dict[str, Any]]", page["references"])
    quotes = {(r["id"], q): s for r in references for q, s in r["custom"]["quotes"].items()}
    in_table = False
    for line in page.content.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            in_table = False
        elif cells[0] == "From":
            in_table = True
        elif in_table and not cells[0].startswith("---"):
            cited = tuple(quotes[one] for one in CITED.findall(line))
            yield Row(tuple(RELEASE.findall(cells[0])), cited, line)


def unnamed(row: Row) -> list[str]:
    """Return the releases that no quote of the row names; none, if it cites none."""
    named = {release for quote in row.quotes for release in RELEASE.findall(quote)}
    return [release for release in row.releases if row.quotes and release not in named]


def test_rows() -> None:
    """Each row claims a release, and one of its quotes names it, or it links to a measurement or page."""
    rows = list(rows_of(PAGE.read_text()))
    assert len(rows) > 40
    worksheet = "notes-213-quantization"  # the path of the worksheet names the release, its text does not
    assert [row.text for row in rows if unnamed(row) and worksheet not in row.text] == []
    assert [row.text for row in rows if not row.releases] == []
    assert [row.text for row in rows if not row.quotes and "](" not in row.text and "][" not in row.text] == []


@pytest.mark.parametrize(
    ("release", "quote", "missing"),
    [
        ("2.15", "In Release 2.14, CUDA 13.2 is the default", ["2.15"]),
        ("2.15", "This RFC removes the legacy build in 2.15.", []),
        ("2.1", "Starting with PyTorch 2.11", ["2.1"]),
        ("13.0", "removed in CUDA 13.0", []),
    ],
)
def test_unnamed(release: str, quote: str, missing: list[str]) -> None:
    """A quote of another release does not carry a row, nor does one whose number only begins alike."""
    head = f"---\nreferences: [{{id: a, custom: {{quotes: {{q1: '{quote}'}}}}}}]\n---\n"
    (row,) = rows_of(f"{head}| From | Ground |\n| --- | --- |\n| {release} | [@a, q1] |\n")
    assert unnamed(row) == missing


def test_metadata() -> None:
    """The table of releases is what the script makes of the metadata that it read."""
    script = EXPERIMENTS / "torch_releases.py"
    command = [sys.executable, str(script), "--table", str(RELEASES)]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert table in PAGE.read_text()


def test_rows_from_metadata() -> None:
    """What rows say of the default wheel is in the metadata: CUDA 13.0 from 2.11, 13.2 and Python 3.11 from 2.15."""
    read = {r["release"]: r for r in json.loads(RELEASES.read_text())["releases"]}
    assert {r["cuda"][:4] for name, r in read.items() if name < "2.11" and name > "2.1"} == {"12.8"}
    assert {read[name]["cuda"][:4] for name in ("2.11.0", "2.12.0", "2.13.0", "2.14.0", "2.14.1")} == {"13.0"}
    assert read["2.15.0"]["cuda"].startswith("13.2")
    assert [read[name]["requires_python"] for name in ("2.14.1", "2.15.0")] == [">=3.10", ">=3.11"]


def test_eager_bmm() -> None:
    """The row on `torch.bmm` and the table it leads to name the releases that the script found."""
    needs_triton = "goes to Triton: yes; only if Triton's driver starts: no"
    falls_back = "only if Triton's driver starts: yes"
    lines = (EXPERIMENTS / "results" / "native_bmm.txt").read_text().splitlines()
    facts = dict(line.split(" ", 1) for line in lines)
    assert [release for release, fact in facts.items() if needs_triton in fact] == ["2.13.0", "2.14.0", "2.14.1"]
    assert [release for release, fact in facts.items() if falls_back in fact] == ["2.15.0"]
    (row,) = (row for row in rows_of(PAGE.read_text()) if "torch.bmm" in row.text)
    assert row.releases == ("2.13",)
    assert "In 2.15.0 it falls back" in row.text
    table = (ROOT / "docs" / "cuda" / "61-what-a-pytorch-image-must-hold.md").read_text()
    assert "| 2.13.0, 2.14.0, 2.14.1 | a Triton kernel | fails:" in table
