"""Tell from a trace of torch.profiler whether the CPU or the GPU is what a loop waits for.

python trace_reading.py               # makes two traces, of small and of large kernels; needs torch and CUDA
python trace_reading.py TRACE.json    # reads a trace that is there; needs neither
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

ON_GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
CALLS = {"cuda_runtime", "cuda_driver"}


def covered(spans: list[tuple[float, float]]) -> float:
    """How much time the spans cover together, overlaps counted once."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def read(path: Path) -> None:
    """Print what the trace says. Times in a trace are in microseconds."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        events: list[dict[str, Any]] = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
    on_gpu = [event for event in events if event.get("cat") in ON_GPU]
    calls = {event["args"]["correlation"]: event for event in events if event.get("cat") in CALLS}
    kinds = sorted({event["cat"] for event in events})
    print("categories:", *kinds)
    if not on_gpu:
        print("no GPU activity in this trace")
        return
    spans = [(event["ts"], event["ts"] + event["dur"]) for event in on_gpu]
    length = max(end for _, end in spans) - min(start for start, _ in spans)
    launches = [event for event in calls.values() if "Launch" in event["name"]]
    waits = [
        event["ts"] - (call["ts"] + call["dur"])
        for event in on_gpu
        if (call := calls.get(event["args"].get("correlation")))
    ]
    print(f"{len(on_gpu)} activities in {length / 1e3:.2f} ms, GPU busy {covered(spans) / length:.1%} of it")
    print(f"median activity {statistics.median(event['dur'] for event in on_gpu):.1f} us")
    if launches:
        print(f"{len(launches)} launches, median {statistics.median(event['dur'] for event in launches):.1f} us of CPU")
    if waits:
        print(f"median wait from the end of the call to the start on the GPU {statistics.median(waits):.1f} us")


def show_one(path: Path) -> None:
    """Print the chain of one kernel: operator, call, kernel."""
    events = json.loads(path.read_text())["traceEvents"]
    kernel = max((event for event in events if event.get("cat") == "kernel"), key=lambda event: event["dur"])
    number = kernel["args"]["correlation"]
    call = next(e for e in events if e.get("cat") in CALLS and e["args"].get("correlation") == number)
    external = call["args"].get("External id")
    outer = next(e for e in events if e.get("cat") == "cpu_op" and e["args"].get("External id") == external)
    for event in (outer, call, kernel):
        start = event["ts"] - outer["ts"]
        print(f"  {event['cat']:13}{event['name'][:44]:46}at {start:9.1f} us for {event['dur']:8.1f} us")
    print(f"  joined by correlation {number} and External id {external}")


def main() -> None:
    """Read the trace that is named, or make two."""
    if sys.argv[1:]:
        read(Path(sys.argv[1]))
        return
    import torch  # noqa: PLC0415 - reading a trace needs no torch
    from torch.profiler import ProfilerActivity, profile  # noqa: PLC0415 - the same

    for title, width, batch in (("small kernels", 256, 64), ("large kernels", 8192, 4096)):
        parts = [part for _ in range(4) for part in (torch.nn.Linear(width, width), torch.nn.ReLU())]
        model = torch.nn.Sequential(*parts).to("cuda", torch.bfloat16)
        x = torch.randn(batch, width, device="cuda", dtype=torch.bfloat16)
        for _ in range(10):
            model(x).square().mean().backward()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
            for _ in range(20):
                model(x).square().mean().backward()
            torch.cuda.synchronize()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json")
            prof.export_chrome_trace(str(path))
            print(f"\n{title}: 20 steps of 4 layers of {width}, batch {batch}, bfloat16")
            read(path)
            show_one(path)


if __name__ == "__main__":
    main()
