"""Compare what a mark costs with the length of what it marks.

    python trace_marks.py [FOLDER]     # needs torch and a CUDA device; FOLDER gets a trace for Holistic Trace Analysis

Prints the length of kernels, copies and memsets (each kind on its own), the cost to the CPU of one mark with and
without a profiler, and the time of a training step with and without `record_function` around each of its layers.
Every line is the median of the repetitions, with their range.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

REPEATS, STEPS, LAYERS, WIDTH, BATCH = 5, 20, 4, 256, 64
BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def told(values: list[float], unit: str) -> str:
    """Median, range and number of repetitions."""
    return f"{statistics.median(values):9.2f} {unit} ({min(values):.2f} - {max(values):.2f}, n={len(values)})"


def lengths(step: Callable[[], None]) -> None:
    """Print the length of GPU activities, by kind: the median of a profile, over the repetitions."""
    medians, counts = defaultdict(list), {}
    for _ in range(REPEATS):
        with profile(activities=BOTH) as prof:
            for _ in range(STEPS):
                step()
            torch.cuda.synchronize()
        kinds: dict[str, list[float]] = defaultdict(list)
        for event in prof.profiler.kineto_results.events():
            name = event.name()
            if event.device_type() == torch.autograd.DeviceType.CUDA and not name.startswith("Optimizer."):  # a mark
                kind = "memcpy" if name.startswith("Memcpy") else "memset" if name.startswith("Memset") else "kernel"
                kinds[kind].append(event.duration_ns() / 1e3)
                kinds["all activities"].append(event.duration_ns() / 1e3)
        for kind, values in kinds.items():
            medians[kind].append(statistics.median(values))
            counts[kind] = len(values)
        for operator in ("aten::linear", "aten::relu"):
            spent = [e.duration_ns() / 1e3 for e in prof.profiler.kineto_results.events() if e.name() == operator]
            medians[f"{operator}, time of the CPU"].append(statistics.median(spent))
            counts[f"{operator}, time of the CPU"] = len(spent)
    for kind, values in medians.items():
        print(f"  {kind:32}{counts[kind]:6} in a profile, median {told(values, 'us')}")


def cost(title: str, mark: Callable[[], object], times: int) -> None:
    """Print what one mark costs the CPU."""
    for _ in range(200):
        mark()
    torch.cuda.synchronize()
    measured = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(times):
            mark()
        measured.append((time.perf_counter() - start) / times * 1e6)
        torch.cuda.synchronize()
    print(f"  {title:44}{told(measured, 'us')}")


def torch_range() -> None:
    """A record_function around nothing."""
    with record_function("mark"):
        pass


def fast_range() -> None:
    """The variant in C around nothing."""
    with torch._C._profiler._RecordFunctionFast("mark"):
        pass


def nvtx_range() -> None:
    """An NVTX range around nothing."""
    torch.cuda.nvtx.range_push("mark")
    torch.cuda.nvtx.range_pop()


def marks(title: str, times: int) -> None:
    """Print the cost of all marks."""
    print(f"cost to the CPU of one mark, {title}")
    cost("record_function", torch_range, times)
    cost("torch._C._profiler._RecordFunctionFast", fast_range, times)
    cost("torch.cuda.nvtx.range_push and range_pop", nvtx_range, times)
    event = torch.cuda.Event(enable_timing=True)
    cost("torch.cuda.Event.record", event.record, times)


def main() -> None:  # noqa: PLR0915 - read from top to bottom
    """Measure."""
    warnings.simplefilter("ignore")
    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name(), f"Python {sys.version.split()[0]}")
    layers = [torch.nn.Linear(WIDTH, WIDTH).to("cuda", torch.bfloat16) for _ in range(LAYERS)]
    parameters = [parameter for layer in layers for parameter in layer.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-6)
    host = torch.randn(BATCH, WIDTH, dtype=torch.bfloat16).pin_memory()

    def step(mark: Callable[[str], Any] = lambda _: nullcontext()) -> None:
        x = host.to("cuda", non_blocking=True)
        for number, layer in enumerate(layers):
            with mark(f"layer {number}"):
                x = torch.relu(layer(x))
        x.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(10):
        step()
    torch.cuda.synchronize()

    marks("before any profile", 5000)
    print(
        f"length of the GPU's activities in {STEPS} steps of {LAYERS} layers of {WIDTH}, batch {BATCH}, bfloat16",
        end="",
    )
    print(", AdamW")
    lengths(step)
    with profile(activities=BOTH):
        marks("while torch.profiler records CPU and CUDA", 500)
    marks("after the profile", 5000)

    def timed(mark: Callable[[str], Any], steps: int = 100) -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            step(mark)
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / steps * 1e6

    times: dict[str, list[float]] = defaultdict(list)
    ways: dict[str, tuple[Callable[[str], Any], bool]] = {
        "no marks": (lambda _: nullcontext(), False),
        f"record_function around each of {LAYERS} layers": (record_function, False),
        "NVTX range around each layer": (torch.cuda.nvtx.range, False),
        "no marks, recording": (lambda _: nullcontext(), True),
        "record_function around each layer, recording": (record_function, True),
    }
    for _ in range(REPEATS):
        for title, (mark, recorded) in ways.items():
            with profile(activities=BOTH) if recorded else nullcontext():
                times[title].append(timed(mark))
    print("one training step, by the wall clock (CUPTI attached since the first profile)")
    for title, values in times.items():
        print(f"  {title:48}{told(values, 'us')}")

    print("the same step by activities asked for: events in the profile")
    for names in (["CPU"], ["CUDA"], ["CPU", "CUDA"]):
        with profile(activities=[ProfilerActivity.__members__[name] for name in names]) as prof:
            step(record_function)
            torch.cuda.synchronize()
        kinds: dict[str, int] = defaultdict(int)
        for event in prof.profiler.kineto_results.events():
            on_gpu = event.device_type() == torch.autograd.DeviceType.CUDA
            if on_gpu and event.name().startswith(("Optimizer.", "layer ")):
                continue  # a mark, drawn over the kernels that it launched
            call = event.name().startswith(("cuda", "cu")) and not on_gpu
            kinds["GPU" if on_gpu else "CUDA calls" if call else "operators and marks"] += 1
        print(f"  {'+'.join(names):10}", dict(sorted(kinds.items())))

    if sys.argv[1:]:
        path = Path(sys.argv[1], "trace_rank0.json.gz")
        plan = schedule(wait=1, warmup=1, active=4)
        with profile(activities=BOTH, schedule=plan, on_trace_ready=lambda p: p.export_chrome_trace(str(path))) as prof:
            for _ in range(6):
                step(record_function)
                prof.step()
        print(f"trace of 4 steps: {path.stat().st_size} bytes, compressed")


if __name__ == "__main__":
    main()
