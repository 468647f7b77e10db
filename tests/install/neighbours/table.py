"""The Guide's table of neighbours, from the lines that runs print: one in JSON for each row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tests.conftest import ROOT
from tests.install.neighbours.projects import NEIGHBOURS

GUIDE = ROOT / "docs/guide/speed-details.md"
TABLE = re.compile(r"(<!-- neighbours -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = ("Plugin, hook or combination", "Version", "`planbook-speed`", "`planbook`", "Both", "`serve`", "Because")
MOST_REASONS = 3
IMPOSSIBLE, ALONE = "impossible", "alone"
"""Keys of the reasons why a row was not compared: it cannot be installed, or MkDocs alone fails."""
OF_ALL = ("mkdocs", "mkdocs-material", "properdocs")
"""Packages whose versions stand above the table."""


@dataclass(frozen=True)
class Line:
    """What came of a row, as a run prints it."""

    name: str
    day: str
    python: str
    versions: Mapping[str, str]
    """Of each package, and of those of `OF_ALL` that are used."""
    is_rebuilt: bool
    differences: Mapping[str, Sequence[str]]

    @property
    def is_same(self) -> bool:
        """True if no file is stale or missing, and nothing failed."""
        return not any(self.differences.values())

    def as_json(self) -> str:
        """Return the line."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> Line:
        """Return what a line has."""
        return Line(**json.loads(text))

    def cells(self) -> list[str]:
        """Return the row of the table."""
        own = [version for name, version in self.versions.items() if name not in OF_ALL]
        verdicts = [self._verdict(way) for way in ("speed", "planbook", "both", "serve")]
        reasons = [
            text if way in {IMPOSSIBLE, ALONE, "serve"} else f"{way}: {text}"
            for way, texts in self.differences.items()
            for text in texts
        ]
        return [self.name, ", ".join(own), *verdicts, "; ".join(reasons[:MOST_REASONS])]

    def with_later(self, other: Line) -> Line:
        """Return this line with the ways of a later one."""
        differences = {**self.differences, **other.differences}
        is_rebuilt = other.is_rebuilt if "speed" in other.differences else self.is_rebuilt
        return replace(other, differences=differences, is_rebuilt=is_rebuilt)

    def _verdict(self, way: str) -> str:
        if self.differences.get(ALONE):
            return "not built by MkDocs alone"
        if way not in self.differences and IMPOSSIBLE not in self.differences:
            return "not run"
        if IMPOSSIBLE in self.differences or self.differences[way]:
            return "not together"
        return "same, rebuilt" if self.is_rebuilt and way == "speed" else "same"


def write_table(paths: Iterable[Path]) -> None:
    """Write the lines of runs into the Guide, in the order of the rows; of two for one way, the later counts."""
    texts = [text for path in paths for text in path.read_text("utf-8").splitlines() if text.startswith("{")]
    by_name: dict[str, Line] = {}
    for line in map(Line.read, texts):
        by_name[line.name] = by_name[line.name].with_later(line) if line.name in by_name else line
    lines = [by_name[name] for name in NEIGHBOURS if name in by_name]
    rows = [HEAD, ["---"] * len(HEAD), *(line.cells() for line in lines)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    guide = GUIDE.read_text("utf-8")
    GUIDE.write_text(TABLE.sub(lambda match: f"{match[1]}\n{about(lines)}\n\n{table}\n\n{match[2]}", guide), "utf-8")


def about(lines: Sequence[Line]) -> str:
    """Return a sentence with the day and the versions of what all rows share."""
    days = sorted({line.day for line in lines})
    pythons = sorted({line.python for line in lines})
    named = {"mkdocs": "MkDocs", "mkdocs-material": "Material", "properdocs": "ProperDocs"}
    used = {name: sorted({line.versions[name] for line in lines if name in line.versions}) for name in OF_ALL}
    versions = [f"{named[name]} {' and '.join(numbers)}" for name, numbers in used.items() if numbers]
    return f"Run on {' and '.join(days)} with Python {' and '.join(pythons)}, {', '.join(versions)}."
