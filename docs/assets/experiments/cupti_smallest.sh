#!/usr/bin/env bash
# What is the least that lets a program without a CUDA toolkit record GPU kernels, and what do hardware counters need?
# Needs root, a GPU, nvcc and CUPTI (headers and library) below /usr/local/cuda. Builds cupti_smoke.cu, which stands
# beside this script, then runs it in a mount namespace of its own where /usr/local/cuda-X.Y is an empty tmpfs:
# nothing outside of the namespace changes. Run: sudo ./cupti_smallest.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
cuda=$(readlink -f /usr/local/cuda)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$(readlink -f "$(find "$cuda/" -name 'libcupti.so.[0-9]*' | sort | head -1)")
target=$(dirname "$library")
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
headers=$(dirname "$(find -L "$cuda" -name cupti.h | head -1)")

echo "library: $library, $(stat -c %s "$library") bytes, SONAME $soname"
readelf -d "$library" | grep -E 'NEEDED|RPATH|RUNPATH' | sed 's/^ *0x[0-9a-f]* */  /'
"$cuda/bin/nvcc" -I"$headers" -o "$work/cupti_smoke" "$here/cupti_smoke.cu" || exit 1
cp "$library" "$work/$soname"
cp "$target"/libnvperf_host.so "$target"/libnvperf_target.so "$work"
export LD_LIBRARY_PATH=/usr/local/nvidia/lib:/usr/local/nvidia/lib64 # where a driver may be mounted; nothing of CUDA

step() { printf '\n-- %s\n' "$1"; }
step "as installed, by its soname"
"$work/cupti_smoke" "$soname"
step "as installed, by the name without a version"
"$work/cupti_smoke" libcupti.so
export -f step
export work cuda target soname
# shellcheck disable=SC2016 # the variables are exported, and expand in the new namespace
unshare --mount bash -c '
    mount -t tmpfs none "$cuda" || exit 1
    step "toolkit hidden, as in an image without CUPTI"
    "$work/cupti_smoke" "$soname"
    mkdir -p "$target" && cp "$work/$soname" "$target/$soname"
    step "toolkit hidden, this one file put back where it was: $target/$soname"
    "$work/cupti_smoke" "$soname"
    cp "$work"/libnvperf_*.so "$target"
    step "and the two libnvperf files beside it"
    "$work/cupti_smoke" "$soname"
    find "$cuda" -type f
'
