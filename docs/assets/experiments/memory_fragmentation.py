"""Produce fragmentation in PyTorch's caching allocator, and compare the settings that cure it.

python memory_fragmentation.py     # needs torch and a CUDA device with 20 GiB free
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time

MIB = 2**20
LIMIT = 8256  # MiB that the process may reserve in the first test
SETTINGS = [
    "",
    "expandable_segments:True",
    "max_split_size_mb:256",
    "roundup_power2_divisions:4",
    "garbage_collection_threshold:0.6",
    "backend:cudaMallocAsync",
]


def comb() -> dict[str, object]:
    """Free 16 blocks of 500 MiB one at a time and reuse each for 300 MiB; then ask for 400 MiB."""
    import torch

    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(LIMIT * MIB / total)

    def block(mebibytes: int) -> torch.Tensor:
        return torch.empty(mebibytes * MIB, dtype=torch.uint8, device="cuda")

    first = [block(500) for _ in range(16)]
    kept = []
    for number in range(16):
        first[number] = None  # type: ignore[call-overload]
        kept.append(block(300))
    stats = torch.cuda.memory_stats()
    try:
        segments = torch.cuda.memory_snapshot()
    except RuntimeError:  # cudaMallocAsync has none
        segments = []
    free = [b["size"] for s in segments for b in s["blocks"] if b["state"] == "inactive"]
    result: dict[str, object] = {
        "limit": LIMIT,
        "allocated": torch.cuda.memory_allocated() // MIB,
        "reserved": torch.cuda.memory_reserved() // MIB,
        "inactive_split": stats.get("inactive_split_bytes.all.current", 0) // MIB,
        "free blocks": len(free),
        "largest free block": max(free, default=0) // MIB,
    }
    try:
        kept.append(block(400))
        result["400 MiB"] = "allocated"
        result["reserved after"] = torch.cuda.memory_reserved() // MIB
    except torch.cuda.OutOfMemoryError as error:
        result["400 MiB"] = str(error)
    stats = torch.cuda.memory_stats()
    result["num_alloc_retries"] = stats.get("num_alloc_retries", 0)
    result["num_ooms"] = stats.get("num_ooms", 0)
    return result


def serving(seed: int) -> dict[str, object]:
    """4,000 requests of 8 to 512 MiB with random lifetimes, at most 8 GiB of them alive."""
    import torch

    order = random.Random(seed)
    alive: list[torch.Tensor] = []
    size = 0
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_stats()
    start = time.perf_counter()
    for _ in range(4000):
        request = int(8 * 64 ** order.random() * 1024) * 1024
        while size + request > 8192 * MIB:
            gone = alive.pop(order.randrange(len(alive)))
            size -= gone.numel()
        alive.append(torch.empty(request, dtype=torch.uint8, device="cuda"))
        size += request
    spent = time.perf_counter() - start
    stats = torch.cuda.memory_stats()
    return {
        "peak allocated": torch.cuda.max_memory_allocated() // MIB,
        "peak reserved": torch.cuda.max_memory_reserved() // MIB,
        "device allocations": stats.get("num_device_alloc", 0) - before.get("num_device_alloc", 0),
        "microseconds a request": spent / 4000 * 1e6,
    }


def one(setting: str) -> None:
    """Both tests in this process."""
    import torch

    if setting == "":
        print(
            "#", torch.__version__, torch.version.cuda, torch.cuda.get_device_name(), f"Python {sys.version.split()[0]}"
        )
    print("#backend", torch.cuda.get_allocator_backend())
    runs = []
    for seed in range(4):
        try:
            runs.append(serving(seed))
        except (torch.cuda.OutOfMemoryError, RuntimeError) as error:
            runs.append({"error": str(error)})
    torch.cuda.empty_cache()
    try:
        result = comb()
    except (torch.cuda.OutOfMemoryError, RuntimeError) as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"comb": result, "serving": runs[1:]}))


def main() -> None:
    """Run each setting in a process of its own."""
    if len(sys.argv) > 1:
        one(sys.argv[1] if sys.argv[1] != "-" else "")
        return
    told = []
    for setting in SETTINGS:
        environment = {
            k: v for k, v in os.environ.items() if k not in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
        }
        if setting:
            environment["PYTORCH_CUDA_ALLOC_CONF"] = setting
        run = subprocess.run(  # noqa: S603
            [sys.executable, __file__, setting or "-"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        lines = run.stdout.splitlines()
        backend = next((line[9:] for line in lines if line.startswith("#backend")), "?")
        for line in lines:
            if line.startswith("# "):
                print(line[2:])
        if not lines or not lines[-1].startswith("{"):
            print(f"{setting or 'default'}: exit status {run.returncode}\n{run.stderr[-600:]}")
            continue
        if run.stderr.strip():
            print(f"{setting or 'default'}: stderr: {run.stderr.strip()[-400:]}")
        told.append((setting or "default", backend, json.loads(lines[-1])))
    print(
        f"1. 16 blocks of 500 MiB freed one at a time, each reused for 300 MiB; then 400 MiB; limit {LIMIT} MiB (set_per_process_memory_fraction)"
    )
    for setting, backend, result in told:
        print(f"{setting} [{backend}]")
        for key, value in result["comb"].items():
            print(f"    {key}: {value}")
    print(
        "2. 4,000 requests of 8 to 512 MiB, at most 8,192 MiB alive, no limit; seeds 1 to 3 (seed 0 warms up): median (range)"
    )
    for setting, backend, result in told:
        good = [run for run in result["serving"] if "error" not in run]
        print(f"{setting} [{backend}]: {len(good)} of {len(result['serving'])} runs")
        for key in good[0] if good else []:
            values = [run[key] for run in good]
            print(f"    {key}: {statistics.median(values):.1f} ({min(values):.1f} - {max(values):.1f})")
        if good:
            ratios = [run["peak reserved"] / max(1, run["peak allocated"]) for run in good]
            print(
                f"    peak reserved / peak allocated: {statistics.median(ratios):.2f} ({min(ratios):.2f} - {max(ratios):.2f})"
            )
        for run in result["serving"]:
            if "error" in run:
                print(f"    {run['error']}")


if __name__ == "__main__":
    main()
