"""Compute the limits of the floating-point formats from their bits, and compare them with torch.finfo. Needs no GPU."""

import sys

import torch

FORMATS = {  # name: exponent bits, mantissa bits, infinities, dtype
    "fp32": (8, 23, True, torch.float32),
    "tf32": (8, 10, True, None),
    "bf16": (8, 7, True, torch.bfloat16),
    "fp16": (5, 10, True, torch.float16),
    "e5m2": (5, 2, True, torch.float8_e5m2),
    "e4m3fn": (4, 3, False, torch.float8_e4m3fn),
}


def main():
    print(f"torch {torch.__version__}, Python {sys.version.split()[0]}")
    print(f"{'format':7} {'bits s/e/m':10} {'largest':>13} {'least normal':>13} {'least subnormal':>15} {'spacing at 1':>12} {'log2: least .. largest':>23}  finite values, torch.finfo agrees")
    for name, (e, m, infinities, dtype) in FORMATS.items():
        bias = 2 ** (e - 1) - 1
        top = 2**e - 2 - bias if infinities else 2**e - 1 - bias  # without infinities only the last code of the last exponent is NaN
        largest = 2.0**top * (2 - 2.0**-m) if infinities else 2.0**top * (2 - 2.0 ** (1 - m))
        normal, subnormal = 2.0 ** (1 - bias), 2.0 ** (1 - bias - m)
        finite = 2 * (2**e - 1) * 2**m if infinities else 2 ** (1 + e + m) - 2
        agrees = "-"
        if dtype:
            info = torch.finfo(dtype)
            agrees = (info.max, info.smallest_normal, info.eps) == (largest, normal, 2.0**-m)
        low = f"2**{1 - bias - m}"
        print(f"{name:7} 1/{e}/{m:<6} {largest:13.5g} {normal:13.3e} {subnormal:15.3e} {2.0**-m:12.3e} {low:>11} .. {largest:<9.4g}  {finite}, {agrees}")

    print("\nwhat a cast does")
    for value in (70000.0, 500.0, 2.0**-20, 2.0**-25, 1 + 2.0**-9, 0.1):
        x = torch.tensor(value)
        print(f"{value:<22.10g}", "  ".join(f"{str(d).removeprefix('torch.')} {x.to(d).float().item():<12.6g}" for d in (torch.float16, torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn)))

    print("\na weight of 1.0, and an update of lr * 1 added 1000 times")
    for lr in (1e-2, 4e-3, 1e-3, 1e-4):
        ends = []
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            w = torch.ones((), dtype=dtype)
            for _ in range(1000):
                w += lr
            ends.append(f"{str(dtype).removeprefix('torch.')} {w.item():.6g}")
        print(f"lr {lr:g}: expected {1 + 1000 * lr:.6g};", ", ".join(ends))

    print("\nsum of 2**16 ones, one after the other, and as torch.sum")
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        total = torch.zeros((), dtype=dtype)
        one = torch.ones((), dtype=dtype)
        for _ in range(2**16):
            total += one
        print(f"{str(dtype).removeprefix('torch.'):9} one by one {total.item():g}, torch.sum {torch.ones(2**16, dtype=dtype).sum().item():g}")


main()
