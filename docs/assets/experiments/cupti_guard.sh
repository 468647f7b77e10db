#!/usr/bin/env bash
# Does a test after find_package(CUDAToolkit) stop at a CUPTI that was found and cannot be used? No GPU is needed.
# Each toolkit is tried as what it is, and as if it were 13.2, from which on the test is linked and not run.
#
# Usage: cupti_guard.sh CUDA_DIR OTHER_LIBCUPTI [CMAKE...]
#   CUDA_DIR        a toolkit with bin/nvcc, cupti.h, libcupti.so.N and libcudart
#   OTHER_LIBCUPTI  a libcupti.so.M of another CUDA release
set -u
cuda=$(realpath "${1:?CUDA_DIR}") other=$(realpath "${2:?OTHER_LIBCUPTI}") && shift 2
cmakes=("${@:-cmake}")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
for t in whole header empty processor release; do
  mkdir -p "$work/$t/bin" "$work/$t/include" "$work/$t/lib64"
  cp "$cuda"/bin/nvcc "$cuda"/bin/nvcc.profile "$work/$t/bin/"
  find -L "$cuda/include" -maxdepth 1 -mindepth 1 -exec ln -s {} "$work/$t/include/" \;
  find -L "$cuda/lib64" -maxdepth 1 -name 'libcuda*rt*' -exec ln -s {} "$work/$t/lib64/" \;
done
real=$(find -L "$cuda/lib64" -maxdepth 1 -name 'libcupti.so.[0-9]*' | head -1) soname=$(basename "$real")
for t in whole processor; do cp "$real" "$work/$t/lib64/$soname" && ln -s "$soname" "$work/$t/lib64/libcupti.so"; done
printf '\xb7' | dd of="$work/processor/lib64/$soname" bs=1 seek=18 conv=notrunc status=none # e_machine: AArch64
: >"$work/empty/lib64/libcupti.so"
cp "$other" "$work/release/lib64/" && ln -s "$(basename "$other")" "$work/release/lib64/libcupti.so"
mkdir "$work/project" && cd "$work/project" || exit 1
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(cupti_guard CXX)
find_package(CUDAToolkit REQUIRED)
if(AS_IF)
  set(CUDAToolkit_VERSION ${AS_IF})
endif()
if(NOT TARGET CUDA::cupti)
  message(FATAL_ERROR "CUPTI: header ${CUDAToolkit_CUPTI_INCLUDE_DIR}, library ${CUDA_cupti_LIBRARY}")
endif()
set(test ${CMAKE_BINARY_DIR}/cupti_test.cpp)
file(WRITE ${test} "
  #include <cupti.h>
  int main() { uint32_t v = 0; return cuptiGetVersion(&v) != CUPTI_SUCCESS || v != CUPTI_API_VERSION; }")
if(CUDAToolkit_VERSION VERSION_LESS 13.2)
  try_run(CUPTI_RUNS CUPTI_LINKS ${CMAKE_BINARY_DIR}/cupti_test ${test} LINK_LIBRARIES CUDA::cupti)
else()  # cuptiGetVersion needs a driver, which an image build does not have
  set(CUPTI_RUNS 0)
  try_compile(CUPTI_LINKS ${CMAKE_BINARY_DIR}/cupti_test ${test} LINK_LIBRARIES CUDA::cupti)
endif()
if(NOT CUPTI_LINKS OR NOT CUPTI_RUNS EQUAL 0)
  message(FATAL_ERROR "CUPTI was found at ${CUDA_cupti_LIBRARY} and cannot be used")
endif()
CMAKE
for cmake in "${cmakes[@]}"; do
  echo "$("$cmake" --version | head -1); toolkit $("$cuda/bin/nvcc" --version | grep -o 'V[0-9.]\+' | tail -1); other: $(basename "$other")"
  for as_if in "" 13.2; do
    echo "${as_if:+as if }${as_if:-as it is}"
    for t in whole header empty processor release; do
      env -u CUDA_PATH -u LD_LIBRARY_PATH -u LIBRARY_PATH -u CPATH \
        "$cmake" -S . -B "$work/b" -DCUDAToolkit_ROOT="$work/$t" -DAS_IF="$as_if" >"$work/log" 2>&1
      printf '%-10s exit %s  %s\n' "$t" $? "$(sed -n '/CMake Error/,$p' "$work/log" | grep -m1 -o 'CUPTI.*' | sed "s#$work/##g")"
      rm -rf "$work/b"
    done
  done
done
