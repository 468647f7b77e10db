"""Time one forward pass of two models: eager, as a CUDA graph, and compiled in three modes.

Prints, for each variant: the time to the first result (compiling included), milliseconds per forward pass (median and
range of the repetitions), calls of the host that start work on the GPU, kernels that ran, peak memory, and the largest
difference from eager execution.
"""

import gc
import os
import statistics
import time

import torch
from torch import nn
from torch._inductor.utils import fresh_cache
from torch.profiler import ProfilerActivity, profile

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
REPETITIONS, ITERATIONS = 7, 50


class Block(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(batch, length, width))


def small():
    """16 blocks of width 128 on 16 rows: hardly any arithmetic."""
    return nn.Sequential(*[Block(128, 256) for _ in range(16)]), torch.randn(16, 128)


def large():
    """6 layers of width 1024 on 8 x 1024 tokens: about 1.2 TFLOP of matrix products."""
    layers = [nn.Sequential(Attention(1024, 16), Block(1024, 4096)) for _ in range(6)]
    return nn.Sequential(*layers), torch.randn(8, 1024, 1024)


def sync():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def manual_graph(model, x):
    """Return a function that copies its argument into the captured input and replays the graph."""
    static_x = x.clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            model(static_x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        static_y = model(static_x)

    def replay(value):
        static_x.copy_(value)
        graph.replay()
        return static_y

    return replay


def calls(run, x):
    """Count calls that start work, and kernels, of one forward pass."""
    run(x)
    sync()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as trace:
        run(x)
        sync()
    starts = {"cudaLaunchKernel": 0, "cudaLaunchKernelExC": 0, "cuLaunchKernel": 0, "cuLaunchKernelEx": 0, "cudaGraphLaunch": 0, "cudaMemcpyAsync": 0}
    kernels = 0
    for event in trace.events():
        if event.name in starts:
            starts[event.name] += 1
        elif event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith(("Mem", "## ", "Torch-Compiled")):
            kernels += 1
    return "+".join(f"{n} {name}" for name, n in starts.items() if n), kernels


def measure(title, model, x, make):
    torch._dynamo.reset()
    gc.collect()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    run = make(model, x)
    run(x)
    sync()
    first = time.perf_counter() - start
    for _ in range(10):
        run(x)
    sync()
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        for _ in range(ITERATIONS):
            run(x)
        sync()
        times.append((time.perf_counter() - start) / ITERATIONS * 1e3)
    peak = torch.cuda.max_memory_allocated() / 2**20 if DEVICE == "cuda" else 0
    reserved = torch.cuda.memory_reserved() / 2**20 if DEVICE == "cuda" else 0
    with torch.no_grad():
        difference = (run(x).float() - model(x).float()).abs().max().item()
    starts, kernels = calls(run, x)
    print(f"{title:34} first {first:6.2f} s  {statistics.median(times):8.3f} ms [{min(times):.3f}, {max(times):.3f}]  "
          f"kernels {kernels:4}  max diff {difference:.1e}  peak {peak:.0f} MiB, reserved {reserved:.0f} MiB  {starts}", flush=True)


def main():
    name = torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU"
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {name}, {os.cpu_count()} cores; bfloat16, no_grad; "
          f"{REPETITIONS} repetitions of {ITERATIONS} passes: median [least, most]; each variant with an empty Inductor cache, "
          "after one compilation of x + 1")
    torch.compile(lambda v: v + 1)(torch.ones(8, device=DEVICE))
    variants = [
        ("eager", lambda m, x: m),
        ("manual CUDAGraph", manual_graph),
        ("compile", lambda m, x: torch.compile(m)),
        ("compile reduce-overhead", lambda m, x: torch.compile(m, mode="reduce-overhead")),
        ("compile max-autotune", lambda m, x: torch.compile(m, mode="max-autotune")),
    ]
    for make_model, chosen in ((small, variants[:4]), (large, variants[:4]), (small, variants[4:]), (large, variants[4:])):
        torch.manual_seed(0)
        model, x = make_model()
        model, x = model.to(DEVICE, torch.bfloat16).eval(), x.to(DEVICE, torch.bfloat16)
        print(f"\n{make_model.__name__}: {make_model.__doc__}")
        for title, make in chosen:
            if make is manual_graph and DEVICE == "cpu":
                continue
            try:
                with torch.no_grad(), fresh_cache():
                    measure(title, model, x, make)
            except Exception as error:  # one variant must not lose the others
                print(f"{title}: {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)


main()
