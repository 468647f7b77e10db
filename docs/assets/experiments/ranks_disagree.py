"""Two ranks whose numbers differ: from each other, or from one GPU. Which causes are silent, and what finds them.

Usage: python ranks_disagree.py nccl|gloo
"""

import copy
import os
import socket
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def fingerprint(model):
    """One float64 a parameter and buffer: cheap, and equal on all ranks if the ranks agree."""
    return torch.stack([t.detach().double().sum() + t.detach().double().square().sum() for t in model.state_dict().values()])


def ranks_agree(model):
    """Names of parameters and buffers that are not the same on all ranks."""
    mine = fingerprint(model)
    every = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(every, mine)
    wrong = torch.stack([e != every[0] for e in every]).any(0)
    return [name for name, bad in zip(model.state_dict(), wrong.tolist()) if bad]


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 10))


def train(model, device, rank, steps=5, data_seed=None, hook=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    generator = torch.Generator().manual_seed(100 + rank if data_seed is None else data_seed)
    for step in range(steps):
        x = torch.randn(32, 64, generator=generator).to(device)
        y = torch.randint(0, 10, (32,), generator=generator).to(device)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        if hook:
            hook(model, step)
        optimizer.step()


def worker(rank, backend, port):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    device = torch.device("cpu")
    if backend == "nccl":
        device = torch.device("cuda", rank)
        torch.cuda.set_device(device)
    dist.init_process_group(backend, rank=rank, world_size=2)

    def say(*what):
        if rank == 0:
            print(*what, flush=True)

    say("== as it should be: DDP, other data and other initial weights on each rank")
    torch.manual_seed(rank)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
    say("  differ before DDP:", ranks_agree(model))
    ddp = DistributedDataParallel(model)
    say("  differ after DDP() :", ranks_agree(model))
    train(ddp, device, rank)
    say("  differ after 5 steps:", ranks_agree(model))

    say("== BatchNorm: buffers after 5 steps of DDP, default (broadcast_buffers=True), then without, then SyncBatchNorm")
    for kind in ("default", "broadcast_buffers=False", "SyncBatchNorm"):
        model = net().to(device)
        if kind == "SyncBatchNorm":
            if backend == "gloo":
                continue
            model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
        ddp = DistributedDataParallel(model, broadcast_buffers=kind != "broadcast_buffers=False")
        train(ddp, device, rank)
        say(f"  {kind}: differ {ranks_agree(model)}")

    say("== silent: a weight changed on one rank after DDP()")
    model = nn.Linear(64, 10).to(device)
    ddp = DistributedDataParallel(model)
    if rank == 1:
        model.weight.data[0, 0] += 1
    train(ddp, device, rank)
    say("  differ:", ranks_agree(model))

    say("== silent: one rank skips its optimizer's step once (a NaN check of its own)")
    model = nn.Linear(64, 10).to(device)
    ddp = DistributedDataParallel(model)
    train(ddp, device, rank, hook=lambda m, step: m.zero_grad() if rank == 1 and step == 2 else None)
    say("  differ:", ranks_agree(model))

    say("== silent: model.module(x) instead of model(x)")
    model = nn.Linear(64, 10).to(device)
    ddp = DistributedDataParallel(model)
    train(ddp.module, device, rank)
    say("  differ:", ranks_agree(model))

    say("== dropout masks: manual_seed(0) on both ranks, then manual_seed(rank)")
    for seed in ("0", "rank"):
        torch.manual_seed(0 if seed == "0" else rank)
        mask = nn.functional.dropout(torch.ones(10000, device=device), 0.5) > 0
        other = [torch.empty_like(mask) for _ in range(2)]
        dist.all_gather(other, mask)
        say(f"  seed {seed}: {(other[0] == other[1]).float().mean().item():.3f} of the elements have the same mask")

    say("== uneven numbers of tokens: mean per rank, averaged by DDP, against the mean over all tokens")
    torch.manual_seed(0)
    base = nn.Linear(64, 10).to(device)
    count = 1000 if rank == 0 else 100
    x, y = torch.randn(count, 64).to(device), torch.randint(0, 10, (count,)).to(device)
    if rank == 1:
        x, y = x + 1, y * 0
    xs, ys = [torch.zeros(n, 64, device=device) for n in (1000, 100)], [torch.zeros(n, dtype=torch.int64, device=device) for n in (1000, 100)]
    for r in range(2):
        if r == rank:
            xs[r].copy_(x)
            ys[r].copy_(y)
        dist.broadcast(xs[r], r)
        dist.broadcast(ys[r], r)
    whole = copy.deepcopy(base)
    nn.functional.cross_entropy(whole(torch.cat(xs)), torch.cat(ys)).backward()
    for kind in ("mean per rank", "sum / all tokens x ranks"):
        ddp = DistributedDataParallel(copy.deepcopy(base))
        if kind == "mean per rank":
            loss = nn.functional.cross_entropy(ddp(x), y)
        else:
            loss = nn.functional.cross_entropy(ddp(x), y, reduction="sum") / 1100 * 2
        loss.backward()
        error = (ddp.module.weight.grad - whole.weight.grad).norm() / whole.weight.grad.norm()
        say(f"  {kind}: gradient differs by {error.item():.2e} (relative) from one process with all tokens")

    say("== the same sum on both ranks? and with another number type")
    for dtype in (torch.float32, torch.bfloat16):
        torch.manual_seed(rank)
        mine = torch.randn(1 << 20, device=device)
        exact = mine.double()
        dist.all_reduce(exact)
        x = mine.to(dtype)
        dist.all_reduce(x)
        both = [torch.empty_like(x) for _ in range(2)]
        dist.all_gather(both, x)
        say(f"  {dtype}: equal bits on both ranks {torch.equal(both[0], both[1])}, error {((x.double() - exact).norm() / exact.norm()).item():.1e}")

    say("== cost of the check, 100 M parameters")
    big = nn.Sequential(*[nn.Linear(3162, 3162) for _ in range(10)]).to(device)
    ranks_agree(big)
    if backend == "nccl":
        torch.cuda.synchronize()
    start = time.monotonic()
    ranks_agree(big)
    say(f"  {1000 * (time.monotonic() - start):.1f} ms")
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    print(torch.__version__, sys.argv[1], torch.cuda.get_device_name() if sys.argv[1] == "nccl" else "CPU")
    mp.spawn(worker, (sys.argv[1], port), nprocs=2)
