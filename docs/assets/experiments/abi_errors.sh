#!/usr/bin/env bash
# What do a wrong C++ standard, a wrong string ABI and a missing library look like? One small C++ file against the wheel.
#
# Usage: abi_errors.sh PYTHON     PYTHON: one with torch
set -u
python=$1
dir=$("$python" -c 'import torch, os; print(os.path.dirname(torch.__file__))')
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cat >"$work/probe.cpp" <<'CPP'
#include <c10/util/Exception.h>
#include <string>
extern "C" int probe() {
  try { TORCH_CHECK(false, std::string("refused")); } catch (const c10::Error &e) { return 7; }
  return 0;
}
CPP
"$python" -c 'import torch; print("torch", torch.__version__, "cxx11 ABI", torch.compiled_with_cxx11_abi())'
g++ --version | head -1
try() { # try LABEL FLAGS...
  echo "-- $1"; shift
  if ! g++ -shared -fPIC -O1 -I"$dir/include" "$work/probe.cpp" -o "$work/probe.so" -L"$dir/lib" "$@" >"$work/log" 2>&1; then
    echo "   compile: $(grep -m1 -E 'error' "$work/log" | sed "s#$dir#TORCH_DIR#; s#$work/##")"; return
  fi
  "$python" -c "import torch, ctypes, sys; print('   runs:', ctypes.CDLL(sys.argv[1]).probe())" "$work/probe.so" 2>&1 |
    tail -1 | sed "s#$work/##"
}
echo "-- a header of c10/cuda, without the folder of CUDA's headers"
echo '#include <c10/cuda/CUDAStream.h>' >"$work/cuda.cpp"
g++ -std=c++20 -I"$dir/include" -c "$work/cuda.cpp" -o "$work/cuda.o" 2>&1 | grep -m1 error | sed "s#$dir#TORCH_DIR#; s/^/   /"
try "-std=c++20" -std=c++20 -lc10
try "-std=c++17" -std=c++17 -lc10
try "-std=c++20 -D_GLIBCXX_USE_CXX11_ABI=0" -std=c++20 -D_GLIBCXX_USE_CXX11_ABI=0 -lc10
try "-std=c++20, c10 not linked, torch imported first" -std=c++20
echo "-- -std=c++20, c10 linked, torch not imported"
g++ -shared -fPIC -O1 -std=c++20 -I"$dir/include" "$work/probe.cpp" -o "$work/probe.so" -L"$dir/lib" -lc10
"$python" -c "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).probe())" "$work/probe.so" 2>&1 | tail -1 | sed "s#$work/##; s/^/   /"
