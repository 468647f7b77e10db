#!/bin/bash
# Count the loads and stores of each kernel in wide_loads.cu (global memory) and wmma_loads.cu (fragments). No GPU.
# Usage: bash wide_loads.sh [FOLDER-OF-NVCC ...]; cuobjdump must be on the PATH
here=$(dirname "$0"); work=$(mktemp -d)
for bin in "${@:-$(dirname "$(command -v nvcc)")}"; do
  "$bin/nvcc" --version | grep release
  for source in wide_loads wmma_loads; do
    "$bin/nvcc" -O3 -std=c++17 -arch=sm_90 -cubin -o "$work/$source.cubin" "$here/$source.cu" || exit 1
  done
  cuobjdump -sass "$work/wide_loads.cubin" | awk '/Function :/ {f = $3; sub(/^_Z[0-9]+/, "", f); sub(/PK.*/, "", f)}
    match($0, /(LDG|STG)\.E[.A-Z0-9]*/) {n[sprintf("  %-24s %s", f, substr($0, RSTART, RLENGTH))]++} END {for (k in n) print k, "x" n[k]}' | sort
  cuobjdump -sass "$work/wmma_loads.cubin" | awk '/Function :/ {f = $3; sub(/^_Z[0-9]+/, "", f); sub(/PK.*/, "", f)}
    match($0, / (LD\.E|LDS|LDSM|HMMA)[.A-Z0-9]*/) && !/@!PT/ {n[sprintf("  %-24s%s", f, substr($0, RSTART, RLENGTH))]++} END {for (k in n) print k, "x" n[k]}' | sort
done
rm -r "$work"
