"""Profile Triton and PyTorch kernels with Proton: what it records, what it costs, and beside torch.profiler.

    python proton_probe.py [alone | after | inside]     # needs torch, Triton and a CUDA device

`after` starts Proton after a torch.profiler of the same process, `inside` while one records.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl
import triton.profiler as proton
from torch.profiler import ProfilerActivity, profile

REPEATS, STEPS = 5, 200
BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):  # noqa: N803 - Triton's form
    """Add two vectors."""
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = where < count
    tl.store(out + where, tl.load(x + where, mask=mask) + tl.load(y + where, mask=mask), mask=mask)


def told(values: list[float], unit: str) -> str:
    """Median, range and number of repetitions."""
    return f"{statistics.median(values):9.2f} {unit} ({min(values):.2f} - {max(values):.2f}, n={len(values)})"


def rows(node: dict[str, Any], depth: int = 0) -> None:
    """Print the tree of a .hatchet file."""
    metrics = {key: value for key, value in node.get("metrics", {}).items() if "device" not in key.lower()}
    print("   ", "  " * depth + node["frame"]["name"][:60], metrics)
    for child in node.get("children", []):
        rows(child, depth + 1)


def main(how: str) -> None:
    """Measure."""
    print(torch.__version__, f"triton {triton.__version__}", torch.cuda.get_device_name(), how)
    x, y = (torch.randn(1 << 20, device="cuda") for _ in range(2))
    out = torch.empty_like(x)
    square = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)

    def work(steps: int = STEPS) -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            add_kernel[(1024,)](x, y, out, x.numel(), BLOCK=1024)
            square @ square
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / steps * 1e6

    work()
    torch.testing.assert_close(out, x + y)
    with tempfile.TemporaryDirectory() as folder:
        name = str(Path(folder, "proton"))
        try:
            if how == "alone":
                print("  off                     ", told([work() for _ in range(REPEATS)], "us a step"))
                for hook in (None, "triton"):
                    session = proton.start(f"{name}-{hook}", hook=hook)
                    with proton.scope("outer"):
                        print(f"  on, hook={hook!s:15}", told([work() for _ in range(REPEATS)], "us a step"))
                    proton.finalize(session)
                print("  off again               ", told([work() for _ in range(REPEATS)], "us a step"))
                for path in sorted(Path(folder).iterdir()):
                    print(f"  {path.name}, {path.stat().st_size} bytes")
                    for root in json.loads(path.read_text()):
                        if "frame" in root:
                            rows(root)
            elif how == "after":
                with profile(activities=BOTH) as prof:
                    work(10)
                seen(prof)
                session = proton.start(name)
                work(10)
                proton.finalize(session)
                for root in json.loads(next(Path(folder).iterdir()).read_text()):
                    if "frame" in root:
                        rows(root)
            else:
                session = proton.start(name)
                with profile(activities=BOTH) as prof:
                    work(10)
                seen(prof)
                proton.finalize(session)
                for root in json.loads(next(Path(folder).iterdir()).read_text()):
                    if "frame" in root:
                        rows(root)
        except Exception:  # noqa: BLE001 - the refusal is the result
            print(traceback.format_exc()[-1200:])
    with Path("/proc/self/maps").open() as maps:
        paths = sorted({line.split()[-1] for line in maps if "cupti" in line or "libproton" in line})
    print("  mapped:", *(path.split("site-packages/")[-1] for path in paths))


def seen(prof: profile) -> None:
    """Print how many activities of the GPU torch.profiler has."""
    on_gpu = [e for e in prof.profiler.kineto_results.events() if e.device_type() == torch.autograd.DeviceType.CUDA]
    print(f"  torch.profiler: {len(on_gpu)} activities of the GPU for 20 kernels")


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "alone")
