"""Train in bfloat16 and in FP8 (torchao): time of a step, and loss beside bfloat16; errors of the multiplication itself.

Usage: python fp8_training.py speed|loss|products      # one Hopper GPU; torchao for the first two

speed: two Llama-like layers and a head, forward, backward and fused AdamW; parameters float32, autocast to bfloat16.
loss: the bytes of Python's standard library, 6 layers of width 1024, 400 steps; every 10th file is held out.
products: torch._scaled_mm and torch.nn.functional.scaled_mm: fast accumulation, recipes, messages of wrong calls.
"""

import pathlib
import statistics
import sys
import sysconfig
import time

import torch
import torch.nn.functional as F
from torch import nn

HEADS = {"head", "lm_head", "output"}


def to_convert(module, name):
    """The filter of the page: no head, and both sizes are multiples of 16."""
    sizes = (module.in_features, module.out_features)
    return name.rsplit(".", 1)[-1] not in HEADS and all(size % 16 == 0 for size in sizes)


class Block(nn.Module):
    def __init__(self, width, hidden, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(y)
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Model(nn.Module):
    def __init__(self, width, hidden, layers, vocabulary, length):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, hidden, width // 128) for _ in range(layers))
        self.norm, self.lm_head = nn.RMSNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.lm_head(self.norm(x)).flatten(0, 1).float(), targets.flatten())


def prepared(recipe, sizes, compiled=True):
    """Return a model of the sizes, converted with the recipe, and its optimizer."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = Model(**sizes).cuda()
    for parameter in model.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=0.02)
    if recipe != "bfloat16":
        from torchao.float8 import Float8LinearConfig, convert_to_float8_training

        convert_to_float8_training(model, config=Float8LinearConfig.from_recipe_name(recipe), module_filter_fn=to_convert)
    converted = [name for name, part in model.named_modules() if type(part).__name__ == "Float8Linear"]
    if compiled:
        model.compile()
    return model, torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True), converted


def step(model, optimizer, tokens, targets):
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(tokens, targets)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


def speed():
    length, batch = 4096, 2
    print(f"two layers and a head of 32000, {batch} sequences of {length}; median of 20 steps with range, ms")
    for width, hidden in ((4096, 14336), (1024, 4096), (2048, 8192)):
        for recipe, compiled in (("bfloat16", True), ("tensorwise", True), ("rowwise", True), ("rowwise_with_gw_hp", True), ("bfloat16", False), ("tensorwise", False)):
            try:
                sizes = {"width": width, "hidden": hidden, "layers": 2, "vocabulary": 32000, "length": length}
                began = time.time()
                model, optimizer, converted = prepared(recipe, sizes, compiled)
                tokens = torch.randint(32000, (batch, length + 1), device="cuda")
                for _ in range(5):
                    step(model, optimizer, tokens[:, :-1], tokens[:, 1:])
                torch.cuda.synchronize()
                first = time.time() - began
                torch.cuda.reset_peak_memory_stats()
                times = []
                for _ in range(20):
                    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                    start.record()
                    step(model, optimizer, tokens[:, :-1], tokens[:, 1:])
                    end.record()
                    end.synchronize()
                    times.append(start.elapsed_time(end))
                peak = torch.cuda.max_memory_allocated() / 2**30
                print(f"width {width}, {recipe}{'' if compiled else ', not compiled'}: {statistics.median(times):.1f} ({min(times):.1f} to {max(times):.1f}), peak {peak:.1f} GiB, {len(converted)} layers converted, first 5 steps {first:.0f} s", flush=True)
            except Exception as error:
                print(f"width {width}, {recipe}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            model = optimizer = None
            torch.cuda.empty_cache()


def corpus():
    """Return the bytes of the standard library's files: those to train on, and every 10th file."""
    files = sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    files = [file for file in files if "site-packages" not in file.parts and "test" not in file.parts]
    texts = [torch.frombuffer(bytearray(file.read_bytes()), dtype=torch.uint8) for file in files if file.stat().st_size]
    held = torch.cat(texts[::10])
    return torch.cat([text for index, text in enumerate(texts) if index % 10]).cuda(), held.cuda()


def batches(text, seed, count, batch, length):
    generator = torch.Generator().manual_seed(seed)
    places = torch.randint(len(text) - length - 1, (count, batch), generator=generator).cuda()
    window = torch.arange(length + 1, device="cuda")
    for row in places:
        tokens = text[row[:, None] + window].long()
        yield tokens[:, :-1], tokens[:, 1:]


def loss():
    sizes = {"width": 1024, "hidden": 4096, "layers": 6, "vocabulary": 256, "length": 512}
    train, held = corpus()
    print(f"{len(train)} bytes to train on, {len(held)} held out; batch 32 x 512, AdamW, rate 3e-4 after 50 steps of warm-up")
    for seed in (1, 2):
        for recipe in ("bfloat16", "tensorwise", "rowwise"):
            model, optimizer, converted = prepared(recipe, sizes)
            losses, marks = [], []
            torch.cuda.synchronize()
            began = time.time()
            for number, (tokens, targets) in enumerate(batches(train, seed, 400, 32, 512)):
                optimizer.param_groups[0]["lr"] = 3e-4 * min(1, (number + 1) / 50)
                losses.append(step(model, optimizer, tokens, targets))
                if number + 1 in (200, 400):
                    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
                        values = [model(*pair) for pair in batches(held, 0, 20, 32, 512)]
                    marks.append(torch.stack(values).mean().item())
            last = torch.stack(losses).float()
            print(f"order {seed}, {recipe}, {len(converted)} layers: training, mean of steps 181 to 200 {last[180:200].mean():.4f}, 381 to 400 {last[380:].mean():.4f}; held out after 200 {marks[0]:.4f}, after 400 {marks[1]:.4f}; finite {last.isfinite().all().item()}; {time.time() - began:.0f} s", flush=True)
            model = optimizer = None


def to_fp8(x, dtype=torch.float8_e4m3fn, dim=None):
    amax = x.abs().amax() if dim is None else x.abs().amax(dim, keepdim=True)
    scale = (amax.clamp(min=1e-12) / torch.finfo(dtype).max).float()
    return (x.float() / scale).to(dtype), scale


def products():
    print("M = N = 512, E4M3, a scale per tensor; mean error of the product of the rounded values / mean |C|, against float64")
    kinds = {"normal": torch.randn, "uniform 0 to 1": torch.rand, "normal + 1": lambda *a, **k: torch.randn(*a, **k) + 1}
    for kind, other in (("normal", "normal"), ("uniform 0 to 1", "normal"), ("normal + 1", "normal + 1"), ("uniform 0 to 1", "uniform 0 to 1")):
        for k in (4096, 16384, 65536):
            generator = torch.Generator("cuda").manual_seed(0)
            x, w = (kinds[name](512, k, device="cuda", generator=generator) for name in (kind, other))
            (qx, sx), (qw, sw) = to_fp8(x), to_fp8(w)
            exact, rounded = x.double() @ w.double().T, (qx.double() * sx) @ (qw.double() * sw).T
            size = exact.abs().mean()
            said = [f"rounding to E4M3 {(rounded - exact).abs().mean() / size:.1e}"]
            for fast in (False, True):
                y = torch._scaled_mm(qx, qw.t(), scale_a=sx, scale_b=sw, out_dtype=torch.float32, use_fast_accum=fast)
                said.append(f"sum, fast accumulation {fast} {(y.double() - rounded).abs().mean() / size:.1e}")
            y = torch.mm(x.bfloat16(), w.bfloat16().T, out_dtype=torch.float32)
            said.append(f"all of bfloat16 {(y.double() - exact).abs().mean() / size:.1e}")
            print(f"{kind} by {other}, K = {k}: " + ", ".join(said), flush=True)
    x, w = torch.randn(4096, 4096, device="cuda"), torch.randn(4096, 4096, device="cuda")
    exact = x.double() @ w.double().T
    (qx, sx), (qw, sw) = to_fp8(x), to_fp8(w)
    (rx, rsx), (rw, rsw) = to_fp8(x, dim=1), to_fp8(w, dim=1)
    bx, bw = x.bfloat16(), w.bfloat16()
    calls = {
        "torch.mm, bfloat16": lambda: bx @ bw.T,
        "_scaled_mm, per tensor": lambda: torch._scaled_mm(qx, qw.t(), scale_a=sx, scale_b=sw, out_dtype=torch.bfloat16),
        "_scaled_mm, per tensor, fast": lambda: torch._scaled_mm(qx, qw.t(), scale_a=sx, scale_b=sw, out_dtype=torch.bfloat16, use_fast_accum=True),
        "_scaled_mm, per row": lambda: torch._scaled_mm(rx, rw.t(), scale_a=rsx, scale_b=rsw.t(), out_dtype=torch.bfloat16),
        "_scaled_mm, per row, fast": lambda: torch._scaled_mm(rx, rw.t(), scale_a=rsx, scale_b=rsw.t(), out_dtype=torch.bfloat16, use_fast_accum=True),
    }
    try:
        from torch.nn.functional import ScalingType, scaled_mm

        def blocks(tensor, rows):
            parts = tensor.view(tensor.shape[0] // rows, rows, -1, 128)
            scale = (parts.abs().amax((1, 3), keepdim=True) / 448).float()
            return (parts / scale).to(torch.float8_e4m3fn).view_as(tensor), scale[:, 0, :, 0].contiguous()

        (ax, asx), (aw, asw) = blocks(x, 1), blocks(w, 128)
        tensor, row = ScalingType.TensorWise, ScalingType.RowWise
        calls |= {
            "F.scaled_mm, TensorWise": lambda: scaled_mm(qx, qw.t(), sx, tensor, sw, tensor, output_dtype=torch.bfloat16),
            "F.scaled_mm, RowWise": lambda: scaled_mm(rx, rw.t(), rsx, row, rsw.t(), row, output_dtype=torch.bfloat16),
            "F.scaled_mm, BlockWise1x128 by 128x128": lambda: scaled_mm(ax, aw.t(), asx.t().contiguous().t(), ScalingType.BlockWise1x128, asw.t(), ScalingType.BlockWise128x128, output_dtype=torch.bfloat16),
        }
    except ImportError as error:
        print("F.scaled_mm:", error)
    print("4096^3, normal values: relative error against float64 of the unrounded matrices; TFLOP/s, median of 9 with range (casts not included)")
    for name, call in calls.items():
        try:
            error = ((call().double() - exact).norm() / exact.norm()).item()
            rates = []
            for _ in range(9):
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                for _ in range(20):
                    call()
                end.record()
                end.synchronize()
                rates.append(2 * 4096**3 * 20 / start.elapsed_time(end) / 1e9)
            print(f"{name}: {error:.2e}, {statistics.median(rates):.0f} ({min(rates):.0f} to {max(rates):.0f})", flush=True)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:400]}", flush=True)
    print("wrong calls of _scaled_mm, and what they say:")
    q30, s30 = to_fp8(torch.randn(4096, 4100, device="cuda"))
    e5, se5 = to_fp8(x, torch.float8_e5m2)
    f5, sf5 = to_fp8(w, torch.float8_e5m2)
    wrong = {
        "second operand by rows": lambda: torch._scaled_mm(qx, qw, scale_a=sx, scale_b=sw, out_dtype=torch.bfloat16),
        "K = 4100": lambda: torch._scaled_mm(q30, q30.t(), scale_a=s30, scale_b=s30, out_dtype=torch.bfloat16),
        "both E5M2": lambda: torch._scaled_mm(e5, f5.t(), scale_a=se5, scale_b=sf5, out_dtype=torch.bfloat16),
        "scales in bfloat16": lambda: torch._scaled_mm(qx, qw.t(), scale_a=sx.bfloat16(), scale_b=sw.bfloat16(), out_dtype=torch.bfloat16),
        "scale per row for one operand only": lambda: torch._scaled_mm(rx, qw.t(), scale_a=rsx, scale_b=sw, out_dtype=torch.bfloat16),
        "a @ b of two FP8 tensors": lambda: qx @ qw.t(),
    }
    for name, call in wrong.items():
        try:
            call()
            print(f"{name}: no error")
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)


if __name__ == "__main__":
    said = f"torch {torch.__version__}, {torch.cuda.get_device_name()}"
    if sys.argv[1] != "products":
        import torchao

        said += f", torchao {torchao.__version__}"
    print(said, flush=True)
    torch.set_float32_matmul_precision("highest")
    {"speed": speed, "loss": loss, "products": products}[sys.argv[1]]()
