"""Compile before or after DDP and FSDP2: graphs, first step, later steps, and the difference from eager.

for way in 0 1 2 3 4 5 6; do torchrun --standalone --nproc-per-node=2 compile_ranks.py $way; done
GPUs with NCCL, else the CPU with Gloo and a small model. Each way has its own processes and its own empty cache.
"""

import os
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn
from torch._dynamo.utils import counters
from torch.distributed.fsdp import fully_shard
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

GPU = torch.cuda.is_available()
WIDTH, LAYERS, ROWS, TOKENS, STEPS = (1024, 12, 8, 512, 20) if GPU else (64, 2, 2, 16, 3)
DEVICE = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if GPU else torch.device("cpu")


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (part.unflatten(-1, (8, -1)).transpose(1, 2) for part in self.qkv(self.first(x)).chunk(3, -1))
        x = x + self.out(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.second(x))))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return x


def ddp(model: nn.Module) -> nn.Module:
    return DistributedDataParallel(model, device_ids=[DEVICE.index] if GPU else None)


def by_layer(model: nn.Module) -> nn.Module:
    for block in model.blocks:
        block.compile()
    return model


def sharded(model: nn.Module) -> nn.Module:
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    return model


def whole(model: nn.Module) -> nn.Module:
    model.compile()
    return model


WAYS = {
    "DDP, eager": ddp,
    "compile the model, then DDP": lambda model: ddp(whole(model)),
    "DDP, then compile": lambda model: torch.compile(ddp(model)),
    "compile each layer, then DDP": lambda model: ddp(by_layer(model)),
    "FSDP2, eager": sharded,
    "compile each layer, then FSDP2": lambda model: sharded(by_layer(model)),
    "FSDP2, then compile the model": lambda model: whole(sharded(model)),
}


def run(name: str) -> None:
    torch.manual_seed(0)
    model = WAYS[name](Model().to(DEVICE))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    torch.manual_seed(1 + dist.get_rank())
    x = torch.randn(ROWS, TOKENS, WIDTH, device=DEVICE)
    times, losses = [], []
    for _ in range(STEPS):
        dist.barrier()
        start = time.monotonic()
        with torch.autocast(DEVICE.type, torch.bfloat16):
            loss = model(x).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        times.append(time.monotonic() - start)
    later = [1000 * t for t in times[5:] or times[1:]]
    if dist.get_rank() == 0:
        graphs = counters["stats"]["unique_graphs"]
        print(f"{name:32} graphs {graphs:3}  first step {times[0]:6.1f} s  later {statistics.median(later):7.2f} [{min(later):.2f}, {max(later):.2f}] ms  last loss {losses[-1]:.6f}", flush=True)


os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp()
if GPU:
    torch.cuda.set_device(DEVICE)
dist.init_process_group("nccl" if GPU else "gloo")
way = list(WAYS)[int(sys.argv[1])]
if dist.get_rank() == 0 and sys.argv[1] == "0":
    print("torch", torch.__version__, "on", torch.cuda.get_device_name() if GPU else "CPU", "ranks", dist.get_world_size(), flush=True)
try:
    run(way)
except Exception as error:
    print(f"rank {dist.get_rank()} {way}: {type(error).__name__}: {str(error).splitlines()[0][:200]}", flush=True)
dist.destroy_process_group()
