#!/bin/bash
# Build small extensions the right and the wrong way, on a machine without a GPU, and print what the user sees.
# Usage: BUILD=python-with-the-older-torch LATER=python-with-a-newer-torch-for-CUDA NVCC=toolkit bash extension_errors.sh
# The temporary folder is printed as DIR, the folder of the Python packages as SITE.
set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT; cd "$W" || exit 1
site() { "$1" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])'; }
SITE_B=$(site "$BUILD"); SITE_L=$(site "$LATER")
say() { sed -e "s#$W#DIR#g; s#$SITE_B#SITE#g; s#$SITE_L#SITE#g; s#$NVCC#NVCC#g" | grep -v '^ *$' | cut -c1-600; }
last() { grep -E '(Error|error|warning|Warning)' | grep -v 'warn(' | tail -"${1:-1}" | say; }
head_() { echo; echo "== $*"; }

version() { "$1" -c 'import torch; print("torch", torch.__version__, "of", torch.version.git_version[:12], "CUDA", torch.version.cuda)' 2>/dev/null; }
echo "build: $(version "$BUILD")"; echo "later: $(version "$LATER")"
g++ --version | head -1; "$BUILD" --version

cat > unstable.cpp <<'C'
#include <torch/library.h>
#include <ATen/ATen.h>
at::Tensor twice(const at::Tensor& x) { TORCH_CHECK(x.is_cpu(), "on the CPU only"); return x.add(x); }
TORCH_LIBRARY(unstable, m) { m.def("twice(Tensor x) -> Tensor", &twice); }
C
cat > stable.cpp <<'C'
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
using torch::stable::Tensor;
Tensor twice(const Tensor& x) {
  STD_TORCH_CHECK(x.is_cpu() && x.scalar_type() == torch::headeronly::ScalarType::Float, "float32 on the CPU only");
  const Tensor in = torch::stable::contiguous(x);
  Tensor out = torch::stable::empty_like(in);
  for (int64_t i = 0; i < in.numel(); ++i) out.mutable_data_ptr<float>()[i] = 2 * in.const_data_ptr<float>()[i];
  return out;
}
STABLE_TORCH_LIBRARY(stable, m) { m.def("twice(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(stable, CPU, m) { m.impl("twice", TORCH_BOX(&twice)); }
C
T=$SITE_B/torch
compile() { # compile SOURCE OUT FLAGS...
  local source=$1 out=$2; shift 2
  g++ -O1 -shared -fPIC -std=c++20 "$@" -I"$T/include" -I"$T/include/torch/csrc/api/include" "$source" -L"$T/lib" -lc10 -ltorch -ltorch_cpu -o "$out" 2>&1
}
use() { "$1" -c "import torch; torch.ops.load_library('$2'); print('result', torch.ops.$3.twice(torch.ones(2)).tolist())" 2>&1 | grep -E '^(result|.*Error: )' | grep -v 'Could not load this library' | tail -1 | say; }

head_ "1. One build, two versions of PyTorch"
compile unstable.cpp unstable.so; compile stable.cpp stable.so -DTORCH_TARGET_VERSION=0x020a000000000000
for so in unstable stable; do
  echo "$so, where it was built: $(use "$BUILD" "$W/$so.so" $so)"
  echo "$so, with the later torch: $(use "$LATER" "$W/$so.so" $so)"
done
T=$SITE_L/torch; compile unstable.cpp unstable_later.so; compile stable.cpp stable_later.so -DTORCH_TARGET_VERSION=0x020a000000000000; T=$SITE_B/torch
for so in unstable stable; do
  echo "$so, built with the later torch, loaded by the older: $(use "$BUILD" "$W/${so}_later.so" $so)"
done
for so in unstable stable; do
  echo "$so.so needs $(nm -DC --undefined-only $so.so | grep -cE ' (at|c10|torch|std::.*c10)::') C++ and $(nm -D --undefined-only $so.so | grep -cE ' (aoti_)?torch_') C symbols of PyTorch"
done

head_ "2. Built with the old C++ ABI (-D_GLIBCXX_USE_CXX11_ABI=0)"
compile unstable.cpp old_abi.so -D_GLIBCXX_USE_CXX11_ABI=0; use "$BUILD" "$W/old_abi.so" unstable | tee symbol.txt
grep -oE '_Z[A-Za-z0-9_]+' symbol.txt | head -1 | c++filt

head_ "3. A kernel that was declared and called, but whose file was not compiled"
cat > forgotten.cpp <<'C'
#include <torch/library.h>
#include <ATen/ATen.h>
void launch_scale(float* data, int64_t n, float factor);  // in scale.cu
at::Tensor twice(const at::Tensor& x) { at::Tensor y = x.clone(); launch_scale(y.mutable_data_ptr<float>(), y.numel(), 2); return y; }
TORCH_LIBRARY(forgotten, m) { m.def("twice(Tensor x) -> Tensor", &twice); }
C
compile forgotten.cpp forgotten.so; use "$BUILD" "$W/forgotten.so" forgotten | tee symbol.txt
grep -oE '_Z[A-Za-z0-9_]+' symbol.txt | head -1 | c++filt

head_ "4. Imported before torch"
cat > early.c <<'C'
#define Py_LIMITED_API 0x030a0000
#include <Python.h>
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "early"};
PyMODINIT_FUNC PyInit_early(void) { return PyModule_Create(&def); }
C
gcc -shared -fPIC -Wl,--no-as-needed -I"$("$BUILD" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')" early.c -L"$T/lib" -lc10 -o early.abi3.so
"$BUILD" -c 'import early' 2>&1 | last; "$BUILD" -c 'import torch, early; print("after torch: imported")'

head_ "5. Stable ABI: a target newer than the headers, and a function newer than the target"
for T in "$SITE_B/torch" "$SITE_L/torch"; do compile stable.cpp x.so -DTORCH_TARGET_VERSION=0x0263000000000000 > log.txt && echo compiled; grep -m1 error log.txt | say; done
T=$SITE_B/torch
cat > newer.cpp <<'C'
#include <torch/csrc/stable/accelerator.h>
void* f() { return torch::stable::accelerator::getCurrentStream(0).nativeHandle(); }  // since 2.13
C
compile newer.cpp x.so -DTORCH_TARGET_VERSION=0x020a000000000000 | grep -m1 error | say
compile newer.cpp x.so -DTORCH_TARGET_VERSION=0x020d000000000000 && echo "target 2.13: compiled"

head_ "6. The headers of the later torch with -std=c++17"
T=$SITE_L/torch
compile unstable.cpp x.so -std=c++17 | grep -m1 error | say
compile stable.cpp x.so -DTORCH_TARGET_VERSION=0x020a000000000000 -std=c++17 && echo "stable.cpp: compiled"

head_ "7. BuildExtension and nvcc of another version: a stand-in that only prints 'release 12.8', and a real $("$NVCC/bin/nvcc" --version | grep -o 'release [0-9.]*')"
cp -r "$HERE/swiglu_extension" ext
mkdir -p old/bin && printf '#!/bin/sh\necho "Cuda compilation tools, release 12.8, V12.8.93"\n' > old/bin/nvcc && chmod +x old/bin/nvcc
for home in "$W/old" "$NVCC"; do
  (cd ext && CUDA_HOME=$home TORCH_CUDA_ARCH_LIST=9.0 timeout 300 "$LATER" setup.py build_ext --inplace > ../log.txt 2>&1); grep -E 'mismatch' log.txt | tail -1 | say
done

head_ "8. TORCH_CUDA_ARCH_LIST"
flags() { CUDA_HOME=$NVCC "$LATER" -c "from torch.utils.cpp_extension import _get_cuda_arch_flags as f; print(f(${1-}))" 2>&1 | tail -1; }
echo "unset, no GPU visible: $(unset TORCH_CUDA_ARCH_LIST; flags)"
for list in "9.0" "8.0;9.0a;10.0+PTX" "9.0a+PTX" "Blackwell" "10.0f" "sm_90"; do echo "$list: $(TORCH_CUDA_ARCH_LIST=$list flags)"; done
echo "9.0, and nvcc option -I/opt/research/include: $(TORCH_CUDA_ARCH_LIST=9.0 flags "['-I/opt/research/include']")"

head_ "9. CUDA_HOME without nvcc"
(cd ext && rm -rf build && CUDA_HOME=$W/nothing TORCH_CUDA_ARCH_LIST=9.0 "$LATER" setup.py build_ext --inplace > ../log.txt 2>&1; tail -1 ../log.txt | say)
