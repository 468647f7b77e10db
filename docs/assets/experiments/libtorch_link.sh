#!/usr/bin/env bash
# Does a C++ program link LibTorch through find_package(Torch), and what does ld say where the two string ABIs meet?
#
# A program is built and run; with a CUDA file beside it, where nvcc is on PATH (the kernel is linked, not launched);
# with the old ABI against the wheel; and a program of the new ABI against a library of the old one.
#
# Usage: libtorch_link.sh PYTHON     an interpreter with torch
set -u
python=${1:?PYTHON}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
prefix=$("$python" -c 'import torch; print(torch.utils.cmake_prefix_path)')
cat >"$work/main.cpp" <<'CPP'
#include <torch/torch.h>
#include <iostream>
int main() { std::cout << torch::ones({2, 2}).sum().item<float>() << " " << torch::cuda::is_available() << "\n"; }
CPP
echo '__global__ void kernel() {} void launch() { kernel<<<1, 1>>>(); }' >"$work/kernel.cu"
project() { # project LANGUAGES SOURCES [ARGS]: configure, build, run
  printf 'cmake_minimum_required(VERSION 3.22)\nproject(demo LANGUAGES %s)\nfind_package(Torch REQUIRED)\nadd_executable(demo %s)\ntarget_link_libraries(demo PRIVATE ${TORCH_LIBRARIES})\n' "$1" "$2" >"$work/CMakeLists.txt"
  rm -rf "$work/build"
  cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" "${@:3}" >"$work/log" 2>&1 && cmake --build "$work/build" >>"$work/log" 2>&1
  echo "   build: exit $?"
  grep -o -m1 'undefined reference to .*' "$work/log" && return
  "$work/build/demo"
}
"$python" -c 'import torch; print("torch", torch.__version__, "cxx11 ABI", torch.compiled_with_cxx11_abi(), torch._C._GLIBCXX_USE_CXX11_ABI)'
cmake --version | head -1
c++ --version | head -1
echo "-- LANGUAGES CXX"
project CXX main.cpp
command -v nvcc >/dev/null && echo "-- LANGUAGES CXX CUDA, $(nvcc --version | grep -o 'V[0-9.]\+' | tail -1), main.cpp and kernel.cu" &&
  project "CXX CUDA" "main.cpp kernel.cu" -DCMAKE_CUDA_ARCHITECTURES=90
echo "-- the program with -D_GLIBCXX_USE_CXX11_ABI=0"
project CXX main.cpp -DCMAKE_CXX_FLAGS=-D_GLIBCXX_USE_CXX11_ABI=0
echo "-- a program of the new ABI, a library of the old one"
cd "$work" || exit 1
printf '#include <string>\nvoid save(const std::string&) {}\n' >old.cpp
printf '#include <string>\nvoid save(const std::string&);\nint main() { save("x"); }\n' >new.cpp
c++ -D_GLIBCXX_USE_CXX11_ABI=0 -shared -fPIC old.cpp -o libold.so && c++ new.cpp -L. -lold 2>&1 | grep -o 'undefined reference to .*'
exit 0
