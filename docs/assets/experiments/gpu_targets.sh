#!/usr/bin/env bash
# Which code does this GPU run, and how fast does it start? Compiles and runs the programs of this folder. gpu_targets.sh OUTDIR
# The folder images/ (not kept) had one kernel as PTX and machine code of nvcc 13.0, 13.2 and 13.5: `nvcc -ptx -arch=compute_80`,
# `nvcc -cubin -arch=sm_90` and so on.
set -u
out=$(realpath "$1"); here=$PWD; work=$(mktemp -d); cd "$work"
nvcc --version | tail -2 | head -1 > "$out/machine.txt"; nvidia-smi --query-gpu=name,driver_version,compute_cap,clocks.max.sm,power.limit --format=csv >> "$out/machine.txt"
(cd "$here" && timeout 75 python3 torch_arch_list_gpu.py > "$out/torch_arch_list_gpu.txt" 2>&1) &
first=$!
# builds in parallel
build() { nvcc -std=c++17 -O2 "${@:3}" -o "$2" "$here/$1" > "$2.log" 2>&1 || true; }
for t in 75 80 86 89 90 90a 100 100f 120; do build which_target.cu "sass_$t" -gencode "arch=compute_$t,code=sm_$t" & done; wait $(jobs -p | grep -v "^$first$") 2>/dev/null
for t in 75 80 89 90 90a 100 100f 120; do build which_target.cu "ptx_$t" -gencode "arch=compute_$t,code=compute_$t" & done; wait $(jobs -p | grep -v "^$first$") 2>/dev/null
build which_target.cu both -gencode arch=compute_80,code=sm_80 -gencode arch=compute_80,code=compute_80 &
build which_target.cu newer -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90 &
build which_target.cu default &
build many_kernels.cu many_sass -gencode arch=compute_90,code=sm_90 &
build many_kernels.cu many_ptx -gencode arch=compute_80,code=compute_80 &
build mma_rate.cu mma_sass -gencode arch=compute_90,code=sm_90 &
build mma_rate.cu mma_ptx -gencode arch=compute_80,code=compute_80 &
build attributes.cu attributes -gencode arch=compute_90,code=sm_90 &
build load_module.cpp load_module -lcuda &
wait $(jobs -p | grep -v "^$first$") 2>/dev/null
{
  cat "$out/machine.txt"; echo
  for t in 75 80 86 89 90 90a 100 100f 120; do printf '%-34s ' "code=sm_$t"; [ -x sass_$t ] && timeout 20 ./sass_$t || cat sass_$t.log; done
  for t in 75 80 89 90 90a 100 100f 120; do printf '%-34s ' "code=compute_$t"; [ -x ptx_$t ] && timeout 20 ./ptx_$t || cat ptx_$t.log; done
  printf '%-34s ' "code=sm_80, code=compute_80"; timeout 20 ./both
  printf '%-34s ' "code=compute_80, code=sm_90"; timeout 20 ./newer
  printf '%-34s ' "  with CUDA_FORCE_PTX_JIT=1"; CUDA_FORCE_PTX_JIT=1 timeout 20 ./newer
  printf '%-34s ' "code=sm_90, CUDA_FORCE_PTX_JIT=1"; CUDA_FORCE_PTX_JIT=1 timeout 20 ./sass_90
  printf '%-34s ' "code=compute_80, CUDA_DISABLE_PTX_JIT=1"; CUDA_DISABLE_PTX_JIT=1 timeout 20 ./ptx_80
  printf '%-34s ' "no target named"; timeout 20 ./default
  echo; (cd "$here" && timeout 20 "$work/load_module" images/*)
} > "$out/target_loads.txt" 2>&1
timeout 20 ./attributes > "$out/device_attributes.txt" 2>&1
wait $first
{ for i in 1 2 3; do for k in sass ptx; do printf 'mma.sync m16n8k16 bf16, code=%s: ' $([ $k = sass ] && echo sm_90 || echo compute_80); timeout 20 ./mma_$k; done; done; } > "$out/mma_rate.txt" 2>&1
(cd "$here" && timeout 45 python3 precisions.py > "$out/precisions.txt" 2>&1)
timeout 50 python3 - > "$out/jit_start.txt" 2>&1 <<'PY'
import os, statistics, subprocess, tempfile, time
print("Wall time of a process that holds 64 kernels and launches one; 5 runs each after one more; ms: median (min to max)")
def run(label, program, **env):
    times = []
    for i in range(6):
        start = time.perf_counter()
        done = subprocess.run([program], env={**os.environ, **env}, capture_output=True, text=True)
        times.append((time.perf_counter() - start) * 1e3)
        if done.returncode: print(label, done.stdout, done.stderr); return
    times = times[1:]
    print(f"{label:62} {statistics.median(times):7.0f} ({min(times):.0f} to {max(times):.0f})", flush=True)
cache = tempfile.mkdtemp()
for mode in ("LAZY", "EAGER"):
    run(f"code=sm_90, {mode}", "./many_sass", CUDA_MODULE_LOADING=mode)
    run(f"code=compute_80, cache off, {mode}", "./many_ptx", CUDA_MODULE_LOADING=mode, CUDA_CACHE_DISABLE="1")
run("code=compute_80, cache warm, LAZY", "./many_ptx", CUDA_MODULE_LOADING="LAZY", CUDA_CACHE_PATH=cache)
PY
rm -rf "$work"
