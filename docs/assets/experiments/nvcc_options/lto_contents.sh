#!/usr/bin/env bash
# What is left of LTO objects in a linked program, three options that behave otherwise than expected, and two spellings in CMake. No GPU is used.
# Usage: lto_contents.sh [OTHER_NVCC [CMAKE...]]     OTHER_NVCC: an older nvcc; CMAKE: the programs to try the spellings with
set -u
here=$(realpath "$(dirname "$0")"); other=${1:-nvcc}; shift || true
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cp "$here"/{nbody.cu,interact.cu,interact.h,interact.inc,spills.cu} "$work" && cd "$work" || exit 1
for nvcc in nvcc "$other"; do "$nvcc" --version | tail -2 | head -1; done
try() {
  echo; echo "\$ $*" | sed "s#[^ ]*/\(nvcc\|cmake\) #\1 #"
  "$@" 2>&1 | sed "s#$work/*##g; s#/tmp/tmpxft[^ ]*-[0-9]*_##g; /^$/d; 4q"
  echo "(exit status ${PIPESTATUS[0]})"
}
contents() { # program
  local elf ptx nvvm
  elf=$(cuobjdump --list-elf "$1" 2>/dev/null | grep -c cubin) ptx=$(cuobjdump --list-ptx "$1" 2>/dev/null | grep -c '\.ptx')
  echo -n "    listed: $elf cubins, $ptx PTX; "
  elf=$(cuobjdump --list-elf -all "$1" 2>/dev/null | grep -c cubin) ptx=$(cuobjdump --list-ptx -all "$1" 2>/dev/null | grep -c '\.ptx')
  nvvm=$(cuobjdump -all "$1" 2>/dev/null | grep -c 'Fatbin nvvm code')
  echo "with -all: $elf cubins, $ptx PTX, $nvvm LTO IR"
}
echo; echo "## Objects of LTO, linked with -dlto"
for nvcc in nvcc "$other"; do
  "$nvcc" --version | tail -2 | head -1
  for objects in "-gencode arch=compute_80,code=lto_80" "-gencode arch=compute_80,code=[lto_80,compute_80]" "-gencode arch=compute_80,code=[lto_80,sm_80]" "-dlto -arch=sm_80"; do
    for link in "-arch=sm_80" "-gencode arch=compute_90,code=[sm_90,compute_90]" "-reloc-ptx -arch=sm_80"; do
      echo "objects: $objects; link: -dlto $link"
      # shellcheck disable=SC2086
      "$nvcc" $objects -rdc=true -c nbody.cu && "$nvcc" $objects -rdc=true -c interact.cu && "$nvcc" -dlto $link -o program nbody.o interact.o && contents program
    done
  done
done
echo; echo "## A device variable of another file"
printf 'extern __device__ float v;\n__global__ void read(float *x) { *x = v; }\nint main() {}\n' >read.cu
printf '__device__ float v = 1;\n' >v.cu
try nvcc -arch=sm_90 -o program read.cu v.cu
try nvcc -arch=sm_90 -rdc=true -o program read.cu v.cu
echo; echo "## Code for one target only"
printf '__global__ void fence() { asm volatile("wgmma.fence.sync.aligned;"); }\n' >wgmma.cu
try nvcc -gencode arch=compute_90a,code=sm_90a -c wgmma.cu
try nvcc -arch=sm_90a -c wgmma.cu
try nvcc -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_90,code=sm_90 -c wgmma.cu
echo; echo "## Options"
try nvcc -arch=sm_90 --concat -c interact.cu
echo; echo "With the older nvcc:"; try "$other" -arch=sm_90 --concat -c interact.cu
try nvcc -arch=sm_90 -rdc=true -maxrregcount=64 -DSMEM -c spills.cu
echo; echo "## CMake"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES CUDA)\nadd_executable(app read.cu)\n' >CMakeLists.txt
for cmake in "$@"; do
  "$cmake" --version | head -1
  for list in 90a-real 100f-real native; do
    rm -rf build
    if "$cmake" -S . -B build "-DCMAKE_CUDA_ARCHITECTURES=$list" >log 2>&1 && "$cmake" --build build >>log 2>&1; then echo "$list: built"; else echo "$list: failed"; grep -A3 -m1 'CMake Error' log | sed "s#/[^ ]*/Modules/##; /^ *$/d"; fi
  done
done
