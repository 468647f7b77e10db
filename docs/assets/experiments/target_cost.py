#!/usr/bin/env python3
# ruff: noqa: B905, E501, PLW1510, S603, S607
# An experiment, kept as it ran.
"""Compile one elementwise operator of PyTorch's kind for one, two and six targets: time, memory, size.

The source includes ATen/native/cuda/Loops.cuh, as most of PyTorch's own .cu files do, and comes with the torch wheel.
User CPU time is given beside wall time, because other work may share the machine.

Usage: target_cost.py NVCC TORCH_DIR CUDA_INCLUDE [REPETITIONS]
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = """
#include <ATen/native/cuda/Loops.cuh>
void softsign_kernel_cuda(at::TensorIteratorBase &iter) {
  at::native::gpu_kernel(iter, [] GPU_LAMBDA(float x) -> float { return x / (1.0f + ::fabsf(x)); });
}
"""
SIX = ["75", "80", "86", "90", "100", "120"]
CASES = {
    "1 target: 9.0": (["90"], []),
    "2 targets: 8.0;9.0": (["80", "90"], []),
    "6 targets, as the wheel": (SIX, []),
    "6 targets, --threads 2": (SIX, ["--threads", "2"]),
}
nvcc, torch_dir, cuda_include = sys.argv[1:4]
repetitions = int(sys.argv[4]) if len(sys.argv) > 4 else 3
print(subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout.splitlines()[-2])
print(subprocess.run(["g++", "--version"], capture_output=True, text=True).stdout.splitlines()[0])
print(
    "torch",
    next(
        line.split("'")[1]
        for line in Path(torch_dir, "version.py").read_text().splitlines()
        if line.startswith("__version__")
    ),
)
print(os.cpu_count(), "CPUs, shared with other work;", repetitions, "repetitions", flush=True)
folder = Path(tempfile.mkdtemp())
(folder / "op.cu").write_text(SOURCE)
found = {name: [] for name in CASES}
for _ in range(repetitions):
    for name, (targets, extra) in CASES.items():
        command = [
            nvcc,
            "-c",
            "-std=c++20",
            "-O2",
            "-Xcompiler=-fPIC",
            "--expt-relaxed-constexpr",
            "--expt-extended-lambda",
            *extra,
        ]
        command += [f"-I{torch_dir}/include", f"-I{torch_dir}/include/torch/csrc/api/include", f"-I{cuda_include}"]
        command += [f"-gencode=arch=compute_{t},code=sm_{t}" for t in targets]
        command += [str(folder / "op.cu"), "-o", str(folder / "op.o")]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        found[name].append((after.ru_utime - before.ru_utime, wall, (folder / "op.o").stat().st_size))
print("Seconds: median (min to max)")
for name, rows in found.items():
    user, wall, size = zip(*rows)
    print(
        f"{name:26} user {statistics.median(user):6.1f} ({min(user):.1f} to {max(user):.1f})  wall {statistics.median(wall):6.1f} ({min(wall):.1f} to {max(wall):.1f})  object {size[0]} bytes"
    )
print("Largest process of all runs:", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, "MiB")
