#!/usr/bin/env bash
# Provoke the ordinary failures of a project that links LibTorch, and print what CMake or the compiler says.
#
# Usage: cmake_ordinary.sh PYTHON [CMAKE]     an interpreter with the CUDA wheel of torch; CMake 4 for the last case
set -u
python=${1:?PYTHON} cmake4=${2:-}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
prefix=$("$python" -c 'import torch; print(torch.utils.cmake_prefix_path)')
echo '#include <torch/torch.h>
int main() { return torch::ones({2, 2}).numel() - 4; }' >main.cpp
echo '__global__ void k() {} int main() { k<<<1, 1>>>(); }' >kernel.cu
lists() { # lists LANGUAGES TORCH MINIMUM: a project
  printf 'cmake_minimum_required(VERSION %s)\nproject(demo LANGUAGES %s)\n' "${3:-3.22}" "$1" >CMakeLists.txt
  if [ "$2" = torch ]; then printf 'find_package(Torch REQUIRED)\nadd_executable(demo main.cpp)\ntarget_link_libraries(demo PRIVATE ${TORCH_LIBRARIES})\n' >>CMakeLists.txt; fi
  rm -rf build
}
said() { # said TITLE COMMAND...: its first errors, folders replaced
  printf '== %s\n' "$1"; shift
  "$@" >log 2>&1; code=$?
  grep -E -A3 'CMake (Error|Warning)|#error|error:|undefined reference|NOTFOUND|NOT found|nvcc fatal' log | grep -v '^--$' | sed "s#$work#WORK#g;s#${prefix%/share/cmake}#TORCH#g" | cut -c1-220 | head -"${MOST:-9}"
  printf '   exit %s\n' "$code"
}
"$python" -c 'import torch; print("torch", torch.__version__)'
cmake --version | head -1; c++ --version | head -1; command -v nvcc || echo "no nvcc on PATH"
lists CXX torch; said "no CMAKE_PREFIX_PATH" cmake -S . -B build
lists "CXX CUDA" none; said "LANGUAGES CUDA, no nvcc" unshare -m sh -c 'mount -t tmpfs none /usr/local/bin; [ ! -d /usr/local/cuda/ ] || mount -t tmpfs none "$(readlink -f /usr/local/cuda)"; PATH=/usr/bin:/bin CUDACXX= cmake -S . -B build'
lists CXX torch; said "the CUDA wheel, no toolkit" env PATH=/usr/bin:/bin CUDA_PATH= cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix"
said "a program with -std=c++17" c++ -std=c++17 -fsyntax-only -I"${prefix%/share/cmake}/include" -I"${prefix%/share/cmake}/include/torch/csrc/api/include" main.cpp
lists CXX none; cmake -S . -B build >/dev/null; mkdir other; cp CMakeLists.txt main.cpp other
said "a build folder of another source folder" cmake -S other -B build
if [ -n "$cmake4" ]; then "$cmake4" --version | head -1; lists CXX none 3.1; said "cmake_minimum_required(VERSION 3.1)" "$cmake4" -S . -B build; fi
if command -v nvcc >/dev/null; then
  nvcc --version | tail -2 | head -1
  said "nvcc -arch=sm_50" nvcc -arch=sm_50 -c kernel.cu -o kernel.o
fi
