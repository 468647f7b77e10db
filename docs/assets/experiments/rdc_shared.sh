#!/bin/sh
# Device code in a shared library: calls between its own files, and calls from outside.
# sh rdc_shared.sh    (needs nvcc and g++, no GPU)
set -u
cd "$(mktemp -d)" || exit 1
nvcc --version | tail -n 2 | head -n 1

cat > helper.cu <<'END'
__device__ float twice(float x) { return 2 * x; }
END
cat > library.cu <<'END'
extern __device__ float twice(float x);
__global__ void kernel(float* x) { *x = twice(*x); }
void run(float* x) { kernel<<<1, 1>>>(x); }
END
cat > outside.cu <<'END'
extern __device__ float twice(float x);
__global__ void other(float* x) { *x = twice(*x); }
int main() { other<<<1, 1>>>(nullptr); }
END

try() {
    echo "\$ $*"
    "$@" 2>&1 | sed 's/_[0-9a-f]*_[0-9]*_/_…_/'
    echo "   $(test -e "$last" && echo "made $last" || echo "no $last")"
}

last=library.o; try nvcc -arch=sm_90 -Xcompiler -fPIC -c library.cu -o library.o
nvcc -arch=sm_90 -rdc=true -Xcompiler -fPIC -c library.cu -o library.o
nvcc -arch=sm_90 -rdc=true -Xcompiler -fPIC -c helper.cu -o helper.o
last=libinside.so; try nvcc -arch=sm_90 -shared library.o helper.o -o libinside.so
nm -DC libinside.so | grep " T run"
last=outside; try nvcc -arch=sm_90 -rdc=true outside.cu -L. -linside -o outside
