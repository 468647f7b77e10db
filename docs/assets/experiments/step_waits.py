"""Time a training step of ResNet-50 with and without a wait for the GPU in every step.

python step_waits.py        # needs torch, a CUDA device and resnet_layouts.py beside this file
"""

from __future__ import annotations

import statistics
import time

import torch
from resnet_layouts import resnet50
from torch.nn import functional as F

BATCH, REPEATS, STEPS = 128, 7, 10


def main() -> None:
    """Measure."""
    torch.manual_seed(0)
    model = resnet50().cuda().to(memory_format=torch.channels_last)
    rule = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    images = torch.rand(BATCH, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (BATCH,), device="cuda")
    host = torch.zeros(()).pin_memory()

    def step() -> torch.Tensor:
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(model(images), labels)
        loss.backward()
        rule.step()
        rule.zero_grad(set_to_none=True)
        return loss.detach()

    def waits(k: int, loss: torch.Tensor, way: str) -> None:
        if way == "synchronize each step":
            torch.cuda.synchronize()
        elif way == "item each step" or (way == "item every 10 steps" and k % 10 == 9):
            loss.item()
        elif way == "asynchronous copy each step":
            host.copy_(loss, non_blocking=True)

    print(
        f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}; ResNet-50, bfloat16, channels_last, batch {BATCH}, data on the GPU;"
        f" wall clock, median [least, most] of {REPEATS} repetitions of {STEPS} steps, the ways in turn"
    )
    ways = ("no wait", "asynchronous copy each step", "item every 10 steps", "item each step", "synchronize each step")
    times: dict[str, list[float]] = {w: [] for w in ways}
    for _ in range(5):
        step()
    for _ in range(REPEATS):
        for way in ways:
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for k in range(STEPS):
                waits(k, step(), way)
            torch.cuda.synchronize()
            times[way].append((time.perf_counter() - begin) / STEPS * 1e3)
    for way, found in times.items():
        print(f"  {way:30}{statistics.median(found):8.2f} ms [{min(found):.2f}, {max(found):.2f}]", flush=True)


if __name__ == "__main__":
    main()
