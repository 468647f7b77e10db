"""Measure what torch.profiler adds to a training loop: small kernels, large kernels, several settings.

    python profiler_overhead.py [--steps 60] [--repeats 7]        # needs torch and a CUDA device

Each repeat times the same number of steps under every setting, in an order drawn anew. Told are, for each setting, the
median time of a step and its range over the repeats, by the wall clock (from synchronize to synchronize, profiler
started and stopped outside) and by CUDA events, then what starting and stopping cost, and how large the trace is.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule

CPU, CUDA = ProfilerActivity.CPU, ProfilerActivity.CUDA
FEW = {"wait": 27, "warmup": 3, "active": 3, "repeat": 1}
SETTINGS: dict[str, dict[str, Any] | None] = {
    "off": None,
    "CPU": {"activities": [CPU]},
    "CUDA": {"activities": [CUDA]},
    "CPU+CUDA": {"activities": [CPU, CUDA]},
    "CPU+CUDA, 3 of the steps": {"activities": [CPU, CUDA], "few": FEW},
    "CPU+CUDA, shapes": {"activities": [CPU, CUDA], "record_shapes": True},
    "CPU+CUDA, shapes, stack": {"activities": [CPU, CUDA], "record_shapes": True, "with_stack": True},
    "CPU+CUDA, memory": {"activities": [CPU, CUDA], "profile_memory": True},
}


class Training:
    """A multilayer perceptron with its optimizer: `width` says how much work there is in a kernel."""

    def __init__(self, width: int, layers: int, batch: int, dtype: torch.dtype) -> None:
        """Put model, optimizer and data on the GPU."""
        parts = [part for _ in range(layers) for part in (torch.nn.Linear(width, width), torch.nn.ReLU())]
        self.model = torch.nn.Sequential(*parts).to("cuda", dtype)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-6)
        self.x = torch.randn(batch, width, device="cuda", dtype=dtype)

    def step(self) -> None:
        """One step, without waiting for the GPU."""
        self.optimizer.zero_grad(set_to_none=True)
        self.model(self.x).square().mean().backward()
        self.optimizer.step()


def timed(training: Training, steps: int, setting: dict[str, Any] | None) -> tuple[float, float, float, float]:
    """Milliseconds: a step by the wall clock, a step by CUDA events, starting, stopping."""
    options = dict(setting or {})
    few = options.pop("few", None)
    recorder: AbstractContextManager[Any] = nullcontext()
    if setting is not None:
        recorder = profile(**options, schedule=schedule(**few) if few else None)
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    gc.collect()
    torch.cuda.synchronize()
    t0 = time.perf_counter()
    with recorder as prof:
        t1 = time.perf_counter()
        first.record()
        for _ in range(steps):
            training.step()
            if few:
                prof.step()
        last.record()
        torch.cuda.synchronize()
        t2 = time.perf_counter()
    t3 = time.perf_counter()
    return (t2 - t1) * 1e3 / steps, first.elapsed_time(last) / steps, (t1 - t0) * 1e3, (t3 - t2) * 1e3


def told(name: str, rows: list[tuple[float, float, float, float]], base: float) -> str:
    """A line of the table."""
    wall, events, start, stop = (sorted(column) for column in zip(*rows, strict=True))
    middle = statistics.median(wall)
    spread = f"{wall[0]:.3f}-{wall[-1]:.3f}"
    return (
        f"{name:27}{middle:9.3f}{spread:>17}{middle / base:8.2f}x{statistics.median(events):10.3f}"
        f"{statistics.median(start):9.1f}{statistics.median(stop):9.1f}"
    )


def trace_size(training: Training, steps: int) -> None:
    """How large a trace is, and how long it takes to write."""
    for extra in ({}, {"record_shapes": True, "with_stack": True}):
        with profile(activities=[CPU, CUDA], **extra) as prof:
            for _ in range(steps):
                training.step()
            torch.cuda.synchronize()
        for suffix in (".json", ".json.gz"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"trace{suffix}")
                start = time.perf_counter()
                prof.export_chrome_trace(str(path))
                took = time.perf_counter() - start
                what = " with shapes and stack" if extra else ""
                print(f"trace of {steps} steps{what}, {suffix}: {path.stat().st_size / 2**20:.2f} MiB in {took:.2f} s")


def measure(title: str, training: Training, steps: int, repeats: int) -> None:
    """Print the table of one model."""
    for _ in range(20):
        training.step()
    untouched = [timed(training, steps, None) for _ in range(repeats)]
    rows: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in SETTINGS}
    for name, setting in SETTINGS.items():  # the first profile of a process loads and sets up; that is told apart
        first = timed(training, steps, setting)
        print(f"first use, {name}: start {first[2]:.1f} ms, stop {first[3]:.1f} ms")
    for _ in range(repeats):
        for name in random.sample(list(SETTINGS), len(SETTINGS)):
            rows[name].append(timed(training, steps, SETTINGS[name]))
    base = statistics.median(row[0] for row in rows["off"])
    print(f"\n{title}; {steps} steps, {repeats} repeats; times in ms")
    print(f"{'setting':27}{'step':>9}{'range':>17}{'ratio':>9}{'events':>10}{'start':>9}{'stop':>9}")
    print(told("off, before any profiling", untouched, base))
    for name in SETTINGS:
        print(told(name, rows[name], base))
    trace_size(training, steps)
    print(flush=True)


def main() -> None:
    """Measure both models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=7)
    chosen = parser.parse_args()
    random.seed(0)
    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name())
    small = Training(width=256, layers=12, batch=64, dtype=torch.float32)
    measure("small kernels: 12 layers of 256, batch 64, float32", small, chosen.steps, chosen.repeats)
    large = Training(width=8192, layers=4, batch=4096, dtype=torch.bfloat16)
    measure("large kernels: 4 layers of 8192, batch 4096, bfloat16", large, chosen.steps, chosen.repeats)


if __name__ == "__main__":
    main()
