"""Print our error rates on public sets beside the published ones."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.quality import answers, pages, reports
from bench.quality.table import HEAD, ROWS, Figure, Row, line

SETS = {
    "wcxb": "the Web Content Extraction Benchmark",
    "clapnq": "CLAPnq",
    "reports": "the public reports in claims.yml, with their sources (see bench/quality/reports.py)",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = parsed(arguments)
    folders = {name: getattr(options, name) for name in SETS if getattr(options, name)}
    figures: dict[str, Figure] = {}
    print(f"Split: {options.split}\n\n{HEAD}", flush=True)
    for row in ROWS:
        if not options.rows or row.name in options.rows:
            figure = measured(row, folders, options.split)
            print(line(row, figure), flush=True)
            figures |= {} if figure is None else {row.name: figure}
    if options.json:
        found = {name: asdict(figure) for name, figure in figures.items()}
        options.json.write_text(json.dumps({"split": options.split, "rows": found}, indent=2) + "\n", encoding="utf-8")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line's arguments."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    for name, title in SETS.items():
        parser.add_argument(f"--{name}", type=Path, metavar="FOLDER", help=f"a folder with {title}")
    parser.add_argument("--split", choices=("dev", "held-out"), default="dev", help="(default: dev)")
    parser.add_argument("--rows", nargs="+", choices=[row.name for row in ROWS], metavar="ROW", help="(default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    return parser.parse_args(arguments)


def measured(row: Row, folders: Mapping[str, Path], split: str) -> Figure | None:
    """Return the figure of a row; ``None`` if its set was not given."""
    if row.needs not in folders:
        return None
    kind = row.name.partition("-")[0]
    folder = folders[row.needs]
    if kind in {"answers", "abstains"}:
        return answers.measured(row.name, folder, split)
    if kind == "claims":
        return reports.measured(row.name, folder, split)
    return pages.measured(row.name, folder, split)


if __name__ == "__main__":
    main()
