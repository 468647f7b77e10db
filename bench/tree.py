"""What a command and all that it starts cost: time by the clock, time of processors, memory."""

from __future__ import annotations

import compileall
import contextlib
import os
import resource
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", "SOURCE_DATE_EPOCH": "1714982880"}
SAMPLE_S = 0.2


@dataclass(frozen=True)
class Cost:
    """Of one run."""

    whole_s: float
    """By the clock on the wall."""
    cpu_s: float
    """Of all processors together, which says more where a machine has other work as well."""
    peak_mib: float
    """The most memory that all its processes had at one time, what they share counted once."""


def environment() -> dict[str, str]:
    """Return the environment of measured commands: as a user's, with bytecode, also where a container writes none."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | QUIET


def compile_modules() -> None:
    """Compile all modules that measured commands import, so that no first run does."""
    for folder in (sysconfig.get_path("purelib"), Path(__file__).parents[1] / "generator"):
        compileall.compile_dir(folder, quiet=2, workers=0)


def run(arguments: Sequence[str], cwd: Path, *, may_find: bool = False) -> Cost:
    """Run a command to its end; one that fails ends the benchmark, but for exit code 1 of what `may_find` problems."""
    os.sync()  # what a build before this one wrote, gigabytes maybe, is none of its cost
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    with (
        subprocess.Popen(
            arguments,
            cwd=cwd,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process,
        Sampler(process.pid) as sampler,
    ):
        _, told = process.communicate()
        spent = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode > may_find or process.returncode < 0:
        sys.stderr.write(told.decode(errors="replace")[-2000:])
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(spent, cpu_s, sampler.peak_bytes / (1 << 20))


class Sampler:
    """Looks at the memory of a process and all below it, again and again, while it is entered. Linux only."""

    def __init__(self, root: int) -> None:
        self.peak_bytes = 0
        self._root = root
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(SAMPLE_S):
            self.peak_bytes = max(self.peak_bytes, sum(map(proportional_bytes, below(self._root))))


def below(root: int) -> list[int]:
    """A process and all that it started, as numbers."""
    found = [root]
    for process in found:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{process}/task").iterdir():
                found += map(int, (thread / "children").read_text().split())
    return found


def proportional_bytes(process: int) -> int:
    """The memory of a process; a page that several share counts for each by its part."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
