"""Memory and time of a training step of DDP and FSDP2 on all GPUs of one host, in steady state.

python ddp_fsdp.py OUT.jsonl [--seconds 540]   # all rows, each in processes of its own; a line of JSON per row and run
python ddp_fsdp.py --row NAME --tokens 4096    # one row
python ddp_fsdp.py OUT.jsonl --optimizers      # AdamW without fused=True, and clipping

A decoder of 24 layers, width 2048 (1.34 G parameters), AdamW; each rank has a batch of its own, of 4,096 or 16,384
tokens. Twelve steps are the warm-up: in them DDP makes its buckets anew, AdamW its state and the allocator its blocks.
Then 20 steps are run one after another, and timed one by one; peaks are told apart for warm-up and steady state.
In ten more steps, each with an empty queue before it, the time until the CPU has issued the step is read.
NVLink multicast is off (NCCL_NVLS_ENABLE=0).
"""

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import time

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")

WIDTH, LAYERS, HEADS, LENGTH, WORDS = 2048, 24, 16, 1024, 32000
WARM_UP, STEADY, ALONE = 12, 20, 10
SIZES = (4096, 16384)
"""Tokens of a GPU and step."""

ROWS = {
    "no wrapper": {},
    "DDP": {"ddp": {}},
    "DDP, gradient_as_bucket_view": {"ddp": {"gradient_as_bucket_view": True}},
    "DDP, gradient_as_bucket_view, static_graph": {"ddp": {"gradient_as_bucket_view": True, "static_graph": True}},
    "DDP, gradient_as_bucket_view, 4 micro-batches, no_sync": {"ddp": {"gradient_as_bucket_view": True}, "micro": 4},
    "FSDP2, float32 parameters, autocast": {"fsdp": {}, "policy": False},
    "FSDP2": {"fsdp": {}},
    "FSDP2, reshard_after_forward=False": {"fsdp": {"reshard_after_forward": False}},
    "FSDP2, root alone": {"fsdp": {}, "blocks": False},
    "FSDP2, four blocks at a time": {"fsdp": {}, "group": 4},
    "FSDP2, activation checkpointing": {"fsdp": {}, "checkpoint": True},
    "FSDP2, blocks compiled": {"fsdp": {}, "compile": True},
    "FSDP2, 4 micro-batches, set_requires_gradient_sync": {"fsdp": {}, "micro": 4},
    "FSDP2, CPUOffloadPolicy": {"fsdp": {}, "offload": True},
}
"""Without "policy": False, FSDP2 computes in bfloat16 and reduces gradients in float32; blocks and root are wrapped."""

OPTIMIZERS = {
    "DDP": ROWS["DDP"],
    "FSDP2": ROWS["FSDP2"],
    "DDP, AdamW foreach": {"ddp": {}, "fused": False},
    "DDP, clipping": {"ddp": {}, "clip": {}},
    "DDP, clipping with foreach=False": {"ddp": {}, "clip": {"foreach": False}},
    "DDP, AdamW foreach and clipping": {"ddp": {}, "fused": False, "clip": {}},
    "DDP, gradient_as_bucket_view, clipping": {"ddp": {"gradient_as_bucket_view": True}, "clip": {}},
    "FSDP2, AdamW foreach": {"fsdp": {}, "fused": False},
    "FSDP2, clipping": {"fsdp": {}, "clip": {}},
    "FSDP2, clipping with foreach=False": {"fsdp": {}, "clip": {"foreach": False}},
    "FSDP2, four blocks at a time, clipping": {"fsdp": {}, "group": 4, "clip": {}},
}
"""AdamW by foreach where PyTorch would choose, and clipping of the gradients; run with --optimizers."""


def build_model(device):
    """Return the decoder, float32, with the same weights on each rank."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            rows, tokens, _ = x.shape
            qkv = self.qkv(self.norm1(x)).view(rows, tokens, 3, HEADS, -1)
            q, k, v = qkv.permute(2, 0, 3, 1, 4)
            seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(rows, tokens, WIDTH))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(WORDS, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
            self.head = nn.Linear(WIDTH, WORDS, bias=False)

        def forward(self, x):
            x = self.embed(x)
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    torch.manual_seed(0)
    with torch.device(device):
        return Model()


def wrapped(row, rank):
    """Return the model of one row, its optimizer, and how many parameters it has."""
    import torch
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
    from torch.nn.parallel import DistributedDataParallel

    offloads = row.get("offload", False)
    model = build_model("cuda")
    parameters = sum(p.numel() for p in model.parameters())
    if "ddp" in row:
        model = DistributedDataParallel(model, device_ids=[rank], **row["ddp"])
    if "fsdp" in row:
        options = dict(row["fsdp"])
        if row.get("policy", True):
            options["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        if offloads:
            options["offload_policy"] = CPUOffloadPolicy()
            model = model.cpu()
            torch.cuda.empty_cache()
        if row.get("checkpoint"):
            from torch.distributed.algorithms._checkpoint import checkpoint_wrapper

            block_type = type(model.blocks[0])
            checkpoint_wrapper.apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, block_type))
        if row.get("compile"):
            for block in model.blocks:
                block.compile()
        if row.get("blocks", True):
            blocks, size = list(model.blocks), row.get("group", 1)
            for first in range(0, LAYERS, size):
                group = blocks[first : first + size]
                fully_shard(group if size > 1 else group[0], **options)
        fully_shard(model, **options)
    fused = row.get("fused", not offloads)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4, **({"fused": True} if fused else {})), parameters


def run_rank(rank, ranks, port, name, tokens, answer):
    """Measure one row on one rank; rank 0 puts the result into `answer`."""
    import torch
    import torch.distributed as dist
    from torch.nn.functional import cross_entropy

    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.cuda.set_device(rank)
    dist.init_process_group("cpu:gloo,cuda:nccl", rank=rank, world_size=ranks, device_id=torch.device("cuda", rank))
    row = (ROWS | OPTIMIZERS)[name]
    model, optimizer, parameters = wrapped(row, rank)
    after_wrapping = torch.cuda.memory_allocated()
    torch.manual_seed(1 + rank)
    micro = row.get("micro", 1)
    data = torch.randint(0, WORDS, (micro, tokens // LENGTH, LENGTH), device="cuda")
    uses_autocast = "fsdp" not in row or not row.get("policy", True)
    warm_up, steady, alone = (4, 4, 2) if row.get("offload") else (WARM_UP, STEADY, ALONE)

    def step():
        for number in range(micro):
            is_last = number == micro - 1
            exchange = contextlib.nullcontext()
            if micro > 1 and hasattr(model, "no_sync") and not is_last:
                exchange = model.no_sync()
            if micro > 1 and hasattr(model, "set_requires_gradient_sync"):
                model.set_requires_gradient_sync(is_last)
            with exchange:
                with torch.autocast("cuda", torch.bfloat16, enabled=uses_autocast):
                    loss = cross_entropy(model(data[number]).flatten(0, 1).float(), data[number].flatten())
                loss.backward()
        if "clip" in row:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, **row["clip"])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    losses, peaks = [], []
    for _ in range(warm_up):
        torch.cuda.reset_peak_memory_stats()
        losses.append(step())
        torch.cuda.synchronize()
        peaks.append(torch.cuda.max_memory_allocated())
    torch.cuda.reset_peak_memory_stats()
    dist.barrier()
    torch.cuda.synchronize()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(steady + 1)]
    marks[0].record()
    for mark in marks[1:]:
        losses.append(step())
        mark.record()
    torch.cuda.synchronize()
    times = [a.elapsed_time(b) for a, b in zip(marks, marks[1:])]
    steady_peak = torch.cuda.max_memory_allocated()
    reserved = torch.cuda.memory_reserved()
    issued = []
    for _ in range(alone):
        dist.barrier()
        torch.cuda.synchronize()
        began = time.perf_counter()
        step()
        issued.append(1e3 * (time.perf_counter() - began))
    torch.cuda.synchronize()
    shared = torch.stack(losses).float()
    dist.all_reduce(shared, dist.ReduceOp.AVG)
    if rank == 0:
        answer.put({
            "row": name, "tokens": tokens, "ranks": ranks, "torch": torch.__version__,
            "gpu": torch.cuda.get_device_name(), "nccl": ".".join(map(str, torch.cuda.nccl.version())),
            "parameters": parameters, "after_wrapping": after_wrapping, "peaks_warm_up": peaks,
            "peak_steady": steady_peak, "reserved": reserved, "ms": statistics.median(times),
            "ms_range": [min(times), max(times)], "issued_ms": statistics.median(issued),
            "loss_first": shared[0].item(), "loss_last_of_warm_up": shared[warm_up - 1].item(),
        })  # fmt: skip
    dist.destroy_process_group()


def run_row(name, tokens):
    """Print the result of one row as JSON."""
    import torch
    import torch.multiprocessing as mp

    ranks = torch.cuda.device_count()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answer = mp.get_context("spawn").SimpleQueue()
    mp.spawn(run_rank, (ranks, port, name, tokens, answer), nprocs=ranks)
    print(json.dumps(answer.get()))


def main():
    """Run every row with both sizes, then all of them again while time is left."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?")
    parser.add_argument("--row")
    parser.add_argument("--tokens", type=int, default=SIZES[0])
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--optimizers", action="store_true")
    given = parser.parse_args()
    if given.row:
        return run_row(given.row, given.tokens)
    until = time.monotonic() + given.seconds
    rows = OPTIMIZERS if given.optimizers else ROWS
    with open(given.out, "w") as out:
        for run in (1, 2, 3):
            for tokens in SIZES:
                for name in rows:
                    left = until - time.monotonic()
                    if left < 30:
                        return None
                    command = [sys.executable, __file__, "--row", name, "--tokens", str(tokens)]
                    began = time.monotonic()
                    try:
                        done = subprocess.run(command, capture_output=True, text=True, timeout=min(left, 120))
                        text, error = done.stdout.strip().rpartition("\n")[2], done.stderr
                    except subprocess.TimeoutExpired:
                        text, error = "", "TimeoutExpired"
                    last = next((s for s in reversed(error.splitlines()) if "Error" in s or "Expired" in s), "")
                    result = json.loads(text) if text.startswith("{") else {"row": name, "tokens": tokens, "error": last}
                    print(json.dumps(result | {"run": run}), file=out, flush=True)
                    brief = f"{result.get('ms', 0):.0f} ms" if "ms" in result else last[:200]
                    print(run, tokens, name, brief, f"({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
