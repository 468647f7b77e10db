"""Print the benchmark's table, and exit with 1 where a limit is exceeded."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench import race
from tests.bench.measure import Timing, build, prepare, seconds
from tests.conftest import ROOT

SIZES = (100, 300, 1000)
REPEATS = {100: 3, 300: 3}
"""Builds of each kind; one where a build is long enough to be steady by itself."""
SHOWS = 7

OWN_OF_WHOLE = 0.05
"""The generator's own work may be this much of the whole build (the issue's limit)."""
CITATIONS_OF_WHOLE = 0.05
"""Finding what pages cite and link to, and showing it, may add this much to a build."""
AGENTS_OF_WHOLE = 0.02
"""The files for agents (a twin of each page, with what it cites as YAML) are a part that a site may switch off."""
WHOLE_OF_PLAIN = 1.6
"""A build with the plugin beside one without. The lesser part of the difference is the plugin's own work: Markdown
renders lists and links that a plain build shows as running text, and a list of the works cited on each page; the search
reads them; and there are pages that a plain build has not (INDEX, progress, sources, graph)."""
GROWTH = 1.3
"""Beside linear growth, from the second largest size to the largest."""
SHOW_OF_START = 60
"""`planbook show` of our 22 PARTs beside a Python that does nothing."""


@dataclass(frozen=True)
class Row:
    """What was measured on one size."""

    pages: int
    plain: Timing
    ours: Timing

    @property
    def own_of_whole(self) -> float:
        """The generator's own work beside the whole build."""
        return self.ours.own_s / self.ours.whole_s

    @property
    def citations_of_whole(self) -> float:
        """Finding the works cited beside the whole build."""
        return self.ours.citations_s / self.ours.whole_s

    @property
    def agents_of_whole(self) -> float:
        """Making the files for agents beside the whole build."""
        return self.ours.agents_s / self.ours.whole_s

    @property
    def whole_of_plain(self) -> float:
        """The build with the plugin beside the one without."""
        return self.ours.whole_s / self.plain.whole_s


def middle(timings: list[Timing]) -> Timing:
    """The timing of the median build."""
    return sorted(timings, key=lambda timing: timing.whole_s)[len(timings) // 2]


def measured(pages: int, repeats: int) -> Row:
    """Both builds of a base, in turn, so that what slows the machine slows both."""
    with tempfile.TemporaryDirectory(prefix="planbook-bench-") as folder:
        prepare(Path(folder), pages)
        plain, ours = [], []
        for _ in range(repeats):
            plain.append(build(Path(folder), "plain"))
            ours.append(build(Path(folder), "planbook"))
        return Row(pages, middle(plain), middle(ours))


def show_of_start() -> tuple[float, float]:
    """Seconds of `planbook show` on our own plans, and of a Python that does nothing."""
    planbook = str(Path(sys.executable).with_name("planbook"))
    shown = [seconds([planbook, "show", "plans", "--json"], ROOT) for _ in range(SHOWS)]
    started = [seconds([sys.executable, "-c", "pass"], ROOT) for _ in range(SHOWS)]
    return median(shown), median(started)


class Report:
    """Prints ratios beside their limits, and remembers whether one was exceeded."""

    def __init__(self) -> None:
        self.is_exceeded = False

    def ratio(self, name: str, value: float, limit: float) -> None:
        """One ratio."""
        verdict = "" if value <= limit else "   EXCEEDED"
        self.is_exceeded |= value > limit
        print(f"{name:58} {value:8.3f}   limit {limit:g}{verdict}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--pages", type=int, nargs="*", default=SIZES, help="sizes of the bases (default: %(default)s)")
    parser.add_argument("--repeats", type=int, help="builds of each kind (default: 3, and 1 above 300 pages)")
    parser.add_argument("--race", type=int, nargs="*", default=race.SIZES, help="sizes of the race of planbook-speed")
    parser.add_argument(
        "--whole", type=int, nargs="*", default=race.WHOLE, help="sizes of the race of planbook-speed with planbook"
    )
    parser.add_argument("--race-repeats", type=int, default=3, help="builds of each kind in the races")
    parser.add_argument("--serves", type=int, default=3, help="pages saved while serving, in the races; 0 for none")
    parser.add_argument("--no-growth", dest="growth", action="store_false", help="leave out 1,000 and 3,000 pages")
    options = parser.parse_args()
    report = Report()
    if options.pages:
        generator(options, report)
    for pages in options.race:
        race.race(pages, options.race_repeats, options.serves, report)
    for pages in options.whole:
        race.race(pages, options.race_repeats, options.serves, report, has_planbook=True)
    if options.growth:
        race.growth(options.race_repeats, report)
    return int(report.is_exceeded)


def generator(options: argparse.Namespace, report: Report) -> None:
    """What the generator itself costs."""
    rows = []
    print(f"{'pages':>6} {'plain':>9} {'planbook':>9} {'own work':>9}   stages of the own work")
    for pages in sorted(options.pages):
        row = measured(pages, options.repeats or REPEATS.get(pages, 1 if pages > max(REPEATS) else 3))
        stages = ", ".join(f"{name} {spent_s:.2f}" for name, spent_s in Counter(row.ours.stages_s).most_common())
        print(
            f"{pages:6} {row.plain.whole_s:8.2f}s {row.ours.whole_s:8.2f}s {row.ours.own_s:8.2f}s   {stages}",
            flush=True,
        )
        rows.append(row)
    print()
    for row in rows:
        report.ratio(f"{row.pages} pages: own work / whole build", row.own_of_whole, OWN_OF_WHOLE)
        report.ratio(
            f"{row.pages} pages: finding works cited / whole build", row.citations_of_whole, CITATIONS_OF_WHOLE
        )
        report.ratio(f"{row.pages} pages: files for agents / whole build", row.agents_of_whole, AGENTS_OF_WHOLE)
        report.ratio(f"{row.pages} pages: build with planbook / plain", row.whole_of_plain, WHOLE_OF_PLAIN)
    for small, large in zip(rows[-2:-1], rows[-1:], strict=False):
        linear = large.pages / small.pages
        name = f"{small.pages} to {large.pages} pages: growth / linear"
        report.ratio(f"{name}, whole build", large.ours.whole_s / small.ours.whole_s / linear, GROWTH)
        report.ratio(f"{name}, own work", large.ours.own_s / small.ours.own_s / linear, GROWTH)
    show_s, start_s = show_of_start()
    report.ratio(f"planbook show of 22 PARTs ({show_s:.2f} s) / Python's start", show_s / start_s, SHOW_OF_START)


if __name__ == "__main__":
    sys.exit(main())
