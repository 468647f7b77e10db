"""Which CUPTI does torch.profiler load, and does it need a CUDA toolkit beside PyTorch's wheels?

Run it with PyTorch on a GPU: once as it is, and once with the toolkit hidden, in a mount namespace (as root):
`unshare --mount bash -c 'mount -t tmpfs none "$(readlink -f /usr/local/cuda)" && python3 cupti_torch.py'`.
It prints how many events of the GPU the profiler saw, and which CUPTI files are mapped into the process.
"""

from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

x = torch.randn(1024, 1024, device="cuda")
(x @ x).sum().item()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as run:
    for _ in range(5):
        y = (x @ x).relu()
    torch.cuda.synchronize()
events = [event for event in run.events() if event.device_type == torch.autograd.DeviceType.CUDA]
names = sorted({event.name[:50] for event in events})
print(torch.__version__, "GPU events:", len(events), "names:", names[:6])
lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
print("mapped:", *sorted({line.split()[-1] for line in lines if "cupti" in line or "nvperf" in line}), sep="\n  ")
