"""Train one small language model on bytes in each precision, and count gradients that float16 would lose.

The text is the Python standard library of the machine. Prints, for each precision: the loss on held-out text (median and
range over the seeds), time per step, peak memory, skipped steps, and the last scale; then the shares of gradients that
underflow in float16 at several scales, and the cost of casting with and without autocast's cache. With the argument
`underflow` it only counts gradients, for each seed, on the CPU too; with `cache` it only times the casts.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import sysconfig
import time

import torch
from torch import nn
from torch.nn import functional as F

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SEEDS, STEPS, BATCH, LENGTH, WIDTH, LAYERS = (0, 1, 2), 250, 32, 128, 256, 3
if "underflow" in sys.argv:
    STEPS = 80
elif DEVICE == "cpu":  # a smoke test
    SEEDS, STEPS, BATCH, LENGTH, WIDTH, LAYERS = (0,), 3, 4, 32, 64, 2


class Float8Product(torch.autograd.Function):
    """x @ w.T with both operands, and the gradient, scaled per tensor and cast to 8 bits."""

    @staticmethod
    def cast(x, dtype):
        scale = (x.abs().amax().clamp(min=1e-12) / torch.finfo(dtype).max).float()
        return (x.float() / scale).to(dtype), scale

    @staticmethod
    def mm(a, sa, b, sb):
        return torch._scaled_mm(a, b.t(), scale_a=sa, scale_b=sb, out_dtype=torch.bfloat16)

    @staticmethod
    def forward(ctx, x, w):
        qx, sx = Float8Product.cast(x, torch.float8_e4m3fn)
        qw, sw = Float8Product.cast(w, torch.float8_e4m3fn)
        ctx.save_for_backward(qx, sx, qw, sw)
        return Float8Product.mm(qx, sx, qw, sw)

    @staticmethod
    def backward(ctx, g):
        qx, sx, qw, sw = ctx.saved_tensors
        qg, sg = Float8Product.cast(g.contiguous(), torch.float8_e5m2)
        dx = Float8Product.mm(qg, sg, qw.t().contiguous(), sw)
        dw = Float8Product.mm(qg.t().contiguous(), sg, qx.t().contiguous(), sx)
        return dx, dw.float()


class Float8Linear(nn.Linear):
    def forward(self, x):
        y = Float8Product.apply(x.reshape(-1, x.shape[-1]).bfloat16(), self.weight)
        return (y + self.bias.bfloat16()).view(*x.shape[:-1], -1)


class Layer(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = linear(WIDTH, 3 * WIDTH), linear(WIDTH, WIDTH)
        self.up, self.down = linear(WIDTH, 4 * WIDTH), linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, 4, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, w))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Model(nn.Module):
    def __init__(self, linear=nn.Linear):
        super().__init__()
        self.token, self.place = nn.Embedding(256, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.layers = nn.Sequential(*[Layer(linear) for _ in range(LAYERS)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 256)

    def forward(self, x):
        h = self.token(x) + self.place.weight[: x.shape[1]]
        return self.head(self.norm(self.layers(h)))


def text():
    folder = pathlib.Path(sysconfig.get_paths()["stdlib"])
    data = b"".join(p.read_bytes() for p in sorted(folder.glob("*.py")))
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).long().to(DEVICE)


def batch(data, generator):
    at = torch.randint(0, len(data) - LENGTH - 1, (BATCH,), generator=generator).to(DEVICE)
    rows = data[at[:, None] + torch.arange(LENGTH + 1, device=DEVICE)]
    return rows[:, :-1], rows[:, 1:]


def loss_of(model, x, y):
    return F.cross_entropy(model(x).flatten(0, 1).float(), y.flatten())


#         name                                  autocast        parameters      linear        scaler  fp32_precision
RUNS = [
    ("fp32 (ieee)",                             None,           torch.float32,  nn.Linear,    None,   "ieee"),
    ("tf32",                                    None,           torch.float32,  nn.Linear,    None,   "tf32"),
    ("bf16 autocast",                           torch.bfloat16, torch.float32,  nn.Linear,    None,   "ieee"),
    ("fp16 autocast, GradScaler",               torch.float16,  torch.float32,  nn.Linear,    2.0**16, "ieee"),
    ("fp16 autocast, no scaler",                torch.float16,  torch.float32,  nn.Linear,    None,   "ieee"),
    ("bf16 parameters (no float32 copy)",       None,           torch.bfloat16, nn.Linear,    None,   "ieee"),
    ("fp8 linear layers in bf16 autocast",      torch.bfloat16, torch.float32,  Float8Linear, None,   "ieee"),
]


def train(data, held_out, seed, dtype, parameters, linear, scale, fp32, lr, steps=STEPS):
    torch.backends.cuda.matmul.fp32_precision = fp32
    torch.manual_seed(seed)
    model = Model(linear).to(DEVICE, parameters)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
    scaler = torch.amp.GradScaler(DEVICE, init_scale=scale or 1.0, enabled=scale is not None)
    generator = torch.Generator().manual_seed(seed)
    skipped = 0
    if DEVICE == "cuda":
        torch.cuda.reset_peak_memory_stats()
    for step in range(steps):
        if step == steps // 3:
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
        x, y = batch(data, generator)
        with torch.autocast(DEVICE, dtype, enabled=dtype is not None):
            loss = loss_of(model, x, y)
        scaler.scale(loss).backward()
        before = scaler.get_scale() if scale else 0
        scaler.step(optimizer)
        scaler.update()
        skipped += bool(scale) and scaler.get_scale() < before
        optimizer.zero_grad()
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    ms = (time.perf_counter() - start) / (steps - steps // 3) * 1e3
    peak = torch.cuda.max_memory_allocated() / 2**20 if DEVICE == "cuda" else 0
    generator = torch.Generator().manual_seed(1234)
    with torch.no_grad(), torch.autocast(DEVICE, dtype, enabled=dtype is not None):
        final = statistics.mean(loss_of(model, *batch(held_out, generator)).item() for _ in range(8))
    return final, ms, peak, skipped, scaler.get_scale() if scale else None, model


def one_seed(data, held_out, seed):
    """Print one line of JSON for each training run of a seed."""
    for lr in (1e-3, 2e-5):
        for name, dtype, parameters, linear, scale, fp32 in RUNS:
            if lr == 2e-5 and name not in ("fp32 (ieee)", "bf16 autocast", "bf16 parameters (no float32 copy)"):
                continue
            try:
                loss, ms, peak, skipped, last, _ = train(data, held_out, seed, dtype, parameters, linear, scale, fp32, lr)
                print(json.dumps({"lr": lr, "name": name, "loss": loss, "ms": ms, "peak": peak, "skipped": skipped, "scale": last}), flush=True)
            except Exception as problem:
                print(json.dumps({"lr": lr, "name": name, "problem": f"{type(problem).__name__}: {str(problem).splitlines()[0]}"}), flush=True)


def runs():
    """Train all seeds at the same time, a process each, and print median and range over the seeds."""
    processes = [subprocess.Popen([sys.executable, __file__, str(seed)], stdout=subprocess.PIPE, text=True) for seed in SEEDS]
    results = [json.loads(line) for process in processes for line in process.communicate()[0].splitlines()]
    for lr in (1e-3, 2e-5):
        print(f"\ntraining: {LAYERS} layers of width {WIDTH}, {BATCH} x {LENGTH} bytes, {STEPS} steps, AdamW lr {lr:g}, seeds {SEEDS} at the same time; loss on held-out text")
        for name in dict.fromkeys(r["name"] for r in results if r["lr"] == lr):
            rows = [r for r in results if r["name"] == name and r["lr"] == lr]
            if any("problem" in r for r in rows):
                print(f"{name:36} {rows[0].get('problem')}")
                continue
            losses, ms = [r["loss"] for r in rows], [r["ms"] for r in rows]
            more = f"  skipped {[r['skipped'] for r in rows]}, last scale {rows[-1]['scale']:g}" if rows[0]["scale"] else ""
            print(f"{name:36} loss {statistics.median(losses):.4f} [{min(losses):.4f}, {max(losses):.4f}]  "
                  f"{statistics.median(ms):6.2f} ms/step [{min(ms):.2f}, {max(ms):.2f}]  peak {rows[0]['peak']:.0f} MiB{more}", flush=True)


def underflow(data, held_out, seed=0):
    """Cast the float32 gradients that enter and leave each linear layer to float16 at several scales."""
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    model = train(data, held_out, seed, None, torch.float32, nn.Linear, None, "ieee", 1e-3)[5]
    grads = {"activations": [], "parameters": []}
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.register_full_backward_hook(lambda m, gi, go: grads["activations"].append(go[0].detach()))
    model.zero_grad()
    loss_of(model, *batch(data, torch.Generator().manual_seed(7))).backward()
    grads["parameters"] = [p.grad for p in model.parameters() if p.grad is not None]
    print(f"\ngradients of the float32 run of seed {seed} after training, cast to float16: share that becomes zero, is subnormal, or overflows")
    for kind, tensors in grads.items():
        flat = torch.cat([t.flatten() for t in tensors])
        flat = flat[flat != 0]
        log = flat.abs().log2()
        quantiles = [f"{log.kthvalue(max(1, int(q * len(log)))).values.item():.1f}" for q in (0.001, 0.01, 0.5, 0.99)]
        print(f"{kind}: {len(flat)} nonzero; log2 of size at 0.1 %, 1 %, 50 %, 99 %: {', '.join(quantiles)}; largest {log.max().item():.1f}")
        for exponent in (0, 4, 8, 12, 16, 20, 24):
            cast = (flat * 2.0**exponent).half()
            zero, inf = (cast == 0).float().mean().item(), cast.isinf().float().mean().item()
            subnormal = ((cast != 0) & (cast.abs() < 2.0**-14)).float().mean().item()
            print(f"  scale 2**{exponent:<2}  zero {zero:8.3%}  subnormal {subnormal:8.3%}  inf {inf:8.3%}")
        for dtype in (torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn):
            print(f"  {dtype}, scale 1: zero {(flat.to(dtype).float() == 0).float().mean().item():8.3%}")


def cache():
    """Autocast's cache of cast weights, for a layer that is used several times in one forward pass."""
    if DEVICE != "cuda":
        return
    from torch.profiler import ProfilerActivity, profile

    torch.manual_seed(0)
    layer = nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024)).to(DEVICE)
    x = torch.randn(64, 1024, device=DEVICE)
    low = nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024)).to(DEVICE, torch.bfloat16)

    def forward(module, value, enabled, cached):
        with torch.autocast(DEVICE, torch.bfloat16, enabled=enabled, cache_enabled=cached):
            for _ in range(8):
                value = module(value)
        return value

    print("\nautocast's cache: two layers of 1024 x 1024 applied 8 times to 64 rows, forward only; median [least, most] of 7 x 50")
    for title, module, value, enabled, cached, grad in (
        ("bf16 parameters, no autocast", low, x.bfloat16(), False, False, True),
        ("autocast, cache", layer, x, True, True, True),
        ("autocast, cache_enabled=False", layer, x, True, False, True),
        ("autocast, cache, under no_grad", layer, x, True, True, False),
    ):
        with torch.set_grad_enabled(grad):
            for _ in range(5):
                forward(module, value, enabled, cached)
            times = []
            for _ in range(7):
                torch.cuda.synchronize()
                start = time.perf_counter()
                for _ in range(50):
                    forward(module, value, enabled, cached)
                torch.cuda.synchronize()
                times.append((time.perf_counter() - start) / 50 * 1e3)
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as trace:
                forward(module, value, enabled, cached)
                torch.cuda.synchronize()
        casts = sum(e.count for e in trace.key_averages() if e.key == "aten::_to_copy")
        kernels = sum(1 for e in trace.events() if e.device_type == torch.autograd.DeviceType.CUDA and not e.name.startswith("Mem"))
        print(f"{title:32} {statistics.median(times):.3f} ms [{min(times):.3f}, {max(times):.3f}]  aten::_to_copy {casts:3}  kernels {kernels}")


def main():
    name = torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU"
    data = text()
    cut = len(data) * 9 // 10
    if sys.argv[1:2] == ["underflow"]:
        print(f"torch {torch.__version__}, {name}; {LAYERS} layers of width {WIDTH}, {BATCH} x {LENGTH} bytes, {STEPS} steps, AdamW lr 0.001; "
              f"Python {sys.version.split()[0]}'s standard library, {len(data)} bytes", flush=True)
        return [underflow(data[:cut], data[cut:], seed) for seed in SEEDS]
    if sys.argv[1:2] == ["cache"]:
        print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {name}")
        return cache()
    if sys.argv[1:]:
        return one_seed(data[:cut], data[cut:], int(sys.argv[1]))
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {name}; Python {sys.version.split()[0]}'s standard library, {len(data)} bytes")
    began = time.perf_counter()
    runs()
    underflow(data[:cut], data[cut:])
    cache()
    print(f"\n{time.perf_counter() - began:.0f} s")


main()
