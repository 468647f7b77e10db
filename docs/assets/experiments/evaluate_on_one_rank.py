"""Does a DDP model with BatchNorm wait for the other rank, if only rank 0 evaluates? On CPUs with Gloo.

python evaluate_on_one_rank.py
"""

import datetime
import os
import socket
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel


def worker(rank, port, through_wrapper, with_buffers):
    """Evaluate on rank 0 alone, with a limit of 10 s for collectives."""
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    dist.init_process_group("gloo", rank=rank, world_size=2, timeout=datetime.timedelta(seconds=10))
    layers = [torch.nn.Linear(8, 8)] + ([torch.nn.BatchNorm1d(8)] if with_buffers else [])
    model = DistributedDataParallel(torch.nn.Sequential(*layers))
    model(torch.randn(4, 8)).sum().backward()
    model.eval()
    if rank == 0:
        began = time.monotonic()
        with torch.no_grad():
            try:
                (model if through_wrapper else model.module)(torch.randn(4, 8))
                said = "ended"
            except RuntimeError as error:
                said = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
        how = "the wrapper" if through_wrapper else "model.module"
        print(f"{how}, {'with' if with_buffers else 'without'} buffers: {said} after {time.monotonic() - began:.1f} s", flush=True)
    else:
        time.sleep(20)


if __name__ == "__main__":
    print(torch.__version__)
    for case in ((True, True), (False, True), (True, False)):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            number = free.getsockname()[1]
        mp.spawn(worker, (number, *case), nprocs=2)
