"""Check the extension of swiglu_extension/ against PyTorch, and time it beside eager mode and torch.compile.

Usage: PYTHONPATH=swiglu_extension python swiglu_run.py [cpu | shape | dtype]
"""

import statistics
import sys
import time

import torch
import torch.nn.functional as F

from swiglu import swiglu

REPETITIONS = 7


def eager(a, b):
    return F.silu(a) * b


def microseconds(function, inner=20):
    """Median, minimum and maximum time of one call, in µs."""
    for _ in range(5):
        function()
    times = []
    for _ in range(REPETITIONS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(inner):
            function()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000 / inner)
    return statistics.median(times), min(times), max(times)


def correctness():
    print("== largest difference from PyTorch, relative to the largest value of the float64 result")
    torch.manual_seed(0)
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        a, b, grad = (torch.randn(1031, 517, device="cuda", dtype=dtype, requires_grad=i < 2) for i in range(3))
        exact = [t.detach().double().requires_grad_() for t in (a, b)]
        y = eager(*exact)
        y.backward(grad.double())
        wanted = [y.detach(), exact[0].grad, exact[1].grad]

        def error(function):
            a.grad = b.grad = None
            out = function(a, b)
            out.backward(grad)
            return " ".join(f"{(g.double() - w).abs().max() / w.abs().max():.1e}" for g, w in zip((out, a.grad, b.grad), wanted))

        print(f"  {str(dtype):15} (y, da, db): kernel {error(swiglu)}   eager {error(eager)}")
    a, b = torch.randn(4, 1024, 2, device="cuda").unbind(-1)
    print("  non-contiguous inputs, difference:", (swiglu(a, b) - eager(a, b)).abs().max().item())
    a, b = torch.randn(4097, device="cuda")[1:], torch.randn(4097, device="cuda")[1:]
    print(f"  inputs at {a.data_ptr() % 16} bytes past a 16-byte boundary, difference:", (swiglu(a, b) - eager(a, b)).abs().max().item())
    print("  empty input:", swiglu(torch.empty(0, 8, device="cuda"), torch.empty(0, 8, device="cuda")).shape)


def refusals(which):
    """Call the operator with arguments that it refuses; one case a process."""
    bad = {
        "cpu": (torch.ones(3), torch.ones(3)),
        "shape": (torch.ones(3, device="cuda"), torch.ones(4, device="cuda")),
        "dtype": (torch.ones(3, device="cuda", dtype=torch.int32),) * 2,
    }[which]
    try:
        swiglu(*bad)
    except Exception as problem:
        print(f"refused ({which}): {type(problem).__name__}: {str(problem).splitlines()[0][:230]}")


def registration():
    print("== torch.library.opcheck and torch.autograd.gradcheck")
    a, b = (torch.randn(5, 33, device="cuda", dtype=torch.float64, requires_grad=True) for _ in range(2))
    print(" ", torch.library.opcheck(torch.ops.swiglu.forward.default, (a, b)))
    print("  gradcheck in float64:", torch.autograd.gradcheck(swiglu, (a, b)))
    a32, b32 = a.detach().float().requires_grad_(), b.detach().float().requires_grad_()
    try:
        torch.autograd.gradcheck(swiglu, (a32, b32))
    except Exception as problem:
        print(f"  gradcheck in float32: {type(problem).__name__}: {str(problem).splitlines()[0]}")
    compiled = torch.compile(lambda a, b: swiglu(a, b) + 1, fullgraph=True)
    print("  inside torch.compile(fullgraph=True), difference:", (compiled(a, b) - swiglu(a, b) - 1).abs().max().item())


def timings():
    rows, columns = 8192, 14336
    begun = time.perf_counter()
    compiled = torch.compile(eager)
    for dtype in (torch.bfloat16, torch.float32):
        a, b, grad = (torch.randn(rows, columns, device="cuda", dtype=dtype) for _ in range(3))
        size = a.numel() * a.element_size()
        print(f"== {rows} x {columns}, {dtype}, {size / 2**20:.0f} MiB a tensor; {REPETITIONS} repetitions of 20 calls")
        print("                                  median µs     min      max    GB/s of the traffic a fused kernel needs")

        def show(name, function, tensors):
            median, low, high = microseconds(function)
            print(f"  {name:30} {median:10.1f} {low:8.1f} {high:8.1f} {tensors * size / median / 1000:8.0f}", flush=True)

        with torch.no_grad():
            show("forward, eager", lambda: eager(a, b), 3)
            show("forward, torch.compile", lambda: compiled(a, b), 3)
            show("forward, kernel, 1 element", lambda: torch.ops.swiglu.forward(a, b, False), 3)
            show("forward, kernel, 16 bytes", lambda: swiglu(a, b), 3)
        a.requires_grad_()
        b.requires_grad_()
        for name, function in (("eager", eager), ("torch.compile", compiled), ("kernel", swiglu)):
            show(f"forward + backward, {name}", lambda f=function: torch.autograd.grad(f(a, b), (a, b), grad), 8)
        for name, function in (("eager", eager), ("torch.compile", compiled), ("kernel", swiglu)):
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            y = function(a, b)
            kept = torch.cuda.memory_allocated() - before
            print(f"  memory after forward, {name}: {kept / size:.2f} x one tensor")
            del y
        del a, b, grad
    small = [torch.randn(64, 64, device="cuda") for _ in range(2)]
    print("== 64 x 64, float32: what one call costs when the kernel is too small to matter (µs)")
    with torch.no_grad():
        for name, function in (("eager, two kernels", eager), ("torch.compile", compiled), ("kernel", swiglu)):
            median, low, high = microseconds(lambda f=function: f(*small), 500)
            print(f"  {name:30} {median:10.2f} {low:8.2f} {high:8.2f}")
    print(f"(torch.compile included, this part took {time.perf_counter() - begun:.0f} s)")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        refusals(sys.argv[1])
        raise SystemExit
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}")
    correctness()
    registration()
    timings()
