"""What precision, compiling, batch size, activation checkpointing and loader workers change, on one GPU.

python step_choices.py OUT.jsonl        # all rows, each in a process of its own; a line of JSON per row
python step_choices.py --row NAME       # one row

Steps: a decoder of 24 layers, width 1024 (355 M parameters), sequences of 1,024 tokens, AdamW with fused=True.
Workers: ResNet-50 in bfloat16, channels_last, batch 128, from JPEG files of 500 x 375 that torchvision decodes and crops.
Each row: warm-up, then five repetitions of several steps; milliseconds per step, median and range of the five.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, LAYERS, HEADS, LENGTH, WORDS = 1024, 24, 16, 1024, 50304
REPETITIONS = 5

ROWS = {
    "float32": {"precision": "float32"},
    "TF32": {"precision": "tf32"},
    "float16 autocast, GradScaler": {"precision": "float16"},
    "bfloat16 autocast": {},
    "bfloat16, blocks compiled": {"compile": "blocks"},
    "bfloat16, whole model compiled": {"compile": "model"},
    "1 sequence": {"batch": 1},
    "2 sequences": {"batch": 2},
    "4 sequences": {"batch": 4},
    "16 sequences": {"batch": 16},
    "32 sequences": {"batch": 32},
    "32 sequences, checkpointing": {"batch": 32, "checkpoint": True},
    "8 sequences, checkpointing": {"checkpoint": True},
    "1 sequence, whole model compiled": {"batch": 1, "compile": "model"},
}
WORKERS = (0, 2, 4, 8, 16)


def build_model(row):
    """Return the decoder; blocks are compiled or checkpointed as the row says."""
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            rows, tokens, _ = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(rows, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
            seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(rows, tokens, WIDTH))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.place = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, ids):
            x = self.embed(ids) + self.place.weight
            for block in self.blocks:
                x = checkpoint(block, x, use_reentrant=False) if row.get("checkpoint") else block(x)
            return self.head(self.norm(x))

    torch.manual_seed(0)
    with torch.device("cuda"):
        model = Model()
    for block in model.blocks if row.get("compile") == "blocks" else ():
        block.compile()
    if row.get("compile") == "model":
        model.compile()
    return model


def time_step(step, count):
    """Return seconds of the first step, and ms per step of five repetitions of `count` steps."""
    import torch

    began = time.perf_counter()
    step()
    torch.cuda.synchronize()
    first = time.perf_counter() - began
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - began) / count)
    return first, times


def run_row(name):
    """Print the result of one row as JSON."""
    import torch

    if name.startswith("workers"):
        return run_workers(int(name.split()[1]))
    row = ROWS[name]
    precision, batch = row.get("precision", "bfloat16"), row.get("batch", 8)
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    model = build_model(row)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    scaler = torch.amp.GradScaler(enabled=precision == "float16")
    dtype = {"float16": torch.float16}.get(precision, torch.bfloat16)
    uses_autocast = precision in ("float16", "bfloat16")
    ids = torch.randint(0, WORDS, (batch, LENGTH), device="cuda")

    def step():
        with torch.autocast("cuda", dtype, enabled=uses_autocast):
            loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)

    first, times = time_step(step, 10 if batch <= 8 and uses_autocast else 5)
    median = statistics.median(times)
    tokens = 1e3 * batch * LENGTH / median
    parameters = sum(p.numel() for p in model.parameters())
    flops = 6 * parameters + 6 * LAYERS * WIDTH * LENGTH
    print(json.dumps({
        "row": name, "tokens": batch * LENGTH, "ms": round(median, 2), "range": [round(min(times), 2), round(max(times), 2)],
        "tokens_s": round(tokens), "mfu": round(flops * tokens / 989.5e12, 3), "peak_GiB": round(torch.cuda.max_memory_allocated() / 2**30, 2),
        "first_step_s": round(first, 1), "parameters": parameters,
    }))  # fmt: skip
    return None


def run_workers(workers):
    """Time ResNet-50 fed by a DataLoader with this number of workers."""
    import io

    import torch
    import torchvision
    from PIL import Image
    from torchvision import transforms

    torch.manual_seed(0)
    images = []
    for _ in range(64):
        small = torch.rand(3, 25, 34)
        picture = torch.nn.functional.interpolate(small[None], size=(375, 500), mode="bicubic")[0].clamp(0, 1)
        data = io.BytesIO()
        transforms.functional.to_pil_image(picture).save(data, "JPEG", quality=90)
        images.append(data.getvalue())
    crop = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.PILToTensor()])

    class Files(torch.utils.data.Dataset):
        def __len__(self):
            return 128 * 400

        def __getitem__(self, index):
            return crop(Image.open(io.BytesIO(images[index % 64])).convert("RGB")), index % 1000

    model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    loader = iter(torch.utils.data.DataLoader(Files(), 128, num_workers=workers, pin_memory=True))

    def step():
        pictures, labels = next(loader)
        pictures = pictures.cuda(non_blocking=True).to(memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(pictures.float() / 255), labels.cuda(non_blocking=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    first, times = time_step(step, 3 if workers == 0 else 6 if workers < 8 else 20)
    median = statistics.median(times)
    print(json.dumps({
        "row": f"workers {workers}", "ms": round(median, 1), "range": [round(min(times), 1), round(max(times), 1)],
        "images_s": round(128e3 / median), "first_step_s": round(first, 1), "kB": round(statistics.mean(map(len, images)) / 1e3, 1),
    }))  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?")
    parser.add_argument("--row")
    arguments = parser.parse_args()
    if arguments.row:
        return run_row(arguments.row)
    for name in [*ROWS, *(f"workers {n}" for n in WORKERS)]:
        with tempfile.TemporaryDirectory() as cache:  # nothing compiled before
            command = ["env", f"TORCHINDUCTOR_CACHE_DIR={cache}", f"TRITON_CACHE_DIR={cache}", sys.executable, __file__, "--row", name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        last = done.stdout.strip().splitlines()[-1:] or [json.dumps({"row": name, "error": done.stderr.strip()[-300:]})]
        print(last[0], flush=True)
        with open(arguments.out, "a") as file:
            file.write(last[0] + "\n")
    return None


if __name__ == "__main__":
    main()
