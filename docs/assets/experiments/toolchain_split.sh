#!/usr/bin/env bash
# Which variable names the compiler, which one the toolkit, and when do the two come from different CUDA releases?
#
# Two whole toolkits, A and B. A is first on PATH. A project with LANGUAGES CXX CUDA is configured with one variable
# after the other pointing to B, and prints the variables that decide: CMAKE_CUDA_COMPILER, and what FindCUDAToolkit
# found. Then a CUDA file is compiled that prints the release of the compiler and of the header that it got.
# The second project is one that uses find_package(Torch): PyTorch's cuda.cmake runs its own search first.
#
# Usage: toolchain_split.sh CUDA_A CUDA_B TORCH_DIR [CMAKE...]     CUDA_A, CUDA_B: toolkits with bin/nvcc
set -u
a=$(realpath "${1:?CUDA_A}") b=$(realpath "${2:?CUDA_B}") torch=$(realpath "${3:?TORCH_DIR}") && shift 3
cmakes=("${@:-cmake}")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
mkdir "$work/plain" "$work/torch"
cat >"$work/plain/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.27)
project(split LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
message(STATUS "@ CMAKE_CUDA_COMPILER ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}")
message(STATUS "@ CUDAToolkit_BIN_DIR ${CUDAToolkit_BIN_DIR} ${CUDAToolkit_VERSION}")
message(STATUS "@ CUDA_cupti_LIBRARY ${CUDA_cupti_LIBRARY}")
add_library(probe OBJECT probe.cu)
target_link_libraries(probe PRIVATE CUDA::cupti)
CMAKE
cat >"$work/torch/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.27)
project(split LANGUAGES CXX)
find_package(Torch REQUIRED)
message(STATUS "@ CMAKE_CUDA_COMPILER ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}")
message(STATUS "@ CUDAToolkit_BIN_DIR ${CUDAToolkit_BIN_DIR} ${CUDAToolkit_VERSION}")
message(STATUS "@ CUDA_cudart_LIBRARY ${CUDA_cudart_LIBRARY}")
message(STATUS "@ FindCUDA: CUDA_TOOLKIT_ROOT_DIR ${CUDA_TOOLKIT_ROOT_DIR} ${CUDA_VERSION}")
add_library(probe OBJECT probe.cu)
target_link_libraries(probe PRIVATE torch::cudart)
add_library(probe_old OBJECT probe.cu)
target_include_directories(probe_old PRIVATE ${CUDA_INCLUDE_DIRS})
CMAKE
cat >"$work/plain/probe.cu" <<'CUDA'
#include <cuda_runtime_api.h>
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#pragma message("compiler " TEXT(__CUDACC_VER_MAJOR__) "." TEXT(__CUDACC_VER_MINOR__) ", cuda_runtime_api.h " TEXT(CUDART_VERSION))
CUDA
cp "$work/plain/probe.cu" "$work/torch/"

short() { sed "s#$work/build[^/]*/##g; s#$work#TMP#g; s#$a#A#g; s#$b#B#g; s#$torch#TORCH_DIR#g"; }
try() { # try PROJECT LABEL [NAME=VALUE | -D...]...: configure, say what was found, compile
  local project=$1 label=$2 build variables=() options=() argument
  shift 2
  for argument; do case $argument in -D*) options+=("$argument") ;; *) variables+=("$argument") ;; esac done
  build=$(mktemp -d "$work/build.XXXX")
  echo "-- $label"
  env -u CUDA_PATH -u CUDA_HOME -u CUDACXX -u CUDAToolkit_ROOT PATH="$a/bin:$PATH" TORCH_CUDA_ARCH_LIST=9.0 \
    "${variables[@]}" "$cmake" -S "$work/$project" -B "$build" -DCMAKE_PREFIX_PATH="$torch" \
    -DCMAKE_CUDA_ARCHITECTURES=90 "${options[@]}" >"$work/log" 2>&1
  local status=$?
  grep -A3 -E '^-- @|^CMake Error|conflicting|^  V[0-9]' "$work/log" | grep -E '^-- @|^CMake Error|onflicting|^  V[0-9]|FindCUDA says|headers say' | short | cut -c1-150 | sed 's/^/   /'
  echo "   configure: exit $status"
  [ $status = 0 ] || return 0
  for argument in probe probe_old; do
    [ $project = torch ] || [ $argument = probe ] || continue
    "$cmake" --build "$build" --target $argument >"$work/log" 2>&1
    grep -o -m1 -E "compiler [0-9]+\.[0-9]+, cuda_runtime_api.h [0-9]+|fatal error.*" "$work/log" |
      sed "s/^/   $(case $argument in probe_old) echo "\${CUDA_INCLUDE_DIRS}:";; *) echo "compiled with:";; esac) /"
  done
}

nvcc_release() { "$1/bin/nvcc" --version | grep -o 'V[0-9.]*' | tail -1; }
echo "A: nvcc $(nvcc_release "$a"), B: nvcc $(nvcc_release "$b"), $(gcc --version | head -1), $(sed -n "s/^__version__ = '\(.*\)'/torch \1/p" "$torch/version.py")"
for cmake in "${cmakes[@]}"; do
  echo
  echo "== $("$cmake" --version | head -1): project(... LANGUAGES CXX CUDA), A on PATH"
  try plain "nothing set"
  try plain "CUDACXX=B/bin/nvcc" CUDACXX="$b/bin/nvcc"
  try plain "CUDA_PATH=B" CUDA_PATH="$b"
  try plain "CUDA_HOME=B" CUDA_HOME="$b"
  try plain "CUDAToolkit_ROOT=B in the environment" CUDAToolkit_ROOT="$b"
  try plain "-DCUDAToolkit_ROOT=B" -DCUDAToolkit_ROOT="$b"
  try plain "-DCMAKE_CUDA_COMPILER=B/bin/nvcc" -DCMAKE_CUDA_COMPILER="$b/bin/nvcc"
  try plain "CUDACXX=A/bin/nvcc and -DCUDAToolkit_ROOT=B" CUDACXX="$a/bin/nvcc" -DCUDAToolkit_ROOT="$b"
  printf '#!/bin/sh\nexec %s/bin/nvcc "$@"\n' "$b" >"$work/nvcc-wrapper" && chmod +x "$work/nvcc-wrapper"
  try plain "CUDACXX=a script that runs B/bin/nvcc" CUDACXX="$work/nvcc-wrapper"
  echo
  echo "== $("$cmake" --version | head -1): find_package(Torch), A on PATH"
  try torch "nothing set"
  try torch "CUDACXX=B/bin/nvcc" CUDACXX="$b/bin/nvcc"
  try torch "CUDA_PATH=B" CUDA_PATH="$b"
  try torch "CUDA_HOME=B" CUDA_HOME="$b"
  try torch "CUDAToolkit_ROOT=B in the environment" CUDAToolkit_ROOT="$b"
  try torch "-DCMAKE_CUDA_COMPILER=B/bin/nvcc" -DCMAKE_CUDA_COMPILER="$b/bin/nvcc"
  try torch "-DCUDA_TOOLKIT_ROOT_DIR=B" -DCUDA_TOOLKIT_ROOT_DIR="$b"
  try torch "-DCUDA_NVCC_EXECUTABLE=B/bin/nvcc" -DCUDA_NVCC_EXECUTABLE="$b/bin/nvcc"
  try torch "CUDACXX=B/bin/nvcc, and its alias in PyTorch's own build, -DCUDA_NVCC_EXECUTABLE=B/bin/nvcc" \
    CUDACXX="$b/bin/nvcc" -DCUDA_NVCC_EXECUTABLE="$b/bin/nvcc"
  try torch "CUDA_PATH=B and CUDACXX=B/bin/nvcc" CUDA_PATH="$b" CUDACXX="$b/bin/nvcc"
done
exit 0
