#!/usr/bin/env bash
# Does sccache take a CUDA file from its cache when CMake starts it as the compiler launcher?
#
# A project of one .cpp and two .cu files is built from an empty cache, built again in a fresh build folder, built with
# a changed comment in one .cu file, and with another architecture. After each build: the numbers that sccache prints.
#
# Usage: sccache_cuda.sh CUDA_DIR [CMAKE]      needs sccache on PATH; no GPU
set -u
cuda=$(realpath "${1:?CUDA_DIR}") cmake=${2:-cmake}
work=$(mktemp -d) && trap 'sccache --stop-server >/dev/null 2>&1; rm -rf "$work"' EXIT
export SCCACHE_DIR=$work/cache SCCACHE_SERVER_PORT=${SCCACHE_SERVER_PORT:-4327} SCCACHE_IDLE_TIMEOUT=300
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.27)
project(cached LANGUAGES CXX CUDA)
add_library(cached STATIC host.cpp one.cu two.cu)
CMAKE
echo '#include <vector>
int host() { return static_cast<int>(std::vector<int>(3).size()); }' >"$work/project/host.cpp"
for name in one two; do
  echo "__global__ void $name(float *x) { x[threadIdx.x] *= 2; }" >"$work/project/$name.cu"
done

build() { # build LABEL ARCHITECTURES
  local folder=$work/build
  rm -rf "$folder" && sccache --zero-stats >/dev/null 2>&1
  "$cmake" -S "$work/project" -B "$folder" -DCMAKE_CUDA_COMPILER="$cuda/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES="$2" \
    -DCMAKE_CUDA_COMPILER_LAUNCHER=sccache -DCMAKE_CXX_COMPILER_LAUNCHER=sccache >"$work/log" 2>&1 &&
    "$cmake" --build "$folder" >>"$work/log" 2>&1
  echo "-- $1: status $?"
  sccache --show-stats | grep -E '^(Compile requests|Cache (hits|misses)|Non-cacheable|Cache errors)' | sed 's/^/   /'
}
echo "$(sccache --version), nvcc $("$cuda/bin/nvcc" --version | grep -o 'V[0-9.]*' | tail -1), $("$cmake" --version | head -1)"
build "empty cache, sm_90" 90-real
build "the same in a fresh build folder" 90-real
echo "// a comment" >>"$work/project/one.cu"
build "a comment added to one.cu" 90-real
build "sm_90 and sm_100" "90-real;100-real"
build "the same again" "90-real;100-real"
exit 0
