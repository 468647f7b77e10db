"""Provoke each out-of-memory message of PyTorch and print it in its exact words, beside the counters.

python memory_messages.py          # needs torch and a CUDA device that nobody else uses; fills it
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import sys
import time
from collections.abc import Callable

import torch

GIB = 2**30
HELD: list[object] = []


def block(size: int) -> torch.Tensor:
    """A tensor of so many bytes."""
    return torch.empty(int(size), dtype=torch.uint8, device="cuda")


def counters() -> None:
    """The figures that the message is made of."""
    free, total = torch.cuda.mem_get_info()
    allocated, reserved = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    print(
        f"  counters: total {total / GIB:.2f} GiB, free {free / GIB:.2f} GiB; allocated {allocated / GIB:.2f} GiB, "
        f"reserved {reserved / GIB:.2f} GiB, reserved - allocated {(reserved - allocated) / GIB:.2f} GiB; "
        f"fraction {torch.cuda.get_per_process_memory_fraction():.4f}; pid {os.getpid()}"
    )


def too_large() -> None:
    """More than the device has."""
    HELD.append(block(2 * GIB))
    block(200 * GIB)


def with_limit() -> None:
    """More than the process may have."""
    torch.cuda.set_per_process_memory_fraction(0.1)
    HELD.append(block(2 * GIB))
    block(8 * GIB)


def fragmented() -> None:
    """Enough is free in the cache, but in pieces."""
    torch.cuda.set_per_process_memory_fraction(0.1)
    first = [block(GIB) for _ in range(7)]
    for number in range(7):
        first[number] = None  # type: ignore[call-overload]
        HELD.append(block(0.6 * GIB))
    block(0.95 * GIB)


def absurd() -> None:
    """A size that is a mistake."""
    torch.empty(2**61, dtype=torch.uint8, device="cuda")


def many() -> None:
    """A shape that overflows."""
    torch.empty(2**40, 2**40, device="cuda")


def fill(leave: int) -> None:
    """Take the device's memory but for some MiB, in blocks that are not split."""
    for size in (GIB, 64 * 2**20, 12 * 2**20, 2**20):
        with contextlib.suppress(torch.cuda.OutOfMemoryError):
            while torch.cuda.mem_get_info()[0] > leave * 2**20 + size:
                HELD.append(block(size))
    print(f"  filled; free {torch.cuda.mem_get_info()[0] / 2**20:.0f} MiB")


def neighbour(left: int) -> Callable[[], None]:
    """Another process has the memory but for some MiB."""

    def test() -> None:
        fork = multiprocessing.get_context("fork")
        ready, done = fork.Event(), fork.Event()

        def other() -> None:
            fill(left)
            ready.set()
            done.wait(30)

        process = fork.Process(target=other)
        process.start()
        ready.wait(30)
        try:
            HELD.append(block(8))
            print("  a context and 8 bytes: succeeded")
            block(8 * GIB)
        finally:
            done.set()
            process.join(10)

    return test


def cublas() -> None:
    """The first matrix product on a full device."""
    a = torch.ones(64, 64, device="cuda")
    torch.cuda.synchronize()
    fill(2)
    print("  product", (a @ a).sum().item())


def cublas_workspace() -> None:
    """The first matrix product where the process may not reserve its workspace."""
    a = torch.ones(64, 64, device="cuda")
    torch.cuda.set_per_process_memory_fraction(20 * 2**20 / torch.cuda.get_device_properties(0).total_memory)
    print("  product", (a @ a).sum().item())


def cudnn() -> None:
    """The first convolution on a full device."""
    x, w = torch.ones(1, 8, 16, 16, device="cuda"), torch.ones(8, 8, 3, 3, device="cuda")
    torch.cuda.synchronize()
    fill(2)
    print("  convolution", torch.nn.functional.conv2d(x, w).sum().item())


def kernel() -> None:
    """The first call of a kernel on a full device (its module is loaded lazily)."""
    x = torch.ones(64, device="cuda")
    torch.cuda.synchronize()
    fill(2)
    print("  erfinv", torch.special.erfcx(x).sum().item(), "sort", x.sort()[0].sum().item())


def nccl() -> None:
    """A communicator on a full device."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517", NCCL_SOCKET_IFNAME="lo")
    x = torch.ones(64, device="cuda")
    fill(2)
    torch.distributed.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
    torch.distributed.all_reduce(x)


def raw() -> None:
    """cudaMalloc outside PyTorch on a full device."""
    x = torch.ones(8, device="cuda")
    fill(2)
    cudart = ctypes.CDLL("libcudart.so.13")
    cudart.cudaGetErrorString.restype = ctypes.c_char_p
    cudart.cudaGetErrorName.restype = ctypes.c_char_p
    status = cudart.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(GIB))
    print(
        f"  cudaMalloc returns {status}: {cudart.cudaGetErrorName(status).decode()}: {cudart.cudaGetErrorString(status).decode()}"
    )
    x.fill_(2)  # needs no memory: does PyTorch report the error of somebody else's call?
    print("  next kernel of PyTorch: no error")


def raw_cleared() -> None:
    """The same, but the caller takes the error from the runtime."""
    x = torch.ones(8, device="cuda")
    fill(2)
    cudart = ctypes.CDLL("libcudart.so.13")
    status = cudart.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(GIB))
    print(
        f"  cudaMalloc returns {status}, cudaGetLastError {cudart.cudaGetLastError()}, then {cudart.cudaGetLastError()}"
    )
    x.fill_(2)
    torch.cuda.synchronize()
    print("  next kernel of PyTorch: no error")


def pinned() -> None:
    """Pinned host memory that the host does not have."""
    torch.empty(4096 * GIB, dtype=torch.uint8, pin_memory=True)


def retried() -> None:
    """cudaMalloc fails, the cache is flushed, and the retry succeeds: no message at all."""
    torch.cuda.set_per_process_memory_fraction(0.1)
    for _ in range(6):
        HELD.append(block(GIB))
    HELD.clear()
    block(7 * GIB)
    stats = torch.cuda.memory_stats()
    print(f"  num_alloc_retries {stats['num_alloc_retries']}, num_ooms {stats['num_ooms']}")


def run(name: str, test: Callable[[], None]) -> None:
    """One case in a forked process."""

    def body() -> None:
        try:
            test()
            print("  no error")
        except BaseException as error:  # noqa: BLE001 - reported
            print(
                f"  {'.'.join((type(error).__module__, type(error).__qualname__)).removeprefix('builtins.')}: {error}"
            )
            print("  bases:", ", ".join(base.__name__ for base in type(error).__mro__[1:-2]))
        if torch.cuda.is_initialized():
            try:
                counters()
            except Exception as error:
                print("  counters:", error)
        sys.stdout.flush()
        os._exit(0)

    print(f"== {name}", flush=True)
    process = multiprocessing.get_context("fork").Process(target=body)
    process.start()
    process.join(40)
    if process.is_alive():
        print("  no end after 40 s")
        process.kill()
        process.join()
    time.sleep(0.2)


def main() -> None:
    """Run all cases."""
    print(torch.__version__, torch.version.cuda, f"Python {sys.version.split()[0]}", flush=True)
    cases = {
        "larger than the device": too_large,
        "beyond set_per_process_memory_fraction(0.1)": with_limit,
        "fragmented below that limit": fragmented,
        "cudaMalloc fails, flush, retry": retried,
        "2**61 bytes": absurd,
        "shape (2**40, 2**40)": many,
        "another process left 4096 MiB": neighbour(4096),
        "another process left 100 MiB": neighbour(100),
        "first matrix product, 2 MiB left on the device": cublas,
        "first matrix product, workspace beyond the limit": cublas_workspace,
        "first convolution, 2 MiB left": cudnn,
        "first call of other kernels, 2 MiB left": kernel,
        "NCCL communicator, 2 MiB left": nccl,
        "cudaMalloc outside PyTorch, 2 MiB left": raw,
        "the same, the caller calls cudaGetLastError": raw_cleared,
        "pinned memory of 4 TiB": pinned,
    }
    wanted = sys.argv[1:]
    for name, test in cases.items():
        if not wanted or any(word in name for word in wanted):
            run(name, test)


if __name__ == "__main__":
    main()
