"""Measure what torch.profiler adds to a training loop: while it records, and after it has stopped.

    python profiler_overhead.py        # needs torch and a CUDA device

Each setting has a process of its own, since a first profile leaves CUPTI attached. It times a step before any
profiling, while recording, and afterwards, for small kernels (the CPU is the slower side) and for large ones. Times
are by the wall clock between two synchronisations, in ms: the median over the repeats, and their range.
"""

# ruff: noqa: PLC0415 - only the processes that measure need torch

from __future__ import annotations

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {
    "CPU": {"activities": ["CPU"]},
    "CPU+CUDA": {},
    "CPU+CUDA, TEARDOWN_CUPTI=1": {"env": {"TEARDOWN_CUPTI": "1"}},
    "CPU+CUDA, 3 steps of 60 on a schedule": {"few": {"wait": 27, "warmup": 3, "active": 3, "repeat": 1}},
    "CPU+CUDA, shapes": {"record_shapes": True},
    "CPU+CUDA, shapes and stack": {"record_shapes": True, "with_stack": True},
}
MODELS = {"small": (12, 256, 64, 60, 7), "large": (4, 8192, 2048, 60, 3)}
"""Layers, width, batch, steps in a repeat, repeats."""


def told(times: list[float]) -> str:
    """Median and range."""
    return f"{statistics.median(times):8.3f} ({min(times):6.2f} -{max(times):6.2f})"


def measure(title: str, names: list[str], few: dict[str, int] | None, options: dict[str, Any]) -> None:
    """Print how one model runs before, during and after."""
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule

    layers, width, batch, steps, repeats = MODELS[title]
    kind = torch.float32 if title == "small" else torch.bfloat16
    parts = [part for _ in range(layers) for part in (torch.nn.Linear(width, width), torch.nn.ReLU())]
    model = torch.nn.Sequential(*parts).to("cuda", kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    x = torch.randn(batch, width, device="cuda", dtype=kind)

    def loop(prof: profile | None = None) -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            optimizer.zero_grad(set_to_none=True)
            model(x).square().mean().backward()
            optimizer.step()
            if prof:
                prof.step()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3 / steps

    for _ in range(2):
        loop()
    before = [loop() for _ in range(repeats)]
    during, starts, stops = [], [], []
    for _ in range(repeats):
        t0 = time.perf_counter()
        activities = [ProfilerActivity.__members__[name] for name in names]
        with profile(activities=activities, schedule=schedule(**few) if few else None, **options) as prof:
            starts.append(time.perf_counter() - t0)
            during.append(loop(prof if few else None))
            t0 = time.perf_counter()
        stops.append(time.perf_counter() - t0)
    loop()  # the first steps carry out a teardown
    after = [loop() for _ in range(repeats)]
    ratios = [statistics.median(times) / statistics.median(before) for times in (during, after)]
    print(f"  {title}  before {told(before)}   while recording {told(during)} {ratios[0]:5.2f}x", end="")
    print(f"   after {told(after)} {ratios[1]:5.2f}x", end="")
    print(f"   first start {starts[0] * 1e3:5.0f}, median stop {statistics.median(stops) * 1e3:4.0f}")
    if title == "small" and not few:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json.gz")
            prof.export_chrome_trace(str(path))
            packed = path.read_bytes()
            sizes = f"{len(gzip.decompress(packed)) / 2**20:.1f} MiB, {len(packed) / 2**20:.2f} MiB as .json.gz"
            print(f"         trace of {steps} steps: {sizes}")


def main() -> None:
    """Run every setting in a process of its own."""
    if sys.argv[1:]:
        given = json.loads(sys.argv[1])
        names, few = given.pop("activities", ["CPU", "CUDA"]), given.pop("few", None)
        for title in MODELS:
            measure(title, names, few, given)
        return
    print("small: 12 layers of 256, batch 64, float32. large: 4 layers of 8192, batch 2048, bfloat16. Times in ms.")
    for title, setting in SETTINGS.items():
        print(f"{title}   (load {os.getloadavg()[0]:.1f})", flush=True)
        options = {key: value for key, value in setting.items() if key != "env"}
        command = [sys.executable, __file__, json.dumps(options)]
        env = os.environ | setting.get("env", {})
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=90, check=False)  # noqa: S603
        print(done.stdout, *([done.stderr[-400:]] if done.returncode else []), sep="", end="", flush=True)


if __name__ == "__main__":
    main()
