"""Time the replay of a CUDA graph of 100 small kernels, and the same kernels without a graph.

python graph_replay.py             # needs torch and a CUDA device; run it under nsys to see what tracing costs
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import torch


def told(values: list[float]) -> str:
    """Median, range and number of repetitions."""
    return f"{statistics.median(values):9.1f} us ({min(values):.1f} - {max(values):.1f}, n={len(values)})"


def clock(run: Callable[[], object], times: int = 200) -> float:
    """Microseconds a run, by the wall clock."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(times):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / times * 1e6


def main() -> None:
    """Measure."""
    x = torch.randn(4096, device="cuda")

    def work() -> None:
        for _ in range(100):
            x.mul_(1.0001)

    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    for title, run in (("100 kernels, launched one by one", work), ("100 kernels, one graph replayed", graph.replay)):
        clock(run)
        print(f"  {title:36}{told([clock(run) for _ in range(7)])}  {' '.join(sys.argv[1:])}", flush=True)


if __name__ == "__main__":
    main()
