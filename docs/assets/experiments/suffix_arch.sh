#!/usr/bin/env bash
# Does the short spelling -arch=sm_90a compile a kernel that needs the suffix? One instruction, alone and behind an #if.
#
# Usage: suffix_arch.sh CUOBJDUMP NVCC...
set -u
cuobjdump=$1 && shift
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cat >"$work/wgmma.cu" <<'CU'
__global__ void one(int *p) { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); *p = 1; }
CU
cat >"$work/wgmma_guarded.cu" <<'CU'
__global__ void one(int *p) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
  *p = 1;
}
CU
cat >"$work/tcgen05.cu" <<'CU'
__global__ void one(int *p) { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); *p = 1; }
CU
list() { "$cuobjdump" --list-elf --list-ptx "$work/one.o" 2>&1 | sed -n 's/.*\.\(sm_[0-9a-z]*\)\.\(cubin\|ptx\)$/\1 \2/p' | awk '{printf "%s%s ", $1, $2 == "ptx" ? "(PTX)" : ""}'; }
try() { # try FILE OPTION
  printf '  %-17s %-41s ' "$1" "$2"
  if "$nvcc" "$2" -c -o "$work/one.o" "$work/$1" >"$work/log" 2>&1; then list; echo; else head -1 "$work/log" | sed "s#$work/##; s#/tmp/tmpxft_[0-9a-f_-]*##"; fi
}
for nvcc in "$@"; do
  "$nvcc" --version | tail -2 | head -1
  try wgmma.cu -arch=sm_90a
  try wgmma.cu -gencode=arch=compute_90a,code=sm_90a
  try wgmma_guarded.cu -arch=sm_90a
  try tcgen05.cu -arch=sm_100a
  try tcgen05.cu -arch=sm_100f
  try tcgen05.cu -gencode=arch=compute_100f,code=sm_100f
done
