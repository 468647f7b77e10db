"""Provoke the failures of FP8: a stale amax, a zero amax, Inf and NaN in a cast, gradients without a scale, wrong layouts.

Prints: relative error, saturated and zeroed shares of a product whose scale comes from an older amax; what becomes of Inf,
NaN and zeros; the share of gradients lost by format and scale; and the messages of wrong calls of torch._scaled_mm.
"""

import statistics

import torch

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
SIZE = 2048 if GPU else 256


def error(y, reference):
    return ((y.double() - reference).norm() / reference.norm()).item()


def cast(x, scale, dtype, saturate):
    x = x.float() / scale
    if saturate:
        x = x.clamp(-torch.finfo(dtype).max, torch.finfo(dtype).max)
    return x.to(dtype)


def stale():
    print(f"\nstale amax: x ({SIZE} x {SIZE}, normal) has grown by a factor since its amax was taken; product with w, both e4m3fn; median of 3 seeds")
    for dtype in (E4M3, E5M2):
        for factor in (1, 2, 4, 16, 256, 2**-8, 2**-14):
            for saturate in (False, True):
                errors, nans, tops, zeros = [], [], [], []
                for seed in range(3):
                    torch.manual_seed(seed)
                    x, w = (torch.randn(SIZE, SIZE, device=DEVICE) for _ in range(2))
                    scale, scale_w = x.abs().amax() / torch.finfo(dtype).max, w.abs().amax() / torch.finfo(E4M3).max
                    x = x * factor
                    q, qw = cast(x, scale, dtype, saturate), cast(w, scale_w, E4M3, True)
                    y = torch._scaled_mm(q, qw.t(), scale_a=scale, scale_b=scale_w, out_dtype=torch.bfloat16) if GPU else (q.float() * scale) @ (qw.float() * scale_w).t()
                    errors.append(error(y, x.double() @ w.double().t()))
                    nans.append(y.isfinite().logical_not().float().mean().item())
                    tops.append((q.float().abs() >= torch.finfo(dtype).max).float().mean().item())
                    zeros.append((q.float() == 0).float().mean().item())
                print(f"  x as {str(dtype)[6:]:14} factor {factor:<12g} {'clamp, then cast' if saturate else 'cast only':17} error {statistics.median(errors):<9.2g} "
                      f"not finite {statistics.median(nans):8.3%}  at the top {statistics.median(tops):8.3%}  zero {statistics.median(zeros):8.3%}", flush=True)


def scales():
    print("\na tensor of zeros, an Inf, a NaN: scale = amax / max, then x / scale cast to e4m3fn")
    for title, x in (("zeros", torch.zeros(4)), ("one Inf", torch.tensor([float("inf"), 1.0, 2.0, 3.0])), ("one NaN", torch.tensor([float("nan"), 1.0, 2.0, 3.0]))):
        for clamp in (False, True):
            y = x.to(DEVICE)
            amax = y.abs().amax()
            scale = (amax.clamp(min=1e-12) if clamp else amax) / 448
            q = (y / scale).to(E4M3)
            print(f"  {title:8} {'amax.clamp(min=1e-12)' if clamp else 'amax':22} scale {scale.item():<10.4g} cast {q.float().tolist()}  and back {(q.float() * scale).tolist()}")


def gradients():
    print("\n1 million gradients, log-normal around 2**-20 with a spread of 2**4 (standard deviation): share that becomes zero, by format and scale")
    torch.manual_seed(0)
    g = torch.exp2(torch.randn(2**20, device=DEVICE) * 4 - 20)
    for dtype in (torch.float16, E5M2, E4M3):
        for title, scale in (("no scale", 1.0), ("2**16", 2.0**-16), ("amax / max", (g.amax() / torch.finfo(dtype).max).item())):
            q = (g / scale).clamp(max=torch.finfo(dtype).max).to(dtype).float()
            print(f"  {str(dtype)[6:]:14} {title:12} zero {(q == 0).float().mean().item():8.3%}  relative error {error(q * scale, g.double()):.2g}")


def messages():
    print("\nmessages of wrong calls of torch._scaled_mm")
    one = torch.ones((), device=DEVICE)
    eight = lambda rows, columns, dtype=E4M3: torch.ones(rows, columns, device=DEVICE).to(dtype)
    cases = {
        "right": lambda: torch._scaled_mm(eight(32, 32), eight(32, 32).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "second operand by rows": lambda: torch._scaled_mm(eight(32, 32), eight(32, 32), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "first operand by columns": lambda: torch._scaled_mm(eight(32, 32).t(), eight(32, 32).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "inner dimension 24": lambda: torch._scaled_mm(eight(32, 24), eight(32, 24).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "columns of the result 24": lambda: torch._scaled_mm(eight(32, 32), eight(24, 32).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "rows 17": lambda: torch._scaled_mm(eight(17, 32), eight(32, 32).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "both e5m2": lambda: torch._scaled_mm(eight(32, 32, E5M2), eight(32, 32, E5M2).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "scale in float64": lambda: torch._scaled_mm(eight(32, 32), eight(32, 32).t(), scale_a=one.double(), scale_b=one, out_dtype=torch.bfloat16),
        "scale per row as a vector": lambda: torch._scaled_mm(eight(32, 32), eight(32, 32).t(), scale_a=torch.ones(32, device=DEVICE), scale_b=torch.ones(32, device=DEVICE), out_dtype=torch.bfloat16),
        "scale per row, float16 result": lambda: torch._scaled_mm(eight(32, 32), eight(32, 32).t(), scale_a=torch.ones(32, 1, device=DEVICE), scale_b=torch.ones(1, 32, device=DEVICE), out_dtype=torch.float16),
        "bfloat16 operand": lambda: torch._scaled_mm(eight(32, 32, torch.bfloat16), eight(32, 32).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "x + y in e4m3fn": lambda: eight(4, 4) + eight(4, 4),
        "x.abs().max() in e4m3fn": lambda: eight(4, 4).abs().max(),
        "x @ y in e4m3fn": lambda: eight(32, 32) @ eight(32, 32),
        "x.isnan() in e4m3fn": lambda: eight(4, 4).isnan().any(),
        "x.isfinite() in e4m3fn": lambda: eight(4, 4).isfinite().all(),
    }
    for title, case in cases.items():
        try:
            result = f"no error, {case().dtype}"
        except Exception as problem:
            result = f"{type(problem).__name__}: {str(problem).splitlines()[0]}"
        print(f"  {title:32} {result}", flush=True)


print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name() if GPU else 'CPU'}")
for part in (stale, scales, gradients, messages):
    part()
