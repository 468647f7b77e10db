"""Matrix products by precision: throughput and error against float64, the TF32 switches, and reduced-precision sums."""

import statistics
import sys
import time
import warnings

import torch

torch.manual_seed(0)
F8, F8G = torch.float8_e4m3fn, torch.float8_e5m2
REPETITIONS = 7


def best(run, iterations):
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    times = []
    for _ in range(REPETITIONS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(iterations):
            run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / iterations)
    return statistics.median(times), min(times), max(times)


def scaled(x, dtype, dim=None):
    """Return x divided by its scale and cast, and the scale (float32): one for the tensor, or one for each row."""
    amax = x.abs().amax() if dim is None else x.abs().amax(dim, keepdim=True)
    scale = (amax / torch.finfo(dtype).max).float()
    return (x.float() / scale).to(dtype), scale


def variants(a, b):
    a16, b16, ab, bb = a.half(), b.half(), a.bfloat16(), b.bfloat16()

    def fp32(mode):
        def run():
            torch.backends.cuda.matmul.fp32_precision = mode
            return a @ b
        return run

    def fp16(accumulate):
        def run():
            torch.backends.cuda.matmul.allow_fp16_accumulation = accumulate
            return a16 @ b16
        return run

    yield "fp32 (ieee)", fp32("ieee")
    yield "tf32", fp32("tf32")
    yield "fp16", fp16(False)
    yield "fp16, allow_fp16_accumulation", fp16(True)
    yield "bf16", lambda: ab @ bb
    for title, wide in (("e4m3 x e4m3", F8), ("e5m2 x e4m3", F8G)):
        qa, sa = scaled(a, wide)
        qb, sb = scaled(b.t().contiguous(), F8)
        for fast in (False, True):
            yield (f"fp8 {title}, per tensor, use_fast_accum={fast}",
                   lambda qa=qa, sa=sa, qb=qb, sb=sb, fast=fast: torch._scaled_mm(
                       qa, qb.t(), scale_a=sa, scale_b=sb, out_dtype=torch.bfloat16, use_fast_accum=fast))
    qa, sa = scaled(a, F8, 1)
    qb, sb = scaled(b.t().contiguous(), F8, 1)
    for fast in (False, True):
        yield (f"fp8 e4m3 x e4m3, per row, use_fast_accum={fast}",
               lambda qa=qa, sa=sa, qb=qb, sb=sb, fast=fast: torch._scaled_mm(
                   qa, qb.t(), scale_a=sa, scale_b=sb.t(), out_dtype=torch.bfloat16, use_fast_accum=fast))


def outliers(n):
    """Error of the rows without outliers, where 16 rows of the first operand are larger by a factor."""
    print(f"\n{n} x {n} x {n}, 16 rows of the first operand larger by a factor: median error of a row")
    a0, b = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
    for factor in (1, 1e2, 1e3, 1e4, 1e5, 1e6):
        a = a0.clone()
        a[:: n // 16] *= factor
        exact = a.double() @ b.double()
        shown = []
        for title, run in variants(a, b):
            if "fast_accum=True" in title or "accumulation" in title or title.startswith(("fp32", "tf32")):
                continue
            row = ((run().double() - exact).norm(dim=1) / exact.norm(dim=1)).median().item()
            shown.append(f"{title.replace(', use_fast_accum=False', '')} {row:.1e}")
        print(f"factor {factor:g}: " + "; ".join(shown), flush=True)


def throughput(n):
    a, b = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
    exact = a.double() @ b.double()
    rows = exact.norm(dim=1)
    print(f"\n{n} x {n} x {n}, normal data")
    print(f"{'':47} {'ms':>8} {'TFLOP/s':>8} {'[least, most]':>16} {'error':>9} {'median row':>10}")
    for title, run in variants(a, b):
        try:
            result = run()
            difference = result.double() - exact
            error = (difference.norm() / exact.norm()).item()
            row = (difference.norm(dim=1) / rows).median().item()
            median, least, most = best(run, 20 if n <= 4096 else 8)
            flop = 2 * n**3 / 1e9
            print(f"{title:47} {median:8.3f} {flop / median:8.0f} [{flop / most:6.0f},{flop / least:7.0f}] {error:9.1e} {row:10.1e}", flush=True)
        except Exception as problem:
            print(f"{title:47} {type(problem).__name__}: {str(problem).splitlines()[0]}", flush=True)
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    torch.backends.cuda.matmul.allow_fp16_accumulation = False


def reductions():
    """Long sums: what the flags for reduced-precision reductions change."""
    print("\nreduced-precision reductions: 64 x 131072 x 64, error against float64 (relative, Frobenius) and ms")
    flags = torch.backends.cuda.matmul
    print("defaults:", {k: getattr(flags, k) for k in ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction", "allow_fp16_accumulation")})
    for shift in (0.0, 1.0):
        a, b = torch.randn(64, 131072, device="cuda") + shift, torch.randn(131072, 64, device="cuda") + shift
        for dtype, name in ((torch.float16, "allow_fp16_reduced_precision_reduction"), (torch.bfloat16, "allow_bf16_reduced_precision_reduction")):
            x, y = (a / 8).to(dtype), (b / 8).to(dtype)
            exact = x.double() @ y.double()
            for allowed in (True, False):
                setattr(flags, name, allowed)
                result = x @ y
                error = ((result.double() - exact).norm() / exact.norm()).item()
                median, least, most = best(lambda: x @ y, 50)
                print(f"mean {shift / 8:5.3f}  {str(dtype):15} {name}={allowed!s:5}  error {error:.1e}  {median:.4f} ms [{least:.4f}, {most:.4f}]")
            setattr(flags, name, True)


def switches():
    """Which switch turns TF32 on, read off the error of a product."""
    a, b = torch.randn(1024, 1024, device="cuda"), torch.randn(1024, 1024, device="cuda")
    exact = a.double() @ b.double()
    image, kernel = torch.randn(8, 64, 32, 32, device="cuda"), torch.randn(64, 64, 3, 3, device="cuda")
    exact_conv = torch.nn.functional.conv2d(image.double(), kernel.double())

    def state():
        mm = ((a @ b).double() - exact).norm() / exact.norm()
        conv = (torch.nn.functional.conv2d(image, kernel).double() - exact_conv).norm() / exact_conv.norm()
        return f"matmul {'tf32' if mm > 1e-5 else 'fp32'} ({mm:.1e}), conv {'tf32' if conv > 1e-5 else 'fp32'} ({conv:.1e})"

    print("\nTF32 switches")
    print("fresh process:", state())
    for name in ("torch.backends.fp32_precision", "torch.backends.cuda.matmul.fp32_precision", "torch.backends.cudnn.fp32_precision",
                 "torch.backends.cudnn.conv.fp32_precision", "torch.backends.cudnn.rnn.fp32_precision", "torch.backends.cuda.matmul.allow_tf32",
                 "torch.backends.cudnn.allow_tf32", "torch.get_float32_matmul_precision()"):
        try:
            print(f"  {name} = {eval(name)!r}")
        except Exception as problem:
            print(f"  {name}: {type(problem).__name__}: {str(problem).splitlines()[0]}")
    steps = [
        "torch.set_float32_matmul_precision('high')", "torch.set_float32_matmul_precision('highest')",
        "torch.backends.cuda.matmul.allow_tf32 = True", "torch.backends.cuda.matmul.allow_tf32 = False",
        "torch.backends.cuda.matmul.fp32_precision = 'tf32'", "torch.backends.cuda.matmul.allow_tf32",
        "torch.get_float32_matmul_precision()", "torch.backends.cuda.matmul.fp32_precision = 'ieee'",
        "torch.backends.cudnn.conv.fp32_precision = 'ieee'", "torch.backends.cudnn.allow_tf32",
        "torch.backends.cudnn.conv.fp32_precision = 'tf32'", "torch.backends.fp32_precision = 'tf32'", "torch.backends.fp32_precision = 'ieee'",
    ]
    for step in steps:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                said = ""
                if "=" in step:
                    exec(step)
                else:
                    said = f" -> {eval(step)!r}"
                print(f"{step}{said}: {state()}")
            except Exception as problem:
                print(f"{step}: {type(problem).__name__}: {str(problem).splitlines()[0]}")
            for warning in caught:
                print("    warning:", str(warning.message).splitlines()[0][:400])


def main():
    began = time.perf_counter()
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}; "
          f"median [least, most] of {REPETITIONS} repetitions; error: ||result - float64|| / ||float64||")
    if "switches" in sys.argv:
        return switches()
    for n in (1024, 4096, 8192):
        throughput(n)
    outliers(4096)
    reductions()
    print(f"\n{time.perf_counter() - began:.0f} s")


main()
