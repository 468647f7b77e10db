#!/bin/bash
# Without a GPU: build swiglu_extension for one target, list what the library holds and needs, call it with CPU tensors;
# then compile and load the first block of the page on extensions.
# Usage: PYTHON=python-with-torch-for-CUDA CUDA_HOME=toolkit bash extension_contents.sh
set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT; cd "$W" || exit 1
export CUDA_HOME TORCH_CUDA_ARCH_LIST=9.0 TORCH_EXTENSIONS_DIR=$W/jit
"$PYTHON" -c 'import torch; print("torch", torch.__version__)' 2>/dev/null; g++ --version | head -1; "$CUDA_HOME/bin/nvcc" --version | tail -2 | head -1
cp -r "$HERE/swiglu_extension" ext && cd ext || exit 1
"$PYTHON" setup.py build_ext --inplace > log.txt 2>&1 || tail -5 log.txt
ls swiglu; "$CUDA_HOME/bin/cuobjdump" --list-elf swiglu/_C*.so
readelf -d swiglu/_C*.so | grep NEEDED
"$PYTHON" -c 'import torch, swiglu; swiglu.swiglu(torch.ones(3), torch.ones(3))' 2>&1 | grep -o '^NotImplementedError: [^.]*\.'
echo "== the first block of the page, called with a CPU tensor"
sed -n '/^```python/,/^```/p;/^```$/q' "$HERE/../../cuda/04-pytorch-custom-cuda-extensions.md" | grep -v '^```' | sed 's/, device="cuda"//' > block.py
"$PYTHON" block.py 2>&1 | tail -1
"$CUDA_HOME/bin/cuobjdump" --list-elf "$W"/jit/scale_ext/scale_ext.so
