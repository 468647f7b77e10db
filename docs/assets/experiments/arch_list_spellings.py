#!/usr/bin/env python3
# ruff: noqa: BLE001, D103, E501, PLW1510, S603
# An experiment, kept as it ran.
"""Show what each spelling of TORCH_CUDA_ARCH_LIST becomes: in PyTorch's CMake code, and in torch.utils.cpp_extension.

Both come from the installed torch wheel; nvcc only says which release it is. No GPU is needed: detection is not tried.

Usage: arch_list_spellings.py CMAKE CUDA_VERSION
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils import cpp_extension

SPELLINGS = [
    "9.0",
    "9.0+PTX",
    "8.0;9.0",
    "8.0 9.0",
    "8.0,9.0",
    "9.0;9.0",
    "90",
    "sm_90",
    "9.0a",
    "9.0a+PTX",
    "10.0",
    "10.0a",
    "10.0f",
    "10.3",
    "12.0",
    "12.1",
    "11.0",
    "10.7",
    "8.8",
    "8.6(8.0)",
    "13.0",
    "Turing",
    "Ampere",
    "Ada",
    "Hopper",
    "Blackwell",
    "Rubin",
    "Ampere+PTX",
    "Hopper+PTX",
    "native",
    "Common",
    "All",
    "Auto",
    "7.5;8.0;8.6;9.0;10.0;12.0+PTX",
]
cmake, version = sys.argv[1:]
folder = Path(torch.__file__).parent / "share/cmake/Caffe2/Modules_CUDA_fix/upstream/FindCUDA/select_compute_arch.cmake"


def short(flags):
    return " ".join(
        flag.removeprefix("-gencode=").replace("arch=compute_", "").replace(",code=", ">")
        for flag in flags
        if flag != "-gencode"
    )


def by_cmake(value):
    script = Path(tempfile.mkdtemp()) / "flags.cmake"
    script.write_text(
        f'cmake_minimum_required(VERSION 3.27)\nset(CUDA_VERSION {version})\ninclude("{folder}")\n'
        f'set(TORCH_CUDA_ARCH_LIST "{value}")\ncuda_select_nvcc_arch_flags(flags ${{TORCH_CUDA_ARCH_LIST}})\nmessage("flags:${{flags}}")\n'
    )
    done = subprocess.run([cmake, "-P", str(script)], capture_output=True, text=True)
    if "CMake Error" in done.stderr:
        lines = done.stderr.splitlines()
        at = next(i for i, line in enumerate(lines) if "CMake Error" in line)
        return "CMake Error: " + next(line.strip() for line in lines[at + 1 :] if line.strip())
    return short(done.stderr.strip().splitlines()[-1].removeprefix("flags:").split(";"))


def by_extension(value):
    os.environ["TORCH_CUDA_ARCH_LIST"] = value
    try:
        return short(cpp_extension._get_cuda_arch_flags())
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


print("torch", torch.__version__, "git", torch.version.git_version)
print(
    subprocess.run([cmake, "--version"], capture_output=True, text=True).stdout.splitlines()[0],
    "with CUDA_VERSION",
    version,
)
print("90>sm_90 is -gencode arch=compute_90,code=sm_90\n")
for value in SPELLINGS:
    print(
        f"{value}\n    CMake:         {by_cmake(value) if value != 'Auto' else '(asks the GPU: not tried)'}\n    cpp_extension: {by_extension(value)}"
    )
print("\nFlags for nvcc that contain 'arch' (TORCH_CUDA_ARCH_LIST=9.0):")
os.environ["TORCH_CUDA_ARCH_LIST"] = "9.0"
for flags in (
    ["-O3"],
    ["-arch=sm_80"],
    ["-gencode=arch=compute_80,code=sm_80"],
    ["-Xcompiler", "-march=native"],
    ["-I/home/me/research/include"],
    ["-DSEARCH_DEPTH=4"],
    ["-Dsearch_depth=4"],
):
    print(
        f"    {' '.join(flags):42} -> {short(cpp_extension._get_cuda_arch_flags(flags)) or '(none: nvcc takes its default)'}"
    )
