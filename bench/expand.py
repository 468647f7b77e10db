"""Times `planbook expand` on a slow web, beside what the pauses between requests and the workers allow at best."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.table import Report
from tests.conftest import ROOT
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import PLANBOOK, environment

PARTS = 200
PARTS_A_PLAN = 20
HOSTS = 8
"""With pages; the search engine is one more."""
PAGES = 6
"""That a PART's query finds; each is read."""
DELAY_S = 0.05
PAUSE_S = 1.0
"""The default of the option `pause`."""
WORKERS = 4
"""The default of the option `workers`."""
SAMPLE_S = 0.25

WALL_OF_LIMIT = 1.3
"""The run may take this much of what the pauses and the workers allow (the issue's limit)."""
FLAT = 1.2
"""The memory of many PARTs beside that of few."""

Ratio = Callable[[str, float, float], None]
"""Tells a ratio beside its limit, under a name."""


@dataclass(frozen=True)
class Web:
    """A slow web: its origins, the search engine's first."""

    origins: tuple[str, ...]
    requests: dict[str, int]
    """How often each host was asked; told when the web has ended."""


@dataclass(frozen=True)
class Sample:
    """What the command and all processes below it hold, at one time."""

    pages: int
    """That are written."""
    memory_mb: float
    """Resident."""


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    parts: int
    pages: int
    """Written, and committed."""
    wall_s: float
    processor_s: float
    requests: Mapping[str, int]
    samples: tuple[Sample, ...]
    delay_s: float
    pause_s: float
    workers: int

    @property
    def pauses_s(self) -> float:
        """What the host that is asked most often takes: its requests one after another, a pause between any two."""
        return max(self.requests.values()) * (self.delay_s + self.pause_s) - self.pause_s

    @property
    def workers_s(self) -> float:
        """What all answers take, where each worker waits for one at a time."""
        return sum(self.requests.values()) * self.delay_s / self.workers

    @property
    def limit_s(self) -> float:
        """No run can be quicker."""
        return max(self.pauses_s, self.workers_s)

    def peak_mb(self, pages: int | None = None) -> float:
        """The most memory until so many pages were written, or to the end."""
        return max(sample.memory_mb for sample in self.samples if pages is None or sample.pages <= pages)


@contextmanager
def slow_web(hosts: int, delay_s: float, pages: int) -> Iterator[Web]:
    """A web in a process of its own, so that what it works is not taken from the command's time in Python."""
    command = [sys.executable, "-m", "bench.slow_web", "--hosts", f"{hosts}", "--delay", f"{delay_s}"]
    with subprocess.Popen(
        [*command, "--pages", f"{pages}"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        web = Web(tuple(json.loads(process.stdout.readline())), {})
        try:
            yield web
        finally:
            told, _ = process.communicate()
            web.requests.update(json.loads(told))


def make_base(root: Path, parts: int, search: str, pause_s: float, workers: int) -> None:
    """A base in a git repository, with so many PARTs to fill, a query each, in plans of twenty."""
    config = (
        "site_name: Water\nsite_url: https://water.test/\nplugins:\n  - planbook:\n      expand:\n"
        f"        pause: {pause_s}\n        workers: {workers}\n        allow_loopback: true\n        search:\n"
        f"          providers: [searxng]\n          searxng_url: {search}\n"
    )
    files = {"mkdocs.yml": config, "docs/index.md": "# Home\n"}
    for first in range(0, parts, PARTS_A_PLAN):
        numbers = range(first, min(first + PARTS_A_PLAN, parts))
        files[f"plans/water-{first:04}.md"] = f"# Water {first}\n\n" + "".join(
            f"## PART {n - first + 1}: Create water/{n:04}.md\n\n- [ ] PART {n - first + 1}: Create water/{n:04}.md\n\n"
            f'**Step 1: Web research**\n- [ ] Search: "water for tea {n}"\n\n**Step 2: Write the page**\n'
            "- [ ] Section 1: Water for tea (~60 lines)\n    - Which water keeps the leaves\n\n"
            for n in numbers
        )
    make_repository(root, files)


def measure(
    parts: int,
    *,
    hosts: int = HOSTS,
    pages: int = PAGES,
    delay_s: float = DELAY_S,
    pause_s: float = PAUSE_S,
    workers: int = WORKERS,
) -> Run:
    """One run on a new base, to its end. Raises SystemExit where it did not fill every PART."""
    with tempfile.TemporaryDirectory(prefix="planbook-bench-") as folder:
        root = Path(folder) / "base"
        with slow_web(hosts, delay_s, pages) as web:
            make_base(root, parts, web.origins[0], pause_s, workers)
            before, begun = processor_s(), time.perf_counter()
            samples = tuple(watched([PLANBOOK, "expand", "--root", root], root))
            wall_s, spent_s = time.perf_counter() - begun, processor_s() - before
        committed = subprocess.run(
            ["git", "ls-files", "docs/water"],  # noqa: S607
            cwd=root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
    return Run(parts, len(committed), wall_s, spent_s, web.requests, samples, delay_s, pause_s, workers)


def watched(command: Sequence[str | Path], root: Path) -> Iterator[Sample]:
    """Runs the command, and looks at what it holds from time to time."""
    written = root / "docs" / "water"
    with tempfile.TemporaryFile() as told:
        own = environment() | {"PYTHONDONTWRITEBYTECODE": ""}
        with subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT, env=own) as process:
            ended = threading.Thread(target=process.wait)
            ended.start()
            while ended.is_alive():
                yield Sample(sum(1 for _ in written.glob("*.md")), memory_mb(process.pid))
                ended.join(SAMPLE_S)
        if process.returncode:
            told.seek(0)
            sys.stderr.write(told.read().decode(errors="replace"))
            raise SystemExit(f"planbook expand ended with {process.returncode}")


def processor_s() -> float:
    """Seconds of processor time that children, and theirs, have used so far, of those that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory_mb(pid: int) -> float:
    """What a process and all below it hold in memory, in megabytes: `/proc` tells, on Linux."""
    parents, held = {}, {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:
            continue  # it has just ended
        parents[int(told["Pid"])] = int(told["PPid"])
        held[int(told["Pid"])] = int(told.get("VmRSS", "0 kB").split()[0]) / 1024  # one that is gone holds nothing
    family = {pid}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(held.get(one, 0.0) for one in family)


def tell(runs: Sequence[Run], ratio: Ratio) -> None:
    """Prints the table of runs, and the ratios."""
    print(
        f"{'PARTs':>6} {'wall':>8} {'limit':>8} {'pauses':>8} {'workers':>8} {'processor':>9} {'asked':>6} {'peak':>9}"
    )
    for run in runs:
        print(
            f"{run.parts:6} {run.wall_s:7.1f}s {run.limit_s:7.1f}s {run.pauses_s:7.1f}s {run.workers_s:7.1f}s "
            f"{run.processor_s:8.1f}s {sum(run.requests.values()):6} {run.peak_mb():6.0f} MB"
        )
    print(f"1 minute's load when it ended: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} processors\n")
    large = runs[-1]  # of few PARTs, most of the time goes into the start and the end
    ratio(f"{large.parts} PARTs: wall / what pauses and workers allow", large.wall_s / large.limit_s, WALL_OF_LIMIT)
    quarter = large.parts // 4
    ratio(f"{large.parts} PARTs: peak memory / until PART {quarter}", large.peak_mb() / large.peak_mb(quarter), FLAT)
    for small in runs[:-1]:
        ratio(f"peak memory of {large.parts} PARTs / of {small.parts} PARTs", large.peak_mb() / small.peak_mb(), FLAT)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.expand", description=__doc__)
    parser.add_argument("--parts", type=int, nargs="+", default=(20, PARTS), help="PARTs to fill (default: 20 and 200)")
    parser.add_argument("--hosts", type=int, default=HOSTS, help="hosts with pages (default: %(default)s)")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages that a PART reads (default: %(default)s)")
    parser.add_argument("--delay", type=float, default=DELAY_S, help="seconds of a request (default: %(default)s)")
    parser.add_argument("--pause", type=float, default=PAUSE_S, help="as the option `pause` (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=WORKERS, help="as the option (default: %(default)s)")
    options = parser.parse_args()
    given = {"hosts": options.hosts, "pages": options.pages, "workers": options.workers}
    runs = [measure(n, delay_s=options.delay, pause_s=options.pause, **given) for n in sorted(options.parts)]
    report = Report()
    tell(runs, report.ratio)
    return int(report.is_exceeded)


if __name__ == "__main__":
    sys.exit(main())
