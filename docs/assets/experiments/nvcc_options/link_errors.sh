#!/usr/bin/env bash
# Provoke the messages of nvcc, ptxas, nvlink and the host linker that builds of several files end in. No GPU is used.
# Usage: link_errors.sh [OTHER_NVCC [WHEEL_NVCC]]     OTHER_NVCC: an older nvcc, for objects of two releases; WHEEL_NVCC: of wheels, untouched
set -u
here=$(realpath "$(dirname "$0")"); other=${1:-}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cp "$here"/{nbody.cu,interact.cu,interact.h,interact.inc,first_launch.cu} "$work" && cd "$work" || exit 1
nvcc --version | tail -2 | head -1; g++ --version | head -1
try() {
  echo; echo "\$ $*" | sed "s#[^ ]*/site-packages/nvidia/#.../#g"
  "$@" 2>&1 | sed -n "s#$work/##g; s#[^ ]*/site-packages/nvidia/#.../#g; 1,4p"
  echo "(exit status ${PIPESTATUS[0]})"
}
sm90="-gencode arch=compute_90,code=sm_90"
echo; echo "## Targets"
try nvcc -arch=sm_70 -c first_launch.cu
try nvcc -gencode arch=compute_70,code=sm_70 -c first_launch.cu
try nvcc -arch=sm_90b -c first_launch.cu
try nvcc -gencode arch=compute_90,code=sm_90a -c first_launch.cu
echo; echo "## A device function in another file"
try nvcc $sm90 -o program nbody.cu interact.cu
nvcc $sm90 -rdc=true -c nbody.cu; nvcc $sm90 -rdc=true -c interact.cu
try nvcc $sm90 -o program nbody.o
try nvcc -o program nbody.o interact.o
try cuobjdump --list-elf program
try cuobjdump --list-elf -all program
try nvcc -arch=sm_80 -o program nbody.o interact.o
root=$(dirname "$(dirname "$(command -v nvcc)")"); lib=$root/lib64; [ -d "$lib" ] || lib=$root/lib
try g++ -o program nbody.o interact.o -L"$lib" -lcudart_static -lpthread -ldl -lrt
nvcc $sm90 -dlink -o device.o nbody.o interact.o
try g++ -o program nbody.o interact.o device.o -L"$lib" -lcudart_static -lcudadevrt -lpthread -ldl -lrt
ar rcs libinteract.a interact.o
try nvcc $sm90 -o program nbody.o -L. -linteract
try nvcc $sm90 -shared -Xcompiler -fPIC -o libinteract.so interact.cu
rm libinteract.a
nvcc -arch=sm_80 -rdc=true -o with_ptx nbody.cu interact.cu
try cuobjdump --list-ptx with_ptx
try cuobjdump --list-ptx -all with_ptx
try nvcc $sm90 -o program nbody.o -L. -linteract
printf '#include "interact.inc"\n' >both.h
printf '#define LINKAGE\n#include "both.h"\n__global__ void a(float3 *x, float4 *y) { x[0] = interact(x[0], y[0], y[1]); }\n' >a.cu
printf '#define LINKAGE\n#include "both.h"\n__global__ void b(float3 *x, float4 *y) { x[0] = interact(x[0], y[0], y[1]); }\nint main() {}\n' >b.cu
try nvcc $sm90 -rdc=true -o program a.cu b.cu
try nvcc $sm90 -o program a.cu b.cu
echo; echo "## A kernel that launches a kernel"
printf '__global__ void child() {}\n__global__ void parent() { child<<<1, 1>>>(); }\nint main() { parent<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >parent.cu
try nvcc $sm90 -o program parent.cu
try nvcc $sm90 -rdc=true -o program parent.cu
try nvcc $sm90 -rdc=true -cudadevrt none -o program parent.cu
echo; echo "## Link-time optimization"
try nvcc -dlto $sm90 -rdc=true -c nbody.cu
try nvcc -gencode arch=compute_90,code=lto_90 -c nbody.cu
nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -c nbody.cu; nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -c interact.cu
try nvcc -gencode arch=compute_90,code=lto_90 -dlto -o program nbody.o interact.o
try nvcc $sm90 -o program nbody.o interact.o
try nvcc -dlto $sm90 -o program nbody.o interact.o
try nvcc -dlto -gencode arch=compute_100,code=sm_100 -o program nbody.o interact.o
nvcc $sm90 -rdc=true -c interact.cu
try nvcc -dlto $sm90 -o program nbody.o interact.o
if [ -n "$other" ]; then
  "$other" --version | tail -2 | head -1
  nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -c interact.cu
  try "$other" -dlto $sm90 -o program nbody.o interact.o
  nvcc $sm90 -rdc=true -c nbody.cu; nvcc $sm90 -rdc=true -c interact.cu
  try "$other" $sm90 -o program nbody.o interact.o
  echo; echo "The other way round: objects of the older release, linked by the newer"
  "$other" -gencode arch=compute_90,code=lto_90 -rdc=true -c nbody.cu; "$other" -gencode arch=compute_90,code=lto_90 -rdc=true -c interact.cu
  try nvcc -dlto $sm90 -o program nbody.o interact.o
fi
echo; echo "## Resources and options"
printf '__global__ void big(float *x) { __shared__ float s[16384]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[255 - threadIdx.x]; }\n' >big.cu
try nvcc $sm90 -c big.cu
printf '__global__ void small(float *x) { x[0] = 1; }\n' >small.cu
try nvcc $sm90 -G -lineinfo -c small.cu
try nvcc $sm90 -O2 -O3 -c small.cu
try nvcc $sm90 --ptxas-options=-v --use_fast_math --ftz=false -c small.cu
try nvcc $sm90 -Wall -c small.cu
try nvcc $sm90 -o "a=b" first_launch.cu
if [ -n "${2:-}" ]; then
  echo; echo "## The toolkit as its wheels install it: libnvvm.so.4 is in lib, nvlink opens nvvm/lib64/libnvvm.so"
  "$2" -gencode arch=compute_90,code=lto_90 -rdc=true -c nbody.cu; "$2" -gencode arch=compute_90,code=lto_90 -rdc=true -c interact.cu
  try "$2" -dlto $sm90 -o program nbody.o interact.o
  root=$(dirname "$(dirname "$2")"); cp -rs "$root" copy; mkdir copy/nvvm/lib64; ln -s "$root"/lib/libnvvm.so.4 copy/nvvm/lib64/libnvvm.so
  rm copy/bin/nvcc; cp "$root"/bin/nvcc copy/bin/nvcc; rm copy/bin/nvlink; cp "$root"/bin/nvlink copy/bin/nvlink
  try copy/bin/nvcc -dlto $sm90 -o program nbody.o interact.o
fi
