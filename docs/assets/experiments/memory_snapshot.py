"""Measure what recording the allocator's history costs, and find a planted leak in a snapshot.

python memory_snapshot.py          # needs torch and a CUDA device
"""

from __future__ import annotations

import pickle
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import torch

REPEATS, STEPS = 5, 50
KEPT: list[torch.Tensor] = []


def told(values: list[float], unit: str) -> str:
    """Median, range and number of repetitions."""
    return f"{statistics.median(values):9.3f} {unit} ({min(values):.3f} - {max(values):.3f}, n={len(values)})"


def innermost(frames: list[dict[str, Any]]) -> str:
    """The innermost frame of this file, else of Python at all."""
    for frame in frames:
        if frame["filename"].endswith("memory_snapshot.py"):
            return f"memory_snapshot.py:{frame['line']} {frame['name']}"
    return next((f"{Path(f['filename']).name}:{f['line']} {f['name']}" for f in frames), "(no frames)")


def main() -> None:  # noqa: PLR0915 - read from top to bottom
    """Measure."""
    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name(), f"Python {sys.version.split()[0]}")
    model = torch.nn.Sequential(*[part for _ in range(6) for part in (torch.nn.Linear(1024, 1024), torch.nn.GELU())])
    model.to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    x = torch.randn(256, 1024, device="cuda")

    def step(leak: bool = False) -> None:
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if leak:
            KEPT.append(torch.zeros(1 << 20, device="cuda"))  # the planted leak: 4 MiB a step

    def loop() -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / STEPS * 1e3

    record = torch.cuda.memory._record_memory_history
    loop()
    print(f"one training step of 6 layers of 1024, batch 256, float32, AdamW; {STEPS} steps a repetition")
    settings: dict[str, dict[str, Any]] = {
        "history off": {"enabled": None},
        "stacks='python'": {"max_entries": 100_000, "stacks": "python"},
        "stacks='all' (default: C++ frames too)": {"max_entries": 100_000},
        "history off again": {"enabled": None},
    }
    for title, options in settings.items():
        record(**options)
        loop()
        print(f"  {title:42}{told([loop() for _ in range(REPEATS)], 'ms')}")
        record(enabled=None)

    print("snapshots of 20 steps, one of which in two leaks")
    for stacks in ("python", "all"):
        torch.cuda.synchronize()
        KEPT.clear()
        record(enabled=None)
        record(max_entries=100_000, stacks=stacks)
        for number in range(20):
            step(leak=number % 2 == 0)
        torch.cuda.synchronize()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "snapshot.pickle")
            spent = []
            for _ in range(3):
                start = time.perf_counter()
                torch.cuda.memory._dump_snapshot(str(path))
                spent.append((time.perf_counter() - start) * 1e3)
            size = path.stat().st_size
            snapshot = pickle.loads(path.read_bytes())  # noqa: S301 - written above
        record(enabled=None)
        trace = snapshot["device_traces"][torch.cuda.current_device()]
        print(f"stacks={stacks!r}: dump {told(spent, 'ms')}, {size / 2**20:.2f} MiB, keys {sorted(snapshot)}")
        print("  entries:", dict(Counter(entry["action"] for entry in trace).most_common()))
        live: Counter[str] = Counter()
        for segment in snapshot["segments"]:
            for block in segment["blocks"]:
                if block["state"] == "active_allocated":
                    live[innermost(block.get("frames", []))] += block["size"]
        print("  live bytes by line of the program:")
        for line, count in live.most_common(5):
            print(f"    {count / 2**20:8.1f} MiB  {line}")
    print("torch.cuda.memory_allocated", f"{torch.cuda.memory_allocated() / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
