#!/usr/bin/env bash
# Which GPUs has the published wheel code for? Counts the cubins and PTX texts in its libraries, by target.
#
# Usage: wheel_targets.sh PYTHON CUOBJDUMP...     PYTHON: one with torch; several cuobjdump are tried in turn
set -u
python=$1 && shift
"$python" - <<'PY'
import torch
print("torch", torch.__version__, "git", torch.version.git_version)
print("torch._C._cuda_getArchFlags():", torch._C._cuda_getArchFlags())
print("torch.cuda.is_available():", torch.cuda.is_available(), " torch.cuda.get_arch_list():", torch.cuda.get_arch_list())
print("torch.compiled_with_cxx11_abi():", torch.compiled_with_cxx11_abi(), " torch._C._PYBIND11_COMPILER_TYPE:", getattr(torch._C, "_PYBIND11_COMPILER_TYPE", None))
print(torch.__config__.show())
PY
lib=$("$python" -c 'import torch, os; print(os.path.join(os.path.dirname(torch.__file__), "lib"))')
for tool in "$@"; do
  echo "cuobjdump of $("$tool" --version | tail -1)"
  for name in libtorch_cuda.so libtorch_cuda_linalg.so libtorch_nvshmem.so libtorch_cpu.so libtorch_python.so libc10.so libc10_cuda.so; do
    printf '%s, %s bytes\n' $name "$(stat -c %s "$lib/$name")"
    for option in --list-elf --list-ptx; do
      printf '  %s: ' $option
      "$tool" $option "$lib/$name" 2>&1 | sed -n 's/.*\.\(sm_[0-9a-z]*\)\.\(cubin\|ptx\)$/\1/p' | sort -V | uniq -c | awk '{printf "%s×%s ", $2, $1} END {print ""}'
    done
  done
done
