"""HSDP: compare the shards of the replicas, which must be equal. Four processes on CPUs, two replicas of two shards.

torchrun --standalone --nproc-per-node=4 replicas_agree.py
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def fingerprint(tensor):
    bits = tensor.detach().flatten().view(BITS[tensor.element_size()])
    return sum(piece.sum(dtype=torch.int64) for piece in bits.split(2**24))


def replicas_agree(model, replicate):
    """Names of parameters whose shards differ between replicas; `replicate` is the mesh's dimension of replicas."""
    state = {name: p.to_local() for name, p in model.named_parameters()}
    mine = torch.stack([fingerprint(t) for t in state.values()])
    every = [torch.empty_like(mine) for _ in range(replicate.size())]
    dist.all_gather(every, mine, group=replicate.get_group())
    wrong = torch.stack([e != every[0] for e in every]).any(0)
    return [name for name, bad in zip(state, wrong.tolist()) if bad]


def main():
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def say(when):
        found = [None] * 4
        dist.all_gather_object(found, replicas_agree(model, mesh["replicate"]))
        if rank == 0:
            print(f"{when}: by rank {found}")

    if rank == 0:
        print(torch.__version__, "mesh", mesh.mesh.tolist())
    say("after wrapping, the same seed")
    for step in range(3):
        torch.manual_seed(10 * step + rank)
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    say("after three steps with other data on each rank")
    if rank == 3:
        model[2].weight.to_local().data[0, 0] += 1e-3
    say("one element of 2.weight changed on rank 3")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
