"""FSDP2: compare between ranks what is not sharded, and notice ranks with the same batch. Two processes on CPUs.

torchrun --standalone --nproc-per-node=2 fsdp2_agree.py
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}


def fingerprint(tensor):
    """Sum of the bits as integers, as on the page."""
    bits = tensor.detach().flatten().view(BITS.get(tensor.element_size(), torch.int64))
    return sum(piece.sum(dtype=torch.int64) for piece in bits.split(2**24))


def fsdp2_agree(model, batch, **values):
    """Names of buffers and values that differ between ranks, and whether two ranks have the same batch. All ranks must call it."""
    mine = {name: fingerprint(b).item() for name, b in model.named_buffers()} | values
    every = [None] * dist.get_world_size()
    dist.all_gather_object(every, (mine, fingerprint(batch).item()))
    differ = [name for name in mine if any(other[name] != mine[name] for other, _ in every)]
    return differ, len({data for _, data in every}) < len(every)


class Model(nn.Module):
    """Two layers and a buffer."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer("inv_freq", torch.arange(4.0), persistent=False)

    def forward(self, x):
        return self.second(self.first(x) * self.inv_freq.repeat(2))


def main():
    """Say what the check returns without a fault, and with three."""
    init_device_mesh("cpu", (2,))
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = Model()
    fully_shard(model.first)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)

    def say(when, batch, **values):
        answers = [None, None]
        dist.all_gather_object(answers, fsdp2_agree(model, batch, **values))
        if rank == 0:
            print(f"{when}: by rank {answers}")

    def step(seed):
        torch.manual_seed(seed)
        batch = torch.randn(4, 8)
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        return batch

    if rank == 0:
        print(torch.__version__)
    for number in range(3):
        batch = step(10 * number + rank)
    say("three steps, other data on each rank", batch, step=3, lr=optimizer.param_groups[0]["lr"])
    say("the step's number is one less on rank 1", batch, step=3 - rank, lr=optimizer.param_groups[0]["lr"])
    if rank == 1:
        model.inv_freq[0] = 7.0
    say("one element of a buffer changed on rank 1", batch, step=3, lr=optimizer.param_groups[0]["lr"])
    model.inv_freq.copy_(torch.arange(4.0))
    say("the same batch on both ranks", step(99), step=4, lr=optimizer.param_groups[0]["lr"])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
