#!/usr/bin/env bash
# What does each way to name targets put into an object file? And which cubins does the linker of targets take?
#
# Usage: arch_options.sh NVCC CUOBJDUMP
set -u
nvcc=$1 cuobjdump=$2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
echo '__global__ void one(int *p) { *p = 1; }' >"$work/one.cu"
"$nvcc" --version | tail -2 | head -1
list() { "$cuobjdump" --list-elf --list-ptx "$work/one.o" 2>&1 | sed -n 's/.*\.\(sm_[0-9a-z]*\)\.\(cubin\|ptx\)$/\1 \2/p' | awk '{printf "%s%s ", $1, $2 == "ptx" ? "(PTX)" : ""}'; }
for options in "" "-arch=sm_90" "-arch=compute_90" "-arch=sm_90a" "-gencode=arch=compute_90,code=sm_90" "-gencode=arch=compute_80,code=[sm_80,sm_86,compute_80]" \
  "-gencode=arch=compute_80,code=sm_90" "-gencode=arch=compute_90,code=sm_80" "-gencode=arch=compute_90a,code=sm_90" "-gencode=arch=compute_100f,code=sm_103" \
  "-gencode=arch=compute_100f,code=sm_107" "-gencode=arch=compute_100f,code=sm_110" "-gencode=arch=compute_100a,code=sm_103a" "-gencode=arch=compute_120f,code=sm_121" "-arch=all-major" "-arch=all" "-arch=native"; do
  printf '%-58s ' "${options:-(none)}"
  # shellcheck disable=SC2086
  if "$nvcc" $options -c -o "$work/one.o" "$work/one.cu" >"$work/log" 2>&1; then echo "$(list)$(head -1 "$work/log" | sed 's/^/| /')"; else head -1 "$work/log"; fi
done
