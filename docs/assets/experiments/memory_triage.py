"""Three readings tell a leak from a cycle, a cache, fragmentation and memory outside PyTorch's allocator.

python memory_triage.py            # needs torch and a CUDA device with 8 GiB free
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import sys
from collections.abc import Callable

import pynvml
import torch

MIB = 2**20
KEPT: list[object] = []


def readings() -> tuple[int, int, int]:
    """MiB in tensors, in the cache, and outside PyTorch's allocator (this process only)."""
    torch.cuda.synchronize()
    allocated, reserved = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    processes = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
    process = next((p.usedGpuMemory or 0 for p in processes if p.pid == os.getpid()), 0)
    return allocated // MIB, (reserved - allocated) // MIB, (process - reserved) // MIB


def triage(step: Callable[[int], None], first: int = 20, last: int = 40) -> None:
    """Run the steps and print what grew, then what gc.collect() and empty_cache() give back."""
    before = (0, 0, 0)
    for number in range(last):
        if number == first:
            before = readings()
        step(number)
    rows = {"grew": readings()}
    gc.collect()
    rows["after gc.collect()"] = readings()
    torch.cuda.empty_cache()
    rows["after empty_cache()"] = readings()
    for name, now in rows.items():
        allocated, cached, outside = (b - a for a, b in zip(before, now, strict=True))
        print(f"  {name:20} tensors {allocated:+6}  cache {cached:+6}  outside {outside:+6} MiB")


def block(mebibytes: int) -> torch.Tensor:
    """A tensor of so many MiB."""
    return torch.empty(mebibytes * MIB, dtype=torch.uint8, device="cuda")


def nothing(number: int) -> None:
    """No leak."""
    block(16)


def kept(number: int) -> None:
    """A list that grows."""
    KEPT.append(block(16))


class Holder:
    """An object with a closure that captured it."""

    def __init__(self) -> None:
        """Hold 16 MiB."""
        self.buffer = block(16)
        self.call = lambda: self.buffer


def cycle(number: int) -> None:
    """A reference cycle."""
    Holder()


def larger(number: int) -> None:
    """Each request a little larger than every block in the cache."""
    block(16 + 4 * number)


def split(number: int) -> None:
    """A large temporary, and a small tensor that stays in its segment."""
    big = block(64 + 2 * number)
    del big
    KEPT.append(block(12))
    KEPT.append(block(64 + 2 * number - 12))  # fills the segment
    if len(KEPT) > 2:
        KEPT.pop(-3)  # the large tensor of the step before goes, the small one stays


def outside(number: int) -> None:
    """cudaMalloc without cudaFree."""
    ctypes.CDLL("libcudart.so.13").cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(16 * MIB))


def main() -> None:
    """One process a case."""
    print(
        torch.__version__,
        torch.version.cuda,
        f"Python {sys.version.split()[0]}; MiB from step 20 to step 40",
        flush=True,
    )
    for step in (nothing, kept, cycle, larger, split, outside):

        def body(step: Callable[[int], None] = step) -> None:
            gc.disable()  # the collector would hide a cycle now and then
            triage(step)
            sys.stdout.flush()

        print(f"{step.__name__}: {step.__doc__}", flush=True)
        process = multiprocessing.get_context("fork").Process(target=body)
        process.start()
        process.join(30)


if __name__ == "__main__":
    main()
