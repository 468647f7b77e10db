#!/usr/bin/env bash
# Which shared libraries did the build of a torch wheel make its run time depend on?
#
# For each library of the wheel: the libraries outside torch that its dynamic section names (NEEDED), and the folders
# that it tells the loader to look in (RPATH or RUNPATH). Then how many CUPTI and NVPerf functions libtorch_cpu wants,
# how many MAGMA functions libtorch_cuda_linalg brings along, the build flags, and what built the wheel.
#
# Usage: torch_wheel_needed.sh SITE_PACKAGES...   folders that hold torch/ and torch-*.dist-info/ (unpacked is enough)
set -u
for site in "$@"; do
  lib=$site/torch/lib
  # shellcheck disable=SC2016 # the dollar is readelf's $ORIGIN
  system='^(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux-x86-64|libc10|libc10_cuda|libshm|libtorch.*)\.so'
  sed -n "s/^__version__ = '\(.*\)'/== torch \1/p; s/^git_version = '\(.*\)'/commit \1/p" "$site/torch/version.py"
  cat "$site"/torch-*.dist-info/WHEEL | sed -n 's/^Generator: /built by /p'
  for f in "$lib"/libtorch_global_deps.so "$lib"/libtorch_cpu.so "$lib"/libtorch_cuda.so "$lib"/libtorch_cuda_linalg.so \
    "$lib"/libtorch_nvshmem.so "$lib"/libtorch_python.so "$lib"/libcaffe2_nvrtc.so; do
    [ -e "$f" ] || continue
    printf '%-24s %s\n' "$(basename "$f" .so)" \
      "$(readelf -dW "$f" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -E "$system" | sort | tr '\n' ' ')"
  done
  readelf -dW "$lib/libtorch_cpu.so" | sed -n 's/.*(\(R[A-Z]*PATH\)).*\[\(.*\)\]/\1 \2/p' | sed 's/:/\n      /g'
  echo "undefined in libtorch_cpu: $(nm -D --undefined-only "$lib/libtorch_cpu.so" | grep -c ' U cupti') cupti*," \
    "$(nm -D --undefined-only "$lib/libtorch_cpu.so" | grep -c ' U NVPW') NVPW*"
  [ -e "$lib/libtorch_cuda_linalg.so" ] &&
    echo "defined in libtorch_cuda_linalg: $(nm -D --defined-only "$lib/libtorch_cuda_linalg.so" | grep -c -i ' magma') magma*"
  echo "flags: $(strings -n 20 "$lib/libtorch_cpu.so" | grep -o -E -- '-DUSE_KINETO( -D(HAS_CUPTI|LIBKINETO_[A-Z]+(=[A-Z]+)?))*' | sort -u | head -1)"
  echo
done
exit 0
