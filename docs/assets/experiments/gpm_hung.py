"""Look at a GPU from outside while a kernel hangs: utilization, NVML's GPM counters, power.

Usage: python gpm_hung.py DIRECTORY

The kernel is the wgmma kernel of tensor_core_gemm.cu whose producer waits for the wrong parity: it never ends, and its
blocks hold every multiprocessor. It runs in a process of its own, which is killed after the sample.
"""

import pathlib
import subprocess
import sys
import time

import gpm_metrics
import pynvml as nvml
import wgmma_mistakes


def main():
    directory = pathlib.Path(sys.argv[1])
    source = (wgmma_mistakes.HERE / "tensor_core_gemm.cu").read_text()
    for old, new in wgmma_mistakes.MISTAKES["producer: parity inverted"]:
        source = source.replace(old, new)
    file = directory / "hung.cu"
    file.write_text(source)
    library = file.with_suffix(".so")
    print(wgmma_mistakes.compiled(["-shared", "-Xcompiler", "-fPIC", str(file), "-o", str(library)]))
    nvml.nvmlInit()
    device = nvml.nvmlDeviceGetHandleByIndex(0)
    process = subprocess.Popen([sys.executable, "-c", wgmma_mistakes.RUN, str(library)])
    time.sleep(12)
    print("still running:", process.poll() is None)
    print(" ".join(f"{key} {value:.1f}" for key, value in gpm_metrics.measure(device).items()))
    process.kill()
    process.wait()
    time.sleep(2)
    print("after kill -9:", " ".join(f"{key} {value:.1f}" for key, value in gpm_metrics.measure(device).items()))


if __name__ == "__main__":
    main()
