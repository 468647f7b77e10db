"""Time a training step of ResNet-50 in NCHW and channels_last, in float32 and under autocast, with and without cudnn.benchmark.

python resnet_layouts.py [benchmark]       # needs torch and a CUDA device; with "benchmark", rows with cudnn.benchmark = True only

The network is ResNet-50 v1.5 (the stride is in the 3 x 3 convolution), written here. The data are random and stay on the GPU.
All variants run in one process; PyTorch keeps the plan of a convolution that it has once chosen, so benchmark=True needs a process of its own. Kernels are counted with torch.profiler.
"""

from __future__ import annotations

import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

REPEATS, STEPS = 5, 4


class Bottleneck(nn.Module):
    """Three convolutions and a shortcut."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * width
        self.conv1, self.bn1 = nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.short = None
        if stride != 1 or inputs != outputs:
            self.short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        return F.relu(y + (x if self.short is None else self.short(x)), inplace=True)


def resnet50() -> nn.Sequential:
    """Return the network: images (N, 3, H, W) to logits (N, 1000)."""
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


def kernels(step) -> tuple[int, int, float]:
    """Kernels of one step, those that convert a layout, and their share of the time in percent."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as seen:
        step()
        torch.cuda.synchronize()
    rows = [e for e in seen.events() if e.device_type == torch.autograd.DeviceType.CUDA and not e.name.startswith(("Memcpy", "Memset"))]
    layout = [e for e in rows if "nchwToNhwc" in e.name or "nhwcToNchw" in e.name]
    total = sum(e.device_time for e in rows) or 1.0
    return len(rows), len(layout), 100 * sum(e.device_time for e in layout) / total


def measure(batch: int, kind: str, layout: str, benchmark: bool) -> None:
    """Print one row."""
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = benchmark
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    memory = torch.channels_last if layout == "channels_last" else torch.contiguous_format
    model = resnet50().cuda().to(memory_format=memory)
    images = torch.randn(batch, 3, 224, 224, device="cuda").to(memory_format=memory)
    labels = torch.randint(0, 1000, (batch,), device="cuda")
    rule = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    dtype = {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}[kind]
    scaler = torch.amp.GradScaler("cuda", enabled=dtype is torch.float16)

    def step() -> torch.Tensor:
        with torch.autocast("cuda", dtype or torch.bfloat16, enabled=dtype is not None):
            loss = F.cross_entropy(model(images), labels)
        scaler.scale(loss).backward()
        scaler.step(rule)
        scaler.update()
        rule.zero_grad(set_to_none=True)
        return loss.detach()

    begin = time.perf_counter()
    first = step().item()
    wait = time.perf_counter() - begin
    for _ in range(3):
        step()
    times = []
    for _ in range(REPEATS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(STEPS):
            step()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / STEPS)
    middle = statistics.median(times)
    peak = torch.cuda.max_memory_allocated() / 2**30
    count, conversions, share = kernels(step)
    print(
        f"{kind:9} {layout:14} benchmark={benchmark!s:5} {middle:8.1f} ms [{min(times):.1f}, {max(times):.1f}] {batch / middle * 1000:7.0f} images/s"
        f"  peak {peak:5.1f} GiB  kernels {count:4}, layout conversions {conversions:3} ({share:4.1f} % of kernel time)  first step {wait:.2f} s, its loss {first:.3f}",
        flush=True,
    )


def main() -> None:
    """Measure all variants."""
    batch = 128
    print(
        f"torch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}, {torch.cuda.get_device_name()};"
        f" batch {batch}, 224 x 224; median [least, most] of {REPEATS} repetitions of {STEPS} steps"
    )
    print(f"torch.backends.cudnn.allow_tf32 = {torch.backends.cudnn.allow_tf32} (convolutions in float32 use TF32 if True)\n")
    for kind, layout, benchmark in (
        (("bfloat16", "channels_last", True), ("bfloat16", "NCHW", True), ("float32", "channels_last", True))
        if sys.argv[1:] == ["benchmark"]
        else (
            ("bfloat16", "NCHW", False),
            ("bfloat16", "channels_last", False),
            ("float16", "channels_last", False),
            ("float32", "NCHW", False),
            ("float32", "channels_last", False),
            ("bfloat16", "channels_last", True),
            ("bfloat16", "NCHW", True),
        )
    ):
        measure(batch, kind, layout, benchmark)


if __name__ == "__main__":
    main()
