"""Reduced precision and split-K in a product of 64 x 131072 x 64: error, time and kernels for each value of the flag.

Usage: python split_k.py
"""

import subprocess, sys
for dtype in ("bf16", "fp16"):
    for value in ("True", "False", "(False, False)"):
        code = ("import torch\nd = dict(bf16=torch.bfloat16, fp16=torch.float16)['%s']\n"
        "torch.backends.cuda.preferred_blas_library('cublaslt'); m = torch.backends.cuda.matmul\nm.allow_%s_reduced_precision_reduction = %s\n"
        "torch.manual_seed(0); a = torch.randn(64, 131072, device='cuda').to(d); b = torch.randn(131072, 64, device='cuda').to(d)\n"
        "want = a.double() @ b.double()\n"
        "y = a @ b; torch.cuda.synchronize()\n"
        "s, e = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)\n"
        "for _ in range(20): a @ b\n"
        "s.record()\nfor _ in range(100): a @ b\ne.record(); torch.cuda.synchronize()\n"
        "print('error %%.2e, %%.4f ms' %% (((y.double() - want).norm() / want.norm()).item(), s.elapsed_time(e) / 100))\n"
        "from torch.profiler import profile, ProfilerActivity\n"
        "with profile(activities=[ProfilerActivity.CUDA]) as p:\n    a @ b; torch.cuda.synchronize()\n"
        "print([k.key[:70] for k in p.key_averages() if 'splitK' in k.key or 'gemm' in k.key or 'nvjet' in k.key])\n") % (dtype, dtype, value)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        print(dtype, value, "status", done.returncode, " | ".join(done.stdout.strip().splitlines()), " ".join(done.stderr.strip().splitlines()[-1:])[:400])
