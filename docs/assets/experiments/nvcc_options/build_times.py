#!/usr/bin/env python3
# ruff: noqa: B905, E501, PLW1510, S603, S607
# An experiment, kept as it ran.
"""Time nvcc: targets, --threads, --split-compile, compression, and three ways to build a program of many files.

Usage: build_times.py [REPETITIONS] [SECTION...]     sections: targets threads compress files
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 3
sections = sys.argv[2:] or ["targets", "threads", "compress", "files"]
here = Path(__file__).resolve().parent
work = Path(tempfile.mkdtemp())
started = time.perf_counter()
version = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout.splitlines()[-2]
print(version)
print(os.cpu_count(), "CPUs;", repetitions, "repetitions; seconds: median (min to max)")
SAMPLES = [75, 80, 86, 87, 89, 90, 100, 110, 120]


def gencode(targets, kind="sm"):
    return [f"-gencode=arch=compute_{t},code={kind}_{t}" for t in targets]


def sh(command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=work)
    return "" if not done.returncode else (done.stdout + done.stderr).strip().splitlines()[0]


def timed(action):
    """Run an action; return wall time, user and system time of its processes, and its first error."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    error = action()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, error


def spread(values):
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


def row(label, action, output, note=""):
    walls, users, error = [], [], ""
    for _ in range(repetitions):
        wall, user, error = timed(action)
        if error:
            break
        walls.append(wall)
        users.append(user)
    if error:
        print(f"{label:48} {error}", flush=True)
    else:
        print(f"{label:48} wall {spread(walls)}  CPU {spread(users)}  {(work / output).stat().st_size} bytes {note}", flush=True)


def compile_one(*options, kernels=16, output="x.o"):
    return lambda: sh(["nvcc", "-std=c++17", "-c", f"-DKERNELS={kernels}", *options, "-o", output, str(here / "first_launch.cu")])


def head(text):
    print(f"\n## {text} [{time.perf_counter() - started:.0f} s]", flush=True)


if "targets" in sections:
    head("Targets: one file, 16 kernels, --threads=0")
    for label, options in {
        "sm_90": gencode([90]),
        "compute_90 (PTX only)": gencode([90], "compute"),
        "sm_90 and compute_90: -arch=sm_90": ["-arch=sm_90"],
        "sm_90a: -arch=sm_90a": ["-arch=sm_90a"],
        "3 targets: 80 90 100": gencode([80, 90, 100]),
        "9 targets, as the samples of 13.0": gencode(SAMPLES),
        "9 targets and PTX of each, as CMake spells them": [f"-gencode=arch=compute_{t},code=[compute_{t},sm_{t}]" for t in SAMPLES],
        "-arch=all-major": ["-arch=all-major"],
        "-arch=all": ["-arch=all"],
    }.items():
        row(label, compile_one(*options, "--threads=0"), "x.o")

if "threads" in sections:
    head("--threads: one file, 16 kernels, 9 targets")
    for threads in (1, 4, 0):
        row(f"--threads {threads}", compile_one(*gencode(SAMPLES), f"--threads={threads}"), "x.o")
    head("--split-compile: one file, 64 kernels, sm_90")
    for split in (1, 4):
        row(f"--split-compile {split}", compile_one("-O3", *gencode([90]), f"--split-compile={split}", kernels=64), "x.o")
    for level in ("max",):
        row(f"--Ofast-compile={level}", compile_one("-O3", *gencode([90]), f"--Ofast-compile={level}", kernels=64), "x.o")

if "compress" in sections:
    head("--compress-mode: one file, 16 kernels, 9 targets")
    for mode in ("none", "speed", "default", "balance", "size"):
        row(f"--compress-mode={mode}", compile_one(*gencode(SAMPLES), f"--compress-mode={mode}", "--threads=0"), "x.o")
    row("--compress-mode=size --concat", compile_one(*gencode(SAMPLES), "--compress-mode=size", "--concat", "--threads=0"), "x.o")
    row("-Xfatbin=-compress-all", compile_one(*gencode(SAMPLES), "-Xfatbin=-compress-all", "--threads=0"), "x.o")
    row("-no-compress", compile_one(*gencode(SAMPLES), "-no-compress", "--threads=0"), "x.o")
    for mode in ("none", "speed", "default", "balance", "size"):
        row(f"-arch=sm_90 (PTX too), --compress-mode={mode}", compile_one("-arch=sm_90", f"--compress-mode={mode}"), "x.o")

if "files" in sections:
    FILES = int(os.environ.get("FILES", "14"))
    body = """__device__ LINKAGE float step_@(float x, float y) {
  for (int i = 0; i < 8; i++) x = x * y + rsqrtf(x * x + y * y + @.5f);
  return x;
}
"""
    functions = "".join(body.replace("@", str(n)) for n in range(8))
    (work / "inline.h").write_text("#define LINKAGE static __forceinline__\n" + functions)
    (work / "declare.h").write_text("".join(f"__device__ float step_{n}(float x, float y);\n" for n in range(8)))
    (work / "library.cu").write_text("#define LINKAGE\n" + functions)
    for f in range(FILES):
        kernels = "".join(
            f"__global__ void k{f}_{k}(float *x) {{ int i = threadIdx.x; float v = x[i]; for (int r = 0; r < 64; r++) v = "
            + "".join(f"step_{(k + s) % 8}(" for s in range(4)) + "v" + "".join(f", x[i + {s}])" for s in range(4)) + "; x[i] = v; }\n"
            for k in range(8)
        )
        launches = "".join(f"  k{f}_{k}<<<1, 32>>>(x);\n" for k in range(8))
        (work / f"f{f}.cu").write_text(f"#include HEADER\n{kernels}void run{f}(float *x) {{\n{launches}}}\n")
    calls = "".join(f"void run{f}(float *);\n" for f in range(FILES)) + "int main() {\n  float *x; cudaMalloc(&x, 1 << 20);\n"
    (work / "main.cu").write_text(calls + "".join(f"  run{f}(x);\n" for f in range(FILES)) + "  return cudaDeviceSynchronize();\n}\n")

    def build(files, compiling, linking, header):
        """Compile the given files in parallel, link all; return the times of the two steps and the first error."""
        define = [f'-DHEADER="{header}"']
        pool = ThreadPoolExecutor(os.cpu_count())
        wall, user, error = timed(
            lambda: next(filter(None, pool.map(lambda f: sh(["nvcc", "-std=c++17", "-O3", *define, *compiling, "-c", f"{f}.cu", "-o", f"{f}.o"]), files)), "")
        )
        if error:
            return 0, 0, 0, error
        every = [f"f{n}.o" for n in range(FILES)] + ["main.o"] + (["library.o"] if header == "declare.h" else [])
        link, _, error = timed(lambda: sh(["nvcc", *linking, "-o", "program", *every]))
        return wall, link, user, error

    base = [f"f{n}" for n in range(FILES)] + ["main"]
    for targets in ([90], [80, 90, 100]):
        head(f"{FILES} files with 8 kernels each, main, and device functions in a file of their own; targets {targets}")
        ways = {
            "whole program, functions in a header": (base, gencode(targets), gencode(targets), "inline.h"),
            "-rdc=true": ([*base, "library"], ["-rdc=true", *gencode(targets)], gencode(targets), "declare.h"),
            "-rdc=true, code=lto_, link -dlto": ([*base, "library"], ["-rdc=true", *gencode(targets, "lto")], ["-dlto", *gencode(targets)], "declare.h"),
        }
        for label, (files, compiling, linking, header) in ways.items():
            full = [build(files, compiling, linking, header) for _ in range(repetitions)]
            if full[0][3]:
                print(f"{label:44} {full[0][3]}", flush=True)
                continue
            again = [build(["f0"], compiling, linking, header) for _ in range(repetitions)] if len(targets) == 1 else []
            print(
                f"{label:44} compile {spread([r[0] for r in full])}  link {spread([r[1] for r in full])}  {(work / 'program').stat().st_size} bytes"
                + (f"; one file compiled again, and the link: {spread([r[0] + r[1] for r in again])}" if again else ""),
                flush=True,
            )
print(f"{time.perf_counter() - started:.0f} s in all")
