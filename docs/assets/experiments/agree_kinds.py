"""Run the page's `ranks_agree` over dtypes and devices: NCCL with two GPUs, else Gloo with three ranks on the CPU.

python agree_kinds.py ../../cuda/24-distributed-ranks-that-disagree.md
"""

import os
import re
import socket
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def page_code(page: str) -> dict:
    """Return what the first Python block of the page defines."""
    names: dict = {}
    exec(re.search(r"^```python\n(.*?)^```", Path(page).read_text(), re.M | re.S).group(1), names)  # noqa: S102 - our own page
    return names


def model_of_kinds() -> torch.nn.Module:
    """Return a module with a tensor of each kind, the same on each rank."""
    model = torch.nn.Linear(4, 4)
    model.brief = torch.nn.Parameter(torch.ones(3, dtype=torch.bfloat16))
    model.wide = torch.nn.Parameter(torch.ones(3, dtype=torch.complex128))
    model.long_float = torch.nn.Parameter(torch.ones(3, dtype=torch.float64))
    for name, buffer in {"mask": torch.ones(3, dtype=torch.bool), "empty": torch.empty(0), "scalar": torch.tensor(1.0)}.items():
        model.register_buffer(name, buffer)
    torch.nn.init.ones_(model.weight)
    torch.nn.init.zeros_(model.bias)
    return model


def ranks() -> int:
    """Return how many processes there are."""
    return 2 if torch.cuda.device_count() > 1 else 3


def worker(rank: int, port: int, page: str) -> None:
    """Change one tensor on rank 1 at a time; the check must name it, on all ranks."""
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    on_gpus = torch.cuda.device_count() > 1
    if on_gpus:
        torch.cuda.set_device(rank)
    dist.init_process_group("nccl" if on_gpus else "gloo", rank=rank, world_size=ranks())
    model = model_of_kinds().to(torch.device("cuda", rank) if on_gpus else "cpu")
    model.register_buffer("on_cpu", torch.ones(3))  # stays there
    check = page_code(page)["ranks_agree"]
    said = {"nothing": check(model)}
    for name, tensor in model.state_dict().items():
        if not tensor.numel():
            continue
        before = tensor.clone()
        if rank == 1:
            tensor.zero_() if tensor.any() else tensor.fill_(1)
        said[name] = check(model)
        tensor.copy_(before)
    for name, names in said.items():
        print(f"rank {rank}, {dist.get_backend()}: changed on rank 1: {name}; returned: {names}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    print(torch.__version__, *(torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    mp.spawn(worker, (number, sys.argv[1]), nprocs=ranks())
