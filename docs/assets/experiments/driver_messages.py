"""Show what CUDA's runtime and PyTorch say without a GPU, by what the driver library answers.

    python driver_messages.py [FOLDER...]

Needs torch, gcc and bwrap, and no NVIDIA driver; a build of torch for the CPU gets one case. Each FOLDER holds the
libcuda.so.1 and libnvidia-ml.so.1 of one driver. The other cases load a libcuda.so.1 of our own, which answers
cuDriverGetVersion and cuInit as the case says: they prove which message follows from which code, not what brings the
code about.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

STUB = r"""
#include <stdlib.h>
#include <string.h>
static int number(const char* name, int otherwise) { const char* text = getenv(name); return text ? atoi(text) : otherwise; }
int cuDriverGetVersion(int* version) { *version = number("STUB_VERSION", 99000); return 0; }
int cuInit(unsigned flags) { return number("STUB_INIT", 100); }
static int refuse(void) { return 3; }
int cuGetProcAddress_v2(const char* symbol, void** function, int version, unsigned long flags, int* status) {
    if (status) *status = 0;
    *function = !strcmp(symbol, "cuInit") ? (void*)cuInit : !strcmp(symbol, "cuDriverGetVersion") ? (void*)cuDriverGetVersion
        : !strcmp(symbol, "cuGetProcAddress") ? (void*)cuGetProcAddress_v2 : (void*)refuse;
    return 0;
}
"""
NVML = r"""
#include <stdlib.h>
int nvmlInit(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = atoi(getenv("STUB_DEVICES")); return 0; }
"""
RUNTIME = """
import ctypes, glob, nvidia
path, = (p for root in nvidia.__path__ for p in glob.glob(root + "/cu13/lib/libcudart.so.13"))
cuda = ctypes.CDLL(path)
cuda.cudaGetErrorName.restype = cuda.cudaGetErrorString.restype = ctypes.c_char_p
count, driver, runtime = (ctypes.c_int(-1) for _ in range(3))
status = cuda.cudaGetDeviceCount(ctypes.byref(count))
cuda.cudaDriverGetVersion(ctypes.byref(driver)); cuda.cudaRuntimeGetVersion(ctypes.byref(runtime))
print(f"cudaGetDeviceCount: {status} {cuda.cudaGetErrorName(status).decode()}: {cuda.cudaGetErrorString(status).decode()}"
      f"; cudaDriverGetVersion {driver.value}, cudaRuntimeGetVersion {runtime.value}")
"""
TORCH = """
import warnings
warnings.showwarning = lambda message, category, *rest: print(f"{category.__name__}: {message}")
import torch
print("is_available", torch.cuda.is_available(), "; device_count", torch.cuda.device_count())
try:
    torch.zeros(1, device="cuda")
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""
COUNT = """
import warnings
warnings.simplefilter("ignore")
import torch
print("is_available", torch.cuda.is_available(), "; device_count", torch.cuda.device_count())
"""
INIT = (2, 3, 34, 46, 100, 101, 304, 802, 803, 804, 999)
VISIBLE = (None, "", "-1", "0", "1,0", "2", "0,2,1", "0,0", "1gpu", "GPU", "cuda:0", "all", "NoDevFiles")


def run(program: str, folder: str | Path = "", **variables: str) -> None:
    """Run one program with a /dev of its own, as a user who may not make device nodes."""
    kept = {k: v for k, v in os.environ.items() if "CUDA" not in k}
    command = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--unshare-user", "--uid", "1000", "--gid", "1000"]
    environment = kept | {"LD_LIBRARY_PATH": str(folder)} | variables
    done = subprocess.run(  # noqa: S603
        [*command, sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    for line in (done.stdout + done.stderr).splitlines():
        print("   ", line)


def main() -> None:
    """Run every case."""
    import torch

    print(torch.__version__, f"Python {sys.version.split()[0]}")
    if torch.version.cuda is None:
        print("== a build for the CPU")
        run(TORCH)
        return
    print("== no libcuda.so.1, no libnvidia-ml.so.1")
    run(RUNTIME), run(TORCH)
    for folder in sys.argv[1:]:
        print("==", (Path(folder) / "libcuda.so.1").resolve().name, "and its libnvidia-ml; no kernel module")
        run(RUNTIME, folder), run(TORCH, folder)
    with tempfile.TemporaryDirectory() as scratch:
        for name, source in ("libcuda.so.1", STUB), ("libnvidia-ml.so.1", NVML):
            place = Path(scratch, name.split(".")[0], name)
            place.parent.mkdir()
            subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", place], input=source, text=True, check=True)  # noqa: S603, S607
        cuda, nvml = Path(scratch, "libcuda"), Path(scratch, "libnvidia-ml")
        for version in ("12080", "12090", "13000", "13020"):
            print(f"== our libcuda: version {version}, cuInit 100")
            run(RUNTIME, cuda, STUB_VERSION=version), run(TORCH, cuda, STUB_VERSION=version)
        for code in INIT:
            print(f"== our libcuda: version 99000, cuInit {code}")
            run(RUNTIME, cuda, STUB_INIT=str(code)), run(TORCH, cuda, STUB_INIT=str(code))
        for value in VISIBLE:
            print(f"== our NVML with 2 devices, our libcuda with cuInit 100; CUDA_VISIBLE_DEVICES={value!r}")
            variables = {"STUB_DEVICES": "2"} | ({} if value is None else {"CUDA_VISIBLE_DEVICES": value})
            run(COUNT, f"{cuda}:{nvml}", **variables)
            if value is None:
                print("   the same with PYTORCH_NVML_BASED_CUDA_CHECK=1:")
                run(COUNT, f"{cuda}:{nvml}", PYTORCH_NVML_BASED_CUDA_CHECK="1", **variables)


if __name__ == "__main__":
    main()
