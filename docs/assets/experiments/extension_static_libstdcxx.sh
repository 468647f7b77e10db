#!/bin/bash
# Does an exception of STD_TORCH_CHECK reach Python? The same operator, built with each compiler that is named.
# Usage: bash extension_static_libstdcxx.sh COMPILER...      with the Python of torch on PATH; no GPU is needed
# COMPILER may be a wrapper, as: printf '#!/bin/sh\nexec g++ -static-libstdc++ "$@"\n' > g++-static; chmod +x g++-static
set -u
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT; cd "$W" || exit 1
export PYTHONFAULTHANDLER=1
T=$(python3 -c "import torch, os; print(os.path.dirname(torch.__file__))")
cat > chk.cpp <<'C'
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <sstream>
using torch::stable::Tensor;
Tensor f(const Tensor& a, const Tensor& b, int64_t how) {
  const char* name = "b";
  if (how == 1) STD_TORCH_CHECK(false, "one literal");
  if (how == 2) STD_TORCH_CHECK(false, "chk: ", name, " joined");
  if (how == 3) throw std::runtime_error("plain");
  if (how == 4) throw std::runtime_error(std::string("chk: ") + name + " string");
  if (how == 5) { std::ostringstream o; o << "chk: " << name; throw std::runtime_error(o.str()); }
  if (how == 6) return b.sizes().equals(a.sizes()) ? a : b;
  return a;
}
STABLE_TORCH_LIBRARY(chk, m) { m.def("f(Tensor a, Tensor b, int how) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(chk, CPU, m) { m.impl("f", TORCH_BOX(&f)); }
C
python3 -c 'import torch; print("torch", torch.__version__)'; for compiler in "$@"; do "$compiler" --version | head -1; done
for compiler in "$@"; do
  so=chk$(echo "$compiler" | tr / _).so
  "$compiler" -O2 -shared -fPIC -std=c++17 -DTORCH_TARGET_VERSION=0x020a000000000000 -I"$T/include" chk.cpp -L"$T/lib" -lc10 -ltorch -ltorch_cpu -o "$so"
  ls -l "$so"; ldd "$so" | grep stdc
  python3 - "$W/$so" <<'P'
import os, sys, torch
torch.ops.load_library(sys.argv[1])
print(sorted({l.split()[-1] for l in open("/proc/self/maps") if "stdc++" in l}), flush=True)
for how in range(7):
    pid = os.fork()
    if not pid:
        try: print(how, torch.ops.chk.f(torch.ones(3), torch.ones(4), how).shape, flush=True)
        except Exception as e: print(how, type(e).__name__, str(e)[:120].splitlines()[0], flush=True)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if status: print(how, "status", status, flush=True)
P
done
