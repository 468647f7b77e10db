"""Show where each floating format ends: torch.finfo, casts at the edges, and operations that overflow or lose their eps.

Prints five tables. Needs no GPU; run on one, it also shows what the GPU's kernels return.
"""

import torch
from torch import nn
from torch.nn import functional as F

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
FORMATS = (torch.float32, torch.bfloat16, torch.float16, torch.float8_e5m2, torch.float8_e4m3fn)


def short(dtype):
    return str(dtype).removeprefix("torch.")


def show(value):
    return "True/False" if value is None else f"{value:.6g}"


def back(value, dtype, device):
    return torch.tensor(value, dtype=torch.float32, device=device).to(dtype).float().item()


def limits():
    print("\ntorch.finfo: max, smallest normal, smallest subnormal (halved until the cast gives 0), eps, first integer that is lost")
    for dtype in FORMATS:
        info = torch.finfo(dtype)
        least = info.tiny
        while back(least / 2, dtype, "cpu") > 0 and least > 2.0**-149:
            least = back(least / 2, dtype, "cpu")
        integers = torch.arange(1, 2**25 + 2, dtype=torch.float64) if dtype == torch.float32 else torch.arange(1, 4099, dtype=torch.float64)
        lost = integers[integers.to(dtype).double() != integers]
        print(f"  {short(dtype):14} {info.max:<12.6g} {info.tiny:<12.4g} {least:<12.4g} {info.eps:<12.4g} {lost[0].item():.0f}")


def edges():
    print("\ncasts from float32 past the edge (max, max plus half a spacing, 2 * max, Inf, NaN) and below it (least / 2, least * 0.51)")
    least = {torch.bfloat16: 2.0**-133, torch.float16: 2.0**-24, torch.float8_e5m2: 2.0**-16, torch.float8_e4m3fn: 2.0**-9}
    for device in ("cpu", "cuda") if GPU else ("cpu",):
        for dtype in FORMATS[1:]:
            top = torch.finfo(dtype).max
            half = {torch.bfloat16: 2.0**119, torch.float16: 16.0, torch.float8_e5m2: 4096.0, torch.float8_e4m3fn: 16.0}[dtype]
            beyond = 2 * top if dtype != torch.bfloat16 else 3.4028e38
            values = [back(v, dtype, device) for v in (top, top + half, top + 1.1 * half, beyond, float("inf"), float("nan"), least[dtype] / 2, least[dtype] * 0.51)]
            print(f"  {device:5} {short(dtype):14} " + " ".join(f"{v:<12.6g}" for v in values))


def overflow():
    print("\noperations on finite values, by type of the input")
    ones = torch.ones(1, device=DEVICE)
    mask = torch.zeros(1, 1, 4, 4, dtype=torch.bool, device=DEVICE)
    mask[..., 1:, :1] = True

    def rms(x):  # as often written by hand
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

    def attention(x, flash):
        q = x * torch.ones(1, 1, 4, 128, dtype=x.dtype, device=DEVICE)
        return F.scaled_dot_product_attention(q, q, q) if flash else ((q @ q.mT) / 128**0.5).softmax(-1) @ q

    def masked(x):
        q = x * torch.ones(1, 1, 4, 16, dtype=x.dtype, device=DEVICE)
        return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)[0, 0, 0, 0]

    row = torch.tensor([1.0, -1.0] * 64, device=DEVICE)
    cases = [
        ("300 ** 2", lambda t: (ones.to(t) * 300) ** 2),
        ("exp(12)", lambda t: (ones.to(t) * 12).exp()),
        ("x.pow(2).mean(), x = +-300", lambda t: (row.to(t) * 300).pow(2).mean()),
        ("RMSNorm by hand, x = +-300", lambda t: rms(row.to(t) * 300).abs().max()),
        ("F.rms_norm, x = +-300", lambda t: F.rms_norm(row.to(t) * 300, (128,)).abs().max()),
        ("F.layer_norm, x = +-300", lambda t: F.layer_norm(row.to(t) * 300, (128,)).abs().max()),
        ("x.var(), x = +-300", lambda t: (row.to(t) * 300).var()),
        ("x.std(), x = +-300", lambda t: (row.to(t) * 300).std()),
        ("x.norm(), 4096 values of 2000", lambda t: torch.full((4096,), 2000.0, device=DEVICE).to(t).norm()),
        ("x.sum(), 4096 values of 20", lambda t: torch.full((4096,), 20.0, device=DEVICE).to(t).sum()),
        ("x.mean(), 4096 values of 20", lambda t: torch.full((4096,), 20.0, device=DEVICE).to(t).mean()),
        ("(q @ k.mT) / sqrt(d), softmax, q = k = 25", lambda t: attention((ones * 25).to(t), False).max()),
        ("scaled_dot_product_attention, the same", lambda t: attention((ones * 25).to(t), True).max()),
        ("softmax of [Inf, 1]", lambda t: torch.tensor([float("inf"), 1.0], device=DEVICE).to(t).softmax(-1)[0]),
        ("softmax of a row of -Inf", lambda t: torch.full((4,), float("-inf"), device=DEVICE).to(t).softmax(-1)[0]),
        ("scaled_dot_product_attention, row masked", lambda t: masked(ones.to(t))),
        ("log(0 + 1e-8)", lambda t: (ones.to(t) * 0 + 1e-8).log()),
        ("0 / (0 + 1e-8)", lambda t: ones.to(t) * 0 / (ones.to(t) * 0 + 1e-8)),
        ("F.normalize of zeros (eps 1e-12)", lambda t: F.normalize(torch.zeros(4, device=DEVICE).to(t), dim=0)[0]),
        ("cosine_similarity of zeros (eps 1e-8)", lambda t: F.cosine_similarity(torch.zeros(4, device=DEVICE).to(t), torch.zeros(4, device=DEVICE).to(t), dim=0)),
        ("sigmoid(10), then log(1 - p)", lambda t: (1 - (ones.to(t) * 10).sigmoid()).log()),
        ("logsigmoid(-10)", lambda t: F.logsigmoid(ones.to(t) * -10)),
        ("1e4 - 1e4 * (1 - 1e-4)", lambda t: ones.to(t) * 1e4 - ones.to(t) * (1e4 * (1 - 1e-4))),
    ]
    print(f"  {'':44} {'float32':>12} {'bfloat16':>12} {'float16':>12}")
    for title, case in cases:
        row_values = []
        for dtype in FORMATS[:3]:
            try:
                row_values.append(f"{case(dtype).float().item():12.6g}")
            except Exception as error:
                row_values.append(f"{type(error).__name__:>12}")
        print(f"  {title:44} {' '.join(row_values)}")


def mantissa():
    print("\nwhat 8 bits of mantissa lose (bfloat16)")
    positions = torch.arange(8192, device=DEVICE).bfloat16()
    print(f"  positions 0 to 8191: {positions.unique().numel()} different values; 255, 256, 257, 258 become {positions[255:259].tolist()}")
    torch.manual_seed(0)
    for lr in (1e-2, 1e-3, 1e-4, 1e-5):
        shares = []
        for dtype in (torch.bfloat16, torch.float16):
            layer = nn.Linear(1024, 1024, device=DEVICE, dtype=dtype)
            optimizer = torch.optim.AdamW(layer.parameters(), lr=lr, weight_decay=0.0, eps=1e-6)
            F.mse_loss(layer(torch.randn(64, 1024, device=DEVICE, dtype=dtype)).float(), torch.randn(64, 1024, device=DEVICE)).backward()
            before = layer.weight.detach().clone()
            optimizer.step()
            shares.append((layer.weight == before).float().mean().item())
        print(f"  Linear(1024, 1024), one step of AdamW, lr {lr:g}: weights unchanged {shares[0]:.1%} in bfloat16, {shares[1]:.1%} in float16")
    average, target = torch.zeros(1, device=DEVICE, dtype=torch.bfloat16), torch.ones(1, device=DEVICE, dtype=torch.bfloat16)
    for decay in (0.99, 0.999, 0.9999):
        average.zero_()
        for _ in range(int(10 / (1 - decay)) if decay < 0.9999 else 20000):
            average.lerp_(target, 1 - decay)
        print(f"  moving average of 1.0 from 0, decay {decay}: stays at {average.item():.4g}")


def flags():
    print("\nswitches of this process, as they start")
    for name in ("torch.backends.cuda.matmul.fp32_precision", "torch.backends.cudnn.conv.fp32_precision", "torch.backends.cudnn.rnn.fp32_precision", "torch.backends.fp32_precision",
                 "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction", "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
                 "torch.backends.cuda.matmul.allow_fp16_accumulation", "torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32",
                 "torch.get_float32_matmul_precision()"):
        try:
            value = eval(name)
        except Exception as error:
            value = f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
        print(f"  {name:70} {value!r}")


print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name() if GPU else 'CPU'}")
for part in (flags, limits, edges, overflow, mantissa):
    part()
