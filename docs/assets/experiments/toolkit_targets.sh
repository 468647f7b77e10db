#!/usr/bin/env bash
# Which targets does each CUDA release take, and what does the first refused one get to hear?
#
# From CUDA 13.0, NVIDIA's wheel has nvcc, which lists its targets. The wheels of CUDA 12 hold ptxas alone; there, the
# list is that of `ptxas --help`.
#
# Usage: toolkit_targets.sh FOLDER...     each with bin/nvcc, or bin/ptxas only
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
echo '__global__ void nothing() {}' >"$work/kernel.cu"
printf '.version 7.0\n.target sm_52\n.address_size 64\n.visible .entry nothing() { ret; }\n' >"$work/kernel.ptx"
for folder in "$@"; do
  "$folder/bin/ptxas" --version | grep -o 'Cuda compilation tools.*'
  if [ -x "$folder/bin/nvcc" ]; then
    for option in --list-gpu-arch --list-gpu-code; do echo "  nvcc $option: $("$folder/bin/nvcc" $option | tr '\n' ' ')"; done
    for target in 52 61 70 72 75 101 ; do
      printf '  nvcc -arch=sm_%s: ' $target
      "$folder/bin/nvcc" -arch=sm_$target -cubin -o /dev/null "$work/kernel.cu" 2>&1 | head -1 | grep . || echo "no message"
    done
    printf '  no -arch: .target '
    "$folder/bin/nvcc" -ptx -o "$work/default.ptx" "$work/kernel.cu" && sed -n 's/^\.target //p' "$work/default.ptx"
  else
    echo "  ptxas --help, --gpu-name: $("$folder/bin/ptxas" --help | sed -n '/^--gpu-name/,/^--/p' | grep -o "'sm_[0-9a-z]*'" | tr -d "'" | sort -uV | tr '\n' ' ')"
    for target in 52 70 75; do
      printf '  ptxas -arch=sm_%s: ' $target
      "$folder/bin/ptxas" -arch=sm_$target -o /dev/null "$work/kernel.ptx" 2>&1 | head -1 | grep . || echo "no message"
    done
  fi
done
