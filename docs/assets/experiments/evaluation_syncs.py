"""Which forward passes of DDP synchronize buffers: training, evaluation without gradients, training again. Two ranks: NCCL with two GPUs, else Gloo.

python evaluation_syncs.py
"""

import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def worker(rank: int, port: int) -> None:
    """Change a buffer on rank 1 before each forward pass, and see whether the pass put rank 0's value back."""
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    on_gpus = torch.cuda.device_count() > 1
    if on_gpus:
        torch.cuda.set_device(rank)
    device = torch.device("cuda", rank) if on_gpus else torch.device("cpu")
    dist.init_process_group("nccl" if on_gpus else "gloo", rank=rank, world_size=2)
    norm = torch.nn.BatchNorm1d(8, momentum=0.0)  # training leaves the statistics as they are
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 8), norm).to(device))
    inputs = torch.randn(4, 8, device=device)
    plan = ["train"] * 2 + ["eval, no_grad"] * 3 + ["train"] * 2 + ["eval, with gradients"] * 2
    for number, mode in enumerate(plan, 1):
        model.train(mode == "train")
        if rank == 1:
            norm.running_mean.fill_(7)
        with torch.set_grad_enabled(mode != "eval, no_grad"):
            output = model(inputs)
        is_synchronized = norm.running_mean[0].item() == 0
        if mode != "eval, no_grad":
            output.sum().backward()
        if rank == 1:
            print(f"{dist.get_backend()}, pass {number}, {mode}: {'synchronized' if is_synchronized else 'not synchronized'}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    print(torch.__version__)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    mp.spawn(worker, (number,), nprocs=2)
