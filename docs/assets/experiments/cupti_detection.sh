#!/usr/bin/env bash
# What does a configure step say of CUPTI when parts of it are missing, and is it right?
#
# Ten small CUDA toolkits are made, each with another part of CUPTI. One CMake project asks for CUPTI in the two ways
# that PyTorch builds use: the explicit search of PyTorch's Dependencies.cmake (find_library and find_path,
# NO_DEFAULT_PATH), and the target CUDA::cupti of FindCUDAToolkit, which Kineto uses. Then a program that calls
# cuptiGetVersion() is linked and run. No GPU is needed.
#
# Usage: cupti_detection.sh CUDA_DIR [CMAKE...]
#   CUDA_DIR  a toolkit with bin/nvcc, cupti.h, libcupti.so.N and libcudart (13.0 here)
#   OTHER_CUPTI=DIR  in the environment: a folder with libcupti.so.M of another release, for the last toolkit
set -u
cuda=$(realpath "${1:?CUDA_DIR}") && shift
cmakes=("${@:-cmake}")
header=$(find -L "$cuda" -name cupti.h -print -quit)
real=$(find -L "$cuda" -name 'libcupti.so.[0-9]*' ! -name '*.*.*.*.*' -print -quit)
headers=$(dirname "$header") soname=$(basename "$real")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

toolkit() { # a toolkit without CUPTI, in $work/$1
  local t=$work/$1
  mkdir -p "$t/bin" "$t/include" "$t/lib64" "$t/extras/CUPTI/include" "$t/extras/CUPTI/lib64"
  cp "$cuda"/bin/nvcc "$cuda"/bin/nvcc.profile "$t/bin/" # a copy: nvcc tells its own folder
  find -L "$cuda/include" -maxdepth 1 -mindepth 1 ! -iname '*cupti*' ! -iname 'nvperf*' -exec ln -s {} "$t/include/" \;
  find -L "$cuda/lib64" -maxdepth 1 -name 'libcuda*rt*' -exec ln -s {} "$t/lib64/" \;
}
put_headers() { find -L "$headers" -maxdepth 1 \( -name '*cupti*.h' -o -name 'nvperf*.h' \) -exec ln -s {} "$1/" \;; }
put_library() { cp "$real" "$1/$soname" && ln -s "$soname" "$1/libcupti.so"; }

for t in nothing header library lib64 extras wheel dangling empty static-only other-release; do toolkit $t; done
put_headers "$work/header/include"
put_library "$work/library/lib64"
put_headers "$work/lib64/include" && put_library "$work/lib64/lib64"
put_headers "$work/extras/extras/CUPTI/include" && put_library "$work/extras/extras/CUPTI/lib64"
put_headers "$work/wheel/include" && cp "$real" "$work/wheel/lib64/" # as in the wheel: no libcupti.so
put_headers "$work/dangling/include" && ln -s "$soname" "$work/dangling/lib64/libcupti.so"
put_headers "$work/empty/include" && : >"$work/empty/lib64/libcupti.so"
put_headers "$work/static-only/include" && echo | gcc -x c -c -o "$work/o.o" - && ar rc "$work/static-only/lib64/libcupti_static.a" "$work/o.o"
put_headers "$work/other-release/include"
mkdir -p "$work/elsewhere/lib" # on CMAKE_PREFIX_PATH for the last toolkit only
if other=$(find "${OTHER_CUPTI:-/nonexistent}" -name 'libcupti.so.[0-9]*' -print -quit 2>/dev/null) && [ -n "$other" ]; then
  cp "$other" "$work/elsewhere/lib/" && ln -s "$(basename "$other")" "$work/elsewhere/lib/libcupti.so"
fi

mkdir "$work/project" && cd "$work/project" || exit 1
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(cupti_detection CXX)
set(CUDA_SOURCE_DIR "${CUDAToolkit_ROOT}")
find_library(CUPTI_LIBRARY_PATH libcupti.so
  PATHS ${CUDA_SOURCE_DIR} ${CUDA_SOURCE_DIR}/extras/CUPTI/lib64 ${CUDA_SOURCE_DIR}/lib ${CUDA_SOURCE_DIR}/lib64
  NO_DEFAULT_PATH)
find_path(CUPTI_INCLUDE_DIR cupti.h
  PATHS ${CUDA_SOURCE_DIR}/extras/CUPTI/include ${CUDA_SOURCE_DIR} ${CUDA_SOURCE_DIR}/include
  NO_DEFAULT_PATH)
find_package(CUDAToolkit QUIET)
set(explicit no)
if(CUPTI_LIBRARY_PATH AND CUPTI_INCLUDE_DIR)
  set(explicit FOUND)
endif()
set(target no)
if(TARGET CUDA::cupti)
  set(target FOUND)
endif()
file(WRITE ${CMAKE_BINARY_DIR}/verdict "${explicit} ${target} ${CUDAToolkit_VERSION}\n")
add_executable(probe probe.cpp)
if(TARGET CUDA::cupti)
  target_link_libraries(probe PRIVATE CUDA::cupti)
else()
  target_include_directories(probe PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(probe PRIVATE cupti)
endif()
CMAKE
cat >probe.cpp <<'CPP'
#include <cupti.h>
#include <cstdio>
int main() {
  uint32_t loaded = 0;
  cuptiGetVersion(&loaded);
  std::printf("header %d, loaded %u\n", CUPTI_API_VERSION, loaded);
  return loaded == CUPTI_API_VERSION ? 0 : 3;
}
CPP

for cmake in "${cmakes[@]}"; do
  echo "$("$cmake" --version | head -1); toolkit $("$cuda/bin/nvcc" --version | grep -o 'V[0-9.]\+' | tail -1); $soname"
  printf '%-14s %-10s %-13s %-8s %s\n' 'CUPTI has' 'explicit' 'CUDA::cupti' 'links' 'runs'
  for t in nothing header library lib64 extras wheel dangling empty static-only other-release; do
    b=$work/build-$t-$(basename "$(dirname "$cmake")")-$RANDOM
    prefix=() && [ $t = other-release ] && prefix=(-DCMAKE_PREFIX_PATH="$work/elsewhere")
    env -u CUDA_PATH -u LD_LIBRARY_PATH -u LIBRARY_PATH -u CPATH \
      "$cmake" -S . -B "$b" -DCUDAToolkit_ROOT="$work/$t" "${prefix[@]}" >"$work/log" 2>&1 || tail -5 "$work/log"
    read -r explicit target _ <"$b/verdict"
    links=no runs=-
    if env -u LIBRARY_PATH "$cmake" --build "$b" >"$work/log" 2>&1; then
      links=yes
      runs=$(env -u LD_LIBRARY_PATH "$b/probe" 2>&1) && runs="yes: $runs" || runs="NO: $runs"
    else
      runs=$(grep -m1 -o -E 'fatal error: .*|cannot find -l.*|file format not recognized.*|undefined reference.*|No rule to make target.*' "$work/log" | sed "s#$work/##g")
    fi
    printf '%-14s %-10s %-13s %-8s %s\n' "$t" "$explicit" "$target" "$links" "${runs//$work\//}"
  done
  echo
done
exit 0
