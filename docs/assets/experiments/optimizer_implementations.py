"""Time optimizer steps of PyTorch: a loop over the tensors, foreach, fused, and the loop compiled, on parameters shaped like two models.

python optimizer_implementations.py       # needs torch and a CUDA device
"""

from __future__ import annotations

import statistics
import time

import torch

REPEATS, STEPS = 7, 10


def bert_large() -> list[tuple[int, ...]]:
    """Return the shapes of BERT-large's encoder and embeddings (vocabulary 30528)."""
    d, f = 1024, 4096
    layer = [(d, d), (d,)] * 4 + [(d,), (d,), (f, d), (f,), (d, f), (d,), (d,), (d,)]
    return [(30528, d), (512, d), (2, d), (d,), (d,)] + layer * 24 + [(d, d), (d,), (d, d), (d,), (d,), (d,), (30528,), (2, d), (2,)]


def resnet50() -> list[tuple[int, ...]]:
    """Return the shapes of ResNet-50."""
    shapes: list[tuple[int, ...]] = [(64, 3, 7, 7), (64,), (64,)]
    inputs = 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            for shape in ((width, inputs, 1, 1), (width, width, 3, 3), (4 * width, width, 1, 1)):
                shapes += [shape, shape[:1], shape[:1]]
            if block == 0:
                shapes += [(4 * width, inputs, 1, 1), (4 * width,), (4 * width,)]
            inputs = 4 * width
    return shapes + [(1000, 2048), (1000,)]


def launches(step) -> int:
    """Count the kernels of one step."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as seen:
        step()
        torch.cuda.synchronize()
    return sum(e.device_type == torch.autograd.DeviceType.CUDA and not e.name.startswith(("Memcpy", "Memset")) for e in seen.events())


def measure(title: str, shapes: list[tuple[int, ...]], kind, options: dict[str, object], compiled: bool = False) -> list[torch.Tensor]:
    """Print one row and return the parameters after one step."""
    torch.manual_seed(0)
    params = [torch.nn.Parameter(torch.randn(s, device="cuda") * 0.02) for s in shapes]
    for p in params:
        p.grad = torch.randn_like(p) * 1e-3
    rule = kind(params, lr=1e-3, weight_decay=0.01, **options)
    step = torch.compile(rule.step) if compiled else rule.step
    step()
    after = [p.detach().clone() for p in params[:8]]
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    total, host = [], []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        for _ in range(STEPS):
            step()
        host.append((time.perf_counter() - begin) / STEPS * 1e3)
        torch.cuda.synchronize()
        total.append((time.perf_counter() - begin) / STEPS * 1e3)
    print(
        f"  {title:26}{statistics.median(total):8.2f} ms [{min(total):.2f}, {max(total):.2f}]  of which the host is busy {statistics.median(host):7.2f} ms"
        f"  kernels {launches(step):5}",
        flush=True,
    )
    return after


def main() -> None:
    """Measure."""
    print(
        f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}; float32 parameters; wall clock, median [least, most] of"
        f" {REPEATS} repetitions of {STEPS} steps"
    )
    for name, shapes in (("BERT-large", bert_large()), ("ResNet-50", resnet50())):
        numbers = sum(torch.Size(s).numel() for s in shapes)
        print(f"\n{name}: {len(shapes)} tensors, {numbers / 1e6:.1f} M numbers", flush=True)
        for kind, extra in ((torch.optim.AdamW, {}), (torch.optim.SGD, {"momentum": 0.9})):
            results = {}
            for way, options in (("default", {}), ("for-loop", {"foreach": False, "fused": False}), ("foreach", {"foreach": True}), ("fused", {"fused": True})):
                results[way] = measure(f"{kind.__name__} {way}", shapes, kind, {**extra, **options})
            apart = max((a - b).abs().max().item() for a, b in zip(results["for-loop"], results["fused"], strict=True))
            print(f"  largest difference of fused from for-loop after one step: {apart:.1e}", flush=True)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
