"""Compare the traces of one model: eager, compiled, compiled with CUDA graphs, and captured by hand.

python compiled_traces.py          # needs torch, Triton and a CUDA device
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

REPEATS, STEPS = 5, 20
ON_GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def told(values: list[float], unit: str = "") -> str:
    """Median, range and number of repetitions."""
    return f"{statistics.median(values):9.2f} {unit} ({min(values):.2f} - {max(values):.2f}, n={len(values)})"


class Block(torch.nn.Module):
    """A layer with operators that a compiler can fuse."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.linear = torch.nn.LayerNorm(width), torch.nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x plus half of the activated linear layer."""
        return x + torch.nn.functional.gelu(self.linear(self.norm(x))) * 0.5


def trace(run: Callable[[], object], **options: Any) -> list[dict[str, Any]]:
    """The complete events of a profile of STEPS runs."""
    with profile(activities=BOTH, **options) as prof:
        for _ in range(STEPS):
            run()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        prof.export_chrome_trace(str(path))
        return [event for event in json.loads(path.read_text())["traceEvents"] if event.get("ph") == "X"]


def clock(run: Callable[[], object], steps: int = 100) -> float:
    """Microseconds a run, by the wall clock."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / steps * 1e6


def show(title: str, run: Callable[[], object], check: Callable[[], torch.Tensor], expected: torch.Tensor) -> None:
    """Print what the traces of one way of running hold."""
    for _ in range(5):
        run()
    error = (check().float() - expected.float()).abs().max().item()
    print(f"\n== {title}   largest difference from eager {error:.4f}")
    before = [clock(run) for _ in range(REPEATS)]
    found: dict[str, list[float]] = defaultdict(list)
    names: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    operators: Counter[str] = Counter()
    sample: dict[str, Any] = {}
    for _ in range(REPEATS):
        events = trace(run)
        on_gpu = [event for event in events if event.get("cat") in ON_GPU]
        found["operators (cpu_op) a step"].append(sum(e.get("cat") == "cpu_op" for e in events) / STEPS)
        launches = [e for e in events if e.get("cat") in {"cuda_runtime", "cuda_driver"} and "Launch" in e["name"]]
        found["launch calls a step"].append(len(launches) / STEPS)
        found["GPU activities a step"].append(len(on_gpu) / STEPS)
        found["GPU time a step, us"].append(sum(e["dur"] for e in on_gpu) / STEPS)
        found["activities with an operator of the same External id, %"].append(linked(events, on_gpu))
        names = Counter(e["name"][:70] for e in on_gpu)
        calls = Counter(e["name"] for e in launches)
        operators = Counter(e["name"][:70] for e in events if e.get("cat") in {"cpu_op", "user_annotation"})
        sample = max((e for e in on_gpu if e["cat"] == "kernel"), key=lambda e: e["dur"])
    after = [clock(run) for _ in range(REPEATS)]
    print(f"  {'step before any profile of it':56}{told(before, 'us')}")
    for key, values in found.items():
        print(f"  {key:56}{told(values)}")
    print(f"  {'step after':56}{told(after, 'us')}")
    print("  launch calls:", dict(calls.most_common(4)))
    print("  GPU activities:", *(f"{count:6} {name}" for name, count in names.most_common(5)), sep="\n    ")
    print("  operators and annotations:", *(f"{c:6} {n}" for n, c in operators.most_common(9)), sep="\n    ")
    print("  longest kernel:", json.dumps(sample.get("args", {}))[:700])


def linked(events: list[dict[str, Any]], on_gpu: list[dict[str, Any]]) -> float:
    """How many activities have the External id of an operator, in percent."""
    known = {e["args"].get("External id") for e in events if e.get("cat") == "cpu_op"} - {None}
    return 100 * sum(e["args"].get("External id") in known for e in on_gpu) / max(1, len(on_gpu))


def main() -> None:
    """Run each way."""
    warnings.simplefilter("ignore")
    print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name(), f"Python {sys.version.split()[0]}")
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[Block(512) for _ in range(6)]).to("cuda", torch.bfloat16).eval()
    x = torch.randn(64, 512, device="cuda", dtype=torch.bfloat16)
    with torch.no_grad():
        expected = model(x).clone()
        show("eager", lambda: model(x), lambda: model(x), expected)

        start = time.perf_counter()
        compiled = torch.compile(model)
        compiled(x)
        torch.cuda.synchronize()
        print(f"\ntorch.compile: first call {time.perf_counter() - start:.1f} s")
        show("torch.compile", lambda: compiled(x), lambda: compiled(x), expected)
        triton = [e for e in trace(lambda: compiled(x), record_shapes=True) if e["name"].startswith("triton_")]
        for kind in ("cpu_op", "kernel"):
            event = next((e for e in triton if e.get("cat") == kind), None)
            text = event and json.dumps([event["name"], event["args"]])[:1500]
            print(f"  a Triton {kind}, record_shapes=True:", text)

        reduced = torch.compile(model, mode="reduce-overhead")
        for _ in range(4):
            reduced(x)
        show('torch.compile(mode="reduce-overhead")', lambda: reduced(x), lambda: reduced(x).clone(), expected)

        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                model(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = model(x)

        def replayed() -> torch.Tensor:
            graph.replay()
            torch.cuda.synchronize()
            return result

        show("torch.cuda.CUDAGraph, eager model", graph.replay, replayed, expected)

    print("\n== a compiled training step")
    model.train()
    trained = torch.compile(model)

    def step() -> None:
        trained(x).square().mean().backward()
        model.zero_grad()

    for _ in range(3):
        step()
    events = trace(step)
    regions = Counter((e["cat"], e["name"][:80]) for e in events if e.get("cat") in {"user_annotation", "cpu_op"})
    for (kind, name), count in regions.most_common(200):
        if any(word in name for word in ("Compiled", "Region", "Call ", "Backward", "TorchDynamo", "Pregraph")):
            print(f"  {count:6} {kind:16} {name}")
    print("  categories:", dict(Counter(e.get("cat") for e in events)))


if __name__ == "__main__":
    main()
