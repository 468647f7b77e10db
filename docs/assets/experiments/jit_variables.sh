#!/usr/bin/env bash
# What the JIT variables do, with the cache in use and without. bash run.sh OUTDIR
set -u
out=$(realpath "$1"); here=$PWD; work=$(mktemp -d); cd "$work"
{
  nvcc --version | tail -2 | head -1; nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
  nvcc -std=c++17 -o ptx "$here/which_target.cu" -gencode arch=compute_80,code=compute_80
  nvcc -std=c++17 -o both "$here/which_target.cu" -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=compute_80
  say() { printf '%-78s ' "$*"; env "$@" 2>&1; }
  C="CUDA_CACHE_PATH=$work/cache"
  for round in 1 2 3; do
    echo "round $round"
    say CUDA_CACHE_DISABLE=1 ./ptx
    say CUDA_CACHE_DISABLE=1 CUDA_DISABLE_PTX_JIT=1 ./ptx
    say CUDA_CACHE_DISABLE=1 CUDA_DISABLE_JIT=1 ./ptx
    rm -rf cache
    say $C CUDA_DISABLE_PTX_JIT=1 ./ptx
    say $C ./ptx
    say $C CUDA_DISABLE_PTX_JIT=1 ./ptx
    say CUDA_CACHE_DISABLE=1 CUDA_FORCE_PTX_JIT=1 ./both
    say CUDA_CACHE_DISABLE=1 CUDA_DISABLE_PTX_JIT=1 ./both
    say CUDA_CACHE_DISABLE=1 CUDA_FORCE_JIT=1 ./both
  done
} 2>&1 | sed "s#$work/##g" > "$out/jit_variables.txt"
