"""Does the CPU or the GPU set the pace of a step? Copy `pace` into your program.

python step_pace.py                                              # steps whose answer is known, on one GPU
torchrun --standalone --nproc-per-node=2 step_pace.py ranks      # DDP and FSDP2
"""

import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch import nn


def pace(step, repetitions=20, warm_up=10):
    """Print milliseconds until the CPU has issued `step`, and until the GPU is done with it; medians."""
    issued, done = [], []
    for _ in range(warm_up + repetitions):
        torch.cuda.synchronize()
        start = time.perf_counter()
        step()
        issued.append(time.perf_counter() - start)
        torch.cuda.synchronize()
        done.append(time.perf_counter() - start)
    issued, done = (1000 * statistics.median(times[warm_up:]) for times in (issued, done))
    print(f"issued {issued:.2f} ms, done {done:.2f} ms, ratio {issued / done:.2f}", flush=True)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def alone():
    small = nn.Sequential(*(Block(128) for _ in range(16))).cuda().bfloat16()
    large = nn.Sequential(*(Block(4096) for _ in range(16))).cuda().bfloat16()
    few = torch.randn(16, 128, device="cuda", dtype=torch.bfloat16)
    many = torch.randn(8192, 4096, device="cuda", dtype=torch.bfloat16)
    graph = torch.compile(small, mode="reduce-overhead")
    rows = {
        "small, eager": lambda: small(few),
        "small, reduce-overhead": lambda: graph(few),
        "large, eager": lambda: large(many),
        "large, and a .item() at its end": lambda: large(many).sum().item(),
    }
    with torch.no_grad():
        for name, step in rows.items():
            print(f"{name:34}", end="")
            pace(step)
    print("\nThe last one again, with torch.cuda.set_sync_debug_mode('warn'):", flush=True)
    torch.cuda.set_sync_debug_mode("warn")
    rows["large, and a .item() at its end"]()


def ranks():
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    kinds = {"DDP, bfloat16 autocast": None, "FSDP2, single blocks": 1, "FSDP2, eight blocks at a time": 8}
    for rows in (2048, 32768):
        for name, group in kinds.items():
            model = nn.Sequential(*(Block(1024) for _ in range(32))).cuda()
            if group is None:
                wrapped = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
            else:
                for first in range(0, 32, group):
                    fully_shard([*model[first : first + group]], mp_policy=policy)
                wrapped = fully_shard(model, mp_policy=policy)
            optimizer = torch.optim.AdamW(wrapped.parameters(), lr=1e-4, fused=True)
            x = torch.randn(rows, 1024, device="cuda")

            def step(wrapped=wrapped, optimizer=optimizer, x=x):
                with torch.autocast("cuda", torch.bfloat16):
                    loss = wrapped(x).float().pow(2).mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()

            if rank:
                sys.stdout = open(os.devnull, "w")
            print(f"{rows:6} rows, {name:32}", end="")
            pace(step)
    dist.destroy_process_group()


if __name__ == "__main__":
    if torch.cuda.is_available() and int(os.environ.get("LOCAL_RANK", 0)) == 0:
        print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, {os.cpu_count()} cores", flush=True)
    ranks() if "ranks" in sys.argv else alone()
