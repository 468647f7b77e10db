"""Tokens per second and MFU of a model of Llama 3 8B's shape, with FSDP2 on all GPUs of one host.

python llama_step.py OUT.jsonl          # all rows, each in processes of its own
python llama_step.py --row NAME         # one row

32 layers, width 4096, 32 heads of which 8 for keys and values, 14,336 in the middle, 128,256 words: 8.03 G parameters,
random weights. One sequence of 8,192 tokens per GPU; bfloat16 policy, reduction in float32, AdamW with fused=True.
MFU = (6 x (P - embedding) + 12 x layers x width x length) x tokens per second and GPU / 989.5e12, torchtitan's formula.
NVLink multicast is off (NCCL_NVLS_ENABLE=0).
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
WIDTH, LAYERS, HEADS, KEYS, MIDDLE, WORDS, LENGTH = 4096, 32, 32, 8, 14336, 128256, 8192
REPETITIONS, STEPS = 5, 3
ROWS = {
    "every second block checkpointed": {"every": 2},
    "every second block checkpointed, blocks compiled": {"every": 2, "compile": True},
    "every block checkpointed": {"every": 1},
    "every block checkpointed, blocks compiled": {"every": 1, "compile": True},
}


def build_model(row):
    """Return the sharded model, its weights drawn on the GPUs."""
    import torch
    from torch import nn
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    def rotate(x, turn):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turn[:, None]).flatten(3).type_as(x)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            head = WIDTH // HEADS
            self.norm1, self.norm2 = nn.RMSNorm(WIDTH, eps=1e-5), nn.RMSNorm(WIDTH, eps=1e-5)
            self.q, self.out = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
            self.k, self.v = (nn.Linear(WIDTH, KEYS * head, bias=False) for _ in range(2))
            self.gate, self.up = (nn.Linear(WIDTH, MIDDLE, bias=False) for _ in range(2))
            self.down = nn.Linear(MIDDLE, WIDTH, bias=False)

        def forward(self, x, turn):
            rows, tokens, _ = x.shape
            normed = self.norm1(x)
            q, k, v = (f(normed).view(rows, tokens, -1, WIDTH // HEADS) for f in (self.q, self.k, self.v))
            q, k = rotate(q, turn).transpose(1, 2), rotate(k, turn).transpose(1, 2)
            seen = nn.functional.scaled_dot_product_attention(q, k, v.transpose(1, 2), is_causal=True, enable_gqa=True)
            x = x + self.out(seen.transpose(1, 2).reshape(rows, tokens, WIDTH))
            normed = self.norm2(x)
            return x + self.down(nn.functional.silu(self.gate(normed)) * self.up(normed))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(WORDS, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
            self.norm, self.head = nn.RMSNorm(WIDTH, eps=1e-5), nn.Linear(WIDTH, WORDS, bias=False)

        def forward(self, ids, turn):
            x = self.embed(ids)
            for block in self.blocks:
                x = block(x, turn)
            return self.head(self.norm(x))

    with torch.device("meta"):
        model = Model()
    parameters = sum(p.numel() for p in model.parameters())
    for number in range(LAYERS):
        if number % row["every"] == 0:
            model.blocks[number] = checkpoint_wrapper(model.blocks[number])
        if row.get("compile"):
            model.blocks[number].compile()
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    model.to_empty(device="cuda")
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1) if parameter.dim() == 1 else parameter.normal_(std=0.02)
    return model, parameters


def run_rank(rank, ranks, port, name, answer):
    """Measure one row on one rank; rank 0 puts the result into `answer`."""
    import torch
    import torch.distributed as dist

    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks, device_id=torch.device("cuda", rank))
    model, parameters = build_model(ROWS[name])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    torch.manual_seed(1 + rank)
    ids = torch.randint(0, WORDS, (1, LENGTH), device="cuda")
    angles = torch.arange(LENGTH)[:, None] / 500000 ** (torch.arange(0, WIDTH // HEADS, 2)[None] / (WIDTH // HEADS))
    turn = torch.polar(torch.ones_like(angles), angles).cuda()

    def step():
        loss = torch.nn.functional.cross_entropy(model(ids, turn).flatten(0, 1).float(), ids.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    began = time.perf_counter()
    losses = [step()]
    torch.cuda.synchronize()
    first = time.perf_counter() - began
    losses += [step() for _ in range(4)]
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(REPETITIONS):
        dist.barrier()
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(STEPS):
            losses.append(step())
        torch.cuda.synchronize()
        times.append((time.perf_counter() - began) / STEPS)
    median = statistics.median(times)
    flops = 6 * (parameters - WORDS * WIDTH) + 12 * LAYERS * WIDTH * LENGTH
    if rank == 0:
        answer.put({
            "row": name, "gpus": ranks, "parameters": parameters, "s": round(median, 3), "range": [round(min(times), 3), round(max(times), 3)],
            "tokens_s_gpu": round(LENGTH / median), "mfu": round(flops * LENGTH / median / 989.5e12, 3),
            "peak_GiB": round(torch.cuda.max_memory_allocated() / 2**30, 1), "reserved_GiB": round(torch.cuda.memory_reserved() / 2**30, 1),
            "first_step_s": round(first, 1), "losses": [round(losses[0].item(), 2), round(losses[-1].item(), 2)],
            "torch": torch.__version__, "gpu": torch.cuda.get_device_name(),
        })  # fmt: skip
    dist.barrier()
    dist.destroy_process_group()


def run_row(name):
    """Run one row on all GPUs and print its result."""
    import torch
    import torch.multiprocessing as mp

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    ranks = torch.cuda.device_count()
    answer = mp.get_context("spawn").SimpleQueue()
    mp.spawn(run_rank, (ranks, port, name, answer), nprocs=ranks)
    print(json.dumps(answer.get()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?")
    parser.add_argument("--row")
    arguments = parser.parse_args()
    if arguments.row:
        return run_row(arguments.row)
    for name in ROWS:
        with tempfile.TemporaryDirectory() as cache:  # nothing compiled before
            command = ["env", f"TORCHINDUCTOR_CACHE_DIR={cache}", f"TRITON_CACHE_DIR={cache}", sys.executable, __file__, "--row", name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=130)
        last = done.stdout.strip().splitlines()[-1:] or [json.dumps({"row": name, "error": done.stderr.strip()[-600:]})]
        print(last[0], flush=True)
        with open(arguments.out, "a") as file:
            file.write(last[0] + "\n")
    return None


if __name__ == "__main__":
    main()
