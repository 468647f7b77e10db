"""Memory and time of a training step on two GPUs: one GPU, DDP and FSDP2, with their options.

Usage: python ddp_fsdp.py

A decoder of 24 layers, width 2048 (about 1.3 G parameters), AdamW, bfloat16 autocast or mixed-precision policy,
batches of 4 x 1024 tokens a GPU.
"""

import gc
import os
import socket
import statistics

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel

WIDTH, LAYERS, HEADS, TOKENS, ROWS = 2048, 24, 16, 1024, 4


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, WIDTH))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.blocks, self.head = nn.Embedding(32000, WIDTH), nn.ModuleList(Block() for _ in range(LAYERS)), nn.Linear(WIDTH, 32000, bias=False)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def measure(rank, name, wrap, autocast=True, steps=8, accumulate=1):
    """Print peak memory and the median time of a step (ms), after three steps."""
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch.manual_seed(0)
    try:
        model, optimizer = wrap()
        after_model = torch.cuda.memory_allocated()
        data = torch.randint(0, 32000, (ROWS, TOKENS), device="cuda")
        times, losses = [], []
        for step in range(steps):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for micro in range(accumulate):
                import contextlib

                last = micro == accumulate - 1
                quiet = model.no_sync() if hasattr(model, "no_sync") and not last else contextlib.nullcontext()
                if hasattr(model, "set_requires_gradient_sync"):
                    model.set_requires_gradient_sync(last)
                with quiet:
                    with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
                        logits = model(data)
                        loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), data.flatten())
                    loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            end.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end))
            losses.append(loss.item())
        peak, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
        gib = 2**30
        if rank == 0:
            print(f"{name:58} after wrapping {after_model / gib:5.1f} GiB, peak {peak / gib:5.1f}, reserved {reserved / gib:5.1f}; step {statistics.median(times[3:]):6.0f} ms [{min(times[3:]):.0f}, {max(times[3:]):.0f}]; loss {losses[0]:.3f} -> {losses[-1]:.3f}", flush=True)
    except Exception as error:
        if rank == 0:
            print(f"{name:58} {type(error).__name__}: {str(error)[:200]}", flush=True)
    model = optimizer = None


def ddp(rank, **options):
    def wrap():
        model = DistributedDataParallel(Model().cuda(), device_ids=[rank], **options)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    return wrap


def fsdp(policy=None, offload=False, reshard=True, root_only=False, checkpoint=False):
    def wrap():
        options = {"reshard_after_forward": reshard}
        if policy:
            options["mp_policy"] = policy
        if offload:
            options["offload_policy"] = CPUOffloadPolicy()
        model = Model() if offload else Model().cuda()
        if checkpoint:
            from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing

            apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, Block))
        if not root_only:
            for block in model.blocks:
                fully_shard(block, **options)
        fully_shard(model, **options)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4, fused=not offload)

    return wrap


def worker(rank, port):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=2, device_id=torch.device("cuda", rank))
    if rank == 0:
        print(f"{sum(p.numel() for p in Model().parameters()):,} parameters; tokens a GPU and step: {ROWS * TOKENS}")

    def alone():
        model = Model().cuda()
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    bf16 = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    measure(rank, "one process a GPU, no communication", alone)
    measure(rank, "DDP", ddp(rank))
    measure(rank, "DDP, gradient_as_bucket_view=True", ddp(rank, gradient_as_bucket_view=True))
    measure(rank, "DDP, gradient_as_bucket_view, static_graph", ddp(rank, gradient_as_bucket_view=True, static_graph=True))
    measure(rank, "DDP, gradient_as_bucket_view, bucket_cap_mb=100", ddp(rank, gradient_as_bucket_view=True, bucket_cap_mb=100))
    measure(rank, "DDP, gradient_as_bucket_view, bucket_cap_mb=1", ddp(rank, gradient_as_bucket_view=True, bucket_cap_mb=1))
    measure(rank, "DDP, gradient_as_bucket_view, 4 micro-batches, no_sync", ddp(rank, gradient_as_bucket_view=True), accumulate=4)
    measure(rank, "FSDP2, float32 parameters, autocast", fsdp())
    measure(rank, "FSDP2, bf16 policy (reduce in float32)", fsdp(bf16), autocast=False)
    measure(rank, "FSDP2, bf16 policy, reshard_after_forward=False", fsdp(bf16, reshard=False), autocast=False)
    measure(rank, "FSDP2, bf16 policy, only the root wrapped", fsdp(bf16, root_only=True), autocast=False)
    measure(rank, "FSDP2, bf16 policy, activation checkpointing", fsdp(bf16, checkpoint=True), autocast=False)
    measure(rank, "FSDP2, bf16 policy, CPU offload", fsdp(bf16, offload=True), autocast=False, steps=5)
    measure(rank, "FSDP2, bf16 policy, 4 micro-batches", fsdp(bf16), autocast=False, accumulate=4)
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    print(torch.__version__, torch.cuda.get_device_name(), os.popen("nvidia-smi topo -m").read())
    mp.spawn(worker, (port,), nprocs=2)
