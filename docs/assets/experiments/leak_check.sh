#!/bin/bash
# Find leaked device memory with compute-sanitizer --leak-check full: in a C++ program and in a PyTorch extension.
# leak_check.sh build FOLDER | run FOLDER        (run needs a CUDA device; PyTorch is that of python3)
set -u
here=$(cd "$(dirname "$0")" && pwd)/leak_check
folder=$(mkdir -p "$2" && cd "$2" && pwd)
torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')

if [ "$1" = build ]; then
    nvcc -gencode arch=compute_90a,code=sm_90a -lineinfo -Xcompiler -rdynamic -o "$folder/leaks" "$here/leaks.cu" &
    nvcc -std=c++20 -gencode arch=compute_90a,code=sm_90a -shared -Xcompiler -fPIC -lineinfo -I"$torch/include" \
        -I"$torch/include/torch/csrc/api/include" -D_GLIBCXX_USE_CXX11_ABI=1 -o "$folder/leaky.so" "$here/leaky.cu" \
        -L"$torch/lib" -lc10 -ltorch -ltorch_cpu
    wait
    exit
fi
cd "$folder" || exit 1
compute-sanitizer --version | tail -2
say() { echo; echo "== $*"; }
# frames of the driver and of Python say nothing here: keep the report, 6 frames a block
brief() { grep -v -E 'cuda-gdb|Warning: .*symbol' | awk '/Host Frame/ {n++; if (n <= 6) print; next} {n = 0; print}' | head -"$1"; }

say compute-sanitizer --leak-check full ./leaks
compute-sanitizer --leak-check full ./leaks 2>&1 | brief 60
say compute-sanitizer --leak-check full ./leaks reset
compute-sanitizer --leak-check full ./leaks reset 2>&1 | brief 90
say "exit status with --error-exitcode 7:"
compute-sanitizer --leak-check full --error-exitcode 7 ./leaks reset > /dev/null 2>&1; echo $?
say python3 leaky.py, without compute-sanitizer
python3 "$here/leaky.py" "$folder/leaky.so" 8
say compute-sanitizer --leak-check full python3 leaky.py
timeout 45 compute-sanitizer --leak-check full python3 "$here/leaky.py" "$folder/leaky.so" 2 2>&1 | brief 70
say compute-sanitizer --leak-check full python3 leaky.py noreset
timeout 45 compute-sanitizer --leak-check full python3 "$here/leaky.py" "$folder/leaky.so" 2 noreset 2>&1 | brief 40
say compute-sanitizer --leak-check full python3 leaky.py keep, PYTORCH_NO_CUDA_MEMORY_CACHING=1
PYTORCH_NO_CUDA_MEMORY_CACHING=1 timeout 45 compute-sanitizer --leak-check full python3 "$here/leaky.py" "$folder/leaky.so" 2 keep 2>&1 | brief 90
