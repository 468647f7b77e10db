# ruff: noqa: B023, BLE001, D103, E501, E731, F821
# An experiment, kept as it ran.
"""Time one matrix product and one training step in each precision, with the error of the product against FP64."""

import statistics

import torch

N = 8192
PEAK = {
    "fp64": 67,
    "fp32": 67,
    "tf32": 494.5,
    "bf16": 989.5,
    "fp16": 989.5,
    "fp8": 1979,
    "int8": 1979,
}  # H100 SXM, dense


def timed(run, repeat=10, inner=5):
    for _ in range(3):
        run()
    times = []
    for _ in range(repeat):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(inner):
            run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / inner)
    return statistics.median(times), min(times), max(times)


print("torch", torch.__version__, "on", torch.cuda.get_device_name(), torch.cuda.get_device_capability())
print(f"One product of {N}x{N}x{N}, normal data; ms: median (min to max) of 10; error: of a 512-row strip against FP64")
torch.manual_seed(0)
a64 = torch.randn(N, N, device="cuda", dtype=torch.float64)
b64 = torch.randn(N, N, device="cuda", dtype=torch.float64)
strip = a64[:512] @ b64


def report(name, run, value=None):
    try:
        median, low, high = timed(run)
        tflops = 2 * N**3 / median / 1e9
        text = f"{name:5} {median:8.3f} ms ({low:.3f} to {high:.3f})  {tflops:7.1f} TFLOP/s  {100 * tflops / PEAK[name]:5.1f} % of {PEAK[name]}"
        if value is not None:
            error = (value().double()[:512] - strip).norm() / strip.norm()
            text += f"  relative error {error.item():.2e}"
        print(text, flush=True)
    except Exception as problem:
        print(f"{name:5} {type(problem).__name__}: {str(problem).splitlines()[0]}", flush=True)


report("fp64", lambda: a64 @ b64, lambda: a64 @ b64)
a32, b32 = a64.float(), b64.float()
del a64, b64
for name, setting in (("fp32", "ieee"), ("tf32", "tf32")):
    torch.backends.cuda.matmul.fp32_precision = setting
    report(name, lambda: a32 @ b32, lambda: a32 @ b32)
for name, kind in (("bf16", torch.bfloat16), ("fp16", torch.float16)):
    a, b = a32.to(kind), b32.to(kind)
    report(name, lambda: a @ b, lambda: a @ b)
one = torch.ones((), device="cuda")
a8, b8 = a32.to(torch.float8_e4m3fn), b32.t().contiguous().to(torch.float8_e4m3fn).t()
eight = lambda: torch._scaled_mm(a8, b8, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
report("fp8", eight, eight)
ai, bi = (a32 * 20).clamp(-127, 127).to(torch.int8), (b32 * 20).clamp(-127, 127).to(torch.int8).t().contiguous().t()
report("int8", lambda: torch._int_mm(ai, bi))
del a32, b32, a8, b8, ai, bi, strip
torch.cuda.empty_cache()

print(
    "\nOne training step: 12 transformer encoder layers (width 1024, 16 heads, MLP 4096), batch 16 of 577 tokens, SGD"
)
layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0.0, batch_first=True, norm_first=True, device="cuda")
model = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).train()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
x = torch.randn(16, 577, 1024, device="cuda")


def step(kind):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda", dtype=kind or torch.bfloat16, enabled=kind is not None):
        loss = model(x).float().pow(2).mean()
    loss.backward()
    optimizer.step()


for name, setting, kind in (("fp32", "ieee", None), ("tf32", "tf32", None), ("bf16 autocast", "tf32", torch.bfloat16)):
    torch.backends.cuda.matmul.fp32_precision = setting
    torch.cuda.reset_peak_memory_stats()
    median, low, high = timed(lambda: step(kind), repeat=7, inner=2)
    print(
        f"{name:14} {median:7.1f} ms ({low:.1f} to {high:.1f})  peak memory {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB",
        flush=True,
    )
