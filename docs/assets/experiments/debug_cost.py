"""Time debug_cost.cu bare and under every debugging tool: three processes each, median (minimum to maximum).

python debug_cost.py [FOLDER [SECONDS]]
"""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
DEADLINE = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 600)
SANITIZER = ["compute-sanitizer", "--print-level", "error", "--tool"]
GDB = ["cuda-gdb", "-batch", "-ex", "set pagination off", "-ex", "set breakpoint pending on"]
WAYS = {  # name: (command, environment)
    "bare": (["./debug_cost"], {}),
    "built with -G": (["./debug_cost_G"], {}),
    "CUDA_LAUNCH_BLOCKING=1": (["./debug_cost"], {"CUDA_LAUNCH_BLOCKING": "1"}),
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1": (["./debug_cost"], {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION": "1"}),
    "memcheck": ([*SANITIZER, "memcheck", "./debug_cost"], {}),
    "racecheck": ([*SANITIZER, "racecheck", "./debug_cost"], {}),
    "initcheck": ([*SANITIZER, "initcheck", "./debug_cost"], {}),
    "synccheck": ([*SANITIZER, "synccheck", "./debug_cost"], {}),
    "memcheck, only kernels named increment": ([*SANITIZER, "memcheck", "--kernel-name", "kernel_substring=increment", "./debug_cost"], {}),
    "cuda-gdb, no breakpoint": ([*GDB, "-ex", "run", "./debug_cost"], {}),
    "cuda-gdb, -G, no breakpoint": ([*GDB, "-ex", "run", "./debug_cost_G"], {}),
}
ROUNDS = 3
FIELDS = ["saxpy", "matmul", "launch", "process"]

FOLDER.mkdir(parents=True, exist_ok=True)
if HERE != FOLDER.resolve():
    shutil.copy(HERE / "debug_cost.cu", FOLDER)
builds = [subprocess.Popen(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", *options, "debug_cost.cu", "-o", name], cwd=FOLDER) for name, options in (("debug_cost", ["-lineinfo"]), ("debug_cost_G", ["-G", "-g"]))]
print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip())
print("\n".join(line for tool in ("nvcc", "compute-sanitizer", "cuda-gdb") for line in subprocess.run([tool, "--version"], capture_output=True, text=True).stdout.splitlines() if re.search("release|Version|version 2|CUDA", line))[:600])
for build in builds:
    build.wait()
samples = {name: [] for name in WAYS}
for _ in range(ROUNDS):  # in turns, so that a drift of the clock reaches all
    for name, (command, variables) in WAYS.items():
        if time.monotonic() > DEADLINE:
            continue
        begin = time.monotonic()
        try:
            done = subprocess.run(command, cwd=FOLDER, env=os.environ | variables, capture_output=True, text=True, timeout=25)
        except subprocess.TimeoutExpired:
            print(f"{name}: more than 25 s")
            continue
        times = {key: float(value) for key, value in re.findall(r"^(saxpy|matmul|launch) ([\d.]+)$", done.stdout, re.M)}
        if len(times) < 3:
            print(f"{name}: status {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
            continue
        samples[name].append(times | {"process": time.monotonic() - begin})
print("\n== saxpy (4,194,304 elements) and matmul (512 x 512, tiles in shared memory): ms a launch; launch: µs for each of 1,000 small launches; process: s from start to end")
print("median (minimum to maximum) of the processes; x: times the bare median")
for name, rows in samples.items():
    print(f"{name}: {len(rows)} processes")
    for field in FIELDS if rows else []:
        values = [row[field] for row in rows]
        bare = statistics.median(row[field] for row in samples["bare"])
        print(f"   {field:8} {statistics.median(values):10.4f} ({min(values):.4f} to {max(values):.4f})   {statistics.median(values) / bare:8.1f} x")
