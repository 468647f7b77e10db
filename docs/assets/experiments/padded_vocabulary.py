"""Time the last linear layer of a language model, forward and backward, for vocabulary sizes with different divisors.

python padded_vocabulary.py       # needs torch and a CUDA device
"""

from __future__ import annotations

import statistics

import torch
from torch.nn import functional as F

REPEATS, STEPS = 7, 3
SIZES = {"BERT": (30521, 30522, 30524, 30528, 30592), "GPT-2": (50257, 50264, 50304)}


def divisor(number: int) -> int:
    """Return the largest power of two in a number."""
    return number & -number


def measure(tokens: int, width: int, size: int, dtype: torch.dtype) -> tuple[list[float], list[float], list[str]]:
    """Return milliseconds for logits = x @ W.T with its two gradients, the same plus cross entropy, and the matrix kernels' names."""
    x = torch.randn(tokens, width, device="cuda", dtype=dtype, requires_grad=True)
    weight = (torch.randn(size, width, device="cuda", dtype=dtype) * 0.02).requires_grad_()
    gradient = torch.randn(tokens, size, device="cuda", dtype=dtype)
    labels = torch.randint(0, size, (tokens,), device="cuda")

    def products() -> None:
        F.linear(x, weight).backward(gradient)

    def whole() -> None:
        F.cross_entropy(F.linear(x, weight).float(), labels).backward()

    found = []
    for run in (products, whole):
        times = []
        for k in range(REPEATS + 1):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for _ in range(STEPS):
                x.grad = weight.grad = None
                run()
            end.record()
            end.synchronize()
            if k:
                times.append(start.elapsed_time(end) / STEPS)
        found.append(times)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as seen:
        products()
        torch.cuda.synchronize()
    rows = [e for e in seen.events() if e.device_type == torch.autograd.DeviceType.CUDA and not e.name.startswith(("Memcpy", "Memset"))]
    names = [e.name.split("(")[0][:60] for e in sorted(rows, key=lambda e: -e.device_time)[:3]]
    return found[0], found[1], names


def main() -> None:
    """Measure."""
    torch.manual_seed(0)
    print(
        f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}; 8192 tokens of width 1024; forward and both gradients;"
        f" median [least, most] of {REPEATS} repetitions of {STEPS}"
    )
    for dtype, tf32 in ((torch.bfloat16, False), (torch.float32, True)):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        for model, sizes in SIZES.items():
            print(f"\n{str(dtype).removeprefix('torch.')}{' (TF32)' if tf32 else ''}, {model}", flush=True)
            for size in sizes:
                products, whole, names = measure(8192, 1024, size, dtype)
                print(
                    f"  vocabulary {size:6}, divisible by {divisor(size):3}: products {statistics.median(products):7.2f} ms [{min(products):.2f}, {max(products):.2f}],"
                    f" with cross entropy {statistics.median(whole):7.2f} ms [{min(whole):.2f}, {max(whole):.2f}]  {' | '.join(names)}",
                    flush=True,
                )
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
