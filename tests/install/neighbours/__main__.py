"""Builds and serves a site beside each of the plugins that people use, after each kind of change: `make neighbours`.

With `--shard 2/4`, it runs a part. It prints a line in JSON for each row, and exits with 1 if a file is stale or
missing, or a build fails. With `--table FILE...`, it writes such lines into the Guide.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import ROOT
from tests.install.environment import Environment
from tests.install.neighbours.compared import REFERENCES, Project
from tests.install.neighbours.projects import NEIGHBOURS, Neighbour
from tests.install.neighbours.table import ALONE, IMPOSSIBLE, Line, write_table

VERSIONS = (
    "import importlib.metadata as m, json, platform, sys\n"
    "print(json.dumps([platform.python_version(), {name: m.version(name) for name in sys.argv[1:]}]))"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Install, build, compare, and print a line for each row."""
    parser = argparse.ArgumentParser(prog="python -m tests.install.neighbours", description=__doc__)
    parser.add_argument("--shard", default="1/1", help="which part, such as 2/4")
    parser.add_argument("--only", nargs="*", help="names of rows")
    parser.add_argument("--ways", nargs="+", choices=[*REFERENCES, "serve"], help="ways to build (default: all)")
    parser.add_argument("--environment", type=Path, help="one that has the plugins")
    parser.add_argument("--table", type=Path, nargs="+", help="files of lines to write into the Guide")
    options = parser.parse_args(arguments)
    if options.table:
        write_table(options.table)
        return 0
    part, parts = map(int, options.shard.split("/"))
    names = (options.only or [*NEIGHBOURS])[part - 1 :: parts]
    with tempfile.TemporaryDirectory(prefix="planbook-neighbours-") as top:
        if options.environment:
            environment = Environment(options.environment.absolute())
        else:
            environment = _new_environment(Path(top), [NEIGHBOURS[name] for name in names])
        all_same = True
        for name in names:
            line = _line(name, environment, Path(top, "site"), options.ways or [*REFERENCES, "serve"])
            print(line.as_json(), flush=True)
            all_same &= line.is_same or bool(NEIGHBOURS[name].impossible)
    return int(not all_same)


def _new_environment(top: Path, rows: Sequence[Neighbour]) -> Environment:
    """Return a new environment with the newest versions of all that the rows need."""
    packages = {package for row in rows for package in row.requirements} | {row.engine for row in rows}
    environment = Environment.make(top / "environment")
    environment.install(str(ROOT), *sorted(packages))
    return environment


def _line(name: str, environment: Environment, root: Path, ways: Sequence[str]) -> Line:
    row = NEIGHBOURS[name]
    packages = dict.fromkeys([*row.requirements, row.engine, "mkdocs-material"])
    python, versions = json.loads(environment.run("python", "-c", VERSIONS, *packages))
    if row.impossible:
        differences = {IMPOSSIBLE: [row.impossible]}
        is_rebuilt = False
    else:
        outcome = Project(environment, row, root, ways).compare()
        differences = (
            {**outcome.differences, ALONE: [outcome.fails_alone]} if outcome.fails_alone else outcome.differences
        )
        is_rebuilt = outcome.is_rebuilt
    day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return Line(name, day, python, versions, is_rebuilt, differences)


if __name__ == "__main__":
    sys.exit(main())
