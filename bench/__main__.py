"""Print the benchmark's table, and exit with 1 where a limit is exceeded."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from bench.base import REAL_PAGES
from bench.builds import COMMANDS, Bench, command
from bench.table import GROWN, ROWS, Report, tell, tell_growth
from bench.time_limit import TimeLimit
from bench.tree import Cost, compile_modules, run
from tests.conftest import ROOT

SIZES = {"pages": (REAL_PAGES, 100), "of_commands": (1300, 150), "repeats": (3, 1)}
"""Of what is measured, and with `--quick`."""
GROWTH = (REAL_PAGES, 2_500, 10_000)
"""Pages of the bases that `--growth` builds once each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    options = parsed(arguments)
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    rows = [row for row in ROWS if not options.rows or row.name in options.rows]
    wanted = {name for row in rows for name in (row.figure, row.beside)} - {""}
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    times = f"within {options.minutes:g} minutes" if options.minutes else "without a limit of time"
    runs = f"medians of at most {options.repeats}"
    print(f"{options.pages} pages; {runs}, {times}; {cores} cores; load before: {load:.1f}", flush=True)
    compile_modules()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="planbook-bench-") as name:
        folder = Path(name)
        figures = measured(wanted, options, folder)
        print()
        tell(rows, figures, report, has_limits=options.pages >= REAL_PAGES)
        if options.growth:
            tell_growth({pages: grown(pages, folder) for pages in options.growth}, report)
    return int(report.is_exceeded)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line's arguments."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [row.name for row in ROWS]
    parser.add_argument(
        "--rows", nargs="+", choices=names, metavar="ROW", help=f"of: {', '.join(names)} (default: all)"
    )
    parser.add_argument("--pages", type=int, help="pages of the base (default: 832)")
    parser.add_argument(
        "--growth", type=int, nargs="*", metavar="PAGES", help="how times grow (default: 832, 2,500 and 10,000 pages)"
    )
    parser.add_argument("--of-commands", type=int, help="pages of the base for the command line (default: 1300)")
    parser.add_argument("--repeats", type=int, help="most runs of each kind (default: 3)")
    parser.add_argument(
        "--minutes",
        type=float,
        default=10,
        help="time for all runs; what takes longer is left out (default: 10; 0: none)",
    )
    parser.add_argument("--cores", type=int, help="how many cores everything may use (default: all)")
    parser.add_argument("--plain", type=float, metavar="SECONDS", help="plain's build, as measured before")
    parser.add_argument(
        "--quick", action="store_true", help="small bases, each built once; limits do not hold for them"
    )
    options = parser.parse_args(arguments)
    for name, (usual, quick) in SIZES.items():
        if getattr(options, name) is None:
            setattr(options, name, quick if options.quick else usual)
    options.growth = GROWTH if options.growth == [] else options.growth
    return options


def measured(wanted: set[str], options: argparse.Namespace, folder: Path) -> Mapping[str, Sequence[float]]:
    """Take the wanted figures, on new bases."""
    wanted = {name.removesuffix(" MiB") for name in wanted} | ({"plain"} if "plain by pages" in wanted else set())
    figures: dict[str, list[float]] = {}
    limit = TimeLimit(options.minutes)
    if options.plain:
        figures["plain"] = [options.plain]
        wanted.discard("plain")
    bench = None
    if wanted - COMMANDS.keys() - {"help", "status-22", "plain by pages"}:
        bench = Bench.made(folder / "base", options.pages, options.repeats, limit)
        bench.build(wanted, 0)
        bench.serve(wanted)
    of_commands: dict[str, list[float]] = {}
    if wanted & COMMANDS.keys() and limit.allows("first command"):
        large = Bench.made(folder / "commands", options.of_commands, options.repeats, limit)
        large.commands(wanted)
        of_commands = large.figures
    if bench is not None:
        for turn in range(1, options.repeats):  # each row has a figure now, if the time allows it
            bench.build(wanted, turn)
        figures |= bench.figures
        show(bench.costs)
    figures |= of_commands
    figures["plain by pages"] = [s * options.of_commands / options.pages for s in figures.get("plain", ())]
    for name, asked in (("help", ["--help"]), ("status-22", ["status"])):
        if name in wanted:
            figures[name] = [run([command("planbook"), *asked], ROOT).whole_s for _ in range(options.repeats)]
    return figures


def grown(pages: int, folder: Path) -> Mapping[str, Sequence[float]]:
    """Take the figures that grow with the pages, once each, on a new base whose pages show their section alone.

    With the whole navigation on each page, the site itself grows with the square.
    """
    bench = Bench.made(folder / str(pages), pages, 1, TimeLimit(0), is_pruned=True)
    wanted = {f"whole {name}" for name in GROWN}
    bench.build(wanted, 0)
    bench.serve(wanted)
    show(bench.costs)
    return bench.figures


def show(costs: Mapping[str, Sequence[Cost]]) -> None:
    """Print what each kind of build cost: by the clock, of all processors, and of memory."""
    print(f"{'':34} {'clock':>9} {'processors':>11} {'memory':>8} {'runs':>5}")
    for name, found in costs.items():
        clock, processors, memory = (
            median(values) for values in zip(*((c.whole_s, c.cpu_s, c.peak_mib) for c in found), strict=True)
        )
        print(f"{name:34} {clock:8.2f}s {processors:10.2f}s {memory:5.0f}MiB {len(found):5}")


if __name__ == "__main__":
    sys.exit(main())
