#!/usr/bin/env bash
# The CMake build of CUDA Samples 13.0 (vectorAdd), and what each of its settings puts into the program. No GPU is used.
# Usage: samples_cmake.sh SAMPLES_GIT     SAMPLES_GIT: a clone or mirror of NVIDIA/cuda-samples that has c94ff366
set -u
git=$1 commit=c94ff366aed18c797b8a85dfaac7817b0228b420
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
git -C "$git" archive $commit Samples/0_Introduction/vectorAdd Common cmake 2>/dev/null | tar -x -C "$work"
cmake --version | head -1; nvcc --version | tail -2 | head -1; g++ --version | head -1
sample=$work/Samples/0_Introduction/vectorAdd
clean() { sed "s#$work/##g; s#/[^ ]*/nvidia/#.../#g; s#/[^ ]*/bin/nvcc#nvcc#g; s#/[^ ]*/site-packages/#.../#g"; }
build() { # label, source folder, options of cmake
  rm -rf "$work/build"
  local label=$1 source=$2; shift 2
  if ! cmake -G Ninja -S "$source" -B "$work/build" "$@" >"$work/log" 2>&1; then echo "$label: configure failed"; grep -A6 Error "$work/log" | clean; return; fi
  ninja -C "$work/build" -v >"$work/log" 2>&1 || { echo "$label: build failed"; tail -5 "$work/log" | clean; return; }
  local program=$work/build/vectorAdd
  count() { cuobjdump "--list-$1" ${3:-} "$program" 2>/dev/null | grep -c "$2\$"; }
  printf '%-62s %9d bytes, %2d cubins, %2d PTX; with -all %2d cubins, %2d PTX\n' "$label" "$(stat -c %s "$program")" \
    "$(count elf cubin)" "$(count ptx ptx)" "$(count elf cubin -all)" "$(count ptx ptx -all)"
}
echo; echo "## The sample as it is"
build "as it is, no build type" "$sample"
echo "commands:"; grep -E '^\[' "$work/log" | cut -d' ' -f2- | clean | cut -c1-900
cuobjdump --list-elf --list-ptx "$work/build/vectorAdd" | clean
build "-DCMAKE_CUDA_ARCHITECTURES=90 (the file sets the list again)" "$sample" -DCMAKE_CUDA_ARCHITECTURES=90
build "-DCMAKE_BUILD_TYPE=Release" "$sample" -DCMAKE_BUILD_TYPE=Release
build "-DENABLE_CUDA_DEBUG=True" "$sample" -DENABLE_CUDA_DEBUG=True
echo; echo "## One setting changed at a time, in a project of our own"
mkdir "$work/own" && cp "$sample/vectorAdd.cu" "$work/own"
cat >"$work/own/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75 80 86 87 89 90 100 110 120)
endif()
project(vectorAdd LANGUAGES C CXX CUDA)
include_directories(../Common)
add_executable(vectorAdd vectorAdd.cu)
if(LTO)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT supported OUTPUT why LANGUAGES CUDA)
  message(STATUS "IPO for CUDA: ${supported} ${why}")
  set_target_properties(vectorAdd PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
endif()
CMAKE
own() { build "$1" "$work/own" "${@:2}"; }
nine=75 && for a in 80 86 87 89 90 100 110 120; do nine="$nine;$a"; done
real=${nine//;/-real;}-real
own "nine, no suffix"
own "nine, -real" "-DCMAKE_CUDA_ARCHITECTURES=$real"
own "nine -real, and 120-virtual" "-DCMAKE_CUDA_ARCHITECTURES=$real;120-virtual"
own "nine, CUDA_SEPARABLE_COMPILATION" -DCMAKE_CUDA_SEPARABLE_COMPILATION=ON
own "90" -DCMAKE_CUDA_ARCHITECTURES=90
own "90-real" -DCMAKE_CUDA_ARCHITECTURES=90-real
own "90-virtual" -DCMAKE_CUDA_ARCHITECTURES=90-virtual
own "90a-real" -DCMAKE_CUDA_ARCHITECTURES=90a-real
own "100f-real" -DCMAKE_CUDA_ARCHITECTURES=100f-real
own "all-major" -DCMAKE_CUDA_ARCHITECTURES=all-major
own "all" -DCMAKE_CUDA_ARCHITECTURES=all
own "native, no GPU" -DCMAKE_CUDA_ARCHITECTURES=native
own "OFF" -DCMAKE_CUDA_ARCHITECTURES=OFF
own "empty" -DCMAKE_CUDA_ARCHITECTURES=
own "70" -DCMAKE_CUDA_ARCHITECTURES=70
own "9.0" -DCMAKE_CUDA_ARCHITECTURES=9.0
own "sm_90" -DCMAKE_CUDA_ARCHITECTURES=sm_90
own "90-real, CMAKE_CUDA_RUNTIME_LIBRARY=Shared" -DCMAKE_CUDA_ARCHITECTURES=90-real -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared
own "90-real, CUDA_SEPARABLE_COMPILATION" -DCMAKE_CUDA_ARCHITECTURES=90-real -DCMAKE_CUDA_SEPARABLE_COMPILATION=ON
own "90-real, SEPARABLE_COMPILATION and INTERPROCEDURAL_OPTIMIZATION" -DCMAKE_CUDA_ARCHITECTURES=90-real -DCMAKE_CUDA_SEPARABLE_COMPILATION=ON -DLTO=ON
echo "commands:"; grep -E '^\[' "$work/log" | cut -d' ' -f2- | clean | cut -c1-500
own "90-real, INTERPROCEDURAL_OPTIMIZATION alone" -DCMAKE_CUDA_ARCHITECTURES=90-real -DLTO=ON
echo "commands:"; grep -E '^\[' "$work/log" | cut -d' ' -f2- | clean | cut -c1-500
