"""planbook-speed beside plain MkDocs and others, as ratios within one run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Protocol

from tests.bench.peers import Bench
from tests.bench.served import save_to_served_s
from tests.bench.tree import Cost

SIZES = (300, 1000)
WHOLE = (1000,)
LIMITS_OF_TIME = {"cold": 0.32, "unchanged": 0.08, "one page edited": 0.10}
"""Beside plain mkdocs-material, at 1,000 pages; of fewer pages, what every build costs is a larger part."""
AT = 1000
ZENSICAL = 0.60
MEMORY = 1.5
SERVE = 0.03
GROWTH = 3.3
GROWS = (1000, 3000)


class Report(Protocol):
    """What takes ratios and compares them with limits."""

    def ratio(self, name: str, value: float, limit: float) -> None:
        """One ratio."""


def race(pages: int, repeats: int, serves: int, report: Report, *, has_planbook: bool = False) -> None:
    """Build a base in every way, in turn, so that what slows the machine slows all; print medians and ratios.

    With `has_planbook`, the plugin `planbook` has a part in each, and planbook-speed races with that alone.
    """
    with tempfile.TemporaryDirectory(prefix="planbook-race-") as folder:
        bench = Bench.made(Path(folder), pages, has_planbook=has_planbook)
        peers = bench.peers()
        own = {"cold": bench.cold, "unchanged": bench.unchanged, "one page edited": bench.edited}
        ways = {peer.name: peer.build for peer in peers} | {f"planbook-speed, {name}": own[name] for name in own}
        costs: dict[str, list[Cost]] = {name: [] for name in ways}
        is_same = True
        for turn in range(repeats):
            for name, build in ways.items():
                costs[name].append(build())
                if turn == 0 and name.endswith(("cold", "unchanged")):
                    is_same = is_same and bench.is_same()
        ways |= {"limit: read and write": lambda: bench.limit("files")}
        ways |= {"limit: Markdown on all cores": lambda: bench.limit("markdown")}
        for name in list(ways)[-2:]:
            costs[name] = [ways[name]() for _ in range(repeats)]
        name = f"{pages} pages{' with planbook' if has_planbook else ''}"
        print(f"\n{name}, medians of {repeats}; the same files with planbook-speed: {'yes' if is_same else 'NO'}")
        show(costs, {peer.name: peer.leaves_out for peer in peers})
        compare(name, costs, report, is_large=pages >= AT)
        if serves:
            plain, speed = (median(save_to_served_s(bench.root, config, serves)) for config in ("plain", "speed"))
            name = f"{name}, save to served ({speed:.1f} s) / plain ({plain:.1f} s)"
            report.ratio(name, speed / plain, SERVE if pages >= AT else 1.0)
    if not is_same:
        report.ratio(f"{name}: files that differ", 1.0, 0.0)


def show(costs: dict[str, list[Cost]], leaves_out: dict[str, str]) -> None:
    """A line for each way to build."""
    plain = middle(next(iter(costs.values())))
    print(f"{'':34} {'clock':>9} {'ratio':>6} {'processors':>11} {'ratio':>6} {'memory':>8}   leaves out")
    for name, found in costs.items():
        cost = middle(found)
        print(
            f"{name:34} {cost.whole_s:8.2f}s {cost.whole_s / plain.whole_s:6.2f} {cost.cpu_s:10.2f}s"
            f" {cost.cpu_s / plain.cpu_s:6.2f} {cost.peak_mib:5.0f}MiB   {leaves_out.get(name, '')}",
            flush=True,
        )


def compare(name: str, costs: dict[str, list[Cost]], report: Report, *, is_large: bool) -> None:
    """Ratios beside their limits."""
    plain = middle(next(iter(costs.values())))
    cold = middle(costs["planbook-speed, cold"])
    for what, limit in LIMITS_OF_TIME.items():
        value = middle(costs[f"planbook-speed, {what}"]).whole_s / plain.whole_s
        report.ratio(f"{name}, {what} / plain", value, limit if is_large else 1.0)
    if "Zensical" in costs:
        value = cold.whole_s / middle(costs["Zensical"]).whole_s
        report.ratio(f"{name}, cold / Zensical", value, ZENSICAL if is_large else 1.0)
    report.ratio(f"{name}, memory / plain", cold.peak_mib / plain.peak_mib, MEMORY)


def growth(repeats: int, report: Report) -> None:
    """What three times the pages cost, in medians of as many builds, in turn."""
    found: dict[int, list[Cost]] = {pages: [] for pages in GROWS}
    with tempfile.TemporaryDirectory(prefix="planbook-race-") as folder:
        benches = {pages: Bench.made(Path(folder) / str(pages), pages) for pages in GROWS}
        for _ in range(repeats):
            for pages, bench in benches.items():
                found[pages].append(bench.cold())
    small, large = (middle(found[pages]).whole_s for pages in GROWS)
    name = f"{GROWS[0]} ({small:.1f} s) to {GROWS[1]} pages ({large:.1f} s), cold"
    report.ratio(name, large / small, GROWTH)


def middle(costs: list[Cost]) -> Cost:
    """The cost of the median build."""
    return sorted(costs, key=lambda cost: cost.whole_s)[len(costs) // 2]
