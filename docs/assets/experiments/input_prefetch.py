"""Compare ways to bring batches to the GPU, and show what a prefetching stream needs so that it doesn't overwrite a batch in use.

python input_prefetch.py        # needs torch, a CUDA device and resnet_layouts.py beside this file

Part 1: a training step of ResNet-50 (bfloat16, channels_last) on uint8 batches from host memory, against the same step on data that stay on the GPU.
Part 2: the prefetcher of NVIDIA's ConvNets example, on batches that are each filled with their own number; a consumer that is late reads them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import torch
from resnet_layouts import resnet50
from torch.nn import functional as F

BATCH, REPEATS, STEPS = 128, 3, 8


def host_batches(count: int, pinned: bool) -> Iterator[torch.Tensor]:
    """Yield batches from a ring of 4 in host memory: what a DataLoader hands over, without the decoding."""
    ring = [torch.randint(0, 256, (BATCH, 3, 224, 224), dtype=torch.uint8).to(memory_format=torch.channels_last) for _ in range(4)]
    ring = [b.pin_memory() for b in ring] if pinned else ring
    for k in range(count):
        yield ring[k % 4]


def direct(loader: Iterator[torch.Tensor], non_blocking: bool) -> Iterator[torch.Tensor]:
    """Copy on the current stream."""
    for batch in loader:
        yield batch.to("cuda", non_blocking=non_blocking).float().div_(255)


def prefetched(loader: Iterator[torch.Tensor], record: bool) -> Iterator[torch.Tensor]:
    """Copy the next batch on a stream of its own while the current one is in use."""
    stream = torch.cuda.Stream()
    ready = None
    for batch in loader:
        with torch.cuda.stream(stream):
            coming = batch.to("cuda", non_blocking=True).float().div_(255)
        if ready is not None:
            yield ready
        torch.cuda.current_stream().wait_stream(stream)
        if record:
            coming.record_stream(torch.cuda.current_stream())
        ready = coming
    yield ready


def speed() -> None:
    """Part 1."""
    torch.manual_seed(0)
    model = resnet50().cuda().to(memory_format=torch.channels_last)
    rule = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    labels = torch.randint(0, 1000, (BATCH,), device="cuda")

    def step(images: torch.Tensor) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(model(images), labels)
        loss.backward()
        rule.step()
        rule.zero_grad(set_to_none=True)

    fixed = torch.rand(BATCH, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    for _ in range(4):
        step(fixed)
    pinned = list(host_batches(4, True))
    pageable = list(host_batches(4, False))

    def ring(batches: list[torch.Tensor]) -> Iterator[torch.Tensor]:
        return (batches[k % 4] for k in range(STEPS))

    ways = {
        "data stay on the GPU": lambda: (fixed for _ in range(STEPS)),
        "pageable": lambda: direct(ring(pageable), False),
        "pageable, non_blocking": lambda: direct(ring(pageable), True),
        "pin in the main thread": lambda: direct((b.pin_memory() for b in ring(pageable)), True),
        "pinned": lambda: direct(ring(pinned), False),
        "pinned, non_blocking": lambda: direct(ring(pinned), True),
        "pinned, prefetch stream": lambda: prefetched(ring(pinned), True),
    }
    print(f"Part 1: {BATCH} images of 224 x 224 as uint8, {BATCH * 3 * 224 * 224 / 2**20:.1f} MiB a batch; median [least, most] of {REPEATS} repetitions of {STEPS} steps")
    for title, way in ways.items():
        times = []
        for k in range(REPEATS + 1):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for images in way():
                step(images)
            torch.cuda.synchronize()
            if k:
                times.append((time.perf_counter() - begin) / STEPS * 1e3)
        print(f"  {title:26}{statistics.median(times):8.2f} ms [{min(times):.2f}, {max(times):.2f}]", flush=True)
    one = pinned[0]
    for title, source in (("pageable", pageable[0]), ("pinned", one)):
        times = []
        for _ in range(REPEATS):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            source.to("cuda", non_blocking=True)
            torch.cuda.synchronize()
            times.append((time.perf_counter() - begin) * 1e3)
        print(f"  copy alone, {title:14}{statistics.median(times):8.2f} ms [{min(times):.2f}, {max(times):.2f}]")


def race(record: bool, synchronize: bool) -> int:
    """Return the batches that held another batch's number when a consumer on the current stream read them."""
    size, count, late = 1 << 20, 40, 5_000_000
    source = (torch.full((size,), k, dtype=torch.uint8).pin_memory() for k in range(count))
    results = torch.full((count,), -1.0, device="cuda")
    for k, batch in enumerate(prefetched(source, record)):
        torch.cuda._sleep(late)  # kernels of the step that are still to run when the host goes on
        results[k] = (batch * 255).mean()
        del batch
        if synchronize:
            torch.cuda.synchronize()
    torch.cuda.synchronize()
    wanted = torch.arange(count, device="cuda")
    return int((results - wanted).abs().gt(0.01).sum())


def main() -> None:
    """Measure."""
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}\n")
    speed()
    print("\nPart 2: the prefetcher; 40 batches, each filled with its own number; batches that were wrong when read, in 3 runs")
    for record in (False, True):
        for synchronize in (True, False):
            wrong = [race(record, synchronize) for _ in range(3)]
            print(f"  record_stream={record!s:5}  torch.cuda.synchronize() after each step={synchronize!s:5}  wrong: {wrong}", flush=True)


if __name__ == "__main__":
    main()
