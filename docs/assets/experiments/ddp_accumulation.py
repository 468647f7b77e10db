"""Count and time the all-reduces of gradient accumulation under DDP, and compare the gradients with the ones they should be.

python ddp_accumulation.py [PROCESSES]      # starts the processes itself: NCCL with as many GPUs, else Gloo on the CPU

Part 1, correctness, on a small network in float64: gradients after 4 micro-batches a process, with and without no_sync, with the loss divided, and with
NVIDIA's BERT hook that divides the bucket by the number of micro-batches instead. The wanted gradient is computed by each process from all data.
Part 2, speed (GPUs only): 12 linear layers of 2048 x 2048, several of them a bucket.
"""

# No "from __future__ import annotations": DDP.register_comm_hook compares the annotations themselves.
import contextlib
import os
import socket
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel as DDP

MICRO, REPEATS, STEPS = 4, 7, 8


def network(width: int, depth: int, dtype: torch.dtype, device: torch.device) -> nn.Module:
    """Return the same network on every process."""
    torch.manual_seed(0)
    return nn.Sequential(*(nn.Sequential(nn.Linear(width, width), nn.Tanh()) for _ in range(depth))).to(device, dtype)


def check(rank: int, world: int, device: torch.device) -> None:
    """Part 1."""
    everyone = torch.randn(world, MICRO, 8, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(3)).to(device)
    alone = network(16, 3, torch.float64, device)
    alone(everyone.flatten(0, 2)).square().mean().backward()
    wanted = torch.cat([p.grad.flatten() for p in alone.parameters()])
    if rank == 0:
        print(f"Part 1: {MICRO} micro-batches; gradient compared with that of one batch of everything", flush=True)
    for title, hook_divides, loss_divides, skip in (
        ("loss / 4, no_sync on the first 3", False, True, True),
        ("loss / 4, every backward exchanges", False, True, False),
        ("BERT's hook, no_sync on the first 3", True, False, True),
        ("BERT's hook, every backward exchanges", True, False, False),
        ("no division at all, no_sync on the first 3", False, False, True),
    ):
        model = DDP(network(16, 3, torch.float64, device), gradient_as_bucket_view=True, **({"device_ids": [device.index]} if device.index is not None else {}))
        exchanged = 0

        def hook(state: object, bucket: dist.GradBucket, divides: bool = hook_divides) -> torch.futures.Future[torch.Tensor]:
            nonlocal exchanged
            exchanged += 1
            if divides:
                bucket.set_buffer(bucket.buffer().div_(MICRO))
            return allreduce_hook(state, bucket)

        model.register_comm_hook(None, hook)
        for m in range(MICRO):
            with model.no_sync() if skip and m < MICRO - 1 else contextlib.nullcontext():
                loss = model(everyone[rank, m]).square().mean()
                (loss / MICRO if loss_divides else loss).backward()
        got = torch.cat([p.grad.flatten() for p in model.parameters()])
        error = ((got - wanted).norm() / wanted.norm()).item()
        if rank == 0:
            print(f"  {title:44} all-reduces {exchanged}  relative error {error:.1e}  ||got|| / ||wanted|| {(got.norm() / wanted.norm()).item():.3f}", flush=True)


def clock(rank: int, device: torch.device) -> None:
    """Part 2."""
    if rank == 0:
        print(f"Part 2: 12 x Linear(2048, 2048), bfloat16 autocast; milliseconds a step of {MICRO} micro-batches; median [least, most] of {REPEATS} repetitions of {STEPS} steps")
    for rows in (512, 4096):
        x = torch.randn(rows, 2048, device=device)
        for title, skip, one_bucket in (
            ("exchange in every backward", False, False),
            ("no_sync on the first 3", True, False),
            ("no_sync, one bucket for everything", True, True),
            ("no exchange at all", None, False),
        ):
            model = DDP(network(2048, 12, torch.float32, device), device_ids=[device.index], gradient_as_bucket_view=True, bucket_cap_mb=100_000 if one_bucket else 25)
            rule = torch.optim.AdamW(model.parameters(), fused=True)

            def step(skip: bool | None = skip, model: DDP = model, rule: torch.optim.Optimizer = rule, x: torch.Tensor = x) -> None:
                for m in range(MICRO):
                    quiet = skip is None or (skip and m < MICRO - 1)
                    with model.no_sync() if quiet else contextlib.nullcontext():
                        with torch.autocast("cuda", torch.bfloat16):
                            loss = model(x).square().mean() / MICRO
                        loss.backward()
                rule.step()
                rule.zero_grad(set_to_none=True)

            for _ in range(4):
                step()
            times = []
            for _ in range(REPEATS):
                torch.cuda.synchronize()
                dist.barrier()
                torch.cuda.synchronize()
                begin = time.perf_counter()
                for _ in range(STEPS):
                    step()
                torch.cuda.synchronize()
                times.append((time.perf_counter() - begin) / STEPS * 1e3)
            if rank == 0:
                print(f"  {rows:5} rows  {title:36}{statistics.median(times):8.2f} ms [{min(times):.2f}, {max(times):.2f}]", flush=True)


def process(rank: int, world: int, port: int, gpus: bool) -> None:
    """Run one process."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=str(rank))
    device = torch.device("cuda", rank) if gpus else torch.device("cpu")
    if gpus:
        torch.cuda.set_device(device)
    else:
        torch.set_num_threads(1)
    dist.init_process_group("nccl" if gpus else "gloo")
    check(rank, world, device)
    if gpus:
        clock(rank, device)
    dist.destroy_process_group()


def main() -> None:
    """Start the processes."""
    world = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    gpus = torch.cuda.device_count() >= world
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    where = f"NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}, {world} x {torch.cuda.get_device_name()}" if gpus else f"Gloo, {world} processes on the CPU"
    print(f"torch {torch.__version__}, {where}", flush=True)
    mp.spawn(process, (world, port, gpus), nprocs=world)


if __name__ == "__main__":
    main()
