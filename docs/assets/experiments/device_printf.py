"""Measure printf() in kernels: buffer, loss, flush, cost. python device_printf.py [FOLDER]"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
FLUSHES = ["nothing, _exit()", "return from main", "cudaDeviceSynchronize", "cudaStreamSynchronize, same stream", "cudaStreamSynchronize, other stream",
           "cudaEventSynchronize", "cudaMemcpy", "cudaMemcpyAsync", "another launch", "cudaStreamQuery", "cudaFree", "cudaDeviceReset",
           "trap in the same kernel, cudaDeviceSynchronize"]


def run(*arguments):
    done = subprocess.run([FOLDER / "device_printf", *arguments], capture_output=True, text=True, timeout=60, errors="replace")
    return done.stdout, done.stderr


subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", HERE / "device_printf.cu", "-o", FOLDER / "device_printf"], check=True)
print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip())
print("\n".join(line for line in subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout.splitlines() if "release" in line))
print("\n== default size:", *run("limit")[0].splitlines())
print(*run("late")[0].splitlines(), sep="\n")

print("\n== lines that arrive: one thread prints `line I of N`; three runs each")
for lines, size in [("1000", None), ("10000", None), ("20000", None), ("50000", None), ("200000", None), ("200000", "4194304"), ("200000", "67108864"), ("1000", "1024")]:
    arrived = collections.Counter()
    for _ in range(3):
        out, err = run("overflow", lines, *([size] if size else []))
        numbers = [int(match) for match in re.findall(r"^line (\d+) of", out, re.M)]
        ordered = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else None
        arrived[f"{len(numbers)} lines arrived, {min(numbers, default=None)} to {max(numbers, default=None)}, consecutive: {ordered}, {err.split()}"] += 1
    for text, times in arrived.items():
        print(f"  {lines} printed, buffer {size or 'default'}: {text} ({times} of 3 runs)")

print("\n== what brings the line to stdout (before or after the marker that the host prints next, or never); three runs each")
for how in FLUSHES:
    seen = collections.Counter()
    for _ in range(3):
        out, _ = run("flush", how)
        before, marker, after = out.partition("-- after:")
        seen["before" if "from the kernel" in before else "after" if "from the kernel" in after else "never"] += 1
    print(f"  {how}: {dict(seen)}")

print("\n== what it costs: kernel of 1,048,576 threads, median of 5 launches (range); three processes")
for _ in range(3):
    print(run("cost")[1].rstrip())
