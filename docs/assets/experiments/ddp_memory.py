"""Where the memory of DDP and FSDP2 goes, step by step: one process per row, one GPU, a group of one rank.

python ddp_memory.py OUT.json          # all rows; each runs in a process of its own
python ddp_memory.py --row NAME        # one row, as JSON on standard output

The model is that of ddp_fsdp.py: a decoder of 24 layers, width 2048 (1.34 G parameters), AdamW (fused), 4 x 1,024
tokens. A group of one rank exchanges nothing, but DDP makes its buckets all the same, so the memory that they
take is seen here; the time of an exchange is not. Peaks are reset before each step: the first steps, in which
DDP rebuilds its buckets and AdamW makes its state, are told apart from the steady state. NCCL_NVLS_ENABLE=0.
"""

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import time

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")

WIDTH, LAYERS, HEADS, TOKENS, ROWS = 2048, 24, 16, 1024, 4
STEPS = 12
WARM_UP = 5
"""Steps before the steady state: allocation of AdamW's state, DDP's new buckets, the allocator's blocks."""

DDP_ROWS = {
    "DDP": {},
    "DDP, gradient_as_bucket_view": {"gradient_as_bucket_view": True},
    "DDP, static_graph": {"static_graph": True},
    "DDP, gradient_as_bucket_view, static_graph": {"gradient_as_bucket_view": True, "static_graph": True},
    "DDP, gradient_as_bucket_view, bucket_cap_mb=100": {"gradient_as_bucket_view": True, "bucket_cap_mb": 100},
}
KEPT = "DDP, gradient_as_bucket_view, set_to_none=False"
FSDP_ROWS = {
    "FSDP2, root alone, bfloat16 policy": {"root_only": True},
    "FSDP2, blocks and root, bfloat16 policy": {"root_only": False},
}
NAMES = ["no wrapper", *DDP_ROWS, KEPT, *FSDP_ROWS]


def build_model():
    """Return the decoder on the GPU, float32."""
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
            self.embed = nn.Embedding(32000, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
            self.head = nn.Linear(WIDTH, 32000, bias=False)

        def forward(self, x):
            x = self.embed(x)
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    torch.manual_seed(0)
    return Model().cuda()


def wrapped(name):
    """Return the model of one row, wrapped, and whether autocast is needed."""
    import torch
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    from torch.nn.parallel import DistributedDataParallel

    model = build_model()
    if name == "no wrapper":
        return model, True
    if name in FSDP_ROWS:
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        if not FSDP_ROWS[name]["root_only"]:
            for block in model.blocks:
                fully_shard(block, mp_policy=policy)
        fully_shard(model, mp_policy=policy)
        return model, False
    options = {"gradient_as_bucket_view": True} if name == KEPT else DDP_ROWS[name]
    return DistributedDataParallel(model, device_ids=[0], **options), True


def measure(name):
    """Return what one row took: bytes after each phase of each step, peaks, and milliseconds."""
    import torch
    import torch.distributed as dist
    from torch import nn

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
    model, autocast = wrapped(name)
    parameters = sum(p.numel() for p in model.parameters())
    after_wrapping = torch.cuda.memory_allocated()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    data = torch.randint(0, 32000, (ROWS, TOKENS), device="cuda")
    now = torch.cuda.memory_allocated
    steps = []
    for _ in range(STEPS):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        context = torch.autocast("cuda", torch.bfloat16) if autocast else contextlib.nullcontext()
        with context:
            logits = model(data)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), data.flatten())
        forward = now()
        loss.backward()
        del logits
        backward, peak_backward = now(), torch.cuda.max_memory_allocated()
        optimizer.step()
        stepped = now()
        optimizer.zero_grad(set_to_none=name != KEPT)
        end.record()
        torch.cuda.synchronize()
        steps.append(
            {
                "after_forward": forward, "after_backward": backward, "peak_until_backward": peak_backward,
                "after_step": stepped, "after_zero_grad": now(), "peak": torch.cuda.max_memory_allocated(),
                "reserved": torch.cuda.memory_reserved(), "ms": start.elapsed_time(end), "loss": loss.item(),
            }
        )  # fmt: skip
        del loss
    steady = steps[WARM_UP:]
    kernels = profile(model, optimizer, data, autocast) if name in ("DDP", "FSDP2, root alone, bfloat16 policy", "FSDP2, blocks and root, bfloat16 policy", "no wrapper") else None
    return {
        "row": name, "torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "parameters": parameters,
        "nccl": ".".join(map(str, torch.cuda.nccl.version())), "NCCL_NVLS_ENABLE": os.environ["NCCL_NVLS_ENABLE"],
        "after_wrapping": after_wrapping, "steps": steps, "ms_median": statistics.median(s["ms"] for s in steady),
        "ms_range": [min(s["ms"] for s in steady), max(s["ms"] for s in steady)],
        "peak_first_steps": max(s["peak"] for s in steps[:WARM_UP]), "peak_steady": max(s["peak"] for s in steady),
        "reserved": steps[-1]["reserved"], "kernels": kernels,
    }  # fmt: skip


def profile(model, optimizer, data, autocast):
    """Return the time of the ten costliest kernels and of the CPU in two steps, in microseconds."""
    import torch
    from torch import nn
    from torch.profiler import ProfilerActivity

    with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        began = time.perf_counter()
        for _ in range(2):
            with torch.autocast("cuda", torch.bfloat16) if autocast else contextlib.nullcontext():
                logits = model(data)
                loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), data.flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        issued = time.perf_counter() - began
        torch.cuda.synchronize()
        waited = time.perf_counter() - began
    rows = [(e.key, e.self_device_time_total, e.count) for e in seen.key_averages() if e.self_device_time_total]
    rows.sort(key=lambda row: -row[1])
    return {"issued_us": issued * 1e6, "waited_us": waited * 1e6, "device_us": sum(r[1] for r in rows), "top": rows[:12]}


def main():
    """Measure all rows, or the one that --row names."""
    if sys.argv[1] == "--row":
        print(json.dumps(measure(sys.argv[2])))
        return
    done = []
    for name in NAMES:
        run = subprocess.run([sys.executable, __file__, "--row", name], capture_output=True, text=True, timeout=120)
        lines = run.stdout.strip().splitlines()
        done.append(json.loads(lines[-1]) if run.returncode == 0 and lines else {"row": name, "error": run.stderr[-1500:]})
        row = done[-1]
        said = row.get("error") or f"{row['ms_median']:.0f} ms, peak {row['peak_first_steps'] / 2**30:.1f} then {row['peak_steady'] / 2**30:.1f} GiB"
        print(f"{name:55} {said}", flush=True)
        with open(sys.argv[1], "w") as file:
            json.dump({"date": time.strftime("%Y-%m-%d"), "rows": done}, file, indent=1)


if __name__ == "__main__":
    main()
