"""Watch GPU memory in a training loop: what each reading costs, and a check that notices a leak.

python memory_watch.py             # needs torch and a CUDA device
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import torch

MIB = 2**20


class MemoryWatch:
    """Log the allocator's counters every so many steps, and name a growth that does not stop.

    Call it at the same place of every step, after zero_grad(). A window is `every` steps. What a window
    certainly needs is its lowest reading; a leak raises it from window to window, a large batch does not.
    """

    def __init__(self, out: IO[str], every: int = 10, windows: int = 6, tolerance: int = MIB) -> None:
        self.out, self.every, self.windows, self.tolerance = out, every, windows, tolerance
        self.step, self.lowest, self.lows = 0, 0, [0]

    def __call__(self) -> bool:
        """Take one reading; true when the lowest reading rose in each of the last windows."""
        stats = torch.cuda.memory_stats_as_nested_dict()  # memory_allocated() costs five times as much
        now = stats["allocated_bytes"]["all"]["current"]
        self.lowest = min(self.lowest or now, now)
        self.step += 1
        if self.step % self.every:
            return False
        row = {
            "step": self.step,
            "allocated": now,
            "lowest": self.lowest,
            "peak": stats["allocated_bytes"]["all"]["peak"],
            "reserved": stats["reserved_bytes"]["all"]["current"],
            "inactive_split": stats["inactive_split_bytes"]["all"]["current"],
            "retries": stats["num_alloc_retries"],
            "ooms": stats["num_ooms"],
        }
        free, total = torch.cuda.mem_get_info()
        row["outside"] = total - free - row["reserved"]  # contexts, libraries, other processes
        self.out.write(json.dumps(row) + "\n")
        self.out.flush()
        torch.cuda.reset_peak_memory_stats()
        self.lows = [*self.lows, self.lowest][-self.windows - 1 :]
        self.lowest = 0
        rises = [b - a for a, b in zip(self.lows, self.lows[1:], strict=False)]
        return len(rises) == self.windows and self.lows[0] > 0 and min(rises) > self.tolerance


def told(values: list[float], unit: str) -> str:
    """Median, range and number of repetitions."""
    return f"{statistics.median(values):10.3f} {unit} ({min(values):.3f} - {max(values):.3f}, n={len(values)})"


def costs() -> None:
    """One reading of each kind, with 2,000 tensors alive."""
    import pynvml

    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    alive = [torch.empty(1024 * (1 + i % 700), device="cuda") for i in range(2000)]
    readings: dict[str, tuple[Callable[[], object], int]] = {
        "torch.cuda.memory_allocated()": (torch.cuda.memory_allocated, 300),
        "torch.cuda.memory_stats()": (torch.cuda.memory_stats, 300),
        "torch.cuda.memory_stats_as_nested_dict()": (torch.cuda.memory_stats_as_nested_dict, 300),
        "torch.cuda.reset_peak_memory_stats()": (torch.cuda.reset_peak_memory_stats, 300),
        "torch.cuda.mem_get_info()": (torch.cuda.mem_get_info, 100),
        "NVML, nvmlDeviceGetMemoryInfo": (lambda: pynvml.nvmlDeviceGetMemoryInfo(handle), 100),
        "torch.cuda.memory_summary()": (torch.cuda.memory_summary, 20),
        "torch.cuda.memory_snapshot()": (torch.cuda.memory_snapshot, 5),
        "gc.collect()": (gc.collect, 3),
        "nvidia-smi --query-gpu=memory.used (a process)": (
            lambda: subprocess.run(
                ["nvidia-smi", "--query-gpu=memory.used", "--format=csv"], capture_output=True, check=True
            ),  # noqa: S607
            2,
        ),
    }
    for name, (reading, number) in readings.items():
        reading()
        spent = []
        for _ in range(5):
            start = time.perf_counter()
            for _ in range(number):
                reading()
            spent.append((time.perf_counter() - start) / number * 1e6)
        print(f"  {name:50}{told(spent, 'us')}")
    del alive


def main() -> None:
    """Measure."""
    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name(), f"Python {sys.version.split()[0]}")
    print("one reading, 2,000 tensors alive:")
    costs()
    torch.cuda.empty_cache()
    model = torch.nn.Sequential(*[part for _ in range(6) for part in (torch.nn.Linear(1024, 1024), torch.nn.GELU())])
    model.to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    x = torch.randn(512, 1024, device="cuda")

    def step(rows: int = 256) -> None:
        model(x[:rows]).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    def loop(watch: Callable[[], object] | None) -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            step()
            if watch:
                watch()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / 200 * 1e3

    with TemporaryDirectory() as folder, Path(folder, "memory.jsonl").open("w") as out:
        ways: dict[str, Callable[[], object] | None] = {
            "no watch": None,
            "MemoryWatch, every=10": MemoryWatch(out, every=10),
            "MemoryWatch, every=1": MemoryWatch(out, every=1),
            "memory_allocated() each step": torch.cuda.memory_allocated,
            "empty_cache() each step": torch.cuda.empty_cache,
        }
        loop(None)
        spent: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(7):
            for name, watch in ways.items():
                spent[name].append(loop(watch))
        print("a training step (6 layers of 1024, batch 256, float32, AdamW), 200 steps a repetition:")
        for name, values in spent.items():
            print(f"  {name:50}{told(values, 'ms')}")

    print("what the check says (windows of 10 steps, 6 rises of more than 1 MiB), batches of random length:")
    import random

    for name, leaked in (
        ("no leak", 0),
        ("leak of 0.25 MiB a step", 1),
        ("leak of 1 MiB a step", 4),
        ("a cache that fills in 40 steps", -1),
    ):
        order, kept = random.Random(1), []
        with TemporaryDirectory() as folder, Path(folder, "memory.jsonl").open("w+") as out:
            watch = MemoryWatch(out)
            warned = []
            for number in range(300):
                step(order.randrange(16, 512))
                if leaked > 0:
                    kept.append(torch.empty(leaked * MIB // 4, dtype=torch.uint8, device="cuda"))
                elif leaked < 0 and number < 40:
                    kept.append(torch.empty(MIB, dtype=torch.uint8, device="cuda"))
                if watch():
                    warned.append(number + 1)
            out.seek(0)
            rows = [json.loads(line) for line in out]
        print(f"  {name:34} warned first at step {warned[0] if warned else 'never'}, {len(warned)} times in 300 steps")
        if leaked == 4:
            print("   ", json.dumps(rows[0]))
            print("   ", json.dumps(rows[-1]))
        kept.clear()


if __name__ == "__main__":
    main()
