#!/usr/bin/env bash
# What does Kineto's own configure step say of CUPTI, with a whole toolkit and with parts of it missing?
#
# Kineto is configured from its source with KINETO_BACKEND=cuda, as PyTorch does since 2.13, and once with the switch
# of older releases. The first log is shown whole, of the others the lines that decide. No GPU is needed.
#
# Usage: kineto_configure.sh KINETO_DIR CUDA_DIR OTHER_CUDA_DIR [CMAKE...]
#   KINETO_DIR  a checkout with third_party/fmt; CUDA_DIR, OTHER_CUDA_DIR: toolkits of two releases, with CUPTI
set -u
kineto=$(realpath "${1:?KINETO_DIR}") cuda=$(realpath "${2:?CUDA_DIR}") other=$(realpath "${3:?OTHER_CUDA_DIR}") && shift 3
cmakes=("${@:-cmake}")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

toolkit() { # a toolkit without CUPTI, in $work/$1
  local t=$work/$1
  mkdir -p "$t/bin" "$t/include" "$t/lib64"
  cp "$cuda"/bin/nvcc "$cuda"/bin/nvcc.profile "$t/bin/" # a copy: nvcc tells its own folder
  find -L "$cuda/include" -maxdepth 1 -mindepth 1 ! -iname '*cupti*' -exec ln -s {} "$t/include/" \;
  find -L "$cuda/lib64" -maxdepth 1 -name 'libcuda*rt*' -exec ln -s {} "$t/lib64/" \;
}
headers() { find -L "$cuda/include" -maxdepth 1 -iname '*cupti*' -exec ln -s {} "$work/$1/include/" \;; }
for t in nothing header wheel empty; do toolkit $t; done
headers header && headers wheel && headers empty
cp "$cuda"/lib64/libcupti.so.13 "$work/wheel/lib64/" && : >"$work/empty/lib64/libcupti.so"

short() { sed "s#$work#TMP#g; s#$kineto#KINETO#g; s#$cuda#CUDA#g; s#$other#OTHER#g"; }
configure() { # configure FOLDER [OPTION...]
  local build=$1 && shift
  env -u CUDA_PATH -u CUDA_HOME -u CUDACXX "$cmake" -S "$kineto/libkineto" -B "$build" \
    -DKINETO_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=Release "$@" >"$build.log" 2>&1
  echo "exit $?" >>"$build.log"
}
try() { # try LABEL [OPTION...]
  local label=$1 build
  build=$work/build$RANDOM && shift
  configure "$build" "$@"
  echo "-- $label"
  grep -E -A3 'KINETO_BACKEND|Found CUPTI|CPU-only|^CMake Error|^exit|Manually-specified|LIBKINETO' "$build.log" |
    grep -E 'KINETO_BACKEND|CUPTI|CPU-only|^CMake Error|^exit|LIBKINETO' | short | cut -c1-150 | sed 's/^/   /'
  grep -s -E '^(CUDAToolkit_CUPTI_INCLUDE_DIR|CUDA_cupti_LIBRARY|KINETO_BACKEND):' "$build/CMakeCache.txt" | short | sed 's/^/   cache: /'
}

for cmake in "${cmakes[@]}"; do
  echo "== $("$cmake" --version | head -1), nvcc $("$cuda/bin/nvcc" --version | grep -o 'V[0-9.]*' | tail -1), other nvcc $("$other/bin/nvcc" --version | grep -o 'V[0-9.]*' | tail -1)"
  echo "-- the whole log: -DKINETO_BACKEND=cuda -DCUDAToolkit_ROOT=CUDA"
  configure "$work/whole" -DKINETO_BACKEND=cuda -DCUDAToolkit_ROOT="$cuda" --fresh
  short <"$work/whole.log" | sed 's/^/   /'
  grep -E '^(CUDAToolkit_CUPTI_INCLUDE_DIR|CUDA_cupti_LIBRARY|KINETO_BACKEND|CUDAToolkit_BIN_DIR):' "$work/whole/CMakeCache.txt" | short | sed 's/^/   cache: /'
  try "KINETO_BACKEND is not given" -DCUDAToolkit_ROOT="$cuda"
  try "-DLIBKINETO_NOCUPTI=ON, the switch up to 2.12" -DLIBKINETO_NOCUPTI=ON -DCUDAToolkit_ROOT="$cuda"
  try "cuda, no CUPTI at all" -DKINETO_BACKEND=cuda -DCUDAToolkit_ROOT="$work/nothing"
  try "cuda, the header only" -DKINETO_BACKEND=cuda -DCUDAToolkit_ROOT="$work/header"
  try "cuda, header and libcupti.so.13 as in NVIDIA's wheel" -DKINETO_BACKEND=cuda -DCUDAToolkit_ROOT="$work/wheel"
  try "cuda, header and an empty libcupti.so" -DKINETO_BACKEND=cuda -DCUDAToolkit_ROOT="$work/empty"
  try "cuda, the header only, OTHER on CMAKE_PREFIX_PATH" -DKINETO_BACKEND=cuda -DCUDAToolkit_ROOT="$work/header" -DCMAKE_PREFIX_PATH="$other"
  try "cpu" -DKINETO_BACKEND=cpu
done
exit 0
