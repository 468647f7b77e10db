"""Show which memory of a process each counter sees: allocated, reserved, the device's own figure, NVML.

python memory_accounting.py        # needs torch and a CUDA device that nobody else uses
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import statistics
import sys
from collections import defaultdict
from typing import Any

import pynvml
import torch

MIB = 2**20
REPEATS = 3


def nvml() -> tuple[float, float | None]:
    """Memory in use on the device, and by this process, in MiB; None where NVML does not report the process."""
    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    used = pynvml.nvmlDeviceGetMemoryInfo(handle).used / MIB
    for process in pynvml.nvmlDeviceGetComputeRunningProcesses(handle):
        if process.pid == os.getpid() and process.usedGpuMemory:
            return used, process.usedGpuMemory / MIB
    return used, None


def stages(results: Any) -> None:  # noqa: PLR0915 - read from top to bottom
    """Go through the stages in one process and report each."""
    rows: list[tuple[str, float, float, float, float | None]] = []

    def row(name: str) -> None:
        initialized = torch.cuda.is_initialized()
        if initialized:
            torch.cuda.synchronize()
        used, process = nvml()
        rows.append(
            (
                name,
                torch.cuda.memory_allocated() / MIB if initialized else 0,
                torch.cuda.memory_reserved() / MIB if initialized else 0,
                used,
                process,
            )
        )

    row("torch imported, no context")
    torch.cuda.synchronize()
    row("context created")
    x = torch.ones(MIB // 4, device="cuda")
    row("tensor of 1 MiB, first kernel")
    a = torch.randn(1024, 1024, device="cuda")
    b = a @ a
    row("first matrix product, float32")
    h = a.bfloat16()
    b = h @ h
    row("matrix product, bfloat16")
    b = torch.nn.functional.linear(h, h, h[0])
    row("linear with bias (cublasLt)")
    streams = [torch.cuda.Stream() for _ in range(4)]
    for stream in streams:
        with torch.cuda.stream(stream):
            b = a @ a
    row("the product on four more streams")
    del b
    torch.cuda.synchronize()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()
    row("_cuda_clearCublasWorkspaces, empty_cache")
    image = torch.randn(8, 64, 56, 56, device="cuda")
    kernel = torch.randn(64, 64, 3, 3, device="cuda")
    y = torch.nn.functional.conv2d(image, kernel, padding=1)
    row("first convolution (cuDNN)")
    y = torch.linalg.inv(a)
    row("linalg.inv (cuSOLVER)")
    y = torch.fft.fft(a)
    row("fft (cuFFT)")
    del y, image, kernel
    torch.cuda.empty_cache()
    row("those tensors deleted, empty_cache")

    big = torch.empty(1024 * MIB, dtype=torch.uint8, device="cuda")
    row("tensor of 1024 MiB")
    del big
    row("deleted")
    torch.cuda.empty_cache()
    row("empty_cache")

    static = torch.ones(256 * MIB // 4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = (static * 2) + 1
    row("graph captured: input 256 MiB, two results")
    del out, static
    torch.cuda.empty_cache()
    row("its tensors deleted, empty_cache")
    graph.reset()
    del graph
    torch.cuda.empty_cache()
    row("graph deleted, empty_cache")

    cudart = ctypes.CDLL(None)
    if not hasattr(cudart, "cudaMalloc"):
        cudart = next(ctypes.CDLL(n) for n in ("libcudart.so.13", "libcudart.so.12") if _loads(n))
    pointer = ctypes.c_void_p()
    status = cudart.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(256 * MIB))
    row(f"cudaMalloc of 256 MiB outside PyTorch (status {status})")
    cudart.cudaFree(pointer)
    row("cudaFree of it")
    try:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", NCCL_SOCKET_IFNAME="lo")
        torch.distributed.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
        row("NCCL communicator, one rank")
        torch.distributed.all_reduce(x)
        row("all_reduce")
        torch.distributed.destroy_process_group()
        row("destroy_process_group")
    except Exception as error:
        print("NCCL:", type(error).__name__, str(error).splitlines()[0], flush=True)
    results.put(rows)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def context(results: Any, mode: str) -> None:
    """Create a context with a way of loading modules, and run one kernel."""
    os.environ["CUDA_MODULE_LOADING"] = mode
    before, _ = nvml()
    torch.cuda.synchronize()
    created, process = nvml()
    torch.ones(1, device="cuda").add_(1)
    torch.cuda.synchronize()
    results.put((created - before, process, nvml()[0] - before))


def in_child(target: Any, *arguments: Any, limit: int = 60) -> Any:
    """The result of a function in a forked process that has no context yet."""
    fork = multiprocessing.get_context("fork")
    results = fork.Queue()
    child = fork.Process(target=target, args=(results, *arguments))
    child.start()
    try:
        return results.get(timeout=limit)
    except Exception as error:
        print(target.__name__, arguments, "gave no result:", type(error).__name__)
        return None
    finally:
        child.join(5)
        if child.is_alive():
            child.kill()


def main() -> None:
    """Measure, each time in a fresh process."""
    print(
        torch.__version__,
        torch.version.cuda,
        f"Python {sys.version.split()[0]}",
        f"NVML {pynvml.__version__ if hasattr(pynvml, '__version__') else ''}",
    )
    pynvml.nvmlInit()
    print(pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(0)), "driver", pynvml.nvmlSystemGetDriverVersion())
    print(
        "CUDA_MODULE_LOADING",
        os.environ.get("CUDA_MODULE_LOADING", "(not set)"),
        "CUBLAS_WORKSPACE_CONFIG",
        os.environ.get("CUBLAS_WORKSPACE_CONFIG", "(not set)"),
    )
    runs = [run for run in (in_child(stages) for _ in range(REPEATS)) if run]
    table: dict[str, list[tuple[float, float, float, float | None]]] = defaultdict(list)
    for run in runs:
        base = run[0][3]
        for name, allocated, reserved, used, process in run:
            table[name].append((allocated, reserved, used - base, process))
    print(
        f"MiB; median of {len(runs)} processes; device: NVML's used memory above that before the context (range); outside: device - reserved"
    )
    print(f"{'':52}{'allocated':>10}{'reserved':>10}{'device':>10}{'outside':>10}{'process':>10}  range of device")
    for name, values in table.items():
        allocated, reserved, used = (statistics.median(value[i] for value in values) for i in range(3))
        processes = [value[3] for value in values if value[3] is not None]
        process = f"{statistics.median(processes):10.1f}" if processes else f"{'-':>10}"
        span = f"{min(value[2] for value in values):.1f} - {max(value[2] for value in values):.1f}"
        print(f"{name:52}{allocated:10.1f}{reserved:10.1f}{used:10.1f}{used - reserved:10.1f}{process}  {span}")
    for mode in ("LAZY", "EAGER"):
        sizes = [size for size in (in_child(context, mode, limit=12) for _ in range(REPEATS)) if size]
        if sizes:
            print(
                f"context with CUDA_MODULE_LOADING={mode}: {[f'{s[0]:.1f}' for s in sizes]} MiB; after one kernel {[f'{s[2]:.1f}' for s in sizes]} MiB; NVML for the process {[s[1] for s in sizes]}"
            )


if __name__ == "__main__":
    main()
