"""Leave out `wgmma.wait_group` in tensor_core_gemm.cu: what the compiler says, and what the kernel computes.

Usage: python wgmma_wait.py DIRECTORY
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
CODE = r"""
import ctypes, statistics, sys, torch
library = ctypes.CDLL(sys.argv[1])
n = 4096
torch.manual_seed(0)
a = torch.randn(n, n, device="cuda").bfloat16()
b = torch.randn(n, n, device="cuda").bfloat16()
c = torch.zeros(n, n, device="cuda")
want = (a.double() @ b.double().T).float()
def run():
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (a, b, c)]
    assert library.wgmma(*pointers, n, n, n, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)) == 0
run(); torch.cuda.synchronize()
times = []
for _ in range(9):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(20): run()
    end.record(); end.synchronize()
    times.append(2 * n ** 3 * 20 / start.elapsed_time(end) / 1e9)
error = ((c - want).norm() / want.norm()).item()
print(f"error {error:.1e}, {statistics.median(times):.0f} TFLOP/s ({min(times):.0f} to {max(times):.0f})")
"""
WAIT = "\\nwgmma.wait_group.sync.aligned 0;"


def main():
    directory = pathlib.Path(sys.argv[1])
    source = (HERE / "tensor_core_gemm.cu").read_text()
    assert source.count(WAIT) == 1
    print(subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-2])
    for name, text in {"as published": source, "without wait_group": source.replace(WAIT, "")}.items():
        file = directory / (name.replace(" ", "_") + ".cu")
        file.write_text(text)
        library = file.with_suffix(".so")
        done = subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90a", "-Xptxas", "-v", "-shared", "-Xcompiler", "-fPIC", str(file), "-o", str(library), "-lcuda"], capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines() if "C75" in line or "serializ" in line.lower() or "error" in line]
        print(f"== {name}: nvcc exits with {done.returncode}", *said, sep="\n  ")
        for _ in range(2):
            print("  ", subprocess.run([sys.executable, "-c", CODE, str(library)], capture_output=True, text=True).stdout.strip())


if __name__ == "__main__":
    main()
