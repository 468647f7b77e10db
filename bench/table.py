"""The rows of the benchmark: ratios and seconds beside their limits."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

Figures = Mapping[str, Sequence[float]]
"""By name, what each run took: seconds, or MiB where the name ends with them."""


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    """As `--rows` names it."""
    what: str
    figure: str
    beside: str = ""
    """The figure that it is divided by; empty for a row of seconds."""
    limits: tuple[float | None, float | None] = (None, None)
    """On 2 cores and on 16."""


ROWS = (
    Row("cold", "cold build / plain", "whole cold", "plain", (0.5, 0.13)),
    Row("github", "cold build with `markdown: github` / plain", "github cold", "plain", (0.5, 0.13)),
    Row("unchanged", "unchanged / plain", "whole unchanged", "plain", (0.03, 0.03)),
    Row("edited", "one page edited / plain", "whole edited", "plain", (0.04, 0.04)),
    Row("saved", "page saved until served / plain's build", "whole saved", "plain", (0.013, 0.013)),
    Row("zensical", "page saved until served / Zensical's", "whole saved", "zensical saved", (None, 0.4)),
    Row("mark", "mark in a plan until served / plain's build", "whole mark", "plain", (0.02, 0.02)),
    Row("memory", "peak memory, cold / plain", "whole cold MiB", "plain MiB", (1.3, 2)),
    Row("alone-cold", "planbook-speed alone, cold / plain", "alone cold", "plain", (0.28, 0.08)),
    Row("alone-unchanged", "planbook-speed alone, unchanged / plain", "alone unchanged", "plain", (0.016, 0.016)),
    Row("alone-edited", "planbook-speed alone, one page edited / plain", "alone edited", "plain", (0.024, 0.024)),
    Row("alone-zensical", "planbook-speed alone, cold / Zensical", "alone cold", "zensical", (0.6, 0.6)),
    Row("second-cold", "by Zensical, cold / plain Zensical", "second cold", "zensical", (1.3, 1.3)),
    Row("second-unchanged", "by Zensical, unchanged / plain Zensical, cold", "second unchanged", "zensical"),
    Row("second-edited", "by Zensical, one page edited / plain Zensical, cold", "second edited", "zensical"),
    Row("second-saved", "by Zensical, saved until served / plain Zensical", "second saved", "zensical saved"),
    Row("status", "planbook status, second run / plain's build, by pages", "status", "plain by pages", (0.01, 0.01)),
    Row("cite", "planbook cite, second run / plain's build, by pages", "cite", "plain by pages", (0.03, 0.03)),
    Row(
        "index", "planbook index --check, second run / plain's build, by pages", "index", "plain by pages", (0.03, 0.03)
    ),
    Row("check", "planbook check, second run / plain's build, by pages", "check", "plain by pages", (0.06, 0.06)),
    Row("dry-run", "planbook expand --dry-run, second run", "dry-run", limits=(1, 1)),
    Row("help", "planbook --help", "help", limits=(0.2, 0.2)),
    Row("status-22", "planbook status on 22 PARTs", "status-22", limits=(0.4, 0.4)),
)
"""With and without planbook-speed, `planbook` is in the whole and not in what is alone."""
GROWN = ("cold", "unchanged", "edited", "saved", "cold MiB")
"""The figures of which `--growth` prints the exponents."""
GROWTH = 1.05
"""The largest exponent: 2 would be four times the time for twice the pages."""


class Report:
    """Prints figures beside their limits, and remembers whether one was exceeded."""

    def __init__(self) -> None:
        self.is_exceeded = False

    def ratio(self, name: str, value: float, limit: float | None) -> None:
        """Print one ratio."""
        self.line(name, f"{value:8.3f}", is_exceeded=limit is not None and value > limit, limit=limit)

    def seconds(self, name: str, value: float, limit: float | None) -> None:
        """Print one time."""
        self.line(name, f"{value:7.2f}s", is_exceeded=limit is not None and value > limit, limit=limit)

    def line(self, name: str, value: str, *, is_exceeded: bool, limit: float | None) -> None:
        """Print one line."""
        self.is_exceeded |= is_exceeded
        told = "" if limit is None else f"   limit {limit:g}"
        print(f"{name:64} {value}{told}{'   EXCEEDED' if is_exceeded else ''}", flush=True)


def tell_growth(sizes: Mapping[int, Figures], report: Report) -> None:
    """Print how each time grows with the pages: the exponent between each size and the next."""
    for (few, before), (many, after) in pairwise(sorted(sizes.items())):
        for name in GROWN:
            less, more = (median(figures[f"whole {name}"]) for figures in (before, after))
            exponent = math.log(more / less) / math.log(many / few)
            report.ratio(f"{name}, {few:,} to {many:,} pages, exponent ({less:.2f}, {more:.2f})", exponent, GROWTH)


def tell(rows: Sequence[Row], figures: Figures, report: Report, *, has_limits: bool) -> None:
    """Print the rows: medians, and their limits for as many cores as there are; then the rows that were left out."""
    missing = [row.name for row in rows if not figures.get(row.figure) or not figures.get(row.beside or row.figure)]
    for row in rows:
        if row.name in missing:
            continue
        limit = row.limits[is_large_machine()] if has_limits else None
        value = median(figures[row.figure])
        if row.beside:
            beside = median(figures[row.beside])
            unit = " MiB" if row.figure.endswith("MiB") else " s"
            report.ratio(f"{row.what} ({value:.2f}{unit} / {beside:.2f}{unit})", value / beside, limit)
        else:
            report.seconds(row.what, value, limit)
    if missing:
        print(f"Left out, as the time was over: {', '.join(missing)}. Choose rows with --rows, or --minutes 0 for all.")


def is_large_machine() -> bool:
    """Tell which of the two limits holds: that of 16 cores from 8 cores on."""
    return len(os.sched_getaffinity(0)) >= 8
