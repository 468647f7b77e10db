#!/usr/bin/env bash
# From the instruction of a core dump to its line in a header: cuda-gdb and nvdisasm. bash inlined_lines.sh FOLDER
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1" && cd "$1" || exit 1
cp "$here"/inlined_lines.{cu,h} .
nvcc --version | tail -2 | head -1; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
title() { echo; echo "== $*"; }
open() { timeout 60 cuda-gdb -batch -ex 'set pagination off' -ex 'set width 150' "$@" 2>&1 | grep -v -E '^$|debuginfod|libthread_db|^\[New LWP|^\[Thread|^Opening'; }
dump() { rm -f core_*; (ulimit -c 0; CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 CUDA_COREDUMP_FILE="$PWD/core_%p" ./app 2>/dev/null); echo "   status $?, dumps: $(ls core_* 2>/dev/null | wc -l)"; }
title "five runs with dumps on: the kernel ends with the faulty store"
nvcc -std=c++17 -arch=sm_90 -O3 -lineinfo -o app inlined_lines.cu; ./app
for try in 1 2 3 4 5; do dump; done
title "the same with -Xptxas --make-errors-visible-at-exit"
nvcc -std=c++17 -arch=sm_90 -O3 -lineinfo -Xptxas --make-errors-visible-at-exit -o app inlined_lines.cu
for try in 1 2 3 4 5; do dump; done
title "the same, and the thread reads back what it stored (-DREAD_BACK)"
nvcc -std=c++17 -arch=sm_90 -O3 -lineinfo -DREAD_BACK -o app inlined_lines.cu
for try in 1 2 3 4 5; do dump; done
title "cuda-gdb on the last dump"
open -ex "target cudacore $(ls core_* | head -1)" -ex backtrace -ex 'info symbol $errorpc' -ex 'x/1i $errorpc' -ex 'info line *$errorpc'
title "nvdisasm -gi of the same program: the lines above each store"
cuobjdump -xelf all app >/dev/null
for cubin in *.cubin; do nvdisasm -c -gi "$cubin" | grep -E '//## File|STG' | grep -B6 STG | head -24; done
