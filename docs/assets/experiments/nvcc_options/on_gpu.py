#!/usr/bin/env python3
# ruff: noqa: B905, E501, PLW1510, S603, S607
# An experiment, kept as it ran.
"""Build the programs of this folder in many ways, run them on this GPU, and print sizes, registers and times.

Usage: on_gpu.py [NEWER [SECTION...]]     NEWER: a folder of programs built elsewhere by a newer nvcc, or - for none
Sections: nbody spills math errors launch compress
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

started = time.perf_counter()
here = Path(__file__).resolve().parent
work = Path(tempfile.mkdtemp())
sm90 = ["-gencode", "arch=compute_90,code=sm_90"]
ptx90 = ["-gencode", "arch=compute_90,code=compute_90"]
both = ["-gencode", "arch=compute_90,code=[sm_90,compute_90]"]


def sh(command, limit=60, **env):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env={**os.environ, **env}, cwd=here)
    except (subprocess.TimeoutExpired, OSError) as problem:
        return -1, repr(problem)[:200]
    return done.returncode, (done.stdout + done.stderr).strip()


def head(text):
    print(f"\n## {text} [{time.perf_counter() - started:.0f} s]", flush=True)


def path(name):
    """Return the file of a program; nvcc takes no commas, spaces or equals signs in the name of an output."""
    return work / re.sub(r"[^\w.]+", "_", name)


def nvcc(name, *arguments):
    """Build one program; keep what nvcc said."""
    begun = time.perf_counter()
    code, text = sh(["nvcc", "-std=c++17", "-o", str(path(name)), *arguments])
    logs[name] = (code, text, time.perf_counter() - begun)


newer = Path(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1] != "-" else None
sections = sys.argv[2:] or ["nbody", "spills", "math", "errors", "launch", "compress"]
logs = {}
print(sh(["nvcc", "--version"])[1].splitlines()[-2])
print(sh(["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"])[1])
print(os.cpu_count(), "CPUs")
two = ["nbody.cu", "interact.cu"]
lto = ["-gencode", "arch=compute_90,code=lto_90"]
nbody = {
    "one file": ["-O3", *sm90, "-DINLINE", "nbody.cu"],
    "one file, -rdc=true": ["-O3", *sm90, "-rdc=true", "-DINLINE", "nbody.cu"],
    "two files, -rdc=true": ["-O3", *sm90, "-rdc=true", *two],
    "two files, -rdc=true -dlto": ["-O3", "-arch=sm_90", "-rdc=true", "-dlto", *two],
    "one file, -O0": ["-O0", *sm90, "-DINLINE", "nbody.cu"],
    "one file, no -O": [*sm90, "-DINLINE", "nbody.cu"],
    "one file, -Xptxas -O1": [*sm90, "-Xptxas", "-O1", "-DINLINE", "nbody.cu"],
    "one file, -g": ["-O3", "-g", *sm90, "-DINLINE", "nbody.cu"],
    "one file, -lineinfo": ["-O3", "-lineinfo", *sm90, "-DINLINE", "nbody.cu"],
    "one file, -g -G": ["-O3", "-g", "-G", *sm90, "-DINLINE", "nbody.cu"],
    "one file, -G -dopt=on": ["-O3", "-G", "-dopt=on", *sm90, "-DINLINE", "nbody.cu"],
    "one file, -use_fast_math": ["-O3", "-use_fast_math", *sm90, "-DINLINE", "nbody.cu"],
    "one file, --Ofast-compile=max": ["-O3", "--Ofast-compile=max", *sm90, "-DINLINE", "nbody.cu"],
}
spills = {
    "no limit": [],
    "-maxrregcount=64": ["-maxrregcount=64"],
    "-maxrregcount=64, spills to shared memory": ["-maxrregcount=64", "-DSMEM"],
    "-maxrregcount=32": ["-maxrregcount=32"],
    "__launch_bounds__(256, 4)": ["-DBOUNDS=__launch_bounds__(256\\,4)"],
    "__launch_bounds__(1024)": ["-DBOUNDS=__launch_bounds__(1024)"],
}
maths = {
    "(none)": [],
    "-use_fast_math": ["-use_fast_math"],
    "-ftz=true": ["-ftz=true"],
    "-prec-div=false": ["-prec-div=false"],
    "-prec-sqrt=false": ["-prec-sqrt=false"],
    "-fmad=false": ["-fmad=false"],
}
targets80 = ["-gencode", "arch=compute_80,code=[sm_80,compute_80]"]
moved = {
    "one file": ["-DINLINE", "nbody.cu"],
    "two files, -rdc=true": ["-rdc=true", *two],
    "two files, -rdc=true -reloc-ptx": ["-rdc=true", "-reloc-ptx", *two],
}
jobs = {}
if "nbody" in sections:
    jobs |= {f"nbody {k}": v for k, v in nbody.items()}
    jobs["jit_link"] = ["jit_link.cpp", "-lnvJitLink"]
    jobs["a.ltoir"] = ["-arch=sm_90", "-dlto", "-ltoir", "-dc", "-DNO_MAIN", "nbody.cu"]
    jobs["b.ltoir"] = ["-arch=sm_90", "-dlto", "-ltoir", "-dc", "interact.cu"]
if "spills" in sections:
    jobs |= {f"spills {k}": [*sm90, "-Xptxas", "-v,-warn-spills,-warn-lmem-usage", *v, "spills.cu"] for k, v in spills.items()}
if "math" in sections:
    jobs |= {f"math {k}": [*sm90, *v, "fast_math.cu"] for k, v in maths.items()}
if "launch" in sections:
    for count in (16, 64, 192):
        define = f"-DKERNELS={count}"
        jobs |= {
            f"sass{count}": [define, *sm90, "first_launch.cu"],
            f"ptx{count}": [define, *ptx90, "first_launch.cu"],
            f"both{count}": [define, *both, "first_launch.cu"],
        }
if "compress" in sections:
    for mode in ("none", "speed", "default", "balance", "size"):
        jobs[f"compress {mode}"] = ["-DKERNELS=192", *sm90, f"--compress-mode={mode}", "first_launch.cu"]
if "errors" in sections:
    jobs["sm_80 only"] = ["-gencode", "arch=compute_80,code=sm_80", "first_launch.cu"]
    jobs["native"] = ["-arch=native", "first_launch.cu"]
    jobs |= {f"8.0 {k}": [*targets80, *v] for k, v in moved.items()}
    jobs["n.o"] = [*sm90, "-rdc=true", "-c", "nbody.cu"]
    jobs["i.o"] = [*sm90, "-rdc=true", "-c", "interact.cu"]
    jobs["nl.o"] = ["-gencode", "arch=compute_80,code=lto_80", "-rdc=true", "-c", "nbody.cu"]
    jobs["il.o"] = ["-gencode", "arch=compute_80,code=lto_80", "-rdc=true", "-c", "interact.cu"]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    list(pool.map(lambda item: nvcc(item[0], *item[1]), jobs.items()))
for name, (code, text, _) in logs.items():
    if code:
        print("DID NOT BUILD:", name, text)


def size(name):
    return path(name).stat().st_size


def usage(name, kernel):
    text = sh(["cuobjdump", "-res-usage", str(path(name))])[1]
    found = re.search(rf"Function \S*{kernel}\S*:\s*\n\s*(REG:\d+ STACK:\d+)", text)
    return found.group(1) if found else "-"


def run_nbody():
    head("Linking and debugging: nbody")
    for name in nbody:
        if not logs[f"nbody {name}"][0]:
            runs = [sh([str(path(f"nbody {name}"))])[1] for _ in range(1 if "-G" in name and "dopt" not in name else 3)]
            print(f"{name:30} {size(f'nbody {name}')} bytes  {usage(f'nbody {name}', 'accelerate'):16}", " | ".join(runs), flush=True)
    head("nvJitLink")
    if not logs["jit_link"][0]:
        libraries = os.environ.get("LD_LIBRARY_PATH", "") + ":/usr/local/cuda/lib64"
        for _ in range(3):
            print(sh([str(path("jit_link")), "sm_90", str(path("a.ltoir")), str(path("b.ltoir"))], LD_LIBRARY_PATH=libraries)[1].replace("\n", "; "))
        print("one file missing:", sh([str(path("jit_link")), "sm_90", str(path("a.ltoir"))], LD_LIBRARY_PATH=libraries)[1])


def run_spills():
    head("Registers: spills")
    for name in spills:
        said = [line for line in logs[f"spills {name}"][1].splitlines() if re.search(r"spill|Used|warning|lmem", line)]
        print(name)
        for line in said:
            print("   ", line.strip())
        print("   ", " | ".join(sh([str(path(f"spills {name}"))])[1] for _ in range(3)), flush=True)
    for name in ("no limit", "__launch_bounds__(1024)"):
        print(f"{name}, blocks of 1024 threads:", sh([str(path(f"spills {name}")), "1024"])[1])


def run_math():
    head("Fast math")
    for name in maths:
        print(name)
        print(sh([str(path(f"math {name}"))])[1], flush=True)


def listing(name):
    return sh(["cuobjdump", "--list-elf", "--list-ptx", str(path(name))])[1].replace("\n", "; ").replace(str(work), "")


def run_errors():
    head("Errors")
    print("code=sm_80 on this GPU:", sh([str(path("sm_80 only"))])[1])
    for program in sorted(newer.iterdir()) if newer else ():
        for env in ({}, {"CUDA_FORCE_PTX_JIT": "1"}):
            print(program.name, *env, sh([str(program)], CUDA_CACHE_DISABLE="1", **env)[1])
    print("-arch=native:", listing("native"))
    print("\ncode=[sm_80,compute_80] on this GPU")
    for name in moved:
        print(f"{name}: {sh([str(path(f'8.0 {name}'))])[1]}\n    {listing(f'8.0 {name}')}", flush=True)
    print("\nObjects of -rdc=true, code=sm_90, linked in three ways")
    for label, options in {"no target named": [], "-arch=sm_80": ["-arch=sm_80"], "-arch=sm_90": ["-arch=sm_90"]}.items():
        nvcc("linked", *options, str(path("n.o")), str(path("i.o")))
        print(f"{label}: exit status {logs['linked'][0]}; {logs['linked'][1]}\n    run: {sh([str(path('linked'))])[1]}".replace(str(work), ""), flush=True)
    print("\nObjects of code=lto_80, linked with -dlto for three targets")
    for target in (["-arch=sm_80"], sm90, ["-gencode", "arch=compute_90,code=[sm_90,compute_90]"]):
        nvcc("linked", "-dlto", *target, str(path("nl.o")), str(path("il.o")))
        print(f"{' '.join(target)}: exit status {logs['linked'][0]}; {logs['linked'][1]}\n    run: {sh([str(path('linked'))])[1]}; {listing('linked')}".replace(str(work), ""), flush=True)


def measure(label, program, repetitions, fresh=False, **env):
    rows, walls = [], []
    cache = Path(env.get("CUDA_CACHE_PATH", work / "none"))
    for i in range(repetitions + 1):
        if fresh:
            shutil.rmtree(cache, ignore_errors=True)
        begun = time.perf_counter()
        code, text = sh([str(path(program))], **env)
        wall = (time.perf_counter() - begun) * 1e3
        if code:
            print(label, text)
            return
        if i:
            rows.append([float(v) for v in text.split()])
            walls.append(wall)
    context, first, again, other = zip(*rows)
    m = statistics.median
    print(f"{label:62} {m(context):6.0f} {m(first):8.2f} ({min(first):.2f} to {max(first):.2f}) {m(again):6.3f} {m(other):8.3f}  wall {m(walls):5.0f}", flush=True)
    if cache.is_dir():
        print(f"    cache: {sum(f.stat().st_size for f in cache.rglob('*') if f.is_file())} bytes")


off, on = {"CUDA_CACHE_DISABLE": "1"}, {"CUDA_CACHE_PATH": str(work / "cache")}


def run_launch():
    head("First launch")
    print("ms: context, first launch, same kernel again, first launch of another; medians (min to max of the first launch); wall time of the process")
    for count in (64, 16, 192):
        measure(f"{count} kernels, sm_90", f"sass{count}", 5 if count == 64 else 3, **off)
        measure(f"{count} kernels, PTX, CUDA_CACHE_DISABLE=1", f"ptx{count}", 5 if count == 64 else 3, **off)
        shutil.rmtree(work / "cache", ignore_errors=True)
        measure(f"{count} kernels, PTX, cache warm", f"ptx{count}", 5 if count == 64 else 3, **on)
        if count == 64:
            measure("64 kernels, PTX, cache emptied before each run", "ptx64", 3, fresh=True, **on)
            measure("64 kernels, PTX, CUDA_CACHE_MAXSIZE=4096", "ptx64", 3, CUDA_CACHE_MAXSIZE="4096", CUDA_CACHE_PATH=str(work / "small"))
            measure("64 kernels, PTX, CUDA_CACHE_PATH=/proc/none (not writable)", "ptx64", 3, CUDA_CACHE_PATH="/proc/none")
            measure("64 kernels, PTX, cache off, CUDA_MODULE_LOADING=EAGER", "ptx64", 3, CUDA_MODULE_LOADING="EAGER", **off)
            measure("64 kernels, sm_90 and PTX", "both64", 3, **off)
            measure("64 kernels, sm_90 and PTX, CUDA_FORCE_PTX_JIT=1", "both64", 3, CUDA_FORCE_PTX_JIT="1", **off)


def run_compress():
    head("Compression: 192 kernels, sm_90; columns as under first launch")
    for mode in ("none", "speed", "default", "balance", "size"):
        measure(f"--compress-mode={mode}, {size(f'compress {mode}')} bytes", f"compress {mode}", 5)


for section in sections:
    globals()[f"run_{section}"]()
print(f"{time.perf_counter() - started:.0f} s in all")
shutil.rmtree(work)
