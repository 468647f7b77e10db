#!/usr/bin/env bash
# How long does a wrong answer live? Prefixes that point elsewhere, and answers that stay in CMakeCache.txt.
#
# One project asks for CUPTI as PyTorch and Kineto do: a switch LIBKINETO_NOCUPTI in the cache, which is forced to ON
# when CUPTI is not found, around FindCUDAToolkit's target CUDA::cupti and an explicit find_library. It is configured
# while folders come, go and are misnamed. No GPU is needed.
#
# Usage: cupti_wrong_prefix.sh CUDA_DIR [CMAKE...]      CUDA_DIR: a toolkit with bin/nvcc, cupti.h and libcupti.so.N
#   TORCH_MODULES=DIR  in the environment: share/cmake/Caffe2 of a torch wheel, for case 3b
set -u
cuda=$(realpath "${1:?CUDA_DIR}") && shift
cmakes=("${@:-cmake}")
real=$(find -L "$cuda" -name 'libcupti.so.[0-9]*' -print -quit)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

toolkit() { # a toolkit with all of CUPTI but its library
  local t=$work/$1 f
  mkdir -p "$t/bin" "$t/lib64" && ln -s "$cuda/include" "$t/include"
  cp "$cuda"/bin/nvcc "$cuda"/bin/nvcc.profile "$t/bin/"
  for f in "$cuda"/lib64/libcuda*rt*; do ln -s "$f" "$t/lib64/"; done
}
add_cupti() { cp "$real" "$work/$1/lib64/" && ln -sf "$(basename "$real")" "$work/$1/lib64/libcupti.so"; }
drop_cupti() { rm -f "$work/$1"/lib64/libcupti.so*; }

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(cupti_wrong_prefix CXX)
set(LIBKINETO_NOCUPTI OFF CACHE STRING "") # as in PyTorch: no FORCE, so an ON of an earlier run stays
message("-- Using Kineto with CUPTI support")
find_package(CUDAToolkit QUIET)
find_library(CUPTI_LIBRARY_PATH libcupti.so PATHS ${CUDAToolkit_ROOT}/lib64 NO_DEFAULT_PATH)
if(NOT LIBKINETO_NOCUPTI)
  if(TARGET CUDA::cupti)
    message("-- Found CUPTI")
  else()
    set(LIBKINETO_NOCUPTI ON CACHE BOOL "" FORCE) # as in Kineto
    message("-- Could not find CUPTI library")
  endif()
endif()
add_executable(probe probe.cpp)
if(NOT LIBKINETO_NOCUPTI)
  target_link_libraries(probe PRIVATE CUDA::cupti)
endif()
message("@ ${LIBKINETO_NOCUPTI} | ${CUPTI_LIBRARY_PATH} | ${CUDA_cupti_LIBRARY}")
CMAKE
echo 'int main() { return 0; }' >"$work/project/probe.cpp"

configure() { # configure LABEL [ARGS]: the lines that it says, then switch | explicit library | library of CUDA::cupti
  local label=$1 log && shift
  log=$(env -u CUDA_PATH "$cmake" -S "$work/project" -B "$b" "$@" 2>&1)
  printf '  %-44s %-46s NOCUPTI=%s\n' "$label" "$(grep -E 'Found CUPTI|Could not find CUPTI' <<<"$log" || echo '(not asked)')" \
    "$(sed -n 's/^@ //p' <<<"$log" | sed "s#$work/##g; s#$cuda#CUDA_DIR#g")"
}
build() {
  if log=$("$cmake" --build "$b" 2>&1); then echo "  build: works"; else
    echo "  build: FAILS, $(grep -m1 -o -E "No rule to make target [^,]*" <<<"$log" | sed "s#$work/##g")"
  fi
}
case_of() { echo; echo "$1" && b=$work/b$((n += 1)); }

for cmake in "${cmakes[@]}"; do
  n=0 && rm -rf "$work"/b[0-9]* "$work/one" "$work/two" "$work/prefix"
  toolkit one && toolkit two && add_cupti two
  echo "== $("$cmake" --version | head -1); after NOCUPTI=: the switch | find_library | CUDA_cupti_LIBRARY"

  case_of "1. CUPTI comes after the first configure"
  configure "first, without" -DCUDAToolkit_ROOT="$work/one"
  add_cupti one && configure "again, CUPTI is there" -DCUDAToolkit_ROOT="$work/one"
  configure "again, -U LIBKINETO_NOCUPTI" -U LIBKINETO_NOCUPTI

  case_of "2. CUPTI goes after the first configure"
  configure "first, with" -DCUDAToolkit_ROOT="$work/one"
  drop_cupti one && configure "again, CUPTI is gone" && build
  configure "again, --fresh" --fresh -DCUDAToolkit_ROOT="$work/one"

  case_of "3. CUDAToolkit_ROOT is misspelt, another nvcc is on PATH"
  PATH="$work/two/bin:$PATH" configure "-DCUDAToolkit_ROOT=/no/such/folder" -DCUDAToolkit_ROOT=/no/such/folder

  [ -n "${TORCH_MODULES:-}" ] && case_of "3b. The same, with the FindCUDAToolkit.cmake that PyTorch ships" &&
    PATH="$work/two/bin:$PATH" configure "-DCUDAToolkit_ROOT=/no/such/folder" -DCUDAToolkit_ROOT=/no/such/folder \
      -DCMAKE_MODULE_PATH="$TORCH_MODULES"

  case_of "4. CUDAToolkit_ROOT changes in the same build folder, both have CUPTI"
  add_cupti one && configure "first, one" -DCUDAToolkit_ROOT="$work/one"
  configure "again, two" -DCUDAToolkit_ROOT="$work/two"
  configure "again, two, --fresh" --fresh -DCUDAToolkit_ROOT="$work/two"
  drop_cupti one

  case_of "5. The library lies on CMAKE_PREFIX_PATH, not in the toolkit"
  mkdir -p "$work/prefix/lib" && cp "$real" "$work/prefix/lib/libcupti.so"
  configure "-DCMAKE_PREFIX_PATH=prefix" -DCUDAToolkit_ROOT="$work/one" -DCMAKE_PREFIX_PATH="$work/prefix"

  case_of "6. The answer is given by hand, and is wrong"
  configure "-DCUDA_cupti_LIBRARY=/no/libcupti.so" -DCUDAToolkit_ROOT="$work/one" -DCUDA_cupti_LIBRARY=/no/libcupti.so && build
  echo
done
exit 0
