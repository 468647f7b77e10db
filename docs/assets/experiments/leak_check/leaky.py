"""Call the leaky extension and show what PyTorch's counters and the device say; then destroy the context.

python leaky.py LIBRARY CALLS [keep] [noreset]
"""

import ctypes
import os
import sys

import pynvml
import torch


def process() -> int:
    """Bytes of device memory that NVML counts for this process."""
    pynvml.nvmlInit()
    running = pynvml.nvmlDeviceGetComputeRunningProcesses(pynvml.nvmlDeviceGetHandleByIndex(0))
    return next((p.usedGpuMemory or 0 for p in running if p.pid == os.getpid()), 0)


torch.ops.load_library(sys.argv[1])
calls, keep = int(sys.argv[2]), "keep" in sys.argv
x = torch.randn(1024, 1024, device="cuda")
assert torch.equal(torch.ops.leaky.scale(x), x * 2 + 1)
assert torch.equal(torch.ops.leaky.good_scale(x), x * 2 + 1)
print(torch.__version__, "caching", "off" if os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING") else "on")
for name in ("good_scale", "scale"):
    torch.cuda.synchronize()
    allocated, reserved, device = torch.cuda.memory_allocated(), torch.cuda.memory_reserved(), process()
    for _ in range(calls):
        getattr(torch.ops.leaky, name)(x)
    torch.cuda.synchronize()
    print(
        f"{calls} calls of {name} on 4 MiB: allocated {(torch.cuda.memory_allocated() - allocated) / 2**20:+.0f} MiB, "
        f"reserved {(torch.cuda.memory_reserved() - reserved) / 2**20:+.0f} MiB, "
        f"nvidia-smi {(process() - device) / 2**20:+.0f} MiB"
    )
if keep:
    KEPT = [torch.empty(1024, 1024, device="cuda") for _ in range(2)]  # a leak of tensors
else:
    del x
torch.cuda.synchronize()
torch.cuda.empty_cache()
sys.stdout.flush()
if "noreset" in sys.argv:
    sys.exit()
reset = ctypes.CDLL("libcudart.so.13").cudaDeviceReset  # ends the context: the leak check runs
print("cudaDeviceReset", reset(), flush=True)
os._exit(0)  # destructors would use the context that is gone
