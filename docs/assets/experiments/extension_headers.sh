#!/bin/bash
# What do the implicit headers of load_inline cost the compiler? CPU seconds of g++ for the generated main.cpp.
# Usage: PYTHON=python-with-torch bash extension_headers.sh
set -u
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT; cd "$W" || exit 1
"$PYTHON" -c 'import torch; print("torch", torch.__version__)' 2>/dev/null; g++ --version | head -1
T=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/torch/include
P=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
body='at::Tensor f(const at::Tensor& x);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", torch::wrap_pybind_function(f), "f"); }'
printf '#include <torch/extension.h>\n%s\n' "$body" > implicit.cpp
printf '#include <torch/csrc/Exceptions.h>\n#include <torch/csrc/utils/pybind.h>\n%s\n' "$body" > own.cpp
TIMEFORMAT=%U
for i in 1 2 3; do
  for name in implicit own; do
    seconds=$( { time g++ -std=c++20 -fPIC -DTORCH_EXTENSION_NAME=x -I"$T" -I"$T/torch/csrc/api/include" -I"$P" -c $name.cpp -o x.o; } 2>&1 | tail -1)
    echo "$i $name: $seconds CPU seconds, $(g++ -std=c++20 -DTORCH_EXTENSION_NAME=x -I"$T" -I"$T/torch/csrc/api/include" -I"$P" -E $name.cpp | wc -l) lines after the preprocessor"
  done
done
