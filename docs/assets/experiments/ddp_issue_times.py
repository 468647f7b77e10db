"""Does the CPU or the GPU set the pace of a step? One GPU, one process per row; the model of ddp_memory.py.

python ddp_issue_times.py

Unprofiled: milliseconds until the CPU has issued a step, and until the GPU is done with it, the queue empty
before. Profiled, two steps: milliseconds a step in which a kernel or a copy ran on the GPU.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

import ddp_memory as rows

SHOWN = ["no wrapper", "DDP", *rows.FSDP_ROWS]


def measure(name):
    import torch
    import torch.distributed as dist
    from torch.nn.functional import cross_entropy

    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29533"}
    dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
    model, autocast = rows.wrapped(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    data = torch.randint(0, 32000, (4, 1024), device="cuda")
    sync = torch.cuda.synchronize

    def step():
        with torch.autocast("cuda", torch.bfloat16) if autocast else contextlib.nullcontext():
            loss = cross_entropy(model(data).flatten(0, 1).float(), data.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    times = []
    for _ in range(25):
        sync()
        began = time.perf_counter()
        step()
        issued = time.perf_counter()
        sync()
        times.append([1e3 * (issued - began), 1e3 * (time.perf_counter() - began)])
    with torch.profiler.profile() as seen:
        step(), step(), sync()
    seen.export_chrome_trace("/tmp/trace.json")
    with open("/tmp/trace.json") as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    busy, end = 0.0, 0.0
    for first, last in sorted((e["ts"], e["ts"] + e["dur"]) for e in events):
        busy += max(0.0, last - max(first, end))
        end = max(end, last)
    for label, column in zip(("issued", "done"), zip(*times[10:])):
        print(f"  {label} {statistics.median(column):.1f} [{min(column):.1f}, {max(column):.1f}]", end="")
    print(f"  busy {busy / 2e3:.1f}  kernels and copies {len(events) // 2}  {name}", flush=True)


if sys.argv[1:]:
    measure(sys.argv[1])
else:
    print(*(subprocess.run([sys.executable, __file__, r], capture_output=True, text=True).stdout or r + ": failed\n" for r in SHOWN), sep="")
