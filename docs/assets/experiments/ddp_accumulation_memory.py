"""Peak memory of gradient accumulation with DDP: one process per row, one GPU, a group of one rank.

python ddp_accumulation_memory.py            # all rows, a line each: JSON
python ddp_accumulation_memory.py --row N    # one row

The model, the optimizer and the tokens are those of ddp_memory.py, which is imported: 1.34 G parameters, AdamW (fused),
4 x 1,024 tokens in each micro-batch, bfloat16 autocast. A group of one rank exchanges nothing but has its buckets, so
the memory that they take is seen. Peaks are reset before each step. `extra` is the steady peak less that of one
micro-batch without a wrapper, in bytes per parameter.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")

from ddp_memory import ROWS, TOKENS, build_model

STEPS = 8
MICRO = 4
TABLE = [
    {"name": "no wrapper, 1 micro-batch", "micro": 1},
    {"name": "no wrapper", "micro": MICRO},
    {"name": "DDP, 1 micro-batch", "ddp": {}, "micro": 1},
    {"name": "DDP", "ddp": {}, "micro": MICRO},
    {"name": "DDP, set_to_none=False", "ddp": {}, "micro": MICRO, "keep": True},
    {"name": "DDP, gradient_as_bucket_view", "ddp": {"gradient_as_bucket_view": True}, "micro": MICRO},
    {
        "name": "DDP, gradient_as_bucket_view, set_to_none=False",
        "ddp": {"gradient_as_bucket_view": True},
        "micro": MICRO,
        "keep": True,
    },
    {"name": "DDP, exchange in every micro-batch", "ddp": {}, "micro": MICRO, "always": True},
]


def measure(row):
    """Return the peaks of the steps of one row."""
    import torch
    import torch.distributed as dist
    from torch.nn.functional import cross_entropy
    from torch.nn.parallel import DistributedDataParallel

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
    model = build_model()
    parameters = sum(p.numel() for p in model.parameters())
    if "ddp" in row:
        model = DistributedDataParallel(model, device_ids=[0], **row["ddp"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    data = torch.randint(0, 32000, (row["micro"], ROWS, TOKENS), device="cuda")
    peaks, losses = [], []
    for _ in range(STEPS):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        for number in range(row["micro"]):
            waits = "ddp" in row and number < row["micro"] - 1 and not row.get("always")
            with model.no_sync() if waits else contextlib.nullcontext():
                with torch.autocast("cuda", torch.bfloat16):
                    loss = cross_entropy(model(data[number]).flatten(0, 1).float(), data[number].flatten())
                (loss / row["micro"]).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=not row.get("keep"))
        torch.cuda.synchronize()
        peaks.append(torch.cuda.max_memory_allocated())
        losses.append(round(loss.item(), 4))
        del loss
    return {
        "row": row["name"], "micro": row["micro"], "torch": torch.__version__, "gpu": torch.cuda.get_device_name(),
        "parameters": parameters, "peaks": peaks, "reserved": torch.cuda.memory_reserved(), "losses": losses,
    }  # fmt: skip


def main():
    """Measure all rows, or the one that --row names."""
    if sys.argv[1:2] == ["--row"]:
        print(json.dumps(measure(TABLE[int(sys.argv[2])])))
        return
    base = None
    for number, row in enumerate(TABLE):
        command = [sys.executable, __file__, "--row", str(number)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        lines = run.stdout.strip().splitlines()
        if run.returncode or not lines:
            print(json.dumps({"row": row["name"], "error": run.stderr[-400:]}), flush=True)
            continue
        seen = json.loads(lines[-1])
        base = base or seen["peaks"][-1]
        seen["peaks_gib"] = [round(peak / 2**30, 2) for peak in seen["peaks"]]
        seen["extra"] = round((seen["peaks"][-1] - base) / seen["parameters"], 2)
        print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    main()
