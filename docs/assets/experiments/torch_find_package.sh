#!/usr/bin/env bash
# What does find_package(Torch) decide on a machine without a GPU, and does it hold when something is compiled?
#
# A project of one C++ and one CUDA file asks for the CMake package that lies in every torch wheel. It is configured
# without TORCH_CUDA_ARCH_LIST, with it, with a CUDAToolkit_ROOT that does not exist, and with a program that links
# all of TORCH_LIBRARIES. Where configure ends well, the CUDA file is compiled. Then a second toolkit is named by four
# variables in turn, while the first one is on PATH: which of them is heard?
#
# Usage: torch_find_package.sh TORCH_DIR CUDA_DIR [CMAKE]     TORCH_DIR: site-packages/torch of a CUDA build
set -u
torch=$(realpath "${1:?TORCH_DIR}") cuda=$(realpath "${2:?CUDA_DIR}") cmake=${3:-cmake}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cat >"$work/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(torch_find_package CXX)
find_package(Torch REQUIRED)
message(STATUS "@ TORCH_LIBRARIES ${TORCH_LIBRARIES}")
message(STATUS "@ FindCUDAToolkit of ${CUDAToolkit_BIN_DIR}, version ${CUDAToolkit_VERSION}")
add_library(kernel OBJECT kernel.cu)
if(LINK_PROGRAM)
  add_executable(program program.cpp)
  target_link_libraries(program ${TORCH_LIBRARIES})
endif()
CMAKE
echo '__global__ void nothing() {}' >"$work/kernel.cu"
echo 'int main() { return 0; }' >"$work/program.cpp"

run() { # run LABEL [ARGS]: what configure says, then whether the CUDA file compiles
  local b=$work/b$RANDOM label=$1 && shift
  echo "-- $label"
  env -u CUDA_PATH PATH="$cuda/bin:$PATH" "$cmake" -S "$work" -B "$b" -DCMAKE_PREFIX_PATH="$torch" "$@" >"$work/log" 2>&1
  local rc=$?
  grep -E '^-- (@|PyTorch: CUDA toolkit|Auto|Added CUDA NVCC)|^  library .* not found|NOTFOUND|CUDA_ARCHITECTURES|^CMake Error' "$work/log" |
    sed "s#$work/##g; s#$torch#TORCH_DIR#g; s#$cuda#CUDA_DIR#g" | cut -c1-200
  echo "   configure: exit $rc"
  [ $rc = 0 ] || return 0
  if "$cmake" --build "$b" --target kernel >"$work/log" 2>&1; then echo "   kernel.cu: compiles"; else
    echo "   kernel.cu: FAILS: $(grep -m1 -E 'fatal|error' "$work/log" | sed "s#$work/##g")"
  fi
}

"$cmake" --version | head -1
sed -n "s/^__version__ = '\(.*\)'/torch \1/p" "$torch/version.py"
"$cuda/bin/nvcc" --version | grep -o 'V[0-9.]\+' | tail -1
unset TORCH_CUDA_ARCH_LIST
run "TORCH_CUDA_ARCH_LIST is not set"
TORCH_CUDA_ARCH_LIST="9.0" run "TORCH_CUDA_ARCH_LIST=9.0"
TORCH_CUDA_ARCH_LIST="9.0" run "TORCH_CUDA_ARCH_LIST=9.0, CMAKE_CUDA_ARCHITECTURES=80" -DCMAKE_CUDA_ARCHITECTURES=80
TORCH_CUDA_ARCH_LIST="9.0" run "TORCH_CUDA_ARCH_LIST=9.0, CUDAToolkit_ROOT=/no/such/folder" -DCUDAToolkit_ROOT=/no/such/folder
TORCH_CUDA_ARCH_LIST="9.0" run "TORCH_CUDA_ARCH_LIST=9.0, and a program links TORCH_LIBRARIES" -DLINK_PROGRAM=ON

other=$work/other
mkdir -p "$other/bin"
cp -rs "$cuda"/* "$other/" 2>/dev/null
rm -f "$other/bin/nvcc" "$other/bin/nvcc.profile" && cp "$cuda"/bin/nvcc "$cuda"/bin/nvcc.profile "$other/bin/"
for name in CUDA_HOME CUDA_PATH CUDACXX; do
  value=$other && [ $name = CUDACXX ] && value=$other/bin/nvcc
  printf -- '-- %s=OTHER in the environment%s' "$name" ": "
  env -u CUDA_PATH -u CUDA_HOME -u CUDACXX "$name=$value" TORCH_CUDA_ARCH_LIST=9.0 PATH="$cuda/bin:$PATH" \
    "$cmake" -S "$work" -B "$work/b$name" -DCMAKE_PREFIX_PATH="$torch" 2>&1 |
    sed -n "s#$other#OTHER#; s#$cuda#CUDA_DIR#; s/^-- PyTorch: CUDA toolkit directory: //p"
done
printf -- '-- -DCUDA_TOOLKIT_ROOT_DIR=OTHER: '
TORCH_CUDA_ARCH_LIST=9.0 PATH="$cuda/bin:$PATH" "$cmake" -S "$work" -B "$work/broot" -DCMAKE_PREFIX_PATH="$torch" \
  -DCUDA_TOOLKIT_ROOT_DIR="$other" 2>&1 | sed -n "s#$other#OTHER#; s#$cuda#CUDA_DIR#; s/^-- PyTorch: CUDA toolkit directory: //p"
exit 0
