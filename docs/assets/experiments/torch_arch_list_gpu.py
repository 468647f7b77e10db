# ruff: noqa: B905, BLE001, D103, E402, PLW1510, PTH118, PTH120, RUF005, RUF059, S603, S607
# An experiment, kept as it ran.
"""Build one operator with several values of TORCH_CUDA_ARCH_LIST, and run each build on this GPU."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LISTS = [
    None,
    "9.0",
    "9.0+PTX",
    "9.0a",
    "Hopper",
    "8.0",
    "8.0+PTX",
    "8.9",
    "7.5;8.0;8.6;9.0",
    "8.0 9.0",
    "10.0",
    "10.0+PTX",
    "9.0a+PTX",
]
CPP = """
#include <torch/library.h>
int64_t run();
TORCH_LIBRARY(probe, m) { m.def("run() -> int", &run); }
"""
CU = """
#include <c10/cuda/CUDAException.h>
#include <cstdint>
__global__ void target(int *out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}
int64_t run() {
  int *device, host = 0;
  C10_CUDA_CHECK(cudaMalloc(&device, sizeof(int)));
  target<<<1, 1>>>(device);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  C10_CUDA_CHECK(cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost));
  return host;
}
"""

if len(sys.argv) > 1:  # the child: run one build
    import torch

    torch.ops.load_library(sys.argv[1])
    try:
        print("ran; __CUDA_ARCH__ was", torch.ops.probe.run())
    except Exception as problem:
        print(f"{type(problem).__module__}.{type(problem).__name__}: {problem}".strip())
    sys.exit()

import torch
from torch.utils import cpp_extension

print(
    "torch",
    torch.__version__,
    "git",
    torch.version.git_version,
    "on",
    torch.cuda.get_device_name(),
    torch.cuda.get_device_capability(),
)
print("torch.cuda.get_arch_list():", torch.cuda.get_arch_list())
print(torch.__config__.show())
folder = Path(tempfile.mkdtemp())
(folder / "probe.cpp").write_text(CPP)
(folder / "probe.cu").write_text(CU)
home = cpp_extension.CUDA_HOME
includes = [f"-I{p}" for p in cpp_extension.include_paths("cuda")]
nvcc = os.path.join(home, "bin", "nvcc")
print(subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout.splitlines()[-2])


def flags(value):
    os.environ.pop("TORCH_CUDA_ARCH_LIST", None)
    if value is not None:
        os.environ["TORCH_CUDA_ARCH_LIST"] = value
    try:
        return cpp_extension._get_cuda_arch_flags()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


wanted = [(value, flags(value)) for value in LISTS]


def build(numbered):
    number, (value, arch) = numbered
    if isinstance(arch, str):
        return arch
    out = folder / f"probe{number}.o"
    done = subprocess.run(
        [nvcc, "-c", "-std=c++20", "-Xcompiler=-fPIC", *includes, *arch, str(folder / "probe.cu"), "-o", str(out)],
        capture_output=True,
        text=True,
    )
    return out if done.returncode == 0 else (done.stdout + done.stderr).strip()


with ThreadPoolExecutor(12) as pool:
    binding = pool.submit(
        subprocess.run,
        [
            "g++",
            "-c",
            "-O1",
            "-std=c++20",
            "-fPIC",
            *includes,
            str(folder / "probe.cpp"),
            "-o",
            str(folder / "binding.o"),
        ],
        capture_output=True,
        text=True,
    )
    objects = list(pool.map(build, enumerate(wanted)))
if binding.result().returncode:
    print(binding.result().stderr[:3000])
library = os.path.join(os.path.dirname(torch.__file__), "lib")


def result(numbered):
    number, ((value, arch), built) = numbered
    lines = [f"\n-- TORCH_CUDA_ARCH_LIST={value!r}" if value is not None else "\n-- TORCH_CUDA_ARCH_LIST not set"]
    lines.append("   " + (arch if isinstance(arch, str) else " ".join(arch)))
    if not isinstance(built, Path):
        return lines + [f"   not built: {built}"]
    shared = folder / f"probe{number}.so"
    linked = subprocess.run(
        [
            "g++",
            "-shared",
            str(folder / "binding.o"),
            str(built),
            "-o",
            str(shared),
            f"-L{library}",
            "-ltorch",
            "-ltorch_cpu",
            "-ltorch_cuda",
            "-lc10",
            "-lc10_cuda",
            f"-L{home}/lib64",
            "-lcudart",
        ],
        capture_output=True,
        text=True,
    )
    if linked.returncode:
        return lines + [f"   not linked: {linked.stderr.strip()[:500]}"]
    for option in ("--list-elf", "--list-ptx"):
        listed = subprocess.run(
            [os.path.join(home, "bin", "cuobjdump"), option, str(shared)], capture_output=True, text=True
        )
        lines.append(
            f"   cuobjdump {option}: "
            + (" ".join(line.split(":")[-1].strip() for line in listed.stdout.splitlines()) or "(nothing)")
        )
    ran = subprocess.run([sys.executable, __file__, str(shared)], capture_output=True, text=True)
    return lines + [
        "   " + (ran.stdout + ran.stderr[-600:] if ran.returncode else ran.stdout).strip().replace("\n", "\n   ")
    ]


with ThreadPoolExecutor(7) as pool:
    for lines in pool.map(result, enumerate(zip(wanted, objects))):
        print("\n".join(lines), flush=True)
