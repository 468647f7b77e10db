#!/bin/bash
# Whether ccache spares the compilation of a CUDA extension of PyTorch, as with a cache mount, and how it must be named.
#
#   bash ccache_extension.sh EMPTY_FOLDER
#
# Compiles one .cu file that includes torch/extension.h three times: with CXX="ccache g++"; with g++ found in
# /usr/lib/ccache, from an empty cache; the same again. Needs torch, setuptools and ninja in the `python` of the PATH,
# nvcc in $CUDA_HOME, and ccache as Debian and Ubuntu install it. Needs no GPU.
set -u
cd "$1" || exit 1
export CCACHE_DIR=$PWD/ccache TORCH_CUDA_ARCH_LIST=9.0 CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
export PATH=$CUDA_HOME/bin:$PATH PYTORCH_NVCC="ccache nvcc"

cat >twice.cu <<'EOF'
#include <torch/extension.h>
__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
torch::Tensor run(torch::Tensor x) {
  twice<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), x.numel());
  return x;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
EOF
cat >setup.py <<'EOF'
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="twice", ext_modules=[CUDAExtension("twice", ["twice.cu"])], cmdclass={"build_ext": BuildExtension})
EOF

build() {
    rm -rf build ./*.so && ccache -z >/dev/null
    local begin=$SECONDS
    "$@" python setup.py build_ext --inplace >build.log 2>&1
    echo "$1 ${2:-}: status $?, $((SECONDS - begin)) s, of compilations $(ccache -s | awk '/Hits:/ {print $2 " taken from the cache"; exit}')"
    grep -E '^[A-Za-z]*Error' build.log
}
ccache --version | head -1; nvcc --version | sed -n 4p; python -c 'import torch; print("torch", torch.__version__)'
build env CXX="ccache g++"
export PATH=/usr/lib/ccache:$PATH
build env
build env
[ -n "$(find . -maxdepth 1 -name 'twice*.so')" ]
