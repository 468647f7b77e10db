"""Time GPU work without CUPTI: what clocks and events say, what marks cost, and torch's own fallback.

python timing_without_cupti.py        # needs torch and a CUDA device; CUPTI is used by the last part only
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile, record_function

SIZE, CALLS = 4096, 50


def work(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """A few kernels of different length."""
    for _ in range(CALLS):
        x = torch.relu(x @ weight)
    return x


def median_range(measured: list[float]) -> str:
    """Median and range."""
    return f"{statistics.median(measured):8.3f} ms ({min(measured):.3f}-{max(measured):.3f})"


def clocks(x: torch.Tensor, weight: torch.Tensor, repeats: int = 11) -> None:
    """The same work by three clocks."""
    without, with_wait, by_events = [], [], []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work(x, weight)
        without.append((time.perf_counter() - start) * 1e3)
        torch.cuda.synchronize()

        start = time.perf_counter()
        work(x, weight)
        torch.cuda.synchronize()
        with_wait.append((time.perf_counter() - start) * 1e3)

        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        work(x, weight)
        last.record()
        last.synchronize()
        by_events.append(first.elapsed_time(last))
    print("wall clock, without waiting:   ", median_range(without))
    print("wall clock, with synchronize:  ", median_range(with_wait))
    print("CUDA events:                   ", median_range(by_events))


def cost(title: str, mark: Callable[[], object], times: int = 20_000) -> None:
    """What one mark costs the CPU."""
    for _ in range(100):
        mark()
    torch.cuda.synchronize()
    measured = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(times):
            mark()
        measured.append((time.perf_counter() - start) / times * 1e6)
        torch.cuda.synchronize()
    print(f"{title:48}{statistics.median(measured):8.2f} us ({min(measured):.2f}-{max(measured):.2f})")


def nvtx_range() -> None:
    """An NVTX range around nothing."""
    torch.cuda.nvtx.range_push("step")
    torch.cuda.nvtx.range_pop()


def torch_range() -> None:
    """A record_function around nothing."""
    with record_function("step"):
        pass


def operators(title: str, prof: profile | torch.autograd.profiler.profile) -> None:
    """What a profile says of the GPU, by operators: kernels have rows of their own, and would count twice."""
    rows = [row for row in prof.key_averages() if row.key.startswith("aten::")]
    print(f"{title}: {sum(row.self_device_time_total for row in rows) / 1e3:.3f} ms on the GPU in all")
    for row in sorted(rows, key=lambda row: -row.self_device_time_total)[:3]:
        print(f"    {row.key:14}{row.self_device_time_total / 1e3:9.3f} ms{row.count:6} calls")


def main() -> None:
    """Measure."""
    warnings.simplefilter("ignore")
    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name())
    x = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16) / SIZE**0.5
    work(x, weight)
    print(f"\n{CALLS} times a product of {SIZE}x{SIZE} bfloat16 and a relu")
    clocks(x, weight)

    print("\ncost to the CPU of one mark, no tool attached")
    event = torch.cuda.Event(enable_timing=True)
    cost("NVTX range, push and pop", nvtx_range)
    cost("record_function", torch_range)
    cost("CUDA event, record", event.record)
    cost("synchronize with nothing to wait for", torch.cuda.synchronize)

    print("\nthe profiler with CUDA events in CUPTI's place (use_kineto=False), then with CUPTI")
    with torch.autograd.profiler.profile(use_device="cuda", use_kineto=False) as events:
        work(x, weight)
        torch.cuda.synchronize()
    operators("events", events)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as records:
        work(x, weight)
        torch.cuda.synchronize()
    operators("CUPTI", records)


if __name__ == "__main__":
    main()
